"""Formulas of an unsatisfiable core become stronger by rules of implication, so that it stays one."""

from __future__ import annotations

from murxpy.logic.terms import Term
from murxpy.mutation.building.mutating import Mutator
from murxpy.mutation.diving.formulas import Formulas, Spot
from murxpy.mutation.diving.keeping import Core
from murxpy.mutation.workshop import Workshop
from murxpy.smtlib.commands import Assert

CORES = 0.3  # the share of the mutants of unsatisfiable seeds in which the core changes


class Strengthening:
    """Makes one formula of a core stronger at a time."""

    def __init__(self, workshop: Workshop, formulas: Formulas, core: Core) -> None:
        self._formulas = formulas
        self._core = core
        self._mutator = Mutator(workshop, formulas.script())

    def stronger(self) -> tuple[Spot, Term, str] | None:
        """A spot of the core, a stronger formula for it, and a description of the change; None if no
        rule fits.
        """
        script, spots = self._formulas.script(), self._formulas.places()
        once = self._core.once()
        signs = {at: -1 for at, spot in spots.items() if spot in once}
        changed = self._mutator.mutate(self._mutator.standing(script, signs)) if signs else None
        if changed is None:
            return None
        new, step, _ = changed
        for at, spot in spots.items():
            command = new.script.commands[at]
            if isinstance(command, Assert) and command.term is not self._formulas.at(spot):
                return spot, command.term, step
        return None
