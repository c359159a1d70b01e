"""The defects of bindings under `traces/regressions` still show on the release that they were found in."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "traces" / "regressions"
PACKAGES = {"z3": "z3-solver", "cvc5": "cvc5"}


def installed() -> list[Path]:
    """The traces of contract mode that are of an installed release."""
    found = []
    for folder in sorted(FOLDER.iterdir()):
        solver, _, release = folder.name.partition("-")
        if folder.is_dir() and importlib.metadata.version(PACKAGES[solver]).startswith(release):
            found += sorted(folder.glob("contract-*.trace"))
    return found


def test_every_trace_is_described() -> None:
    notes = (FOLDER.parent.parent / "docs" / "notes" / "binding-findings.md").read_text(encoding="utf-8")
    for file in FOLDER.glob("*/contract-*.trace"):
        assert f"`{file.stem.removeprefix('contract-')}`" in notes, file


@pytest.mark.slow
@pytest.mark.parametrize("file", installed(), ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_the_defect_shows(file: Path) -> None:
    command = [sys.executable, "-m", "murxpy", "replay", str(file), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["tier"] == ("solver" if "cube" in file.name else "binding")
