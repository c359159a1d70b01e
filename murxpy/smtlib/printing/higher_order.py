"""What makes a script one of higher order. Some dialects have functions as values only in logics
whose names begin with `HO_`.
"""

from __future__ import annotations

from collections.abc import Iterable

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, FUNCTION, Term

# their first argument is a function's symbol, no value
_APPLYING = ("OP_UF_APPLY", "OP_ARRAY_MAP", "OP_ARRAY_MAP2")
_PREFIX = "HO_"


def higher_order(term: Term) -> bool:
    """True if the term itself, whatever is in its arguments, has a function that is a value."""
    if term.sort.kind == "SORT_FUN":
        if term.op not in (CONSTANT, FUNCTION) or _has_function(term.sort.sorts()):
            return True
    elif term.sort.params and _has_function(term.sort.sorts()):
        return True
    if term.op == FUNCTION:
        return False
    return _has_function(
        a.sort for a in (term.args[1:] if term.op in _APPLYING else term.args)
    ) or (term.op == "OP_UF_APPLY" and term.args[0].op not in (CONSTANT, FUNCTION))


def _has_function(sorts: Iterable[Sort]) -> bool:
    return any(sort.kind == "SORT_FUN" for sort in sorts)


def higher_logic(logic: str) -> str:
    """The logic of this name with functions as values."""
    return logic if logic.startswith(_PREFIX) else f"{_PREFIX}{logic}"
