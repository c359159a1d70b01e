"""Mutants through the API: each mutant becomes the lines of a trace, which are carried out on a
solver of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

from murxpy.errors import InputError
from murxpy.machine import script, solve
from murxpy.machine.checks.assertions import check_model
from murxpy.machine.checks.cores import check_core
from murxpy.machine.checks.registry import ANSWERING, READERS
from murxpy.machine.outcomes import Refused
from murxpy.machine.run import Run
from murxpy.machine.trace.grammar import Line, Trace
from murxpy.machine.trace.lift import SOLVER, Lifter
from murxpy.machine.trace.reading import Reading, Skipped
from murxpy.machine.witnesses.script_evidence import CORES_OPTION
from murxpy.smtlib.building import Tables
from murxpy.smtlib.script import Script
from murxpy.sources.mutation.known import CORES, MODELS
from murxpy.sources.mutation.options import Options

_NEEDED = {MODELS: (("produce-models", "true"),), CORES: ((CORES_OPTION, "true"),)}
_SPECIAL = [pair for pairs in _NEEDED.values() for pair in pairs]


class ApiRunner:
    """Runs the scripts of one chain in a run that already has a solver. `limit` is the limit of
    each check, 0 for none.
    """

    def __init__(self, run: Run, tables: Tables) -> None:
        self._run = run
        self._lifter = Lifter(Script("mutant", tables))
        self.limit = 0

    def answers(
        self, made: Script, expected: Sequence[str], options: Options = (), promised: str = ""
    ) -> list[str] | None:
        """The answers of a script's checks. The result is None if a line is refused, since the checks
        behind it ask another question then.

        Behind each check, `promised` is judged: `models`, `cores`, or nothing. Raises InputError
        for what a trace cannot say.
        """
        lines = self._lines(made)
        run, before = self._run, len(self._run.answers)
        reading = Reading(run, Trace("mutant", lines, {"solver": f"{SOLVER} 2.7"}))
        try:
            for line in lines:
                reading.line = replace(line, seed=run.line_seed())
                READERS[line.action](reading)
                if line.action == "new":
                    self._begin(made, expected, (*_NEEDED.get(promised, ()), *options))
                elif line.action in ANSWERING:
                    self._judge(promised)
        except (Refused, Skipped):
            return None
        finally:
            found = [now for _, _, now in run.answers[before:]]
            del run.answers[before:]
        return found

    def _judge(self, promised: str) -> None:
        """Judge the model or the core of the last answer. Raises Stopped if the answer is wrong."""
        run = self._run
        state = run.state
        with contextlib.suppress(Refused):
            if (
                promised == MODELS
                and state.answer == "sat"
                and state.models
                and run.wrapper.set("readers", "model")
            ):
                check_model(run, run.line_seed())
            if (
                promised == CORES
                and state.answer == "unsat"
                and state.cores
                and run.wrapper.set("readers", "core")
            ):
                check_core(run, run.line_seed())

    def _lines(self, made: Script) -> list[Line]:
        """The lines of a script on a solver of its own, after the solver of the script before it is
        dropped.
        """
        lifter = self._lifter
        lines = lifter.lines
        lines.clear()
        lifter.restart()
        try:
            for command in made.commands:
                lifter.carry_out(command)
        except InputError:
            lines.clear()
            raise
        return list(lines)

    def _begin(self, made: Script, expected: Sequence[str], options: Options) -> None:
        """The first lines for a new solver."""
        run = self._run
        facts = run.wrapper.facts
        pairs = [(name, value.lower()) for name, value in facts.required()]
        special = facts.forms.get("special-options") or {}
        pairs += [("incremental", "true")] if made.incremental and "incremental" in special else []
        for name, value in (
            *pairs,
            *(pair for pair in options if pair[0] in special or pair not in _SPECIAL),
        ):
            with contextlib.suppress(Refused):
                solve.set_option(run, name, value, run.line_seed())
        if self.limit:
            solve.set_limit(run, self.limit, run.line_seed())
        if any(answer != "unknown" for answer in expected):
            script.expect(run, expected, run.line_seed())
