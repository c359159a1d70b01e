"""What the checks of a solver's promises cost, as a share of the CPU time of the runs, and how
often the evaluator cannot say.

`python bench/oracles.py z3` adds a row to `bench/results/oracles.md`.

The time of a check is all that happens within its line: reading from the solver, solving again,
evaluating.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

import common
from children import Write, run_all

from murxpy.fuzzers.setups import CHECKS, DEFAULT_CHECKS, chosen_checks
from murxpy.worker.session import Session

TIME = "time-ns:check:"
LARGEST = 0.25  # share of the run, of the default set
UNSAID = 0.05  # share of assertions of a theory, outside of quantifiers and transcendentals
EXCUSED = ("QUANT", "TRANSCENDENTAL", "excused")


def task(session: Session, seed: int, write: Write) -> dict[str, Any]:
    """The counts and the finding of one run."""
    report = session.walk(seed, write)
    return {"counts": report["counts"], "finding": report["finding"]}


def measure(args: argparse.Namespace, session: Session) -> tuple[Counter[str], Counter[str]]:
    """The counters of all runs, and the findings of checks by kind and message."""
    counts: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for outcome in run_all(session, common.seeds(args), task, jobs=args.jobs, wall=args.wall):
        if outcome.status != "ok":
            counts["run:lost"] += 1
            continue
        counts.update(outcome.result["counts"])
        finding = outcome.result["finding"]
        if finding and finding["action"].startswith("check-"):
            found[f"{finding['kind']}: {finding['message']}"] += 1
    return counts, found


def shares(counts: Counter[str]) -> dict[str, float]:
    """The CPU time of each check by that of the runs."""
    return {
        name.removeprefix(TIME): n / counts["time-ns:run"]
        for name, n in sorted(counts.items())
        if name.startswith(TIME)
    }


def unsaid(counts: Counter[str]) -> dict[str, tuple[int, float]]:
    """By theory: assertions with operators of it, without quantifiers or not, and the share that
    cannot be judged.
    """
    theories = sorted({name.split(":")[1] for name in counts if name.startswith("check-model-of:")})
    by_theory = {}
    for theory in theories:
        judged = {
            verdict: counts[f"check-model-of:{theory}:{verdict}"]
            for verdict in ("true", "false", "cannot-say")
        }
        by_theory[theory] = (
            sum(judged.values()),
            judged["cannot-say"] / max(1, sum(judged.values())),
        )
    return by_theory


def main() -> None:
    """Measure, print, save."""
    made = common.parser(__doc__, 1000)
    made.add_argument(
        "--check",
        default=",".join(DEFAULT_CHECKS),
        help=f"checks that are on, of {', '.join(CHECKS[:12])}; all or none",
    )
    args = made.parse_args()
    data = common.setup(args)
    session = Session(data | {"checks": list(chosen_checks(tuple(args.check.split(","))))})
    counts, found = measure(args, session)
    cost, share = shares(counts), unsaid(counts)
    runs = counts["run:total"]
    common.table(
        f"{runs} runs, share of their CPU time",
        ["check", "share"],
        [*cost.items(), ("all", sum(cost.values()))],
    )
    rows = [(theory, n, part) for theory, (n, part) in share.items()]
    common.table("assertions under the model", ["theory", "judged", "cannot say"], rows)
    reasons = [
        (name.removeprefix("check-model-why:"), n)
        for name, n in counts.most_common()
        if name.startswith("check-model-why:")
    ]
    common.table("why not", ["reason", "assertions"], reasons[:12])
    common.table("findings of checks", ["finding", "runs"], found.most_common())
    worst = max((part for theory, (n, part) in share.items() if theory not in EXCUSED), default=0.0)
    whole = sum(cost.values())
    print(
        f"\nall checks: {whole:.1%} of the run, at most {LARGEST:.0%}: {common.verdict(whole <= LARGEST)}"
    )
    print(
        f"cannot say: at most {worst:.1%} of a theory, expected {UNSAID:.0%}: {common.verdict(worst <= UNSAID)}"
    )
    row = {
        "checks": args.check,
        "runs": runs,
        "CPU": f"{whole:.1%}",
        "cannot say at most": f"{worst:.1%}",
        "findings": sum(found.values()),
    }
    figures = {
        "runs": runs,
        "cost": cost,
        "cannot-say": share,
        "why": reasons,
        "findings": dict(found),
    }
    common.save("oracles", args, common.facts(session, args), figures, row)


if __name__ == "__main__":
    main()
