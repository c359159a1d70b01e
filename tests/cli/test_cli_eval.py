"""`murxpy eval`: the model of a trace and the value of each assertion under it, and the Python
program of such a finding.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from commands import error, outcome

pytestmark = pytest.mark.usefixtures("kept_solvers")

HELD = """# murxpy-trace 1
# solver z3 5.4.0
1 new
1 mk-sort SORT_INT
 return s1
1 mk-const s1 "x"
 return t1 s1
1 mk-value s1 "3"
 return t2 s1
1 mk-term OP_EQUAL SORT_BOOL 2 t1 t2
 return t3 s2
1 mk-term OP_FORALL SORT_BOOL 2 t4 t5
1 assert-formula t3
1 check-sat
"""
FOUND = Path(__file__).parents[2] / "traces" / "regressions" / "cvc5-1.4.2"


def test_assertions_with_their_values(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "held.trace"
    file.write_text(HELD.replace("1 mk-term OP_FORALL SORT_BOOL 2 t4 t5\n", ""))
    code, out, err = outcome(capsys, "eval", file)
    assert (code, err) == (0, "")
    assert out == "model\n  x (t1)  3\nassertions and assumptions\n  t3     true\n"


def test_a_false_assertion_sets_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("cvc5")
    code, out, _ = outcome(capsys, "eval", FOUND / "piand-of-a-negative-width.trace")
    assert code == 1 and "a (t1)" in out
    assert out.endswith(
        "  t4     false\n"
        "terms in what is false\n  t3     0, the solver says 1\n  t4     false, the solver says true\n"
    )


def test_nothing_to_evaluate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "none.trace"
    file.write_text("# murxpy-trace 1\n# solver z3 5.4.0\n1 new\n1 check-sat\n")
    assert outcome(capsys, "eval", file)[:2] == (
        0,
        "no model: no check answers sat with something asserted\n",
    )


def test_a_script_that_the_api_refuses_is_evaluated_as_text(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "f.smt2"
    functions = "(set-logic HO_ALL)(declare-fun h ((-> Int Int)) Int)(declare-fun g (Int) Int)"
    file.write_text(f"{functions}(assert (= (g 1) 1))\n(assert\n (> 4 3))(check-sat)(get-proof)")
    code, out, err = outcome(capsys, "eval", file, "--solver", "z3")
    refused = "mk-sort: no terms of a function's sort here"
    assert (code, err) == (0, "") and out.startswith(
        f"through z3's reader of scripts, since its API refuses a part ({refused})\nmodel\n"
    )
    assert (
        out.endswith("assertions and assumptions\n  line 1 true\n  line 2 true\n")
        and "g  ((x!0 Int)) 1\n" in out
    )
    code, line = error(capsys, "eval", file, "--solver", "z3", "--through", "api")
    assert code == 2 and f"z3's API refuses a part of the script ({refused})" in line


def test_a_script_that_nothing_of_a_solver_takes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "f.smt2"
    file.write_text("(declare-const r (Relation Int Int))(assert (= r r))(check-sat)")
    code, line = error(capsys, "eval", file, "--solver", "z3")
    assert (
        code == 2
        and "through z3's reader of scripts, since its API refuses" in line
        and "unknown sort 'Relation'" in line
    )


@pytest.mark.parametrize("way", ["api", "text"])
def test_checks_that_are_not_sat_have_no_model(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, way: str
) -> None:
    file = tmp_path / "f.smt2"
    file.write_text(
        '(declare-const r RegLan)(assert (str.in_re "a" r))(assert false)(check-sat)(get-proof)'
    )
    code, out, _ = outcome(capsys, "eval", file, "--solver", "z3", "--through", way)
    assert (code, out.splitlines()[1:]) == (0, ["no model: the checks answer unsat"])


SCRIPTS = """# murxpy-trace 1
# solver z3 5.4.0
1 new
1 expect unsat
1 run-script "(declare-const a Int)(assert (> a 0))(check-sat)(push 1)(assert (> a 3))(check-sat-assuming ((< a 5)))"
1 run-script "(assert false)(check-sat)"
"""


def test_a_trace_that_only_runs_scripts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "scripts.trace"
    file.write_text(SCRIPTS)
    for solver in ("z3", "cvc5"):
        code, out, err = outcome(capsys, "eval", file, "--solver", solver)
        assert (code, err) == (0, "")
        assert (
            out
            == "model\n  a  4\nassertions and assumptions\n  line 1 true\n  line 1 true\n  line 1 true\n"
        )


def test_a_wrong_model_of_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = outcome(capsys, "eval", FOUND / "array-over-one-element.trace")
    assert code == 1 and "  line 18 false\n" in out


def test_a_script_whose_model_cannot_be_judged(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "scripts.trace"
    file.write_text(SCRIPTS.replace("(assert false)", "(assert what)"))
    code, line = error(capsys, "eval", file)
    assert (
        code == 2
        and "no model that can be judged, of the last script: Z3Exception: script error: unknown constant what"
        in line
    )


def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert error(capsys, "eval", tmp_path / "gone.trace") == (
        2,
        f"{tmp_path}/gone.trace: there is no such file",
    )
    file = tmp_path / "bad.trace"
    file.write_text(HELD)
    code, line = error(capsys, "eval", file)
    assert code == 2 and ":12:" in line


def test_the_program_shows_the_wrong_model(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    program = tmp_path / "wrong.py"
    assert (
        outcome(
            capsys,
            "translate",
            FOUND / "total-division-by-zero-in-a-model.trace",
            "--to",
            "python",
            "-o",
            program,
        )[0]
        == 0
    )
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1 and done.stdout.endswith(
        "the model does not satisfy the assertions\n"
    )


def test_a_model_with_a_lambda_is_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """cvc5 has no lambdas that are arrays, z3 has."""
    script, model = tmp_path / "a.smt2", tmp_path / "m"
    script.write_text("(declare-const l (Array Int Bool))(assert (select l 3))(check-sat)")
    model.write_text("((define-fun l () (Array Int Bool) (lambda ((i Int)) (> i 0))))")
    code, out, _ = outcome(capsys, "eval", script, "--model", model)
    assert code == 0 and "(lambda ((i Int)) (> i 0))" in out and "true" in out, out


def test_time_that_is_over_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script = tmp_path / "cubes.smt2"  # nobody knew the answer before 2019
    names = "".join(f"(declare-const {name} Int)" for name in "xyz")
    script.write_text(f"{names}(assert (= (+ (* x x x) (* y y y) (* z z z)) 42))(check-sat)")
    code, text = error(capsys, "eval", script, "--solver", "z3", "--wall", "1s")
    assert (
        code == 2
        and "no model: the solver had not answered after 1 s; give it more time with --wall" in text
    )
