"""Reading the lines that check what a solver promises: models, values, cores and other witnesses."""

from __future__ import annotations

from murxpy.machine.checks import model
from murxpy.trace.reading import Reading


def check_model(r: Reading) -> None:
    """`check-model`."""
    r.end(0)
    state = r.run.state
    r.require(state.models and state.has_model and state.answer == "sat", f"no model: the last answer is {state.answer}")
    r.require(r.run.wrapper.set("readers", "model") is not None, "the wrapper has no reader of models")
    model.check_model(r.run, r.seed, r.spelling("readers", "model"))
