"""What a rule claims, for some numbers and sorts: scripts that are unsatisfiable exactly if it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import Term
from murxpy.mutation.implications.rule import (
    Numbers,
    Rule,
    key_of,
    put_in,
    read_patterns,
    read_terms,
)
from murxpy.smtlib.commands import Assert, CheckSat, SetLogic
from murxpy.smtlib.script import Script
from murxpy.smtlib.substitution import substituted
from murxpy.smtlib.tables import Tables

WIDTHS = (*range(1, 9), 16, 32, 64)
FORMATS = ((2, 3), (3, 5), (5, 11))
_PAIRED = (1, 2, 3, 8)  # the widths of rules with several of them
_CHAINED = (3, 4)  # numbers of arguments with which chains are checked, beside 2


@dataclass(frozen=True, slots=True)
class Instance:
    """A rule for some numbers and sorts; `key` is its name in the proofs."""

    rule: Rule
    numbers: Numbers
    sorts: Mapping[str, str]

    @property
    def key(self) -> str:
        """What the proofs call it."""
        return key_of(self.numbers, self.sorts)


def instances(rule: Rule) -> Iterator[Instance]:
    """The instances of a rule that are to be proved. Raises InputError for a range that is none."""
    for sorts in rule.sort_choices():
        for widths in _widths(rule):
            for numbers in rule.index_values(widths):
                yield Instance(rule, numbers, sorts)


def _widths(rule: Rule) -> Iterator[dict[str, int]]:
    formats = rule.formats
    vectors = [name for name in rule.widths if all(name not in pair for pair in formats)]
    among = rule.plain.get("widths") or (WIDTHS if len(vectors) < 2 and not formats else _PAIRED)
    for widths in product(among, repeat=len(vectors)):
        for chosen in product(FORMATS, repeat=len(formats)):
            found = dict(zip(vectors, widths, strict=True))
            for names, sizes in zip(formats, chosen, strict=True):
                found |= dict(zip(names, sizes, strict=True))
            yield {name: found[name] for name in rule.widths}


def claims(instance: Instance, catalogue: Catalogue) -> list[Script]:
    """Scripts without a model if the rule holds for these numbers and sorts. Raises InputError if the
    rule has no well-sorted patterns for them.
    """
    rule, tables = instance.rule, Tables(catalogue)
    order = catalogue.orders[rule.order]
    both = [rule.text(key, instance.numbers, instance.sorts) for key in ("strong", "weak")]
    ways = [both, both[::-1]] if rule.equivalent else [both]
    said = [put_in(order.leq, {}, dict(zip("xy", way, strict=True))) for way in ways]
    where = rule.text("where", instance.numbers, instance.sorts)
    head = rule.declarations(instance.numbers, instance.sorts)
    head += "".join(f"\n(declare-const {name} {sort})" for name, sort in order.for_all.items())
    terms, _ = read_terms(rule, head, [*said, *([where] if where else [])], tables)
    known = list(terms[len(said) :])
    wanted = [*terms[: len(said)], *_chains(instance, tables)]
    return [
        Script(
            f"{rule.name} {instance.key}",
            tables,
            [
                SetLogic("ALL"),
                *map(Assert, [*known, tables.apply("OP_NOT", claim)]),
                CheckSat(),
            ],
        )
        for claim in wanted
    ]


def _chains(instance: Instance, tables: Tables) -> Iterator[Term]:
    """The claims of a rule about chains of three and of four arguments, in both directions for an
    equivalence.
    """
    rule = instance.rule
    if not rule.chain:
        return
    patterns = read_patterns(rule, instance.numbers, instance.sorts, tables.catalogue, tables)
    operators = tables.catalogue.operators
    if any(operators[side.op].binary for side in (patterns.strong, patterns.weak)):
        return
    first = next(meta for meta, name in patterns.metas.items() if name == rule.chain[0])
    for count in _CHAINED:
        fresh = [tables.constant(f"{rule.chain[0]}!{at}", first.sort) for at in range(count)]
        sides = [
            tables.apply(
                side.op,
                *[substituted(tables, side.args[0], {first: one}) for one in fresh],
                indices=side.indices,
            )
            for side in (patterns.strong, patterns.weak)
        ]
        yield tables.apply("OP_IMPLIES", *sides)
        if rule.equivalent:
            yield tables.apply("OP_IMPLIES", *sides[::-1])
