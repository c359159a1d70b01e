"""Grammars as tables and text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from murxpy.enumeration.grammar import Grammar
from murxpy.report.tables import Table

SIZES = 8  # that a table shows


def counts_table(grammars: Sequence[Grammar]) -> Table:
    """The number of scripts of each size, a row for each grammar."""
    sizes = [str(size) for size in range(1, SIZES + 1)]
    table = Table(["grammar", *sizes, "scripts"], right=sizes)
    for grammar in grammars:
        counts = [f"{grammar.of_size(int(size)):,}" for size in sizes]
        table.add(grammar.name, *counts, grammar.about)
    return table


def productions(grammar: Grammar) -> Iterator[str]:
    """The grammar as text, a line for each production."""
    yield ""
    yield grammar.head
    for name, texts in grammar.plain["rules"].items():
        yield f"\n{name}: {grammar.plain['sorts'][name]}"
        for text, _ in texts:
            yield f"  {text}"
    yield "\nscript:"
    for text, _ in grammar.plain["script"]:
        yield f"  {text}"
