"""`check-proof`: after unsat there is a proof. A proof must end in false, use only assertions, and
leave no assumption open.
"""

from __future__ import annotations

from murxpy.machine.actions.base import Check, register
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.trace.reading import Reading
from murxpy.machine.witnesses.model import solvable_from_scratch
from murxpy.machine.witnesses.solving import timed


def check_proof(run: Run, seed: int, spelling: str | None = None) -> None:
    """`check-proof`: the proof of a solver with proofs switched on and the same assertions. Raises
    Stopped if the proof is broken.
    """
    if run.state.altered:
        raise Refused("unsupported", "the solver has assertions that are not ours")
    entries = list(dict.fromkeys([*run.state.asserted(), *run.state.assumptions]))
    run.frame.fill(terms=tuple(entry.term for entry in entries), value=run.state.limit or 0)
    chosen = run.choose(run.wrapper.set("readers", "proof"), seed, spelling, "check-proof")
    run.begin(seed, "check-proof", chosen.name, "")
    fault = None
    with timed(run, "proofs"):
        there = solvable_from_scratch(entries)
        if there:
            fault = run.call(chosen, [entry.obj for entry in entries], (), "check-proof")
    run.counts[f"check-proof:{'broken' if fault else 'held' if there else 'cannot-say'}"] += 1
    if fault:
        raise Stopped(
            run.finding("invalid-proof", "solver", str(fault), "check-proof", "", chosen.name)
        )


@register("check-proof")
class CheckProof(Check):
    """`check-proof`."""

    option = "proofs"
    reader = "proof"
    after = ("unsat",)
    place = 7

    def draw(self, gen: Generator) -> bool:
        if self.due(gen):
            check_proof(gen.run, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        r.end(0)
        answer = r.run.state.answer
        r.require(answer == "unsat", f"no proof: the last answer is {answer}")
        check_proof(r.run, r.seed, self.spelling(r))
