"""Which mutants ask for what the solver promises with its answers: the model of a sat one, the core of an unsat one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from murxpy.machine.checks.scripted import CORE, CORES_OPTION, MODEL
from murxpy.machine.random import Stream
from murxpy.smtlib.commands import CHECKS, Ask, Assert, Command, SetOption
from murxpy.smtlib.script import Script

MODELS, CORES = "models", "cores"
_NAME = "core!{}"
_IMPOSSIBLE = {MODELS: "unsat", CORES: "sat"}  # the expected answer behind which there is nothing to ask for


class Promises:
    """Draws what each mutant of a run asks for: `models`, `cores`, or nothing. `chances` are the shares of the mutants, by these names.

    The stream is its own, so that what is asked does not change which mutants are made.
    """

    def __init__(self, chances: Mapping[str, float], stream: Stream) -> None:
        self._chances = chances
        self._stream = stream

    def next(self, expected: Sequence[str]) -> str:
        """What the next mutant asks for, whose checks must answer as `expected`; empty for nothing."""
        drawn = self._stream.random()
        for what in (MODELS, CORES):
            chance = self._chances.get(what, 0.0)
            if drawn < chance:
                return "" if expected and all(answer == _IMPOSSIBLE[what] for answer in expected) else what
            drawn -= chance
        return ""


def asking(script: Script, what: str) -> Script:
    """The script with a question for `what` behind each check, with the option that it needs; for a core, all assertions have names."""
    if not what:
        return script
    option = SetOption("produce-models" if what == MODELS else CORES_OPTION, "true")
    commands: list[Command] = [option]
    for at, command in enumerate(script.commands):
        named = what == CORES and isinstance(command, Assert) and command.name is None
        commands.append(Assert(command.term, _NAME.format(at)) if named and isinstance(command, Assert) else command)
        if isinstance(command, CHECKS):
            commands.append(Ask(MODEL if what == MODELS else CORE))
    return Script(script.name, script.tables, commands)
