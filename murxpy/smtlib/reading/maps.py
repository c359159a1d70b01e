"""Reads z3's arrays that are made of functions: `((_ map f) a b)` and `(_ as-array f)`."""

from __future__ import annotations

from murxpy.errors import InputError
from murxpy.logic.terms import Term
from murxpy.smtlib.reading.context import Head, TermContext
from murxpy.smtlib.reading.heads import FunctionHead
from murxpy.smtlib.reading.lambdas import as_array as lambda_as_array
from murxpy.smtlib.syntax.lexer import key

_ON_SETS = {"or": "set.union", "and": "set.inter", "not": "set.complement"}


class MapHead(Head):
    """`(_ map f)` for a function or an operator of a theory. The result is an array that is made by
    a lambda.
    """

    def __init__(self, token: str) -> None:
        super().__init__()
        self.token = token

    def close(self, reader: TermContext, args: list[Term]) -> Term:
        args = [lambda_as_array(reader.tables, a) for a in args]
        function = reader.scope.atoms.get(key(self.token))
        if function is not None and function.sort.kind == "SORT_FUN" and len(args) in (1, 2):
            return reader.tables.apply(
                "OP_ARRAY_MAP" if len(args) == 1 else "OP_ARRAY_MAP2", function, *args
            )
        if args and all(a.sort.kind == "SORT_SET" for a in args) and self.token in _ON_SETS:
            return reader.apply(_ON_SETS[self.token], args)
        if not args or any(
            a.sort.kind != "SORT_ARRAY" or a.sort.params[0] is not args[0].sort.params[0]
            for a in args
        ):
            raise InputError(
                f"'map' takes arrays with the same indices, found ({', '.join(str(a.sort) for a in args)})"
            )
        variable = reader.tables.variable("x", args[0].sort.sort(0))
        head = reader.head_of(self.token)
        body = head.close(
            reader,
            [*head.first, *(reader.tables.apply("OP_ARRAY_SELECT", a, variable) for a in args)],
        )
        if body is None:
            raise InputError(f"cannot map '{self.token}'")
        return reader.tables.apply("OP_ARRAY_LAMBDA", variable, body)


def as_array(reader: TermContext, token: str) -> Term:
    """Return a function of one argument as an array."""
    head = reader.head_of(token)
    if not isinstance(head, FunctionHead) or len(head.function.sort.params) != 2:
        raise InputError(f"expected a function of one argument, found '{token[:60]}'")
    variable = reader.tables.variable("x", head.function.sort.sort(0))
    return reader.tables.apply(
        "OP_ARRAY_LAMBDA", variable, head.close(reader, [head.function, variable])
    )
