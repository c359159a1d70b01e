"""The state of a run's solver: the options, the assertions, the last answer, and the questions that
are allowed after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from murxpy.machine.database import Entry


@dataclass(frozen=True)
class Objective:
    """An objective of an optimizer. `goal` is `minimize` or `maximize` with a term, or `soft` with a
    formula that costs `weight` where it is false. Soft formulas of one `group` are one objective: the
    sum of their costs is to be small.
    """

    goal: str
    entry: Entry
    weight: Fraction = Fraction(1)
    group: str = ""


@dataclass
class SolverState:
    """The solver as the standard's execution modes see it (SMT-LIB 2.7, section 4.1)."""

    logic: str | None = None
    started: bool = False
    incremental: bool = True
    models: bool = True
    cores: bool = True
    unsat_assumptions: bool = True
    options: dict[str, str] = field(default_factory=dict)
    assertions: list[list[Entry]] = field(default_factory=lambda: [[]])
    # the names of tracked assertions, by assertion level
    names: list[list[tuple[str, Entry]]] = field(default_factory=lambda: [[]])
    answer: str | None = None  # sat, unsat or unknown while the last command was a check
    checks: int = 0
    assumptions: list[Entry] = field(default_factory=list)  # the assumptions of the last check
    # the expected answers of the next checks, see machine/script.py
    expected: list[str] = field(default_factory=list)
    limit: int | None = None
    wall_ms: int = 0  # of each check of a script; 0 for none
    has_model: bool = False
    part: str = ""  # the part of the API whose object the solver is; empty for a plain solver
    objectives: list[list[Objective]] = field(default_factory=lambda: [[]])  # by assertion level
    # an action of the wrapper's own has asserted formulas that the run does not know
    altered: bool = False

    @property
    def level(self) -> int:
        """The assertion level: how many scopes are pushed."""
        return len(self.assertions) - 1

    @property
    def limits(self) -> tuple[int, int]:
        """The limits of each check of a script: in the solver's unit, and in milliseconds; 0 for
        none.
        """
        return self.limit or 0, self.wall_ms

    @property
    def gives_model(self) -> bool:
        """Whether the model of the last answer can be asked for."""
        return self.models and self.has_model

    @property
    def gives_core(self) -> bool:
        """Whether the unsat core of the last answer can be asked for."""
        return self.cores and self.answer == "unsat"

    @property
    def gives_assumptions(self) -> bool:
        """Whether the unsat assumptions of the last answer can be asked for."""
        return self.unsat_assumptions and self.answer == "unsat" and bool(self.assumptions)

    def asserted(self) -> list[Entry]:
        """All assertions of all levels, those of the outermost level first."""
        return [entry for level in self.assertions for entry in level]

    def pursued(self) -> list[Objective]:
        """The objectives of all levels, in the order in which they were added."""
        return [objective for level in self.objectives for objective in level]

    def pushed(self, levels: int) -> None:
        """Levels were pushed."""
        for stack in (self.assertions, self.names, self.objectives):
            stack.extend([] for _ in range(levels))
        self.changed()

    def popped(self, levels: int) -> None:
        """Levels were popped, with everything on them."""
        for stack in (self.assertions, self.names, self.objectives):
            del stack[len(stack) - levels :]
        self.changed()

    def emptied(self) -> None:
        """Everything that was asserted, and all levels, are gone."""
        self.assertions, self.names, self.objectives = [[]], [[]], [[]]
        self.altered = False
        self.changed()

    def named(self) -> list[tuple[str, Entry]]:
        """The tracked assertions of all levels with their names."""
        return [pair for level in self.names for pair in level]

    def changed(self) -> None:
        """The assertions changed, so the last answer is no longer valid."""
        self.answer = None
        self.has_model = False


SOFT = "soft"
OPTIMIZER = "optimizer"  # the part of an API that finds models which are best by some objectives

# The conditions that an action can need, by the names that wrappers and state machines use.
HOLDS: dict[str, Callable[[SolverState], bool]] = {
    "sat": lambda state: state.answer == "sat",
    "unsat": lambda state: state.answer == "unsat",
    "unknown": lambda state: state.answer == "unknown",
    "checked": lambda state: state.answer is not None,
    "asserted": lambda state: any(state.assertions),
    "optimizer": lambda state: state.part == OPTIMIZER,
    "models": lambda state: state.models,
    "cores": lambda state: state.cores,
    "incremental": lambda state: state.incremental,
}
