"""Functions as arrays, which is how z3 has them, and its operators on sets that are arrays."""

from __future__ import annotations

from collections.abc import Callable

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.smtlib.tables import Tables


def as_array(tables: Tables, term: Term) -> Term:
    """A lambda as an array, of several variables as an array of arrays; other terms as they are."""
    if term.op != "OP_LAMBDA":
        return term
    body = as_array(tables, term.args[-1])
    for variable in reversed(term.args[:-1]):
        body = tables.apply("OP_ARRAY_LAMBDA", variable, body)
    return reduced(body)


def as_set(tables: Tables, term: Term) -> Term | None:
    """An array by lambda as the set of the indices at which it is true, which is how z3 has sets;
    None where it is something else.
    """
    lambdas = ("OP_ARRAY_LAMBDA", "OP_LAMBDA")
    if term.op not in lambdas or len(term.args) != 2 or term.args[1].sort is not tables.bool:
        return None
    return tables.apply("OP_SET_COMPREHENSION", *term.args, term.args[0])


def as_function(tables: Tables, term: Term, sort: Sort) -> Term | None:
    """An array by lambda as a function of this sort, which is how z3 has functions; None where it
    is another one.
    """
    variables: list[Term] = []
    while term.op == "OP_ARRAY_LAMBDA" and len(variables) < len(sort.params) - 1:
        variables.append(term.args[0])
        term = term.args[1]
    if (*(v.sort for v in variables), term.sort) != sort.sorts():
        return None
    return tables.apply("OP_LAMBDA", *variables, term)


def reduced(term: Term) -> Term:
    """An array that only looks up what another one has is that other one, as the printer writes the
    function of a fold.
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
    """One of z3's operators on sets, applied to arrays to Bool; None where it is something else."""
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
