"""Which combinations of a machine's conditions can be true together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from murxpy.data.machine_names import ANSWERS, IMPLIES, negated

Assignment = dict[str, bool]


def holds(conditions: Iterable[str], assignment: Assignment) -> bool:
    """Return whether all the conditions (`X` or `not-X`) are true."""
    return all(assignment[name] is wanted for name, wanted in map(negated, conditions))


def names_in(conditions: Iterable[str]) -> list[str]:
    """Return the conditions without their negations, each once. If an answer of the solver is among
    them, all answers are.
    """
    names = dict.fromkeys(negated(condition)[0] for condition in conditions)
    if any(answer in names for answer in ANSWERS):
        names |= dict.fromkeys((*ANSWERS, "checked"))
    return list(names)


def enabled(machine: dict[str, Any], state: str, assignment: Assignment) -> list[dict[str, Any]]:
    """Return the transitions of a state that can be drawn: their conditions hold, and for `go` also
    what the new state needs.

    Another action may itself bring about what the new state needs, so that is examined when the
    action is done.
    """
    return [
        transition
        for transition in machine["states"][state]["do"]
        if holds(transition["when"], assignment)
        and (
            transition["do"] != "go"
            or holds(machine["states"][transition["to"]]["needs"], assignment)
        )
    ]


def mentioned(machine: dict[str, Any], state: str) -> list[str]:
    """Return the conditions that decide what can be drawn in a state."""
    body = machine["states"][state]
    conditions = list(body["needs"])
    for transition in body["do"]:
        conditions += transition["when"]
        if transition["do"] == "go":
            conditions += machine["states"][transition["to"]]["needs"]
    return names_in(conditions)


def assignments(names: list[str], required: Iterable[str] = ()) -> Iterator[Assignment]:
    """Return the combinations of truth values of `names` that are possible and in which `required`
    holds.
    """
    implied = _closure()
    for values in product((True, False), repeat=len(names)):
        assignment = dict(zip(names, values, strict=True))
        if _possible(assignment, implied) and holds(required, assignment):
            yield assignment


def _possible(assignment: Assignment, implied: set[tuple[str, str]]) -> bool:
    answers = sum(assignment[answer] for answer in ANSWERS if answer in assignment)
    if answers > 1 or ("sat" in assignment and assignment["checked"] and answers == 0):
        return False
    true = [name for name, value in assignment.items() if value]
    false = [name for name, value in assignment.items() if not value]
    return not any((left, right) in implied for left in true for right in false)


def _closure() -> set[tuple[str, str]]:
    """Return all pairs of conditions of which the left one cannot hold without the right one."""
    pairs = set(IMPLIES)
    while True:
        more = {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs
        if not more:
            return pairs
        pairs |= more
