"""How many texts of each size a grammar has, exactly.

The size of a text is the number of productions with children that were used, and one for each text
without children. Which of the words in braces was chosen costs nothing. (Winterer, Testing SMT
Solvers, 2024, chapter 7, with the counting of functional enumeration.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from murxpy.enumeration.productions import Production

Rules = Mapping[str, Sequence[Production]]
Row = tuple[str, ...]  # nonterminals that stand one after another


class Counts:
    """The counts of a grammar, kept as they are asked for. Sizes are asked for in any order; each
    count depends only on counts of smaller sizes.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._single: dict[str, list[int]] = {name: [0] for name in rules}
        self._rows: dict[Row, list[int]] = {}
        for productions in rules.values():
            for production in productions:
                self._note(production.children)

    def _note(self, row: Row) -> None:
        while len(row) > 1 and row not in self._rows:
            self._rows[row] = [0]
            row = row[1:]

    def of(self, name: str, size: int) -> int:
        """The number of texts of a nonterminal that have this size."""
        if size >= len(self._single[name]):
            self._extend(size)
        return self._single[name][size]

    def of_row(self, row: Row, size: int) -> int:
        """The number of ways to choose a text for each nonterminal of a row, so that their sizes
        add up to `size`.
        """
        if len(row) == 1:
            return self.of(row[0], size)
        if not row:
            return size == 0
        if row not in self._rows:
            self._note(row)
        if size >= len(self._rows[row]):
            self._extend(size)
            self._fill(row, size)
        return self._rows[row][size]

    def of_production(self, production: Production, size: int) -> int:
        """The number of texts of this size that the production makes."""
        if not production.children:
            return len(production.spellings) if size == 1 else 0
        return len(production.spellings) * self.of_row(production.children, size - 1)

    def _extend(self, size: int) -> None:
        """Count all texts up to a size, the smaller ones first."""
        begin = len(next(iter(self._single.values())))
        for n in range(begin, size + 1):
            for name, counts in self._single.items():
                counts.append(
                    sum(self.of_production(production, n) for production in self.rules[name])
                )
            for row in self._rows:
                self._fill(row, n)

    def _fill(self, row: Row, size: int) -> None:
        """Count the ways to fill a row up to a size, and those to fill its end before them."""
        if len(row) > 2:
            self._fill(row[1:], size)
        counts, first = self._rows[row], self._single[row[0]]
        rest = self._single[row[1]] if len(row) == 2 else self._rows[row[1:]]
        for n in range(len(counts), size + 1):
            # each text has a size of at least one
            counts.append(sum(first[k] * rest[n - k] for k in range(1, n) if first[k]))
