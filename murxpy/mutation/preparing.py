"""A seed made ready to be changed: what only describes it goes, what it means stays."""

from __future__ import annotations

from murxpy.logic.terms import Term
from murxpy.smtlib.commands import Ask, Assert, CheckSat, CheckSatUsing, Command, Exit, GetValue, SetInfo, SetLogic, SetOption, Simplify
from murxpy.smtlib.script import Script

_DROPPED = (Ask, Exit, GetValue, SetInfo, SetLogic, SetOption, Simplify)


def prepared(script: Script) -> Script:
    """The script without options, descriptions and questions, in the logic ALL, since mutation leaves the seed's."""
    kept = [CheckSat() if isinstance(c, CheckSatUsing) else c for c in script.commands if not isinstance(c, _DROPPED)]
    return Script(script.name, script.tables, [SetLogic("ALL"), *kept])


def places(script: Script) -> list[int]:
    """Where in the commands the assertions are."""
    return [at for at, command in enumerate(script.commands) if isinstance(command, Assert)]


def with_assertion(script: Script, at: int, term: Term) -> Script:
    """The script with `term` asserted at `at`, under the name that the assertion there has."""
    commands: list[Command] = list(script.commands)
    old = commands[at]
    assert isinstance(old, Assert)
    commands[at] = Assert(term, old.name)
    return Script(script.name, script.tables, commands)
