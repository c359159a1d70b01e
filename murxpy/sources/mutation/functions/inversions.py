"""Fusion functions: z = f(x, y), where x can be computed from z and y, and y from z and x.

The inversion laws x = rx(z, y) and y = ry(z, x) hold for all x and y without a condition: an inverse
that divides is an `ite`, which gives the variable itself if the divisor is 0. A fusion of satisfiable
scripts is therefore satisfiable, whatever their models are, and two divisions by zero cannot
contradict each other. Where it is known that a divisor is not 0, the inverse has no `ite`, as in the
paper. In `tests/mutation/test_fusion_laws.py` two solvers check the laws.

Functions 1 to 11 of figure 3.5 in Winterer's thesis "Solidifying Modern SMT Solvers", ETH Zurich
2024 (Winterer, Zhang, Su: "Validating SMT solvers via semantic fusion", PLDI 2020) are here; the
same test file compares them with the figure, row by row. The other functions are new.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import VALUE, Term
from murxpy.machine.random import Stream
from murxpy.smtlib.building import Tables

COEFFICIENT = 1000  # the largest number drawn
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Fusion:
    """One use of a fusion function on two terms: its value, and functions that compute each term
    from the value.

    The formulas `also` hold for some value of the new constants in them, whatever the two terms
    are.
    """

    value: Term
    first: Callable[[Term], Term]
    second: Callable[[Term], Term]
    also: tuple[Term, ...] = ()


class Maker:
    """Makes the terms of fusion functions, with random numbers and new constants."""

    def __init__(self, tables: Tables, stream: Stream) -> None:
        self.tables = tables
        self.apply = tables.apply
        self.stream = stream
        # Whether it is known that a term is not 0. The maker of a mutant replaces this function.
        self.nonzero: Callable[[Term], bool] = lambda term: False
        self._made = 0

    def number(self, sort: Sort) -> Term:
        """A random number other than 0."""
        value = self.stream.between(1, COEFFICIENT) * (-1 if self.stream.chance(0.5) else 1)
        denominator = self.stream.choose((1, 1, 2, 10, 1000)) if sort.kind == "SORT_REAL" else 1
        return self.tables.value(sort, Fraction(value, denominator) if denominator > 1 else value)

    def zero(self, sort: Sort) -> Term:
        """0."""
        return self.tables.value(sort, 0)

    def text(self) -> Term:
        """A short random string."""
        letters = [self.stream.choose(LETTERS) for _ in range(self.stream.below(6))]
        return self.tables.value(self.tables.string, "".join(letters))

    def new(self, name: str, sort: Sort) -> Term:
        """A new constant, whose name no other constant has."""
        self._made += 1
        return self.tables.constant(f"fusion!{name}{self._made}", sort)

    def unless_zero(self, divisor: Term, known: Term, inverse: Term) -> Term:
        """`inverse`, or `known` if `divisor` is 0."""
        literal = divisor.op == VALUE and divisor is not self.zero(divisor.sort)
        if literal or self.nonzero(divisor):
            return inverse
        return self.apply(
            "OP_ITE", self.apply("OP_EQUAL", divisor, self.zero(divisor.sort)), known, inverse
        )


Rule = Callable[[Maker, Term, Term], Fusion]


class _Arithmetic:
    """The functions of integers or reals."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.add, self.sub, self.mul, self.div = (
            f"OP_{kind}_{name}" for name in ("ADD", "SUB", "MUL", "DIV")
        )

    def rules(self) -> dict[str, Rule]:
        """The functions by name."""
        low = self.kind.lower()
        return {
            f"{low}-add": self.plus,
            f"{low}-add-constant": self.plus_constant,
            f"{low}-mul": self.times,
            f"{low}-linear": self.linear,
            f"{low}-sub": self.minus,
        }

    def plus(self, m: Maker, x: Term, y: Term) -> Fusion:
        """x + y."""
        return Fusion(
            m.apply(self.add, x, y),
            lambda z: m.apply(self.sub, z, y),
            lambda z: m.apply(self.sub, z, x),
        )

    def plus_constant(self, m: Maker, x: Term, y: Term) -> Fusion:
        """x + c + y."""
        c = m.number(x.sort)
        value = m.apply(self.add, m.apply(self.add, x, c), y)
        return Fusion(
            value,
            lambda z: m.apply(self.sub, m.apply(self.sub, z, c), y),
            lambda z: m.apply(self.sub, m.apply(self.sub, z, c), x),
        )

    def times(self, m: Maker, x: Term, y: Term) -> Fusion:
        """x * y."""
        return Fusion(
            m.apply(self.mul, x, y),
            lambda z: m.unless_zero(y, x, m.apply(self.div, z, y)),
            lambda z: m.unless_zero(x, y, m.apply(self.div, z, x)),
        )

    def linear(self, m: Maker, x: Term, y: Term) -> Fusion:
        """a * x + b * y + c."""
        a, b, c = (m.number(x.sort) for _ in range(3))
        ax, by = m.apply(self.mul, a, x), m.apply(self.mul, b, y)

        def rest(z: Term, other: Term) -> Term:
            return m.apply(self.sub, m.apply(self.sub, z, other), c)

        return Fusion(
            m.apply(self.add, m.apply(self.add, ax, by), c),
            lambda z: m.apply(self.div, rest(z, by), a),
            lambda z: m.apply(self.div, rest(z, ax), b),
        )

    def minus(self, m: Maker, x: Term, y: Term) -> Fusion:
        """x - y."""
        return Fusion(
            m.apply(self.sub, x, y),
            lambda z: m.apply(self.add, z, y),
            lambda z: m.apply(self.sub, x, z),
        )


def _words(concat: str, length: str, extract: str, less: str) -> Rule:
    """The concatenation of strings or sequences, which is cut apart by lengths."""

    def rule(m: Maker, x: Term, y: Term) -> Fusion:
        def size(term: Term) -> Term:
            return m.apply(length, term)

        return Fusion(
            m.apply(concat, x, y),
            lambda z: m.apply(extract, z, m.zero(m.tables.int), m.apply(less, size(z), size(y))),
            lambda z: m.apply(extract, z, size(x), m.apply(less, size(z), size(x))),
        )

    return rule


def _prefix(m: Maker, z: Term, x: Term) -> Term:
    """The prefix of `z` that has the length of `x`."""
    return m.apply("OP_STR_SUBSTR", z, m.zero(m.tables.int), m.apply("OP_STR_LEN", x))


def _text_of_parts(m: Maker, x: Term, y: Term) -> Fusion:
    """Function 9 of the paper: x is the prefix that has its own length, y the part behind it that
    has its own length.
    """
    return Fusion(
        m.apply("OP_STR_CONCAT", x, y),
        lambda z: _prefix(m, z, x),
        lambda z: m.apply("OP_STR_SUBSTR", z, m.apply("OP_STR_LEN", x), m.apply("OP_STR_LEN", y)),
    )


def _text_of_prefix(m: Maker, x: Term, y: Term) -> Fusion:
    """Function 10 of the paper: x is the prefix that has its own length, y is the rest."""
    empty = m.tables.value(m.tables.string, "")
    return Fusion(
        m.apply("OP_STR_CONCAT", x, y),
        lambda z: _prefix(m, z, x),
        lambda z: m.apply("OP_STR_REPLACE", z, x, empty),
    )


def _text_with_constant(m: Maker, x: Term, y: Term) -> Fusion:
    """Function 11 of the paper: a constant string stands between the two."""
    c, empty = m.text(), m.tables.value(m.tables.string, "")
    return Fusion(
        m.apply("OP_STR_CONCAT", x, c, y),
        lambda z: _prefix(m, z, x),
        lambda z: m.apply("OP_STR_REPLACE", m.apply("OP_STR_REPLACE", z, x, empty), c, empty),
    )


def _self_inverse(operator: str) -> Rule:
    """A group operation in which each element is its own inverse: exclusive or, equivalence."""

    def rule(m: Maker, x: Term, y: Term) -> Fusion:
        return Fusion(
            m.apply(operator, x, y),
            lambda z: m.apply(operator, z, y),
            lambda z: m.apply(operator, z, x),
        )

    return rule


def _bv_add(m: Maker, x: Term, y: Term) -> Fusion:
    return Fusion(
        m.apply("OP_BV_ADD", x, y),
        lambda z: m.apply("OP_BV_SUB", z, y),
        lambda z: m.apply("OP_BV_SUB", z, x),
    )


def _bv_linear(m: Maker, x: Term, y: Term) -> Fusion:
    """The sum of an odd multiple of each term. Odd numbers have inverses modulo a power of two."""
    size = 1 << x.sort.width
    a, b = (2 * m.stream.below(size // 2) + 1 for _ in range(2))

    def by(number: int, term: Term) -> Term:
        return m.apply("OP_BV_MULT", m.tables.value(x.sort, number % size), term)

    return Fusion(
        m.apply("OP_BV_ADD", by(a, x), by(b, y)),
        lambda z: by(pow(a, -1, size), m.apply("OP_BV_SUB", z, by(b, y))),
        lambda z: by(pow(b, -1, size), m.apply("OP_BV_SUB", z, by(a, x))),
    )


def concatenation(m: Maker, x: Term, y: Term) -> Fusion:
    """The concatenation of two bit-vectors, which can have different widths."""
    high, low = x.sort.width, y.sort.width
    return Fusion(
        m.apply("OP_BV_CONCAT", x, y),
        lambda z: m.apply("OP_BV_EXTRACT", z, indices=(high + low - 1, low)),
        lambda z: m.apply("OP_BV_EXTRACT", z, indices=(low - 1, 0)),
    )


def _fp_sign(m: Maker, x: Term, y: Term) -> Fusion:
    """One number, with its sign flipped if the other number is negative."""

    def turned(term: Term, by: Term) -> Term:
        return m.apply("OP_ITE", m.apply("OP_FP_IS_NEG", by), m.apply("OP_FP_NEG", term), term)

    return Fusion(turned(x, y), lambda z: turned(z, y), lambda z: y)


def _fp_bits(m: Maker, x: Term, y: Term) -> Fusion:
    """The sum of the bits of both numbers."""
    parts = x.sort.number(0), x.sort.number(1)
    bits = m.tables.sort("SORT_BV", sum(parts))
    bx, by = m.new("bits", bits), m.new("bits", bits)

    def number(term: Term) -> Term:
        return m.apply("OP_FP_TO_FP_FROM_BV", term, indices=parts)

    also = tuple(m.apply("OP_EQUAL", number(b), term) for b, term in ((bx, x), (by, y)))
    return Fusion(
        m.apply("OP_BV_ADD", bx, by),
        lambda z: number(m.apply("OP_BV_SUB", z, by)),
        lambda z: number(m.apply("OP_BV_SUB", z, bx)),
        also,
    )


def _array_cell(m: Maker, x: Term, y: Term) -> Fusion:
    """The first array, with one cell taken from the second array."""
    at = m.new("index", x.sort.sort(0))

    def cell(array: Term) -> Term:
        return m.apply("OP_ARRAY_SELECT", array, at)

    def stored(array: Term, value: Term) -> Term:
        return m.apply("OP_ARRAY_STORE", array, at, value)

    return Fusion(stored(x, cell(y)), lambda z: stored(z, cell(x)), lambda z: stored(y, cell(z)))


def _choice(m: Maker, x: Term, y: Term) -> Fusion:
    """For any sort: one of the two terms."""
    which = m.new("which", m.tables.bool)
    return Fusion(
        m.apply("OP_ITE", which, x, y),
        lambda z: m.apply("OP_ITE", which, z, x),
        lambda z: m.apply("OP_ITE", which, y, z),
    )


RULES: dict[str, dict[str, Rule]] = {
    "SORT_BOOL": {"bool-xor": _self_inverse("OP_XOR"), "bool-equal": _self_inverse("OP_EQUAL")},
    "SORT_INT": _Arithmetic("INT").rules(),
    "SORT_REAL": _Arithmetic("REAL").rules(),
    "SORT_STRING": {
        "string-lengths": _words("OP_STR_CONCAT", "OP_STR_LEN", "OP_STR_SUBSTR", "OP_INT_SUB"),
        "string-parts": _text_of_parts,
        "string-prefix": _text_of_prefix,
        "string-constant": _text_with_constant,
    },
    "SORT_SEQ": {
        "seq-lengths": _words("OP_SEQ_CONCAT", "OP_SEQ_LENGTH", "OP_SEQ_EXTRACT", "OP_INT_SUB")
    },
    "SORT_BV": {
        "bv-xor": _self_inverse("OP_BV_XOR"),
        "bv-xnor": _self_inverse("OP_BV_XNOR"),
        "bv-add": _bv_add,
        "bv-linear": _bv_linear,
        "bv-concat": concatenation,
    },
    "SORT_FP": {"fp-sign": _fp_sign, "fp-bits": _fp_bits},
    "SORT_ARRAY": {"array-cell": _array_cell},
}
ANY: dict[str, Rule] = {"choice": _choice}
UNFUSED = ("SORT_FUN", "SORT_REGLAN", "SORT_CASE")


def rules_of(sort: Sort) -> dict[str, Rule]:
    """The fusion functions for two terms of a sort, by name."""
    return {} if sort.kind in UNFUSED else {**RULES.get(sort.kind, {}), **ANY}


# ----------------------------------------------------------------------
# Fusion functions between two sorts: integers with reals, and bit-vectors of different widths.
# Their laws hold for all terms, as those of `inversions`.


def _real_sum(m: Maker, x: Term, y: Term) -> Fusion:
    """The sum of an integer x and a real y."""
    real = m.apply("OP_INT_TO_REAL", x)
    return Fusion(
        m.apply("OP_REAL_ADD", real, y),
        lambda z: m.apply("OP_REAL_TO_INT", m.apply("OP_REAL_SUB", z, y)),
        lambda z: m.apply("OP_REAL_SUB", z, real),
    )


def _real_linear(m: Maker, x: Term, y: Term) -> Fusion:
    """The sum of a multiple of an integer x and a real y."""
    a = m.number(y.sort)
    part = m.apply("OP_REAL_MUL", a, m.apply("OP_INT_TO_REAL", x))
    return Fusion(
        m.apply("OP_REAL_ADD", part, y),
        lambda z: m.apply(
            "OP_REAL_TO_INT", m.apply("OP_REAL_DIV", m.apply("OP_REAL_SUB", z, y), a)
        ),
        lambda z: m.apply("OP_REAL_SUB", z, part),
    )


def _real_product(m: Maker, x: Term, y: Term) -> Fusion:
    """The product of an integer x and a real y."""
    real = m.apply("OP_INT_TO_REAL", x)
    return Fusion(
        m.apply("OP_REAL_MUL", real, y),
        lambda z: m.unless_zero(y, x, m.apply("OP_REAL_TO_INT", m.apply("OP_REAL_DIV", z, y))),
        lambda z: m.unless_zero(real, y, m.apply("OP_REAL_DIV", z, real)),
    )


def _extended_sum(m: Maker, x: Term, y: Term) -> Fusion:
    """The sum of a bit-vector x, extended by zeros, and a wider bit-vector y."""
    width = x.sort.width
    wide = m.apply("OP_BV_ZERO_EXTEND", x, indices=(y.sort.width - width,))
    return Fusion(
        m.apply("OP_BV_ADD", wide, y),
        lambda z: m.apply("OP_BV_EXTRACT", m.apply("OP_BV_SUB", z, y), indices=(width - 1, 0)),
        lambda z: m.apply("OP_BV_SUB", z, wide),
    )


NUMBERS: dict[str, Rule] = {
    "int-real-add": _real_sum,
    "int-real-linear": _real_linear,
    "int-real-mul": _real_product,
}
WIDTHS: dict[str, Rule] = {"bv-concat": concatenation, "bv-extend": _extended_sum}


def rules_between(first: Sort, second: Sort) -> dict[str, Rule]:
    """The fusion functions for a term of each of two sorts, by name; none if the sorts cannot be
    converted.
    """
    if first is second:
        return rules_of(first)
    if (first.kind, second.kind) == ("SORT_INT", "SORT_REAL"):
        return NUMBERS
    if first.kind == second.kind == "SORT_BV" and first.width < second.width:
        return WIDTHS
    if (first.kind, second.kind) == ("SORT_REAL", "SORT_INT") or (
        first.kind == second.kind == "SORT_BV"
    ):
        return {name: swapped(rule) for name, rule in rules_between(second, first).items()}
    return {}


def swapped(rule: Rule) -> Rule:
    """A fusion function whose two terms have changed places."""

    def rule_of_both(m: Maker, x: Term, y: Term) -> Fusion:
        made = rule(m, y, x)
        return Fusion(made.value, made.second, made.first, made.also)

    return rule_of_both
