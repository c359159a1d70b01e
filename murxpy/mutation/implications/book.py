"""All rules of a session, by the keys of the places at which they can be used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import Term
from murxpy.machine.random import Weighted
from murxpy.mutation.implications.places import Key
from murxpy.mutation.implications.rule import Patterns, Rule, Variant

_APPLY = "OP_UF_APPLY"
# The share of uses of a rule that follows from the table of operators, of which there are hundreds.
_GENERATED = 0.1


@dataclass(frozen=True, eq=False, slots=True)
class Use:
    """A rule in one direction: a term of the form `old` becomes one of the form `new`."""

    variant: Variant
    weakening: bool

    @property
    def rule(self) -> Rule:
        """The rule that is used."""
        return self.variant.rule

    @property
    def old(self) -> Term:
        """The sample of the pattern that is matched."""
        sample = self.variant.sample
        return sample.strong if self.weakening else sample.weak

    @property
    def root(self) -> str | None:
        """The operator of the terms that can match; None for any."""
        metas, old = self.variant.sample.metas, self.old
        if old in metas or (old.op == _APPLY and old.args[0] in metas):
            return None
        return old.op

    def fits(self, key: Key) -> bool:
        """Whether the rule can be used so at places of this key, as far as the key says it."""
        order, sign, op = key
        wanted = 1 if self.weakening else -1
        return (
            (sign == wanted or self.rule.equivalent)
            and order == self.rule.order
            and self.root in (None, op)
        )


class Book:
    """The rules of a session. `plain` are rules as data, each with the instances that are proved.
    Rules with other operators than `operators` are left out. Raises InputError for a rule that is not
    well-sorted.
    """

    def __init__(
        self,
        plain: Iterable[Mapping[str, Any]],
        catalogue: Catalogue,
        operators: frozenset[str] | None = None,
    ) -> None:
        self.uses: list[Use] = []
        for one in plain:
            rule = Rule(one)
            check_order(rule, catalogue)
            for variant in rule.variants(catalogue):
                check_sort(variant, catalogue)
                if operators is not None and not _said(variant, catalogue, operators):
                    continue
                ways = (rule.weakens, True), (rule.strengthens, False)
                self.uses += [Use(variant, weakening) for allowed, weakening in ways if allowed]
        self._by_key: dict[Key, list[Use]] = {}
        self._known: dict[tuple[Key, ...], Weighted[Use]] = {}

    def of(self, keys: Sequence[Key]) -> Weighted[Use]:
        """The rules that can be used at some place, by the keys of all places."""
        wanted = tuple(sorted(keys))
        found = self._known.get(wanted)
        if found is None:
            uses: dict[Use, None] = {}
            for key in wanted:
                if key not in self._by_key:
                    self._by_key[key] = [use for use in self.uses if use.fits(key)]
                uses.update(dict.fromkeys(self._by_key[key]))
            found = self._known[wanted] = Weighted(
                [(use, _GENERATED if use.rule.generated else 1.0) for use in uses]
            )
        return found


def check_order(rule: Rule, catalogue: Catalogue) -> None:
    """Raise InputError for a rule of an order that no theory has."""
    if rule.order not in catalogue.orders:
        known = ", ".join(catalogue.orders)
        raise rule.error(f"unknown order '{rule.order}'; known are {known}")


def check_sort(variant: Variant, catalogue: Catalogue) -> None:
    """Raise InputError for a rule whose patterns do not have the sort of its order, or whose chain is
    none.
    """
    rule, sample = variant.rule, variant.sample
    wanted = catalogue.orders[rule.order].sort
    if sample.strong.sort.kind != wanted:
        raise rule.error(
            f"expected patterns of {wanted} for the order {rule.order}, found {sample.strong.sort}"
        )
    for side in (sample.strong, sample.weak) if rule.chain else ():
        if len(side.args) != 2 or not _alike(*side.args, sample, rule.chain):
            raise rule.error(
                "expected patterns of a chain that are applications to two arguments, which differ "
                f"only by {rule.chain[0]} and {rule.chain[1]}"
            )


def _alike(one: Term, other: Term, patterns: Patterns, chain: tuple[str, ...]) -> bool:
    """Whether two patterns are the same but for the first metavariable of a chain, in whose place
    the second one has the other.
    """
    if one in patterns.metas and other in patterns.metas:
        names = patterns.metas[one], patterns.metas[other]
        return names == chain or (one is other and names[0] not in chain)
    return (
        (one.op, one.indices, len(one.args)) == (other.op, other.indices, len(other.args))
        and one not in patterns.metas
        and all(_alike(a, b, patterns, chain) for a, b in zip(one.args, other.args, strict=True))
    )


def _said(variant: Variant, catalogue: Catalogue, operators: frozenset[str]) -> bool:
    """Whether all operators of a rule's patterns are among `operators`."""
    sample = variant.sample
    stack = [sample.strong, sample.weak]
    while stack:
        term = stack.pop()
        if term.op in catalogue.operators and term.op not in operators and term.op != _APPLY:
            return False
        stack.extend(term.args)
    return True
