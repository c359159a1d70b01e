"""Printing the operators of datatypes: constructors, selectors, testers, updaters and matches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from murxpy.logic.catalogue import Operator
from murxpy.logic.sorts import Sort, SortTable
from murxpy.logic.terms import Term
from murxpy.smtlib.printing.forms import arguments, filled
from murxpy.smtlib.printing.sorts import SortPrinter


class DatatypePrinter(SortPrinter, ABC):
    """Prints terms of datatypes."""

    @abstractmethod
    def name(self, operator: Operator) -> str:
        """Return what the dialect calls an operator. Raises Unsayable if it has no name for it."""

    @abstractmethod
    def scoped(self, body: Term) -> str:
        """Return the text of a term below a binder or in a case of a match. Such a term has `let`s
        of its own.
        """

    @abstractmethod
    def check_expanded(self, term: Term) -> None:
        """Raise OnlyDefined if the caller does not want this term printed by an expression with the
        same meaning.
        """

    def datatype_term(self, operator: Operator, term: Term, texts: Mapping[Term, str]) -> str:
        """Return the text of an application of an operator of datatypes. `texts` has the texts of
        its arguments.
        """
        kind = operator.kind
        if kind == "OP_DT_MATCH":
            return f"(match {texts[term.args[0]]} ({' '.join(map(self._case, term.args[1:]))}))"
        args = [texts[a] for a in term.args]
        if kind == "OP_DT_APPLY_CONS":
            head = self._head(term.sort, str(term.indices[0]))
            return f"({head} {' '.join(args)})" if args else head
        datatype = term.args[0].sort.datatype
        if kind == "OP_DT_APPLY_TESTER":
            if self.words.testers == "match" and datatype.params:
                self.check_expanded(term)  # a match stands for the tester then
            return self._tested(term.args[0].sort, str(term.indices[0]), args[0])
        if kind == "OP_DT_APPLY_SEL":
            return f"({self.selector(datatype, str(term.indices[1]))} {args[0]})"
        spelling = self.name(operator)
        if "{rebuilt}" in spelling and args[0].startswith("("):
            name = self.fresh("l")
            return f"(let (({name} {args[0]})) {self._updated(spelling, term, [name, args[1]])})"
        return self._updated(spelling, term, args)

    def _head(self, sort: Sort, name: str) -> str:
        """Return the text of a constructor where it is applied. If the datatype has parameters, it
        is followed by its sort.
        """
        head = self.constructor(sort.datatype, name)
        return f"(as {head} {self.sort(sort)})" if sort.sorts() else head

    def _tested(self, sort: Sort, name: str, arg: str) -> str:
        """Return a formula that says whether `arg` was made with a constructor. If the datatype has
        parameters, the standard's text is a match, because solvers disagree about testers there.
        """
        if self.words.testers != "match" or not sort.sorts():
            return f"((_ is {self._ranked(sort, name)}) {arg})"
        fields = next(c.fields for c in sort.datatype.constructors if c.name == name)
        head = self.constructor(sort.datatype, name)
        pattern = f"({head} {' '.join(self.fresh('x') for _ in fields)})" if fields else head
        others = f" ({self.fresh('x')} false)" if len(sort.datatype.constructors) > 1 else ""
        return f"(match {arg} (({pattern} true){others}))"

    def _ranked(self, sort: Sort, name: str) -> str:
        """Return the text of a constructor in a tester. If a dialect has ranked testers, each
        instance of a parametric datatype has its own constructor of this name, and the rank says
        which one is meant.
        """
        head = self.constructor(sort.datatype, name)
        if self.words.testers != "ranked" or not sort.sorts():
            return head
        constructor = next(c for c in sort.datatype.constructors if c.name == name)
        fields = [self.sort(field) for field in SortTable().field_sorts(sort, constructor)]
        return f"({head} ({' '.join(fields)}) {self.sort(sort)})"

    def _updated(self, spelling: str, term: Term, args: list[str]) -> str:
        """Return the text of a value of a datatype in which one field of a constructor has another
        value.
        """
        datatype, (constructor, changed) = term.sort.datatype, term.indices
        declared = next(c for c in datatype.constructors if c.name == constructor)
        made = self._head(term.sort, str(constructor))
        fields = [
            args[1] if name == changed else f"({self.selector(datatype, name)} {args[0]})"
            for name, _ in declared.fields
        ]
        selector = self.selector(datatype, str(changed))
        if self.words.testers == "ranked" and term.sort.sorts():
            selector = f"({selector} ({self.sort(term.sort)}) {self.sort(term.args[1].sort)})"
        holes = {
            "tested": self._tested(term.sort, str(constructor), args[0]),
            "selector": selector,
            "rebuilt": f"({made} {' '.join(fields)})",
        }
        return filled(spelling, holes | arguments(args), term.sort)

    def _case(self, case: Term) -> str:
        names = [self.function(v) for v in case.args[:-1]]
        body = case.args[-1]
        if not case.indices:
            return f"({names[0]} {self.scoped(body)})"
        constructor = self.constructor(case.sort.sort(0).datatype, str(case.indices[0]))
        pattern = f"({constructor} {' '.join(names)})" if names else constructor
        return f"({pattern} {self.scoped(body)})"
