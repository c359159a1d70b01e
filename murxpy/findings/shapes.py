"""The shape of a trace: what stays when constants, names, literals and widths are taken out of it.

Two small traces with the same shape show the same defect. The order of assertions and of the
arguments of commutative operators does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.machine.checks.registry import MAKING
from murxpy.machine.tokens import Quoted, Ref, Token, print_token
from murxpy.machine.trace.grammar import Line, Trace
from murxpy.machine.trace.lift import lift
from murxpy.smtlib.reading.scripts import read_script

LARGEST = 400  # lines of a trace whose shape is worth comparing
_ASSERTING = ("assert-formula", "assert-tracked")
_PASSED = ("new", "delete", "expect", "plant")

_COMMUTATIVE = frozenset(
    f"OP_{name}"
    for name in (
        *("AND", "OR", "XOR", "IFF", "EQUAL", "DISTINCT"),
        *("INT_ADD", "INT_MUL", "REAL_ADD", "REAL_MUL", "FINITE_FIELD_ADD", "FINITE_FIELD_MULT"),
        *("BV_ADD", "BV_MULT", "BV_AND", "BV_OR", "BV_XOR", "BV_NAND", "BV_NOR", "BV_XNOR"),
        *("BV_COMP", "SET_UNION", "SET_INTERSECTION", "RE_UNION", "RE_INTER", "FP_EQ"),
        *("BAG_UNION_MAX", "BAG_UNION_DISJOINT", "BAG_INTERSECTION_MIN"),
    )
)

# Operators that nearly every formula has around the term that matters.
_PLAIN = frozenset(
    f"OP_{name}"
    for name in (
        *("NOT", "AND", "OR", "XOR", "IMPLIES", "IFF", "EQUAL", "DISTINCT", "ITE"),
        *("INT_NEG", "INT_SUB", "INT_ADD", "INT_MUL", "INT_LT", "INT_LTE", "INT_GT", "INT_GTE"),
        *("REAL_NEG", "REAL_SUB", "REAL_ADD", "REAL_MUL"),
        *("REAL_LT", "REAL_LTE", "REAL_GT", "REAL_GTE", "INT_TO_REAL"),
    )
)
_LEAF = "_"
_OPTION = re.compile(r"\(set-option\s+:([^\s()]+)\s+([^\s()]+)\s*\)")


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a trace.

    `options` are the options that it sets, `formulas` the terms that it asserts, assumes and asks
    for, `calls` the names of its other actions up to the last one. `telling` are the largest terms of the formulas that
    begin with a telling operator, without what stands around and between them.
    """

    options: tuple[str, ...]
    formulas: tuple[str, ...]
    calls: tuple[str, ...]
    telling: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Term:
    """The shape of a term: `whole` with all its operators, `telling` only with those that tell which
    defect it is.
    """

    whole: str
    telling: tuple[str, ...] = ()
    root: bool = False  # whether the term itself begins with a telling operator


def shape_of(trace: Trace) -> Shape | None:
    """The shape of a trace; None for one that is too long, or runs a script that cannot be read."""
    try:
        lines = list(_flat(trace)) if len(trace.lines) <= LARGEST else None
    except InputError:
        return None
    return None if lines is None or len(lines) > LARGEST else _Reading().read(lines)


def _flat(trace: Trace) -> Iterator[Line]:
    """The lines of a trace, with the lines of a script in the place of the line that runs it."""
    for line in trace.lines:
        text = line.args[0] if line.action == "run-script" and line.args else None
        if isinstance(text, Quoted):
            script = read_script(text.text, trace.name, shipped())
            for name, value in _OPTION.findall(text.text):
                yield Line("set-option", [name, value])
            yield from (one for one in lift(script).lines if one.action != "set-option")
        else:
            yield line


@lru_cache(maxsize=1)
def shipped() -> Catalogue:
    """The catalogue of the operators that murxpy ships."""
    return build_catalogue(load_catalogue())


class _Reading:
    """Reads the lines of a trace one after another."""

    def __init__(self) -> None:
        self._sorts: dict[Ref, str] = {}
        self._terms: dict[Ref, _Term] = {}
        self._options: dict[str, None] = {}
        self._formulas: list[_Term] = []
        self._calls: list[str] = []

    def read(self, lines: Sequence[Line]) -> Shape:
        """The shape of these lines."""
        for line in lines:
            if line.action in MAKING:
                self._made(line)
            elif line.action == "set-option":
                name, *value = map(print_token, line.args)
                # An interface may put the module of the option before its name.
                self._options[" ".join([".".join(name.split(".")[-2:]), *value])] = None
            elif line.action in _ASSERTING:
                self._formulas += self._arguments(line)[:1]
            elif line.action not in _PASSED:
                self._called(line)
        telling = {part: None for formula in self._formulas for part in formula.telling}
        return Shape(
            tuple(sorted(self._options)),
            tuple(sorted(formula.whole for formula in self._formulas)),
            tuple(self._calls),
            tuple(sorted(telling)),
        )

    def _called(self, line: Line) -> None:
        self._formulas += self._arguments(line)
        if self._calls[-1:] != [line.action]:
            self._calls.append(line.action)

    def _made(self, line: Line) -> None:
        ids = [token for token in line.result("return") or () if isinstance(token, Ref)]
        if not ids:
            return
        if ids[0].letter == "s":
            for sort in ids:
                self._sorts.setdefault(sort, self._sort(line))
        elif ids[0].letter == "t":
            self._terms[ids[0]] = self._term(line)
            if line.action == "mk-term" and len(ids) > 1 and len(line.args) > 1:
                # a sort that no line of its own made
                self._sorts.setdefault(ids[1], _kind(line.args[1]))

    def _sort(self, line: Line) -> str:
        kind = _kind(line.args[0]) if line.args else "?"
        parts = [self._sorts.get(ref, _LEAF) for ref in _refs(line, "s")]
        return f"{kind}({' '.join(parts)})" if parts else kind

    def _term(self, line: Line) -> _Term:
        if line.action != "mk-term":
            parts = self._arguments(line)
            sort = next((self._sorts.get(ref, _LEAF) for ref in _refs(line, "s")), _LEAF)
            name = line.action.removeprefix("mk-")
            special = [token.text for token in line.args[1:2] if isinstance(token, Quoted)]
            if line.action == "mk-special-value":
                return _Term(f"{special}", (f"{special}",), True)
            return _Term(_shown(f"{name}:{sort}", [part.whole for part in parts]), _union(parts))
        kind = str(line.args[0]) if line.args else ""
        parts = self._arguments(line)
        whole = [part.whole for part in parts]
        if kind in _PLAIN:
            return _Term(_shown(kind, _ordered(kind, whole)), _union(parts))
        inner = [_inside(part) for part in parts]
        own = _shown(kind, _ordered(kind, inner))
        return _Term(_shown(kind, _ordered(kind, whole)), (own,), True)

    def _arguments(self, line: Line) -> list[_Term]:
        return [self._terms.get(ref, _Term(_LEAF)) for ref in _refs(line, "t")]


def _kind(word: Token) -> str:
    return str(word).removeprefix("SORT_")


def _refs(line: Line, letter: str) -> list[Ref]:
    return [token for token in line.args if isinstance(token, Ref) and token.letter == letter]


def _union(parts: Sequence[_Term]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(telling for part in parts for telling in part.telling))


def _inside(part: _Term) -> str:
    """An argument of a telling operator: a leaf where nothing telling is in it."""
    return " ".join(sorted(part.telling)) if part.telling else _LEAF


def _ordered(kind: str, parts: list[str]) -> list[str]:
    return sorted(parts) if kind in _COMMUTATIVE else parts


def _shown(head: str, parts: Sequence[str]) -> str:
    return f"({head} {' '.join(parts)})" if parts else head
