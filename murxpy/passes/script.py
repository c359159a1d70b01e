"""Passes that make an SMT-LIB script smaller: fewer commands, fewer and smaller terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.terms import CONSTANT, FUNCTION, VALUE, VARIABLE, Term
from murxpy.passes.parts import Commands, changed, largest_first, terms
from murxpy.passes.rebuilt import narrow, reformat, rename, shrink_datatypes
from murxpy.passes.reduction import Reducer, ddmin, each, fixpoint
from murxpy.smtlib import commands as c
from murxpy.smtlib.commands import Command
from murxpy.smtlib.script import Script
from murxpy.smtlib.substitution import substituted
from murxpy.smtlib.tables import Tables

Pass = Callable[[Reducer[Commands]], None]

# Commands that printing adds where they are needed.
_DECLARING = (c.DeclareSort, c.DefineSort, c.DeclareDatatypes, c.DeclareFun, c.DefineFun, c.SetInfo)
_HELD = (CONSTANT, VARIABLE, VALUE, FUNCTION)
_VALUES: dict[str, tuple[Any, ...]] = {  # the simplest of a sort
    "SORT_BOOL": (True, False),
    "SORT_INT": (0, 1),
    "SORT_REAL": (0, 1),
    "SORT_STRING": ("", "a"),
    "SORT_BV": (0, 1),
}


def bare(script: Script) -> Commands:
    """The commands of a script without descriptions and declarations, which printing adds anew."""
    return tuple(command for command in script.commands if not isinstance(command, _DECLARING))


def reduce_script(reducer: Reducer[Commands], tables: Tables) -> None:
    """Make the best of `reducer` as small as the passes can."""
    passes: tuple[Pass, ...] = (
        _commands,
        _conjuncts,
        _commands,
        *_Whole(tables).passes(),
        partial(narrow, tables),
        partial(reformat, tables),
        partial(shrink_datatypes, tables),
    )
    fixpoint(reducer, passes)
    rename(tables, reducer)


def _commands(reducer: Reducer[Commands]) -> None:
    ddmin(reducer, len, lambda best, low, high: best[:low] + best[high:])
    each(reducer, len, _simpler_command)


def _conjuncts(reducer: Reducer[Commands]) -> None:
    each(reducer, len, _split)


def _simpler_command(best: Commands, at: int) -> Iterator[Commands]:
    """Leave out a `push` with the `pop` behind it, the assumptions of a check, a logic, a name."""
    command = best[at]
    simpler: Command | None = None
    if isinstance(command, c.Push):
        end = next((to for to in range(at + 1, len(best)) if isinstance(best[to], c.Pop)), None)
        if end is not None:
            yield best[:at] + best[at + 1 : end] + best[end + 1 :]
    elif isinstance(command, c.CheckSatAssuming | c.CheckSatUsing):
        simpler = c.CheckSat()
    elif isinstance(command, c.SetLogic) and command.logic != "ALL":
        simpler = c.SetLogic("ALL")
    elif isinstance(command, c.Assert) and command.name is not None:
        simpler = replace(command, name=None)
    if simpler is not None:
        yield (*best[:at], simpler, *best[at + 1 :])


def _split(best: Commands, at: int) -> Iterator[Commands]:
    """Assert the parts of a conjunction each by itself."""
    command = best[at]
    if isinstance(command, c.Assert) and command.term.op == "OP_AND":
        yield best[:at] + tuple(c.Assert(part) for part in command.term.args) + best[at + 1 :]


class _Whole:
    """Passes that replace a term in the whole script."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def passes(self) -> tuple[Pass, ...]:
        """Put something smaller in place of terms, leave out arguments, make literals small."""
        variants = (self._smaller, self._fewer, self._simpler)
        return tuple(partial(self._each_term, variants=some) for some in variants)

    def _each_term(
        self, reducer: Reducer[Commands], variants: Callable[[Commands, Term], Iterable[Term]]
    ) -> None:
        """Offer the variants of every term, the largest terms first, until none is accepted."""
        done: set[Term] = set()
        waiting = largest_first(reducer.best)
        while (term := next((t for t in waiting if t not in done), None)) is not None:
            done.add(term)
            made = map(partial(self._with, reducer.best, term), variants(reducer.best, term))
            if reducer.offer(made) is not None:
                waiting = largest_first(reducer.best)

    def _with(self, best: Commands, old: Term, new: Term) -> Commands:
        def replaced(term: Term) -> Term:
            return substituted(self._tables, term, {old: new})

        return tuple(changed(command, replaced) for command in best)

    def _smaller(self, best: Commands, term: Term) -> Iterator[Term]:
        """A value, a part of the term and a constant, all of the sort of the term."""
        if term.op in _HELD:
            return
        yield from self._values(term.sort)
        parts = [*term.args, *(inner for arg in term.args for inner in arg.args)]
        yield from _oldest(
            (part for part in parts if set(term.free).issuperset(part.free)), term.sort
        )[:12]
        yield from _oldest((one for one in terms(best) if one.op == CONSTANT), term.sort)[:3]

    def _values(self, sort: Sort) -> list[Term]:
        values = _VALUES.get(sort.kind, ())
        if sort.kind == "SORT_FP":  # zero and one
            values = (0, ((1 << sort.number(0) - 1) - 1) << sort.number(1) - 1)
        return [self._tables.value(sort, value) for value in values]

    def _fewer(self, best: Commands, term: Term) -> Iterator[Term]:
        """Apply an operator that takes any number of arguments to one less."""
        operator = self._tables.catalogue.operators.get(term.op)
        if operator is None or not operator.variadic or operator.signature.binder:
            return
        for at in range(len(term.args)) if len(term.args) > max(2, operator.minimum) else ():
            args = (*term.args[:at], *term.args[at + 1 :])
            try:
                yield self._tables.apply(term.op, *args, indices=term.indices)
            except IllSorted:
                return

    def _simpler(self, best: Commands, term: Term) -> Iterable[Term]:
        """Smaller literals."""
        values = _simpler_values(term.sort, term.indices[0]) if term.op == VALUE else ()
        return (self._tables.value(term.sort, value) for value in values)


def _simpler_values(sort: Sort, value: Any) -> Iterable[Any]:
    if sort.kind == "SORT_STRING" and value:
        half = len(value) // 2
        return value[:half], value[half:], value[1:], value[:-1]
    if value in (0, 1):
        return ()
    if sort.kind == "SORT_REAL":
        return Fraction(int(value)), Fraction(int(value) // 2)
    if sort.kind in ("SORT_INT", "SORT_BV"):
        return abs(value), int(value / 2) if abs(value) < 1 << 50 else value // 2, value - 1
    return ()


def _oldest(candidates: Iterable[Term], sort: Sort) -> list[Term]:
    """The different terms of a sort, those that were made first in front."""
    found = dict.fromkeys(one for one in candidates if one.sort is sort)
    return sorted(found, key=lambda one: one.serial)
