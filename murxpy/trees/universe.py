"""The sorts, constants, functions and datatypes of random scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from murxpy.errors import InputError, nearest
from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.sorts import Constructor, Datatype, Sort
from murxpy.logic.terms import Term
from murxpy.machine.random import Stream
from murxpy.smtlib.tables import Tables
from murxpy.trees.shape import Shape

# Floats of so many bits, with their bits of exponent and significand: the formats of IEEE 754, and
# small ones in their manner.
FORMATS = {8: (3, 5), 16: (5, 11), 32: (8, 24), 64: (11, 53), 128: (15, 113), 256: (19, 237)}
_PRIME = 17  # the order of the finite field
_MOST_ARGUMENTS = 3  # of an uninterpreted function
# Sorts of which nothing else is made: no arrays of them, and no functions on them.
_ALONE = ("SORT_RM", "SORT_REGLAN")
_OF_ELEMENTS = {
    "SET": "SORT_SET",
    "SEQ": "SORT_SEQ",
    "BAG": "SORT_BAG",
    "NULLABLE": "SORT_NULLABLE",
}


@dataclass
class Universe:
    """What terms can be made of: `sorts` with constants, `helpers` without, the constants by sort,
    the functions, and the operators that the shape allows.
    """

    tables: Tables
    sorts: list[Sort] = field(default_factory=list)
    helpers: list[Sort] = field(default_factory=list)
    constants: dict[Sort, list[Term]] = field(default_factory=dict)
    functions: list[Term] = field(default_factory=list)
    operators: list[Operator] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)

    @property
    def all_sorts(self) -> list[Sort]:
        """The sorts with and without constants."""
        return [*self.sorts, *self.helpers]


def build_universe(shape: Shape, catalogue: Catalogue, stream: Stream) -> Universe:
    """The universe of a shape. Only the sorts of functions are drawn by chance. Raises InputError for
    theories, widths or operators that do not exist.
    """
    theories = _theories(shape.theories, catalogue)
    universe = Universe(Tables(catalogue))
    universe.sorts, universe.helpers = _sorts(shape, theories, universe.tables)
    for sort in universe.sorts:
        if sort.kind == "SORT_REGLAN":  # not every solver has variables for regular languages
            continue
        name = _name(sort)
        universe.constants[sort] = [
            universe.tables.constant(f"{name}_{number}", sort) for number in range(shape.variables)
        ]
    universe.functions = [_function(universe, number, stream) for number in range(shape.functions)]
    _choose_operators(universe, shape, theories)
    return universe


def _theories(names: Sequence[str], catalogue: Catalogue) -> dict[str, bool]:
    """The theories, each with whether it was named: BOOL is there always, and some require others."""
    for name in names:
        if name not in catalogue.theories:
            raise InputError(
                f"unknown theory '{name}'{nearest(name, catalogue.theories)}; expected some of "
                f"{', '.join(catalogue.theories)}"
            )
    found = {
        name: True
        for name in catalogue.theories
        if name in names or catalogue.theories[name].always
    }
    todo = list(found)
    while todo:
        for other in catalogue.theories[todo.pop()].requires:
            if other not in found:
                found[other] = False
                todo.append(other)
    return found


def _sorts(
    shape: Shape, theories: dict[str, bool], tables: Tables
) -> tuple[list[Sort], list[Sort]]:
    """The sorts with constants, and those without."""
    basic = [(theory, sort) for theory in theories for sort in _basic(theory, shape, tables)]
    sorts = [tables.bool, *(sort for theory, sort in basic if theories[theory])]
    elements = [s for s in sorts[1:] if s.kind not in _ALONE]
    if theories.get("UF") or not elements:
        elements.append(tables.uninterpreted("U"))
    structures = [*_structures(theories, elements, tables)]
    if theories.get("UF") or (structures and elements[-1].kind == "SORT_UNINTERPRETED"):
        sorts.append(elements[-1])
    sorts += structures
    helpers = [sort for theory, sort in basic if not theories[theory]]
    helpers += _parts(shape, theories, tables)
    return sorts, [sort for sort in dict.fromkeys(helpers) if sort not in sorts]


def _basic(theory: str, shape: Shape, tables: Tables) -> Iterator[Sort]:
    if theory in ("INT", "REAL"):
        yield tables.sort(f"SORT_{theory}")
    elif theory == "STRING":
        yield from (tables.string, tables.sort("SORT_REGLAN"))
    elif theory == "FF":
        yield tables.sort("SORT_FF", _PRIME)
    elif theory == "BV":
        yield from (tables.sort("SORT_BV", width) for width in shape.widths)
    elif theory == "FP":
        for width in shape.widths:
            if width not in FORMATS:
                raise InputError(
                    f"no float has {width} bits; expected one of {', '.join(map(str, FORMATS))}"
                )
            yield tables.sort("SORT_FP", *FORMATS[width])
        yield tables.sort("SORT_RM")


def _parts(shape: Shape, theories: dict[str, bool], tables: Tables) -> Iterator[Sort]:
    """Bit-vectors that are parts of others, or of floats."""
    if "BV" not in theories:
        return
    yield tables.sort("SORT_BV", 1)
    for width in shape.widths:
        if width % 2 == 0:
            yield tables.sort("SORT_BV", width // 2)
        if theories.get("FP"):
            exponent, significand = FORMATS[width]
            yield tables.sort("SORT_BV", exponent)
            yield tables.sort("SORT_BV", significand - 1)


def _structures(theories: dict[str, bool], elements: list[Sort], tables: Tables) -> Iterator[Sort]:
    """Sorts that are made of others."""
    if theories.get("ARRAY"):
        index = next((sort for sort in elements if sort.kind == "SORT_INT"), elements[0])
        yield from (tables.sort("SORT_ARRAY", index, element) for element in elements)
    for theory, kind in _OF_ELEMENTS.items():
        if theories.get(theory):
            yield from (tables.sort(kind, element) for element in elements)
    if theories.get("REL"):
        pair = tables.sort("SORT_TUPLE", elements[0], elements[0])
        yield from (pair, tables.sort("SORT_SET", pair))
    if theories.get("DT"):
        yield _datatype(elements, tables)


def _datatype(elements: list[Sort], tables: Tables) -> Sort:
    """A datatype of lists with two kinds of ends."""
    datatype = Datatype("D")
    sort = tables.sorts.get("SORT_DT", datatype)
    fields = [(f"value{number}", element) for number, element in enumerate(elements[:2])]
    datatype.constructors = [
        Constructor("stop"),
        Constructor("end", fields),
        Constructor("more", [("first", elements[0]), ("rest", sort)]),
    ]
    return sort


def _function(universe: Universe, number: int, stream: Stream) -> Term:
    """A function of one to three arguments, of sorts by chance."""
    fitting = [sort for sort in universe.sorts if sort.kind not in _ALONE]
    signature = [stream.choose(fitting) for _ in range(stream.between(2, _MOST_ARGUMENTS + 1))]
    return universe.tables.constant(
        f"f_{number}", universe.tables.sorts.get("SORT_FUN", *signature)
    )


def _name(sort: Sort) -> str:
    """The beginning of the names of the constants of a sort."""
    inner = "_".join(_name(part) for part in sort.sorts())
    numbers = "_".join(str(part) for part in sort.params if isinstance(part, int))
    kind = "u" if sort.kind == "SORT_UNINTERPRETED" else sort.short.lower()
    return "_".join(filter(None, (f"{kind}{numbers}", inner)))


def _choose_operators(universe: Universe, shape: Shape, theories: dict[str, bool]) -> None:
    """The operators of the named theories with their weights. Raises InputError for an operator that
    these theories do not have.
    """
    catalogue = universe.tables.catalogue
    there = [
        op
        for name, named in theories.items()
        if named
        for op in of_theory(catalogue, name, shape.extensions)
    ]
    if shape.functions:
        there.append(catalogue.operators["OP_UF_APPLY"])
    if shape.quantifiers:
        there += [catalogue.operators[kind] for kind in ("OP_FORALL", "OP_EXISTS")]
    there = [
        op
        for op in there
        if op.kind not in _ALIKE
        and not (shape.linear and never_linear(op))
        and (shape.quantifiers or not op.signature.binder)
    ]
    known = {name for op in there for name in (op.kind, op.smtlib)}
    for name in shape.weights:
        if name not in known:
            raise InputError(f"these theories have no operator '{name}'{nearest(name, known)}")
    for op in dict.fromkeys(there):
        weight = shape.weights.get(op.kind, shape.weights.get(op.smtlib, 1.0))
        if weight > 0:
            universe.operators.append(op)
            universe.weights[op.kind] = weight


_ALIKE = ("OP_IFF",)  # `=` on formulas, which OP_EQUAL is, too


def of_theory(catalogue: Catalogue, name: str, extensions: bool) -> list[Operator]:
    """The operators of a theory: those of the standard, or all of them with `extensions` and where
    the standard has none.
    """
    known = catalogue.of_theory(name)
    standard = [op for op in known if not op.extension]
    chosen = known if extensions or not standard else standard
    return [op for op in chosen if not op.feature]


def never_linear(operator: Operator) -> bool:
    """Whether no application of an operator of numbers is linear."""
    return operator.nonlinear == "always" and _of_numbers(operator)


def _of_numbers(operator: Operator) -> bool:
    return any(p.kind in ("SORT_INT", "SORT_REAL") for p in operator.signature.args)


def literal_place(operator: Operator) -> bool:
    """Whether the last argument must be a literal where arithmetic is linear."""
    return operator.nonlinear in ("product", "quotient") and _of_numbers(operator)
