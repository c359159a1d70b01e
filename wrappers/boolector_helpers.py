"""Helpers of the boolector wrapper for what one expression cannot say: options, limits, values and
models. The file imports only pyboolector and the standard library.

Boolector has no resource limit. It asks a callback again and again whether it should stop, and how
often it asks depends on nothing but what it does. So the limit of a check is a number of questions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from pyboolector import (
    Boolector,
    BoolectorArrayNode,
    BoolectorConstNode,
    BtorOption,
)

_ANSWERS = {Boolector.SAT: "sat", Boolector.UNSAT: "unsat", Boolector.UNKNOWN: "unknown"}


class Steps:
    """A callback that counts how often it is asked, and ends a check at the limit."""

    def __init__(self) -> None:
        self.limit = 0  # of a check; 0 for none
        self.left = 0
        self.spent = 0

    def __call__(self) -> bool:
        self.spent += 1
        self.left -= 1
        return self.left < 0 < self.limit


class Solver(Boolector):  # type: ignore[misc]
    """A solver with the steps that its checks may take, and the assumptions of its last check."""

    def __init__(self) -> None:
        super().__init__()
        self.assumed: list[Any] = []
        self.steps = Steps()
        self.Set_term(self.steps, ())

    def set_option(self, name: str, value: str) -> None:
        """Set an option to a value that is given as text."""
        number = {"true": 1, "false": 0}[value] if value in ("true", "false") else int(value)
        self.Set_opt(_options()[name], number)

    def set_limit(self, limit: int) -> None:
        """Set the limit of each check."""
        self.steps.limit = limit

    def check(self, assumptions: Sequence[Any]) -> str:
        """`sat`, `unsat` or `unknown` for the assertions and some assumptions."""
        self.steps.left = self.steps.limit
        self.assumed = list(assumptions)
        self.Assume(*assumptions)
        return _ANSWERS[self.Sat()]

    def failed(self) -> list[Any]:
        """The assumptions of the last check that it found to be unsatisfiable together."""
        found = self.Failed(*self.assumed)
        return [term for term, failed in zip(self.assumed, found, strict=True) if failed]

    def value(self, term: Any) -> Any:
        """The value of a bit-vector in the model, as a term."""
        return self.Const(term.assignment)


_OPTIONS: dict[str, Any] = {}


def _options() -> dict[str, Any]:
    """The options of this release by their names. The iterator gives them in the order of their numbers."""
    if not _OPTIONS:
        names = [option.lng for option in Boolector().Options()]
        _OPTIONS.update({name: BtorOption(at) for at, name in enumerate(names)})
    return _OPTIONS


def fold(function: Callable[[Any, Any], Any], terms: Sequence[Any]) -> Any:
    """The terms, combined from the left."""
    return reduce(function, terms)


# -- values and models


def read_value(term: Any) -> tuple[Any, ...] | None:
    """A literal as plain data; None for any other term. A Boolean is a bit-vector of width one."""
    if not isinstance(term, BoolectorConstNode):
        return None
    return _bits(term.bits)


def _bits(text: str) -> tuple[Any, ...]:
    return ("bv", len(text), int(text, 2))


def read_values(terms: Sequence[Any]) -> dict[str, Any]:
    """The values of terms and functions in the solver's model."""
    rows: list[tuple[Any, ...]] = []
    roots = [_add(rows, term) for term in terms]
    return {"rows": rows, "roots": roots, "partial": {}}


def _append(rows: list[tuple[Any, ...]], row: tuple[Any, ...]) -> int:
    rows.append(row)
    return len(rows) - 1


def _add(rows: list[tuple[Any, ...]], term: Any) -> int:
    if isinstance(term, BoolectorConstNode):
        return _append(rows, _bits(term.bits))
    found = term.assignment
    if isinstance(found, str):
        return _append(rows, _bits(found))
    array = isinstance(term, BoolectorArrayNode)
    arity = 1 if array else term.arity
    entries, default = [], _append(rows, ("bv", term.width, 0))  # as Print_model says it
    for arguments, value in found:
        last = _append(rows, _bits(value))
        places = [arguments] if isinstance(arguments, str) else arguments
        if "*" in places:
            default = last
        else:
            entries.append(([_append(rows, _bits(text)) for text in places], last))
    row = _append(rows, ("function", arity, entries, default))
    return _append(rows, ("as-array", row)) if array else row


def read_core(core: Sequence[Any], formulas: Sequence[Any]) -> list[int | str]:
    """The positions of a core's elements among `formulas`; a text for any element that is not there."""
    places = {id(formula): k for k, formula in enumerate(formulas) if formula is not None}
    return [places.get(id(element), "another term") for element in core]
