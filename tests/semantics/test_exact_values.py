"""Values that no literal denotes: irrational numbers, functions and arrays that are no tables, and
regular languages, alone and as parts of others. Whoever writes a value writes one that reads back
as the same value, or says that there is none.
"""

from __future__ import annotations

import copy
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy import Crashed, forked, live, walk
from typed_terms import Logic, catalogue, evaluator

from murxpy.logic.sorts import IllSorted, Sort, components
from murxpy.logic.terms import Term
from murxpy.logic.values import LITERAL_KINDS, BadValue, is_literal, read_value, write_value
from murxpy.machine.planted import Planted, read_words, write_words
from murxpy.machine.random import Stream
from murxpy.machine.witnesses.show import show
from murxpy.semantics.closures import Built
from murxpy.semantics.domains import make_array, make_function
from murxpy.semantics.exact.algebraic import Algebraic, power, root, roots
from murxpy.semantics.meanings.bags import make_bag
from murxpy.semantics.meanings.sets import make_set
from murxpy.semantics.ranges.abstract import Except, Few, Interval, Range
from murxpy.semantics.ranges.backward import below
from murxpy.semantics.values import (
    ROUNDING_MODES,
    ArrayValue,
    BagValue,
    CannotSay,
    DatatypeValue,
    Element,
    FunctionValue,
    SetValue,
    Value,
)
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.values import ValueTerms
from murxpy.sources.mutation.diving.conditions import Conditions
from murxpy.sources.mutation.fuzzers.diver import drawn as chosen

LOGIC = Logic()
SQRT2 = root(Fraction(2), 2)
LEAVES = [
    LOGIC.bool,
    LOGIC.int,
    LOGIC.real,
    LOGIC.bv(3),
    LOGIC.sort("FP", 3, 5),
    LOGIC.sort("FF", 7),
    LOGIC.sort("STRING"),
    LOGIC.sort("RM"),
    LOGIC.sort("UNINTERPRETED", "u"),
]
IRRATIONAL = st.one_of(
    st.builds(lambda n, k: root(Fraction(n), k), st.integers(1, 30), st.integers(2, 4)),
    st.builds(lambda n, m: root(Fraction(n), 2) + Fraction(m, 3), st.integers(2, 9), st.integers()),
    st.lists(st.integers(-4, 4), min_size=3, max_size=5).flatmap(
        lambda poly: st.sampled_from([*(roots(poly) if any(poly[1:]) else ()), SQRT2])
    ),
)
OPAQUE = st.builds(lambda: Built(lambda *args: iter(())))


def _sorts(inner: st.SearchStrategy[Sort]) -> st.SearchStrategy[Sort]:
    kinds = st.sampled_from(("SEQ", "SET", "FINITE_SET", "BAG", "NULLABLE"))
    return st.one_of(
        st.builds(LOGIC.sort, kinds, inner),
        st.builds(LOGIC.sort, st.sampled_from(("ARRAY", "FUN", "TUPLE")), inner, inner),
    )


SORTS = st.recursive(st.sampled_from([*LEAVES, LOGIC.real]), _sorts, max_leaves=4)


def values(sort: Sort) -> st.SearchStrategy[Any]:
    """Values of a sort, as the evaluator may have them."""
    kind, inner = sort.kind, [*sort.sorts()] if sort.params else []
    if kind in _LEAF_VALUES:
        return _LEAF_VALUES[kind]
    if kind in ("SORT_BV", "SORT_FF"):
        return st.integers(0, 6)
    points = evaluator()
    part = [values(s) for s in inner if isinstance(s, Sort)]
    if kind == "SORT_ARRAY":
        rows = st.lists(st.tuples(*part), max_size=3)
        return OPAQUE | st.builds(lambda d, r: make_array(sort, d, r, points), part[1], rows)
    if kind == "SORT_FUN":
        rows = st.lists(st.tuples(st.tuples(part[0]), part[1]), max_size=3)
        return OPAQUE | st.builds(lambda d, r: make_function(sort, d, r, points), part[1], rows)
    if kind == "SORT_TUPLE":
        return st.tuples(*part).map(lambda fields: DatatypeValue("", fields))
    if kind == "SORT_NULLABLE":
        return part[0].map(lambda value: DatatypeValue("nullable.some", (value,)))
    parts = st.lists(part[0], max_size=3)
    if kind == "SORT_SEQ":
        return parts.map(tuple)
    if kind == "SORT_BAG":
        return parts.map(lambda found: make_bag((value, 2) for value in found))
    complement = st.booleans() if kind == "SORT_SET" else st.just(False)
    return st.builds(lambda p, c: make_set(sort, p, c, points), parts, complement)


_LEAF_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "SORT_BOOL": st.booleans(),
    "SORT_INT": st.integers(),
    "SORT_REAL": st.fractions() | IRRATIONAL,
    "SORT_FP": st.integers(0, (1 << 8) - 1).filter(lambda bits: bits & 0x7F <= 0x70),
    "SORT_STRING": st.text(
        st.characters(max_codepoint=0x2FFFF, codec=None, categories=None), max_size=3
    ),
    "SORT_RM": st.sampled_from(ROUNDING_MODES),
    "SORT_UNINTERPRETED": st.integers(0, 3).map(lambda number: Element(f"@{number}")),
}


def writable(value: Any) -> bool:
    """Whether no part of a value is irrational, and none a function that is no table."""
    if isinstance(value, (Algebraic, Built)):
        return False
    if isinstance(value, ArrayValue | FunctionValue):
        return all(map(writable, (value.default, *value.items())))
    if isinstance(value, DatatypeValue):
        return all(map(writable, value.fields))
    if isinstance(value, SetValue):
        return all(map(writable, value.members))
    if isinstance(value, BagValue):
        return all(map(writable, value.counts))
    return not isinstance(value, tuple) or all(map(writable, value))


def without_form(sort: Sort, value: Any) -> bool:
    """Whether a sort or value has no term of its own: functions, nullables, and complements."""
    kinds = {part.kind for part in components(sort)}
    return bool(kinds & {"SORT_FUN", "SORT_NULLABLE"}) or "complement=True" in repr(value)


def sorted_values() -> st.SearchStrategy[tuple[Sort, Any]]:
    """Sorts with a value of each."""
    return SORTS.flatmap(lambda sort: st.tuples(st.just(sort), _made(sort)))


def _made(sort: Sort) -> st.SearchStrategy[Any]:
    """Values of a sort; None where its normal form is not known."""
    try:
        return values(sort)
    except CannotSay:
        return st.none()


@given(sorted_values())
def test_the_term_of_a_value_has_that_value(drawn: tuple[Sort, Any]) -> None:
    sort, given_ = drawn
    try:
        term = ValueTerms(LOGIC.terms, LOGIC.sorts).term(given_, sort)
    except CannotSay:
        assert not writable(given_) or without_form(sort, given_)
        return
    assert writable(given_)
    judge = evaluator({LOGIC.const(f"u@{k}", LEAVES[-1]): Element(f"@{k}") for k in range(4)})
    assert judge.value(term) == given_


@given(sorted_values())
def test_the_words_of_a_value_read_back(drawn: tuple[Sort, Any]) -> None:
    sort, given_ = drawn
    try:
        words = write_words(given_, sort, LOGIC.sorts)
    except CannotSay:
        assert not writable(given_) or without_form(sort, given_)
        return
    points = evaluator(domains={LEAVES[-1]: tuple(Element(f"@{k}") for k in range(4))})
    with suppress(CannotSay):
        assert read_words(words, sort, LOGIC.sorts, points) == given_


def real_walk(solver: str, seed: int) -> tuple[Any, int]:
    """The finding of a walk in whose planted model every real term is irrational, and the number of
    its assertions that give the value of a real term.
    """
    session = copy.copy(live(solver))
    chances = {"planted": 1.0, "planted-equality": 1.0}
    session.settings = copy.copy(session.settings)
    session.settings.probabilities = {**session.settings.probabilities, **chances}
    session._checks = frozenset(["planted"])
    value = Planted.value

    def irrational(planted: Planted, term: Any) -> Value:
        found = value(planted, term)
        return found + SQRT2 if term.sort.kind == "SORT_REAL" else found

    with patch.object(Planted, "value", irrational):
        text, report = walk(session, seed)
    return report["finding"], text.count("SORT_REAL")


@pytest.mark.parametrize(("solver", "seeds"), [("z3", (16, 25)), ("cvc5", (9, 17))])
def test_an_irrational_value_is_never_pinned_as_a_literal(
    solver: str, seeds: tuple[int, ...]
) -> None:
    """These walks assert values of real terms. In one like them, `write_value` once got an irrational number."""
    seen = 0
    for seed in seeds:
        with suppress(Crashed):
            finding, reals = forked(partial(real_walk, solver, seed))
            assert finding is None or finding["tier"] != "murxpy", finding
            seen += reals
    assert seen


@given(sorted_values())
def test_a_literal_is_written_or_refused_as_one(drawn: tuple[Sort, Any]) -> None:
    sort, given_ = drawn
    assert show(given_, sort)
    if is_literal(sort, given_):
        assert read_value(sort, write_value(sort, given_)) == given_
        return
    assert sort.kind not in LITERAL_KINDS or isinstance(given_, Algebraic)
    with pytest.raises(BadValue):
        write_value(sort, given_)


ARGUMENTS: dict[Sort, list[Any]] = {
    LOGIC.real: [SQRT2, 1 - SQRT2, root(Fraction(5), 3), Fraction(0), Fraction(3, 2)],
    LOGIC.int: [0, 1, -3],
    LOGIC.bool: [True, False],
    LOGIC.sort("RM"): ["RNE", "RTP"],
}


def applications() -> list[tuple[Term, tuple[Term, ...]]]:
    """An application of every operator but binders, at every choice of these sorts that has a real, to constants."""
    found = []
    kinds = [k for k, op in catalogue().operators.items() if not op.signature.binder]
    for kind in kinds:
        for count, indices in product((1, 2), ((), (5, 11), (3,))):
            for sorts in product(ARGUMENTS, repeat=count):
                constants = tuple(LOGIC.const(f"c{at}", sort) for at, sort in enumerate(sorts))
                with suppress(IllSorted, ValueError, LookupError, TypeError):
                    term = LOGIC.app(kind.removeprefix("OP_"), *constants, indices=indices)
                    if LOGIC.real in sorts:
                        found.append((term, constants))
    return found


def test_meanings_and_backward_rules_take_irrational_numbers() -> None:
    tried = 0
    for term, constants in applications():
        for values in product(*(ARGUMENTS[constant.sort] for constant in constants)):
            judge = evaluator(dict(zip(constants, values, strict=True)))
            try:
                known = judge.value(term)
            except CannotSay:
                continue
            others = tuple(value for value in ARGUMENTS.get(term.sort, ()) if value != known)[:1]
            ranges: tuple[Range, ...] = (Few((known,)), Except(others))
            for wanted in ranges[: 1 + len(others)]:
                for found, value in zip(below(judge, term, wanted, values), values, strict=True):
                    assert 0 <= found.score <= 1 and found.holds(value), (term, values)
                    assert found.holds(chosen(found, value, Stream(1)))
                    tried += 1
    assert tried > 1000


def test_no_formula_says_an_irrational_bound() -> None:
    tables = Tables(catalogue())
    constant, conditions = tables.constant("x", tables.real), Conditions(tables)
    assert conditions.literal(SQRT2, tables.real) is None
    for wanted in (Interval(SQRT2), Interval(None, SQRT2), Few((SQRT2,)), Except((SQRT2,))):
        assert conditions.of(constant, wanted) is None
    assert conditions.of(constant, Interval(Fraction(1, 2))) is not None


def test_irrational_numbers_with_long_coefficients_are_not_made() -> None:
    # to round the root of a number of 100,000 bits took minutes, in runs that have a limit of seconds;
    # half of that is seen as well
    with pytest.raises(CannotSay, match="bits"):
        root(Fraction(3) ** 35_001, 24)
    with pytest.raises(CannotSay):
        power(root(Fraction(2) ** 99, 2) + Fraction(1), 1 << 12)
