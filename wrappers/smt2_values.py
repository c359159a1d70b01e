"""Reads the values and models that a program prints, as plain data. The file imports only the
standard library.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from smt2_process import Reply, expressions, printed

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_BITS = {"#b": (1, 2), "#x": (4, 16)}  # bits of a digit, and the base
_ESCAPED = re.compile(r"\\u(?:\{([0-9a-fA-F]{1,5})\}|([0-9a-fA-F]{4}))")
_MODES = {
    "roundNearestTiesToEven": "rne",
    "roundNearestTiesToAway": "rna",
    "roundTowardNegative": "rtn",
    "roundTowardPositive": "rtp",
    "roundTowardZero": "rtz",
    **{mode.upper(): mode for mode in ("rne", "rna", "rtn", "rtp", "rtz")},
}
# Each constructor by its symbol: its name, the parameters of its datatype, and the sorts of its fields.
Constructors = Mapping[str, tuple[str, Sequence[str], Sequence[Reply]]]
# A function of a model: the names and sorts of its parameters, its sort, and its body.
Function = tuple[Sequence[Sequence[Reply]], Reply, Reply]
_PLAIN = ("ite", "=", "and", "or", "not", "select", "store")
_DEEP = 150  # levels of a value; the judge of models reads fewer


class Value:
    """A value that the program printed, as an S-expression, with the sort of the term."""

    def __init__(self, data: Reply, sort: str) -> None:
        self.data = data
        self.sort: Reply = expressions(sort)[0]

    def __str__(self) -> str:
        return printed(self.data)


def read_value(value: Value) -> tuple[Any, ...] | None:
    """A value of a standard sort as plain data; None for any other."""
    return literal(value.data, value.sort)


def literal(data: Reply, sort: Reply | None) -> tuple[Any, ...] | None:
    """A literal of a sort, or of any sort for None, as plain data; None for anything else."""
    if data in ("true", "false"):
        return ("bool", data == "true")
    if isinstance(data, str) and data.startswith('"'):
        return ("string", _text(data))
    if isinstance(data, str) and data in _MODES and sort in (None, "RoundingMode"):
        return ("rm", _MODES[data])
    if isinstance(data, str) and data[:2] in _BITS:
        bits, base = _BITS[data[:2]]
        return ("bv", bits * (len(data) - 2), int(data[2:], base))
    if isinstance(data, list) and data[:1] == ["_"]:
        return _indexed(data)
    if isinstance(data, list) and data[:1] == ["fp"] and len(data) == 4:
        return _float([literal(part, None) for part in data[1:]])
    found = number(data)
    if found is None:
        return None
    # some programs print a real number without a point
    if found.denominator == 1 and (sort == "Int" or (sort is None and "." not in printed(data))):
        return ("int", found.numerator)
    return ("real", found.numerator, found.denominator)


def _text(data: str) -> str:
    plain = data[1:-1].replace('""', '"')
    return _ESCAPED.sub(lambda found: chr(int(found[1] or found[2], 16)), plain)


def _indexed(data: list[Any]) -> tuple[Any, ...] | None:
    """`(_ bv5 8)`, `(_ +oo 5 11)` and the like, and a character of a string."""
    name, *indices = map(str, data[1:])
    if re.fullmatch("bv[0-9]+", name):
        return ("bv", int(indices[0]), int(name[2:]))
    if name == "char":
        return ("string", chr(int(indices[0][2:], 16)))
    if name not in ("+oo", "-oo", "+zero", "-zero", "NaN"):
        return None
    exponent, significand = map(int, indices)
    bits = ((1 << exponent) - 1) << (significand - 1) if name.endswith("oo") else 0
    sign = (name[0] == "-") << (exponent + significand - 1)
    return ("fp", exponent, significand, None if name == "NaN" else sign | bits)


def _float(parts: list[tuple[Any, ...] | None]) -> tuple[Any, ...] | None:
    (_, _, sign), (_, exponent, high), (_, fraction, low) = [part or ("", 0, 0) for part in parts]
    if not exponent:
        return None
    nan = high == (1 << exponent) - 1 and low
    bits = (sign << exponent | high) << fraction | low
    return ("fp", exponent, fraction + 1, None if nan else bits)


def number(data: Reply) -> Fraction | None:
    """The number that an S-expression says; None for anything else."""
    if isinstance(data, str):
        return Fraction(data) if _NUMBER.fullmatch(data) else None
    if data[:1] not in (["-"], ["/"]):
        return None
    parts = [found for part in data[1:] if (found := number(part)) is not None]
    if len(parts) != len(data) - 1:
        return None
    if data[0] == "-":
        return -parts[0] if len(parts) == 1 else None
    return parts[0] / parts[1] if len(parts) == 2 and parts[1] else None


# -- values of all sorts, as the rows that docs/oracles.md lists


class Rows:
    """Rows of values. `function` gives a function of the model by its name, None for a name that is
    none.
    """

    def __init__(
        self, constructors: Constructors, function: Callable[[str], Function | None]
    ) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self._constructors = constructors
        self._function = function
        self._functions: dict[str, int | None] = {}

    def answer(self, values: Sequence[Value]) -> dict[str, Any]:
        """Values as a reader of the wrapper gives them."""
        return self.of([self.add(value.data, value.sort) for value in values])

    def of(self, roots: list[int]) -> dict[str, Any]:
        """What a reader of the wrapper gives for rows."""
        return {"rows": self.rows, "roots": roots, "partial": {}}

    def add(self, data: Reply, sort: Reply | None, scope: _Scope | None = None) -> int:
        """The position of the row of a value. `scope` has the variables that are bound around it."""
        scope = scope or _Scope((), {}, 0)
        if scope.depth > _DEEP:
            return self.unknown("deep")
        scope = _Scope(scope.variables, scope.lets, scope.depth + 1)
        if isinstance(data, str) and data in scope.lets:
            return self.add(*scope.lets[data])
        if isinstance(data, str) and data in scope.variables:
            return self._append("var", scope.variables[::-1].index(data))
        known = literal(data, sort)
        if known is not None:
            return self._append(*known)
        if isinstance(data, str):
            return self._applied(data, [], sort, scope)
        head, *parts = data if data else [""]
        if head == "as" and len(parts) == 2:
            return self._applied(parts[0], [], parts[1], scope)
        if isinstance(head, list) and head[:2] == ["as", "const"] and len(parts) == 1:
            return self._append("const", self.add(parts[0], _part(head[2], 2), scope))
        if isinstance(head, list) and head[:1] == ["as"] and len(head) == 3:
            return self._applied(head[1], parts, head[2], scope)
        if head == "store" and len(parts) == 3:
            return self._stores(data, sort, scope)
        if head == "let" and len(parts) == 2:
            lets = {name: (value, None, scope) for name, value in parts[0]}
            return self.add(
                parts[1], sort, _Scope(scope.variables, {**scope.lets, **lets}, scope.depth)
            )
        if head == "lambda" and len(parts) == 2:
            names = (*scope.variables, *(name for name, _ in parts[0]))
            body = self.add(parts[1], _part(sort, 2), _Scope(names, scope.lets, scope.depth))
            return self._append("lambda", len(parts[0]), body)
        if data[:2] == ["_", "as-array"] and len(data) == 3:
            function = self.function(data[2])
            return self._append("as-array", function) if function is not None else self._not(data)
        return self._applied(head, parts, sort, scope) if isinstance(head, str) else self._not(data)

    def unknown(self, text: str) -> int:
        """The position of a row for what is not read."""
        return self._append("unknown", text)

    def function(self, name: str) -> int | None:
        """The position of the row of a function in the model; None for a name that is none."""
        if name not in self._functions:
            found = self._function(name)
            self._functions[name] = None  # a function that calls itself is not read
            if found is not None:
                parameters, sort, body = found
                # the first argument is variable 0
                names = tuple(str(one) for one, _ in reversed(parameters))
                row = self.add(body, sort, _Scope(names, {}, 0))
                self._functions[name] = self._append("function", len(names), [], row)
        return self._functions[name]

    def _stores(self, data: Reply, sort: Reply | None, scope: _Scope) -> int:
        stores = []
        while isinstance(data, list) and data[:1] == ["store"] and len(data) == 4:
            stores.append(data[2:])
            data = data[1]
        at = self.add(data, sort, scope)
        for index, value in reversed(stores):
            places = (
                self.add(index, _part(sort, 1), scope),
                self.add(value, _part(sort, 2), scope),
            )
            at = self._append("store", at, *places)
        return at

    def _applied(self, head: str, parts: list[Reply], sort: Reply | None, scope: _Scope) -> int:
        if head in self._constructors:
            name, names, fields = self._constructors[head]
            given = dict(zip(names, sort[1:] if isinstance(sort, list) else [], strict=False))
            if len(fields) == len(parts):
                known = [_instance(field, given) for field in fields]
                rows = [self.add(p, s, scope) for p, s in zip(parts, known, strict=True)]
                return self._append("constructor", name, *rows)
        if not parts and (isinstance(sort, str) or (sort is None and self.function(head) is None)):
            return self._append("element", head)
        sorts = [None, sort, sort] if head == "ite" else [None] * len(parts)
        if head in _PLAIN and (head not in ("ite", "=", "select") or len(parts) == len(sorts) != 0):
            if head == "=" and len(parts) != 2:
                return self._not([head, *parts])
            rows = [self.add(p, s, scope) for p, s in zip(parts, sorts, strict=True)]
            return self._append(head, *rows)
        function = self.function(head) if parts else None
        if function is None:
            return self._not([head, *parts])
        return self._append("apply", function, *[self.add(part, None, scope) for part in parts])

    def _not(self, data: Reply) -> int:
        text = printed(data)[:80]
        return self.unknown(text.lstrip("( ") or "nothing")

    def _append(self, *row: Any) -> int:
        self.rows.append(row)
        return len(self.rows) - 1


class _Scope:
    """The bound variables around a value, the innermost last, what `let`s stand for, and the depth."""

    def __init__(
        self,
        variables: tuple[str, ...],
        lets: Mapping[str, tuple[Reply, Reply | None, _Scope]],
        depth: int,
    ) -> None:
        self.variables = variables
        self.lets = lets
        self.depth = depth


def _part(sort: Reply | None, at: int) -> Reply | None:
    """A parameter of a sort, if it is known."""
    return sort[at] if isinstance(sort, list) and len(sort) > at else None


def _instance(sort: Reply, given: Mapping[str, Reply]) -> Reply:
    """A sort with other sorts in the place of parameters."""
    if isinstance(sort, str):
        return given.get(sort, sort)
    return [_instance(part, given) for part in sort]
