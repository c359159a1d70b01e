"""What the symbols of a script stand for at the place where it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term

H = TypeVar("H")  # what stands for a symbol that is applied

_ABSENT: Any = object()


class Scope(Generic[H]):
    """Symbols as atoms, as heads of applications and as sorts, with an undo list for binders and
    levels.
    """

    def __init__(self) -> None:
        self.atoms: dict[str, Term] = {}
        self.heads: dict[str, H] = {}
        # those that the script declared, as functions of parameters
        self.sorts: dict[str, Callable[[Sequence[Sort]], Sort]] = {}
        self.fields: dict[str, H] = {}  # selectors, and testers as is-C
        # names that the script declared; False for one that it may declare anew
        self.own: dict[str, bool] = {}
        self.instances: dict[Sort, bool] = {}  # of sorts with parameters
        self.literals: dict[str, Term] = {}  # those among the atoms
        self._trail: list[tuple[dict[Any, Any], Any, Any]] = []

    def clear(self) -> None:
        """Forget everything."""
        for table in (
            self.atoms,
            self.heads,
            self.sorts,
            self.fields,
            self.own,
            self.instances,
            self.literals,
        ):
            table.clear()
        self._trail.clear()

    def forget_literals(self) -> None:
        """Numerals are to be read anew: they mean something else now."""
        for token in self.literals:
            self.atoms.pop(token, None)
        self.literals.clear()

    def may_declare_anew(self) -> None:
        """Let what is declared keep its meaning, but any name be declared once more."""
        for name in self.own:
            self.own[name] = False

    def mark(self) -> int:
        """A point to which `undo` can go back."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Forget what was put since `mark`, and see again what it hid."""
        trail = self._trail
        while len(trail) > mark:
            table, name, old = trail.pop()
            if old is _ABSENT:
                del table[name]
            else:
                table[name] = old

    def bind(self, name: str, term: Term | None, head: H | None = None) -> None:
        """Let `name` stand for `term` where it is alone, and for `head` where it is applied; None
        for nothing.
        """
        self.put(self.atoms, name, term)
        self.put(self.heads, name, head)

    def put(self, table: dict[Any, Any], name: Any, value: Any) -> None:
        """Enter something into one of the tables, or with None take it out."""
        old = table.get(name, _ABSENT)
        if value is not None:
            table[name] = value
        elif old is not _ABSENT:
            del table[name]
        if value is not None or old is not _ABSENT:
            self._trail.append((table, name, old))
