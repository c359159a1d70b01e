"""The conditions of a state machine, and which of them follow from others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

from murxpy.data.yamlfile import Document, Place
from murxpy.errors import InputError, nearest
from murxpy.machine.checks.registry import ACTIONS, DRAWN

CONDITIONS = {
    "has-sort": "a sort was made",
    "has-input": "a constant or literal was made",
    "has-term": "there is a term",
    "has-bool": "there is a Boolean term without free variables",
    "has-root": "there is a term that nothing uses and no assertion has",
    "incremental": "the solver takes more than one check",
    "can-check": "incremental, or not checked yet",
    "checked": "the answer of the last check still holds",
    "sat": "the last answer was sat",
    "unsat": "the last answer was unsat",
    "unknown": "the last answer was unknown",
    "models": "the solver gives models",
    "cores": "the solver gives unsatisfiable cores",
    "assumptions-used": "the last check had assumptions, and the solver says which it used",
    "quantifiers": "the run has quantifiers",
    "spent": "the run has as many operator terms as it was to have",
    "pushed": "there is a level to pop",
    "asserted": "something is asserted",
    "optimizer": "the solver is an optimizer, which takes objectives",
}

ANSWERS = ("sat", "unsat", "unknown")

# the left condition cannot hold without the right one
IMPLIES = (
    ("has-input", "has-term"),
    ("has-bool", "has-term"),
    ("has-root", "has-term"),
    ("has-term", "has-sort"),
    ("asserted", "has-term"),
    ("sat", "checked"),
    ("unsat", "checked"),
    ("unknown", "checked"),
    ("assumptions-used", "checked"),
    ("pushed", "incremental"),
    ("incremental", "can-check"),
)


def negated(condition: str) -> tuple[str, bool]:
    """Return the name in `not-X` or `X`, and whether the condition has to hold."""
    name = condition.removeprefix("not-")
    return name, name == condition


# ----------------------------------------------------------------------
# Which combinations of a machine's conditions can be true together.


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


# ----------------------------------------------------------------------
# Checks that a state machine is sound: its names are known, all its states can be reached, its
# end can be reached from each, and it never gets stuck.


Machine = dict[str, Any]
# A fault of a state, or of the transition at a position of a state.
Fault = tuple[str, int | None, str]


def machine_errors(
    document: Document, machine: Machine, out_of_reach: Callable[[Machine], Iterable[Fault]]
) -> list[InputError]:
    """Return all faults of a machine, each with its line. A check that relies on another one is
    made only if that one finds no fault. `out_of_reach` gives the faults of its graph.
    """
    errors = [*_names(document, machine), *_values(document, machine)]
    if not errors:
        reach = [document.error(("states", name), text) for name, _, text in out_of_reach(machine)]
        errors = [*_kinds(document, machine), *reach]
    return errors or list(_stuck(document, machine))


def missing(document: Document, machine: Machine) -> list[InputError]:
    """Return the faults of the machine from which all others take their missing settings: it must
    have a chance for each check. An error has the line to add.
    """
    return [
        document.error(
            ("probabilities",),
            f"'{name}' is missing, the chance of a check: add a line such as '{name}: 0.1' in 'probabilities'",
        )
        for name, action in ACTIONS.items()
        if getattr(action, "option", "") and name not in machine["probabilities"]
    ]


def _names(document: Document, machine: Machine) -> Iterator[InputError]:
    states = machine["states"]
    for key in ("start", "final"):
        yield from _known(document, (key,), "state", machine[key], states)
    for name, state in states.items():
        place: Place = ("states", name)
        yield from _conditions(document, (*place, "needs"), state["needs"])
        for position, transition in enumerate(state["do"]):
            entry: Place = (*place, "do", position)
            yield from _known(document, (*entry, "do"), "action", transition["do"], DRAWN)
            yield from _known(document, (*entry, "to"), "state", transition["to"], states)
            yield from _conditions(document, (*entry, "when"), transition["when"])
    for condition in machine["expect"]:
        yield from _known(document, ("expect", condition), "condition", condition, CONDITIONS)


def _conditions(document: Document, place: Place, names: list[str]) -> Iterator[InputError]:
    for name in names:
        yield from _known(document, place, "condition", negated(name)[0], CONDITIONS)


def _known(
    document: Document, place: Place, what: str, name: str, known: Iterable[str]
) -> Iterator[InputError]:
    known = list(known)
    if name not in known:
        where = f"state '{place[1]}': " if place[0] == "states" else ""
        yield document.error(place, f"{where}unknown {what} '{name}'{nearest_or_all(name, known)}")


def nearest_or_all(name: str, known: Iterable[str]) -> str:
    """Return the known name nearest to `name`, or all known names if none is near and they are few,
    as the end of an error message.
    """
    known = list(known)
    return nearest(name, known) or (f"; known are {', '.join(known)}" if len(known) <= 25 else "")


def _values(document: Document, machine: Machine) -> Iterator[InputError]:
    """Yield the faults of distributions and ranges from which nothing can be drawn."""
    for name, distribution in machine["distributions"].items():
        yield from _choices(document, ("distributions", name, "choices"), distribution)
    swarm = machine["swarm"]
    if swarm["theories"]["count"] is not None:
        yield from _choices(
            document, ("swarm", "theories", "count", "choices"), swarm["theories"]["count"]
        )
    yield from _range(document, ("swarm", "operators", "keep"), swarm["operators"]["keep"])
    yield from _range(document, ("swarm", "weights", "factor"), swarm["weights"]["factor"])
    if swarm["weights"]["factor"] is not None and swarm["weights"]["factor"][0] <= 0:
        yield document.error(("swarm", "weights", "factor"), "expected factors above 0")
    places = [("weights", section) for section in machine["weights"]] + [
        ("swarm", "theories", "weights")
    ]
    for place, weights in zip(
        places, [*machine["weights"].values(), swarm["theories"]["weights"]], strict=True
    ):
        for name, weight in weights.items():
            if weight <= 0:
                yield document.error(
                    (*place, name), f"the weight of '{name}' is {weight}: expected a number over 0"
                )


def _choices(
    document: Document, place: Place, distribution: dict[str, Any]
) -> Iterator[InputError]:
    if not distribution["choices"]:
        yield document.error(place, "no choices: expected [[value, weight], ...]")
    for position, (value, _) in enumerate(distribution["choices"]):
        yield from _range(document, (*place, position), value if isinstance(value, list) else None)


def _range(document: Document, place: Place, value: list[float] | None) -> Iterator[InputError]:
    if value is not None and value[0] > value[1]:
        yield document.error(
            place, f"the range [{value[0]}, {value[1]}] is empty: expected [least, most]"
        )


def _kinds(document: Document, machine: Machine) -> Iterator[InputError]:
    """Yield the faults in the kinds of states. The final state ends the run. A decision leads only
    to choices, and a choice follows only a decision.
    """
    states = machine["states"]
    if states[machine["final"]]["do"]:
        yield document.error(
            ("states", machine["final"]), f"the final state '{machine['final']}' does something"
        )
    for name, state in states.items():
        for position, transition in enumerate(state["do"]):
            place: Place = ("states", name, "do", position)
            target = transition["to"]
            if transition["do"] == "go" and target == name:
                yield document.error(
                    place, f"state '{name}': 'go' needs another state: expected 'to: STATE'"
                )
            elif state["kind"] == "decision" and (
                transition["do"] != "go" or states[target]["kind"] != "choice"
            ):
                yield document.error(
                    place, f"the decision '{name}' must only 'go' to states with 'kind: choice'"
                )
            elif (
                state["kind"] != "decision"
                and states[target]["kind"] == "choice"
                and target != name
            ):
                yield document.error(
                    place,
                    f"state '{name}' leads to the choice '{target}', which only decisions may",
                )


def _stuck(document: Document, machine: Machine) -> Iterator[InputError]:
    """Yield the faults of states in which nothing can be drawn, or nothing leads on, for some truth
    values of the conditions.
    """
    for name, state in machine["states"].items():
        if name == machine["final"]:
            continue
        for assignment in assignments(mentioned(machine, name), state["needs"]):
            fault = _fault(machine, name, assignment)
            if fault:
                when = ", ".join(
                    key if value else f"not-{key}" for key, value in assignment.items()
                )
                yield document.error(
                    ("states", name), f"state '{name}': {fault}" + (f" when {when}" if when else "")
                )
                break


def _fault(machine: Machine, state: str, assignment: Assignment) -> str:
    """Return what is wrong if the conditions are as assigned, or the empty string."""
    transitions = enabled(machine, state, assignment)
    if not transitions:
        return "nothing can be done"
    while not any(transition["to"] != state for transition in transitions):
        made = {
            name for transition in transitions for name in ACTIONS[transition["do"]].establishes
        }
        more = {name: True for name in assignment if name in made and not assignment[name]}
        if not more:
            return "there is no way out"
        assignment = assignment | more
        transitions = enabled(machine, state, assignment)
    return ""
