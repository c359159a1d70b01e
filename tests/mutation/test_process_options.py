"""Parameters of the solver's whole process that mutants set: they are drawn from the wrapper's table,
and the next script and the next run know nothing of them.
"""

from __future__ import annotations

import gc
import json
import re
import weakref
from pathlib import Path

import pytest
import z3
from campaigns import FAKES
from commands import error, outcome
from scriptsolvers import output, z3_scripts

from murxpy.data import load_wrapper
from murxpy.findings.scripted import scripted
from murxpy.fuzzers.setups import Mutation, RunOptions
from murxpy.machine.random import Stream
from murxpy.machine.script import for_others
from murxpy.machine.trace.grammar import parse_trace
from murxpy.processes.plans import Request, make_plans
from murxpy.solvers.facts import Option, build_facts, option_text
from murxpy.sources.mutation.options import Drawer, offer_of
from murxpy.sources.mutation.workshop import Seed
from murxpy.worker.session import Session

pytestmark = pytest.mark.usefixtures("kept_solvers")

TEXT = "(declare-const x Bool)(declare-const y Bool)\n(assert (xor x (or x y)))\n(check-sat)\n"
TABLE = build_facts(load_wrapper("z3"))
RUNS = 12
OF_PROCESS = {
    name for option in TABLE.process_options for name, _ in ((option.name, ""), *option.beside)
}


def _texts(seed: Path, through: str, *options: tuple[str, str]) -> str:
    """The traces of RUNS runs of z3 on a seed."""
    mutation = Mutation((("opfuzz", 1.0),), (str(seed),), walk=2, through=through)
    (plan,) = make_plans(
        Request(("z3",), run_options=RunOptions(options=options), mutation=mutation)
    )
    session, lines = Session(plan.setup), list[str]()
    for number in range(RUNS):
        session.walk(number, lines.append)
    return "".join(lines)


def test_a_run_through_the_api_sets_parameters_once() -> None:
    offer = offer_of(TABLE.options or (), TABLE.process_options)
    drawers = [Drawer(offer, Stream(at), [Seed("a", TEXT)], calls=True) for at in range(40)]
    drawn = [[name for name, _ in drawer.parameters] for drawer in drawers]
    assert any(drawn) and OF_PROCESS.issuperset(name for names in drawn for name in names)
    later = [name for drawer in drawers for _ in range(5) for name, _ in drawer.next()]
    assert later and OF_PROCESS.isdisjoint(later)


@pytest.mark.slow
def test_mutants_set_parameters_of_the_process(tmp_path: Path) -> None:
    """In the text of a script, or once for a run that goes through the API."""
    seed = tmp_path / "a.smt2"
    seed.write_text(TEXT)
    in_scripts, in_lines = r"\(set-option :(\S+)", r"^ *\d+ set-parameter@\S+ (\S+)"
    assert OF_PROCESS & set(re.findall(in_scripts, _texts(seed, "text")))
    lines = _texts(seed, "api")
    assert OF_PROCESS & set(re.findall(in_lines, lines, re.M))
    assert not OF_PROCESS & set(re.findall(r"set-option@\S+ (\S+)", lines))
    # what the user sets stands in front of the run, and no script sets another value
    kept = _texts(seed, "text", ("tactic.default_tactic", "default"))
    assert "tactic.default_tactic" not in re.findall(in_scripts, kept)
    assert kept.count(" tactic.default_tactic default\n") == RUNS


def test_options_that_need_others_come_with_them() -> None:
    options = [Option("core", "bool", beside=(("tactic", "new"),)), Option("tactic", "bool")]
    for kept in ((), ("tactic",)):
        offer = offer_of([], options, kept=kept)
        drawn = [
            dict(drawer.next())
            for seed in range(40)
            for drawer in [Drawer(offer, Stream(seed), [Seed("a", TEXT)])]
        ]
        on = [found for found in drawn if found.get("core") == "true"]
        assert on and all(found.get("tactic") in ("new", "true", "false") for found in on) != bool(
            kept
        )
        assert any("tactic" in found for found in drawn) != bool(kept)


def test_the_next_script_knows_nothing_of_a_parameter() -> None:
    """Neither in the same context nor in another one, whatever modules the parameters belong to."""
    names = [option.name for option in TABLE.process_options] + ["auto_config", "smt.relevancy"]
    known = {name: z3.get_param(name) for name in names}
    check = "(declare-const x Int)(assert (> (* x x) 4))(check-sat)"
    says = '(echo "read")'
    for _ in range(2):  # z3's own call for all parameters loses modules when it is called again
        for option in TABLE.process_options[::7]:
            value = option_text(option.values[0]) if option.values else "1"
            value = "true" if option.type == "bool" else value
            assert output("z3", f"(set-option :{option.name} {value})\n{says}") == "read\n"
        assert {name: z3.get_param(name) for name in names} == known
    # it holds for the solver of its own script, which z3 makes together with the context
    context = z3.Context()
    with pytest.raises(z3.Z3Exception, match="unknown tactic nonsense"):
        output("z3", f"(set-option :tactic.default_tactic nonsense)\n{check}", context=context)
    without = f"(set-option :model false)\n{check}(get-model)"
    assert "define-fun" not in output("z3", without, context=context)
    assert "define-fun x" in output("z3", f"{check}(get-model)", context=context)


def test_a_context_that_ran_a_script_dies_with_its_last_name() -> None:
    """A worker collects no cycles between runs, and z3 needs megabytes for each context."""
    context = z3.Context()
    assert z3_scripts.read_script_statistics(context) == (0, [])
    output("z3", "(declare-const x Int)(assert (> (* x x) 4))(check-sat)", context=context)
    spent, pairs = z3_scripts.read_script_statistics(context)
    assert spent > 0 and pairs
    gone = weakref.ref(context)
    gc.disable()
    try:
        del context
        assert gone() is None
    finally:
        gc.enable()


def test_scripts_with_the_same_parameters_share_a_context(monkeypatch: pytest.MonkeyPatch) -> None:
    """To make a context takes as long as several checks; each script begins from nothing all the same."""
    made, check = [], "(declare-const x Int)(assert (> x 4))(check-sat)"
    whole = z3.Context
    context = whole()
    monkeypatch.setattr(z3, "Context", lambda: made.append(whole()) or made[-1])
    for options, contexts in (("", 0), ("model false", 1), ("model false", 1), ("model true", 2)):
        head = f"(set-option :{options})\n" if options else ""
        assert output("z3", f"{head}{check}", context=context) == "sat\n"
        assert len(made) == contexts
    before = z3_scripts.spent(context)
    output("z3", f"(set-option :model true)\n{check}", context=context)
    assert 0 < z3_scripts.spent(context) - before < before


KEPT = """(set-option :smt.relevancy 0)(set-option :sat.euf true)(set-option :dump_models true)
(set-option :trace_file_name /tmp/x)(set-option :produce-models true)
(declare-const x Int)(assert (> x 3))(check-sat-using (then simplify smt))
"""


@pytest.mark.parametrize(
    ("fuzzer", "judges"),
    [
        ("opfuzz", ()),
        pytest.param("typefuzz", ("--cross-check", "cvc5"), marks=pytest.mark.slow),
    ],
)
def test_seeds_keep_their_options_and_tactics_unless_told_otherwise(
    fuzzer: str, judges: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those options that the wrapper lists: others could write files."""
    seed = tmp_path / "a.smt2"
    seed.write_text(KEPT)
    args = (fuzzer, "z3", seed, "--run-seed", "1", "--iterations", "3", "--check", "none")
    for more in (("--drop-options",), ()):
        code, printed, told = outcome(capsys, *args, *judges, *more, "--no-option-fuzzing")
        assert code == 0, told
        lines = re.findall(r'run-script@eval "(.*)"$', printed.replace("\\u{a}", " "), re.M)
        head = "(set-option :smt.relevancy 0) (set-option :sat.euf true) (set-logic"
        assert len(lines) == 3 and all(line.startswith(head) for line in lines) != bool(more)
        checks = "(check-sat)" if more else "(check-sat-using (then simplify smt))"
        assert all(checks in line and "dump" not in line for line in lines)
        assert not any("trace_file" in line or "produce" in line for line in lines)


@pytest.mark.parametrize(
    "fuzzer", ["storm", pytest.param("fusion", marks=pytest.mark.slow), "diver"]
)
def test_recombined_seeds_keep_their_options(
    fuzzer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("a", "0"), ("b", "1")):
        text = f"(set-info :status sat)(set-option :smt.relevancy {value})"
        text += f"(declare-const {name} Int)(assert (> {name} 3))(check-sat)"
        (tmp_path / f"{name}.smt2").write_text(text)
    args = (fuzzer, "z3", tmp_path, "--run-seed", "1", "--iterations", "3", "--no-option-fuzzing")
    for more in (("--drop-options",), ()):
        code, printed, told = outcome(capsys, *args, *more)
        assert code == 0, told
        assert bool(re.search(r":smt.relevancy [01]\)", printed)) != bool(more), printed


def test_fused_seeds_keep_their_tactics_unless_told_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where only one of them has some, too."""
    using = "(check-sat-using (then simplify smt))"
    for name, check in (("a", using), ("b", "(check-sat)")):
        text = f"(set-info :status sat)(declare-const {name} Int)(assert (> {name} 3)){check}"
        (tmp_path / f"{name}.smt2").write_text(text)
    for more in (("--drop-options",), ()):
        args = ("fusion", "z3", tmp_path, "--run-seed", "1", "--iterations", "3", *more)
        code, printed, told = outcome(capsys, *args)
        assert code == 0, told
        assert printed.count(using) == (0 if more else 3), printed


def test_an_option_of_a_seed_with_a_value_that_is_none_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = tmp_path / "a.smt2"
    seed.write_text(KEPT.replace("relevancy 0", "relevancy much"))
    args = ("opfuzz", "z3", seed, "--run-seed", "1", "--iterations", "4", "--no-option-fuzzing")
    code, printed, _ = outcome(capsys, *args)
    assert code == 0 and "relevancy" not in printed and "sat.euf true" in printed


def test_a_refused_option_of_a_seed_is_dropped_behind_the_first_mutant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The solver documents that it refuses the option."""
    (tmp_path / "seed.smt2").write_text(
        "(set-option :check.own true)(declare-const p Bool)(assert (or p p))(check-sat)"
    )
    wrapper = _fake(tmp_path, "unsupported")
    args = ("opfuzz", f"fake@{FAKES}", tmp_path / "seed.smt2", "--wrapper", wrapper)
    args = (*args, "--run-seed", "1", "--iterations", "4", "--no-option-fuzzing")
    (tmp_path / "helpers.py").write_text(HELPERS.replace(' and "xor" in text', ""))
    code, printed, _ = outcome(capsys, *args)
    assert code == 0 and printed.count("check.own") == 1 and " answer sat" in printed, printed


def test_parameters_of_a_trace_stand_at_the_beginning_of_its_script() -> None:
    text = """# murxpy-trace 1
# solver z3 5.4.1
1 set-parameter sat.euf true
1 set-parameter smt.random_seed 5
1 new
1 run-script "(check-sat)\\u{a}"
"""
    found = scripted(parse_trace(text, "trace"))
    assert found is not None and found.text.splitlines() == [
        "(set-option :sat.euf true)",
        "(set-option :smt.random_seed 5)",
        "(check-sat)",
    ]


def test_other_solvers_get_plain_checks() -> None:
    text = '(set-option :a.b 1)\n(assert (= s "(check-sat-using smt)"))\n(check-sat-using (then simplify smt))\n'
    assert for_others(text) == '(assert (= s "(check-sat-using smt)"))\n(check-sat)\n'


# The fake solver checks its model where the script says so, and its models of exclusive or are wrong.
HELPERS = """
import fakesolver as f

def run(text):
    if ":check.own true" in text and "xor" in text:
        raise f.FakeError("script error: the model is wrong")
    return f.run_script(text)
"""
OPTIONS = "process-options: [{name: check.own, type: choice, values: [true]}]\n"
LIFECYCLE = (
    "process-parameters: \"{{'check.own': 'bool'}}\", reset-parameters: \"None\", new-context"
)


def _fake(tmp_path: Path, sort: str) -> Path:
    text = (FAKES / "scripts.yaml").read_text().replace("f.run_script({v})", "h.run({v})")
    text = text.replace("{new-context", "{" + LIFECYCLE).replace(
        "actions:\n", 'helpers: helpers.py\nactions:\n  set-parameter: "None and {name} and {v}"\n'
    )
    rules = f"refusals: [{{class: {sort}, message: ^script error}}]\n"
    (tmp_path / "helpers.py").write_text(HELPERS)
    (tmp_path / "fake.yaml").write_text(text + OPTIONS + rules)
    return tmp_path / "fake.yaml"


def _found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, dict[str, str]]:
    """The wrapper of the fake solver, and what a campaign on it found by the solver's own check."""
    seed = tmp_path / "a.smt2"
    seed.write_text(TEXT)
    out, wrapper = tmp_path / "out", _fake(tmp_path, "invalid-model")
    args = ("--wrapper", wrapper, seed, "--runs", "6", "--jobs", "1", "--seed", "1", "--out", out)
    code, _, told = outcome(capsys, "typefuzz", f"fake@{FAKES}", *args)
    assert code == 1, told
    _, printed, _ = outcome(capsys, "findings", out, "--json")
    (found,) = [row for row in json.loads(printed) if "the model is wrong" in row["message"]]
    return wrapper, found


@pytest.mark.usefixtures("bare_findings")
def test_a_wrong_model_that_the_solver_itself_finds_is_a_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, found = _found(tmp_path, capsys)
    assert (found["kind"], found["tier"]) == ("invalid-model", "solver")
    assert found["message"] == "the solver's own check of its model fails: the model is wrong"


@pytest.mark.slow
def test_such_a_finding_gets_smaller_and_its_program_shows_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The smaller script keeps the option that it needs."""
    wrapper, found = _found(tmp_path, capsys)
    small = tmp_path / "small.trace"
    target = ("--solver", f"fake@{FAKES}", "--wrapper", wrapper)
    options = ("-o", small, "--time", "20s", "--reproducers")
    code, printed, told = outcome(capsys, "minimize", found["trace"], *target, *options)
    assert code == 0 and ":check.own true" in small.read_text(), told
    assert "small.py: shows it" in printed, printed


def test_a_class_of_refusals_that_is_none_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, line = error(
        capsys, "fuzz", f"fake@{FAKES}", "--wrapper", _fake(tmp_path, "wrong-model"), "--runs", "1"
    )
    assert code == 2 and "fake.yaml:" in line and "invalid-model" in line
