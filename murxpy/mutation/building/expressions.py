"""Making expressions of a sort from the terms of a seed, by any operator that its sorts allow.

Literals stand in where the seed has no term of a width, and every operator can occur: in the place
of a formula, a term with the operator is compared with another term.
"""

from __future__ import annotations

from murxpy.logic.catalogue import Operator
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, Term
from murxpy.mutation.building.pool import Pool, operators_of
from murxpy.mutation.fitting import SMALL
from murxpy.mutation.functions.composed import LITERALS
from murxpy.mutation.functions.inversions import LETTERS, Maker
from murxpy.mutation.producers import Producers
from murxpy.mutation.ranks import SERVED, Arguments, apply_any, fill
from murxpy.mutation.workshop import Workshop
from murxpy.smtlib.script import Script

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
    them.
    """

    def __init__(
        self, workshop: Workshop, script: Script, producers: type[Producers] = Producers
    ) -> None:
        self._tables = workshop.tables
        self._stream = workshop.stream
        self._producers = workshop.shop.lasting(producers)
        self._maker = Maker(workshop.tables, workshop.stream)
        self._pool = Pool(workshop.catalogue, script.assertions())
        for constant in script.constants():
            if constant.op == CONSTANT and constant.sort.kind != "SORT_FUN":
                self._pool.add(constant)
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

    def instead(self, term: Term, scope: Scope) -> tuple[Term, str] | None:
        """A term that can stand in the place of another one, and a description of it."""
        if self._stream.chance(_SAME):
            plain = self._pool.draw(term.sort, scope, self._stream)
            return None if plain is None else (plain, f"the seed's {plain.op}")
        made: list[str] = []
        new = self._guarded(term, scope, made) or self._application(term.sort, scope, made, 0)
        return None if new is None else (new, " of ".join(made))

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
