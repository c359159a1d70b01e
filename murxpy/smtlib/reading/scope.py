"""What each symbol of a script stands for at the point that is being read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term

H = TypeVar("H")  # the type of what is applied

_ABSENT: Any = object()


class Scope(Generic[H]):
    """The symbols that are visible: as atoms, as heads of applications, and as sorts. A list of
    changes lets binders and levels end.
    """

    def __init__(self) -> None:
        self.atoms: dict[str, Term] = {}
        self.heads: dict[str, H] = {}
        # the sorts that the script declared, as functions of their parameters
        self.sorts: dict[str, Callable[[Sequence[Sort]], Sort]] = {}
        self.fields: dict[str, H] = {}  # the selectors, and the testers by the names `is-C`
        # the names that the script declared; False if it may declare the name again
        self.own: dict[str, bool] = {}
        self.instances: dict[Sort, bool] = {}  # instances of sorts with parameters
        self.literals: dict[str, Term] = {}  # those atoms that are literals
        self._trail: list[tuple[dict[Any, Any], Any, Any]] = []

    def clear(self) -> None:
        """Forget all symbols."""
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
        """Forget the numerals, because they mean something else from now on."""
        for token in self.literals:
            self.atoms.pop(token, None)
        self.literals.clear()

    def may_declare_anew(self) -> None:
        """Allow each declared name to be declared once more. Until then it keeps its meaning."""
        for name in self.own:
            self.own[name] = False

    def mark(self) -> int:
        """Return a point to which `undo` can go back."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Forget all changes since `mark`. Symbols that they hid are visible again."""
        trail = self._trail
        while len(trail) > mark:
            table, name, old = trail.pop()
            if old is _ABSENT:
                del table[name]
            else:
                table[name] = old

    def bind(self, name: str, term: Term | None, head: H | None = None) -> None:
        """Let `name` stand for `term` where it is not applied, and for `head` where it is. None
        means that it stands for nothing.
        """
        self.put(self.atoms, name, term)
        self.put(self.heads, name, head)

    def put(self, table: dict[Any, Any], name: Any, value: Any) -> None:
        """Enter a symbol into one of the tables; None takes it out."""
        old = table.get(name, _ABSENT)
        if value is not None:
            table[name] = value
        elif old is not _ABSENT:
            del table[name]
        if value is not None or old is not _ABSENT:
            self._trail.append((table, name, old))
