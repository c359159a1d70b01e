"""The terms of a script, and its size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

from murxpy.logic.sorts import IllSorted, Sort, components, reachable, well_founded
from murxpy.logic.terms import CONSTANT, FUNCTION, VALUE, VARIABLE, Term
from murxpy.logic.walks import subterms
from murxpy.passes.reduction import Asking, Reducer, ddmin, each, fixpoint
from murxpy.smtlib import script as c
from murxpy.smtlib.building import BV, DT, FP, Gone, Rebuilder, Tables, substituted
from murxpy.smtlib.lexer import RESERVED
from murxpy.smtlib.script import Command, Script

Commands = tuple[Command, ...]


def roots(command: Command) -> Sequence[Term]:
    """The terms that a command holds, without those of a function that has variables."""
    if isinstance(command, c.CheckSatAssuming):
        return command.assumptions
    if isinstance(command, c.DefineFunsRec):
        return (
            *command.functions,
            *(variable for some in command.variables for variable in some),
            *command.bodies,
        )
    if isinstance(command, c.DefineFun) and command.function is None:
        return (command.body,)
    return (command.term,) if isinstance(command, c.Assert) else ()


def changed(command: Command, new: Callable[[Term], Term]) -> Command:
    """A command with other terms."""
    if isinstance(command, c.Assert):
        return replace(command, term=new(command.term))
    if isinstance(command, c.CheckSatAssuming):
        return replace(command, assumptions=tuple(map(new, command.assumptions)))
    if isinstance(command, c.DefineFun) and command.function is None:
        return replace(command, body=new(command.body))
    if isinstance(command, c.DefineFunsRec):
        variables = tuple(tuple(map(new, some)) for some in command.variables)
        return c.DefineFunsRec(
            tuple(map(new, command.functions)), variables, tuple(map(new, command.bodies))
        )
    return command


def terms(commands: Commands) -> dict[Term, None]:
    """The different terms in a script."""
    return dict.fromkeys(subterms(term for command in commands for term in roots(command)))


def largest_first(commands: Commands) -> Iterator[Term]:
    """The terms of a script, each behind all terms that it is in."""
    return iter(sorted(terms(commands), key=lambda term: -term.serial))


def order(text: str, commands: Commands) -> tuple[int, int, int, int]:
    """A key to sort scripts by: terms, commands, bits of widths and numerals, characters."""
    found = terms(commands)
    widths = {part: _width(part) for term in found for part in components(term.sort)}
    return len(found), len(commands), sum(widths.values()) + sum(map(_bits, found)), len(text)


def _width(sort: Sort) -> int:
    """The bits of a bit-vector or floating-point number; 0 for other sorts."""
    wide = sort.kind in ("SORT_BV", "SORT_FP")
    return sum(n for n in sort.params if isinstance(n, int)) if wide else 0


def _bits(term: Term) -> int:
    """The bits of a numeral; 0 for other terms."""
    value = term.indices[0] if term.op == VALUE else None
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return 0
    return value.numerator.bit_length() + value.denominator.bit_length() - 1 + (value < 0)


# ----------------------------------------------------------------------
# Passes that rebuild a script: smaller bit-vectors, formats and datatypes, shorter names.


T = TypeVar("T", Term, Sort)
S = TypeVar("S")
_LETTERS = "abcdfghijklmnopqrstuvwxyz"  # but for `e`, which z3 reads as a number
# cvc5 supports only Float32 and Float64, unless an option allows all formats
_FORMATS = ((2, 3), (3, 5), (5, 11), (8, 24))
_UNINTERPRETED = "SORT_UNINTERPRETED"


def narrow(tables: Tables, reducer: Reducer[Commands]) -> Asking[None]:
    """Make all bit-vectors narrower, or those of one width."""
    while (yield from reducer.offer(_narrower(tables, reducer.best))) is not None:
        pass


def reformat(tables: Tables, reducer: Reducer[Commands]) -> Asking[None]:
    """Give floating-point numbers smaller formats; bit-vectors of their sizes follow, or stay."""
    while (yield from reducer.offer(_reformatted(tables, reducer.best))) is not None:
        pass


def shrink_datatypes(tables: Tables, reducer: Reducer[Commands]) -> Asking[None]:
    """Leave out constructors and fields of datatypes that no term needs."""
    while (yield from reducer.offer(_shrunk(tables, reducer.best))) is not None:
        pass


def rename(tables: Tables, reducer: Reducer[Commands]) -> Asking[None]:
    """Name constants, variables and sorts with a letter: all at once, else one by one."""
    leaves, sorts = named(reducer.best)
    whole = Rebuilder(tables, names=_short(leaves), sorts=_short(sorts, str.upper))
    if (yield from reducer.offer(_built(reducer.best, [whole]))) is not None:
        return
    short = _short(leaves)
    for leaf in leaves:
        yield from reducer.offer(
            _built(reducer.best, [Rebuilder(tables, names={leaf: short[leaf]})])
        )


def _narrower(tables: Tables, best: Commands) -> Iterator[Commands]:
    widths = sorted({part.width for part in _sorts(best) if part.kind == BV}, reverse=True)
    if not widths or widths == [1]:
        return
    ways: list[Callable[[int], int]] = [
        lambda w: 1,
        lambda w: max(1, w // 2),
        lambda w: max(1, w - 1),
    ]
    for width in widths:
        ways += [
            partial(_one, width, other)
            for other in dict.fromkeys((1, 2, 4, 8, width // 2, width - 1))
            if 0 < other < width
        ]
    yield from _built(best, [Rebuilder(tables, way) for way in ways])


def _one(old: S, new: S, given: S) -> S:
    return new if given == old else given


def _reformatted(tables: Tables, best: Commands) -> Iterator[Commands]:
    forms = sorted(
        {(part.number(0), part.number(1)) for part in _sorts(best) if part.kind == FP}, reverse=True
    )
    for old in forms:
        e, s = old
        for new in dict.fromkeys((*_FORMATS, (e, max(2, s - 1)), (max(2, e - 1), s))):
            if new != old and new[0] <= e and new[1] <= s:
                form = partial(_one, old, new)
                # bit-vectors as wide as a part of a number, or as the whole number
                widths = {s - 1: new[1] - 1, e: new[0], e + s: sum(new)}
                ways = [
                    Rebuilder(tables, partial(_mapped, widths), form=form),
                    Rebuilder(tables, form=form),
                ]
                yield from _built(best, ways)


def _mapped(widths: Mapping[int, int], given: int) -> int:
    return widths.get(given, given)


def _shrunk(tables: Tables, best: Commands) -> Iterator[Commands]:
    """Leave out a constructor or a field, if each datatype still has a value."""
    found = list(
        dict.fromkeys(
            d for sort in _sorts(best) if sort.kind == DT for d in reachable(sort.datatype)
        )
    )
    gone: list[Gone] = [(d, c.name, "") for d in found for c in d.constructors]
    gone += [(d, c.name, name) for d in found for c in d.constructors for name, _ in c.fields]
    for one in gone:
        rebuilder = Rebuilder(tables, gone=[one])
        block = [rebuilder.datatype(d) for d in found]
        if len(well_founded(block)) == len(block):
            yield from _built(best, [rebuilder])


def _sorts(best: Commands) -> list[Sort]:
    """The sorts of a script's terms and of their parts, the oldest first."""
    found = {part: None for term in terms(best) for part in components(term.sort)}
    return sorted(found, key=lambda sort: sort.serial)


def _built(best: Commands, rebuilders: list[Rebuilder]) -> Iterator[Commands]:
    """The script as each of the rebuilders builds it, without those that find it ill-sorted."""
    for rebuilder in rebuilders:
        try:
            yield tuple([changed(command, rebuilder.term) for command in best])
        except IllSorted:
            continue


def named(best: Commands) -> tuple[list[Term], list[Sort]]:
    """The constants, functions, variables and uninterpreted sorts of a script, the oldest first."""
    leaves: dict[Term, None] = {}
    sorts: dict[Sort, None] = {}
    for term in terms(best):
        if term.op in (CONSTANT, VARIABLE):
            leaves[term] = None
        sorts.update({part: None for part in components(term.sort) if part.kind == _UNINTERPRETED})
    return sorted(leaves, key=lambda leaf: leaf.serial), sorted(sorts, key=lambda sort: sort.serial)


def _short(things: list[T], style: Callable[[str], str] = str) -> dict[T, str]:
    """A letter for each thing; with many things, a number follows the letter."""
    names = (f"{letter}{number or ''}" for number in range(len(things)) for letter in _LETTERS)
    return dict(zip(things, (style(name) for name in names if name not in RESERVED), strict=False))


# ----------------------------------------------------------------------
# Passes that make an SMT-LIB script smaller: fewer commands, fewer and smaller terms.


Pass = Callable[[Reducer[Commands]], Asking[None]]

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
    """The commands of a script without descriptions and declarations, which printing adds again."""
    return tuple(command for command in script.commands if not isinstance(command, _DECLARING))


def reduce_script(reducer: Reducer[Commands], tables: Tables) -> Asking[None]:
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
    yield from fixpoint(reducer, passes)
    yield from rename(tables, reducer)


def _commands(reducer: Reducer[Commands]) -> Asking[None]:
    yield from ddmin(reducer, len, lambda best, low, high: best[:low] + best[high:])
    yield from each(reducer, len, _simpler_command)


def _conjuncts(reducer: Reducer[Commands]) -> Asking[None]:
    yield from each(reducer, len, _split)


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
    ) -> Asking[None]:
        """Offer the variants of every term, the largest terms first, until none is accepted."""
        done: set[Term] = set()
        waiting = largest_first(reducer.best)
        while (term := next((t for t in waiting if t not in done), None)) is not None:
            done.add(term)
            made = map(partial(self._with, reducer.best, term), variants(reducer.best, term))
            if (yield from reducer.offer(made)) is not None:
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
