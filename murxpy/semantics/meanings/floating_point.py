"""The meanings of the operators of floating point, by `exact.floats` and `exact.float_conversions`,
and the values of its literals and sorts.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from murxpy.logic.sorts import Sort
from murxpy.semantics.exact import floats as fp
from murxpy.semantics.exact import floats as fp_convert
from murxpy.semantics.exact.algebraic import Algebraic
from murxpy.semantics.exact.floats import Format, format_of
from murxpy.semantics.registry import (
    Points,
    Site,
    cardinality,
    enumeration,
    literal,
    prepared,
    special,
)
from murxpy.semantics.values import Value

MAX_PATTERNS = 64  # most bit patterns of NaN that are listed

# The format is that of the last argument.
_OPERATIONS: dict[str, Callable[..., Value]] = {
    "OP_FP_ABS": fp.absolute,
    "OP_FP_NEG": fp.negate,
    "OP_FP_ADD": fp.add,
    "OP_FP_SUB": fp.subtract,
    "OP_FP_MUL": fp.multiply,
    "OP_FP_DIV": fp.divide,
    "OP_FP_FMA": fp.fused,
    "OP_FP_SQRT": fp.square_root,
    "OP_FP_REM": fp.remainder,
    "OP_FP_RTI": fp.round_to_integral,
    "OP_FP_LEQ": fp.less_equal,
    "OP_FP_LT": fp.less,
    "OP_FP_GEQ": fp.greater_equal,
    "OP_FP_GT": fp.greater,
    "OP_FP_EQ": fp.equal,
    "OP_FP_IS_NORMAL": fp.is_normal,
    "OP_FP_IS_SUBNORMAL": fp.is_subnormal,
    "OP_FP_IS_ZERO": fp.is_zero,
    "OP_FP_IS_INF": fp.is_infinite,
    "OP_FP_IS_NAN": fp.is_nan,
    "OP_FP_IS_NEG": fp.is_negative,
    "OP_FP_IS_POS": fp.is_positive,
}


def format_of_sort(sort: Sort) -> Format:
    """Return the format of a sort of floats."""
    return format_of(sort.number(0), sort.number(1))


def _enter(kind: str, function: Callable[..., Value]) -> None:
    prepared(kind)(lambda site: partial(function, format_of_sort(site.sorts[-1])))


for _kind, _function in _OPERATIONS.items():
    _enter(_kind, _function)


@prepared("OP_FP_MIN", open="zeros of different sign: either zero")
def _minimum(site: Site) -> Callable[[int, int], Value]:
    return _one_of(site, fp.minimum)


@prepared("OP_FP_MAX", open="zeros of different sign: either zero")
def _maximum(site: Site) -> Callable[[int, int], Value]:
    return _one_of(site, fp.maximum)


def _one_of(
    site: Site, function: Callable[[Format, int, int], tuple[int, ...]]
) -> Callable[[int, int], Value]:
    f = format_of_sort(site.sort)

    def apply(x: int, y: int) -> Value:
        allowed = function(f, x, y)
        return allowed[0] if len(allowed) == 1 else site.open((x, y), allowed)

    return apply


@prepared("OP_FP_FP")
def _triple(site: Site) -> Callable[[int, int, int], int]:
    f = format_of_sort(site.sort)
    return lambda sign, exponent, fraction: f.canonical(
        ((sign << f.e | exponent) << (f.s - 1)) | fraction
    )


@prepared("OP_FP_TO_FP_FROM_BV")
def _from_bits(site: Site) -> Callable[[int], int]:
    return format_of_sort(site.sort).canonical


@prepared("OP_FP_TO_FP_FROM_FP")
def _from_float(site: Site) -> Callable[[str, int], int]:
    f, source = format_of_sort(site.sort), format_of_sort(site.sorts[1])
    return lambda mode, x: fp_convert.from_float(f, mode, source, x)


@prepared("OP_FP_TO_FP_FROM_UBV")
def _from_unsigned(site: Site) -> Callable[[str, int], int]:
    return partial(fp_convert.from_integer, format_of_sort(site.sort))


@prepared("OP_FP_TO_FP_FROM_SBV")
def _from_signed(site: Site) -> Callable[[str, int], int]:
    f, half = format_of_sort(site.sort), 1 << (site.sorts[1].width - 1)
    return lambda mode, bits: fp_convert.from_integer(f, mode, (bits ^ half) - half)


@prepared("OP_FP_TO_FP_FROM_REAL")
def _from_real(site: Site) -> Callable[[str, Fraction | Algebraic], int]:
    f = format_of_sort(site.sort)
    return lambda mode, number: _rounded(f, mode, number, 0)


@prepared("OP_FP_TO_FP_FROM_INT_REAL")
def _from_scaled(site: Site) -> Callable[[str, int, Fraction | Algebraic], int]:
    f = format_of_sort(site.sort)
    return lambda mode, exponent, number: _rounded(f, mode, number, exponent)


def _rounded(f: Format, mode: str, number: Fraction | Algebraic, exponent: int) -> int:
    if isinstance(number, Algebraic):
        return fp_convert.from_algebraic(f, mode, number, exponent)
    return fp_convert.from_real(f, mode, number, exponent)


@prepared("OP_FP_TO_UBV", open="NaN, infinities, integers out of range: any bit-vector")
def _to_unsigned(site: Site) -> Callable[[str, int], Value]:
    return _partial(site, fp_convert.to_unsigned)


@prepared("OP_FP_TO_SBV", open="NaN, infinities, integers out of range: any bit-vector")
def _to_signed(site: Site) -> Callable[[str, int], Value]:
    return _partial(site, fp_convert.to_signed)


def _partial(
    site: Site, function: Callable[[Format, str, int, int], int | None]
) -> Callable[[str, int], Value]:
    f, width = format_of_sort(site.sorts[1]), site.sort.width

    def apply(mode: str, x: int) -> Value:
        bits = function(f, mode, width, x)
        return site.open((mode, x)) if bits is None else bits

    return apply


@prepared("OP_FP_TO_REAL", open="NaN and infinities: any real")
def _to_real(site: Site) -> Callable[[int], Value]:
    f = format_of_sort(site.sorts[0])

    def apply(x: int) -> Value:
        number = fp_convert.to_real(f, x)
        return site.open((x,)) if number is None else number

    return apply


@prepared("OP_FP_TO_IEEE_BV", open="NaN: any of its patterns")
def _to_bits(site: Site) -> Callable[[int], Value]:
    f = format_of_sort(site.sorts[0])
    patterns = fp_convert.nan_patterns(f)
    # `len` of such a range can exceed a machine word
    few = patterns.stop - patterns.start <= MAX_PATTERNS
    # If there are too many patterns, all bit-vectors are allowed. These are more than the standard
    # allows, but nothing wrong is concluded.
    allowed = tuple(bits | sign for bits in patterns for sign in (0, f.sign)) if few else None
    return lambda x: site.open((x,), allowed) if fp.is_nan(f, x) else x


@literal("SORT_FP")
def _literal(sort: Sort, bits: int) -> int:
    return format_of_sort(sort).canonical(bits)


@special("SORT_FP")
def _special(sort: Sort, name: str, points: Points) -> int:
    f = format_of_sort(sort)
    values = {
        "fp.nan": f.nan,
        "fp.+oo": f.infinity,
        "fp.-oo": f.sign | f.infinity,
        "fp.+zero": 0,
        "fp.-zero": f.sign,
    }
    return values[name]


@special("SORT_RM")
def _mode(sort: Sort, name: str, points: Points) -> str:
    return name.removeprefix("rm.").upper()


@cardinality("SORT_FP")
def _size(sort: Sort, points: Points) -> int | None:
    f = format_of_sort(sort)
    return 2 * f.infinity + 3 if f.e + f.s <= 64 else None


@enumeration("SORT_FP")
def _floats(sort: Sort, points: Points) -> tuple[Value, ...]:
    f = format_of_sort(sort)
    numbers = range(f.infinity + 1)
    return (*numbers, *(bits | f.sign for bits in numbers), f.nan)
