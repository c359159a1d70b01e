"""All rules of a session, and which of them can be used at a place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import VARIABLE, Term
from murxpy.logic.walks import subterms
from murxpy.sources.mutation.implications.matching import (
    APPLY,
    LETTER,
    Form,
    Need,
    is_deep,
    may_match,
    met_by,
    need_of,
    numbers_in,
    plain,
)
from murxpy.sources.mutation.implications.monotone_places import State
from murxpy.sources.mutation.implications.rule import Patterns, Rule, Variant

# The weights of three sorts of rules: rules with a place in nearly every script; the hundreds of
# rules that follow from the table of operators, whose patterns have no operator of their own; and
# rules whose patterns have so many parts that few terms have their form. Rules of rare operators
# and rare forms are therefore used, too.
COMMON, GENERATED, SPECIFIC = 0.2, 0.3, 4.0
_PARTS = 2
# The operators that may be written with more than two arguments in chains.
LINKED = ("chainable", "pairwise")
# Forms of terms whose rules are remembered; more would take memory in campaigns of days.
_FORMS = 50_000


class Use:
    """A rule in one direction: a term of the form `old` becomes one of the form of the other pattern."""

    def __init__(self, variant: Variant, weakening: bool, basic: frozenset[str]) -> None:
        sample = variant.sample
        self.variant = variant
        self.weakening = weakening
        self.rule: Rule = variant.rule
        self.metas = sample.metas
        self.old, new = sample.strong, sample.weak
        if not weakening:
            self.old, new = new, self.old
        known = dict.fromkeys(subterms([self.old]))
        more = subterms([part for part in (sample.where, new) if part is not None])
        # the sorts of the metavariables for which terms have to be drawn
        self.parameters: Mapping[Sort, None] = dict.fromkeys(
            [one.sort for one in more if one in self.metas and one not in known]
        )
        # the sorts with numbers that the matched pattern does not determine
        numbers = {n for one in known for n in numbers_in(one.sort)}
        self.open_sorts = tuple(
            [
                s
                for s in self.parameters
                if not numbers.issuperset(numbers_in(s) & variant.letters.keys())
            ]
        )
        self.operators = tuple(
            dict.fromkeys([one.op for one in known if one.args and not plain(self.metas, one)])
        )
        self._new = new
        self.deep = is_deep(self.metas, self.old)  # the form of a term says too little
        self.weight = self._weight(list(known), basic)

    def _weight(self, parts: list[Term], basic: frozenset[str]) -> float:
        """The weight with which the rule is drawn, by the parts of the pattern that is matched."""
        own = [one for one in parts if one.op not in basic and not plain(self.metas, one)]
        count = len([one for one in own if one.op != VARIABLE])
        if count:
            return SPECIFIC if count >= _PARTS else 1
        # a pattern without operators fits anywhere, and one with `basic` ones nearly anywhere
        plainly = all(one.sort.kind in _ANYWHERE for one in parts)
        common = not self.operators or (basic.issuperset(self.operators) and plainly)
        return (COMMON if common else 1) * (GENERATED if self.rule.generated else 1)

    def leads_out_of_reach(self, catalogue: Catalogue) -> bool:
        """Whether the rule puts in an operator that no solver claims to decide, and that the term that
        it replaces need not have.
        """
        there = {one.op for one in subterms([self.old])}
        return any(
            one.op not in there and catalogue.operators[one.op].undecided
            for one in subterms([self._new])
            if one.op in catalogue.operators
        )

    def fits(self, catalogue: Catalogue, state: State, term: Term) -> bool:
        """Whether the rule can be used so at a place of this state, as far as the form of the term
        says it.
        """
        order, sign = state
        return (
            order == self.rule.order
            and (sign == (1 if self.weakening else -1) or self.rule.equivalent)
            and may_match(catalogue, self.metas, self.old, term, bool(self.rule.chain))
        )


Uses = tuple[Use, ...]
_ANYWHERE = ("SORT_BOOL", "SORT_FUN", LETTER)  # kinds of sorts that stand in nearly every script


class Book:
    """The rules of a session. `plain` are rules as data, each with the instances that are proved.
    Rules with other operators than `operators` are left out. Without `undecided`, a rule is left out in
    a direction in which it puts an operator into a script that no solver claims to decide. Raises
    InputError for a rule that is not well-sorted.
    """

    def __init__(
        self,
        plain: Iterable[Mapping[str, Any]],
        catalogue: Catalogue,
        operators: frozenset[str] | None = None,
        *,
        undecided: bool = True,
    ) -> None:
        self._catalogue = catalogue
        self.all: list[Use] = []
        basic = frozenset([operator.kind for operator in catalogue.of_theory("BOOL")])
        for one in plain:
            rule = Rule(one)
            check_order(rule, catalogue)
            for variant in rule.variants(catalogue):
                check_sort(variant, catalogue)
                if operators is not None and not _uses_only(variant, catalogue, operators):
                    continue
                ways = (rule.weakens, True), (rule.strengthens, False)
                uses = [Use(variant, way, basic) for allowed, way in ways if allowed]
                self.all += [
                    use for use in uses if undecided or not use.leads_out_of_reach(catalogue)
                ]
        self._by_need: dict[tuple[str, Need], list[Use]] = {}
        for use in self.all:
            need = need_of(use.metas, use.old)
            self._by_need.setdefault((use.rule.order, need), []).append(use)
        self._by_form: dict[tuple[State, Form], tuple[Uses, Uses]] = {}

    def uses(self, term: Term, state: State, form: tuple[State, Form]) -> tuple[Uses, Uses]:
        """The rules that can be used on terms of a form at places of a state: those for which the
        form says it, and those whose patterns are deeper. `term` is one of the form.
        """
        known = self._by_form
        if form not in known:
            if len(known) >= _FORMS:
                known.clear()
            needs = [(state[0], need) for need in met_by(term)]
            some = [use for need in needs for use in self._by_need.get(need, ())]
            fine = [use for use in some if use.fits(self._catalogue, state, term)]
            plain = tuple([use for use in fine if not use.deep])
            known[form] = plain, tuple([use for use in fine if use.deep])
        return known[form]


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
        operator = catalogue.operators[side.op]
        if not operator.binary and operator.signature.attribute not in LINKED:
            raise rule.error(
                f"expected patterns of a chain whose operators are {' or '.join(LINKED)}, which "
                f"'{operator.smtlib}' is not; leave out 'chain'"
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


def _uses_only(variant: Variant, catalogue: Catalogue, operators: frozenset[str]) -> bool:
    """Whether all operators of a rule's patterns are among `operators`."""
    return all(
        term.op not in catalogue.operators or term.op in operators or term.op == APPLY
        for term in subterms([variant.sample.strong, variant.sample.weak])
    )
