"""What all studies share on the command line: how far they are, and their reports."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from murxpy.cli.params import goes_on
from murxpy.cli.report.console import Pace, make_console, say
from murxpy.cli.report.tables import Table
from murxpy.findings.folder import write_atomically
from murxpy.processes.environments import print_notice
from murxpy.studies.study import Study, carry_out

T = TypeVar("T")


def asked(study: Study[T], out: Path | None) -> T:
    """Carry out a study, and tell on standard error how far it is."""
    pace = Pace(0.0)

    def tell(target: str, group: str, done: int, wanted: int, came: Counter[str]) -> None:
        if pace.due(now=done >= wanted):
            words = ", ".join(f"{number:,} {answer}" for answer, number in sorted(came.items()))
            subject = f"{target} {group}".rstrip()
            print_notice(f"{subject}: {done:,} of {wanted:,} scripts ({words})")

    with goes_on(out):
        return carry_out(study, out, tell, print_notice)


@dataclass(frozen=True, slots=True)
class Report:
    """What a study tells: its `text` as lines and tables, its `data` for JSON, its `table` for CSV, its
    drawings by the names of their files, and the exit code.
    """

    text: Callable[[], Iterable[str | Table]]
    data: Callable[[], Any]
    table: Callable[[], Table]
    drawings: Mapping[str, Callable[[], str]]
    code: int

    def show(self, form: str, folder: Path | None) -> int:
        """Print the report, draw it into a folder, and give the exit code."""
        if form == "json":
            click.echo(json.dumps(self.data(), indent=1))
        elif form == "csv":
            click.echo(self.table().to_csv(), nl=False)
        else:
            console = make_console()
            for part in self.text():
                if isinstance(part, Table):
                    part.print(console)
                else:
                    say(part)
        if folder is not None:
            for name, draw in self.drawings.items():
                write_atomically(folder / name, draw())
        return self.code
