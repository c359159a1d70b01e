"""Formulas that say that a constant is in a range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.semantics.ranges.abstract import ANY, Bits, Except, Few, Interval, Range
from murxpy.semantics.values import CannotSay, Value
from murxpy.smtlib.printing.values import ValueTerms
from murxpy.smtlib.tables import Tables

MOST = 8  # values of a range that a formula lists


class Conditions:
    """Makes formulas of ranges, and literals of values."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._values = ValueTerms(tables.terms, tables.sorts)

    def literal(self, value: Value, sort: Sort) -> Term | None:
        """A term without constants for a value; None if there is none."""
        if _named(sort):
            return None
        try:
            return self._values.term(value, sort)
        except (CannotSay, AttributeError):  # an irrational number has no numerator
            return None

    def of(self, constant: Term, wanted: Range) -> Term | None:
        """A formula that holds exactly if the constant is in the range; None if there is none."""
        if wanted is ANY:
            return self._tables.true
        maker = _FORMULAS.get(type(wanted))
        parts = None if maker is None else maker(self, constant, wanted)
        if not parts or any(part is None for part in parts):
            return None
        return self._tables.conjunction([part for part in parts if part is not None])

    def _apply(self, kind: str, left: Term | None, right: Term | None) -> Term | None:
        if left is None or right is None:
            return None
        return self._tables.apply(kind, left, right)

    def _few(self, constant: Term, wanted: Few) -> list[Term | None]:
        if len(wanted.values) > MOST:
            return []
        same = [
            self._apply("OP_EQUAL", constant, self.literal(value, constant.sort))
            for value in wanted.values
        ]
        known = [term for term in same if term is not None]
        if len(known) < len(same) or not known:
            return []
        return [known[0] if len(known) == 1 else self._tables.apply("OP_OR", *known)]

    def _except(self, constant: Term, wanted: Except) -> list[Term | None]:
        if len(wanted.values) > MOST:
            return []
        return [
            self._apply("OP_DISTINCT", constant, self.literal(value, constant.sort))
            for value in wanted.values
        ]

    def _interval(self, constant: Term, wanted: Interval) -> list[Term | None]:
        kind, found = constant.sort.kind.removeprefix("SORT_"), []
        for end, open_, above in (
            (wanted.low, wanted.low_open, True),
            (wanted.high, wanted.high_open, False),
        ):
            if end is not None:
                ends = (self.literal(end, constant.sort), constant)
                name = f"OP_{kind}_{'LT' if open_ else 'LTE'}"
                found.append(self._apply(name, *(ends if above else ends[::-1])))
        return found

    def _bits(self, constant: Term, wanted: Bits) -> list[Term | None]:
        def number(value: int) -> Term | None:
            return self.literal(value, constant.sort)

        found = []
        if wanted.low:
            found.append(self._apply("OP_BV_ULE", number(wanted.low), constant))
        if wanted.high + 1 < 1 << wanted.width:
            found.append(self._apply("OP_BV_ULE", constant, number(wanted.high)))
        if wanted.mask:
            part = self._apply("OP_BV_AND", constant, number(wanted.mask))
            found.append(self._apply("OP_EQUAL", part, number(wanted.ones)))
        return found


_FORMULAS: dict[type, Callable[[Conditions, Term, Any], list[Term | None]]] = {
    Few: Conditions._few,
    Except: Conditions._except,
    Interval: Conditions._interval,
    Bits: Conditions._bits,
}


def _named(sort: Sort) -> bool:
    """Whether values of the sort are made of elements that have no name in scripts."""
    return sort.kind == "SORT_UNINTERPRETED" or any(map(_named, sort.sorts()))
