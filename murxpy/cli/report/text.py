"""Figures, times, seeds and foreign text as all reports write them."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import PurePath

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from murxpy.foreign import escaped
from murxpy.records.events import Started
from murxpy.records.finding import Reproducer
from murxpy.records.snapshot import BucketView

_BLANKS = re.compile(r"\s+", re.ASCII)
_UNBOUNDED = 1000  # columns; the widest table of a campaign takes about 130


def clock(seconds: float) -> str:
    """A span of time as a clock: `0:07`, `1:02:03`, `3 d 04:05:06`."""
    whole = max(0, int(seconds))
    days, hours, minutes = whole // 86400, whole // 3600 % 24, whole // 60 % 60
    if days:
        return f"{days} d {hours:02}:{minutes:02}:{whole % 60:02}"
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def brief(seconds: float) -> str:
    """A short span of time with its unit: `0.3 s`, `12 s`; from a minute on as a clock."""
    seconds = max(0.0, seconds)
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 59.5 else clock(seconds)


def rate(per_second: float) -> str:
    """A rate with about three digits: `1,204/s`, `98/s`, `9.5/s`, `0.04/s`."""
    digits = 0 if per_second >= 99.5 or per_second == 0 else 1 if per_second >= 1 else 2
    return f"{per_second:,.{digits}f}/s"


def percent(share: float | None) -> str:
    """A share of one as a whole percentage: `78 %`; `-` for None. A share of less than one is at most
    99.9 %.
    """
    if share is None:
        return "-"
    return f"{int(1000 * share) / 10:.1f} %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def amount(number: int, noun: str) -> str:
    """A number of things: `1 bucket`, `2,048 buckets`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def judged_word(name: str) -> str:
    """The word for the checks that judges were asked, by the key of their counter. It is not
    `undecided`, since reports say `decided` of the checks of targets.
    """
    return "left open" if name == "undecided" else name


def seed_text(seed: int) -> str:
    """The seed of a run in bare hexadecimal digits, as in traces, file names and `--run-seed`."""
    return f"{seed:x}"


def one_line(text: str, limit: int | None = None) -> str:
    """The text on one line, safe on any terminal: each run of ASCII blanks is one blank, what a
    terminal obeys is escaped, and the line is cut to `limit` characters.
    """
    shown = escaped(" ".join(_BLANKS.split(text)).strip())
    return shown if limit is None or len(shown) <= limit else shown[: max(0, limit - 3)] + "..."


def xml_text(text: str) -> str:
    """The text as it stands in an SVG file. A title may have several lines."""
    return escape(escaped(text, keep="\n"))


def target_names(started: Started) -> str:
    """The targets with their versions: `z3 4.15.0, cvc5 1.2.1`."""
    return ", ".join(f"{target.name} {target.version}".strip() for target in started.targets)


def trace_path(out: str, bucket: BucketView) -> str | None:
    """The path of the smallest trace of a bucket; None when no trace is kept."""
    return str(PurePath(out, bucket.trace)) if bucket.trace else None


def replay_command(path: str) -> str:
    """The command that replays a trace, ready to be pasted into a shell."""
    return f"murxpy replay {shlex.quote(path)}"


def form_word(form: Reproducer) -> str:
    """Whether a form of a finding shows the finding: `yes`, `no` or `untried`; `none` where the
    finding cannot be said in this form.
    """
    if not form.file:
        return "none"
    return {True: "yes", False: "no", None: "untried"}[form.reproduces]


def heading(console: Console, text: str) -> None:
    """Print a heading below an empty line."""
    console.print()
    console.print(Text(text, "bold"))


@dataclass(frozen=True)
class _Whole:
    """A table in its natural width. A console never makes a table wider than itself, and cuts the
    names of columns that do not fit.
    """

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        natural = Measurement.get(console, options.update(width=_UNBOUNDED), self.table).maximum
        yield from console.render(self.table, options.update(width=natural))


def print_whole(console: Console, table: Table) -> None:
    """Print a table of short cells. A terminal may fold its lines, but no name is cut off."""
    console.print(_Whole(table), crop=False, soft_wrap=True)


def table_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lines of values with commas between them, below a line of names. A value is on one line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(
        [escaped(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return text.getvalue()
