"""Lifting scripts to traces: every solver answers the lifted script as its own parser's reading of
the script.
"""

from __future__ import annotations

import pytest
from toy import catalogue

from murxpy.errors import InputError
from murxpy.machine.trace.grammar import parse_trace
from murxpy.machine.trace.lift import lift
from murxpy.smtlib.building import Tables
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, DeclareFun, Script

CATALOGUE = catalogue()


def lifted(text: str) -> list[str]:
    """The lines of the lifted script, without what they return; that the trace reads back the same
    is checked here.
    """
    written = lift(read_script(text, "f.smt2", CATALOGUE)).text()
    assert parse_trace(written, "f").text() == written
    return [
        " ".join(row.split())
        for row in written.splitlines()
        if not row.startswith(("#", "      return"))
    ]


def test_terms_are_made_once_before_their_use() -> None:
    rows = lifted(
        "(set-logic QF_LIA)(declare-const x Int)(assert (< x 5))(assert (> (+ x 5) x))(check-sat)"
    )
    assert rows == [
        "new",
        "set-logic QF_LIA",
        "mk-sort SORT_INT",
        'mk-const s1 "x"',
        'mk-value s1 "5"',
        "mk-term OP_INT_LT SORT_BOOL 2 t1 t2",
        "assert-formula t3",
        "mk-term OP_INT_ADD SORT_INT 2 t1 t2",
        "mk-term OP_INT_GT SORT_BOOL 2 t4 t1",
        "assert-formula t5",
        "check-sat",
    ]


def test_names_assumptions_and_levels() -> None:
    rows = lifted(
        "(declare-const p Bool)(push)(assert (! p :named n))(check-sat-assuming ((not p)))(pop)(check-sat)(get-unsat-core)"
    )
    assert rows[1:] == [
        "set-option incremental true",
        "mk-sort SORT_BOOL",
        'mk-const s1 "p"',
        "push 1",
        'assert-tracked t1 "n"',
        "mk-term OP_NOT SORT_BOOL 1 t1",
        "check-sat-assuming 1 t2",
        "pop 1",
        "check-sat",
        "get-unsat-core",
    ]


def test_reset_starts_again() -> None:
    rows = lifted(
        "(declare-const x Int)(assert (= x 1))(reset)(declare-const x Int)(assert (= x 1))(check-sat)"
    )
    assert rows.count("new") == 2 and "delete" in rows
    assert [row for row in rows if row.startswith("mk-const")] == [
        'mk-const s1 "x"',
        'mk-const s3 "x"',
    ]


def test_what_a_trace_cannot_say_names_the_line() -> None:
    with pytest.raises(
        InputError,
        match=r"f.smt2:1: a field of sort ARRAY\(INT,DT\(T\)\) .* which a trace cannot say",
    ):
        lifted("(declare-datatypes ((T 0)) (((leaf) (node (sons (Array Int T))))))(assert true)")


def test_variables_of_one_name_have_names_of_their_own() -> None:
    """An inner binder would else bind what belongs to an outer one, or to a constant."""
    tables = Tables(CATALOGUE)
    free, outer, inner = (
        tables.constant("x", tables.int),
        tables.variable("x", tables.int),
        tables.variable("x", tables.int),
    )
    body = tables.conjunction(
        [tables.apply("OP_EQUAL", inner, outer), tables.apply("OP_EQUAL", outer, free)]
    )
    bound = tables.apply("OP_EXISTS", outer, tables.apply("OP_EXISTS", inner, body))
    script = Script("a.smt2", tables, [DeclareFun(free), Assert(bound)])
    text = lift(script).text()
    assert [row.split()[-1] for row in text.splitlines() if " mk-const " in row] == ['"x"']
    assert sorted(row.split()[-1] for row in text.splitlines() if " mk-var " in row) == [
        '"x_1"',
        '"x_2"',
    ]
