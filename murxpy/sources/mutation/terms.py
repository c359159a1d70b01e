"""Choosing argument sorts and indices with which an operator gives a wanted sort, or any sort. The
sorts are those that have terms.

A sort without terms is allowed if the other sorts determine it and it has literals: the 8 bits of
an exponent in `fp`, for example, or a rounding mode.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.signature import Binding, Index, Linear, Pattern
from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.terms import CONSTANT, Term, is_value
from murxpy.logic.typing import Checker
from murxpy.logic.walks import preorder, subterms
from murxpy.machine.random import Stream, Weighted
from murxpy.smtlib.script import Script
from murxpy.sources.mutation.assignments import connects
from murxpy.sources.mutation.functions.composed import LITERALS
from murxpy.sources.mutation.functions.inversions import LETTERS, Maker
from murxpy.sources.mutation.occurrences import binds
from murxpy.sources.mutation.workshop import MutationSession, Workshop

# kinds of sorts for which a literal can stand in, if the other sorts leave only one such sort
SERVED = ("SORT_BV", "SORT_RM")
LARGEST_INDEX = 16  # the largest index that is drawn from a range without an upper end
MOST_ARGUMENTS = 4

Arguments = tuple[tuple[Sort, ...], tuple[int, ...]]


def fill(
    operator: Operator, wanted: Sort, there: Sequence[Sort], stream: Stream, checker: Checker
) -> Arguments | None:
    """Argument sorts from `there`, and indices, with which `operator` gives `wanted`; None if the
    draw finds none.
    """
    env: Binding = {}
    if not operator.signature.result.match(wanted, env):
        return None
    found = _draw(operator, env, there, stream, checker)
    given = found and _result(
        operator, found, checker, wanted if operator.signature.as_sort else None
    )
    return found if given is wanted else None


def apply_any(
    operator: Operator, there: Sequence[Sort], stream: Stream, checker: Checker
) -> tuple[Arguments, Sort] | None:
    """Argument sorts from `there` and indices for `operator`, and the sort of its result; None if
    the draw finds none.
    """
    result, indices = operator.signature.result, operator.signature.indices
    # the result then determines the rest
    if operator.signature.as_sort or any(index.low is None for index in indices):
        giving = [sort for sort in there if result.kind in (None, sort.kind)]
        wanted = stream.choose(giving) if giving else None
        found = wanted and fill(operator, wanted, there, stream, checker)
        return (found, wanted) if found and wanted else None
    found = _draw(operator, {}, there, stream, checker)
    given = found and _result(operator, found, checker, None)
    return (found, given) if found and given else None


def _result(
    operator: Operator, arguments: Arguments, checker: Checker, wanted: Sort | None
) -> Sort | None:
    try:
        return checker.result(operator, *arguments, wanted)
    except IllSorted:
        return None


def _draw(
    operator: Operator, env: Binding, there: Sequence[Sort], stream: Stream, checker: Checker
) -> Arguments | None:
    signature = operator.signature
    patterns = list(signature.args)
    if operator.variadic and stream.chance(0.3):
        patterns += [patterns[-1]] * stream.between(1, MOST_ARGUMENTS - 1)
    sorts: list[Sort] = []
    for pattern in patterns:
        sort = None if pattern.star else _sort(pattern, env, there, stream, checker)
        if sort is None:
            return None
        sorts.append(sort)
    indices = _indices(signature.indices, env, len(sorts), stream)
    return None if indices is None else (tuple(sorts), indices)


def _sort(
    pattern: Pattern, env: Binding, there: Sequence[Sort], stream: Stream, checker: Checker
) -> Sort | None:
    fitting = [sort for sort in there if pattern.match(sort, dict(env))]
    if not fitting:
        numbers = [param.value(env) for param in pattern.params if isinstance(param, Linear)]
        if pattern.kind not in SERVED or any(number is None or number < 1 for number in numbers):
            return None
        return pattern.build(env, checker.sorts)
    sort = stream.choose(fitting)
    pattern.match(sort, env)
    return sort


def _indices(
    specs: Sequence[Index], env: Binding, arity: int, stream: Stream
) -> tuple[int, ...] | None:
    found: list[int] = []
    for spec in specs:
        for _ in range(arity if spec.each else 1):
            value = _index(spec, env, stream)
            if value is None:
                return None
            found.append(value)
    return tuple(found)


def _index(spec: Index, env: Binding, stream: Stream) -> int | None:
    """An index in its range; an index that the sorts determine has that value."""
    known = env.get(spec.name)
    if isinstance(known, int):
        return known
    low = 0 if spec.low is None else spec.low.value(env)
    high = LARGEST_INDEX if spec.high is None else spec.high.value(env)
    if low is None or spec.low is None:
        return None
    high = low + LARGEST_INDEX if high is None else min(high, low + LARGEST_INDEX)
    if low > high:
        return None
    env[spec.name] = value = stream.between(low, high)
    return value


# ----------------------------------------------------------------------
# The terms of scripts by sort, from which new expressions are made.


def operators_of(root: Term) -> set[str]:
    """The operators in a term."""
    return {term.op for term in subterms([root])}


class Pool:
    """The terms of scripts by sort, each once. A term with free variables is stored with the
    variables that it needs.
    """

    def __init__(self, catalogue: Catalogue, roots: Iterable[Term]) -> None:
        self.by_sort: dict[Sort, list[Term]] = {}

        def inner(term: Term) -> Sequence[Term]:
            return term.args[1 if term.op == "OP_UF_APPLY" else len(binds(catalogue, term)) :]

        for term in preorder(list(roots), inner):
            if term.sort.kind not in ("SORT_CASE", "SORT_FUN"):
                self.by_sort.setdefault(term.sort, []).append(term)
        self.sorts = list(self.by_sort)

    def add(self, term: Term) -> None:
        """Add a term that can be drawn."""
        if term.sort not in self.by_sort:
            self.by_sort[term.sort] = []
            self.sorts.append(term.sort)
        self.by_sort[term.sort].append(term)

    def draw(self, sort: Sort, scope: dict[Term, None], stream: Stream) -> Term | None:
        """A random term of a sort whose free variables are all in scope; None if a few draws find
        none.
        """
        terms = self.by_sort.get(sort)
        for _ in range(4 if terms else 0):
            term = stream.choose(terms or [])
            if all(variable in scope for variable in term.free):
                return term
        return None


# ----------------------------------------------------------------------
# The operators that can be applied to given terms, and the weight of each. Rare operators get
# larger weights, so that they occur, too.


_ANYWHERE = 0.35  # the weight of an operator that takes terms of any sort, or formulas
# The weight, in comparisons, of an operator that can also occur elsewhere: within its own
# arguments, or in the place of another operator.
_COMMON = 0.1
_ALONE = 0.5  # the weight of an operator that can replace no other
_ABROAD = 0.1  # the weight of an operator whose result has a sort of which the seed has no term
_NEVER = frozenset(["OP_UF_APPLY"])


class Producers:
    """The operators that can be applied to terms of some kinds of sorts, by the kind of sort of
    their result.

    An operator that takes any sort can occur in nearly every script. Such an operator therefore gets
    less weight than an operator that takes only these sorts.
    """

    def __init__(self, catalogue: Catalogue, operators: frozenset[str]) -> None:
        self._all: list[tuple[Operator, frozenset[str]]] = []
        for operator in catalogue.operators.values():
            if (
                operator.kind not in operators
                or operator.typing
                or operator.signature.binder
                or operator.kind in _NEVER
            ):
                continue
            self._all.append(
                (
                    operator,
                    frozenset([p.kind for p in operator.signature.args if p.kind is not None]),
                )
            )
        ranks = Counter(rank(operator) for operator, _ in self._all)
        self._alone = frozenset(
            [op.kind for op, _ in self._all if op.signature.args and ranks[rank(op)] == 1]
        )
        self._known: dict[tuple[str | None, tuple[str, ...]], Weighted[Operator]] = {}

    def of(self, kinds: tuple[str, ...], given: str | None = None) -> Weighted[Operator]:
        """The operators whose result may have the kind `given` (None for any), for terms of these
        kinds.
        """
        found = self._known.get((given, kinds))
        if found is None:
            found = self._known[given, kinds] = Weighted(
                [
                    (
                        operator,
                        likelihood(operator) * (1 if given else self._share(operator, kinds)),
                    )
                    for operator, taken in self._all
                    if taken.issubset(kinds)
                    and given in (None, operator.signature.result.kind or given)
                ]
            )
        return found

    def _share(self, operator: Operator, kinds: tuple[str, ...]) -> float:
        """The share of an operator's weight with which it is compared. The share is largest for an
        operator that can occur nowhere else and stays within these sorts.
        """
        stays = operator.signature.result.kind in (None, "SORT_BOOL", *kinds)
        alone = _ALONE if operator.kind in self._alone else _COMMON
        return (1 if crosses(operator) else alone) * (1 if stays else _ABROAD)


def likelihood(operator: Operator) -> float:
    """The weight of an operator among those that can be applied.

    Operators on any terms, or on formulas, can occur in every script. Operators on terms of several
    sorts need a script with all these sorts.
    """
    taken = dict.fromkeys(pattern.kind for pattern in operator.signature.args)
    # pseudo-Boolean operators, which can replace no connective
    weighed = any(index.each for index in operator.signature.indices)
    if taken and all(kind in (None, "SORT_BOOL") for kind in taken) and not weighed:
        return _ANYWHERE
    return len({**taken, operator.signature.result.kind: None})


def crosses(operator: Operator) -> bool:
    """Whether an operator makes terms of one sort from terms of other sorts."""
    signature = operator.signature
    return (
        signature.result.kind != "SORT_BOOL"
        and bool(signature.args)
        and signature.result not in signature.args
    )


def rank(operator: Operator) -> tuple[object, ...]:
    """The part of an operator's signature that two operators share if each can replace the other."""
    signature = operator.signature
    return signature.args, signature.result, len(signature.indices)


# ----------------------------------------------------------------------
# Well-sorted terms that the solver does not take: the restrictions of its wrapper's profile,
# for terms that a mutation made.


SMALL = range(9)  # the numbers that a profile calls small


class Fitting:
    """Checks the new terms of one run. Terms of the seeds are not checked, because the solver reads
    the seeds anyway.
    """

    def __init__(self, shop: MutationSession, seeds: Sequence[Term]) -> None:
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
        return list(subterms(roots, seen=self._fine))

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


# ----------------------------------------------------------------------
# Making expressions of a sort from the terms of a seed, by any operator that its sorts allow.
# Literals stand in where the seed has no term of a width, and every operator can occur: in the
# place of a formula, a term with the operator is compared with another term.


OPERATORS = 8  # operators that are tried for one place
FOREIGN = 2  # sorts that the seed does not have, of which terms are taken from all seeds
_SAME = 0.2  # the chance that a plain term of the seed is taken, and no application is made
# of the formulas compare an application of any sort with another term of it; more of many operators
_COMPARED = 0.3
# the share of terms other than formulas that stay, below an `ite` with such a condition
_GUARDED = 0.3
_WIDEST = 256  # the widest bit-vectors that are compared
# the total weight of operators from which comparisons and conditions have their full share
_MANY = 30
# The chance of an application, rather than a plain term of the seed, as an argument, in full where
# there are many operators.
_NESTED = {
    "SORT_BOOL": 0.5,
    "SORT_REGLAN": 0.8,
    "SORT_STRING": 0.2,
    "SORT_BV": 0.2,
    "SORT_FP": 0.15,
}
_DEEPEST = 2  # applications within applications, without the outermost

Scope = dict[Term, None]
"""The variables that may stand at a place."""


class Expressions:
    """Makes expressions from the terms of a script, and from terms of all seeds if the user wants
    them; with `leaves` only from these. There are up to `deepest` applications within applications,
    without the outermost, and the chance of one as an argument is at least `nested`.
    """

    def __init__(
        self,
        workshop: Workshop,
        script: Script,
        producers: type[Producers] = Producers,
        *,
        deepest: int = _DEEPEST,
        nested: float = 0.0,
        leaves: Sequence[Term] | None = None,
    ) -> None:
        self._deepest, self._nested = deepest, nested
        self._tables = workshop.tables
        self._stream = workshop.stream
        self._producers = workshop.shop.lasting(producers)
        self._maker = Maker(workshop.tables, workshop.stream)
        self._pool = Pool(workshop.catalogue, script.assertions() if leaves is None else ())
        constants = [constant for constant in script.constants() if constant.op == CONSTANT]
        for leaf in constants if leaves is None else leaves:
            if leaf.sort.kind != "SORT_FUN":
                self._pool.add(leaf)
        self._take_terms(workshop, script, int(workshop.choices.get("corpus") or 0))
        kinds = {sort.kind for sort in self._pool.sorts}
        self._kinds = tuple(sorted(kinds | set(SERVED if "SORT_FP" in kinds else ())))
        self._wealth = min(1.0, self._producers.of(self._kinds).total / _MANY)
        self._profile = workshop.shop.profile

    def _take_terms(self, workshop: Workshop, script: Script, most: int) -> None:
        """Add up to `most` terms of each sort that the seed has, and of FOREIGN others, from all
        seeds of the session, as far as solver and judges have their operators.
        """
        store = workshop.shop.terms
        if store is None or not most:
            return
        own = list(map(repr, self._pool.sorts))
        others = [sort for sort in store.counts if sort not in own]
        own += [self._stream.choose(others) for _ in range(FOREIGN if others else 0)]
        names = {str(constant.indices[0]): constant for constant in script.constants()}
        lacking = workshop.catalogue.operators.keys() - workshop.shop.operators
        for sort in dict.fromkeys(own):
            for term in store.draw(sort, most, self._stream, workshop.tables, names):
                if operators_of(term).isdisjoint(lacking):
                    self._pool.add(term)

    def add(self, term: Term) -> None:
        """Add a term that can be drawn as an argument."""
        self._pool.add(term)

    def instead(self, term: Term, scope: Scope) -> tuple[Term, str] | None:
        """A term that can replace another one, and a description of the term."""
        if self._stream.chance(_SAME):
            plain = self._pool.draw(term.sort, scope, self._stream)
            return None if plain is None else (plain, f"the seed's {plain.op}")
        made: list[str] = []
        new = self._guarded(term, scope, made) or self._application(term.sort, scope, made, 0)
        return None if new is None else (new, " of ".join(made))

    def atom(self, scope: Scope) -> tuple[Term, str] | None:
        """A new formula whose outermost operator is no connective, and a description of the formula."""
        made: list[str] = []
        new = self._application(self._tables.bool, scope, made, 0)
        if new is None or connects(self._tables.catalogue, new):
            return None
        return new, " of ".join(made)

    def formula(self) -> Term | None:
        """A formula without free variables, mostly a new one."""
        found = self.instead(self._tables.true, {})
        return None if found is None or found[0].free else found[0]

    def _guarded(self, term: Term, scope: Scope, made: list[str]) -> Term | None:
        """For some terms that are no formulas: an `ite` that gives the term itself if a new formula
        holds, and otherwise another term.
        """
        if term.sort is self._tables.bool or not self._stream.chance(_GUARDED * self._wealth):
            return None
        inner: list[str] = []
        other, condition = (
            self._argument(term.sort, scope, inner, self._deepest),
            self._compared(scope, inner, 1),
        )
        if other is None or other is term or condition is None:
            return None
        made += ["OP_ITE", *inner]
        return self._tables.apply("OP_ITE", condition, term, other)

    def _application(self, sort: Sort, scope: Scope, made: list[str], level: int) -> Term | None:
        """An application of the given sort; its operators are added to `made`. The result is None if
        the draws find none.
        """
        if sort is self._tables.bool and self._stream.chance(_COMPARED * (1 + self._wealth)):
            return self._compared(scope, made, level)
        operators = self._producers.of(self._kinds, sort.kind)
        for _ in range(OPERATORS if operators.items else 0):
            operator = self._stream.weighted(operators)
            filled = fill(operator, sort, self._pool.sorts, self._stream, self._tables.checker)
            new = filled and self._apply(operator, filled, sort, scope, made, level)
            if new:
                return new
        return None

    def _compared(self, scope: Scope, made: list[str], level: int) -> Term | None:
        """A formula about an application of any operator for which there are arguments."""
        tables, operators = self._tables, self._producers.of(self._kinds)
        for _ in range(OPERATORS):
            operator = self._stream.weighted(operators)
            found = apply_any(operator, self._pool.sorts, self._stream, tables.checker)
            if (
                found is None
                or found[1].kind == "SORT_FUN"
                or sum(n for n in found[1].params if isinstance(n, int)) > _WIDEST
            ):
                continue
            inner: list[str] = []
            new = self._apply(operator, *found, scope, inner, level)
            # regular languages have no equality in some solvers
            words = found[1].kind == "SORT_REGLAN"
            wanted = tables.string if words else found[1]
            other = self._argument(wanted, scope, inner, self._deepest)
            if new is not None and other is not None:
                compared = (
                    tables.apply("OP_STR_IN_RE", other, new)
                    if words
                    else tables.apply("OP_EQUAL", new, other)
                )
                made += [compared.op, *inner]
                return compared
        return None

    def _apply(
        self,
        operator: Operator,
        arguments: Arguments,
        given: Sort,
        scope: Scope,
        made: list[str],
        level: int,
    ) -> Term | None:
        """The application of an operator to terms of these sorts."""
        below: list[str] = []
        args = [
            self._asked(operator, at, sort) or self._argument(sort, scope, below, level)
            for at, sort in enumerate(arguments[0])
        ]
        there = [arg for arg in args if arg is not None]
        if len(there) < len(args):
            return None
        made += [operator.kind, *below]
        return self._tables.apply(
            operator.kind,
            *there,
            indices=arguments[1],
            wanted=given if operator.signature.as_sort else None,
        )

    def _asked(self, operator: Operator, position: int, sort: Sort) -> Term | None:
        """A literal, at a place where the solver takes nothing else."""
        rule = self._profile.literal(operator, position)
        if rule is None or sort.kind not in LITERALS:
            return None
        if rule == "char":
            return self._tables.value(sort, self._stream.choose(LETTERS))
        numeral = sort.kind in ("SORT_INT", "SORT_REAL")
        return (
            self._tables.value(sort, self._stream.between(1, SMALL[-1]))
            if numeral
            else LITERALS[sort.kind](self._maker, sort)
        )

    def _argument(self, sort: Sort, scope: Scope, made: list[str], level: int) -> Term | None:
        """A term of the seed, or now and then an application; a literal if there is no term."""
        chance = max(self._nested, self._wealth * _NESTED.get(sort.kind, 0.0))
        if level < self._deepest and self._stream.chance(chance):
            new = self._application(sort, scope, made, level + 1)
            if new is not None:
                return new
        term = self._pool.draw(sort, scope, self._stream)
        return (
            LITERALS[sort.kind](self._maker, sort)
            if term is None and sort.kind in LITERALS
            else term
        )
