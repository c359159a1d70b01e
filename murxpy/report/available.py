"""What the sessions of a campaign say of their solvers: the operators there are, and what the
releases lack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

About = Mapping[str, Any]


def operators_of(abouts: Sequence[About]) -> dict[str, list[str]]:
    """By theory, the operators that some target draws from."""
    merged: dict[str, dict[str, None]] = {}
    for about in abouts:
        for theory, kinds in about.get("operators", {}).items():
            merged.setdefault(theory, {}).update(dict.fromkeys(kinds))
    return {theory: list(kinds) for theory, kinds in merged.items()}


def lacking(abouts: Sequence[About]) -> Iterator[str]:
    """A line for each target whose release has not all that its wrapper spells."""
    for about in abouts:
        missing = about.get("missing") or []
        if missing:
            noun = "spelling" if len(missing) == 1 else "spellings"
            yield (
                f"{about['solver']} {about['version']} lacks {len(missing)} {noun} of its wrapper; "
                f"'murxpy doctor' lists them"
            )
