"""Choosing options, and the operands of a wrapper's own actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.random import Stream, Weighted
from murxpy.machine.run import Refused
from murxpy.machine.solve import SPECIAL_OPTIONS, set_option


def set_required_options(gen: Generator) -> bool:
    """`set-option` for what the run's theories need, what the user asked for, and the four special
    options.
    """
    run = gen.run
    for name, value in gen.options:
        _set(gen, name, value)
    required = run.wrapper.data.get("required-options") or {}
    for theory in gen.swarm.theories:
        for name, value in required.get(theory) or []:
            _set(gen, str(name), _text(value))
    for name in SPECIAL_OPTIONS:
        if run.wrapper.set("special-options", name) is not None:
            _set(gen, name, _text(gen.settings.chance(name, gen.stream)))
    return True


def _set(gen: Generator, name: str, value: str) -> None:
    """Set an option that was not set yet; where another option forbids it, the run does without
    what it brings.
    """
    run = gen.run
    if name in run.state.options:
        return
    try:
        set_option(run, name, value, run.line_seed())
    except Refused:
        if name in SPECIAL_OPTIONS:
            setattr(run.state, SPECIAL_OPTIONS[name], False)


def option_choice(options: list[dict[str, Any]]) -> Weighted[dict[str, Any]]:
    """The wrapper's options by weight."""
    return Weighted([(o, float(o.get("weight", 1))) for o in options])


def set_random_option(gen: Generator) -> bool:
    """`set-option` of one option that was not set yet; False where a few draws gave none."""
    run = gen.run
    if len(run.state.options) >= gen.settings.limit("options"):
        return False
    for _ in range(4 if gen.option_choice.items else 0):
        option = gen.stream.weighted(gen.option_choice)
        if option["name"] not in run.state.options and _applies(gen, option):
            set_option(run, str(option["name"]), draw_value(option, gen.stream), run.line_seed())
            return True
    return False


def _applies(gen: Generator, option: dict[str, Any]) -> bool:
    theories = option.get("theories")
    return not theories or bool(set(theories) & set(gen.swarm.theories))


def draw_value(option: dict[str, Any], stream: Stream) -> str:
    """A value of an option, as text."""
    kind = option["type"]
    if kind == "bool":
        return _text(stream.random() < 0.5)
    if kind == "choice":
        return _text(stream.choose(option["values"]))
    if option.get("values"):
        return _text(stream.choose(option["values"]))
    return str(stream.between(int(option["min"]), int(option["max"])))


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


CONDITIONS_OF_STATE: dict[str, Callable[[Generator], bool]] = {
    "sat": lambda g: g.run.state.answer == "sat",
    "unsat": lambda g: g.run.state.answer == "unsat",
    "unknown": lambda g: g.run.state.answer == "unknown",
    "checked": lambda g: g.run.state.answer is not None,
    "asserted": lambda g: any(g.run.state.assertions),
    "models": lambda g: g.run.state.models,
    "cores": lambda g: g.run.state.cores,
    "incremental": lambda g: g.run.state.incremental,
    "quantifiers": lambda g: "QUANT" in g.swarm.theories,
}


def due(gen: Generator, stress: bool = False) -> Weighted[str]:
    """The wrapper's own actions that the solver's state and options allow now, by weight; or those
    that are for contract mode only.
    """
    run = gen.run
    allowed: list[tuple[str, float]] = []
    for name, entry in (run.wrapper.data.get("own-actions") or {}).items():
        option = entry.get("option")
        if bool(entry.get("stress")) is not stress or (gen.planting and entry.get("changes")):
            continue
        if run.wrapper.set("actions", name) is None or not all(
            CONDITIONS_OF_STATE[c](gen) for c in entry.get("needs") or ()
        ):
            continue
        if option is None or run.state.options.get(option, "false") not in ("false", "none"):
            allowed.append((name, float(entry.get("weight", 1))))
    return Weighted(allowed)


def operands(gen: Generator, kinds: list[str]) -> list[Entry] | None:
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
