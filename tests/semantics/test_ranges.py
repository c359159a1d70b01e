"""Backward rules are sound: a value in the range of an argument keeps the parent's value in its own
range. Each rule is compared with the meaning of its operator.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest
from toy import catalogue

from murxpy.logic.catalogue import Operator
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.machine.random import Stream, mix
from murxpy.modules import load_modules
from murxpy.semantics.domains import samples
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.exact import regex
from murxpy.semantics.exact.algebraic import root as power_root
from murxpy.semantics.ranges.abstract import (
    ANY,
    FALSE,
    TRUE,
    Bits,
    Cell,
    Element,
    Except,
    Few,
    Field,
    Floats,
    Having,
    Interval,
    Lengths,
    Member,
    Range,
    Shapes,
    Words,
    is_nan,
    rank,
)
from murxpy.semantics.ranges.backward import (
    CONNECTIVES,
    NOTHING,
    RULES,
    THEORIES_WITHOUT,
    TRIED,
    WITHOUT,
    below,
    tried,
)
from murxpy.semantics.registry import BINDERS, Unknown
from murxpy.semantics.values import DatatypeValue, FunctionValue, Interpretation, Value
from murxpy.smtlib.building import Tables
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.mutation.terms import apply_any

load_modules("murxpy.semantics.ranges")  # each enters its rules

CATALOGUE = catalogue()
TABLES = Tables(CATALOGUE)
EVALUATOR = Evaluator(CATALOGUE, Interpretation())
BV = {width: TABLES.sort("SORT_BV", width) for width in (1, 2, 3)}
SORTS = [
    TABLES.bool,
    TABLES.int,
    TABLES.real,
    TABLES.string,
    *BV.values(),
    *(TABLES.sort(kind) for kind in ("SORT_REGLAN", "SORT_RM")),
    TABLES.sort("SORT_FP", 2, 3),
    TABLES.sort("SORT_FP", 3, 3),
    TABLES.sort("SORT_ARRAY", BV[2], BV[2]),
    TABLES.sort("SORT_ARRAY", TABLES.int, TABLES.int),
    TABLES.sort("SORT_SEQ", TABLES.int),
    TABLES.sort("SORT_SET", BV[2]),
    TABLES.sort("SORT_SET", TABLES.int),
    TABLES.sort("SORT_FINITE_SET", BV[2]),
    TABLES.sort("SORT_FINITE_SET", TABLES.int),
    TABLES.sort("SORT_BAG", TABLES.int),
    TABLES.sort("SORT_FF", 5),
    TABLES.sort("SORT_NULLABLE", TABLES.int),
    TABLES.sort("SORT_TUPLE", TABLES.int, TABLES.bool),
]
WORDS = ["".join(letters) for size in range(4) for letters in product("ab", repeat=size)]
TRIES = 12  # questions about each operator in the fast test
KINDS = sorted(
    kind
    for kind, operator in CATALOGUE.operators.items()
    if kind in RULES or kind in WITHOUT or operator.theory in THEORIES_WITHOUT
)


@cache
def values(sort: Sort) -> tuple[Value, ...]:
    """All values of a small sort, and a good number of those of a large one."""
    if sort.kind == "SORT_DT":
        return tuple([DatatypeValue(*row) for row in trees(2)])
    if sort.kind == "SORT_FUN":
        stream = Stream(3)
        numbers = [(one, other) for one in range(4) for other in range(4)]
        return tuple(FunctionValue(0, {p: stream.below(4) for p in numbers}) for _ in range(5))
    known = EVALUATOR.domain(sort)
    if known is not None:
        return known
    if sort.kind == "SORT_INT":
        return tuple(range(-9, 10))
    if sort.kind == "SORT_REAL":
        return tuple(sorted({Fraction(n, d) for n in range(-7, 8) for d in (1, 2, 3)}))
    if sort.kind == "SORT_STRING":
        return (*WORDS, "0", "1", "12", "-1", "é", "A", "aaaa", "abab")
    if sort.kind == "SORT_REGLAN":
        a, b = regex.word("a"), regex.word("b")
        parts = (a, b, regex.word("ab"), regex.ALLCHAR, regex.EPSILON)
        made = [regex.union((x, y)) for x in parts for y in parts]
        made += [regex.concat((x, regex.loop(y, 0, None))) for x in parts for y in parts]
        return (*parts, *dict.fromkeys(made), regex.NONE, regex.ALL, regex.complement(a))
    if sort.kind == "SORT_TUPLE":
        return tuple(DatatypeValue("", row) for row in product(*map(values, sort.sorts())))
    if sort.kind == "SORT_SEQ":
        return tuple(row for size in range(4) for row in product((0, 1), repeat=size))
    return samples(sort, EVALUATOR)


def trees(depth: int) -> list[tuple[str, tuple[Value, ...]]]:
    """Values of the datatype below, up to a depth: their constructors and fields."""
    found: list[tuple[str, tuple[Value, ...]]] = [("none", ()), *[("leaf", (n,)) for n in range(4)]]
    for left in trees(depth - 1) if depth else ():
        found += [
            ("node", (DatatypeValue(*left), number, mark))
            for number in (0, 3)
            for mark in (False, True)
        ]
    return found


def some_range(sort: Sort, given: Any, stream: Stream) -> Range:
    """A random range of a sort that contains `given`."""
    chance = stream.random()
    others = [value for value in values(sort) if value != given]
    if sort.kind == "SORT_BOOL" or chance < 0.1:
        return Few((given,))
    if chance < 0.2 and others and sort.kind in ("SORT_INT", "SORT_REAL", "SORT_BV", "SORT_STRING"):
        return Except(tuple(stream.sample(others, 2)))
    if sort.kind in ("SORT_INT", "SORT_REAL"):
        step = stream.choose((0, 1, 2, 5))
        open_ = sort.kind == "SORT_REAL" and step > 0
        return Interval(
            given - step if stream.chance(0.7) else None,
            given + stream.choose((0, 1, 3)) if stream.chance(0.6) else None,
            open_ and stream.chance(0.5),
        )
    if sort.kind == "SORT_STRING" and chance < 0.7:
        part = regex.word(given[:1])
        ways = (
            regex.concat([part, regex.ALL]),
            regex.concat([regex.ALL, regex.word(given[-1:])]),
            regex.loop(regex.ALLCHAR, 0, len(given) + 1),
            regex.complement(regex.word("ab" if given != "ab" else "b")),
        )
        return Words(stream.choose(ways))
    if sort.kind == "SORT_REGLAN":
        word = stream.choose(WORDS)
        return Having(word, regex.matches(word, given))
    if sort.kind in PARTS and chance < 0.8:
        return PARTS[sort.kind](sort, given, stream)
    if sort.kind == "SORT_FP":
        return some_floats(sort, given, stream)
    if sort.kind == "SORT_BV":
        mask = stream.bits(sort.width) & stream.bits(sort.width)
        low, high = stream.between(0, given), stream.between(given, (1 << sort.width) - 1)
        return Bits(sort.width, low, high, mask, given & mask)
    return Few((given, *others[: stream.below(3)]))


def some_cell(sort: Sort, given: Any, stream: Stream) -> Range:
    index = stream.choose(values(sort.sort(0)))
    return Cell(index, some_range(sort.sort(1), given.at(index), stream))


def some_element(sort: Sort, given: Any, stream: Stream) -> Range:
    if not given or stream.chance(0.5):
        return Lengths(Interval(0, len(given) + stream.below(2)))
    position = stream.below(len(given))
    return Element(position, some_range(sort.sort(0), given[position], stream))


def some_member(sort: Sort, given: Any, stream: Stream) -> Range:
    element = stream.choose(values(sort.sort(0)))
    return Member(element, Member(element, True).holds(given))


def some_shape(sort: Sort, given: Any, stream: Stream) -> Range:
    constructor = sort.datatype.constructor(given.constructor)
    if constructor is None or not given.fields or stream.chance(0.4):
        return Shapes((given.constructor, *(["leaf"] if stream.chance(0.5) else [])))
    position = stream.below(len(given.fields))
    inner = some_range(constructor.fields[position][1], given.fields[position], stream)
    return Field(given.constructor, position, inner)


def some_field(sort: Sort, given: Any, stream: Stream) -> Range:
    position = stream.below(len(given.fields))
    return Field("", position, some_range(sort.sort(position), given.fields[position], stream))


PARTS = {
    "SORT_ARRAY": some_cell,
    "SORT_SEQ": some_element,
    "SORT_SET": some_member,
    "SORT_TUPLE": some_field,
    "SORT_DT": some_shape,
}


def some_floats(sort: Sort, given: int, stream: Stream) -> Range:
    """A random range of floats that contains `given`."""
    known: tuple[Any, ...] = values(sort)
    ends = [rank(sort, value) for value in known if not is_nan(sort, value)]
    if is_nan(sort, given):
        low, high = sorted(stream.sample(ends, 2))
        return Floats(sort.number(0), sort.number(1), low, high, True)
    here = rank(sort, given)
    low, high = stream.between(min(ends), here), stream.between(here, max(ends))
    return Floats(sort.number(0), sort.number(1), low, high, stream.chance(0.5))


def application(operator: Operator, stream: Stream) -> Term | None:
    """An application of an operator to constants of sorts that it takes; None if a draw finds none."""
    found = apply_any(operator, SORTS, stream, TABLES.checker)
    if found is None:
        return None
    (sorts, indices), given = found
    args = [TABLES.constant(f"x{at}", sort) for at, sort in enumerate(sorts)]
    wanted = given if operator.signature.as_sort else None
    return TABLES.apply(operator.kind, *args, indices=indices, wanted=wanted)


@pytest.mark.parametrize("kind", CONNECTIVES)
def test_the_ranges_of_connectives_are_those_of_trying_all_values(kind: str) -> None:
    arguments = [TABLES.constant(f"p{at}", TABLES.bool) for at in range(3)]
    for size in (1,) if kind == "OP_NOT" else (2, 3):
        term = TABLES.apply(kind, *arguments[:size])
        for present in product((False, True, Unknown("not known")), repeat=size):
            for wanted in (TRUE, FALSE):
                expected = [one_by_one(term, wanted, present, at) for at in range(size)]
                assert below(EVALUATOR, term, wanted, present) == expected, (present, wanted)


def one_by_one(term: Term, wanted: Range, present: tuple[Any, ...], at: int) -> Range:
    """The range of an argument of a connective, by trying both truth values."""
    application = EVALUATOR.applying(term)

    def apply(value: bool) -> Any:
        return application((*present[:at], value, *present[at + 1 :]))

    return tried(apply, wanted, (False, True), present[at])


def contradiction(term: Term, present: tuple[Any, ...], stream: Stream) -> str:
    """Ask for the ranges of all arguments, and try values in them. Return what is wrong, or nothing."""
    constants = dict(zip(term.args, present, strict=True))
    evaluator = Evaluator(CATALOGUE, Interpretation(constants=constants))
    given = evaluator.known(term)
    if type(given) is Unknown:
        return ""
    wanted = some_range(term.sort, given, stream)
    assert wanted.holds(given)
    for at, found in enumerate(below(evaluator, term, wanted, present)):
        if found != NOTHING and not found.holds(present[at]):
            return f"{term.op} {present}: {found} without the present value of argument {at}"
        for value in values(term.args[at].sort):
            if not found.holds(value):
                continue
            new = evaluator.applying(term)((*present[:at], value, *present[at + 1 :]))
            if type(new) is Unknown or not wanted.holds(new):
                return (
                    f"{term.op} {term.indices} of {present} is {given}, wanted {wanted}; "
                    f"argument {at} in {found}: {value!r} gives {new}"
                )
    return ""


def questions(kind: str, count: int) -> Iterator[tuple[Term, tuple[Any, ...], Stream]]:
    stream = Stream(mix(sum(map(ord, kind)), count))
    for _ in range(count):
        term = application(CATALOGUE.operators[kind], stream)
        if term is None or not all(values(arg.sort) for arg in term.args):
            continue
        yield term, tuple(stream.choose(values(arg.sort)) for arg in term.args), stream


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_a_range_keep_the_value_of_the_parent(kind: str) -> None:
    assert [found for one in questions(kind, TRIES) if (found := contradiction(*one))] == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_values_of_many_ranges_keep_the_value_of_the_parent(kind: str) -> None:
    assert [found for one in questions(kind, 2000) if (found := contradiction(*one))][:3] == []


STRUCTURES = """(declare-datatypes ((Tree 0)) (((none) (leaf (value (_ BitVec 2)))
  (node (left Tree) (number (_ BitVec 2)) (mark Bool)))))
(declare-const t Tree)(declare-const u Tree)(declare-const a (_ BitVec 2))(declare-const p Bool)
(declare-const b (_ BitVec 2))(declare-fun f ((_ BitVec 2) (_ BitVec 2)) (_ BitVec 2))
"""
APPLICATIONS = (
    "((_ is leaf) t)",
    "((_ is node) t)",
    "(value t)",
    "(left t)",
    "(number t)",
    "(mark t)",
    "(leaf a)",
    "(node t a p)",
    "((_ update value) t a)",
    "((_ update left) t u)",
    "((_ update mark) t p)",
    "(f a b)",
    "(tuple a p)",
    "(tuple t a)",
)


@pytest.mark.parametrize("text", APPLICATIONS)
@pytest.mark.parametrize("count", [40, pytest.param(4000, marks=pytest.mark.slow)])
def test_ranges_of_parts_of_datatypes_tuples_and_functions(text: str, count: int) -> None:
    about = f"{STRUCTURES}(assert (distinct {text} {text}))"
    term = read_script(about, "structures", CATALOGUE).assertions()[0].args[0]
    stream, found, known = Stream(count), list[str](), 0
    for _ in range(count):
        present = tuple([stream.choose(values(arg.sort)) for arg in term.args])
        found.append(contradiction(term, present, stream))
        evaluator = Evaluator(CATALOGUE, Interpretation(dict(zip(term.args, present, strict=True))))
        known += type(evaluator.known(term)) is not Unknown
    assert [one for one in found if one][:3] == []
    assert known > count / 40  # a selector of another constructor has no known value


def test_every_operator_has_a_rule_or_a_reason_for_none() -> None:
    missing = [
        kind
        for kind, operator in CATALOGUE.operators.items()
        if kind not in RULES
        and kind not in WITHOUT
        and operator.theory not in THEORIES_WITHOUT
        and kind not in BINDERS
    ]
    assert missing == []


def test_no_rule_is_for_an_operator_that_there_is_not() -> None:
    assert [kind for kind in (*RULES, *WITHOUT) if kind not in CATALOGUE.operators] == []


def test_a_free_parent_leaves_its_arguments_free() -> None:
    x, y = (TABLES.constant(name, TABLES.int) for name in "xy")
    term = TABLES.apply("OP_INT_MOD", x, y)
    assert below(EVALUATOR, term, ANY, (1, 0)) == [ANY, ANY]
    assert TRIED == ("SORT_BOOL", "SORT_RM")


def test_an_interval_with_an_irrational_end_has_a_score() -> None:
    root = power_root(Fraction(2), 2)
    assert 0 < Interval(Fraction(0), root).score < 1


def test_ranges_of_any_width_have_a_score() -> None:
    """Their size may be above the largest float."""
    assert (
        Bits(4000, 0, (1 << 4000) - 1).score == 1.0 == Floats(2000, 3000, 0, 1 << 4999, True).score
    )
    assert Bits(8, 0, 9).score == 0.01 == Floats(3, 5, 0, 9, False).score
