"""Planted models: what is asserted is true under a drawn interpretation, so unsat is a finding; an
honest solver has none.
"""

from __future__ import annotations

import copy
import sys
from collections import Counter
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from commands import error, outcome
from toy import TOY, Crashed, catalogue, forked, live, replay, walk

from murxpy.data import load_catalogue, load_machine, load_wrapper
from murxpy.findings.buckets import bucket_key
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.generate import leaves
from murxpy.machine.replaying.defuse import collected
from murxpy.machine.tokens import Quoted, Ref
from murxpy.machine.trace.finished import Call
from murxpy.machine.trace.grammar import Trace, parse_trace
from murxpy.oracles.crash import Verdict
from murxpy.passes.sorts import smaller_widths
from murxpy.passes.terms import PlantedValues, Types
from murxpy.processes.targets import Plan, resolve
from murxpy.reduction.pipeline import Task
from murxpy.reduction.traces import minimize
from murxpy.translate.planted import to_defined, under_planted
from murxpy.translate.python import to_python
from murxpy.translate.smtlib import to_smtlib
from murxpy.worker.session import Session

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from planting import second_route

BASE = 'new\nmk-sort SORT_BOOL\n return s1\nmk-sort SORT_INT\n return s2\nmk-const s2 "x"\n return t1 s2\n'
LESS = (
    BASE
    + 'plant t1 "2"\nmk-value s2 "3"\n return t2 s2\nmk-term OP_INT_LT SORT_BOOL 2 t1 t2\n return t3 s1\n'
)

OTHER = 'mk-const s2 "y"\n return t4 s2\nmk-term OP_INT_LT SORT_BOOL 2 t4 t2\n return t5 s1\n'


@cache
def always(solver: str = "toy", answer: str = "'sat'") -> Session:
    """A session of which every run has a planted model; the toy solver gives this answer to each
    check.
    """
    if solver != "toy":
        session = copy.copy(live(solver))
        session.settings = copy.copy(session.settings)
        session.settings.probabilities = {**session.settings.probabilities, "planted": 1.0}
        session._checks = frozenset(["planted"])
        return session
    return Session(session_setup(answer))


def session_setup(answer: str) -> dict[str, Any]:
    wrapper = copy.deepcopy(TOY)
    wrapper["actions"] |= {
        "assert-tracked": "{solver}.asserted.append({0})",
        "check-sat": answer,
        "check-sat-assuming": answer,
    }
    # fewer assertions than there are: no more wrong answers than there should be
    wrapper["actions"]["pop"] = "{solver}.asserted.clear()"
    machine = {**load_machine("default"), "others": []}
    machine["probabilities"]["planted"] = 1.0
    return {
        "catalogue": load_catalogue(),
        "machine": machine,
        "wrapper": wrapper,
        "checks": ["planted"],
    }


def walked(session: Session, seed: int) -> tuple[str, dict[str, Any]]:
    return walk(session, seed)


def test_unsat_is_a_finding_where_all_that_is_asserted_is_true() -> None:
    text = LESS + "assert-formula t3\ncheck-sat\n"
    _, report = replay(always(answer="'unsat'"), text)
    finding = report["finding"]
    assert finding is not None and finding["kind"] == "wrong-unsat" and finding["tier"] == "solver"
    assert (
        finding["message"]
        == 'answered unsat, expected sat: the planted model satisfies all assertions; "x" = 2'
    )
    _, report = replay(always(), text)
    assert report["finding"] is None


@pytest.mark.parametrize(
    "lines",
    [
        # false under it
        LESS.replace('plant t1 "2"', 'plant t1 "5"') + "assert-formula t3\ncheck-sat\n",
        LESS.replace('plant t1 "2"\n', "plant\n") + "assert-formula t3\ncheck-sat\n",  # no value
        LESS + OTHER + "assert-formula t3\ncheck-sat-assuming 1 t5\n",  # the assumption has none
        LESS + 'assert-tracked t3 "x"\ncheck-sat\n',  # the name is the constant's
    ],
)
def test_unsat_is_none_where_the_model_does_not_say_that_it_is_wrong(lines: str) -> None:
    _, report = replay(always(answer="'unsat'"), lines)
    assert report["status"] == "ok" and report["finding"] is None, report


def test_division_by_zero_is_what_the_planted_model_says() -> None:
    zero = 'mk-value s2 "0"\n return t6 s2\nmk-term OP_INT_MOD SORT_INT 2 t1 t6\n return t7 s2\n'
    text = LESS + zero + "mk-term OP_INT_LT SORT_BOOL 2 t7 t1\n return t8 s1\nassert-formula t8\n"
    wrapper = copy.deepcopy(TOY)
    wrapper["operators"]["OP_INT_MOD"] = "app('mod', {0}, {1})"
    wrapper["actions"]["check-sat"] = "'unsat'"
    session = Session(
        {"catalogue": load_catalogue(), "machine": load_machine("default"), "wrapper": wrapper}
    )
    for line, wrong in (
        ("", False),
        ('plant OP_INT_MOD "1" 0\n', True),
        ('plant OP_INT_MOD "1" 1 "2" "0" "7"\n', False),
    ):
        _, report = replay(session, text + line + "check-sat\n")
        assert report["status"] != "malformed" and (report["finding"] is not None) is wrong, line


def test_without_planted_model_unsat_is_an_answer() -> None:
    _, report = replay(
        always(answer="'unsat'"),
        LESS.replace('plant t1 "2"\n', "") + "assert-formula t3\ncheck-sat\n",
    )
    assert report["status"] == "ok" and report["finding"] is None


@pytest.mark.parametrize("seed", range(1, 30))
def test_a_walk_with_a_planted_model_replays_and_asserts_only_what_is_true(seed: int) -> None:
    text, report = walked(always(), seed)
    assert report["finding"] is None
    assert "\n# planted\n" in text and " plant" in text
    again, report = replay(always(), text)
    assert again == text, report
    wrong = text.replace("answer sat", "answer unsat")
    _, report = replay(always(answer="'unsat'"), wrong)
    checked = any(line.action.startswith("check-sat") for line in parse_trace(text, "walk").lines)
    assert (report["finding"] or {}).get("kind") == ("wrong-unsat" if checked else None), report


def test_the_chance_is_that_of_the_machine_and_other_runs_stay_as_they_are() -> None:
    machine = {**load_machine("default"), "others": []}
    wrapper = copy.deepcopy(TOY)
    settings = {"catalogue": load_catalogue(), "machine": machine, "wrapper": wrapper}
    without, drawing = Session(settings), Session({**settings, "checks": ["planted"]})
    planted = [seed for seed in range(300) if leaves.drawn(drawing.settings, seed)]
    assert 15 <= len(planted) <= 45  # a tenth
    for seed in range(40):
        same = walk(without, seed)[0] == walk(drawing, seed)[0]
        assert same is (seed not in planted)


def test_an_option_of_unknown_meaning_keeps_runs_from_having_a_planted_model() -> None:
    machine = {**load_machine("default"), "others": []}
    machine["probabilities"]["planted"] = 1.0
    setup = {
        "catalogue": load_catalogue(),
        "machine": machine,
        "wrapper": copy.deepcopy(TOY),
        "checks": ["planted"],
    }
    assert "# planted" in walk(Session({**setup, "options": [["depth", "2"]]}), 1)[0]
    assert "# planted" not in walk(Session({**setup, "options": [["alphabet", "2"]]}), 1)[0]


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_solvers_answer_sat_or_unknown(solver: str) -> None:
    counts: Counter[str] = Counter()
    for seed in (3, 8, 21):
        with suppress(Crashed):
            finding, sat = forked(partial(ended, solver, seed))
            assert finding is None, seed
            counts["sat"] += sat
    assert counts["sat"] > 2


def ended(solver: str, seed: int) -> tuple[Any, int]:
    _, report = walked(always(solver), seed)
    return report["finding"], report["counts"].get("planted:sat", 0)


BAD = {
    "plant t2 true": "expected a constant",
    "plant t1 true": "expected a literal of INT",
    'plant t1 "1" "2"': "1 words more than a value of INT has",
    "plant t1": "found the end of the line",
    'plant t1 "3"': "has another value already",
    "plant s2 3": "expected an uninterpreted sort",
    "plant t9": "unknown term t9",
    "plant x": "expected a constant, an uninterpreted sort, or one of OP_INT_DIV",
    "plant OP_INT_DIV true": "expected a literal of INT",
}


@pytest.mark.parametrize("line", BAD)
def test_a_malformed_line_is_one_clear_error(line: str) -> None:
    _, report = replay(always(), LESS + line + "\n")
    assert (
        report["status"] == "malformed"
        and BAD[line] in report["message"]
        and ":13:" in report["message"]
    ), report


WRONG = "'unsat' if any('bvadd' in text for text in {solver}.asserted) else 'sat'"


def test_a_planted_wrong_unsat_is_found_blamed_on_one_operator_and_minimized() -> None:
    session = always(answer=WRONG)
    found = [
        (text, report["finding"])
        for text, report in (walked(session, seed) for seed in range(25))
        if report["finding"]
    ]
    assert len(found) > 1 and {finding["kind"] for _, finding in found} == {"wrong-unsat"}
    assert "OP_BV_ADD" in {finding["operator"] for _, finding in found}
    text = min((text for text, finding in found if finding["operator"] == "OP_BV_ADD"), key=len)
    plan = Plan(resolve("toy"), session_setup(answer=WRONG))
    result = minimize(Task(plan, "walk"), text)
    actions = Counter(line.action for line in parse_trace(result.text, "min").lines)
    assert actions["mk-term"] <= 3 and actions["assert-formula"] == 1 and result.after <= 10, (
        result.text
    )


def test_buckets_are_those_of_the_operator() -> None:
    text = LESS + "assert-formula t3\n"
    reports = [
        replay(always(answer="'unsat'"), text + check)[1]["finding"]
        for check in ("check-sat\n", "check-sat-assuming 1 t3\n")
    ]
    calls = [
        Verdict(
            "wrong-unsat",
            "solver",
            f["message"] + more,
            "",
            Call(f["action"], f["operator"], f["spelling"]),
        )
        for f, more in zip(reports, ("", ", and more"), strict=True)
    ]
    assert len({bucket_key("toy", verdict) for verdict in calls}) == 1
    other = Verdict(
        "wrong-unsat", "solver", reports[0]["message"], "", Call("check-sat", "OP_INT_GE", "")
    )
    assert bucket_key("toy", other) != bucket_key("toy", calls[0])


def test_a_smaller_trace_keeps_planted_values_of_what_is_used_only() -> None:
    lines = parse_trace(
        LESS + 'mk-const s2 "y"\n return t4 s2\nplant t4 "7"\nassert-formula t3\ncheck-sat\n', "t"
    ).lines
    kept = collected(tuple(lines))
    assert [line.args[0] for line in kept if line.action == "plant"] == [Ref("t", 1)]


def test_a_term_gives_way_to_a_constant_of_its_planted_value() -> None:
    text = (
        BASE
        + 'plant t1 "2"\nmk-term OP_INT_ADD SORT_INT 2 t1 t1\n return t2 s2\nmk-term OP_INT_LT SORT_BOOL 2 t1 t2\n return t3 s1\n'
    )
    lines = tuple(parse_trace(text + "assert-formula t3\ncheck-sat\n", "t").lines)
    at = next(at for at, line in enumerate(lines) if line.args[:1] == ["OP_INT_ADD"])
    literal, constant = PlantedValues(Types(catalogue())).leaves(lines, at)
    assert literal[at].action == "mk-value" and literal[at].args[1:] == [Quoted("4")]
    assert constant[at].action == "mk-const" and constant[at + 1].args == [Ref("t", 2), Quoted("4")]
    for candidate in (literal, constant):
        _, report = replay(always(answer="'unsat'"), Trace("t", list(candidate)).text())
        assert report["finding"] is not None


def test_a_constant_takes_the_place_of_a_term_whose_sort_no_line_makes() -> None:
    """The width of a concatenation, which has to be made for the constant."""
    made = 'new\nmk-sort SORT_BV 4\n return s1\nmk-const s1 "x"\n return t1 s1\n'
    term = "mk-term OP_BV_CONCAT SORT_BV 2 t1 t1\n return t2 s2\n"
    rest = "mk-term OP_EQUAL SORT_BOOL 2 t2 t2\n return t3 s3\nassert-formula t3\ncheck-sat\n"
    values = PlantedValues(Types(build_catalogue(load_catalogue())))
    for planted in ("", 'plant t1 "0011" 2\n'):
        lines = tuple(parse_trace(made + planted + term + rest, "t").lines)
        at = next(at for at, line in enumerate(lines) if line.action == "mk-term")
        smaller = [*values.leaves(lines, at), *values.constants(lines, at)][-1]
        sort, constant = smaller[at : at + 2]
        assert (sort.action, sort.args) == ("mk-sort", ["SORT_BV", 8])
        assert constant.action == "mk-const" and constant.args[0] == Ref("s", 2)
    [literal, planted_constant] = values.leaves(lines, at)
    assert literal[at + 1].action == "mk-value"
    assert planted_constant[at + 2].args == [Ref("t", 2), Quoted("00110011"), 2]


def test_a_regular_expression_has_no_constant_that_could_take_its_place() -> None:
    """No trace with a planted model and a closed regular expression could be made smaller: it ended in an internal error."""
    text = (
        BASE
        + 'mk-sort SORT_REGLAN\n return s3\nplant t1 "2"\nmk-term OP_RE_ALL SORT_REGLAN 0\n return t2 s3\n'
    )
    lines = tuple(
        parse_trace(
            text + "mk-term OP_INT_ADD SORT_INT 2 t1 t1\n return t3 s2\ncheck-sat\n", "t"
        ).lines
    )
    values, at = (
        PlantedValues(Types(catalogue())),
        {line.args[0]: at for at, line in enumerate(lines) if line.action == "mk-term"},
    )
    assert [len(list(values.leaves(lines, at[kind]))) for kind in ("OP_RE_ALL", "OP_INT_ADD")] == [
        0,
        2,
    ]


def test_widths_are_cut_in_planted_values_too() -> None:
    text = 'new\nmk-sort SORT_BV 8\n return s1\nmk-const s1 "x"\n return t1 s1\nplant t1 "00001111" 2\n'
    scripts = [
        Trace("t", list(script)).text()
        for script in smaller_widths(tuple(parse_trace(text, "t").lines), 1)
    ]
    assert scripts and all(replay(always(), script)[1]["status"] == "ok" for script in scripts)


Z3 = (
    "# murxpy-trace 1\n# solver z3 5.4.0\n" + LESS + "assert-formula t3\ncheck-sat\n answer unsat\n"
)


def test_a_script_says_that_it_is_satisfiable_and_why() -> None:
    rows = to_smtlib(parse_trace(Z3, "t"), catalogue()).splitlines()
    at = rows.index("(check-sat) ; unsat")
    assert (
        rows[at - 2 : at] == ['; "x" = 2', "(set-info :status sat)"]
        and "(declare-const x Int)" in rows
    )
    without = to_smtlib(parse_trace(Z3.replace('"2"', '"5"'), "t"), catalogue())
    assert "status" not in without


def test_a_program_expects_sat() -> None:
    text = to_python(parse_trace(Z3, "t"), catalogue(), load_wrapper("z3"))
    assert '# It is satisfiable: "x" = 2\n' in text and "'unsat', 'sat')" in text


def test_a_script_with_the_planted_model_defines_it() -> None:
    sorts = 'mk-sort SORT_UNINTERPRETED "u"\n return s3\nplant s3 2\nmk-sort SORT_FUN s2 s3\n return s4\nmk-const s4 "f"\n return t7 s4\n'
    text = Z3.replace(LESS, LESS + sorts + 'plant t7 0 1 "5" 1\n')
    script = to_defined(parse_trace(text, "t"), catalogue(), "z3")
    assert (
        "(define-fun x () Int 2)" in script
        and "(declare-datatypes ((u 0)) (((u@0) (u@1))))" in script
    )
    assert "(define-fun f ((a0 Int)) u (ite (= a0 5) u@1 u@0))" in script


def test_eval_of_a_planted_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a.trace"
    file.write_text(Z3)
    code, out, _ = outcome(capsys, "eval", "--planted", file)
    assert (code, out) == (0, "model\n  x  2\nassertions and assumptions\n  t3     true\n")
    file.write_text(Z3.replace('"2"', '"5"'))
    code, out, _ = outcome(capsys, "eval", "--planted", file)
    assert code == 1 and out.endswith("  t3     false\n")
    file.write_text(Z3.replace('plant t1 "2"\n', ""))
    code, message = error(capsys, "eval", "--planted", file)
    assert code == 2 and "no planted model" in message
    assert error(capsys, "eval", "--planted", "--solver", "z3", file)[0] == 2
    assert error(capsys, "translate", "--to", "python", "--planted", file)[0] == 2


def refuted(solver: str, seeds: range) -> tuple[int, Counter[str]]:
    """How many checks of walks z3 and cvc5 answer with unsat where the planted model is written
    out, and all their answers.
    """
    traces = []
    for seed in seeds:
        with suppress(Crashed):
            traces.append(forked(partial(trace_of, solver, seed)))
    answers = second_route(traces, catalogue(), None)
    return sum(n for name, n in answers.items() if name.endswith(":unsat")), answers


def trace_of(solver: str, seed: int) -> str:
    return walked(always(solver), seed)[0]


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_no_solver_refutes_a_planted_model_that_is_written_out(solver: str) -> None:
    wrong, answers = refuted(solver, range(50, 52))
    assert not wrong and answers["z3:sat"] and answers["cvc5:sat"], answers


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_no_solver_refutes_any_of_many(solver: str) -> None:
    wrong, answers = refuted(solver, range(100, 160))
    assert not wrong and answers["z3:sat"] > 100 < answers["cvc5:sat"], answers


@pytest.mark.parametrize(
    ("sort", "words"),
    [
        ("mk-sort SORT_ARRAY s2 s2", 'plant t9 "0" 2 "1" "5" "2" "6"'),
        ("mk-sort SORT_SEQ s2", 'plant t9 3 "1" "1" "2"'),
        ("mk-sort SORT_SET s2", 'plant t9 2 "1" "2"'),
        ("mk-sort SORT_BAG s2", 'plant t9 1 "1" 3'),
        ("mk-sort SORT_TUPLE s2 s1", 'plant t9 "1" true'),
        ("mk-sort SORT_NULLABLE s2", 'plant t9 "nullable.some" "7"'),
        ("mk-sort SORT_NULLABLE s2", 'plant t9 "nullable.null"'),
        ("mk-sort SORT_FINITE_SET s2", 'plant t9 2 "1" "2"'),
        ("mk-sort SORT_REAL", 'plant t9 "-1/3"'),
        ("mk-sort SORT_RM", "plant t9 RTZ"),
        ("mk-sort SORT_FP 2 3", 'plant t9 "01110"'),
        ("mk-sort SORT_FUN s2 s1", 'plant t9 true 1 "7" false'),
        (
            'mk-sort SORT_DT 1 "list" 0 2 "nil" 0 "cons" 2 "head" s2 "tail" s(nil)',
            'plant t9 "cons" "1" "cons" "2" "nil"',
        ),
        ('mk-sort SORT_UNINTERPRETED "u"', "plant t9 4"),
    ],
)
def test_values_of_every_sort_are_read_and_written(sort: str, words: str) -> None:
    wrapper = copy.deepcopy(TOY)
    wrapper["function-terms"] = True
    wrapper["sorts"] |= {
        kind: "'any'" for kind in load_catalogue_sorts() if kind not in wrapper["sorts"]
    }
    session = Session(
        {"catalogue": load_catalogue(), "machine": load_machine("default"), "wrapper": wrapper}
    )
    text, report = replay(
        session, BASE + f'{sort}\n return s9\nmk-const s9 "v"\n return t9 s9\n{words}\ncheck-sat\n'
    )
    assert report["status"] == "ok", report
    (line,) = (line for line in parse_trace(text, "t").lines if line.action == "plant")
    assert line.head().split(maxsplit=2)[2] == words.split(maxsplit=1)[1], line.head()


def load_catalogue_sorts() -> list[str]:
    return [kind for kind in catalogue().sorts if kind != "SORT_REGLAN"]


def test_the_values_that_are_shown_are_those_of_constants_in_the_formulas() -> None:
    more = 'mk-const s2 "y"\n return t9 s2\nplant t9 "0"\n'
    trace = parse_trace(f"{LESS}{more}assert-formula t3\ncheck-sat\n", "t")
    values, holds = under_planted(trace, catalogue())
    assert (values, holds) == ({"x": "2"}, [("t3", "true")])
