"""Objectives: an optimizer looks for a model that is best by them, one after the other."""

from __future__ import annotations

import re
from fractions import Fraction

from murxpy.machine import solve
from murxpy.machine.actions.base import Action, bool_entry, register
from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.state import SOFT, Objective
from murxpy.machine.trace.reading import Reading

NUMBERS = ("SORT_INT", "SORT_REAL", "SORT_BV")  # the sorts of terms that are optimized
MOST = 4  # numbers that a run optimizes at a time
MOST_SOFT = 6  # soft formulas at a time
_GROUPS = ("", "", "g", "h")
_WEIGHTS = [Fraction(text) for text in ("1", "1", "1", "2", "3", "7", "1/2", "5/2")]
_WEIGHT = re.compile(r"\d{1,9}(\.\d)?")


@register("minimize", "maximize")
class Optimize(Action):
    """`minimize t` or `maximize t`: the value of a term is to be small, or to be large."""

    def draw(self, gen: Generator) -> bool:
        goals = [one for one in gen.run.state.pursued() if one.goal != SOFT]
        entry = _number(gen) if len(goals) < MOST else None
        if entry is None or not spelled(gen, self.name):
            return False
        solve.pursue(gen.run, Objective(self.name, entry), gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        entry = r.term(0, closed=True)
        r.end(1)
        if entry.term.sort.kind not in NUMBERS:
            raise r.error(f"expected a number to {self.name}, but {entry} is {entry.term.sort}")
        _require(r, self.name)
        solve.pursue(r.run, Objective(self.name, entry), r.seed, r.spelling("actions", self.name))


def _number(gen: Generator) -> Entry | None:
    """A closed term that can be optimized and is no literal; None if there is none."""
    sorts = [sort for kind in NUMBERS for sort in gen.run.db.by_kind.get(kind, ())]
    for _ in range(4 if sorts else 0):
        entry = gen.run.db.pick(gen.stream.choose(sorts), gen.stream, 0.5, closed=True)
        if entry is not None and not entry.term.literal:
            return entry
    return None


def spelled(gen: Generator, action: str) -> bool:
    """Whether the solver of the run has the action."""
    return gen.run.wrapper.set("actions", action) is not None


def _require(r: Reading, action: str) -> None:
    r.require_spelling(r.run.wrapper.set("actions", action) is not None, action)


@register("assert-soft")
class AssertSoft(Action):
    """`assert-soft t "weight" "group"`: a formula that costs its weight where it is false."""

    def draw(self, gen: Generator) -> bool:
        soft = [one for one in gen.run.state.pursued() if one.goal == SOFT]
        entry = bool_entry(gen) if len(soft) < MOST_SOFT else None
        if entry is None or not spelled(gen, self.name):
            return False
        weight = gen.stream.choose(_WEIGHTS)
        objective = Objective(SOFT, entry, weight, gen.stream.choose(_GROUPS))
        solve.pursue(gen.run, objective, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        entry, weight, group = r.boolean(0), r.text(1, "a weight"), r.text(2, "a group")
        r.end(3)
        if not _WEIGHT.fullmatch(weight) or not Fraction(weight):
            raise r.error(f"expected a weight such as 2 or 0.5, found '{weight[:40]}'")
        _require(r, self.name)
        objective = Objective(SOFT, entry, Fraction(weight), group)
        solve.pursue(r.run, objective, r.seed, r.spelling("actions", self.name))
