"""The state of a run's solver: the options, the assertions, the last answer, and the questions that
are allowed after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from murxpy.machine.database import Entry


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

    def named(self) -> list[tuple[str, Entry]]:
        """The tracked assertions of all levels with their names."""
        return [pair for level in self.names for pair in level]

    def changed(self) -> None:
        """The assertions changed, so the last answer is no longer valid."""
        self.answer = None
        self.has_model = False


# The conditions that an action can need, by the names that wrappers and state machines use.
HOLDS: dict[str, Callable[[SolverState], bool]] = {
    "sat": lambda state: state.answer == "sat",
    "unsat": lambda state: state.answer == "unsat",
    "unknown": lambda state: state.answer == "unknown",
    "checked": lambda state: state.answer is not None,
    "asserted": lambda state: any(state.assertions),
    "models": lambda state: state.models,
    "cores": lambda state: state.cores,
    "incremental": lambda state: state.incremental,
}
