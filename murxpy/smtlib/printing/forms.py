"""How spellings of a dialect are filled in, and the errors for terms that a dialect cannot say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort

# matches the name that a spelling applies, such as `bvadd` in `(bvadd {0} {1})`
APPLIED = re.compile(r"^\(?([a-z][\w.]*)")
_HOLE = re.compile(r"\{([^{}]+)\}")


class Unsayable(InputError):
    """The dialect has no spelling for an operator, sort or value."""


class OnlyDefined(Unsayable):
    """The dialect has no name for an operator, but an expression with the same meaning."""


def known(table: Mapping[str, str], kind: str, dialect: str) -> str:
    """Return the spelling of a kind in a table of the dialect. Raises Unsayable if the table has
    none.
    """
    found = table.get(kind)
    if not found:
        raise Unsayable(f"{kind} has no name in SMT-LIB's dialect '{dialect}'")
    return found


def filled(spelling: str, holes: Mapping[str, str], sort: Sort) -> str:
    """Return a spelling with a text in place of each placeholder. `{p0}` stands for the first
    number of `sort`.
    """
    numbers = {f"p{k}": str(p) for k, p in enumerate(sort.params)}
    return _HOLE.sub(lambda found: {**numbers, **holes}[found[1]], spelling)


def arguments(texts: Sequence[str]) -> dict[str, str]:
    """Return the texts that the placeholders `{0}`, `{1}`, ... and `{*}` stand for."""
    return {"*": " ".join(texts), **{str(k): text for k, text in enumerate(texts)}}


def weighed(conditions: Sequence[str], weights: Sequence[int]) -> str:
    """Return a term for the sum of the weights of those conditions that are true."""
    parts = [
        f"(ite {condition} {weight} 0)"
        for condition, weight in zip(conditions, weights, strict=True)
    ]
    return f"(+ {' '.join(parts)})" if len(parts) > 1 else parts[0]
