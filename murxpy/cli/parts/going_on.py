"""What a command that keeps its work says when a signal ends it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def goes_on(out: Path | None) -> Iterator[None]:
    """Inside this context, an interruption tells that the work is kept in the folder `out`, or that it
    is not where there is none.
    """
    try:
        yield
    except KeyboardInterrupt as error:
        error.add_note(
            "nothing is kept: --out keeps the work in a folder"
            if out is None
            else f"its work is kept in {out}, where the same command goes on"
        )
        raise
