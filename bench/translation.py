"""Translation: random traces as SMT-LIB scripts and as Python programs, and whether those give the answers of the traces.

Scripts are in the dialect of the trace's solver and run in it, through its parser; options that scripts lack, and actions
that only an API has, are left out. Traces whose run was killed count up to the line where it was.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import common
from children import Write, run_all
from common import percent, table, verdict
from translated import Verdict, judge_python, judge_smtlib

from murxpy.data import load_wrapper
from murxpy.trace.grammar import Trace, parse_trace
from murxpy.worker.session import Session

SHOWN = 12
KINDS = ("same", "partly", "differs", "refused", "died", "timeout")


def walks(session: Session, args: argparse.Namespace) -> Iterator[Trace]:
    """A random trace for each seed that did not overstay."""

    def task(session: Session, seed: int, write: Write) -> dict[str, Any]:
        parts: list[str] = []

        def note(text: str) -> None:
            write(text)
            parts.append(text)

        session.walk(seed, note)
        return {"trace": "".join(parts)}

    for outcome in run_all(session, common.seeds(args), task, args.jobs, args.wall):
        if outcome.status != "overstayed":
            yield parse_trace(outcome.result.get("trace", outcome.trace), f"{outcome.seed:x}.trace")


def judged(traces: Iterator[Trace], session: Session, args: argparse.Namespace) -> dict[str, list[tuple[str, Verdict]]]:
    """The verdicts on all scripts and, of the first `--programs` traces, on programs."""
    wrapper = load_wrapper(args.solver)
    found: dict[str, list[tuple[str, Verdict]]] = {"smt2": [], "python": []}
    with tempfile.TemporaryDirectory() as folder:
        for trace in traces:
            found["smt2"].append((trace.name, judge_smtlib(trace, session.catalogue)))
            if len(found["python"]) < args.programs:
                found["python"].append((trace.name, judge_python(trace, session.catalogue, wrapper, Path(folder) / "p.py")))
    return found


def main() -> None:
    """Measure and print."""
    parser = common.parser(__doc__, 100)
    parser.add_argument("--programs", type=int, default=50, help="how many of the traces become Python programs")
    args = parser.parse_args()
    session = common.load(args)
    found = judged(walks(session, args), session, args)
    counts = {to: Counter(v.status for _, v in verdicts) for to, verdicts in found.items()}
    rows = [[to, len(found[to]), *(counts[to][kind] for kind in KINDS)] for to in found]
    table(f"Translations of {args.runs} runs of {session.wrapper.name}", ["to", "traces", *KINDS], rows)
    for to, verdicts in found.items():
        bad = [(name, v) for name, v in verdicts if v.status in ("differs", "refused", "died")]
        for name, one in bad[:SHOWN]:
            print(f"  {to} {name}: {one.status}: {one.detail[:180]}")
        settled = len(verdicts) - counts[to]["timeout"] - counts[to]["partly"]
        print(f"  {to}: {percent(counts[to]['same'], settled)} the same, aim 100 %: {verdict(counts[to]['same'] == settled)}")
    figures = {to: dict(count) for to, count in counts.items()}
    row = {to: percent(counts[to]["same"], len(found[to])) for to in found} | {"traces": len(found["smt2"])}
    common.save("translation", args, common.facts(session, args), figures, row)


if __name__ == "__main__":
    main()
