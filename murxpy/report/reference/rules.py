"""Rules of implication as tables and text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from murxpy.report.tables import Table

Rule = Mapping[str, Any]
Proof = Mapping[str, Any]
_USED = {"weaken": "weaker", "strengthen": "stronger", "both": "weaker, stronger"}


def books_table(rules: Sequence[Rule], proofs: Sequence[Proof]) -> Table:
    """A row for each book, with how many of its rules are proved."""
    table = Table(
        ["book", "rules", "proved", "equivalences", "published"], right=["rules", "proved"]
    )
    for book in dict.fromkeys(str(rule["book"]) for rule in rules):
        own = [(r, p) for r, p in zip(rules, proofs, strict=True) if r["book"] == book]
        table.add(
            book,
            str(len(own)),
            str(sum(bool(proof) for _, proof in own)),
            str(sum(bool(rule.get("equivalent")) for rule, _ in own)),
            str(sum(bool(rule.get("published")) for rule, _ in own)),
        )
    return table


def rules_table(rules: Sequence[Rule], proofs: Sequence[Proof]) -> Table:
    """A row for each rule, with its patterns and what proved it; the book, if there are several."""
    several = len({str(rule["book"]) for rule in rules}) > 1
    table = Table(["book"] * several + ["rule", "strong", "", "weak", "proved by"])
    for rule, proof in zip(rules, proofs, strict=True):
        table.add(
            *([str(rule["book"])] if several else []),
            rule["name"],
            rule["strong"],
            _relation(rule),
            rule["weak"],
            ", ".join(proof.get("by") or ()) or "nobody: not used",
        )
    return table


def _relation(rule: Rule) -> str:
    """How the patterns are related, as a sign."""
    if (rule.get("order") or "bool") != "bool":
        return "<="
    return "<=>" if rule.get("equivalent") else "=>"


def laws(rule: Rule, proof: Proof) -> Iterator[str]:
    """All that is known of one rule, a line for each part."""
    order = rule.get("order") or "bool"
    relation = (
        "is"
        if rule.get("equivalent")
        else "implies"
        if order == "bool"
        else f"is at most, in {order},"
    )
    yield f"{rule['book']}:{rule['name']}"
    yield f"  {rule['strong']}\n  {relation}\n  {rule['weak']}"
    for key in ("datatypes", "vars", "either", "indices"):
        for letter, said in (rule.get(key) or {}).items():
            yield f"  {letter}: {', '.join(said) if isinstance(said, list) else said}"
    if rule.get("where"):
        yield f"  where {rule['where']}"
    if rule.get("chain"):
        yield f"  also for chains of {' and '.join(rule['chain'])}"
    yield f"  makes formulas {_USED[rule.get('directions') or 'both']}"
    if rule.get("published"):
        yield f"  published as {rule['published']}"
    for by, keys in (proof.get("by") or {}).items():
        said = ", ".join(key for key in keys if key)
        verb = "tried on all values within bounds by our" if by == "evaluator" else "proved by"
        yield f"  {verb} {by}{said and f' for {said}'}"
    if proof.get("bounds"):
        yield f"  the evaluator's bounds: {proof['bounds']}"
    if rule.get("argument"):
        others = "for other datatypes" if rule.get("datatypes") else "at other widths"
        yield f"  {others}: {rule['argument']}"
    if not proof:
        yield "  no proof of it is kept, so it is not used; a campaign asks for proofs of rules in your own files"
