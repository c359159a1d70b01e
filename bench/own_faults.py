"""How often murxpy itself fails: errors of its own, and calls that a binding must refuse, in long
campaigns; and whether the memory of the supervisor grows meanwhile.

`python bench/own_faults.py z3` adds a row to `bench/results/own_faults.md`.

For each target and mode, one campaign is made through the command line. `walk` calls the API at
random, `mix` mutates the shipped seeds with all six fuzzers, `contract` misuses the binding. The
resident memory of the supervisor is read every ten seconds. The table has a row for each campaign;
the aim is no finding of tier murxpy, no refusal of class ill-formed, and memory that does not grow
after the first quarter. Words behind `--` are given to each campaign, such as `--minimize` or
`--cross-check cvc5`. SIGINT and SIGTERM end the campaign in hand; its row is still written.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from common import ROOT, add_row, circumstances, murxpy, table

MIX = ("--mix", "storm:1,fusion:1,opfuzz:1,typefuzz:1,janus:1,diver:1")
MODES: dict[str, tuple[str, ...]] = {
    "walk": (),
    "mix": (str(ROOT / "seeds"), *MIX),
    "contract": ("--contract",),
}
_PAUSE = 10.0  # seconds between two looks at the memory
_KIB = 1024


def main() -> int:
    """Make the campaigns, print their rows, and return 1 if murxpy failed in one of them."""
    args, more = _arguments()
    stopped = _Stop()
    rows, about = [], circumstances(args)
    for mode in args.modes.split(","):
        for target in args.solver:
            if not stopped.signals:
                campaign = Path(args.out) / f"{target.replace('/', '-')}-{mode}-{args.seed}"
                row = _measured(campaign, target, mode, args, more, stopped)
                rows.append(row)
                if not args.no_save:
                    add_row("own_faults", row, about)
    if rows:
        table("Faults of murxpy itself", list(rows[0]), [list(row.values()) for row in rows])
    return int(any(row["own findings"] or row["ill-formed calls"] for row in rows))


def _arguments() -> tuple[argparse.Namespace, list[str]]:
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    made.add_argument("solver", nargs="+", help="targets, such as z3 or cvc5@1.1.2")
    made.add_argument("--runs", type=int, default=1000, help="runs of each campaign")
    made.add_argument("--seed", type=int, default=1, help="seed of each campaign")
    made.add_argument("--jobs", type=int, default=2, help="processes that make runs")
    made.add_argument("--modes", default=",".join(MODES), help="modes, with commas")
    made.add_argument("--out", default="own-faults", help="folder of the campaigns")
    made.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    made.set_defaults(theories="all")
    args = made.parse_args(words[:cut])
    unknown = [mode for mode in args.modes.split(",") if mode not in MODES]
    if unknown:
        made.error(f"there is no mode '{unknown[0]}'; the modes are {', '.join(MODES)}")
    return args, words[cut + 1 :]


class _Stop:
    """Remembers the signals that ask to stop, and hands each on to the process in hand."""

    def __init__(self) -> None:
        self.signals: list[int] = []
        self.running: subprocess.Popen[bytes] | None = None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._asked)

    def _asked(self, number: int, frame: object) -> None:
        self.signals.append(number)
        if self.running is not None and self.running.poll() is None:
            self.running.send_signal(number)


def _measured(
    campaign: Path, target: str, mode: str, args: argparse.Namespace, more: list[str], stop: _Stop
) -> dict[str, Any]:
    """The figures of one campaign, after it has ended."""
    if campaign.exists():
        raise SystemExit(f"{campaign} exists: give another --out or --seed")
    campaign.parent.mkdir(parents=True, exist_ok=True)
    numbers = ("--runs", str(args.runs), "--seed", str(args.seed), "--jobs", str(args.jobs))
    command = [sys.executable, "-m", "murxpy", "fuzz", target, *MODES[mode], *numbers, *more]
    begun, memory = time.monotonic(), []
    with open(f"{campaign}.log", "wb") as log:
        # in a group of its own, so that a Ctrl-C at the terminal reaches it once
        stop.running = subprocess.Popen(
            [*command, "--out", str(campaign.resolve())],
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        while stop.running.poll() is None:
            try:
                stop.running.wait(_PAUSE if memory else 1.0)
            except subprocess.TimeoutExpired:
                memory += _resident(stop.running.pid)
    if stop.running.returncode not in (0, 1, 3, 130, 143):
        raise SystemExit(
            f"{' '.join(command)}: exit code {stop.running.returncode}; {campaign}.log"
        )
    return {"target": target, "mode": mode, "seed": args.seed, "jobs": args.jobs} | _figures(
        campaign, time.monotonic() - begun, memory
    )


def _figures(campaign: Path, seconds: float, memory: list[int]) -> dict[str, Any]:
    counts = json.loads(murxpy("statistics", str(campaign), "--json"))
    buckets = json.loads(murxpy("findings", str(campaign), "--all", "--json"))
    own = [bucket for bucket in buckets if bucket["tier"] == "murxpy"]
    for bucket in own:
        print(f"{bucket['key']}, {bucket['count']} times: {bucket['message']}", flush=True)
    quarter = max(1, len(memory) // 4)
    settled, last = memory[quarter : 2 * quarter] or memory, memory[-quarter:]
    grown = (statistics.median(last) - statistics.median(settled)) / _KIB if memory else 0.0
    return {
        "runs": counts.get("run:total", 0),
        "minutes": round(seconds / 60, 1),
        "own findings": sum(bucket["count"] for bucket in own),
        "own buckets": len(own),
        "ill-formed calls": counts.get("refusal:ill-formed", 0),
        "supervisor's peak (MiB)": round(max(memory, default=0) / _KIB, 1),
        "growth, last quarter over the second (MiB)": round(grown, 1),
    }


def _resident(pid: int) -> list[int]:
    """The resident memory of a process in KiB; empty where the process is gone."""
    try:
        rows = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    return [int(row.split()[1]) for row in rows if row.startswith("VmRSS:")]


if __name__ == "__main__":
    sys.exit(main())
