"""What the parts of a pattern stand for in a term that matches it."""

from __future__ import annotations

from dataclasses import dataclass, field

from murxpy.logic.sorts import Constructor, Sort
from murxpy.logic.terms import Term


@dataclass
class Binding:
    """What the metavariables and capital letters of a pattern stand for. `functions` have variables
    and a body, `variables` are the bound variables of the pattern, and `rest` are those other
    variables of a quantifier that the pattern has not, which can be where the pattern `root` is a quantifier itself.
    `constructors` are by datatype and name in the pattern.
    """

    terms: dict[str, Term] = field(default_factory=dict)
    sorts: dict[str, Sort] = field(default_factory=dict)
    functions: dict[str, tuple[tuple[Term, ...], Term]] = field(default_factory=dict)
    variables: dict[Term, Term] = field(default_factory=dict)
    rest: tuple[Term, ...] = ()
    root: Term | None = None
    constructors: dict[tuple[str, str], Constructor] = field(default_factory=dict)

    def copy(self) -> Binding:
        """A binding to which others can be added."""
        return Binding(
            dict(self.terms),
            dict(self.sorts),
            dict(self.functions),
            dict(self.variables),
            self.rest,
            self.root,
            dict(self.constructors),
        )

    def take(self, other: Binding) -> None:
        """Become the same as another binding."""
        self.terms, self.sorts, self.functions = other.terms, other.sorts, other.functions
        self.variables, self.rest = other.variables, other.rest
        self.constructors = other.constructors
