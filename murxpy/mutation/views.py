"""What each check of a script asks: an incremental script is several questions, and each can be a seed of its own."""

from __future__ import annotations

from dataclasses import dataclass

from murxpy.logic.terms import Term
from murxpy.smtlib.commands import CHECKS, Assert, CheckSatAssuming, Pop, Push, Reset, ResetAssertions
from murxpy.smtlib.script import Script


@dataclass(frozen=True, slots=True)
class View:
    """The assertions of all levels at a check, its assumptions behind them, and its label (`sat`, `unsat`), empty for none."""

    asserted: tuple[Term, ...]
    label: str = ""


def views(script: Script, label: str = "") -> list[View]:
    """The checks in order; `label` is that of the only one, where the script says nothing of it."""
    levels: list[list[Term]] = [[]]
    statuses = script.statuses()
    labels = iter([label or statuses[0]] if len(statuses) == 1 else statuses)
    found = []
    for command in script.commands:
        if isinstance(command, Assert):
            levels[-1].append(command.term)
        elif isinstance(command, Push):
            levels.extend([] for _ in range(command.levels))
        elif isinstance(command, Pop):
            del levels[max(1, len(levels) - command.levels) :]
        elif isinstance(command, Reset | ResetAssertions):
            levels = [[]]
        elif isinstance(command, CHECKS):
            assumed = command.assumptions if isinstance(command, CheckSatAssuming) else ()
            status = next(labels)
            found.append(View((*(t for level in levels for t in level), *assumed), status if status in ("sat", "unsat") else ""))
    return found
