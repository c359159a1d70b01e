"""Finds out whether a term uses functions as values. Some dialects allow that only in logics whose
names begin with `HO_`.
"""

from __future__ import annotations

from collections.abc import Iterable

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, FUNCTION, Term

# the first argument of these operators is the symbol of a function and no value
_APPLYING = ("OP_UF_APPLY", "OP_ARRAY_MAP", "OP_ARRAY_MAP2")
_PREFIX = "HO_"


def higher_order(term: Term) -> bool:
    """Return whether the term itself uses a function as a value. Its arguments are not examined."""
    if term.sort.kind == "SORT_FUN":
        if term.op not in (CONSTANT, FUNCTION) or _has_function(term.sort.sorts()):
            return True
    elif term.sort.params and _has_function(term.sort.sorts()):
        return True
    if term.op == FUNCTION:
        return False
    values = term.args[1:] if term.op in _APPLYING else term.args
    return _has_function([value.sort for value in values]) or (
        term.op == "OP_UF_APPLY" and term.args[0].op not in (CONSTANT, FUNCTION)
    )


def _has_function(sorts: Iterable[Sort]) -> bool:
    return "SORT_FUN" in [sort.kind for sort in sorts]


def higher_logic(logic: str) -> str:
    """Return the logic that has functions as values and is otherwise the logic of this name."""
    return logic if logic.startswith(_PREFIX) else f"{_PREFIX}{logic}"
