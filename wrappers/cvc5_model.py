"""The model reader of the cvc5 wrapper. It gives values as rows of plain data, which
murxpy/machine/witnesses/reading.py reads.

A row is a tuple of a tag and its parts; a row is named by its position in the list. docs/oracles.md
lists the tags.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cvc5 import Kind
from cvc5_values import read_value

Row = tuple[Any, ...]


def read_model(solver: Any, constants: Sequence[Any]) -> dict[str, Any]:
    """The values of constants and functions in the solver's model."""
    return read_values(solver, [solver.getValue(constant) for constant in constants])


def read_values(solver: Any, values: Sequence[Any]) -> dict[str, Any]:
    """Values that the solver's model gave, as rows."""
    rows = Rows()
    return {"rows": rows.rows, "roots": [rows.add(value) for value in values], "partial": {}}


def read_domain(solver: Any, sort: Any) -> list[str] | None:
    """The names of the elements of an uninterpreted sort in the model."""
    return [_name(element) for element in solver.getModelDomainElements(sort)]


def find_constants(terms: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """The constants and functions of these names in the terms; None for a name that has no constant
    or several.
    """
    found: dict[str, dict[int, Any]] = {name: {} for name in names}
    stack, seen = list(terms), set()
    while stack:
        term = stack.pop()
        if term.getId() not in seen:
            seen.add(term.getId())
            stack.extend(term)
            if term.getKind() == Kind.CONSTANT and term.hasSymbol() and term.getSymbol() in found:
                found[term.getSymbol()][term.getId()] = term
    return [next(iter(ones.values())) if len(ones) == 1 else None for ones in found.values()]


def read_core(core: Sequence[Any], formulas: Sequence[Any]) -> list[int | str]:
    """The positions of a core's elements among `formulas`; the text of any element that is neither
    there nor the definition of a function.

    cvc5 stores assertions with explicit casts from integers, so a formula is also recognized by its
    shape without casts.
    """
    places = {formula.getId(): k for k, formula in enumerate(formulas) if formula is not None}
    elements = [element for element in core if not _definition(element)]
    shapes: Shapes = {}
    shaped: dict[int, int] = {}
    if any(element.getId() not in places for element in elements):
        shaped = {
            shape(formula, shapes): k for k, formula in enumerate(formulas) if formula is not None
        }
    return [
        places.get(e.getId(), shaped.get(shape(e, shapes), str(e)) if shaped else str(e))
        for e in elements
    ]


# the numbers of shapes, by the number of a term, and by the parts of a shape
Shapes = dict[Any, int]


def shape(root: Any, shapes: Shapes) -> int:
    """The number of a term's shape. The shape is that of the term without `to_real`."""
    stack = [root]
    while stack:
        term = stack[-1]
        parts = list(term)
        missing = [part for part in parts if ("term", part.getId()) not in shapes]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        inner = tuple(shapes["term", part.getId()] for part in parts)
        whole = (
            inner[0]
            if term.getKind() == Kind.TO_REAL
            else shapes.setdefault((_head(term), *inner), len(shapes))
        )
        shapes["term", term.getId()] = whole
    return shapes["term", root.getId()]


def _head(term: Any) -> Any:
    """What a term is apart from its children. A number is the same as an integer and as a real."""
    if term.isRealValue() or term.isIntegerValue():
        return ("number", term.getRealValue() if term.isRealValue() else term.getIntegerValue())
    if term.getNumChildren() == 0:
        return ("leaf", term.getId())
    return ("kind", term.getKind(), str(term.getOp()) if term.hasOp() else "")


def _definition(element: Any) -> bool:
    return (
        element.getKind() == Kind.EQUAL
        and element[0].getKind() == Kind.CONSTANT
        and element[1].getKind() == Kind.LAMBDA
    )


class Rows:
    """Rows of values. Each value gets one row, and no function recurs on the depth of a value."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._known: dict[int, int] = {}
        # the variables of the lambda that is being read, by their number
        self._bound: dict[int, int] = {}

    def add(self, root: Any) -> int:
        """The position of a term's row. A lambda is read here only if it is the whole value."""
        if root.getKind() == Kind.LAMBDA:
            variables, body = root
            count = variables.getNumChildren()
            self._bound = {variable.getId(): count - 1 - k for k, variable in enumerate(variables)}
            return self._append(("lambda", count, self._add(body)))
        self._bound = {}
        return self._add(root)

    def _append(self, row: Row) -> int:
        self.rows.append(row)
        return len(self.rows) - 1

    def _add(self, root: Any) -> int:
        stack = [root]
        while stack:
            term = stack[-1]
            key = term.getId()
            if key not in self._known:
                parts = _parts(term)
                missing = [part for part in parts if part.getId() not in self._known]
                if missing:
                    stack.extend(missing)
                    continue
                self._known[key] = self._append(
                    self._row(term, [self._known[part.getId()] for part in parts])
                )
            stack.pop()
        return self._known[root.getId()]

    def _row(self, term: Any, parts: list[int]) -> Row:
        kind = term.getKind()
        if kind == Kind.VARIABLE and term.getId() in self._bound:
            return ("var", self._bound[term.getId()])
        if kind in _PLAIN:
            return (_PLAIN[kind], *parts)
        if kind in _SPECIAL:
            return _SPECIAL[kind](term, parts)
        literal = read_value(term)
        if literal is not None:
            return literal
        text = str(term)
        # A string that is too long to print is described instead, as documented: (witness ((x
        # String)) (= (str.len x) 100000)).
        return (
            "described" if "(witness " in text else "unknown",
            f"{kind.name.lower()} {text[:60]}",
        )


def _parts(term: Any) -> list[Any]:
    kind = term.getKind()
    if kind == Kind.CONST_SEQUENCE:
        return list(term.getSequenceValue())
    if kind == Kind.CONST_ARRAY:
        return [term.getConstArrayBase()]
    if kind == Kind.APPLY_CONSTRUCTOR:
        return list(term)[1:]
    return list(term) if kind in _PLAIN or kind in _SPECIAL else []


def _constructor(term: Any, parts: list[int]) -> Row:
    return ("constructor", _constructor_name(term[0], term.getSort()), *parts)


def _constructor_name(constructor: Any, sort: Any) -> str:
    """The symbol of a constructor. A constructor of a parametric datatype does not give its symbol
    itself.
    """
    if constructor.hasSymbol():
        return str(constructor.getSymbol())
    for declared in sort.getDatatype():
        instantiate = (
            getattr(declared, "getInstantiatedTerm", None)
            or declared.getInstantiatedConstructorTerm
        )
        if instantiate(sort) == constructor:
            return str(declared.getName())
    return str(constructor)


def _name(element: Any) -> str:
    """The name of an element of an uninterpreted sort. The binding gives it as bytes."""
    name = element.getUninterpretedSortValue()
    return name.decode() if isinstance(name, bytes) else str(name)


_PLAIN = {
    Kind.STORE: "store",
    Kind.CONST_ARRAY: "const",
    Kind.CONST_SEQUENCE: "seq",
    Kind.SEQ_UNIT: "seq",
    Kind.SEQ_CONCAT: "concat",
    Kind.SET_EMPTY: "set",
    Kind.SET_SINGLETON: "set",
    Kind.SET_UNION: "union",
    Kind.SET_UNIVERSE: "universe",
    Kind.BAG_EMPTY: "bag",
    Kind.BAG_MAKE: "bag",
    Kind.BAG_UNION_DISJOINT: "sum",
    Kind.ITE: "ite",
    Kind.EQUAL: "=",
    Kind.AND: "and",
    Kind.OR: "or",
    Kind.NOT: "not",
}
_SPECIAL: dict[Any, Callable[[Any, list[int]], Row]] = {
    Kind.APPLY_CONSTRUCTOR: _constructor,
    Kind.UNINTERPRETED_SORT_VALUE: lambda term, parts: ("element", _name(term)),
}
