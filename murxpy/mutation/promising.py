"""The mutants that ask for the evidence of an answer: the model of a satisfiable mutant, or the
core of an unsatisfiable one.

All mutants of a run ask for the same, or none asks. z3 prints the definitions of a script in its
model, and after a `(reset)` also those of earlier scripts. With definitions models cost five times
as much, so no script of a run that asks for models has definitions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from murxpy.machine.random import Stream
from murxpy.machine.witnesses.scripted import CORE, CORES_OPTION, MODEL
from murxpy.smtlib.commands import CHECKS, Ask, Assert, Command, SetOption
from murxpy.smtlib.script import Script

MODELS, CORES = "models", "cores"
_NAME = "core!{}"
# for each kind of evidence, the expected answer that has no such evidence
_IMPOSSIBLE = {MODELS: "unsat", CORES: "sat"}


def drawn(chances: Mapping[str, float], stream: Stream) -> str:
    """What all mutants of a run ask for: `models`, `cores`, or an empty text for nothing. `chances`
    are the shares of runs, by these names.

    The stream should be one of its own, so that the mutants do not depend on what is drawn here.
    """
    point = stream.random()
    for what in (MODELS, CORES):
        if point < chances.get(what, 0.0):
            return what
        point -= chances.get(what, 0.0)
    return ""


def fitting(what: str, expected: Sequence[str]) -> str:
    """What a mutant with the expected answers `expected` asks for. It is empty if no answer can
    have such evidence.
    """
    return (
        ""
        if what and expected and all(answer == _IMPOSSIBLE[what] for answer in expected)
        else what
    )


def asking(script: Script, what: str) -> Script:
    """The script with a question for `what` behind each check, and with the option that this needs.
    For a core, all assertions get names.
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
