"""A ground truth for guidance: the distinct defects of a release that our campaigns have found, and how
many of them campaigns with and without guidance find again in the same CPU time.

`python bench/known_bugs.py z3@RELEASE` adds a row to `bench/results/known_bugs.md`.

The table of defects, `bench/known_bugs/defects.json`, grows: what a campaign finds that no entry has is
added, with its smallest trace. Two findings are one defect if they have a bucket or a mark in common
(docs/findings.md); a finding counts if a replay has confirmed it and the fault is not murxpy's.

Each campaign gets `--cpu` seconds of all its processes, whatever else the machine does, and then ends.
With `--options none,listed` campaigns with these options of the solver are compared instead.
With `--keep` the campaigns stay, and one that has had its time is counted again and not run again. So a
measurement can be stopped, and gone on with for more seeds. `--ranges N` bisects N defects of the
release that have no range of releases yet. `--take FILES` adds the defects that `refinding.py` has kept,
`--kept` those of `traces/regressions` that the release shows.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from math import inf
from pathlib import Path
from typing import Any

import common
from common import bisected, murxpy, table

from murxpy.findings.defects import disjoint
from murxpy.records.config import tree_cpu

TABLE = common.ROOT / "bench" / "known_bugs" / "defects.json"
KEPT = 4000  # characters of a trace that is kept whole with its defect
CLOCK = "clock.json"  # in the folder of a campaign
WALKS = "walks"  # the source of runs that needs no seeds
OFF = "off"
LEFT = 120.0  # seconds that a campaign gets to end; a busy machine needs many
BAD_INPUT, NO_TARGET = 2, 4  # exit codes of a campaign that did nothing
LOOK = 0.5  # seconds between two looks at the CPU time
REGRESSIONS = common.ROOT / "traces" / "regressions"


@dataclass
class Defect:
    """A defect of a release: buckets and marks by which it is known again, a kind, a message, the
    sources that found it, the releases that show it (empty if nobody asked), its smallest trace, and
    how many lines that has.
    """

    release: str
    kind: str
    message: str
    buckets: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    range: str = ""
    lines: int = 0
    trace: str = ""

    def join(self, other: Defect) -> None:
        """Take over what is known of `other`, which turned out to be the same. The entry of `other`
        stays in the table, without anything to know it by, so that the places of others stay.
        """
        self.buckets = list(dict.fromkeys([*self.buckets, *other.buckets]))
        self.marks = list(dict.fromkeys([*self.marks, *other.marks]))
        self.sources = sorted({*self.sources, *other.sources})
        self.range = self.range or other.range
        other.buckets, other.marks, other.message = [], [], f"the same as: {self.message}"[:300]

    def shares(self, keys: Iterable[str]) -> bool:
        """Whether one of the buckets or marks is among `keys`."""
        own = {*self.buckets, *self.marks}
        return any(key in own for key in keys)


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign: its source, guidance and seed, the CPU seconds and runs of all its processes, the
    defects that it found, by their places in the table, and after how many CPU seconds it first found
    each of them.
    """

    source: str
    guide: str
    seed: int
    cpu: float
    runs: int
    decided: int
    defects: tuple[int, ...]
    found: tuple[float, ...] = ()

    @property
    def rate(self) -> float:
        """Distinct defects per CPU hour."""
        return 3600.0 * len(self.defects) / self.cpu if self.cpu else 0.0


class Known:
    """The table of defects, in a file. A missing file is an empty table."""

    def __init__(self, path: Path) -> None:
        self._path = path
        text = path.read_text(encoding="utf-8") if path.is_file() else "[]"
        self.defects = [Defect(**row) for row in json.loads(text)]

    def place(self, release: str, row: dict[str, Any], source: str) -> int:
        """The place of a defect that `murxpy findings --json` lists; it is added if it is new. What is
        new of a known one is noted with it.
        """
        buckets = [bucket["key"] for bucket in row["buckets"]]
        keys = [*buckets, *row["marks"]]
        found = [
            at
            for at, known in enumerate(self.defects)
            if known.release == release and known.shares(keys)
        ]
        if found:
            mine = self.defects[found[0]]
            for at in found[1:]:  # its buckets and marks belong to several entries: they are one
                mine.join(self.defects[at])
        else:
            self.defects.append(mine := Defect(release, row["kind"], row["message"][:300]))
        mine.buckets = list(dict.fromkeys([*mine.buckets, *buckets]))
        mine.marks = list(dict.fromkeys([*mine.marks, *row["marks"]]))
        mine.sources = sorted({*mine.sources, source})
        shown = row.get("trace")
        if shown and (not mine.lines or row["lines"] < mine.lines) and Path(shown).is_file():
            text = Path(shown).read_text(encoding="utf-8", errors="replace")
            mine.lines, mine.trace = row["lines"], text if len(text) <= KEPT else ""
        return found[0] if found else len(self.defects) - 1

    def take(self, release: str, file: Path) -> int:
        """Add the defects that `refinding.py` kept in `file`; the number of those that are new."""
        before = len(self.defects)
        for row in json.loads(file.read_text(encoding="utf-8"))["found"]:
            if row["releases"] == "-":  # a fault of murxpy, or no replay showed it
                continue
            listed = {"buckets": [{"key": row["key"]}], "marks": [], "lines": 0, "trace": None}
            place = self.place(release, {**row, **listed}, row["fuzzer"])
            mine = self.defects[place]
            mine.range = mine.range or row["releases"]
            if row["trace"] and not mine.trace:
                mine.trace, mine.lines = row["trace"], row["trace"].count("\n")
        return len(self.defects) - before

    def take_kept(self, solver: str) -> int:
        """Add the defects of `traces/regressions` that the release `solver` shows, by a replay of those
        whose range of releases holds it; the number of those that are new.
        """
        before, release = len(self.defects), solver.replace("@", " ")
        family, _, number = solver.partition("@")
        for name, entry in json.loads((REGRESSIONS / "ranges.json").read_text("utf-8")).items():
            if entry["solver"] != family or disjoint(entry["range"], f"{number}..{number}"):
                continue
            trace = REGRESSIONS / name
            done = murxpy("replay", str(trace), "--solver", solver, "--json")
            shown = json.loads(done) if done.startswith("{") else {}
            if shown.get("bucket") and shown.get("tier") != "murxpy":
                row = {
                    "kind": shown["outcome"],
                    "message": shown["message"],
                    "buckets": [{"key": shown["bucket"]}],
                    "marks": [],
                    "lines": trace.read_text("utf-8").count("\n"),
                    "trace": str(trace),
                }
                mine = self.defects[self.place(release, row, "kept")]
                mine.range = mine.range or entry["range"]
                self.save()
        return len(self.defects) - before

    def save(self) -> None:
        """Write the table."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        rows = [asdict(defect) for defect in self.defects]
        self._path.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", "utf-8")


def command(args: argparse.Namespace, source: str, guide: str, seed: int, out: Path) -> list[str]:
    """The command of a campaign."""
    words = [sys.executable, "-m", "murxpy", "fuzz", args.solver, "--seed", str(seed), "--json"]
    if source != WALKS:
        words += [str(args.seeds_folder.resolve()), "--mix", f"{source}:1"]
    option, _, value = guide.rpartition("=")
    chosen = [] if guide == OFF else [f"--{option or 'guide'}", value]
    return [*words, *chosen, "--jobs", str(args.jobs), "--out", str(out)]


def fuzz(words: list[str], out: Path, seconds: float) -> None:
    """Run a campaign until all its processes have had so many CPU seconds, and note how many, and how
    many at which time.
    """
    spent = out / "cpu.json"
    before = float(json.loads(spent.read_text())) if spent.is_file() else 0.0
    clock = _clock(out)
    if before >= 0.99 * seconds:
        return
    process = subprocess.Popen(words, cwd=common.ROOT, stdout=subprocess.DEVNULL)
    cpu = 0.0

    def note() -> None:
        if out.is_dir():  # which the campaign makes
            spent.write_text(json.dumps(before + cpu))
            (out / CLOCK).write_text(json.dumps(clock))

    try:
        while before + cpu < seconds and not _ended(process, LOOK):
            cpu = max(cpu, tree_cpu(process.pid))
            clock.append((time.time(), before + cpu))
            note()  # also for the case that the bench is killed, whose campaign goes on from here
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(LEFT)
        if process.returncode not in (BAD_INPUT, NO_TARGET):
            note()
    if process.returncode in (BAD_INPUT, NO_TARGET):
        raise SystemExit(f"{' '.join(words)}: exit code {process.returncode}")


def _ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether a process ends within so many seconds."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _clock(out: Path) -> list[tuple[float, float]]:
    """Times in seconds since the epoch, in order, with the CPU seconds that a campaign had had."""
    file = out / CLOCK
    return [(at, cpu) for at, cpu in json.loads(file.read_text())] if file.is_file() else []


def counted(known: Known, source: str, guide: str, seed: int, out: Path) -> Campaign:
    """What the campaign in `out` did and found. What is new is added to the table."""
    listed = murxpy("findings", str(out), "--json")
    counts, solver = common.counted(out)
    release = " ".join(solver)
    rows = [
        row
        for row in json.loads(listed)
        if not row["same"] and row["confirmed"] and row["tier"] != "murxpy"
    ]
    cpu = float(json.loads((out / "cpu.json").read_text()))
    with common.stored(out) as db:
        firsts = dict(db.execute("SELECT bucket, MIN(time) FROM findings GROUP BY bucket"))
    clock, found = _clock(out), dict[int, float]()
    for row in rows:
        place = known.place(release, row, source)
        moment = min((firsts.get(one["key"], inf) for one in row["buckets"]), default=inf)
        at = bisect_left(clock, (moment, 0.0))
        found[place] = min(found.get(place, cpu), clock[at][1] if at < len(clock) else cpu)
    places = tuple(sorted(found))
    runs, decided = counts.get("run:total", 0), counts.get("check:decided", 0)
    times = tuple(found[place] for place in places)
    return Campaign(source, guide, seed, cpu, runs, decided, places, times)


def bisect(known: Known, release: str, most: int) -> None:
    """Find out the releases of at most so many defects of `release` that have none yet."""
    asked = [d for d in known.defects if d.release == release and not d.range and d.trace]
    with tempfile.TemporaryDirectory() as folder:
        for defect in asked[:most]:
            trace = Path(folder, "defect.trace")
            trace.write_text(defect.trace, encoding="utf-8")
            defect.range = bisected(trace, 1).get("range", "") or "-"
            known.save()


def report(args: argparse.Namespace, known: Known, campaigns: list[Campaign]) -> None:
    """Print and save the figures."""
    rows, row = [], {}
    groups = dict.fromkeys((one.source, one.guide) for one in campaigns)
    union = {at for one in campaigns for at in one.defects}
    for source, guide in groups:
        mine = [one for one in campaigns if (one.source, one.guide) == (source, guide)]
        rates = [one.rate for one in mine]
        counts = [len(one.defects) for one in mine]
        spread = statistics.stdev(rates) if len(rates) > 1 else 0.0
        different = len({at for one in mine for at in one.defects})
        cpu = sum(one.cpu for one in mine)
        runs, decided = sum(one.runs for one in mine), sum(one.decided for one in mine)
        mean = statistics.mean(rates)
        text = " ".join(map(str, counts))
        rows.append((source, guide, len(mine), cpu, runs, decided, text, different, mean, spread))
        row[f"{source}, {guide}"] = (
            f"{mean:.0f} ± {spread:.0f} defects a CPU hour ({text}; {different} different), {cpu:.0f} CPU s"
        )
    header = ("source", "guide", "seeds", "CPU s", "runs", "decided", "defects", "different")
    table("Found again", (*header, "a CPU hour", "spread"), rows)
    release = known.defects[min(union)].release if union else args.solver
    figures = {
        "campaigns": [asdict(one) for one in campaigns],
        "defects": {
            str(at): known.defects[at].buckets[0]
            for at in sorted(union)
            if known.defects[at].buckets
        },
    }
    about = {**common.circumstances(args), "solver": release.replace(" ", "-"), "version": ""}
    common.save("known_bugs", args, about, figures, row)


def main() -> None:
    """Run it."""
    parser = common.parser(__doc__, None)
    parser.add_argument("--guides", default="off,statistics,bandit", help="with commas")
    parser.add_argument(
        "--options", default="", help="compare these sets of drawn options instead, with commas"
    )
    parser.add_argument("--sources", default=WALKS, help="walks and mutation fuzzers, with commas")
    parser.add_argument(
        "--seeds", type=int, default=5, help="campaigns of each kind, from --seed on"
    )
    parser.add_argument("--seeds-folder", type=Path, default=common.ROOT / "seeds", help="scripts")
    parser.add_argument("--cpu", type=float, default=1200.0, help="CPU seconds of each campaign")
    parser.add_argument("--jobs", type=int, default=1, help="workers of each campaign")
    parser.add_argument("--keep", type=Path, help="folder of the campaigns")
    parser.add_argument("--table", type=Path, default=TABLE, help="file of the known defects")
    parser.add_argument("--take", type=Path, nargs="*", default=[], help="results of refinding.py")
    parser.add_argument("--kept", action="store_true", help="take the kept regressions, too")
    parser.add_argument("--ranges", type=int, default=0, help="defects that are bisected")
    args = parser.parse_args()
    guides = [f"options={word}" for word in filter(None, args.options.split(","))]
    guides = guides or args.guides.split(",")
    known = Known(args.table)
    release = args.solver.replace("@", " ")
    for file in args.take:
        print(f"{known.take(release, file)} new defects in {file}")
    if args.kept:
        print(f"{known.take_kept(args.solver)} new defects among the kept regressions")
    done: list[tuple[str, str, int, Path]] = []
    with tempfile.TemporaryDirectory() as temporary:
        for seed in range(args.seed, args.seed + args.seeds):
            for source in args.sources.split(","):
                for guide in guides:
                    name = f"{args.solver.replace('/', '_')}-{source}-{guide}-{seed}"
                    out = (args.keep or Path(temporary)).resolve() / name
                    fuzz(command(args, source, guide, seed, out), out, args.cpu)
                    counted(known, source, guide, seed, out)
                    known.save()
                    done.append((source, guide, seed, out))
        # only now it is known which of the findings are one defect
        campaigns = [counted(known, *one) for one in done]
    if campaigns:
        report(args, known, campaigns)
    bisect(known, release, args.ranges)
    known.save()


if __name__ == "__main__":
    main()
