"""Checks of what a solver promises: each planted defect fires its check once and names the class;
an honest solver fires none.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import pytest
from toy import TOY, catalogue, forked, live, replay, walk

from murxpy.data import load_catalogue, load_machine
from murxpy.logic.sorts import SortTable
from murxpy.machine.witnesses.model_rows import Unreadable, Values
from murxpy.machine.witnesses.show import show
from murxpy.semantics.closures import Built, Stored
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.values import (
    ArrayValue,
    CannotSay,
    DatatypeValue,
    Element,
    FunctionValue,
    Interpretation,
    SetValue,
)
from murxpy.worker.session import Session

INTS = 'mk-sort SORT_BOOL\n return s1\nmk-sort SORT_INT\n return s2\nmk-const s2 "x"\n return t1 s2\nmk-value s2 "3"\n return t2 s2\n'
LESS = INTS + "mk-term OP_INT_LT SORT_BOOL 2 t1 t2\n return t3 s1\nassert-formula t3\n"
SAT = LESS + "check-sat\n"
UNSAT = LESS + 'mk-const s1 "bad"\n return t4 s1\nassert-formula t4\ncheck-sat-assuming 1 t4\n'
ELEMENTS = (
    'mk-sort SORT_BOOL\n return s1\nmk-sort SORT_UNINTERPRETED "U"\n return s2\nmk-const s2 "x"\n'
    " return t1 s2\nmk-term OP_EQUAL SORT_BOOL 2 t1 t1\n return t2 s1\nassert-formula t2\ncheck-sat\n"
    "check-model"
)
ANSWER = "'unsat' if 'bad' in {solver}.asserted else 'sat'"


def model(row: tuple[Any, ...]) -> str:
    return repr({"rows": [row], "roots": [0], "partial": {}}).replace("{", "{{").replace("}", "}}")


HONEST = {
    "model": model(("int", 1)),
    "values": model(("int", 1)),
    "core": "[0, 1]",
    "assumptions": "[1]",
}
# What is planted: reader, what it gives; the lines; the kind of the finding, None where nothing is
# wrong.
PLANTED: dict[str, tuple[dict[str, str], str, str | None]] = {
    "honest model": ({}, SAT + "check-model", None),
    "false assertion": ({"model": model(("int", 7))}, SAT + "check-model", "invalid-model"),
    "value of another sort": ({"model": model(("bv", 4, 1))}, SAT + "check-model", "model-value"),
    "no value": ({"model": model(("unknown", "+"))}, SAT + "check-model", "model-value"),
    "an element of the model": (
        {"model": model(("element", "e1")), "domain": "['e0', 'e1']"},
        ELEMENTS,
        None,
    ),
    "an element of no model": (
        {"model": model(("element", "e2")), "domain": "['e0', 'e1']"},
        ELEMENTS,
        "model-element",
    ),
    "honest value": ({}, SAT + "check-values 1 t1", None),
    "value unlike the model": (
        {"values": model(("int", 2))},
        SAT + "check-values 1 t1",
        "invalid-value",
    ),
    "honest core": ({}, UNSAT + "check-core", None),
    "core that is satisfiable": ({"core": "[0]"}, UNSAT + "check-core", "invalid-core"),
    "core with a stranger": ({"core": "[0, 'y']"}, UNSAT + "check-core", "invalid-core"),
    "honest simplify": ({"values": model(("bool", True))}, LESS + "check-simplify t3", None),
    "simplify that changes the value": (
        {"values": model(("bool", False))},
        LESS + "check-simplify t3",
        "invalid-simplify",
    ),
    "substitute that changes the value": (
        {"values": model(("bool", False))},
        LESS + "check-substitute t3 t1 t1",
        "invalid-substitute",
    ),
    "honest assumptions": ({}, UNSAT + "check-assumptions", None),
    "assumptions with a stranger": (
        {"assumptions": "['y']"},
        UNSAT + "check-assumptions",
        "invalid-assumptions",
    ),
}


def session(readers: dict[str, str]) -> Session:
    wrapper = copy.deepcopy(TOY)
    wrapper["actions"] |= {"check-sat": ANSWER, "check-sat-assuming": ANSWER}
    wrapper["readers"] |= HONEST | readers
    return Session(
        {"catalogue": load_catalogue(), "machine": load_machine("default"), "wrapper": wrapper}
    )


@pytest.mark.parametrize("name", PLANTED)
def test_each_planted_defect_fires_once_and_names_its_class(name: str) -> None:
    readers, lines, kind = PLANTED[name]
    planted = session(readers)
    written, report = replay(planted, f"new\n{lines}\ndelete\n")
    found = report["finding"]
    assert (found and found["kind"]) == kind, report
    if found:
        assert found["tier"] == "solver" and written.splitlines()[-1].split()[1].startswith(
            found["action"]
        )
        assert replay(planted, written)[1]["finding"] == found


def test_a_false_assertion_is_blamed_on_the_operator_on_which_the_evaluations_part() -> None:
    readers = {"model": model(("int", 7)), "values": model(("bool", True))}
    found = replay(session(readers), f"new\n{SAT}check-model")[1]["finding"]
    assert (
        found["operator"] == "OP_INT_LT"
        and "the solver's value of OP_INT_LT is not ours" in found["message"]
    )


def test_what_follows_no_sat_answer_is_not_judged() -> None:
    report = replay(session({}), f"new\n{UNSAT}check-model\ncheck-values 1 t1")[1]
    assert report["finding"] is None and report["counts"]["replay:refused"] == 2


# -- rows


class Reader:
    """Sorts, and values of rows of them."""

    def __init__(self, *rows: tuple[Any, ...]) -> None:
        self.sorts = SortTable()
        self.values = Values(rows, self.sorts, Evaluator(catalogue(), Interpretation()))

    def sort(self, kind: str, *params: Any) -> Any:
        return self.sorts.get(f"SORT_{kind}", *params)


def test_stores_over_a_constant_array_keep_the_last_at_each_index() -> None:
    r = Reader(("int", 1), ("int", 2), ("const", 0), ("store", 2, 1, 1), ("store", 3, 1, 0))
    array = r.sort("ARRAY", r.sort("INT"), r.sort("INT"))
    assert r.values.value(3, array) == ArrayValue(1, [(2, 2)])
    assert r.values.value(4, array) == ArrayValue(1)


def test_ten_thousand_stores() -> None:
    rows: list[tuple[Any, ...]] = [("int", 0), ("const", 0)]
    for k in range(10_000):
        rows += [("int", k), ("store", len(rows) - 1, len(rows), len(rows))]
    r = Reader(*rows)
    found = r.values.value(len(rows) - 1, r.sort("ARRAY", r.sort("INT"), r.sort("INT")))
    assert isinstance(found, ArrayValue) and found.at(9_999) == 9_999


LAMBDA = (
    ("var", 0),
    ("int", 5),
    ("=", 0, 1),
    ("bool", True),
    ("bool", False),
    ("ite", 2, 3, 4),
    ("lambda", 1, 5),
)


def test_a_lambda_that_compares_with_values_is_a_table() -> None:
    r = Reader(*LAMBDA)
    assert r.values.value(6, r.sort("ARRAY", r.sort("INT"), r.sort("BOOL"))) == ArrayValue(
        False, [(5, True)]
    )
    assert r.values.value(6, r.sort("SET", r.sort("INT"))) == SetValue(frozenset([5]))


def test_a_lambda_that_gives_its_argument_is_asked_or_tabulated() -> None:
    r = Reader(("var", 0), ("lambda", 1, 0))
    assert isinstance(r.values.value(1, r.sort("ARRAY", r.sort("INT"), r.sort("INT"))), Built)
    two = r.sort("BV", 1)
    assert r.values.value(1, r.sort("ARRAY", two, two)) in (
        ArrayValue(0, [(1, 1)]),
        ArrayValue(1, [(0, 0)]),
    )


def test_a_lambda_over_few_points_is_a_table_or_not_known() -> None:
    """What has a value for each point must not stand for a table that is compared by its form."""
    r = Reader(("var", 0), ("unknown", "ff.mul"), ("lambda", 1, 1))
    with pytest.raises(CannotSay):
        r.values.value(2, r.sort("ARRAY", r.sort("FF", 11), r.sort("FF", 11)))


def test_stores_at_functions_that_may_be_equal_are_no_table() -> None:
    """Two lambdas that ask their argument for more than names are not known to differ, nor to be
    the same.
    """
    r = Reader(
        ("var", 0),
        ("lambda", 1, 0),
        ("lambda", 1, 0),
        ("int", 0),
        ("const", 3),
        ("store", 4, 1, 3),
        ("int", 7),
        ("store", 5, 2, 6),
    )
    line = r.sort("ARRAY", r.sort("INT"), r.sort("INT"))
    assert isinstance(r.values.value(7, r.sort("ARRAY", line, r.sort("INT"))), Stored)
    few = r.sort("ARRAY", r.sort("BOOL"), r.sort("BOOL"))
    found = r.values.value(7, r.sort("ARRAY", few, r.sort("INT")))
    assert found == ArrayValue(0, [(r.values.value(1, few), 7)])


def test_tables_of_a_model_over_few_points_have_one_form() -> None:
    r = Reader(
        ("bool", True),
        ("bool", False),
        ("function", 1, (((0,), 0),), 1),
        ("function", 1, (((1,), 1),), 0),
    )
    boolean = r.sort("BOOL")
    assert r.values.function(2, (boolean,), boolean) == r.values.function(3, (boolean,), boolean)


def test_a_function_of_the_model_with_a_body_that_compares() -> None:
    body = (("var", 1), ("int", 4), ("=", 0, 1), ("int", 8), ("int", 9), ("ite", 2, 3, 4))
    r = Reader(*body, ("function", 2, (((4, 4), 1),), 5))
    number = r.sort("INT")
    function = r.values.function(6, (number, number), number)
    assert isinstance(function, Built)  # differs on the line where the second argument is 4
    assert [r.values.apply(6, args, number) for args in ((9, 9), (0, 4), (4, 0))] == [4, 8, 9]


def test_a_function_of_the_model_with_entries_is_a_table() -> None:
    r = Reader(("int", 1), ("int", 2), ("function", 1, (((0,), 1),), 0))
    assert r.values.function(2, (r.sort("INT"),), r.sort("INT")) == FunctionValue(1, [((1,), 2)])


@pytest.mark.parametrize(
    "row",
    [
        ("bv", 9, 1),
        ("int", 1),
        ("fp", 5, 11, 0),
        ("constructor", "nil"),
        ("element", "u"),
        ("seq",),
    ],
)
def test_a_value_of_another_sort_is_none(row: tuple[Any, ...]) -> None:
    r = Reader(row)
    with pytest.raises(Unreadable):
        r.values.value(0, r.sort("BV", 8))


def test_what_cannot_be_read_says_so() -> None:
    r = Reader(("unknown", "bvule"))
    with pytest.raises(CannotSay, match="bvule"):
        r.values.value(0, r.sort("ARRAY", r.sort("INT"), r.sort("INT")))


def test_values_as_text() -> None:
    r = Reader()
    number, bits = r.sort("INT"), r.sort("BV", 4)
    assert (
        show(5, bits) == "#b0101"
        and show(-5, number) == "(- 5)"
        and show("RNE", r.sort("RM")) == "RNE"
    )
    assert (
        show(ArrayValue(0, [(1, 2)]), r.sort("ARRAY", number, number)) == "(array [1] 2 [else] 0)"
    )
    assert show(DatatypeValue("cons", (1, DatatypeValue("nil"))), r.sort("TUPLE")) == "(cons 1 nil)"
    function = r.sort("FUN", number, number, r.sort("BOOL"))
    assert (
        show(FunctionValue(False, [((1, 2), True)]), function)
        == "(function (1, 2) true else false)"
    )
    assert (
        show(Element("u!0"), r.sort("UNINTERPRETED", "U")) == "u!0"
        and show('"é', r.sort("STRING")) == r'"\u{22}\u{e9}"'
    )
    assert show(0xBC00, r.sort("FP", 5, 11)) == "(fp #b1 #b01111 #b0000000000)"


# -- the solvers

SORTS = {
    "z3": [
        "SORT_BOOL",
        "SORT_INT",
        "SORT_REAL",
        "SORT_BV 8",
        "SORT_FP 5 11",
        "SORT_RM",
        "SORT_STRING",
        'SORT_UNINTERPRETED "U"',
        "SORT_ARRAY s1 s1",
        "SORT_SET s1",
        "SORT_SEQ s1",
        'SORT_DT 1 "D" 0 2 "nil" 0 "cons" 1 "hd" s1',
    ],
    "cvc5": [
        "SORT_BOOL",
        "SORT_INT",
        "SORT_REAL",
        "SORT_BV 8",
        "SORT_FP 5 11",
        "SORT_RM",
        "SORT_STRING",
        'SORT_UNINTERPRETED "U"',
        "SORT_ARRAY s1 s1",
        "SORT_SET s1",
        "SORT_SEQ s1",
        'SORT_DT 1 "D" 0 2 "nil" 0 "cons" 1 "hd" s1',
        "SORT_TUPLE s1 s1",
    ],  # bags take it minutes, and fields a library that wheels lack
}


OPTIONS = {
    "z3": [],
    "cvc5": [
        f"set-option {name} true"
        for name in ("produce-models", "fp-exp", "sets-exp", "strings-exp")
    ],
}


def two_of(solver: str, sort: str) -> str:
    """A trace that asserts that two constants of a sort differ."""
    return "\n".join(
        [
            "new",
            *OPTIONS[solver],
            "mk-sort SORT_BOOL\n return s1",
            f"mk-sort {sort}\n return s2",
            'mk-const s2 "x"\n return t1 s2',
            'mk-const s2 "y"\n return t2 s2',
            "mk-term OP_DISTINCT SORT_BOOL 2 t1 t2\n return t3 s1",
            "assert-formula t3",
            "check-sat",
            "check-model",
            "evaluate",
            "delete",
        ]
    )


@pytest.mark.parametrize("solver", SORTS)
def test_models_of_every_sort_are_read(solver: str) -> None:
    session = live(solver)  # in this process, so that the forks have it
    for sort in SORTS[solver]:
        written, report = forked(partial(replay, session, two_of(solver, sort)))
        assert report["finding"] is None and report["counts"].get("check-model:true") == 1, (
            sort,
            report,
        )
        assert (
            written.count("      model") == 2
            and written.count("      holds t3 true") == 1
            and '"? ' not in written
        )


@pytest.mark.parametrize("solver", SORTS)
def test_runs_have_no_false_alarm(solver: str) -> None:
    session = live(solver)

    def checked(seed: int) -> Any:
        # in the fork only
        session._checks = frozenset(["models", "values", "cores", "assumptions"])
        return walk(session, seed)[1]["finding"]

    for seed in range(404, 408):  # z3 takes an identity for a constant array in the run of 403
        found = forked(partial(checked, seed))
        assert found is None or not found["kind"].startswith(("invalid", "model"))


def test_assertions_that_hang_on_what_the_model_leaves_open_hold_if_all_can() -> None:
    """z3 says nothing of `default` of an array by Booleans that is not constant."""
    lines = """# solver z3 1
1 new
1 mk-sort SORT_BOOL
 return s1
1 mk-sort SORT_ARRAY s1 s1
 return s2
1 mk-const s2 "a"
 return t1 s2
1 mk-value s1 true
 return t2 s1
1 mk-term OP_ARRAY_SELECT SORT_BOOL 2 t1 t2
 return t3 s1
1 mk-term OP_ARRAY_DEFAULT SORT_BOOL 1 t1
 return t4 s1
1 mk-term OP_DISTINCT SORT_BOOL 2 t3 t4
 return t5 s1
1 assert-formula t5
1 check-sat
1 check-model
"""
    report = replay(live("z3"), lines)[1]
    assert report["status"] == "ok" and report["counts"]["check-model:true"] == 1, report


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_a_constant_whose_object_is_deleted_is_found_in_the_assertions(solver: str) -> None:
    lines = f"""# solver {solver} 1
1 new
1 mk-sort SORT_INT
 return s1
1 mk-const s1 "a b"
 return t1 s1
1 mk-value s1 "3"
 return t2 s1
1 mk-term OP_INT_LT SORT_BOOL 2 t1 t2
 return t3 s2
1 assert-formula t3
1 del t1
1 check-sat
1 check-model
"""
    if solver == "cvc5":
        lines = lines.replace(
            "1 mk-sort SORT_INT", "1 set-option produce-models true\n1 mk-sort SORT_INT"
        )
    report = replay(live(solver), lines)[1]
    assert report["status"] == "ok" and report["counts"]["check-model:true"] == 1, report


def test_the_reader_of_dropped_constants_is_given_the_terms_that_still_stand() -> None:
    """In some releases a solver that is asked for its assertions forgets its model."""
    reader = "['x' if any('x' in term for term in {v}) else None]"
    lines = f"new\n{LESS}del t1\ncheck-sat\ncheck-model"
    report = replay(session({"constants": reader}), lines)[1]
    assert report["finding"] is None and report["counts"]["check-model:true"] == 1, report


def test_a_string_too_long_to_write_down_cannot_be_said() -> None:
    """cvc5 describes it: `(witness ((x String)) (= (str.len x) 1000000))`."""
    lines = """# solver cvc5 1
1 new
1 set-option produce-models true
1 mk-sort SORT_STRING
 return s1
1 mk-const s1 "a"
 return t1 s1
1 mk-term OP_STR_LEN SORT_INT 1 t1
 return t2 s2
1 mk-value s2 "1000000"
 return t3 s2
1 mk-term OP_EQUAL SORT_BOOL 2 t2 t3
 return t4 s3
1 assert-formula t4
1 check-sat
1 check-model
"""
    report = replay(live("cvc5"), lines)[1]
    assert report["status"] == "ok" and report["counts"]["check-model:cannot-say"] == 1, report


def test_a_deleted_constant_is_not_taken_for_another_of_its_name() -> None:
    lines = """# solver z3 1
1 new
1 mk-sort SORT_INT
 return s1
1 mk-const s1 "a"
 return t1 s1
1 mk-value s1 "3"
 return t2 s1
1 mk-term OP_INT_LT SORT_BOOL 2 t1 t2
 return t3 s2
1 mk-const s2 "a"
 return t4 s2
1 assert-formula t4
1 del t1
1 check-sat-assuming 1 t3
1 check-model
"""
    report = replay(live("z3"), lines)[1]
    counts = report["counts"]
    assert report["status"] == "ok" and (
        counts["check-model:true"],
        counts["check-model:cannot-say"],
    ) == (1, 1), report


def test_the_universe_is_that_of_the_model() -> None:
    lines = """# solver cvc5 1
1 new
1 set-option sets-exp true
1 set-option produce-models true
1 mk-sort SORT_INT
 return s1
1 mk-sort SORT_SET s1
 return s2
1 mk-const s2 "a"
 return t1 s2
1 mk-term OP_SET_COMPLEMENT SORT_SET 1 t1
 return t2 s2
1 mk-term OP_DISTINCT SORT_BOOL 2 t1 t2
 return t3 s3
1 assert-formula t3
1 mk-special-value s2 "set.universe"
 return t4 s2
1 mk-term OP_SET_CARD SORT_INT 1 t4
 return t5 s1
1 mk-value s1 "3"
 return t6 s1
1 mk-term OP_EQUAL SORT_BOOL 2 t5 t6
 return t7 s3
1 assert-formula t7
1 check-sat
1 check-model
"""
    report = replay(live("cvc5"), lines)[1]
    assert report["status"] == "ok" and report["counts"]["check-model:true"] == 2, report


@pytest.mark.parametrize("name", ["b", "b)"])
def test_a_core_with_casts_made_explicit_is_of_what_was_asserted(name: str) -> None:
    """cvc5 holds `(< a a (/ b 1.0))`, with `b` an integer, as `(< a a (/ (to_real b) 1.0))`."""
    lines = f"""# solver cvc5 1
1 new
1 set-option produce-unsat-cores true
1 mk-sort SORT_REAL
 return s1
1 mk-const s1 "a"
 return t1 s1
1 mk-sort SORT_INT
 return s2
1 mk-const s2 "{name}"
 return t2 s2
1 mk-term@divide OP_INT_TO_REAL SORT_REAL 1 t2
 return t3 s1
1 mk-term OP_REAL_LT SORT_BOOL 3 t1 t1 t3
 return t4 s3
1 assert-formula t4
1 check-sat
1 check-core
"""
    report = replay(live("cvc5"), lines)[1]
    assert report["status"] == "ok" and report["counts"]["check-core:unsat"] == 1, report


def test_a_false_assertion_is_about_its_smallest_part_that_gets_a_wrong_model_alone() -> None:
    """The assertion is about integers and bit-vectors; that about integers is wrong alone."""
    lines = (
        LESS.replace("assert-formula t3\n", "")
        + 'mk-sort SORT_BV 4\n return s3\nmk-const s3 "y"\n return t5 s3\n'
    )
    lines += "mk-term OP_BV_ADD SORT_BV 2 t5 t5\n return t6 s3\nmk-term OP_BV_ADD SORT_BV 2 t6 t5\n return t7 s3\n"
    lines += "mk-term OP_EQUAL SORT_BOOL 2 t6 t7\n return t8 s1\nmk-term OP_AND SORT_BOOL 2 t3 t8\n return t9 s1\n"
    lines += "assert-formula t9\ncheck-sat\ncheck-model"
    rows = "[('int', 7) if c == 'x' else ('bv', 4, 0) for c in [{*}]]"
    wrong = f"{{{{'rows': {rows}, 'roots': list(range(len([{{*}}]))), 'partial': {{{{}}}}}}}}"
    found = replay(
        session({"model": wrong, "values": "{{'rows': [('unknown', '')], 'roots': [0]}}"}),
        f"new\n{lines}",
    )[1]["finding"]
    assert (
        found["message"]
        == "an assertion about INT is false under the model; the solver does not evaluate it"
    )


def test_an_operator_that_the_wrapper_lists_as_unjudged_is_not_judged() -> None:
    planted = session({"model": model(("int", 7))})
    assert replay(planted, f"new\n{SAT}check-model")[1]["finding"]["kind"] == "invalid-model"
    wrapper = copy.deepcopy(TOY) | {"unjudged": {"OP_INT_LT": "its meaning is the toy's own"}}
    wrapper["readers"] |= HONEST | {"model": model(("int", 7))}
    toy = Session(
        {"catalogue": load_catalogue(), "machine": load_machine("default"), "wrapper": wrapper}
    )
    report = replay(toy, f"new\n{SAT}check-model")[1]
    assert report["finding"] is None and report["counts"]["check-model-of:excused:cannot-say"] == 1
