"""What each check of a script asks: an incremental script is several questions, and each can be a
seed of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from murxpy.logic.terms import Term
from murxpy.smtlib.asserted import at_checks
from murxpy.smtlib.commands import CheckSatAssuming
from murxpy.smtlib.script import Script


@dataclass(frozen=True, slots=True)
class View:
    """The assertions of all levels at a check, its assumptions behind them, and its label (`sat`,
    `unsat`), empty for none.
    """

    asserted: tuple[Term, ...]
    label: str = ""


def views(script: Script, label: str = "") -> list[View]:
    """The checks in order; `label` is that of the only one, where the script says nothing of it."""
    statuses = script.statuses()
    labels = iter([label or statuses[0]] if len(statuses) == 1 else statuses)
    found = []
    for at, asserted in at_checks(script):
        command, status = script.commands[at], next(labels)
        assumed = command.assumptions if isinstance(command, CheckSatAssuming) else ()
        found.append(
            View(
                (*(assertion.term for assertion in asserted), *assumed),
                status if status in ("sat", "unsat") else "",
            )
        )
    return found
