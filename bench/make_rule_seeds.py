"""Make seeds on which every rule of implication can be used: small scripts with the patterns of a few
rules each.

It writes files of `seeds/`, and no table.

A rule has the strong pattern in one disjunction and the negated weak one in another, so that it can be
used in both directions, and the script is satisfiable by construction. The rules of books come before
those that follow from the table of operators. What the standard can say goes to the folder of its
logic, and z3 and cvc5 must both answer it. What only a dialect can say goes to `dialects/SOLVER`, and
that solver must answer it. What none answers is left out and named.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from common import ROOT
from make_seeds import alone, label, seed_file
from scripts import READERS

from murxpy.data import load_catalogue
from murxpy.data.theories import Plain
from murxpy.errors import MurxpyError
from murxpy.fuzzers.setups import proved_rules
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.logic.walks import subterms
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.values import Interpretation
from murxpy.smtlib.building import Tables
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.mutation.implications.proofs import Instance, instances
from murxpy.sources.mutation.implications.rule import Rule, put_in, read_terms
from murxpy.sources.mutation.terms import operators_of

RULES = 5  # in one seed
BYTES = 3000
# the dialects in the order in which they are tried, and the solvers that must answer a seed
DIALECTS = {"standard": tuple(READERS), **{name: (name,) for name in READERS}}
_WORD = re.compile(r"[a-z]\w*")
_WIDE = 4  # bits of the numbers of a rule where it is proved for them
# sorts for the letters that stand for any sort; quantifiers over Booleans are decided more often
_SORTS = ("Int", "Bool")
_LITERALS = {"Int": ("3", "(- 3)"), "Real": ("2.0", "(- 2.0)"), "String": ('"b"', '"c"')}


def script_of(plain: Plain, number: int, catalogue: Catalogue, sort: str) -> str | None:
    """The declarations and assertions for one rule, whose names end with a number, with `sort` in
    place of letters for any sort; None if the rule has no instance.
    """
    rule = Rule(plain)
    found = [one for one in instances(rule) if one.key in rule.proved]
    wide = [one for one in found if all(one.numbers[name] >= _WIDE for name in rule.widths)]
    instance = next(iter(wide or found), None)
    if instance is None:
        return None
    sorts = {**instance.sorts, **dict.fromkeys(rule.free_sorts, sort)}
    names = [*rule.vars, *rule.datatypes]
    names += [word for text in rule.datatypes.values() for word in _WORD.findall(text)]
    named = {name: f"{name}_{number}" for name in names}
    # solvers have no constants of this sort
    languages = [name for name, sort in rule.vars.items() if sort == "RegLan"]
    named |= {name: f'(re.+ (str.to_re "{name}"))' for name in languages}
    literals = _literals(rule, instance, catalogue)
    named |= literals

    def said(text: str) -> str:
        return put_in(put_in(text, instance.numbers, sorts), {}, named)

    rows = []
    for name, text in rule.datatypes.items():
        # values of a datatype whose constructors all have itself as a field would have no end
        end = f" (end_{number})" if re.search(rf"\b{name}\b", text) else ""
        rows.append(f"(declare-datatypes (({named[name]} 0)) (({said(text)}{end})))")
    for name, of in rule.vars.items():
        if name in languages or name in literals:
            continue
        text = said(of)
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


def _literals(rule: Rule, instance: Instance, catalogue: Catalogue) -> dict[str, str]:
    """Literals for the metavariables of the condition of a rule, which is about literals alone, so that
    it holds; nothing for a rule without a condition, or if none of a few does.
    """
    where = rule.text("where", instance.numbers, instance.sorts)
    known = {name: instance.sorts.get(of, of) for name, of in rule.vars.items()}
    asked = [name for name in known if re.search(rf"(?<![\w.]){name}(?![\w.])", where)]
    choices = [_LITERALS.get(known[name], ()) for name in asked]
    for some in product(*choices) if asked else ():
        chosen = dict(zip(asked, some, strict=True))
        (condition,), _ = read_terms(rule, "", [put_in(where, {}, chosen)], Tables(catalogue))
        if Evaluator(catalogue, Interpretation()).value(condition) is True:
            return chosen
    return {}


Made = tuple[str, str, list[str]]
"""The logic, the text and the rules of a seed."""


def seeds(rules: Sequence[Plain], catalogue: Catalogue, dialect: str) -> Iterator[Made]:
    """The seeds for the rules of one book."""
    for start in range(0, len(rules), RULES):
        some = rules[start : start + RULES]
        made = _seed(some, catalogue, dialect)
        if made is not None or len(some) == 1:
            yield from [made] if made else ()
            continue
        for rule in some:  # one of them cannot be said, or is not decided
            alone_made = _seed([rule], catalogue, dialect)
            if alone_made is not None:
                yield alone_made


def _seed(some: Sequence[Plain], catalogue: Catalogue, dialect: str) -> Made | None:
    for sort in _SORTS:
        made = _tried(some, catalogue, dialect, sort)
        if made is not None:
            return made
    return None


def _tried(some: Sequence[Plain], catalogue: Catalogue, dialect: str, sort: str) -> Made | None:
    texts = [script_of(rule, number, catalogue, sort) for number, rule in enumerate(some)]
    try:
        made = alone("\n".join(filter(None, texts)), catalogue, dialect)
    except MurxpyError:
        return None
    if made is None or len(made[1]) > BYTES:
        return None
    logic, body = made
    if not _expressible(some, body, catalogue):
        return None
    names = [str(rule["name"]) for rule in some]
    about = f"from the rules of implication {', '.join(names)}"
    if label(seed_file(logic, "unknown", body, about), DIALECTS[dialect]) != "sat":
        return None
    return logic, seed_file(logic, "sat", body, about), names


def _expressible(some: Sequence[Plain], body: str, catalogue: Catalogue) -> bool:
    """Whether a script has the operators of rules, and nothing that means the same in their place."""
    there = {one.op for one in subterms(read_script(body, "seed", catalogue).assertions())}
    return all(_operators(rule, catalogue) <= there for rule in some)


def _operators(rule: Plain, catalogue: Catalogue) -> set[str]:
    """The operators of a rule's patterns."""
    return {
        operator
        for variant in Rule(rule).variants(catalogue)[:1]
        for side in (variant.sample.strong, variant.sample.weak)
        for operator in operators_of(side)
    }


def wanted(rules: Sequence[Plain], catalogue: Catalogue) -> list[Plain]:
    """The rules that stand in books, behind them one of those that follow from the table of
    operators for each operator that no rule before it has, and then the others.
    """
    found, others, there = list[Plain](), list[Plain](), set[str]()
    for rule in sorted(rules, key=lambda rule: bool(rule.get("generated"))):
        operators = _operators(rule, catalogue)
        known = rule.get("generated") and operators <= there
        (others if known else found).append(rule)
        there |= operators
    return found + others


def main() -> None:
    """Write the seeds, and name the rules that are in none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=ROOT / "seeds", help="folder of the seeds")
    args = parser.parse_args()
    catalogue = build_catalogue(load_catalogue())
    rules = wanted(proved_rules(), catalogue)
    written, left = 0, list[str]()
    for book in dict.fromkeys(str(rule["book"]) for rule in rules):
        own = [rule for rule in rules if rule["book"] == book]
        for dialect in DIALECTS:
            there: list[str] = []
            for number, (logic, text, names) in enumerate(seeds(own, catalogue, dialect), 1):
                standard = dialect == "standard"
                folder = args.into / (logic if standard else f"dialects/{dialect}") / "sat"
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"rules-{book}-{number:02}.smt2").write_text(text, encoding="utf-8")
                there += names
                written += 1
            own = [rule for rule in own if rule["name"] not in there]
        left += [f"{book}:{rule['name']}" for rule in own]
    print(f"{written} seeds; {len(left)} of {len(rules)} rules in none: {', '.join(left)}")


if __name__ == "__main__":
    main()
