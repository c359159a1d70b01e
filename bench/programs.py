"""How many findings have a stand-alone Python program, or with `--scripts` an SMT-LIB script, that
shows them, and how long it is.

Each kept regression is replayed on the release that its folder names, and its program is written
and run there, as a campaign does it. `--table` keeps in `traces/regressions/programs.json` which
regressions have a program that shows them, and for the others why not.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from common import RESULTS, ROOT, circumstances, percent, table

from murxpy.campaign.finding import Reproducer
from murxpy.campaign.findings.keys import bucket_key
from murxpy.campaign.findings.replayed import replay_trace
from murxpy.campaign.ranges.defects import read_defect
from murxpy.campaign.reduction.reproducers import write_programs
from murxpy.campaign.reduction.script_sights import Shown
from murxpy.campaign.workers.plans import Request, make_plans
from murxpy.campaign.workers.targets import Plan
from murxpy.oracles.crash import judge

FOLDER = ROOT / "traces" / "regressions"
TABLE = FOLDER / "programs.json"


@dataclass
class Row:
    """A regression and its program. `lines` are all lines of it but empty ones."""

    name: str
    kind: str
    shows: bool
    lines: int
    note: str


def main() -> None:
    """Measure, print and keep."""
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("names", nargs="*", help="parts of the names of traces; all without any")
    made.add_argument("--into", type=Path, help="folder in which the programs are kept")
    made.add_argument("--table", action="store_true", help=f"write the result into {TABLE.name}")
    made.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    made.add_argument(
        "--installed", action="store_true", help="ask the installed release, not that of the folder"
    )
    made.add_argument("--scripts", action="store_true", help="write scripts, not programs")
    args = made.parse_args()
    form = "smt2" if args.scripts else "python"
    args.theories, args.machine = "all", "default"
    rows = []
    for file in sorted(FOLDER.glob("*/*.trace")):
        name = f"{file.parent.name}/{file.name}"
        if not args.names or any(part in name for part in args.names):
            rows.append(measured(file, name, form, args.into, args.installed))
            shown = f"shows {rows[-1].note}" if rows[-1].shows else rows[-1].note
            print(f"{rows[-1].lines:>4} {rows[-1].kind:18} {name}: {shown}", flush=True)
    summary(rows, args)
    if args.table:
        keep(rows, form)


def measured(file: Path, name: str, form: str, into: Path | None, installed: bool) -> Row:
    """The regression in `file`, with its program."""
    defect = read_defect(file)
    target = defect.solver if installed else file.parent.name.replace("-", "@", 1)
    (plan,) = make_plans(Request(targets=(target,)), lambda text: None)
    verdict = judge(replay_trace(plan, defect.text, name).outcome)
    kind = defect.sign.kind if defect.sign else ""
    shown = Shown(kind, "", "")
    if verdict is not None:
        key = bucket_key(plan.target.family, verdict)
        shown = Shown(verdict.kind, key, verdict.message)
    with tempfile.TemporaryDirectory() as folder:
        made = program(plan, Path(folder) / file.name, defect.text, shown, form)
        text = Path(made.file).read_text(encoding="utf-8") if made.file else ""
        if into is not None and made.file:
            into.mkdir(parents=True, exist_ok=True)
            shutil.copy(made.file, into / f"{file.parent.name}-{Path(made.file).name}")
    lines = sum(bool(line.strip()) for line in text.splitlines())
    return Row(name, shown.kind, bool(made.reproduces), lines, made.note)


def program(plan: Plan, trace: Path, text: str, shown: Shown, form: str) -> Reproducer:
    """The Python program or the script beside `trace`."""
    trace.write_text(text, encoding="utf-8")
    return write_programs(plan, trace, text, shown, forms=(form,))[0]


def summary(rows: list[Row], args: argparse.Namespace) -> None:
    """Print the shares, and keep them."""
    groups = {
        "solver": [row for row in rows if "/contract-" not in row.name],
        "binding": [row for row in rows if "/contract-" in row.name],
        "all": rows,
    }
    cells = []
    for what, group in groups.items():
        shows = [row for row in group if row.shows]
        lines = [row.lines for row in group if row.lines]
        share = f"{len(shows)} of {len(group)} ({percent(len(shows), len(group))})"
        cells.append([what, share, str(statistics.median(lines) if lines else "-")])
    name = "scripts" if args.scripts else "programs"
    table(f"{name} of the kept regressions", ["defects of the", "show", "median lines"], cells)
    if args.no_save or args.names:
        return
    about = circumstances(args)
    data = {"about": about, "rows": [asdict(row) for row in rows]}
    (RESULTS / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    line = f"| {about['date'][:10]} | {about['commit']} | " + " | ".join(
        f"{share}, {lines} lines" for _, share, lines in cells
    )
    with open(RESULTS / f"{name}.md", "a", encoding="utf-8") as file:
        file.write(f"{line} | `{about['command']}` |\n")


def keep(rows: list[Row], form: str) -> None:
    """Write the column `form` of the table; the other column stays."""
    known = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.is_file() else {}
    for row in rows:
        known.setdefault(row.name, {})[form] = "shows" if row.shows else row.note
    text = json.dumps(dict(sorted(known.items())), indent=1)
    TABLE.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
