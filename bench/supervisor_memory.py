"""The resident memory of the supervisor of a campaign, once a minute, while it runs as long as its words say.

    python bench/supervisor_memory.py -- fuzz z3 seeds --mix api:3,opfuzz:1 --minimize --time 2h --out FOLDER

adds the samples to `bench/results/supervisor_memory.md`. The memory is flat if it grows by less than 5 %
behind the first ten minutes, in which caches fill.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence

import common
from common import table, verdict

from murxpy.processes.limits import MIB
from murxpy.processes.parents import resident

WARM = 600.0  # seconds in which caches fill
AIM = 0.05
ROWS = 25


def sampled(words: Sequence[str], every: float) -> list[tuple[float, float]]:
    """Run murxpy with these words; the seconds and the MiB of each sample."""
    process = subprocess.Popen(
        [sys.executable, "-m", "murxpy", *words], cwd=common.ROOT, stdout=subprocess.DEVNULL
    )
    began, samples = time.monotonic(), []
    try:
        while True:
            try:
                process.wait(every)
                return samples
            except subprocess.TimeoutExpired:
                samples.append((time.monotonic() - began, resident(process.pid) / MIB))
                print(f"{samples[-1][0]:.0f} s {samples[-1][1]:.1f} MiB", flush=True)
    finally:
        process.terminate()
        process.wait()


def growth(samples: Sequence[tuple[float, float]]) -> float:
    """By what part the memory of the last tenth of the samples is more than that right behind the first
    ten minutes; 0 where the campaign was not longer.
    """
    warm = [mib for seconds, mib in samples if seconds >= WARM]
    few = max(1, len(warm) // 10)
    return sum(warm[-few:]) / sum(warm[:few]) - 1 if warm else 0.0


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="+", help="the words of murxpy, behind --")
    parser.add_argument("--every", type=float, default=60.0, help="seconds between two samples")
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args = parser.parse_args()
    samples = sampled(args.words, args.every)
    few = [*samples[:: max(1, len(samples) // ROWS)], *samples[-1:]]
    rows = [(f"{seconds / 60:.0f}", f"{mib:.1f}") for seconds, mib in few]
    table("Memory of the supervisor", ("minutes", "MiB"), rows)
    grown = growth(samples)
    print(f"\n{100 * grown:+.1f} % behind the first ten minutes: {verdict(grown < AIM)}")
    if args.no_save:
        return
    args.theories = "all"
    about = common.circumstances(args)
    lines = [
        f"\n`{about['command']}`, {about['date']}, commit {about['commit']}, {about['machine']}: "
        f"{100 * grown:+.1f} % behind the first ten minutes\n",
        f"| minutes | {' | '.join(minutes for minutes, _ in rows)} |",
        f"|{'---|' * (len(rows) + 1)}",
        f"| MiB | {' | '.join(mib for _, mib in rows)} |",
    ]
    with (common.RESULTS / "supervisor_memory.md").open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
