"""Scripts and terms compared up to the names of bound variables, across tables."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Datatype, Sort
from murxpy.logic.terms import FUNCTION, VARIABLE, Term
from murxpy.smtlib.script import Script


def plain(name: str) -> str:
    """A name without the number that a printer puts behind it where it is taken."""
    return re.sub(r"!\d+", "", name)


class Shapes:
    """Gives equal numbers to terms that are equal but for the names of what they bind, and of what
    a printer had to call otherwise.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._numbers: dict[Any, int] = {}

    def script(self, script: Script) -> list[Any]:
        """The commands of a script."""
        names: dict[Any, int] = {}
        known: dict[Any, Any] = {}
        return [
            (
                type(command).__name__,
                *(
                    self._part(getattr(command, f.name), names, known)
                    for f in dataclasses.fields(command)
                ),
            )
            for command in script.commands
        ]

    def _part(self, value: Any, names: dict[Any, int], known: dict[Any, Any]) -> Any:
        if isinstance(value, Term):
            return self._term(value, {}, names, known)
        if isinstance(value, Sort):
            return self.sort(value)
        if isinstance(value, Datatype):
            return self._datatype(value)
        if isinstance(value, tuple):
            return tuple(self._part(v, names, known) for v in value)
        return plain(value) if isinstance(value, str) else value

    def sort(self, sort: Sort) -> str:
        """A sort as a text."""
        return plain(str(sort))

    def _datatype(self, datatype: Datatype) -> Any:
        constructors = [
            (plain(c.name), [(plain(n), self.sort(s)) for n, s in c.fields])
            for c in datatype.constructors
        ]
        return plain(datatype.name), datatype.params, constructors

    def _term(
        self, term: Term, bound: dict[Term, int], names: dict[Any, int], known: dict[Any, Any]
    ) -> int:
        key = (term, tuple((v, bound.get(v)) for v in term.free))
        if key not in known:
            known[key] = self._number(self._shape(term, bound, names, known))
        found: int = known[key]
        return found

    def _shape(
        self, term: Term, bound: dict[Term, int], names: dict[Any, int], known: dict[Any, Any]
    ) -> Any:
        if term.op == VARIABLE:
            return "variable", bound.get(term, -1), self.sort(term.sort)
        operator = self.catalogue.operators.get(term.op)
        if term.op == FUNCTION or (operator is not None and operator.signature.binder):
            # Numbers restart in each binder, so that a closed one is the same wherever it
            # stands.
            outer = sorted(term.free, key=lambda v: bound.get(v, -1))
            inner = {v: at for at, v in enumerate(outer)}
            places = tuple(bound.get(v, -1) for v in outer)
            for arg in term.args:
                if arg.op == VARIABLE and arg not in inner:
                    inner[arg] = len(inner)
            args = tuple(self._term(a, inner, names, known) for a in term.args)
            return (
                term.op,
                tuple(plain(str(i)) for i in term.indices),
                self.sort(term.sort),
                args,
                places,
            )
        args = tuple(self._term(a, bound, names, known) for a in term.args)
        return term.op, tuple(plain(str(i)) for i in term.indices), self.sort(term.sort), args

    def _number(self, shape: Any) -> int:
        return self._numbers.setdefault(shape, len(self._numbers))
