"""What a campaign costs beside its calls: CPU seconds of `murxpy fuzz` over those of the same calls as
straight-line Python.

`python bench/overhead.py z3` adds a row to `bench/results/overhead.md`.

A campaign makes `--runs` runs, with all that happens behind them. Then the trace of each run is
made again and printed as a Python program (`murxpy translate --to python`), and all programs are
executed one after another in one process, each with a context of its own, its checks of answers
included. Compiling them does not count. A run that dies, fails or is killed
in either, or that the campaign ended at a limit, has no program: its cost is all overhead. The ratio
is told for the campaign, and for the runs that ended by themselves
alone. `--check none` has the campaign check no answer. The yardstick is a loop of forty lines over
the binding, which says how fast the machine and the solver are.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

import common
from children import Write, run_all, walked
from common import table, verdict
from throughput import PARTS, parts, watched

from murxpy.machine.random import run_seed
from murxpy.machine.trace.grammar import parse_trace
from murxpy.translate.python import to_python
from murxpy.worker.session import Session

AIMS = {"default": 1.8, "none": 1.5}
WALL = 4.0  # seconds after which a run or a program is killed
YARD = 3.0  # CPU seconds of the yardstick


def campaign(args: argparse.Namespace) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """The CPU seconds of a campaign's parts, and its events."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["fuzz", args.solver, "--runs", str(args.runs), "--jobs", str(args.jobs)]
        words += ["--seed", str(args.seed), "--machine", args.machine, "--json"]
        words += ["--out", str(Path(folder) / "out")]
        words += [] if args.check == "default" else ["--check", args.check]
        words += [] if args.theories == "all" else ["--theories", args.theories]
        words += ["--no-swarm"] if args.no_swarm else []
        events, code = watched([sys.executable, "-m", "murxpy", *words])
    if code not in (0, 1, 130) or not events or events[-1]["event"] != "ended":
        raise SystemExit(f"error: murxpy fuzz ended with {code}")
    return parts(events, 0.0), events


def traces(
    args: argparse.Namespace, session: Session, events: Sequence[dict[str, Any]]
) -> list[str]:
    """The traces of the campaign's runs that end by themselves."""
    limited = {int(event["seed"], 16) for event in events if event["event"] == "overstayed"}

    def task(session: Session, seed: int, write: Write) -> dict[str, Any]:
        return {"trace": walked(session, seed, write)}

    seeds = [run_seed(args.seed, index) for index in range(args.runs)]
    kept = [seed for seed in seeds if seed not in limited]
    outcomes = run_all(session, kept, task, args.jobs, WALL)
    return [outcome.result["trace"] for outcome in outcomes if outcome.status == "ok"]


def bare(session: Session, texts: list[str]) -> tuple[float, int]:
    """The CPU seconds of the traces as programs, and how many of them ended by themselves."""
    catalogue, wrapper = session.catalogue, session.wrapper.data
    codes: list[CodeType] = []
    for number, text in enumerate(texts):
        source = to_python(parse_trace(text, f"run {number}"), catalogue, wrapper)
        codes.append(compile(source, f"<run {number}>", "exec"))

    def task(_: Session, number: int, write: Write) -> dict[str, Any]:
        write(f"{number}\n")
        start = time.process_time_ns()
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
                exec(codes[number], {"__name__": "__main__"})
        except Exception:  # a call that did not fail in the run: nothing is known of its cost
            return {}
        return {"ns": time.process_time_ns() - start}

    outcomes = run_all(session, range(len(codes)), task, 1, WALL)
    ended = [outcome.result["ns"] for outcome in outcomes if outcome.result]
    return sum(ended) / 1e9, len(ended)


def of_z3() -> Callable[[], int]:
    """A loop over z3py: gives a function that makes one round and says how many checks it decided."""
    import z3

    def one() -> int:
        context = z3.Context()
        solver = z3.Solver(ctx=context)
        names = [z3.BitVec(f"x{i}", 8, context) for i in range(4)]
        decided = 0
        for i in range(8):
            left, right = names[i % 4], names[(i + 1) % 4]
            solver.add(z3.ULT(left * right + i, right ^ (left - i)))
            decided += str(solver.check()) in ("sat", "unsat")
        return decided

    return one


def of_cvc5() -> Callable[[], int]:
    """The same over cvc5's base API."""
    import cvc5
    from cvc5 import Kind

    def one() -> int:
        terms = cvc5.TermManager()
        solver = cvc5.Solver(terms)
        solver.setOption("incremental", "true")
        solver.setLogic("QF_BV")
        names = [terms.mkConst(terms.mkBitVectorSort(8), f"x{i}") for i in range(4)]
        decided = 0
        for i in range(8):
            left, right = names[i % 4], names[(i + 1) % 4]
            number = terms.mkBitVector(8, i)
            product = terms.mkTerm(Kind.BITVECTOR_MULT, left, right)
            sum_ = terms.mkTerm(Kind.BITVECTOR_ADD, product, number)
            other = terms.mkTerm(Kind.BITVECTOR_SUB, left, number)
            mixed = terms.mkTerm(Kind.BITVECTOR_XOR, right, other)
            solver.assertFormula(terms.mkTerm(Kind.BITVECTOR_ULT, sum_, mixed))
            result = solver.checkSat()
            decided += result.isSat() or result.isUnsat()
        return decided

    return one


YARDSTICKS = {"z3": of_z3, "cvc5": of_cvc5}


def yardstick(solver: str) -> float | None:
    """Decided checks a CPU second of the loop over the binding; None for a solver without one."""
    made = YARDSTICKS.get(solver)
    if made is None:
        return None
    one = made()
    one()
    decided, start = 0, time.process_time()
    while time.process_time() - start < YARD:
        decided += one()
    return decided / (time.process_time() - start)


def main() -> None:
    """Run it."""
    made = common.parser(__doc__, 400)
    made.add_argument(
        "--check", default="default", help="what the campaign's runs check; none: nothing"
    )
    args = made.parse_args()
    spent, events = campaign(args)
    ended = events[-1]
    session = common.load(args)
    texts = traces(args, session, events)
    cpu, programs = bare(session, texts)
    whole, runs = sum(spent.values()), spent["ended"]
    if not cpu:
        raise SystemExit("error: no run ended by itself")
    figures = {
        "campaign/bare": whole / cpu,
        "runs that ended/bare": runs / cpu,
        "counted runs": (runs + spent["died"]) / whole,
        "decided/s": ended["counts"].get("check:decided", 0) / whole,
        "yardstick decided/s": yardstick(session.wrapper.name),
    }
    aims = {"campaign/bare": AIMS.get(args.check, AIMS["default"]), "counted runs": 0.8}
    good = {
        "campaign/bare": figures["campaign/bare"] <= aims["campaign/bare"],
        "counted runs": figures["counted runs"] >= aims["counted runs"],
    }
    table(
        f"{args.runs} runs: {whole:.1f} CPU seconds; {programs} of them as programs: {cpu:.1f}",
        ("figure", "value", "aim", ""),
        [
            (n, v, aims.get(n, ""), verdict(good[n]) if n in good else "")
            for n, v in figures.items()
        ],
    )
    table(
        "Parts of the campaign",
        ("part", "CPU s", "of all"),
        [
            (label, spent.get(n, 0.0), common.percent(spent.get(n, 0.0), whole))
            for n, label in PARTS.items()
        ],
    )
    if not args.no_save:
        row = {
            "solver": f"{session.wrapper.name} {session.version}",
            "theories": args.theories,
            "check": args.check,
            "runs": args.runs,
            "programs": programs,
            **{
                name: f"{value:.2f}" if value is not None else "-"
                for name, value in figures.items()
            },
            **{label: common.percent(spent.get(name, 0.0), whole) for name, label in PARTS.items()},
        }
        common.add_row("overhead", row, common.facts(session, args))


if __name__ == "__main__":
    main()
