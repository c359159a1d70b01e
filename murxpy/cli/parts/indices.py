"""Indices of scripts on the command line: exact integers, also those of many digits."""

from __future__ import annotations

import re

import click

MOST = 4000  # digits of an index


def index(text: str) -> int:
    """The integer in `51000`, `51_000` or `1e275`, exactly. Raises BadParameter."""
    match = re.fullmatch(r"(\d[\d_]*)(?:[eE]\+?(\d{1,5}))?", text.strip())
    if match is None or len(match[1]) + int(match[2] or 0) > MOST:
        raise click.BadParameter(
            f"'{text}': expected an integer of at most {MOST} digits, such as 51000 or 1e275"
        )
    power: int = 10 ** int(match[2] or 0)
    return int(match[1]) * power
