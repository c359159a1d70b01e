"""What the mutation fuzzers find again in an older release: a campaign of each, its findings
minimized and asked of the newest release.

The newest release judges the answers of OpFuzz and TypeFuzz; those of STORM and Fusion are known by
construction. A finding that the newest release shows, too, is an open one; the others have been
mended since. With `--keep` the campaigns stay, and one that is there already goes on until it has
had its time. With `--iterations` the runs have so many mutants, and the figures are saved as
`chains`: they say whether longer chains find more in the same time.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import common
from common import table

OPTIONS = {
    "opfuzz": ["--cross-check"],
    "typefuzz": ["--cross-check"],
    "storm": [],
    "fusion": ["--oracle", "sat"],
}
# kinds of findings that are about what was answered
ANSWERS = ("disagreement", "wrong-answer", "invalid-model")
KEPT = 1000  # characters of a script that is kept with the figures
FINE = (0, 1)  # exit codes of a command that did what it should
UNSHOWN = 2  # of `minimize`, of a finding that does not show again each time


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
    """A defect, the characters of its script as found and minimized, and what the newest release
    shows, `-` for nothing.
    """

    fuzzer: str
    key: str
    kind: str
    message: str
    count: int
    characters: int
    minimized: int
    newest: str
    trace: str


def murxpy(*words: str, fine: tuple[int, ...] = FINE) -> subprocess.CompletedProcess[str]:
    """A command of this checkout. Exits with its error."""
    command = [sys.executable, "-m", "murxpy", *words]
    done = subprocess.run(command, cwd=common.ROOT, capture_output=True, text=True, check=False)
    if done.returncode not in fine:
        raise SystemExit(f"murxpy {' '.join(words)}: {done.stderr.strip()}")
    return done


def campaign(args: argparse.Namespace, fuzzer: str, out: Path) -> Campaign:
    """Run it in `out`, for what is left of its time."""
    left = args.time - (
        _figures(fuzzer, out)[0].seconds if (out / "campaign.sqlite").is_file() else 0.0
    )
    if left >= 1:
        judge = [args.newest] if fuzzer in ("opfuzz", "typefuzz") else []
        words = [
            fuzzer,
            args.solver,
            *OPTIONS[fuzzer],
            *judge,
            str(args.seeds.resolve()),
            "--time",
            f"{left:.0f}s",
            *(() if args.iterations is None else ("--iterations", str(args.iterations))),
        ]
        murxpy(*words, "--jobs", str(args.jobs), "--seed", str(args.seed), "--out", str(out))
    return _figures(fuzzer, out)[0]


def release_of(out: Path) -> tuple[str, str]:
    """The solver of the campaign in `out`, and its version."""
    return _figures("", out)[1]


def _figures(fuzzer: str, out: Path) -> tuple[Campaign, tuple[str, str]]:
    with closing(sqlite3.connect(f"file:{out / 'campaign.sqlite'}?mode=ro", uri=True)) as store:
        (seconds,) = store.execute("SELECT total(ended - started) FROM sessions").fetchone()
        counts = dict(store.execute("SELECT name, value FROM counters"))
        release = store.execute("SELECT solver, version FROM targets").fetchone()
    cpu = counts.get("time-ns:run", 0) / 1e9
    names = (
        "run:total",
        f"mutator:{fuzzer}:made",
        "check:decided",
        "judge:decided",
        f"mutator:{fuzzer}:findings",
    )
    return Campaign(fuzzer, seconds, cpu, *(counts.get(name, 0) for name in names)), release


def found(args: argparse.Namespace, fuzzer: str, out: Path, scratch: Path) -> list[Found]:
    """The defects that the campaign in `out` found: a bucket of each."""
    rows = [
        row for row in json.loads(murxpy("findings", str(out), "--json").stdout) if not row["same"]
    ]
    return [
        _found(args, fuzzer, row, scratch / f"{fuzzer}-{at}.trace") for at, row in enumerate(rows)
    ]


def _found(args: argparse.Namespace, fuzzer: str, row: dict[str, Any], small: Path) -> Found:
    whole = Path(row["trace"])
    wishes = ("--time", f"{args.minimize:.0f}s", "--tries", "3", "-o", str(small))
    murxpy("minimize", str(whole), *wishes, fine=(*FINE, UNSHOWN))
    shown = small if small.is_file() else whole
    newest = json.loads(
        murxpy(
            "replay", str(shown), "--solver", args.newest, "--cross-check", "none", "--json"
        ).stdout
    )
    still = newest["outcome"] if newest["fails"] else "-"
    sizes = (_size(whole), _size(shown))
    # the seed's authors may not want it whole
    text = shown.read_text(encoding="utf-8") if sizes[1] <= KEPT else ""
    return Found(fuzzer, row["key"], row["kind"], row["message"], row["count"], *sizes, still, text)


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
        ("fuzzer", "kind", "times", "characters", "minimized", "newest", "message"),
        [
            (b.fuzzer, b.kind, b.count, b.characters, b.minimized, b.newest, b.message[:110])
            for b in buckets
        ],
    )
    rows, row = [], {"newest": args.newest}
    if args.iterations is not None:
        row["iterations"] = args.iterations
    for one in campaigns:
        mine = [bucket for bucket in buckets if bucket.fuzzer == one.fuzzer]
        wrong = sum(bucket.kind in ANSWERS for bucket in mine)
        still = sum(bucket.newest != "-" for bucket in mine)
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
    about = {**common.circumstances(args), "solver": f"{release[0]}-{release[1]}", "version": ""}
    name = "refinding"
    if args.iterations is not None:
        name, about["solver"] = "chains", f"{about['solver']}-{args.iterations}"
    common.save(name, args, about, figures, row)


def main() -> None:
    """Run it."""
    parser = common.parser(__doc__, None)
    parser.add_argument("--seeds", type=Path, required=True, help="folder of scripts")
    parser.add_argument(
        "--newest",
        required=True,
        help="solver that judges, and is asked whether it shows what was found",
    )
    parser.add_argument("--fuzzers", default=",".join(OPTIONS), help="with commas")
    parser.add_argument("--time", type=float, default=900.0, help="seconds of each campaign")
    parser.add_argument(
        "--iterations", type=int, help="mutants of a run; by default those of the fuzzers"
    )
    parser.add_argument("--minimize", type=float, default=30.0, help="seconds for each bucket")
    parser.add_argument("--jobs", type=int, default=1, help="workers of each campaign")
    parser.add_argument(
        "--keep", type=Path, help="folder of the campaigns, one in a folder FUZZER-RELEASE each"
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folders = {
            name: (args.keep or Path(temporary)) / f"{name}-{Path(args.solver).name}"
            for name in args.fuzzers.split(",")
        }
        campaigns = [campaign(args, name, out) for name, out in folders.items()]
        buckets = [
            bucket
            for name, out in folders.items()
            for bucket in found(args, name, out, Path(temporary))
        ]
        release = release_of(next(iter(folders.values())))
    report(args, release, campaigns, buckets)


if __name__ == "__main__":
    main()
