"""TypeFuzz, generative type-aware mutation: an expression of the seed is replaced by another one of
its sort, made of the seed's own terms.

Park, Winterer, Zhang, Su: "Generative type-aware mutation for testing SMT solvers", OOPSLA 2021.
This module, unlike the program of the paper, keeps local compatibility (a new expression uses only
variables that are in scope), always changes the expression, and bounds the growth.

New here: literals stand in where the seed has no term of a width, and every operator can occur. In
the place of a formula, a term with the operator is compared with another term; elsewhere such a
formula is the condition of an `ite` that keeps the old term. Operators that few scripts can have
are drawn more often.
"""

from __future__ import annotations

from collections.abc import Iterable

from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, Term
from murxpy.machine.random import Stream
from murxpy.mutation.entry import KEEP_OPTIONS, Entry, Setting
from murxpy.mutation.fitting import SMALL, Fitting
from murxpy.mutation.functions.composed import LITERALS
from murxpy.mutation.functions.inversions import LETTERS, Maker
from murxpy.mutation.occurrences import Occurrence, Occurrences, binds, in_scope, replaced
from murxpy.mutation.patience import decided
from murxpy.mutation.preparing import places, prepared_seed, with_assertion
from murxpy.mutation.producers import Producers
from murxpy.mutation.ranks import SERVED, Arguments, apply_any, fill
from murxpy.mutation.workshop import Mutant, Mutants, Workshop
from murxpy.smtlib.script import Script

TRIES = 20  # places that are tried for one mutant
OPERATORS = 8  # operators that are tried for one place
FOREIGN = 2  # sorts that the seed does not have, of which terms are taken from all seeds
GROWTH = 4  # how many times as large as the seed a mutant may be, in occurrences of terms
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
# The weight with which terms of a sort are drawn for replacement; it is 1 for other sorts. Functions
# are never replaced. Scripts have few regular expressions, so they are drawn more often.
_HOLES = {"SORT_FUN": 0, "SORT_REGLAN": 8}
_DEEPEST = 2  # applications within applications, without the outermost

Scope = dict[Term, None]
"""The variables that may stand at a place."""


def mutants(workshop: Workshop) -> Mutants:
    """A chain of mutants. Each has one more expression replaced than the last mutant before it that
    was decided.
    """
    script = workshop.script()
    if script is None:
        return
    script = prepared_seed(workshop, script)
    mutator = _Mutator(workshop, script)
    while (changed := mutator.mutate(script)) is not None:
        if decided((yield Mutant(changed[0], (changed[1],)))):
            script = changed[0]


def _operators(root: Term) -> set[str]:
    """The operators in a term."""
    found: dict[Term, None] = {root: None}
    stack = [root]
    while stack:
        new = [arg for arg in stack.pop().args if arg not in found]
        found.update(dict.fromkeys(new))
        stack += new
    return {term.op for term in found}


class Pool:
    """The terms of scripts by sort, each once. A term with free variables is stored with the
    variables that it needs.
    """

    def __init__(self, catalogue: Catalogue, roots: Iterable[Term]) -> None:
        self.by_sort: dict[Sort, list[Term]] = {}
        seen: dict[Term, None] = {}
        stack = list(roots)[::-1]
        while stack:
            term = stack.pop()
            if term in seen:
                continue
            seen[term] = None
            if term.sort.kind not in ("SORT_CASE", "SORT_FUN"):
                self.by_sort.setdefault(term.sort, []).append(term)
            bound = binds(catalogue, term)
            first = 1 if term.op == "OP_UF_APPLY" else len(bound)
            stack.extend(reversed(term.args[first:]))
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


class _Mutator:
    """Replaces one expression of a script at a time."""

    def __init__(self, workshop: Workshop, script: Script) -> None:
        self._tables = workshop.tables
        self._stream = workshop.stream
        self._producers = workshop.shop.lasting(Producers)
        self._maker = Maker(workshop.tables, workshop.stream)
        self._occurrences = Occurrences(
            workshop.catalogue, lambda term: _HOLES.get(term.sort.kind, 1)
        )
        roots = script.assertions()
        self._pool = Pool(workshop.catalogue, roots)
        for constant in script.constants():
            if constant.op == CONSTANT and constant.sort.kind != "SORT_FUN":
                self._pool.add(constant)
        self._take_terms(workshop, script, int(workshop.choices.get("corpus") or 0))
        kinds = {sort.kind for sort in self._pool.sorts}
        self._kinds = tuple(sorted(kinds | set(SERVED if "SORT_FP" in kinds else ())))
        self._wealth = min(1.0, self._producers.of(self._kinds).total / _MANY)
        self._profile = workshop.shop.profile
        self._fitting = Fitting(workshop.shop, roots)
        self._most = GROWTH * sum(map(self._occurrences.count, script.assertions())) + 50

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
                if _operators(term).isdisjoint(lacking):
                    self._pool.add(term)

    def mutate(self, script: Script) -> tuple[Script, str] | None:
        """The script with one expression replaced, and a description of the change; None if no draw
        fits.
        """
        asserted = script.assertions()
        sizes = [self._occurrences.count(term) for term in asserted]
        if not sum(sizes):
            return None
        for _ in range(TRIES):
            place, root = self._stream.choose(list(zip(places(script), asserted, strict=True)))
            hole = self._occurrences.draw(root, self._stream)
            new = None if hole is None else self._expression(hole)
            if hole is None or new is None or new[0] is hole.term:
                continue
            changed = replaced(self._tables, hole, new[0])
            size = sum(sizes) - self._occurrences.count(root) + self._occurrences.count(changed)
            if size <= self._most and self._fitting.fits(changed):
                return with_assertion(
                    script, place, changed
                ), f"typefuzz: {hole.term.op} to {new[1]}, depth {len(hole.above)}"
        return None

    def _expression(self, hole: Occurrence) -> tuple[Term, str] | None:
        """A term that can stand at a place, of its sort, and a description of the term."""
        scope = dict.fromkeys(in_scope(self._tables.catalogue, hole))
        if self._stream.chance(_SAME):
            plain = self._pool.draw(hole.term.sort, scope, self._stream)
            return None if plain is None else (plain, f"the seed's {plain.op}")
        made: list[str] = []
        new = self._guarded(hole.term, scope, made) or self._application(
            hole.term.sort, scope, made, 0
        )
        return None if new is None else (new, " of ".join(made))

    def _guarded(self, term: Term, scope: Scope, made: list[str]) -> Term | None:
        """For some terms that are no formulas: an `ite` that gives the term itself if a new formula
        holds, and otherwise another term.
        """
        if term.sort is self._tables.bool or not self._stream.chance(_GUARDED * self._wealth):
            return None
        inner: list[str] = []
        other, condition = (
            self._argument(term.sort, scope, inner, _DEEPEST),
            self._compared(scope, inner, 1),
        )
        if other is None or other is term or condition is None:
            return None
        made += ["OP_ITE", *inner]
        return self._tables.apply("OP_ITE", condition, term, other)

    def _application(self, sort: Sort, scope: Scope, made: list[str], level: int) -> Term | None:
        """An application of the given sort; its operators are added to `made`. None if the draws
        find none.
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
            other = self._argument(tables.string if words else found[1], scope, inner, _DEEPEST)
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
        if level < _DEEPEST and self._stream.chance(self._wealth * _NESTED.get(sort.kind, 0.0)):
            new = self._application(sort, scope, made, level + 1)
            if new is not None:
                return new
        term = self._pool.draw(sort, scope, self._stream)
        return (
            LITERALS[sort.kind](self._maker, sort)
            if term is None and sort.kind in LITERALS
            else term
        )


ENTRY = Entry(
    "typefuzz",
    "Fuzz with SMT-LIB scripts whose expressions are replaced.",
    "Fuzz with scripts whose expressions are replaced by new ones of their sort.\n\n"
    "SEEDS are SMT-LIB scripts and folders of them; a new expression is made of the seed's own "
    "terms. Nothing is known of what a mutant must answer: give --cross-check another solver, or "
    "look for crashes alone.",
    mutants,
    chained=True,
    settings=(
        KEEP_OPTIONS,
        Setting(
            "corpus",
            "Also take N terms of each sort from all seeds, drawn anew for each run.",
            "number",
            least=0,
            most=1_000_000,
            default=0,
            metavar="N",
        ),
    ),
)
