"""How fast the scripts of a grammar are made and answered, in seconds of the processor, and whether
the counts are those of the specification.

    python bench/enumeration.py z3 --scripts 51000 --tested 2000
    python bench/enumeration.py cvc5 --grammars ints,strings

For each grammar: the scripts that are made from random indices up to `--scripts` in a second (which
have no memory of their neighbours), those made in order, one of index 10^275, and the scripts that a
solver in this process answers in a second, with the models of sat answers judged, and without.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from common import facts, parser, save, setup, table

from murxpy.data.grammars import grammar_names, load_grammar
from murxpy.enumeration.blocks import COUNTED, Blocks
from murxpy.enumeration.grammar import Grammar
from murxpy.fuzzers.api import SCRIPT_CHECKS
from murxpy.worker.session import Session

LARGE = 10**275
CHECK_MS = 50.0
BLOCK = 100


def main() -> None:
    """Measure, print and keep."""
    made = parser(__doc__, None)
    made.add_argument("--grammars", default="", help="their names; the shipped ones without any")
    made.add_argument("--scripts", type=int, default=51_000, help="scripts that are made")
    made.add_argument("--tested", type=int, default=1000, help="scripts that the solver answers")
    args = made.parse_args()
    names = args.grammars.split(",") if args.grammars else grammar_names()
    rows = []
    session: Session | None = None
    for name in names:
        row, session = measure(name, args)
        rows.append(row)
    header = [
        "grammar",
        "random/s",
        "in order/s",
        "10^275 in s",
        "answered/s",
        "decided",
        "unjudged/s",
    ]
    table(
        "Scripts made and answered in a second of the processor",
        header,
        map(list, (r.values() for r in rows)),
    )
    assert session is not None
    slowest = min(rows, key=lambda row: row["answered"])
    save(
        "enumeration",
        args,
        facts(session, args),
        {"grammars": rows},
        {
            "made in any order": f"{min(row['random'] for row in rows):,}/s",
            "answered": f"{slowest['answered']:,}/s ({slowest['grammar']}) to "
            f"{max(row['answered'] for row in rows):,}/s",
        },
    )


def measure(name: str, args: Any) -> tuple[dict[str, Any], Session]:
    """The figures of one grammar."""
    grammar = Grammar(load_grammar(name))
    stream = random.Random(args.seed)
    indices = [stream.randrange(args.scripts) for _ in range(args.scripts)]
    scattered = seconds(lambda: [grammar.at(index) for index in indices])
    ordered = seconds(lambda: [grammar.at(index) for index in range(args.scripts)])
    large = seconds(lambda: grammar.at(LARGE))
    judged, decided, session = answered(name, args, SCRIPT_CHECKS)
    plain, _, _ = answered(name, args, ())
    row = {
        "grammar": name,
        "random": round(args.scripts / scattered),
        "ordered": round(args.scripts / ordered),
        "large": round(large, 3),
        "answered": round(args.tested / judged),
        "decided": f"{decided / args.tested:.1%}",
        "unjudged": round(args.tested / plain),
    }
    return row, session


def answered(name: str, args: Any, checks: Any) -> tuple[float, int, Session]:
    """The seconds that the scripts of a grammar take in a solver of this process, from the middle of
    those that are made, and how many are decided.
    """
    enumeration = {
        "grammars": [load_grammar(name)],
        "at": str(args.scripts // 2),
        "take": args.tested,
        "block": BLOCK,
        "check-ms": CHECK_MS,
    }
    session = Session({**setup(args), "checks": list(checks), "enumeration": enumeration})
    blocks = Blocks(enumeration)
    counts: dict[str, int] = {}
    begun = time.process_time()
    for number in range(blocks.number):
        for key, n in session.walk(blocks.seed_of(number), lambda line: None)["counts"].items():
            counts[key] = counts.get(key, 0) + n
    took = time.process_time() - begun
    decided = sum(
        n for key, n in counts.items() if key.startswith(COUNTED) and key.endswith(("sat", "unsat"))
    )
    return took, decided, session


def seconds(work: Callable[[], object]) -> float:
    """The seconds of the processor that something takes."""
    begun = time.process_time()
    work()
    return max(1e-9, time.process_time() - begun)


if __name__ == "__main__":
    main()
