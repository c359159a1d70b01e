"""Sources of runs beside each other: the distinct defects that each finds in old releases, with equal
seeds and equal CPU time.

`python bench/compare_fuzzers.py z3@4.8.12 z3@4.11.2 cvc5@1.1.2 --scripts SCRIPTS --keep FOLDER` adds a
row for each release to `bench/results/compare_fuzzers.md`, and writes the table of all of them and the
curves over CPU time, `bench/results/sources.md` and `sources.svg`.

A source is a mutation fuzzer, `walks`, or `fuzz --mix MIX`, whose parts get the same seeds. In
`sources.md` each has the mean of its defects an hour of CPU time with the 95 % interval (bootstrap over the
seeds, three at least), and its ratio to the best source of a release that is no mix, as the median over
the releases. Below them stands what a scheduler of these sources can hardly beat: a split of the time
between campaigns of one source each, chosen in hindsight for each release. Where a mix has commas in it,
sources are separated by semicolons: `--fuzzers 'walks;opfuzz;fuzz --mix auto;fuzz --mix api:3,opfuzz:1'`.

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
import random
import shlex
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from math import inf, prod
from pathlib import Path
from typing import Any

import common
from common import murxpy, table
from known_bugs import WALKS, Campaign, Known, counted, fuzz
from refinding import ANSWERS

from murxpy.cli.report.svg import Chart
from murxpy.sources.mutation.registry import FUZZERS

COMPARED = ",".join(name for name, entry in FUZZERS.items() if entry.command)
MIX = "fuzz"  # the first word of a mix of sources
JUDGED = (*(name for name, entry in FUZZERS.items() if entry.chained), MIX)
GAVE_UP = ("incompleteness", "slow")  # kinds that are counted apart


def command(args: argparse.Namespace, solver: str, fuzzer: str, seed: int, out: Path) -> list[str]:
    """The command of a campaign."""
    name, *options = shlex.split(fuzzer)
    words = [sys.executable, "-m", "murxpy", "fuzz" if name == WALKS else name, solver]
    if name != WALKS:
        words.append(str(args.scripts.resolve()))
    if name in JUDGED:
        judges = dict(pair.split("=", 1) for pair in args.judges.split(","))
        words += ["--cross-check", judges[solver.partition("@")[0]]]
    words += ["--seed", str(seed), "--jobs", "1", "--no-minimize", "--json", "--out", str(out)]
    return [*words, *options]


def folder(args: argparse.Namespace, solver: str, fuzzer: str, seed: int) -> Path:
    """The folder of a campaign."""
    words = [solver.replace("/", "_"), *fuzzer.replace("--", "").split(), str(seed)]
    words = [word.replace("/", "_") for word in words]
    return args.keep.resolve() / "-".join(words)


def has_run(out: Path) -> bool:
    """Whether a campaign has had time."""
    return (out / "cpu.json").is_file() and (out / "campaign.sqlite").is_file()


def measured(args: argparse.Namespace, solver: str, fuzzers: Sequence[str]) -> list[Campaign]:
    """The campaigns of a release that have run, with their defects by their places in its table, without
    the scripts on which it gives up.
    """
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
    return [without_unknown(known, one) for one in campaigns]


def without_unknown(known: Known, campaign: Campaign) -> Campaign:
    """A campaign without the scripts on which the release gives up, which are counted apart."""
    kept = [
        (place, moment)
        for place, moment in zip(campaign.defects, campaign.found, strict=True)
        if known.defects[place].kind not in GAVE_UP
    ]
    places, found = tuple(one for one, _ in kept), tuple(moment for _, moment in kept)
    return replace(campaign, defects=places, found=found)


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


# ----------------------------------------------------------------------
# All releases together.

DRAWS = 2000  # samples of a bootstrap
LEAST = 3  # seeds of which a bootstrap says something
Rates = Mapping[str, Sequence[float]]  # of each release, the defects a CPU hour of each campaign


def rates_of(campaigns: Mapping[str, Sequence[Campaign]]) -> dict[str, dict[str, list[float]]]:
    """The defects a CPU hour of the campaigns of each source, by release, in the order of their seeds."""
    found: dict[str, dict[str, list[float]]] = {}
    for release, each in campaigns.items():
        for one in sorted(each, key=lambda one: one.seed):
            found.setdefault(one.source, {}).setdefault(release, []).append(one.rate)
    return found


def resampled(
    figure: Callable[[Sequence[Sequence[float]]], float], *samples: Sequence[float]
) -> str:
    """The 95 % interval of a figure of samples, by bootstrap; empty where one of them is too small."""
    if min(map(len, samples)) < LEAST:
        return ""
    chance = random.Random(1)
    drawn = sorted(
        figure([chance.choices(sample, k=len(sample)) for sample in samples]) for _ in range(DRAWS)
    )
    return f" ({drawn[DRAWS // 40]:.3g} to {drawn[-1 - DRAWS // 40]:.3g})"


def ratio(mine: Rates, others: Mapping[str, Rates]) -> str:
    """The rate of a source as a ratio to the best of others on the same release: the median over the
    releases, with its interval. A release on which none of the others found anything is left out.
    """
    pairs = []
    for release, rates in mine.items():
        best = max(
            (of[release] for of in others.values() if release in of),
            key=statistics.mean,
            default=[],
        )
        if any(best):
            pairs += [rates, best]

    def median(samples: Sequence[Sequence[float]]) -> float:
        means = [statistics.mean(sample) for sample in samples]
        return statistics.median(
            one / other if other else inf
            for one, other in zip(means[::2], means[1::2], strict=True)
        )

    return f"{median(pairs):.3g}{resampled(median, *pairs)}" if pairs else "-"


def curve(campaigns: Iterable[Sequence[Campaign]], most: float) -> list[tuple[float, float]]:
    """How many defects are found after how many CPU seconds: the means of the campaigns of each release,
    added up.
    """
    steps = [(moment, 1 / len(each)) for each in campaigns for one in each for moment in one.found]
    points, height = [(0.0, 0.0)], 0.0
    for moment, more in sorted(steps):
        points += [(moment, height), (moment, height + more)]
        height += more
    return [*points, (most, height)]


HINDSIGHT = "a split chosen in hindsight"
PARTS = 12  # a split gives each source so many parts of the time, which are 12 together


def split_in_hindsight(campaigns: Sequence[Campaign]) -> tuple[float, dict[str, int]]:
    """How many distinct defects of a release an hour a good split of a campaign's time between its
    sources is expected to find, and the parts of each source in it: no smaller number than that of any
    source alone, and the best that moving parts from one source to another leads to.

    A source that has some of the time is thought to find each defect with the share of its own campaigns
    that had found it in this part of their time, whatever the other sources found. For a given split that
    is no estimate in its favour; this one is chosen by the campaigns that it is judged by, so its figure
    is rather too high.
    """
    by_source: dict[str, list[Campaign]] = {}
    for one in campaigns:
        by_source.setdefault(one.source, []).append(one)
    length = {
        source: statistics.mean(one.cpu for one in each) for source, each in by_source.items()
    }
    finders = {  # by source and parts: by defect, how many of the campaigns had found it by then
        source: [
            Counter(
                at
                for one in each
                for at, moment in zip(one.defects, one.found, strict=True)
                if moment <= one.cpu * parts / PARTS
            )
            for parts in range(PARTS + 1)
        ]
        for source, each in by_source.items()
    }
    defects = sorted({at for one in campaigns for at in one.defects})

    def rate(split: Mapping[str, int]) -> float:
        found = sum(
            1 - prod(1 - finders[name][n][at] / len(by_source[name]) for name, n in split.items())
            for at in defects
        )
        seconds = sum(length[name] * n / PARTS for name, n in split.items())
        return 3600.0 * found / seconds if seconds else 0.0

    # Each source alone is a start, and parts move to where they gain most.
    best: tuple[float, dict[str, int]] = (0.0, {})
    for start in by_source:
        split = {name: PARTS * (name == start) for name in by_source}
        found = rate(split)
        while True:
            moves = [
                {**split, giver: split[giver] - n, taker: split[taker] + n}
                for giver in split
                for taker in split
                if giver != taker
                for n in range(1, split[giver] + 1)
            ]
            rates = [rate(move) for move in moves]
            if max(rates, default=0.0) <= found:
                break
            found = max(rates)
            split = moves[rates.index(found)]
        if found > best[0]:
            best = found, split
    return best


def split_text(split: tuple[float, Mapping[str, int]] | None) -> str:
    """A split and what it is expected to find, as a cell of the table."""
    if split is None:
        return "-"
    parts = ", ".join(f"{n} {name}" for name, n in split[1].items() if n)
    return f"{split[0]:.3g}: {parts} of {PARTS}" if parts else "0"


def compare(args: argparse.Namespace, campaigns: Mapping[str, Sequence[Campaign]]) -> None:
    """Print and save the table and the chart of all sources on all releases."""
    rates = rates_of(campaigns)
    alone = {source: of for source, of in rates.items() if not source.startswith(MIX)}
    rows = []
    for source, of in rates.items():
        cells = [
            f"{statistics.mean(some):.3g}{resampled(lambda drawn: statistics.mean(drawn[0]), some)}"
            if (some := of.get(release))
            else "-"
            for release in campaigns
        ]
        others = {name: each for name, each in alone.items() if name != source}
        rows.append((source, *cells, ratio(of, others)))
    splits = {
        release: split_in_hindsight(single)
        for release, each in campaigns.items()
        if (single := [one for one in each if not one.source.startswith(MIX)])
    }
    if len(alone) > 1:
        best = {release: [rate] for release, (rate, _) in splits.items()}
        rows.append(
            (HINDSIGHT, *(split_text(splits.get(one)) for one in campaigns), ratio(best, alone))
        )
    header = ("source", *campaigns, "ratio to the best other")
    title = "Distinct defects an hour of CPU time"
    table(title, header, rows)
    most = max((one.cpu for each in campaigns.values() for one in each), default=1.0)
    curves = {
        source: curve(
            ([o for o in each if o.source == source] for each in campaigns.values()), most
        )
        for source in rates
    }
    high = max([1.0, *(points[-1][1] for points in curves.values())])
    chart = Chart("Distinct defects by seconds of CPU time", (0, most), (0, high))
    chart.x_axis({most * part / 4: f"{most * part / 4:.0f} s" for part in range(5)}, grid=False)
    chart.y_axis({high * part / 4: f"{high * part / 4:.1f}" for part in range(5)})
    for source, points in curves.items():
        chart.curve(source, points)
    common.save_page("sources", args, title, header, rows)
    if not args.no_save:
        (common.RESULTS / "sources.svg").write_text(chart.text(), encoding="utf-8")


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("solvers", nargs="+", help="releases, such as z3@4.8.12")
    parser.add_argument(
        "--fuzzers",
        default=COMPARED,
        help="sources with commas or semicolons, with options for variants",
    )
    parser.add_argument(
        "--judges",
        default="z3=cvc5,cvc5=z3",
        help="who judges OpFuzz, TypeFuzz, Skeleton and mixes on which solver",
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
    fuzzers = args.fuzzers.split(";" if ";" in args.fuzzers else ",")
    for seed in range(args.seed, args.seed + (0 if args.count else args.seeds)):
        for solver in args.solvers:
            for fuzzer in fuzzers:
                out = folder(args, solver, fuzzer, seed)
                fuzz(command(args, solver, fuzzer, seed, out), out, args.cpu)
    compare(args, {solver: measured(args, solver, fuzzers) for solver in args.solvers})


if __name__ == "__main__":
    main()
