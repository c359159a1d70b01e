"""Drawing values of any sort at random: literals as the caller draws them, and structures of such
values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

from murxpy.logic.sorts import Constructor, Sort, SortTable
from murxpy.logic.values import LITERAL_KINDS
from murxpy.machine.planted_words import element
from murxpy.machine.random import Stream
from murxpy.semantics.domains import make_array, make_function
from murxpy.semantics.exact.float_formats import Format
from murxpy.semantics.meanings.bags import make_bag
from murxpy.semantics.meanings.sets import make_set
from murxpy.semantics.registry import Points
from murxpy.semantics.values import ROUNDING_MODES, DatatypeValue, Value

DEPTH = 3  # the depth of values in values; deeper values are the smallest of their sort


@dataclass(frozen=True, slots=True)
class Drawing:
    """What drawing a value needs: random numbers, the sorts, the points of an interpretation with the
    elements of uninterpreted sorts, a function that draws a literal of a sort, and one that draws
    the number of parts of a structure.
    """

    stream: Stream
    sorts: SortTable
    points: Points
    literal: Callable[[Sort], Value]
    parts: Callable[[], int]


def draw(drawing: Drawing, sort: Sort, depth: int = 0) -> Value:
    """Draw a value of `sort` that stands `depth` values deep in another value. Raises CannotSay if
    the value would be too large, and KeyError for a sort whose values have no form here.
    """
    if sort.kind in LITERAL_KINDS:
        return _literal(drawing, sort)
    return _DRAWN[sort.kind](drawing, sort, depth)


def _literal(drawing: Drawing, sort: Sort) -> Value:
    value = drawing.literal(sort)
    return canonical_float(sort, value) if sort.kind == "SORT_FP" else value


def canonical_float(sort: Sort, bits: Any) -> int:
    """The bits of a float, with the one NaN that the evaluator knows in place of every NaN."""
    return Format(sort.number(0), sort.number(1)).canonical(int(bits))


def _element(drawing: Drawing, sort: Sort, depth: int) -> Value:
    domain = drawing.points.interpretation.domains.get(sort)
    return drawing.stream.choose(domain) if domain else element(0)


def _datatype(drawing: Drawing, sort: Sort, depth: int) -> Value:
    constructors = sort.datatype.constructors
    if depth >= DEPTH:
        least = min(_height(drawing, sort, constructor, ()) for constructor in constructors)
        constructors = [c for c in constructors if _height(drawing, sort, c, ()) == least]
    constructor = drawing.stream.choose(constructors)
    fields = drawing.sorts.field_sorts(sort, constructor)
    return DatatypeValue(
        constructor.name, tuple([draw(drawing, field, depth + 1) for field in fields])
    )


def _height(
    drawing: Drawing, sort: Sort, constructor: Constructor, path: tuple[Sort, ...]
) -> float:
    """The depth of the smallest value of a constructor; infinite if the value needs a value of a
    sort on `path`.
    """
    if sort in path:
        return inf
    fields = drawing.sorts.field_sorts(sort, constructor)
    return 1 + max((_least(drawing, field, (*path, sort)) for field in fields), default=0)


def _least(drawing: Drawing, sort: Sort, path: tuple[Sort, ...]) -> float:
    """The depth of the smallest value of a sort."""
    if sort.kind == "SORT_DT":
        return min(
            _height(drawing, sort, constructor, path) for constructor in sort.datatype.constructors
        )
    inner = sort.sorts()
    if sort.kind == "SORT_TUPLE":
        return max((_least(drawing, part, path) for part in inner), default=0)
    return _least(drawing, inner[-1], path) if sort.kind in ("SORT_ARRAY", "SORT_FUN") else 0


def _tuple(drawing: Drawing, sort: Sort, depth: int) -> Value:
    return DatatypeValue("", tuple([draw(drawing, part, depth + 1) for part in sort.sorts()]))


def _count(drawing: Drawing, depth: int) -> int:
    """The number of parts of a structure; 0 for a structure that is deep in another one."""
    return drawing.parts() if depth < DEPTH else 0


def _array(drawing: Drawing, sort: Sort, depth: int) -> Value:
    index, inner = sort.sort(0), sort.sort(1)
    default = draw(drawing, inner, depth + 1)
    stores = [
        (draw(drawing, index, depth + 1), draw(drawing, inner, depth + 1))
        for _ in range(_count(drawing, depth))
    ]
    return make_array(sort, default, stores, drawing.points)


def _function(drawing: Drawing, sort: Sort, depth: int) -> Value:
    *domain, codomain = sort.sorts()
    default = draw(drawing, codomain, depth + 1)
    entries = [
        (
            tuple([draw(drawing, part, depth + 1) for part in domain]),
            draw(drawing, codomain, depth + 1),
        )
        for _ in range(_count(drawing, depth))
    ]
    return make_function(sort, default, entries, drawing.points)


def _parts(drawing: Drawing, sort: Sort, depth: int) -> tuple[Value, ...]:
    return tuple([draw(drawing, sort.sort(0), depth + 1) for _ in range(_count(drawing, depth))])


def _set(drawing: Drawing, sort: Sort, depth: int) -> Value:
    return make_set(sort, _parts(drawing, sort, depth), False, drawing.points)


def _bag(drawing: Drawing, sort: Sort, depth: int) -> Value:
    return make_bag((part, drawing.stream.between(1, 3)) for part in _parts(drawing, sort, depth))


_DRAWN: dict[str, Callable[[Drawing, Sort, int], Value]] = {
    "SORT_RM": lambda drawing, sort, depth: drawing.stream.choose(ROUNDING_MODES),
    "SORT_UNINTERPRETED": _element,
    "SORT_DT": _datatype,
    "SORT_TUPLE": _tuple,
    "SORT_ARRAY": _array,
    "SORT_FUN": _function,
    "SORT_SEQ": _parts,
    "SORT_SET": _set,
    "SORT_BAG": _bag,
}
