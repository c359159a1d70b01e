"""Exceptions in finalizers: Python only prints them and goes on, so they must be gathered here."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from murxpy.machine.run import Run
from murxpy.solvers.contract import DOCUMENTED


@contextmanager
def watched(run: Run) -> Iterator[list[dict[str, Any]]]:
    """Inside, gather the exceptions in finalizers as findings, in order. Python prints them all the
    same.
    """
    found: list[dict[str, Any]] = []
    before = sys.unraisablehook

    def note(raised: Any) -> None:
        before(raised)
        if isinstance(raised.exc_value, Exception):
            thrown = run.wrapper.contract.judge(raised.exc_value, run.wrapper.refusals)
            if thrown.sort == DOCUMENTED:
                return
            letter = "A" if threading.current_thread() is threading.main_thread() else "H"
            message = f"class {letter}: a finalizer raises {thrown.type}; {thrown.message}"
            found.append(
                run.finding(
                    "contract",
                    "binding",
                    message,
                    "misuse",
                    thrown.place or "finalizer",
                    "finalizer",
                )
            )

    sys.unraisablehook = note
    try:
        yield found
    finally:
        sys.unraisablehook = before
