"""The defects of the newest releases that are kept: which of them the installed solvers show now.

`python bench/hunt.py > bench/results/hunt.md` replays each trace under `traces/regressions` on the installed
release of its solver, and prints a table: what the defect is (the title of its draft), its kind, the
options that its trace sets, the releases that show it (`ranges.json`), and whether the program of its
draft shows it alone (`programs.json`). The counts before the table are those of its rows. With names, only
the traces that have one of them in their path.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from common import ROOT, murxpy

from murxpy.findings.kinds.registry import kind_of
from murxpy.judging.regress import TABLE, read_table

FOLDER = ROOT / "traces" / "regressions"
SOLVERS = ("z3", "cvc5", "cvc5-pythonic")
CONTRACT = "contract-"  # how the names of traces of contract mode begin
ASKED = "produce-"  # options that only ask for what the check reads
_OPTION = re.compile(r"^ *\d+ set-(?:option|parameter)@\S+ (\S+) (\S+)$", re.M)
_IN_SCRIPT = re.compile(r"\(set-option :(\S+) ([^\s()]+)\)")
_KIND = re.compile(r"^# finds (\S+)$", re.M)


@dataclass(frozen=True)
class Shown:
    """A defect that the installed release shows."""

    solver: str
    name: str
    title: str
    kind: str
    options: tuple[str, ...]
    range: str
    program: str

    @property
    def group(self) -> str:
        """How the counts call it."""
        if Path(self.name).name.startswith(CONTRACT):
            return "bindings, found in contract mode"
        if not kind_of(self.kind).answers:
            return "deaths, exceptions, and other results than documented"
        return f"wrong answers, models, values, cores and proofs, {'some option' if self.options else 'default options'}"

    def row(self) -> str:
        """The line of the table."""
        options = ", ".join(self.options) or "default"
        cells = (self.solver, self.title, self.kind, options, self.range, self.program, self.name)
        return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the counts and the table."""
    made = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    made.add_argument("names", nargs="*", help="parts of the paths of traces; all without any")
    names = made.parse_args().names
    found = sorted(shown(names), key=lambda one: (one.group, one.solver, one.name), reverse=True)
    releases = ", ".join(f"{name} {version(name)}" for name in ("z3-solver", "cvc5"))
    print("# The defects of the newest releases that are kept\n\n    python bench/hunt.py\n")
    print(
        f"{releases}. Kept traces that show: {len(found)}.\n\n| what | z3 | cvc5 | cvc5-pythonic | all |"
    )
    print("|---|---|---|---|---|")
    counts = Counter((one.group, one.solver) for one in found)
    for group in dict.fromkeys(one.group for one in found):
        by = [counts[group, solver] for solver in SOLVERS]
        print(f"| {group} | {' | '.join(map(str, by))} | {sum(by)} |")
    print("\n| solver | defect | kind | options | releases | program alone | trace |")
    print("|---|---|---|---|---|---|---|", *(one.row() for one in found), sep="\n")


def shown(names: Sequence[str]) -> Iterator[Shown]:
    """The defects, in the order of their traces."""
    table = {
        name: entry
        for name, entry in read_table(FOLDER / TABLE).items()
        if not names or any(part in name for part in names)
    }
    programs = json.loads((FOLDER / "programs.json").read_text(encoding="utf-8"))
    for solver in SOLVERS:
        files = [str(FOLDER / name) for name, entry in table.items() if entry["solver"] == solver]
        if not files:
            continue
        rows = json.loads(murxpy("regress", *files, "--solver", solver, "--json"))
        shows = {Path(row["name"]).name: row["why"] for row in rows if row["status"] == "shows"}
        for name, entry in table.items():
            trace = (FOLDER / name).read_text(encoding="utf-8")
            draft = (FOLDER / name).with_suffix(".md")
            if entry["solver"] != solver or Path(name).name not in shows:
                continue
            title = shows[Path(name).name]  # where there is no draft
            if draft.is_file():
                title = draft.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
            kind = _KIND.search(trace)
            pairs = [*_OPTION.findall(trace), *_IN_SCRIPT.findall(trace)]
            options = [f"{o} {v}" for o, v in pairs if not o.startswith(ASKED)]
            alone = programs[name]["python"]
            yield Shown(
                solver,
                name.removesuffix(".trace"),
                re.sub(r"^\S+ \d\S* ", "", title).replace("|", "\\|"),
                kind[1] if kind else "",
                tuple(dict.fromkeys(options)),
                entry["range"],
                "shows" if alone == "shows" else "no",
            )


if __name__ == "__main__":
    main()
