"""Reading long traces: processor time and the most memory, of one with short lines and of one with
long lines.

`python bench/trace_memory.py --size 150` adds a row to `bench/results/trace_memory.md`.

python bench/trace_memory.py --size 150

Each trace is made in a temporary folder and read by a process of its own, which then goes once
through all lines.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common import RESULTS, circumstances, table, verdict

from murxpy.machine.trace.grammar import parse_trace, read_trace

AIM = 1000  # MB for a trace of 150 MB
MB = 1_000_000
ARGUMENTS = {"short lines": 2, "long lines": 300}  # of each term
HEAD = (
    "# murxpy-trace 1\n# solver z3 5.4.0\n     0 new@simple\n      return o1\n"
    '     0 mk-sort SORT_BOOL\n      return s1\n     0 mk-const s1 "a"\n      return t1 s1\n'
)


def rows(size: int, arguments: int) -> Iterator[str]:
    """The text of a trace of about `size` characters: conjunctions of terms that were made shortly
    before.
    """
    yield HEAD
    number, length = 1, len(HEAD)
    while length < size:
        terms = " ".join(f"t{max(1, number - 3 * at)}" for at in range(arguments))
        number += 1
        row = f"     0 mk-term@function OP_AND SORT_BOOL {arguments} {terms}\n      return t{number} s1\n"
        length += len(row)
        yield row


def measure(path: Path) -> dict[str, Any]:
    """What this process needs to read a trace, and to go through it."""
    start = time.process_time()
    text = read_trace(path)
    trace = parse_trace(text, path.name)
    read = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB
    words = sum(len(line.args) for line in trace.lines)
    return {
        "characters": len(text),
        "rows": text.count("\n"),
        "lines": len(trace.lines),
        "words": words,
        "read-seconds": round(read - start, 1),
        "pass-seconds": round(time.process_time() - read, 1),
        "read-mb": round(peak),
        "peak-mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB),
    }


def main() -> None:
    """Measure, print, save."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--size", type=float, default=150.0, help="megabytes of each trace")
    options.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    options.add_argument("--measure", type=Path, help=argparse.SUPPRESS)  # the process of its own
    args = options.parse_args()
    if args.measure:
        print(json.dumps(measure(args.measure)))
        return
    figures = {}
    for name, arguments in ARGUMENTS.items():
        with tempfile.TemporaryDirectory(prefix="murxpy-trace-") as folder:
            path = Path(folder) / "long.trace"
            with path.open("w", encoding="utf-8") as file:
                file.writelines(rows(int(args.size * MB), arguments))
            done = subprocess.run(
                [sys.executable, __file__, "--measure", str(path)],
                capture_output=True,
                text=True,
                check=True,
            )
            figures[name] = json.loads(done.stdout)
    report(figures, args)


def report(figures: dict[str, dict[str, Any]], args: argparse.Namespace) -> None:
    """Print the table, and keep the figures with a row for each trace."""
    table(
        f"Reading a trace of {args.size:g} MB",
        ["trace", "lines", "s to read", "s for a pass", "MB read", "MB peak", f"aim {AIM} MB"],
        [
            (
                name,
                f["lines"],
                f["read-seconds"],
                f["pass-seconds"],
                f["read-mb"],
                f["peak-mb"],
                verdict(f["peak-mb"] < AIM),
            )
            for name, f in figures.items()
        ],
    )
    if args.no_save:
        return
    args.theories = "none"
    about = circumstances(args)
    (RESULTS / "trace_memory.json").write_text(
        json.dumps({**about, **figures}, indent=1) + "\n", encoding="utf-8"
    )
    summary = RESULTS / "trace_memory.md"
    text = summary.read_text(encoding="utf-8") if summary.exists() else ""
    for name, f in figures.items():
        columns = (
            {"trace": name, **f}
            | {key: about[key] for key in ("date", "commit", "machine")}
            | {"command": f"`{about['command']}`"}
        )
        text = text or f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"
        text += f"| {' | '.join(map(str, columns.values()))} |\n"
    summary.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
