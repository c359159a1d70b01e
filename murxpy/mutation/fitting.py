"""Well-sorted terms that the solver does not take: the restrictions of its wrapper's profile, for
terms that a mutation made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from murxpy.logic.catalogue import Operator
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term, is_value
from murxpy.mutation.workshop import Shop

SMALL = range(9)  # the numbers that a profile calls small


class Fitting:
    """Checks the new terms of one run. Terms of the seeds are not checked, because the solver reads
    the seeds anyway.
    """

    def __init__(self, shop: Shop, seeds: Sequence[Term]) -> None:
        self._catalogue = shop.catalogue
        self._profile = shop.profile
        self._fine: set[Term] = set()
        self._taken: dict[
            tuple[str, Sort], bool
        ] = {}  # what the profile says of operators and sorts
        self._new(seeds)

    def fits(self, term: Term) -> bool:
        """True if the profile allows each new application in `term`."""
        found = self._new([term])
        if all(map(self._allowed, found)):
            return True
        self._fine.difference_update(found)
        return False

    def _new(self, roots: Sequence[Term]) -> list[Term]:
        """The terms in `roots` that were not checked before."""
        found, stack = [], list(roots)
        while stack:
            term = stack.pop()
            if term not in self._fine:
                self._fine.add(term)
                found.append(term)
                stack.extend(term.args)
        return found

    def _allowed(self, term: Term) -> bool:
        operator, profile = self._catalogue.operators.get(term.op), self._profile
        if operator is None:
            return True
        for arg in term.args:
            if not self._takes(operator, arg.sort):
                return False
        if profile.literals(operator):
            rules = [profile.literal(operator, at) for at in range(len(term.args))]
            pairs = zip(rules, term.args, strict=True)
            if any(rule is not None and not _meets(rule, arg) for rule, arg in pairs):
                return False
        if not term.indices:
            return True
        ranges = [profile.index_range(operator, at) for at in range(len(term.indices))]
        return all(
            bounds is None or bounds[0] <= index <= bounds[1]
            for bounds, index in zip(ranges, term.indices, strict=True)
        )

    def _takes(self, operator: Operator, sort: Sort) -> bool:
        key = operator.kind, sort
        if key not in self._taken:
            self._taken[key] = self._profile.operator_takes(operator, sort)
        return self._taken[key]


def _meets(rule: str, arg: Term) -> bool:
    if not arg.literal:
        return rule == "any" and is_value(arg)
    value: Any = arg.indices[0]
    match rule:
        case "char":
            return len(str(value)) == 1
        case "small":
            return value in SMALL
        case "nonnegative":
            return bool(value >= 0)
        case "nonzero":
            return bool(value != 0)
    return True
