"""Reading the lines that use the solver: options, assertions, checks, models, cores, self-checks, a
wrapper's own actions.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from murxpy.machine import inspect, script, solve
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.run import Refused, Run
from murxpy.machine.tokens import Ref
from murxpy.trace.murxla import old_action, own_operands, substituted
from murxpy.trace.reading import Reading

Reader = Callable[[Reading], None]


def new(r: Reading) -> None:
    """`new`."""
    r.end(0)
    if r.run.state.started:
        raise r.error("a second solver, expected 'delete' before this line")
    solve.new(r.run, r.seed, r.spelling("lifecycle", "new"))
    if r.foreign:
        _switch_on(r)


def _switch_on(r: Reading) -> None:
    """Let a solver that the trace is not for do all that the trace may ask of it."""
    for name in solve.SPECIAL_OPTIONS:
        if r.run.wrapper.set("special-options", name) is not None:
            with contextlib.suppress(Refused):  # what is missing will show where it is used
                solve.set_option(r.run, name, "true", r.seed)
    for pairs in (r.run.wrapper.data.get("required-options") or {}).values():
        for name, value in pairs:
            with contextlib.suppress(Refused):
                solve.set_option(r.run, str(name), str(value).lower(), r.seed)


def delete(r: Reading) -> None:
    """`delete`."""
    r.end(0)
    solve.delete(r.run, r.seed)
    r.start()


def set_logic(r: Reading) -> None:
    """`set-logic LOGIC`; a solver without such an action takes it for granted."""
    logic = r.text(0, "a logic")
    r.end(1)
    if r.run.wrapper.set("actions", "set-logic") is not None:
        r.require(r.run.state.logic is None, "the logic is set already")
        solve.set_logic(r.run, logic, r.seed, r.spelling("actions", "set-logic"))


def set_option(r: Reading) -> None:
    """`set-option NAME VALUE`. Raises Refused for an option of another solver."""
    name, value = r.text(0, "an option"), r.text(1, "its value")
    r.end(2)
    special = r.run.wrapper.set("special-options", name) is not None
    if name in solve.SPECIAL_OPTIONS and (r.foreign or not special):
        return  # switched on with `new`, or always on
    r.require(not r.foreign or name in _options(r.run), f"the option {name} of another solver")
    spelling = (
        r.spelling("special-options", name) if special else r.spelling("actions", "set-option")
    )
    solve.set_option(r.run, name, value, r.seed, spelling)


def _options(run: Run) -> list[str]:
    data = run.wrapper.data
    required = [
        name for pairs in (data.get("required-options") or {}).values() for name, _ in pairs
    ]
    return [*(option["name"] for option in data.get("options") or ()), *required]


def assert_formula(r: Reading) -> None:
    """`assert-formula t`."""
    entry = r.boolean(0)
    r.end(1)
    solve.assert_formula(r.run, entry, r.seed, r.spelling("actions", "assert-formula"))


def assert_tracked(r: Reading) -> None:
    """`assert-tracked t "name"`; a plain assertion where the solver has no names."""
    entry, name = r.boolean(0), r.text(1, "a name")
    r.end(2)
    if r.run.wrapper.set("actions", "assert-tracked") is None:
        solve.assert_formula(r.run, entry, r.seed)
    else:
        solve.assert_tracked(r.run, entry, name, r.seed, r.spelling("actions", "assert-tracked"))


def set_limit(r: Reading) -> None:
    """`set-limit N`."""
    limit = r.number(0, "a limit")
    r.end(1)
    if limit < 0:
        raise r.error(f"expected a limit of 0 or more, found {limit}")
    # Every solver counts in a unit of its own.
    r.require(not r.foreign and not r.trace.murxla, "a limit in the unit of another solver")
    solve.set_limit(r.run, limit, r.seed, r.spelling("actions", "set-limit"))


def check_sat(r: Reading) -> None:
    """`check-sat`."""
    r.end(0)
    _checkable(r)
    _compare(r, solve.check_sat(r.run, r.seed, r.spelling("actions", "check-sat")))


def check_sat_assuming(r: Reading) -> None:
    """`check-sat-assuming n t..`."""
    entries = [r.boolean(1 + k) for k in range(r.count(0, "terms"))]
    r.end(1 + len(entries))
    _checkable(r)
    _compare(
        r,
        solve.check_sat_assuming(
            r.run, entries, r.seed, r.spelling("actions", "check-sat-assuming")
        ),
    )


def _checkable(r: Reading) -> None:
    state = r.run.state
    r.require(
        state.incremental or state.checks == 0, "a second check of a solver that is not incremental"
    )


def _compare(r: Reading, answer: str) -> None:
    before = r.line.result("answer")
    r.run.answers.append((r.line.number, str(before[0]) if before else "", answer))
    if before and str(before[0]) != answer:
        r.run.differences.append(
            f"line {r.line.number}: {r.line.action} answered {before[0]}, now {answer}"
        )


def run_script(r: Reading, head: str = "") -> None:
    """`run-script "TEXT"`; `head` are commands in front of the script."""
    text = r.text(0, "a script")
    r.end(1)
    if r.foreign:
        text = head + script.without_options(text)
    answers = script.answers_of(
        script.run_script(r.run, text, r.seed, r.spelling("actions", "run-script"))
    )
    before = [str(tokens[0]) for name, tokens in r.line.results if name == "answer" and tokens]
    if before and before != answers:
        r.run.differences.append(
            f"line {r.line.number}: run-script answered {' '.join(before)}, now {' '.join(answers)}"
        )
    pairs = list(zip(before, answers, strict=False))
    telling = (
        [pair for pair in pairs if set(pair) == {"sat", "unsat"}]
        or [pair for pair in pairs if "unknown" not in pair]
        or pairs
    )
    r.run.answers += [(r.line.number, *pair) for pair in telling[:1]]


def expect(r: Reading) -> None:
    """`expect ANSWER..`."""
    answers = [r.text(at, "an answer") for at in range(len(r.line.args))]
    for answer in answers:
        if not script.expectable(answer):
            raise r.error(f"expected sat, unsat or unknown, found '{answer}'")
    script.expect(r.run, answers, r.seed)


def get_value(r: Reading) -> None:
    """`get-value n t..` and `get-value-completion n t..`."""
    entries = r.counted_terms(0, closed=True)
    r.end(1 + len(entries))
    _needs_model(r)
    r.values(*(e.term.sort for e in entries))
    action = r.line.action
    if r.run.wrapper.set("actions", action) is None:
        action = "get-value"
    solve.get_value(r.run, entries, action, r.seed, r.spelling("actions", action))


def _needs_model(r: Reading) -> None:
    state = r.run.state
    r.require(state.models and state.has_model, f"no model: the last answer is {state.answer}")


def _needs_core(r: Reading) -> None:
    state = r.run.state
    r.require(
        state.cores and state.answer == "unsat", f"no core: the last answer is {state.answer}"
    )


def _needs_assumptions(r: Reading) -> None:
    state = r.run.state
    there = state.unsat_assumptions and state.answer == "unsat" and state.assumptions
    r.require(bool(there), f"no unsat assumptions: the last answer is {state.answer}")


_QUERIES: dict[str, Reader] = {
    "get-model": _needs_model,
    "print-model": _needs_model,
    "get-unsat-core": _needs_core,
    "get-unsat-assumptions": _needs_assumptions,
}


def query(r: Reading) -> None:
    """An action without words whose result nobody uses."""
    r.end(0)
    action = r.line.action
    needs = _QUERIES.get(action)
    if needs is not None:
        needs(r)
    r.require(r.run.wrapper.set("actions", action) is not None, f"no spelling of {action}")
    solve.query(r.run, action, r.seed, r.spelling("actions", action))


def push(r: Reading) -> None:
    """`push N`."""
    levels = _levels(r)
    r.require(r.run.state.incremental, "a solver that is not incremental has no levels")
    solve.push(r.run, levels, r.seed, r.spelling("actions", "push"))


def pop(r: Reading) -> None:
    """`pop N`."""
    levels = _levels(r)
    if levels > r.run.state.level and not r.lenient:
        raise r.error(f"cannot pop {levels} levels of {r.run.state.level}")
    solve.pop(r.run, levels, r.seed, r.spelling("actions", "pop"))


MAX_LEVELS = 100_000


def _levels(r: Reading) -> int:
    levels = r.number(0, "a number of levels")
    r.end(1)
    if not 0 <= levels <= MAX_LEVELS:
        raise r.error(f"expected 0 to {MAX_LEVELS} levels, found {levels}")
    return levels


def reset(r: Reading) -> None:
    """`reset`; in Murxla's dialect it ends the life of all ids."""
    r.end(0)
    if r.trace.murxla:
        solve.delete(r.run, r.seed)
        r.start()
        new(r)
    else:
        solve.reset(r.run, r.seed, r.spelling("actions", "reset"))


def reset_assertions(r: Reading) -> None:
    """`reset-assertions`."""
    r.end(0)
    solve.reset_assertions(r.run, r.seed, r.spelling("actions", "reset-assertions"))


def on_terms(count: int) -> Reader:
    """A reader of an action that takes `count` terms and returns nothing that the run keeps."""

    def reader(r: Reading) -> None:
        action = old_action(r.line.action)
        if r.trace.murxla and action == "substitute":
            entries = substituted(r)
        else:
            entries = [r.term(k) for k in range(count)]
            r.end(count)
        if action == "substitute" and entries[1].term.sort is not entries[2].term.sort:
            raise r.error(f"cannot substitute {entries[2].term.sort} for {entries[1].term.sort}")
        r.require(r.run.wrapper.set("actions", action) is not None, f"no spelling of {action}")
        r.values(*(e.term.sort for e in entries))
        solve.on_terms(r.run, action, entries, r.seed, r.spelling("actions", action))

    return reader


def own(r: Reading) -> None:
    """A wrapper's own action, `NAME-...`. Raises Refused for another solver's."""
    action = old_action(r.line.action)
    entry = (r.run.wrapper.data.get("own-actions") or {}).get(action)
    if entry is None:
        raise Refused("unsupported", f"the action {r.line.action} of another solver")
    entries = own_operands(r) if r.trace.murxla else [r.term(k) for k in range(len(r.line.args))]
    _check_operands(r, entry.get("takes") or [], entries)
    for need in entry.get("needs") or ():
        r.require(_NEEDS[need](r.run), f"{action} needs '{need}'")
    solve.own(r.run, action, entries, r.seed, r.spelling("actions", action))


_NEEDS: dict[str, Callable[[Run], bool]] = {
    "sat": lambda run: run.state.answer == "sat",
    "unsat": lambda run: run.state.answer == "unsat",
    "unknown": lambda run: run.state.answer == "unknown",
    "checked": lambda run: run.state.answer is not None,
    "asserted": lambda run: any(run.state.assertions),
    "models": lambda run: run.state.models,
    "cores": lambda run: run.state.cores,
    "incremental": lambda run: run.state.incremental,
    "quantifiers": lambda run: True,
}


def _check_operands(r: Reading, takes: list[str], entries: list[Entry]) -> None:
    """Raise InputError where the terms are not what the action takes (`bool`, `any`, `same-0`,
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
            raise r.error(f"{entry} must be Boolean, it is {entry.term.sort}")
        if kind.startswith("same-") and entry.term.sort is not entries[int(kind[5:])].term.sort:
            raise r.error(f"{entry} must be of the sort of {entries[int(kind[5:])]}")


def check_object(call: Callable[..., None]) -> Reader:
    """A reader of a self-check of a term."""

    def reader(r: Reading) -> None:
        entry = r.term(0)
        r.end(1)
        if r.line.action == "check-value" and not entry.term.literal:
            raise r.error(f"{entry} is no literal")
        _self_check(r, call, entry)

    return reader


def check_sort(r: Reading) -> None:
    """`check-sort s`."""
    entry = r.sort(0)
    r.end(1)
    _self_check(r, inspect.check_sort, entry)


def _self_check(r: Reading, call: Callable[..., None], entry: Entry | SortEntry) -> None:
    action = r.line.action
    r.require(r.run.wrapper.set("self-checks", action) is not None, f"no spelling of {action}")
    r.require(entry.obj is not None, f"the binding has no object of {entry}")
    call(r.run, entry, r.seed, r.spelling("self-checks", action))


def drop(r: Reading) -> None:
    """`del t`, `del s`, `del x`, `del o1`, `del c1`."""
    word = r.word(0, "an id")
    r.end(1)
    if isinstance(word, Ref) and word.letter in "oc" and word.number == 1:
        solve.drop_other(r.run, word, r.seed)
    elif isinstance(word, Ref) and word.letter == "x":
        r.object(word)
        solve.drop_other(r.run, word, r.seed)
    elif isinstance(word, Ref) and word.letter == "s":
        r.sort(0)
        solve.drop_other(r.run, word, r.seed)
    else:
        solve.drop(r.run, r.term(0), r.seed)


def collect(r: Reading) -> None:
    """`gc`."""
    r.end(0)
    solve.collect(r.run, r.seed)
