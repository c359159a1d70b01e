"""Picking the terms on which an action works."""

from __future__ import annotations

from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.holding import holding


def any_entry(gen: Generator, closed: bool = True) -> Entry | None:
    """A term of any sort; all sorts of one kind are equally likely. None if there is no term."""
    by_kind = gen.run.db.by_kind
    kinds = [k for k, found in by_kind.items() if found]
    if not kinds:
        return None
    return gen.run.db.pick(
        gen.stream.choose(by_kind[gen.stream.choose(kinds)]), gen.stream, 0.2, closed
    )


def bool_entry(gen: Generator) -> Entry | None:
    """A Boolean term, rarely a literal; None if there is none."""
    sort = gen.run.sorts.get("SORT_BOOL")
    for _ in range(4):
        entry = gen.run.db.pick(sort, gen.stream, 0.8, closed=True)
        if entry is None or not entry.term.literal:
            return entry
    return None


def formula(gen: Generator) -> Entry | None:
    """A formula to assert or to assume; None if there is none."""
    entry = bool_entry(gen)
    return None if entry is None else holding(gen, entry)


def values_to_read(gen: Generator) -> list[Entry]:
    """Closed terms, whose values are then asked for."""
    run, stream = gen.run, gen.stream
    kinds = [
        s
        for kind, found in run.db.by_kind.items()
        for s in found
        if gen.profile.allows("get-value", s)
    ]
    picked = [
        run.db.pick(stream.choose(kinds), stream, 0.3, closed=True) if kinds else None
        for _ in range(gen.settings.number("values-read", stream))
    ]
    return [entry for entry in picked if entry is not None]
