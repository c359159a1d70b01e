"""How small planted faults get: random traces of 200 lines and more on the toy solver, reduced; compared with the smallest trace.

python bench/reduction.py [--faults N] [--jobs N] [--seed N] [--how segfault,contract]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from typing import Any

import common
from faults import FAULTS

sys.path[:0] = [str(common.ROOT / "tests"), str(common.ROOT / "tests" / "fakes")]

from plants import long_trace, planted  # noqa: E402

from murxpy.campaign.minimize import Minimized, Wishes, minimize  # noqa: E402
from murxpy.trace.grammar import parse_trace  # noqa: E402


def reduce_one(name: str, fault: dict[str, Any], example: str, seed: int,
               args: argparse.Namespace) -> tuple[Minimized, int]:  # fmt: skip
    """The result for one fault, and the lines of its smallest trace."""
    example = "1 new\n" + example
    source = long_trace(fault, example, seed, args.least)
    least = len(parse_trace(example, name).lines)
    return minimize(planted(**fault), source, name, Wishes(jobs=args.jobs, time=args.time)), least


def main() -> None:
    """Reduce all, print a line each and the figures."""
    args = _arguments()
    kinds = args.how.split(",")
    rows, shares, over = [], [], []
    start = time.monotonic()
    for number, (name, fault, example) in enumerate(FAULTS[: args.faults]):
        how = kinds[number % len(kinds)]
        result, least = reduce_one(name, {**fault, "how": how}, example, args.seed * 1000 + number, args)
        rows.append((name, how, result.before, result.after, least, result.tests, round(result.seconds, 1), result.ended))
        print(f"{name}: {result.before} to {result.after}", file=sys.stderr, flush=True)
        shares.append(result.after / result.before)
        over.append(result.after - least)
    head = ("fault", "how", "lines", "reduced", "smallest", "tests", "s", "ended")
    common.table("Planted faults on the toy solver", head, rows)
    near = sum(more <= 2 for more in over)
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(f"\nwithin 2 lines of the smallest: {near} of {len(over)}, {common.verdict(near == len(over))}; at it: {over.count(0)}")
    print(f"median of the lines left: {100 * statistics.median(shares):.1f} %, {common.verdict(statistics.median(shares) <= 0.03)}")
    print(f"tests: {sum(row[5] for row in rows):,}; wall {time.monotonic() - start:.0f} s, "
          f"CPU {sum(u.ru_utime + u.ru_stime for u in usage):.0f} s")  # fmt: skip


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=len(FAULTS), help="the first so many")
    parser.add_argument("--least", type=int, default=200, help="least lines of a trace")
    parser.add_argument("--jobs", type=int, default=1, help="replays at a time")
    parser.add_argument("--seed", type=int, default=1, help="seed of the traces")
    parser.add_argument("--time", type=float, default=60.0, help="seconds for each")
    parser.add_argument("--how", default="segfault,contract", help="how faults show, in turn")
    return parser.parse_args()


if __name__ == "__main__":
    main()
