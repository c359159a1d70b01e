"""What the user wants of random scripts, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Shape:
    """Scripts over `theories`: `assertions` trees of exactly `depth` operators on each path, over
    `variables` constants of each sort, bit-vectors of `widths` bits and floats of as many, and
    `functions` uninterpreted functions.

    With `quantifiers`, formulas can be quantified, and operators can bind variables; with `linear`, integers and reals are multiplied
    and divided by literals alone. `weights` are those of operators by their names in SMT-LIB or in
    traces, where they are not 1; with 0 an operator does not occur. With `extensions`, operators
    that only some solvers have occur, too.
    """

    theories: tuple[str, ...]
    assertions: int = 5
    depth: int = 3
    variables: int = 5
    widths: tuple[int, ...] = (32,)
    functions: int = 0
    quantifiers: bool = False
    linear: bool = False
    extensions: bool = False
    weights: Mapping[str, float] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """The shape as plain data."""
        return {**asdict(self), "weights": dict(self.weights)}
