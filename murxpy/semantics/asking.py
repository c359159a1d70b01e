"""Questions whose answers may need the values of other terms. Each is a generator, as in
`registry.Asking`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from murxpy.semantics.registry import Asking, OpenPoint
from murxpy.semantics.values import CannotSay, Value


def every(tests: Iterable[Asking]) -> Asking:
    """Return whether all tests hold. If one fails, the answer is False, even if another test cannot
    be answered. Raises CannotSay if no test fails and one cannot be answered.
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
    """Return the reason that helps more: an open point, because its values can be tried one by one."""
    return one if isinstance(one, OpenPoint) and one.unknown.key is not None else other


def settled(task: Asking) -> Any:
    """Return the result of a comparison that needs no further term, as is the case among values of
    a solver's model. Raises CannotSay if it needs one.
    """
    try:
        task.send(None)
    except StopIteration as end:
        return end.value
    raise CannotSay("equality of functions that have to be evaluated")


def given(value: Value) -> Asking:
    """A question whose answer is known."""
    yield from ()
    return value
