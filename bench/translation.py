"""Translation: random traces as SMT-LIB scripts, Python programs and traces of Murxla, and whether
those give the same answers.

`python bench/translation.py z3` adds a row to `bench/results/translation.md`, with `--dialect NAME`
to `bench/results/translation-NAME.md`.

Scripts are in the dialect of the trace's solver and run in it, through its parser; options that
scripts lack, and actions that only an API has, are left out. With `--dialect` they are in another
one, and run in its solver, those of `standard` in both. Traces whose run was killed count up to the
line where it was. Scripts that leave out terms which the dialect cannot say count apart, as
`partly`; the last table says for which operators and sorts.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import common
from children import Write, run_all, walked
from common import percent, table, verdict
from translated import SETTLED, Verdict, judge_murxla, judge_python, judge_smtlib

from murxpy.data import load_wrapper, wrapper_names
from murxpy.logic.catalogue import STANDARD
from murxpy.machine.trace.grammar import Trace, parse_trace
from murxpy.worker.session import Session

SHOWN = 12
KINDS = (
    "same",
    "differs",
    "refused",
    "miscounted",
    "partly",
    "unsupported",
    "disputed",
    "died",
    "timeout",
)


def walks(session: Session, args: argparse.Namespace) -> Iterator[Trace]:
    """A random trace for each seed that did not overstay."""

    def task(session: Session, seed: int, write: Write) -> dict[str, Any]:
        return {"trace": walked(session, seed, write)}

    for outcome in run_all(session, common.seeds(args), task, args.jobs, args.wall):
        if outcome.status != "overstayed":
            yield parse_trace(outcome.result.get("trace", outcome.trace), f"{outcome.seed:x}.trace")


def judged(
    traces: Iterator[Trace], session: Session, args: argparse.Namespace
) -> dict[str, list[tuple[str, Verdict]]]:
    """The verdicts on all scripts and, of the first `--programs` traces, on programs. Traces of bad
    verdicts go to `--keep`.
    """
    wrapper = load_wrapper(args.solver)
    found: dict[str, list[tuple[str, Verdict]]] = {"smt2": [], "python": [], "murxla": []}
    with tempfile.TemporaryDirectory() as folder:
        for trace in traces:
            if not args.no_scripts:
                found["smt2"].append(
                    (trace.name, judge_smtlib(trace, session.catalogue, args.dialect))
                )
            if len(found["python"]) < args.programs:
                found["python"].append(
                    (
                        trace.name,
                        judge_python(trace, session.catalogue, wrapper, Path(folder) / "p.py"),
                    )
                )
            if len(found["murxla"]) < args.murxla:
                found["murxla"].append((trace.name, judge_murxla(trace, session)))
            last = [
                verdicts[-1][1]
                for verdicts in found.values()
                if verdicts and verdicts[-1][0] == trace.name
            ]
            if args.keep and any(bad(v) or v.status in ("disputed", "died") for v in last):
                args.keep.mkdir(parents=True, exist_ok=True)
                (args.keep / trace.name).write_text(trace.text(), encoding="utf-8")
    return {to: verdicts for to, verdicts in found.items() if verdicts}


def bad(one: Verdict) -> bool:
    """True for what a translation must never be."""
    return one.status not in SETTLED


def main() -> None:
    """Measure and print."""
    parser = common.parser(__doc__, 100)
    parser.add_argument(
        "--programs", type=int, default=50, help="how many of the traces become Python programs"
    )
    parser.add_argument(
        "--murxla", type=int, default=0, metavar="N", help="how many become traces of Murxla"
    )
    parser.add_argument(
        "--no-scripts", action="store_true", help="programs and traces of Murxla only"
    )
    parser.add_argument(
        "--dialect",
        choices=(STANDARD, *wrapper_names()),
        help="dialect of the scripts, if not that of the solver",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="write the traces of bad verdicts there"
    )
    args = parser.parse_args()
    session = common.load(args)
    found = judged(walks(session, args), session, args)
    counts = {to: Counter(v.status for _, v in verdicts) for to, verdicts in found.items()}
    rows = [[to, len(found[to]), *(counts[to][kind] for kind in KINDS)] for to in found]
    dialect = f" in the dialect {args.dialect}" if args.dialect else ""
    table(
        f"Translations of {args.runs} runs of {session.wrapper.name}{dialect}",
        ["to", "traces", *KINDS],
        rows,
    )
    for to, verdicts in found.items():
        _report(to, verdicts)
    unsaid = {
        to: Counter(_reason(v.detail) for _, v in verdicts if v.status == "partly")
        for to, verdicts in found.items()
    }
    for to, reasons in unsaid.items():
        if reasons:
            rows = [
                [what, count]
                for what, count in sorted(reasons.items(), key=lambda row: (-row[1], row[0]))
            ]
            table(f"What has no words in {to}", ["what", "translations"], rows)
    figures: dict[str, Any] = {to: dict(count) for to, count in counts.items()} | {
        "unsayable": unsaid
    }
    row: dict[str, Any] = {"dialect": args.dialect or "own"}
    for to in ("smt2", "python", "murxla"):
        row[to] = _share(found.get(to, []))
    row |= {
        kind: counts.get("smt2", Counter())[kind]
        for kind in KINDS
        if kind in SETTLED and kind != "same"
    }
    common.save(
        f"translation-{args.dialect}" if args.dialect else "translation",
        args,
        common.facts(session, args),
        figures,
        row,
    )


def _report(to: str, verdicts: list[tuple[str, Verdict]]) -> None:
    for name, one in [(name, v) for name, v in verdicts if bad(v)][:SHOWN]:
        print(f"  {to} {name}: {one.status}: {one.detail[:180]}")
    for name, one in [(name, v) for name, v in verdicts if v.status in ("disputed", "died")][
        :SHOWN
    ]:
        print(f"  {to} {name}: the solvers' business: {one.detail[:180]}")
    print(
        f"  {to}: {_share(verdicts)} the same, aim 100 %: {verdict(not any(bad(v) for _, v in verdicts))}"
    )


def _share(verdicts: list[tuple[str, Verdict]]) -> str:
    """How many translations are exact of those whose solver came to an end with all of it."""
    same = sum(v.status == "same" for _, v in verdicts)
    counted = same + sum(bad(v) for _, v in verdicts)
    return f"{percent(same, counted)} of {counted}"


def _reason(detail: str) -> str:
    found = re.search(r"\b(?:OP|SORT)_\w+|a constant array", detail)
    return found[0] if found else detail


if __name__ == "__main__":
    main()
