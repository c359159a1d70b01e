"""How small traces get, and at what price.

`python bench/reduction.py [--real DIR... | --kept]` adds a row to `bench/results/reduction.md`.

Planted: random traces of 200 to 2,000 lines on the toy solver, each of which shows one planted
fault, reduced; compared with the smallest trace that shows it. Real: the smallest trace of each
confirmed finding in the output folders of campaigns.

Kept: the kept findings under `traces/regressions`, each on the newest release that its
ranges say shows it. They were made smaller when they were kept, so this compares today's passes
with the earlier ones.

Sizes are lines and terms; a term is a line that makes one.

python bench/reduction.py [--faults N] [--first N] [--jobs N] [--seed N] [--how segfault,contract]
python bench/reduction.py --real DIR... [--time SECONDS] [--replays N] [--every N]
python bench/reduction.py --kept [--time SECONDS] [--replays N] [--only TEXT]
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import common
from reduction_faults import FAULTS
from reduction_passes import Gains

sys.path[:0] = [str(common.ROOT / "tests" / room) for room in ("support", "fakes")]

from plants import long_trace, planted  # noqa: E402

from murxpy.errors import MurxpyError  # noqa: E402
from murxpy.findings.origin import origin  # noqa: E402
from murxpy.findings.store import read_buckets, read_versions  # noqa: E402
from murxpy.judging.disagreement import HEADER  # noqa: E402
from murxpy.judging.operators import judge_plans  # noqa: E402
from murxpy.judging.regress import TABLE, read_table  # noqa: E402
from murxpy.machine.replaying.defuse import sort_of  # noqa: E402
from murxpy.machine.trace.grammar import parse_trace, read_trace  # noqa: E402
from murxpy.processes.plans import Request, make_plans  # noqa: E402
from murxpy.processes.releases import version  # noqa: E402
from murxpy.processes.targets import Plan  # noqa: E402
from murxpy.reduction.pipeline import Minimized, Task  # noqa: E402
from murxpy.reduction.traces import minimize  # noqa: E402

KEPT = common.ROOT / "traces" / "regressions"
ENDED = ("complete", "time", "replays")
_SIZES = (1, 2, 3, 5, 8)  # times the least number of lines, in turn


@dataclass(frozen=True)
class Reduced:
    """One reduction; `smallest` is 0 where it is not known, `ended` an error where there is none."""

    name: str
    how: str
    before: int
    after: int
    terms_before: int
    terms_after: int
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
        result = minimize(_task(planted(**fault), name, args), source)
        yield _row(name, how, source, result, least)


def reals(args: argparse.Namespace) -> Iterator[Reduced]:
    """Reduce the smallest trace of each confirmed finding."""
    found = (
        (folder, bucket, kept)
        for folder in args.real
        for bucket in read_buckets(folder)
        if bucket.state == "confirmed" and (kept := bucket.smallest()) is not None
        if kept.confirmed and "run-script" not in bucket.key
    )
    for number, (folder, bucket, kept) in enumerate(found):
        release = read_versions(folder).get(bucket.key, "").removesuffix("-modified")
        request = Request((f"{bucket.solver}@{release}",)) if args.cached else None
        if number % args.every == 0:
            solver = f"{bucket.solver} {release}"
            yield _tried(folder / kept.file, bucket.key, solver, args, request)


def kept_findings(args: argparse.Namespace) -> Iterator[Reduced]:
    """Reduce each kept finding on the newest release that shows it."""
    for name, known in read_table(KEPT / TABLE).items():
        showing = [one for one, word in known["asked"].items() if word == "shows"]
        if showing and args.only in name:
            solver = f"{known['solver']}@{max(showing, key=version)}"
            yield _tried(KEPT / name, name, solver, args, Request((solver,)))


def _tried(
    file: Path, key: str, solver: str, args: argparse.Namespace, request: Request | None = None
) -> Reduced:
    """One reduction, on the target of `request` or of the campaign that found the trace."""
    text, start = read_trace(file), time.monotonic()
    found = origin(file)
    try:
        if request is None and found is None:
            raise MurxpyError("no origin")
        if found is not None:
            targets = found.request.targets if request is None else request.targets
            request = replace(found.request, targets=targets, mutation=None)
        (plan,) = make_plans(request or Request())
        names = parse_trace(text, str(file)).header.get(HEADER, "").split(",")
        judges = judge_plans(tuple(filter(None, names)))
        result = minimize(replace(_task(plan, str(file), args), judges=judges), text)
    except MurxpyError as error:
        lines, terms = _sizes(text)
        took = round(time.monotonic() - start, 1)
        message = " ".join(str(error).split())[-80:]
        return Reduced(key, solver, lines, lines, terms, terms, 0, 0, 0, took, message)
    return _row(key, solver, text, result)


def _task(plan: Plan, name: str, args: argparse.Namespace) -> Task:
    return Task(plan, name, args.jobs, args.time, args.replays)


def _row(name: str, how: str, source: str, result: Minimized, least: int = 0) -> Reduced:
    (before, terms_before), (after, terms_after) = _sizes(source), _sizes(result.text)
    return Reduced(
        name,
        how,
        before,
        after,
        terms_before,
        terms_after,
        least,
        result.tests,
        result.replays,
        round(result.seconds, 1),
        result.ended,
    )


def _sizes(text: str) -> tuple[int, int]:
    """The numbers of lines and of terms."""
    lines = parse_trace(text, "trace").lines
    return len(lines), sum(sort_of(line) is not None for line in lines)


def figures(rows: list[Reduced], wall: float) -> dict[str, Any]:
    """The figures over all reductions that came to an end."""
    good = [row for row in rows if row.ended in ENDED]
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    near = sum(row.after - row.smallest <= 2 for row in good if row.smallest)
    return {
        "reduced": len(good),
        "failed": len(rows) - len(good),
        "within 2 lines": f"{near} of {len(rows)}"
        if any(row.smallest for row in rows)
        else "not known",
        "median share": f"{100 * statistics.median([row.after / row.before for row in good]):.1f} %",
        "median lines": _medians([(row.before, row.after) for row in good]),
        "median terms": _medians([(row.terms_before, row.terms_after) for row in good]),
        "median share of lines and terms": f"{100 * statistics.median(map(_share, good)):.1f} %",
        "a third smaller": f"{sum(_share(row) <= 2 / 3 for row in good)} of {len(good)}",
        "longest s": max(row.seconds for row in good),
        "tests": sum(row.tests for row in rows),
        "wall s": round(wall),
        "CPU s": round(sum(u.ru_utime + u.ru_stime for u in usage)),
    }


def _medians(sizes: list[tuple[int, int]]) -> str:
    before, after = map(statistics.median, zip(*sizes, strict=True))
    return f"{before:g} to {after:g}"


def _share(row: Reduced) -> float:
    """The size after the reduction, in lines and terms, as a share of the size before it."""
    return (row.after + row.terms_after) / (row.before + row.terms_before)


def save(rows: list[Reduced], summary: dict[str, Any], args: argparse.Namespace) -> None:
    """Write all rows as JSON, and a row of the summary to `reduction.md`."""
    about = common.circumstances(args)
    what = "kept" if args.kept else "real" if args.real else "planted"
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
    source = kept_findings if args.kept else reals if args.real else plants
    gains = Gains()
    with gains.counted():
        for row in source(args):
            rows.append(row)
            print(
                f"{row.name}: {row.before} to {row.after}, {row.terms_before} to {row.terms_after}",
                file=sys.stderr,
                flush=True,
            )
    head = (
        "trace",
        "solver" if args.real or args.kept else "how",
        "lines",
        "reduced",
        "terms",
        "reduced",
        "smallest",
        "tests",
        "s",
        "ended",
    )
    common.table(
        "Reduced",
        head,
        [
            (
                r.name,
                r.how,
                r.before,
                r.after,
                r.terms_before,
                r.terms_after,
                r.smallest,
                r.tests,
                r.seconds,
                r.ended,
            )
            for r in rows
        ],
    )
    gains.print()
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
    parser.add_argument("--kept", action="store_true", help="the kept findings")
    parser.add_argument("--only", default="", help="kept findings with this text in their name")
    parser.add_argument("--every", type=int, default=1, help="each so many-th of the real ones")
    parser.add_argument("--cached", action="store_true", help="real ones on cached releases")
    parser.add_argument("--replays", type=int, help="candidates for each")
    parser.add_argument("--no-save", action="store_true", help="write nothing")
    parser.set_defaults(theories="all")
    return parser.parse_args()


if __name__ == "__main__":
    main()
