"""Making terms, functions and datatypes where an expression is not enough. The file imports only z3
and the standard library.

Every function works on z3 4.8.7 and later. A spelling itself names what a release can lack, so that
the probe leaves the spelling out.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Iterator, Sequence
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


# --- datatypes ---

Declaration = tuple[str, list[str], list[tuple[str, list[tuple[str, Any]]]]]


class Family:
    """The datatypes of one block of declarations. An instance of a parametric datatype is a plain
    datatype, which is made once.
    """

    def __init__(self, ctx: Any, declarations: Sequence[Declaration]) -> None:
        self.ctx = ctx
        self.declarations = {d[0]: d for d in declarations}
        self._instances: dict[tuple[Any, ...], Any] = {}

    def instance(self, name: str, args: Sequence[Any]) -> Any:
        """The datatype `name` with the sorts `args`, and all instances that it needs."""
        wanted = self._key(name, args)
        if wanted not in self._instances:
            block = self._block(name, list(args))
            for key, sort in zip(block, z3.CreateDatatypes(*block.values()), strict=True):
                self._instances[key] = sort
        return self._instances[wanted]

    def _block(self, name: str, args: list[Any]) -> dict[tuple[Any, ...], Any]:
        """The datatypes that must still be made for one instance, by key."""
        made: dict[tuple[Any, ...], Any] = {}
        todo = [(name, args)]
        for symbol, sorts in todo:
            key = self._key(symbol, sorts)
            if key in made or key in self._instances:
                continue
            if len(made) > 32:
                raise ValueError(f"datatype {name} needs more than 32 instances of its block")
            made[key] = z3.Datatype(self._symbol(symbol, sorts), self.ctx)
            todo.extend(self._needs(symbol, sorts))
        for key, datatype in made.items():
            self._declare(datatype, key, made)
        return made

    def _needs(self, name: str, args: list[Any]) -> Iterator[tuple[str, list[Any]]]:
        for _, fields in self.declarations[name][2]:
            for _, sort in fields:
                reference = self._reference(sort, name, args)
                if reference is not None:
                    yield reference

    def _reference(self, sort: Any, name: str, args: list[Any]) -> tuple[str, list[Any]] | None:
        """The instance of this block that the sort of a field names; None for any other sort."""
        if not isinstance(sort, tuple) or sort[0] == "param":
            return None
        if sort[0] == "self":
            return name, args
        return sort[1], [self._sort(s, name, args) for s in sort[2]]

    def _sort(self, sort: Any, name: str, args: list[Any]) -> Any:
        if isinstance(sort, tuple) and sort[0] == "param":
            return args[self.declarations[name][1].index(sort[1])]
        reference = self._reference(sort, name, args)
        return sort if reference is None else self.instance(*reference)

    def _declare(
        self, datatype: Any, key: tuple[Any, ...], made: dict[tuple[Any, ...], Any]
    ) -> None:
        name, args = key[0], list(key[1:])
        for constructor, fields in self.declarations[name][2]:
            parts = []
            for selector, sort in fields:
                reference = self._reference(sort, name, args)
                inner = None if reference is None else self._key(*reference)
                parts.append(
                    (selector, made[inner] if inner in made else self._sort(sort, name, args))
                )
            datatype.declare(constructor, *parts)

    def _key(self, name: str, args: Sequence[Any]) -> tuple[Any, ...]:
        return (name, *args)

    def _symbol(self, name: str, args: Sequence[Any]) -> str:
        return name if not args else f"{name}<{','.join(a.sexpr() for a in args)}>"


class Parametric:
    """A parametric datatype without arguments."""

    def __init__(self, name: str, instance: Callable[..., Any]) -> None:
        self.name = name
        self.instance = instance


def datatypes(ctx: Any, declarations: Sequence[Declaration]) -> list[Any]:
    """The sorts of a block of declarations, in their order. A parametric datatype becomes a
    `Parametric`.
    """
    family = Family(ctx, declarations)
    return [
        Parametric(name, lambda *args, n=name: family.instance(n, args))
        if params
        else family.instance(name, [])
        for name, params, _ in declarations
    ]


def polymorphic(
    create: Callable[..., Any], ctx: Any, declarations: Sequence[Declaration]
) -> list[Any]:
    """As `datatypes`, but a single parametric declaration becomes a polymorphic datatype of z3.

    z3 takes a polymorphic datatype that refers to itself only with its own parameters.
    """
    name, params, constructors = declarations[0]
    fields = [sort for _, parts in constructors for _, sort in parts]
    if len(declarations) > 1 or not params or any(_instantiates(s, params) for s in fields):
        return datatypes(ctx, declarations)
    variables = {p: z3.DeclareTypeVar(p, ctx) for p in params}
    datatype = z3.Datatype(name, ctx)
    for constructor, parts in constructors:
        datatype.declare(
            constructor, *((sel, _open_sort(s, datatype, variables)) for sel, s in parts)
        )
    create(datatype, list(variables.values()))
    return [Parametric(name, lambda *args: z3.DatatypeSort(name, list(args), ctx))]


def _instantiates(sort: Any, params: Sequence[str]) -> bool:
    return (
        isinstance(sort, tuple)
        and sort[0] == "ref"
        and list(sort[2]) != [("param", p) for p in params]
    )


def _open_sort(sort: Any, datatype: Any, variables: dict[str, Any]) -> Any:
    if not isinstance(sort, tuple):
        return sort
    return variables[sort[1]] if sort[0] == "param" else datatype


def constructor(sort: Any, name: str) -> Any:
    """The constructor called `name` of a datatype's sort."""
    return sort.constructor(_position(sort, name))


def recognizer(sort: Any, name: str) -> Any:
    """The tester of the constructor called `name`."""
    return sort.recognizer(_position(sort, name))


def selector(sort: Any, constructor_name: str, name: str) -> Any:
    """The selector called `name` of a constructor."""
    at = _position(sort, constructor_name)
    for k in range(sort.constructor(at).arity()):
        if sort.accessor(at, k).name() == name:
            return sort.accessor(at, k)
    raise KeyError(f"constructor {constructor_name} has no selector {name}")


def _position(sort: Any, name: str) -> int:
    for k in range(sort.num_constructors()):
        if sort.constructor(k).name() == name:
            return k
    raise KeyError(f"datatype has no constructor {name}")


def match(term: Any, cases: Sequence[tuple[Sequence[str], Sequence[Any], Any]]) -> Any:
    """A match expression, by testers and selectors, because z3's interface has no match.

    `cases` are ([constructor], or [] for any value; variables; body). The last case takes all
    remaining values.
    """
    sort, result = term.sort(), None
    for names, variables, body in reversed(cases):
        parts = _fields(sort, names[0], term) if names else [term]
        case = z3.substitute(body, *zip(variables, parts, strict=True)) if variables else body
        result = (
            z3.If(recognizer(sort, names[0])(term), case, result)
            if names and result is not None
            else case
        )
    return result


def _fields(sort: Any, name: str, term: Any) -> list[Any]:
    """The values that the selectors of the constructor `name` give for `term`."""
    at = _position(sort, name)
    return [sort.accessor(at, k)(term) for k in range(sort.constructor(at).arity())]
