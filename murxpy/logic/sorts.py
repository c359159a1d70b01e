"""Sorts, which are hash-consed within a run, and the declarations of datatypes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Union

from murxpy.errors import InputError

# A script of 22 lines can name a sort of four million parts, since each definition of a sort can use
# the one before it twice. No solver and no person has a use for sorts beyond these bounds.
MAX_PARTS = 50_000  # sorts in a sort, each counted as often as it stands there
MAX_NESTING = 200  # how deep sorts may nest in sorts
# The width of a bit-vector or a format; no solver supports more, and a literal takes 2 MB.
MAX_WIDTH = 1 << 24
SETS = ("SORT_SET", "SORT_FINITE_SET")  # kinds of sorts whose values are sets
MAX_ORDER = 1 << 3000  # a larger order of a field takes seconds to be found a prime


class IllSorted(InputError):
    """There is no such sort, or the signature of an operator does not allow an application."""


SortParam = Union["Sort", int, str, "Datatype"]


class Sort:
    """A sort: its kind (`SORT_BV`) and its parameters, which are numbers, sorts, a name, or a
    datatype.

    Only `SortTable.get` makes sorts, so that equal sorts of a run are the same object.
    """

    __slots__ = ("kind", "nesting", "params", "parts", "serial")

    def __init__(self, kind: str, params: tuple[SortParam, ...], serial: int) -> None:
        self.kind = kind
        self.params = params
        self.serial = serial
        inner = [param for param in params if isinstance(param, Sort)]
        self.parts: int = 1 + sum([sort.parts for sort in inner])
        self.nesting: int = 1 + max([sort.nesting for sort in inner], default=0)

    @property
    def short(self) -> str:
        """Return the kind without its prefix: `BV`."""
        return self.kind.removeprefix("SORT_")

    @property
    def width(self) -> int:
        """Return the first parameter that is an integer: the width of a bit-vector, the order of a
        field, the bits of an exponent.
        """
        return self.number(0)

    def number(self, position: int) -> int:
        """Return the parameter at `position`, which is an integer. Raises TypeError if the argument
        is no number.
        """
        value = self.params[position]
        if not isinstance(value, int):
            raise TypeError(f"parameter {position} of {self} is no number")
        return value

    def sort(self, position: int) -> Sort:
        """Return the parameter at `position`, which is a sort. Raises TypeError if the argument is no
        sort.
        """
        value = self.params[position]
        if not isinstance(value, Sort):
            raise TypeError(f"parameter {position} of {self} is no sort")
        return value

    def sorts(self) -> tuple[Sort, ...]:
        """Return all parameters that are sorts, in order."""
        return tuple(p for p in self.params if isinstance(p, Sort))

    @property
    def datatype(self) -> Datatype:
        """Return the declaration of a datatype. Raises TypeError for other sorts."""
        value = self.params[0]
        if not isinstance(value, Datatype):
            raise TypeError(f"{self} is no datatype")
        return value

    def __repr__(self) -> str:
        if not self.params:
            return self.short
        return f"{self.short}({','.join(p.name if isinstance(p, Datatype) else str(p) for p in self.params)})"


@dataclass(eq=False)
class Constructor:
    """A constructor of a datatype: its symbol, and its fields with the names of their selectors."""

    name: str
    fields: list[tuple[str, Sort]] = field(default_factory=list)


@dataclass(eq=False)
class Datatype:
    """A declared datatype. A datatype is equal only to itself, since two declarations with the same
    name are different datatypes.
    """

    name: str
    params: list[str] = field(default_factory=list)
    constructors: list[Constructor] = field(default_factory=list)

    def constructor(self, name: str) -> Constructor | None:
        """Return the constructor called `name`, or None."""
        return next((c for c in self.constructors if c.name == name), None)


class SortTable:
    """The sorts of a run. Equal kinds and parameters give the same object."""

    def __init__(self) -> None:
        self._sorts: dict[tuple[object, ...], Sort] = {}

    def copy(self) -> SortTable:
        """Return a table with the same sorts, to which others can be added."""
        made = SortTable()
        made._sorts = dict(self._sorts)
        return made

    def get(self, kind: str, *params: SortParam) -> Sort:
        """Return the sort of this kind with these parameters. Raises IllSorted if the sort has more
        than `MAX_PARTS` parts, more than `MAX_NESTING` levels, or more than `MAX_WIDTH` bits.
        """
        key = (kind, *params)
        sort = self._sorts.get(key)
        if sort is None:
            sort = Sort(kind, params, len(self._sorts))
            if sort.parts > MAX_PARTS:
                raise IllSorted(f"a sort that consists of more than {MAX_PARTS} sorts")
            if kind == "SORT_BV" and sort.width > MAX_WIDTH:
                raise IllSorted(f"a bit-vector of more than {MAX_WIDTH} bits")
            if sort.nesting > MAX_NESTING:
                raise IllSorted(f"sorts nested more than {MAX_NESTING} deep")
            self._sorts[key] = sort
        return sort

    def substitute(self, sort: Sort, bound: dict[str, Sort]) -> Sort:
        """Return `sort` with its datatype parameters (`SORT_PARAM`) replaced as `bound` says."""
        if sort.kind == "SORT_PARAM":
            name = sort.params[0]
            return bound.get(name, sort) if isinstance(name, str) else sort
        if not sort.sorts():
            return sort
        return self.get(
            sort.kind,
            *(self.substitute(p, bound) if isinstance(p, Sort) else p for p in sort.params),
        )

    def field_sorts(self, sort: Sort, constructor: Constructor) -> list[Sort]:
        """Return the sorts of the fields of `constructor` in the datatype sort `sort`, with the
        parameters of that sort.
        """
        bound = dict(zip(sort.datatype.params, sort.sorts(), strict=False))
        return [self.substitute(field_sort, bound) for _, field_sort in constructor.fields]


_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def order_of_field(number: int) -> bool:
    """Return whether `number` can be the order of a field: it is a prime below `MAX_ORDER`."""
    return number < MAX_ORDER and probably_prime(number)


def probably_prime(number: int) -> bool:
    """Return whether `number` is prime. The answer is certain below 3 * 10^24; above, the
    Miller-Rabin test with twelve bases decides.
    """
    if number < 2 or any(number % p == 0 for p in _WITNESSES):
        return number in _WITNESSES
    shift = (number - 1 & 1 - number).bit_length() - 1
    odd = number - 1 >> shift
    return all(_passes(pow(base, odd, number), shift, number) for base in _WITNESSES)


def _passes(power: int, shift: int, number: int) -> bool:
    if power in (1, number - 1):
        return True
    for _ in range(shift - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False


def components(sort: Sort) -> Iterator[Sort]:
    """Yield `sort` and every sort inside it, the outermost first. The fields of datatypes are not
    entered.
    """
    yield sort
    for inner in sort.sorts():
        yield from components(inner)


def well_founded(datatypes: list[Datatype]) -> list[Datatype]:
    """Return those datatypes of a block of mutually recursive declarations that have a finite
    value: SMT-LIB 2.7, section 4.2.3.
    """
    founded: list[Datatype] = []
    changed = True
    while changed:
        changed = False
        for datatype in datatypes:
            if datatype not in founded and any(
                _finite(c, datatypes, founded) for c in datatype.constructors
            ):
                founded.append(datatype)
                changed = True
    return founded


def _finite(constructor: Constructor, block: list[Datatype], founded: list[Datatype]) -> bool:
    return all(_inhabited(sort, block, founded) for _, sort in constructor.fields)


def _inhabited(sort: Sort, block: list[Datatype], founded: list[Datatype]) -> bool:
    # A datatype of the block that is inside another sort, such as an array, does not count as
    # founded. Solvers demand that.
    return all(
        inner.datatype in founded or inner.datatype not in block
        for inner in components(sort)
        if inner.kind == "SORT_DT"
    )


def reachable(datatype: Datatype) -> list[Datatype]:
    """Return the block of mutually recursive datatypes that `datatype` is in: those that reach it
    and that it reaches.
    """
    return [d for d in _reached(datatype) if datatype in _reached(d)]


def _reached(datatype: Datatype) -> list[Datatype]:
    found = [datatype]
    for one in found:
        sorts = [sort for constructor in one.constructors for _, sort in constructor.fields]
        for sort in sorts:
            sorts += sort.sorts()
            if sort.kind == "SORT_DT" and sort.datatype not in found:
                found.append(sort.datatype)
    return found
