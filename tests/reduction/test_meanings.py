"""What the passes for meanings do: planted faults whose smallest traces are known, one for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plants import planted
from toy import catalogue

from murxpy.machine.replaying.defuse import Script
from murxpy.machine.tokens import Ref
from murxpy.machine.trace.finished import Need, read_needs, write_needs
from murxpy.machine.trace.grammar import parse_trace
from murxpy.oracles.documented import survives_safe_mode
from murxpy.passes.lines import Spellings
from murxpy.passes.measure import Measure, text
from murxpy.passes.reduction import Reducer, at_once, finished
from murxpy.passes.terms import Meanings, ModelValues, Types
from murxpy.passes.trace import needs, stated
from murxpy.passes.words import smaller_numbers
from murxpy.reduction.pipeline import Minimized, Task
from murxpy.reduction.traces import minimize, refusals, safe_mode

pytestmark = pytest.mark.usefixtures("kept_solvers")

CATALOGUE = catalogue()
TERMS = """1 new
1 mk-sort SORT_STRING
 return s1
1 mk-sort SORT_INT
 return s2
1 mk-sort SORT_BOOL
 return s3
1 mk-const s2 "x"
 return t1 s2
1 mk-const s2 "y"
 return t2 s2
1 mk-term OP_INT_ADD SORT_INT 2 t1 t2
 return t3 s2
1 mk-term OP_INT_ADD SORT_INT 2 t3 t2
 return t4 s2
1 mk-term OP_INT_LT SORT_BOOL 2 t4 t1
 return t5 s3
"""


def reduced(source: str, **fault: Any) -> Minimized:
    return minimize(Task(planted(how="contract", **fault), "a.trace"), source)


def rows(text: str) -> list[str]:
    """The lines of a trace without seeds, spellings and ids returned."""
    lines = parse_trace(text, "min").lines
    return [" ".join([line.action, *map(str, line.args)]) for line in lines]


def script(text: str) -> Script:
    return tuple(parse_trace(text, "a.trace").lines)


def passes() -> Meanings:
    return Meanings(Types(CATALOGUE), CATALOGUE.operators)


def test_constants_become_values() -> None:
    result = reduced(
        TERMS + "1 assert-formula t5\n1 check-sat\n", at="check-sat", made=["OP_INT_ADD"]
    )
    assert rows(result.text) == [
        "new",
        "mk-sort SORT_INT",
        'mk-value s1 "0"',
        "mk-term OP_INT_ADD SORT_INT 2 t1 t1",
        "check-sat",
    ]


def test_an_equation_takes_the_place_of_what_stands_around_a_term() -> None:
    """The array and its sort are needed no more."""
    source = """1 new
1 mk-sort SORT_BV 1
 return s1
1 mk-sort SORT_BOOL
 return s2
1 mk-sort SORT_ARRAY s1 s2
 return s3
1 mk-const s3 "a"
 return t1 s3
1 mk-const s1 "b"
 return t2 s1
1 mk-term OP_BV_ADD SORT_BV 2 t2 t2
 return t3 s1
1 mk-term OP_ARRAY_SELECT SORT_BOOL 2 t1 t3
 return t4 s2
1 assert-formula t4
1 check-sat
"""
    result = reduced(source, at="check-sat", asserted=[["OP_BV_ADD"]])
    assert rows(result.text) == [
        "new",
        "mk-sort SORT_BV 1",
        'mk-value s1 "0" 2',
        "mk-term OP_BV_ADD SORT_BV 2 t1 t1",
        "mk-term OP_EQUAL SORT_BOOL 2 t2 t1",
        "assert-formula t3",
        "check-sat",
    ]


@pytest.mark.parametrize("operator", ["OP_INT_LT", "OP_DISTINCT"])
def test_operators_become_plainer(operator: str) -> None:
    source = TERMS + f"1 mk-term {operator} SORT_BOOL 2 t1 t2\n return t6 s3\n"
    found = [one[-1].args for one in passes().plainer_operators(script(source), 9)]
    assert found[0] == ["OP_EQUAL", "SORT_BOOL", 2, Ref("t", 1), Ref("t", 2)]


def test_an_operator_that_another_one_may_replace_is_told() -> None:
    """A comparison is not what a defect of the division needs, and the other way round nothing is left."""
    source = """1 new
1 mk-sort SORT_INT
 return s1
1 mk-const s1 "x"
 return t1 s1
1 mk-term OP_INT_DIV SORT_INT 2 t1 t1
 return t2 s1
1 mk-term OP_INT_LT SORT_BOOL 2 t1 t2
 return t3 s2
1 assert-formula t3
1 check-sat
"""
    lines = script(source)

    def shows(one: Script) -> bool:
        return len(one) == len(lines) and any("OP_INT_DIV" in line.args for line in one)

    def told(source: Script, smallest: bool = True) -> list[Need]:
        return needs(source, Spellings({}), shows, smallest, others=passes().other_operators)

    (found,) = [need for need in told(lines) if need.kind == "other"]
    assert found == Need("other", "<", "=")
    assert found.sentence() == "The defect shows with = in the place of <, too."
    assert all(need.kind != "other" for need in told(lines, smallest=False))
    expecting = (*lines, *script("1 expect sat\n"))
    assert all(need.kind != "other" for need in told(expecting))


def test_equal_sorts_get_one_id() -> None:
    source = '1 new\n1 mk-sort SORT_BV 1\n return s1\n1 mk-const s1 "a"\n return t1 s1\n'
    source += (
        "1 mk-term OP_BV_ADD SORT_BV 2 t1 t1\n return t2 s2\n1 mk-sort SORT_BV 1\n return s3\n"
    )
    source += '1 mk-const s3 "b"\n return t3 s3\n'
    found = passes().one_id_per_sort(script(source))
    sorts = {ref for line in found for ref in line.result("return") or () if str(ref)[0] == "s"}
    assert sorts == {Ref("s", 1)}
    assert len(found) == 5


def test_constants_become_the_values_of_the_model() -> None:
    """One replay reads the values of all constants. One of them must stay a constant."""
    start = script(TERMS + "1 assert-formula t5\n1 check-sat\n1 check-model\n")
    read: list[Script] = []

    def written(one: Script) -> str:
        read.append(one)
        return text(one) + '      value t1 "int" 7\n      value t2 "int" -3\n'

    def first(candidates: Iterator[Script]) -> int | None:
        return next((at for at, one in enumerate(candidates) if one[5] == start[5]), None)

    values = ModelValues(Types(CATALOGUE), ["get-value"], written)
    reducer = Reducer(start, at_once(first), Measure().key, text)
    finished(values.run(reducer))
    assert [line.head().strip() for line in reducer.best[4:6]] == [
        '0 mk-value s2 "7"',
        '1 mk-const s2 "y"',
    ]
    assert len(read) == 1 and reducer.tests == 2


def test_values_are_left_alone_where_nobody_can_read_them() -> None:
    """The target says unsat in a disagreement, so that it has no model."""
    start = script(TERMS + "1 assert-formula t5\n1 check-sat\n")
    reducer = Reducer(start, at_once(lambda candidates: None), Measure().key, text)
    finished(ModelValues(Types(CATALOGUE), ["get-value"], lambda lines: "").run(reducer))
    assert reducer.best == start


@given(st.integers(0, 100_000), st.integers(0, 100_000))
def test_a_number_is_found_by_halves(least: int, more: int) -> None:
    start = script(f"0 new\n0 set-limit {least + more}\n0 check-sat\n")

    def first(candidates: Iterator[Script]) -> int | None:
        shown = (at for at, one in enumerate(candidates) if one[1].args[0] >= least)
        return next(shown, None)

    reducer = Reducer(
        start, at_once(first), lambda one: one[1].args[0], lambda one: str(one[1].args[0])
    )
    finished(smaller_numbers(reducer))
    (found,) = reducer.best[1].args
    assert least <= int(str(found)) <= least + max(1, least // 8)
    assert reducer.tests <= 17


def test_a_limit_is_told_with_the_range_in_which_the_defect_shows() -> None:
    source = script("0 new\n0 set-option depth true\n0 set-limit 15\n0 check-sat\n0 check-sat\n")
    asked = []

    def shows(one: Script) -> bool:
        asked.append(one)
        return len(one) == len(source) and 15 <= int(str(one[2].args[0])) <= 500

    found = needs(source, Spellings({}), shows)
    high = int(found[1].high)
    assert found == [
        Need("option", "depth", "true"),
        Need("limit", "", low="15", high=str(high)),
        Need("again", "check-sat", "2"),
    ]
    assert 450 <= high <= 500 and len(asked) <= 16


def test_a_number_is_no_least_one_where_a_smaller_one_shows_it() -> None:
    """The time may end before the reduction has tried it, and a limit need not be monotone."""
    source = script("0 new\n0 set-option depth 9\n0 set-limit 15\n0 check-sat\n")

    def shows(one: Script) -> bool:
        return len(one) == len(source) and one[1].args[1] != 8 and one[2].args[0] != 14

    found = needs(source, Spellings({}), shows)
    assert found == [Need("option", "depth", "9"), Need("limit", "")]
    assert found[1].sentence() == "In the trace, the defect needs a resource limit."


def test_a_misuse_before_the_call_that_dies_is_no_need_of_its_own() -> None:
    """The program shows it, and its name is no call that anybody knows."""
    source = script("0 new\n0 misuse@edge z3.FloatSingle py:none\n0 push 1\n0 check-sat\n")
    found = needs(source, Spellings({}), lambda one: len(one) == len(source))
    assert found == [Need("call", "push")]


def test_a_line_without_which_the_defect_shows_is_not_needed() -> None:
    """The reduction ended early, and left lines that nothing needs."""
    source = script("0 new\n0 set-option depth true\n0 set-option fast true\n0 gc\n0 check-sat\n")
    options = {"depth"}

    def shows(one: Script) -> bool:
        return options <= {str(line.args[0]) for line in one if line.action == "set-option"}

    for smallest in (False, True):  # of the death of a process, a pass may have missed that
        found = needs(source, Spellings({}), shows, smallest)
        assert found == [Need("option", "depth", "true")]


LATE = """0 new
 return o1
0 mk-sort SORT_BOOL
 return s1
0 mk-const s1 "a"
 return t1 s1
0 assert-formula t1
0 check-sat-assuming 1 t1
0 check-sat
"""


@pytest.mark.parametrize("several_are_enough", [False, True])
def test_an_earlier_check_is_needed_unless_any_check_is_enough(several_are_enough: bool) -> None:
    def shows(one: Script) -> bool:
        asked = [line.action for line in one if line.action.startswith("check-")]
        return len(asked) == 2 and (several_are_enough or asked[0] == "check-sat-assuming")

    found = [need for need in needs(script_of(LATE), Spellings({}), shows) if need.kind != "call"]
    assert found == [Need("earlier", "check-sat-assuming")] * (not several_are_enough)
    assert read_needs(write_needs(found)) == found


def test_a_misuse_may_need_a_check_before_it() -> None:
    source = script_of("0 new\n0 check-sat\n0 misuse@call m.make py:2\n")
    found = needs(source, Spellings({}), lambda one: len(one) == len(source))
    assert found == [Need("call", "check-sat")]


def test_a_name_of_an_assertion_is_no_need() -> None:
    """Most defects that need it in a trace show in a script without it, and the other way round."""
    text = '0 new\n0 mk-sort SORT_BOOL\n return s1\n0 mk-const s1 "a"\n return t1 s1\n'
    source = script_of(f'{text}0 assert-tracked t1 "n"\n0 check-sat\n')

    def shows(one: Script) -> bool:
        return any(line.action == "assert-tracked" for line in one)

    assert needs(source, Spellings({}), shows) == []


def test_a_misuse_behind_others_is_no_repetition() -> None:
    """The misuses before it make what the last one is about."""
    source = script_of("0 new\n0 misuse@call m.Make\n return x1 Made\n0 misuse@outlive x1\n")
    assert needs(source, Spellings({}), lambda one: True) == []


def script_of(text: str) -> Script:
    return tuple(parse_trace(text, "t").lines)


def test_a_spelling_is_needed_only_if_each_plainer_one_of_its_sort_was_tried() -> None:
    """A line does not name its sort's kind: `list` is in the sets of two sorts, `plain` in that of
    another one only.
    """
    constants = {"SORT_INT": {"plain": "", "list": ""}, "SORT_BV": {"other": "", "list": ""}}
    text = '0 new\n0 mk-sort SORT_BV 8\n return s1\n0 mk-const@list s1 "a"\n return t1 s1\n0 check-sat\n'
    asked: list[str | None] = []

    def shows(one: Script) -> bool:
        asked.append(one[2].spelling)
        return one[2].spelling == "other"

    spellings = Spellings({"constants": constants})
    assert needs(script_of(text), spellings, shows) == []
    assert asked == ["other"]
    found = needs(script_of(text), spellings, lambda one: False)
    assert found == [Need("spelling", "mk-const", "list")]


def test_the_safe_mode_of_the_solver_is_tried() -> None:
    text = "0 new\n0 set-option depth true\n0 check-sat\n"

    def shows(one: Script) -> bool:
        return [str(line.args[0]) for line in one if line.args] == ["safe", "depth"]

    for show, low in ((shows, "yes"), (lambda one: False, "no")):
        found = needs(script_of(text), Spellings({}), show, safe=[("safe", "on")])
        assert found == [Need("option", "depth", "true"), Need("safe", "safe", "on", low)]
    gone = "RuntimeError: no such kind in this mode"
    found = needs(
        script_of(text),
        Spellings({}),
        shows,
        safe=[("safe", "on")],
        refused=lambda one: [gone] * (len(one) - 3),
    )
    assert found[1:] == [Need("safe", "safe", "on", "refused", gone)], "what shows there is another"
    trace = f"# murxpy-trace 1\n# needs {write_needs([Need('safe', 'safe', 'on', 'yes')])}\n0 new\n"
    assert survives_safe_mode(trace)
    assert not survives_safe_mode(trace.replace("yes", "no"))
    assert not survives_safe_mode("0 new\n")


def test_formulas_whose_answer_is_only_expected_stay() -> None:
    """An answer is expected of these formulas alone; of others it could be the right one."""
    source = (
        TERMS + "1 assert-formula t5\n1 assert-formula t5\n1 push 1\n1 expect unsat\n1 check-sat\n"
    )
    result = reduced(source + "1 simplify t4\n", at="pop")
    assert result.key.startswith("wrong-answer")
    assert rows(result.text)[-8:] == [
        "mk-term OP_INT_ADD SORT_INT 2 t1 t2",
        "mk-term OP_INT_ADD SORT_INT 2 t3 t2",
        "mk-term OP_INT_LT SORT_BOOL 2 t4 t1",
        "assert-formula t5",
        "assert-formula t5",
        "push 1",
        "expect unsat",
        "check-sat",
    ]


def test_what_earlier_scripts_are_expected_to_answer_can_go() -> None:
    """A finding at the last of many scripts kept the expected answers of all of them."""
    last = '1 expect sat unsat\n1 run-script "(check-sat)(check-sat)"\n'
    checks = "1 new\n1 assert-formula t5\n1 expect unsat\n1 check-sat\n"
    earlier = '1 expect sat\n1 run-script "(check-sat)"\n1 expect sat\n1 expect unsat\n'
    assert stated(script(earlier + last)) == stated(script(last)) == ("sat unsat",)
    assert stated(script(checks + earlier + last)) == stated(script(checks + last))
    assert stated(script(checks)) == ("unsat", "assert-formula", "check-sat")


def test_needs_are_sentences_and_are_read_again() -> None:
    found = [
        Need("option", "depth", "7", "7", ""),
        Need("limit", "", low="15", high="500"),
        Need("call", "push"),
        Need("call", "assert-tracked"),
        Need("call", "simplify"),
        Need("again", "check-core", "2"),
        Need("spelling", "OP_AND", "raw"),
        Need("safe", "safe-mode", "safe", "yes"),
        Need("safe", "safe-mode", "safe", "no"),
        Need("safe", "safe-mode", "safe", "refused", "RuntimeError: not in this mode."),
    ]
    assert [need.sentence() for need in found] == [
        "In the trace, the defect needs the option depth of at least 7.",
        "In the trace, the defect needs a resource limit between 15 and 500.",
        "In the trace, the defect does not show without pushing a level of assertions (push).",
        "In the trace, the defect does not show without a name of the assertion (assert-tracked).",
        "In the trace, the defect does not show without a call of simplify.",
        "In the trace, the defect shows only at the second check-core.",
        "In the trace, the defect needs OP_AND in the spelling raw; plainer spellings do not show it.",
        "The defect shows in the solver's safe mode (safe-mode=safe), too.",
        "The defect does not show in the solver's safe mode (safe-mode=safe).",
        "It cannot be tried in the solver's safe mode (safe-mode=safe), which refuses a call: RuntimeError: not in this mode.",
    ]
    assert read_needs(write_needs(found)) == found
    assert read_needs("[1]") == read_needs("{") == read_needs("") == []


def test_the_safe_mode_is_not_tried_where_the_last_call_uses_another_solver() -> None:
    """That solver has other options, so nothing is known of the safe mode there."""
    wrapper = {"safe-options": [["safe", "on"]], "own-actions": {"fake-misfit": {"stress": True}}}
    asked = {
        "check-sat": [("safe", "on")],
        "fake-misfit": [],
        "misuse@call fake.Solver": [],
    }
    for last, options in asked.items():
        assert safe_mode(parse_trace(f"0 new\n0 {last}\n", ""), wrapper) == options


def test_the_smallest_trace_says_what_it_needs() -> None:
    source = TERMS + "1 set-option depth 40\n1 push 1\n1 assert-formula t5\n1 pop 1\n1 check-sat\n"
    result = reduced(source, at="check-sat", value=["depth", 3], history=["push"])
    assert result.message == "the answer is no answer", "a later replay need not tell it again"
    assert result.needs == (
        "In the trace, the defect needs the option depth of at least 3.",
        "In the trace, the defect does not show without pushing a level of assertions (push).",
    )
    header = parse_trace(result.text, "min").header
    assert [need.sentence() for need in read_needs(header["needs"])] == list(result.needs)


def test_a_refused_call_is_read_from_the_trace_of_its_replay() -> None:
    text = (
        '0 new\n0 set-option depth true\n refused unsupported "E: not  here"\n'
        '0 check-sat\n refused undocumented "E: internal"\n'
    )
    assert refusals(text) == ["E: not here"]
    assert refusals("") == []
