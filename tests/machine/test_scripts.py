"""Whole scripts as lines of a trace, on z3 and on cvc5, and what is expected of their checks."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import error, outcome

from murxpy.machine.script import answers_of

pytestmark = pytest.mark.usefixtures("kept_solvers")

SCRIPT = "(set-logic QF_LIA)(declare-const x Int)(assert (> x 3))(check-sat)(push 1)(assert (< x 2))(check-sat)(pop 1)"
HEAD = "# murxpy-trace 1\n# solver {}\n1 new\n1 set-limit 100000\n"


def written(tmp_path: Path, solver: str, *lines: str) -> Path:
    path = tmp_path / "a.trace"
    path.write_text(HEAD.format(solver) + "".join(f"1 {line}\n" for line in lines))
    return path


@pytest.fixture(params=["z3", "cvc5"])
def solver(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_checks_of_a_script_are_answered(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, solver: str
) -> None:
    path = written(
        tmp_path,
        solver,
        "expect sat unsat",
        f'run-script "{SCRIPT}"',
        "expect unknown",
        f'run-script "{SCRIPT}"',
    )
    code, out, _ = outcome(capsys, "replay", path)
    assert code == 0 and "answers: 2 sat, 2 unsat" in out


def test_a_procedure_that_does_not_count_ends_with_its_wall_time(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    endless = "(declare-const b Real)(assert (> 1.0 (cos (cos (sin 1.0)))))(check-sat)"
    path = tmp_path / "a.trace"
    head = HEAD.format("z3").replace("100000", "100000 100")
    path.write_text(f'{head}1 run-script "{endless}"\n')
    code, out, _ = outcome(capsys, "replay", path)
    assert code == 0 and "answers: 1 unknown" in out


def test_the_opposite_of_what_is_expected_is_a_finding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, solver: str
) -> None:
    path = written(tmp_path, solver, "expect sat sat", f'run-script "{SCRIPT}"')
    code, out, _ = outcome(capsys, "replay", path)
    assert code == 1 and out.startswith(
        "wrong-answer: answered unsat, expected sat by how the check was made"
    )


def test_what_is_expected_holds_for_a_check_of_terms_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, solver: str
) -> None:
    code, out, _ = outcome(capsys, "replay", written(tmp_path, solver, "expect unsat", "check-sat"))
    assert code == 1 and out.startswith("wrong-answer: answered sat, expected unsat")


@pytest.mark.parametrize(
    "text", ["(assert (> y 1))", "(assert", "(set-logic QF_LIA)(declare-const x Int)(assert x)"]
)
def test_a_script_that_is_none_is_our_fault(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, solver: str, text: str
) -> None:
    code, out, _ = outcome(capsys, "replay", written(tmp_path, solver, f'run-script "{text}"'))
    assert code == 1 and out.startswith("ill-formed: ")


def test_only_answers_can_be_expected(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, text = error(capsys, "replay", written(tmp_path, "z3", "expect perhaps"))
    assert code == 2 and text.endswith(":5: expected sat, unsat or unknown, found 'perhaps'")


def test_the_reason_of_an_unknown_is_no_part_of_the_answer() -> None:
    assert answers_of("sat\nunknown (RESOURCEOUT)\ntimeout\n(sat)\n") == [
        "sat",
        "unknown",
        "unknown",
    ]


def test_theories_that_cvc5_calls_experimental(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = "(set-logic ALL)(declare-const x (_ FloatingPoint 5 11))(assert (fp.lt x x))(check-sat)"
    code, out, _ = outcome(
        capsys, "replay", written(tmp_path, "cvc5", "expect unsat", f'run-script "{text}"')
    )
    assert code == 0 and "answers: 1 unsat" in out


def test_an_error_of_one_script_is_not_that_of_the_next(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, solver: str
) -> None:
    """Releases of z3 before 4.15 keep it; there is no model after `unsat`."""
    first = "(set-option :produce-models true)(set-logic ALL)(declare-const p Bool)(assert (and p (not p)))(check-sat)(get-model)"
    second = first.replace("(not p)", "p")
    lines = ("expect unsat", f'run-script "{first}"', "expect sat", f'run-script "{second}"')
    code, out, _ = outcome(capsys, "replay", written(tmp_path, solver, *lines))
    assert code == 0 and "answers: 1 sat, 1 unsat" in out


def test_an_error_of_a_check_is_the_solvers_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """cvc5 takes all of this script, and then throws what would be our fault if it were said of a
    command that makes something.
    """
    text = "(set-option :nl-ext-purify true)(set-logic ALL)(declare-const c Real)(declare-sort A 0)(declare-fun a (A Real) Real)"
    text += "(declare-const b A)(declare-const d Real)(assert (< c (a b (- c d))))(check-sat)"
    code, out, _ = outcome(capsys, "replay", written(tmp_path, "cvc5", f'run-script "{text}"'))
    assert code == 1 and out.startswith(
        "exception: RuntimeError: check error: operator does not have function type"
    ), out
