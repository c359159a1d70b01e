"""How many defects of a campaign `murxpy finish` makes smaller in a given time of a processor, so that
what else the machine does changes little.

`python bench/finishing.py OUT [--cpu SECONDS]` copies the folder of a campaign, runs `murxpy finish` with
one job on the copy, ends it by Ctrl-C when all its processes together took that long, and adds a row
to `bench/results/finishing.md`: the confirmed defects, those that have a smaller trace before and
behind, those of the latter that a program shows, and what gdb took of the time.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import common

from murxpy.findings.buckets import Bucket
from murxpy.findings.defects import grouping
from murxpy.findings.store import read_buckets
from murxpy.records.config import tree_cpu

_LOOK = 0.25  # seconds between two looks at the processes
_SMALLER = {"min.trace", "min.history"}


def main() -> None:
    """Measure, print and keep."""
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("out", type=Path, help="the folder of a campaign")
    made.add_argument("--cpu", type=float, default=100.0, help="seconds of all processors")
    made.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args = made.parse_args()
    args.theories, args.machine = "all", "default"
    (_, (solver, version)) = common.counted(args.out)
    before = counts(args.out)
    with tempfile.TemporaryDirectory(prefix="finishing-") as folder:
        copy = Path(folder, "out")
        shutil.copytree(args.out, copy)
        total, by_gdb = finish(copy, args.cpu)
        behind = counts(copy)
    row = {
        "solver": f"{solver} {version}",
        "defects": behind["defects"],
        "smaller before": before["smaller"],
        "smaller": behind["smaller"],
        "with a program": behind["program"],
        "CPU seconds": round(total),
        "gdb": common.percent(by_gdb, total),
    }
    common.table("defects made smaller by 'murxpy finish'", list(row), [list(row.values())])
    if not args.no_save:
        common.add_row("finishing", row, common.circumstances(args))


def counts(out: Path) -> Counter[str]:
    """The confirmed defects of a campaign, those that have a smaller trace, and those of them that a program shows."""
    by_key = {bucket.key: bucket for bucket in read_buckets(out)}
    found: Counter[str] = Counter()
    for defect in grouping(out).defects(by_key.values()):
        shown = [_forms(by_key[key]) for key in defect.buckets if by_key[key].state == "confirmed"]
        small = [forms for forms in shown if forms & _SMALLER]
        found += Counter(defects=bool(shown), smaller=bool(small))
        found["program"] += any("python" in forms for forms in small)
    return found


def _forms(bucket: Bucket) -> set[str]:
    return {form.form for form in bucket.reproducers if form.reproduces}


def finish(out: Path, most: float) -> tuple[float, float]:
    """Run the command on a campaign until it took `most` seconds of all processors. Gives what it took,
    and what gdb took of that.
    """
    command = [sys.executable, "-m", "murxpy", "finish", str(out), "--jobs", "1"]
    process = subprocess.Popen(
        command, cwd=common.ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    total = 0.0
    gdb: dict[int, float] = {}
    while process.poll() is None and total < most:
        time.sleep(_LOOK)
        total = max(total, tree_cpu(process.pid))
        for pid in _children(process.pid):
            if _runs_gdb(pid):
                gdb[pid] = max(gdb.get(pid, 0.0), tree_cpu(pid))
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        process.wait()
    return total, sum(gdb.values())


def _children(pid: int) -> list[int]:
    try:
        return [int(one) for one in _read(pid, f"task/{pid}/children").split()]
    except OSError:
        return []


def _runs_gdb(pid: int) -> bool:
    try:
        return os.path.basename(_read(pid, "cmdline").split("\0")[0]) == "gdb"
    except OSError:
        return False


def _read(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text("ascii", "replace")


if __name__ == "__main__":
    main()
