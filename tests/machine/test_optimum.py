"""`check-optimum`: each lie that is planted in an optimizer is found, and an honest one is believed."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import optimizers
import pytest
from toy import catalogue, replay, walk

from murxpy.data import load_wrapper
from murxpy.findings.kinds.registry import kind_of
from murxpy.machine.trace.grammar import parse_trace
from murxpy.translate.programs.program import programs
from murxpy.translate.smtlib import to_smtlib

session = cache(optimizers.session)

START = """new@optimizer
mk-sort SORT_INT
 return s1
mk-sort SORT_BOOL
 return s2
mk-const s1 "x"
 return t1 s1
mk-const s1 "y"
 return t2 s1
mk-const s2 "p"
 return t3 s2
mk-const s2 "q"
 return t4 s2
mk-term OP_INT_ADD SORT_INT 2 t1 t2
 return t5 s1
mk-value s1 "4"
 return t6 s1
mk-term OP_INT_LT SORT_BOOL 2 t5 t6
 return t7 s2
mk-term OP_NOT SORT_BOOL 1 t3
 return t8 s2
mk-term OP_AND SORT_BOOL 2 t3 t4
 return t9 s2
assert-formula t7
"""
CHECK = "check-sat\ncheck-optimum\n"
SOFT = START + 'assert-soft t8 "3" "g"\nassert-soft t3 "1" "g"\nassert-soft t9 "1" "g"\n' + CHECK
GROUPED = START + 'assert-soft t8 "1" "g"\nassert-soft t3 "1" "g"\nassert-soft t9 "1" "g"\n' + CHECK
POPPED = START + "push 1\nminimize t1\npop 1\nmaximize t1\n" + CHECK
SCRIPTS = {
    "any model": START + "maximize t5\n" + CHECK,
    "maximize minimizes": START + "maximize t5\n" + CHECK,
    "only the first objective counts": START + 'maximize t5\nassert-soft t3 "1" ""\n' + CHECK,
    "the last objective counts first": START + "maximize t2\nmaximize t1\n" + CHECK,
    "weights are one": SOFT,
    "groups are one each": GROUPED,
    "pop keeps objectives": POPPED,
    "bounds are off by one": START + "maximize t5\n" + CHECK,
}


@pytest.mark.parametrize("lie", SCRIPTS)
def test_each_lie_is_found_and_shows_again(lie: str) -> None:
    planted = session(lie)
    written, report = replay(planted, SCRIPTS[lie])
    found = report["finding"]
    assert found and (found["kind"], found["tier"]) == ("invalid-optimum", "solver")
    beyond = lie in ("groups are one each", "bounds are off by one")
    assert ("beyond its bounds" in found["message"]) == beyond
    assert replay(planted, written)[1]["finding"] == found


@pytest.mark.parametrize("lie", SCRIPTS)
def test_an_honest_optimizer_is_believed(lie: str) -> None:
    report = replay(session(), SCRIPTS[lie])[1]
    assert report["finding"] is None
    assert report["counts"]["check-optimum:held"] == 1


def test_walks_draw_objectives_and_their_traces_replay() -> None:
    counts = {}
    for seed in range(30):
        text, report = walk(session(), seed)
        assert report["finding"] is None and "new@optimizer" in text
        for name, count in report["counts"].items():
            counts[name] = counts.get(name, 0) + count
        if seed < 5:
            assert replay(session(), text)[1]["finding"] is None
    drawn = [counts[f"action-ok:{name}"] for name in ("minimize", "maximize", "assert-soft")]
    assert min(drawn) > 2 and counts["check-optimum:held"] > 2


def test_walks_find_a_lie() -> None:
    assert any(walk(session("any model"), seed)[1]["finding"] for seed in range(30))


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("minimize t3", "expected a number to minimize"),
        ('assert-soft t1 "1" ""', "Boolean"),
        ('assert-soft t3 "0" ""', "expected a weight"),
        ('assert-soft t3 "1e9" ""', "expected a weight"),
        ('assert-soft t3 "-1" ""', "expected a weight"),
        ("check-optimum 1", "takes 0 words"),
    ],
)
def test_a_malformed_objective_is_an_error_of_its_line(row: str, what: str) -> None:
    report = replay(session(), START + row)[1]
    assert report["status"] == "malformed" and what in report["message"]


def test_a_plain_solver_takes_no_objectives() -> None:
    report = replay(session(), (START + "maximize t5\n" + CHECK).replace("@optimizer", "@plain"))[1]
    assert report["finding"] is None and report["counts"]["replay:refused"] == 2


BETTER = "objective {} ({}) has a better value in another model"
# of each law, a change of the program that makes z3 lie in the same way
LIES = {
    "any model": (BETTER.format(1, "maximize"), ".maximize(", ".minimize("),
    "only the first objective counts": (BETTER.format(2, "minimize"), "soft(p,", "soft(Not(p),"),
    "weights are one": (BETTER.format(1, "minimize"), '"3", "g"', '"1", "g"'),
    "bounds are off by one": (
        "objective 1 (maximize) has a value beyond its bounds",
        "for bound in",
        "for bound in [(9, 1), (9, 1)] or",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_program_shows_a_lie_and_believes_an_honest_optimizer(lie: str, tmp_path: Path) -> None:
    pytest.importorskip("z3")
    message, old, new = LIES[lie]
    text = SCRIPTS[lie].replace("check-sat\n", "check-sat\n answer sat\n")
    trace = parse_trace(f"# murxpy-trace 1\n# solver z3 4.13.0\n{text}", "t.trace")
    claim = kind_of("invalid-optimum").claim("z3 4.13.0", message, "")
    program = next(programs(trace, catalogue(), load_wrapper("z3"), claim)).text
    assert "Optimize()" in program and old in program
    for expected, source in ((0, program), (1, program.replace(old, new, 1))):
        (tmp_path / "p.py").write_text(source)
        ran = subprocess.run([sys.executable, str(tmp_path / "p.py")], check=False, timeout=60)
        assert ran.returncode == expected


def test_a_script_has_the_objectives_where_the_dialect_has_them() -> None:
    text = f"# murxpy-trace 1\n# solver z3 4.13.0\n{SOFT}"
    trace = parse_trace(text.replace(CHECK, "maximize t5\ncheck-sat\n"), "t.trace")
    own = to_smtlib(trace, catalogue(), "z3")
    assert "(assert-soft (not p) :weight 3 :id g)" in own and "(maximize (+ x y))" in own
    other = to_smtlib(trace, catalogue(), "standard")
    assert "; line 30: maximize: an objective" in other and "(maximize" not in other
