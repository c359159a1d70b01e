"""Spellings with placeholders, and errors for what a dialect cannot say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort

# The name that a spelling applies: `bvadd` of `(bvadd {0} {1})`.
APPLIED = re.compile(r"^\(?([a-z][\w.]*)")
_HOLE = re.compile(r"\{([^{}]+)\}")


class Unsayable(InputError):
    """Something that a dialect has no words for."""


class OnlyDefined(Unsayable):
    """An operator that a dialect has no name for, but an expression with the same meaning."""


def known(table: Mapping[str, str], kind: str, dialect: str) -> str:
    """The spelling of a kind in a table of the dialect. Raises Unsayable where there is none."""
    found = table.get(kind)
    if not found:
        raise Unsayable(f"{kind} has no name in SMT-LIB's dialect '{dialect}'")
    return found


def filled(spelling: str, holes: Mapping[str, str], sort: Sort) -> str:
    """A spelling with texts in place of its placeholders; `{p0}` is a number of `sort`."""
    numbers = {f"p{k}": str(p) for k, p in enumerate(sort.params)}
    return _HOLE.sub(lambda found: {**numbers, **holes}[found[1]], spelling)


def arguments(texts: Sequence[str]) -> dict[str, str]:
    """What stands for the placeholders `{0}`, `{1}`, ... and `{*}`."""
    return {"*": " ".join(texts), **{str(k): text for k, text in enumerate(texts)}}


def weighed(conditions: Sequence[str], weights: Sequence[int]) -> str:
    """The sum of the weights of the conditions that hold, as a term."""
    parts = [
        f"(ite {condition} {weight} 0)"
        for condition, weight in zip(conditions, weights, strict=True)
    ]
    return f"(+ {' '.join(parts)})" if len(parts) > 1 else parts[0]
