"""Values of a model. The rows of a wrapper's reader, which are plain data, become values of
`semantics`, checked against their sorts.

A constant of a sort without arrays must have a value of that sort. Arrays and functions may also be
lambdas (`functions.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, ClassVar

from murxpy.logic.sorts import Sort
from murxpy.machine.witnesses import conditions
from murxpy.machine.witnesses.functions import apart, tabulated
from murxpy.machine.witnesses.rows import LITERALS, Env, Row, Rows, Unreadable, expect
from murxpy.semantics.closures import Stored
from murxpy.semantics.domains import make_array
from murxpy.semantics.exact.algebraic import number
from murxpy.semantics.meanings.sets import make_set
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


def _literal(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    tag = row[0]
    wanted = LITERALS[tag](row)
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
    return Element(row[1])


def _sequence(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    expect(sort, ("SORT_SEQ", "SORT_STRING"), "a sequence")
    if sort is not None and sort.kind == "SORT_STRING":
        return "".join(_characters(values, row))
    inner = None if sort is None else sort.sort(0)
    made: list[Value] = []
    stack = [row]
    while stack:
        tag, *parts = stack.pop()
        if tag == "concat":
            stack.extend(values.rows[p] for p in reversed(parts))
        elif tag == "seq":
            made.extend([values.value(p, inner, env) for p in parts])
        else:
            raise CannotSay(f"a sequence with '{tag}'")
    return tuple(made)


def _characters(values: Rows, row: Row) -> Iterator[str]:
    """The characters of a string that is given as a sequence of its parts."""
    stack = [row]
    while stack:
        tag, *parts = stack.pop()
        if tag == "string":
            yield parts[0]
        elif tag == "char":
            yield chr(parts[0])
        elif tag in ("concat", "seq"):
            stack.extend(values.rows[p] for p in reversed(parts))
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
    expect(sort, ("SORT_SET",), "a set")
    if sort is None:
        raise CannotSay("a set of unknown sort")
    members: list[Value] = []
    stack = [row]
    while stack:
        tag, *parts = stack.pop()
        if tag == "union":
            stack.extend(values.rows[p] for p in parts)
        elif tag == "set":
            members.extend([values.value(p, sort.sort(0), env) for p in parts])
        elif tag == "universe":
            return make_set(sort, (), True, values.points)
        else:
            raise CannotSay(f"a set with '{tag}'")
    return make_set(sort, members, False, values.points)


def _bag(values: Rows, row: Row, sort: Sort | None, env: Env) -> Value:
    expect(sort, ("SORT_BAG",), "a bag")
    inner = None if sort is None else sort.sort(0)
    counts: dict[Value, int] = {}
    stack = [row]
    while stack:
        tag, *parts = stack.pop()
        if tag == "sum":
            stack.extend(values.rows[p] for p in parts)
        elif tag == "bag" and parts:
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
        **dict.fromkeys(("not", "and", "or"), conditions.connective),
        **dict.fromkeys(("store", "const", "lambda", "as-array"), _table),
        **dict.fromkeys(("seq", "concat"), _sequence),
        **dict.fromkeys(("set", "union", "universe"), _set),
        **dict.fromkeys(("bag", "sum"), _bag),
        "algebraic": _algebraic,
        "var": conditions.variable,
        "ite": conditions.condition,
        "=": conditions.equality,
        "apply": conditions.application,
        "select": conditions.selection,
        "constructor": _constructor,
        "element": _element,
    }
