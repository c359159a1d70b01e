"""The claim of a rule, for some numbers and sorts: scripts that are unsatisfiable exactly if the rule
holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import SETS, Sort
from murxpy.logic.terms import CONSTANT, Term
from murxpy.logic.walks import bottom_up
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.exact import regex
from murxpy.semantics.registry import Points
from murxpy.semantics.values import CannotSay, Element, Interpretation, SetValue, Value
from murxpy.smtlib.building import Tables, substituted
from murxpy.smtlib.script import Assert, CheckSat, Script, SetLogic
from murxpy.sources.mutation.implications.rule import (
    Numbers,
    Rule,
    key_of,
    put_in,
    read_patterns,
    read_terms,
)

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
        """The name of the instance in the file of proofs."""
        return key_of(self.numbers, self.sorts)


def instances(rule: Rule) -> Iterator[Instance]:
    """The instances of a rule that are to be proved. Raises InputError for a range that is empty or
    malformed.
    """
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
    comparisons = [put_in(order.leq, {}, dict(zip("xy", way, strict=True))) for way in ways]
    where = rule.text("where", instance.numbers, instance.sorts)
    head = rule.declarations(instance.numbers, instance.sorts)
    head += "".join(f"\n(declare-const {name} {sort})" for name, sort in order.for_all.items())
    terms, _ = read_terms(rule, head, [*comparisons, *([where] if where else [])], tables)
    known = list(terms[len(comparisons) :])
    wanted = [*terms[: len(comparisons)], *_chains(instance, tables)]
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


# ----------------------------------------------------------------------
# Claims of rules over bounded domains: our evaluator goes through all values of their
# constants.


# HOLDS is the result for claims all of whose values were tried, WITHIN for claims about larger
# domains.
HOLDS, WITHIN, FAILS = "holds", "holds within the bounds", "fails"
LETTERS = "ab"
LONGEST = 3  # letters of a string, elements of a sequence
# Assignments of values to the constants of a claim: four regular expressions and a string have 145,152,
# which take 16 s.
MOST = 150_000
BOUNDS = (
    "bit-vectors of 3 bits, (2,3) floats, integers -3 to 3 with halves among reals, strings up to "
    f"length {LONGEST} over {{a, b}}, regular expressions up to size 4, two elements of other sorts"
)


def check(script: Script, catalogue: Catalogue) -> str:
    """HOLDS or WITHIN if no values in the bounds satisfy the script, FAILS if some do; otherwise the
    reason why the check decides nothing.
    """
    formulas = script.assertions()
    constants = _constants(formulas)
    elements: dict[Sort, tuple[Element, ...]] = {
        sort: (Element("e0"), Element("e1"))
        for sort in dict.fromkeys(sort for one in constants for sort in _within(one.sort))
        if sort.kind == "SORT_UNINTERPRETED"
    }
    points = Evaluator(catalogue, Interpretation(domains=elements), domain=512)
    domains = [_domain(one.sort, points, 4) for one in constants]
    if _size(domains) > MOST:
        domains = [_domain(one.sort, points, 2) for one in constants]
    lacking = [one.sort for one, domain in zip(constants, domains, strict=True) if not domain]
    if lacking:
        return f"no bounded values of {lacking[0]}"
    if _size(domains) > MOST:
        return f"{_size(domains):,} assignments of bounded values"
    for values in product(*domains):
        assigned = dict(zip(constants, values, strict=True))
        evaluator = Evaluator(catalogue, Interpretation(constants=assigned, domains=elements))
        try:
            if all(True in evaluator.possible(formula) for formula in formulas):
                return FAILS
        except CannotSay as reason:
            return str(reason)
    sorts = [sort for one in constants for sort in _within(one.sort)]
    partly = any(sort.kind in _LISTED or sort.kind == "SORT_UNINTERPRETED" for sort in sorts)
    return WITHIN if partly else HOLDS


def _size(domains: Sequence[Sequence[Value]]) -> int:
    return prod(map(len, domains))


def _constants(formulas: Sequence[Term]) -> list[Term]:
    done: dict[Term, bool] = {}
    for root in formulas:
        for term in bottom_up(root, done):
            done[term] = term.op == CONSTANT
    return [term for term, constant in done.items() if constant]


def _within(sort: Sort) -> list[Sort]:
    return [sort, *(one for inner in sort.sorts() for one in _within(inner))]


def _domain(sort: Sort, points: Points, size: int) -> Sequence[Value]:
    """The values of a sort in the bounds; none if they are not listed."""
    listed = _LISTED.get(sort.kind)
    return points.domain(sort) or () if listed is None else listed(sort, points, size)


def _words(letters: Sequence[Value], longest: int) -> list[tuple[Value, ...]]:
    return [word for length in range(longest + 1) for word in product(letters, repeat=length)]


def _integers(sort: Sort, points: Points, size: int) -> list[Value]:
    return list(range(-3, 4)) if size > 2 else [0, 1, -1, 2, -2]


def _reals(sort: Sort, points: Points, size: int) -> list[Value]:
    return [*map(Fraction, range(-2, 3)), Fraction(1, 2), Fraction(-1, 2)]


def _strings(sort: Sort, points: Points, size: int) -> list[Value]:
    return ["".join(map(str, word)) for word in _words(LETTERS, min(LONGEST, size))]


def _sequences(sort: Sort, points: Points, size: int) -> list[Value]:
    return list(_words(_domain(sort.sort(0), points, 2)[:2], min(LONGEST, size)))


def _sets(sort: Sort, points: Points, size: int) -> list[Value]:
    inner = _domain(sort.sort(0), points, 2)[:3]
    return [
        SetValue(frozenset(one for at, one in enumerate(inner) if bits >> at & 1))
        for bits in range(1 << len(inner))
    ]


def _languages(sort: Sort, points: Points, size: int) -> list[Value]:
    """Regular expressions of up to `size` operators and letters, each language once."""
    by_size: list[list[regex.Regex]] = [[]]
    leaves = [regex.NONE, regex.ALL, regex.ALLCHAR, regex.EPSILON, *map(regex.word, LETTERS)]
    found = list(dict.fromkeys(leaves))
    by_size.append(found[:])
    for total in range(2, size + 1):
        made = [regex.loop(one, 0, None) for one in by_size[total - 1]]
        made += [regex.complement(one) for one in by_size[total - 1]]
        for left in range(1, total - 1):
            for one, other in product(by_size[left], by_size[total - 1 - left]):
                made += [regex.concat((one, other)), regex.union((one, other))]
        new = [one for one in dict.fromkeys(made) if one not in found]
        by_size.append(new)
        found += new
    return list(found)


_LISTED: dict[str, Callable[[Sort, Points, int], Sequence[Value]]] = {
    "SORT_INT": _integers,
    "SORT_REAL": _reals,
    "SORT_STRING": _strings,
    "SORT_SEQ": _sequences,
    **dict.fromkeys(SETS, _sets),
    "SORT_REGLAN": _languages,
}
