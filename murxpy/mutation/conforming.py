"""Conforming operators: what may stand in the place of an application, arguments and sort kept.

Winterer, Zhang, Su: "On the unusual effectiveness of type-aware operator mutations for testing SMT
solvers", OOPSLA 2020, definition 4.2 of the thesis: g conforms to f if it takes all that f takes
and gives nothing that f's place does not take. Here that is computed from the ranks of
`fsm/theories`, not kept in a list.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import VALUE, Term
from murxpy.logic.typing import Checker, IllSorted
from murxpy.smtlib.tables import Tables

_NEVER = frozenset(["OP_UF_APPLY", "OP_DT_MATCH", "OP_DT_MATCH_CASE", "OP_DT_MATCH_BIND_CASE"])
_SWAPS = {
    "OP_FORALL": "OP_EXISTS",
    "OP_EXISTS": "OP_FORALL",
    "OP_FORALL_PATTERN": "OP_EXISTS_PATTERN",
    "OP_EXISTS_PATTERN": "OP_FORALL_PATTERN",
}
_INDEX_VALUES = 3  # of each index, from the ends of its range

_REALS = "OP_INT_TO_REAL"

Choice = tuple[str, tuple[int, ...], str]
"""An operator, its indices, and a cast: `up` for arguments that are integers where it takes reals, `down` for the other way round."""


class Conforming:
    """The operators that conform to an application, among `operators`; remembers by the sorts of
    arguments and result.
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
        """Operators with indices that may replace the operator of `term`, itself left out."""
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
        """What an operator looks like in a script: `=` of Booleans has two kinds."""
        return self._catalogue.operators[kind].smtlib, indices

    def _all(
        self, args: tuple[Sort, ...], wanted: Sort, checker: Checker, whole: bool
    ) -> list[Choice]:
        """The choices without casts, and with them what only they make fit: reals are the one
        supersort, integers the one subsort.
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
    """True for an integer where a real must be."""
    return term.op == _REALS or (
        term.op == VALUE
        and term.sort.kind == "SORT_REAL"
        and Fraction(term.indices[0]).denominator == 1
    )


def lowered(tables: Tables, term: Term) -> Term:
    """The integer that a term of reals with the cast `down` is of."""
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
    """Small and telling values of the indices; whether they fit the sorts, the checker says."""
    numbers = [p for p in wanted.params if isinstance(p, int)]
    among = sorted({0, 1, 2, *numbers})[: _INDEX_VALUES + len(numbers)]
    return list(product(among, repeat=len(operator.signature.indices)))
