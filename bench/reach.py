"""Reach of random runs: operators and spellings of the solver's release that run too seldom, and
undecided checks.

`python bench/reach.py z3` adds a row to `bench/results/reach.md`.
"""

from __future__ import annotations

from typing import Any

import common
from collect import Collected, add_arguments, collect
from common import percent, table, verdict

from murxpy.worker.session import Session

OPERATOR, SPELLING, UNKNOWN = 20, 5, 0.25
FULL = 20_000  # runs for which the aims are meant; for fewer they shrink in proportion


def available(session: Session) -> dict[str, list[str]]:
    """The operators that runs draw from, each with its spellings of a weight above 0."""
    found = {}
    for kinds in session.swarm.available().values():
        for kind in kinds:
            spellings = session.wrapper.set("operators", kind)
            if spellings is not None:
                found[kind] = [s.name for s in spellings.spellings if s.weight > 0]
    return found


def report(data: Collected, known: dict[str, list[str]]) -> dict[str, Any]:
    """Print the tables; gives the figures."""
    counts, scale = data["counts"], min(1.0, data["runs"] / FULL)
    made: dict[str, int] = {kind: counts.get(f"op-ok:{kind}", 0) for kind in known}
    spelled = {
        f"{kind}@{name}": counts.get(f"spelling:{kind}@{name}", 0)
        for kind, names in known.items()
        for name in names
    }
    rare = {kind: n for kind, n in made.items() if n < OPERATOR * scale}
    rare_spellings = {name: n for name, n in spelled.items() if n < SPELLING * scale}
    checks = counts.get("check:total", 0)
    unknown = counts.get("answer:unknown", 0)
    table(
        f"Reach over {data['runs']:,} runs of {data['solver']}",
        ("figure", "all", "short", "aim", ""),
        (
            (
                "operators",
                len(made),
                len(rare),
                f">= {OPERATOR * scale:.3g} each",
                verdict(not rare),
            ),
            (
                "spellings",
                len(spelled),
                len(rare_spellings),
                f">= {SPELLING * scale:.3g} each",
                verdict(not rare_spellings),
            ),
            (
                "unknown answers",
                checks,
                percent(unknown, checks),
                f"< {percent(UNKNOWN, 1)}",
                verdict(unknown < UNKNOWN * max(1, checks)),
            ),
        ),
    )
    if rare:
        tried = {kind: counts.get(f"op:{kind}", 0) for kind in rare}
        table(
            "Operators below",
            ("operator", "tried", "made"),
            [(kind, tried[kind], rare[kind]) for kind in sorted(rare, key=rare.__getitem__)],
        )
    if rare_spellings:
        table(
            "Spellings below",
            ("spelling", "made"),
            [
                (name, rare_spellings[name])
                for name in sorted(rare_spellings, key=rare_spellings.__getitem__)
            ],
        )
    return {
        "operators": len(made),
        "operators below": rare,
        "spellings": len(spelled),
        "spellings below": rare_spellings,
        "unknown share": round(unknown / max(1, checks), 4),
    }


def main() -> None:
    """Run it."""
    parser = common.parser(__doc__, FULL)
    add_arguments(parser)
    args = parser.parse_args()
    session = common.load(args)
    known = available(session)
    data = collect(args, session)
    figures = report(data, known)
    row = {
        "runs": data["runs"],
        "operators": figures["operators"],
        "below 20": len(figures["operators below"]),
        "spellings": figures["spellings"],
        "below 5": len(figures["spellings below"]),
        "unknown": percent(figures["unknown share"], 1),
    }
    common.save("reach", args, common.facts(session, args), {"runs": data["runs"], **figures}, row)


if __name__ == "__main__":
    main()
