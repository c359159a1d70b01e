"""Questions whose answers may need the values of bodies: generators, as in `registry.Asking`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from murxpy.semantics.registry import Asking, OpenPoint
from murxpy.semantics.values import CannotSay, Value


def every(tests: Iterable[Asking]) -> Asking:
    """Whether all tests hold: False if one fails, whatever cannot be said of others; True if all
    do. Raises CannotSay.
    """
    unsaid: CannotSay | None = None
    for test in tests:
        try:
            if not (yield from test):
                return False
        except CannotSay as reason:
            unsaid = graver(unsaid, reason)
    if unsaid is not None:
        raise unsaid
    return True


def graver(one: CannotSay | None, other: CannotSay) -> CannotSay:
    """Of two reasons rather an open point, whose values can be tried."""
    return one if isinstance(one, OpenPoint) and one.unknown.key is not None else other


def settled(task: Asking) -> Any:
    """What a comparison gives where no body of a closure has to be evaluated, as among values of a
    solver's model. Raises CannotSay.
    """
    try:
        task.send(None)
    except StopIteration as end:
        return end.value
    raise CannotSay("equality of functions that have to be evaluated")


def given(value: Value) -> Asking:
    """A value that is known."""
    yield from ()
    return value
