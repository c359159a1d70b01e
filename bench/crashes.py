"""Planted crashes: a fake solver commits faults in native code; each must be found, in one bucket,
and shown again.

First `--each` runs in which each fault is committed, then `--runs` segmentation faults in a row.
Only the process layer is measured.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import common
from common import table, verdict

sys.path.insert(0, str(common.ROOT / "tests"))

import campaigns

from murxpy import __version__
from murxpy.campaign.events import Found
from murxpy.campaign.findings.replayed import replay_trace
from murxpy.campaign.workers.limits import MIB, Limits

LIMITS = Limits(wall=2.0, memory=300 * MIB)
SLEEPING = Limits(wall=0.2, hang=0.4, hang_factor=2.0)
SOLVER = "fake"

KINDS = {
    "segfault": "crash",
    "abort": "abort",
    "assertion": "abort",
    "terminate": "abort",
    "exit": "exit",
    "exit-zero": "exit",
    "stack": "crash",
    "memory": "out-of-memory",
    "print": "flood",
    "kill-parent": "crash",
    "close": "crash",
    "spawn": "crash",
    "exception": "exception",
    "raise": "internal",
}


def plant(fault: str, runs: int, jobs: int) -> dict[str, Any]:
    """A campaign of `runs` runs that all commit `fault`: what was found of it."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        campaign, events = campaigns.run(
            out, {"every": {fault: 1}}, runs=runs, jobs=jobs, limits=LIMITS
        )
        buckets = campaign.buckets
        kept = buckets[0].smallest() if buckets else None
        again = None
        if kept is not None:
            again = replay_trace(
                campaigns.plan(), (out / kept.file).read_text(encoding="utf-8"), kept.file, LIMITS
            ).found
        found = sum(isinstance(event, Found) for event in events)
    return {
        "planted": runs,
        "found": found,
        "buckets": len(buckets),
        "kind": buckets[0].kind if buckets else "",
        "again": again is not None and again.key == buckets[0].key,
        "seconds": round(time.monotonic() - start, 2),
    }


def sleep(jobs: int) -> dict[str, Any]:
    """A campaign whose runs sometimes sleep in a call that holds the interpreter's lock, until one
    is known to hang.
    """
    start = time.monotonic()
    setup = {"every": {"sleep": 12}, "idle": 0.02}

    def stop(campaign: Any, event: Any) -> None:
        if isinstance(event, Found):
            campaign.stop()

    with tempfile.TemporaryDirectory() as folder:
        campaign, events = campaigns.run(
            Path(folder), setup, stop, time=60.0, jobs=jobs, limits=SLEEPING
        )
    found = sum(isinstance(event, Found) for event in events)
    return {
        "planted": 1,
        "found": found,
        "buckets": len(campaign.buckets),
        "again": found == 1,
        "kind": campaign.buckets[0].kind if campaign.buckets else "",
        "seconds": round(time.monotonic() - start, 2),
    }


def fine(result: dict[str, Any], kind: str) -> bool:
    """True if every planted fault was found, in one bucket, of this kind, with a trace that shows
    it again.
    """
    return (result["found"], result["buckets"], result["kind"]) == (
        result["planted"],
        1,
        kind,
    ) and bool(result["again"])


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=10_000, help="segmentation faults in a row")
    parser.add_argument("--each", type=int, default=20, help="runs for every other fault")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args = parser.parse_args()
    results = {}
    for fault, kind in KINDS.items():
        results[fault] = (plant(fault, args.each, args.jobs), kind)
    results["sleep"] = (sleep(args.jobs), "hang")
    results["segfault, many"] = (plant("segfault", args.runs, args.jobs), "crash")
    rows = [
        (
            fault,
            r["planted"],
            r["found"],
            r["buckets"],
            r["kind"],
            "yes" if r["again"] else "no",
            r["seconds"],
            verdict(fine(r, kind)),
        )
        for fault, (r, kind) in results.items()
    ]
    table(
        "Planted faults",
        ("fault", "planted", "found", "buckets", "kind", "shown again", "seconds", ""),
        rows,
    )
    missed = [fault for fault, (result, kind) in results.items() if not fine(result, kind)]
    many = results["segfault, many"][0]
    row = {
        "crashes planted": many["planted"],
        "found": many["found"],
        "seconds": many["seconds"],
        "faults": len(KINDS) + 1,
        "faults missed": ", ".join(missed) or "none",
    }
    args.theories = "none"
    common.save(
        "crashes",
        args,
        common.circumstances(args) | {"solver": SOLVER, "version": __version__},
        {"faults": {fault: result for fault, (result, _) in results.items()}},
        row,
    )


if __name__ == "__main__":
    main()
