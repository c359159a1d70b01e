"""What the mutation fuzzers find again in an older release: a campaign of each, its defects, and the
releases that show them.

`python bench/refinding.py z3@RELEASE --newest z3 --seeds SEEDS` adds a row to
`bench/results/refinding.md`, with `--iterations N` to `bench/results/chains.md`. With `--fuzzers mix`
one campaign has all mutation fuzzers, and its seeds are the scripts of `--seeds`, the formulas of so
many `--walks`, or both.

The newest release judges the answers of OpFuzz and TypeFuzz; those of the other fuzzers are known by
construction. Janus can have a `--baseline`, an older release that is asked about what the solver
leaves unknown. A defect that the newest release shows, too, is an open one; the others have been
mended since. With `--keep` the campaigns stay, and one that is there already goes on until it has
had its time. With `--python` the murxpy of another environment, such as an earlier commit, runs the
campaigns; what they found is grouped and bisected by this checkout in either case, so that both can
be compared. A fuzzer with options behind it is a variant, such as `'diver,diver --no-weights,diver
--no-complicate'` or `'storm,storm --max-depth 8,storm --max-assertions 4'`, and each has the same seeds
and the same time. With `--iterations` the runs have so many mutants, and the figures are saved as
`chains`: they say whether longer chains find more in the same time.
"""

from __future__ import annotations

import argparse
import json
import shlex
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import common
from common import bisected, counted, murxpy, stored, table

OPTIONS = {
    "opfuzz": ["--cross-check"],
    "typefuzz": ["--cross-check"],
    "storm": [],
    "fusion": ["--oracle", "sat"],
    "janus": ["--oracle", "sat"],
    "diver": [],
}
MIX = ",".join(f"{name}:1" for name in OPTIONS)
# kinds of findings that are about what was answered
ANSWERS = ("disagreement", "wrong-answer", "invalid-model")
KEPT = 1000  # characters of a script that is kept with the figures


@dataclass(frozen=True, slots=True)
class Campaign:
    """What a fuzzer did in so many seconds: mutants, decided checks, those that the judge decided,
    too, and findings. `cpu` are the seconds of CPU time of its runs.
    """

    fuzzer: str
    seconds: float
    cpu: float
    runs: int
    made: int
    decided: int
    judged: int
    findings: int


@dataclass(frozen=True, slots=True)
class Found:
    """A defect, the characters of its smallest script, the releases that show it, `-` for none,
    whether the newest one does, and the minute of the campaign in which it was seen first.
    """

    fuzzer: str
    key: str
    kind: str
    message: str
    count: int
    characters: int
    releases: str
    newest: bool
    minute: float
    trace: str


def campaign(args: argparse.Namespace, fuzzer: str, out: Path) -> Campaign:
    """Run it in `out`, for what is left of its time."""
    begun = (out / "campaign.sqlite").is_file()
    left = args.time - (_figures(fuzzer, out).seconds if begun else 0.0)
    if left >= 1:
        words = [*_asked(args, fuzzer), *([str(args.seeds.resolve())] if args.seeds else [])]
        words += [
            "--time",
            f"{left:.0f}s",
            *(() if args.iterations is None else ("--iterations", str(args.iterations))),
        ]
        words += ["--jobs", str(args.jobs), "--seed", str(args.seed), "--out", str(out.resolve())]
        murxpy(*words, python=args.python)
    return _figures(fuzzer, out)


def _asked(args: argparse.Namespace, fuzzer: str) -> list[str]:
    """The command of a campaign, up to its seeds."""
    if fuzzer == "mix":
        walks = ["--walk-seeds", str(args.walks)] if args.walks else []
        return ["fuzz", args.solver, "--mix", MIX, *walks, "--cross-check", args.newest]
    name, *more = shlex.split(fuzzer)
    judge = [args.newest] if name in ("opfuzz", "typefuzz") else []
    if name == "janus" and args.baseline:
        judge = ["--baseline", args.baseline]
    return [name, args.solver, *OPTIONS[name], *judge, *more]


def _figures(fuzzer: str, out: Path) -> Campaign:
    with stored(out) as store:
        (seconds,) = store.execute("SELECT total(ended - started) FROM sessions").fetchone()
    counts, _ = counted(out)
    cpu = counts.get("time-ns:run", 0) / 1e9
    mutants, findings = (
        sum(counts.get(f"mutator:{name}:{what}", 0) for name in _fuzzers(fuzzer))
        for what in ("made", "findings")
    )
    runs, decided, judged = (
        counts.get(name, 0) for name in ("run:total", "check:decided", "judge:decided")
    )
    return Campaign(fuzzer, seconds, cpu, runs, mutants, decided, judged, findings)


def _fuzzers(name: str) -> list[str]:
    """The fuzzers of a campaign."""
    return list(OPTIONS) if name == "mix" else shlex.split(name)[:1]


def found(fuzzer: str, out: Path, args: argparse.Namespace) -> list[Found]:
    """The defects that the campaign in `out` found, some of them bisected at a time."""
    listed = murxpy("findings", str(out), "--regroup", "--json")
    rows = [row for row in json.loads(listed) if not row["same"]]
    with ThreadPoolExecutor(args.bisections) as pool:
        return list(pool.map(partial(_found, fuzzer, args.tries, _minutes(out)), rows))


def _minutes(out: Path) -> dict[str, float]:
    """The minute of a campaign in which each bucket was seen first, from its beginning."""
    with stored(out) as store:
        (began,) = store.execute("SELECT min(started) FROM sessions").fetchone()
        seen = store.execute("SELECT key, first FROM buckets").fetchall()
    return {key: round((first - began) / 60, 2) for key, first in seen}


def _found(fuzzer: str, tries: int, minutes: dict[str, float], row: dict[str, Any]) -> Found:
    whole = Path(row["trace"])
    smaller = sorted(whole.parent.glob("*.min.trace"))
    shown = min((whole, *smaller), key=_size)
    ranges = bisected(shown, tries)
    newest = next(iter(reversed(list(ranges.get("asked", {}).values()))), "")
    # the seed's authors may not want it whole
    text = shown.read_text(encoding="utf-8") if _size(shown) <= KEPT else ""
    row_data = (row["key"], row["kind"], row["message"], row["count"], _size(shown))
    shows = ranges.get("range", "") or "-", newest == "shows"
    return Found(fuzzer, *row_data, *shows, minutes.get(row["key"], 0.0), text)


def _size(trace: Path) -> int:
    """Characters of the scripts in a trace."""
    return sum(
        len(line)
        for line in trace.read_text(encoding="utf-8").splitlines()
        if " run-script" in line
    )


def report(
    args: argparse.Namespace,
    release: tuple[str, str],
    campaigns: list[Campaign],
    buckets: list[Found],
) -> None:
    """Print and save the figures."""
    table(
        "Found",
        ("fuzzer", "kind", "times", "characters", "minute", "releases", "message"),
        [
            (b.fuzzer, b.kind, b.count, b.characters, b.minute, b.releases, b.message[:110])
            for b in buckets
        ],
    )
    rows, row = [], {"newest": args.newest}
    if args.baseline:
        row["baseline"] = args.baseline
    if args.iterations is not None:
        row["iterations"] = args.iterations
    for one in campaigns:
        mine = [bucket for bucket in buckets if bucket.fuzzer == one.fuzzer]
        wrong = sum(bucket.kind in ANSWERS for bucket in mine)
        still = sum(bucket.newest for bucket in mine)
        rows.append(
            (
                one.fuzzer,
                round(one.seconds),
                round(one.cpu),
                one.runs,
                one.made,
                one.decided,
                one.judged,
                one.findings,
                len(mine),
                3600 * len(mine) / one.cpu if one.cpu else 0.0,
                wrong,
                still,
            )
        )
        row[one.fuzzer] = (
            f"{one.seconds / 60:.0f} min, {one.cpu:.0f} s of CPU time in runs, {one.decided:,} decided, "
            f"defects {len(mine)}, wrong answers {wrong}"
        )
    table(
        "Campaigns",
        (
            "fuzzer",
            "seconds",
            "CPU s",
            "runs",
            "made",
            "decided",
            "judged",
            "findings",
            "defects",
            "defects/CPU h",
            "wrong answers",
            "in the newest",
        ),
        rows,
    )
    figures = {
        "campaigns": [asdict(one) for one in campaigns],
        "found": [asdict(bucket) for bucket in buckets],
    }
    solver = f"{release[0]}-{release[1]}{args.label and '-' + args.label}"
    about = {**common.circumstances(args), "solver": solver, "version": ""}
    name = "refinding"
    if args.iterations is not None:
        name, about["solver"] = "chains", f"{about['solver']}-{args.iterations}"
    common.save(name, args, about, figures, row)


def main() -> None:
    """Run it."""
    parser = common.parser(__doc__, None)
    parser.add_argument("--seeds", type=Path, help="folder of scripts")
    parser.add_argument(
        "--walks", type=int, default=0, help="walks whose formulas are seeds of a mix"
    )
    parser.add_argument(
        "--newest",
        required=True,
        help="solver that judges, and is asked whether it shows what was found",
    )
    parser.add_argument("--baseline", default="", help="older release for Janus")
    parser.add_argument(
        "--fuzzers",
        default=",".join(OPTIONS),
        help="with commas, each with options behind it for a variant; or mix",
    )
    parser.add_argument("--time", type=float, default=900.0, help="seconds of each campaign")
    parser.add_argument(
        "--iterations", type=int, help="mutants of a run; by default those of the fuzzers"
    )
    parser.add_argument(
        "--python", default="", help="Python of another environment, whose murxpy fuzzes"
    )
    parser.add_argument("--label", default="", help="word for these figures, such as before")
    parser.add_argument("--jobs", type=int, default=1, help="workers of each campaign")
    parser.add_argument("--tries", type=int, default=3, help="replays of a defect on a release")
    parser.add_argument("--bisections", type=int, default=1, help="defects bisected at a time")
    parser.add_argument(
        "--keep", type=Path, help="folder of the campaigns, one in a folder FUZZER-RELEASE each"
    )
    args = parser.parse_args()
    if args.seeds is None and not (args.walks and args.fuzzers == "mix"):
        parser.error("give --seeds, or --walks with --fuzzers mix")
    with tempfile.TemporaryDirectory() as temporary:
        folders = {
            name: (args.keep or Path(temporary))
            / f"{name.replace(' ', '_')}-{Path(args.solver).name}"
            for name in args.fuzzers.split(",")
        }
        campaigns = [campaign(args, name, out) for name, out in folders.items()]
        buckets = [bucket for name, out in folders.items() for bucket in found(name, out, args)]
        _, release = counted(next(iter(folders.values())))
    report(args, release, campaigns, buckets)


if __name__ == "__main__":
    main()
