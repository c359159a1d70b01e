"""What the sessions of a campaign say of their solvers: which operators there are, and how much of
its wrapper each release lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

About = Mapping[str, Any]


def operators_of(abouts: Sequence[About]) -> dict[str, list[str]]:
    """The operators that at least one target draws from, by theory."""
    merged: dict[str, dict[str, None]] = {}
    for about in abouts:
        for theory, kinds in about.get("operators", {}).items():
            merged.setdefault(theory, {}).update(dict.fromkeys(kinds))
    return {theory: list(kinds) for theory, kinds in merged.items()}


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
