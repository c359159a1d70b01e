"""Laws of synthesis, of timeout cores and of what a check tells: cvc5 keeps them, and a cvc5 that breaks one is told
so.
"""

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


@functools.cache
def helpers() -> Any:
    """The helpers of the wrapper, as a session loads them."""
    return live("cvc5").wrapper.namespace["h"]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no search end because the machine is busy."""
    monkeypatch.setitem(helpers().__dict__["_SYNTHESIS"], "tlimit-per", "20000")


class Terms:
    """Terms of one manager, by short names."""

    def __init__(self) -> None:
        self.tm = cvc5.TermManager()
        integer, truth = self.tm.getIntegerSort(), self.tm.getBooleanSort()
        self.x, self.y = (self.tm.mkConst(integer, name) for name in "xy")
        self.p, self.q = (self.tm.mkConst(truth, name) for name in "pq")
        sort = self.tm.mkUninterpretedSort("U")
        self.u, self.v = (self.tm.mkConst(sort, name) for name in "uv")

    def less(self, one: Any, other: Any) -> Any:
        return self.tm.mkTerm(Kind.LT, one, other)

    def asserted(self, *formulas: Any) -> Any:
        solver = cvc5.Solver(self.tm)
        for formula in formulas:
            solver.assertFormula(formula)
        return solver


class Lying:
    """Stands for an object of cvc5, with some of its methods replaced."""

    def __init__(self, real: Any, lies: dict[str, Any]) -> None:
        self.real, self.lies = real, lies

    def __getattr__(self, name: str) -> Any:
        return self.lies.get(name) or getattr(self.real, name)


def plant(monkeypatch: pytest.MonkeyPatch, **lies: Any) -> None:
    """Let each solver of the laws have lies in the place of methods. One whose lie is about a model finds
    the truth when it refutes.
    """
    real = helpers().__dict__["_own_solver"]
    monkeypatch.setitem(helpers().__dict__, "_own_solver", lambda *a: Lying(real(*a), lies))


def result(**answers: bool) -> Any:
    """The result of a synthesis that says what it is told to."""
    kinds = ("hasSolution", "hasNoSolution", "isUnknown")
    return type("Result", (), {k: lambda self, k=k: answers.get(k, False) for k in kinds})()


def told(tm: Any, solver: Any, how: str) -> Any:
    """What is wrong with what is told, by the name of a spelling."""
    return helpers().told(tm, solver, getattr(helpers(), how.replace("-", "_")))


HOW = ("plain", "grammar", "next", "assume", "invariant")


def test_cvc5_keeps_the_laws_of_synthesis() -> None:
    t = Terms()
    pairs = [
        (t.less(t.y, t.x), t.less(t.tm.mkInteger(3), t.y)),
        (t.less(t.x, t.x), t.p),
        (t.tm.mkTerm(Kind.EQUAL, t.p, t.q), t.q),
        (t.p, t.p),
        (t.less(t.x, t.y), t.less(t.x, t.y)),
    ]
    for how in HOW:
        for first, second in pairs:
            assert helpers().synthesized(t.tm, how, first, second) is None, (how, first)


def test_other_formulas_are_left_out() -> None:
    t = Terms()
    real, integer = t.tm.mkConst(t.tm.getRealSort(), "r"), t.tm.getIntegerSort()
    function = t.tm.mkConst(t.tm.mkFunctionSort(integer, integer), "f")
    applied = t.tm.mkTerm(Kind.APPLY_UF, function, t.x)
    for term in (t.less(real, real), t.less(applied, t.x), t.tm.mkTrue()):
        assert helpers()._symbols([term]) is None
    assert sorted(map(str, helpers()._symbols([t.less(t.x, t.y)]))) == ["x", "y"]


LIES: dict[str, tuple[str, Any, str]] = {
    # how, what lies (of the terms), what is said of it
    "solution": (
        "plain",
        lambda t: {
            "getSynthSolution": lambda f: t.tm.mkInteger(0),
            "getSynthSolutions": lambda fs: [t.tm.mkInteger(0)],
        },
        "gives 0 instead of what makes the constraint true",
    ),
    "second solution": (
        "next",
        lambda t: {
            "checkSynthNext": lambda: result(hasSolution=True),
            "getSynthSolution": lambda f: t.x,
            "getSynthSolutions": lambda fs: [t.x],
        },
        "instead of what makes the constraint true",
    ),
    "list": (
        "plain",
        lambda t: {"getSynthSolutions": lambda fs: []},
        "getSynthSolutions gives another solution instead",
    ),
    "constraints": (
        "plain",
        lambda t: {"getSygusConstraints": list},
        "getSygusConstraints gives none",
    ),
    "assumptions": (
        "assume",
        lambda t: {"getSygusAssumptions": list},
        "getSygusAssumptions gives none",
    ),
    "answers": (
        "plain",
        lambda t: {"checkSynth": lambda: result()},
        "are 0 instead of one",
    ),
    "syntax": (
        "grammar",
        lambda t: {
            "getSynthSolution": lambda f: t.tm.mkTerm(Kind.SUB, t.x, t.x),
            "getSynthSolutions": lambda fs: [t.tm.mkTerm(Kind.SUB, t.x, t.x)],
        },
        "instead of a function of its grammar",
    ),
    "invariant": (
        "invariant",
        lambda t: {
            "getSynthSolution": lambda f: t.tm.mkTrue(),
            "checkSynth": lambda: result(hasSolution=True),
        },
        "instead of what keeps the rule of what follows from it",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_synthesis_that_breaks_a_law_is_told(lie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    how, lies, said = LIES[lie]
    t = Terms()
    first, second = t.less(t.y, t.x), t.less(t.tm.mkInteger(3), t.y)
    assert helpers().synthesized(t.tm, how, first, second) is None
    plant(monkeypatch, **lies(t))
    assert said in str(helpers().synthesized(t.tm, how, first, second))


def test_a_solution_that_is_overlooked_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    t = Terms()
    valid = t.tm.mkTerm(Kind.OR, t.p, t.p.notTerm())
    plant(monkeypatch, checkSynth=lambda: result(hasNoSolution=True))
    found = helpers().synthesized(t.tm, "plain", valid, t.q)
    assert found == "checkSynth gives no solution instead of any function"
    never = t.tm.mkTerm(Kind.AND, t.p, t.p.notTerm())
    found = helpers().synthesized(t.tm, "invariant", never, t.q)
    assert found == "checkSynth gives no solution instead of an invariant of no first state"


TOLD = ("learned", "timeout-core", "timeout-assumptions", "lemmas", "elements")


def test_cvc5_keeps_the_laws_of_what_it_tells() -> None:
    t = Terms()
    apart = t.tm.mkTerm(Kind.DISTINCT, t.u, t.v)
    for formulas in (
        [],
        [t.p, t.q],
        [t.less(t.x, t.y), t.less(t.y, t.x)],
        [apart, t.p],
        [t.p, t.p.notTerm()],
    ):
        for how in TOLD:
            assert told(t.tm, t.asserted(*formulas), how) is None, how


def test_a_learned_literal_with_internal_terms_is_not_asked() -> None:
    t = Terms()
    bits, number = t.tm.mkVar(t.tm.mkBitVectorSort(57)), t.tm.mkVar(t.tm.mkFloatingPointSort(2, 18))
    zero = t.tm.mkTerm(Kind.FLOATINGPOINT_IS_ZERO, t.tm.mkConst(number.getSort()))
    bit = t.tm.mkTerm(t.tm.mkOp(Kind.BITVECTOR_EXTRACT, 1, 1), bits)
    one = t.tm.mkTerm(Kind.EQUAL, bit, t.tm.mkBitVector(1, 1))
    sets = [
        t.tm.mkTerm(Kind.SET_COMPREHENSION, t.tm.mkTerm(Kind.VARIABLE_LIST, bound), body, body)
        for bound, body in ((bits, one), (number, zero))
    ]
    assert told(t.tm, t.asserted(t.tm.mkTerm(Kind.EQUAL, *sets)), "learned") is None


@pytest.mark.parametrize(
    ("how", "lies", "said"),
    [
        (
            "learned",
            lambda t: {"getLearnedLiterals": lambda kind: [t.q]},
            "getLearnedLiterals(PREPROCESS_SOLVED) gives q instead of",
        ),
        (
            "timeout-core",
            lambda t: {"getTimeoutCore": lambda: (t.unsat, [t.p])},
            "answers unsat instead of sat",
        ),
        (
            "timeout-core",
            lambda t: {"getTimeoutCore": lambda: (t.unsat, [t.q])},
            "instead of asserted ones",
        ),
        (
            "timeout-core",
            lambda t: {"getTimeoutCore": lambda: (t.sat, [t.p])},
            "after sat gives 1 formulas instead of none",
        ),
        (
            "timeout-assumptions",
            lambda t: {"getTimeoutCoreAssuming": lambda *assumed: (t.unsat, [])},
            "answers unsat instead of sat",
        ),
        (
            "elements",
            lambda t: {"getModelDomainElements": lambda sort: []},
            "instead of an element of its sort",
        ),
        (
            "elements",
            lambda t: {"getModelDomainElements": lambda sort: [t.u, t.u]},
            "an element twice",
        ),
    ],
)
def test_a_cvc5_that_tells_wrongly_is_found(
    how: str, lies: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    t: Any = Terms()
    t.sat = cvc5.Solver(t.tm).checkSat()
    t.unsat = t.asserted(t.tm.mkFalse()).checkSat()
    either = t.tm.mkTerm(Kind.OR, t.q, t.q.notTerm())
    formulas = [t.p, either, t.tm.mkTerm(Kind.DISTINCT, t.u, t.v)]
    plant(monkeypatch, **lies(t))
    assert said in str(told(t.tm, t.asserted(*formulas), how))


def test_wrong_lemmas_and_difficulties_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    t = Terms()
    one = t.tm.mkInteger(1)
    assert helpers().difficulties({t.p: one}, [t.p]) is None
    assert "instead of an assertion" in helpers().difficulties({t.q: one}, [t.p])
    assert "instead of a number" in helpers().difficulties({t.p: t.q}, [t.p])
    assert "instead of a number from 0" in helpers().difficulties({t.p: t.tm.mkInteger(-1)}, [t.p])
    plant(monkeypatch, getUnsatCoreLemmas=lambda: [t.q])
    found = told(t.tm, t.asserted(t.p, t.p.notTerm()), "lemmas")
    assert found == "getUnsatCoreLemmas gives q instead of a valid lemma"


TRACE = """new
mk-sort SORT_BOOL
 return s1
mk-const s1 "p"
 return t1 s1
mk-const s1 "q"
 return t2 s1
assert-formula t1
cvc5-synthesis@plain t1 t2
cvc5-told@timeout-core
"""


def test_a_broken_law_is_a_finding_with_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    assert replay(live("cvc5"), TRACE)[1]["finding"] is None
    trace = parse_trace(f"# murxpy-trace 1\n# solver cvc5 1.4.2\n{TRACE}", "t.trace")
    claim = kind_of("contract").claim(
        "cvc5 1.4.2", "a timeout core after sat gives 1 formulas instead of none", ""
    )
    program = next(programs(trace, catalogue(), load_wrapper("cvc5"), claim)).text
    assert _code(program) == 0
    real = cvc5.Solver

    def lying(tm: Any) -> Any:
        made = real(tm)

        def core() -> Any:
            return made.getTimeoutCore()[0], made.getAssertions()

        return Lying(made, {"getTimeoutCore": core})

    monkeypatch.setattr(cvc5, "Solver", lying)
    found = replay(live("cvc5"), TRACE)[1]["finding"]
    assert (found["kind"], found["tier"]) == ("contract", "binding")
    assert "a timeout core after sat gives 1 formulas instead of none" in found["message"]
    assert _code(program) == 1


def _code(program: str) -> Any:
    with pytest.raises(SystemExit) as ended:
        exec(compile(program, "p.py", "exec"), {"__name__": "__main__"})
    return ended.value.code or 0
