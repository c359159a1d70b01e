"""The bounds of STORM: how many instances it makes of a seed until it finds a defect again, with other
bounds of assertions and of depth (section 5.5 of its paper, figure 4).

`python bench/bounds.py OUT... --bounds 4,64 --keep FOLDER` prints the table, and adds a row to
`bench/results/bounds.md`.

Each OUT is the folder of a campaign of STORM. For each of its defects the seed file that showed it is
mutated again, with `--tries` other random seeds for each pair of bounds, until the same bucket is there
or `--instances` are made. A campaign in `--keep` that has ended is not run again, so that a measurement
goes on where it was stopped. A cell is the median of the instances, and how many of the campaigns found
the defect; one that did not counts with `--instances`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import common
from common import murxpy, stored, table

from murxpy.machine.trace.grammar import parse_trace, read_trace

CHAIN = 25  # mutants of a run
MUTANT = "run-script"


@dataclass(frozen=True, slots=True)
class Shown:
    """A bucket that STORM filled, on a release, from a seed file."""

    key: str
    release: str
    seed_file: Path


def defects(folders: list[Path]) -> Iterator[Shown]:
    """The defects in the folders of campaigns, each release and bucket once."""
    seen: dict[tuple[str, str], None] = {}
    for folder in folders:
        for path in sorted((folder / "findings").glob("*/*.trace")):
            header = parse_trace(read_trace(path), str(path)).header
            release = header["solver"].replace(" ", "@")
            known = (path.parent.name, release) in seen
            if known or header.get("source") != "storm" or "seed-file" not in header:
                continue
            seen[path.parent.name, release] = None
            yield Shown(path.parent.name, release, Path(header["seed-file"]))


def instances(args: argparse.Namespace, shown: Shown, a: int, d: int, seed: int) -> int | None:
    """How many instances a campaign with these bounds made until it found the defect; None if it did
    not.
    """
    out = args.keep.resolve() / f"{shown.key}-{shown.release}-{a}-{d}-{seed}"
    if not (out / "ended").is_file():
        words = ["storm", shown.release, str(shown.seed_file), "--seed", str(seed), "--jobs", "1"]
        words += ["--max-assertions", str(a), "--max-depth", str(d), "--iterations", str(CHAIN)]
        runs = str(-(-args.instances // CHAIN))
        murxpy(*words, "--runs", runs, "--no-minimize", "--out", str(out))
        (out / "ended").touch()
    with stored(out) as store:
        found = store.execute(
            "SELECT run, seed FROM findings WHERE bucket = ? ORDER BY run LIMIT 1", (shown.key,)
        ).fetchone()
    if found is None:
        return None
    run, own = found
    trace = out / "findings" / shown.key / f"{own.zfill(16)}.trace"
    return run * CHAIN + trace.read_text("utf-8", "replace").count(f" {MUTANT}")


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("out", nargs="+", type=Path, help="folders of campaigns of STORM")
    parser.add_argument("--bounds", default="4,8,16,32,64", help="for both, with commas")
    parser.add_argument("--tries", type=int, default=8, help="random seeds for each pair of bounds")
    parser.add_argument("--seed", type=int, default=101, help="the first of them")
    parser.add_argument("--instances", type=int, default=300, help="made at most")
    parser.add_argument("--most", type=int, default=19, help="defects that are looked for")
    parser.add_argument("--keep", type=Path, required=True, help="folder of the campaigns")
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args: Any = parser.parse_args()
    args.keep.mkdir(parents=True, exist_ok=True)
    bounds = [int(word) for word in args.bounds.split(",")]
    looked_for = list(defects(args.out))[: args.most]
    if not looked_for:
        sys.exit("error: no finding of storm with a seed file in these folders")
    seeds = range(args.seed, args.seed + args.tries)
    cells = {
        (a, d): [instances(args, shown, a, d, seed) for shown in looked_for for seed in seeds]
        for a, d in product(bounds, bounds)
    }
    texts = {
        pair: f"{statistics.median(n if n is not None else args.instances for n in made):.0f}"
        f" ({sum(n is not None for n in made)} of {len(made)})"
        for pair, made in cells.items()
    }
    header = ("at most", *(f"depth {d}" for d in bounds))
    rows = [(f"{a} assertions", *(texts[a, d] for d in bounds)) for a in bounds]
    table("Instances until the defect is found", header, rows)
    for shown in looked_for:
        print(f"  {shown.release} {shown.key}: {shown.seed_file.name}")
    args.theories = "all"
    if not args.no_save:
        row = {f"{a} / {d}": text for (a, d), text in texts.items()}
        common.add_row("bounds", {"defects": len(looked_for), **row}, common.circumstances(args))


if __name__ == "__main__":
    main()
