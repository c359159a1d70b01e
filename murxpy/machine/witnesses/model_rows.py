"""The rows that a wrapper's reader gives for a model, and how values are found in them.

A row is a tuple of a tag and its parts. A number in the place of a row is the position of that row
in the list. `docs/oracles.md` lists the tags.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from murxpy.logic.sorts import SETS, Sort, SortTable
from murxpy.logic.walks import occurrences
from murxpy.machine.witnesses.function_tables import Fresh, Unnamed, apart, equal, tabulated
from murxpy.semantics.closures import Built, Stored
from murxpy.semantics.domains import canonical, make_array
from murxpy.semantics.exact.algebraic import number
from murxpy.semantics.meanings.sets import integers_between, make_set
from murxpy.semantics.plain_sorts import plain
from murxpy.semantics.registry import Points
from murxpy.semantics.values import (
    ArrayValue,
    BagValue,
    CannotSay,
    DatatypeValue,
    Element,
    FunctionValue,
    Value,
)

DEPTH = 100  # the depth of values in values

Row = tuple[Any, ...]
Env = tuple[tuple[Sort | None, Any], ...]  # sorts and values of bound variables, the innermost last


# The tags of literals, with the parameters of their sort.
LITERALS: dict[str, Callable[[Row], tuple[Any, ...]]] = {
    "bool": lambda row: (),
    "bv": lambda row: (row[1],),
    "int": lambda row: (),
    "real": lambda row: (),
    "fp": lambda row: (row[1], row[2]),
    "rm": lambda row: (),
    "string": lambda row: (),
    "ff": lambda row: (row[1],),
}


class Unreadable(Exception):
    """The binding gave something that is no value of the sort; the message describes it."""


class Stray(Unreadable):
    """A value of the model has an element that is none of those that the model gives its sort."""


class Rows:
    """The rows of a reader, and their values. `points` knows the sizes and domains of sorts.

    `Values` in this module is the class with a function for each tag.
    """

    readers: ClassVar[Mapping[str, Callable[[Any, Row, Sort | None, Env], Value]]] = {}

    def __init__(self, rows: Sequence[Row], sorts: SortTable, points: Points) -> None:
        self.rows = rows
        self.sorts = sorts
        self.points = points
        self._known: dict[tuple[int, Sort | None], Value] = {}
        self._open: list[bool] = []
        self._depth = 0

    def value(self, at: int, sort: Sort | None, env: Env = ()) -> Value:
        """The value of row `at` as a value of `sort`; if `sort` is None, of any sort. Raises
        Unreadable if the row is no such value, and CannotSay if its value cannot be known.
        """
        if env:
            return self._read(at, sort, env)
        key = (at, sort)
        if key not in self._known:
            self._known[key] = self._read(at, sort, env)
        return self._known[key]

    def function(
        self, at: int, domain: tuple[Sort, ...], codomain: Sort | None
    ) -> FunctionValue | Built:
        """The function of row `at`. Raises CannotSay if the model does not fix it."""
        row = self.rows[at]
        if row[0] == "as-array":  # of a solver to which functions and arrays are the same
            at, row = row[1], self.rows[row[1]]
        if row[0] == "lambda" and row[1] == len(domain):
            return tabulated(
                self,
                lambda *args: self.value(row[2], codomain, bound(domain, args)),
                domain,
                [(row[2], -1)],
                [],
            )
        if row[0] != "function" or row[1] != len(domain):
            raise CannotSay(f"a function given as '{row[0]}'")
        _, _, entries, default = row
        if (
            default is not None
            and not self.is_open(default)
            and all(plain(s, self.points) for s in domain)
        ):
            points = [
                (tuple(map(self.value, e, domain)), self.value(v, codomain))
                for e, v in reversed(entries)
            ]
            return canonical(
                FunctionValue(self.value(default, codomain), points), domain, self.points
            )
        named = [[self.value(e[k], s) for e, _ in entries] for k, s in enumerate(domain)]
        bodies = [] if default is None else [(default, 1)]
        return tabulated(
            self, lambda *args: self.apply(at, args, codomain, domain), domain, bodies, named
        )

    def apply(
        self, at: int, args: Sequence[Any], sort: Sort | None, domain: Sequence[Sort | None] = ()
    ) -> Value:
        """The value of a function at arguments; `domain` has the sorts of the arguments, if they
        are known. Raises CannotSay if the model does not fix it.
        """
        row, domain = self.rows[at], domain or [None] * len(args)
        if row[0] != "function":
            raise CannotSay("a function that the model does not fix")
        for entry, result in row[2]:
            if all(
                self._same(self.value(e, s), a, s)
                for e, a, s in zip(entry, args, domain, strict=True)
            ):
                return self.value(result, sort)
        if row[3] is None:
            raise CannotSay("a point at which the model does not fix a function")
        # variable 0 is the first argument
        return self.value(row[3], sort, bound(domain, args)[::-1])

    def _same(self, value: Value, other: Any, sort: Sort | None) -> bool:
        """True if an argument is a value that a function names. Raises Unnamed for an argument that
        stands for all unnamed ones, and CannotSay.
        """
        return (
            not other.differs(value)
            if isinstance(other, Fresh)
            else equal(self.points, sort, value, other)
        )

    def is_open(self, at: int) -> bool:
        """True if a variable may occur in row `at`."""
        for row in self.rows[len(self._open) : at + 1]:
            inner = (
                [p for p in row[1:] if type(p) is int and p < len(self._open)]
                if row[0] not in LITERALS
                else []
            )
            self._open.append(row[0] == "var" or any(self._open[p] for p in inner))
        return self._open[at]

    def _read(self, at: int, sort: Sort | None, env: Env) -> Value:
        row = self.rows[at]
        reader = self.readers.get(row[0])
        if reader is None:
            raise CannotSay(f"a value with '{row[1] if row[0] == 'unknown' else row[0]}'")
        self._depth += 1
        try:
            if self._depth > DEPTH:
                raise CannotSay(f"a value nested deeper than {DEPTH}")
            return reader(self, row, sort, env)
        finally:
            self._depth -= 1


def bound(sorts: Sequence[Sort | None], values: Sequence[Any]) -> Env:
    """The environment that binds `values` of `sorts` to variables."""
    return tuple(zip(sorts, values, strict=True))


def expect(sort: Sort | None, kinds: Sequence[str], what: str) -> None:
    """Raise Unreadable unless `sort` is unknown or of one of these kinds."""
    if sort is not None and sort.kind not in kinds:
        raise Unreadable(f"{what} in place of a value of {sort}")


# ----------------------------------------------------------------------
# The parts of conditions in the functions and lambdas of a model: variables, `ite`,
# connectives, equalities, applications and selections. Each function gives the value of one
# row, as a value of `sort`, or of any sort if `sort` is None. `env` has the bound variables.


def variable(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    """The value of a bound variable. Raises Unnamed if the variable stands for all arguments that
    no row names.
    """
    if row[1] >= len(env):
        raise Unreadable("a variable that nothing binds")
    bound = env[-1 - row[1]][1]
    if isinstance(bound, Fresh):
        raise Unnamed
    found: Value = bound
    return found


def condition(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    """`ite`."""
    return values.value(row[2] if values.value(row[1], None, env) else row[3], sort, env)


def connective(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    """`not`, `and` and `or`."""
    expect(sort, ("SORT_BOOL",), "a Boolean")
    tag, *parts = row
    if tag == "not":
        return not values.value(parts[0], None, env)
    found = (values.value(part, None, env) for part in parts)
    return all(found) if tag == "and" else any(found)


def equality(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    """`=`; one side may be a variable that stands for all arguments that no row names."""
    expect(sort, ("SORT_BOOL",), "a Boolean")
    for variable, other in ((row[1], row[2]), (row[2], row[1])):
        inner = values.rows[variable]
        if inner[0] == "var" and inner[1] < len(env):
            known, value = env[-1 - inner[1]]
            if isinstance(value, Fresh) and not values.is_open(other):
                return not value.differs(values.value(other, known))
            return equal(
                values.points,
                known,
                values.value(variable, known, env),
                values.value(other, known, env),
            )
    return equal(
        values.points, None, values.value(row[1], None, env), values.value(row[2], None, env)
    )


def application(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    """A function of the model at arguments."""
    sorts = [_sort_of(values, part, env) for part in row[2:]]
    return values.apply(
        row[1],
        [values.value(part, s, env) for part, s in zip(row[2:], sorts, strict=True)],
        sort,
        sorts,
    )


def _sort_of(values: Rows, at: int, env: Env) -> Sort | None:
    """The sort of a variable; of anything else it is not known."""
    tag, *parts = values.rows[at]
    return env[-1 - parts[0]][0] if tag == "var" and parts[0] < len(env) else None


def selection(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    """An array at an index. The array as a whole is not computed."""
    at, index = row[1], values.value(row[2], None, env)
    while values.rows[at][0] == "store":
        _, at, where, value = values.rows[at]
        if equal(values.points, None, values.value(where, None, env), index):
            return values.value(value, sort, env)
    inner = values.rows[at]
    if inner[0] == "const":
        return values.value(inner[1], sort, env)
    if inner[0] == "lambda" and inner[1] == 1:
        return values.value(inner[2], sort, (*env, (None, index)))
    if inner[0] == "as-array":
        return values.apply(inner[1], [index], sort)
    raise CannotSay(f"a selection from '{inner[0]}'")


# ----------------------------------------------------------------------
# Values of a model. The rows of a wrapper's reader, which are plain data, become values of
# `semantics`, checked against their sorts. A constant of a sort without arrays must have a
# value of that sort. Arrays and functions may also be lambdas (`functions.py`).


def _literal(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    tag = row[0]
    wanted = LITERALS[tag](row)
    if tag == "int" and sort is not None and sort.kind == "SORT_REAL":
        return Fraction(row[1])  # of a solver to which each integer is a real
    if tag == "bv" and row[1] == 1 and sort is not None and sort.kind == "SORT_BOOL":
        return bool(row[2])  # of a solver to which a Boolean is a bit-vector of width one
    if sort is not None and (sort.kind != f"SORT_{tag.upper()}" or tuple(sort.params) != wanted):
        raise Unreadable(f"a value of {tag.upper()}{wanted or ''} in place of one of {sort}")
    if tag == "real":
        return Fraction(row[1], row[2])
    if tag == "rm":
        return str(row[1]).upper()
    if tag == "fp" and row[3] is None:
        return int(((1 << row[1]) - 1) << (row[2] - 1) | 1 << (row[2] - 2))
    literal: Value = row[-1]
    return literal


def _constructor(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    _, name, *parts = row
    if sort is None:
        return DatatypeValue(name, tuple(values.value(part, None, env) for part in parts))
    fields: Sequence[Sort] | None = None
    if sort.kind == "SORT_TUPLE":
        name, fields = "", sort.sorts()
    elif sort.kind == "SORT_NULLABLE":
        fields = sort.sorts()[: len(parts)]
    elif sort.kind == "SORT_DT" and (found := sort.datatype.constructor(name)) is not None:
        fields = values.sorts.field_sorts(sort, found)
    if fields is None or len(fields) != len(parts):
        raise Unreadable(
            f"the constructor {name} with {len(parts)} fields in place of a value of {sort}"
        )
    return DatatypeValue(
        name, tuple(values.value(part, s, env) for part, s in zip(parts, fields, strict=True))
    )


def _element(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    expect(sort, ("SORT_UNINTERPRETED",), "an element of an uninterpreted sort")
    element = Element(row[1])
    listed = values.points.interpretation.domains.get(sort) if sort is not None else None
    if listed is not None and element not in listed:
        raise Stray(
            f"the element '{element.name}', which is none of those that the model gives its sort"
        )
    return element


def _joined(values: Rows, row: Row, *tags: str) -> Iterator[Row]:
    """The rows that a row joins by operations with these tags, the last one first."""

    def inner(one: Row) -> Iterable[Row]:
        return [values.rows[p] for p in one[1:]] if one[0] in tags else ()

    return (one for one in occurrences([row], inner) if one[0] not in tags)


def _sequence(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    expect(sort, ("SORT_SEQ", "SORT_STRING"), "a sequence")
    if sort is not None and sort.kind == "SORT_STRING":
        return "".join(_characters(values, row))
    inner = None if sort is None else sort.sort(0)
    made: list[Value] = []
    for tag, *parts in reversed(list(_joined(values, row, "concat"))):
        if tag == "seq":
            made.extend([values.value(p, inner, env) for p in parts])
        else:
            raise CannotSay(f"a sequence with '{tag}'")
    return tuple(made)


def _characters(values: Rows, row: Row) -> Iterator[str]:
    """The characters of a string that is given as a sequence of its parts."""
    for tag, *parts in reversed(list(_joined(values, row, "concat", "seq"))):
        if tag == "string":
            yield parts[0]
        elif tag == "char":
            yield chr(parts[0])
        else:
            raise CannotSay(f"a string with '{tag}'")


def _table(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    """An array, from stores, constant arrays and lambdas; or the set that an array with Boolean
    elements describes.
    """
    if sort is None:
        raise CannotSay("an array of unknown sort")
    expect(sort, ("SORT_ARRAY", "SORT_SET"), "an array")
    array = _array(values, row, sort, env)
    if sort.kind == "SORT_ARRAY":
        return array
    if not isinstance(array, ArrayValue):
        raise CannotSay("a set given by a function")
    return make_set(sort, (point for point, _ in array.items()), bool(array.default), values.points)


def _set(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    expect(sort, SETS, "a set")
    if sort is None:
        raise CannotSay("a set of unknown sort")
    members: list[Value] = []
    for tag, *parts in _joined(values, row, "union"):
        if tag == "set":
            members.extend([values.value(p, sort.sort(0), env) for p in parts])
        elif tag == "range":
            ends: list[Any] = [values.value(p, sort.sort(0), env) for p in parts]
            members.extend(integers_between(*ends))
        elif tag == "universe":
            return make_set(sort, (), True, values.points)
        else:
            raise CannotSay(f"a set with '{tag}'")
    return make_set(sort, members, False, values.points)


def _bag(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    expect(sort, ("SORT_BAG",), "a bag")
    inner = None if sort is None else sort.sort(0)
    counts: dict[Value, int] = {}
    for tag, *parts in _joined(values, row, "sum"):
        if tag == "bag" and parts:
            count = values.rows[parts[1]]
            if count[0] != "int" or count[1] < 0:
                raise Unreadable(f"a bag with the count {count}")
            element = values.value(parts[0], inner, env)
            counts[element] = counts.get(element, 0) + count[1]
        elif tag != "bag":
            raise CannotSay(f"a bag with '{tag}'")
    return BagValue(frozenset((element, count) for element, count in counts.items() if count))


def _algebraic(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    expect(sort, ("SORT_REAL",), "an algebraic number")
    _, coefficients, low, high = row
    return number([Fraction(*c) for c in coefficients], Fraction(*low), Fraction(*high))


def _array(values: Rows, row: Row, sort: Sort, env: Env) -> Value:
    index, element = sort.sort(0), sort.sort(1) if sort.kind == "SORT_ARRAY" else None
    stores = []
    while row[0] == "store":
        stores.append((values.value(row[2], index, env), values.value(row[3], element, env)))
        row = values.rows[row[1]]
    stores.reverse()
    if row[0] == "const":
        return _with_stores(
            sort, ArrayValue(values.value(row[1], element, env)), stores, values.points
        )
    if row[0] == "as-array":
        base = values.function(row[1], (index,), element)
    elif row[0] == "lambda" and row[1] == 1:
        body = row[2]
        base = tabulated(
            values,
            lambda at: values.value(body, element, (*env, (index, at))),
            (index,),
            [(body, -1)],
            [],
        )
    else:
        raise CannotSay(f"an array made of '{row[1] if row[0] == 'unknown' else row[0]}'")
    if isinstance(base, FunctionValue):
        points: Iterable[tuple[Any, Value]] = base.items()
        entries = [(at, value) for (at,), value in points]
        return _with_stores(
            sort, make_array(sort, base.default, entries, values.points), stores, values.points
        )
    return Stored(base, tuple(reversed(stores))) if stores else base


def _with_stores(
    sort: Sort, base: ArrayValue, stores: Sequence[tuple[Value, Value]], points: Points
) -> Value:
    """An array with stores over a table. The result is a table, too, if it is known which of the
    indices are equal.
    """
    entries = [*base.items(), *stores]
    try:
        indices = apart(points, sort.sort(0), [index for index, _ in entries])
    except CannotSay:
        return Stored(base, tuple(reversed(stores)))
    return make_array(
        sort, base.default, zip(indices, (value for _, value in entries), strict=True), points
    )


class Values(Rows):
    """The values of rows, with a function for each tag."""

    readers: ClassVar = {
        **dict.fromkeys(LITERALS, _literal),
        **dict.fromkeys(("not", "and", "or"), connective),
        **dict.fromkeys(("store", "const", "lambda", "as-array"), _table),
        **dict.fromkeys(("seq", "concat"), _sequence),
        **dict.fromkeys(("set", "union", "range", "universe"), _set),
        **dict.fromkeys(("bag", "sum"), _bag),
        "algebraic": _algebraic,
        "var": variable,
        "ite": condition,
        "=": equality,
        "apply": application,
        "select": selection,
        "constructor": _constructor,
        "element": _element,
    }
