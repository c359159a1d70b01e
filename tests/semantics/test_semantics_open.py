"""Points that the standard leaves open: whatever the value there is, it is one value for equal
arguments.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from typed_terms import Logic, catalogue, evaluator

from murxpy.logic.sorts import Constructor, Datatype, Sort
from murxpy.logic.terms import Term
from murxpy.semantics.registry import MEANINGS
from murxpy.semantics.values import (
    ArrayValue,
    BagValue,
    CannotSay,
    DatatypeValue,
    FunctionValue,
    SetValue,
)

LOGIC = Logic()
INT, REAL, BOOL = LOGIC.int, LOGIC.real, LOGIC.bool
FP, RM, LINE = LOGIC.sort("FP", 8, 24), LOGIC.sort("RM"), LOGIC.sort("ARRAY", INT, INT)
SETS, BAGS, WORDS = LOGIC.sort("SET", INT), LOGIC.sort("BAG", INT), LOGIC.sort("SEQ", INT)
RELATIONS = LOGIC.sort("SET", LOGIC.sort("TUPLE", INT, INT))
FLAGS = LOGIC.sort("ARRAY", LOGIC.bv(16), INT)
STEP = LOGIC.sort("FUN", INT, INT, INT)
CELL = Datatype("Cell", [], [Constructor("empty"), Constructor("cell", [("held", INT)])])
NAN, PLUS, MINUS = 0x7FC00000, 0, 1 << 31
TWO = SetValue(frozenset((1, 2)))
BAG = BagValue(frozenset(((1, 1), (2, 1))))
PAIRS = SetValue(frozenset(DatatypeValue("", (1, k)) for k in (2, 3)))
# 6 or 8, by the order of 1 and 2
FIRST = FunctionValue(0, [((1, 0), 5), ((2, 5), 6), ((2, 0), 7), ((1, 7), 8)])
OTHER = FunctionValue(0, [((1, 0), 5), ((2, 5), 6), ((2, 0), 7), ((1, 7), 9)])

# Of each operator with open points: sorts and values of arguments at such a point, other arguments
# there, the indices.
Case = tuple[tuple[Sort, ...], tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]
OPEN: dict[str, Case] = {
    "OP_INT_DIV": ((INT, INT), (3, 0), (4, 0), ()),
    "OP_INT_MOD": ((INT, INT), (3, 0), (4, 0), ()),
    "OP_INT_REM": ((INT, INT), (3, 0), (4, 0), ()),
    "OP_REAL_DIV": ((REAL, REAL), (Fraction(3), Fraction(0)), (Fraction(4), Fraction(0)), ()),
    "OP_INT_POW": ((INT, INT), (0, -1), (0, -2), ()),
    "OP_REAL_POW": (
        (REAL, REAL),
        (Fraction(-1), Fraction(1, 2)),
        (Fraction(-2), Fraction(1, 2)),
        (),
    ),
    "OP_TRANS_SQRT": ((REAL,), (Fraction(-1),), (Fraction(-2),), ()),
    "OP_FP_MIN": ((FP, FP), (PLUS, MINUS), (MINUS, PLUS), ()),
    "OP_FP_MAX": ((FP, FP), (PLUS, MINUS), (MINUS, PLUS), ()),
    "OP_FP_TO_UBV": ((RM, FP), ("RNE", NAN), ("RTZ", NAN), (40,)),
    "OP_FP_TO_SBV": ((RM, FP), ("RNE", NAN), ("RTZ", NAN), (40,)),
    "OP_FP_TO_REAL": ((FP,), (NAN,), (0x7F800000,), ()),
    "OP_FP_TO_IEEE_BV": ((FP,), (NAN,), (), ()),
    "OP_SEQ_NTH": ((WORDS, INT), ((1, 2), 5), ((1, 2), 6), ()),
    "OP_SET_CHOOSE": ((SETS,), (TWO,), (SetValue(frozenset()),), ()),
    "OP_BAG_CHOOSE": ((BAGS,), (BAG,), (BagValue(frozenset()),), ()),
    "OP_SET_FOLD": ((STEP, INT, SETS), (FIRST, 0, TWO), (OTHER, 0, TWO), ()),
    "OP_BAG_FOLD": ((STEP, INT, BAGS), (FIRST, 0, BAG), (OTHER, 0, BAG), ()),
    "OP_REL_JOIN_IMAGE": ((RELATIONS, INT), (PAIRS, 0), (PAIRS, -1), ()),
    "OP_DT_APPLY_SEL": ((LOGIC.sort("DT", CELL),), (DatatypeValue("empty"),), (), ("cell", "held")),
    "OP_NULLABLE_VAL": ((LOGIC.sort("NULLABLE", INT),), (DatatypeValue("nullable.null"),), (), ()),
    "OP_ARRAY_DEFAULT": ((FLAGS,), (ArrayValue(1, [(0, 2)]),), (ArrayValue(1, [(0, 3)]),), ()),
    "OP_ARRAY_EXT": (
        (LINE, LINE),
        (ArrayValue(1), ArrayValue(1)),
        (ArrayValue(2), ArrayValue(2)),
        (),
    ),
}


def applied(kind: str, name: str, values: tuple[Any, ...]) -> tuple[Term, dict[Term, Any]]:
    """The operator on constants of its own, and their values."""
    sorts, _, _, indices = OPEN[kind]
    constants = [LOGIC.const(f"{name}{k}", sort) for k, sort in enumerate(sorts)]
    return LOGIC.app(kind.removeprefix("OP_"), *constants, indices=indices), dict(
        zip(constants, values, strict=True)
    )


def said(term: Term, constants: dict[Term, Any]) -> object:
    try:
        return evaluator(constants).value(term)
    except CannotSay:
        return None


def test_each_operator_with_open_points_is_here() -> None:
    assert set(OPEN) == {kind for kind, meaning in MEANINGS.items() if meaning.open}
    assert set(OPEN) <= set(catalogue().operators)


@pytest.mark.parametrize("kind", OPEN)
def test_equal_arguments_give_one_value(kind: str) -> None:
    (left, ours), (right, theirs) = (applied(kind, name, OPEN[kind][1]) for name in ("x", "y"))
    constants = ours | theirs
    assert said(left, constants) is None  # the value itself is open
    for one, other in ((left, left), (left, right)):
        assert said(LOGIC.app("EQUAL", one, other), constants) is True
        assert said(LOGIC.app("DISTINCT", one, other), constants) is False
        assert said(LOGIC.app("NOT", LOGIC.app("EQUAL", one, other, one)), constants) is False
        chosen = LOGIC.app("ITE", LOGIC.const("p", BOOL), one, other)
        assert said(LOGIC.app("EQUAL", chosen, other), constants) is True
        assert (
            said(
                LOGIC.app(
                    "EQUAL", LOGIC.app("SET_SINGLETON", one), LOGIC.app("SET_SINGLETON", other)
                ),
                constants,
            )
            is True
        )


@pytest.mark.parametrize("kind", [kind for kind, case in OPEN.items() if case[2]])
def test_other_arguments_may_give_another_value(kind: str) -> None:
    (left, ours), (right, theirs) = (
        applied(kind, "x", OPEN[kind][1]),
        applied(kind, "y", OPEN[kind][2]),
    )
    assert said(LOGIC.app("EQUAL", left, right), ours | theirs) is None
    assert said(LOGIC.app("DISTINCT", left, right), ours | theirs) is None


def test_what_hangs_on_an_open_point_has_one_value_too() -> None:
    x, y, zero = LOGIC.const("m", INT), LOGIC.const("n", INT), LOGIC.val(INT, 0)
    constants: dict[Term, Any] = {x: 3, y: 3}
    terms = [LOGIC.app("INT_ADD", LOGIC.app("INT_DIV", c, zero), c) for c in (x, y)]
    assert said(LOGIC.app("EQUAL", *terms), constants) is True
    assert said(LOGIC.app("EQUAL", terms[0], LOGIC.app("INT_DIV", x, zero)), constants) is None
    assert said(LOGIC.app("EQUAL", *terms), {x: 3, y: 4}) is None


def test_in_a_body_each_assignment_has_points_of_its_own() -> None:
    k, zero = LOGIC.var("k", INT), LOGIC.val(INT, 0)
    line = LOGIC.app("ARRAY_LAMBDA", k, LOGIC.app("INT_DIV", k, zero))
    at = [LOGIC.app("ARRAY_SELECT", line, LOGIC.val(INT, n)) for n in (3, 4)]
    assert said(LOGIC.app("EQUAL", at[0], at[0]), {}) is True
    assert said(LOGIC.app("EQUAL", *at), {}) is None
    b = LOGIC.var("b", BOOL)
    divided = LOGIC.app("INT_DIV", LOGIC.app("ITE", b, LOGIC.val(INT, 3), LOGIC.val(INT, 4)), zero)
    three = LOGIC.app("INT_DIV", LOGIC.val(INT, 3), zero)
    assert said(LOGIC.app("EXISTS", b, LOGIC.app("EQUAL", divided, three)), {}) is True
    assert said(LOGIC.app("FORALL", b, LOGIC.app("EQUAL", divided, three)), {}) is None


def test_an_unknown_function_gives_one_value_for_one_argument() -> None:
    """What cannot be calculated is a function of its arguments all the same."""
    r = [LOGIC.const(name, REAL) for name in "rs"]
    sines = [LOGIC.app("TRANS_SINE", c) for c in r]
    assert said(LOGIC.app("EQUAL", *sines), {r[0]: Fraction(1), r[1]: Fraction(1)}) is True
    assert said(LOGIC.app("EQUAL", *sines), {r[0]: Fraction(1), r[1]: Fraction(2)}) is None


@pytest.mark.parametrize("element", [INT, LOGIC.sort("ARRAY", INT, BOOL)])
def test_values_nested_too_deeply_cannot_be_said(element: Sort) -> None:
    """Python compares values in values by recursion, which must not end in a traceback."""
    chain = Datatype("Chain", [], [Constructor("end")])
    sort = LOGIC.sort("DT", chain)
    chain.constructors.append(Constructor("link", [("first", element), ("rest", sort)]))
    first = LOGIC.const("first", element)
    made = LOGIC.app("DT_APPLY_CONS", indices=("end",), wanted=sort)
    for _ in range(5_000):
        made = LOGIC.app("DT_APPLY_CONS", first, made, indices=("link",), wanted=sort)
    other = LOGIC.app("DT_APPLY_CONS", first, made, indices=("link",), wanted=sort)
    value = 1 if element is INT else ArrayValue(True)
    assert said(LOGIC.app("EQUAL", made, other), {first: value}) is None
    assert said(made, {first: value}) is None
    assert (
        said(LOGIC.app("DT_APPLY_SEL", other, indices=("link", "first")), {first: value}) == value
    )
