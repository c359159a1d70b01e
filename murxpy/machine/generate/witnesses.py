"""Checks of what the solver promises, drawn after an answer: which of them are on, and how often each is made."""

from __future__ import annotations

from murxpy.machine.checks.model import check_model
from murxpy.machine.generate.base import Generator


def check_answer(gen: Generator) -> None:
    """The checks of the answer that a check of the solver just gave."""
    run = gen.run
    state = run.state
    if state.answer == "sat" and state.models and _due(gen, "models", "check-model") and run.wrapper.set("readers", "model"):
        check_model(run, run.line_seed())


def _due(gen: Generator, name: str, chance: str) -> bool:
    return name in gen.checks and gen.settings.chance(chance, gen.stream)
