"""Which questions a solver leaves unknown in random runs, and what these answers cost: by the limit of
the check, by the answer before it, by theory and by operator.

`python bench/unknown.py cvc5` adds a row to `bench/results/unknown.md`.

A check counts for each theory and each operator of its assertions and assumptions. `excess` is the
share of unknown answers among these checks less that of all checks. An answer counts as one behind
an unknown answer if the assertions then were among its own, so nothing was removed in between.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import common
from children import Write, run_all
from common import percent, table

from murxpy.logic.terms import LEAVES
from murxpy.logic.walks import subterms
from murxpy.machine import solve
from murxpy.machine.database import Entry
from murxpy.machine.run import Run
from murxpy.worker.session import Session

LIMITS = (1, 2, 3, 5, 10, 20, 60)  # milliseconds: the bounds of the groups of limits
LEAST = 30  # checks below which a share says nothing
SHOWN = 25  # operators in a table


@dataclass
class Share:
    """Checks, those of them that were left unknown, and the CPU nanoseconds of both kinds."""

    checks: int = 0
    unknown: int = 0
    ns: int = 0
    unknown_ns: int = 0

    def add(self, unknown: bool, ns: int) -> None:
        """Count a check."""
        self.checks += 1
        self.unknown += unknown
        self.ns += ns
        self.unknown_ns += ns * unknown

    def row(self, name: str, usual: float) -> tuple[object, ...]:
        """A row of a table; `usual` is the share of all checks."""
        share = self.unknown / max(1, self.checks)
        excess = f"{share - usual:+.2f}"
        return name, self.checks, percent(share, 1), excess, self.unknown_ns / 1e9, self.ns / 1e9


@dataclass
class Groups:
    """The shares of all groups of checks, by title and group."""

    of: dict[str, dict[str, Share]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, title: str, name: str, unknown: bool, ns: int) -> None:
        """Count a check in a group."""
        self.of[title].setdefault(name, Share()).add(unknown, ns)

    @property
    def all(self) -> Share:
        """The share of all checks."""
        return self.of["all"].get("checks", Share())


def watch(seen: list[dict[str, Any]]) -> None:
    """From now on, add each check of this process to `seen`."""
    plain, answered = solve.plain, solve._answered
    spent = [0]

    def timed(run: Run, *args: Any, **operands: Any) -> Any:
        before = run.solver_ns
        try:
            return plain(run, *args, **operands)
        finally:
            spent[0] = run.solver_ns - before

    def noted(run: Run, answer: Any, assumptions: list[Entry], action: str) -> str:
        ns = spent[0]  # the checks of the answer come later
        asserted = [entry.term for entry in run.state.asserted()]
        terms = subterms([*asserted, *(entry.term for entry in assumptions)])
        seen.append(
            {
                "unknown": str(answer) not in ("sat", "unsat"),
                "ns": ns,
                "ms": (run.state.limit or 0) / run.wrapper.facts.limit_per_ms,
                "operators": sorted({term.op for term in terms} - {*LEAVES}),
                "asserted": sorted({term.serial for term in asserted}),
            }
        )
        return answered(run, answer, assumptions, action)

    solve.plain, solve._answered = timed, noted


def group(groups: Groups, checks: list[dict[str, Any]], theories: dict[str, str]) -> None:
    """Count the checks of one run in all groups."""
    before: dict[str, Any] = {}
    for check in checks:
        unknown, ns = check["unknown"], check["ns"]
        groups.add("all", "checks", unknown, ns)
        bound = next((ms for ms in LIMITS if check["ms"] <= ms), 0)
        groups.add("limit", f"up to {bound} ms" if bound else "more", unknown, ns)
        kept = before.get("unknown") and {*before["asserted"]} <= {*check["asserted"]}
        groups.add("behind", "an unknown answer" if kept else "another", unknown, ns)
        for operator in check["operators"]:
            groups.add("operator", operator, unknown, ns)
        for theory in sorted({theories.get(one, "UF") for one in check["operators"]}):
            groups.add("theory", theory, unknown, ns)
        before = check


def report(groups: Groups) -> None:
    """Print the tables."""
    usual = groups.all.unknown / max(1, groups.all.checks)
    header = ("group", "checks", "unknown", "excess", "CPU s unknown", "CPU s")
    for title, shares in groups.of.items():
        rows = sorted(shares.items(), key=lambda item: -item[1].unknown_ns)
        told = [(n, share) for n, share in rows if share.checks >= LEAST or title == "all"]
        table(f"By {title}", header, [share.row(n, usual) for n, share in told[:SHOWN]])


def main() -> None:
    """Run it."""
    args: argparse.Namespace = common.parser(__doc__, 400).parse_args()
    session = common.load(args)
    theories = {kind: one.theory for kind, one in session.catalogue.operators.items()}
    seen: list[dict[str, Any]] = []
    watch(seen)

    def task(session: Session, seed: int, write: Write) -> dict[str, Any]:
        seen.clear()
        counts = session.walk(seed, write)["counts"]
        return {
            "checks": list(seen),
            "ns": counts["time-ns:run"],
            "decided": counts.get("check:decided", 0),
        }

    groups, runs, decided, ns = Groups(), 0, 0, 0
    for outcome in run_all(session, common.seeds(args), task, args.jobs, args.wall):
        if outcome.status == "ok":
            runs += 1
            decided += outcome.result["decided"]
            ns += outcome.result["ns"]
            group(groups, outcome.result["checks"], theories)
    report(groups)
    behind = groups.of["behind"].get("an unknown answer", Share())
    row = {
        "runs that ended": runs,
        "checks": groups.all.checks,
        "unknown": percent(groups.all.unknown, groups.all.checks),
        "CPU s of unknown / of runs": f"{groups.all.unknown_ns / 1e9:.1f} / {ns / 1e9:.1f}",
        "decided a CPU s of runs": decided / max(1e-9, ns / 1e9),
        "behind an unknown answer": behind.checks,
        "unknown of these": percent(behind.unknown, max(1, behind.checks)),
    }
    print(row)
    if not args.no_save:
        common.add_row("unknown", row, common.facts(session, args))


if __name__ == "__main__":
    main()
