"""The wrapper's own actions, whose names begin with the name of the solver."""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.machine import solve
from murxpy.machine.actions.base import Action, register
from murxpy.machine.database import Entry
from murxpy.machine.generate import options, terms
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Refused
from murxpy.machine.state import HOLDS
from murxpy.machine.trace.murxla import old_action, own_calls
from murxpy.machine.trace.reading import Reading


@register("solver-action")
class SolverAction(Action):
    """One of the wrapper's own actions, written as a line `SOLVER-...`."""

    traced = False
    scripted = False

    def draw(self, gen: Generator) -> bool:
        run = gen.run
        allowed = options.due(gen)
        if not allowed.items:
            return False
        name = gen.stream.weighted(allowed)
        if name in gen.damped and gen.stream.random() >= terms.DAMPED:
            return False
        entries = options.operands(gen, run.wrapper.facts.own_actions[name].takes)
        if entries is None:
            return False
        solve.own(run, name, entries, run.line_seed())
        return True


def read_own(r: Reading) -> None:
    """Read the line of a wrapper's own action, `NAME-...`. Raises Refused for an action of another
    solver.
    """
    action = old_action(r.line.action)
    entry = r.run.wrapper.facts.own_actions.get(action)
    if entry is None:
        raise Refused("unsupported", f"the action {r.line.action} of another solver")
    calls = own_calls(r) if r.trace.murxla else [[r.term(k) for k in range(len(r.line.args))]]
    for entries in calls:
        _check_operands(r, entry.takes, entries)
    for need in entry.needs:
        held = need not in HOLDS or HOLDS[need](r.run.state)  # a trace shows its quantifiers itself
        r.require(held, f"{action} needs '{need}'")
    for entries in calls:
        solve.own(r.run, action, entries, r.seed, r.spelling("actions", action))


def _check_operands(r: Reading, takes: Sequence[str], entries: list[Entry]) -> None:
    """Raise InputError if the terms are not those that the action takes (`bool`, `any`, `same-0`,
    `bool+`).
    """
    many = bool(takes) and takes[-1].endswith("+")
    if len(entries) < len(takes) or (len(entries) > len(takes) and not many):
        raise r.error(
            f"'{r.line.action}' takes {len(takes)} terms{' or more' if many else ''}, found {len(entries)}"
        )
    for at, entry in enumerate(entries):
        kind = takes[min(at, len(takes) - 1)].rstrip("+")
        if kind == "bool" and entry.term.sort.kind != "SORT_BOOL":
            raise r.error(f"expected a Boolean term, but {entry} has the sort {entry.term.sort}")
        if kind.startswith("same-") and entry.term.sort is not entries[int(kind[5:])].term.sort:
            raise r.error(
                f"expected two terms of one sort, but {entry} has another sort than {entries[int(kind[5:])]}"
            )
