"""A solver of Boolean formulas with planted faults, to be driven through a wrapper like any other.

A constant or an operator whose name is that of a fault of `faults.py` commits it:
`context.mk_const(sort, "segfault")`, or `mk_op` of the kind in the environment variable
`FAKESOLVER_FAULT`, as in `and:abort`.
"""

from __future__ import annotations

import itertools
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent))

import faults

__version__ = "1.0"

_PLANTED = dict(
    entry.split(":") for entry in os.environ.get("FAKESOLVER_FAULT", "").split(",") if entry
)

_MEANING = {
    "not": lambda a: not a,
    "and": lambda *a: all(a),
    "or": lambda *a: any(a),
    "xor": lambda a, b: a != b,
    "implies": lambda a, b: not a or b,
    "eq": lambda a, b: a == b,
    "ite": lambda a, b, c: b if a else c,
}


class FakeError(Exception):
    """What the solver throws at a wrong call."""


@dataclass(frozen=True)
class Sort:
    """The one sort there is."""

    name: str = "Bool"


@dataclass(frozen=True)
class Term:
    """A constant (`kind` is `const`), a value, or an operator with its arguments."""

    kind: str
    name: str = ""
    arguments: tuple[Term, ...] = ()

    def value(self, model: dict[str, bool]) -> bool:
        """Its value where constants have the values in `model`, False if they have none there."""
        if self.kind == "const":
            return model.get(self.name, False)
        if self.kind == "value":
            return self.name == "true"
        return bool(_MEANING[self.kind](*(argument.value(model) for argument in self.arguments)))


@dataclass
class Context:
    """What terms belong to."""

    constants: dict[str, Term] = field(default_factory=dict)

    def bool_sort(self) -> Sort:
        return Sort()

    def mk_const(self, sort: Sort, name: str) -> Term:
        if name in faults.FAULTS:
            faults.commit(name)
        return self.constants.setdefault(name, Term("const", name))

    def mk_value(self, value: bool) -> Term:
        return Term("value", "true" if value else "false")

    def mk_op(self, kind: str, arguments: Sequence[Term]) -> Term:
        if kind not in _MEANING:
            raise FakeError(f"unknown operator '{kind}'")
        if kind in _PLANTED:
            faults.commit(_PLANTED[kind])
        return Term(kind, arguments=tuple(arguments))


class Solver:
    """Decides by trying all values of up to 16 constants."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._levels: list[list[Term]] = [[]]
        self._model: dict[str, bool] | None = None
        self.tried = 0

    @property
    def levels(self) -> int:
        return len(self._levels)

    def add(self, term: Term) -> None:
        self._levels[-1].append(term)

    def push(self) -> None:
        self._levels.append([])

    def pop(self) -> None:
        if len(self._levels) == 1:
            raise FakeError("pop without push")
        self._levels.pop()

    def check(self, assumptions: Sequence[Term] = ()) -> str:
        names = sorted(self._context.constants)
        terms = [*itertools.chain(*self._levels), *assumptions]
        if len(names) > 16:
            return "unknown"
        for values in itertools.product((False, True), repeat=len(names)):
            self.tried += 1
            self._model = dict(zip(names, values, strict=True))
            if all(term.value(self._model) for term in terms):
                return "sat"
        self._model = None
        return "unsat"

    def value(self, term: Term) -> Term:
        if self._model is None:
            raise FakeError("no model is available")
        return self._context.mk_value(term.value(self._model))


_SPENT = [0]


def spent() -> int:
    """What was counted for all scripts."""
    return _SPENT[0]


def counted_script(text: str, slow: str) -> str:
    """What it prints for a script. It counts much where `slow` is a part of it."""
    _SPENT[0] += 30_000 if slow in text else 100
    return run_script(text)


def run_script(text: str) -> str:
    """What it prints for a script: wrong as soon as there is an exclusive or in it.

    In its models all Boolean constants are true, its cores are the last name alone, and it
    simplifies to false what has an exclusive or. It dies of a constant `shared` that is declared
    right before a scope.
    """
    if re.search(r"\(declare-const shared \w+\)\s*\(push 1\)", text):
        raise RuntimeError("a constant of all scopes")
    answers = ("unsat\n" if "xor " in text else "sat\n") * text.count("(check-sat)")
    true = "".join(
        f"(define-fun {name} () Bool true)"
        for name in re.findall(r"\(declare-const (\S+) Bool\)", text)
    )
    core = "".join(re.findall(r":named ([^)\s]+)", text)[-1:])
    simplified = ("false\n" if "xor " in text else "true\n") * text.count("(simplify ")
    models = f"({true})\n" * text.count("(get-model)") if answers.startswith("sat") else ""
    return (
        answers
        + simplified
        + models
        + (f"({core})\n" * text.count("(get-unsat-core)") if answers.startswith("unsat") else "")
    )
