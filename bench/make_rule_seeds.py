"""Make seeds on which every rule of implication can be used: small scripts of the standard with the
patterns of a few rules each, labelled by z3 and cvc5.

A rule has the strong pattern in one disjunction and the negated weak one in another, so that it can be
used in both directions. What the standard cannot say, or one of the two solvers does not answer, is
left out and named.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from common import ROOT
from make_seeds import alone, label, seed_file

from murxpy.data import load_catalogue
from murxpy.data.theories import Plain
from murxpy.errors import MurxpyError
from murxpy.fuzzers.rules import proved_rules
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.mutation.implications.claims import instances
from murxpy.mutation.implications.rule import Rule, put_in

RULES = 5  # in one seed
BYTES = 3000
_WORD = re.compile(r"[a-z]\w*")
_WIDE = 4  # bits of the numbers of a rule where it is proved for them


def script_of(plain: Plain, number: int, catalogue: Catalogue) -> str | None:
    """The declarations and assertions for one rule, whose names end with a number; None if the rule
    has no instance.
    """
    rule = Rule(plain)
    found = list(instances(rule))
    wide = [one for one in found if all(one.numbers[name] >= _WIDE for name in rule.widths)]
    instance = next(iter(wide or found), None)
    if instance is None:
        return None
    sorts = {**instance.sorts, **dict.fromkeys(rule.free_sorts, "Int")}
    names = [*rule.vars, *rule.datatypes]
    names += [word for text in rule.datatypes.values() for word in _WORD.findall(text)]
    named = {name: f"{name}_{number}" for name in names}
    # solvers have no constants of this sort
    languages = [name for name, sort in rule.vars.items() if sort == "RegLan"]
    named |= {name: f'(re.+ (str.to_re "{name}"))' for name in languages}

    def said(text: str) -> str:
        return put_in(put_in(text, instance.numbers, sorts), {}, named)

    rows = [
        f"(declare-datatypes (({named[name]} 0)) (({said(text)})))"
        for name, text in rule.datatypes.items()
    ]
    for name, sort in rule.vars.items():
        if name in languages:
            continue
        text = said(sort)
        domain, result = "()", text
        if text.startswith("(->"):
            *before, result = text[3:-1].split()
            domain = f"({' '.join(before)})"
        rows.append(f"(declare-fun {named[name]} {domain} {result})")
    strong, weak = said(rule.text("strong", {}, {})), said(rule.text("weak", {}, {}))
    order = catalogue.orders[rule.order]
    words = {name: f"{name}_{number}" for name in order.for_all}
    leq = put_in(order.leq, {}, words)
    rows += [f"(declare-const {words[name]} {sort})" for name, sort in order.for_all.items()]
    if rule.order == "bool":
        weak = f"(not {weak})"
    else:
        strong, weak = (put_in(leq, {}, {"x": text, "y": text}) for text in (strong, weak))
    rows.append(f"(declare-const one_{number} Bool)(declare-const two_{number} Bool)")
    rows.append(f"(assert (or one_{number} {strong}))(assert (or two_{number} {weak}))")
    return "\n".join(rows)


def seeds(rules: Sequence[Plain], catalogue: Catalogue) -> Iterator[tuple[str, str, list[str]]]:
    """The logic, the text and the rules of each seed for the rules of one book."""
    for start in range(0, len(rules), RULES):
        some = rules[start : start + RULES]
        made = _seed(some, catalogue)
        if made is not None or len(some) == 1:
            yield from [made] if made else ()
            continue
        for rule in some:  # one of them cannot be said, or is not decided
            alone_made = _seed([rule], catalogue)
            if alone_made is not None:
                yield alone_made


def _seed(some: Sequence[Plain], catalogue: Catalogue) -> tuple[str, str, list[str]] | None:
    texts = [script_of(rule, number, catalogue) for number, rule in enumerate(some)]
    try:
        made = alone("\n".join(filter(None, texts)), catalogue)
    except MurxpyError:
        return None
    if made is None or len(made[1]) > BYTES:
        return None
    logic, body = made
    names = [str(rule["name"]) for rule in some]
    about = f"from the rules of implication {', '.join(names)}"
    if label(seed_file(logic, "unknown", body, about)) != "sat":
        return None
    return logic, seed_file(logic, "sat", body, about), names


def main() -> None:
    """Write the seeds, and name the rules that are in none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=ROOT / "seeds", help="folder of the seeds")
    args = parser.parse_args()
    catalogue = build_catalogue(load_catalogue())
    rules = [rule for rule in proved_rules() if not rule.get("generated")]
    written, left = 0, list[str]()
    for book in dict.fromkeys(str(rule["book"]) for rule in rules):
        own = [rule for rule in rules if rule["book"] == book]
        there: list[str] = []
        for number, (logic, text, names) in enumerate(seeds(own, catalogue), 1):
            folder = args.into / logic / "sat"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"rules-{book}-{number:02}.smt2").write_text(text, encoding="utf-8")
            there += names
            written += 1
        left += [f"{book}:{rule['name']}" for rule in own if rule["name"] not in there]
    print(f"{written} seeds; {len(left)} of {len(rules)} rules in none: {', '.join(left)}")


if __name__ == "__main__":
    main()
