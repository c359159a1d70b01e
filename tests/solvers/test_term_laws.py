"""Laws of terms: z3 keeps them, and a z3 that breaks one is told so."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from toy import catalogue, live, replay

from murxpy.data import load_wrapper
from murxpy.findings.kinds.registry import kind_of
from murxpy.machine.trace.grammar import parse_trace
from murxpy.translate.programs.program import programs


@functools.cache
def helpers() -> Any:
    """The helpers of the wrapper, as a session loads them."""
    pytest.importorskip("z3")
    return live("z3").wrapper.namespace["h"]


Z3_LAWS = ("apart", "asked", "literal", "collected", "replaced", "printed_again")


def z3_terms() -> dict[str, Any]:
    z3 = pytest.importorskip("z3")
    (x, y), p = z3.Ints("x y"), z3.Bool("p")
    f = z3.Function("f", z3.IntSort(), z3.IntSort(), z3.IntSort())
    array = z3.Array("a", z3.IntSort(), z3.BoolSort())
    floats, half = z3.Float32(), z3.Float16()
    terms = [x, x + y * 2, z3.If(p, x, y) < 3, f(x, f(y, 1)), z3.Store(array, x, p), array[y]]
    terms += [z3.ForAll([x, y], f(x, y) > x, weight=7, patterns=[f(x, y)])]
    terms += [z3.Exists([x], z3.ForAll([y], f(x, y) == z3.Int("z"))), z3.And(p, x > y, y > 3)]
    cases = z3.And(z3.If(z3.BoolVal(False), z3.BoolVal(False), p), z3.BoolVal(False))
    terms += [cases, z3.ForAll([p], cases)]  # of which a substitution drops a case
    terms += [z3.RealVal("7/3"), z3.RealVal("-7/3"), z3.IntVal(-5), z3.BitVecVal(5, 8)]
    terms += [
        z3.FPVal(1.5, floats),
        z3.FPVal(-0.0, half),
        z3.fpNaN(floats),
        z3.FPVal(1e-45, floats),
    ]
    terms += [z3.fpInfinity(floats, True), z3.StringVal("ab"), z3.BoolVal(True)]
    return {str(term): term for term in terms}


def test_z3_keeps_the_laws_of_terms() -> None:
    for text, term in z3_terms().items():
        assert [getattr(helpers(), law)(term) for law in Z3_LAWS] == [None] * 6, text


Z3_LIES: dict[str, tuple[str, str, str, Any, str]] = {
    # law, term, what lies, how, what is said of it
    "update": (
        "apart",
        "x + y*2",
        "ExprRef.update",
        lambda t, *a: t.arg(0),
        "update gives another term instead",
    ),
    "decl": (
        "apart",
        "f(x, f(y, 1))",
        "FuncDeclRef.__call__",
        lambda d, *a: a[0],
        "decl gives another term instead of the one that was taken apart",
    ),
    "children": (
        "apart",
        "x + y*2",
        "ExprRef.children",
        lambda t: [t],
        "children gives other terms instead of those of arg",
    ),
    "hash": (
        "apart",
        "f(x, f(y, 1))",
        "ExprRef.get_id",
        lambda t: id(t),
        "get_id of equal terms gives two numbers instead of one",
    ),
    "weight": (
        "apart",
        "ForAll([x, y], f(x, y) > x)",
        "QuantifierRef.weight",
        lambda q, seen=[]: seen.append(0) or len(seen),
        "a quantifier made anew: weight gives 2 instead of 3",
    ),
    "substitute_vars": (
        "apart",
        "ForAll([x, y], f(x, y) > x)",
        "substitute_vars",
        lambda body, *m: m[0] > m[1],
        "a binder made anew gives another term instead",
    ),
    "is_add": ("asked", "x + y*2", "is_add", lambda t: False, "is_add gives False instead of True"),
    "is_bv_value": (
        "asked",
        "7/3",
        "is_bv_value",
        lambda t: True,
        "is_bv_value gives True instead of False",
    ),
    "numerator": (
        "literal",
        "7/3",
        "RatNumRef.numerator",
        lambda n: n.denominator(),
        "as_decimal(6) gives",
    ),
    "as_decimal": ("literal", "7/3", "RatNumRef.as_decimal", lambda n, p: "3.5", "as_decimal(6)"),
    "isZero": ("literal", "1.5", "FPNumRef.isZero", lambda n: True, "isZero gives"),
    "exponent": (
        "literal",
        "1.5",
        "FPNumRef.exponent_as_long",
        lambda n, biased=True: 5,
        "exponent_as_long gives",
    ),
    "resize": (
        "collected",
        "x + y*2",
        "AstVector.__len__",
        lambda v: 1,
        "AstVector gives other terms",
    ),
    "erase": (
        "collected",
        "x + y*2",
        "AstMap.erase",
        lambda m, k: None,
        "AstMap gives a term after erase",
    ),
    "substitute": (
        "replaced",
        "x + y*2",
        "substitute",
        lambda t, *m: t,
        "substitute gives a term with the replaced constant",
    ),
    "substitute_funs": (
        "replaced",
        "f(x, f(y, 1))",
        "substitute_funs",
        lambda t, *m: m[0][1],
        "substitute_funs there and back gives another term instead",
    ),
}


@pytest.mark.parametrize("lie", Z3_LIES)
def test_a_z3_that_breaks_a_law_is_told_so(lie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    law, text, where, how, said = Z3_LIES[lie]
    z3, term = pytest.importorskip("z3"), z3_terms()[text]
    assert getattr(helpers(), law)(term) is None
    owner, _, name = where.rpartition(".")
    monkeypatch.setattr(getattr(z3, owner) if owner else z3, name, how)
    assert said in str(getattr(helpers(), law)(term))


def test_a_sort_of_another_size_is_found() -> None:
    z3 = pytest.importorskip("z3")
    facts = {"kind": "SORT_BV", "params": [8]}
    assert helpers().check_sort(z3.BitVecSort(8), facts) is None
    assert "a parameter of SORT_BV gives 9 instead of 8" in str(
        helpers().check_sort(z3.BitVecSort(9), facts)
    )
    assert "gives a ArithSortRef of kind 2 instead of a BitVecSortRef" in str(
        helpers().check_sort(z3.IntSort(), facts)
    )


def test_text_that_reads_back_as_something_else_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    z3, term = pytest.importorskip("z3"), z3_terms()["And(p, x > y, y > 3)"]
    monkeypatch.setattr(z3, "parse_smt2_string", lambda text, ctx: [z3.Not(term)])
    assert "printed and read again gives another one" in helpers().printed_again(term)


def test_a_probe_that_miscounts_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    z3 = pytest.importorskip("z3")
    x, y, p = z3.Int("x"), z3.Real("y"), z3.Bool("p")
    solver = z3.SimpleSolver()
    solver.add(x > 0, z3.Or(p, y > 1), z3.BitVec("b", 8) == 3)
    assert helpers().probed(solver) is None and helpers().listed(solver.ctx) is None
    monkeypatch.setattr(z3.Probe, "__call__", lambda probe, goal: 2.0)
    assert helpers().probed(solver) == "the probe size gives 2.0 instead of 3"


def test_a_combinator_that_loses_a_goal_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    z3 = pytest.importorskip("z3")
    (x, y), p = z3.Ints("x y"), z3.Bool("p")
    for formulas in ([x > 0, x + y < 5, z3.Or(x == 2, y == 1), p], [x > 0, x < 0], [p]):
        solver = z3.SimpleSolver()
        solver.add(formulas)
        for name in helpers().COMBINED:
            assert helpers().combined(solver, name) is None, name
    solver = z3.SimpleSolver()
    solver.add(x > 0, x < 0)
    lost = type("Lost", (), {"apply": lambda self, goal: [z3.Goal()]})
    monkeypatch.setitem(helpers().COMBINED, "then", lambda ctx: lost())
    assert "convert_model of then gives" in str(helpers().combined(solver, "then"))


TRACE = """new
mk-sort SORT_INT
 return s1
mk-const s1 "x"
 return t1 s1
mk-term OP_INT_ADD SORT_INT 2 t1 t1
 return t2 s1
z3-term@asked t2
"""


def test_a_broken_law_is_a_finding_with_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    z3 = pytest.importorskip("z3")
    assert replay(live("z3"), TRACE)[1]["finding"] is None
    trace = parse_trace(f"# murxpy-trace 1\n# solver z3 4.13.0\n{TRACE}", "t.trace")
    claim = kind_of("contract").claim("z3 4.13.0", "is_add gives False instead of True", "")
    program = next(programs(trace, catalogue(), load_wrapper("z3"), claim)).text
    assert _code(program) == 0
    monkeypatch.setattr(z3, "is_add", lambda term: False)
    found = replay(live("z3"), TRACE)[1]["finding"]
    assert (found["kind"], found["tier"]) == ("contract", "binding")
    assert "is_add gives False instead of True" in found["message"]
    assert _code(program) == 1


def _code(program: str) -> Any:
    with pytest.raises(SystemExit) as ended:
        exec(compile(program, "p.py", "exec"), {"__name__": "__main__"})
    return ended.value.code or 0
