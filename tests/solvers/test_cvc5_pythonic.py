"""cvc5's pythonic layer tells what the base layer does, and a layer that does not is told so."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from toy import catalogue, live, replay

from murxpy.data import load_wrapper
from murxpy.findings.kinds.registry import kind_of
from murxpy.machine.trace.grammar import parse_trace
from murxpy.translate.programs.program import programs

cvc5 = pytest.importorskip("cvc5")
Kind = cvc5.Kind
P = pytest.importorskip("cvc5.pythonic.cvc5_pythonic")


@functools.cache
def helpers() -> Any:
    """The helpers of the wrapper, as a session loads them."""
    return live("cvc5").wrapper.namespace["h"]


def terms(tm: Any) -> list[Any]:
    integer, truth = tm.getIntegerSort(), tm.getBooleanSort()
    x, p, v = tm.mkConst(integer, "x"), tm.mkConst(truth, "p"), tm.mkVar(integer, "v")
    bound = tm.mkTerm(Kind.VARIABLE_LIST, v)
    array = tm.mkArraySort(integer, integer)
    return [
        x,
        p,
        tm.mkTerm(Kind.ADD, x, x),
        tm.mkTerm(Kind.NOT, p),
        tm.mkTerm(Kind.FORALL, bound, tm.mkTerm(Kind.LT, v, x)),
        tm.mkConstArray(array, tm.mkInteger(1)),
        tm.mkReal(7, 3),
        tm.mkBitVector(4, 9),
        tm.mkString("a"),
        tm.mkTrue(),
        tm.mkFloatingPoint(3, 5, tm.mkBitVector(8, 77)),
        tm.mkFloatingPointNaN(3, 5),
        tm.mkFloatingPointNegZero(3, 5),
        tm.mkConst(tm.mkUninterpretedSort("U"), "u"),
        tm.mkConst(tm.mkSetSort(integer), "s"),
        tm.mkConst(tm.getRegExpSort(), "r"),
    ]


USES = ("named_constants", "made_values", "asked_solver", "declared")


def test_the_pythonic_layer_keeps_its_laws() -> None:
    tm = cvc5.TermManager()
    for term in terms(tm):
        assert helpers().expression(tm, term) is None, term
    for use in USES:
        assert helpers().pythonic(tm, getattr(helpers(), use)) is None


@pytest.mark.parametrize(
    ("at", "where", "lie", "said"),
    [
        (2, "is_add", lambda one: False, "is_add gives False instead of True"),
        (0, "is_bv", lambda one: True, "is_bv gives True instead of False"),
        (0, "is_arith_sort", lambda sort: False, "is_arith_sort gives False instead of True"),
        (4, "QuantifierRef.num_vars", lambda one: 2, "num_vars gives 2 instead of 1"),
        (4, "QuantifierRef.is_forall", lambda one: False, "is_forall gives (False, False)"),
        (6, "RatNumRef.numerator_as_long", lambda one: 8, "a rational number gives (8, 3)"),
        (7, "BitVecNumRef.as_signed_long", lambda one: 9, "a bit-vector gives (9, 9, 9, 4)"),
        (10, "FPNumRef.isZero", lambda one: True, "isZero gives True instead of False"),
        (12, "FPNumRef.isNegative", lambda one: False, "isNegative gives False instead of True"),
        (1, "ExprRef.get_id", lambda one: -1, "get_id gives -1"),
        (0, "is_app", lambda one: False, "is_app gives (False, False) instead of (True, False)"),
        (6, "is_rational_value", lambda one: False, "is_rational_value gives False"),
        (0, "is_func_sort", lambda sort: True, "is_func_sort gives True instead of False"),
        (10, "FPNumRef.sign", lambda one: True, "sign gives True instead of False"),
        (10, "FPNumRef.exponent", lambda one: 4, "exponent gives (4, 1) instead of (1, 1)"),
        (10, "FPNumRef.significand", lambda one: 1.0, "significand gives 1.0 instead of 1.8125"),
        (10, "FPNumRef.significand_as_long", lambda one: 0, "significand_as_long gives 0"),
    ],
)
def test_an_expression_that_lies_is_told(
    at: int, where: str, lie: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, _, name = where.rpartition(".")
    monkeypatch.setattr(getattr(P, owner) if owner else P, name, lie)
    tm = cvc5.TermManager()
    assert said in str(helpers().expression(tm, terms(tm)[at]))


@pytest.mark.parametrize(
    ("use", "where", "lie", "said"),
    [
        ("named_constants", "IntVector", lambda name, count: [], "vectors gives [3, 0, 3]"),
        ("made_values", "RNA", lambda: P.RNE(), "the rounding modes gives"),
        ("made_values", "FPNumRef.isZero", lambda one: False, "a negative zero gives"),
        ("asked_solver", "Solver.num_scopes", lambda solver: 7, "num_scopes gives 7 instead of 8"),
        ("asked_solver", "is_sat", lambda one: True, "is_sat gives (True, True)"),
        ("asked_solver", "ModelRef.decls", lambda model: [], "decls gives []"),
        ("reset", "Solver.assertions", lambda solver: [1, 2], "after reset gives 2 instead of 0"),
        ("reset", "Solver.reset", lambda solver: None, "check after reset gives unsat"),
        ("asked_solver", "Solver.unsat_core", lambda solver: [], "unsat_core gives [] instead of"),
        ("asked_solver", "CheckSatResultLiteral", lambda name: None, "CheckSatResultLit"),
        ("made_values", "UMinus", lambda one: one, "UMinus gives False instead of True"),
        ("made_values", "Sqrt", lambda one: one, "Sqrt gives False instead of True"),
        ("made_values", "FFSub", lambda one, other: one, "FFSub gives 3 instead of 5"),
        ("made_values", "EmptyModel.evaluate", lambda model, one: P.IntVal(4), "Model gives 4"),
        ("declared", "ExprRef.decl", lambda one: one, "decl gives False instead of True"),
        ("declared", "Context.next_fresh", lambda ctx, name: name, "next_fresh gives 1"),
        ("declared", "DatatypeSort", lambda name: P.IntSort(), "DatatypeSort gives False"),
        (
            "unknown",
            "Solver.reason_unknown",
            lambda solver: 3,
            "reason_unknown gives 3 instead of a text",
        ),
        ("literals", "is_const", lambda one: False, "is_const of an integer gives False"),
        ("decimals", "RatNumRef.as_decimal", lambda one, prec: "0.1", "gives 0.1 instead of 0.2"),
        ("declared", "DatatypeRecognizerRef.arity", lambda one: 2, "a recognizer gives (2, True)"),
    ],
)
def test_a_part_that_lies_is_told(
    use: str, where: str, lie: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, _, name = where.rpartition(".")
    monkeypatch.setattr(getattr(P, owner) if owner else P, name, lie)
    found = helpers().pythonic(cvc5.TermManager(), getattr(helpers(), use))
    assert said in str(found)


@pytest.mark.parametrize(
    ("use", "where", "mended"),
    [
        ("unknown", "Solver.reason_unknown", lambda solver: "a limit"),
        ("literals", "is_const", lambda one: not one.children()),
        (
            "decimals",
            "RatNumRef.as_decimal",
            lambda one, prec: str(float(one.as_fraction())).removesuffix(".0"),
        ),
    ],
)
def test_a_layer_that_keeps_a_law_that_cvc5_breaks_is_let_alone(
    use: str, where: str, mended: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, _, name = where.rpartition(".")
    monkeypatch.setattr(getattr(P, owner) if owner else P, name, mended)
    assert helpers().pythonic(cvc5.TermManager(), getattr(helpers(), use)) is None


TRACE = """new
mk-sort SORT_BOOL
 return s1
mk-const s1 "p"
 return t1 s1
cvc5-pythonic@constants t1
cvc5-pythonic@expression t1
"""


def test_a_broken_law_is_a_finding_with_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    assert replay(live("cvc5"), TRACE)[1]["finding"] is None
    trace = parse_trace(f"# murxpy-trace 1\n# solver cvc5 1.4.2\n{TRACE}", "t.trace")
    claim = kind_of("contract").claim("cvc5 1.4.2", "is_bool gives False instead of True", "")
    program = next(programs(trace, catalogue(), load_wrapper("cvc5"), claim)).text
    assert _code(program) == 0
    monkeypatch.setattr(P, "is_bool", lambda one: False)
    found = replay(live("cvc5"), TRACE)[1]["finding"]
    assert (found["kind"], found["tier"]) == ("contract", "binding")
    assert "is_bool gives False" in found["message"]
    assert _code(program) == 1


def _code(program: str) -> Any:
    with pytest.raises(SystemExit) as ended:
        exec(compile(program, "p.py", "exec"), {"__name__": "__main__"})
    return ended.value.code or 0
