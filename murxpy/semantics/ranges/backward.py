"""The ranges of the arguments of connectives. The ranges are what trying both truth values of each
argument gives, but found for all arguments at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.ranges.abstract import ANY, FALSE, NOTHING, TRUE, Few, Range
from murxpy.semantics.registry import BINDERS, Unknown
from murxpy.semantics.values import CannotSay

_ALONE = {True: TRUE, False: FALSE}
Ways = tuple[Any, Any]
"""The value of the connective if the argument is false, and if it is true; None if not known."""


def _fine(wanted: Range, ways: Ways, present: Any) -> Range:
    """The range of an argument."""
    fine = [
        value for value in (False, True) if (way := ways[value]) is not None and wanted.holds(way)
    ]
    if len(fine) == 2:
        return ANY
    if fine:
        return _ALONE[fine[0]]
    return NOTHING if type(present) is Unknown else _ALONE[present]


def _joined(values: Sequence[Any], deciding: bool) -> list[Ways]:
    """The ways of a conjunction, which is false if an argument is; or of a disjunction, which is true
    if an argument is. `deciding` is the value of such an argument.
    """
    hits = sum([value is deciding for value in values])
    doubts = sum([type(value) is Unknown for value in values])
    found = []
    for value in values:
        if hits - (value is deciding):
            rest: Any = deciding
        else:
            rest = None if doubts - (type(value) is Unknown) else not deciding
        found.append((deciding, rest) if not deciding else (rest, deciding))
    return found


def _and(values: Sequence[Any]) -> list[Ways]:
    return _joined(values, False)


def _or(values: Sequence[Any]) -> list[Ways]:
    return _joined(values, True)


def _not(values: Sequence[Any]) -> list[Ways]:
    return [(True, False)]


def _implies(values: Sequence[Any]) -> list[Ways]:
    """All arguments but the last stand negated in a disjunction."""
    turned = [value if type(value) is Unknown else not value for value in values[:-1]]
    *premises, last = _or([*turned, values[-1]])
    return [*[ways[::-1] for ways in premises], last]


CONNECTIVES: dict[str, Callable[[Sequence[Any]], list[Ways]]] = {
    "OP_AND": _and,
    "OP_OR": _or,
    "OP_NOT": _not,
    "OP_IMPLIES": _implies,
}


def below_connective(kind: str, wanted: Range, values: Sequence[Any]) -> list[Range] | None:
    """Return the range of each argument of a connective; None for another operator."""
    ways = CONNECTIVES.get(kind)
    if ways is None:
        return None
    pairs = zip(ways(values), values, strict=True)
    return [_fine(wanted, way, value) for way, value in pairs]


# ----------------------------------------------------------------------
# The registry of backward rules: which values an argument may have so that the value of its parent
# stays in a range, if all other arguments keep their values. A rule is a function of a `Question`,
# entered by `@backward("OP_...")`. A rule returns a range, or None for the present value alone. A
# rule must be sound: for each value of the range, the value of the parent is in the wanted range. A
# rule need not be complete. `tests/semantics/test_ranges.py` checks each rule against the meaning of its
# operator, on all values of small sorts. An argument of a sort with few values, such as a Boolean,
# needs no rule: all its values are tried.


TRIED = ("SORT_BOOL", "SORT_RM")  # the kinds of sorts of which all values are tried

Apply = Callable[[Any], Any]


@dataclass(slots=True)  # not frozen: frozen ones take three times as long to make
class Question:
    """Which values may the argument at `at` have? `values` are the present values of all arguments,
    `given` is the present value of the application, and `wanted` its range. `apply` gives the value
    of the application for another value of the argument, or an Unknown.
    """

    kind: str
    indices: tuple[Any, ...]
    sort: Sort
    sorts: tuple[Sort, ...]
    at: int
    values: tuple[Any, ...]
    given: Any
    wanted: Range
    apply: Apply

    @property
    def present(self) -> Any:
        """The present value of the argument."""
        return self.values[self.at]

    def keeps(self, value: Any) -> bool:
        """Return whether another value of the argument keeps the application in its range."""
        found = self.apply(value)
        return type(found) is not Unknown and self.wanted.holds(found)

    @property
    def others(self) -> tuple[Any, ...]:
        """The values of the other arguments, in order."""
        return self.values[: self.at] + self.values[self.at + 1 :]


Rule = Callable[[Question], Range | None]
RULES: dict[str, Rule] = {}
# operators without a rule, and why an argument of them keeps its present value
WITHOUT: dict[str, str] = {}
# theories whose operators have no rule unless they are entered above, and why
THEORIES_WITHOUT = {
    "BAG": "a number counts each element of a bag, and operators add and compare these numbers",
    "REL": "a row of the result depends on rows of all arguments",
    "TRANSCENDENTAL": "values are known at a few points only",
}


def backward(*kinds: str) -> Callable[[Rule], Rule]:
    """Enter the backward rule of operators."""

    def enter(rule: Rule) -> Rule:
        for kind in kinds:
            if kind in RULES or kind in WITHOUT:
                raise ValueError(f"{kind} has two backward rules")
            RULES[kind] = rule
        return rule

    return enter


def without(reason: str, *kinds: str) -> None:
    """Say of operators that they have no backward rule, and why."""
    for kind in kinds:
        if kind in RULES or kind in WITHOUT:
            raise ValueError(f"{kind} has two backward rules")
        WITHOUT[kind] = reason


def below(evaluator: Evaluator, term: Term, wanted: Range, values: Sequence[Any]) -> list[Range]:
    """Return the range of each argument of an application whose value must stay in `wanted`.

    `values` are the present values of the arguments. An argument whose value is an Unknown has the
    range of no value at all, except below ANY. A binder must not be asked about.
    """
    if wanted is ANY:
        return [ANY] * len(term.args)
    assert term.op not in BINDERS
    found = below_connective(term.op, wanted, values)
    if found is not None:
        return found
    asked = _Asked(evaluator, term, wanted, tuple(values))
    return [asked.range_of(at) for at in range(len(term.args))]


class _Asked:
    """An application whose arguments get ranges."""

    def __init__(
        self, evaluator: Evaluator, term: Term, wanted: Range, values: tuple[Any, ...]
    ) -> None:
        self._evaluator = evaluator
        self._term = term
        self._wanted = wanted
        self._values = values
        self._given = evaluator.known(term)
        self._application = evaluator.applying(term)
        self._sorts = tuple([arg.sort for arg in term.args])
        doubtful = type(self._given) is Unknown or Unknown in map(type, values)
        self._rule = None if doubtful else RULES.get(term.op)

    def range_of(self, at: int) -> Range:
        """The range of the argument at a position."""
        values, application = self._values, self._application
        sort, present = self._sorts[at], values[at]
        before, behind = values[:at], values[at + 1 :]

        def apply(value: Any) -> Any:
            return application((*before, value, *behind))

        if sort.kind in TRIED:
            return tried(apply, self._wanted, self._evaluator.domain(sort) or (), present)
        if type(present) is Unknown:
            return NOTHING
        if self._rule is None:
            return Few((present,))
        term = self._term
        at_term = (term.op, term.indices, term.sort, self._sorts, at)
        try:
            found = self._rule(Question(*at_term, values, self._given, self._wanted, apply))
        except CannotSay:  # an irrational end of an interval can be too large to calculate with
            found = None
        return found if found is not None and found.holds(present) else Few((present,))


def tried(apply: Apply, wanted: Range, domain: Sequence[Any], present: Any) -> Range:
    """Return the range of an argument of which all values are tried."""
    fine = []
    for value in domain:
        found = apply(value)
        if type(found) is not Unknown and wanted.holds(found):
            fine.append(value)
    if len(fine) == len(domain):
        return ANY
    if not fine:
        return NOTHING if type(present) is Unknown else Few((present,))
    return Few(tuple(fine))
