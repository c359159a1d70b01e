"""`check-core` and `check-assumptions`: what the solver blames for unsat was asserted or assumed,
and is unsat when solved anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from murxpy.logic.terms import FUNCTION
from murxpy.machine.database import Entry
from murxpy.machine.run import Refused, Run, Stopped
from murxpy.machine.witnesses.anew import fresh_solver, solve_anew
from murxpy.machine.witnesses.model import Model, below
from murxpy.machine.witnesses.timing import timed


def check_core(run: Run, seed: int, spelling: str | None = None) -> None:
    """`check-core`: the unsat core. Raises Stopped where it has what was not asserted, or is
    satisfiable.
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
    """`check-assumptions`: the unsat assumptions. Raises Stopped where they were not assumed, or
    agree with the assertions.
    """
    _check(run, "assumptions", seed, spelling, run.state.asserted())


def _check(run: Run, what: str, seed: int, spelling: str | None, background: list[Entry]) -> None:
    """Read what is blamed; `background` is asserted beside it, since the solver never blames it."""
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
            message = f"the {_NAMES[what]} has what was neither asserted nor assumed"
            raise Stopped(
                run.finding(f"invalid-{what}", "solver", message, action, "", chosen.name)
            )
        found = [known[place] for place in places if isinstance(place, int)]
        _solve_anew(run, what, list(dict.fromkeys([*background, *found])), chosen.name)


_NAMES = {"core": "unsat core", "assumptions": "set of unsat assumptions"}


def _solve_anew(run: Run, what: str, entries: list[Entry], spelling: str) -> None:
    """Solve what is blamed in a fresh solver. Raises Stopped where that is satisfiable; an answer
    unknown agrees with anything.
    """
    action = f"check-{what}"
    if not solvable_anew(entries):
        run.counts[f"{action}:cannot-say"] += 1
        return
    verdict = ""
    try:
        with fresh_solver(run):
            answer = solve_anew(run, entries)
            if answer == "sat":
                verdict = evidence(run, entries)
    except Refused:
        answer = "refused"
    run.counts[f"{action}:{answer if answer in ('sat', 'unsat') else 'cannot-say'}"] += 1
    if answer == "sat":
        message = f"the {_NAMES[what]} is satisfiable when solved anew; {verdict}"
        raise Stopped(run.finding(f"invalid-{what}", "solver", message, action, "", spelling))


def solvable_anew(entries: Sequence[Entry]) -> bool:
    """Whether a fresh solver can be asked: it does not know the definitions of the first one."""
    return all(entry.obj is not None for entry in entries) and all(
        t.op != FUNCTION for t in below(e.term for e in entries)
    )


def evidence(run: Run, entries: Sequence[Entry]) -> str:
    """What our evaluation says of the model of the fresh solver."""
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
    return (
        "that model is wrong by our evaluation"
        if "false" in verdicts
        else "our evaluation cannot say"
    )
