"""Planted models: what runs with one cost, what their checks answer, what they find; and whether
another route finds the models true.

`python bench/planting.py z3` adds a row to `bench/results/planting.md`.

The other route: each trace as a script in which constants, functions and uninterpreted sorts are
defined as its planted model has them (`murxpy translate --to smt2 --planted`), read by z3 and cvc5.
Where one answers unsat to a check, our evaluator or that solver is wrong.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import common
from children import Outcome, Write, run_all
from scripts import READERS, Reading

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.machine.trace.grammar import parse_trace
from murxpy.translate.planted import to_defined
from murxpy.worker.session import Session

TIME = "time-ns:check:planted"
SECONDS = 20.0  # for one script
PER_CHECK = 2000  # milliseconds
LARGEST = 0.15  # share of the CPU time of runs with a planted model that the evaluation may take


def task(session: Session, seed: int, write: Write) -> dict[str, Any]:
    """The trace of one run, its counts and its finding."""
    parts: list[str] = []

    def note(text: str) -> None:
        write(text)
        parts.append(text)

    report = session.walk(seed, note)
    return {"trace": "".join(parts), "counts": report["counts"], "finding": report["finding"]}


def planting(args: argparse.Namespace, chance: float) -> Session:
    """The session whose runs have a planted model with this chance, and no other check."""
    data = common.setup(args)
    data["machine"] = {
        **data["machine"],
        "probabilities": {**data["machine"]["probabilities"], "planted": chance},
    }
    return Session(data | {"checks": ["planted"]})


def counted(outcomes: Iterable[Outcome]) -> Counter[str]:
    """The counters of runs."""
    counts: Counter[str] = Counter()
    for outcome in outcomes:
        counts.update(
            outcome.result.get("counts", {})
            if outcome.status == "ok"
            else {f"run:{outcome.status}": 1}
        )
    return counts


def second_route(traces: Iterable[str], catalogue: Catalogue, refuted: Path | None) -> Counter[str]:
    """What z3 and cvc5 answer to the checks of the traces with their planted models written out;
    those refuted go into a folder.
    """
    counts: Counter[str] = Counter()
    for number, trace in enumerate(traces):
        for dialect, reader in READERS.items():
            text = defined(trace, catalogue, dialect)
            reading = Reading() if text is None else reader(text, SECONDS, PER_CHECK)
            counts.update(f"{dialect}:{answer}" for answer in reading.answers)
            counts[f"{dialect}:scripts with an error"] += bool(reading.errors)
            counts[f"{dialect}:scripts not read to the end"] += bool(reading.late or reading.signal)
            if refuted is not None and text is not None and "unsat" in reading.answers:
                refuted.mkdir(parents=True, exist_ok=True)
                (refuted / f"{number}-{dialect}.smt2").write_text(text, encoding="utf-8")
                (refuted / f"{number}.trace").write_text(trace, encoding="utf-8")
    return counts


def defined(trace: str, catalogue: Catalogue, dialect: str) -> str | None:
    """The script with the planted model; None where there is none."""
    try:
        return to_defined(
            parse_trace(trace, "walk"), catalogue, dialect, lossy=True, by_definition=True
        )
    except InputError:
        return None


def main() -> None:
    """Measure, print, save."""
    made = common.parser(__doc__, 500)
    made.add_argument(
        "--second",
        type=int,
        default=100,
        help="runs whose planted models are written out for z3 and cvc5",
    )
    made.add_argument(
        "--refuted", type=Path, help="folder for scripts to which one of them answers unsat"
    )
    args = made.parse_args()
    session = planting(args, 1.0)
    outcomes = list(run_all(session, common.seeds(args), task, jobs=args.jobs, wall=args.wall))
    counts = counted(outcomes)
    without = counted(
        run_all(planting(args, 0.0), common.seeds(args), task, jobs=args.jobs, wall=args.wall)
    )
    found = Counter(
        f"{f['kind']} {f['operator'] or ''}"
        for o in outcomes
        if o.status == "ok" and (f := o.result["finding"])
    )
    traces = [outcome.result["trace"] for outcome in outcomes if outcome.status == "ok"][
        : args.second
    ]
    second = second_route(traces, session.catalogue, args.refuted)
    report(args, session, counts, without, found, second)


def report(
    args: argparse.Namespace,
    session: Session,
    counts: Counter[str],
    without: Counter[str],
    found: Counter[str],
    second: Counter[str],
) -> None:
    """Print the tables and save the figures."""
    answers = {name: counts[f"planted:{name}"] for name in ("sat", "unsat", "unknown")}
    formulas = {name: counts[f"planted-formula:{name}"] for name in ("True", "False", "None")}
    common.table(
        f"{counts['run:total']} runs with a planted model", ["checks", "answered"], answers.items()
    )
    common.table("formulas, as the evaluator has them", ["formula", "n"], formulas.items())
    common.table("findings", ["finding", "runs"], found.most_common())
    common.table(f"second route, {args.second} runs", ["solver", "answers"], sorted(second.items()))
    share = counts[TIME] / max(1, counts["time-ns:run"])
    each = [1e-6 * c["time-ns:run"] / max(1, c["run:total"]) for c in (counts, without)]
    print(
        f"\nevaluation: {share:.1%} of the CPU time, at most {LARGEST:.0%}: {common.verdict(share <= LARGEST)}"
    )
    print(
        f"a run with a planted model takes {each[0]:.1f} ms of CPU, the run of the same seed without {each[1]:.1f} ms"
    )
    refuted = sum(n for name, n in second.items() if name.endswith(":unsat"))
    print(f"second route: {refuted} checks refuted")
    wrong = sum(n for name, n in found.items() if name.startswith("wrong-unsat"))
    decided = common.percent(answers["sat"] + answers["unsat"], sum(answers.values()))
    row = {
        "runs": counts["run:total"],
        "checks": sum(answers.values()),
        "decided": decided,
        "evaluation": f"{share:.1%}",
        "ms a run": f"{each[0]:.1f}",
        "without": f"{each[1]:.1f}",
        "wrong unsat": wrong,
        "refuted": refuted,
    }
    figures = {
        "answers": answers,
        "formulas": formulas,
        "findings": dict(found),
        "second": dict(second),
        "share": share,
        "ms": each,
        "lost": {name: n for name, n in counts.items() if name in ("run:died", "run:overstayed")},
    }
    common.save("planting", args, common.facts(session, args), figures, row)


if __name__ == "__main__":
    main()
