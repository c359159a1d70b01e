"""The user's request for random scripts, as plain data."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any

from murxpy.errors import InputError, nearest
from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.signature import Binding, Index, Pattern
from murxpy.logic.sorts import Constructor, Datatype, IllSorted, Sort
from murxpy.logic.terms import Term
from murxpy.machine.random import Stream
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.terms import Printer, Unsayable

ARITY = 3  # arguments of an uninterpreted function, at most


@dataclass(frozen=True, slots=True)
class Shape:
    """Scripts over `theories`: `assertions` trees of exactly `depth` operators on each path, over
    `variables` constants of each sort, bit-vectors of `widths` bits and floats of as many, and
    `functions` uninterpreted functions of up to `arity` arguments.

    With `quantifiers`, formulas can be quantified, and operators can bind variables; with `linear`, integers and reals are multiplied
    and divided by literals alone; with `difference`, all that is said of them is how two constants, or
    the difference of two and a literal, compare. `weights` are those of operators by their names in SMT-LIB or in
    traces, where they are not 1; with 0 an operator does not occur. With `extensions`, operators
    that only some solvers have occur, too.
    """

    theories: tuple[str, ...]
    assertions: int = 5
    depth: int = 3
    variables: int = 5
    widths: tuple[int, ...] = (32,)
    functions: int = 0
    arity: int = ARITY
    quantifiers: bool = False
    linear: bool = False
    difference: bool = False
    extensions: bool = False
    weights: Mapping[str, float] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """The shape as plain data."""
        facts = {**asdict(self), "weights": dict(self.weights)}
        # folders of earlier releases do not have these
        if self.arity == ARITY:
            del facts["arity"]
        if not self.difference:
            del facts["difference"]
        return facts


# ----------------------------------------------------------------------
# The sorts, constants, functions and datatypes of random scripts.


# Floats of so many bits, with their bits of exponent and significand: the formats of IEEE 754, and
# small ones in their manner.
FORMATS = {8: (3, 5), 16: (5, 11), 32: (8, 24), 64: (11, 53), 128: (15, 113), 256: (19, 237)}
_PRIME = 17  # the order of the finite field
# Sorts of which nothing else is made: no arrays of them, and no functions on them.
_ALONE = ("SORT_RM", "SORT_REGLAN")
_OF_ELEMENTS = {
    "SET": "SORT_SET",
    "FINITE_SET": "SORT_FINITE_SET",
    "SEQ": "SORT_SEQ",
    "BAG": "SORT_BAG",
    "NULLABLE": "SORT_NULLABLE",
}


@dataclass
class Universe:
    """The parts from which terms are made: `sorts` with constants, `helpers` without, the constants
    by sort, the functions, and the operators that the shape allows. With `difference`, numbers are those
    of difference logic.
    """

    tables: Tables
    sorts: list[Sort] = field(default_factory=list)
    helpers: list[Sort] = field(default_factory=list)
    constants: dict[Sort, list[Term]] = field(default_factory=dict)
    functions: list[Term] = field(default_factory=list)
    operators: list[Operator] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)
    difference: bool = False

    @property
    def all_sorts(self) -> list[Sort]:
        """The sorts with and without constants."""
        return [*self.sorts, *self.helpers]


def build_universe(
    shape: Shape, catalogue: Catalogue, stream: Stream, tables: Tables | None = None
) -> Universe:
    """The universe of a shape, with new tables if none are given. Only the sorts of functions are drawn
    by chance. Raises InputError for theories, widths or operators that do not exist.
    """
    theories = _theories(shape.theories, catalogue)
    universe = Universe(
        Tables(catalogue) if tables is None else tables, difference=shape.difference
    )
    universe.sorts, universe.helpers = _sorts(shape, theories, universe.tables)
    for sort in universe.sorts:
        if sort.kind == "SORT_REGLAN":  # not every solver has variables for regular languages
            continue
        name = _name(sort)
        universe.constants[sort] = [
            universe.tables.constant(f"{name}_{number}", sort) for number in range(shape.variables)
        ]
    universe.functions = [
        _function(universe, number, stream, shape.arity) for number in range(shape.functions)
    ]
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


def _function(universe: Universe, number: int, stream: Stream, arity: int) -> Term:
    """A function of one to `arity` arguments, of sorts by chance."""
    fitting = [sort for sort in universe.sorts if sort.kind not in _ALONE]
    signature = [stream.choose(fitting) for _ in range(stream.between(2, arity + 1))]
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
        if op.kind not in _LEFT_OUT
        and not (shape.linear and never_linear(op))
        and not (shape.difference and _of_numbers(op) and op.signature.attribute != "chainable")
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


# `=` on formulas, which OP_EQUAL is, too; and quantifiers with a pattern: not every term can be one
_LEFT_OUT = ("OP_IFF", "OP_FORALL_PATTERN", "OP_EXISTS_PATTERN")


def of_theory(catalogue: Catalogue, name: str, extensions: bool) -> list[Operator]:
    """The operators of a theory: those of the standard, or all of them with `extensions` and where
    the standard has none.
    """
    known = catalogue.of_theory(name)
    standard = [op for op in known if not op.extension]
    chosen = known if extensions or not standard else standard
    return [op for op in chosen if not op.feature]


def theories_of(catalogue: Catalogue, operators: Collection[str]) -> list[str]:
    """The theories that have some of these operators."""
    return [
        name
        for name in catalogue.theories
        if any(one.kind in operators for one in of_theory(catalogue, name, True))
    ]


def never_linear(operator: Operator) -> bool:
    """Whether no application of an operator of numbers is linear."""
    return operator.nonlinear == "always" and _of_numbers(operator)


_MINUS = {"SORT_INT": "OP_INT_SUB", "SORT_REAL": "OP_REAL_SUB"}


def _of_numbers(operator: Operator) -> bool:
    return any(p.kind in _MINUS for p in operator.signature.args)


def is_number(sort: Sort) -> bool:
    """Whether a sort is that of integers or of reals."""
    return sort.kind in _MINUS


def literal_place(operator: Operator) -> bool:
    """Whether the last argument must be a literal where arithmetic is linear."""
    return operator.nonlinear in ("product", "quotient") and _of_numbers(operator)


# ----------------------------------------------------------------------
# All applications of operators between the sorts of a universe: which arguments and indices
# give which sort.


_FEW = 16  # a range of so many indices is gone through whole
_LONGEST = 2  # arguments or indices of which there can be any number


@dataclass(frozen=True, slots=True)
class Application:
    """An operator applied to arguments of the sorts `args`, which gives the sort `result`. An
    application binds variables of the sorts `bound`, or applies the function `head`. With `minus`, it
    compares the difference of two arguments with a third one.
    """

    operator: Operator
    args: tuple[Sort, ...]
    indices: tuple[Any, ...]
    result: Sort
    bound: tuple[Sort, ...] = ()
    head: Term | None = None
    minus: bool = False

    def term(self, tables: Tables, variables: Sequence[Term], args: Sequence[Term]) -> Term:
        """The term that binds these variables and has these arguments."""
        head = () if self.head is None else (self.head,)
        wanted = self.result if self.operator.signature.as_sort else None
        kind = self.operator.kind
        if self.minus:
            difference = tables.apply(_MINUS[self.args[0].kind], *args[:2])
            return tables.apply(kind, difference, args[2])
        return tables.apply(kind, *head, *variables, *args, indices=self.indices, wanted=wanted)


class Applications:
    """The applications of a universe that all of some dialects can express, by the sort that they
    give and by operator; none of the operators `without`. Raises InputError for a sort that one of
    the dialects does not have.
    """

    def __init__(
        self, universe: Universe, dialects: Sequence[str], without: Collection[str] = ()
    ) -> None:
        self._universe = universe
        catalogue = universe.tables.catalogue
        self._printers = [Printer(catalogue, dialect) for dialect in dict.fromkeys(dialects)]
        for printer in self._printers:
            for sort in universe.all_sorts:
                printer.sort(sort)
        self._numbers = _numbers_of(universe.all_sorts)
        self.giving: dict[Sort, dict[str, list[Application]]] = {}
        for operator in (one for one in universe.operators if one.kind not in without):
            for found in filter(self._sayable, self._of(operator)):
                by_operator = self.giving.setdefault(found.result, {})
                by_operator.setdefault(operator.kind, []).append(found)
        for by_operator in self.giving.values():
            for kind, applications in by_operator.items():
                by_operator[kind] = self._preferred(applications)

    def operators(self) -> list[str]:
        """The operators that have applications, in the order of the catalogue."""
        there = {kind for by_operator in self.giving.values() for kind in by_operator}
        return [op.kind for op in self._universe.operators if op.kind in there]

    def grows(self, sort: Sort) -> bool:
        """Whether a term of this sort can be an application of more than `ite`. Other sorts, such as
        that of rounding modes, have only leaves.
        """
        return any(kind != "OP_ITE" for kind in self.giving.get(sort, {}))

    def _sayable(self, application: Application) -> bool:
        """Whether all dialects have words for an application, whatever its arguments are."""
        tables = self._universe.tables
        variables = [tables.variable("v", sort) for sort in application.bound]
        args = [tables.variable("a", sort) for sort in application.args]
        term = application.term(tables, variables, args)
        try:
            for printer in self._printers:
                printer.term(term)
        except Unsayable:
            return False
        return True

    def _preferred(self, applications: list[Application]) -> list[Application]:
        """The applications on sorts with constants, where there are any."""
        plain = [
            one for one in applications if not any(s in self._universe.helpers for s in one.args)
        ]
        return plain or applications

    def _of(self, operator: Operator) -> Iterator[Application]:
        if operator.kind == "OP_UF_APPLY":
            for function in self._universe.functions:
                *domain, result = function.sort.sorts()
                if self._universe.difference and is_number(result):
                    continue
                yield Application(operator, tuple(domain), (), result, head=function)
        elif operator.typing is not None:
            yield from self._of_datatypes(operator)
        elif operator.signature.binder:
            yield from self._binding(operator)
        else:
            yield from self._plain(operator)

    def _binding(self, operator: Operator) -> Iterator[Application]:
        """Applications that bind one variable."""
        sorts, checker = self._universe.all_sorts, self._universe.tables.checker
        for sort in self._universe.constants:
            for args, _ in _arguments(operator.signature.args[1:], {}, sorts):
                try:
                    result = checker.result(operator, (sort, *args), ())
                except IllSorted:
                    continue
                if result in sorts:
                    yield Application(operator, args, (), result, bound=(sort,))

    def _of_datatypes(self, operator: Operator) -> Iterator[Application]:
        tables = self._universe.tables
        for sort in self._universe.sorts:
            for constructor in sort.datatype.constructors if sort.kind == "SORT_DT" else ():
                fields = tables.sorts.field_sorts(sort, constructor)
                names = [name for name, _ in constructor.fields]
                if operator.typing == "constructor":
                    yield Application(operator, tuple(fields), (constructor.name,), sort)
                elif operator.typing == "tester":
                    yield Application(operator, (sort,), (constructor.name,), tables.bool)
                for name, part in zip(names, fields, strict=True):
                    indices = (constructor.name, name)
                    if operator.typing == "selector":
                        yield Application(operator, (sort,), indices, part)
                    elif operator.typing == "updater":
                        yield Application(operator, (sort, part), indices, sort)

    def _plain(self, operator: Operator) -> Iterator[Application]:
        signature, sorts = operator.signature, self._universe.all_sorts
        determined = signature.as_sort or any(index.low is None for index in signature.indices)
        for wanted in sorts if determined else (None,):
            env: Binding = {}
            if wanted is not None and not signature.result.match(wanted, env):
                continue
            for args, bound in _arguments(signature.args, env, sorts):
                for indices in self._indices(signature.indices, bound, len(args)):
                    yield from self._checked(operator, args, indices, wanted)

    def _checked(
        self,
        operator: Operator,
        args: tuple[Sort, ...],
        indices: tuple[int, ...],
        wanted: Sort | None,
    ) -> Iterator[Application]:
        given = wanted if operator.signature.as_sort else None
        try:
            result = self._universe.tables.checker.result(operator, args, indices, given)
        except IllSorted:
            return
        if not args or wanted not in (None, result) or result not in self._universe.all_sorts:
            return
        if not self._universe.difference:
            yield Application(operator, args, indices, result)
        elif not is_number(result):
            yield Application(operator, args, indices, result)
            if operator.signature.attribute == "chainable" and is_number(args[0]):
                yield Application(operator, (*args, args[0]), indices, result, minus=True)

    def _indices(
        self, specs: Sequence[Index], env: Binding, arity: int
    ) -> Iterator[tuple[int, ...]]:
        """The indices that are used: all of a small range, and of a larger one the numbers that
        occur in sorts, and those near them.
        """
        if not specs:
            yield ()
            return
        spec = specs[0]
        choices = self._choices(spec, env)
        counts = range(1, _LONGEST + 1) if spec.many else (arity if spec.each else 1,)
        for count in counts:
            for chosen in product(choices[:2] if spec.each else choices, repeat=count):
                inner = {**env, spec.name: chosen[0]}
                for rest in self._indices(specs[1:], inner, arity):
                    yield (*chosen, *rest)

    def _choices(self, spec: Index, env: Binding) -> Sequence[int]:
        known = env.get(spec.name)
        if isinstance(known, int):
            return (known,)
        low = 0 if spec.low is None else spec.low.value(env) or 0
        high = None if spec.high is None else spec.high.value(env)
        if high is not None and high - low < _FEW:
            return range(low, high + 1)
        return [n for n in self._numbers if low <= n and (high is None or n <= high)]


def _arguments(
    patterns: Sequence[Pattern], env: Binding, sorts: Sequence[Sort]
) -> Iterator[tuple[tuple[Sort, ...], Binding]]:
    """Return the sorts of arguments that fit patterns, each with the binding that it leads to."""
    if not patterns:
        yield (), env
        return
    first = patterns[0]
    if first.star:
        for count in range(1, _LONGEST + 1):
            for chosen in product(sorts, repeat=count):
                for rest, bound in _arguments(patterns[1:], env, sorts):
                    yield (*chosen, *rest), bound
        return
    for sort in sorts:
        inner = dict(env)
        if first.match(sort, inner):
            for rest, bound in _arguments(patterns[1:], inner, sorts):
                yield (sort, *rest), bound


def _numbers_of(sorts: Sequence[Sort]) -> list[int]:
    """Small numbers, the numbers in sorts, and those near them, in order."""
    there = {n for sort in sorts for n in sort.params if isinstance(n, int)}
    differences = {abs(one - other) for one in there for other in there}
    near = {n + step for n in there | differences for step in (-1, 0, 1)}
    return sorted(n for n in {0, 1, 2, *near} if n >= 0)
