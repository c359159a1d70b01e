"""BanditFuzz against random search or one agent (`--ways bandit,one`), and how many scripts a second
a search weighs.

`python bench/perf.py` adds a row to `bench/results/perf-compare.md`, with `--rate` to
`bench/results/perf-rate.md`, with `--twice` to `bench/results/perf-twice.md`.

Each logic gets searches by both on the same solvers, with the same seeds and the same budget, which is
counted in milliseconds of the solvers' own units, so that the clock decides nothing. The figure is
the sum of the best margins. What was measured stands in `bench/results/perf-margins.jsonl`, one line a
search; a search that stands there is not made again, so the bench goes on where it was. With --rate,
one search on BV is timed instead, without making the slow scripts small: scripts in a second of the
clock; in a second that processors worked for it, which other work on the machine changes less; the
share of the time that the processes of the solvers worked, of `jobs` of them; and scripts in a second
of our own work, which is what there would be if solvers took no time. With --twice, one search is
made twice and its journals are compared; with --calibrate, it is measured how many units each solver
counts in a millisecond of the processor, for `limit-per-ms-of` of the wrappers.

python bench/perf.py [--logics BV,FP] [--runs 3] [--budget 15] [--query 1]
python bench/perf.py --rate [--time 60] [--jobs 2]
python bench/perf.py --twice [--steps 60] [--jobs 2]
python bench/perf.py --calibrate [--logics QF_BV,QF_FP] [--steps 40]
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import common
from common import percent, table, verdict

from murxpy.processes.limits import Limits
from murxpy.smtlib.printing.scripts import print_script
from murxpy.sources.trees.universe import Shape
from murxpy.studies.performance.campaign import FILE, PerfCampaign, Wanted, tree_scripts_of
from murxpy.studies.performance.search import Agents, Pipeline, Plan, Search
from murxpy.studies.performance.solvers import Solvers

MARGINS = common.RESULTS / "perf-margins.jsonl"
# The sizes of the paper's evaluation: 5 constants, 5 assertions, depth 3, and for the logics in SMALL
# 10, 10, 5.
LOGICS = {
    "QF_BV": Shape(("BV",)),
    "QF_UFBV": Shape(("BV",), functions=3),
    "QF_ABV": Shape(("BV", "ARRAY")),
    "QF_FP": Shape(("FP",)),
    "QF_BVFP": Shape(("BV", "FP")),
    "QF_NIA": Shape(("INT",)),
    "QF_NRA": Shape(("REAL",)),
    "QF_SLIA": Shape(("STRING", "INT")),
    "QF_LIA": Shape(("INT",), linear=True, assertions=10, variables=10, depth=5),
    "QF_LRA": Shape(("REAL",), linear=True, assertions=10, variables=10, depth=5),
    "QF_AX": Shape(("ARRAY",), assertions=10, variables=10, depth=5),
    "QF_UF": Shape(("UF",), functions=3, assertions=10, variables=10, depth=5),
    "BV": Shape(("BV",), quantifiers=True),
    "NRA": Shape(("REAL",), quantifiers=True),
}
BANDIT, ONE, RANDOM = "bandit", "one", "random"
WAYS = {BANDIT: "two agents", ONE: "one agent", RANDOM: "random"}
NEVER = 10**9
LONG_MS = 30.0  # of a script whose units say how fast a solver counts


@dataclass(frozen=True)
class Made:
    """A search: its logic, way and number, the sizes that it had, and what it gave."""

    logic: str
    way: str
    run: int
    query: float
    budget: float
    most: int
    solvers: str
    seed: int
    margin: float = 0.0
    steps: int = 0
    spent: float = 0.0
    cpu: float = 0.0
    commit: str = ""

    @property
    def key(self) -> tuple[object, ...]:
        """What tells searches apart."""
        sizes = (self.query, self.budget, self.most)
        return (self.logic, self.way, self.run, *sizes, self.solvers, self.seed)


def opened(args: argparse.Namespace, theories: tuple[str, ...]) -> Solvers:
    """The target and the references, for scripts of these theories."""
    names = (args.solver, *filter(None, args.reference.split(",")))
    return Solvers(names, theories, None, Limits(), print, args.jobs)


def started(
    args: argparse.Namespace,
    solvers: Solvers,
    shape: Shape,
    seed: int,
    way: str,
    stale: Sequence[int],
) -> tuple[Search, Pipeline]:
    """A search, and what makes its steps."""
    dialects = tuple(one.family for one in solvers.known)
    tree_scripts = tree_scripts_of(shape, seed, dialects)
    operators = tree_scripts.applications.operators()
    agents = Agents(seed, operators, learning=way != RANDOM, one=way == ONE)
    plan = Plan(dialects, 1, 1000 * args.query, *stale)
    made = Search(tree_scripts, plan, agents, solvers.weighing)
    return made, Pipeline(made, solvers, args.jobs, {})


def search(args: argparse.Namespace, solvers: Solvers, plan: Made) -> Made:
    """Make one search, to the end of its budget."""
    seed = 1000 * plan.seed + plan.run
    made, pipeline = started(args, solvers, LOGICS[plan.logic], seed, plan.way, [NEVER] * 3)
    begun = cpu()
    while made.spent < 1000 * plan.budget and pipeline.next(plan.most):
        pass
    return replace(
        plan,
        margin=round(made.round.margin, 3),
        steps=made.number,
        spent=round(made.spent, 1),
        cpu=round(cpu() - begun, 2),
        commit=args.commit,
    )


def cpu() -> float:
    """The seconds of the processor of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def known(file: Path) -> list[Made]:
    """The searches that were made before."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [Made(**json.loads(line)) for line in lines]


def plans(args: argparse.Namespace, solvers: str) -> Iterator[Made]:
    """The searches that are wanted, those of one number together."""
    for run in range(args.runs):
        for logic in args.logics.split(","):
            for way in args.ways.split(","):
                sizes = (args.query, args.budget, args.most)
                yield Made(logic, way, run, *sizes, solvers, args.seed)


def compare(args: argparse.Namespace) -> None:
    """Make the searches that are lacking, and tell the sums."""
    there: dict[tuple[str, ...], Solvers] = {}
    done = {one.key: one for one in known(MARGINS)}

    def solvers(theories: tuple[str, ...]) -> Solvers:
        if theories not in there:
            there[theories] = opened(args, theories)
        return there[theories]

    versions = " ".join(f"{one.name} {one.version}" for one in solvers(()).known)
    todo = list(plans(args, versions))
    for plan in todo:
        if plan.key not in done:
            made = done[plan.key] = search(args, solvers(LOGICS[plan.logic].theories), plan)
            if not args.no_save:
                with MARGINS.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(made)) + "\n")
    for one in there.values():
        one.close()
    tell(args, [done[plan.key] for plan in todo], versions)


def tell(args: argparse.Namespace, made: list[Made], versions: str) -> None:
    """Print and save the sums of each logic."""
    rows, gains, ways = [], [], args.ways.split(",")
    for logic in args.logics.split(","):
        own = [one for one in made if one.logic == logic]
        sums = {way: sum(one.margin for one in own if one.way == way) / 1000 for way in ways}
        steps = [sum(one.steps for one in own if one.way == way) for way in ways]
        gain = sums[ways[0]] / sums[ways[-1]] - 1 if sums[ways[-1]] > 0 else 0.0
        gains.append(gain)
        rows.append([logic, *sums.values(), percent(gain, 1.0), *steps])
    names = [WAYS[way] for way in ways]
    table(
        f"Sums of the best margins in seconds of units, {args.runs} searches of {args.budget:g} s each",
        ["logic", *names, "gain", *[f"scripts of {name}" for name in names]],
        rows,
    )
    better = sum(gain > 0 for gain in gains)
    median = statistics.median(gains)
    print(
        f"better in {better} of {len(gains)} logics ({verdict(better == len(gains))}), median gain {percent(median, 1.0)}"
    )
    about = {"solver": args.solver, "version": versions, **common.circumstances(args)}
    figures = {"searches": [asdict(one) for one in made]}
    row = {
        "ways": " against ".join(names),
        "logics": len(gains),
        "searches each": args.runs,
        "budget s": args.budget,
        "better in": better,
        "median gain": percent(median, 1.0),
    }
    common.save("perf-compare", args, about, figures, row)


def rate(args: argparse.Namespace) -> None:
    """How many scripts a second one search weighs."""
    shape = LOGICS["QF_BV"]
    with closing(opened(args, shape.theories)) as solvers:
        made, pipeline = started(args, solvers, shape, args.seed, BANDIT, [100])
        begun, before = time.monotonic(), cpu()
        while time.monotonic() < begun + args.time and made.number != args.steps:
            if pipeline.next(args.steps) is None:
                made.next_round(())
        seconds, own, theirs = time.monotonic() - begun, cpu() - before, solvers.cpu
        versions = " ".join(f"{one.name} {one.version}" for one in solvers.known)
    row = {
        "jobs": args.jobs,
        "scripts": made.number,
        "seconds": seconds,
        "a second": made.number / seconds,
        "a CPU second": made.number / (own + theirs),
        "solvers work": percent(theirs, seconds * args.jobs),
        "a second of our own": made.number / own,
        "aim of 6": verdict(made.number / seconds >= 6),
    }
    table("A search on BV", list(row), [list(row.values())])
    about = {"solver": args.solver, "version": versions, **common.circumstances(args)}
    common.save("perf-rate", args, about, row, row)


def campaign(args: argparse.Namespace, folder: Path) -> tuple[int, str]:
    """Make one search of a campaign in a folder; its number of scripts, and the solvers."""
    references = tuple(filter(None, args.reference.split(",")))
    shape, query = LOGICS["QF_BV"], 1000 * args.query
    what = Wanted((args.solver,), references, shape, args.seed, query, jobs=args.jobs)
    made = PerfCampaign(what, folder, Limits(), print)
    try:
        totals = made.run(steps=args.steps or 60)
        return totals.steps, made.versions
    finally:
        made.close()


def twice(args: argparse.Namespace) -> None:
    """Make one search twice, and compare the journals."""
    texts = []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            _, versions = campaign(args, Path(folder))
            texts.append((Path(folder) / FILE).read_bytes())
    same = texts[0] == texts[1]
    row: dict[str, Any] = {"steps": args.steps, "bytes": len(texts[0]), "the same": same}
    table("A search twice", list(row), [list(row.values())])
    about = {"solver": args.solver, "version": versions, **common.circumstances(args)}
    common.save("perf-twice", args, about, row, row)


def calibrate(args: argparse.Namespace) -> None:
    """How many units solvers count in a millisecond, over the scripts that take long enough."""
    rows = []
    for logic in args.logics.split(","):
        shape = LOGICS[logic]
        with closing(opened(args, ())) as solvers:
            tree_scripts = tree_scripts_of(shape, args.seed, [one.family for one in solvers.known])
            scripts = [
                tree_scripts.script(tree_scripts.new(seed)) for seed in range(args.steps or 40)
            ]
            for one in solvers.known:
                found = [
                    solvers.measure(one.number, print_script(script, one.family), 1000 * args.query)
                    for script in scripts
                ]
                rates = sorted(
                    one.units / one.ms for one in found if one.units and one.ms > LONG_MS
                )
                middle = statistics.median(rates) if rates else 0.0
                ends = f"{rates[0]:.0f} to {rates[-1]:.0f}" if rates else "-"
                rows.append([f"{logic} {one.name}", len(rates), middle, ends])
    table("Units in a millisecond", ["logic and solver", "scripts", "median", "range"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--solver", default="z3", help="the target")
    parser.add_argument("--reference", default="cvc5", help="the references, with commas")
    parser.add_argument("--logics", default=",".join(LOGICS), help="logics of the comparison")
    parser.add_argument(
        "--ways",
        default=f"{BANDIT},{RANDOM}",
        help=f"of {', '.join(WAYS)}: the first against the last",
    )
    parser.add_argument("--runs", type=int, default=10, help="searches of each kind and logic")
    parser.add_argument("--budget", type=float, default=180.0, help="seconds of units of a search")
    parser.add_argument("--query", type=float, default=5.0, help="seconds of units of a query")
    parser.add_argument("--most", type=int, default=NEVER, help="scripts of a search at most")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first search")
    parser.add_argument("--rate", action="store_true", help="measure scripts a second")
    parser.add_argument("--twice", action="store_true", help="compare two searches of one seed")
    parser.add_argument("--calibrate", action="store_true", help="measure units a millisecond")
    parser.add_argument(
        "--steps", type=int, default=None, help="scripts of --rate, --twice and --calibrate"
    )
    parser.add_argument("--time", type=float, default=60.0, help="seconds of --rate")
    parser.add_argument(
        "--jobs", type=int, default=1, help="scripts that are asked about at a time"
    )
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args = parser.parse_args()
    args.theories = "BV" if args.rate or args.twice else "all"
    args.commit = common.circumstances(args)["commit"]
    ways = {"rate": rate, "twice": twice, "calibrate": calibrate}
    next((way for name, way in ways.items() if getattr(args, name)), compare)(args)


if __name__ == "__main__":
    main()
