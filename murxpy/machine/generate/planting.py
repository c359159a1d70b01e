"""Drawing a planted model: a value for each constant and a size for each uninterpreted sort, when
they are made (docs/oracles.md).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import inf

from murxpy.logic.sorts import Constructor, Sort
from murxpy.logic.values import LITERAL_KINDS
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.distributions import Settings
from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.literals import draw_literal
from murxpy.machine.planted import OPEN
from murxpy.machine.planted_words import element
from murxpy.machine.planting import lines
from murxpy.machine.random import Stream, mix
from murxpy.semantics.domains import make_array, make_function
from murxpy.semantics.exact.float_formats import Format
from murxpy.semantics.meanings.bags import make_bag
from murxpy.semantics.meanings.sets import make_set
from murxpy.semantics.values import ROUNDING_MODES, CannotSay, DatatypeValue, FunctionValue, Value

# the name of the check, of its chance in the machine file, and of its line in a trace's header
CHECK = "planted"
# the key of the random stream that decides which runs have a planted model; no step uses this key
KEY = 0x91A47ED
DEPTH = 3  # the depth of values in values; deeper values are the smallest of their sort


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
            function = _function(gen, lines.open_sort(gen.run, kind), 0)
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
    return draw(gen, sort, 0)


def draw(gen: Generator, sort: Sort, depth: int) -> Value:
    """Draw a value of `sort` that stands `depth` values deep in another value. Raises CannotSay if
    the form of the value is not known.
    """
    if sort.kind in LITERAL_KINDS:
        return _literal(gen, sort)
    return _DRAWN[sort.kind](gen, sort, depth)


def _literal(gen: Generator, sort: Sort) -> Value:
    value: Value = draw_literal(sort, gen.settings, gen.stream)
    if sort.kind == "SORT_FP" and isinstance(value, int):
        form = Format(sort.number(0), sort.number(1))
        return form.nan if value & ~form.sign > form.infinity else value
    return value


def _element(gen: Generator, sort: Sort, depth: int) -> Value:
    domain = lines.planted_of(gen.run).interpretation.domains.get(sort)
    return gen.stream.choose(domain) if domain else element(0)


def _datatype(gen: Generator, sort: Sort, depth: int) -> Value:
    constructors = sort.datatype.constructors
    if depth >= DEPTH:
        least = min(_height(gen, sort, constructor, ()) for constructor in constructors)
        constructors = [c for c in constructors if _height(gen, sort, c, ()) == least]
    constructor = gen.stream.choose(constructors)
    fields = gen.run.sorts.field_sorts(sort, constructor)
    return DatatypeValue(constructor.name, tuple([draw(gen, field, depth + 1) for field in fields]))


def _height(gen: Generator, sort: Sort, constructor: Constructor, path: tuple[Sort, ...]) -> float:
    """The depth of the smallest value of a constructor; infinite if the value needs a value of a
    sort on `path`.
    """
    if sort in path:
        return inf
    fields = gen.run.sorts.field_sorts(sort, constructor)
    return 1 + max((_least(gen, field, (*path, sort)) for field in fields), default=0)


def _least(gen: Generator, sort: Sort, path: tuple[Sort, ...]) -> float:
    """The depth of the smallest value of a sort."""
    if sort.kind == "SORT_DT":
        return min(
            _height(gen, sort, constructor, path) for constructor in sort.datatype.constructors
        )
    inner = sort.sorts()
    if sort.kind == "SORT_TUPLE":
        return max((_least(gen, part, path) for part in inner), default=0)
    return _least(gen, inner[-1], path) if sort.kind in ("SORT_ARRAY", "SORT_FUN") else 0


def _tuple(gen: Generator, sort: Sort, depth: int) -> Value:
    return DatatypeValue("", tuple([draw(gen, part, depth + 1) for part in sort.sorts()]))


def _count(gen: Generator, depth: int) -> int:
    """The number of parts of a structure; 0 for a structure that is deep in another one."""
    return gen.settings.number("planted-parts", gen.stream) if depth < DEPTH else 0


def _array(gen: Generator, sort: Sort, depth: int) -> Value:
    index, inner = sort.sort(0), sort.sort(1)
    default = draw(gen, inner, depth + 1)
    stores = [
        (draw(gen, index, depth + 1), draw(gen, inner, depth + 1))
        for _ in range(_count(gen, depth))
    ]
    return make_array(sort, default, stores, lines.planted_of(gen.run).evaluator)


def _function(gen: Generator, sort: Sort, depth: int) -> Value:
    *domain, codomain = sort.sorts()
    default = draw(gen, codomain, depth + 1)
    entries = [
        (tuple([draw(gen, part, depth + 1) for part in domain]), draw(gen, codomain, depth + 1))
        for _ in range(_count(gen, depth))
    ]
    return make_function(sort, default, entries, lines.planted_of(gen.run).evaluator)


def _parts(gen: Generator, sort: Sort, depth: int) -> tuple[Value, ...]:
    return tuple([draw(gen, sort.sort(0), depth + 1) for _ in range(_count(gen, depth))])


def _set(gen: Generator, sort: Sort, depth: int) -> Value:
    return make_set(sort, _parts(gen, sort, depth), False, lines.planted_of(gen.run).evaluator)


def _bag(gen: Generator, sort: Sort, depth: int) -> Value:
    return make_bag((part, gen.stream.between(1, 3)) for part in _parts(gen, sort, depth))


_DRAWN: dict[str, Callable[[Generator, Sort, int], Value]] = {
    "SORT_RM": lambda gen, sort, depth: gen.stream.choose(ROUNDING_MODES),
    "SORT_UNINTERPRETED": _element,
    "SORT_DT": _datatype,
    "SORT_TUPLE": _tuple,
    "SORT_ARRAY": _array,
    "SORT_FUN": _function,
    "SORT_SEQ": _parts,
    "SORT_SET": _set,
    "SORT_BAG": _bag,
}
