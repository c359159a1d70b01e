"""The answers of scripts whose constants have few values: our evaluator goes through all of them, so
both answers are known without another solver.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from math import prod

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import Term
from murxpy.machine.witnesses.script_evidence import with_cores, with_models
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.values import CannotSay, Interpretation, Value
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import CheckSat, CheckSatAssuming, Script, at_checks
from murxpy.sources.enumeration.grammar import Grammar, spelled_out

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


# ----------------------------------------------------------------------
# The scripts of a grammar for one solver: with its names for operators, and read where that is
# needed.


_HEAD = re.compile(r"\((?:_ )?([^\s()]+)")


class Reader:
    """The scripts of a grammar in the dialect of one solver. With `models`, each asks for the model
    behind each check; with `cores` for the unsat core; with both, the scripts with odd indices ask for
    the core. `known` has their answers where all values of their constants can be gone
    through.
    """

    def __init__(
        self,
        grammar: Grammar,
        catalogue: Catalogue,
        dialect: str,
        *,
        models: bool,
        cores: bool = False,
    ) -> None:
        self._grammar = grammar
        self._catalogue = catalogue
        self._dialect = dialect
        self._models, self._cores = models, cores
        self._tables = Tables(catalogue)
        self._foreign = foreign(grammar, catalogue, dialect)
        self.known = Exhaustive(grammar.head, catalogue, self._tables)

    def script(self, index: int) -> tuple[str, Script | None]:
        """The text of the script with this index, and the script itself where it is read. Raises
        Unsayable where the dialect has no name for a part of it.
        """
        text = self._grammar.whole(self._grammar.at(index))
        if self._cores and (index % 2 or not self._models):
            text = with_cores(text)
        elif self._models:
            text = with_models(text)
        if not (self._foreign or self.known.possible):
            return text, None
        script = read_script(text, "script", self._catalogue, self._tables)
        return print_script(script, self._dialect) if self._foreign else text, script


def foreign(grammar: Grammar, catalogue: Catalogue, dialect: str) -> bool:
    """Whether a dialect has no name for some operator or sort of a grammar, or has other sorts in
    its place. Solvers read the other names that an operator has, such as `bv2nat`.
    """
    script = read_script(spelled_out(grammar), grammar.file, catalogue)
    try:
        text = print_script(script, dialect)
    except Unsayable:
        return True
    sorts = " ".join(grammar.plain["sorts"].values())
    return not set(_HEAD.findall(sorts)) <= set(_HEAD.findall(text))
