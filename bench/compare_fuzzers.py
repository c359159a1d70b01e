"""Mutation fuzzers beside each other: the distinct defects that each finds in old releases, with equal
seeds and equal CPU time.

`python bench/compare_fuzzers.py z3@4.8.12 z3@4.11.2 cvc5@1.1.2 --scripts SCRIPTS --keep FOLDER` adds a
row for each release to `bench/results/compare_fuzzers.md`.

A fuzzer with options behind it is a variant: `--fuzzers 'diver,diver --no-weights,diver
--no-complicate'` tells what the weights of DIVER are worth, and `'janus,janus --iterations 300'` what a
longer chain is. The Python package of cvc5 1.0.7 and 1.0.8 has no reader of scripts: there mutants come
through the API, `--fuzzers 'fusion --through api,janus --through api'`, and STORM and DIVER, which ask
about a seed in the words of SMT-LIB, cannot run. OpFuzz, TypeFuzz and Skeleton know no answers, so a
release of another solver judges theirs, and its CPU time counts as theirs.

Each campaign gets `--cpu` seconds of all its processes, whatever else the machine does. What is then
left to confirm is done afterwards, and does not count. Two findings of a release are one defect if they
have a bucket or a mark in common (docs/findings.md), whichever fuzzers found them; a finding counts if a
replay has confirmed it and the fault is not murxpy's. Scripts on which a release gives up or is slow are
counted apart.

The campaigns stay in `--keep`, and the measurement comes in pieces that add up: the same command goes on
where it was stopped, a larger `--cpu` gives each campaign what it lacks, and a larger `--seeds` adds
campaigns. All fuzzers and releases have had one seed before any gets the next, so that what is there is
a fair comparison at any time. `--count` counts what is there and starts no campaign. Commands for
different releases can share a folder at the same time.
"""

from __future__ import annotations

import argparse
import shlex
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import common
from common import murxpy, table
from known_bugs import Campaign, Known, counted, fuzz
from refinding import ANSWERS

from murxpy.sources.mutation.registry import FUZZERS

COMPARED = ",".join(name for name, entry in FUZZERS.items() if entry.command)
JUDGED = tuple(name for name, entry in FUZZERS.items() if entry.chained)
GAVE_UP = ("incompleteness", "slow")  # kinds that are counted apart


def command(args: argparse.Namespace, solver: str, fuzzer: str, seed: int, out: Path) -> list[str]:
    """The command of a campaign."""
    name, *options = shlex.split(fuzzer)
    family = solver.partition("@")[0]
    judges = dict(pair.split("=", 1) for pair in args.judges.split(","))
    judge = ["--cross-check", judges[family]] if name in JUDGED else []
    words = [sys.executable, "-m", "murxpy", name, solver, str(args.scripts.resolve()), *judge]
    words += ["--seed", str(seed), "--jobs", "1", "--no-minimize", "--json", "--out", str(out)]
    return [*words, *options]


def folder(args: argparse.Namespace, solver: str, fuzzer: str, seed: int) -> Path:
    """The folder of a campaign."""
    words = [solver.replace("/", "_"), *fuzzer.replace("--", "").split(), str(seed)]
    return args.keep.resolve() / "-".join(words)


def has_run(out: Path) -> bool:
    """Whether a campaign has had time."""
    return (out / "cpu.json").is_file() and (out / "campaign.sqlite").is_file()


def measured(args: argparse.Namespace, solver: str, fuzzers: Sequence[str]) -> list[Campaign]:
    """The campaigns of a release that have run, with their defects by their places in its table."""
    known = Known(args.keep / f"{solver.replace('/', '_')}-defects.json")
    cells = [
        (fuzzer, "off", seed, out)
        for seed in range(args.seed, args.seed + args.seeds)
        for fuzzer in fuzzers
        if has_run(out := folder(args, solver, fuzzer, seed))
    ]
    for cell in cells:
        if not args.as_is:
            murxpy("finish", str(cell[-1]), str(args.scripts.resolve()), "--jobs", "1")
            # smaller traces have more marks, by which a defect is known in another campaign
            murxpy("findings", str(cell[-1]), "--regroup", "--json")
        counted(known, *cell)
        known.save()
    # only now it is known which of the findings are one defect
    campaigns = [counted(known, *cell) for cell in cells]
    known.save()
    report(args, solver, known, campaigns)
    return campaigns


def report(
    args: argparse.Namespace, solver: str, known: Known, campaigns: Sequence[Campaign]
) -> None:
    """Print and save the figures of a release."""
    owners = Counter(
        at
        for fuzzer in dict.fromkeys(one.source for one in campaigns)
        for at in {at for one in campaigns if one.source == fuzzer for at in one.defects}
    )
    rows, row = [], {}
    for fuzzer in dict.fromkeys(one.source for one in campaigns):
        mine = [one for one in campaigns if one.source == fuzzer]
        found = {at for one in mine for at in one.defects}
        different = {at for at in found if known.defects[at].kind not in GAVE_UP}
        answers = sum(known.defects[at].kind in ANSWERS for at in different)
        alone = sum(owners[at] == 1 for at in different)
        counts = [len(different.intersection(one.defects)) for one in mine]
        unknown = len(found) - len(different)
        cpu, decided = sum(one.cpu for one in mine), sum(one.decided for one in mine)
        mean = statistics.mean(counts)
        spread = statistics.stdev(counts) if len(counts) > 1 else 0.0
        runs, text = sum(one.runs for one in mine), " ".join(map(str, counts))
        figures = (len(mine), cpu, runs, decided, text, mean, spread, len(different))
        rows.append((fuzzer, *figures, answers, alone, unknown))
        row[fuzzer] = (
            f"{text} = {len(different)} different, {answers} about answers, {alone} of it alone, gave up {unknown}; "
            f"{cpu:.0f} CPU s, {decided:,} decided"
        )
    header = ("fuzzer", "seeds", "CPU s", "runs", "decided", "defects", "mean", "spread")
    table(
        f"Distinct defects of {solver}", (*header, "different", "answers", "alone", "gave up"), rows
    )
    args.theories = "all"
    about = {**common.circumstances(args), "solver": solver.replace("/", "_"), "version": ""}
    common.save(
        "compare_fuzzers", args, about, {"campaigns": [asdict(one) for one in campaigns]}, row
    )


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("solvers", nargs="+", help="releases, such as z3@4.8.12")
    parser.add_argument(
        "--fuzzers", default=COMPARED, help="with commas, with options for variants"
    )
    parser.add_argument(
        "--judges",
        default="z3=cvc5,cvc5=z3",
        help="who judges OpFuzz, TypeFuzz and Skeleton on which solver",
    )
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument(
        "--seeds", type=int, default=5, help="campaigns of each kind, from --seed on"
    )
    parser.add_argument(
        "--scripts", type=Path, default=common.ROOT / "seeds", help="folder of seed scripts"
    )
    parser.add_argument("--cpu", type=float, default=1200.0, help="CPU seconds of each campaign")
    parser.add_argument("--keep", type=Path, required=True, help="folder of the campaigns")
    parser.add_argument("--count", action="store_true", help="start no campaign")
    parser.add_argument(
        "--as-is", action="store_true", help="confirm nothing more, and make no smaller traces"
    )
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args: Any = parser.parse_args()
    args.keep.mkdir(parents=True, exist_ok=True)
    fuzzers = args.fuzzers.split(",")
    for seed in range(args.seed, args.seed + (0 if args.count else args.seeds)):
        for solver in args.solvers:
            for fuzzer in fuzzers:
                out = folder(args, solver, fuzzer, seed)
                fuzz(command(args, solver, fuzzer, seed, out), out, args.cpu)
    for solver in args.solvers:
        measured(args, solver, fuzzers)


if __name__ == "__main__":
    main()
