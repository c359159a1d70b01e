"""A session that answers scripts of grammars one after another, each in a clean state, and says of
each the answer, its cost, and whether the model is right. `murxpy matrix` has one in each release.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from murxpy.errors import InputError
from murxpy.machine.script import ERROR, OWN, Alone, ScriptAnswers, freeze, short
from murxpy.machine.witnesses.script_evidence import questions, verdicts
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.enumeration.grammar import Grammar
from murxpy.sources.enumeration.reading import Reader
from murxpy.sources.setups import AnsweringSetup

Write = Callable[[str], None]
SESSION = "murxpy.sources.enumeration.answering:Answering"
NO_MODEL, TRUE, FALSE, UNSURE = "-", "true", "false", "unsure"
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
        self._alone = Alone(
            setup["catalogue"], setup["wrapper"], (setup["limit"], setup["wall-ms"])
        )
        self.describe = self._alone.wrapper.describe
        self._catalogue = self._alone.catalogue
        self._grammars = [Grammar(plain) for plain in setup["grammars"]]
        self._readers = [
            Reader(grammar, self._catalogue, self._alone.wrapper.name, models=True)
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
        """Answer, cost, verdict on the model, and message. `asked` is the script in the words of the
        solver, with a question for the model.
        """
        given = self._alone.ask(self._options + asked)
        if given.outcome != OWN:
            return self._row(given, script)
        # the solver said what is wrong with its model, and did not print it
        answer, cost, model, _ = self._row(self._alone.ask(self._without + asked), script)
        return answer, cost, model, f"{OWN}: {given.message}"

    def _row(self, given: ScriptAnswers, script: str) -> tuple[str, int, str, str]:
        answer = "sat" if given.outcome == OWN else given.outcome
        model = OWN if given.outcome == OWN else self._judged(script, given.parts)
        return answer, given.cost, model, given.message

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
