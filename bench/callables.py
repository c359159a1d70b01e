"""What runs reach of a binding: each public callable is called by walks, by contract mode only, or
never.

`python bench/callables.py z3 --runs 20000` makes so many walks and as many runs of contract mode, and
adds a row to `bench/results/callables.md`. `murxpy statistics` says the same of a campaign.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import common
from children import Write, run_all
from common import percent, table

from murxpy.campaign.statistics import Reach, callables_of, reach
from murxpy.data import load_machine
from murxpy.worker.session import Session


def counted(session: Session, seed: int, write: Write) -> dict[str, Any]:
    """The counters of a walk."""
    return {"counts": dict(session.walk(seed, write)["counts"])}


def of_modules(found: Reach, modules: Sequence[str]) -> dict[str, str]:
    """The share of the callables of each module that walks call, without those that nothing calls for
    a reason.
    """
    shares = {}
    for module in modules:
        inner = [one for one in modules if one.startswith(f"{module}.")]

        def count(names: Sequence[str], start: str = module, not_in: list[str] = inner) -> int:
            mine = [name for name in names if name.startswith(f"{start}.")]
            return sum(not name.startswith(tuple(f"{one}." for one in not_in)) for name in mine)

        walks = count(found.walks)
        total = walks + count(found.contract) + count(found.unreached)
        shares[module] = percent(walks, total)
    return shares


def main() -> int:
    args = common.parser(__doc__, 20_000).parse_args()
    setup = common.setup(args) | {"callables": True}
    counts: Counter[str] = Counter()
    session = Session(setup)
    contract = Session(setup | {"machine": load_machine("contract")})
    for one in (session, contract):
        for outcome in run_all(one, common.seeds(args), counted, args.jobs, args.wall):
            if outcome.status == "ok":
                made = outcome.result["counts"]
                only = "callable:" if one is contract else "spelling:"
                counts.update({name: n for name, n in made.items() if name.startswith(only)})
    found = reach(callables_of(session.wrapper.data, session.describe()), counts)
    never = found.skipped | {"not reached in these runs": len(found.unreached)}
    rows = [("walks", len(found.walks), ""), ("contract mode only", len(found.contract), "")]
    rows += [("never", count, why) for why, count in never.items() if count]
    table(f"{found.total:,} public callables", ("called by", "callables", "why"), rows)
    modules = of_modules(found, (session.wrapper.data["contract"].get("calls") or {})["modules"])
    table("by walks, of each module", ("module", "share"), modules.items())
    for name in found.unreached[:20]:
        print(f"  not reached: {name}")
    row = {
        "runs": args.runs,
        "callables": found.total,
        "by walks": percent(len(found.walks), found.total),
        "by walks, of what is not left out": "; ".join(f"{k}: {v}" for k, v in modules.items()),
        "by contract mode only": percent(len(found.contract), found.total),
        "never": percent(sum(never.values()), found.total),
        "why never": "; ".join(f"{why}: {n}" for why, n in never.items() if n),
    }
    common.save("callables", args, common.facts(session, args), {"never": never}, row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
