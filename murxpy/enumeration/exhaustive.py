"""The answers of scripts whose constants have few values: our evaluator goes through all of them, so
both answers are known without another solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import Term
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.model import Interpretation
from murxpy.semantics.values import CannotSay, Value
from murxpy.smtlib.asserted import at_checks
from murxpy.smtlib.commands import CheckSat, CheckSatAssuming
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Script
from murxpy.smtlib.tables import Tables

MOST = 1024  # assignments of values to the constants of a script


class Exhaustive:
    """Answers scripts with the same declarations, `head`, that were all read with the same `tables`.
    For each assignment an evaluator remembers the values of their terms.
    """

    def __init__(self, head: str, catalogue: Catalogue, tables: Tables) -> None:
        script = read_script(head, "head", catalogue, tables)
        self._evaluators = [
            Evaluator(catalogue, Interpretation(constants=dict(assigned)))
            for assigned in _assignments(script.constants(), catalogue)
        ]

    @property
    def possible(self) -> bool:
        """Whether the constants have so few values that all can be gone through."""
        return bool(self._evaluators)

    def answers(self, script: Script) -> list[str]:
        """The answer to each check of a script: `sat`, `unsat`, or `unknown` where our evaluator cannot
        say.
        """
        return [self._answer(formulas) for formulas in _asked(script)]

    def _answer(self, formulas: Sequence[Term]) -> str:
        known = True
        for evaluator in self._evaluators:
            try:
                if all(evaluator.value(formula) for formula in formulas):
                    return "sat"
            except CannotSay:
                known = False
        return "unsat" if known else "unknown"


def _asked(script: Script) -> list[list[Term]]:
    """The formulas that each check of a script asks for; empty where a check is of another kind."""
    found = []
    for at, asserted in at_checks(script):
        command = script.commands[at]
        assumed = command.assumptions if isinstance(command, CheckSatAssuming) else ()
        if not isinstance(command, CheckSat | CheckSatAssuming):
            return []
        found.append([*(each.term for each in asserted), *assumed])
    return found


def _assignments(
    constants: Sequence[Term], catalogue: Catalogue
) -> list[tuple[tuple[Term, Value], ...]]:
    """All assignments of values to constants; empty where there are too many."""
    points = Evaluator(catalogue, Interpretation(), domain=MOST)
    domains = [points.domain(constant.sort) for constant in constants]
    listed = [domain for domain in domains if domain]
    if len(listed) < len(domains) or prod(map(len, listed)) > MOST:
        return []
    return [tuple(zip(constants, values, strict=True)) for values in product(*listed)]
