"""The scripts of a grammar for one solver: with its names for operators, and read where that is
needed.
"""

from __future__ import annotations

import re

from murxpy.enumeration.checking import spelled_out
from murxpy.enumeration.exhaustive import Exhaustive
from murxpy.enumeration.grammar import Grammar
from murxpy.logic.catalogue import Catalogue
from murxpy.machine.witnesses.scripted import with_models
from murxpy.smtlib.printing.forms import Unsayable
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Script
from murxpy.smtlib.tables import Tables

_HEAD = re.compile(r"\((?:_ )?([^\s()]+)")


class Reader:
    """The scripts of a grammar in the dialect of one solver. With `models`, each asks for the model
    behind each check. `known` has their answers where all values of their constants can be gone
    through.
    """

    def __init__(
        self, grammar: Grammar, catalogue: Catalogue, dialect: str, *, models: bool
    ) -> None:
        self._grammar = grammar
        self._catalogue = catalogue
        self._dialect = dialect
        self._models = models
        self._tables = Tables(catalogue)
        self._foreign = foreign(grammar, catalogue, dialect)
        self.known = Exhaustive(grammar.head, catalogue, self._tables)

    def script(self, index: int) -> tuple[str, Script | None]:
        """The text of the script with this index, and the script itself where it is read. Raises
        Unsayable where the dialect has no name for a part of it.
        """
        text = self._grammar.whole(self._grammar.at(index))
        if self._models:
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
        said = print_script(script, dialect)
    except Unsayable:
        return True
    sorts = " ".join(grammar.plain["sorts"].values())
    return not set(_HEAD.findall(sorts)) <= set(_HEAD.findall(said))
