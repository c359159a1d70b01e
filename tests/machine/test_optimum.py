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
from murxpy.machine.checks import optimum
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
REAL = """mk-sort SORT_REAL
 return s3
mk-const s3 "u"
 return t10 s3
maximize t10
"""
TWO = START + "maximize t1\nmaximize t2\n"
BOX, PARETO = "check-sat\ncheck-box\n", "check-sat\ncheck-pareto\n"
SCRIPTS = {
    "any model": START + "maximize t5\n" + CHECK,
    "maximize minimizes": START + "maximize t5\n" + CHECK,
    "only the first objective counts": START + 'maximize t5\nassert-soft t3 "1" ""\n' + CHECK,
    "the last objective counts first": START + "maximize t2\nmaximize t1\n" + CHECK,
    "weights are one": SOFT,
    "groups are one each": GROUPED,
    "pop keeps objectives": POPPED,
    "bounds are off by one": START + "maximize t5\n" + CHECK,
    "optima are infinite": START + "maximize t5\n" + CHECK,
    "optima are not attained": START + "minimize t5\n" + CHECK,
    "optima are too near": START + REAL + CHECK,
    "a box is lexicographic": TWO + BOX,
    "boxes are too good": TWO + BOX,
    "no model by another priority": TWO + BOX,
    "the front has any model": TWO + PARETO,
    "the front has a point twice": TWO + PARETO,
    "the front is short": TWO + PARETO,
    "the front forgets the assertions": TWO + PARETO,
}
SAID = {  # by the lie, what the finding says; all others say that there is a better model
    "groups are one each": optimum.BOUNDS,
    "optima are not attained": optimum.SURPASSED,
    "bounds are off by one": optimum.BOUNDS,
    "optima are infinite": optimum.UNREACHED,
    "optima are too near": optimum.UNREACHED,
    "a box is lexicographic": optimum.SURPASSED,
    "boxes are too good": optimum.UNATTAINED,
    "no model by another priority": optimum.NO_MODEL.format("box"),
    "the front has any model": optimum.DOMINATED.format(1),
    "the front has a point twice": optimum.TWICE.format(1, 5),
    "the front is short": optimum.LACKING.format(1),
    "the front forgets the assertions": optimum.NO_POINT.format(1),
}


@pytest.mark.parametrize("lie", SCRIPTS)
def test_each_lie_is_found_and_shows_again(lie: str) -> None:
    planted = session(lie)
    written, report = replay(planted, SCRIPTS[lie])
    found = report["finding"]
    assert found and (found["kind"], found["tier"]) == ("invalid-optimum", "solver")
    assert SAID.get(lie, optimum.BETTER) in found["message"]
    assert replay(planted, written)[1]["finding"] == found


@pytest.mark.parametrize("lie", SCRIPTS)
def test_an_honest_optimizer_is_believed(lie: str) -> None:
    report = replay(session(), SCRIPTS[lie])[1]
    assert report["finding"] is None
    assert [report["counts"].get(f"{name}:held", 0) for name in optimum.FAULTS].count(1) == 1


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
    assert min(drawn) > 2
    assert all(counts.get(f"{name}:held", 0) > 2 for name in optimum.FAULTS)


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
    "any model": (
        BETTER.format(1, "maximize"),
        "s.maximize(",
        "s.add(x + y < 2)\ns.maximize(",
    ),
    "only the first objective counts": (BETTER.format(2, "minimize"), "soft(p,", "soft(Not(p),"),
    "weights are one": (BETTER.format(1, "minimize"), '"3", "g"', '"1", "g"'),
    "bounds are off by one": (
        "objective 1 (maximize) has a value beyond its bounds",
        "for bound in",
        "for bound in [(0, 9, 1, 0), (0, 9, 1, 0)] or",
    ),
    "a box is lexicographic": (
        "alone, objective 2 (maximize) has the bound 2, and a model is better",
        "bound = ",
        "bound = (0, 2, 1, 0) or ",
    ),
    "boxes are too good": (
        "alone, objective 2 (maximize) has the bound 4, which no model has",
        "bound = ",
        "y = IntVal(3)\nbound = (0, 4, 1, 0) or ",
    ),
    "optima are infinite": (
        "objective 1 (maximize) has the bound infinity, which no model comes near",
        "bound = ",
        "bound = (1, 0, 1, 0) or ",
    ),
    "optima are not attained": (
        "objective 1 (minimize) has the bound 0 + epsilon, and a model is better",
        "bound = ",
        "bound = (0, 0, 1, 1) or ",
    ),
    "optima are too near": (
        "objective 1 (maximize) has the bound 4 - epsilon, which no model comes near",
        "bound = ",
        "u = RealVal(3)\nbound = (0, 4, 1, -1) or ",
    ),
    "the front is short": (
        optimum.LACKING.format(2),
        'second = str(other.check())\nprint("the front',
        'second = "unsat"\nprint("the front',
    ),
    "the front has any model": (
        optimum.DOMINATED.format(1),
        'print("point 1 is"',
        'point1 -= 1\nprint("point 1 is"',
    ),
    "the front has a point twice": (
        optimum.TWICE.format(1, 2),
        'print("point 2 is"',
        'point2, point2_2 = point1, point1_2\nprint("point 2 is"',
    ),
    "the front forgets the assertions": (
        optimum.NO_POINT.format(1),
        "again = Solver()",
        "again = Solver()\nagain.add(x > 1000)",
    ),
    "no model by another priority": (
        optimum.NO_MODEL.format("box"),
        "other.set(",
        "other.add(False)\nother.set(",
    ),
}


RUN_ALL = """import pathlib, sys
for name in sys.argv[1:]:
    source = pathlib.Path(name).read_text()
    try:
        exec(compile(source, name, "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        print("ended:", name, end.code)
"""


def test_programs_show_each_lie_and_believe_an_honest_optimizer(tmp_path: Path) -> None:
    pytest.importorskip("z3")
    expected = []
    for at, (lie, (message, old, new)) in enumerate(LIES.items()):
        text = SCRIPTS[lie].replace("check-sat\n", "check-sat\n answer sat\n")
        trace = parse_trace(f"# murxpy-trace 1\n# solver z3 4.13.0\n{text}", "t.trace")
        claim = kind_of("invalid-optimum").claim("z3 4.13.0", message, "")
        program = next(programs(trace, catalogue(), load_wrapper("z3"), claim)).text
        assert "Optimize()" in program and old in program
        for code, source in ((0, program), (1, program.replace(old, new, 1))):
            (tmp_path / f"{at}-{code}.py").write_text(source)
            expected.append(f"ended: {at}-{code}.py {code}")
        if lie == "any model":  # what has no optimum has a better model always
            (tmp_path / "none.py").write_text(program.replace(".maximize(", ".minimize("))
            expected.append("ended: none.py 0")
    names = [line.split()[1] for line in expected]
    ran = subprocess.run(  # in one process, which loads z3 once
        [sys.executable, "-c", RUN_ALL, *names],
        cwd=tmp_path,
        check=False,
        timeout=300,
        capture_output=True,
        text=True,
    )
    assert [line for line in ran.stdout.splitlines() if line.startswith("ended")] == expected


def test_a_script_has_the_objectives_where_the_dialect_has_them() -> None:
    text = f"# murxpy-trace 1\n# solver z3 4.13.0\n{SOFT}"
    trace = parse_trace(text.replace(CHECK, "maximize t5\ncheck-sat\n"), "t.trace")
    own = to_smtlib(trace, catalogue(), "z3")
    assert "(assert-soft (not p) :weight 3 :id g)" in own and "(maximize (+ x y))" in own
    other = to_smtlib(trace, catalogue(), "standard")
    assert "; line 30: maximize: an objective" in other and "(maximize" not in other
