"""How many seeds of each logic STORM can use, and how long it takes to make mutants of them.

`python bench/pools.py z3 --seeds SEEDS` adds a row to `bench/results/pools.md`.

    python bench/pools.py z3 --seeds ../shared/smtlib

A seed is lost if STORM makes no mutant of it, in any of `--tries` runs. For each logic the table
has the seeds that are lost, the time until the first mutant (reading the seed, the solver's model,
the pool of formulas), and the time for each further mutant.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from statistics import median
from typing import Any

import common
from mutants import Solvers, chain, shop_of

from murxpy.errors import MurxpyError
from murxpy.fuzzers.seeds import collect_seeds
from murxpy.machine.random import Stream, mix
from murxpy.smtlib.printing.scripts import print_script
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.sources.mutation.workshop import MutationSession, Seed, Workshop
from murxpy.worker.session import Session

MUTANTS = 25  # mutants of a run that are made, for the time of each


def first(
    args: argparse.Namespace, shop: MutationSession, seed: Seed, number: int
) -> dict[str, float] | None:
    """The seconds until the first mutant of a run, and for each further one; None if the run makes
    none.
    """
    solvers = Solvers(args.limit)

    def ask(text: str) -> str | None:
        try:
            return solvers.z3(text)
        except Exception:
            return None

    start = time.process_time()
    workshop = Workshop(shop, Stream(mix(args.seed, number)), [seed], ask, {})
    times = [start]
    for mutant, _ in zip(chain(FUZZERS["storm"].mutants(workshop)), range(MUTANTS), strict=False):
        print_script(mutant.script, shop.dialect)
        times.append(time.process_time())
    if len(times) < 3:
        return None
    return {"first": times[1] - start, "next": (times[-1] - times[1]) / (len(times) - 2)}


def measured(args: argparse.Namespace, shop: MutationSession, logic: Path) -> dict[str, Any]:
    """The row of one logic."""
    files = collect_seeds([logic], args.size).files
    found, lost = [], []
    for file in files:
        seed = Seed(*file)
        times = (first(args, shop, seed, number) for number in range(args.tries))
        one = next(filter(None, times), None)
        if one is None:
            lost.append(seed.name.rpartition("/")[2])
        else:
            found.append(one)
    return {
        "seeds": len(files),
        "lost": len(lost),
        "first ms": 1000 * median([one["first"] for one in found] or [0.0]),
        "next ms": 1000 * median([one["next"] for one in found] or [0.0]),
        "names": lost,
    }


def measure(args: argparse.Namespace, session: Session) -> dict[str, Any]:
    """The rows of all logics."""
    shop, rows = shop_of(session, "z3"), {}
    logics = [args.seeds / name for name in args.logics.split(",") if name]
    for logic in logics or sorted(folder for folder in args.seeds.iterdir() if folder.is_dir()):
        rows[logic.name] = measured(args, shop, logic)
    columns = ("seeds", "lost", "first ms", "next ms")
    common.table(
        "pools",
        ("logic", *columns, "lost seeds"),
        [
            (name, *(row[column] for column in columns), " ".join(row["names"]))
            for name, row in rows.items()
        ],
    )
    return rows


def main() -> None:
    parser = common.parser(__doc__, None)
    parser.add_argument(
        "--seeds", type=Path, required=True, help="folder with a folder of scripts for each logic"
    )
    parser.add_argument("--logics", default="", help="those that are measured; all of the folder")
    parser.add_argument("--limit", type=float, default=50.0, help="of a check, in milliseconds")
    parser.add_argument("--size", type=int, default=100_000, help="largest seed in bytes")
    parser.add_argument("--tries", type=int, default=1, help="runs of each seed, at most")
    args = parser.parse_args()
    session = common.load(args)
    try:
        rows = measure(args, session)
    except MurxpyError as error:
        raise SystemExit(f"error: {error}") from None
    about = common.facts(session, args)
    seeds, lost = (sum(row[key] for row in rows.values()) for key in ("seeds", "lost"))
    common.save("pools", args, about, {"pools": rows}, {"seeds": seeds, "lost": lost})


if __name__ == "__main__":
    main()
