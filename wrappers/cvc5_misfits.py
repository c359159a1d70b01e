"""Stress for contract mode: definitions of functions that do not fit their declarations.

Each function gives None, or a str that says which promise is broken. It uses a solver of its own,
so the run stays as it was. The file imports only cvc5 and the standard library.
"""

from __future__ import annotations

from typing import Any

import cvc5
from cvc5_stress import STRESS_LIMIT
from cvc5_witnesses import _solver


def misfit(ctx: Any, define: str, how: str) -> str | None:
    """A definition whose variables or body do not fit the declaration must be refused. If it is not
    refused, a check follows. `define` is the call: `defineFun`, `defineFunRec` or `defineFunsRec`.
    """
    whole, truth = ctx.getIntegerSort(), ctx.getBooleanSort()
    x, y, b, k = (
        ctx.mkVar(whole, "x"),
        ctx.mkVar(whole, "y"),
        ctx.mkVar(truth, "b"),
        ctx.mkConst(whole, "k"),
    )
    variables, body = {
        "free": ([x], y),
        "doubled": ([x, x], x),
        "few": ([x], x),
        "constant": ([k], k),
        "other-sort": ([b], ctx.mkInteger(1)),
        "other-result": ([x], b),
    }[how]
    count = 2 if how in ("few", "doubled") else 1
    made = _solver(ctx, STRESS_LIMIT, {}, ())
    try:
        function = ctx.mkConst(ctx.mkFunctionSort([whole] * count, whole), "murxpy-defined")
        if define == "defineFun":
            function = made.defineFun("murxpy-defined", variables, whole, body)
        elif define == "defineFunRec":
            made.defineFunRec(function, variables, body)
        else:
            made.defineFunsRec([function], [variables], [body])
        applied = ctx.mkTerm(cvc5.Kind.APPLY_UF, function, *[k] * count)
        made.assertFormula(ctx.mkTerm(cvc5.Kind.DISTINCT, applied, ctx.mkConst(whole, "r")))
        made.checkSat()
    except RuntimeError:
        return None
    return f"{define} takes a definition that does not fit its declaration ({how})"
