"""Regular languages as terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.semantics.exact import regex
from murxpy.semantics.exact.algebraic import Algebraic
from murxpy.semantics.exact.floats import format_of
from murxpy.semantics.exact.regex import Regex
from murxpy.semantics.ranges.abstract import (
    ANY,
    NOTHING,
    Bits,
    Cell,
    Element,
    Except,
    Few,
    Floats,
    Interval,
    Lengths,
    Member,
    Range,
    Shapes,
    Words,
    at_rank,
)
from murxpy.semantics.values import CannotSay, Value
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.values import ValueTerms

MOST_PARTS = 60  # parts of a language that becomes a term
MOST_TIMES = (1 << 31) - 1  # the largest index of a loop: solvers keep indices in 32 bits

_OPERATORS = {
    regex.CONCAT: "OP_RE_CONCAT",
    regex.UNION: "OP_RE_UNION",
    regex.INTER: "OP_RE_INTER",
    regex.NOT: "OP_RE_COMP",
}


def language_term(tables: Tables, language: Regex) -> Term | None:
    """A term for a regular language; None if it would be large, or have a loop with a large index."""
    return _term(tables, language) if _can_be_said(language) else None


def _can_be_said(language: Regex) -> bool:
    size, stack = 0, [language]
    while stack and size <= MOST_PARTS:
        node = stack.pop()
        if node.kind == regex.LOOP and max(node.data[0], node.data[1] or 0) > MOST_TIMES:
            return False
        size += 1 + (len(node.data) if node.kind in (regex.CHARS, regex.WORD) else 0)
        stack.extend(node.parts)
    return size <= MOST_PARTS


def _term(tables: Tables, language: Regex) -> Term:
    def word(text: str) -> Term:
        return tables.value(tables.string, text)

    kind = language.kind
    if language is regex.NONE or language is regex.ALL or language is regex.ALLCHAR:
        names = {regex.NONE: "NONE", regex.ALL: "ALL", regex.ALLCHAR: "ALLCHAR"}
        return tables.apply(f"OP_RE_{names[language]}")
    if kind == regex.CHARS:
        ends = [(word(chr(low)), word(chr(high))) for low, high in language.data]
        found = [tables.apply("OP_RE_RANGE", low, high) for low, high in ends]
        return found[0] if len(found) == 1 else tables.apply("OP_RE_UNION", *found)
    if kind == regex.WORD or language is regex.EPSILON:
        return tables.apply("OP_STR_TO_RE", word(str(language.data or "")))
    parts = [_term(tables, part) for part in language.parts]
    if kind != regex.LOOP:
        return tables.apply(_OPERATORS[kind], *parts)
    low, high = language.data
    if high is not None:
        return tables.apply("OP_RE_LOOP", *parts, indices=(low, high))
    star = tables.apply("OP_RE_STAR", *parts)
    if not low:
        return star
    return tables.apply("OP_RE_CONCAT", tables.apply("OP_RE_POW", *parts, indices=(low,)), star)


# ----------------------------------------------------------------------
# Formulas that say that a constant is in a range.


MOST_VALUES = 8  # values of a range that a formula lists


class Conditions:
    """Makes formulas of ranges, and literals of values."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._values = ValueTerms(tables.terms, tables.sorts)

    def literal(self, value: Value, sort: Sort) -> Term | None:
        """A term without constants for a value; None if there is none."""
        if _named(sort) or isinstance(value, Algebraic):
            return None
        try:
            return self._values.term(value, sort)
        except CannotSay:
            return None

    def of(self, constant: Term, wanted: Range) -> Term | None:
        """A formula that holds only if the constant is in the range; None if there is none."""
        if wanted is ANY:
            return self._tables.true
        maker = _FORMULAS.get(type(wanted))
        parts = None if maker is None or wanted is NOTHING else maker(self, constant, wanted)
        if not parts or any(part is None for part in parts):
            return None
        return self._tables.conjunction([part for part in parts if part is not None])

    def _apply(self, kind: str, left: Term | None, right: Term | None) -> Term | None:
        if left is None or right is None:
            return None
        return self._tables.apply(kind, left, right)

    def _few(self, constant: Term, wanted: Few) -> list[Term | None]:
        if len(wanted.values) > MOST_VALUES:
            return []
        same = [
            self._apply("OP_EQUAL", constant, self.literal(value, constant.sort))
            for value in wanted.values
        ]
        known = [term for term in same if term is not None]
        if len(known) < len(same) or not known:
            return []
        return [known[0] if len(known) == 1 else self._tables.apply("OP_OR", *known)]

    def _except(self, constant: Term, wanted: Except) -> list[Term | None]:
        if len(wanted.values) > MOST_VALUES:
            return []
        return [
            self._apply("OP_DISTINCT", constant, self.literal(value, constant.sort))
            for value in wanted.values
        ]

    def _interval(self, constant: Term, wanted: Interval) -> list[Term | None]:
        kind, found = constant.sort.kind.removeprefix("SORT_"), []
        for end, open_, above in (
            (wanted.low, wanted.low_open, True),
            (wanted.high, wanted.high_open, False),
        ):
            if end is not None:
                ends = (self.literal(end, constant.sort), constant)
                name = f"OP_{kind}_{'LT' if open_ else 'LTE'}"
                found.append(self._apply(name, *(ends if above else ends[::-1])))
        return found

    def _bits(self, constant: Term, wanted: Bits) -> list[Term | None]:
        def number(value: int) -> Term | None:
            return self.literal(value, constant.sort)

        found = []
        if wanted.low:
            found.append(self._apply("OP_BV_ULE", number(wanted.low), constant))
        if wanted.high + 1 < 1 << wanted.width:
            found.append(self._apply("OP_BV_ULE", constant, number(wanted.high)))
        if wanted.mask:
            part = self._apply("OP_BV_AND", constant, number(wanted.mask))
            found.append(self._apply("OP_EQUAL", part, number(wanted.ones)))
        return found

    def _floats(self, constant: Term, wanted: Floats) -> list[Term | None]:
        """Of comparisons, both zeros are equal, so an end must be no zero."""
        form = format_of(wanted.e, wanted.s)
        if {wanted.low, wanted.high} & {0, -1}:
            return []
        low, high = (
            self.literal(at_rank(form, place), constant.sort) for place in (wanted.low, wanted.high)
        )
        return [
            self._apply("OP_FP_LEQ", low, constant),
            self._apply("OP_FP_LEQ", constant, high),
        ]

    def _words(self, constant: Term, wanted: Words) -> list[Term | None]:
        return [self._apply("OP_STR_IN_RE", constant, language_term(self._tables, wanted.language))]

    def _cell(self, constant: Term, wanted: Cell) -> list[Term | None]:
        index = self.literal(wanted.index, constant.sort.sort(0))
        return self._part(self._apply("OP_ARRAY_SELECT", constant, index), wanted.inner)

    def _element(self, constant: Term, wanted: Element) -> list[Term | None]:
        tables = self._tables
        position = tables.value(tables.int, wanted.position)
        length = tables.apply("OP_SEQ_LENGTH", constant)
        found = self._part(tables.apply("OP_SEQ_NTH", constant, position), wanted.inner)
        return [tables.apply("OP_INT_LT", position, length), *found]

    def _lengths(self, constant: Term, wanted: Lengths) -> list[Term | None]:
        return self._part(self._tables.apply("OP_SEQ_LENGTH", constant), wanted.inner)

    def _shapes(self, constant: Term, wanted: Shapes) -> list[Term | None]:
        tested = [
            self._tables.apply("OP_DT_APPLY_TESTER", constant, indices=(name,))
            for name in wanted.constructors
        ]
        return [tested[0] if len(tested) == 1 else self._tables.apply("OP_OR", *tested)]

    def _member(self, constant: Term, wanted: Member) -> list[Term | None]:
        element = self.literal(wanted.element, constant.sort.sort(0))
        finite = constant.sort.kind == "SORT_FINITE_SET"
        found = self._apply(
            "OP_FINITE_SET_MEMBER" if finite else "OP_SET_MEMBER", element, constant
        )
        if found is None or wanted.truth:
            return [found]
        return [self._tables.apply("OP_NOT", found)]

    def _part(self, term: Term | None, inner: Range) -> list[Term | None]:
        return [None if term is None else self.of(term, inner)]


_FORMULAS: dict[type, Callable[[Conditions, Term, Any], list[Term | None]]] = {
    Few: Conditions._few,
    Except: Conditions._except,
    Interval: Conditions._interval,
    Bits: Conditions._bits,
    Floats: Conditions._floats,
    Words: Conditions._words,
    Cell: Conditions._cell,
    Element: Conditions._element,
    Lengths: Conditions._lengths,
    Shapes: Conditions._shapes,
    Member: Conditions._member,
}


def _named(sort: Sort) -> bool:
    """Whether values of the sort are made of elements that have no name in scripts."""
    return sort.kind == "SORT_UNINTERPRETED" or any(map(_named, sort.sorts()))
