"""Throughput of one worker: runs, decided checks and useful terms per CPU second of the whole
process tree.

`python bench/throughput.py z3` adds a row to `bench/results/throughput.md`.

A decided check was answered sat or unsat with something asserted or assumed; it counts once for
each distinct set of these. A useful term is a distinct operator term in such a set; it counts once
a run. Also where the time goes: in counted runs, in runs that were killed at a limit, in replays,
judges, gdb, reduction, programs and bisection, in loading the solver and forking, and in the
supervisor; a campaign's parts are told for the time behind `--skip`, and until the last run. A run
counts if it ended by itself or died: what it did was taken, and its death is a finding. Rates need
a machine that does nothing else; parts are of CPU time and do not.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import common
from children import Write, run_all
from common import percent, table, verdict
from settled import settled

from murxpy.worker.session import Session

AIMS = {"BV": (100, 1500), "all": (87, 1100)}  # decided checks and useful terms per CPU second
UNSETTLED, SOLVER = 0.40, 0.70
COUNTED = 0.70  # of the CPU time, after the first two minutes, with everything switched on
# The parts of a campaign, and what they are.
PARTS = {
    "ended": "runs that ended by themselves",
    "died": "runs that died",
    "killed": "runs killed at a limit",
    "between": "between runs",
    "replays": "confirming, triage, hangs, spares",
    "judges": "judges",
    "gdb": "gdb",
    "follow-up": "reducing, programs, bisecting",
    "targets": "loading the solver, forking",
    "supervisor": "supervisor",
}
WALL = 2.0  # seconds after which a run is killed
MANY = 1_000_000  # more seeds than anybody has time for


def tree_cpu() -> float:
    """CPU seconds of this process and of all its children that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def by_session(args: argparse.Namespace, session: Session) -> dict[str, Any]:
    """Runs in a forked child, without campaign."""
    _count_cpu_time()
    counts: Counter[str] = Counter()
    lost: Counter[str] = Counter()

    def task(session: Session, seed: int, write: Write) -> dict[str, Any]:
        return session.walk(seed, write)["counts"]  # type: ignore[no-any-return]

    seeds = common.seeds(argparse.Namespace(seed=args.seed, runs=MANY))
    start, cpu = time.monotonic(), tree_cpu()
    outcomes = run_all(session, seeds, task, jobs=1, wall=WALL)
    for outcome in itertools.takewhile(lambda _: time.monotonic() - start < args.seconds, outcomes):
        counts.update(outcome.result)
        lost[outcome.status] += outcome.status != "ok"
    outcomes.close()
    run = counts["time-ns:run"] / 1e9
    cpu = tree_cpu() - cpu
    killed = min(lost["overstayed"] * WALL, cpu - run)
    seconds = {"ended": run, "killed": killed, "supervisor": cpu - run - killed}
    wall = time.monotonic() - start
    return {"counts": counts, "cpu": cpu, "wall": wall, "parts": seconds, **lost}


def _count_cpu_time() -> None:
    """Have the counters of time count CPU time, so that a busy machine does not pass for a slow
    solver.
    """
    for name in ("murxpy.machine.run", "murxpy.worker.session"):
        module = importlib.import_module(name)
        if hasattr(module, "perf_counter_ns"):
            vars(module)["perf_counter_ns"] = time.process_time_ns


def by_campaign(args: argparse.Namespace, session: Session) -> dict[str, Any]:
    """`murxpy fuzz --jobs 1` as a user runs it, from its start to its last run; runs that were killed
    count in CPU only.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "murxpy",
            "fuzz",
            args.solver,
            "--jobs",
            "1",
            "--time",
            f"{args.seconds:.0f}s",
            "--seed",
            str(args.seed),
            "--machine",
            args.machine,
            "--out",
            str(Path(folder) / "out"),
            "--json",
        ]
        command += [] if args.theories == "all" else ["--theories", args.theories]
        command += ["--no-swarm"] if args.no_swarm else []
        command += args.more.split()
        events, code = watched(command)
    if code not in (0, 1, 130) or not events or events[-1]["event"] != "ended":
        raise SystemExit(f"error: murxpy fuzz ended with {code}")
    ended = events[-1]
    return {
        "counts": Counter(ended["counts"]),
        "cpu": sum(parts(events, 0.0).values()),
        "wall": ended["running"],
        "overstayed": ended["overstayed"],
        "died": ended["workers_lost"] + ended["findings"],
        "parts": parts(events, args.skip),
    }


def watched(command: Sequence[str]) -> tuple[list[dict[str, Any]], int]:
    """The events of a campaign and its exit code. What is left of its findings when its runs have
    ended is not waited for.
    """
    events, noted = [], False
    with subprocess.Popen(command, cwd=common.ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            events.append(event := json.loads(line))
            if not noted and event.get("running", 0) < event.get("elapsed", 0):
                noted = True
                process.send_signal(signal.SIGINT)
    return events, process.returncode


def parts(events: Sequence[dict[str, Any]], skip: float) -> dict[str, float]:
    """The CPU seconds of a campaign's parts behind its first `skip` seconds."""
    figures = [event for event in events if "cpu" in event]
    early = [event for event in figures if event["elapsed"] <= skip]
    before = early[-1]["cpu"] if skip and early else {}
    spent = {name: value - before.get(name, 0) for name, value in figures[-1]["cpu"].items()}
    of_runs = sum(spent[name] for name in ("ended", "died", "killed"))
    return spent | {"between": max(0.0, spent.pop("runs") - of_runs)}


def figures(measured: dict[str, Any]) -> dict[str, float]:
    """The figures per CPU second and per run."""
    counts, cpu, runs = measured["counts"], measured["cpu"], max(1, measured["counts"]["run:total"])
    lines = sum(n for name, n in counts.items() if name.startswith("action:"))
    amounts = {
        "runs": counts["run:total"],
        "decided checks": counts["check:decided"],
        "useful terms": counts["term:useful"],
        "actions": lines,
    }
    rates = {f"{name}/s": amount / cpu for name, amount in amounts.items()}
    made = {"terms": counts["term:made"], "checks": counts["check:total"], **amounts}
    return rates | {f"{name}/run": n / runs for name, n in made.items() if name != "runs"}


def shares(measured: dict[str, Any]) -> dict[str, float]:
    """Where the CPU time went, as shares of that of the whole tree, and waiting as a share of wall
    time.
    """
    counts, spent = measured["counts"], measured["parts"]
    cpu, run = sum(spent.values()), counts["time-ns:run"] or 1
    shares_of = {label: spent.get(name, 0.0) / cpu for name, label in PARTS.items()}
    named = {"solver and binding": "solver", "choosing": "choose", "tracing": "trace"}
    return {
        "counted runs": shares_of[PARTS["ended"]] + shares_of[PARTS["died"]],
        **shares_of,
        **{f"of runs: {label}": counts[f"time-ns:{name}"] / run for label, name in named.items()},
        "waiting (of wall time)": max(0.0, 1 - measured["cpu"] / measured["wall"]),
    }


def report(
    args: argparse.Namespace, measured: dict[str, Any], decided: dict[str, int]
) -> dict[str, Any]:
    """Print the tables; gives the figures."""
    found, where = figures(measured), shares(measured)
    aims = dict(
        zip(("decided checks/s", "useful terms/s"), AIMS.get(args.theories, (0, 0)), strict=True)
    )
    judged = decided.get("settled", 0) + decided.get("open", 0)
    unsettled = decided.get("open", 0) / max(1, judged)
    rows: list[tuple[object, ...]] = [
        (
            name,
            float(value),
            f">= {aims[name]}" if aims.get(name) else "",
            verdict(value >= aims[name]) if aims.get(name) else "",
        )
        for name, value in found.items()
    ]
    if judged:
        rows.append(
            (
                f"decided, not settled by simplifying ({judged:,} checks)",
                percent(unsettled, 1),
                f">= {percent(UNSETTLED, 1)}",
                verdict(unsettled >= UNSETTLED),
            )
        )
    table(f"Throughput in {measured['cpu']:.1f} CPU seconds", ("figure", "value", "aim", ""), rows)
    aimed = {"of runs: solver and binding": SOLVER, "counted runs": COUNTED}
    behind = f" behind the first {args.skip:g} s" if args.layer == "campaign" else ""
    table(
        f"Where {sum(measured['parts'].values()):.1f} CPU seconds went{behind}",
        ("part", "share", "aim", ""),
        [
            (
                name,
                percent(value, 1),
                f">= {percent(aimed[name], 1)}" if name in aimed else "",
                verdict(value >= aimed[name]) if name in aimed else "",
            )
            for name, value in where.items()
        ],
    )
    lost = {name: measured.get(name, 0) for name in ("died", "overstayed")}
    print(
        f"\nRuns lost: {lost['died']} died, {lost['overstayed']} overstayed; simplifier: {decided}"
    )
    return {
        **found,
        "unsettled": unsettled,
        "share": where,
        "skipped": args.skip if args.layer == "campaign" else 0,
        "cpu": measured["cpu"],
        "wall": measured["wall"],
        **lost,
    }


def main() -> None:
    """Run it."""
    parser = common.parser(__doc__, None)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to measure")
    parser.add_argument(
        "--skip",
        type=float,
        default=120.0,
        help="seconds of a campaign whose CPU time is not told by parts; 0 where it is shorter",
    )
    parser.add_argument(
        "--layer",
        choices=("campaign", "session"),
        default="campaign",
        help="with supervisor, or runs alone",
    )
    parser.add_argument(
        "--more",
        default="",
        help="further options of 'murxpy fuzz', such as '--minimize --bisect'",
    )
    parser.add_argument(
        "--sample",
        type=int,
        default=300,
        help="runs whose decided checks are given to the simplifier",
    )
    args = parser.parse_args()
    args.skip = args.skip if args.seconds > args.skip else 0.0
    session = common.load(args)
    measured = (by_campaign if args.layer == "campaign" else by_session)(args, session)
    found = report(args, measured, settled(args, session, args.sample))
    row = {
        "layer": args.layer,
        "runs/s": found["runs/s"],
        "decided/s": found["decided checks/s"],
        "useful/s": found["useful terms/s"],
        "actions/s": found["actions/s"],
        "terms/run": found["terms/run"],
        "unsettled": percent(found["unsettled"], 1) if args.sample else "-",
        "of runs: solver": percent(found["share"]["of runs: solver and binding"], 1),
        **{
            name: percent(share, 1)
            for name, share in found["share"].items()
            if not name.startswith(("of ", "waiting"))
        },
    }
    common.save(
        "throughput",
        args,
        common.facts(session, args),
        {"figures": found, "counts": measured["counts"]},
        row,
    )


if __name__ == "__main__":
    main()
