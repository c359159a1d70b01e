"""Misuse, which contract mode carries out on purpose."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from murxpy.actions import broken_calls
from murxpy.actions.base import REGISTERED, Action, register
from murxpy.actions.own import read_own
from murxpy.machine.generate import callables, misuse
from murxpy.machine.generate.base import Generator
from murxpy.trace.reading import Reading


@register("misuse")
class Misuse(Action):
    """`misuse@RULE ...`: a call with a bad operand or in a wrong state, or stress on an object."""

    drawn = False
    alone = True

    def read(self, r: Reading) -> None:
        broken_calls.reader(_readers(), read_own)(r)


@cache
def _readers() -> dict[str, Callable[[Reading], None]]:
    return {name: action.read for name, action in REGISTERED.items() if action.traced}


def _plainly(gen: Generator, name: str) -> bool:
    return REGISTERED[name].draw(gen)


_DRAWS: dict[str, Callable[[Generator], bool]] = {
    "misuse-value": lambda gen: misuse.misuse(gen, "value", _plainly),
    "misuse-object": lambda gen: misuse.misuse(gen, "object", _plainly),
    "misuse-order": misuse.out_of_order,
    "misuse-call": callables.bursts,
    "misuse-hold": misuse.hold,
    "misuse-held": misuse.held,
    "misuse-protocol": lambda gen: misuse.stress(gen, "protocol"),
    "misuse-life": lambda gen: misuse.stress(gen, "life"),
    "misuse-state": lambda gen: misuse.stress(gen, "state"),
    "misuse-drop": misuse.tear_down,
    "misuse-own": misuse.stress_own,
}


@register(*_DRAWS)
class DrawnMisuse(Action):
    """A misuse by a random rule of one family, written as a line `misuse`."""

    traced = False

    def draw(self, gen: Generator) -> bool:
        return _DRAWS[self.name](gen)
