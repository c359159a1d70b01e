"""Which formulas are asserted at each check of a script."""

from __future__ import annotations

from collections.abc import Iterator

from murxpy.smtlib.commands import CHECKS, Assert, Pop, Push, Reset, ResetAssertions
from murxpy.smtlib.script import Script


def at_checks(script: Script) -> Iterator[tuple[int, tuple[Assert, ...]]]:
    """Return, for each check of a script in order, its position among the commands and the formulas
    that are asserted there on all open levels.
    """
    levels: list[list[Assert]] = [[]]
    for at, command in enumerate(script.commands):
        if isinstance(command, Assert):
            levels[-1].append(command)
        elif isinstance(command, Push):
            levels.extend([] for _ in range(command.levels))
        elif isinstance(command, Pop):
            del levels[max(1, len(levels) - command.levels) :]
        elif isinstance(command, Reset | ResetAssertions):
            levels = [[]]
        elif isinstance(command, CHECKS):
            yield at, tuple(assertion for level in levels for assertion in level)
