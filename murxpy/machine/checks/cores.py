"""`check-core` and `check-assumptions`: the formulas that the solver gives as the reason for unsat
were asserted or assumed, and a fresh solver finds them unsat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from murxpy.machine.actions.base import Check, register
from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import FOREIGN, WRONG_MODEL, Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.trace.reading import Reading
from murxpy.machine.witnesses.model import Model, solvable_from_scratch
from murxpy.machine.witnesses.solving import fresh_solver, solve_from_scratch, timed


def check_core(run: Run, seed: int, spelling: str | None = None) -> None:
    """`check-core`: the unsat core. Raises Stopped if the core contains a formula that was not
    asserted, or if it is satisfiable.
    """
    tracked = run.wrapper.set("actions", "assert-tracked") is not None
    asserted = Counter(run.state.asserted())
    asserted.subtract(entry for _, entry in run.state.named())
    _check(
        run,
        "core",
        seed,
        spelling,
        [entry for entry, times in asserted.items() if tracked and times > 0],
    )


def check_assumptions(run: Run, seed: int, spelling: str | None = None) -> None:
    """`check-assumptions`: the unsat assumptions. Raises Stopped if one of the assumptions was not
    assumed, or if they agree with the assertions.
    """
    _check(run, "assumptions", seed, spelling, run.state.asserted())


def _check(run: Run, what: str, seed: int, spelling: str | None, background: list[Entry]) -> None:
    """Read the formulas of a core. `background` is asserted together with them, because the solver
    leaves it out of the core.
    """
    action = f"check-{what}"
    if run.state.altered:
        raise Refused("unsupported", "the solver has assertions that are not ours")
    named = run.state.named()
    known = [*run.state.asserted(), *run.state.assumptions, *(entry for _, entry in named)]
    names = [*[None] * (len(known) - len(named)), *(name for name, _ in named)]
    run.frame.fill()
    chosen = run.choose(run.wrapper.set("readers", what), seed, spelling, action)
    run.begin(seed, action, chosen.name, "")
    run.meter.core_read()
    with timed(run, action):
        places = run.call(chosen, ([entry.obj for entry in known], names), (), action)
        foreign = next((place for place in places if isinstance(place, str)), None)
        if foreign is not None and all(entry.obj is not None for entry in known):
            message = f"the {_NAMES[what]} has {FOREIGN}"
            raise Stopped(
                run.finding(f"invalid-{what}", "solver", message, action, "", chosen.name)
            )
        found = [known[place] for place in places if isinstance(place, int)]
        _check_from_scratch(run, what, list(dict.fromkeys([*background, *found])), chosen.name)


_NAMES = {"core": "unsat core", "assumptions": "set of unsat assumptions"}


def _check_from_scratch(run: Run, what: str, entries: list[Entry], spelling: str) -> None:
    """Solve the formulas of a core in a fresh solver. Raises Stopped if the formulas are satisfiable;
    the answer unknown shows nothing.
    """
    action = f"check-{what}"
    if not solvable_from_scratch(entries):
        run.counts[f"{action}:cannot-say"] += 1
        return
    verdict = ""
    try:
        with fresh_solver(run):
            answer = solve_from_scratch(run, entries)
            if answer == "sat":
                verdict = evidence(run, entries)
    except Refused:
        answer = "refused"
    run.counts[f"{action}:{answer if answer in ('sat', 'unsat') else 'cannot-say'}"] += 1
    if answer == "sat":
        message = f"the {_NAMES[what]} is satisfiable when solved anew; {verdict}"
        raise Stopped(run.finding(f"invalid-{what}", "solver", message, action, "", spelling))


def evidence(run: Run, entries: Sequence[Entry]) -> str:
    """The words for what our evaluation says of the fresh solver's model."""
    reader: Any = run.wrapper.set("readers", "model")
    if reader is None:
        return "no model is read"
    try:
        model = Model(run, [entry.term for entry in entries], reader.spellings[0])
        verdicts = [model.judge(entry.term) for entry in entries]
    except (Refused, Stopped):
        return "its model cannot be read"
    if all(v == "true" for v in verdicts):
        return "all of it is true under that model by our evaluation"
    return WRONG_MODEL if "false" in verdicts else "our evaluation cannot say"


@register("check-core")
class CheckCore(Check):
    """`check-core`."""

    option = "cores"
    reader = "core"
    after = ("unsat",)
    place = 3

    def draw(self, gen: Generator) -> bool:
        if gen.run.state.gives_core and self.due(gen):
            check_core(gen.run, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        r.end(0)
        state = r.run.state
        r.require(state.gives_core, f"no core: the last answer is {state.answer}")
        check_core(r.run, r.seed, self.spelling(r))


@register("check-assumptions")
class CheckAssumptions(Check):
    """`check-assumptions`."""

    option = "assumptions"
    reader = "assumptions"
    after = ("unsat",)
    place = 4

    def draw(self, gen: Generator) -> bool:
        state = gen.run.state
        if state.gives_assumptions and self.due(gen):
            check_assumptions(gen.run, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        r.end(0)
        state = r.run.state
        r.require(
            state.gives_assumptions, f"no unsat assumptions: the last answer is {state.answer}"
        )
        check_assumptions(r.run, r.seed, self.spelling(r))
