"""Confirmed answers: by logic of the seeds, the share of the decided checks of mutants that a judge
answers in the same way.

`python bench/confirmed.py z3 cvc5 SEEDS` adds a row to `bench/results/confirmed.md`.

A campaign for each logic: the four mutation fuzzers on its seeds, on one target, with another
solver as judge. Beside the share stand how many of the seeds both solvers decide by themselves
(with the limit of a judge), the share of the judge in the CPU time, and how many checks the judge
was not able to decide. The aim holds for the logics of which both decide a seed.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import common
from common import percent, table, verdict

from murxpy.campaign.campaign import Campaign
from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.fuzzers.setups import Mutation
from murxpy.judging.judged_solver import JudgedSolver
from murxpy.judging.operators import agree, make_judges
from murxpy.judging.seeds import DECIDED, check_seeds
from murxpy.logic.catalogue import build_catalogue
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans
from murxpy.records.config import CampaignConfig
from murxpy.records.events import Ended

AIM = 0.6  # of the decided checks of each logic
MIX = (("opfuzz", 1.0), ("typefuzz", 1.0), ("storm", 1.0), ("fusion", 1.0))
COUNTERS = (
    "check:judged",
    "check:confirmed",
    "judge:runs",
    "judge:checks",
    "judge:decided",
    "judge:agreed",
    "judge:lost",
    "judge:declined",
    "judge:given-up",
    "judge:disagreements",
    "judge:time-ns:run",
    "time-ns:run",
    "run:total",
    "elapsed-ms",
    "unjudged",
)
CATALOGUE = build_catalogue(load_catalogue())


def both_decide(args: argparse.Namespace, folder: Path, limit: float) -> tuple[int, int]:
    """How many seeds of a logic there are, and how many of them target and judge decide with the
    limit of a judge (milliseconds).
    """
    files = sorted(folder.rglob("*.smt2"))
    plans = make_plans(Request((args.solver, args.judge)))
    with closing(JudgedSolver(plans[0], plans[1:], Limits(wall=30.0))) as solver:
        checked = list(check_seeds(files, solver, CATALOGUE, int(limit), 1))
    done = [
        entry
        for entry in checked
        if len(entry.answers) == 2 and all(set(a) & set(DECIDED) for a in entry.answers.values())
    ]
    return len(files), len(done)


def campaign(args: argparse.Namespace, folder: Path) -> tuple[dict[str, int], dict[str, str]]:
    """The counters of a campaign on the seeds of one logic, and the releases."""
    mutation = Mutation(
        MIX,
        (str(folder),),
        args.iterations,
        args.check_limit,
        dialect="standard",
        through=args.through,
    )
    request = Request((args.solver,), mutation=mutation)
    plans = make_plans(request)
    judges = make_judges(request, plans, [args.judge])
    limits = Limits(
        wall=10.0,
        by_line=True,
        **({} if args.judge_limit is None else {"judge_ms": args.judge_limit}),
    )
    plans, _ = agree(plans, judges, limits)
    with tempfile.TemporaryDirectory() as out:
        made = CampaignConfig(
            plans,
            Path(out),
            args.seed,
            1,
            args.time,
            args.runs,
            limits=limits,
            backtrace=False,
            judges=judges,
        )
        run = Campaign(made)
        ended = next(event for event in run if isinstance(event, Ended))
        about = run.abouts[0]
    counts = dict(ended.snapshot.counts)
    return counts | {
        "elapsed-ms": round(1000 * ended.snapshot.elapsed),
        "unjudged": ended.left.runs,
    }, about


def figures(counts: dict[str, int], seeds: tuple[int, int]) -> dict[str, Any]:
    """The figures of one logic."""
    return {
        "seeds": seeds[0],
        "both decide": seeds[1],
        **{name: counts.get(name, 0) for name in COUNTERS},
    }


def main() -> None:
    """Run it."""
    parser = common.parser(__doc__, 12)
    parser.add_argument("judge", help="the solver that judges")
    parser.add_argument("seeds", type=Path, help="folder with a folder of scripts for each logic")
    parser.add_argument("--logics", default="all", help="logics with commas")
    parser.add_argument("--time", type=float, default=20.0, help="seconds for each logic, at most")
    parser.add_argument("--iterations", type=int, default=25, help="mutants of a run")
    parser.add_argument(
        "--check-limit",
        type=float,
        default=50.0,
        help="limit of a mutant's check on the target, in milliseconds",
    )
    parser.add_argument(
        "--judge-limit",
        type=float,
        help="limit of a judge's check, in milliseconds (left out: that of campaigns)",
    )
    parser.add_argument(
        "--through", default="text", help="how mutants reach the target: text, api or both"
    )
    args = parser.parse_args()
    found: dict[str, dict[str, Any]] = {}
    limit = args.judge_limit or Limits().judge_ms
    for folder in sorted(args.seeds.iterdir()):
        if not folder.is_dir() or (
            args.logics != "all" and folder.name not in args.logics.split(",")
        ):
            continue
        try:
            counts, about = campaign(args, folder)
        except InputError as error:
            print(f"{folder.name}: {error}")
            continue
        found[folder.name] = entry = figures(counts, both_decide(args, folder, limit))
        print(
            folder.name, percent(entry["check:confirmed"], entry["check:judged"]), entry, flush=True
        )
    report(args, {"solver": about["solver"], "version": about["version"]}, found)


def _row(logic: str, e: dict[str, Any]) -> tuple[object, ...]:
    judged, confirmed, judge = e["check:judged"], e["check:confirmed"], e["judge:time-ns:run"]
    text = (
        "no seed that both decide"
        if not e["both decide"]
        else "nothing decided"
        if not judged
        else verdict(confirmed >= AIM * judged)
    )
    seeds = f"{e['both decide']} of {e['seeds']}"
    return (
        logic,
        seeds,
        judged,
        confirmed,
        percent(confirmed, judged),
        percent(judge, judge + e["time-ns:run"]),
        e["unjudged"],
        text,
    )


def report(
    args: argparse.Namespace, named: dict[str, Any], found: dict[str, dict[str, Any]]
) -> None:
    """Print and save the figures."""
    rows = [_row(logic, entry) for logic, entry in found.items()]
    head = (
        "logic",
        "both decide",
        "decided",
        "confirmed",
        "share",
        "judge's time",
        "runs unjudged",
        "aim",
    )
    table(
        f"Decided checks of {named['solver']} {named['version']} that {args.judge} confirms",
        head,
        rows,
    )
    counted = [e for e in found.values() if e["both decide"]]
    judged, confirmed = (
        sum(e[f"check:{name}"] for e in counted) for name in ("judged", "confirmed")
    )
    missed = [
        logic
        for logic, e in found.items()
        if e["both decide"] and e["check:confirmed"] < AIM * e["check:judged"]
    ]
    judges, runs = (sum(e[name] for e in counted) for name in ("judge:time-ns:run", "time-ns:run"))
    row = {
        "judge": args.judge,
        "logics": len(counted),
        "decided": judged,
        "confirmed": percent(confirmed, judged),
        "judge's share of the time": percent(judges, judges + runs),
        "logics below 60 %": ", ".join(missed) or "none",
    }
    table("Figures", ("figure", "value"), list(row.items()))
    about = common.circumstances(args)
    # a path of one machine says nothing on another
    about["command"] = about["command"].replace(str(args.seeds), "SEEDS")
    common.save("confirmed", args, {**about, **named}, {"logics": found}, row)


if __name__ == "__main__":
    main()
