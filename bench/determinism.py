"""Determinism: each seed's trace is the same, byte for byte, however often and wherever it runs.

`python bench/determinism.py z3` adds a row to `bench/results/determinism.md`.

Every seed runs under several values of PYTHONHASHSEED, in ascending and in descending order within
one process, alone and beside a second worker, and its trace is replayed. Runs that overstay are
counted and not compared.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import common
from children import Write, run_all, walked
from common import table, verdict

from murxpy.worker.session import Session

# Name, value of PYTHONHASHSEED, descending order, workers, replay afterwards.
VARIANTS = (
    ("ascending", "1", False, 1, False),
    ("descending", "2", True, 1, False),
    ("two workers", "3", False, 2, False),
    ("replay", "4", False, 1, True),
)
SHOWN = 5


def variant(args: argparse.Namespace) -> None:
    """Be the child process of one variant: write the trace of every seed into a file of its own."""
    session = Session(json.loads((args.folder.parent / "setup").read_text(encoding="utf-8")))
    seeds = common.seeds(args)[:: -1 if args.descending else 1]

    def task(session: Session, seed: int, write: Write) -> dict[str, Any]:
        text = walked(session, seed, write)
        if args.replay:
            again: list[str] = []
            report = session.replay(text, f"{seed:x}", again.append)
            return {
                "walk": text,
                "trace": "".join(again) if report["status"] != "malformed" else report["message"],
            }
        return {"trace": text}

    chunk = -(-len(seeds) // args.jobs)
    for outcome in run_all(session, seeds, task, args.jobs, args.wall, chunk):
        text = outcome.result.get("trace", outcome.trace)
        kept = {
            "seed": outcome.seed,
            "status": outcome.status,
            "trace": text,
            "walk": outcome.result.get("walk"),
        }
        (args.folder / f"{outcome.seed:08x}").write_text(json.dumps(kept), encoding="utf-8")


def run_variants(args: argparse.Namespace, folder: Path) -> None:
    """Run all variants, one after another, with the model as it is now."""
    (folder / "setup").write_text(json.dumps(common.setup(args)), encoding="utf-8")
    for name, hashseed, descending, jobs, replay in VARIANTS:
        own = folder / name
        own.mkdir()
        command = [
            sys.executable,
            __file__,
            args.solver,
            "--theories",
            args.theories,
            "--seed",
            str(args.seed),
            "--runs",
            str(args.runs),
            "--machine",
            args.machine,
            "--wall",
            str(args.wall),
            "--jobs",
            str(jobs),
            "--folder",
            str(own),
        ]
        command += (
            ["--no-swarm"] * args.no_swarm + ["--descending"] * descending + ["--replay"] * replay
        )
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": hashseed}, check=True)
        print(f"done: {name}", flush=True)


def compare(folder: Path) -> tuple[dict[str, dict[str, int]], list[tuple[str, str, str]]]:
    """Compare each variant with the first; gives counts by variant, and the first differing lines."""
    counts: dict[str, dict[str, int]] = {}
    differing = []
    for name, *_ in VARIANTS[1:]:
        count = counts[name] = {"same": 0, "different": 0, "not compared": 0}
        for file in sorted((folder / VARIANTS[0][0]).iterdir()):
            first, other = (
                json.loads((folder / n / file.name).read_text(encoding="utf-8"))
                for n in (VARIANTS[0][0], name)
            )
            if "overstayed" in (first["status"], other["status"]):
                count["not compared"] += 1
                continue
            texts = [other["trace"]] if other["walk"] is None else [other["walk"], other["trace"]]
            # A run that died in the other variant's walk has no replay: its trace up to the fatal
            # call is compared.
            same = (
                all(text == first["trace"] for text in texts) and first["status"] == other["status"]
            )
            count["same" if same else "different"] += 1
            if not same:
                differing.append((name, file.name, _difference(first, other)))
    return counts, differing


def _difference(first: dict[str, Any], other: dict[str, Any]) -> str:
    if first["status"] != other["status"]:
        return f"{first['status']}, then {other['status']}"
    walked = other["walk"]
    text = walked if walked is not None and walked != first["trace"] else other["trace"]
    one, two = first["trace"].splitlines(), text.splitlines()
    for number, (left, right) in enumerate(zip(one, two, strict=False), 1):
        if left != right:
            return f"line {number}: {left.strip()[:70]!r}, then {right.strip()[:70]!r}"
    return f"{len(one)} lines, then {len(two)}"


def main() -> None:
    """Run it."""
    parser = common.parser(__doc__, 1000)
    parser.set_defaults(wall=10.0)
    for name in ("--descending", "--replay"):
        parser.add_argument(name, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.folder is not None:
        variant(args)
        return
    session = common.load(args)
    with tempfile.TemporaryDirectory() as folder:
        run_variants(args, Path(folder))
        counts, differing = compare(Path(folder))
    rows = [
        (name, *count.values(), verdict(not count["different"])) for name, count in counts.items()
    ]
    table(
        f"Traces of {args.runs:,} seeds compared with those of '{VARIANTS[0][0]}'",
        ("variant", "same", "different", "not compared", ""),
        rows,
    )
    if differing:
        table("Differences", ("variant", "seed", "first"), differing[: SHOWN * len(VARIANTS)])
    row = {
        "seeds": args.runs,
        **{name: f"{c['same']} same, {c['different']} different" for name, c in counts.items()},
    }
    figures = {"seeds": args.runs, "variants": counts, "differing": differing}
    common.save("determinism", args, common.facts(session, args), figures, row)


if __name__ == "__main__":
    main()
