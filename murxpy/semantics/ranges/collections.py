"""Backward rules of arrays, functions, datatypes, tuples, sequences, sets and finite fields."""

from __future__ import annotations

from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.semantics.ranges.abstract import (
    ANY,
    Cell,
    Element,
    Except,
    Few,
    Field,
    Lengths,
    Member,
    Range,
    Shapes,
    integers,
)
from murxpy.semantics.ranges.backward import Question, backward, without
from murxpy.semantics.ranges.core import PLAIN
from murxpy.semantics.ranges.numbers import shifted
from murxpy.semantics.values import ArrayValue, FunctionValue, SetValue, Table

_WHOLE = "the result depends on all parts of the argument together"
without(
    _WHOLE,
    "OP_ARRAY_DEFAULT",
    "OP_ARRAY_EXT",
    "OP_EQ_RANGE",
    "OP_EQ_RANGE_INT",
    "OP_SEQ_CONTAINS",
    "OP_SEQ_INDEXOF",
    "OP_SEQ_LAST_INDEXOF",
    "OP_SEQ_REPLACE",
    "OP_SEQ_REPLACE_ALL",
    "OP_SEQ_PREFIX",
    "OP_SEQ_SUFFIX",
    "OP_SEQ_EXTRACT",
    "OP_SEQ_UPDATE",
    "OP_SEQ_AT",
    "OP_SET_SUBSET",
    "OP_FINITE_SET_SUBSET",
    "OP_FINITE_SET_SIZE",
    "OP_FINITE_SET_RANGE",
    "OP_SET_CARD",
    "OP_SET_CHOOSE",
    "OP_SET_IS_EMPTY",
    "OP_SET_IS_SINGLETON",
    "OP_FINITE_FIELD_BITSUM",
)
without(
    "a function is applied to each part, and no rule goes through functions that are values",
    "OP_ARRAY_MAP",
    "OP_ARRAY_MAP2",
    "OP_HO_APPLY",
    "OP_SEQ_MAP",
    "OP_SEQ_FOLDL",
    "OP_SET_ALL",
    "OP_SET_SOME",
    "OP_SET_FILTER",
    "OP_SET_MAP",
    "OP_FINITE_SET_FILTER",
    "OP_FINITE_SET_MAP",
    "OP_SET_FOLD",
    "OP_NULLABLE_LIFT",
    "OP_NULLABLE_LIFT2",
    "OP_NULLABLE_LIFT3",
)
without("places are not looked for in cases of a match", "OP_DT_MATCH", "OP_DT_MATCH_CASE")
without(
    "a nullable value is null or has one value, and both are seldom in a script",
    "OP_NULLABLE_SOME",
    "OP_NULLABLE_VAL",
    "OP_NULLABLE_IS_NULL",
    "OP_NULLABLE_IS_SOME",
)


def _plain(sort: Sort) -> bool:
    return sort.kind in PLAIN


@backward("OP_ARRAY_SELECT")
def _select(question: Question) -> Range | None:
    array, index = question.values
    if not _plain(question.sorts[1]) or not isinstance(array, ArrayValue):
        return None
    if question.at == 0:
        return Cell(index, question.wanted)
    return _points(array, dict(array.items()), question.wanted)


def _points(table: Table, values: dict[Any, Any], wanted: Range) -> Range:
    """Return the points at which a table has a wanted value: those of `values`, and all others if the
    default is wanted.
    """
    if wanted.holds(table.default):
        wrong = [point for point, value in values.items() if not wanted.holds(value)]
        return Except(tuple(wrong)) if wrong else ANY
    return Few(tuple([point for point, value in values.items() if wanted.holds(value)]))


@backward("OP_ARRAY_STORE")
def _store(question: Question) -> Range | None:
    array, index, _ = question.values
    wanted = question.wanted
    if not isinstance(wanted, Cell) or not isinstance(array, ArrayValue):
        return None
    if question.at == 0:
        return ANY if wanted.index == index else wanted
    if question.at == 2:
        return wanted.inner if wanted.index == index else ANY
    # the value may be stored wherever the wanted cell does not get it
    return Except((wanted.index,)) if wanted.index != index else Few((index,))


@backward("OP_CONST_ARRAY")
def _const(question: Question) -> Range | None:
    return question.wanted.inner if isinstance(question.wanted, Cell) else None


@backward("OP_UF_APPLY")
def _apply(question: Question) -> Range | None:
    """Of the points of the function's table, those with the other arguments count."""
    function = question.values[0]
    at = question.at - 1
    if at < 0 or not isinstance(function, FunctionValue):
        return None
    if not all(map(_plain, question.sorts[1:])):
        return None
    here = question.values[1:]
    values = {
        point[at]: value
        for point, value in function.items()
        if isinstance(point, tuple)
        and point[:at] == here[:at]
        and point[at + 1 :] == here[at + 1 :]
    }
    return _points(function, values, question.wanted)


@backward("OP_DT_APPLY_TESTER")
def _tester(question: Question) -> Range | None:
    name = str(question.indices[0])
    names = [one.name for one in question.sorts[0].datatype.constructors]
    return Shapes(tuple(one for one in names if (one == name) is question.given))


@backward("OP_DT_APPLY_SEL")
def _selector(question: Question) -> Range | None:
    constructor = question.sorts[0].datatype.constructor(str(question.indices[0]))
    if constructor is None:
        return None
    fields = [name for name, _ in constructor.fields]
    position = fields.index(str(question.indices[1]))
    return Field(constructor.name, position, question.wanted)


@backward("OP_DT_APPLY_CONS", "OP_TUPLE")
def _constructor(question: Question) -> Range | None:
    wanted = question.wanted
    if isinstance(wanted, Shapes):
        return ANY
    if not isinstance(wanted, Field):
        return None
    return wanted.inner if wanted.position == question.at else ANY


@backward("OP_TUPLE_SELECT")
def _component(question: Question) -> Range | None:
    return Field("", int(question.indices[0]), question.wanted)


@backward("OP_DT_APPLY_UPDATER")
def _updater(question: Question) -> Range | None:
    """The constructor stays; of a field, only that of the updated one changes."""
    wanted = question.wanted
    if question.at == 1:
        return ANY if isinstance(wanted, Shapes) else None
    return wanted if isinstance(wanted, Shapes) else None


@backward("OP_SEQ_LENGTH")
def _length(question: Question) -> Range | None:
    return Lengths(question.wanted)


@backward("OP_SEQ_CONCAT")
def _concat(question: Question) -> Range | None:
    wanted, before = question.wanted, sum(map(len, question.values[: question.at]))
    if isinstance(wanted, Lengths):
        inner = shifted(wanted.inner, sum(map(len, question.others)))
        return None if inner is None else Lengths(inner)
    if not isinstance(wanted, Element):
        return None
    position = wanted.position - before
    if position < 0:
        return ANY  # the element stands in front of the argument
    if position < len(question.present):
        return Element(position, wanted.inner)
    length = len(question.present)
    return Lengths(integers(length, length))


@backward("OP_SEQ_REV")
def _reversed(question: Question) -> Range | None:
    return question.wanted if isinstance(question.wanted, Lengths) else None


@backward("OP_SEQ_UNIT")
def _unit(question: Question) -> Range | None:
    wanted = question.wanted
    if isinstance(wanted, Lengths):
        return ANY
    return wanted.inner if isinstance(wanted, Element) else None


@backward("OP_SEQ_NTH")
def _nth(question: Question) -> Range | None:
    elements, position = question.values
    if question.at == 0:
        return Element(position, question.wanted)
    return Few(tuple([k for k, one in enumerate(elements) if question.wanted.holds(one)]))


@backward("OP_SET_MEMBER", "OP_FINITE_SET_MEMBER")
def _member(question: Question) -> Range | None:
    element, one = question.values
    if not _plain(question.sorts[0]) or not isinstance(one, SetValue):
        return None
    if question.at == 1:
        return Member(element, question.given)
    listed = tuple(sorted(one.members, key=repr))
    inside = question.given is not one.complement
    return Few(listed) if inside else Except(listed)


@backward(
    "OP_SET_UNION",
    "OP_SET_INTERSECTION",
    "OP_SET_MINUS",
    "OP_SET_COMPLEMENT",
    "OP_FINITE_SET_UNION",
    "OP_FINITE_SET_INTERSECTION",
    "OP_FINITE_SET_DIFFERENCE",
)
def _boolean(question: Question) -> Range | None:
    """Whether an element is in the result depends on whether it is in each argument."""
    wanted = question.wanted
    if not isinstance(wanted, Member):
        return None
    fine = [
        inside
        for inside in (True, False)
        if question.keeps(SetValue(frozenset((wanted.element,) if inside else ())))
    ]
    if len(fine) == 2:
        return ANY
    return Member(wanted.element, fine[0]) if fine else None


@backward("OP_SET_INSERT", "OP_SET_DELETE", "OP_SET_SINGLETON", "OP_FINITE_SET_SINGLETON")
def _one_more(question: Question) -> Range | None:
    wanted = question.wanted
    if not isinstance(wanted, Member):
        return None
    if question.at == 1:
        return ANY if question.values[0] == wanted.element else wanted
    here = question.present == wanted.element
    return Few((wanted.element,)) if here else Except((wanted.element,))


@backward("OP_FINITE_FIELD_ADD", "OP_FINITE_FIELD_NEG", "OP_FINITE_FIELD_MULT")
def _field(question: Question) -> Range | None:
    """If the result must not be a few elements, neither must the argument be some; a product with 0
    is 0.
    """
    order, wanted = question.sort.width, question.wanted
    if question.kind == "OP_FINITE_FIELD_MULT" and question.apply(0) == question.apply(1):
        return ANY
    if not isinstance(wanted, Except):
        return None
    at_zero = question.apply(0)
    slope = question.apply(1 % order) - at_zero
    inverse = pow(slope, -1, order)
    excluded = [(value - at_zero) * inverse % order for value in wanted.values]
    return Except(tuple(excluded))
