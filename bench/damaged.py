"""Damages the store of a campaign in many ways, and has each command read, resume and repair it.

It prints the table of `bench/results/damaged.md`, and writes no file there.

    python bench/damaged.py --stores 200

A campaign on the fake session of the tests makes the folder. Each copy gets one damage: a flipped byte,
a page of zeros, a cut, a value of a row that is no JSON or other JSON, another version of the schema, a
missing file. No command may end with an internal error, a traceback or not at all; every error is one
line. After `murxpy repair`, each bucket that has a trace must be there, and the campaign goes on, unless a value
that murxpy could have written says that it is another one.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from campaigns import run as campaign  # noqa: E402

from murxpy.cli import run as command  # noqa: E402
from murxpy.errors import InputError  # noqa: E402
from murxpy.findings.store import FILE, read_buckets  # noqa: E402

FAULTS = ("segfault", "abort+x", "exception", "segfault+y", "abort+z", "exit")
SETUP = {"every": dict.fromkeys(FAULTS, 8), "lines": 10}
READERS = ("findings", "statistics", "seeds", "arms", "triage")
JSON = ("{", "[]", "7", '"text"', "null", '{"a": 1}', "[[[[[[", "\x00", '{"count": "many"}', "")
SLOW = 30.0  # seconds that a command may take


def _byte(rng: random.Random, out: Path) -> None:
    data = bytearray((out / FILE).read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    (out / FILE).write_bytes(data)


def _bytes(rng: random.Random, out: Path) -> None:
    data = bytearray((out / FILE).read_bytes())
    at = rng.randrange(len(data))
    data[at : at + 64] = rng.randbytes(len(data[at : at + 64]))
    (out / FILE).write_bytes(data)


def _page(rng: random.Random, out: Path) -> None:
    data = bytearray((out / FILE).read_bytes())
    at = 4096 * rng.randrange(len(data) // 4096)
    data[at : at + 4096] = bytes(4096)
    (out / FILE).write_bytes(data)


def _cut(rng: random.Random, out: Path) -> None:
    data = (out / FILE).read_bytes()
    (out / FILE).write_bytes(data[: rng.randrange(len(data))])


def _json(rng: random.Random, out: Path) -> None:
    table, column = rng.choice(
        [
            ("buckets", "data"),
            ("buckets", "count"),
            ("buckets", "key"),
            ("meta", "value"),
            ("targets", "open"),
            ("targets", "next"),
            ("sessions", "arguments"),
            ("findings", "seed"),
            ("counters", "value"),
        ]
    )
    with closing(sqlite3.connect(out / FILE)) as db, db:
        rows = [row for (row,) in db.execute(f"SELECT rowid FROM {table}")]
        row = rng.choice(rows)
        with contextlib.suppress(sqlite3.IntegrityError):
            db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (rng.choice(JSON), row))


def _version(rng: random.Random, out: Path) -> None:
    with closing(sqlite3.connect(out / FILE)) as db:
        db.execute(f"PRAGMA user_version = {rng.choice([0, 1, 3, 99, -1])}")


def _missing(rng: random.Random, out: Path) -> None:
    traces = sorted(out.glob("findings/*/*.trace"))
    rng.choice(
        [
            (out / FILE).unlink,
            lambda: (out / FILE).write_bytes(b""),
            lambda: rng.choice(traces).unlink(),
            lambda: shutil.rmtree(rng.choice(traces).parent),
            lambda: [trace.unlink() for trace in traces],
        ]
    )()


DAMAGES: dict[str, Callable[[random.Random, Path], None]] = {
    "a flipped bit": _byte,
    "64 random bytes": _bytes,
    "a page of zeros": _page,
    "a cut": _cut,
    "a value of a row": _json,
    "another version": _version,
    "a missing file": _missing,
}


def called(*words: str) -> tuple[int, str, str]:
    """The exit code of a command, and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = command(list(words))
    return code, out.getvalue(), err.getvalue()


def resumed(out: Path) -> tuple[int, str]:
    """The exit code of a campaign that goes on in the folder, and its error."""
    try:
        _, events = campaign(out, SETUP, runs=2, seed=None)
    except InputError as error:
        return error.exit_code, f"{error}\n"
    return int(getattr(events[-1], "exit_code", 9)), ""


def faults(out: Path, keys: set[str], counts: Counter[str]) -> list[str]:
    """What goes wrong with a damaged folder; `keys` are those of the buckets that it had."""
    found = []

    def note(name: str, code: int, err: str, began: float) -> None:
        counts[f"{name} {code}"] += 1
        if code not in (0, 1, 2) and not (name == "repair" and code == 3):
            found.append(f"{name}: exit code {code}: {err}")
        if err.count("\n") > 1 or "Traceback" in err or "internal error" in err:
            found.append(f"{name}: {err}")
        if time.monotonic() - began > SLOW:
            found.append(f"{name}: {time.monotonic() - began:.0f} s")

    for name in (*READERS, "show"):
        began = time.monotonic()
        words = [str(out)] if name != "show" else [str(out / "findings" / min(keys))]
        code, _, err = called(name, *words)
        note(name, code, err, began)
    began = time.monotonic()
    resumable = Path(shutil.copytree(out, out.with_name("resumed")))
    note("resume", *resumed(resumable), began)
    left = {folder.parent.name for folder in out.glob("findings/*/*.trace")}
    began = time.monotonic()
    code, _, err = called("repair", str(out))
    note("repair", code, err, began)
    if code == 2:
        return found
    kept = {bucket.key for bucket in read_buckets(out)}
    if left - kept:
        found.append(f"repair: lost {', '.join(left - kept)}, whose traces are there")
    counts["buckets"] += len(keys)
    counts["buckets kept"] += len(keys & kept)
    again = resumed(out)
    note("resume after repair", *again, time.monotonic())
    if again[0] == 2 and "choose another folder" not in again[1]:
        found.append(f"resume after repair: {again[1]}")
    code, text, err = called("repair", str(out))
    if code or "every row can be read" not in text:
        found.append(f"repair again: {code} {text} {err}")
    return found


def main() -> None:
    """Print a table of what came, and end with 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    wrong, told, made = [], {name: Counter[str]() for name in DAMAGES}, Counter[str]()
    with tempfile.TemporaryDirectory() as scratch:
        whole = Path(scratch, "whole")
        campaign(whole, SETUP, runs=150, jobs=2)
        keys = {bucket.key for bucket in read_buckets(whole)}
        for number in range(asked.stores):
            name = list(DAMAGES)[number % len(DAMAGES)]
            out = Path(shutil.copytree(whole, Path(scratch, str(number), "out")))
            DAMAGES[name](random.Random(f"{asked.seed}:{number}"), out)
            made[name] += 1
            wrong += [f"{name} {number}: {text.strip()}" for text in faults(out, keys, told[name])]
            shutil.rmtree(out.parent)
    print("| damage | stores | told by a reader or resume | repaired | buckets kept |")
    print("|---|---|---|---|---|")
    for name, counts in told.items():
        errors = sum(n for key, n in counts.items() if key.endswith(" 2"))
        repaired = ", ".join(
            f"{counts[f'repair {c}']} with {c}" for c in (0, 3, 2) if counts[f"repair {c}"]
        )
        print(
            f"| {name} | {made[name]} | {errors} | {repaired} | {counts['buckets kept']} of {counts['buckets']} |"
        )
    print(f"\n{len(wrong)} faults")
    print("\n".join(wrong))
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
