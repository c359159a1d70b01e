"""Contract mode: what the misuses of random runs come to, by rule; which rules and which public
callables were reached.

`python bench/contract.py z3` adds a row to `bench/results/contract.md`.

A callable with operands counts as misused in a call with an operand at an edge, one without as used
in any call: there is nothing to break but the object that it is called of. So it is with those
whose operands the wrapper seals, since they name files or change the process. Of a run that died,
the calls of public callables are counted by its trace.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import common
from collect import Collected, add_arguments, collect, examples
from common import percent, table, verdict

from murxpy.machine.contract.rules import RULES
from murxpy.solvers.callables import Callee
from murxpy.worker.session import Session

OUTCOMES = ("refused", "untidy", "kept", "unreached", "resources", "finding")


def report(data: Collected) -> dict[str, Any]:
    """Print the tables; gives the figures."""
    by_rule = {name: _outcomes(data["counts"], name) for name in RULES}
    total = sum((Counter(found) for found in by_rule.values()), Counter[str]())
    misuses = sum(data["counts"].get(f"misuse:{name}", 0) for name in RULES)
    rows = [
        (
            name,
            RULES[name].letter,
            data["counts"].get(f"misuse:{name}", 0),
            *(found[o] for o in OUTCOMES),
            "",
        )
        for name, found in by_rule.items()
    ]
    table(
        f"Misuses in {data['runs']:,} runs of {data['solver']}, by rule",
        ("rule", "class", "misuses", *OUTCOMES, ""),
        rows,
    )
    table(
        "Outcomes",
        ("outcome", "misuses", "share", ""),
        [(o, total[o], percent(total[o], misuses), "") for o in OUTCOMES],
    )
    reached = [
        n
        for n in RULES
        if data["counts"].get(f"misuse:{n}")
        or any(died.endswith(f"misuse@{n}") for died in data["died"])
    ]
    print(f"\nRules reached: {len(reached)} of {len(RULES)}, {verdict(len(reached) == len(RULES))}")
    figures: dict[str, Any] = {
        "runs": data["runs"],
        "misuses": misuses,
        "rules reached": len(reached),
        "rules": len(RULES),
    }
    for group, title in (
        ("findings", "Findings"),
        ("died", "Deaths of the process"),
        ("overstayed", "Runs killed"),
    ):
        if data[group]:
            table(
                title,
                ("runs", "seeds", "what"),
                [(n, seeds, text[:140]) for n, seeds, text in examples(data[group])],
            )
        figures[group] = sum(entry["runs"] for entry in data[group].values())
    return figures | {"outcomes": dict(total), "by rule": by_rule}


def _outcomes(counts: dict[str, int], rule: str) -> dict[str, int]:
    return {outcome: counts.get(f"misuse-{outcome}:{rule}", 0) for outcome in OUTCOMES}


AIM = 20  # misuses of each public callable
AIM_RUNS = 20_000  # in so many runs


def reached(data: Collected, session: Session) -> dict[str, Any]:
    """Print how often public callables were misused; gives the figures, with each callable that was
    misused too seldom and why.
    """
    counts, found = data["counts"], session.wrapper.callables
    least = max(1, round(AIM * data["runs"] / AIM_RUNS))
    uses = {name: _misuses(counts, callee) for name, callee in found.callees.items()}
    seldom = {
        name: _why(counts, found.callees[name], uses[name])
        for name, count in uses.items()
        if count < least
    }
    plain = sum(not _open(callee) for callee in found.callees.values())
    print(
        f"\nPublic callables: {len(uses):,} ({plain:,} take no operand that may be broken), "
        f"and {len(found.skipped):,} that are never called"
    )
    print(
        f"Misused at least {least} times in {data['runs']:,} runs: {len(uses) - len(seldom):,} "
        f"({percent(len(uses) - len(seldom), len(uses))}), {verdict(not seldom)}"
    )
    table(
        "Public callables that were misused less",
        ("callable", "misuses", "why"),
        [(n, uses[n], why) for n, why in seldom.items()],
    )
    reasons = Counter(found.skipped.values())
    table(
        "Never called",
        ("reason", "callables", ""),
        [(reason, count, "") for reason, count in reasons.most_common()],
    )
    return {
        "callables": len(uses),
        "least": least,
        "misused": len(uses) - len(seldom),
        "seldom": seldom,
        "uses": uses,
        "skipped": dict(reasons),
        "accepted": sum(counts.get(f"callable-taken:{name}", 0) > 0 for name in uses),
    }


def _misuses(counts: dict[str, int], callee: Callee) -> int:
    rules = ("edge", "alike") if _open(callee) else ("call",)
    return sum(counts.get(f"callable:{rule}:{callee.name}", 0) for rule in rules)


def _open(callee: Callee) -> bool:
    """True if an operand of the callable may be broken."""
    return any(not parameter.sealed for form in callee.forms for parameter in form)


def _why(counts: dict[str, int], callee: Callee, misuses: int) -> str:
    calls = counts.get(f"callable:call:{callee.name}", 0)
    if not calls and not misuses:
        return (
            "no object of its class was made"
            if callee.owner is not None
            else "not drawn, or the runs that called it died"
        )
    return f"called {calls} times" + (
        "" if callee.owner is None else ", as objects of its class are seldom"
    )


def main() -> None:
    """Run it."""
    parser = common.parser(__doc__, 2_000)
    add_arguments(parser)
    parser.set_defaults(machine="contract")
    args = parser.parse_args()
    session = common.load(args)
    data = collect(args, session)
    figures = report(data)
    by_name = reached(data, session)
    row = {
        "runs": data["runs"],
        "misuses": figures["misuses"],
        **{
            outcome: percent(figures["outcomes"].get(outcome, 0), figures["misuses"])
            for outcome in OUTCOMES
        },
        "died": figures["died"],
        "rules": f"{figures['rules reached']} of {figures['rules']}",
        "callables": f"{by_name['misused']} of {by_name['callables']}, {by_name['least']} times or more",
    }
    figures |= {"by name": by_name, **{group: data[group] for group in ("findings", "died")}}
    common.save("contract", args, common.facts(session, args), figures, row)


if __name__ == "__main__":
    main()
