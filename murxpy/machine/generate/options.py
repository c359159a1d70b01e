"""Choosing options, and the operands of a wrapper's own actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.random import Stream, Weighted
from murxpy.machine.solve import SPECIAL_OPTIONS, set_option


def set_required_options(gen: Generator) -> bool:
    """`set-option` for what the run's theories need, what the user asked for, and the four special options."""
    run = gen.run
    required = run.wrapper.data.get("required-options") or {}
    for theory in gen.swarm.theories:
        for name, value in required.get(theory) or []:
            if str(name) not in run.state.options:
                set_option(run, str(name), _text(value), run.line_seed())
    for name in SPECIAL_OPTIONS:
        if run.wrapper.set("special-options", name) is not None:
            on = gen.settings.chance(name, gen.stream)
            set_option(run, name, _text(on), run.line_seed())
    return True


def set_random_option(gen: Generator) -> bool:
    """`set-option` of one option that was not set yet; False where there is none left."""
    run = gen.run
    choices = [
        (o, float(o.get("weight", 1)))
        for o in run.wrapper.data.get("options") or []
        if o["name"] not in run.state.options and _applies(gen, o)
    ]
    if not choices or len(run.state.options) >= gen.settings.limit("options"):
        return False
    option = gen.stream.weighted(Weighted(choices))
    set_option(run, str(option["name"]), draw_value(option, gen.stream), run.line_seed())
    return True


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


def own_action(gen: Generator, name: str) -> dict[str, Any]:
    """What the wrapper says of one of its own actions: `needs`, `takes`, `options`."""
    entry: dict[str, Any] = (gen.run.wrapper.data.get("own-actions") or {}).get(name) or {}
    return entry


def due(gen: Generator, name: str) -> bool:
    """True if the solver's state allows the action now: `needs` is sat, unsat, checked, or an option that must be on."""
    state = gen.run.state
    for need in own_action(gen, name).get("needs") or ():
        if need in ("sat", "unsat", "unknown"):
            if state.answer != need:
                return False
        elif need == "checked":
            if state.answer is None:
                return False
        elif need == "asserted":
            if not state.asserted():
                return False
        elif need in SPECIAL_OPTIONS:
            if not getattr(state, SPECIAL_OPTIONS[need]):
                return False
        elif state.options.get(need, "false") != "true":
            return False
    return True


def operands(
    gen: Generator, name: str, boolean: Callable[[], Entry | None], anything: Callable[[], Entry | None]
) -> list[Entry] | None:
    """The terms that the action takes (`takes: [bool, any, same-0]`); None where there are none."""
    entries: list[Entry] = []
    for kind in own_action(gen, name).get("takes") or ():
        if kind == "bool":
            entry = boolean()
        elif str(kind).startswith("same-"):
            entry = gen.run.db.pick(entries[int(str(kind)[5:])].term.sort, gen.stream, 0.2, closed=True)
        else:
            entry = anything()
        if entry is None or entry.term.sort.kind == "SORT_FUN":
            return None
        entries.append(entry)
    return entries


def after(gen: Generator, name: str) -> None:
    """What the action changes: `changes: true` says that the last answer no longer holds."""
    if own_action(gen, name).get("changes"):
        gen.run.state.changed()


