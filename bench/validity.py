"""Validity of random runs: calls that the binding refuses, by class and message, and what was found
or broke.

`python bench/validity.py z3` adds a row to `bench/results/validity.md`.
"""

from __future__ import annotations

import re
from typing import Any

import common
from collect import Collected, add_arguments, collect, examples
from common import percent, table, verdict

CLASSES = ("ill-formed", "undocumented", "unsupported", "resources")
_INNERMOST = re.compile(r"\([^()]*\)|\([^()]*$|\b_(?: _)+")
AIM = 0.01  # share of runs with an unsupported refusal


def report(data: Collected) -> dict[str, Any]:
    """Print the tables; gives the figures."""
    runs, within = data["runs"], data["runs_with"]
    aims = {"ill-formed": 0.0, "unsupported": AIM}
    rows = []
    for name in CLASSES:
        count = within.get(f"refusal:{name}", 0)
        fine = verdict(count <= aims[name] * runs) if name in aims else ""
        aim = f"<= {percent(aims[name], 1)}" if name in aims else ""
        rows.append(
            (name, data["counts"].get(f"refusal:{name}", 0), count, percent(count, runs), aim, fine)
        )
    table(
        f"Refused calls in {runs:,} runs of {data['solver']}",
        ("class", "calls", "runs", "share", "aim", ""),
        rows,
    )
    for name in CLASSES:
        _messages(data, name)
    figures = {f"runs with {name}": within.get(f"refusal:{name}", 0) for name in CLASSES}
    for group, title in (
        ("findings", "Findings"),
        ("died", "Deaths of the process"),
        ("overstayed", "Runs killed"),
    ):
        if data[group]:
            found = [(n, seeds, text[:140]) for n, seeds, text in examples(data[group])]
            table(title, ("runs", "seeds", "what"), found)
        figures[group] = sum(entry["runs"] for entry in data[group].values())
    return figures


def _messages(data: Collected, name: str) -> None:
    prefix = f"refusal-message:{name}:"
    found: dict[str, tuple[int, str]] = {}
    for key, runs in data["runs_with"].items():
        if key.startswith(prefix):
            text = _without_terms(key.removeprefix(prefix))
            before, seed = found.get(text, (0, data["seeds"][key]))
            found[text] = (before + runs, seed)
    rows = [(runs, percent(runs, data["runs"]), seed, text) for text, (runs, seed) in found.items()]
    if rows:
        table(f"{name}: messages", ("runs", "share", "seed", "message"), sorted(rows, reverse=True))


def _without_terms(text: str) -> str:
    """A message without the terms and sorts in it, also those that were cut off."""
    shorter = _INNERMOST.sub("_", text)
    while shorter != text:
        text, shorter = shorter, _INNERMOST.sub("_", shorter)
    return text


def main() -> None:
    """Run it."""
    parser = common.parser(__doc__, 20_000)
    add_arguments(parser)
    args = parser.parse_args()
    session = common.load(args)
    data = collect(args, session)
    figures = report(data)
    refusals = {key: (n, data["seeds"][key]) for key, n in data["runs_with"].items()}
    groups = {name: data[name] for name in ("findings", "died", "overstayed")}
    about = common.facts(session, args)
    common.save(
        "validity",
        args,
        about,
        {"runs": data["runs"], "figures": figures, "runs with": refusals, **groups},
        {"runs": data["runs"], **figures},
    )


if __name__ == "__main__":
    main()
