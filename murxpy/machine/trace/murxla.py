"""Murxla's dialect of traces: its names, orders of arguments and shapes, where they differ from
ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from murxpy.logic.catalogue import Operator
from murxpy.logic.sorts import Sort
from murxpy.machine.database import Entry
from murxpy.machine.make import make_term
from murxpy.machine.outcomes import Refused
from murxpy.machine.tokens import Ref

if TYPE_CHECKING:
    from murxpy.machine.trace.reading import Reading

_ACTIONS = {
    "cvc5-simplify": "simplify",
    "cvc5-term-substitute": "substitute",
    "bitwuzla-substitute-term": "substitute",
}
SPECIAL = {
    "SORT_FP": {
        "nan": "fp.nan",
        "+oo": "fp.+oo",
        "-oo": "fp.-oo",
        "+zero": "fp.+zero",
        "-zero": "fp.-zero",
    },
    "SORT_RM": {name: f"rm.{name}" for name in ("rne", "rna", "rtn", "rtp", "rtz")},
}
# Operators that take their container first in Murxla and last here.
CONTAINER_FIRST = ("OP_SET_MEMBER", "OP_SET_INSERT", "OP_BAG_COUNT", "OP_BAG_MAP")


class Application(NamedTuple):
    """The operator and the arguments of a `mk-term` line."""

    operator: Operator
    args: list[Entry]
    indices: tuple[Any, ...]
    wanted: Sort | None


def old_action(name: str) -> str:
    """Our name of one of Murxla's solver-specific actions."""
    return _ACTIONS.get(name, name)


def old_special(name: str, kind: str) -> str:
    """Our name of one of Murxla's special values."""
    return SPECIAL.get(kind, {}).get(name.lower(), name)


def translate(r: Reading, application: Application) -> Application:
    """Put the arguments into our order, and nest insertions of many elements. Raises InputError."""
    operator, args, _, _ = application
    if operator.kind in CONTAINER_FIRST and len(args) > 1:
        args = [*args[1:], args[0]]
    if operator.kind == "OP_SET_COMPREHENSION" and len(args) > 2:
        args = [*args[2:], *args[:2]]
    if operator.kind == "OP_SET_INSERT":
        while len(args) > 2:
            args = [*args[:-2], make_term(r.run, operator, args[-2:], (), r.seed)]
    return application._replace(args=args)


def own_operands(r: Reading) -> list[Entry]:
    """The terms of a solver-specific action of Murxla, with or without a count before them. Raises
    Refused for one that takes sorts.
    """
    if any(isinstance(word, Ref) and word.letter == "s" for word in r.line.args):
        raise Refused("unsupported", f"{r.line.action} of sorts")
    if r.line.args and isinstance(r.line.args[0], int):
        return r.counted_terms(0)
    return [r.term(k) for k in range(len(r.line.args))]


def substituted(r: Reading) -> list[Entry]:
    """The terms of `cvc5-term-substitute t n from.. n to..`. Raises Refused for several
    substitutions.
    """
    inside, old = r.term(0), r.counted_terms(1)
    new = r.counted_terms(2 + len(old))
    r.end(3 + len(old) + len(new))
    if len(old) != 1 or len(new) != 1:
        raise Refused("unsupported", f"a substitution of {len(old)} terms at once")
    return [inside, *old, *new]
