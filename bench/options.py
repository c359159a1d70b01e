"""Options of a solver that random runs draw: by category how many the release offers, how many runs
draw, and why the others are left out or refused.

`python bench/options.py cvc5 --options all` adds a row to `bench/results/options.md`.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import common
from children import Write, run_all
from common import percent, table, verdict

from murxpy.solvers.options import chosen, excluded
from murxpy.worker.session import Session

AIM = 0.95  # share of the offered options that runs draw
_SET = re.compile(r"^ *\d+ set-option@\S+ (\S+) .*\n( +refused)?", re.M)
Row = list[int]


def main() -> None:
    """Run it."""
    parser = common.parser(__doc__, 20_000)
    parser.add_argument("--options", default="all", help="sets, names and patterns, with commas")
    args = parser.parse_args()
    session = Session({**common.setup(args), "drawn-options": args.options.split(",")})
    taken, refused, statuses = _runs(session, args)
    facts = session.wrapper.facts
    told = {entry["name"]: entry for entry in session.wrapper.read_options}
    offered = {option.name for option in chosen(facts, args.options.split(","))} & set(told)
    rows: dict[str, Row] = {}
    because: Counter[str] = Counter()
    never = []
    for name, entry in told.items():
        row = rows.setdefault(entry.get("category", "all"), [0, 0, 0, 0, 0])
        row[0] += 1
        row[1] += name in offered
        row[2] += name in offered and name in taken
        row[3] += name in offered and name not in taken and name in refused
        if name in offered:
            never += [name] if name not in taken else []
        elif reason := excluded(facts, entry):
            row[4] += 1
            because[reason] += 1
    version = f"{session.wrapper.name} {session.version}"
    table(
        f"Options of {version} in {args.runs:,} runs with --options {args.options}",
        ("category", "of the solver", "offered", "drawn", "always refused", "excluded", "drawn"),
        [(name, *row, percent(row[2], row[1])) for name, row in rows.items()],
    )
    table("Excluded", ("an option that", "options"), because.most_common())
    table("Refused in runs", ("option", "runs", "taken"), _most(refused, taken))
    print(f"\nnever taken: {', '.join(never) or 'none'}")
    drawn, whole = (sum(row[at] for row in rows.values()) for at in (2, 1))
    print(
        f"{percent(drawn, whole)} of the offered options are drawn: {verdict(drawn >= AIM * whole)}"
    )
    names = ("of the solver", "offered", "drawn", "always refused", "excluded")
    sums = {name: sum(row[at] for row in rows.values()) for at, name in enumerate(names) if at != 2}
    figures = {"options": args.options, "runs": args.runs, **sums, "drawn": drawn, **statuses}
    details = {"categories": rows, "excluded": because, "never taken": never}
    about = common.facts(session, args)
    common.save("options", args, about, {**figures, **details}, figures)


def _runs(session: Session, args: Any) -> tuple[Counter[str], Counter[str], dict[str, int]]:
    """How often runs set each option, how often the solver refused it, and how runs ended."""

    def task(session: Session, seed: int, write: Write) -> dict[str, Any]:
        lines: list[str] = []

        def both(text: str) -> None:
            lines.append(text)
            write(text)

        report = session.walk(seed, both)
        return {"set": _SET.findall("".join(lines)), "found": report["finding"] is not None}

    taken: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    statuses = {"findings": 0, "died": 0, "overstayed": 0}
    for outcome in run_all(session, common.seeds(args), task, args.jobs, args.wall):
        fine = outcome.status == "ok"
        for name, no in outcome.result["set"] if fine else _SET.findall(outcome.trace):
            (refused if no else taken)[name] += 1
        if not fine:
            statuses[outcome.status] += 1
        elif outcome.result["found"]:
            statuses["findings"] += 1
    return taken, refused, statuses


def _most(refused: Counter[str], taken: Counter[str]) -> list[tuple[str, int, int]]:
    return [(name, count, taken[name]) for name, count in refused.most_common(15)]


if __name__ == "__main__":
    main()
