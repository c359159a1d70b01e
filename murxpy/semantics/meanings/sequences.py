"""Sequences of z3 and cvc5. A value is a tuple of values. Operators mean the same as those of
strings.
"""

from __future__ import annotations

from collections.abc import Callable

from murxpy.logic.sorts import Sort
from murxpy.semantics.equality import apply, decided
from murxpy.semantics.registry import Asking, Points, Site, meaning, prepared, special
from murxpy.semantics.values import Value, check_length

Seq = tuple[Value, ...]


def extract(whole: Seq, start: int, length: int) -> Seq:
    """`seq.extract`: the empty sequence if `start` is outside or `length` is not positive."""
    return whole[start : start + length] if 0 <= start < len(whole) and length > 0 else ()


def at(whole: Seq, position: int) -> Seq:
    """`seq.at`: a sequence of one element, or the empty sequence if the position is outside."""
    return whole[position : position + 1] if position >= 0 else ()


def update(whole: Seq, position: int, part: Seq) -> Seq:
    """`seq.update` of cvc5: write `part` over `whole` from `position` on. The sequence gets no
    longer by that.
    """
    if not 0 <= position < len(whole):
        return whole
    return (whole[:position] + part + whole[position + len(part) :])[: len(whole)]


def prefix_of(part: Seq, whole: Seq) -> bool:
    """`seq.prefixof`."""
    return whole[: len(part)] == part


def suffix_of(part: Seq, whole: Seq) -> bool:
    """`seq.suffixof`."""
    return len(part) <= len(whole) and whole[len(whole) - len(part) :] == part


def index_of(whole: Seq, part: Seq, start: int) -> int:
    """`seq.indexof`: the first position from `start` on, or -1. The empty sequence occurs at
    `start`.
    """
    if not 0 <= start <= len(whole):
        return -1
    places = range(start, len(whole) - len(part) + 1)
    return next((k for k in places if whole[k : k + len(part)] == part), -1)


def last_index_of(whole: Seq, part: Seq) -> int:
    """`seq.last_indexof` of z3: the last position, or -1. The empty sequence occurs at the end."""
    places = range(len(whole) - len(part), -1, -1)
    return next((k for k in places if whole[k : k + len(part)] == part), -1)


def contains(whole: Seq, part: Seq) -> bool:
    """`seq.contains`."""
    return index_of(whole, part, 0) >= 0


def replace(whole: Seq, part: Seq, by: Seq) -> Seq:
    """`seq.replace`: replace the first occurrence. The empty sequence occurs at the start."""
    place = index_of(whole, part, 0)
    return whole if place < 0 else whole[:place] + by + whole[place + len(part) :]


def replace_all(whole: Seq, part: Seq, by: Seq) -> Seq:
    """`seq.replace_all`: replace each occurrence, from the left. The empty sequence is not
    replaced.
    """
    check_length(len(whole) * len(by))
    done: list[Value] = []
    start = 0
    place = index_of(whole, part, 0) if part else -1
    while place >= 0:
        done += [*whole[start:place], *by]
        start = place + len(part)
        place = index_of(whole, part, start)
    return (*done, *whole[start:])


# the first of these operators compare elements, the others do not
_COMPARING: dict[str, Callable[..., Value]] = {
    "OP_SEQ_PREFIX": prefix_of,
    "OP_SEQ_SUFFIX": suffix_of,
    "OP_SEQ_CONTAINS": contains,
    "OP_SEQ_INDEXOF": index_of,
    "OP_SEQ_LAST_INDEXOF": last_index_of,
    "OP_SEQ_REPLACE": replace,
    "OP_SEQ_REPLACE_ALL": replace_all,
}
_OTHERS: dict[str, Callable[..., Value]] = {
    "OP_SEQ_LENGTH": len,
    "OP_SEQ_EXTRACT": extract,
    "OP_SEQ_UPDATE": update,
    "OP_SEQ_AT": at,
    "OP_SEQ_REV": lambda whole: whole[::-1],
    "OP_SEQ_UNIT": lambda element: (element,),
}


def _enter(kind: str, function: Callable[..., Value], compares: bool) -> None:
    prepared(kind)(lambda site: decided(site, function) if compares else function)


for _kind, _function in _COMPARING.items():
    _enter(_kind, _function, True)
for _kind, _function in _OTHERS.items():
    _enter(_kind, _function, False)


@prepared("OP_SEQ_CONCAT", whole=True)
def _concat(site: Site) -> Callable[..., Seq]:
    def join(*parts: Seq) -> Seq:
        check_length(sum(map(len, parts)))
        return tuple(element for part in parts for element in part)

    return join


@prepared("OP_SEQ_NTH", open="a position outside: any element")
def _nth(site: Site) -> Callable[[Seq, int], Value]:
    return lambda whole, k: whole[k] if 0 <= k < len(whole) else site.open((whole, k))


@meaning("OP_SEQ_MAP")
def _map(site: Site, function: Value, whole: Seq) -> Asking:
    done = []
    for element in whole:
        done.append((yield from apply(site.points, site.sorts[0], function, (element,))))
    return tuple(done)


@meaning("OP_SEQ_FOLDL")
def _fold(site: Site, function: Value, start: Value, whole: Seq) -> Asking:
    value, sort = start, site.sorts[0]
    for element in whole:
        with_value = yield from apply(site.points, sort, function, (value,))
        value = yield from apply(site.points, sort.sort(1), with_value, (element,))
    return value


@special("SORT_SEQ")
def _special(sort: Sort, name: str, points: Points) -> Seq:
    return {"seq.empty": ()}[name]
