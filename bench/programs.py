"""How many findings have a stand-alone Python program, or with `--scripts` an SMT-LIB script, that
shows them, and how long it is.

`python bench/programs.py` adds a row to `bench/results/programs.md`, with `--scripts` to
`bench/results/scripts.md`.

Each kept regression is replayed on the release that its folder names, and its program is written
and run there, as a campaign does it. `--table` keeps in `traces/regressions/programs.json` which
regressions have a program that shows them, and for the others why not. With `--out OUT` the confirmed
buckets of campaigns are measured in the place of the kept regressions, each from the trace that
`murxpy show` takes; nothing is written into OUT. Buckets whose trace shows nothing now, because
murxpy reads the solver better than it did, are named and not counted.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from common import RESULTS, ROOT, circumstances, percent, table

from murxpy.findings.bucket_names import kept_trace
from murxpy.findings.buckets import bucket_key
from murxpy.findings.kinds.sights import Shown
from murxpy.findings.origin import origin
from murxpy.findings.replayed import replay_trace
from murxpy.findings.store import read_buckets
from murxpy.judging.defects import read_defect
from murxpy.judging.disagreement import HEADER
from murxpy.judging.judged_solver import JudgedSolver
from murxpy.judging.operators import judge_plans
from murxpy.judging.triage import other_solvers
from murxpy.machine.trace.grammar import parse_trace, read_trace
from murxpy.oracles.crash import HANG, judge
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans
from murxpy.processes.targets import Plan
from murxpy.records.finding import Reproducer
from murxpy.reduction.reproducers import write_programs

FOLDER = ROOT / "traces" / "regressions"
TABLE = FOLDER / "programs.json"
Given = tuple[Plan, Path, str, Shown]


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
    made.add_argument(
        "--out", type=Path, action="append", default=[], help="a campaign; may be given repeatedly"
    )
    args = made.parse_args()
    args.theories, args.machine = "all", "default"
    if args.out and args.table:
        made.error("--table is for the kept regressions: leave out --out")
    rows = []
    found = (one for out in args.out for one in campaign(out)) if args.out else regressions()
    for file, name in found:
        if not args.names or any(part in name for part in args.names):
            given = of_bucket(file) if args.out else of_regression(file, args.installed)
            if given is None:
                print(f"     {name}: no finding any more", flush=True)
                continue
            rows.append(measured(name, *given, args))
            shown = f"shows {rows[-1].note}" if rows[-1].shows else rows[-1].note
            print(f"{rows[-1].lines:>4} {rows[-1].kind:18} {name}: {shown}", flush=True)
    summary(rows, args)
    if args.table:
        keep(rows, form_of(args))


def form_of(args: argparse.Namespace) -> str:
    """The form that is measured."""
    return "smt2" if args.scripts else "python"


def regressions() -> Iterator[tuple[Path, str]]:
    """The kept regressions with their names."""
    for file in sorted(FOLDER.glob("*/*.trace")):
        yield file, f"{file.parent.name}/{file.name}"


def campaign(out: Path) -> Iterator[tuple[Path, str]]:
    """The confirmed buckets of a campaign that a trace alone shows, with their names."""
    for bucket in sorted(read_buckets(out), key=lambda bucket: bucket.key):
        kept = bucket.smallest()
        if bucket.state == "confirmed" and kept is not None and kept.confirmed:
            yield out / "findings" / bucket.key, f"{out.name}/{bucket.key}"


def of_bucket(folder: Path) -> Given | None:
    """The release of a bucket, its trace as file and as text, and what must be shown; None where the
    trace shows nothing.
    """
    out = folder.parent.parent
    (bucket,) = [one for one in read_buckets(out) if one.key == folder.name]
    file = kept_trace(folder)
    where = origin(file)
    assert where is not None, file
    (plan,) = make_plans(replace(where.request, mutation=None), lambda text: None)
    text = read_trace(file)
    there = answered_otherwise if bucket.kind == DISAGREEMENT else shown_again
    if not there(plan, text, bucket.kind):
        return None
    return plan, file, text, Shown(bucket.kind, bucket.key, bucket.message)


def shown_again(plan: Plan, text: str, kind: str) -> bool:
    """Whether a replay shows a finding, or does not end where the finding is a hang."""
    outcome = replay_trace(plan, text, "trace").outcome
    return outcome.cause in ("wall", "cpu") if kind == HANG else judge(outcome) is not None


def answered_otherwise(plan: Plan, text: str, kind: str) -> bool:
    """Whether a judge gives the opposite of an answer in the trace."""
    named = parse_trace(text, "trace").header.get(HEADER)
    judges = judge_plans(named.split(",") if named else other_solvers(plan.target.family))
    with closing(JudgedSolver(plan, judges, Limits())) as solver:
        return solver.cross_checked(text)[1] is not None


def of_regression(file: Path, installed: bool) -> Given:
    """The same of a kept regression."""
    defect = read_defect(file)
    target = defect.solver if installed else file.parent.name.replace("-", "@", 1)
    (plan,) = make_plans(Request(targets=(target,)), lambda text: None)
    verdict = judge(replay_trace(plan, defect.text, file.name).outcome)
    shown = Shown(defect.sign.kind if defect.sign else "", "", "")
    if verdict is not None:
        key = bucket_key(plan.target.family, verdict)
        shown = Shown(verdict.kind, key, verdict.message)
    return plan, file, defect.text, shown


def measured(
    name: str, plan: Plan, file: Path, given: str, shown: Shown, args: argparse.Namespace
) -> Row:
    """A finding with its program."""
    with tempfile.TemporaryDirectory() as folder:
        made = program(plan, Path(folder) / file.name, given, shown, form_of(args))
        text = Path(made.file).read_text(encoding="utf-8") if made.file else ""
        if args.into is not None and made.file:
            args.into.mkdir(parents=True, exist_ok=True)
            kept = name.replace("/", "-").removesuffix(".trace") + Path(made.file).suffix
            shutil.copy(made.file, args.into / kept)
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
    of = "the buckets of campaigns" if args.out else "the kept regressions"
    table(f"{name} of {of}", ["defects of the", "show", "median lines"], cells)
    if args.no_save or args.names or args.out:
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
