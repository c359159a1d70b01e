"""Passes that make what a trace says plainer: one id for a sort, values for constants, equations and
plainer operators for what they stand in.

All candidates are typed by our own rules before they are offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.terms import CONSTANT, SPECIAL, VALUE, VARIABLE, Term
from murxpy.logic.values import write_value
from murxpy.machine.tokens import Quoted, Ref, Token
from murxpy.passes.editing import made, mapped, put
from murxpy.passes.typed import Typed, Types
from murxpy.passes.words import terms_of
from murxpy.replaying.defuse import Script, definitions, returned, sort_of, used
from murxpy.trace.grammar import Line

_VALUES = 3  # literals that are tried for a constant
_BESIDE = 3  # literals and older terms that are tried on the other side of an equation
_INNER = 8  # inner terms for which an equation is tried
_OPERATORS = 6  # plainer operators that are tried for an application
_LEAVES = (CONSTANT, VARIABLE, VALUE, SPECIAL)


class Meanings:
    """The passes, for operators that `spelled` maps to their spellings."""

    def __init__(self, types: Types, spelled: Mapping[str, Any]) -> None:
        self._types = types
        operators = types.catalogue.operators
        self._ranks = {kind: number for number, kind in enumerate(operators)}
        self._spelled = [op for kind, op in operators.items() if kind in spelled]

    def rank(self, line: Line) -> int:
        """How many operators are plainer than the one that the line applies."""
        return self._ranks.get(str(line.args[0]), 0) if line.action == "mk-term" else 0

    def one_id_per_sort(self, lines: Script) -> Script:
        """Give equal sorts the same id, so that other passes see that they are equal."""
        first: dict[Sort, Ref] = {}
        names = {}
        for ref, sort in self._types.of(lines).sorts.items():
            kept = first.setdefault(sort, ref)
            if kept is not ref:
                names[ref] = kept
        known: set[Ref] = set()
        merged = []
        for line in lines if names else ():
            changed = mapped(line, names)
            if changed.action != "mk-sort" or not known.issuperset(returned(changed)):
                merged.append(changed)
            known.update(returned(changed))
        return tuple(merged) if names else lines

    def values(self, lines: Script, at: int) -> Iterator[Script]:
        """Replace the constant at `at`, or an application of a sort with parameters, by a literal."""
        line, sort = lines[at], sort_of(lines[at])
        if sort is None or line.action not in ("mk-const", "mk-term") or at == len(lines) - 1:
            return
        own = returned(line)[0]
        term = self._types.of(lines).terms.get(own)
        if term is None or (line.action == "mk-term" and term.sort.kind in _SIMPLEST):
            return
        if sort in definitions(lines[:at]):
            for words in islice(_literals(term.sort), _VALUES):
                yield put(lines, at, made("mk-value", [sort, *words], own, sort))

    def equations(self, lines: Script, at: int) -> Iterator[Script]:
        """Replace the formula at `at` by an equation between a term in it and a literal or an older
        term.
        """
        line, typed = lines[at], self._types.of(lines)
        own = returned(line)[:1]
        if line.action != "mk-term" or not own or not _is_formula(typed.terms.get(own[0])):
            return
        new = Ref("t", 1 + max(ref.number for ref in typed.terms))
        places = definitions(lines)
        for inner in islice(_inside(lines, at), _INNER):
            term = typed.terms.get(inner)
            if term is None or _is_formula(term) or term.op in (VALUE, SPECIAL):
                continue
            sort = sort_of(lines[places[inner]])
            for words in islice(_literals(term.sort), _BESIDE) if sort else ():
                value = made("mk-value", [sort, *words], new, sort) if sort else line
                yield put(lines, at, value, _equation(line, inner, new))
            same = [r for r, t in typed.terms.items() if t.sort is term.sort and r != inner]
            for other in [ref for ref in same if places[ref] < at][:_BESIDE]:
                yield put(lines, at, _equation(line, inner, other))

    def plainer_operators(self, lines: Script, at: int) -> Iterator[Script]:
        """Replace the operator that the line at `at` applies by one that is plainer: one of the
        core or of its own theory that the catalogue lists before it.
        """
        line, typed = lines[at], self._types.of(lines)
        place, own = terms_of(line), returned(line)[:1]
        term = typed.terms.get(own[0]) if own else None
        if line.action != "mk-term" or place is None or term is None:
            return
        start, count = place
        args = line.args[start : start + count]
        if start + count < len(line.args) or not all(arg in typed.terms for arg in args):
            return
        for kind in islice(self._plainer(typed, term, args), _OPERATORS):
            yield put(lines, at, _applied(line, kind, args))
            if count == 2 and args[0] != args[1]:
                yield put(lines, at, _applied(line, kind, args[::-1]))

    def _plainer(self, typed: Typed, term: Term, args: Sequence[Token]) -> Iterator[str]:
        """The plainer operators that give the same sort for the same arguments."""
        operators = self._types.catalogue.operators
        own, core = operators.get(term.op), operators["OP_NOT"].theory
        if own is None or own.signature.binder:
            return
        sorts = tuple(typed.terms[arg].sort for arg in args if isinstance(arg, Ref))
        for other in self._spelled:
            if self._ranks[other.kind] >= self._ranks[term.op]:
                return
            if other.theory in (core, own.theory) and not other.signature.binder:
                try:
                    if typed.checker.result(other, sorts) is term.sort:
                        yield other.kind
                except IllSorted:
                    continue


def _is_formula(term: Term | None) -> bool:
    return term is not None and term.sort.kind == "SORT_BOOL"


def _applied(line: Line, kind: str, args: Sequence[Token]) -> Line:
    """The line with another operator, applied to `args`."""
    return made("mk-term", [kind, line.args[1], len(args), *args], *returned(line))


def _equation(line: Line, left: Ref, right: Ref) -> Line:
    return _applied(line, "OP_EQUAL", [left, right])


def _inside(lines: Script, at: int) -> Iterator[Ref]:
    """The terms inside the one of the line at `at`, the last one made first."""
    places = definitions(lines)
    wanted = {*used(lines[at])}
    for index in range(at - 1, -1, -1):
        own = returned(lines[index])[:1]
        if own and own[0] in wanted and own[0].letter == "t" and places[own[0]] == index:
            wanted.update(used(lines[index]))
            yield own[0]


def _literals(sort: Sort) -> Iterator[list[Token]]:
    """The words of the simplest literals of a sort."""
    for value in _simplest(sort):
        words: list[Any] = write_value(sort, value)
        yield [Quoted(word) if isinstance(word, str) else word for word in words]


def _simplest(sort: Sort) -> Sequence[Any]:
    if sort.kind == "SORT_BV":
        top = (1 << sort.width) - 1
        return tuple(dict.fromkeys((0, min(1, top), top, 1 << (sort.width - 1), min(2, top))))
    if sort.kind == "SORT_FP":
        exponent, significand = sort.number(0), sort.number(1)
        one = ((1 << (exponent - 1)) - 1) << (significand - 1)
        infinity = ((1 << exponent) - 1) << (significand - 1)
        return (0, one, infinity, infinity | 1 << (significand - 2), 1)
    if sort.kind == "SORT_FF":
        return tuple(dict.fromkeys((0, 1 % sort.width)))
    return _SIMPLEST.get(sort.kind, ())


_SIMPLEST: dict[str, Sequence[Any]] = {
    "SORT_BOOL": (True, False),
    "SORT_INT": (0, 1, -1, 2),
    "SORT_REAL": (Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 2)),
    "SORT_STRING": ("0", "", "a", "1"),
}
