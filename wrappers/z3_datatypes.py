"""Making datatypes, and terms over them, where an expression is not enough. The file imports only z3
and the standard library.

Every function works on z3 4.8.7 and later. A spelling itself names what a release can lack, so that
the probe leaves the spelling out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3
from datatype_instances import Declaration, Parametric, instances, matched


def datatypes(ctx: Any, declarations: Sequence[Declaration]) -> list[Any]:
    """The sorts of a block of declarations, in their order."""
    return instances(z3, ctx, declarations)


def polymorphic(
    create: Callable[..., Any], ctx: Any, declarations: Sequence[Declaration]
) -> list[Any]:
    """As `datatypes`, but a single parametric declaration becomes a polymorphic datatype of z3.

    z3 takes a polymorphic datatype that refers to itself only with its own parameters.
    """
    name, params, constructors = declarations[0]
    fields = [sort for _, parts in constructors for _, sort in parts]
    if len(declarations) > 1 or not params or any(_instantiates(s, params) for s in fields):
        return datatypes(ctx, declarations)
    variables = {p: z3.DeclareTypeVar(p, ctx) for p in params}
    datatype = z3.Datatype(name, ctx)
    for constructor, parts in constructors:
        datatype.declare(
            constructor, *((sel, _open_sort(s, datatype, variables)) for sel, s in parts)
        )
    create(datatype, list(variables.values()))
    return [Parametric(name, lambda *args: z3.DatatypeSort(name, list(args), ctx))]


def _instantiates(sort: Any, params: Sequence[str]) -> bool:
    return (
        isinstance(sort, tuple)
        and sort[0] == "ref"
        and list(sort[2]) != [("param", p) for p in params]
    )


def _open_sort(sort: Any, datatype: Any, variables: dict[str, Any]) -> Any:
    if not isinstance(sort, tuple):
        return sort
    return variables[sort[1]] if sort[0] == "param" else datatype


def match(term: Any, cases: Sequence[tuple[Sequence[str], Sequence[Any], Any]]) -> Any:
    """A match expression, by testers and selectors."""
    return matched(z3, term.sort(), term, cases)
