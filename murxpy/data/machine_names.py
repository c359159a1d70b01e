"""The conditions of a state machine, and which of them follow from others."""

from __future__ import annotations

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
