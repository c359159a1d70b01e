"""The same assertions in another form: with other spellings of their terms, in another logic, or in
a copy of the solver.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from zlib import crc32

from murxpy.errors import nearest
from murxpy.logic.terms import CONSTANT, SPECIAL, VALUE, VARIABLE, Term
from murxpy.logic.walks import subterms
from murxpy.machine.actions.base import Check, register
from murxpy.machine.checks.cores import evidence
from murxpy.machine.contract import protocols
from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.logics import is_higher_order, logic_name, used_theories
from murxpy.machine.make import bound_variables
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.random import mix, point
from murxpy.machine.run import Run
from murxpy.machine.script import answers_of, permit_script
from murxpy.machine.tokens import as_word
from murxpy.machine.trace.reading import Reading
from murxpy.machine.witnesses.model import solvable_from_scratch
from murxpy.machine.witnesses.solving import (
    call_first,
    fresh_solver,
    set_limit,
    solve_from_scratch,
    timed,
)
from murxpy.smtlib.printing.declarations import conjunction_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.solvers.exceptions import BROKEN
from murxpy.solvers.spelling import Spelling, SpellingSet


def respelled(run: Run, entries: Sequence[Entry], seed: int) -> list[Entry]:
    """The same formulas, with their literals and applications made again by other spellings. The
    line's seed chooses one spelling for each operator.

    Constants and variables stay the same objects. Raises Refused if one of them was dropped, or if
    there is a match.
    """
    there: dict[Term, Any] = {
        entry.term: entry.obj for entry in run.db.terms.values() if entry.obj is not None
    }
    made: dict[Term, Any] = {}
    for term in sorted(subterms(entry.term for entry in entries), key=lambda term: term.serial):
        made[term] = (
            _leaf(run, term, there, seed) if term.leaf else _application(run, term, made, seed)
        )
    return [
        Entry(entry.id, entry.term, made[entry.term], entry.level, entry.pushed)
        for entry in entries
    ]


def _leaf(run: Run, term: Term, there: dict[Term, Any], seed: int) -> Any:
    if term.op in (CONSTANT, VARIABLE):
        if term not in there:
            raise Refused("unsupported", "an object is deleted")
        return there[term]
    run.frame.fill(result=term.sort, value=term.indices[0])
    if term.op == SPECIAL:
        chosen = _chosen(run, run.wrapper.set("special-values", term.indices[0]), term, seed)
        return run.call(chosen, (), (), "mk-special-value")
    return run.call(
        _chosen(run, run.wrapper.set("values", term.sort.kind), term, seed), (), (), "mk-value"
    )


def _application(run: Run, term: Term, made: dict[Term, Any], seed: int) -> Any:
    operator = run.catalogue.operators.get(term.op)
    if operator is None or (operator.typing or "").startswith("match"):
        raise Refused("unsupported", f"no other spelling of {term.op}")
    run.frame.fill(
        term.args, term.indices, term.sort, "", None, bound_variables(operator, len(term.args))
    )
    chosen = _chosen(run, run.wrapper.set("operators", term.op), term, seed)
    return run.call(chosen, [made[arg] for arg in term.args], term.indices, "mk-term", term.op)


def _chosen(run: Run, spellings: SpellingSet | None, term: Term, seed: int) -> Spelling:
    key = f"{term.op} {term.sort.kind}" if term.op in (VALUE, SPECIAL) else term.op
    chosen = (
        None
        if spellings is None
        else spellings.pick(point(mix(seed, crc32(key.encode()))), run.frame)
    )
    if chosen is None:
        raise Refused("unsupported", f"no spelling of {term.op}")
    return chosen


def other_logic(run: Run, entries: Sequence[Entry]) -> str:
    """ALL if the run has a smaller logic; otherwise the smallest logic with all theories of the
    formulas. Raises Refused if there is no such logic.
    """
    if is_higher_order(run.state.logic):
        raise Refused("unsupported", "no other logic in which functions are values")
    if run.state.logic not in (None, "ALL"):
        return "ALL"
    used = used_theories(run.catalogue, subterms(entry.term for entry in entries))
    # the sorts of fields are not among the sorts of the formulas
    name = "ALL" if "DT" in used else logic_name(used, linear=False)
    if name == "ALL":
        raise Refused("unsupported", "no logic but ALL")
    return name


def in_other_logic(run: Run, entries: Sequence[Entry]) -> str:
    """The answer of a solver with the other logic. Call it inside `fresh_solver`."""
    call_first(run, "set-logic", (), value=other_logic(run, entries))
    return solve_from_scratch(run, entries)


def duplicated(name: str, how: Callable[[Any], Any]) -> Callable[[Run, Sequence[Entry]], str]:
    """The answer of a copy of a solver that has the assertions. Call it inside `fresh_solver`."""

    def solve(run: Run, entries: Sequence[Entry]) -> str:
        for entry in entries:
            call_first(run, "assert-formula", (entry.obj,), terms=(entry.term,))
        run.frame.solver = promised(run, name, lambda: how(run.frame.solver))
        set_limit(run)
        return str(call_first(run, "check-sat", ()))

    return solve


def promised(run: Run, name: str, call: Callable[[], Any]) -> Any:
    """The result of a call of Python's own. Raises Refused for an exception that the binding
    documents, and Stopped for any other.
    """
    try:
        return call()
    except Exception as error:  # whatever a binding throws is an outcome
        thrown = run.wrapper.contract.judge(error, run.wrapper.refusals)
        error.__traceback__ = None
    if thrown.sort == BROKEN:
        message = f"{thrown.text} in {thrown.place}" if thrown.place else thrown.text
        raise Stopped(run.finding("contract", "binding", message, "check-invariant", "", name))
    raise Refused("unsupported", thrown.text)


COPIED, DEEP_COPIED = duplicated("copied", copy.copy), duplicated("deep-copied", copy.deepcopy)


# ----------------------------------------------------------------------
# `check-invariant NAME`: the same assertions, given to the solver in another way, get a
# compatible answer. Most invariants solve the assertions and assumptions in a fresh solver of
# the run's context, or in another way that the wrapper spells (section `invariants`). The
# answer unknown is compatible with every other. Some invariants are about the objects of the
# assertions (`equal`, `term-copied`, `pickled`): the objects keep what Python promises, or the
# binding refuses cleanly.


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
        if name in PROMISES or solvable_from_scratch(entries):
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
        "script": run.wrapper.set("actions", "run-script") is None,
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
            if solve_from_scratch(run, entries) == "sat":
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
    return solve_from_scratch(run, entries)


def _in_script(run: Run, entries: Sequence[Entry]) -> str:
    """The answer to a script with the formulas, through the solver's own reader. Raises Refused where
    the solver's dialect cannot say a formula.
    """
    terms = [entry.term for entry in entries]
    try:
        text = conjunction_script(terms, run.catalogue, run.wrapper.name, run.state.logic)
    except Unsayable as error:
        raise Refused("unsupported", error.reason) from None
    permit_script(run, text)
    output = call_first(run, "run-script", run.state.limits, value=text)
    answers = answers_of(str(output))
    return answers[0] if answers else "unknown"


OBJECTS = 8  # the number of objects that are checked
PROMISES: dict[str, tuple[Callable[[Any], str | None], ...]] = {
    "equal": (protocols.itself,),
    "term-copied": (protocols.copied, protocols.deeply_copied),
    "pickled": (protocols.pickled,),
}
INVARIANTS: dict[str, Solve] = {
    "fresh": solve_from_scratch,
    "order": lambda run, entries: solve_from_scratch(run, list(reversed(entries))),
    "assumed": _assumed,
    "pushed": _pushed,
    "popped": _popped,
    "reset": _reset,
    "twice": _twice,
    "simplified": _simplified,
    "seed": _seed,
    "respelled": solve_from_scratch,
    "logic": in_other_logic,
    "copied": COPIED,
    "deep-copied": DEEP_COPIED,
    "script": _in_script,
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
    "script": "as a script for its own reader",
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
