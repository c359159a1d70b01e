"""How early in a grammar its triggers lie: the share of them in its first 1,000, 10,000 and 51,000
scripts, from a sample that thins out behind each of these bounds.

`python bench/early.py z3 --releases 4.8.7,5.4.1 --judge cvc5 --out FOLDER` writes `bench/results/early.md`.

The thesis says of its eight grammars that 80 % of the triggers lie in the first 51,000 scripts of a
grammar, and 99 % in the first 120,000, of 1,000,000. `murxpy matrix` asks `--each` scripts of each
grammar between two bounds, spread evenly. Of these, so many in a hundred are triggers as of all scripts
there. That gives the number of triggers between the bounds and, added up, the share of them up to each
bound. In brackets is what 95 of 100 draws of these rates have, where a rate has the distribution
Beta(triggers + 1/2, others + 1/2); scripts that were all asked are counted, and not drawn. The folder
keeps the answers, so that the same command goes on where it was stopped, and a larger `--each` asks more.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import murxpy, save_page, table

from murxpy.findings.folder import MATRIX
from murxpy.studies.matrix import Triggers, find
from murxpy.studies.study import Store

GRAMMARS = "core,arrays,bitvectors,ints,reals,realints,strings"
DRAWS = 2000
SEED = 7
ODD = 1  # steps are odd, since a grammar has its constants and operators in pairs and fours
HEADER = ("release", "kind", "grammar", "triggers", "first", "of all, one in")


@dataclass(frozen=True, slots=True)
class Stratum:
    """Of `size` scripts between two bounds, so many were asked, and so many of these are triggers."""

    size: int
    asked: int
    triggers: int

    def drawn(self, stream: random.Random) -> float:
        """A number of triggers that may be among all of them."""
        if self.asked >= self.size:
            return float(self.triggers)
        others = self.asked - self.triggers
        left = self.size - self.asked
        return self.triggers + left * stream.betavariate(self.triggers + 0.5, others + 0.5)

    @property
    def all(self) -> float:
        """The number of triggers among all of them, by the rate of those that were asked."""
        return self.triggers * self.size / self.asked if self.asked else 0.0


def shares(strata: Sequence[Stratum]) -> list[tuple[float, float, float]]:
    """The share of all triggers up to each bound, with the ends of an interval."""
    stream = random.Random(SEED)
    draws = [[one.drawn(stream) for one in strata] for _ in range(DRAWS)]
    likely = [one.all for one in strata]
    found = []
    for end in range(1, len(strata) + 1):
        drawn = sorted(sum(draw[:end]) / sum(draw) for draw in draws)
        share = sum(likely[:end]) / sum(likely)
        found.append((share, drawn[DRAWS // 40], drawn[-1 - DRAWS // 40]))
    return found


def strata_of(
    asked: Sequence[int], triggers: Sequence[int], bounds: Sequence[int]
) -> list[Stratum]:
    """The scripts between bounds, by the places of those that were asked, and of the triggers."""
    found = []
    for low, high in zip((0, *bounds), bounds, strict=False):
        numbers = [sum(low <= place < high for place in places) for places in (asked, triggers)]
        found.append(Stratum(high - low, *numbers))
    return found


def measured(asked: Mapping[object, Sequence[int]], bounds: Sequence[int]) -> list[int]:
    """The bounds below which scripts of each grammar were asked between any two of them: of scripts behind
    them, nothing is known.
    """
    found: list[int] = []
    for low, high in zip((0, *bounds), bounds, strict=False):
        if not asked or not all(
            any(low <= at < high for at in places) for places in asked.values()
        ):
            break
        found.append(high)
    return found


def ask(args: argparse.Namespace) -> None:
    """Have the scripts between the bounds asked that have no answer yet."""
    words = ["--releases", args.releases, "--grammar", args.grammars, "--out", str(args.out)]
    words += ["--cross-check", args.judge] if args.judge else []
    words += ["--model-validate"] if args.model_validate else []
    for low, high in zip((0, *args.bounds), args.bounds, strict=False):
        step = max(1, (high - low) // args.each) | ODD
        murxpy("matrix", args.solver, *words, "--first", str(high), "--step", str(step))


def rows_of(
    found: Triggers, asked: Mapping[tuple[int, int], Sequence[int]], bounds: Sequence[int]
) -> list[list[str]]:
    """A row for each release, kind of trigger and grammar that has some, and one for all grammars."""
    rows = []
    names = {one.number: one.name for one in found.releases}
    kinds = dict.fromkeys((one.target, one.kind) for one in found.triggers if one.target in names)
    for target, kind in sorted(kinds):
        whole = Counter[tuple[int, str]]()
        places = {number: list[int]() for number in found.grammars}
        for one in found.triggers:
            if (one.target, one.kind) == (target, kind):
                places[one.grammar].append(one.place)
        by_grammar = {
            number: strata_of(asked.get((target, number), ()), places[number], bounds)
            for number in found.grammars
        }
        for number, strata in by_grammar.items():
            for at, one in enumerate(strata):
                whole.update({(at, "size"): one.size, (at, "asked"): one.asked})
                whole[at, "triggers"] += one.triggers
            if places[number]:
                cells = [names[target], kind, found.grammars[number]]
                rows.append([*cells, *_row(strata, min(places[number]))])
        if sum(map(bool, places.values())) > 1:
            together = [
                Stratum(*(whole[at, name] for name in ("size", "asked", "triggers")))
                for at in range(len(bounds))
            ]
            least = min(min(some) for some in places.values() if some)
            rows.append([names[target], kind, "all", *_row(together, least)])
    return rows


def _row(strata: Sequence[Stratum], first: int) -> list[str]:
    triggers, asked = sum(one.triggers for one in strata), sum(one.asked for one in strata)
    share = sum(one.all for one in strata) / sum(one.size for one in strata)
    cells = [f"{triggers} of {asked:,}", f"{first:,}", f"{1 / share:,.0f}" if share else "-"]
    cells += [f"{one:.1%} ({low:.1%} to {high:.1%})" for one, low, high in shares(strata)[:-1]]
    return cells


def asked_in(store: Store, found: Triggers) -> dict[tuple[int, int], list[int]]:
    """The places of the scripts that each target was asked, by target and grammar."""
    places: dict[tuple[int, int], list[int]] = {}
    for grammar in found.grammars:
        for place, said in store.scripts(grammar):
            for target in said:
                places.setdefault((target, grammar), []).append(place)
    return places


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("solver", help="the solver whose releases are asked")
    parser.add_argument("--releases", required=True, help="with commas, such as 4.8.7,5.4.1")
    parser.add_argument("--grammars", default=GRAMMARS, help="with commas")
    parser.add_argument("--judge", default="", help="a solver that answers each script, too")
    parser.add_argument(
        "--bounds", default="1000,10000,51000,120000,1000000", help="numbers of scripts, rising"
    )
    parser.add_argument("--each", type=int, default=150, help="scripts between two bounds")
    parser.add_argument(
        "--model-validate", action="store_true", help="solvers check their models, too"
    )
    parser.add_argument("--count", action="store_true", help="ask nothing")
    parser.add_argument("--out", type=Path, required=True, help="folder of the answers")
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args: Any = parser.parse_args()
    args.bounds = [int(word) for word in args.bounds.split(",")]
    args.out = args.out.resolve()
    if not args.count:
        ask(args)
    with closing(Store(args.out, MATRIX, read_only=True)) as store:
        found = find(store)
        asked = asked_in(store, found)
        bounds = measured(asked, args.bounds)
        rows = rows_of(found, asked, bounds) if bounds else []
    if len(bounds) < len(args.bounds):
        reached = f"{bounds[-1]:,}" if bounds else "no bound"
        print(
            f"stopped before the end: the table goes up to {reached}, and the same command goes on"
        )
    header = [*HEADER, *(f"first {bound:,}" for bound in bounds[:-1])]
    title = f"Triggers among the first {bounds[-1]:,} scripts of a grammar" if bounds else "Nothing"
    table(title, header, rows)
    save_page("early", args, "How early in a grammar its triggers lie", header, rows)


if __name__ == "__main__":
    main()
