"""Stress for contract mode: plugins whose callbacks raise.

Each function gives None, or a str that says which promise is broken. It uses a solver of its own
with the assertions of the run's solver, so the run stays as it was. The file imports only cvc5 and
the standard library.
"""

from __future__ import annotations

import gc
from typing import Any

import cvc5
from cvc5_helpers import answer_of
from cvc5_witnesses import _solver

# the resource limit of each check here, in the unit of `reproducible-resource-limit`
STRESS_LIMIT = 20000


def plugin(ctx: Any, solver: Any, raising: str, given: Any = None) -> str | None:
    """A check with a plugin that, in one of its callbacks, raises once or returns a value of a
    wrong type.
    """
    formulas = list(solver.getAssertions())
    made = _solver(ctx, STRESS_LIMIT, {"incremental": "true"}, ())
    watching = _watching(raising, given)(ctx)
    try:
        made.addPlugin(watching)
        gc.collect()
        for formula in formulas:
            made.assertFormula(formula)
        found = answer_of(made.checkSat())
    except RuntimeError:  # an exception of a callback arrives as RuntimeError
        return None
    if watching.raised and given is None:
        return f"what a plugin's {raising} raises is told to nobody"
    plain = answer_of(_solver(ctx, STRESS_LIMIT, {}, formulas).checkSat())
    return (
        f"with a plugin whose {raising} raises it answers {found}, without {plain}"
        if {found, plain} == {"sat", "unsat"}
        else None
    )


def _watching(raising: str, given: Any) -> Any:
    """A class of plugins that do this."""

    class Watching(cvc5.Plugin):  # type: ignore[misc]
        """Watches the search, and once raises or returns `given` in the callback called `raising`."""

        def __new__(cls, manager: Any) -> Any:
            made = super().__new__(cls, manager)
            made.raised = False
            return made

        def met(self, name: str, usual: Any) -> Any:
            if name != raising or self.raised:
                return usual
            self.raised = True
            if given is None:
                raise ValueError("planned")
            return given

        def check(self) -> Any:
            return self.met("check", [])

        def notifySatClause(self, clause: Any) -> None:
            self.met("notifySatClause", str(clause))

        def notifyTheoryLemma(self, lemma: Any) -> None:
            self.met("notifyTheoryLemma", str(lemma))

        def getName(self) -> Any:
            return self.met("getName", "watching")

    return Watching
