"""Murxla's dialect of traces: names and argument orders that differ from ours."""

from __future__ import annotations

from typing import Any

from murxpy.logic.catalogue import Operator
from murxpy.machine.database import Entry
from murxpy.machine.run import Refused, Run

_ACTIONS = {
    "cvc5-simplify": "simplify",
    "cvc5-term-substitute": "substitute",
    "cvc5-sort-substitute": "cvc5-sort-substitute",
    "bitwuzla-substitute-term": "substitute",
}
_SPECIAL = {
    "SORT_FP": {"nan": "fp.nan", "+oo": "fp.+oo", "-oo": "fp.-oo", "+zero": "fp.+zero", "-zero": "fp.-zero"},
    "SORT_RM": {name: f"rm.{name}" for name in ("rne", "rna", "rtn", "rtp", "rtz")},
}
# Operators whose element comes after the container in Murxla.
_CONTAINER_FIRST = ("OP_SET_MEMBER", "OP_SET_INSERT", "OP_BAG_COUNT")
_VARIABLES_LAST = ("OP_SET_COMPREHENSION",)


def old_action(name: str) -> str:
    """Our name of one of Murxla's solver-specific actions."""
    return _ACTIONS.get(name, name)


def old_special(name: str, kind: str) -> str:
    """Our name of one of Murxla's special values."""
    return _SPECIAL.get(kind, {}).get(name.lower(), name)


def old_words(
    run: Run, murxla: bool, operator: Operator, args: list[Entry], indices: tuple[Any, ...]
) -> tuple[list[Entry], tuple[Any, ...]]:
    """Arguments and indices in our order. Raises Refused for what has no counterpart."""
    if not murxla:
        return args, indices
    if operator.kind in _CONTAINER_FIRST and args[0].term.sort.kind in ("SORT_SET", "SORT_BAG"):
        args = [*args[1:], args[0]]
    if operator.kind == "OP_BAG_MAP":
        args = [args[1], args[0]]
    if operator.kind in _VARIABLES_LAST:
        args = [*args[2:], *args[:2]]
    if operator.kind == "OP_RE_LOOP" and len(indices) == 2 and indices[1] < indices[0]:
        raise Refused("unsupported", "re.loop with its upper bound below the lower one")
    return args, indices


