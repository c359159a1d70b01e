"""What runs reach of a binding: each public callable is called by walks, by contract mode only, or
never.

`python bench/callables.py z3 --runs 20000` makes so many walks and as many runs of contract mode, and
adds a row to `bench/results/callables.md`.

The public callables are those of contract mode, without special methods and properties, and those
that the wrapper lists as never called, with the reason. One counts as called by walks where a
template of a spelling that a run used, or a helper, has its name before a parenthesis. What the
binding calls inside itself does not count. A method that several classes share counts for each of
them, so the share of the walks is an upper bound.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import common
from children import run_all
from common import percent, table

from murxpy.data import load_machine
from murxpy.machine.trace.finished import read_rows
from murxpy.oracles.documented import templates
from murxpy.worker.session import Session

_NAMED = re.compile(r"\b([A-Za-z_]\w*)\(")


def used(session: Session, seed: int, write: Callable[[str], None]) -> dict[str, Any]:
    """A walk: the keys and names of the spellings that it used."""
    found: dict[str, None] = {}

    def look(text: str) -> None:
        write(text)
        for row in read_rows(text):
            keys = (row.call.operator, row.action)
            found.update(dict.fromkeys(f"{key} {row.spelling}" for key in keys))

    session.walk(seed, look)
    return {"used": list(found)}


def called(session: Session, seed: int, write: Callable[[str], None]) -> dict[str, Any]:
    """A run of contract mode: the public callables that it called."""
    counts = session.walk(seed, write)["counts"]
    rules = (name.split(":", 2)[2] for name in counts if name.startswith("callable:"))
    return {"called": [*dict.fromkeys(rules)]}


def main() -> int:
    args = common.parser(__doc__, 20_000).parse_args()
    session = common.load(args)
    wrapper = session.wrapper.data
    known = {" ".join(place): text for place, text in templates(wrapper)}
    texts = {text: None for _, text in wrapper["helpers_sources"]}
    for outcome in run_all(session, common.seeds(args), used, args.jobs, args.wall):
        if outcome.status == "ok":
            texts.update(dict.fromkeys(known.get(name, "") for name in outcome.result["used"]))
    contract = Session(common.setup(args) | {"machine": load_machine("contract")})
    broken: dict[str, None] = {}
    for outcome in run_all(contract, common.seeds(args), called, args.jobs, args.wall):
        if outcome.status == "ok":
            broken |= dict.fromkeys(outcome.result["called"])
    found = session.wrapper.callables
    names = list(filter(_plain, found.callees))
    named = set(_NAMED.findall("\n".join(texts)))
    by_walks = [name for name in names if name.rpartition(".")[2] in named]
    by_contract = [name for name in names if name in broken and name not in by_walks]
    unused = [name for name in names if name not in broken and name not in by_walks]
    never = Counter(why for name, why in found.skipped.items() if _plain(name))
    never["not reached in these runs"] = len(unused)
    total = len(names) + sum(never.values()) - len(unused)
    rows = [("walks", len(by_walks), ""), ("contract mode only", len(by_contract), "")]
    rows += [("never", count, why) for why, count in never.most_common() if count]
    table(f"{total:,} public callables", ("called by", "callables", "why"), rows)
    for name in unused[:20]:
        print(f"  not reached: {name}")
    row = {
        "runs": args.runs,
        "callables": total,
        "by walks": percent(len(by_walks), total),
        "by contract mode only": percent(len(by_contract), total),
        "never": percent(sum(never.values()), total),
        "why never": "; ".join(f"{why}: {n}" for why, n in never.most_common() if n),
    }
    figures = {"walks": by_walks, "contract": by_contract, "never": dict(never)}
    common.save("callables", args, common.facts(session, args), figures, row)
    return 0


def _plain(name: str) -> bool:
    return not name.startswith("get:") and "__" not in name


if __name__ == "__main__":
    sys.exit(main())
