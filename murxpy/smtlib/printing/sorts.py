"""Printing sorts, and the declarations of datatypes."""

from __future__ import annotations

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Datatype, Sort
from murxpy.logic.terms import Term
from murxpy.smtlib.printing.forms import APPLIED, arguments, filled, known
from murxpy.smtlib.syntax.symbols import Symbols


class SortPrinter:
    """Prints sorts in a dialect, and chooses the symbols for everything that a script declares."""

    def __init__(self, catalogue: Catalogue, dialect: str) -> None:
        self.catalogue = catalogue
        self.words = catalogue.dialect(dialect)
        names = [op.smtlib for op in catalogue.operators.values()]
        names += [
            word for spelling in self.words.operators.values() for word in APPLIED.findall(spelling)
        ]
        self.symbols = Symbols([*names, *(sort.smtlib for sort in catalogue.sorts.values())])
        self._sorts: dict[Sort, str] = {}
        self._made = 0

    @property
    def dialect(self) -> str:
        """The name of the dialect."""
        return self.words.name

    def sort(self, sort: Sort) -> str:
        """Return the text of a sort. Raises Unsayable if the dialect does not have the sort."""
        found = self._sorts.get(sort)
        if found is None:
            found = self._sorts[sort] = self._sort(sort)
        return found

    def _sort(self, sort: Sort) -> str:
        inner = [self.sort(s) for s in sort.sorts()]
        if sort.kind == "SORT_DT":
            name = self.symbols.of(sort.datatype, sort.datatype.name)
            return f"({name} {' '.join(inner)})" if inner else name
        if sort.kind == "SORT_UNINTERPRETED":
            return self.symbols.of(sort, str(sort.params[0]))
        if sort.kind == "SORT_PARAM":
            return self.parameter(str(sort.params[0]))
        if sort.kind not in self.catalogue.sorts or self.catalogue.sorts[sort.kind].extension:
            key = sort.kind if sort.params else f"{sort.kind}/0"
            return filled(known(self.words.sorts, key, self.dialect), arguments(inner), sort)
        name = self.catalogue.sorts[sort.kind].smtlib
        if inner:
            return f"({name} {' '.join(inner)})"
        return f"(_ {name} {' '.join(map(str, sort.params))})" if sort.params else name

    def datatypes(self, block: list[Datatype]) -> str:
        """Return the declaration of a block of datatypes."""
        heads = " ".join(f"({self.symbols.of(d, d.name)} {len(d.params)})" for d in block)
        return f"(declare-datatypes ({heads}) ({' '.join(map(self._datatype, block))}))"

    def _datatype(self, datatype: Datatype) -> str:
        constructors = []
        for constructor in datatype.constructors:
            fields = [
                f" ({self.selector(datatype, name)} {self.sort(sort)})"
                for name, sort in constructor.fields
            ]
            constructors.append(
                f"({self.constructor(datatype, constructor.name)}{''.join(fields)})"
            )
        body = f"({' '.join(constructors)})"
        if not datatype.params:
            return body
        names = " ".join(self.parameter(name) for name in datatype.params)
        return f"(par ({names}) {body})"

    def parameter(self, name: str) -> str:
        """Return the symbol of a parameter of a datatype or of a defined sort."""
        # A name has one symbol throughout a script, since a parameter means something only in its
        # datatype.
        return self.symbols.of(("parameter", name), name)

    def constructor(self, datatype: Datatype, name: str) -> str:
        """Return the symbol of a constructor."""
        return self.symbols.of((datatype, "constructor", name), name)

    def selector(self, datatype: Datatype, name: str) -> str:
        """Return the symbol of a selector."""
        return self.symbols.of((datatype, "selector", name), name)

    def function(self, term: Term) -> str:
        """Return the symbol of a constant, function or variable."""
        return self.symbols.of(term, str(term.indices[0]))

    def variables(self, bound: tuple[Term, ...]) -> str:
        """Return the text of variables with their sorts, as it stands behind `forall (`."""
        return " ".join(f"({self.function(v)} {self.sort(v.sort)})" for v in bound)

    def fresh(self, letter: str) -> str:
        """Return a new symbol that the printer needs for itself, such as a name in a `let`."""
        self._made += 1
        return self.symbols.of(("let", self._made), f"{letter}{self._made}")
