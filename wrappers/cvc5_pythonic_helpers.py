"""Helpers of the wrapper of cvc5's pythonic layer for what one expression cannot say. The file imports only cvc5 and the
standard library.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cvc5
from cvc5.pythonic import cvc5_pythonic as P
from cvc5_model import find_constants, read_values


def begin_run() -> None:
    """Forget the main context. The rounding mode and the format of floats that operators assume are those of a new
    process.
    """
    P._main_ctx = None
    P._dflt_rounding_mode = cvc5.RoundingMode.ROUND_TOWARD_ZERO
    P.set_default_fp_sort(11, 53)


def run_context() -> Any:
    """The first context of a run, which is the main one, because many functions of the layer use only that; any other is
    one beside it.
    """
    if P._main_ctx is not None:
        return P.Context()
    context = P.main_ctx()
    context.murxpy_manager = context.tm  # so that helpers which are given the manager find it
    return context


def asts(expressions: Sequence[Any]) -> list[Any]:
    """The terms of the base layer of expressions; None stays None."""
    return [None if one is None else one.ast for one in expressions]


def joined_bits(bools: Sequence[Any]) -> Any:
    """The bit-vector of some Booleans; the first Boolean is the lowest bit."""
    bits = [P.If(one, P.BitVecVal(1, 1), P.BitVecVal(0, 1)) for one in reversed(bools)]
    return bits[0] if len(bits) == 1 else P.Concat(bits)


def read_layer_model(solver: Any, constants: Sequence[Any]) -> dict[str, Any]:
    """The values of constants and functions in the model of the layer."""
    model = solver.model()
    return read_values(solver.solver, [model[one].ast for one in constants])


def named_in(expressions: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """The constants and functions of these names in the expressions; None for a name without one. Cases of
    a match are no expressions.
    """
    found = find_constants([one.ast for one in expressions if P.is_expr(one)], names)
    return [None if one is None else P._to_expr_ref(one, P.main_ctx()) for one in found]


def usual_format(args: Sequence[Any], indices: Sequence[Any], sort: str | None) -> bool:
    """Guard: a format of floats that cvc5 takes without an option."""
    return sort in ("FP(8,24)", "FP(11,53)")
