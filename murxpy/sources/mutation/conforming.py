"""Conforming operators: the operators that can replace that of an application, with its arguments
and its sort kept.

Winterer, Zhang, Su: "On the unusual effectiveness of type-aware operator mutations for testing SMT
solvers", OOPSLA 2020; definition 4.3.1 of Winterer's thesis: an operator g conforms to f if g takes
all arguments that f takes, and gives no result that the place of f does not take. This module
computes it from the signatures in `fsm/theories`, and needs no list.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.terms import VALUE, Term
from murxpy.logic.typing import Checker
from murxpy.smtlib.building import Tables

_NEVER = frozenset(["OP_UF_APPLY", "OP_DT_MATCH", "OP_DT_MATCH_CASE", "OP_DT_MATCH_BIND_CASE"])
_SWAPS = {
    "OP_FORALL": "OP_EXISTS",
    "OP_EXISTS": "OP_FORALL",
    "OP_FORALL_PATTERN": "OP_EXISTS_PATTERN",
    "OP_EXISTS_PATTERN": "OP_FORALL_PATTERN",
}
_INDEX_VALUES = 3  # values of each index, from the ends of its range

_REALS = "OP_INT_TO_REAL"

Choice = tuple[str, tuple[int, ...], str]
"""An operator, its indices, and a cast: `up` for arguments that are integers where it takes reals, `down` for the other way round."""


class Conforming:
    """The operators among `operators` that conform to an application. The results are remembered by
    the sorts of arguments and result.
    """

    def __init__(self, catalogue: Catalogue, operators: frozenset[str]) -> None:
        self._candidates = [
            op
            for op in catalogue.operators.values()
            if op.kind in operators
            and op.kind not in _NEVER
            and op.typing is None
            and not op.signature.binder
        ]
        self._catalogue = catalogue
        self._operators = operators
        self._known: dict[str, tuple[Choice, ...]] = {}

    def choices(self, term: Term, checker: Checker) -> tuple[Choice, ...]:
        """The operators, with indices, that can replace the operator of `term`, without that
        operator itself.
        """
        swapped = _SWAPS.get(term.op)
        if swapped is not None:
            return ((swapped, (), ""),) if swapped in self._operators else ()
        if not term.args or term.op in _NEVER or term.sort.kind == "SORT_FUN":
            return ()
        args = tuple(arg.sort for arg in term.args)
        whole = all(map(integral, term.args))
        key = f"{term.sort!r} {args!r} {whole}"
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = tuple(self._all(args, term.sort, checker, whole))
        spelled = self._spelled(term.op, term.indices)
        return tuple(choice for choice in found if self._spelled(*choice[:2]) != spelled)

    def _spelled(self, kind: str, indices: tuple[Any, ...]) -> tuple[Any, ...]:
        """The name of an operator in a script. The two kinds of `=` for Booleans have the same."""
        return self._catalogue.operators[kind].smtlib, indices

    def _all(
        self, args: tuple[Sort, ...], wanted: Sort, checker: Checker, whole: bool
    ) -> list[Choice]:
        """The choices without casts, and those that fit only with casts. The only casts are between
        reals and integers, which count as their subsort.
        """
        found: list[Choice] = []
        integer, real = checker.sorts.get("SORT_INT"), checker.sorts.get("SORT_REAL")
        for operator in self._candidates:
            for indices in _indices(operator, wanted):
                if _gives(checker, operator, args, indices, wanted):
                    found.append((operator.kind, indices, ""))
                elif integer in args and _gives(
                    checker,
                    operator,
                    tuple([real if s is integer else s for s in args]),
                    indices,
                    wanted,
                ):
                    found.append((operator.kind, indices, "up"))
                elif whole and _gives(
                    checker,
                    operator,
                    (integer,) * len(args),
                    indices,
                    integer if wanted is real else wanted,
                ):
                    found.append((operator.kind, indices, "down"))
        return found


def integral(term: Term) -> bool:
    """True for an integer at a place that needs a real."""
    return term.op == _REALS or (
        term.op == VALUE
        and term.sort.kind == "SORT_REAL"
        and Fraction(term.indices[0]).denominator == 1
    )


def lowered(tables: Tables, term: Term) -> Term:
    """The integer term under the cast `down` of a real term."""
    return term.args[0] if term.op == _REALS else tables.value(tables.int, int(term.indices[0]))


def _gives(
    checker: Checker,
    operator: Operator,
    args: tuple[Sort, ...],
    indices: tuple[int, ...],
    wanted: Sort,
) -> bool:
    asked = wanted if operator.signature.as_sort else None
    try:
        return checker.result(operator, args, indices, asked) is wanted
    except IllSorted:
        return False


def _indices(operator: Operator, wanted: Sort) -> list[tuple[int, ...]]:
    """Small values and edge values of the indices. The type checker decides later whether they fit
    the sorts.
    """
    numbers = [p for p in wanted.params if isinstance(p, int)]
    among = sorted({0, 1, 2, *numbers})[: _INDEX_VALUES + len(numbers)]
    return list(product(among, repeat=len(operator.signature.indices)))
