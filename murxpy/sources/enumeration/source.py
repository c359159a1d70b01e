"""Gives the terms of enumerated scripts to the simplifier of a solver, and compares each result with
our evaluation, at all points if there are few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from murxpy.logic.terms import Term
from murxpy.machine import script, solve
from murxpy.machine.checks.entailment import check_simplify
from murxpy.machine.checks.registry import READERS
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.replaying.defuse import MAKERS
from murxpy.machine.run import Run
from murxpy.machine.script import UNKNOWN, outcome_of
from murxpy.machine.trace.grammar import Line, Trace
from murxpy.machine.trace.lift import SOLVER, Lifter
from murxpy.machine.trace.reading import Reading, Skipped
from murxpy.machine.witnesses.points import SAME
from murxpy.machine.witnesses.slowness import Spending
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, Script
from murxpy.sources.enumeration.blocks import BY_MODEL, BY_VALUES, FINDING, TWIN, Block, Blocks
from murxpy.sources.enumeration.call_sequences import HEAD, carry_out
from murxpy.sources.enumeration.grammar import Grammar
from murxpy.sources.enumeration.reading import MOST, Reader
from murxpy.sources.setups import EnumerationSetup

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
        """The result of the script with this index: `equal` if the simplified terms have the values
        of the terms at all points, or have them by a proof of the solver; `unknown`; or the sort of a
        refusal. Raises Stopped where a simplified term has another value.
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


# ----------------------------------------------------------------------
# A run of an enumeration: the scripts of one block, one after another.


# The wall time of a check in units of its limit. One script in ten with real functions counts almost
# nothing towards the solver's own limit and runs for minutes; nearly all others end within the limit.
_WALL = 2.0


class Enumeration:
    """The enumeration of a session."""

    def __init__(self, setup: EnumerationSetup) -> None:
        self.blocks = Blocks(setup)
        self._check_ms = setup["check-ms"]
        self.simplify = setup.get("simplify", False)

    def rows(self, block: Block) -> list[str]:
        """The rows of a run's header."""
        return [
            "source enumerate",
            f"grammar {block.grammar.name}",
            f"indices {block.first} {block.last}",
            *(["simplify"] if self.simplify else []),
        ]

    def run(self, run: Run, block: Block, head: str = "") -> None:
        """Test each script of a block, with the commands `head` in front of it, or make the calls of each
        sequence. Raises Stopped for a finding, which ends the block.
        """
        if self.simplify:
            _simplified(run, block)
            return
        limit = int(self._check_ms * run.wrapper.facts.limit_per_ms)
        if HEAD in block.grammar.plain:
            _call(run, block, limit)
            return
        solve.new(run, run.line_seed())
        if limit and run.wrapper.set("actions", "set-limit") is not None:
            solve.set_limit(run, limit, run.line_seed(), wall_ms=wall_of(self._check_ms))
        models, cores = [name in run.script_checks for name in ("models", "cores")]
        reader = Reader(block.grammar, run.catalogue, run.wrapper.name, models=models, cores=cores)
        spending, confirmations = Spending(run), Confirmations(run)
        for index in range(block.first, block.last + 1):
            for came in (TWIN,) if block.twin(index) else _tested(run, reader, index, head):
                run.counts[block.counter(index, came)] += 1
                by = confirmations.by(came)
                if by:
                    run.counts[block.confirmed(index, by)] += 1
                    run.confirmed.append(index - block.first)
            cost = spending.passed()
            if cost:
                run.spent.append((index - block.first, cost))


def wall_of(check_ms: float) -> int:
    """The wall time of a check in milliseconds, by its limit in milliseconds of a usual machine."""
    return max(1, int(_WALL * check_ms))


def _simplified(run: Run, block: Block) -> None:
    """Have the solver simplify the terms of each script of a block. Raises Stopped for a finding."""
    simplifier = Simplifier(run, block.grammar)
    for index in range(block.first, block.last + 1):
        came = FINDING
        try:
            came = TWIN if block.twin(index) else simplifier.came(index)
        finally:
            run.counts[block.counter(index, came)] += 1


def _call(run: Run, block: Block, limit: int) -> None:
    """Make the calls of the one sequence of a block."""
    came = FINDING
    try:
        sequence = block.grammar.at(block.first)
        came = carry_out(run, sequence, block.grammar.plain[HEAD], limit)
    finally:
        run.counts[block.counter(block.first, came)] += 1


class Confirmations:
    """Tells of each script of a run what confirms its answers without another solver."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._before = self._figures()

    def _figures(self) -> tuple[int, int, int]:
        names = ("check:expected", "check-script-model:true", "check-script-model:cannot-say")
        known, right, open_ = [self._run.counts[name] for name in names]
        return known, right, open_

    def by(self, came: str) -> str:
        """What confirms the answers of the script that ran last: all values of its constants, or models
        that our evaluator finds right; empty where nothing does.
        """
        before, self._before = self._before, self._figures()
        known, right, open_ = [now - then for now, then in zip(self._before, before, strict=True)]
        answers = came.split("+")
        if not set(answers) <= {"sat", "unsat"}:
            return ""
        if known == len(answers):
            return BY_VALUES
        return BY_MODEL if right and not open_ and set(answers) == {"sat"} else ""


def _tested(run: Run, reader: Reader, index: int, head: str) -> Iterator[str]:
    """Test a script, and return the result. Raises Stopped for a finding, which is reported before."""
    try:
        text, made = reader.script(index)
    except Unsayable:
        yield "unsupported"
        return
    if made is not None and reader.known.possible:
        _expect(run, reader.known.answers(made))
    yield from _came(run, head + text, made)


def _expect(run: Run, answers: Sequence[str]) -> None:
    """Note the answers that all values of the constants give."""
    if any(answer != "unknown" for answer in answers):
        run.counts["enumerate-known"] += 1
        script.expect(run, answers, run.line_seed())


def _came(run: Run, text: str, made: Script | None) -> Iterator[str]:
    try:
        answers = script.answers_of(script.run_script(run, text, run.line_seed(), made=made))
    except Stopped:
        yield FINDING
        raise
    except Refused as refused:
        yield refused.sort
    else:
        yield outcome_of(answers)
