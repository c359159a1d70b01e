"""The formula of a trace: what it has, what it lacks, and that it is read back as the same terms."""

from __future__ import annotations

from toy import catalogue

from murxpy.machine.trace.grammar import parse_trace
from murxpy.machine.trace.lift import lift
from murxpy.smtlib.reading.scripts import read_script
from murxpy.translate.formula import Formula, formula_of


def formula(script: str, dialect: str = "standard") -> Formula:
    """The formula of the trace that makes the calls of a script."""
    trace = lift(read_script(script, "t.smt2", catalogue())).text()
    return formula_of(parse_trace(trace, "t.trace"), catalogue(), dialect)


def test_an_assertion_that_is_missing_leaves_no_symbol_undeclared() -> None:
    """The missing assertion shares a term with the one that can be said."""
    found = formula(
        "(declare-const x Bool)(declare-const s (Seq Int))"
        "(assert (or (not (and x x)) (= s s) (and x x)))(assert (not (and x x)))(check-sat)"
    )
    assert [reason for _, _, reason in found.lost] == [
        "SORT_SEQ has no name in SMT-LIB's dialect 'standard'"
    ]
    read = read_script(found.text, "f.smt2", catalogue())
    assert len(read.assertions()) == 1
