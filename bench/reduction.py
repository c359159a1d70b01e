"""How small traces get, and at what price.

Planted: random traces of 200 to 2,000 lines on the toy solver, each of which shows one planted
fault, reduced; compared with the smallest trace that shows it. Real: the smallest trace of each
confirmed finding in the output folders of campaigns.

python bench/reduction.py [--faults N] [--first N] [--jobs N] [--seed N] [--how segfault,contract]
python bench/reduction.py --real DIR... [--time SECONDS]
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import common
from faults import FAULTS

sys.path[:0] = [str(common.ROOT / "tests"), str(common.ROOT / "tests" / "fakes")]

from plants import long_trace, planted  # noqa: E402

from murxpy.campaign.findings.origin import origin  # noqa: E402
from murxpy.campaign.findings.store import read_buckets, read_versions  # noqa: E402
from murxpy.campaign.reduction.pipeline import Task  # noqa: E402
from murxpy.campaign.reduction.traces import minimize  # noqa: E402
from murxpy.campaign.workers.plans import make_plans  # noqa: E402
from murxpy.errors import MurxpyError  # noqa: E402
from murxpy.trace.file import read_trace  # noqa: E402
from murxpy.trace.grammar import parse_trace  # noqa: E402

_SIZES = (1, 2, 3, 5, 8)  # times the least number of lines, in turn


@dataclass(frozen=True)
class Reduced:
    """One reduction; `smallest` is 0 where it is not known, `ended` an error where there is none."""

    name: str
    how: str
    before: int
    after: int
    smallest: int
    tests: int
    replays: int
    seconds: float
    ended: str


def plants(args: argparse.Namespace) -> Iterator[Reduced]:
    """Reduce a trace for each planted fault."""
    kinds = args.how.split(",")
    for number, (name, fault, lines) in list(enumerate(FAULTS))[
        args.first : args.first + args.faults
    ]:
        how = kinds[number % len(kinds)]
        example, seed = "1 new\n" + lines, args.seed * 1000 + number
        fault = {**fault, "how": how}
        source = long_trace(fault, example, seed, args.least * _SIZES[seed % len(_SIZES)])
        least = len(parse_trace(example, name).lines)
        result = minimize(Task(planted(**fault), name, args.jobs, args.time), source)
        yield Reduced(
            name,
            how,
            result.before,
            result.after,
            least,
            result.tests,
            result.replays,
            round(result.seconds, 1),
            result.ended,
        )


def reals(args: argparse.Namespace) -> Iterator[Reduced]:
    """Reduce the smallest trace of each confirmed finding."""
    for folder in args.real:
        versions = read_versions(folder)
        for bucket in read_buckets(folder):
            kept = bucket.smallest()
            if bucket.state != "confirmed" or kept is None or not kept.confirmed:
                continue
            yield _real(
                folder / kept.file,
                bucket.key,
                f"{bucket.solver} {versions.get(bucket.key, '')}",
                args,
            )


def _real(file: Path, key: str, solver: str, args: argparse.Namespace) -> Reduced:
    text = read_trace(file)
    before, start = len(parse_trace(text, str(file)).lines), time.monotonic()
    found = origin(file)
    try:
        if found is None:
            raise MurxpyError("no origin")
        (plan,) = make_plans(found.request)
        result = minimize(Task(plan, str(file), args.jobs, args.time), text)
    except MurxpyError as error:
        return Reduced(
            key,
            solver,
            before,
            before,
            0,
            0,
            0,
            round(time.monotonic() - start, 1),
            " ".join(str(error).split())[-80:],
        )
    return Reduced(
        key,
        solver,
        result.before,
        result.after,
        0,
        result.tests,
        result.replays,
        round(result.seconds, 1),
        result.ended,
    )


def figures(rows: list[Reduced], wall: float) -> dict[str, Any]:
    """The figures over all reductions that came to an end."""
    good = [row for row in rows if row.ended in ("complete", "time")]
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    near = sum(row.after - row.smallest <= 2 for row in good if row.smallest)
    return {
        "reduced": len(good),
        "failed": len(rows) - len(good),
        "within 2 lines": f"{near} of {len(rows)}"
        if any(row.smallest for row in rows)
        else "not known",
        "median share": f"{100 * statistics.median([row.after / row.before for row in good]):.1f} %",
        "median lines": f"{statistics.median([row.before for row in good]):g} to {statistics.median([row.after for row in good]):g}",
        "tests": sum(row.tests for row in rows),
        "wall s": round(wall),
        "CPU s": round(sum(u.ru_utime + u.ru_stime for u in usage)),
    }


def save(rows: list[Reduced], summary: dict[str, Any], args: argparse.Namespace) -> None:
    """Write all rows as JSON, and a row of the summary to `reduction.md`."""
    about = common.circumstances(args)
    what = "real" if args.real else "planted"
    file = common.RESULTS / f"reduction-{what}.json"
    file.write_text(
        json.dumps({**about, **summary, "rows": [asdict(row) for row in rows]}, indent=1) + "\n",
        encoding="utf-8",
    )
    columns = {
        "traces": what,
        **summary,
        **{key: about[key] for key in ("date", "commit", "machine")},
        "command": f"`{about['command']}`",
    }
    table = common.RESULTS / "reduction.md"
    text = table.read_text(encoding="utf-8") if table.exists() else ""
    header = f"| {' | '.join(columns)} |\n"
    if header not in text:
        text += f"{header}|{'---|' * len(columns)}\n"
    table.write_text(text + f"| {' | '.join(map(str, columns.values()))} |\n", encoding="utf-8")


def main() -> None:
    """Reduce all, print a line each and the figures."""
    args = _arguments()
    rows = []
    start = time.monotonic()
    for row in reals(args) if args.real else plants(args):
        rows.append(row)
        print(f"{row.name}: {row.before} to {row.after}", file=sys.stderr, flush=True)
    head = (
        "trace",
        "solver" if args.real else "how",
        "lines",
        "reduced",
        "smallest",
        "tests",
        "s",
        "ended",
    )
    common.table(
        "Reduced",
        head,
        [(r.name, r.how, r.before, r.after, r.smallest, r.tests, r.seconds, r.ended) for r in rows],
    )
    summary = figures(rows, time.monotonic() - start)
    for name, value in summary.items():
        print(f"{name}: {value}")
    if not args.no_save:
        save(rows, summary, args)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--faults", type=int, default=len(FAULTS), help="so many of them")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--least", type=int, default=200, help="least lines of a trace")
    parser.add_argument("--jobs", type=int, default=1, help="replays at a time")
    parser.add_argument("--seed", type=int, default=1, help="seed of the traces")
    parser.add_argument("--time", type=float, default=120.0, help="seconds for each")
    parser.add_argument("--how", default="segfault,contract", help="how faults show, in turn")
    parser.add_argument(
        "--real",
        type=Path,
        nargs="+",
        default=[],
        metavar="DIR",
        help="output folders of campaigns",
    )
    parser.add_argument("--no-save", action="store_true", help="write nothing")
    parser.set_defaults(theories="all")
    return parser.parse_args()


if __name__ == "__main__":
    main()
