"""Random values of every sort, and terms that denote a given value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from murxpy.errors import InputError
from murxpy.logic.sorts import IllSorted, Sort
from murxpy.machine.database import Entry
from murxpy.semantics.values import ArrayValue, BagValue, DatatypeValue, Element, SetValue, Value

if TYPE_CHECKING:
    from applications import Maker

ELEMENTS = 3  # of an uninterpreted sort
RM = {"RNE": "rm.rne", "RNA": "rm.rna", "RTP": "rm.rtp", "RTN": "rm.rtn", "RTZ": "rm.rtz"}


def _draw_rm(maker: Maker, sort: Sort, depth: int) -> Value:
    return maker.stream.choose(tuple(RM))


def _draw_element(maker: Maker, sort: Sort, depth: int) -> Value:
    return Element(f"e{maker.stream.below(ELEMENTS)}")


def _several(maker: Maker, sort: Sort, depth: int, most: int = 3) -> list[Value]:
    return [
        maker.random_value(sort, depth - 1)
        for _ in range(maker.stream.between(0, most if depth > 0 else 1))
    ]


def _draw_array(maker: Maker, sort: Sort, depth: int) -> Value:
    index, element = sort.sorts()
    pairs = [
        (point, maker.random_value(element, depth - 1)) for point in _several(maker, index, depth)
    ]
    default = maker.defaults.setdefault(sort, maker.random_value(element, depth - 1))
    if maker.stream.chance(0.3):  # most arrays of a run differ at a few indices only
        default = maker.random_value(element, depth - 1)
    return ArrayValue(default, dict(pairs).items())


def _draw_tuple(maker: Maker, sort: Sort, depth: int) -> Value:
    return DatatypeValue("", tuple(maker.random_value(s, depth - 1) for s in sort.sorts()))


def _draw_datatype(maker: Maker, sort: Sort, depth: int) -> Value:
    constructors = sort.datatype.constructors
    chosen = maker.stream.choose(constructors if depth > 0 else constructors[:1])
    fields = maker.run.sorts.field_sorts(sort, chosen)
    return DatatypeValue(chosen.name, tuple(maker.random_value(s, depth - 1) for s in fields))


def _draw_bag(maker: Maker, sort: Sort, depth: int) -> Value:
    counts = {value: maker.stream.between(1, 3) for value in _several(maker, sort.sort(0), depth)}
    return BagValue(frozenset(counts.items()))


DRAWERS: dict[str, Callable[[Maker, Sort, int], Value]] = {
    "SORT_RM": _draw_rm,
    "SORT_UNINTERPRETED": _draw_element,
    "SORT_ARRAY": _draw_array,
    "SORT_SEQ": lambda m, s, d: tuple(_several(m, s.sort(0), d)),
    "SORT_SET": lambda m, s, d: SetValue(frozenset(_several(m, s.sort(0), d))),
    "SORT_BAG": _draw_bag,
    "SORT_TUPLE": _draw_tuple,
    "SORT_DT": _draw_datatype,
}


def _build_array(maker: Maker, sort: Sort, value: Any) -> Entry:
    index, element = sort.sorts()
    default = maker.build(element, value.default)
    if not default.term.ground and maker.profile.literal(
        maker.catalogue.operators["OP_CONST_ARRAY"], 0
    ):
        raise IllSorted("the default of a constant array must be a value")
    array = maker.apply("OP_CONST_ARRAY", default, wanted=sort)
    for point, stored in value.items():
        array = maker.apply(
            "OP_ARRAY_STORE", array, maker.build(index, point), maker.build(element, stored)
        )
    return array


def _joined(maker: Maker, kind: str, parts: Sequence[Entry], empty: Callable[[], Entry]) -> Entry:
    if not parts:
        return empty()
    joined = parts[0]
    for part in parts[1:]:
        joined = maker.apply(kind, joined, part)
    return joined


def _build_seq(maker: Maker, sort: Sort, value: Any) -> Entry:
    units = [maker.apply("OP_SEQ_UNIT", maker.build(sort.sort(0), part)) for part in value]
    return _joined(maker, "OP_SEQ_CONCAT", units, lambda: maker.special(sort, "seq.empty"))


def _build_set(maker: Maker, sort: Sort, value: Any) -> Entry:
    members = sorted(value.members, key=repr)
    singles = [maker.apply("OP_SET_SINGLETON", maker.build(sort.sort(0), part)) for part in members]
    made = _joined(maker, "OP_SET_UNION", singles, lambda: maker.special(sort, "set.empty"))
    return maker.apply("OP_SET_COMPLEMENT", made) if value.complement else made


def _build_bag(maker: Maker, sort: Sort, value: Any) -> Entry:
    get = maker.run.sorts.get
    singles = [
        maker.apply(
            "OP_BAG_MAKE", maker.build(sort.sort(0), part), maker.build(get("SORT_INT"), count)
        )
        for part, count in sorted(value.counts, key=repr)
    ]
    return _joined(
        maker, "OP_BAG_UNION_DISJOINT", singles, lambda: maker.special(sort, "bag.empty")
    )


def _build_tuple(maker: Maker, sort: Sort, value: Any) -> Entry:
    return maker.apply(
        "OP_TUPLE", *[maker.build(s, v) for s, v in zip(sort.sorts(), value.fields, strict=True)]
    )


def _build_datatype(maker: Maker, sort: Sort, value: Any) -> Entry:
    constructor = sort.datatype.constructor(value.constructor)
    if constructor is None:
        raise InputError(f"no constructor {value.constructor}")
    fields = maker.run.sorts.field_sorts(sort, constructor)
    args = [maker.build(s, v) for s, v in zip(fields, value.fields, strict=True)]
    return maker.apply("OP_DT_APPLY_CONS", *args, indices=(constructor.name,), wanted=sort)


BUILDERS: dict[str, Callable[[Maker, Sort, Any], Entry]] = {
    "SORT_RM": lambda m, s, v: m.special(s, RM[v]),
    "SORT_UNINTERPRETED": lambda m, s, v: m.element(s, v),
    "SORT_ARRAY": _build_array,
    "SORT_SEQ": _build_seq,
    "SORT_SET": _build_set,
    "SORT_BAG": _build_bag,
    "SORT_TUPLE": _build_tuple,
    "SORT_DT": _build_datatype,
}
