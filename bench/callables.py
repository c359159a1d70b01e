"""Which share of a binding's public callables the runs of its wrapper name.

It prints the share and writes no table.

    python bench/callables.py z3 --runs 2000

The public callables are those of contract mode, without special methods and properties. One counts
as named where a template of a spelling that a run used, or a helper, has its name before a
parenthesis. What the binding calls inside itself does not count. A method that several classes
share counts for each of them, so the share is an upper bound.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import common
from children import run_all

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


def main() -> int:
    args = common.parser(__doc__, 2000).parse_args()
    session = common.load(args)
    wrapper = session.wrapper.data
    known = {" ".join(place): text for place, text in templates(wrapper)}
    texts = {text: None for _, text in wrapper["helpers_sources"]}
    for outcome in run_all(session, common.seeds(args), used, args.jobs, args.wall):
        if outcome.status == "ok":
            texts.update(dict.fromkeys(known.get(name, "") for name in outcome.result["used"]))
    named = set(_NAMED.findall("\n".join(texts)))
    names = [
        name
        for name in session.wrapper.callables.callees
        if not name.startswith("get:") and "__" not in name
    ]
    reached = [name for name in names if name.rpartition(".")[2] in named]
    print(
        f"{len(reached)} of {len(names)} public callables named ({100 * len(reached) / len(names):.1f} %)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
