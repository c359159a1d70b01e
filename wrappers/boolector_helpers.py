"""Helpers of the boolector wrapper for what one expression cannot say: options, limits, values and
models. The file imports only pyboolector and the standard library.

Boolector has no resource limit. It asks a callback again and again whether it should stop, and how
often it asks depends on nothing but what it does. So the limit of a check is a number of questions.
"""

from __future__ import annotations

import ctypes
import math
import operator
import os
import time
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from printed import Printed
from pyboolector import (
    Boolector,
    BoolectorArrayNode,
    BoolectorBVNode,
    BoolectorConstNode,
    BoolectorException,
    BoolectorFunNode,
    BtorOption,
    _BoolectorArraySort,
    _BoolectorBitVecSort,
    _BoolectorBoolSort,
    _BoolectorFunSort,
)

_ANSWERS = {Boolector.SAT: "sat", Boolector.UNSAT: "unsat", Boolector.UNKNOWN: "unknown"}


class Steps:
    """A callback that counts how often it is asked, and ends a check at the limit."""

    def __init__(self) -> None:
        self.limit = 0  # of a check; 0 for none
        self.left = 0
        self.spent = 0
        self.until = math.inf  # the end of a script's time

    def __call__(self) -> bool:
        self.spent += 1
        self.left -= 1
        return self.left < 0 < self.limit or (
            self.until < math.inf and time.monotonic() > self.until
        )


class Solver(Boolector):  # type: ignore[misc]
    """A solver with the steps that its checks may take, and the assumptions of its last check.

    An exception in the middle of a check leaves broken memory behind. So a solver refuses before the
    check what Boolector is known to refuse in the middle, and after any other such exception it
    refuses all checks and is never deleted.
    """

    def __init__(self) -> None:
        super().__init__()
        self.assumed: list[Any] = []
        self.steps = Steps()
        self.Set_term(self.steps, ())
        self.options: dict[str, int] = {}
        self.quantified = self.extensional = self.uninterpreted = False
        self.broken = ""

    def Eq(self, a: Any, b: Any) -> Any:
        """An equality."""
        return self._compared(super().Eq, a, b)

    def Ne(self, a: Any, b: Any) -> Any:
        """A negated equality."""
        return self._compared(super().Ne, a, b)

    def _compared(self, method: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        if not isinstance(a, (BoolectorArrayNode, BoolectorFunNode)):
            return method(a, b)
        self.extensional = True
        try:
            return method(a, b)
        except BoolectorException as error:
            # an array with a variable of a function in it may have been made as a function
            raise BoolectorException(f"not supported of arrays: {error.msg}") from None

    def Forall(self, params: list[Any], body: Any) -> Any:
        """A universal quantifier."""
        self.quantified = True
        return super().Forall(params, body)

    def Exists(self, params: list[Any], body: Any) -> Any:
        """An existential quantifier."""
        self.quantified = True
        return super().Exists(params, body)

    def UF(self, sort: Any, symbol: str | None = None) -> Any:
        """An uninterpreted function."""
        self.uninterpreted = True
        return super().UF(sort, symbol)

    def set_option(self, name: str, value: str) -> None:
        """Set an option to a value that is given as text."""
        number = {"true": 1, "false": 0}[value] if value in ("true", "false") else int(value)
        self.Set_opt(_options()[name], number)
        self.options[name] = number

    def set_limit(self, limit: int) -> None:
        """Set the limit of each check."""
        self.steps.limit = operator.index(limit)

    def check(self, assumptions: Sequence[Any]) -> str:
        """`sat`, `unsat` or `unknown` for the assertions and some assumptions."""
        if self.quantified and self.options.get("incremental"):
            raise BoolectorException("incremental checks with quantifiers are not supported")
        if self.broken:
            raise BoolectorException(self.broken)
        self.steps.left = self.steps.limit
        self.assumed = list(assumptions)
        self.Assume(*assumptions)
        try:
            return _ANSWERS[self.Sat()]
        except BoolectorException as error:
            self.broken = error.msg
            keep(self)
            raise

    def failed(self) -> list[Any]:
        """The assumptions of the last check that it found to be unsatisfiable together."""
        found = self.Failed(*self.assumed)
        return [term for term, failed in zip(self.assumed, found, strict=True) if failed]

    def failed_suffice(self) -> str | None:
        """The failed assumptions of the last check are unsatisfiable without the others."""
        again = self.check(self.failed()) if self.assumed else "unsat"
        return "the failed assumptions are satisfiable" if again == "sat" else None

    def assume_and(self, method: Callable[[], None], term: Any) -> None:
        """Assume a formula, and reset or fixate all assumptions. It ends those of the last check."""
        self.Assume(term)
        method()
        self.assumed = []

    def value(self, term: Any) -> Any:
        """The value of a bit-vector in the model, as a term."""
        found = term.assignment
        if not isinstance(found, str):
            raise BoolectorException("a value of an array or a function is no term: not supported")
        return self.Const(found)

    def matched(self, term: Any) -> str | None:
        """The node of the same number is the term itself: the two are equal, whatever the values."""
        found = self.Match(term)
        return None if found.width == term.width else "Match() gives another term"

    def cloned(self, term: Any) -> str | None:
        """A clone of the solver has a node for the term."""
        clone = self.Clone()
        keep(self.steps)  # a clone drops a reference to it that it does not have
        found = clone.Match(term)
        return None if found.width == term.width else "Match() gives another term of the clone"


def keep(thing: Any) -> None:
    """Let an object never be deleted, not even when the process ends."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def done(value: Any) -> None:
    """None, whatever the argument is. An own action that finds nothing broken gives None."""


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


def solver_options() -> list[dict[str, Any]]:
    """The options of this release with their names, types, ranges and defaults."""
    found = []
    for option in Boolector().Options():
        entry: dict[str, Any] = {"name": option.lng, "type": "int", "default": option.dflt}
        if (option.min, option.max) == (0, 1):
            entry |= {"type": "bool", "default": bool(option.dflt)}
        elif option.max - option.min < 10:
            entry["values"] = list(range(option.min, option.max + 1))
        else:
            entry |= {"min": option.min, "max": option.max}
        # what only developers set has no description
        entry["category"] = "regular" if option.desc else "expert"
        found.append(entry)
    return found


def comparable(args: Sequence[dict[str, Any]], indices: Any, sort: Any) -> bool:
    """True unless an argument is a function that is no uninterpreted one, or an array or function
    with a variable in it.
    """
    for arg in args:
        if arg["sort"].startswith("FUN") and arg["op"] != "OP_CONSTANT":
            return False
        if arg["sort"].startswith(("FUN", "ARRAY")) and not arg["closed"]:
            return False
    return True


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
    # Print_model says that it is zero elsewhere, if it says anything. That is wrong where arrays or
    # functions are compared: then any value may be meant.
    known = found and not term.btor.extensional
    default = _append(rows, ("bv", term.width, 0)) if known else None
    entries = []
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


# -- scripts, which Boolector reads from a file


_SPENT = [0]  # see `spent`


def run_script(text: str, limit: int, wall_ms: int = 0) -> str:
    """The output of Boolector for a script. The steps of its checks have `limit` times the number of
    checks as their limit, and all of it `wall_ms` milliseconds.

    Raises BoolectorException with the first error. The message begins with `script error: `, or with
    `check error: ` if the script was read up to a check and this check failed.
    """
    steps = Steps()
    checks = text.count("(check-sat")
    steps.limit = steps.left = limit * max(1, checks)
    steps.until = time.monotonic() + wall_ms / 1000 if wall_ms else math.inf
    solver = Boolector()
    solver.Set_term(steps, ())
    if checks > 1 or "(push" in text:
        solver.Set_opt(_options()["incremental"], 1)
    file = os.memfd_create("script")
    os.write(file, text.encode())
    with Printed() as printed:
        try:
            result, _, message = solver.Parse(f"/proc/self/fd/{file}")
        except BoolectorException as error:
            where = "script" if error.msg.startswith("[boolector]") else "check"
            if where == "check":
                keep(solver)  # see Solver
            raise BoolectorException(f"{where} error: {error.msg}") from None
        finally:
            os.close(file)
            _SPENT[0] += steps.spent
    if result == Boolector.PARSE_ERROR:
        raise BoolectorException("script error: " + message.partition(":")[2])
    return printed.text


def spent() -> int:
    """The steps that all scripts of this process took."""
    return _SPENT[0]


def run_alone(text: str, limit: int, wall_ms: int) -> tuple[str, int]:
    """The output of Boolector for a script, and the steps that its checks took."""
    before = _SPENT[0]
    output = run_script(text, limit, wall_ms)
    return output, _SPENT[0] - before


# -- self-checks: each gives None, or says what is broken


_SORTS = {
    "SORT_ARRAY": _BoolectorArraySort,
    "SORT_BOOL": _BoolectorBoolSort,
    "SORT_BV": _BoolectorBitVecSort,
    "SORT_FUN": _BoolectorFunSort,
}
_TERMS = {"SORT_ARRAY": BoolectorArrayNode, "SORT_FUN": BoolectorFunNode}


def check_sort(obj: Any, facts: dict[str, Any]) -> str | None:
    """The class of a sort is right. A sort tells nothing else."""
    expected = _SORTS[facts["kind"]]
    return None if type(obj) is expected else f"a sort of {facts['kind']} is a {type(obj)}"


def _width(facts: dict[str, Any]) -> Any:
    return 1 if facts["kind"] == "SORT_BOOL" else facts["params"][0]


def check_term(obj: Any, facts: dict[str, Any]) -> str | None:
    """The class, the widths and the number of arguments of a term are right."""
    kind, params = facts["kind"], facts["params"]
    if not isinstance(obj, _TERMS.get(kind, BoolectorBVNode)):
        return f"a term of {kind} is a {type(obj)}"
    width = _width(facts if kind not in _TERMS else params[-1])
    if obj.width != width:
        return f"width is {obj.width} for a term of {kind}, expected {width}"
    if kind == "SORT_ARRAY" and obj.index_width != _width(params[0]):
        return f"index_width is {obj.index_width}, expected {_width(params[0])}"
    if kind == "SORT_FUN" and obj.arity != len(params) - 1:
        return f"arity is {obj.arity}, expected {len(params) - 1}"
    return None


def check_value(obj: Any, facts: dict[str, Any]) -> str | None:
    """A literal reads back as the value that it was made of."""
    got = read_value(obj)
    if facts["value"] is None:
        return None
    if got is None or got[-1] != facts["value"]:
        return f"a literal made as {facts['value']} reads back as {got}"
    return check_term(obj, facts)
