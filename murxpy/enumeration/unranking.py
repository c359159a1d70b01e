"""The text of a grammar that has a given index.

The order is that of the counts: smaller texts first; within a size the productions as they stand;
within a production the choices of words; then the sizes of the first child, its index, and the rest
of the children likewise.
"""

from __future__ import annotations

from murxpy.enumeration.counting import Counts, Row

# Texts of a size are all kept if there are at most so many of them, because larger texts have them
# as parts.
KEPT = 30_000


class Texts:
    """The texts of a grammar by nonterminal, size and index within the size."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._rules = counts.rules
        self._kept: dict[tuple[str, int], list[str]] = {}

    def text(self, name: str, size: int, index: int) -> str:
        """The text of this index, from 0, among those of a nonterminal and a size. Raises
        IndexError where there are not so many.
        """
        if not 0 <= index < self._counts.of(name, size):
            raise IndexError(index)
        return self._text(name, size, index)

    def texts(self, row: Row, size: int, index: int) -> list[str]:
        """The texts of this index for the nonterminals of a row, whose sizes add up to `size`."""
        return [self._text(*part) for part in self._parts(row, size, index)]

    def all_of(self, name: str, size: int) -> list[str] | None:
        """All texts of a nonterminal and a size in order; None where they are too many to keep."""
        key = (name, size)
        found = self._kept.get(key)
        if found is None and self._counts.of(name, size) <= KEPT:
            found = self._kept[key] = list(self._listed(name, size))
        return found

    def _listed(self, name: str, size: int) -> list[str]:
        return [self._made(name, size, index) for index in range(self._counts.of(name, size))]

    def _text(self, name: str, size: int, index: int) -> str:
        known = self.all_of(name, size)
        return self._made(name, size, index) if known is None else known[index]

    def _made(self, name: str, size: int, index: int) -> str:
        """Put a text together. Large texts may be nested deeper than Python's stack, so what is
        left to write stands in a list.
        """
        out: list[str] = []
        todo: list[str | tuple[str, int, int]] = [(name, size, index)]
        first = True
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                out.append(item)
                continue
            known = None if first else self.all_of(item[0], item[1])
            first = False
            if known is not None:
                out.append(known[item[2]])
                continue
            around, parts = self._split(*item)
            for piece, part in zip(reversed(around[1:]), reversed(parts), strict=True):
                todo += (piece, part)
            todo.append(around[0])
        return "".join(out)

    def _split(
        self, name: str, size: int, index: int
    ) -> tuple[tuple[str, ...], list[tuple[str, int, int]]]:
        """The words around the children of a text, and each child by its name, size and index."""
        for production in self._rules[name]:
            count = self._counts.of_production(production, size)
            if index < count:
                break
            index -= count
        if not production.children:
            return production.spellings[index], []
        spelling, index = divmod(index, self._counts.of_row(production.children, size - 1))
        return production.spellings[spelling], self._parts(production.children, size - 1, index)

    def _parts(self, row: Row, size: int, index: int) -> list[tuple[str, int, int]]:
        parts: list[tuple[str, int, int]] = []
        counts = self._counts
        while len(row) > 1:
            name, row = row[0], row[1:]
            for k in range(1, size):
                here = counts.of(name, k)
                if not here:
                    continue
                behind = counts.of_row(row, size - k)
                if index < here * behind:
                    break
                index -= here * behind
            at, index = divmod(index, behind)
            parts.append((name, k, at))
            size -= k
        parts.append((row[0], size, index))
        return parts
