"""Prints single applications for a solver that gets its terms as SMT-LIB. Such a solver already has
the arguments, so a gap stands in the place of each argument.
"""

from __future__ import annotations

import re
from typing import Any

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import SPECIAL, Term, TermTable
from murxpy.smtlib.printing.terms import Printer, literal, special

# no text that is printed has characters of the private use area
_GAP = re.compile("\ue000([0-9]+)\ue001")


class Applications(Printer):
    """Prints the applications, literals, sorts and symbols of one run in a dialect."""

    def __init__(self, catalogue: Catalogue, dialect: str) -> None:
        super().__init__(catalogue, dialect)
        self._gaps: dict[Term, str] = {}
        self._named = 0

    def application(
        self, kind: str, args: tuple[Term, ...], indices: tuple[Any, ...], sort: Sort, bound: int
    ) -> str:
        """Return the text of an application, as a format of `str.format` with the positions of its
        arguments. Variables that the application binds stand in it with their sorts. Raises Unsayable.
        """
        term = TermTable().apply(kind, args, indices, sort, args[:bound])
        self._gaps = {arg: f"\ue000{at}\ue001" for at, arg in enumerate(args)}
        operator = self.catalogue.operators[kind]
        text = (
            self._case_of(term)
            if operator.typing == "match-case"
            else self._apply(term, dict(self._gaps))
        )
        return _GAP.sub(r"{\1}", text.replace("{", "{{").replace("}", "}}"))

    def literal(self, sort: Sort, value: object) -> str:
        """Return the text of a literal."""
        return literal(self, sort, value)

    def special(self, name: str, sort: Sort) -> str:
        """Return the text of a special value such as `fp.nan`. Raises Unsayable."""
        return special(self, TermTable().leaf(SPECIAL, (name,), sort))

    def symbol(self, name: str) -> str:
        """Return a new symbol, which is like `name`."""
        self._named += 1
        return self.symbols.of(("made", self._named), name)

    def variables(self, bound: tuple[Term, ...]) -> str:
        return " ".join(f"({self._gaps[v]} {self.sort(v.sort)})" for v in bound)

    def scoped(self, body: Term) -> str:
        return self._gaps[body]

    def _element(self, term: Term, text: str) -> str:
        super()._element(term, self.term(term) if term.literal else text)
        return text

    def _case(self, case: Term) -> str:
        return self._gaps[case]

    def _case_of(self, case: Term) -> str:
        """Return the text of a case of a match. The sort of the application is the matched sort."""
        *names, body = (self._gaps[arg] for arg in case.args)
        if not case.indices:
            return f"({names[0]} {body})"
        constructor = self.constructor(case.sort.datatype, str(case.indices[0]))
        return (
            f"(({' '.join([constructor, *names])}) {body})" if names else f"({constructor} {body})"
        )
