"""Making terms and functions where an expression is not enough. The file imports only z3 and the
standard library.

Every function works on z3 4.8.7 and later. A spelling itself names what a release can lack, so that
the probe leaves the spelling out.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import z3
from z3_values import string_codes

# z3 prints a warning for a rejected pattern; the exception that follows says the same.
z3.Z3_toggle_warning_messages(False)

_z3py: Any = importlib.import_module("z3.z3")  # in some releases z3.z3 is the package itself
_to_expr = _z3py._to_expr_ref


# --- raw calls: `make` is a function of z3's C interface ---


def mk(make: Callable[..., Any], ctx: Any, *args: Any) -> Any:
    """The term that `make(ctx, *args)` gives. Terms, sorts and declarations are passed by their
    handles, numbers as they are.
    """
    return _to_expr(make(ctx.ref(), *(a.ast if isinstance(a, z3.AstRef) else a for a in args)), ctx)


def mk_n(make: Callable[..., Any], ctx: Any, *args: Any) -> Any:
    """The term of a C function that takes a number and an array of terms."""
    return _to_expr(make(ctx.ref(), len(args), asts(args)), ctx)


def mk_pb(
    make: Callable[..., Any], ctx: Any, args: Sequence[Any], coefficients: Sequence[int], bound: int
) -> Any:
    """A pseudo-Boolean constraint of the C interface."""
    numbers = (ctypes.c_int * len(args))(*coefficients)
    return _to_expr(make(ctx.ref(), len(args), asts(args), numbers, bound), ctx)


def mk_count(make: Callable[..., Any], ctx: Any, args: Sequence[Any], bound: int) -> Any:
    """A cardinality constraint of the C interface."""
    return _to_expr(make(ctx.ref(), len(args), asts(args), bound), ctx)


def mk_map(ctx: Any, function: Any, *arrays: Any) -> Any:
    """The point-wise application of `function` to arrays, by the C interface."""
    return _to_expr(z3.Z3_mk_map(ctx.ref(), function.ast, len(arrays), asts(arrays)), ctx)


def mk_app(ctx: Any, function: Any, *args: Any) -> Any:
    """The application of a declaration, by the C interface."""
    return _to_expr(z3.Z3_mk_app(ctx.ref(), function.ast, len(args), asts(args)), ctx)


def asts(terms: Sequence[Any]) -> Any:
    """The C array of the handles of `terms`."""
    return (z3.Ast * len(terms))(*(t.ast for t in terms))


def as_main(ctx: Any, call: Callable[[], Any]) -> Any:
    """The result of `call` while `ctx` is the main context of z3py.

    Some overloads take a value (a rounding mode, a zero) from the main context, even if their
    operands are of another context.
    """
    kept = _z3py._main_ctx
    _z3py._main_ctx = ctx
    try:
        return call()
    finally:
        _z3py._main_ctx = kept


# --- numerals ---


def mk_int(make: Callable[..., Any], value: int, sort: Any, low: int, high: int) -> Any:
    """A numeral of `sort`, by a C function that takes a machine integer; by its text if the value
    does not fit.
    """
    ctx = sort.ctx
    if low <= value <= high:
        return _to_expr(make(ctx.ref(), value, sort.ast), ctx)
    return mk(z3.Z3_mk_numeral, ctx, str(value), sort)


def mk_ratio(ctx: Any, numerator: int, denominator: int) -> Any:
    """A rational numeral, by the C function that takes two ints; by its text if they do not fit."""
    if max(abs(numerator), denominator) < 1 << 31:
        return _to_expr(z3.Z3_mk_real(ctx.ref(), numerator, denominator), ctx)
    return z3.RealVal(f"{numerator}/{denominator}", ctx)


def mk_bits(bits: str, ctx: Any) -> Any:
    """A bit-vector numeral from its bits, the most significant first."""
    flags = (ctypes.c_bool * len(bits))(*(b == "1" for b in reversed(bits)))
    return _to_expr(z3.Z3_mk_bv_numeral(ctx.ref(), len(bits), flags), ctx)


def mk_fp(sign: int, exponent: int, significand: int, sort: Any) -> Any:
    """A floating-point numeral from its IEEE fields, by the C functions for each kind of value."""
    ctx, ebits, sbits = sort.ctx, sort.ebits(), sort.sbits()
    top, bias = (1 << ebits) - 1, (1 << (ebits - 1)) - 1
    if exponent == top:
        make = z3.fpNaN(sort) if significand else z3.fpInfinity(sort, bool(sign))
        return make
    if exponent == 0 and significand == 0:
        return z3.fpZero(sort, bool(sign))
    if exponent == 0 or ebits > 60 or sbits > 64:
        return fp_of_bits((((sign << ebits) | exponent) << (sbits - 1)) | significand, sort)
    return mk(
        z3.Z3_mk_fpa_numeral_int64_uint64, ctx, bool(sign), exponent - bias, significand, sort
    )


def fp_of_bits(bits: int, sort: Any) -> Any:
    """A floating-point numeral from its IEEE bits, folded by the simplifier."""
    ctx = sort.ctx
    return z3.simplify(z3.fpBVToFP(z3.BitVecVal(bits, sort.ebits() + sort.sbits(), ctx), sort, ctx))


def mk_codes(make: Callable[..., Any], ctx: Any, codes: Sequence[int]) -> Any:
    """A string literal from its code points."""
    return _to_expr(make(ctx.ref(), len(codes), (ctypes.c_uint * len(codes))(*codes)), ctx)


def text(literal: Any) -> str:
    """The string literal as a Python str that z3py reads back as the same string."""
    codes = string_codes(literal)
    return "".join(chr(c) if 32 <= c < 127 and c != 92 else f"\\u{{{c:x}}}" for c in codes)


# --- arrays, sequences, sets ---


def as_array(term: Any) -> Any:
    """`term` as an ArrayRef. A lambda is a QuantifierRef, which does not have the methods of
    arrays.
    """
    return z3.ArrayRef(term.ast, term.ctx) if isinstance(term, z3.QuantifierRef) else term


def fold_left(make: Callable[..., Any], function: Any, start: Any, sequence: Any) -> Any:
    """seq.fold_left with a curried function. z3's own function takes an array with two indices."""
    result, element = z3.FreshConst(start.sort()), z3.FreshConst(sequence.sort().basis())
    both = z3.Lambda([result, element], z3.Select(z3.Select(function, result), element))
    return mk(make, start.ctx, both, start, sequence)


def comprehension(variables: Sequence[Any], condition: Any, member: Any) -> Any:
    """The set of the values of `member` for which `condition` holds."""
    if len(variables) == 1 and member.eq(variables[0]):
        return as_array(z3.Lambda(list(variables), condition))
    element = z3.FreshConst(member.sort())
    return as_array(
        z3.Lambda(
            [element], z3.Exists(list(variables), z3.And(condition, element == member, member.ctx))
        )
    )


def loop(regex: Any, low: int, high: int) -> Any:
    """re.loop as SMT-LIB defines it. z3 takes an upper bound of 0 for no bound, and refuses bounds
    in the wrong order.
    """
    if low > high:
        return z3.Empty(regex.sort())
    if high == 0:
        return z3.Re(z3.StringVal("", regex.ctx))
    return z3.Loop(regex, low, high)


# --- functions and quantifiers ---


def read_function(ctx: Any, text: str) -> Any:
    """The declaration of the function that a term over the real constant `x` applies, for functions
    that only z3's reader of text knows.
    """
    return (
        z3.parse_smt2_string(f"(declare-const x Real)(assert (= x {text}))", ctx=ctx)[0]
        .arg(1)
        .decl()
    )


def mk_function(name: str, ctx: Any, sorts: Sequence[Any]) -> Any:
    """A function declaration, by the C interface."""
    domain = (z3.Sort * (len(sorts) - 1))(*(s.ast for s in sorts[:-1]))
    symbol = z3.Z3_mk_string_symbol(ctx.ref(), name)
    return z3.FuncDeclRef(
        z3.Z3_mk_func_decl(ctx.ref(), symbol, len(domain), domain, sorts[-1].ast), ctx
    )


def define(name: str, variables: Sequence[Any], body: Any) -> Any:
    """A defined function. In z3 definitions are recursive functions."""
    function = z3.RecFunction(name, *(v.sort() for v in variables), body.sort())
    z3.RecAddDefinition(function, list(variables), body)
    return function


def with_pattern(
    quantify: Callable[..., Any], variables: Sequence[Any], body: Any, *patterns: Any
) -> Any:
    """A quantifier with one multi-pattern; without a pattern if z3 does not take it. A pattern must
    contain all variables, and no connective or binder.
    """
    try:
        return quantify(list(variables), body, patterns=[z3.MultiPattern(*patterns)])
    except z3.Z3Exception:
        return quantify(list(variables), body)


def mk_quantifier(make: Callable[..., Any], variables: Sequence[Any], body: Any) -> Any:
    """A quantifier of weight 0 and no patterns, by the C interface."""
    ctx = body.ctx
    return _to_expr(
        make(ctx.ref(), 0, len(variables), asts(variables), 0, (z3.Pattern * 0)(), body.ast), ctx
    )


def mk_lambda(ctx: Any, variables: Sequence[Any], body: Any) -> Any:
    """A lambda, by the C interface."""
    return as_array(
        _to_expr(z3.Z3_mk_lambda_const(ctx.ref(), len(variables), asts(variables), body.ast), ctx)
    )


def is_no_string(args: Sequence[Any], indices: Sequence[Any], sort: str | None) -> bool:
    """A guard: the sort is not that of strings, which up to 4.8.10 is the sort of sequences of
    bit-vectors of 8 bits, too.
    """
    return sort != "SEQ(BV(8))" or z3.get_version()[:3] >= (4, 8, 11)


def holds_no_finite_sets(args: Sequence[Any], indices: Sequence[Any], sort: str | None) -> bool:
    """A guard: the set has no finite sets for members. `EmptySet` takes their sort for that of the set."""
    sorts = (sort, *(arg["sort"] for arg in args))
    return not any(one is not None and one.startswith("SET(FINITE_SET(") for one in sorts)
