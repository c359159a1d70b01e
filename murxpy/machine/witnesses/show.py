"""Values as text, in the syntax of SMT-LIB if it has one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.values import to_codes
from murxpy.semantics.exact.algebraic import Algebraic
from murxpy.semantics.values import (
    ArrayValue,
    BagValue,
    DatatypeValue,
    Element,
    FunctionValue,
    SetValue,
)

LENGTH = 400  # the longest text; the rest is cut off


def show(value: Any, sort: Sort) -> str:
    """The text of a value of `sort`."""
    text = _text(value, sort)
    return text if len(text) <= LENGTH else f"{text[: LENGTH - 3]}..."


def _text(value: Any, sort: Sort | None) -> str:
    kind = "" if sort is None else sort.kind
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return _number(value, sort)
    if isinstance(value, Fraction):
        return (
            f"{value.numerator}.0"
            if value.denominator == 1
            else f"(/ {value.numerator} {value.denominator})"
        )
    if isinstance(value, Algebraic):
        return f"(root-of {' '.join(map(str, value.poly))} {value.low} {value.high})"
    if isinstance(value, str):
        return value if kind == "SORT_RM" else '"' + to_codes(value) + '"'
    if isinstance(value, tuple):
        return _application("seq", [_text(v, _inner(sort, 0)) for v in value])
    return _structure(value, sort)


def _number(value: int, sort: Sort | None) -> str:
    kind = "" if sort is None else sort.kind
    if sort is not None and kind == "SORT_BV":
        return f"#b{value:0{sort.width}b}"
    if sort is not None and kind == "SORT_FP":
        exponent, significand = sort.number(0), sort.number(1)
        bits = f"{value:0{exponent + significand}b}"
        return f"(fp #b{bits[0]} #b{bits[1 : exponent + 1]} #b{bits[exponent + 1 :]})"
    if sort is not None and kind == "SORT_FF":
        return f"#f{value}m{sort.width}"
    return str(value) if value >= 0 else f"(- {-value})"


def _structure(value: Any, sort: Sort | None) -> str:
    if isinstance(value, Element):
        return value.name
    if isinstance(value, DatatypeValue):
        return _application(value.constructor or "tuple", [_text(v, None) for v in value.fields])
    if isinstance(value, ArrayValue):
        index, element = _inner(sort, 0), _inner(sort, 1)
        pairs = [f"[{_text(k, index)}] {_text(v, element)}" for k, v in value.items()]
        return _application("array", [*pairs, f"[else] {_text(value.default, element)}"])
    if isinstance(value, FunctionValue):
        sorts: list[Sort | None] = [None] if sort is None else list(sort.sorts())
        pairs = [f"({_point(k, sorts)}) {_text(v, sorts[-1])}" for k, v in value.items()]
        return _application("function", [*pairs, f"else {_text(value.default, sorts[-1])}"])
    if isinstance(value, SetValue):
        members = sorted(_text(v, _inner(sort, 0)) for v in value.members)
        return _application("all-but" if value.complement else "set", members)
    if isinstance(value, BagValue):
        return _application(
            "bag", sorted(f"{_text(v, _inner(sort, 0))} * {n}" for v, n in value.counts)
        )
    return "a function that is asked"


def _point(point: Any, sorts: list[Sort | None]) -> str:
    return ", ".join(_text(value, sort) for value, sort in zip(point, sorts, strict=False))


def _inner(sort: Sort | None, position: int) -> Sort | None:
    sorts = () if sort is None else sort.sorts()
    return sorts[position] if position < len(sorts) else None


def _application(name: str, parts: list[str]) -> str:
    return f"({' '.join([name, *parts])})" if parts else name
