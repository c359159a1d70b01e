"""Finished traces, read leniently: also where the process died in the middle of a row."""

from __future__ import annotations

from murxpy.machine.trace.finished import (
    Call,
    add_header,
    checks_of,
    header_value,
    last_call,
    read_rows,
    until_row,
)
from murxpy.oracles.disagreement import decided_lines, last_answer

TRACE = """# murxpy-trace 1
# solver z3 5.4.0
 1 new
      return o1
 2 o1.assert-formula@add t1
 3 o1.check-sat@default
      answer sat
 4 run-script "(check-sat)(check-sat)"
      answer unknown
      answer unsat
 5 check-sat-assuming 1 t1
"""


def test_rows_have_what_followed_them() -> None:
    rows = [(row.number, row.action, row.words, row.results) for row in read_rows(TRACE)]
    assert rows[0] == (3, "new", "", [["return", "o1"]])
    assert rows[1] == (5, "assert-formula", "t1", [])
    assert [row.answers for row in read_rows(TRACE)] == [[], [], ["sat"], ["unknown", "unsat"], []]


def test_answers_of_checks() -> None:
    assert decided_lines(TRACE) == [6, 8]
    assert last_answer(TRACE) == (11, "")
    assert last_answer(until_row(TRACE, 8)) == (8, "unsat")
    assert last_answer("# murxpy-trace 1\n1 new\n") == (0, "")


def test_a_trace_cut_anywhere_is_read() -> None:
    whole = [(row.number, row.action) for row in read_rows(TRACE)]
    for cut in range(len(TRACE)):
        rows = [(row.number, row.action) for row in read_rows(TRACE[:cut])]
        assert rows[:-1] == whole[: max(0, len(rows) - 1)], cut
        assert last_call(TRACE[:cut]).action == (rows[-1][1] if rows else ""), cut


def test_headers() -> None:
    named = add_header(TRACE, "# cross-check cvc5\n")
    assert named.startswith("# murxpy-trace 1\n# cross-check cvc5\n# solver")
    assert header_value(named, "cross-check") == "cvc5" and header_value(TRACE, "cross-check") == ""


def test_what_is_no_trace_has_no_call() -> None:
    assert last_call("\x00\xff 1 \n 99999999999999999999999 new") == Call()


CHECKS = """1 new
2 check-sat
      answer sat
3 assert-formula t1
4 check-sat@default
      answer sat
5 push 2
6 assert-tracked t2 "a"
7 check-sat
      answer unsat
8 check-sat-assuming 2 t1 t2
      answer unsat
9 pop 2
10 check-sat
      answer sat
11 reset-assertions
12 check-sat-assuming 1 t3
      answer unknown
13 check-sat
"""


def test_what_the_checks_of_a_run_that_died_decided() -> None:
    """Twice the same assertions and assumptions count once, and a check without any does not."""
    assert checks_of(CHECKS) == {
        "check:total": 6,
        "check:asserted": 5,
        "check:decided": 2,
        "answer:sat": 3,
        "answer:unsat": 2,
        "answer:unknown": 1,
        "sat:total": 3,
        "unsat:total": 2,
    }
    for cut in range(len(CHECKS)):
        assert checks_of(CHECKS[:cut])["check:total"] <= 6
    assert (
        checks_of("1 pop 99999\n2 push 99999999\n3 check-sat\n answer sat\n")["check:decided"] == 0
    )
