"""The terms of enumerated scripts through the simplifier of a solver: what it makes of each is compared
with our evaluation, at all points where there are few.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from murxpy.checks.entailment import check_simplify
from murxpy.checks.registry import READERS
from murxpy.enumeration.exhaustive import MOST
from murxpy.enumeration.grammar import Grammar
from murxpy.logic.terms import Term
from murxpy.machine.alone import UNKNOWN
from murxpy.machine.outcomes import Refused
from murxpy.machine.run import Run
from murxpy.machine.witnesses.points import SAME
from murxpy.replaying.defuse import MAKERS
from murxpy.smtlib.commands import Assert
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Script
from murxpy.smtlib.tables import Tables
from murxpy.trace.grammar import Line, Trace
from murxpy.trace.lift import SOLVER, Lifter
from murxpy.trace.reading import Reading, Skipped

EQUAL = "equal"


class Simplifier:
    """The simplifier of the solver of a run, for the scripts of a grammar. Terms that scripts have in
    common are made once.
    """

    def __init__(self, run: Run, grammar: Grammar) -> None:
        self._run = run
        self._grammar = grammar
        self._tables = Tables(run.catalogue)
        self._lifter = Lifter(Script(grammar.name, self._tables))
        self._reading = Reading(run, Trace(grammar.name, [], {"solver": f"{SOLVER} 2.7"}))
        self._done: set[Term] = set()

    def came(self, index: int) -> str:
        """What comes of the script with this index: `equal` where the simplified terms have the
        values of the terms at all points, or have them by a proof of the solver; `unknown`; or the
        sort of a refusal. Raises Stopped where a simplified term has another value.
        """
        run = self._run
        run.note(f"script {index}")
        text = self._grammar.whole(self._grammar.at(index))
        script = read_script(text, self._grammar.name, run.catalogue, self._tables)
        try:
            verdicts = [self._check(term) for term in self._terms(script)]
        except Refused as refused:
            return refused.sort
        except Skipped:
            return "unsupported"
        return EQUAL if all(verdict == SAME for verdict in verdicts) else UNKNOWN

    def _terms(self, script: Script) -> Iterator[Term]:
        """The formulas that a script asserts and their operands, those that had no turn yet."""
        asserted = [c.term for c in script.commands if isinstance(c, Assert)]
        for formula in asserted:
            for term in (*formula.args, formula):
                if term.args and not term.free and term not in self._done:
                    self._done.add(term)
                    yield term

    def _check(self, term: Term) -> str:
        """The worse verdict of two spellings of the call: the first, and one by chance."""
        ref = self._lifter.term(term)
        lines, self._lifter.lines[:] = list(self._lifter.lines), []
        for line in lines:
            self._carry_out(line)
        run, reading = self._run, self._reading
        reading.line = Line("check-simplify", [ref], seed=run.line_seed())
        entry = reading.term(0, closed=True)
        spellings = run.wrapper.set("actions", "simplify")
        first = None if spellings is None else spellings.spellings[0].name
        verdicts = [
            check_simplify(run, entry, run.line_seed(), spelling, MOST)
            for spelling in (first, None)
        ]
        return next((verdict for verdict in verdicts if verdict != SAME), SAME)

    def _carry_out(self, line: Line) -> None:
        self._reading.line = replace(line, seed=self._run.line_seed())
        try:
            READERS[line.action](self._reading)
        except (Refused, Skipped):
            if line.action not in MAKERS:
                raise
            self._reading.lost()
