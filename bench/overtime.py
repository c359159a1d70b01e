"""How much longer than its --time a campaign takes.

`python bench/overtime.py "fuzz z3 --time 60s"` adds a row to `bench/results/overtime.md`.

Each command is a line of words behind `murxpy`, with its `--time`; the bench adds `--json` and a new
folder. It takes the time of the whole process, from its start to its exit, and reads from the last
event how much was left for `murxpy finish`. With `--busy N`, so many processes that only compute
load the machine meanwhile. With `--finish`, each campaign is then finished, and the row says how
long that took. The aim is at most 15 s more than --time, or a tenth of it if that is more; the bench
exits with 1 where a campaign took longer.

Example: python bench/overtime.py "fuzz z3 --time 60s" "fuzz cvc5 --time 90s" --busy 2
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from common import ROOT, add_row, circumstances, table

from murxpy.cli.params import duration
from murxpy.records.config import overtime

_BUSY = "while True: pass"


def main() -> int:
    """Run the commands, print their rows, and return 1 if one of them took too long."""
    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("command", nargs="+", help="words behind 'murxpy', with --time")
    made.add_argument("--busy", type=int, default=0, help="processes that load the machine")
    made.add_argument("--finish", action="store_true", help="then finish each campaign")
    made.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    made.set_defaults(theories="all")
    args = made.parse_args()
    about, rows = circumstances(args), []
    with busy(args.busy):
        for command in args.command:
            rows.append(measured(command, args))
            if not args.no_save:
                add_row("overtime", rows[-1], about)
    table("Overtime", list(rows[0]), [list(row.values()) for row in rows])
    return int(any(row["seconds over"] > row["seconds allowed"] for row in rows))


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Inside this context, so many processes compute."""
    begun = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in begun:
            process.kill()
            process.wait()


def measured(command: str, args: argparse.Namespace) -> dict[str, Any]:
    """The row of one command."""
    words = command.split()
    planned = duration(words[words.index("--time") + 1])
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "out")
        seconds, ended = timed([*words, "--json", "--out", out])
        left = {name: number for name, number in ended["left"].items() if number}
        row = {
            "campaign": f"`murxpy {command}`",
            "busy processes": args.busy,
            "seconds planned": planned,
            "seconds over": round(seconds - planned, 1),
            "seconds allowed": overtime(planned),
            "runs": ended["runs"],
            "buckets": ended["buckets"],
            "left": ", ".join(f"{number} {name}" for name, number in left.items()) or "nothing",
        }
        if args.finish:
            named = [word for word in words[1:] if Path(word).exists()]
            seconds, ended = timed(["finish", out, *named, "--json"])
            row["seconds to finish"] = round(seconds, 1)
            row["left then"] = sum(ended["left"].values())
    print(json.dumps(row), flush=True)
    return row


def timed(words: Sequence[str]) -> tuple[float, dict[str, Any]]:
    """How long a command takes, and its last event of a campaign. Exits with its error."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "murxpy", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - began
    events = [json.loads(line) for line in done.stdout.splitlines()]
    ended = [event for event in events if event["event"] == "ended"]
    if not ended:
        raise SystemExit(f"murxpy {' '.join(words)}: {done.stderr.strip()}")
    return seconds, ended[-1]


if __name__ == "__main__":
    sys.exit(main())
