"""What the sessions of a campaign say of their solvers: how much of its wrapper each release
lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

About = Mapping[str, Any]


def lacking(abouts: Sequence[About]) -> Iterator[str]:
    """A line for each target whose release lacks spellings of its wrapper."""
    for about in abouts:
        missing = about.get("missing") or []
        if missing:
            noun = "spelling" if len(missing) == 1 else "spellings"
            yield (
                f"{about['solver']} {about['version']} lacks {len(missing)} {noun} of its wrapper; "
                f"'murxpy doctor' lists them"
            )
