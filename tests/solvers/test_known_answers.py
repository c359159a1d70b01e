"""Ways of use whose answers are known by construction: both solvers give them, and one that does not is told so."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from toy import catalogue, live, replay

from murxpy.data import load_wrapper
from murxpy.findings.kinds.registry import kind_of
from murxpy.machine.trace.grammar import parse_trace
from murxpy.translate.programs.program import programs

z3 = pytest.importorskip("z3")
cvc5 = pytest.importorskip("cvc5")
CLAIMS = ("programs", "overflow", "words", "numbers")
WIDTHS = (1, 2, 5, 8, 40)
MOST = 11  # claims of a kind
IF = z3.If


@functools.cache
def helpers(solver: str) -> Any:
    """The helpers of a wrapper, as a session loads them."""
    return live(solver).wrapper.namespace["h"]


def told_by_z3(claims: str) -> Iterator[str]:
    """What is said of each claim that fails, over terms of all sorts that claims are about."""
    pairs = [z3.BitVecs("x y", width) for width in WIDTHS]
    pairs += [z3.Strings("s t"), z3.Ints("i j"), z3.Reals("r q"), z3.Bools("p q")]
    h = helpers("z3")
    for one, other in pairs:
        solver = z3.SimpleSolver()
        solver.add(one != other)
        for deep in range(MOST):  # the size of a term chooses the claim
            if said := h.proved(solver, getattr(h, claims), nested(one, deep), other):
                yield said


def nested(term: Any, deep: int) -> Any:
    """A term with some more nodes, and the same value."""
    for _ in range(deep):
        term = IF(z3.Bool("p"), term, term)
    return term


def told_by_cvc5(claims: str) -> Iterator[str]:
    tm, h = cvc5.TermManager(), helpers("cvc5")
    p = tm.mkConst(tm.getBooleanSort(), "p")
    sorts = [*map(tm.mkBitVectorSort, WIDTHS), tm.getStringSort(), tm.getIntegerSort()]
    for sort in (*sorts, tm.getRealSort(), tm.getBooleanSort()):
        one, other = tm.mkConst(sort, "one"), tm.mkConst(sort, "other")
        solver = cvc5.Solver(tm)
        solver.assertFormula(tm.mkTerm(cvc5.Kind.DISTINCT, one, other))
        for _ in range(MOST):
            if said := h.proved(tm, solver, getattr(h, claims), one, other):
                yield said
            one = tm.mkTerm(cvc5.Kind.ITE, p, one, one)


@pytest.mark.parametrize("claims", CLAIMS)
def test_claims_that_are_true_are_not_refuted(claims: str) -> None:
    assert {*told_by_z3(claims), *told_by_cvc5(claims)} == set()


LIES_OF_Z3 = [
    ("programs", "LShR", lambda a, b: a >> b, "'an average without overflow'"),
    ("programs", "ZeroExt", z3.SignExt, "'an average without overflow'"),
    ("programs", "RotateLeft", lambda a, b: a, "'a rotation by shifts'"),
    ("overflow", "BVAddNoOverflow", lambda a, b, signed: z3.BoolVal(True), "'BVAddNoOverflow'"),
    ("overflow", "BVSNegNoOverflow", lambda a: a == a, "'BVSNegNoOverflow'"),
    ("overflow", "BVMulNoUnderflow", lambda a, b: a == a, "'BVMulNoUnderflow'"),
    ("words", "PrefixOf", z3.SuffixOf, "'a prefix, a suffix, a part'"),
    ("words", "StrToInt", z3.Length, "'the parts of a text'"),
    ("numbers", "If", lambda a, b, c: b + 1, "'an absolute difference'"),
]


@pytest.mark.parametrize(("claims", "name", "lie", "said"), LIES_OF_Z3)
def test_a_z3_that_breaks_a_claim_is_told(
    claims: str, name: str, lie: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(z3, name, lie)
    assert f"a check with the negation of {said} gives sat instead of unsat" in told_by_z3(claims)


LIES_OF_CVC5 = [
    ("programs", "BITVECTOR_SUB", "BITVECTOR_ADD", "'the lowest bit'"),
    ("programs", "BITVECTOR_ROTATE_LEFT", "BITVECTOR_ROTATE_RIGHT", "'a rotation by shifts'"),
    ("overflow", "BITVECTOR_UADDO", "BITVECTOR_SADDO", "'UADDO'"),
    ("overflow", "BITVECTOR_SMULO", "BITVECTOR_UMULO", "'SMULO'"),
    ("words", "STRING_PREFIX", "STRING_SUFFIX", "'a prefix'"),
    ("words", "STRING_TO_INT", "STRING_LENGTH", "'the parts of a text'"),
    ("numbers", "LT", "GT", "'a quotient and its rest'"),
]


@pytest.mark.parametrize(("claims", "name", "other", "said"), LIES_OF_CVC5)
def test_a_cvc5_that_breaks_a_claim_is_told(
    claims: str, name: str, other: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = {kind.name: kind for kind in cvc5.Kind}
    lying = SimpleNamespace(**{**kinds, name: kinds[other]})
    monkeypatch.setitem(helpers("cvc5").programs.__globals__, "Kind", lying)
    assert f"a check with the negation of {said} gives sat instead of unsat" in told_by_cvc5(claims)


def puzzles_of_cvc5() -> list[str | None]:
    tm = cvc5.TermManager()
    p = tm.mkConst(tm.getBooleanSort(), "p")
    terms = [p, p.notTerm(), tm.mkTerm(cvc5.Kind.AND, p, p), tm.mkTerm(cvc5.Kind.AND, p, p, p)]
    return [helpers("cvc5").puzzle(tm, term) for term in terms]


def puzzles_of_z3() -> list[str | None]:
    h = helpers("z3")
    return [h.part(h.use_puzzle, z3.Or(z3.Bools("p " * size))) for size in range(1, 5)]


def test_all_solutions_of_a_puzzle_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {*puzzles_of_z3(), *puzzles_of_cvc5()} == {None}
    monkeypatch.setattr(z3, "Distinct", lambda *cells: z3.BoolVal(True))
    assert all("the solutions of a puzzle gives" in str(one) for one in puzzles_of_z3())
    lying = SimpleNamespace(**{kind.name: kind for kind in cvc5.Kind})
    lying.LEQ = cvc5.Kind.LT
    monkeypatch.setitem(helpers("cvc5").programs.__globals__, "Kind", lying)
    assert all("solutions instead of" in str(one) for one in puzzles_of_cvc5())


def test_threads_with_contexts_of_their_own_answer_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    x = z3.Int("x")
    for formula, other in ((x > 3, "unsat"), (z3.And(x > 3, x < 4), "sat")):
        solver = z3.SimpleSolver()
        solver.add(formula)
        assert helpers("z3").in_threads(solver) is None
        check = z3.Solver.check

        def lie(self: Any, other: str = other, check: Any = check) -> Any:
            right = check(self)
            return (
                right
                if self.ctx is z3.main_ctx()
                else z3.CheckSatResult(z3.Z3_L_TRUE if other == "sat" else z3.Z3_L_FALSE)
            )

        with monkeypatch.context() as patched:
            patched.setattr(z3.Solver, "check", lie)
            said = helpers("z3").in_threads(solver)
        assert said is not None and f"gives {other} instead of" in said


TRACE = """new
mk-sort SORT_BV 4
 return s1
mk-const s1 "x"
 return t1 s1
mk-sort SORT_BOOL
 return s2
mk-term OP_EQUAL SORT_BOOL 2 t1 t1
 return t2 s2
assert-formula t2
{}-prove@programs t1 t1
"""


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_a_claim_that_is_refuted_is_a_finding_with_a_program(
    solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TRACE.format(solver)
    assert replay(live(solver), text)[1]["finding"] is None
    said = "a check with the negation of 'the lowest bit' gives sat instead of unsat"
    trace = parse_trace(f"# murxpy-trace 1\n# solver {solver} 9.9.9\n{text}", "t.trace")
    claim = kind_of("contract").claim(f"{solver} 9.9.9", said, "")
    program = next(programs(trace, catalogue(), load_wrapper(solver), claim)).text
    assert "def programs" in program and "def words" not in program
    with pytest.raises(SystemExit) as ended:
        exec(compile(program, "p.py", "exec"), {"__name__": "__main__"})
    assert not ended.value.code
    names = helpers(solver).programs.__globals__
    right = names["programs"]

    def wrong(*operands: Any) -> Any:
        claim = dict(right(*operands))["the lowest bit"]
        return [("the lowest bit", z3.Not(claim) if solver == "z3" else claim.notTerm())]

    monkeypatch.setattr(helpers(solver), "programs", wrong)
    found = replay(live(solver), text)[1]["finding"]
    assert (found["kind"], found["message"]) == ("contract", said)
