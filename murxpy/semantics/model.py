"""Interpretations: what a model says of constants, functions, uninterpreted sorts, and the points
that the standard leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.semantics.values import Element, FunctionValue, Value


@dataclass
class Interpretation:
    """What a model says of everything that the theories do not fix.

    `constants` are the values of constants, and of functions as FunctionValue. `partial` says by
    operator what the model makes of points that the standard leaves open, such as division by zero.
    `domains` are all elements of each uninterpreted sort. `universes` are the values of
    `set.universe` by sort, if these are not all elements; None means that the value is unknown.
    """

    constants: dict[Term, Value] = field(default_factory=dict)
    partial: dict[str, FunctionValue] = field(default_factory=dict)
    domains: dict[Sort, tuple[Element, ...]] = field(default_factory=dict)
    universes: dict[Sort, Value | None] = field(default_factory=dict)
