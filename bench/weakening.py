"""What a solver spends on scripts that become weaker or stronger step by step, by rules of implication.

`python bench/weakening.py z3 --seeds seeds --keep FILE` adds a row to `bench/results/weakening.md`.

Section 6.2 of Winterer's thesis follows 500 satisfiable and 500 unsatisfiable seeds over 100 steps of
weakening and strengthening, and finds that the mean time to solve them falls. Here the cost of a script
is what the solver itself counts, so a busy machine changes nothing. A script that is not decided counts
with the limit. With `--keep` the figures of each seed are kept, and a measurement that was stopped goes on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median
from typing import Any

import common
from mutants import shop_of

from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.fuzzers.seeds import collect_seeds
from murxpy.machine.random import Stream, mix
from murxpy.machine.script import Alone
from murxpy.smtlib.printing.scripts import print_script
from murxpy.sources.mutation.fuzzers.janus import signs_of
from murxpy.sources.mutation.preparing import prepared, views
from murxpy.sources.mutation.weakening import Mutator
from murxpy.sources.mutation.workshop import MutationSession, Seed, Workshop

ROOT = Path(__file__).parents[1]
STEPS = (0, 1, 2, 5, 10, 20, 50, 100)  # behind which a script is solved
DECIDED = ("sat", "unsat")


def scripts(shop: MutationSession, seed: Seed) -> Iterator[tuple[int, str]]:
    """The seed and the scripts behind some steps, each as text. It ends where no rule fits any more."""
    workshop = Workshop(shop, Stream(mix(len(seed.text), 6)), [seed], lambda text: None, {})
    script = workshop.script()
    if script is None:
        return
    labels = tuple(view.label for view in views(script, seed.label))
    first = prepared(script)
    mutator = Mutator(workshop, first)
    current = mutator.standing(first, signs_of(first, labels))
    yield 0, print_script(first, shop.dialect)
    for step in range(1, STEPS[-1] + 1):
        changed = mutator.mutate(current)
        if changed is None:
            return
        current = changed[0]
        if step in STEPS:
            yield step, print_script(current.script, shop.dialect)


def followed(alone: Alone, shop: MutationSession, seed: Seed) -> list[tuple[int, int, str]]:
    """The steps of a seed, each with its cost and its answer; none where the seed itself is not
    decided.
    """
    rows: list[tuple[int, int, str]] = []
    try:
        for step, text in scripts(shop, seed):
            said = alone.ask(text)
            if step == 0 and said.outcome not in DECIDED:
                return []
            rows.append((step, said.cost, said.outcome))
    except InputError:
        return []
    return rows


def report(label: str, rows: list[list[tuple[int, int, str]]], limit: int) -> dict[str, Any]:
    """Print what came of the seeds with a label that lasted for all steps."""
    whole = [row for row in rows if len(row) == len(STEPS)]
    shown, figures = [], {}
    for at, step in enumerate(STEPS):
        answers = [row[at] for row in whole]
        costs = [cost if answer in DECIDED else limit for _, cost, answer in answers]
        lost = sum(answer not in DECIDED for _, _, answer in answers)
        wrong = sum(answer in DECIDED and answer != label for _, _, answer in answers)
        if costs:
            shown.append((step, mean(costs) / 1000, median(costs) / 1000, lost, wrong))
            figures[str(step)] = shown[-1][1:]
    common.table(
        f"{label}: {len(whole)} of {len(rows)} seeds",
        ("steps", "mean cost (1,000 units)", "median", "not decided", "answered otherwise"),
        shown,
    )
    return {"seeds": len(rows), "whole": len(whole), "steps": figures}


def main() -> None:
    parser = common.parser(__doc__, None)
    parser.add_argument("--seeds", type=Path, default=ROOT / "seeds", help="labelled scripts")
    parser.add_argument("--most", type=int, default=50, help="seeds of each label, evenly taken")
    parser.add_argument("--limit", type=float, default=200.0, help="of a check, in milliseconds")
    parser.add_argument("--size", type=int, default=20_000, help="largest seed in bytes")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep the figures of each seed")
    args = parser.parse_args()
    session = common.load(args)
    wrapper = common.setup(args)["wrapper"]
    limit = int(args.limit * session.wrapper.facts.limit_per_ms)
    alone = Alone(load_catalogue(), wrapper, (limit, int(20 * args.limit)))
    shop = shop_of(session, session.wrapper.name)
    kept: dict[str, list[tuple[int, int, str]]] = {}
    if args.keep is not None and args.keep.is_file():
        kept = json.loads(args.keep.read_text())
    figures = {}
    seeds = [Seed(*file) for file in collect_seeds([args.seeds], args.size).files]
    for label in DECIDED:
        of_label = [seed for seed in seeds if seed.label == label]
        chosen = of_label[:: max(1, len(of_label) // args.most)][: args.most]
        for seed in chosen:
            if seed.name not in kept:
                kept[seed.name] = followed(alone, shop, seed)
                if args.keep is not None:
                    args.keep.write_text(json.dumps(kept))
        figures[label] = report(label, [kept[seed.name] for seed in chosen], limit)
    row = {
        label: ", ".join(f"{step}: {some[0]:.0f}" for step, some in figures[label]["steps"].items())
        for label in DECIDED
    }
    common.save("weakening", args, common.facts(session, args), figures, row)


if __name__ == "__main__":
    main()
