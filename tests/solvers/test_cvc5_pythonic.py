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
        (2, "is_add", lambda one: False, "is_add gives False for True"),
        (0, "is_bv", lambda one: True, "is_bv gives True for False"),
        (0, "is_arith_sort", lambda sort: False, "is_arith_sort gives False for True"),
        (4, "QuantifierRef.num_vars", lambda one: 2, "num_vars gives 2 for 1"),
        (4, "QuantifierRef.is_forall", lambda one: False, "is_forall gives (False, False)"),
        (6, "RatNumRef.numerator_as_long", lambda one: 8, "a rational number gives (8, 3)"),
        (7, "BitVecNumRef.as_signed_long", lambda one: 9, "a bit-vector gives (9, 9, 9, 4)"),
        (10, "FPNumRef.isZero", lambda one: True, "isZero gives True for False"),
        (12, "FPNumRef.isNegative", lambda one: False, "isNegative gives False for True"),
        (1, "ExprRef.get_id", lambda one: -1, "get_id gives -1"),
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
        ("asked_solver", "Solver.num_scopes", lambda solver: 7, "num_scopes gives 7 for 8"),
        ("asked_solver", "is_sat", lambda one: True, "is_sat gives (True, True)"),
        ("asked_solver", "ModelRef.decls", lambda model: [], "decls gives []"),
        ("reset", "Solver.assertions", lambda solver: [1, 2], "after reset gives 2 for 0"),
        ("reset", "Solver.reset", lambda solver: None, "the answer after reset gives unsat"),
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
    claim = kind_of("contract").claim("cvc5 1.4.2", "is_bool gives False for True", "")
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
