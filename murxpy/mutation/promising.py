"""Which mutants ask for what the solver promises with its answers: the model of a sat one, the core
of an unsat one.

All mutants of a run ask for the same, or none does. z3 prints the definitions of a script in its
model, and after a `(reset)` those of the scripts before it, too, which made models five times as
expensive as they are. So no script of a run that asks for models has definitions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from murxpy.machine.random import Stream
from murxpy.machine.witnesses.scripted import CORE, CORES_OPTION, MODEL
from murxpy.smtlib.commands import CHECKS, Ask, Assert, Command, SetOption
from murxpy.smtlib.script import Script

MODELS, CORES = "models", "cores"
_NAME = "core!{}"
# the expected answer behind which there is nothing to ask for
_IMPOSSIBLE = {MODELS: "unsat", CORES: "sat"}


def drawn(chances: Mapping[str, float], stream: Stream) -> str:
    """What all mutants of a run ask for: `models`, `cores`, or empty for nothing. `chances` are the
    shares of the runs, by these names.

    The stream should be one of its own, so that what is asked does not change which mutants are
    made.
    """
    point = stream.random()
    for what in (MODELS, CORES):
        if point < chances.get(what, 0.0):
            return what
        point -= chances.get(what, 0.0)
    return ""


def fitting(what: str, expected: Sequence[str]) -> str:
    """What a mutant asks for whose checks must answer as `expected`: nothing where there is nothing
    to ask for.
    """
    return (
        ""
        if what and expected and all(answer == _IMPOSSIBLE[what] for answer in expected)
        else what
    )


def asking(script: Script, what: str) -> Script:
    """The script with a question for `what` behind each check, with the option that it needs; for a
    core, all assertions have names.
    """
    if not what:
        return script
    option = SetOption("produce-models" if what == MODELS else CORES_OPTION, "true")
    commands: list[Command] = [option]
    for at, command in enumerate(script.commands):
        named = what == CORES and isinstance(command, Assert) and command.name is None
        commands.append(
            Assert(command.term, _NAME.format(at))
            if named and isinstance(command, Assert)
            else command
        )
        if isinstance(command, CHECKS):
            commands.append(Ask(MODEL if what == MODELS else CORE))
    return Script(script.name, script.tables, commands)
