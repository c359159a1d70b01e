"""Ways in which programs use cvc5, whose answers are known by construction: equal programs over bit-vectors, overflow of their
arithmetic, claims about strings and numbers, and a puzzle. Each function gives None, or a str that says which promise is
broken. The file imports only cvc5 and the standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import cvc5
from cvc5 import Kind
from cvc5_helpers import _subterms

_USE_LIMIT = "20000"  # the resource limit of each check
_USED_WIDTH = 32  # bits of a term that a program is made of
_MULTIPLIED = 6  # bits of factors

Claims = list[tuple[str, Any]]  # what is claimed, and the formula


def _using(ctx: Any) -> Any:
    made = cvc5.Solver(ctx)
    for name in (
        "incremental",
        "produce-models",
        "arrays-exp",
        "fp-exp",
        "sets-exp",
        "strings-exp",
    ):
        made.setOption(name, "true")
    made.setOption("reproducible-resource-limit", _USE_LIMIT)
    return made


def proved(
    ctx: Any, solver: Any, claims: Callable[[Any, Any, Any], Claims], one: Any, other: Any
) -> str | None:
    """Prove a claim about two terms by refutation, beside what a solver asserts. It holds for all values, so a
    check of the negation is not satisfiable.
    """
    found = claims(ctx, one, other)
    name, claim = found[len(_subterms(one, other)) % len(found)]
    there = _using(ctx)
    for formula in solver.getAssertions():
        there.assertFormula(formula)
    there.assertFormula(claim.notTerm())
    if not there.checkSat().isSat():
        return None
    return f"a check with the negation of '{name}' gives sat instead of unsat"


def _bit_vectors(ctx: Any, one: Any, other: Any) -> tuple[Any, Any]:
    """The terms, if they are bit-vectors of few bits; otherwise new constants."""
    sort = one.getSort()
    if sort.isBitVector() and sort.getBitVectorSize() <= _USED_WIDTH:
        return one, other
    byte = ctx.mkBitVectorSort(8)
    return ctx.mkConst(byte, "murxpy-x"), ctx.mkConst(byte, "murxpy-y")


def _equal(ctx: Any, one: Any, other: Any) -> Any:
    return ctx.mkTerm(Kind.EQUAL, one, other)


def programs(ctx: Any, one: Any, other: Any) -> Claims:
    """Programs over bit-vectors that give the same for all inputs."""
    x, y = _bit_vectors(ctx, one, other)
    width, t = x.getSort().getBitVectorSize(), ctx.mkTerm
    zero, bit = ctx.mkBitVector(width, 0), ctx.mkBitVector(width, 1)
    top, wider = ctx.mkBitVector(width, width - 1), ctx.mkOp(Kind.BITVECTOR_ZERO_EXTEND, 1)
    either, common = t(Kind.BITVECTOR_XOR, x, y), t(Kind.BITVECTOR_AND, x, y)
    less, sign = t(Kind.BITVECTOR_ULT, x, y), t(Kind.BITVECTOR_ASHR, x, top)
    mask = t(Kind.ITE, less, t(Kind.BITVECTOR_NEG, bit), zero)
    carried = t(Kind.BITVECTOR_ADD, t(wider, x), t(wider, y))
    negative = t(Kind.BITVECTOR_SLT, x, zero)
    before = t(Kind.BITVECTOR_NOT, t(Kind.BITVECTOR_SUB, x, bit))
    shifted = t(Kind.BITVECTOR_SHL, x, bit), t(Kind.BITVECTOR_LSHR, x, top)
    pairs = [
        (
            "a sum by its carries",
            t(Kind.BITVECTOR_ADD, x, y),
            t(Kind.BITVECTOR_ADD, either, t(Kind.BITVECTOR_SHL, common, bit)),
        ),
        (
            "a disjunction by a sum",
            t(Kind.BITVECTOR_OR, x, y),
            t(Kind.BITVECTOR_SUB, t(Kind.BITVECTOR_ADD, x, y), common),
        ),
        (
            "an average without overflow",
            t(Kind.BITVECTOR_ADD, common, t(Kind.BITVECTOR_LSHR, either, bit)),
            t(ctx.mkOp(Kind.BITVECTOR_EXTRACT, width, 1), carried),
        ),
        (
            "a minimum without a branch",
            t(Kind.BITVECTOR_XOR, y, t(Kind.BITVECTOR_AND, either, mask)),
            t(Kind.ITE, less, x, y),
        ),
        (
            "an absolute value without a branch",
            t(Kind.BITVECTOR_SUB, t(Kind.BITVECTOR_XOR, x, sign), sign),
            t(Kind.ITE, negative, t(Kind.BITVECTOR_NEG, x), x),
        ),
        (
            "the lowest bit",
            t(Kind.BITVECTOR_AND, x, t(Kind.BITVECTOR_NEG, x)),
            t(Kind.BITVECTOR_AND, x, before),
        ),
        (
            "a rotation by shifts",
            t(ctx.mkOp(Kind.BITVECTOR_ROTATE_LEFT, 1), x),
            t(Kind.BITVECTOR_OR, *shifted),
        ),
    ]
    return [(name, _equal(ctx, left, right)) for name, left, right in pairs]


def overflow(ctx: Any, one: Any, other: Any) -> Claims:
    """Predicates that tell whether an operation overflows, against results of more bits."""
    x, y = _bit_vectors(ctx, one, other)
    width, t = x.getSort().getBitVectorSize(), ctx.mkTerm
    low, every = ctx.mkBitVector(width, 1 << (width - 1)), ctx.mkBitVector(width, (1 << width) - 1)
    kinds = [
        ("UADDO", Kind.BITVECTOR_UADDO, Kind.BITVECTOR_ADD, Kind.BITVECTOR_ZERO_EXTEND, 1),
        ("SADDO", Kind.BITVECTOR_SADDO, Kind.BITVECTOR_ADD, Kind.BITVECTOR_SIGN_EXTEND, 1),
        ("USUBO", Kind.BITVECTOR_USUBO, Kind.BITVECTOR_SUB, Kind.BITVECTOR_ZERO_EXTEND, 1),
        ("SSUBO", Kind.BITVECTOR_SSUBO, Kind.BITVECTOR_SUB, Kind.BITVECTOR_SIGN_EXTEND, 1),
    ]
    if width <= _MULTIPLIED:
        kinds += [
            ("UMULO", Kind.BITVECTOR_UMULO, Kind.BITVECTOR_MULT, Kind.BITVECTOR_ZERO_EXTEND, width),
            ("SMULO", Kind.BITVECTOR_SMULO, Kind.BITVECTOR_MULT, Kind.BITVECTOR_SIGN_EXTEND, width),
        ]
    found = []
    for name, predicate, operation, extension, more in kinds:
        wider = ctx.mkOp(extension, more)
        exact, short = t(operation, t(wider, x), t(wider, y)), t(wider, t(operation, x, y))
        found.append((name, _equal(ctx, t(predicate, x, y), _equal(ctx, exact, short).notTerm())))
    least = _equal(ctx, x, low)
    quotient = t(Kind.AND, least, _equal(ctx, y, every))
    return [
        *found,
        ("NEGO", _equal(ctx, t(Kind.BITVECTOR_NEGO, x), least)),
        ("SDIVO", _equal(ctx, t(Kind.BITVECTOR_SDIVO, x, y), quotient)),
    ]


def words(ctx: Any, one: Any, other: Any) -> Claims:
    """Claims about two strings, and about the parts of a text with a comma."""
    s, t = one, other
    if not one.getSort().isString():
        s, t = (ctx.mkConst(ctx.getStringSort(), f"murxpy-{name}") for name in "st")
    make, comma, text = ctx.mkTerm, ctx.mkString(","), ctx.mkString("12,345")
    both, zero = make(Kind.STRING_CONCAT, s, t), ctx.mkInteger(0)
    lengths = make(Kind.STRING_LENGTH, s), make(Kind.STRING_LENGTH, t)
    parts = make(
        Kind.AND,
        _equal(ctx, make(Kind.STRING_CONCAT, s, comma, t), text),
        make(Kind.STRING_CONTAINS, s, comma).notTerm(),
    )
    told = [
        _equal(ctx, make(Kind.STRING_TO_INT, part), ctx.mkInteger(number))
        for part, number in ((s, 12), (t, 345))
    ]
    inside = make(Kind.AND, make(Kind.STRING_SUFFIX, t, both), make(Kind.STRING_CONTAINS, both, s))
    return [
        (
            "the length of two strings",
            _equal(ctx, make(Kind.STRING_LENGTH, both), make(Kind.ADD, *lengths)),
        ),
        ("a prefix", make(Kind.STRING_PREFIX, s, both)),
        ("a suffix and a part", inside),
        ("the rest of two strings", _equal(ctx, make(Kind.STRING_SUBSTR, both, *lengths), t)),
        (
            "the first place of a prefix",
            _equal(ctx, make(Kind.STRING_INDEXOF, both, s, zero), zero),
        ),
        ("a string that is replaced", _equal(ctx, make(Kind.STRING_REPLACE, s, s, t), t)),
        ("the parts of a text", make(Kind.IMPLIES, parts, make(Kind.AND, *told))),
    ]


def numbers(ctx: Any, one: Any, other: Any) -> Claims:
    """Claims about two numbers of one sort."""
    x, y, t = one, other, ctx.mkTerm
    if not (one.getSort().isInteger() or one.getSort().isReal()):
        x, y = (ctx.mkConst(ctx.getIntegerSort(), f"murxpy-{name}") for name in "ij")
    less, whole = t(Kind.LT, x, y), x.getSort().isInteger()
    zero = ctx.mkInteger(0) if whole else ctx.mkReal(0)
    least, most = t(Kind.ITE, less, x, y), t(Kind.ITE, less, y, x)
    apart = t(Kind.ITE, less, t(Kind.SUB, y, x), t(Kind.SUB, x, y))
    found = [
        (
            "the least and the most of two numbers",
            _equal(ctx, t(Kind.ADD, least, most), t(Kind.ADD, x, y)),
        ),
        ("an absolute difference", _equal(ctx, apart, t(Kind.SUB, most, least))),
        (
            "an order by a difference",
            _equal(ctx, t(Kind.GT, t(Kind.SUB, x, y), zero), t(Kind.GT, x, y)),
        ),
    ]
    if whole:
        seven = ctx.mkInteger(7)
        rest = t(Kind.INTS_MODULUS, x, seven)
        again = t(Kind.ADD, t(Kind.MULT, seven, t(Kind.INTS_DIVISION, x, seven)), rest)
        bounds = t(Kind.GEQ, rest, zero), t(Kind.LT, rest, seven)
        found.append(("a quotient and its rest", t(Kind.AND, _equal(ctx, again, x), *bounds)))
    return found


def puzzle(ctx: Any, term: Any) -> str | None:
    """All solutions of a puzzle with distinct numbers, each excluded when it is found, and those that Python
    finds. The puzzle depends on the number of the children of a term.
    """
    figure = term.getNumChildren()
    weights, bound = (1, 1 + figure % 3, -(figure % 2)), 4 + figure % 7
    wanted = {
        cells
        for cells in permutations(range(1, 5), 3)
        if sum(weight * cell for weight, cell in zip(weights, cells, strict=True)) <= bound
    }
    found = _solutions(ctx, weights, bound, len(wanted))
    if found is None or found == wanted:
        return None
    if found <= wanted:
        return f"a puzzle gives {len(found)} solutions instead of {len(wanted)}"
    return f"a puzzle gives {min(found - wanted)} instead of a solution"


def _solutions(
    ctx: Any, weights: Sequence[int], bound: int, most: int
) -> set[tuple[int, ...]] | None:
    """Solutions that cvc5 finds, one more than `most` at most; None where it gives up."""
    t, number = ctx.mkTerm, ctx.mkInteger
    cells = [ctx.mkConst(ctx.getIntegerSort(), f"murxpy-cell{at}") for at in range(len(weights))]
    solver, found = _using(ctx), set[tuple[int, ...]]()
    products = [t(Kind.MULT, number(w), cell) for w, cell in zip(weights, cells, strict=True)]
    solver.assertFormula(t(Kind.DISTINCT, *cells))
    solver.assertFormula(t(Kind.LEQ, t(Kind.ADD, *products), number(bound)))
    for cell in cells:
        solver.assertFormula(t(Kind.GEQ, cell, number(1)))
        solver.assertFormula(t(Kind.LEQ, cell, number(4)))
    while (result := solver.checkSat()).isSat() and len(found) <= most:
        values = [solver.getValue(cell) for cell in cells]
        found.add(tuple(value.getIntegerValue() for value in values))
        apart = [_equal(ctx, *pair).notTerm() for pair in zip(cells, values, strict=True)]
        solver.assertFormula(t(Kind.OR, *apart))
    return None if result.isUnknown() else found
