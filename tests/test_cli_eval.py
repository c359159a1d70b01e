"""`murxpy eval`: the model of a trace and the value of each assertion under it, and the Python program of such a finding."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from commands import error, outcome

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
FOUND = Path(__file__).parent.parent / "traces" / "regressions" / "cvc5-1.4.2"


def test_assertions_with_their_values(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "held.trace"
    file.write_text(HELD.replace("1 mk-term OP_FORALL SORT_BOOL 2 t4 t5\n", ""))
    code, out, err = outcome(capsys, "eval", file)
    assert (code, err) == (0, "")
    assert out == "model\n  x (t1)  3\nassertions and assumptions\n  t3     true\n"


def test_a_false_assertion_sets_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("cvc5")
    code, out, _ = outcome(capsys, "eval", FOUND / "piand-of-a-negative-width.trace")
    assert code == 1 and out.endswith("  t4     false\n") and "a (t1)" in out


def test_nothing_to_evaluate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "none.trace"
    file.write_text("# murxpy-trace 1\n# solver z3 5.4.0\n1 new\n1 check-sat\n")
    assert outcome(capsys, "eval", file)[:2] == (0, "no model: no check answers sat with something asserted\n")


def test_a_script_that_the_api_refuses_has_no_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "f.smt2"
    file.write_text("(declare-fun h ((-> Int Int)) Int)(declare-fun g (Int) Int)(assert (= (h g) 1))(assert (> 4 3))(check-sat)(get-model)")
    code, line = error(capsys, "eval", file, "--solver", "z3")
    assert code == 2 and "z3's API refuses a part of the script (mk-sort: no terms of a function's sort here)" in line
    file.write_text('(declare-const r RegLan)(assert (str.in_re "a" r))(assert false)(check-sat)(get-proof)')
    assert outcome(capsys, "eval", file, "--solver", "z3")[:2] == (0, "no model: the checks answer unsat\n")


def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert error(capsys, "eval", tmp_path / "gone.trace") == (2, f"{tmp_path}/gone.trace: there is no such file")
    file = tmp_path / "bad.trace"
    file.write_text(HELD)
    code, line = error(capsys, "eval", file)
    assert code == 2 and ":12:" in line


def test_the_program_shows_the_wrong_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    program = tmp_path / "wrong.py"
    assert outcome(capsys, "translate", FOUND / "total-division-by-zero-in-a-model.trace", "--to", "python", "-o", program)[0] == 0
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and done.stdout.endswith("the model does not satisfy the assertions\n")


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
    assert code == 2 and "no model: the solver had not answered after 1 s; give it more time with --wall" in text
