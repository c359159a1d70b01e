"""Constants that are not 0 in any model of some formulas, as far as single formulas show it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, VALUE, Term
from murxpy.logic.walks import occurrences
from murxpy.machine.random import Stream
from murxpy.smtlib.building import Tables
from murxpy.smtlib.script import Script
from murxpy.sources.mutation.functions.choosing import Functions
from murxpy.sources.mutation.functions.inversions import Maker
from murxpy.sources.mutation.occurrences import Holding, Occurrences

_KINDS = ("SORT_INT", "SORT_REAL")
_MIRRORED = {"LT": "GT", "LTE": "GTE", "GT": "LT", "GTE": "LTE"}
_OPPOSITE = {"LT": "GTE", "LTE": "GT", "GT": "LTE", "GTE": "LT"}


def nonzero(formulas: Iterable[Term]) -> frozenset[Term]:
    """The numeric constants that some conjunct compares with a literal in a way that 0 does not
    meet, such as `(> x 0)`, `(<= x (- 1))`, `(= x 5)` or `(not (= x 0))`.
    """
    return frozenset(found for formula in _conjuncts(formulas) for found in _excluding(formula))


def _conjuncts(formulas: Iterable[Term]) -> Iterator[Term]:
    parts = occurrences(formulas, lambda one: one.args if one.op == "OP_AND" else ())
    return (formula for formula in parts if formula.op != "OP_AND")


def _excluding(formula: Term) -> Iterator[Term]:
    """The constant that is not 0 where a formula holds, if there is one."""
    positive = formula.op != "OP_NOT"
    if not positive:
        (formula,) = formula.args
    if len(formula.args) != 2:
        return
    left, right = formula.args
    for term, other, mirrored in ((left, right, False), (right, left, True)):
        numeric = term.op == CONSTANT and term.sort.kind in _KINDS
        compared = numeric and other.op == VALUE
        if compared and _excludes(formula.op, other.indices[0], mirrored, positive):
            yield term


def _excludes(operator: str, bound: int, mirrored: bool, positive: bool) -> bool:
    """Whether 0 does not meet a comparison with `bound`."""
    if operator in ("OP_EQUAL", "OP_DISTINCT"):
        return (bound != 0) == (positive == (operator == "OP_EQUAL"))
    relation = operator.rpartition("_")[2]
    if relation not in _MIRRORED or not operator.startswith(("OP_INT_", "OP_REAL_")):
        return False
    relation = _MIRRORED[relation] if mirrored else relation
    relation = relation if positive else _OPPOSITE[relation]
    return {"GT": bound >= 0, "GTE": bound > 0, "LT": bound <= 0, "LTE": bound < 0}[relation]


# ----------------------------------------------------------------------
# Ties between the constants of two scripts: z = f(x, y) for a new constant z, and some
# occurrences of x and y replaced by what gives them back from z.


ACROSS, WITHIN = "tied-across", "tied-within"  # the traits of mutants that are counted
# The largest number of occurrences of one constant that are replaced. A script with `let` can have
# more occurrences than fit into memory.
MOST_REPLACED = 10_000
# The bound of occurrences of one constant in most mutants, if the user sets none; a tenth of the
# mutants has no bound. Without a bound, z3 decided 42 mutants a CPU second in place of 88, on seeds of
# 25 logics; with more pairs than three it decided as many as before.
_USUAL = 12
_WIDE = 0.1
_SAME_SORT = 0.75  # the share of ties between constants of one sort, where there are both kinds
_WITHIN = 0.1  # the share of ties within one script, if the user asks for them


class Divisors:
    """The known facts about the divisors of inverses. `known` are not 0 in any model that counts; for
    the constants in `free`, the mutant can assert that they are not 0.
    """

    def __init__(self, known: Iterable[Term] = (), free: Iterable[Term] = ()) -> None:
        self._known = frozenset(known)
        self._free = frozenset(free)
        self.asserted: dict[Term, None] = {}

    def nonzero(self, term: Term) -> bool:
        """Whether a divisor needs no case for 0."""
        if term in self._known:
            return True
        if term in self._free:
            self.asserted[term] = None
        return term in self._free


@dataclass
class Tied:
    """The assertions of both scripts, with constants replaced, and what belongs to the replacements.

    `ties` define the new constants and, if the user asks for it, repeat the inversions. `also` are
    conditions on further new constants and on divisors. `steps` describe the replacements to
    readers, and `traits` are for the statistics.
    """

    sides: list[list[Term]]
    ties: list[Term] = field(default_factory=list)
    also: list[Term] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    traits: dict[str, None] = field(default_factory=dict)
    replaced: int = 0


class Tying:
    """Ties constants of two scripts whose terms are in the same tables. `choices` are the settings
    of the fuzzer.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        tables: Tables,
        stream: Stream,
        scripts: Sequence[Script],
        choices: Mapping[str, Any],
    ) -> None:
        self._catalogue = catalogue
        self._tables = tables
        self._stream = stream
        self._functions = Functions(tables, stream, choices)
        self._most_pairs = int(choices.get("max_pairs") or 0)
        self._bound: int | None = choices.get("max_replaced")
        self._most_replaced = MOST_REPLACED
        self._within = bool(choices.get("within"))
        self._all_constraints = bool(choices.get("all_constraints"))
        self._occurrences: dict[Term, Occurrences] = {}
        self._holding = Holding(
            dict.fromkeys(term for script in scripts for term in script.constants())
        )
        self._own = [
            frozenset(term for term in script.constants() if term.op == CONSTANT)
            for script in scripts
        ]

    def tied(self, sides: list[list[Term]], divisors: Divisors) -> Tied:
        """Tie some pairs of constants of these assertions, and change the assertions for it."""
        done = Tied(sides)
        maker = Maker(self._tables, self._stream)
        maker.nonzero = divisors.nonzero
        left = [
            [term for term in self._holding.present(side) if term in own]
            for side, own in zip(sides, self._own, strict=True)
        ]
        usual = 0 if self._stream.chance(_WIDE) else _USUAL
        self._most_replaced = (usual if self._bound is None else self._bound) or MOST_REPLACED
        most = max(1, min(map(len, left)))
        for number in range(self._stream.between(1, min(self._most_pairs or most, most))):
            pair = self._pair(left)
            if pair is None:
                break
            left = [[term for term in some if term not in pair] for some in left]
            self._tie(done, maker, pair, number)
        zero = self._tables.value
        done.also += [
            self._tables.apply("OP_DISTINCT", term, zero(term.sort, 0))
            for term in divisors.asserted
        ]
        return done

    def _tie(self, done: Tied, maker: Maker, pair: tuple[Term, Term], number: int) -> None:
        name, rule = self._functions.draw(pair[0].sort, pair[1].sort)
        fusion = rule(maker, *pair)
        value = maker.new(f"z{number}_", fusion.value.sort)
        inverses = fusion.first(value), fusion.second(value)
        trait = ACROSS if pair[0] in self._own[0] and pair[1] in self._own[1] else WITHIN
        # The first tie of each kind replaces something on each side.
        least = int(trait not in done.traits)
        counts = [
            self._replace(done.sides, term, inverse, least)
            for term, inverse in zip(pair, inverses, strict=True)
        ]
        equal = self._tables.apply
        done.ties.append(equal("OP_EQUAL", value, fusion.value))
        if self._all_constraints:
            done.ties += [
                equal("OP_EQUAL", term, inverse)
                for term, inverse in zip(pair, inverses, strict=True)
            ]
        done.also += fusion.also
        done.replaced += sum(counts)
        if all(counts):
            done.traits[trait] = None
        (x, y), (first, second) = pair, counts
        done.steps.append(
            f"fusion: {name} of {x.indices[0]} ({first} replaced) and {y.indices[0]}"
            f" ({second} replaced)"
        )

    def _pair(self, left: Sequence[Sequence[Term]]) -> tuple[Term, Term] | None:
        """Two constants that a function can tie: one of each script, unless the user also asks for
        ties within one script.
        """
        first, second = left
        sorts = list(dict.fromkeys(term.sort for term in second))
        fitting = {
            sort: found
            for sort in dict.fromkeys(term.sort for term in first)
            if (found := [other for other in sorts if self._functions.between(sort, other)])
        }
        alone = [(term, some) for some in left for term in self._several(some)] * self._within
        if alone and (not fitting or self._stream.chance(_WITHIN)):
            x, among = self._stream.choose(alone)
            return x, self._stream.choose([y for y in among if y.sort is x.sort and y is not x])
        if not fitting:
            return None
        x = self._stream.choose([term for term in first if term.sort in fitting])
        chosen = self._partners(x.sort, fitting[x.sort])
        return x, self._stream.choose([term for term in second if term.sort in chosen])

    def _partners(self, sort: Sort, fitting: list[Sort]) -> list[Sort]:
        """The sorts among which the partner of a constant is drawn: mostly its own sort."""
        others = [other for other in fitting if other is not sort]
        if len(others) == len(fitting):
            return others
        return [sort] if not others or self._stream.chance(_SAME_SORT) else others

    def _several(self, constants: Sequence[Term]) -> list[Term]:
        """The constants that are not the only one of their sort, if the sort has functions."""
        counts = Counter(term.sort for term in constants)
        return [
            term
            for term in constants
            if counts[term.sort] > 1 and self._functions.between(term.sort, term.sort)
        ]

    def _replace(self, sides: list[list[Term]], constant: Term, new: Term, least: int) -> int:
        """Replace some occurrences of a constant by `new` in the assertions of its own script, at
        least `least` if there are so many. The result is how many were replaced.
        """
        side = sides[constant not in self._own[0]]
        occurrences = self._occurrences.get(constant)
        if occurrences is None:
            within = self._holding.test(constant)
            occurrences = self._occurrences[constant] = Occurrences(
                self._catalogue, lambda term: term is constant, within
            )
        counts = [occurrences.count(term) for term in side]
        total = sum(counts)
        wanted = self._stream.between(min(least, total), total)
        numbers, first = self._drawn(total, min(wanted, self._most_replaced)), 0
        for at, count in enumerate(counts):
            begin, end = bisect_left(numbers, first), bisect_left(numbers, first + count)
            there = [number - first for number in numbers[begin:end]]
            if there:
                side[at] = occurrences.replace(self._tables, side[at], there, new)
            first += count
        return len(numbers)

    def _drawn(self, total: int, count: int) -> list[int]:
        """Return so many different numbers below `total`, in order. Floyd's method draws each set of
        numbers with the same chance.
        """
        drawn: dict[int, None] = {}
        for last in range(total - count, total):
            number = self._stream.below(last + 1)
            drawn[last if number in drawn else number] = None
        return sorted(drawn)
