"""All sequences of calls of a solver over a small pool of terms, counted and made as the scripts of a
grammar: a nonterminal for each state of the solver, a production for each call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from murxpy.errors import InputError, nearest
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.walks import subterms
from murxpy.machine.checks.registry import READERS
from murxpy.machine.outcomes import STATE, Refused
from murxpy.machine.replaying.untracer import replay
from murxpy.machine.run import Run
from murxpy.machine.trace.grammar import parse_trace
from murxpy.machine.trace.lift import lift
from murxpy.smtlib.reading.scripts import read_script

HEAD = "calls"  # in the plain grammar: the lines of a trace that make solver and terms
NOT_ALLOWED, NO_CHECK = "not-allowed", "no-check"  # what can come of a sequence
_NEXT, _END = "/", "end"
_OPTIONS = ("produce-models", "produce-unsat-cores", "produce-unsat-assumptions")
_ASSERTED = re.compile(r"^ *assert-formula (t\d+)\n", re.M)
_CHANGES = {"change", "push", "pop", "reset"}


def calls_grammar(pool: Mapping[str, Any], most: int, catalogue: Catalogue) -> dict[str, Any]:
    """The sequences of up to `most` calls over a pool, as a plain grammar. The size of a sequence is
    the number of its calls, and one for its end. Raises InputError for formulas that are no SMT-LIB,
    and for a call that no trace has.
    """
    head, formulas, values = _head(pool, catalogue)
    names = {
        (depth, checked): f"{'C' if checked else 'Q'}{depth}"
        for depth in range(most + 1)
        for checked in (False, True)
    }
    rules = {
        name: [[_END, 1], *_productions(pool, names, state, (formulas, values))]
        for state, name in names.items()
    }
    rules = _reachable(rules)
    return {
        "grammar": f"{pool['pool']}-calls",
        "about": pool["about"],
        "file": pool["file"],
        "logic": "ALL",
        "sorts": dict.fromkeys(rules, "Bool"),
        "scope": {},
        "declare": [],
        "script": [["Q0", 1]],
        "rules": rules,
        HEAD: head,
    }


def _head(
    pool: Mapping[str, Any], catalogue: Catalogue
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The lines that make solver and terms, and the ids of formulas and values."""
    script = "\n".join(
        [
            *(f"(set-option :{name} true)" for name in _OPTIONS),
            *pool["declare"],
            *(f"(assert {term})" for term in pool["formulas"]),
            "(check-sat)\n(check-sat)",  # so that the solver takes more than one check
        ]
    )
    text = lift(read_script(script, pool["file"], catalogue)).text()
    constants = dict(re.findall(r'^ *mk-const \S+ "(.*)"\n *return (t\d+) ', text, re.M))
    unknown = [value for value in pool["values"] if value not in constants]
    if unknown:
        raise InputError(
            f"the value {unknown[0]} is no constant that a formula has", file=pool["file"]
        )
    values = tuple(constants[value] for value in pool["values"])
    lines = (
        _ASSERTED.sub("", text).partition("\n       new\n")[2].partition("       check-sat\n")[0]
    )
    return f"       new\n{lines}", tuple(_ASSERTED.findall(text)), values


def _productions(
    pool: Mapping[str, Any],
    names: Mapping[tuple[int, bool], str],
    state: tuple[int, bool],
    operands: tuple[tuple[str, ...], tuple[str, ...]],
) -> Iterator[list[Any]]:
    depth, checked = state
    for call, when, effect, line in pool["calls"]:
        action = call.split()[0]
        if action not in READERS:
            raise InputError(
                f"unknown call '{action}'{nearest(action, READERS)}", file=pool["file"], line=line
            )
        if (when == "pushed" and not depth) or (when not in ("", "pushed") and not checked):
            continue
        behind = {"push": depth + 1, "pop": depth - 1, "reset": 0}.get(effect, depth)
        after = (behind, effect == "check" or (checked and effect not in _CHANGES))
        if behind < 0 or after not in names:
            continue
        words = call
        for letter, ids in zip("FV", operands, strict=True):
            words = re.sub(rf"\b{letter}\b", "{" + " ".join(ids) + "}", words)
        yield [f"{words} {_NEXT} {names[after]}", line]


def _reachable(rules: dict[str, list[list[Any]]]) -> dict[str, list[list[Any]]]:
    """The rules of the states that a sequence can come to."""

    def following(name: str) -> list[str]:
        return [last for text, _ in rules[name] if (last := text.rpartition(" ")[2]) in rules]

    found = set(subterms(["Q0"], following))
    return {name: rules[name] for name in rules if name in found}


def carry_out(run: Run, sequence: str, head: str, limit: int) -> str:
    """Make the calls of a sequence, and return the result: the answers of its checks, or that a call
    is not allowed behind the answer before. Raises Stopped for a finding.
    """
    lines = [f"       {call.strip()}" for call in sequence.split(_NEXT)][:-1]
    limited = [f"       set-limit {limit}"] if limit else []
    before = "\n".join(
        [f"# murxpy-trace 1\n# solver {run.wrapper.name}\n{head}".rstrip(), *limited]
    )
    trace = parse_trace("\n".join([before, *lines, ""]), "calls")
    try:
        replay(run, trace, strict_from=before.count("\n") + 2)
    except Refused as refused:
        return NOT_ALLOWED if refused.sort == STATE else refused.sort
    answers = [answer for answer in ("sat", "unsat", "unknown") if run.counts[f"answer:{answer}"]]
    if "unknown" in answers:
        return "unknown"
    return "+".join(answers) or NO_CHECK
