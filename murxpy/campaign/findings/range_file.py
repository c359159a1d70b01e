"""The range of releases that show a bucket's defect, in a file beside its traces."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from murxpy.campaign.findings.folder import write_atomically

_FILE = "range.json"


def keep_range(folder: Path, found: Mapping[str, Any]) -> None:
    """Keep what `murxpy bisect` found out about the bucket in `folder`. Raises OSError."""
    write_atomically(folder / _FILE, json.dumps(found, indent=1) + "\n")


def kept_range(folder: Path) -> str:
    """The releases that show the defect of the bucket in `folder`, such as `4.12.0..`; empty where
    no bisection was made.
    """
    try:
        return str(json.loads((folder / _FILE).read_text(encoding="utf-8"))["range"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
