"""Parameters that a solver's whole process has, in configurations and in traces."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from campaigns import FAKES
from commands import WRAPPER, error, outcome

from murxpy.judging.bisection import Answer
from murxpy.judging.defects import Asked, Sign
from murxpy.processes import inquiries
from murxpy.processes.handles import Job
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans

# The fake solver answers the opposite while the parameter `answer.turned` is on.
HELPERS = """
import fakesolver

PARAMETERS = {}

def known():
    return {"answer.turned": "bool", "answer.place": "unsigned"}

def check(solver):
    answer = solver.check()
    turned = PARAMETERS.get("answer.turned") == "true"
    return {"sat": "unsat", "unsat": "sat"}.get(answer, answer) if turned else answer
"""
LIFECYCLE = 'process-parameters: "h.known()", reset-parameters: "h.PARAMETERS.clear()", new-context'
TRACE = '1 new\n1 mk-sort SORT_BOOL\n return s1\n1 mk-const s1 "x"\n return t1 s1\n1 assert-formula t1\n1 check-sat\n'
PRIME = "# murxpy-trace 1\n# solver {}\n"


@pytest.fixture
def target(tmp_path: Path) -> tuple[str, Path]:
    """The fake solver with parameters: its target, and its wrapper."""
    text = WRAPPER.read_text().replace("{new-context", "{" + LIFECYCLE)
    text = text.replace('"{solver}.check()"', '"h.check({solver})"')
    text = text.replace(
        "actions:\n",
        'helpers: helpers.py\nactions:\n  set-parameter: "h.PARAMETERS.update({{name}: {v}})"\n'.replace(
            "{{name}: {v}}", "[({name}, {v})]"
        ),
    )
    (tmp_path / "helpers.py").write_text(HELPERS)
    (tmp_path / "fake.yaml").write_text(text)
    return f"fake@{FAKES}", tmp_path / "fake.yaml"


def _answers(request: Request, *traces: str) -> list[str]:
    """The rows with answers in replays of traces one after another in one process."""
    (plan,) = make_plans(request)
    jobs = [Job(0, 0.0, text=text, name="t", keep=True) for text in traces]
    with closing(inquiries.Tester(plan, Limits())) as replays:
        outcomes = replays.fresh(*jobs)
    rows = [row.strip() for found in outcomes for row in found.trace.splitlines()]
    return [row for row in rows if row.startswith(("answer", "refused"))]


def test_a_parameter_lives_as_long_as_its_run(target: tuple[str, Path]) -> None:
    name, wrapper = target
    head = PRIME.format("fake 1.0")
    turned = f"{head}1 set-parameter answer.turned true\n{TRACE}"
    found = _answers(Request((name,), wrapper=str(wrapper)), turned, head + TRACE, turned)
    assert found == ["answer unsat", "answer sat", "answer unsat"]


def test_a_release_without_the_parameter_cannot_be_bisected(target: tuple[str, Path]) -> None:
    name, wrapper = target
    text = f"{PRIME.format('fake 1.0')}1 set-parameter answer.gone true\n{TRACE}"
    asked = Asked(Request(wrapper=str(wrapper)), text, Sign("crash"), 1, 20.0, lambda notice: None)
    answer = asked.target(name)
    assert answer == Answer("untestable", "this release has no parameter answer.gone")


@pytest.mark.slow
def test_a_configuration_of_the_process_holds_in_runs_and_judges(
    target: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, wrapper = target
    own = ("--wrapper", wrapper)
    code, printed, told = outcome(
        capsys, "fuzz", f"{name}[answer.turned=true]", *own, "--run-seed", "5"
    )
    lines = [row.split() for row in printed.splitlines() if row and row[0] not in "#"]
    assert lines[0][1:] == ["set-parameter@default", "answer.turned", "true"], told
    assert lines[1][1] == "new@default"
    # a judge with the parameter contradicts the target, and its trace says so by itself
    out = tmp_path / "out"
    judged = (name, *own, "--cross-check", f"{name}[answer.turned=true]", "--out", out)
    code, printed, told = outcome(
        capsys, "fuzz", *judged, "--seed", "1", "--runs", "3", "--jobs", "1"
    )
    assert code == 1 and "disagree" in printed, told


def test_parameters_are_checked_before_the_first_run(
    target: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    name, wrapper = target
    for option, expected in (
        ("answer.turnd=true", "did you mean 'answer.turned'?"),
        ("answer.turned=maybe", "answer.turned=maybe: expected true or false"),
        ("answer.place=-1", "answer.place=-1: expected a whole number of 0 or more"),
    ):
        code, line = error(
            capsys, "fuzz", f"{name}[{option}]", "--wrapper", wrapper, "--run-seed", "1"
        )
        assert code == 2 and expected in line


def test_a_parameter_stands_before_its_solver(
    target: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, wrapper = target
    late = tmp_path / "late.trace"
    late.write_text(f"{PRIME.format('fake 1.0')}1 new\n1 set-parameter answer.turned true\n")
    code, line = error(capsys, "replay", late, "--solver", name, "--wrapper", wrapper)
    assert code == 2 and line.endswith(
        "late.trace:4: a parameter of the process is set too late: expected it before 'new'"
    )


def test_parameters_of_z3_take_effect_and_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = PRIME.format("z3 5.4.1")
    (unknown, sat) = _answers(
        Request(("z3",)),
        f"{head}1 set-parameter tactic.default_tactic nonsense\n{TRACE}",
        head + TRACE,
    )
    assert "unknown tactic nonsense" in unknown and sat == "answer sat"
    trace = tmp_path / "euf.trace"
    trace.write_text(f"{head}1 set-parameter sat.euf true\n{TRACE}")
    code, printed, _ = outcome(capsys, "translate", trace, "--to", "smt2", "--dialect", "z3")
    assert code == 0 and printed.splitlines()[1] == "(set-option :sat.euf true)"
    code, line = error(capsys, "translate", trace, "--to", "smt2")
    assert code == 2 and "the option 'sat.euf' of z3" in line
    code, printed, _ = outcome(capsys, "translate", trace, "--to", "python")
    assert code == 0 and printed.index("set_parameter('sat.euf', 'true')") < printed.index("ctx =")
    # the solver that sat.euf leads to does not take the option relevancy, but its process does
    (plan,) = make_plans(Request(("z3[sat.euf=true,random_seed=3,smt.relevancy=0]",)))
    with closing(inquiries.Tester(plan, Limits())) as replays:
        (found,) = replays.fresh(Job(5, 0.0, keep=True))
    rows = [row.split()[2:] for row in found.trace.splitlines() if " set-parameter" in row]
    assert rows == [["sat.euf", "true"], ["smt.relevancy", "0"]]
    code, line = error(capsys, "fuzz", "z3[tactic.default_tactic=nonsense]", "--run-seed", "1")
    assert code == 2 and "no usable solver with tactic.default_tactic=nonsense" in line
