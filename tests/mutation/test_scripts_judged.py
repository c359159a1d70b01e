"""The models and cores that scripts ask for: wrong ones are findings, right ones are none; and
which mutants ask for them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import scriptsolvers
from campaigns import FAKES
from commands import error, outcome
from toy import catalogue, forked, live
from toy import replay as again

from murxpy.data import load_machine
from murxpy.machine.random import Stream, mix
from murxpy.machine.tokens import quote
from murxpy.machine.trace.grammar import parse_trace
from murxpy.machine.witnesses.script_evidence import answered, asks, questions, without_questions
from murxpy.smtlib.printed_models import Valuation, read_printed_model
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.mutation.known import asking, drawn, fitting
from murxpy.sources.mutation.source import PROMISES
from murxpy.translate.python import SCRIPTS

pytestmark = pytest.mark.usefixtures("kept_solvers")

CATALOGUE = catalogue()
HEAD = "# murxpy-trace 1\n# solver {}\n1 new\n"
BOOLEANS = "(declare-const p Bool)(declare-const q Bool)"
SCOPES = """(declare-const x Int)(declare-const y Int)
(assert (! (> x 3) :named a))
(check-sat)
(get-model)
(push 1)
(assert (< x 2))
(check-sat-assuming ((= y 0)))
(get-unsat-core)
(pop 1)
(check-sat)
(echo "between")
(get-model)
"""


def replayed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, solver: str, text: str
) -> tuple[int, str]:
    """Exit code and output of the replay of a script."""
    path = tmp_path / "a.trace"
    path.write_text(HEAD.format(solver.partition("@")[0]) + f"1 run-script {quote(text)}\n")
    wrapper = ("--wrapper", FAKES / "scripts.yaml") if solver.startswith("fake") else ()
    code, out, _ = outcome(capsys, "replay", path, "--solver", solver, *wrapper)
    return code, out


def planted(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> tuple[int, str]:
    """The same on a solver in whose models all is true, and whose cores are the last name."""
    return replayed(capsys, tmp_path, f"fake@{FAKES}", BOOLEANS + text)


def test_a_wrong_model_is_a_finding(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out = planted(
        capsys, tmp_path, "(assert (or p q))(assert (not (and p q)))(check-sat)(get-model)"
    )
    assert code == 1 and out.startswith(
        "invalid-model: an assertion about BOOL is false under the model that the solver printed"
    ), out
    assert planted(capsys, tmp_path, "(assert (or p q))(check-sat)(get-model)")[0] == 0


def test_a_core_that_is_solved_again_is_no_second_script() -> None:
    text = "(declare-const p Bool)(assert (! p :named a))(assert (! (not p) :named b))(check-sat)(get-unsat-core)"
    lines = f"1 run-script {quote('(set-option :produce-unsat-cores true)' + text)}\n"
    trace = f"# solver z3 1\n1 new\n{lines}{lines}1 delete\n"
    counts = forked(partial(again, live("z3"), trace))[1]["counts"]
    assert counts["check-script-core:unsat"] == 2
    found = {
        action: (counts[f"action:{action}"], counts[f"action-ok:{action}"])
        for action in ("new", "run-script", "delete")
    }
    assert found == {"new": (1, 1), "run-script": (2, 2), "delete": (1, 1)}


UNIVERSE = """(set-option :produce-models true)(set-logic ALL)(declare-sort U 0)(declare-const u U)(declare-const b Bool)(assert b)
(assert (set.subset (ite b {} (as set.empty (Set U))) (set.minus (as set.empty (Set U)) (set.singleton u))))
(check-sat)(get-model)"""


@pytest.mark.parametrize(
    "everything", ["(set.complement (as set.empty (Set U)))", "(as set.universe (Set U))"]
)
def test_a_model_that_does_not_print_its_universe_is_not_judged_by_another(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, everything: str
) -> None:
    """The universe of cvc5 is any set that includes the other sets of its sort, here the empty one. The
    model that it prints has constants alone.
    """
    code, out = replayed(capsys, tmp_path, "cvc5", UNIVERSE.format(everything))
    assert code == 0 and "answers: 1 sat" in out, out


def test_a_model_that_nobody_asked_for_is_not_judged(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert planted(capsys, tmp_path, "(assert (not p))(check-sat)")[0] == 0


def test_a_satisfiable_core_is_a_finding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The planted solver says unsat where it sees an exclusive or, and blames what stands behind
    it.
    """
    code, out = planted(
        capsys,
        tmp_path,
        "(assert (! (xor p q) :named a))(assert (! (or p q) :named b))(check-sat)(get-unsat-core)",
    )
    assert code == 1 and out.startswith(
        "invalid-core: the unsat core is satisfiable when solved anew; all of it is true"
    ), out
    code, _ = planted(
        capsys,
        tmp_path,
        "(assert (! (or p q) :named a))(assert (! (xor p q) :named b))(check-sat)(get-unsat-core)",
    )
    assert code == 0, "this core is unsat again"


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_right_models_and_cores_are_no_findings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, solver: str
) -> None:
    options = "(set-option :produce-models true)(set-option :produce-unsat-cores true)(set-option :incremental true)"
    text = ("" if solver == "z3" else options) + "(set-logic ALL)" + SCOPES
    code, out = replayed(
        capsys,
        tmp_path,
        solver,
        text if solver == "cvc5" else options[: options.index("(set-option :incr")] + text,
    )
    assert code == 0 and "answers: 2 sat, 1 unsat" in out, out


def test_the_questions_of_a_script() -> None:
    found = questions(read_script(SCOPES, "a", CATALOGUE))
    assert [(len(q.asserted), len(q.assumptions), q.model, q.core) for q in found] == [
        (1, 0, True, False),
        (2, 1, False, True),
        (1, 0, True, False),
    ]
    assert asks(SCOPES) and not asks(without_questions(SCOPES))
    assert [
        (q.model, q.core) for q in questions(read_script(without_questions(SCOPES), "a", CATALOGUE))
    ] == [(False, False)] * 3


def test_what_is_printed_belongs_to_the_answer_before_it() -> None:
    output = "sat\n((define-fun x () Int 4))\nunknown (RESOURCEOUT)\nunsat\n(a b)\n"
    assert [(answer, rest.strip()) for answer, rest in answered(output)] == [
        ("sat", "((define-fun x () Int 4))"),
        ("unknown", ""),
        ("unsat", "(a b)"),
    ]
    assert answered("") == answered('(error "no")') == []


def test_a_constant_that_does_not_matter_has_some_value() -> None:
    """Only where all of the model was read: a value that could not be read is not any value."""
    script = read_script(
        "(declare-const x Int)(declare-const y Int)(assert (or (= x 1) (> y 7)))(check-sat)",
        "a",
        CATALOGUE,
    )
    whole = read_printed_model("((define-fun x () Int 1))", script)
    assert whole.whole and Valuation(script, whole, completed=True).holds(script.assertions()[0])
    assert not read_printed_model(
        "((define-fun x () Int 1) (define-fun y () Int (what 3)))", script
    ).whole
    assert not read_printed_model("((define-fun x () Int 1)", script).whole


@pytest.mark.parametrize("what", ["models", "cores"])
def test_a_mutant_that_asks_reads_back(what: str) -> None:
    text = "(declare-const x Int)(assert (> x 3))(check-sat)(push 1)(assert (< x 9))(check-sat)"
    script = asking(read_script(text, "a", CATALOGUE), what)
    found = questions(read_script(print_script(script, "standard"), "b", CATALOGUE))
    assert [(q.model, q.core) for q in found] == [(what == "models", what == "cores")] * 2
    assert all((a.name is not None) == (what == "cores") for q in found for a in q.asserted)


def test_nothing_is_asked_that_cannot_be_answered() -> None:
    assert (
        drawn({}, Stream(1)) == ""
        and drawn({"models": 1.0}, Stream(1)) == "models"
        and drawn({"cores": 1.0}, Stream(1)) == "cores"
    )
    assert (
        fitting("models", ("sat", "unsat")) == fitting("models", ()) == "models"
        and fitting("", ("sat",)) == ""
    )
    assert fitting("models", ("unsat",)) == "" and fitting("cores", ("sat", "sat")) == ""


def test_definitions_of_the_script_are_no_part_of_its_model() -> None:
    """z3 prints them; one that cannot be read does not spoil the rest."""
    script = read_script(
        "(declare-const x Int)(define-fun d () Bool (> x 3))(assert d)(check-sat)", "a", CATALOGUE
    )
    model = read_printed_model("((define-fun d () Bool (what x)) (define-fun x () Int 5))", script)
    assert model.whole and len(model.definitions) == 1


@pytest.mark.parametrize(
    ("solver", "through"),
    [
        ("z3", "text"),
        ("cvc5", "api"),
        pytest.param("z3", "api", marks=pytest.mark.slow),
        pytest.param("cvc5", "text", marks=pytest.mark.slow),
    ],
)
def test_mutants_are_judged(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, solver: str, through: str
) -> None:
    """In a run that asks for models every sat mutant has its model judged, on either way; without
    the check none does.
    """
    seed = tmp_path / "a.smt2"
    seed.write_text(
        "(declare-const x Int)(declare-const y Int)(assert (or (> x y) (= x 3)))(assert (< (+ x y) 9))(check-sat)"
    )
    args = ("opfuzz", solver, seed, "--run-seed", RUN, "--iterations", "25", "--through", through)
    traces = {checks: outcome(capsys, *args, "--check", checks)[1] for checks in ("models", "none")}
    word = "(get-model)" if through == "text" else " check-model@"
    assert traces["models"].count(word) >= 3 and word not in traces["none"]
    assert "# checks models\n" in traces["models"] and "# checks none\n" in traces["none"]
    if through == "text":
        assert steps(traces["models"]) == steps(traces["none"]), (
            "what is asked does not change what is made"
        )


def test_each_mutant_of_a_fuzzer_that_keeps_models_is_asked_for_its_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Whatever the run is. The first questions are those about the seed."""
    seed = tmp_path / "a.smt2"
    seed.write_text("(set-info :status sat)(declare-const x Int)(assert (> x 3))(check-sat)")
    for number in ("1", "2"):
        args = ("diver", "z3", seed, "--run-seed", number, "--iterations", "6", "--models", "1")
        trace = outcome(capsys, *args)[1]
        assert trace.count("# diver: ") == 6 and trace.count("(get-model)") == 7


def _asking() -> str:
    """A run seed whose mutants ask for models."""
    chance = load_machine("default")["probabilities"]["script-models-open"]
    return next(
        f"{seed:x}"
        for seed in range(1, 99)
        if drawn({"models": chance}, Stream(mix(seed, PROMISES))) == "models"
    )


RUN = _asking()


def steps(trace: str) -> list[str]:
    """What a trace says that was done from one mutant to the next."""
    return re.findall(r"^# opfuzz: .*$", trace, re.M)


def test_an_unknown_check_is_one_clear_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seed = tmp_path / "a.smt2"
    seed.write_text("(check-sat)")
    code, text = error(capsys, "storm", "z3", seed, "--check", "proofs")
    assert code == 2 and "unknown name 'proofs'" in text


@pytest.mark.parametrize(
    "run_seed",
    ["1", pytest.param("2", marks=pytest.mark.slow), pytest.param("3", marks=pytest.mark.slow)],
)
def test_a_chain_does_not_go_on_from_what_is_trivially_false(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, run_seed: str
) -> None:
    seed = tmp_path / "a.smt2"
    atoms = [f"(or (< x {k}) (> x {k + 3}) (= y {k}))" for k in range(6)]
    seed.write_text(
        "(declare-const x Int)(declare-const y Int)"
        + "".join(f"(assert {atom})" for atom in atoms)
        + "(check-sat)"
    )
    args = (
        "opfuzz",
        "z3",
        seed,
        "--run-seed",
        run_seed,
        "--iterations",
        "60",
        "--no-option-fuzzing",
        "--check",
        "none",
    )
    parent, before, trivial = None, None, 0
    for block in re.split(r"(?m)^(?=# opfuzz: )", outcome(capsys, *args)[1])[1:]:
        line = parse_trace(
            "".join(f"{row}\n" for row in block.splitlines() if " run-script" in row).split("\n")[0]
            + "\n",
            "row",
        ).lines[0]
        script = read_script(line.args[0].text, "mutant", CATALOGUE)  # type: ignore[union-attr]
        made = [
            print_script(
                read_script(f"(declare-const x Int)(declare-const y Int){text}", "a", CATALOGUE),
                "standard",
            )
            for text in re.findall(r"\(assert .*\)", print_script(script, "standard"))
        ]
        if parent is not None:
            assert sum(a != b for a, b in zip(parent, made, strict=True)) == 1
        before, parent = parent, made
        if "simplification makes false" in block:
            trivial += 1
            parent = before
    assert trivial or run_seed != "1"


MODELLED = (
    "(declare-fun x () Int)(declare-const a (Array Int Real))(declare-fun f (Int) Int)"
    "(define-fun d () Bool (> x 3))(assert (or d (= (select a x) 0.5)))(check-sat)(get-model)"
)
PRINTED = """sat
(
  (define-fun x () Int
    {})
  (define-fun a () (Array Int Real)
    (store ((as const (Array Int Real)) 0.0) 1 (/ 1.0 2.0)))
  (define-fun f ((x!0 Int)) Int
    7)
  (define-fun d () Bool
    (> x 3))
)
"""


@pytest.mark.parametrize(("value", "answer"), [("4", "sat"), ("1", "sat"), ("(- 2)", "unsat")])
def test_a_program_fixes_constants_to_the_values_that_were_printed(value: str, answer: str) -> None:
    """Of the values of x, the last makes the assertion false."""
    names: dict[str, Callable[[str, str], str]] = {}
    exec(SCRIPTS, names)
    fixed = names["with_values"](MODELLED, PRINTED.format(value))
    assert f"(assert (= x {value}))" in fixed and "(= f" not in fixed and "(= d" not in fixed
    assert scriptsolvers.answers("z3", fixed) == [answer]
    assert (
        names["with_values"](MODELLED, "unsat\n")
        == names["with_values"](MODELLED, "unknown\n")
        == ""
    )


def test_the_program_of_a_script_that_asks_for_its_model(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, program = tmp_path / "a.trace", tmp_path / "a.py"
    path.write_text(HEAD.format("z3") + f"1 run-script {quote(MODELLED)}\n      answer sat\n")
    assert outcome(capsys, "translate", path, "--to", "python", "-o", program)[0] == 0
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    assert (
        done.returncode == 0 and "the assertions with the values of the model: sat" in done.stdout
    ), done


def test_a_constant_that_is_renamed_for_the_solver_has_its_value(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seed = tmp_path / "a.smt2"
    seed.write_text(
        "(set-info :status sat)(declare-const pi Real)"
        "(assert (and (> pi 3.0) (not (>= pi (/ 7.0 2.0)))))(check-sat)"
    )
    words = ("--oracle", "sat", "--runs", "4", "--jobs", "1", "--iterations", "6")
    code, out, err = outcome(capsys, "janus", "z3", seed, *words, "--out", tmp_path / "out")
    assert code == 0, out + err
