"""Checks of what the solver promises, drawn after an answer: which of them are on, and how often
each is made.
"""

from __future__ import annotations

from contextlib import suppress

from murxpy.checks.assertions import check_model
from murxpy.checks.blocking import check_blocked
from murxpy.checks.cores import check_assumptions, check_core
from murxpy.checks.elimination import check_elimination
from murxpy.checks.interpolants import check_abduct, check_interpolant
from murxpy.checks.invariants import check_invariant, known_invariants
from murxpy.checks.proofs import check_proof
from murxpy.checks.values import check_values
from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.run import Refused
from murxpy.machine.witnesses.model import LITERAL

# What each check reads the solver's witness with, from the section `readers` of a wrapper; a check
# that is not here needs none.
READERS = {
    "models": "model",
    "values": "values",
    "cores": "core",
    "assumptions": "assumptions",
    "interpolants": "interpolant",
    "abducts": "abduct",
    "eliminations": "eliminated",
    "blocked-models": "blocked",
    "proofs": "proof",
}


def check_answer(gen: Generator) -> None:
    """The checks of the answer that a check of the solver just gave."""
    state = gen.run.state
    with suppress(Refused):
        if state.answer == "sat" and state.models:
            _check_sat(gen)
        if state.answer == "unsat" and state.cores and _due(gen, "cores"):
            check_core(gen.run, gen.run.line_seed())
        if (
            state.answer == "unsat"
            and state.unsat_assumptions
            and state.assumptions
            and _due(gen, "assumptions")
        ):
            check_assumptions(gen.run, gen.run.line_seed())
        if (
            state.answer in ("sat", "unsat")
            and (names := _invariants(gen))
            and gen.settings.chance("check-invariant", gen.stream)
        ):
            check_invariant(gen.run, gen.stream.choose(names), gen.run.line_seed())
        if state.answer in ("sat", "unsat"):
            _check_formulas(gen)


def _check_formulas(gen: Generator) -> None:
    """The checks of formulas that the solver makes of others, of models that it blocks, of proofs."""
    run, stream = gen.run, gen.stream
    unsat = run.state.answer == "unsat"
    formulas = list(dict.fromkeys([*run.state.asserted(), *run.state.assumptions]))
    if unsat and len(formulas) > 1 and _due(gen, "interpolants"):
        check_interpolant(run, stream.choose(formulas), run.line_seed())
    if unsat and _due(gen, "proofs"):
        check_proof(run, run.line_seed())
    if not unsat and _due(gen, "abducts"):
        goal = run.db.pick(run.sorts.get("SORT_BOOL"), stream, 0.3, closed=True)
        if goal is not None and goal not in formulas:
            check_abduct(run, goal, run.line_seed())
    if not unsat and _due(gen, "blocked-models"):
        entries = [entry for entry in values_to_read(gen) if entry.term.sort.kind in LITERAL]
        if entries:
            check_blocked(run, entries, run.line_seed())
    if "QUANT" in gen.swarm.theories and _due(gen, "eliminations", "check-elimination"):
        quantified = [
            e
            for e in run.db.terms.values()
            if e.term.op in ("OP_FORALL", "OP_EXISTS") and not e.term.free
        ]
        if quantified:
            check_elimination(run, stream.choose(quantified), run.line_seed())


def _due(gen: Generator, check: str, chance: str = "") -> bool:
    """Whether a check is on, has what it reads here, and is drawn now; its chance is that of its
    line.
    """
    reader = READERS[check]
    there = check in gen.checks and gen.run.wrapper.set("readers", reader) is not None
    return there and gen.settings.chance(chance or f"check-{reader}", gen.stream)


def _check_sat(gen: Generator) -> None:
    if _due(gen, "models"):
        check_model(gen.run, gen.run.line_seed())
    if _due(gen, "values"):
        entries = values_to_read(gen)
        if entries:
            check_values(gen.run, entries, gen.run.line_seed())


def _invariants(gen: Generator) -> list[str]:
    """Those that are on: all, or some by name."""
    if not any(name.startswith("invariant") for name in gen.checks):
        return []
    known = known_invariants(gen.run)
    return (
        known
        if "invariants" in gen.checks
        else [name for name in known if f"invariant-{name}" in gen.checks]
    )


def due(gen: Generator, check: str) -> bool:
    """Whether the check called `check` is on and drawn now."""
    return check in gen.checks and gen.settings.chance(f"check-{check}", gen.stream)


def values_to_read(gen: Generator) -> list[Entry]:
    """Closed terms whose values are asked for."""
    run, stream = gen.run, gen.stream
    kinds = [
        s
        for kind, found in run.db.by_kind.items()
        for s in found
        if gen.profile.allows("get-value", s)
    ]
    picked = [
        run.db.pick(stream.choose(kinds), stream, 0.3, closed=True) if kinds else None
        for _ in range(gen.settings.number("values-read", stream))
    ]
    return [entry for entry in picked if entry is not None]
