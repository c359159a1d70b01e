"""Quality of random runs: checks with something in them, terms that reach one, answers looked at,
literals made, and how often a run draws each action.

`python bench/quality.py z3` adds a row to `bench/results/quality.md`.
"""

from __future__ import annotations

from typing import Any

import common
from collect import Collected, add_arguments, collect, examples
from common import percent, table, verdict
from literals import EXPECTED

# Figure, counters of part and whole, aim, and whether the aim is a floor.
FIGURES = (
    ("runs without a check", "run:no-check", "run:total", 0.05, False),
    ("checks with something asserted or assumed", "check:asserted", "check:total", 0.95, True),
    (
        "operator terms that reach an assertion or assumption",
        "term:reached",
        "term:made",
        0.80,
        True,
    ),
    ("sat answers after which the model is read", "sat:model-read", "sat:total", 0.50, True),
    (
        "unsat answers after which a core or the assumptions are read",
        "unsat:core-read",
        "unsat:total",
        0.50,
        True,
    ),
)


def report(data: Collected) -> dict[str, Any]:
    """Print the tables; gives the figures."""
    counts, figures, rows = data["counts"], {}, []
    for name, part, whole, aim, floor in FIGURES:
        share = counts.get(part, 0) / max(1, counts.get(whole, 0))
        figures[name] = round(share, 4)
        fine = share >= aim if floor else share < aim
        rows.append(
            (name, percent(share, 1), f"{'>=' if floor else '<'} {percent(aim, 1)}", verdict(fine))
        )
    table(
        f"Quality over {data['runs']:,} runs of {data['solver']}",
        ("figure", "share", "aim", ""),
        rows,
    )
    made = {name: n for name, n in counts.items() if name.startswith("action:")}
    table(
        "Actions a run",
        ("action", "a run"),
        [
            (name.partition(":")[2], f"{n / data['runs']:.2f}")
            for name, n in sorted(made.items(), key=lambda item: -item[1])
        ],
    )
    figures["literal classes missing"] = literals(data["literals"])
    lost = [
        (runs, f"{group} {text}")
        for group in ("died", "overstayed")
        for runs, _, text in examples(data[group])
    ]
    figures["runs lost"] = sum(runs for runs, _ in lost)
    if lost:
        table(
            "Runs that did not end by themselves, which count for nothing above",
            ("runs", "how, last call"),
            lost,
        )
    return figures


def literals(seen: dict[str, int]) -> list[str]:
    """Print how often each class of literals was made; gives those that never were, of sorts that
    had literals.
    """
    kinds = dict.fromkeys([*EXPECTED, *(name.partition(":")[0] for name in seen)])
    rows: list[tuple[str, int, str]] = []
    missing = []
    for kind in kinds:
        found = {
            name.partition(":")[2]: n for name, n in seen.items() if name.startswith(f"{kind}:")
        }
        absent = [name for name in EXPECTED.get(kind, ()) if found and name not in found]
        missing += [f"{kind} {name}" for name in absent]
        shown = [f"{name} {n:,}" for name, n in sorted(found.items(), key=lambda item: -item[1])]
        rows.append(
            (
                kind,
                sum(found.values()),
                ", ".join([*shown, *(f"{name} MISSING" for name in absent)]),
            )
        )
    table(
        "Literals by sort and class (a literal may be in several)",
        ("sort", "in all", "classes"),
        rows,
    )
    return missing


def main() -> None:
    """Run it."""
    parser = common.parser(__doc__, 5000)
    add_arguments(parser)
    args = parser.parse_args()
    session = common.load(args)
    data = collect(args, session)
    figures = report(data)
    row = {
        "runs": data["runs"],
        **{k: percent(v, 1) if isinstance(v, float) else v for k, v in figures.items()},
    }
    row["literal classes missing"] = ", ".join(figures["literal classes missing"]) or "none"
    about = common.facts(session, args)
    common.save(
        "quality",
        args,
        about,
        {"runs": data["runs"], "figures": figures, "literals": data["literals"]},
        row,
    )


if __name__ == "__main__":
    main()
