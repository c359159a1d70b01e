"""The lines `plant`: the values of constants and the sizes of uninterpreted sorts in the planted
model of a run.
"""

from __future__ import annotations

from murxpy.actions.base import Action, register
from murxpy.errors import InputError
from murxpy.logic.terms import CONSTANT
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Refused
from murxpy.machine.planted import OPEN
from murxpy.machine.planted_words import read_words
from murxpy.machine.planting import lines
from murxpy.machine.tokens import Ref
from murxpy.semantics.values import CannotSay, FunctionValue
from murxpy.trace.reading import Reading

MOST = 1 << 10  # the largest number of elements of an uninterpreted sort


@register("plant")
class Plant(Action):
    """`plant`, `plant s N`, `plant t value`, `plant KIND function`."""

    drawn = False

    def read(self, r: Reading) -> None:
        if not r.line.args:
            lines.plant(r.run, r.seed)
            return
        word = r.line.args[0]
        try:
            if isinstance(word, Ref) and word.letter == "s":
                _size(r)
            elif isinstance(word, str):
                _open(r, word)
            else:
                _value(r, r.term(0))
        except InputError as error:
            raise error if error.file is not None else r.error(str(error)) from None
        except CannotSay as reason:
            raise Refused("unsupported", str(reason)) from None


def _size(r: Reading) -> None:
    entry, size = r.sort(0), r.number(1, "a number of elements")
    r.end(2)
    if entry.sort.kind != "SORT_UNINTERPRETED":
        raise r.error(f"expected an uninterpreted sort, but {entry} is {entry.sort}")
    if not 1 <= size <= MOST:
        raise r.error(f"expected 1 to {MOST} elements, found {size}")
    lines.plant_size(r.run, entry, size, r.seed)


def _open(r: Reading, kind: str) -> None:
    if kind not in OPEN:
        raise r.error(
            f"expected a constant, an uninterpreted sort, or one of {', '.join(OPEN)}, found '{kind}'"
        )
    function = read_words(
        r.line.args[1:],
        lines.open_sort(r.run, kind),
        r.run.sorts,
        lines.planted_of(r.run).evaluator,
    )
    if isinstance(function, FunctionValue):
        lines.plant_open(r.run, kind, function, r.seed)


def _value(r: Reading, entry: Entry) -> None:
    if entry.term.op != CONSTANT:
        raise r.error(f"expected a constant, but {entry} is not one")
    points = lines.planted_of(r.run).evaluator
    value = read_words(r.line.args[1:], entry.term.sort, r.run.sorts, points)
    lines.plant_value(r.run, entry, value, r.seed)
