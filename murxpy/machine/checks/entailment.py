"""`check-simplify` and `check-substitute`: a term that the solver makes of another term equals that
term, where it must.

First the new term is folded at random points and compared with our evaluation; this needs no
solver. Then a fresh solver looks for a model in which the new term breaks its promise. A model
counts only if our own evaluation of the run's terms shows it, with nothing left open. Only the
solver knows the value of the new term, so the value is read from the same model.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar

from murxpy.logic.terms import Term
from murxpy.machine import solve
from murxpy.machine.actions.asking import OnTerms
from murxpy.machine.actions.base import Check, any_entry, register
from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.trace.murxla import substitutions
from murxpy.machine.trace.reading import Reading
from murxpy.machine.witnesses.model import (
    CANNOT_SAY,
    UNDECIDED,
    Model,
    differ,
    solvable_from_scratch,
    solver_value,
    unjudged,
)
from murxpy.machine.witnesses.points import DIFFERS, SAME, compared, differs_at_a_point, every_point
from murxpy.machine.witnesses.solving import applied, call_first, fresh_solver, timed
from murxpy.solvers.spelling import Spelling

Premises = Sequence[tuple[Any, Term]]  # objects of formulas, and the formulas


def check_simplify(
    run: Run, entry: Entry, seed: int, spelling: str | None = None, most: int = 0
) -> str:
    """`check-simplify t [N]`: the simplified term equals the term. If a solver simplified it, they
    are equal under the assertions. At most N points are all gone through; the result says whether the
    terms are the `same` or it is not known. Raises Stopped if the two terms differ.
    """
    made, chosen = _make(run, "check-simplify", [entry], seed, spelling, most)
    uses = "{solver}" in chosen.template.text  # then the simplifier may use the assertions
    asserted = list(dict.fromkeys(run.state.asserted())) if uses else []
    if run.state.altered and uses:
        return CANNOT_SAY
    return _check(
        run,
        "check-simplify",
        chosen.name,
        [entry, *asserted],
        [(e.obj, e.term) for e in asserted],
        made,
        seed,
        most,
    )


def check_substitute(
    run: Run, entries: Sequence[Entry], seed: int, spelling: str | None = None
) -> None:
    """`check-substitute t old new`: if old and new are equal, the result equals the term."""
    made, chosen = _make(run, "check-substitute", entries, seed, spelling)
    pair = tuple(entry.term for entry in entries[1:])
    equal = run.terms.apply("OP_EQUAL", pair, (), run.sorts.get("SORT_BOOL"))
    with suppress(Refused):
        premise = applied(run, "OP_EQUAL", [entry.obj for entry in entries[1:]], pair)
        _check(run, "check-substitute", chosen.name, entries, [(premise, equal)], made, seed)


def _make(
    run: Run, action: str, entries: Sequence[Entry], seed: int, spelling: str | None, most: int = 0
) -> tuple[Any, Spelling]:
    """The object that the solver makes, and the spelling of the call."""
    key = action.removeprefix("check-")
    run.frame.fill(terms=tuple(entry.term for entry in entries))
    chosen = run.choose(run.wrapper.set("actions", key), seed, spelling, action)
    words = [*map(str, entries), *([str(most)] if most else [])]
    run.begin(seed, action, chosen.name, " ".join(words))
    return run.call(chosen, [entry.obj for entry in entries], (), key), chosen


def _check(
    run: Run,
    action: str,
    spelling: str,
    entries: Sequence[Entry],
    premises: Premises,
    made: Any,
    seed: int,
    most: int = 0,
) -> str:
    """Look for a point at which the premises hold and `made` differs from the first of `entries`. At
    most `most` points are all gone through. Raises Stopped if our evaluation shows a difference.
    """
    entry = entries[0]
    with timed(run, action):
        verdict = _compared(run, entries, premises, made, seed, most)
    run.counts[f"{action}:{verdict}"] += 1
    if verdict == DIFFERS:
        message = f"the result for a term of {entry.term.sort.short} differs from it at a point, by our evaluation"
        kind = f"invalid-{action.removeprefix('check-')}"
        raise Stopped(run.finding(kind, "solver", message, action, entry.term.op, spelling))
    return verdict


def _compared(
    run: Run, entries: Sequence[Entry], premises: Premises, made: Any, seed: int, most: int
) -> str:
    entry, verdict = entries[0], CANNOT_SAY
    asserted = [term for _, term in premises]
    points = every_point(run, [entry.term, *asserted], most)
    if points is not None:
        verdict = compared(run, entry.term, made, asserted, points)
    if verdict in (SAME, DIFFERS):
        return verdict
    if differs_at_a_point(run, entry.term, made, asserted, seed):
        return DIFFERS
    if solvable_from_scratch(entries):
        with suppress(*UNDECIDED):
            verdict = _verdict(run, entry, premises, made)
    return verdict


def _own_symbols(run: Run, made: Any) -> bool:
    """Whether the solver put new symbols into the term that it made. Only that solver knows the
    meaning of such symbols.
    """
    reader = run.wrapper.set("readers", "symbols")
    run.frame.fill()
    return reader is not None and None in run.call(
        reader.spellings[0], (made,), (), "check-simplify"
    )


def _verdict(run: Run, entry: Entry, premises: Premises, made: Any) -> str:
    if _own_symbols(run, made):
        return CANNOT_SAY
    equal = applied(run, "OP_EQUAL", [entry.obj, made], (entry.term, entry.term))
    shape = run.terms.leaf("OP_CONSTANT", ("formula",), run.sorts.get("SORT_BOOL"))
    other = applied(run, "OP_NOT", [equal], (shape,))
    with fresh_solver(run):
        for formula in (*(obj for obj, _ in premises), other):
            call_first(run, "assert-formula", (formula,))
        answer = str(call_first(run, "check-sat", ()))
        if answer == "sat" and _differs(run, entry.term, [term for _, term in premises], made):
            return DIFFERS
    return SAME if answer == "unsat" else CANNOT_SAY


def _differs(run: Run, term: Term, premises: Sequence[Term], made: Any) -> bool:
    """Whether the current model makes the premises true, and gives `term` another value than the
    solver gives `made`.
    """
    reader = run.wrapper.set("readers", "model")
    if reader is None:
        return False
    model = Model(run, [term, *premises], reader.spellings[0])
    if any(unjudged(run, t) for t in (term, *premises)) or not all(
        map(model.evaluator.value, premises)
    ):
        return False
    return differ(
        model.evaluator,
        term.sort,
        model.evaluator.value(term),
        solver_value(run, model.evaluator, made, term.sort),
    )


class _OfTerms(Check):
    """A check of the term that an action on terms makes; it replaces that action."""

    call: ClassVar[str]

    def spelling(self, r: Reading) -> str | None:
        there = r.run.wrapper.set("actions", self.call) is not None
        r.require_spelling(there, self.call)
        return r.spelling("actions", self.call)


@register("check-simplify")
class CheckSimplify(_OfTerms):
    """`check-simplify t [N]`."""

    option = call = "simplify"
    place = 11

    def read(self, r: Reading) -> None:
        entry = r.term(0, closed=True)
        most = r.number(1, "a number of points") if len(r.line.args) > 1 else 0
        r.end(max(1, min(2, len(r.line.args))))
        if most < 0:
            raise r.error(f"expected a number of points of 0 or more, found {most}")
        r.values(entry.term.sort)
        check_simplify(r.run, entry, r.seed, self.spelling(r), most)


@register("check-substitute")
class CheckSubstitute(_OfTerms):
    """`check-substitute t t t`."""

    option = call = "substitute"
    place = 12

    def read(self, r: Reading) -> None:
        entries = _replaced(r, closed=True)
        r.values(*(e.term.sort for e in entries))
        check_substitute(r.run, entries, r.seed, self.spelling(r))


_SIMPLIFIED = CheckSimplify("check-simplify")
_SUBSTITUTED = CheckSubstitute("check-substitute")


@register("simplify")
class Simplify(OnTerms):
    """`simplify t`; or a check of its result, if such checks are on and one is drawn."""

    def draw(self, gen: Generator) -> bool:
        if not _SIMPLIFIED.due(gen):
            return super().draw(gen)
        entry = any_entry(gen)
        if (
            entry is None
            or gen.run.wrapper.set("actions", "simplify") is None
            or entry.term.sort.kind == "SORT_FUN"
        ):
            return False
        check_simplify(gen.run, entry, gen.run.line_seed())
        return True


_TRIES = 8  # terms that are drawn until the solver can substitute one: a third are symbols


@register("substitute")
class Substitute(OnTerms):
    """`substitute t from to`; or a check of its result, if such checks are on and one is drawn."""

    def draw(self, gen: Generator) -> bool:
        run = gen.run
        spellings = run.wrapper.set("actions", "substitute")
        inside = any_entry(gen)
        for _ in range(_TRIES):
            old = any_entry(gen)
            if inside is None or old is None or spellings is None:
                return False
            if "SORT_FUN" in (inside.term.sort.kind, old.term.sort.kind):
                return False
            new = run.db.pick(old.term.sort, gen.stream, 0.2, closed=True)
            if new is None:
                return False
            entries = [inside, old, new]
            run.frame.fill(terms=tuple(entry.term for entry in entries))
            if spellings.pick(0.0, run.frame) is None:
                continue
            if _SUBSTITUTED.due(gen):
                check_substitute(run, entries, run.line_seed())
            else:
                solve.on_terms(run, "substitute", entries, run.line_seed())
            return True
        return False

    def calls(self, r: Reading) -> list[list[Entry]]:
        return substitutions(r) if r.trace.murxla else [_replaced(r)]


def _replaced(r: Reading, closed: bool = False) -> list[Entry]:
    """A term, a subterm to look for, and a term of the same sort that replaces it. Raises
    InputError.
    """
    entries = [r.term(k, closed) for k in range(3)]
    r.end(3)
    if entries[1].term.sort is not entries[2].term.sort:
        raise r.error(f"cannot substitute {entries[2].term.sort} for {entries[1].term.sort}")
    return entries
