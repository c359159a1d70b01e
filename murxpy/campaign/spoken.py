"""The scripts of an enumeration in the words of the solvers of a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from murxpy.data import load_catalogue
from murxpy.enumeration.blocks import Block
from murxpy.enumeration.grammar import Grammar
from murxpy.enumeration.reading import Reader, foreign
from murxpy.enumeration.source import wall_of
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.machine.tokens import quote
from murxpy.machine.witnesses.slowness import marked
from murxpy.smtlib.printing.forms import Unsayable


class Spoken:
    """The scripts of the enumeration of a target. `setup` is that of its session, and `release` names
    its solver.
    """

    def __init__(self, setup: Mapping[str, Any], release: str) -> None:
        self._setup, self._release = setup, release
        self._check_ms = float(setup["enumeration"].get("check-ms") or 0)
        self.per_ms = float((setup.get("wrapper") or {}).get("limit-per-ms") or 1)
        self.limit = int(self._check_ms * self.per_ms)  # of a check, in units of the solver
        self._foreign: dict[tuple[str, str], bool] = {}
        self._readers: dict[tuple[str, str], Reader] = {}

    @cached_property
    def _catalogue(self) -> Catalogue:
        return build_catalogue(self._setup.get("catalogue") or load_catalogue())

    def foreign(self, grammar: Grammar, family: str) -> bool:
        """Whether the scripts of a grammar have other words for this target or this family."""
        for name in (self._release.partition(" ")[0], family):
            key = grammar.name, name
            if key not in self._foreign:
                self._foreign[key] = foreign(grammar, self._catalogue, name)
            if self._foreign[key]:
                return True
        return False

    def text(self, block: Block, index: int, family: str) -> str | None:
        """The script of a block with this index in the words of a family of solvers; None where it has
        none for a part of it.
        """
        models = "models" in (self._setup.get("checks") or ())
        key = block.grammar.name, family
        if key not in self._readers:
            reader = Reader(block.grammar, self._catalogue, family, models=models)
            self._readers[key] = reader
        try:
            return self._readers[key].script(index)[0]
        except Unsayable:
            return None

    def trace(self, seed: int, block: Block, against: str, bound: int) -> str:
        """The trace that runs the first script of a block, which may cost so many units."""
        family = self._release.partition(" ")[0]
        text = marked(self.text(block, block.first, family) or "", against, bound)
        limit = f"1 set-limit {self.limit} {wall_of(self._check_ms)}\n" if self.limit else ""
        return (
            f"# murxpy-trace 1\n# solver {self._release}\n# seed {seed:x}\n# source enumerate\n"
            f"# grammar {block.grammar.name}\n# indices {block.first} {block.first}\n1 new\n{limit}"
            f"1 run-script {quote(text)}\n"
        )
