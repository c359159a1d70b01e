"""Passes that make an SMT-LIB script smaller: fewer commands, fewer and smaller terms of the same
sorts, whatever they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, FUNCTION, VALUE, VARIABLE, Term
from murxpy.logic.typing import IllSorted
from murxpy.passes.parts import Commands, changed, largest_first
from murxpy.passes.rebuilt import narrow, reformat, rename, shrink_datatypes
from murxpy.passes.reduction import Reducer, ddmin, each, fixpoint
from murxpy.smtlib import commands as c
from murxpy.smtlib.script import Script
from murxpy.smtlib.substitution import substituted
from murxpy.smtlib.tables import Tables

# printed where they are needed
_DECLARING = (c.DeclareSort, c.DefineSort, c.DeclareDatatypes, c.DeclareFun, c.DefineFun, c.SetInfo)
_HELD = (CONSTANT, VARIABLE, VALUE, FUNCTION)


def bare(script: Script) -> Commands:
    """The commands of a script without declarations, which printing adds where they are needed, and
    descriptions.
    """
    return tuple(command for command in script.commands if not isinstance(command, _DECLARING))


def reduce_script(reducer: Reducer[Commands], tables: Tables) -> None:
    """Make the best of `reducer` as small as the passes can."""
    whole = _Whole(tables)
    passes = (
        _commands,
        whole.conjuncts,
        _commands,
        whole.subterms,
        whole.arguments,
        whole.literals,
        partial(narrow, tables),
        partial(reformat, tables),
        partial(shrink_datatypes, tables),
    )
    fixpoint(reducer, passes)
    rename(tables, reducer)


def _commands(reducer: Reducer[Commands]) -> None:
    ddmin(reducer, len, lambda best, low, high: best[:low] + best[high:])
    each(reducer, len, _without_level)


def _without_level(best: Commands, at: int) -> Iterator[Commands]:
    """Without a `push` and the `pop` that ends its level; a check under assumptions as one without."""
    command = best[at]
    if isinstance(command, c.Push):
        end = next((to for to in range(at + 1, len(best)) if isinstance(best[to], c.Pop)), None)
        if end is not None:
            yield best[:at] + best[at + 1 : end] + best[end + 1 :]
    elif isinstance(command, c.CheckSatAssuming | c.CheckSatUsing):
        yield (*best[:at], c.CheckSat(), *best[at + 1 :])
    elif isinstance(command, c.SetLogic) and command.logic != "ALL":
        yield (*best[:at], c.SetLogic("ALL"), *best[at + 1 :])
    elif isinstance(command, c.Assert) and command.name is not None:
        yield (*best[:at], replace(command, name=None), *best[at + 1 :])


class _Whole:
    """Passes that replace a term everywhere."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def conjuncts(self, reducer: Reducer[Commands]) -> None:
        """Assert the parts of a conjunction each by itself."""
        each(reducer, len, self._split)

    def _split(self, best: Commands, at: int) -> Iterator[Commands]:
        command = best[at]
        if isinstance(command, c.Assert) and command.term.op == "OP_AND":
            yield best[:at] + tuple(c.Assert(part) for part in command.term.args) + best[at + 1 :]

    def subterms(self, reducer: Reducer[Commands]) -> None:
        """Put something smaller in the place of each term: a part of it, a constant or a value."""
        self._each_term(reducer, self._smaller)

    def arguments(self, reducer: Reducer[Commands]) -> None:
        """Leave out arguments of what takes any number, and variables that a quantifier binds."""
        self._each_term(reducer, self._fewer)

    def literals(self, reducer: Reducer[Commands]) -> None:
        """Make literals small."""
        self._each_term(reducer, self._simpler)

    def _each_term(
        self, reducer: Reducer[Commands], variants: Callable[[Commands, Term], Iterator[Term]]
    ) -> None:
        """Offer the variants of every term, the largest terms first, until none is accepted."""
        done: set[Term] = set()
        waiting = largest_first(reducer.best)
        while (term := next((t for t in waiting if t not in done), None)) is not None:
            done.add(term)
            if (
                reducer.offer(
                    map(partial(self._with, reducer.best, term), variants(reducer.best, term))
                )
                is not None
            ):
                waiting = largest_first(reducer.best)

    def _with(self, best: Commands, old: Term, new: Term) -> Commands:
        def replaced(term: Term) -> Term:
            return substituted(self._tables, term, {old: new})

        return tuple(changed(command, replaced) for command in best)

    def _smaller(self, best: Commands, term: Term) -> Iterator[Term]:
        if term.op in _HELD:
            return
        allowed = set(term.free)
        inside = [
            part
            for part in _parts(term)
            if part.sort is term.sort and allowed.issuperset(part.free)
        ]
        yield from self._values(term.sort)
        yield from sorted(inside, key=lambda part: part.serial)[:12]
        yield from _constants(best, term.sort)[:3]

    def _values(self, sort: Sort) -> list[Term]:
        tables = self._tables
        if sort.kind == "SORT_BOOL":
            return [tables.true, tables.false]
        if sort.kind == "SORT_FP":
            exponent, significand = sort.number(0), sort.number(1)
            # zero and one
            return [
                tables.value(sort, 0),
                tables.value(sort, ((1 << exponent - 1) - 1) << significand - 1),
            ]
        plain: dict[str, Any] = {
            "SORT_INT": (0, 1),
            "SORT_REAL": (0, 1),
            "SORT_STRING": ("", "a"),
            "SORT_BV": (0, 1),
        }
        return [tables.value(sort, value) for value in plain.get(sort.kind, ())]

    def _fewer(self, best: Commands, term: Term) -> Iterator[Term]:
        operator = self._tables.catalogue.operators.get(term.op)
        if (
            operator is None
            or not operator.variadic
            or operator.signature.binder
            or len(term.args) <= max(2, operator.minimum)
        ):
            return
        for at in range(len(term.args)):
            try:
                yield self._tables.apply(
                    term.op, *term.args[:at], *term.args[at + 1 :], indices=term.indices
                )
            except IllSorted:
                return

    def _simpler(self, best: Commands, term: Term) -> Iterator[Term]:
        if term.op != VALUE:
            return
        yield from (
            self._tables.value(term.sort, other)
            for other in _simpler_values(term.sort, term.indices[0])
        )


def _simpler_values(sort: Sort, value: Any) -> Iterable[Any]:
    if sort.kind == "SORT_STRING":
        return (
            [value[: len(value) // 2], value[len(value) // 2 :], value[1:], value[:-1]]
            if value
            else []
        )
    if sort.kind == "SORT_REAL":
        return [Fraction(int(value)), Fraction(int(value) // 2)] if value not in (0, 1) else []
    if sort.kind in ("SORT_INT", "SORT_BV"):
        return (
            [abs(value), int(value / 2) if abs(value) < 1 << 50 else value // 2, value - 1]
            if value not in (0, 1)
            else []
        )
    return []


def _parts(term: Term) -> list[Term]:
    """What is in a term, two levels deep."""
    return list(dict.fromkeys([*term.args, *(inner for arg in term.args for inner in arg.args)]))


def _constants(best: Commands, sort: Sort) -> list[Term]:
    return sorted(
        (t for t in largest_first(best) if t.op == CONSTANT and t.sort is sort),
        key=lambda t: t.serial,
    )
