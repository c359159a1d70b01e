"""Whether the label of a seed is right, as far as the solver can say. What is known by construction
holds for seeds with right labels only.
"""

from __future__ import annotations

from murxpy.machine.script import answers_of
from murxpy.mutation.preparing import prepared
from murxpy.mutation.views import views
from murxpy.mutation.workshop import Seed, Workshop
from murxpy.smtlib.printing.scripts import print_script


def denied(workshop: Workshop, seed: Seed) -> bool:
    """True if the solver answers a check of `seed` with the opposite of the label."""
    script = workshop.shop.open(seed)
    if script is None:
        return False
    labels = [view.label for view in views(script, seed.label)]
    output = workshop.ask(print_script(prepared(script), workshop.shop.dialect)) or ""
    return any(
        {label, answer} == {"sat", "unsat"}
        for label, answer in zip(labels, answers_of(output), strict=False)
    )
