"""A solver that reads scripts one after another, each in a state that no other script has touched,
and says of each the answers and what they cost.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.errors import TargetError
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.run import SOLVING, Run
from murxpy.machine.witnesses.scripted import answered
from murxpy.solvers.refusals import INVALID_MODEL, UNDOCUMENTED
from murxpy.solvers.wrapper import Wrapper

CRASH, ERROR, UNKNOWN, OWN = "crash", "error", "unknown", "own-check"
_WORDS = 300  # characters of a message that are kept
_DECIDED = ("sat", "unsat")


@dataclass(frozen=True, slots=True)
class Said:
    """What a solver said to a script: `outcome` are its answers joined with `+`, unknown where one of
    them is, error where it does not read the script, crash where it throws what no rule of the wrapper
    knows, and own-check where it finds its own model wrong. `cost` is in the solver's units. `parts`
    are the answers, each with what was printed behind it.
    """

    outcome: str
    cost: int
    message: str = ""
    parts: Sequence[tuple[str, str]] = ()


class Alone:
    """Reads scripts. `setup`, as plain data, has the catalogue and the wrapper; `limit`, the limit of
    a check in units of the solver; and `wall-ms`, that in milliseconds.

    Raises TargetError where the solver cannot be loaded, or reads no scripts.
    """

    def __init__(self, setup: dict[str, Any]) -> None:
        self.catalogue = build_catalogue(setup["catalogue"])
        self.wrapper = Wrapper(setup["wrapper"], self.catalogue)
        spellings = self.wrapper.set("readers", "alone")
        if not spellings:
            raise TargetError(
                f"{self.wrapper.name} {self.wrapper.release} reads no scripts through its Python API"
            )
        self._spelling = spellings.spellings[0]
        self._limits = (int(setup["limit"]), int(setup["wall-ms"]))
        self.run = Run(self.wrapper, self.catalogue, 0, lambda text: None)

    def ask(self, script: str, limits: tuple[int, int] | None = None) -> Said:
        """Have the solver read a script in its own words. `limits` are others than those of the setup,
        in units of the solver and in milliseconds. A script that uses what the wrapper forbids is not
        read.
        """
        if found := self.wrapper.facts.forbidden.in_script(script):
            return Said(ERROR, 0, found)
        frame = self.run.frame
        frame.fill(value=script)
        try:
            output, cost = self._spelling.call(limits or self._limits, (), frame)
        except (Exception, SystemExit) as error:  # whatever a binding throws is an outcome
            return self._thrown(error)
        parts = answered(str(output))
        if not parts:
            return Said(ERROR, int(cost), short(str(output)))
        return Said(outcome_of([answer for answer, _ in parts]), int(cost), parts=parts)

    def _thrown(self, error: BaseException) -> Said:
        refusal = self.wrapper.refusal(error)
        message = short(refusal.message)
        if refusal.sort == INVALID_MODEL:
            return Said(OWN, 0, message)
        if refusal.sort == "resources":
            return Said(UNKNOWN, 0, message)
        # in a check, what the solver has read is no longer ill-formed; it may still be unsupported
        ill_formed = refusal.sort == "ill-formed" and refusal.message.startswith(SOLVING)
        return Said(CRASH if refusal.sort == UNDOCUMENTED or ill_formed else ERROR, 0, message)


def freeze() -> None:
    """Have the collector pass over what is loaded by now, for each context that dies."""
    gc.collect()
    gc.freeze()


def outcome_of(answers: Sequence[str]) -> str:
    """What came of a script with these answers: the answers, or `unknown` if one is not known."""
    decided = answers and all(answer in _DECIDED for answer in answers)
    return "+".join(answers) if decided else UNKNOWN


def short(message: str) -> str:
    """The first words of a message, in one line."""
    return " ".join(message.split())[:_WORDS]
