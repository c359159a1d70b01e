"""The state that the readers of commands share: the tokens, the reader of terms, and the open
levels with their declarations.
"""

from __future__ import annotations

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.smtlib.reading.terms import TermReader
from murxpy.smtlib.reading.vocabulary import vocabulary
from murxpy.smtlib.syntax.source import Source
from murxpy.smtlib.tables import Tables


class ScriptContext:
    """The state of the reader of a script."""

    def __init__(self, source: Source, tables: Tables) -> None:
        self.source = source
        self.tables = tables
        self.words = vocabulary(tables.catalogue)
        self.terms = TermReader(source, tables, self.words)
        self.global_declarations = False
        self._levels: list[int] = []
        self.instances: list[Sort] = []

    def need_sort(self, sort: Sort) -> None:
        """Note that an instance of a sort with parameters is used. If it was not declared before,
        it is declared before the command that is being read.
        """
        if sort not in self.instances and sort not in self.terms.scope.instances:
            self.instances.append(sort)

    def boolean(self) -> Term:
        """Read a Boolean term. Raises InputError for a term of another sort."""
        term = self.terms.read()
        if term.sort is not self.tables.bool:
            raise InputError(f"expected a Boolean term, found one of {term.sort}")
        return term

    # -- levels

    def begin(self) -> None:
        """Forget all declarations."""
        self.terms.begin()
        self._levels.clear()

    @property
    def levels(self) -> int:
        """Return how many levels are open."""
        return len(self._levels)

    def push(self, levels: int) -> None:
        """Open levels. Declarations on them end with them."""
        for _ in range(levels):
            self._levels.append(self.terms.scope.mark())

    def pop(self, levels: int) -> None:
        """Close levels. Raises InputError if fewer are open."""
        if levels > len(self._levels):
            raise InputError(f"cannot pop {levels} levels of {len(self._levels)}")
        for _ in range(levels):
            mark = self._levels.pop()
            if not self.global_declarations:
                self.terms.scope.undo(mark)
