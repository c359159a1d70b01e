"""Proofs of rules of implication: two solvers refute that a rule's strong pattern holds without its
weak one, and where neither can, our evaluator goes through all values of bounded domains.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from murxpy.data import default_judges, load_catalogue
from murxpy.data.rules import BOOKS, fingerprint, load_book, proofs_path, read_proofs, write_proofs
from murxpy.errors import InputError
from murxpy.findings.replayed import replay_trace
from murxpy.judging.operators import judge_plans
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.machine.tokens import quote
from murxpy.machine.trace.finished import read_rows
from murxpy.processes.targets import Plan, version_of
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.script import Script
from murxpy.sources.mutation.implications.book import Book
from murxpy.sources.mutation.implications.proofs import (
    BOUNDS,
    FAILS,
    HOLDS,
    WITHIN,
    Instance,
    check,
    claims,
    instances,
)
from murxpy.sources.mutation.implications.rule import Rule

LIMIT_MS = 400.0  # the limit of one claim, given to the solver as its resource limit
_WALL = 300.0  # seconds that one solver gets for the claims of one trace
_CHUNK = 40  # claims of one trace
EVALUATOR = "evaluator"


@dataclass
class Verdict:
    """The result of proving or testing a rule. `proofs` are the instances by the prover that proved
    them, `open` those that nobody proved, `refuted` says which prover refuted which instance, and
    `contradictions` what one prover proved and another one refuted.
    """

    rule: Rule
    proofs: dict[str, list[str]] = field(default_factory=dict)
    open: dict[str, str] = field(default_factory=dict)
    refuted: dict[str, str] = field(default_factory=dict)
    contradictions: list[str] = field(default_factory=list)

    @property
    def proved(self) -> list[str]:
        """The keys of the instances that are proved and that no prover refutes."""
        keys = dict.fromkeys(key for some in self.proofs.values() for key in some)
        return [key for key in keys if key not in self.refuted and key not in self.open]

    @property
    def tried(self) -> bool:
        """Whether the rule rests on values within bounds alone, for some instance."""
        alone = {key for name, keys in self.proofs.items() if name == EVALUATOR for key in keys}
        solvers = [keys for name, keys in self.proofs.items() if name != EVALUATOR]
        return not alone <= {key for keys in solvers for key in keys}

    @property
    def holds(self) -> bool:
        """Whether the rule can be used."""
        return bool(self.proved) and not self.refuted and not self.contradictions

    def kept(self) -> dict[str, Any]:
        """The proof data that is stored beside the rule."""
        kept: dict[str, Any] = {"text": fingerprint(dict(self.rule.plain)), "by": self.proofs}
        if any(name.startswith(EVALUATOR) for name in self.proofs):
            kept["bounds"] = BOUNDS
        return kept


@dataclass
class _Claim:
    verdict: Verdict
    instance: Instance
    script: Script
    answers: dict[str, str] = field(default_factory=dict)  # by prover


def check_rules(rules: Iterable[Mapping[str, Any]], names: Sequence[str] = ()) -> list[Verdict]:
    """The verdicts on rules, by the solvers called `names`, without names by those that judge by
    default. Raises InputError for a rule that is not well-sorted.
    """
    catalogue = build_catalogue(load_catalogue())
    rules = list(rules)
    Book([rule for rule in rules if not rule.get("generated")], catalogue)  # are they well-sorted?
    verdicts = [Verdict(Rule(rule)) for rule in rules]
    claimed = [one for verdict in verdicts for one in _claims(verdict, catalogue)]
    for plan in judge_plans(names or default_judges()):
        _ask(plan, claimed)
    for claim in claimed:
        if "unsat" not in claim.answers.values():
            claim.answers[EVALUATOR] = check(claim.script, catalogue)
    for verdict in verdicts:
        _judge(verdict, [claim for claim in claimed if claim.verdict is verdict])
    return verdicts


def _claims(verdict: Verdict, catalogue: Catalogue) -> Iterator[_Claim]:
    for instance in instances(verdict.rule):
        try:
            made = claims(instance, catalogue)
        except InputError:
            if not (verdict.rule.numbers or verdict.rule.generated):
                raise
            continue  # a width, or an old name, with which the patterns are not well-sorted
        for script in made:
            yield _Claim(verdict, instance, script)


def _ask(plan: Plan, claimed: Sequence[_Claim]) -> None:
    family = plan.target.family
    sayable = []
    for claim in claimed:
        try:
            sayable.append((claim, print_script(claim.script, family)))
        except Unsayable:
            continue
    for start in range(0, len(sayable), _CHUNK):
        chunk = sayable[start : start + _CHUNK]
        name, answers = _answers(plan, [text for _, text in chunk])
        for (claim, _), answer in zip(chunk, answers, strict=True):
            claim.answers[name] = answer


def _answers(plan: Plan, scripts: Sequence[str]) -> tuple[str, list[str]]:
    """The name of a solver with its release, and its answer to each script; `nothing` if it gave none."""
    unit = float((plan.setup.get("wrapper") or {}).get("limit-per-ms") or 1)
    head = f"# murxpy-trace 1\n# solver {plan.target.family}\n1 new\n1 set-limit {int(LIMIT_MS * unit)}\n"
    name, answers = plan.target.family, list[str]()
    while len(answers) < len(scripts):
        lines = "".join(f"1 run-script {quote(script)}\n" for script in scripts[len(answers) :])
        replayed = replay_trace(plan, head + lines, "rules", wall=_WALL)
        name = f"{plan.target.family} {version_of(replayed.about)}"
        done = [row for row in read_rows(replayed.outcome.trace) if row.action == "run-script"]
        # a script that the solver does not survive is the last one that is done
        answers += [(row.answers or ["nothing"])[0] for row in done] or ["nothing"]
    return name, answers


_PROVED, _REFUTED = ("unsat", HOLDS, WITHIN), ("sat", FAILS)


def _judge(verdict: Verdict, claimed: Sequence[_Claim]) -> None:
    """Enter the provers' answers to the claims of one rule."""
    found: dict[str, list[_Claim]] = {}
    for claim in claimed:
        found.setdefault(claim.instance.key, []).append(claim)
    for key, some in found.items():
        for claim in some:
            proved = [name for name, answer in claim.answers.items() if answer in _PROVED]
            against = [name for name, answer in claim.answers.items() if answer in _REFUTED]
            # what holds within the bounds may fail outside of them
            if against and any(claim.answers[name] != WITHIN for name in proved):
                verdict.contradictions.append(
                    f"{key or 'the rule'}: proved by {', '.join(proved)}, refuted by {', '.join(against)}"
                )
            elif against:
                verdict.refuted[key] = ", ".join(against)
            elif not proved:
                verdict.open[key] = "; ".join(
                    f"{n}: {answer}" for n, answer in claim.answers.items()
                )
        if key in verdict.refuted or key in verdict.open:
            continue
        for name in dict.fromkeys(name for claim in some for name in claim.answers):
            if all(claim.answers.get(name) in _PROVED for claim in some):
                verdict.proofs.setdefault(name, []).append(key)
        if not any(key in keys for keys in verdict.proofs.values()):
            together = " and ".join(
                dict.fromkeys(n for c in some for n, s in c.answers.items() if s in _PROVED)
            )
            verdict.proofs.setdefault(together, []).append(key)


def prove_files(names: Sequence[str]) -> list[str]:
    """Prove the rules in those of `names` that are files of the user, and keep the proofs beside them.
    A file whose kept proofs are those of its text is left as it is. Returns notes on what was done.
    Raises InputError for a rule that is refuted or that nobody proves.
    """
    notes = []
    for path in (BOOKS.path(name) for name in names if Path(name).suffix in (".yaml", ".yml")):
        rules, kept = load_book(path), read_proofs(proofs_path(path))
        if all(kept.get(rule["name"], {}).get("text") == fingerprint(rule) for rule in rules):
            continue
        verdicts = check_rules(rules)
        for verdict in verdicts:
            if not verdict.holds:
                raise verdict.rule.error(why_unusable(verdict))
        write_proofs(proofs_path(path), {v.rule.name: v.kept() for v in verdicts})
        notes.append(f"{len(verdicts)} rules of {path} are proved; {proofs_path(path)} keeps it")
        tried = [verdict.rule.name for verdict in verdicts if verdict.tried]
        if tried:
            notes.append(
                f"no solver proves {', '.join(tried)}: our evaluator tried all values within bounds, so "
                f"a wrong answer that is found with {'it' if len(tried) == 1 else 'them'} may be the rule's "
                f"fault (bounds: {BOUNDS})"
            )
    return notes


def why_unusable(verdict: Verdict) -> str:
    """In a sentence why a rule cannot be used."""
    if verdict.contradictions:
        return f"the provers contradict each other: {verdict.contradictions[0]}"
    if verdict.refuted:
        key, by = next(iter(verdict.refuted.items()))
        return f"it does not hold{key and f' for {key}'}: refuted by {by}"
    if verdict.open:
        key, why = next(iter(verdict.open.items()))
        return f"nobody proves it{key and f' for {key}'}: {why}"
    return "it has no instance that is well-sorted"
