"""Values of z3 as plain data."""

from __future__ import annotations

import ctypes
import importlib
import re
from collections.abc import Callable
from typing import Any

import z3

_z3py: Any = importlib.import_module("z3.z3")  # in some releases z3.z3 is the package itself


def read_value(value: Any) -> tuple[Any, ...] | None:
    """A value as plain data; None for a term that is no literal of a standard sort."""
    reader = _READERS.get(value.sort_kind()) if isinstance(value, z3.ExprRef) else None
    return reader(value) if reader else None


def _read_bool(value: Any) -> tuple[Any, ...] | None:
    return ("bool", z3.is_true(value)) if z3.is_true(value) or z3.is_false(value) else None


def _read_real(value: Any) -> tuple[Any, ...] | None:
    return (
        ("real", value.numerator_as_long(), value.denominator_as_long())
        if z3.is_rational_value(value)
        else None
    )


def _read_fp(value: Any) -> tuple[Any, ...] | None:
    if z3.is_app_of(value, z3.Z3_OP_FPA_FP):  # a model may give a literal by its three parts
        value = z3.simplify(value)
    if not isinstance(value, z3.FPNumRef):
        return None
    if value.isNaN():
        return ("fp", value.ebits(), value.sbits(), None)
    bits = z3.simplify(z3.fpToIEEEBV(value, value.ctx))
    return ("fp", value.ebits(), value.sbits(), bits.as_long()) if z3.is_bv_value(bits) else None


def _read_rm(value: Any) -> tuple[Any, ...] | None:
    mode = _MODES.get(value.decl().kind()) if z3.is_app(value) else None
    return ("rm", mode) if mode else None


def _read_string(value: Any) -> tuple[Any, ...] | None:
    return ("string", "".join(map(chr, string_codes(value)))) if z3.is_string_value(value) else None


def _read_ff(value: Any) -> tuple[Any, ...] | None:
    return (
        ("ff", value.sort().size(), value.as_long())
        if _z3py._is_numeral(value.ctx, value.as_ast())
        else None
    )


_MODES = {
    z3.Z3_OP_FPA_RM_NEAREST_TIES_TO_EVEN: "rne",
    z3.Z3_OP_FPA_RM_NEAREST_TIES_TO_AWAY: "rna",
    z3.Z3_OP_FPA_RM_TOWARD_POSITIVE: "rtp",
    z3.Z3_OP_FPA_RM_TOWARD_NEGATIVE: "rtn",
    z3.Z3_OP_FPA_RM_TOWARD_ZERO: "rtz",
}
_READERS: dict[int | None, Callable[[Any], tuple[Any, ...] | None]] = {
    z3.Z3_BOOL_SORT: _read_bool,
    z3.Z3_BV_SORT: lambda v: ("bv", v.size(), v.as_long()) if z3.is_bv_value(v) else None,
    z3.Z3_INT_SORT: lambda v: ("int", v.as_long()) if z3.is_int_value(v) else None,
    z3.Z3_REAL_SORT: _read_real,
    z3.Z3_FLOATING_POINT_SORT: _read_fp,
    z3.Z3_ROUNDING_MODE_SORT: _read_rm,
    z3.Z3_SEQ_SORT: _read_string,
    getattr(z3, "Z3_FINITE_FIELD_SORT", None): _read_ff,
}


def string_codes(literal: Any) -> list[int]:
    """The code points of a string literal."""
    ctx, ast = literal.ctx_ref(), literal.as_ast()
    if hasattr(z3, "Z3_get_string_contents"):
        count = z3.Z3_get_string_length(ctx, ast)
        codes = (ctypes.c_uint * count)()
        z3.Z3_get_string_contents(ctx, ast, count, codes)
        return list(codes)
    text = z3.Z3_get_string(ctx, ast)
    if z3.get_version()[:3] < (4, 8, 11):  # such releases use the escapes of C
        text = _ESCAPE_OF_C.sub(
            lambda found: f"\\x{_LETTER_CODES.get(found[1], ord(found[1])):02x}", text
        )
    return [int(a or b, 16) if a or b else ord(c) for a, b, c in _ESCAPES.findall(text)]


_ESCAPE_OF_C = re.compile(r"\\([^x])", re.S)
_LETTER_CODES = dict(zip("abfnrtv", (7, 8, 12, 10, 13, 9, 11), strict=True))
_ESCAPES = re.compile(r"\\u\{([0-9a-fA-F]+)\}|\\x([0-9a-fA-F]{2})|([\s\S])")
