"""Reading the lines that check what a solver promises: models, values, cores and other witnesses."""

from __future__ import annotations

from murxpy.checks import (
    assertions,
    blocking,
    cores,
    elimination,
    entailment,
    interpolants,
    invariants,
    proofs,
    values,
)
from murxpy.checks.evaluate import evaluate, evaluate_script
from murxpy.errors import nearest
from murxpy.machine.script import without_options
from murxpy.trace.reading import Reading


def check_model(r: Reading) -> None:
    """`check-model`."""
    r.end(0)
    _needs_model(r)
    assertions.check_model(r.run, r.seed, r.spelling("readers", "model"))


def evaluate_model(r: Reading) -> None:
    """`evaluate`, or `evaluate "TEXT"` of a script."""
    if r.line.args:
        _evaluate_text(r)
        return
    _needs_model(r)
    evaluate(r.run, r.seed, r.spelling("readers", "model"))


def _evaluate_text(r: Reading) -> None:
    text = r.text(0, "a script")
    r.end(1)
    if r.foreign:
        text = without_options(text)
    answers = evaluate_script(r.run, text, r.seed, r.spelling("actions", "run-script"))
    r.run.answers += [(r.line.number, "", answer) for answer in answers]


def check_values(r: Reading) -> None:
    """`check-values n t..`."""
    entries = r.counted_terms(0, closed=True)
    r.end(1 + len(entries))
    _needs_model(r)
    r.values(*(e.term.sort for e in entries))
    values.check_values(r.run, entries, r.seed, r.spelling("readers", "model"))


def _needs_model(r: Reading) -> None:
    state = r.run.state
    r.require(
        state.models and state.has_model and state.answer == "sat",
        f"no model: the last answer is {state.answer}",
    )
    r.require(
        r.run.wrapper.set("readers", "model") is not None, "the wrapper has no reader of models"
    )


def check_simplify(r: Reading) -> None:
    """`check-simplify t`."""
    entry = r.term(0, closed=True)
    r.end(1)
    r.require(r.run.wrapper.set("actions", "simplify") is not None, "no spelling of simplify")
    r.values(entry.term.sort)
    entailment.check_simplify(r.run, entry, r.seed, r.spelling("actions", "simplify"))


def check_substitute(r: Reading) -> None:
    """`check-substitute t t t`."""
    entries = [r.term(k, closed=True) for k in range(3)]
    r.end(3)
    if entries[1].term.sort is not entries[2].term.sort:
        raise r.error(f"cannot substitute {entries[2].term.sort} for {entries[1].term.sort}")
    r.require(r.run.wrapper.set("actions", "substitute") is not None, "no spelling of substitute")
    r.values(*(e.term.sort for e in entries))
    entailment.check_substitute(r.run, entries, r.seed, r.spelling("actions", "substitute"))


def check_interpolant(r: Reading) -> None:
    """`check-interpolant t`."""
    entry = r.boolean(0)
    r.end(1)
    state = r.run.state
    there = entry in (*state.asserted(), *state.assumptions)
    r.require(
        state.answer == "unsat" and there,
        f"no two sides: the last answer is {state.answer}, or {entry} has no part in it",
    )
    interpolants.check_interpolant(r.run, entry, r.seed, _reader(r, "interpolant"))


def check_abduct(r: Reading) -> None:
    """`check-abduct t`."""
    entry = r.boolean(0)
    r.end(1)
    r.require(
        r.run.state.answer == "sat", f"nothing to extend: the last answer is {r.run.state.answer}"
    )
    interpolants.check_abduct(r.run, entry, r.seed, _reader(r, "abduct"))


def check_elimination(r: Reading) -> None:
    """`check-elimination t`."""
    entry = r.boolean(0)
    r.end(1)
    elimination.check_elimination(r.run, entry, r.seed, _reader(r, "eliminated"))


def check_blocked(r: Reading) -> None:
    """`check-blocked n t..`."""
    entries = r.counted_terms(0, closed=True)
    r.end(1 + len(entries))
    r.require(r.run.state.answer == "sat", f"no model: the last answer is {r.run.state.answer}")
    r.values(*(e.term.sort for e in entries))
    blocking.check_blocked(r.run, entries, r.seed, _reader(r, "blocked"))


def check_proof(r: Reading) -> None:
    """`check-proof`."""
    r.end(0)
    r.require(r.run.state.answer == "unsat", f"no proof: the last answer is {r.run.state.answer}")
    proofs.check_proof(r.run, r.seed, _reader(r, "proof"))


def _reader(r: Reading, name: str) -> str | None:
    r.require(r.run.wrapper.set("readers", name) is not None, f"the wrapper has no reader '{name}'")
    return r.spelling("readers", name)


def check_core(r: Reading) -> None:
    """`check-core`."""
    r.end(0)
    state = r.run.state
    r.require(
        state.cores and state.answer == "unsat", f"no core: the last answer is {state.answer}"
    )
    r.require(
        r.run.wrapper.set("readers", "core") is not None, "the wrapper has no reader of cores"
    )
    cores.check_core(r.run, r.seed, r.spelling("readers", "core"))


def check_assumptions(r: Reading) -> None:
    """`check-assumptions`."""
    r.end(0)
    state = r.run.state
    there = state.unsat_assumptions and state.answer == "unsat" and state.assumptions
    r.require(bool(there), f"no unsat assumptions: the last answer is {state.answer}")
    r.require(
        r.run.wrapper.set("readers", "assumptions") is not None,
        "the wrapper has no reader of assumptions",
    )
    cores.check_assumptions(r.run, r.seed, r.spelling("readers", "assumptions"))


def check_invariant(r: Reading) -> None:
    """`check-invariant NAME`."""
    name = r.text(0, "an invariant")
    r.end(1)
    known = list(
        dict.fromkeys(
            [
                *invariants.INVARIANTS,
                *invariants.PROMISES,
                *(r.run.wrapper.data.get("invariants") or {}),
            ]
        )
    )
    if name not in known and not r.foreign:
        raise r.error(
            f"unknown invariant '{name}'{nearest(name, known)}, expected one of {', '.join(known)}"
        )
    r.require(
        r.run.state.answer in ("sat", "unsat"),
        f"nothing to compare with: the last answer is {r.run.state.answer}",
    )
    r.require(name in invariants.known_invariants(r.run), f"no invariant '{name}' here")
    invariants.check_invariant(r.run, name, r.seed)
