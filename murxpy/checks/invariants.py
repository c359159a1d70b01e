"""`check-invariant NAME`: the same assertions, given to the solver in another way, get a compatible
answer.

Most invariants solve the assertions and assumptions in a fresh solver of the run's context, or in
another way that the wrapper spells (section `invariants`). The answer unknown is compatible with
every other. Some invariants are about the objects of the assertions (`equal`, `term-copied`,
`pickled`): the objects keep what Python promises, or the binding refuses cleanly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from murxpy.actions.base import Check, register
from murxpy.checks.cores import evidence
from murxpy.checks.retold import (
    COPIED,
    DEEP_COPIED,
    in_other_logic,
    other_logic,
    promised,
    respelled,
)
from murxpy.errors import nearest
from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.misuse import protocols
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.tokens import as_word
from murxpy.machine.witnesses.anew import call_first, fresh_solver, solve_anew
from murxpy.machine.witnesses.model import solvable_anew
from murxpy.machine.witnesses.timing import timed
from murxpy.trace.reading import Reading

Solve = Callable[[Run, Sequence[Entry]], str]


def check_invariant(run: Run, name: str, seed: int) -> None:
    """`check-invariant NAME`. Raises Stopped if the answer is the opposite of the last check's
    answer, and InputError for an unknown name.
    """
    state = run.state
    if state.altered:
        raise Refused("unsupported", "the solver has assertions that are not ours")
    entries = list(dict.fromkeys([*state.asserted(), *state.assumptions]))
    before = str(state.answer)
    run.begin(seed, "check-invariant", None, as_word(name))
    with timed(run, "invariants"):
        answer = "unknown"
        if name in PROMISES or solvable_anew(entries):
            try:
                answer = (
                    _kept(run, name, entries)
                    if name in PROMISES
                    else _answer(run, name, entries, seed)
                )
            except Refused:
                run.counts[f"check-invariant:{name}:refused"] += 1
        if {answer, before} == {"sat", "unsat"}:
            raise Stopped(
                run.finding(
                    "inconsistent",
                    "solver",
                    _message(run, name, before, answer, entries),
                    "check-invariant",
                    "",
                    name,
                )
            )
    run.counts[f"check-invariant:{name}:{answer if answer != 'unknown' else 'cannot-say'}"] += 1


def known_invariants(run: Run) -> list[str]:
    """The names of the invariants that can be checked here."""
    lacking = {
        "seed": not run.wrapper.facts.seed_option,
        "logic": run.wrapper.set("actions", "set-logic") is None,
    }
    own = run.wrapper.spellings["invariants"]
    return [
        *(name for name in INVARIANTS if not lacking.get(name) and name not in own),
        *PROMISES,
        *own,
    ]


def _answer(run: Run, name: str, entries: list[Entry], seed: int) -> str:
    own = run.wrapper.set("invariants", name)
    if own is not None:
        logic = other_logic(run, entries) if name == "logic" else ""
        run.frame.fill(
            terms=tuple(entry.term for entry in entries), name=logic, value=run.state.limit or 0
        )
        return str(
            run.call(own.spellings[0], [entry.obj for entry in entries], (), "check-invariant")
        )
    with fresh_solver(run):
        return INVARIANTS[name](
            run, respelled(run, entries, seed) if name == "respelled" else entries
        )


def _kept(run: Run, name: str, entries: list[Entry]) -> str:
    """Whether the objects of the assertions keep what Python promises. Raises Stopped if one does
    not, and Refused if the binding refuses all.
    """
    kept = 0
    for entry in entries[:OBJECTS]:
        for promise in PROMISES[name] if entry.obj is not None else ():
            with suppress(Refused):
                fault = promised(run, name, partial(promise, entry.obj))
                if fault is not None:
                    raise Stopped(
                        run.finding("contract", "binding", str(fault), "check-invariant", "", name)
                    )
                kept += 1
    if not kept:
        raise Refused("unsupported", "the binding refuses it")
    return "kept"


def _message(run: Run, name: str, before: str, answer: str, entries: list[Entry]) -> str:
    shown = ""
    try:
        with fresh_solver(run):
            if solve_anew(run, entries) == "sat":
                shown = f"; {evidence(run, entries)}"
    except (Refused, Stopped):
        shown = "; a fresh solver cannot be asked for evidence"
    return f"answered {before}, but {answer} to the same assertions {PHRASES[name]}{shown}"


def _assert(run: Run, entries: Sequence[Entry]) -> None:
    for entry in entries:
        call_first(run, "assert-formula", [entry.obj], terms=(entry.term,))


def _check(run: Run) -> str:
    return str(call_first(run, "check-sat", []))


def _assumed(run: Run, entries: Sequence[Entry]) -> str:
    terms = tuple(entry.term for entry in entries)
    return str(call_first(run, "check-sat-assuming", [entry.obj for entry in entries], terms=terms))


def _pushed(run: Run, entries: Sequence[Entry]) -> str:
    for entry in entries:
        call_first(run, "push", [], value=1)
        _assert(run, [entry])
    return _check(run)


def _popped(run: Run, entries: Sequence[Entry]) -> str:
    """Assert and check the formulas in a scope, leave the scope, and then assert them again."""
    call_first(run, "push", [], value=1)
    _assert(run, entries)
    _check(run)
    call_first(run, "pop", [], value=1)
    _assert(run, entries)
    return _check(run)


def _reset(run: Run, entries: Sequence[Entry]) -> str:
    _assert(run, entries)
    _check(run)
    action = (
        "reset-assertions"
        if run.wrapper.set("actions", "reset-assertions") is not None
        else "reset"
    )
    call_first(run, action, [])
    _assert(run, entries)
    return _check(run)


def _twice(run: Run, entries: Sequence[Entry]) -> str:
    _assert(run, entries)
    _check(run)
    return _check(run)


def _simplified(run: Run, entries: Sequence[Entry]) -> str:
    for entry in entries:
        simpler: Any = call_first(run, "simplify", [entry.obj], terms=(entry.term,))
        call_first(run, "assert-formula", [simpler], terms=(entry.term,))
    return _check(run)


def _seed(run: Run, entries: Sequence[Entry]) -> str:
    call_first(run, "set-option", [], name=run.wrapper.facts.seed_option, value="4711")
    return solve_anew(run, entries)


OBJECTS = 8  # the number of objects that are checked
PROMISES: dict[str, tuple[Callable[[Any], str | None], ...]] = {
    "equal": (protocols.itself,),
    "term-copied": (protocols.copied, protocols.deeply_copied),
    "pickled": (protocols.pickled,),
}
INVARIANTS: dict[str, Solve] = {
    "fresh": solve_anew,
    "order": lambda run, entries: solve_anew(run, list(reversed(entries))),
    "assumed": _assumed,
    "pushed": _pushed,
    "popped": _popped,
    "reset": _reset,
    "twice": _twice,
    "simplified": _simplified,
    "seed": _seed,
    "respelled": solve_anew,
    "logic": in_other_logic,
    "copied": COPIED,
    "deep-copied": DEEP_COPIED,
}
PHRASES = {
    "fresh": "in a fresh solver",
    "order": "in the opposite order",
    "assumed": "as assumptions",
    "pushed": "each in a scope of its own",
    "popped": "again behind a scope that had them",
    "reset": "again behind a reset",
    "twice": "checked twice",
    "simplified": "after simplify",
    "seed": "with another random seed",
    "respelled": "in other spellings",
    "logic": "with another logic that includes them",
    "copied": "in a copy of a solver",
    "deep-copied": "in a deep copy of a solver",
    **dict.fromkeys(PROMISES, "by their objects"),
    "translated": "in another context",
    "printed": "printed and parsed again",
    "tactic": "by a solver of tactics",
}
"""What each does to the assertions; those that are not in `INVARIANTS` a wrapper may spell."""


@register("check-invariant")
class CheckInvariant(Check):
    """`check-invariant NAME`."""

    option = "invariants"
    after = ("sat", "unsat")
    place = 5

    def draw(self, gen: Generator) -> bool:
        names = self._names(gen)
        if names and gen.settings.chance(self.name, gen.stream):
            check_invariant(gen.run, gen.stream.choose(names), gen.run.line_seed())
        return True

    def _names(self, gen: Generator) -> list[str]:
        """The names of the invariants that are on."""
        if not any(name.startswith("invariant") for name in gen.checks):
            return []
        known = known_invariants(gen.run)
        if self.option in gen.checks:
            return known
        return [name for name in known if f"invariant-{name}" in gen.checks]

    def read(self, r: Reading) -> None:
        name = r.text(0, "an invariant")
        r.end(1)
        own = r.run.wrapper.facts.forms.get("invariants") or {}
        known = list(dict.fromkeys([*INVARIANTS, *PROMISES, *own]))
        if name not in known and not r.foreign:
            raise r.error(
                f"unknown invariant '{name}'{nearest(name, known)}, "
                f"expected one of {', '.join(known)}"
            )
        answer = r.run.state.answer
        r.require(
            answer in ("sat", "unsat"), f"nothing to compare with: the last answer is {answer}"
        )
        r.require(name in known_invariants(r.run), f"no invariant '{name}' here")
        check_invariant(r.run, name, r.seed)
