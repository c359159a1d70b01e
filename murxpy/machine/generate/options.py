"""Choosing options, and the operands of a wrapper's own actions."""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Refused
from murxpy.machine.random import Stream, Weighted
from murxpy.machine.solve import SPECIAL_OPTIONS, set_option
from murxpy.machine.state import HOLDS
from murxpy.solvers.facts import Option, option_text


def set_required_options(gen: Generator) -> bool:
    """`set-option` for what the run's theories need, what the user asked for, and the four special
    options.
    """
    run = gen.run
    for name, value in gen.options:
        _set(gen, name, value)
    for theory in gen.swarm.theories:
        for name, value in run.wrapper.facts.required_options.get(theory, ()):
            _set(gen, name, value)
    for name in SPECIAL_OPTIONS:
        if run.wrapper.set("special-options", name) is not None:
            _set(gen, name, option_text(gen.settings.chance(name, gen.stream)))
    return True


def _set(gen: Generator, name: str, value: str) -> None:
    """Set an option that is not set yet. If another option forbids this one, the run goes on
    without it.
    """
    run = gen.run
    if name in run.state.options:
        return
    try:
        set_option(run, name, value, run.line_seed())
    except Refused:
        if name in SPECIAL_OPTIONS:
            setattr(run.state, SPECIAL_OPTIONS[name], False)


def option_choice(options: Sequence[Option]) -> Weighted[Option]:
    """The wrapper's options by weight."""
    return Weighted([(o, o.weight) for o in options])


def set_random_option(gen: Generator) -> bool:
    """`set-option` of one option that was not set yet, and of those that the wrapper sets beside it;
    False where a few draws gave none.
    """
    run = gen.run
    if len(run.state.options) >= gen.settings.limit("options") or gen.most_options == 0:
        return False
    choice = gen.option_choice
    if choice.items and run.state.part:
        choice = option_choice(run.wrapper.facts.options or ())
    for _ in range(4 if choice.items else 0):
        option = gen.stream.weighted(choice)
        if option.name not in run.state.options and option.fits(
            gen.swarm.theories, run.state.options
        ):
            value = draw_value(option, gen.stream)
            set_option(run, option.name, value, run.line_seed())
            for name, beside in option.beside if value != "false" else ():
                _set(gen, name, beside)
            if gen.most_options is not None:
                gen.most_options -= 1
            return True
    return False


def draw_value(option: Option, stream: Stream) -> str:
    """A value of an option, as text."""
    if option.type == "bool":
        return option_text(stream.random() < 0.5)
    if option.values:
        return option_text(stream.choose(option.values))
    return str(stream.between(int(option.least), int(option.most)))


def _holds(gen: Generator, need: str) -> bool:
    if need == "quantifiers":
        return "QUANT" in gen.swarm.theories
    return HOLDS[need](gen.run.state)


def due(gen: Generator, stress: bool = False) -> Weighted[str]:
    """The wrapper's own actions that the solver's state and the options allow now, with their
    weights. With `stress` these are the actions that only contract mode draws.
    """
    run = gen.run
    allowed: list[tuple[str, float]] = []
    for name, entry in run.wrapper.facts.own_actions.items():
        option = entry.option
        if entry.stress is not stress or (gen.planting and entry.changes):
            continue
        if run.wrapper.set("actions", name) is None or not all(
            _holds(gen, need) for need in entry.needs
        ):
            continue
        if option is None or run.state.options.get(option, "false") not in ("false", "none"):
            allowed.append((name, entry.weight))
    return Weighted(allowed)


def operands(gen: Generator, kinds: Sequence[str]) -> list[Entry] | None:
    """The terms that a wrapper's own action takes (`bool`, `any`, `same-0`, `bool+`, ...); None
    where there are none.
    """
    entries: list[Entry] = []
    for kind in kinds:
        many = kind.endswith("+")
        for _ in range(gen.stream.between(1, 3) if many else 1):
            entry = _operand(gen, kind.rstrip("+"), entries)
            if entry is None or entry.term.sort.kind == "SORT_FUN":
                return None
            entries.append(entry)
    return entries


def _operand(gen: Generator, kind: str, entries: list[Entry]) -> Entry | None:
    db, stream = gen.run.db, gen.stream
    if kind.startswith("same-"):
        return db.pick(entries[int(kind[5:])].term.sort, stream, 0.2, closed=True)
    sorts = [s for found in db.by_kind.values() for s in found]
    if kind == "bool":
        sorts = [s for s in sorts if s.kind == "SORT_BOOL"]
    elif kind == "uninterpreted":
        sorts = [s for s in sorts if s.kind == "SORT_UNINTERPRETED"]
    elif kind == "quantified":
        found = [
            e
            for e in db.terms.values()
            if e.term.op in ("OP_FORALL", "OP_EXISTS") and not e.term.free
        ]
        return stream.choose(found) if found else None
    for _ in range(4):
        entry = db.pick(stream.choose(sorts), stream, 0.2, closed=True) if sorts else None
        if entry is None or kind != "constant" or entry.term.op == "OP_CONSTANT":
            return entry
    return None
