"""The parts of conditions in the functions and lambdas of a model: variables, `ite`, connectives,
equalities, applications and selections.

Each function gives the value of one row, as a value of `sort`, or of any sort if `sort` is None.
`env` has the bound variables.
"""

from __future__ import annotations

from murxpy.logic.sorts import Sort
from murxpy.machine.witnesses.functions import Fresh, Unnamed, equal
from murxpy.machine.witnesses.rows import Env, Row, Rows, Unreadable, expect
from murxpy.semantics.values import CannotSay, Value


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
