"""What a script needs is declared before what needs it, in whatever order a term mentions it."""

from __future__ import annotations

from itertools import permutations

import pytest
from toy import catalogue

from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, Script

DECLARED = """(declare-fun g (Real) Real)(declare-const c Real)
(define-fun f ((x Real)) Bool (distinct (g (g c)) x))
(define-fun h ((x Real)) Bool (or (f x) (> (g x) c)))
"""
PARTS = ("(f c)", "(= (g c) 1.0)", "(h 2.0)", "(> c 0.0)")


@pytest.mark.parametrize("parts", list(permutations(PARTS)), ids=" ".join)
def test_terms_alone_say_what_they_need(parts: tuple[str, ...]) -> None:
    script = read_script(f"{DECLARED}(assert (and {' '.join(parts)}))", "t.smt2", catalogue())
    asserted = [command for command in script.commands if isinstance(command, Assert)]
    text = print_script(Script("t.smt2", script.tables, list(asserted)))
    assert len(read_script(text, "again.smt2", catalogue()).assertions()) == 1
