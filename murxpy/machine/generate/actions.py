"""The actions of the state machine: each chooses its operands and carries itself out; False where
it was not possible.
"""

from __future__ import annotations

from collections.abc import Callable

from murxpy.checks import entailment
from murxpy.logic.sorts import Sort
from murxpy.logic.values import LITERAL_KINDS
from murxpy.machine import inspect, solve
from murxpy.machine.database import Entry
from murxpy.machine.generate import (
    callables,
    leaves,
    misuse,
    options,
    planting,
    roots,
    sorts,
    terms,
    witnesses,
)
from murxpy.machine.generate.apply import gen_term
from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.holding import holding
from murxpy.machine.generate.logics import draw_logic
from murxpy.machine.generate.terms import define_function
from murxpy.machine.run import Refused, Stopped

MAKES = frozenset(["mk-const", "mk-value", "mk-special-value", "mk-term"])
Action = Callable[[Generator], bool]


def _new(gen: Generator) -> bool:
    solve.new(gen.run, gen.run.line_seed())
    planting.begin(gen)
    return True


def _set_logic(gen: Generator) -> bool:
    run = gen.run
    if run.wrapper.set("actions", "set-logic") is None:
        return True
    solve.set_logic(run, draw_logic(gen), run.line_seed())
    return True


def _delete(gen: Generator) -> bool:
    solve.delete(gen.run, gen.run.line_seed())
    return True


def _bool_entry(gen: Generator) -> Entry | None:
    sort = gen.run.sorts.get("SORT_BOOL")
    for _ in range(4):
        entry = gen.run.db.pick(sort, gen.stream, 0.8, closed=True)
        if entry is None or not entry.term.literal:
            return entry
    return None


def _formula(gen: Generator) -> Entry | None:
    """A formula to assert or assume; None where there is none."""
    entry = _bool_entry(gen)
    return None if entry is None else holding(gen, entry)


def _assert_formula(gen: Generator) -> bool:
    entry = _formula(gen)
    if entry is None:
        return False
    solve.assert_formula(gen.run, entry, gen.run.line_seed())
    return True


def _assert_tracked(gen: Generator) -> bool:
    if gen.run.wrapper.set("actions", "assert-tracked") is None:
        return _assert_formula(gen)
    entry = _formula(gen)
    if entry is None:
        return False
    _assert(gen, entry, tracked=True)
    return True


def _assert(gen: Generator, entry: Entry, tracked: bool) -> None:
    run = gen.run
    if tracked and run.wrapper.set("actions", "assert-tracked") is not None:
        solve.assert_tracked(run, entry, run.symbol("a"), run.line_seed())
    else:
        solve.assert_formula(run, entry, run.line_seed())


def _assert_roots(gen: Generator) -> bool:
    made = roots.closed_bools(gen, gen.settings.number("roots-asserted", gen.stream))
    tracked = gen.run.state.cores and gen.stream.random() < 0.2
    for entry in made:
        true = holding(gen, entry)
        if true is not None:
            _assert(gen, true, tracked)
    return bool(made)


def _set_limit(gen: Generator) -> bool:
    run = gen.run
    if not gen.limited or run.wrapper.set("actions", "set-limit") is None:
        return False
    unit = float(run.wrapper.data.get("limit-per-ms") or 1)
    solve.set_limit(
        run, max(1, int(gen.settings.number("check-limit", gen.stream) * unit)), run.line_seed()
    )
    return True


def _limited(gen: Generator) -> None:
    """No check without a limit, unless the user wants none: the run's first one sets it."""
    if gen.run.state.limit is None:
        _set_limit(gen)


def _check_sat(gen: Generator) -> bool:
    _limited(gen)
    solve.check_sat(gen.run, gen.run.line_seed())
    witnesses.check_answer(gen)
    return True


def _check_sat_assuming(gen: Generator) -> bool:
    run, stream = gen.run, gen.stream
    assumptions: list[Entry] = []
    for _ in range(gen.settings.number("assumptions", stream)):
        if assumptions and gen.settings.chance("repeated-assumption", stream):
            assumptions.append(stream.choose(assumptions))
            continue
        entry = _bool_entry(gen)
        if entry is None:
            break
        if gen.settings.chance("negated-assumption", stream):
            entry = gen_term(gen, gen.catalogue.operators["OP_NOT"], [entry])
        true = holding(gen, entry)
        if true is not None:
            assumptions.append(true)
    if not assumptions:
        return False
    _limited(gen)
    solve.check_sat_assuming(run, assumptions, run.line_seed())
    witnesses.check_answer(gen)
    return True


def _get_value(gen: Generator) -> bool:
    run, stream = gen.run, gen.stream
    entries = witnesses.values_to_read(gen)
    if not entries:
        return False
    completion = gen.settings.chance("value-with-completion", stream)
    action = (
        "get-value-completion"
        if completion and run.wrapper.set("actions", "get-value-completion")
        else "get-value"
    )
    values = solve.get_value(run, entries, action, run.line_seed())
    kept = 0
    for entry, value in zip(entries, values, strict=False):
        if (
            value is not None
            and kept < gen.settings.limit("model-values")
            and gen.settings.chance("keep-value", stream)
        ):
            kept += _keep_value(gen, entry.term.sort, value)
    return True


def _keep_value(gen: Generator, sort: Sort, value: tuple[object, ...]) -> int:
    """A literal of the model becomes a term of the run: a `mk-value` line with its text."""
    from fractions import Fraction

    kind = str(value[0])
    if sort.kind not in LITERAL_KINDS or kind != sort.short.lower().replace("reglan", ""):
        return 0
    number: object = value[-1]
    if kind == "real":
        number = Fraction(int(str(value[1])), int(str(value[2])))
    if number is None or (kind == "string" and any(ord(c) > 0x2FFFF for c in str(number))):
        return 0
    leaves.value(gen, sort, number)
    return 1


def _query(name: str) -> Action:
    def action(gen: Generator) -> bool:
        if gen.run.wrapper.set("actions", name) is None:
            return False
        solve.query(gen.run, name, gen.run.line_seed())
        return True

    return action


def _push(gen: Generator) -> bool:
    run = gen.run
    levels = min(
        gen.settings.number("levels", gen.stream),
        gen.settings.limit("push-levels") - run.state.level,
    )
    if levels < 1:
        return False
    solve.push(run, levels, run.line_seed())
    return True


def _pop(gen: Generator) -> bool:
    run = gen.run
    levels = min(gen.settings.number("levels", gen.stream), run.state.level)
    if levels < 1:
        return False
    solve.pop(run, levels, run.line_seed())
    return True


def _reset(gen: Generator) -> bool:
    if gen.run.wrapper.set("actions", "reset") is None:
        return False
    solve.reset(gen.run, gen.run.line_seed())
    return True


def _reset_assertions(gen: Generator) -> bool:
    if gen.run.wrapper.set("actions", "reset-assertions") is None:
        return False
    solve.reset_assertions(gen.run, gen.run.line_seed())
    return True


def _any_entry(gen: Generator, closed: bool = True) -> Entry | None:
    by_kind = gen.run.db.by_kind
    kinds = [k for k, found in by_kind.items() if found]
    if not kinds:
        return None
    return gen.run.db.pick(
        gen.stream.choose(by_kind[gen.stream.choose(kinds)]), gen.stream, 0.2, closed
    )


def _on_term(name: str) -> Action:
    def action(gen: Generator) -> bool:
        entry = _any_entry(gen)
        if (
            entry is None
            or gen.run.wrapper.set("actions", name) is None
            or entry.term.sort.kind == "SORT_FUN"
        ):
            return False
        solve.on_terms(gen.run, name, [entry], gen.run.line_seed())
        return True

    return action


def _simplify(gen: Generator) -> bool:
    """`simplify`, or where such checks are on and one is drawn, a check of what it gives."""
    if not witnesses.due(gen, "simplify"):
        return _on_term("simplify")(gen)
    entry = _any_entry(gen)
    if (
        entry is None
        or gen.run.wrapper.set("actions", "simplify") is None
        or entry.term.sort.kind == "SORT_FUN"
    ):
        return False
    entailment.check_simplify(gen.run, entry, gen.run.line_seed())
    return True


def _substitute(gen: Generator) -> bool:
    run = gen.run
    inside, old = _any_entry(gen), _any_entry(gen)
    if inside is None or old is None or "SORT_FUN" in (inside.term.sort.kind, old.term.sort.kind):
        return False
    new = run.db.pick(old.term.sort, gen.stream, 0.2, closed=True)
    if new is None or run.wrapper.set("actions", "substitute") is None:
        return False
    if witnesses.due(gen, "substitute"):
        entailment.check_substitute(run, [inside, old, new], run.line_seed())
    else:
        solve.on_terms(run, "substitute", [inside, old, new], run.line_seed())
    return True


def _check_sort(gen: Generator) -> bool:
    run = gen.run
    if not run.db.sorts or run.wrapper.set("self-checks", "check-sort") is None:
        return False
    entries = [e for found in run.db.sort_entries.values() for e in found if e.obj is not None]
    if not entries:
        return False
    inspect.check_sort(run, gen.stream.choose(entries), run.line_seed())
    return True


def _check(name: str, run_check: Callable[..., None], literal: bool) -> Action:
    def action(gen: Generator) -> bool:
        if gen.run.wrapper.set("self-checks", name) is None:
            return False
        for _ in range(4):
            entry = _any_entry(gen)
            if entry is not None and (entry.term.literal or not literal):
                run_check(gen.run, entry, gen.run.line_seed())
                return True
        return False

    return action


def _del(gen: Generator) -> bool:
    run = gen.run
    entry = _any_entry(gen)
    if (
        entry is None
        or entry in run.state.asserted()
        or entry in run.state.assumptions
        or run.db.size(entry.term.sort) < 3
    ):
        return False
    if not entry.term.leaf and entry.uses == 0:
        return False
    solve.drop(run, entry, run.line_seed())
    return True


def _gc(gen: Generator) -> bool:
    solve.collect(gen.run, gen.run.line_seed())
    return True


def _solver_action(gen: Generator) -> bool:
    """One of the wrapper's own actions, `NAME-...`."""
    run = gen.run
    allowed = options.due(gen)
    if not allowed.items:
        return False
    name = gen.stream.weighted(allowed)
    if name in gen.damped and gen.stream.random() >= terms.DAMPED:
        return False
    entries = options.operands(gen, run.wrapper.data["own-actions"][name].get("takes") or [])
    if entries is None:
        return False
    solve.own(run, name, entries, run.line_seed())
    return True


ACTIONS: dict[str, Action] = {
    "new": _new,
    "set-logic": _set_logic,
    "set-option": options.set_random_option,
    "set-option-req": options.set_required_options,
    "mk-sort": sorts.make_random_sort,
    "instantiate-sort": sorts.instantiate_random,
    "mk-const": leaves.constant_action,
    "mk-value": leaves.value_action,
    "mk-special-value": leaves.special_action,
    "mk-var": lambda gen: terms.random_binder(gen),
    "mk-term": terms.random_term,
    "mk-fun": define_function,
    "assert-formula": _assert_formula,
    "assert-tracked": _assert_tracked,
    "assert-roots": _assert_roots,
    "set-limit": _set_limit,
    "check-sat": _check_sat,
    "check-sat-assuming": _check_sat_assuming,
    "get-value": _get_value,
    "get-model": _query("get-model"),
    "print-model": _query("print-model"),
    "get-unsat-core": _query("get-unsat-core"),
    "get-unsat-assumptions": _query("get-unsat-assumptions"),
    "get-assertions": _query("get-assertions"),
    "get-info": _query("get-info"),
    "statistics": _query("statistics"),
    "push": _push,
    "pop": _pop,
    "reset": _reset,
    "reset-assertions": _reset_assertions,
    "term-get-children": _on_term("term-get-children"),
    "simplify": _simplify,
    "substitute": _substitute,
    "check-sort": _check_sort,
    "check-term": _check("check-term", inspect.check_term, False),
    "check-value": _check("check-value", inspect.check_value, True),
    "check-eq": _check("check-eq", inspect.check_eq, False),
    "del": _del,
    "gc": _gc,
    "delete": _delete,
    "solver-action": _solver_action,
    "misuse-value": lambda gen: misuse.misuse(gen, "value", _plainly),
    "misuse-object": lambda gen: misuse.misuse(gen, "object", _plainly),
    "misuse-order": misuse.out_of_order,
    "misuse-call": callables.bursts,
    "misuse-hold": misuse.hold,
    "misuse-held": misuse.held,
    "misuse-protocol": lambda gen: misuse.stress(gen, "protocol"),
    "misuse-life": lambda gen: misuse.stress(gen, "life"),
    "misuse-state": lambda gen: misuse.stress(gen, "state"),
    "misuse-drop": misuse.tear_down,
    "misuse-own": misuse.stress_own,
}


def _plainly(gen: Generator, name: str) -> bool:
    return ACTIONS[name](gen)


def perform(gen: Generator, name: str) -> bool:
    """Carry out the action called `name`; False where it was not possible or the binding refused."""
    if name in gen.damped and gen.stream.random() >= terms.DAMPED:
        return False
    try:
        done = ACTIONS[name](gen)
        if done and name in MAKES and gen.settings.chance("check-new-object", gen.stream):
            _check_newest(gen)
        return done
    except Refused:
        if name in ("check-sat", "check-sat-assuming", "push"):
            # some solvers are of no use after that: cvc5 then leaves out what it had to process
            raise Stopped(None) from None
        return False


def _check_newest(gen: Generator) -> None:
    """A self-check of the term made last, while a run is building."""
    newest = next(reversed(gen.run.db.terms.values()), None)
    if newest is None or newest.term.sort.kind in ("SORT_CASE", "SORT_FUN"):
        return
    if newest.term.literal and gen.run.wrapper.set("self-checks", "check-value"):
        inspect.check_value(gen.run, newest, gen.run.line_seed())
    elif gen.run.wrapper.set("self-checks", "check-term"):
        inspect.check_term(gen.run, newest, gen.run.line_seed())
