"""Tables: columns, each with the kind of its values, and rows of plain values. One class writes them for
a terminal, as aligned lines, and with commas.
"""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from murxpy.foreign import escaped

_GAP = 2  # columns


@dataclass(frozen=True, slots=True)
class Kind:
    """The way in which the values of a column are written, and whether the column is aligned to the
    right.
    """

    written: Callable[[Any], str | Text]
    right: bool = True


TEXT = Kind(str, right=False)
NUMBER = Kind("{:,}".format)
COUNT = Kind(lambda number: f"{number:,}" if number else Text("-", "dim"))
RATIO = Kind("{:.1f}".format)
MEAN = Kind("{:.2f}".format)


def kinds(
    texts: Iterable[str], numbers: Iterable[str] = (), kind: Kind = NUMBER
) -> dict[str, Kind]:
    """Columns of texts, and behind them columns of another kind."""
    return {**dict.fromkeys(texts, TEXT), **dict.fromkeys(numbers, kind)}


@dataclass
class Table:
    """Values in columns. A text stands as it is in a column of any kind, and None is an empty cell.
    `styles` are those of whole rows. A table that is `whole` is not fitted to a terminal, which may
    fold its lines: so no name is cut off.
    """

    columns: Mapping[str, Kind]
    rows: list[Sequence[Any]] = field(default_factory=list)
    styles: dict[int, str] = field(default_factory=dict)
    whole: bool = False

    @property
    def kinds(self) -> list[Kind]:
        """The kinds of the columns, in order."""
        return list(self.columns.values())

    def add(self, *values: Any, style: str = "") -> None:
        """Add a row. Cells that are missing at its end are empty."""
        self.styles[len(self.rows)] = style
        self.rows.append([*values, *[None] * (len(self.columns) - len(values))])

    def print(self, console: Console) -> None:
        """Print the table. On a terminal it is fitted to the width, unless it is whole; elsewhere each
        row is one whole line, for grep and awk.
        """
        if self.whole or not console.is_terminal:
            for line in self.lines():
                console.print(line, soft_wrap=True)
            return
        shown = RichTable(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="cyan")
        for name, kind in self.columns.items():
            shown.add_column(name, no_wrap=kind.right, overflow="fold")
            shown.columns[-1].justify = "right" if kind.right else "left"
        for row in self.cells():
            shown.add_row(*row)
        console.print(shown)

    def lines(self, gap: int = _GAP) -> list[Text]:
        """The header and the rows as lines, with the columns aligned."""
        grid = [[Text(name, "cyan") for name in self.columns], *self.cells()]
        for column, kind in zip(zip(*grid, strict=True), self.columns.values(), strict=True):
            width = max(map(len, column))
            for cell in column:
                (cell.pad_left if kind.right else cell.pad_right)(width - len(cell))
        lines = [Text(" " * gap).join(row) for row in grid]
        for line in lines:
            line.rstrip()
        return lines

    def cells(self) -> Iterator[list[Text]]:
        """The rows as they are shown, without markup or padding."""
        for at, row in enumerate(self.rows):
            style = self.styles.get(at, "")
            yield [
                _cell(kind, value, style)
                for kind, value in zip(self.columns.values(), row, strict=True)
            ]

    def to_csv(self) -> str:
        """The bare values with commas between them, below a line of names. A value is on one line."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(
            [escaped(value) if isinstance(value, str) else value for value in row]
            for row in self.rows
        )
        return text.getvalue()


Part = str | Text | Table


@dataclass(frozen=True, slots=True)
class Section:
    """A title, and what stands below it: tables, lines, and texts that are folded to the width of a
    terminal.
    """

    title: str
    parts: Sequence[Part]

    def print(self, console: Console) -> None:
        """Print the section below an empty line."""
        console.print()
        console.print(Text(self.title, "bold"))
        for part in self.parts:
            if isinstance(part, Table):
                part.print(console)
            elif isinstance(part, Text):
                console.print(part, soft_wrap=True)
            else:
                _print_folded(console, part)


def _print_folded(console: Console, text: str) -> None:
    wrapper = textwrap.TextWrapper(
        max(20, console.width),
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in wrapper.wrap(text):
        console.print(Text(line), soft_wrap=True)


def _cell(kind: Kind, value: Any, style: str) -> Text:
    if value is None:
        return Text()
    shown = value if isinstance(value, str | Text) else kind.written(value)
    return shown.copy() if isinstance(shown, Text) else Text(escaped(shown), style)
