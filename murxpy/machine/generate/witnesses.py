"""Checks of what the solver promises, drawn after an answer: which of them are on, and how often each is made."""

from __future__ import annotations

from contextlib import suppress

from murxpy.machine.checks.assertions import check_model
from murxpy.machine.checks.cores import check_assumptions, check_core
from murxpy.machine.checks.invariants import check_invariant, known_invariants
from murxpy.machine.checks.values import check_values
from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.run import Refused


def check_answer(gen: Generator) -> None:
    """The checks of the answer that a check of the solver just gave."""
    state = gen.run.state
    with suppress(Refused):
        if state.answer == "sat" and state.models:
            _check_sat(gen)
        if state.answer == "unsat" and state.cores and _due(gen, "cores", "core"):
            check_core(gen.run, gen.run.line_seed())
        if state.answer == "unsat" and state.unsat_assumptions and state.assumptions and _due(gen, "assumptions", "assumptions"):
            check_assumptions(gen.run, gen.run.line_seed())
        if state.answer in ("sat", "unsat") and (names := _invariants(gen)) and gen.settings.chance("check-invariant", gen.stream):
            check_invariant(gen.run, gen.stream.choose(names), gen.run.line_seed())


def _check_sat(gen: Generator) -> None:
    if _due(gen, "models", "model"):
        check_model(gen.run, gen.run.line_seed())
    if _due(gen, "values", "values"):
        entries = values_to_read(gen)
        if entries:
            check_values(gen.run, entries, gen.run.line_seed())


def _invariants(gen: Generator) -> list[str]:
    """Those that are on: all, or some by name."""
    if not any(name.startswith("invariant") for name in gen.checks):
        return []
    known = known_invariants(gen.run)
    return known if "invariants" in gen.checks else [name for name in known if f"invariant-{name}" in gen.checks]


def _due(gen: Generator, check: str, reader: str) -> bool:
    there = check in gen.checks and gen.run.wrapper.set("readers", reader) is not None
    return there and gen.settings.chance(f"check-{reader}", gen.stream)


def due(gen: Generator, check: str) -> bool:
    """Whether the check called `check` is on and drawn now."""
    return check in gen.checks and gen.settings.chance(f"check-{check}", gen.stream)


def values_to_read(gen: Generator) -> list[Entry]:
    """Closed terms whose values are asked for."""
    run, stream = gen.run, gen.stream
    kinds = [s for kind, found in run.db.by_kind.items() for s in found if gen.profile.allows("get-value", s)]
    picked = [
        run.db.pick(stream.choose(kinds), stream, 0.3, closed=True) if kinds else None
        for _ in range(gen.settings.number("values-read", stream))
    ]
    return [entry for entry in picked if entry is not None]
