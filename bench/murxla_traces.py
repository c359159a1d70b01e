"""Replay traces that Murxla wrote: `python bench/murxla_traces.py FOLDER` with a folder of traces
for each of its configurations.

It prints the table of `bench/results/murxla_traces.md`, and writes no file there.

Prints for each configuration and solver how many traces replay whole, how many in part (lines that
the solver has no counterpart for are left out, with what depends on them), the answers, and what
was left out and why. A whole one may lack options of another solver, and looks at functions, of
which z3 makes no terms. Each replay runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
from collections import Counter
from pathlib import Path
from typing import Any

from common import ROOT  # noqa: F401  puts this checkout first on the path

from murxpy.data import load_catalogue, load_machine, load_wrapper
from murxpy.worker.session import Session

SOLVERS = ("z3", "cvc5", "bitwuzla", "yices")
_NUMBER = re.compile(r"\d+")


def main() -> None:
    """Replay every trace on every solver and print the tables."""
    parser = argparse.ArgumentParser(description="Replay traces that Murxla wrote.")
    parser.add_argument("folder", type=Path, help="has one folder of traces a configuration")
    parser.add_argument(
        "--timeout", type=float, default=30.0, help="seconds for one replay (default 30)"
    )
    parser.add_argument(
        "--list", action="store_true", help="a line for each trace that does not replay whole"
    )
    arguments = parser.parse_args()
    whole: dict[str, set[str]] = {}
    sessions = {solver: session(solver) for solver in SOLVERS}
    for folder in sorted(p for p in arguments.folder.iterdir() if p.is_dir()):
        for solver, loaded in sessions.items():
            outcomes = {
                path: replay(loaded, path, arguments.timeout)
                for path in sorted(folder.glob("*.trace"))
            }
            show(folder.name, solver, outcomes, arguments.list)
            whole.setdefault(folder.name, set()).update(
                p.name for p, o in outcomes.items() if o["class"] == "whole"
            )
    total = sum(len(names) for names in whole.values())
    print(
        f"whole on {' or '.join(SOLVERS)}: {total} ({', '.join(f'{name} {len(names)}' for name, names in whole.items())})"
    )


def session(solver: str) -> Session:
    """The solver, loaded once; each replay runs in a fork of this process."""
    return Session(
        {
            "catalogue": load_catalogue(),
            "machine": load_machine("default"),
            "wrapper": load_wrapper(solver),
        }
    )


def replay(loaded: Session, path: Path, timeout: float) -> dict[str, Any]:
    """What became of one trace: its class, answers, refused lines by reason, skipped lines."""
    parent, child = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_work, args=(loaded, path, child))
    process.start()
    child.close()
    outcome = {"class": "timeout", "answers": {}, "reasons": {}, "skipped": 0, "lines": 0}
    try:
        if parent.poll(timeout):
            outcome = json.loads(parent.recv())
    except EOFError:
        process.join()
        outcome["class"] = f"crash (exit {process.exitcode})"
    process.kill()
    process.join()
    return outcome


def _work(loaded: Session, path: Path, pipe: Any) -> None:
    written: list[str] = []
    pipe.send(json.dumps(_summary(loaded.replay(path.read_text(), str(path), written.append))))


def _summary(report: dict[str, Any]) -> dict[str, Any]:
    counts = report["counts"]
    reasons = {k.partition(":")[2]: n for k, n in counts.items() if k.startswith("replay-refused:")}
    # These change how a solver searches, or look at what is there: no other line depends on them.
    kind = (
        "whole"
        if all(reason.startswith(("set-option:", "term-get-children:")) for reason in reasons)
        else "part"
    )
    if report["status"] == "malformed":
        kind, reasons = "malformed", {report["message"]: 1}
    elif report["finding"] is not None:
        kind, reasons = (
            report["finding"]["kind"],
            {f"{report['finding']['operator']}: {report['finding']['message']}": 1},
        )
    return {
        "class": kind,
        "answers": {k.partition(":")[2]: n for k, n in counts.items() if k.startswith("answer:")},
        "reasons": reasons,
        "skipped": counts.get("replay:skipped", 0),
        "lines": counts.get("line:total", 0),
    }


def show(name: str, solver: str, outcomes: dict[Path, dict[str, Any]], every: bool) -> None:
    """Print the table of one configuration on one solver."""
    classes = Counter(o["class"] for o in outcomes.values())
    answers: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for outcome in outcomes.values():
        answers.update(outcome["answers"])
        for reason, count in outcome["reasons"].items():
            reasons[_NUMBER.sub("N", reason)[:110]] += count
    lines, skipped = (
        sum(o["lines"] for o in outcomes.values()),
        sum(o["skipped"] for o in outcomes.values()),
    )
    print(
        f"{name} on {solver}: {len(outcomes)} traces, {_table(classes)}; answers {_table(answers) or 'none'}"
    )
    print(
        f"  {lines} lines ran, {sum(reasons.values())} refused, {skipped} skipped since they need one of those"
    )
    for reason, count in reasons.most_common():
        print(f"  {count:>5}  {reason}")
    if every:
        for path, outcome in outcomes.items():
            if outcome["class"] != "whole":
                print(f"    {path.name}: {outcome['class']}: {'; '.join(outcome['reasons'])[:150]}")


def _table(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())


if __name__ == "__main__":
    main()
