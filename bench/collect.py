"""Counts of many runs, for the benches that report on validity, reach and quality."""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import common
from children import Outcome, Write, run_all
from literals import classes

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import SPECIAL, VALUE, Term, TermTable
from murxpy.oracles.crash import normalise
from murxpy.worker.session import Session

Collected = dict[str, Any]
EXAMPLES = 3
_CALLED = re.compile(r"^ *\d+ misuse@(call|edge|alike|keyword) (\S+)", re.M)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The option by which several reports share the runs."""
    parser.add_argument(
        "--data",
        type=Path,
        help="file of the counts: read if it is there, else written after the runs",
    )


def collect(args: argparse.Namespace, session: Session) -> Collected:
    """The counts of the runs that `args` asks for, or those in `--data`.

    `counts` are the runs' counters summed, `runs_with` in how many runs a refusal's counter was
    above 0, `seeds` one such run each; `findings`, `died` and `overstayed` map a text to the number
    of runs and a few of their seeds; `literals` counts literals by sort kind and class.
    """
    if args.data is not None and args.data.exists():
        data: Collected = json.loads(args.data.read_text(encoding="utf-8"))
        print(f"read from {args.data}: {data['runs']:,} runs of {data['solver']}")
        if data["solver"] != f"{session.wrapper.name} {session.version}":
            raise SystemExit(
                f"error: {args.data} holds runs of {data['solver']}; name another file"
            )
        return data
    data = _collect(args, session)
    if args.data is not None:
        args.data.write_text(json.dumps(data), encoding="utf-8")
    return data


def _collect(args: argparse.Namespace, session: Session) -> Collected:
    totals = Totals(f"{session.wrapper.name} {session.version}")
    start = time.monotonic()
    watch = watch_literals()

    def task(session: Session, seed: int, write: Write) -> dict[str, Any]:
        watch.clear()
        report = session.walk(seed, write)
        return {"counts": report["counts"], "finding": report["finding"], "literals": dict(watch)}

    for outcome in run_all(session, common.seeds(args), task, args.jobs, args.wall):
        totals.add(outcome)
        if totals.data["runs"] % 1000 == 0:
            print(f"{totals.data['runs']:,} runs, {time.monotonic() - start:.0f} s", flush=True)
    return totals.data


class Totals:
    """Sums what the runs report."""

    def __init__(self, solver: str) -> None:
        self.data: Collected = {
            "solver": solver,
            "runs": 0,
            "counts": Counter(),
            "runs_with": Counter(),
            "seeds": {},
            "findings": {},
            "died": {},
            "overstayed": {},
            "literals": Counter(),
        }

    def add(self, outcome: Outcome) -> None:
        """Add a run."""
        self.data["runs"] += 1
        if outcome.status != "ok":
            self._example(
                outcome.status, f"{outcome.cause} {outcome.last_call}".strip(), outcome.seed
            )
            self.data["counts"].update(called(outcome.trace))
            return
        counts, finding = outcome.result["counts"], outcome.result["finding"]
        self.data["counts"].update(counts)
        self.data["literals"].update(outcome.result["literals"])
        for name in counts:
            if name.startswith("refusal"):
                self.data["runs_with"][name] += 1
                self.data["seeds"].setdefault(name, f"{outcome.seed:x}")
        if finding is not None:
            call = f"{finding['action']} {finding['operator'] or ''}@{finding['spelling'] or ''}"
            self._example(
                "findings",
                f"{finding['kind']}: {call}: {normalise(finding['message'])}",
                outcome.seed,
            )

    def _example(self, group: str, text: str, seed: int) -> None:
        entry = self.data[group].setdefault(text, {"runs": 0, "seeds": []})
        entry["runs"] += 1
        if len(entry["seeds"]) < EXAMPLES:
            entry["seeds"].append(f"{seed:x}")


def called(trace: str) -> Counter[str]:
    """How often the lines of a run that reported nothing call each public callable, by rule, as a
    run's own counters say it.
    """
    found: Counter[str] = Counter()
    for rule, name in _CALLED.findall(trace):
        found.update((f"callable:{rule}:{name}", f"misuse:{rule}"))
    return found


def watch_literals() -> Counter[str]:
    """A counter that from now on gets every literal made in this process, by sort kind and class."""
    seen: Counter[str] = Counter()
    make = TermTable.leaf

    def leaf(self: TermTable, op: str, payload: tuple[Any, ...], sort: Sort) -> Term:
        if op == VALUE:
            seen.update(f"{sort.kind}:{name}" for name in classes(sort, payload[0]))
        elif op == SPECIAL:
            seen[f"{sort.kind}:special {payload[0]}"] += 1
        return make(self, op, payload, sort)

    TermTable.leaf = leaf  # type: ignore[method-assign]
    return seen


def examples(group: dict[str, Any]) -> Iterable[tuple[int, str, str]]:
    """Runs, seeds and text of each entry, the most frequent first."""
    for text, entry in sorted(group.items(), key=lambda item: -item[1]["runs"]):
        yield entry["runs"], " ".join(entry["seeds"]), text
