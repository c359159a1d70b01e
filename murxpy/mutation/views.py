"""The questions of a script's checks. An incremental script asks several questions, and each of
them can serve as a seed of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from murxpy.logic.terms import Term
from murxpy.smtlib.asserted import at_checks
from murxpy.smtlib.commands import CheckSatAssuming
from murxpy.smtlib.script import Script


@dataclass(frozen=True, slots=True)
class View:
    """One check: the assertions of all levels, then its assumptions, and its label (`sat`, `unsat`,
    or empty for none).
    """

    asserted: tuple[Term, ...]
    label: str = ""


def views(script: Script, label: str = "") -> list[View]:
    """The checks in order. `label` is the label of a single check about which the script itself
    says nothing.
    """
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
