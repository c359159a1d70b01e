"""Reading SMT-LIB: speed and memory, one script of many megabytes in one go, and what is refused,
with the reason.

`python bench/reading.py --scripts FOLDER` prints its figures and writes
`bench/results/reading.json`; no table has them.

python bench/reading.py --scripts ../shared/smtlib
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from collections import Counter
from pathlib import Path
from typing import Any

from common import RESULTS, circumstances, percent, table, verdict

from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script, read_text

AIM = 2.0  # MB/s
MB = 1_000_000


def large(texts: list[str], size: int) -> str:
    """One script of about `size` characters: the declarations and assertions of many, each on a
    level of its own.
    """
    parts, length = ["(set-logic ALL)\n"], 0
    for at in range(len(texts) * 1000):
        part = texts[at % len(texts)]
        body = "\n".join(
            row
            for row in part.splitlines()
            if not row.startswith(("(set-logic", "(exit", "(set-option"))
        )
        parts.append(f"(push 1)\n{body}\n(pop 1)\n")
        length += len(parts[-1])
        if length > size:
            break
    return "".join(parts)


def timed(
    texts: list[tuple[str, str]], catalogue: Catalogue, rounds: int
) -> tuple[float, Counter[str], list[str]]:
    """The best rate of `rounds` in MB/s of processor time, the outcomes, and the reasons of
    refusals.
    """
    rates, reasons = [], []
    counts: Counter[str] = Counter()
    for number in range(rounds):
        start = time.process_time()
        for name, text in texts:
            try:
                read_script(text, name, catalogue)
                counts["read"] += number == 0
            except InputError as error:
                counts["refused"] += number == 0
                if number == 0:
                    reasons.append(str(error))
        rates.append(sum(len(text) for _, text in texts) / MB / (time.process_time() - start))
    return max(rates), counts, reasons


def peak(text: str, catalogue: Catalogue) -> int:
    """The most memory that reading `text` takes in a process of its own, in bytes above what that
    has before.
    """
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    read, write = os.pipe()
    if os.fork() == 0:
        read_script(text, "large.smt2", catalogue)
        os.write(write, str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss).encode())
        os._exit(0)
    os.wait()
    return (int(os.read(read, 100)) - before) * 1024


def unlike(texts: list[tuple[str, str]], catalogue: Catalogue) -> list[str]:
    """The scripts that do not print the same once more after they were printed and read."""
    found = []
    for name, text in texts:
        try:
            printed = print_script(read_script(text, name, catalogue))
            if print_script(read_script(printed, name, catalogue)) != printed:
                found.append(name)
        except InputError as error:
            found.append(f"{name}: {error}")
    return found


def main() -> None:
    """Measure, print, save."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "--scripts", type=Path, default=Path("../shared/smtlib"), help="folder of scripts"
    )
    options.add_argument(
        "--rounds", type=int, default=3, help="rounds, of which the fastest counts"
    )
    options.add_argument("--size", type=float, default=10.0, help="megabytes of the large script")
    options.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args = options.parse_args()
    args.theories = "all"
    catalogue = build_catalogue(load_catalogue())
    texts = [(path.name, read_text(path)) for path in sorted(args.scripts.rglob("*.smt2"))]
    if not texts:
        raise SystemExit(f"error: no *.smt2 below {args.scripts}")
    figures = measure(texts, catalogue, args)
    report(figures)
    if not args.no_save:
        data = json.dumps({**circumstances(args), **figures}, indent=1, ensure_ascii=False)
        (RESULTS / "reading.json").write_text(data + "\n", encoding="utf-8")


def measure(
    texts: list[tuple[str, str]], catalogue: Catalogue, args: argparse.Namespace
) -> dict[str, Any]:
    """All figures."""
    whole, small = (
        large([text for _, text in texts], int(size * MB)) for size in (args.size, args.size / 10)
    )
    # before anything else is read, whose memory a child would have
    memory = [peak(text, catalogue) for text in (small, whole)]
    rate, counts, reasons = timed(texts, catalogue, args.rounds)
    whole_rate, _, whole_reasons = timed([("large.smt2", whole)], catalogue, 1)
    return {
        "scripts": len(texts),
        "characters": sum(len(text) for _, text in texts),
        "rate": rate,
        "outcomes": dict(counts),
        "reasons": reasons,
        "unlike": unlike(texts, catalogue),
        "large": len(whole),
        "large-rate": whole_rate,
        "large-reasons": whole_reasons,
        "memory-large": memory[1],
        "memory-tenth": memory[0],
    }


def report(f: dict[str, Any]) -> None:
    """Print the tables."""
    read = f["outcomes"].get("read", 0)
    table(
        "Reading",
        ["what", "characters", "MB/s", "aim 2"],
        [
            (f"{f['scripts']} scripts", f["characters"], f["rate"], verdict(f["rate"] >= AIM)),
            ("one large script", f["large"], f["large-rate"], verdict(f["large-rate"] >= AIM)),
        ],
    )
    print(
        f"\nread: {percent(read, f['scripts'])}; printed and read again the same: all but {len(f['unlike'])}"
    )
    for line in [*f["reasons"], *f["unlike"], *f["large-reasons"]][:20]:
        print(f"  {line[:180]}")
    ratio = f["memory-large"] / f["memory-tenth"]
    print(
        f"memory: {f['memory-large'] / MB:.0f} MB for the large script, {ratio:.1f} times that of one of a tenth: linear is 10"
    )


if __name__ == "__main__":
    main()
