"""An interpretation: what a model says of constants, functions, uninterpreted sorts, and of what
the standard leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.semantics.values import Element, FunctionValue, Value


@dataclass
class Interpretation:
    """A model's meaning of what the theories do not fix.

    `constants`: the values of constants, and of functions as FunctionValue; `partial`: by operator
    kind, what the model makes of the points that the standard leaves open, such as division by
    zero; `domains`: the elements of uninterpreted sorts, all of them; `universes`: what
    `set.universe` is of a set's sort, where it is not all elements; None where that is not known.
    """

    constants: dict[Term, Value] = field(default_factory=dict)
    partial: dict[str, FunctionValue] = field(default_factory=dict)
    domains: dict[Sort, tuple[Element, ...]] = field(default_factory=dict)
    universes: dict[Sort, Value | None] = field(default_factory=dict)
