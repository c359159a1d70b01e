"""Traces as formulas, and walks and traces as seeds of the mutation fuzzers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import error, outcome
from toy import catalogue

from murxpy.errors import InputError
from murxpy.findings.replayed import walk_seeds
from murxpy.fuzzers.seeds import collect_seeds
from murxpy.judging.walked import walks_of
from murxpy.machine.trace.grammar import parse_trace
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans
from murxpy.smtlib.reading.scripts import read_script
from murxpy.translate.formula import formula_of, to_formula
from murxpy.translate.smtlib import to_smtlib

pytestmark = pytest.mark.usefixtures("kept_solvers")

TRACE = """\
# murxpy-trace 1
# solver z3 5.4.1
# seed 1
 1 new@simple
      return o1
 2 set-option@set arith.solver 2
 3 mk-sort@raw SORT_BV 8
      return s1
 4 mk-const@function s1 "x"
      return t1 s1
 5 mk-const@function s1 "unused"
      return t2 s1
 6 mk-term@operator OP_EQUAL SORT_BOOL 2 t1 t1
      return t3 s2
 7 term-get-children@default t3
 8 gc
 9 assert-formula@add t3
10 push@levels 1
11 assert-tracked@name t3 "a"
12 check-sat@check
      answer sat
13 get-value@eval 1 t1
14 pop@levels 1
15 mk-term@method OP_BV_REDXOR SORT_BV 1 t1
      return t4 s3
16 mk-term@operator OP_EQUAL SORT_BOOL 2 t4 t4
      return t5 s2
17 assert-formula@add t5
18 delete
"""
LINES = TRACE[: TRACE.index("15 mk-term")]
WHOLE = """\
(set-logic QF_BV)
(declare-const x (_ BitVec 8))
(assert (= x x))
(push 1)
(assert (! (= x x) :named a))
(check-sat) ; sat
(pop 1)
"""


def test_a_formula_is_what_is_asserted_and_checked() -> None:
    trace = parse_trace(LINES, "t.trace")
    with pytest.raises(InputError, match="the option"):
        to_smtlib(trace, catalogue())
    assert WHOLE in to_formula(trace, catalogue())


def test_an_operator_without_a_name_is_said_by_its_definition() -> None:
    formula = formula_of(parse_trace(TRACE, "t.trace"), catalogue(), "standard")
    assert not formula.lost
    assert "(bvxor ((_ extract 0 0) l1)" in formula.text


def test_a_formula_that_lacks_an_assertion_is_refused() -> None:
    text = TRACE.replace("OP_BV_REDXOR SORT_BV 1 t1", "OP_ARRAY_DEFAULT SORT_BV 1 t6").replace(
        "15 mk-term",
        '15 mk-sort@raw SORT_ARRAY s1 s1\n      return s9\n15 mk-const@function s9 "y"\n'
        "      return t6 s9\n15 mk-term",
    )
    text = text.replace("return t4 s3", "return t4 s1")
    trace = parse_trace(text, "t.trace")
    with pytest.raises(InputError, match="would be missing"):
        to_formula(trace, catalogue())
    assert "; line " in to_formula(trace, catalogue(), lossy=True)
    assert "default" in to_formula(trace, catalogue(), "z3")


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_formulas_of_walks_come_back(solver: str) -> None:
    """The walks run in processes of their own, since a walk can end the solver's."""
    (plan,) = make_plans(Request((solver,)))
    read = walked = 0
    while walked < 12:
        runs: list[tuple[int, tuple[tuple[str, str, str], ...]]]
        runs = [(seed, ()) for seed in range(walked, 12)]
        outcomes = walk_seeds(plan, runs, Limits(wall=1.0)).outcomes
        walked += len(outcomes)
        for end in outcomes:
            if end.report is None:
                continue
            formula = formula_of(parse_trace(end.trace, "walk"), catalogue(), solver)
            assert not [what for _, _, what in formula.lost if "OP_BV_FROM_BOOLS" not in what]
            if "lambda" not in formula.text:
                read_script(formula.text, "walk", catalogue())
                read += 1
    assert read > 5


def test_walks_are_the_same_seeds_each_time() -> None:
    (plan,) = make_plans(Request(("z3",)))
    first, second = (walks_of(plan, 20, 7, "z3", Limits()) for _ in range(2))
    assert first == second
    whole = [name for name, *_ in first.seeds if not name.endswith("-check")]
    assert len(whole) + first.left_out.total() == 20 and len(first.seeds) > len(whole)
    assert len(first.seeds) > 12
    labels = [label for _, _, label in first.seeds]
    assert labels.count("sat") >= 5 and "unsat" not in labels
    assert walks_of(plan, 5, 8, "z3", Limits()).seeds[:1] != first.seeds[:1]


def test_a_campaign_without_seeds_mutates_walks(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["fuzz", "z3", "--mix", "opfuzz:1", "--walk-seeds", "6", "--runs", "2", "--seed", "5"]
    traces = []
    for jobs in ("1", "2"):
        out = tmp_path / jobs
        _, said, _ = outcome(capsys, *words, "--jobs", jobs, "--out", out)
        assert "seeds of walks" in said and "opfuzz-made=" in said
        made = [line for line in said.splitlines() if line.startswith("opfuzz ")]
        traces.append(made[0].split()[1:5])
    assert traces[0] == traces[1]
    code, said = error(capsys, *words[:4], "--run-seed", "77")
    assert code == 2 and "name that campaign's --seed" in said


def test_traces_are_seeds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text(TRACE)
    (tmp_path / "both.trace").write_text(TRACE)
    (tmp_path / "both.smt2").write_text("(assert true)(check-sat)")
    (tmp_path / "bad.trace").write_text("no trace")
    found = collect_seeds([tmp_path])
    assert [Path(name).name for name, *_ in found.files] == ["both.smt2", "t.trace"]
    assert "(assert (! (= x x) :named a))" in found.files[1][1]
    assert any("bad.trace" in notice for notice in found.notices())
    code, said, _ = outcome(capsys, "check-seeds", tmp_path / "t.trace")
    assert code == 0 and "1  unlabelled" in said
    code, said, _ = outcome(
        capsys, "opfuzz", "z3", tmp_path / "t.trace", "--runs", "1", "--out", tmp_path / "out"
    )
    assert code <= 1 and "opfuzz-made=" in said


def test_formulas_are_written_as_seeds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source, into = tmp_path / "traces", tmp_path / "seeds"
    source.mkdir()
    planted = LINES.replace(
        "1 new@simple\n      return o1\n", "1 new@simple\n      return o1\n 1 plant\n"
    )
    (source / "planted.trace").write_text(
        planted.replace(" 5 mk-const", ' 4 plant t1 "7" 10\n 5 mk-const')
    )
    (source / "reset.trace").write_text(
        LINES.replace(
            "14 pop",
            "14 reset\n14 assert-formula@add t3\n14 check-sat@check\n14 push@levels 1\n14 pop",
        )
    )
    (source / "empty.trace").write_text(TRACE[: TRACE.index("9 assert")])
    words = ["translate", source, "--to", "smt2", "--as", "seeds"]
    code, said, err = outcome(capsys, *words, "--into", into)
    assert code == 0, err
    assert "3 scripts of 3 traces" in said and "1 left out: without an assertion" in said
    files = sorted(str(file.relative_to(into)) for file in into.rglob("*.smt2"))
    assert files == [
        "QF_BV/sat/planted.smt2",
        "QF_BV/unknown/reset-1.smt2",
        "QF_BV/unknown/reset-2.smt2",
    ]
    code, said = error(capsys, *words)
    assert code == 2 and "--into" in said


@pytest.mark.parametrize("kept", ["all", pytest.param("decided", marks=pytest.mark.slow)])
def test_a_campaign_keeps_the_scripts_of_its_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kept: str
) -> None:
    into = tmp_path / "kept"
    words = ["fuzz", "z3", "--runs", "12", "--seed", "3", "--jobs", "1", "--theories", "BV,INT"]
    code, said, _ = outcome(
        capsys, *words, "--out", tmp_path / "out", "--keep-scripts", into, "--kept-runs", kept
    )
    files = list(into.rglob("*.smt2"))
    assert code <= 1 and f"{len(files)} scripts kept in {into}" in said
    assert len(files) >= 6
    for file in files:
        assert file.parent.name in ("sat", "unsat", "unknown")
        read_script(file.read_text(), file.name, catalogue())


@pytest.mark.parametrize("source", [pytest.param("enumerate", marks=pytest.mark.slow), "generate"])
def test_scripts_without_seeds_are_sources_of_a_mix(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their scripts are read and decided, none is ill-formed, and a run is made again by its seed."""
    line = ["fuzz", "z3", "--mix", f"{source}:1", "--seed", "3"]
    _, said, _ = outcome(
        capsys,
        *line,
        "--runs",
        "2",
        "--jobs",
        "1",
        "--json",
        "--share",
        "0",
        "--out",
        tmp_path / "o",
    )
    events = [json.loads(row) for row in said.splitlines()]
    counts = next(event for event in reversed(events) if event["event"] == "ended")["counts"]
    assert counts[f"mutator:{source}:decided"] > 10, counts
    assert not counts.get("refused:ill-formed")
    again = [*line, "--run-seed", "2"]
    assert outcome(capsys, *again)[1] == outcome(capsys, *again)[1]
