"""What the command line takes from random walks: theories, quantifiers, nonlinear arithmetic, logics."""

from __future__ import annotations

import pytest
from commands import error
from toy import catalogue, walk

from murxpy.fuzzers.setups import RunOptions
from murxpy.logic.walks import subterms
from murxpy.machine.logics import logic_name, theories_of
from murxpy.machine.random import Stream
from murxpy.machine.trace.grammar import parse_trace
from murxpy.processes.plans import Request, make_plans
from murxpy.smtlib.logics import LOGICS
from murxpy.smtlib.reading.scripts import read_script
from murxpy.translate.formula import formula_of
from murxpy.translate.smtlib import to_smtlib
from murxpy.worker.session import Session


def headers(options: RunOptions, runs: int = 25) -> list[dict[str, str]]:
    (plan,) = make_plans(Request(("cvc5",), run_options=options))
    session = Session({**plan.setup, "solverless": True})
    return [parse_trace(walk(session, seed)[0], "walk").header for seed in range(runs)]


def test_a_theory_is_taken_away() -> None:
    for header in headers(RunOptions(("all", "-FP", "-quant"))):
        assert not {"FP", "QUANT"} & set(header["theories"].split(","))
    assert len({header["theories"] for header in headers(RunOptions(("-FP",)))}) > 5


def test_arithmetic_is_linear() -> None:
    found = headers(RunOptions(linear=True))
    assert all("linear" in header for header in found)
    assert not all("linear" in header for header in headers(RunOptions()))


def test_a_profile_makes_operators_and_theories_rarer() -> None:
    (plan,) = make_plans(Request(("z3",)))
    shares, runs = [], []
    for weight in (1.0, 0.1):
        profile = {**plan.setup["wrapper"]["profile"], "weights": {"OP_NOT": weight, "FP": weight}}
        session = Session({**plan.setup, "solverless": True, "profile": profile})
        drawn = [session.swarm.draw(Stream(seed)) for seed in range(200)]
        weights = [{op.kind: w for op, w in swarm.operators["BOOL"].pairs()} for swarm in drawn]
        shares.append(sum(one.get("OP_NOT", 0.0) / sum(one.values()) for one in weights))
        runs.append(sum("FP" in swarm.theories for swarm in drawn))
    assert 0 < 5 * shares[1] < shares[0]
    assert 0 < 3 * runs[1] < 2 * runs[0]


def test_each_run_has_a_logic() -> None:
    (plan,) = make_plans(Request(("cvc5",), run_options=RunOptions(logic="QF_*LIA")))
    session = Session({**plan.setup, "solverless": True})
    seen = set()
    for seed in range(40):
        trace = parse_trace(walk(session, seed)[0], "walk")
        logics = [line.args[0] for line in trace.lines if line.action == "set-logic"]
        seen.update(map(str, logics))
        formula = formula_of(trace, session.catalogue, "cvc5")
        script = read_script(formula.text, "walk", session.catalogue)
        for term in subterms(script.assertions()):
            assert term.op not in ("OP_FORALL", "OP_EXISTS", "OP_INT_MULT", "OP_INT_DIV"), (
                formula.text
            )
            assert term.sort.kind not in ("SORT_BV", "SORT_FP", "SORT_REAL"), formula.text
    assert {"QF_LIA", "QF_ALIA"} <= seen and all(name.endswith("LIA") for name in seen)


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_runs_have_only_actions_of_scripts(solver: str) -> None:
    """Each run is a script in the dialect of its solver, in which no action of the run is missing."""
    (plan,) = make_plans(Request((solver,), run_options=RunOptions(scripted=True)))
    session = Session({**plan.setup, "solverless": True})
    actions: set[str] = set()
    for seed in range(25):
        trace = parse_trace(walk(session, seed)[0], "walk")
        actions |= {line.action for line in trace.lines}
        text = to_smtlib(trace, session.catalogue, solver, lossy=True, by_definition=True)
        assert "action of" not in text, text
    assert {"mk-term", "check-sat", "push"} <= actions


def test_runs_of_scripts_break_no_calls(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = error(capsys, "fuzz", "z3", "--smt-lib-only", "--contract")
    assert code == 2 and "leave --smt-lib-only out" in said


@pytest.mark.parametrize("logic", LOGICS)
def test_the_theories_of_a_logic_have_its_name(logic: str) -> None:
    found = theories_of(logic)
    if found is None:
        assert logic == "ALL" or "DL" in logic
    else:
        assert logic_name(*found) == logic


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--logic", "QF_XX"), "no such logic (did you mean 'QF_AX'?)"),
        (("--logic", "QF_IDL"), "it restricts the form of terms"),
        (("--theories", "-BOOL"), "every run has this theory"),
        (("--theories", "-FPP"), "unknown theory 'FPP'"),
    ],
)
def test_what_cannot_be_had_is_refused(
    capsys: pytest.CaptureFixture[str], words: tuple[str, str], said: str
) -> None:
    code, text = error(capsys, "fuzz", "cvc5", *words)
    assert code == 2 and said in text


def test_functions_are_values_only_where_the_logic_says_so() -> None:
    """A run with functions as values sets the logic at once, also behind a reset. No other run has
    operators that take functions.
    """
    (plan,) = make_plans(Request(("cvc5",)))
    session, seen = Session({**plan.setup, "solverless": True}), set[bool]()
    for seed in range(60):
        text = walk(session, seed)[0]
        lines = parse_trace(text, "t.trace").lines
        made = [str(line.args[0]) for line in lines if line.action == "mk-term"]
        takes = any(catalogue().operators[kind].feature == "higher-order" for kind in made)
        logics = [str(line.args[0]) for line in lines if line.action == "set-logic"]
        begun = sum(line.action in ("new", "reset") for line in lines)
        higher = [logic for logic in logics if logic.startswith("HO_")]
        assert len(higher) in (0, begun), seed
        assert higher or not takes, seed
        seen.add(bool(higher))
    assert seen == {True, False}
