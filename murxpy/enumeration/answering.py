"""A session that answers scripts of grammars one after another, each in a clean state, and says of
each the answer, its cost, and whether the model is right. `murxpy matrix` has one in each release.
"""

from __future__ import annotations

import gc
import platform
import sys
from collections.abc import Callable, Sequence
from typing import Any

from murxpy.enumeration.blocks import outcome_of
from murxpy.enumeration.grammar import Grammar
from murxpy.enumeration.reading import Reader
from murxpy.errors import InputError, TargetError
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.run import SOLVING, Run
from murxpy.machine.witnesses.scripted import answered, questions, verdicts
from murxpy.smtlib.printing.forms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.tables import Tables
from murxpy.solvers.refusals import INVALID_MODEL, UNDOCUMENTED
from murxpy.solvers.wrapper import Wrapper

Write = Callable[[str], None]
SESSION = "murxpy.enumeration.answering:Answering"
CRASH, ERROR, UNKNOWN = "crash", "error", "unknown"
NO_MODEL, TRUE, FALSE, UNSURE, OWN = "-", "true", "false", "unsure", "own-check"
_COUNT, _STEP, _PLACE = 12, 16, 30  # bits of a seed, which has 64; the rest is the grammar's
GRAMMARS = 64  # at most
# A new number says that some scripts may now be answered otherwise, though the question is the same.
WAY = 2
_WORDS = 300  # characters of a message that are kept
_DECIDED = ("sat", "unsat")


def seed_of(grammar: int, place: int, count: int, step: int = 1) -> int:
    """The seed of a run that answers `count` scripts of grammar number `grammar`: every `step`th from
    `place` on, counted from the first index of the study.
    """
    return ((grammar << _PLACE | place) << _STEP | step) << _COUNT | count


class Answering:
    """Answers scripts. `setup`, as plain data, has the catalogue and the wrapper; `grammars`, as
    `murxpy.data.grammars` gives them; `at`, the first index as decimal digits; `limit`, the limit of a
    check in units of the solver; `wall-ms`, that in milliseconds; and `own-checks`, true where the solver checks its models itself.

    Raises TargetError where the solver cannot be loaded, or reads no scripts.
    """

    def __init__(self, setup: dict[str, Any]) -> None:
        self._catalogue = build_catalogue(setup["catalogue"])
        self._wrapper = Wrapper(setup["wrapper"], self._catalogue)
        spellings = self._wrapper.set("readers", "alone")
        if not spellings:
            raise TargetError(
                f"{self._wrapper.name} {self._wrapper.release} reads no scripts through its Python API"
            )
        self._spelling = spellings.spellings[0]
        self._grammars = [Grammar(plain) for plain in setup["grammars"]]
        self._readers = [
            Reader(grammar, self._catalogue, self._wrapper.name, models=True)
            for grammar in self._grammars
        ]
        self._at = int(setup["at"])
        self._limits = (int(setup["limit"]), int(setup["wall-ms"]))
        own = setup["wrapper"].get("own-checks") or {} if setup["own-checks"] else {}
        self._options, self._without = (
            "".join(f"(set-option :{name} {value})\n" for name in own)
            for value in ("true", "false")
        )
        self._run = Run(self._wrapper, self._catalogue, 0, lambda text: None)
        self._tables = Tables(self._catalogue)
        gc.collect()
        gc.freeze()  # what is loaded by now need not be looked at for each context that dies

    def describe(self) -> dict[str, Any]:
        """The solver, its release, module file and Python."""
        module = sys.modules.get(self._wrapper.facts.module)
        return {
            "solver": self._wrapper.name,
            "version": self._wrapper.release,
            "module_file": getattr(module, "__file__", None) or "",
            "python": platform.python_version(),
        }

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
                said = ERROR, 0, NO_MODEL, _short(str(error))
            else:
                said = self.answer(asked, grammar.whole(grammar.at(self._at + each)))
            write(f" {' '.join(map(str, said))}\n")
        return {"status": "ok", "seed": seed, "counts": {}, "finding": None, "differences": []}

    def answer(self, asked: str, script: str) -> tuple[str, int, str, str]:
        """Answer, cost, verdict on the model, and message. `asked` is the script in the words of the
        solver, with a question for the model.
        """
        found = self._said(self._options + asked, script)
        if found[2] != OWN:
            return found
        # the solver said what is wrong with its model, and did not print it
        answer, cost, model, _ = self._said(self._without + asked, script)
        return answer, cost, model, f"{OWN}: {found[3]}"

    def _said(self, asked: str, script: str) -> tuple[str, int, str, str]:
        frame = self._run.frame
        frame.fill(value=asked)
        try:
            output, cost = self._spelling.call(self._limits, (), frame)
        except (Exception, SystemExit) as error:  # whatever a binding throws is an outcome
            return self._thrown(error)
        parts = answered(str(output))
        answers = [answer for answer, _ in parts]
        if not answers:
            return ERROR, int(cost), NO_MODEL, _short(str(output))
        return outcome_of(answers), int(cost), self._judged(script, parts), ""

    def _thrown(self, error: BaseException) -> tuple[str, int, str, str]:
        refusal = self._wrapper.refusal(error)
        message = _short(refusal.message)
        if refusal.sort == INVALID_MODEL:
            return "sat", 0, OWN, message
        if refusal.sort == "resources":
            return UNKNOWN, 0, NO_MODEL, message
        # in a check, what the solver has read is no longer ill-formed; it may still be unsupported
        ill_formed = refusal.sort == "ill-formed" and refusal.message.startswith(SOLVING)
        return CRASH if refusal.sort == UNDOCUMENTED or ill_formed else ERROR, 0, NO_MODEL, message

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
            for verdict in verdicts(self._run, read, check.formulas, printed).values()
        ]
        if FALSE in found:
            return FALSE
        return TRUE if all(verdict == TRUE for verdict in found) else UNSURE


def _short(message: str) -> str:
    return " ".join(message.split())[:_WORDS]
