"""Functions that are arrays, and the operators of sets on arrays. In z3 a function that is a value
is an array, and a set is an array of Booleans.
"""

from __future__ import annotations

from collections.abc import Callable

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.smtlib.tables import Tables


def as_array(tables: Tables, term: Term) -> Term:
    """Return a lambda as an array, or an array of arrays if it has several variables. Other terms
    stay as they are.
    """
    if term.op != "OP_LAMBDA":
        return term
    body = as_array(tables, term.args[-1])
    for variable in reversed(term.args[:-1]):
        body = tables.apply("OP_ARRAY_LAMBDA", variable, body)
    return reduced(body)


def as_set(tables: Tables, term: Term) -> Term | None:
    """Return an array that is made by a lambda as the set of those indices at which it is true.
    Return None for any other term. z3 has sets as such arrays.
    """
    lambdas = ("OP_ARRAY_LAMBDA", "OP_LAMBDA")
    if term.op not in lambdas or len(term.args) != 2 or term.args[1].sort is not tables.bool:
        return None
    return tables.apply("OP_SET_COMPREHENSION", *term.args, term.args[0])


def as_function(tables: Tables, term: Term, sort: Sort) -> Term | None:
    """Return an array that is made by a lambda as a function of this sort. Return None if it is no
    such array. z3 has functions that are values as such arrays.
    """
    variables: list[Term] = []
    while term.op == "OP_ARRAY_LAMBDA" and len(variables) < len(sort.params) - 1:
        variables.append(term.args[0])
        term = term.args[1]
    if (*(v.sort for v in variables), term.sort) != sort.sorts():
        return None
    return tables.apply("OP_LAMBDA", *variables, term)


def reduced(term: Term) -> Term:
    """Return the array that another array only looks up, or the array itself. The printer writes
    the function of a fold in such a way.
    """
    if term.op != "OP_ARRAY_LAMBDA" or term.args[1].op != "OP_ARRAY_LAMBDA":
        return term
    first, (second, body) = term.args[0], term.args[1].args
    if (
        body.op == "OP_ARRAY_SELECT"
        and body.args[1] is second
        and body.args[0].op == "OP_ARRAY_SELECT"
    ):
        array, index = body.args[0].args
        if index is first and first not in array.free and second not in array.free:
            return array
    return term


def _both(operator: str) -> Callable[[Tables, list[Term]], Term]:
    return lambda tables, members: tables.apply(operator, *members)


_POINTWISE: dict[str, Callable[[Tables, list[Term]], Term]] = {
    "union": _both("OP_OR"),
    "intersection": _both("OP_AND"),
    "setminus": lambda tables, members: tables.apply(
        "OP_AND", members[0], *(tables.apply("OP_NOT", m) for m in members[1:])
    ),
    "complement": lambda tables, members: tables.apply("OP_NOT", members[0]),
    "subset": lambda tables, members: tables.apply("OP_IMPLIES", *members),
}


def on_array_sets(tables: Tables, name: str, args: list[Term]) -> Term | None:
    """Return the application of an operator of sets to arrays of Booleans, which are sets in z3.
    Return None if the name is no such operator.
    """
    make = _POINTWISE.get(name)
    arrays = [as_array(tables, a) for a in args]
    count = 1 if name == "complement" else 2
    if (
        make is None
        or len(args) < count
        or (len(args) > count and name in ("complement", "subset"))
    ):
        return None
    sort = arrays[0].sort
    if (
        sort.kind != "SORT_ARRAY"
        or sort.sort(1) is not tables.bool
        or any(a.sort is not sort for a in arrays)
    ):
        return None
    variable = tables.variable("x", sort.sort(0))
    body = make(tables, [tables.apply("OP_ARRAY_SELECT", a, variable) for a in arrays])
    return tables.apply("OP_FORALL" if name == "subset" else "OP_ARRAY_LAMBDA", variable, body)
