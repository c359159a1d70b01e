"""Make seeds with the operators that have a backward rule and stand in no other seed, so that DIVER
comes to places below each of them: small random scripts of full trees.

It writes files of `seeds/`, and no table.

Each goes to the folder of its logic, where z3 and cvc5 both answer it, or else to the first
`dialects/SOLVER` where that solver does. What none answers is named.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from common import ROOT
from make_rule_seeds import BYTES, DIALECTS
from make_seeds import alone, label, seed_file

from murxpy.data import load_catalogue, load_machine
from murxpy.errors import InputError
from murxpy.fuzzers.seeds import collect_seeds
from murxpy.logic.catalogue import Catalogue, Operator, build_catalogue
from murxpy.logic.walks import subterms
from murxpy.machine.random import Settings
from murxpy.modules import load_modules
from murxpy.semantics.ranges.backward import RULES
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.trees.scripts import TreeScripts
from murxpy.sources.trees.universe import Shape

load_modules("murxpy.semantics.ranges")  # each enters its backward rules

TRIES = 200  # scripts that are tried for one operator in one dialect
OFTEN = 10.0  # the weight of the operator among those of its theory


def there(folder: Path, catalogue: Catalogue) -> set[str]:
    """The operators of all seeds in a folder."""
    found: set[str] = set()
    for name, text, _ in collect_seeds([folder]).files:
        found.update(one.op for one in subterms(read_script(text, name, catalogue).assertions()))
    return found


def seed(operator: Operator, catalogue: Catalogue, dialect: str) -> tuple[str, str] | None:
    """The logic and the text of a satisfiable seed with an operator in a dialect; None if a few draws
    give none.
    """
    weights = {operator.kind: OFTEN}
    shape = Shape(
        (operator.theory,), assertions=2, depth=3, variables=2, extensions=True, weights=weights
    )
    settings = Settings(load_machine("default"), {})
    try:
        tree_scripts = TreeScripts(shape, catalogue, settings, 1, (dialect,))
    except InputError:
        return None
    if operator.kind not in tree_scripts.applications.operators():
        return None
    for number in range(TRIES):
        text = print_script(tree_scripts.script(tree_scripts.new(number)), dialect)
        made = alone(text, catalogue, dialect)
        if made is None or len(made[1]) > BYTES:
            continue
        terms = subterms(read_script(made[1], "seed", catalogue).assertions())
        if all(one.op != operator.kind or one.ground for one in terms):
            continue
        about = f"from random trees with the operator {operator.kind}"
        written = seed_file(made[0], "sat", made[1], about)
        if label(written, DIALECTS[dialect]) == "sat":
            return made[0], written
    return None


def first(operator: Operator, catalogue: Catalogue) -> tuple[str, str] | None:
    """The folder and the text of a seed in the first dialect that has one; None if none has."""
    for dialect in DIALECTS:
        made = seed(operator, catalogue, dialect)
        if made is not None:
            logic, text = made
            return f"{logic if dialect == 'standard' else f'dialects/{dialect}'}/sat", text
    return None


def main() -> None:
    """Write the seeds, and name the operators that are in none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=ROOT / "seeds", help="folder of the seeds")
    args = parser.parse_args()
    catalogue = build_catalogue(load_catalogue())
    known = there(args.into, catalogue)
    for operator in [op for op in catalogue.operators.values() if op.kind in RULES]:
        if operator.kind in known or operator.feature:
            continue
        made = first(operator, catalogue)
        if made is None:
            print(f"none for {operator.kind}")
            continue
        (args.into / made[0]).mkdir(parents=True, exist_ok=True)
        file = args.into / made[0] / f"operator-{operator.kind.removeprefix('OP_').lower()}.smt2"
        file.write_text(made[1], encoding="utf-8")
        print(file)


if __name__ == "__main__":
    main()
