"""Drawing a planted model: a value for each constant and a size for each uninterpreted sort, when
they are made (docs/oracles.md).
"""

from __future__ import annotations

from contextlib import suppress

from murxpy.logic.sorts import Sort
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.distributions import Settings
from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.literals import draw_literal
from murxpy.machine.generate.values import Drawing, draw
from murxpy.machine.planted import OPEN
from murxpy.machine.planting import lines
from murxpy.machine.random import Stream, mix
from murxpy.semantics.values import CannotSay, FunctionValue, Value

# the name of the check, of its chance in the machine file, and of its line in a trace's header
CHECK = "planted"
# the key of the random stream that decides which runs have a planted model; no step uses this key
KEY = 0x91A47ED


def drawn(settings: Settings, seed: int) -> bool:
    """Whether the run with this seed has a planted model. A random stream of its own decides it, so
    that the other draws of the run stay the same.
    """
    return settings.chance(CHECK, Stream(mix(seed, KEY)))


def begin(gen: Generator) -> None:
    """Write the first lines of a planted model, in a run that has one: that the run has it, and
    what its divisions by zero give.
    """
    if not gen.planting:
        return
    lines.plant(gen.run, gen.run.line_seed())
    for kind in OPEN:
        if gen.catalogue.operators[kind].theory in gen.swarm.theories:
            function = draw(_drawing(gen), lines.open_sort(gen.run, kind))
            if isinstance(function, FunctionValue):
                lines.plant_open(gen.run, kind, function, gen.run.line_seed())


def plant_constant(gen: Generator, entry: Entry) -> None:
    """Draw the value of a new constant, in a run with a planted model. A constant whose value would
    be too large gets none.
    """
    if gen.planting:
        with suppress(CannotSay):
            lines.plant_value(gen.run, entry, _again(gen, entry.term.sort), gen.run.line_seed())


def plant_sort(gen: Generator, entry: SortEntry) -> None:
    """The number of elements of a new uninterpreted sort, in a run with a planted model."""
    if gen.planting:
        lines.plant_size(
            gen.run, entry, gen.settings.number("planted-elements", gen.stream), gen.run.line_seed()
        )


def _again(gen: Generator, sort: Sort) -> Value:
    """A new value, or the value of another constant of the same sort: with equal constants, more
    formulas are true than by chance.
    """
    constants = lines.planted_of(gen.run).interpretation.constants
    known = [value for constant, value in constants.items() if constant.sort is sort]
    if known and gen.settings.chance("planted-again", gen.stream):
        return gen.stream.choose(known)
    return draw(_drawing(gen), sort)


def _drawing(gen: Generator) -> Drawing:
    return Drawing(
        gen.stream,
        gen.run.sorts,
        lines.planted_of(gen.run).evaluator,
        lambda sort: draw_literal(sort, gen.settings, gen.stream),
        lambda: gen.settings.number("planted-parts", gen.stream),
    )
