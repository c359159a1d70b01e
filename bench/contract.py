"""Contract mode: what the misuses of random runs come to, by rule, and which rules were reached."""

from __future__ import annotations

from collections import Counter
from typing import Any

import common
from collect import Collected, add_arguments, collect, examples
from common import percent, table, verdict

from murxpy.machine.misuse.rules import RULES

OUTCOMES = ("refused", "kept", "unreached", "resources", "finding")


def report(data: Collected) -> dict[str, Any]:
    """Print the tables; gives the figures."""
    by_rule = {name: _outcomes(data["counts"], name) for name in RULES}
    total = sum((Counter(found) for found in by_rule.values()), Counter[str]())
    misuses = sum(data["counts"].get(f"misuse:{name}", 0) for name in RULES)
    rows = [
        (name, RULES[name].letter, data["counts"].get(f"misuse:{name}", 0), *(found[o] for o in OUTCOMES), "")
        for name, found in by_rule.items()
    ]
    table(f"Misuses in {data['runs']:,} runs of {data['solver']}, by rule", ("rule", "class", "misuses", *OUTCOMES, ""), rows)
    table("Outcomes", ("outcome", "misuses", "share", ""), [(o, total[o], percent(total[o], misuses), "") for o in OUTCOMES])
    # a run that died reports no counts, only the call in which it died
    reached = [n for n in RULES if data["counts"].get(f"misuse:{n}") or any(died.endswith(f"misuse@{n}") for died in data["died"])]
    print(f"\nRules reached: {len(reached)} of {len(RULES)}, {verdict(len(reached) == len(RULES))}")
    figures: dict[str, Any] = {"runs": data["runs"], "misuses": misuses, "rules reached": len(reached), "rules": len(RULES)}
    for group, title in (("findings", "Findings"), ("died", "Deaths of the process"), ("overstayed", "Runs killed")):
        if data[group]:
            table(title, ("runs", "seeds", "what"), [(n, seeds, text[:140]) for n, seeds, text in examples(data[group])])
        figures[group] = sum(entry["runs"] for entry in data[group].values())
    return figures | {"outcomes": dict(total), "by rule": by_rule}


def _outcomes(counts: dict[str, int], rule: str) -> dict[str, int]:
    return {outcome: counts.get(f"misuse-{outcome}:{rule}", 0) for outcome in OUTCOMES}


def main() -> None:
    """Run it."""
    parser = common.parser(__doc__, 2_000)
    add_arguments(parser)
    parser.set_defaults(machine="contract")
    args = parser.parse_args()
    session = common.load(args)
    data = collect(args, session)
    figures = report(data)
    row = {
        "runs": data["runs"],
        "misuses": figures["misuses"],
        **{outcome: percent(figures["outcomes"].get(outcome, 0), figures["misuses"]) for outcome in OUTCOMES},
        "died": figures["died"],
        "rules": f"{figures['rules reached']} of {figures['rules']}",
    }
    common.save("contract", args, common.facts(session, args), {**figures, **{g: data[g] for g in ("findings", "died")}}, row)


if __name__ == "__main__":
    main()
