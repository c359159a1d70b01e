"""Planted faults: every run of a campaign commits one, which its run seed alone decides. So it is known,
without asking murxpy, which findings belong into one bucket.

`python bench/faults.py --runs 5000` adds a row to `bench/results/faults.md`.

All parts of the supervisor are the real ones; only the solver is a fake one. Afterwards the folder is
compared with the plan: no finding may be lost, counted twice, or in another bucket than the others of its
fault. The time of the supervisor, of the workers and of the processes that fork them is told apart.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import common
from common import table, verdict

sys.path.insert(0, str(common.ROOT / "tests" / "support"))
sys.path.insert(0, str(common.ROOT / "tests" / "fakes"))

from campaigns import FAKES
from plannedsession import KINDS, Faults

from murxpy import __version__
from murxpy.campaign.campaign import Campaign
from murxpy.findings.store import FILE
from murxpy.machine.random import run_seed
from murxpy.processes.limits import MIB, Limits
from murxpy.processes.parents import resident
from murxpy.processes.targets import Plan, resolve
from murxpy.records.config import CampaignConfig
from murxpy.records.events import Event, Found, Overstayed, Tick

# Of so many runs each kind gets its share. A hang costs a worker its whole wall limit, and a run without
# end of memory a tenth of a second, so these are rare.
WEIGHTS = {
    "segfault": 500,
    "abort": 500,
    "exit": 500,
    "stack": 200,
    "stderr": 300,
    "memory": 4,
    "hang": 4,
    "exception": 2000,
    "wrong-sat": 1200,
    "wrong-unsat": 1200,
    "wrong-model": 1200,
    "wrong-core": 1200,
    "wrong-value": 1192,
}
LIMITS = Limits(wall=0.5, memory=96 * MIB, hang=0.6, hang_factor=1.0)
SAMPLES = 20  # rows of the table of memory, at most
MOST = 300.0  # bytes of the store for each finding
AIM = 2.0  # milliseconds of all processors for each fault
# The parts of the time of all processors; `forks` is what the processes take that fork the workers.
PARTS = {
    "supervisor": "supervisor",
    "workers": "runs",
    "forks": "targets",
    "replays": "replays",
    "follow-up": "follow-up",
}


@dataclass
class Seen:
    """What a campaign reported: for each run how often, and of each kind how many. `memory` has the
    runs that were over and the resident memory, from time to time.
    """

    told: bytearray
    kinds: Counter[str] = field(default_factory=Counter)
    overstayed: int = 0
    memory: list[tuple[int, float]] = field(default_factory=list)

    def take(self, event: Event) -> None:
        if isinstance(event, Found):
            index = event.finding.job.index
            self.told[index] = min(255, self.told[index] + 1)
            self.kinds[event.finding.verdict.kind] += 1
        elif isinstance(event, Overstayed):
            self.overstayed += 1
        elif isinstance(event, Tick) and event.snapshot.runs_ended is None:
            self.memory.append((event.snapshot.runs, resident(os.getpid()) / MIB))


@dataclass(frozen=True)
class Compared:
    """What the folder of a campaign has, compared with the plan: how many findings of each kind of fault
    were planted, and what is wrong with them.
    """

    planted: Counter[str]
    buckets: Counter[str]
    lost: Counter[str]
    double: Counter[str]
    misfiled: Counter[str]
    unconfirmed: int
    untold: int

    @property
    def fine(self) -> bool:
        wrong = self.lost + self.double + self.misfiled
        return not wrong.total() and not self.unconfirmed and not self.untold


def planned(buckets: int, weights: dict[str, int]) -> Plan:
    """The target with the fake session."""
    setup = {
        "session": "plannedsession:PlannedSession",
        "session_path": [str(FAKES)],
        "buckets": buckets,
        "weights": weights,
    }
    return Plan(resolve("fake"), setup)


def campaign_of(out: Path, args: argparse.Namespace) -> Campaign:
    """The campaign that is measured. Without gdb, which is asked once for each bucket."""
    return Campaign(
        CampaignConfig(
            (planned(args.buckets, WEIGHTS),),
            out,
            seed=args.seed,
            runs=args.runs,
            jobs=args.jobs,
            limits=LIMITS,
            backtrace=False,
            tick=1.0,
        )
    )


def compare(out: Path, plan: Faults, seed: int, runs: int, reported: bytearray) -> Compared:
    """Compare the findings in the folder `out` with the plan of `runs` runs."""
    planted, lost, double, misfiled = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    filed: Counter[tuple[str, tuple[str, int]]] = Counter()  # findings by bucket and fault
    times = bytearray(runs)
    untold = 0
    with common.stored(out) as store:
        kinds = dict(store.execute("SELECT key, kind FROM buckets"))
        unconfirmed = store.execute(
            "SELECT COUNT(*) FROM buckets WHERE state != 'confirmed'"
        ).fetchone()[0]
        for key, index, text in store.execute("SELECT bucket, run, seed FROM findings"):
            fault = plan.of(run_seed(seed, index))
            times[index] += 1
            filed[key, (fault.kind, fault.number)] += 1
            misfiled[fault.kind] += int(text, 16) != run_seed(seed, index)
    # A bucket is that of the fault that most of its findings are of, and the other way round.
    owner, bucket_of = {}, {}
    for (key, place), _ in filed.most_common():
        owner.setdefault(key, place)
        bucket_of.setdefault(place, key)
    for (key, place), count in filed.items():
        right = owner[key] == place and bucket_of[place] == key
        misfiled[place[0]] += 0 if right and kinds[key] == KINDS[place[0]].told else count
    hung = {place for place in owner.values() if place[0] == "hang"}
    for index in range(runs):
        fault = plan.of(run_seed(seed, index))
        planted[fault.kind] += 1
        double[fault.kind] += times[index] > 1 or reported[index] > 1
        untold += times[index] != reported[index]
        # Of the runs that hang in one call, one is replayed and counted.
        found = times[index] or (fault.kind, fault.number) in hung
        lost[fault.kind] += not found
    buckets = Counter(kind for kind, _ in owner.values())
    return Compared(planted, buckets, lost, double, misfiled, unconfirmed, untold)


def flat(memory: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """At most `SAMPLES` of the samples, evenly spread."""
    step = max(1, len(memory) // SAMPLES)
    return [*memory[::step], *memory[-1:]]


def measure(out: Path, args: argparse.Namespace) -> tuple[Seen, dict[str, float], Compared]:
    """Run the campaign, and give what it told, its figures, and the comparison with the plan."""
    seen = Seen(bytearray(args.runs))
    campaign = campaign_of(out, args)
    start, own = time.monotonic(), time.process_time()
    snapshot = None
    for event in campaign:
        seen.take(event)
        snapshot = getattr(event, "snapshot", snapshot)
    assert snapshot is not None
    cpu = {**snapshot.cpu, "supervisor": time.process_time() - own}
    figures = {
        "seconds": round(time.monotonic() - start, 1),
        "ms_wall": 1000 * snapshot.running / args.runs,
        **{name: 1000 * cpu[part] / args.runs for name, part in PARTS.items()},
        "bytes": (out / FILE).stat().st_size / args.runs,
        "overstayed": seen.overstayed,
    }
    plan = Faults(args.buckets, WEIGHTS)
    return seen, figures, compare(out, plan, args.seed, args.runs, seen.told)


def report(
    args: argparse.Namespace, seen: Seen, figures: dict[str, float], found: Compared
) -> None:
    """Print the tables, and keep them."""
    header = ("fault", "kind", "planted", "buckets", "lost", "double", "misfiled")
    rows = [
        (
            kind,
            KINDS[kind].told,
            found.planted[kind],
            found.buckets[kind],
            found.lost[kind],
            found.double[kind],
            found.misfiled[kind],
        )
        for kind in WEIGHTS
    ]
    table(f"{args.runs:,} planted faults", header, rows)
    samples = flat(seen.memory)
    table("Memory of the supervisor", ("runs over", "MiB"), [(n, f"{m:.1f}") for n, m in samples])
    row = {
        "faults": args.runs,
        "buckets": found.buckets.total(),
        "lost": found.lost.total(),
        "double": found.double.total(),
        "misfiled": found.misfiled.total(),
        "not told": found.untold,
        "unconfirmed": found.unconfirmed,
        "B a finding": round(figures["bytes"], 1),
        "ms by the clock": round(figures["ms_wall"], 2),
        "ms of all processors": round(sum(figures[name] for name in PARTS), 2),
        **{name: round(figures[name], 2) for name in PARTS},
    }
    aims = {
        "nothing lost, double or misfiled": found.fine,
        f"below {MOST:g} B a finding": figures["bytes"] < MOST,
        f"at most {AIM:g} ms a fault": sum(figures[name] for name in PARTS) <= AIM,
    }
    table("Figures", ("", ""), row.items())
    table("Aims", ("", ""), [(name, verdict(fine)) for name, fine in aims.items()])
    args.theories = "none"
    common.save(
        "faults",
        args,
        common.circumstances(args) | {"solver": "fake", "version": __version__},
        {
            "kinds": [dict(zip(header, kind, strict=True)) for kind in rows],
            "figures": figures,
            "memory": samples,
        },
        row,
    )


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5_000, help="faults that are planted")
    parser.add_argument("--buckets", type=int, default=600, help="different faults")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--seed", type=int, default=1, help="seed of the campaign")
    parser.add_argument("--out", type=Path, help="empty folder of the campaign; a temporary one")
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args = parser.parse_args()
    if args.buckets < len(WEIGHTS):
        parser.error(f"--buckets: expected at least {len(WEIGHTS)}, one for each kind of fault")
    if args.out is not None:
        report(args, *measure(args.out, args))
        return
    with tempfile.TemporaryDirectory() as folder:
        report(args, *measure(Path(folder), args))


if __name__ == "__main__":
    main()
