"""Checks of what the solver promises, drawn after an answer: which of them are on, and how often each is made."""

from __future__ import annotations

from contextlib import suppress

from murxpy.machine.checks.cores import check_assumptions, check_core
from murxpy.machine.checks.invariants import check_invariant, known_invariants
from murxpy.machine.checks.model import check_model
from murxpy.machine.generate.base import Generator
from murxpy.machine.run import Refused


def check_answer(gen: Generator) -> None:
    """The checks of the answer that a check of the solver just gave."""
    run, state = gen.run, gen.run.state
    with suppress(Refused):
        if state.answer == "sat" and state.models and _due(gen, "models", "model"):
            check_model(run, run.line_seed())
        if state.answer == "unsat" and state.cores and _due(gen, "cores", "core"):
            check_core(run, run.line_seed())
        if state.answer == "unsat" and state.unsat_assumptions and state.assumptions and _due(gen, "assumptions", "assumptions"):
            check_assumptions(run, run.line_seed())
        if state.answer in ("sat", "unsat") and (names := _invariants(gen)) and gen.settings.chance("check-invariant", gen.stream):
            check_invariant(run, gen.stream.choose(names), run.line_seed())


def _invariants(gen: Generator) -> list[str]:
    """Those that are on: all, or some by name."""
    if not any(name.startswith("invariant") for name in gen.checks):
        return []
    known = known_invariants(gen.run)
    return known if "invariants" in gen.checks else [name for name in known if f"invariant-{name}" in gen.checks]


def _due(gen: Generator, check: str, reader: str) -> bool:
    there = check in gen.checks and gen.run.wrapper.set("readers", reader) is not None
    return there and gen.settings.chance(f"check-{reader}", gen.stream)
