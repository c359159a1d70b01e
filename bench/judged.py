"""What it costs to judge the models and cores of mutants, and what share of them can be judged.

`python bench/judged.py z3 --seeds SEEDS` adds a row to `bench/results/judged-text.md`, with
`--through api` to `bench/results/judged-api.md`.

For each fuzzer the same runs are made twice, with `--check none` and with `--check models,cores`;
what mutants are made does not depend on that. The cost is the share of the CPU time of the second
that the first does not take, over the runs that ended both times. The aim is at most 25 %. `true`,
`false` and `cannot say` count the assertions that were evaluated under the models that the solver
printed.

    python bench/judged.py z3 --seeds ../shared/smtlib --runs 200
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import common
from children import Write, run_all
from common import percent, table, verdict
from mutants import WALKS

from murxpy.fuzzers.seeds import SeedFiles, collect_seeds
from murxpy.fuzzers.setups import Mutation, sources_setup
from murxpy.worker.session import Session

MOST = 0.25  # the aim: of the CPU time
WALL = 4.0  # seconds after which a mutant is killed
WAYS: dict[str, Sequence[str]] = {"none": (), "both": ("models", "cores")}


def measured(args: Any, files: SeedFiles, name: str) -> dict[str, Any]:
    """What the runs of one fuzzer counted, without and with the checks."""
    sources = sources_setup(
        Mutation(((name, 1.0),), (), WALKS[name], args.limit, through=args.through), files
    )

    def task(session: Session, seed: int, write: Write) -> dict[str, Any]:
        report = session.walk(seed, write)
        return {**report["counts"], **({"finding": 1} if report["finding"] else {})}

    found: dict[str, dict[int, dict[str, int]]] = {way: {} for way in WAYS}
    for way, checks in WAYS.items():
        session = Session({**common.setup(args), "sources": sources, "checks": list(checks)})
        for outcome in run_all(
            session, common.seeds(args), task, jobs=args.jobs, wall=WALL, by_line=True
        ):
            if outcome.status == "ok":
                found[way][outcome.seed] = outcome.result
    both = [
        seed
        for seed in found["none"]
        if seed in found["both"] and not found["both"][seed].get("finding")
    ]
    sums = {way: sum((Counter(found[way][seed]) for seed in both), Counter[str]()) for way in WAYS}
    time = {way: sums[way]["time-ns:run"] / 1e9 for way in WAYS}
    whole = sum((Counter(counts) for counts in found["both"].values()), Counter[str]())
    return {
        "runs": len(both),
        "seconds without": time["none"],
        "seconds with": time["both"],
        "cost": 1 - time["none"] / time["both"] if time["both"] else 0.0,
        **{
            key: whole[f"check-script-model:{key}"] + whole[f"check-model:{key}"]
            for key in ("true", "false", "cannot-say")
        },
        "cores unsat": whole["check-script-core:unsat"] + whole["check-core:unsat"],
        "cores open": whole["check-script-core:cannot-say"] + whole["check-core:cannot-say"],
        "decided": whole[f"mutator:{name}:decided"],
        "trivial": whole[f"mutator:{name}:trivial"],
        "findings": whole["finding"],
        "why": dict(
            Counter(
                {k.partition(":")[2]: n for k, n in whole.items() if "-model-why:" in k}
            ).most_common(8)
        ),
    }


def main() -> None:
    parser = common.parser(__doc__, 100)
    parser.add_argument("--seeds", type=Path, required=True, help="folder of labelled scripts")
    parser.add_argument("--limit", type=float, default=50.0, help="of a check, in milliseconds")
    parser.add_argument("--size", type=int, default=20_000, help="largest seed in bytes")
    parser.add_argument(
        "--through", choices=("text", "api"), default="text", help="how mutants reach the solver"
    )
    args = parser.parse_args()
    session = common.load(args)
    files = collect_seeds([args.seeds], args.size)
    found = {name: measured(args, files, name) for name in WALKS}
    keys = (
        "runs",
        "seconds without",
        "seconds with",
        "true",
        "false",
        "cannot-say",
        "cores unsat",
        "cores open",
        "decided",
        "trivial",
    )
    rows = [
        (
            name,
            *(one[key] for key in keys),
            one["findings"],
            percent(one["cost"], 1),
            verdict(one["cost"] <= MOST),
        )
        for name, one in found.items()
    ]
    table("judged", ("fuzzer", *keys, "findings", "cost", "aim: 25 %"), rows)
    for name, one in found.items():
        print(f"\n{name}, why not: {one['why']}")
    row = {
        name: f"cost {percent(one['cost'], 1)}, {one['false']} false of {one['true'] + one['false'] + one['cannot-say']:,}"
        for name, one in found.items()
    }
    common.save(
        f"judged-{args.through}", args, common.facts(session, args), {"fuzzers": found}, row
    )


if __name__ == "__main__":
    main()
