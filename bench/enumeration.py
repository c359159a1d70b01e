"""How fast the scripts of a grammar are made and answered, in seconds of the processor, and whether
the counts are those of the specification.

`python bench/enumeration.py z3` adds a row to `bench/results/enumeration.md`.

    python bench/enumeration.py z3 --scripts 51000 --tested 2000
    python bench/enumeration.py cvc5 --grammars ints,strings

For each grammar: the scripts that are made from random indices up to `--scripts` in a second (which
have no memory of their neighbours), those made in order, one of index 10^275, and the scripts that a
solver in this process answers in a second, with the models of sat answers judged, and without. Those
are whole blocks, spread evenly over the first `--scripts`.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from common import facts, parser, save, setup, table

from murxpy.data.lookup import grammar_names
from murxpy.fuzzers.setups import SCRIPT_CHECKS, checked
from murxpy.sources.enumeration.blocks import COUNTED, Blocks
from murxpy.sources.enumeration.grammar import Grammar
from murxpy.worker.session import Session

LARGE = 10**275
CHECK_MS = 25.0
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
        "decided/s",
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
    grammar = Grammar(checked(name).plain)
    stream = random.Random(args.seed)
    indices = [stream.randrange(args.scripts) for _ in range(args.scripts)]
    scattered = seconds(lambda: [grammar.at(index) for index in indices])
    ordered = seconds(lambda: [grammar.at(index) for index in range(args.scripts)])
    large = seconds(lambda: grammar.at(LARGE))
    judged, tested, decided, session = answered(name, args, SCRIPT_CHECKS)
    plain, unjudged, _, _ = answered(name, args, ())
    row = {
        "grammar": name,
        "random": round(args.scripts / scattered),
        "ordered": round(args.scripts / ordered),
        "large": round(large, 3),
        "answered": round(tested / judged),
        "decided": f"{decided / tested:.1%}",
        "decided/s": round(decided / judged),
        "unjudged": round(unjudged / plain),
    }
    return row, session


def answered(name: str, args: Any, checks: Any) -> tuple[float, int, int, Session]:
    """The seconds that scripts of a grammar take in a solver of this process, how many there are, and
    how many of them are decided. They are whole blocks, evenly spread over those that are made.
    """
    enumeration = {
        "grammars": [checked(name).plain],
        "at": "0",
        "take": args.scripts,
        "block": BLOCK,
        "check-ms": CHECK_MS,
    }
    session = Session({**setup(args), "checks": list(checks), "enumeration": enumeration})
    blocks = Blocks(enumeration)
    number = min(blocks.number, max(1, args.tested // BLOCK))
    counts: Counter[str] = Counter()
    begun = time.process_time()
    for place in range(number):
        counts += block(session, blocks, blocks.seed_of(place * blocks.number // number))
    took = time.process_time() - begun
    decided = sum(n for key, n in counts.items() if key.endswith(("sat", "unsat")))
    return took, counts.total(), decided, session


def block(session: Session, blocks: Blocks, seed: int) -> Counter[str]:
    """Test all scripts of a block, also those behind one that ends in a finding. The result counts
    what came of them.
    """
    counts: Counter[str] = Counter()
    while True:
        report = session.walk(seed, lambda line: None)
        run = {key: n for key, n in report["counts"].items() if key.startswith(COUNTED)}
        counts.update(run)
        if report["finding"] is None or sum(run.values()) == blocks.of(seed).count:
            return counts
        seed = blocks.rest(seed, sum(run.values()))


def seconds(work: Callable[[], object]) -> float:
    """The seconds of the processor that something takes."""
    begun = time.process_time()
    work()
    return max(1e-9, time.process_time() - begun)


if __name__ == "__main__":
    main()
