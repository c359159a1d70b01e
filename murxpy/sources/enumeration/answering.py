"""A session that answers scripts of grammars one after another, each in a clean state, and says of
each the answer, its cost, and whether the model or the unsat core is right. `murxpy matrix` has one in each release.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from murxpy.errors import InputError
from murxpy.machine.script import ERROR, OWN, Alone, ScriptAnswers, freeze, short
from murxpy.machine.witnesses.script_evidence import (
    FOREIGN_CORE,
    SATISFIABLE_CORE,
    Question,
    asks_for_core,
    core_of,
    formulas_alone,
    questions,
    verdicts,
)
from murxpy.machine.witnesses.solving import FACTOR
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Script
from murxpy.sources.enumeration.grammar import Grammar
from murxpy.sources.enumeration.reading import Reader
from murxpy.sources.setups import AnsweringSetup

Write = Callable[[str], None]
SESSION = "murxpy.sources.enumeration.answering:Answering"
NO_MODEL, TRUE, FALSE, UNSURE = "-", "true", "false", "unsure"
CORE_RIGHT, CORE_WRONG, CORE_UNSURE = "core-right", "core-wrong", "core-unsure"
MODELS, CORES = "models", "cores"
_COUNT, _STEP, _PLACE = 12, 16, 30  # bits of a seed, which has 64; the rest is the grammar's
GRAMMARS = 64  # at most
# A new number says that some scripts may now be answered otherwise, though the question is the same.
WAY = 2


def seed_of(grammar: int, place: int, count: int, step: int = 1) -> int:
    """The seed of a run that answers `count` scripts of grammar number `grammar`: every `step`th from
    `place` on, counted from the first index of the study.
    """
    return ((grammar << _PLACE | place) << _STEP | step) << _COUNT | count


class Answering:
    """Answers scripts. Raises TargetError where the solver cannot be loaded, or reads no scripts."""

    def __init__(self, setup: AnsweringSetup) -> None:
        self._limits = setup["limit"], setup["wall-ms"]
        self._alone = Alone(setup["catalogue"], setup["wrapper"], self._limits)
        self.describe = self._alone.wrapper.describe
        self._catalogue = self._alone.catalogue
        self._grammars = [Grammar(plain) for plain in setup["grammars"]]
        self._readers = [
            Reader(
                grammar,
                self._catalogue,
                self._alone.wrapper.name,
                models=MODELS in setup["checks"],
                cores=CORES in setup["checks"],
            )
            for grammar in self._grammars
        ]
        self._at = int(setup["at"])
        own = setup["wrapper"].get("own-checks") or {} if setup["own-checks"] else {}
        self._options, self._without = (
            "".join(f"(set-option :{name} {value})\n" for name in own)
            for value in ("true", "false")
        )
        self._tables = Tables(self._catalogue)
        freeze()

    def walk(self, seed: int, write: Write) -> dict[str, Any]:
        """Answer the scripts that the seed names. A line for each has its place, written before the
        solver gets the script, and then answer, cost, model and message.
        """
        count, rest = seed & (1 << _COUNT) - 1, seed >> _COUNT
        step, rest = rest & (1 << _STEP) - 1, rest >> _STEP
        place, grammar = rest & (1 << _PLACE) - 1, self._grammars[rest >> _PLACE]
        reader = self._readers[rest >> _PLACE]
        self._tables = Tables(self._catalogue)  # so that the terms of other scripts take no memory
        for each in range(place, place + count * step, step):
            write(f"{each}")
            try:
                asked, _ = reader.script(self._at + each)
            except Unsayable as error:
                answered = ERROR, 0, NO_MODEL, short(str(error))
            else:
                answered = self.answer(asked, grammar.whole(grammar.at(self._at + each)))
            write(f" {' '.join(map(str, answered))}\n")
        return {"status": "ok", "seed": seed, "counts": {}, "finding": None, "differences": []}

    def answer(self, asked: str, script: str) -> tuple[str, int, str, str]:
        """Answer, cost, verdict on the model or the core, and message. `asked` is the script in the words
        of the solver, with a question for the one or the other.
        """
        given = self._alone.ask(self._options + asked)
        if given.outcome != OWN:
            return self._row(given, asked, script)
        # the solver said what is wrong with its model, and did not print it
        answer, cost, model, _ = self._row(self._alone.ask(self._without + asked), asked, script)
        return answer, cost, model, f"{OWN}: {given.message}"

    def _row(self, given: ScriptAnswers, asked: str, script: str) -> tuple[str, int, str, str]:
        if asks_for_core(asked):
            verdict, message = self._judged_core(asked, given.parts)
            return given.outcome, given.cost, verdict, message or given.message
        answer = "sat" if given.outcome == OWN else given.outcome
        model = OWN if given.outcome == OWN else self._judged(script, given.parts)
        return answer, given.cost, model, given.message

    def _judged_core(self, asked: str, parts: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """The verdict on the cores that the solver printed, each of which it must find unsatisfiable alone,
        and what is wrong with one.
        """
        if all(answer != "unsat" for answer, _ in parts):
            return NO_MODEL, ""
        try:
            read = read_script(asked, "script", self._catalogue, self._tables)
        except InputError:
            return CORE_UNSURE, ""
        checks = questions(read)
        if len(checks) != len(parts):
            return CORE_UNSURE, ""
        found = [
            self._of_core(read, check, printed)
            for check, (answer, printed) in zip(checks, parts, strict=True)
            if answer == "unsat"
        ]
        for verdict in (CORE_WRONG, CORE_UNSURE):
            for one in found:
                if one[0] == verdict:
                    return one
        return CORE_RIGHT, ""

    def _of_core(self, read: Script, check: Question, printed: str) -> tuple[str, str]:
        core = core_of(read, check, printed)
        if core is None:
            return CORE_UNSURE, ""
        if core.foreign:
            return CORE_WRONG, FOREIGN_CORE
        try:
            alone = print_script(formulas_alone(read, core.formulas), self._alone.wrapper.name)
        except Unsayable:
            return CORE_UNSURE, ""
        limit, wall_ms = self._limits
        answer = self._alone.ask(alone, (FACTOR * limit, FACTOR * wall_ms)).outcome
        if answer == "sat":
            return CORE_WRONG, SATISFIABLE_CORE
        return CORE_RIGHT if answer == "unsat" else CORE_UNSURE, ""

    def _judged(self, script: str, parts: Sequence[tuple[str, str]]) -> str:
        """The verdict of our evaluator on the models that the solver printed."""
        if all(answer != "sat" for answer, _ in parts):
            return NO_MODEL
        try:
            read = read_script(script, "script", self._catalogue, self._tables)
        except InputError:
            return UNSURE
        checks = questions(read)
        if len(checks) != len(parts):
            return UNSURE
        found = [
            verdict
            for check, (answer, printed) in zip(checks, parts, strict=True)
            if answer == "sat"
            for verdict in verdicts(self._alone.run, read, check.formulas, printed).values()
        ]
        if FALSE in found:
            return FALSE
        return TRUE if all(verdict == TRUE for verdict in found) else UNSURE
