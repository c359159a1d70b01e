"""Wrong answers in a time: a campaign on one target with judges; what they cost, how many distinct
wrong answers, and how small.

`python bench/crosscheck.py z3@RELEASE --judges z3,cvc5` adds a row to
`bench/results/crosscheck.md`.

Each disagreement is minimized as `murxpy minimize` does it. A disagreement of unknown culprit is
listed apart, to be looked at.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Any

import common
from common import percent, table

from murxpy.campaign.campaign import Campaign
from murxpy.errors import InputError
from murxpy.findings.origin import origin
from murxpy.fuzzers.setups import RunOptions
from murxpy.judging.operators import agree, judge_plans, make_judges
from murxpy.judging.triage import TriagedBucket, triaged
from murxpy.machine.trace.grammar import read_trace
from murxpy.oracles.disagreement import KIND
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans
from murxpy.records.config import CampaignConfig
from murxpy.records.events import Ended
from murxpy.reduction.pipeline import Task
from murxpy.reduction.traces import minimize

COUNTERS = (
    "judge:runs",
    "judge:checks",
    "judge:decided",
    "judge:declined",
    "judge:lost",
    "judge:disagreements",
)


def campaign(args: argparse.Namespace, out: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """Run it in `out`: what is known of the target, and its counters."""
    theories = () if args.theories == "all" else tuple(args.theories.split(","))
    request = Request((args.solver,), args.machine, run_options=RunOptions(theories))
    plans = make_plans(request)
    judges = make_judges(request, plans, args.judges.split(","))
    limits = Limits()
    plans, notes = agree(plans, judges, limits)
    print(notes[0])
    arguments = {"request": request.recorded()}
    made = CampaignConfig(
        plans,
        out,
        args.seed,
        args.jobs,
        args.time,
        limits=limits,
        arguments=arguments,
        backtrace=False,
        judges=judges,
    )
    run = Campaign(made)
    for event in run:
        if isinstance(event, Ended):
            ended = event
    about = {"solver": run.abouts[0]["solver"], "version": run.abouts[0]["version"]}
    return about, {**ended.snapshot.counts, "elapsed": round(ended.snapshot.elapsed)}


def minimized(out: Path, judged: TriagedBucket, seconds: float) -> dict[str, Any]:
    """A wrong answer: who, by which evidence, its lines in the run, as stored, and minimized."""
    kept = judged.bucket.smallest()
    assert kept is not None
    file = out / kept.file
    source = origin(file)
    assert source is not None
    (plan,) = make_plans(source.request)
    text = read_trace(file)
    names = next(
        row.split(" ", 2)[2] for row in text.splitlines() if row.startswith("# cross-check ")
    ).split(",")
    task = Task(plan, str(file), time=seconds, judges=judge_plans(names))
    small = ""
    try:
        small = minimize(task, text).text
    except InputError as error:
        print(f"{judged.bucket.key}: {error}")
    parts = ("verdict", "release", "by", "operators", "options", "whole")
    lines = sum(not row.startswith(("#", " " * 6)) for row in small.splitlines())
    return {
        **{name: judged.triage.get(name) for name in parts},
        "key": judged.bucket.key,
        "count": judged.bucket.count,
        "stored": kept.lines,
        "minimized": lines,
        "trace": small,
    }


def main() -> None:
    """Run it."""
    parser = common.parser(__doc__, None)
    parser.add_argument("--judges", required=True, help="solvers that judge, with commas")
    parser.add_argument("--time", type=float, default=180.0, help="seconds of the campaign")
    parser.add_argument(
        "--minimize", type=float, default=20.0, help="seconds for each wrong answer"
    )
    parser.add_argument("--jobs", type=int, default=2, help="workers of the target")
    parser.add_argument("--keep", type=Path, help="folder of the campaign")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        out = args.keep or Path(temporary)
        about, counts = campaign(args, out)
        found = [entry for entry in triaged(out) if entry.bucket.kind == KIND]
        distinct = [minimized(out, entry, args.minimize) for entry in found if not entry.same]
    report(args, about, counts, distinct)


def report(
    args: argparse.Namespace,
    about: dict[str, Any],
    counts: dict[str, int],
    found: list[dict[str, Any]],
) -> None:
    """Print and save the figures."""
    rows = [
        (
            e["release"] or "undecided",
            e["verdict"],
            e["by"] or "-",
            ", ".join(k.removeprefix("OP_") for k in e["operators"]),
            e["count"],
            e["whole"],
            e["stored"],
            e["minimized"],
        )
        for e in found
    ]
    table(
        "Wrong answers",
        ("wrong", "verdict", "by", "operators", "times", "run", "stored", "lines"),
        rows,
    )
    decided = [e for e in found if e["release"]]
    row = {
        "judges": args.judges,
        "seconds": counts["elapsed"],
        "runs": counts.get("run:total", 0),
        "decided": counts.get("check:decided", 0),
        "judged and decided": counts.get("judge:decided", 0),
        "CPU of judges per CPU of runs": percent(
            counts.get("judge:time-ns:run", 0), counts.get("time-ns:run", 0)
        ),
        "distinct wrong answers": len(decided),
        "undecided": len(found) - len(decided),
        "lines in the run": _median([e["whole"] for e in found]),
        "lines minimized": _median([e["minimized"] for e in found]),
    }
    table("Figures", ("figure", "value"), list(row.items()))
    figures = {
        "counters": {
            name: counts.get(name, 0) for name in (*COUNTERS, "judge:time-ns:run", "time-ns:run")
        },
        "found": found,
    }
    named = {
        "solver": f"{about['solver']}-{about['version']}",
        "version": f"judged by {args.judges}",
    }
    common.save("crosscheck", args, {**common.circumstances(args), **named}, figures, row)


def _median(values: list[int]) -> str:
    return f"{statistics.median(values):g}" if values else "-"


if __name__ == "__main__":
    main()
