"""Actions on the solver: logic, options, assertions, checks, scopes, models, cores. Each writes one
line and makes one call.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from murxpy.errors import InputError
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import CONTRACT, Stopped
from murxpy.machine.planting import judge_planted
from murxpy.machine.run import Run
from murxpy.machine.signals import note_check
from murxpy.machine.state import SOFT, Objective
from murxpy.machine.tokens import Ref, Token, as_word, print_token, quote

ANSWERS = ("sat", "unsat", "unknown")


def plain(
    run: Run,
    action: str,
    words: str,
    args: Sequence[Any],
    seed: int,
    spelling: str | None = None,
    **operands: Any,
) -> Any:
    """Do an action of the wrapper whose line has the words `words` and whose call takes `args`. The
    result is that of the call.
    """
    run.frame.fill(**operands)
    chosen = run.choose(run.wrapper.set("actions", action), seed, spelling, action)
    run.begin(seed, action, chosen.name, words)
    return run.call(chosen, args, (), action)


def new(run: Run, seed: int, spelling: str | None = None) -> None:
    """`new`: a context of this run's own, and a solver in it, behind the parameters of the process
    that the run has.
    """
    parameters, run.parameters = run.parameters, ()
    for name, value in parameters:
        set_parameter(run, name, value, 0)
    lifecycle = run.wrapper.spellings["lifecycle"]
    run.frame.fill(value=run.state.logic)
    chosen = run.choose(lifecycle.get("new"), seed, spelling, "new")
    run.begin(seed, "new", chosen.name, "")
    with run.binding_time():
        run.frame.ctx = lifecycle["new-context"].spellings[0].call((), (), run.frame)
    run.make_solver(run.frame, chosen)
    if run.signals is not None:
        run.signals.note(f"new@{chosen.name}", 1)
    run.state.started = True
    run.state.part = run.wrapper.part_name(chosen)
    if run.state.part:
        run.wrapper = run.wrapper.part(run.state.part, run.frame.solver)
    run.result("return o1")


def set_parameter(run: Run, name: str, value: str, seed: int, spelling: str | None = None) -> None:
    """`set-parameter NAME VALUE`: a parameter that the solver's whole process has up to the end of
    the run.
    """
    _permit(run, name)
    run.wrapper.parameters.touched = True
    words = f"{as_word(name)} {as_word(value)}"
    plain(run, "set-parameter", words, (), seed, spelling, name=name, value=value)


def _permit(run: Run, name: str) -> None:
    """Raise InputError if the wrapper forbids the option."""
    found = run.wrapper.facts.forbidden.option(name)
    if found:
        raise InputError(found)


def delete(run: Run, seed: int) -> None:
    """`delete`: drop every object of the run: the terms first, then the solver, and its context
    last.
    """
    run.begin(seed, "delete", None, "")
    run.forget()
    run.counts["action-ok:delete"] += 1  # `forget` has left the meter, too


def set_logic(run: Run, logic: str, seed: int, spelling: str | None = None) -> None:
    """`set-logic LOGIC`."""
    plain(run, "set-logic", as_word(logic), (), seed, spelling, value=logic)
    run.state.logic = logic


SPECIAL_OPTIONS = {
    "incremental": "incremental",
    "produce-models": "models",
    "produce-unsat-cores": "cores",
    "produce-unsat-assumptions": "unsat_assumptions",
}


def set_option(run: Run, name: str, value: str, seed: int, spelling: str | None = None) -> None:
    """`set-option NAME VALUE`; the four special options also change what may be asked later. Raises
    InputError for an option that the wrapper forbids.
    """
    _permit(run, name)
    run.frame.fill(name=name, value=value)
    special = run.wrapper.set("special-options", name)
    chosen = run.choose(
        special or run.wrapper.set("actions", "set-option"), seed, spelling, "set-option"
    )
    run.begin(seed, "set-option", chosen.name, f"{as_word(name)} {as_word(value)}")
    run.call(chosen, (), (), "set-option")
    run.state.options[name] = value
    if name in SPECIAL_OPTIONS:
        setattr(run.state, SPECIAL_OPTIONS[name], value == "true")


def assert_formula(run: Run, entry: Entry, seed: int, spelling: str | None = None) -> None:
    """`assert-formula t`."""
    plain(run, "assert-formula", str(entry), (entry.obj,), seed, spelling, terms=(entry.term,))
    _asserted(run, entry)


def assert_tracked(
    run: Run, entry: Entry, name: str, seed: int, spelling: str | None = None
) -> None:
    """`assert-tracked t "name"`: an assertion with a name, for unsat cores."""
    words = f"{entry} {quote(name)}"
    plain(
        run, "assert-tracked", words, (entry.obj,), seed, spelling, terms=(entry.term,), name=name
    )
    run.state.names[-1].append((name, entry))
    _asserted(run, entry)


def _asserted(run: Run, entry: Entry) -> None:
    run.db.use(entry)
    run.state.assertions[-1].append(entry)
    run.state.changed()
    run.meter.asserted(entry.term)


def pursue(run: Run, objective: Objective, seed: int, spelling: str | None = None) -> None:
    """`minimize t`, `maximize t`, or `assert-soft t "weight" "group"`: an objective of an optimizer."""
    entry, action, words, operands = objective.entry, objective.goal, str(objective.entry), {}
    if objective.goal == SOFT:
        action = "assert-soft"
        weight = weight_text(objective.weight)
        words = f"{entry} {quote(weight)} {quote(objective.group)}"
        operands = {"value": weight, "name": objective.group}
    plain(run, action, words, (entry.obj,), seed, spelling, terms=(entry.term,), **operands)
    run.db.use(entry)
    run.state.objectives[-1].append(objective)
    run.state.changed()


def weight_text(weight: Fraction) -> str:
    """A weight with at most one decimal, as text."""
    return str(weight.numerator) if weight.denominator == 1 else str(float(weight))


def set_limit(
    run: Run, limit: int, seed: int, spelling: str | None = None, wall_ms: int = 0
) -> None:
    """`set-limit N [MS]`: the solver's own resource limit for every check that follows, in the unit
    of the solver; and the wall time of each check of a script in milliseconds, because some
    procedures run for minutes and hardly count. Without a wall time there is no limit of it.
    """
    words = f"{limit} {wall_ms}" if wall_ms else str(limit)
    plain(run, "set-limit", words, (), seed, spelling, value=limit)
    run.state.limit, run.state.wall_ms = limit, wall_ms


def check_sat(run: Run, seed: int, spelling: str | None = None) -> str:
    """`check-sat`; gives the answer."""
    answer = plain(run, "check-sat", "", (), seed, spelling)
    return _answered(run, answer, [], "check-sat")


def check_sat_assuming(
    run: Run, assumptions: Sequence[Entry], seed: int, spelling: str | None = None
) -> str:
    """`check-sat-assuming n t..`; gives the answer."""
    words = " ".join([str(len(assumptions)), *map(str, assumptions)])
    terms = tuple(e.term for e in assumptions)
    for entry in assumptions:
        run.db.use(entry)
    answer = plain(
        run, "check-sat-assuming", words, [e.obj for e in assumptions], seed, spelling, terms=terms
    )
    return _answered(run, answer, list(assumptions), "check-sat-assuming")


def _answered(run: Run, answer: Any, assumptions: list[Entry], action: str) -> str:
    text = str(answer)
    run.result(f"answer {text if text in ANSWERS else quote(text)}")
    state = run.state
    state.checks += 1
    state.assumptions = assumptions
    state.answer = text
    state.has_model = text == "sat"
    run.meter.answered(text, state)
    note_check(run, text)
    run.judge(text, action, "")
    judge_planted(run, text, action)
    return text


def push(run: Run, levels: int, seed: int, spelling: str | None = None) -> None:
    """`push N`."""
    plain(run, "push", str(levels), (), seed, spelling, value=levels)
    run.state.pushed(levels)


def pop(run: Run, levels: int, seed: int, spelling: str | None = None) -> None:
    """`pop N`. If the wrapper says that declarations are scoped, the terms made since the `push`
    are forgotten, too.
    """
    plain(run, "pop", str(levels), (), seed, spelling, value=levels)
    run.state.popped(levels)
    if run.wrapper.facts.scoped_declarations:
        run.db.drop_above(run.state.level)


def reset(run: Run, seed: int, spelling: str | None = None) -> None:
    """`reset`: assertions, scopes and options are as after `new`. The terms stay, because they
    belong to the context.
    """
    plain(run, "reset", "", (), seed, spelling)
    run.state.emptied()
    run.state.logic = None


def reset_assertions(run: Run, seed: int, spelling: str | None = None) -> None:
    """`reset-assertions`."""
    plain(run, "reset-assertions", "", (), seed, spelling)
    run.state.emptied()


def get_value(
    run: Run, entries: Sequence[Entry], action: str, seed: int, spelling: str | None = None
) -> list[Any]:
    """`get-value n t..` (or `get-value-completion`): one call for each term. The result is the
    values as plain data, with None for a value that is no literal.
    """
    words = " ".join([str(len(entries)), *map(str, entries)])
    run.frame.fill(terms=tuple(e.term for e in entries[:1]))
    chosen = run.choose(run.wrapper.set("actions", action), seed, spelling, action)
    run.begin(seed, action, chosen.name, words)
    values = []
    for entry in entries:
        run.frame.fill(terms=(entry.term,))
        value = run.call(chosen, (entry.obj,), (), action)
        values.append(read_value_object(run, value))
        if values[-1] is not None:
            run.result(
                f"value {entry} " + " ".join(print_token(_value_token(v)) for v in values[-1])
            )
    run.meter.model_read()
    return values


def _value_token(value: Any) -> Token:
    if isinstance(value, bool):
        return value
    return value if isinstance(value, int) else quote("" if value is None else str(value))


def read_value_object(run: Run, value: Any) -> Any:
    """A value object of the solver as plain data (`("bv", 8, 255)`); None if it is no literal of a
    standard sort.
    """
    reader = run.wrapper.set("readers", "value")
    if reader is None or value is None:
        return None
    run.frame.fill()
    return run.call(reader.spellings[0], (value,), (), "get-value")


def query(run: Run, action: str, seed: int, spelling: str | None = None) -> None:
    """An action without arguments whose result is not used, such as `get-model`, `get-unsat-core`
    or `statistics`.
    """
    plain(run, action, "", (), seed, spelling)
    if action in ("get-model", "print-model"):
        run.meter.model_read()
    if action in ("get-unsat-core", "get-unsat-assumptions"):
        run.meter.core_read()


def on_terms(
    run: Run, action: str, entries: Sequence[Entry], seed: int, spelling: str | None = None
) -> Any:
    """An action on terms whose result is not used: `simplify t`, `substitute t from to`,
    `term-get-children t`, or an action of the wrapper's own.
    """
    words = " ".join(map(str, entries))
    return plain(
        run,
        action,
        words,
        [e.obj for e in entries],
        seed,
        spelling,
        terms=tuple(e.term for e in entries),
    )


def own(
    run: Run, action: str, entries: Sequence[Entry], seed: int, spelling: str | None = None
) -> None:
    """One of the wrapper's own actions. The call of such an action gives None, or a str that says
    which promise of the binding is broken.
    """
    run.frame.fill(terms=tuple(e.term for e in entries))
    chosen = run.choose(run.wrapper.set("actions", action), seed, spelling, action)
    run.begin(seed, action, chosen.name, " ".join(map(str, entries)))
    broken = run.call(chosen, [e.obj for e in entries], (), action)
    if isinstance(broken, str):
        # The finding has the name of the spelling that ran. A replay uses the same spelling, so it
        # finds the same.
        raise Stopped(run.finding(CONTRACT, "binding", broken, action, "", chosen.name))
    if run.signals is not None:
        run.signals.note(f"{action}@{chosen.name}", 1)
    entry = run.wrapper.facts.own_actions[action]
    if entry.changes:
        run.state.altered = True
    if entry.changes or entry.ends:
        run.state.changed()


def drop(run: Run, entry: Entry, seed: int) -> None:
    """`del t`: drop an object."""
    run.begin(seed, "del", None, str(entry))
    run.db.drop(entry)
    run.meter.went_well()


def drop_other(run: Run, ref: Ref, seed: int) -> None:
    """`del s`, `del o1`, `del c1`: drop a sort, the solver or the context, before the objects that
    were made with it.
    """
    run.begin(seed, "del", None, str(ref))
    if ref.letter == "s":
        run.db.drop_sort(run.db.sorts[ref.number])
    elif ref.letter == "o":
        run.frame.solver = None
    elif ref.letter == "x":
        del run.objects.alive[ref.number]
    else:
        run.drop_context()
    run.meter.went_well()


def collect(run: Run, seed: int) -> None:
    """`gc`: a full garbage collection."""
    import gc

    run.begin(seed, "gc", None, "")
    gc.collect()
    run.meter.went_well()
