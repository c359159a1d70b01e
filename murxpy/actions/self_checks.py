"""Checks of the objects that the binding makes: they are what the line asked for."""

from __future__ import annotations

from collections.abc import Callable

from murxpy.actions.base import Action, register
from murxpy.actions.picking import any_entry
from murxpy.machine import inspect
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.generate.base import Generator
from murxpy.trace.reading import Reading


@register("check-sort")
class CheckSort(Action):
    """`check-sort s`."""

    def draw(self, gen: Generator) -> bool:
        run = gen.run
        if not run.db.sorts or run.wrapper.set("self-checks", "check-sort") is None:
            return False
        entries = [e for found in run.db.sort_entries.values() for e in found if e.obj is not None]
        if not entries:
            return False
        inspect.check_sort(run, gen.stream.choose(entries), run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        entry = r.sort(0)
        r.end(1)
        _self_check(r, inspect.check_sort, entry)


@register("check-term", "check-eq")
class CheckTerm(Action):
    """`check-term t`, `check-eq t`."""

    literal = False  # it is of literals only

    def draw(self, gen: Generator) -> bool:
        if gen.run.wrapper.set("self-checks", self.name) is None:
            return False
        for _ in range(4):
            entry = any_entry(gen)
            if entry is not None and (entry.term.literal or not self.literal):
                _CALLS[self.name](gen.run, entry, gen.run.line_seed())
                return True
        return False

    def read(self, r: Reading) -> None:
        entry = r.term(0)
        r.end(1)
        if self.literal and not entry.term.literal:
            raise r.error(f"expected a literal, but {entry} is not one")
        _self_check(r, _CALLS[self.name], entry)


@register("check-value")
class CheckValue(CheckTerm):
    """`check-value t`."""

    literal = True


_CALLS: dict[str, Callable[..., None]] = {
    "check-term": inspect.check_term,
    "check-value": inspect.check_value,
    "check-eq": inspect.check_eq,
}


def _self_check(r: Reading, call: Callable[..., None], entry: Entry | SortEntry) -> None:
    action = r.line.action
    r.require_spelling(r.run.wrapper.set("self-checks", action) is not None, action)
    r.require(entry.obj is not None, f"the binding has no object of {entry}")
    call(r.run, entry, r.seed, r.spelling("self-checks", action))


def check_newest(gen: Generator) -> None:
    """Check the newest term of a run that is making terms."""
    newest = next(reversed(gen.run.db.terms.values()), None)
    if newest is None or newest.term.sort.kind in ("SORT_CASE", "SORT_FUN"):
        return
    if newest.term.literal and gen.run.wrapper.set("self-checks", "check-value"):
        inspect.check_value(gen.run, newest, gen.run.line_seed())
    elif gen.run.wrapper.set("self-checks", "check-term"):
        inspect.check_term(gen.run, newest, gen.run.line_seed())
