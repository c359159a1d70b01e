"""The type checker on every operator, and on what it must refuse."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toy import catalogue

from murxpy.logic.signature import Binding, Pattern
from murxpy.logic.sorts import (
    Constructor,
    Datatype,
    IllSorted,
    Sort,
    SortTable,
    probably_prime,
    well_founded,
)
from murxpy.logic.terms import TermTable
from murxpy.logic.typing import Checker, IndexOutOfRange
from murxpy.machine.generate.sorts import draw_sort
from murxpy.machine.random import Stream


def checker() -> Checker:
    return Checker(catalogue(), SortTable())


def result(
    kind: str, args: list[Sort], indices: tuple[object, ...] = (), wanted: Sort | None = None
) -> Sort:
    table = Checker(catalogue(), SORTS)
    return table.result(catalogue().operators[kind], tuple(args), indices, wanted)


SORTS = SortTable()
BOOL, INT, RM = SORTS.get("SORT_BOOL"), SORTS.get("SORT_INT"), SORTS.get("SORT_RM")


def bv(width: int) -> Sort:
    return SORTS.get("SORT_BV", width)


def test_results() -> None:
    assert result("OP_BV_CONCAT", [bv(3), bv(4), bv(5)]) is bv(12)
    assert result("OP_BV_EXTRACT", [bv(8)], (6, 2)) is bv(5)
    assert result("OP_BV_REPEAT", [bv(8)], (3,)) is bv(24)
    assert result("OP_EQUAL", [INT, INT, INT]) is BOOL
    assert result("OP_ITE", [BOOL, INT, INT]) is INT
    assert result("OP_FP_FP", [bv(1), bv(5), bv(10)]) is SORTS.get("SORT_FP", 5, 11)
    assert result("OP_FP_TO_FP_FROM_SBV", [RM, bv(7)], (8, 24)) is SORTS.get("SORT_FP", 8, 24)
    assert result("OP_CONST_ARRAY", [INT], (), SORTS.get("SORT_ARRAY", BOOL, INT)) is SORTS.get(
        "SORT_ARRAY", BOOL, INT
    )
    assert result("OP_UF_APPLY", [SORTS.get("SORT_FUN", INT, BOOL, bv(2)), INT, BOOL]) is bv(2)
    assert result("OP_FORALL", [INT, BOOL, BOOL]) is BOOL
    assert result("OP_PB_LE", [BOOL, BOOL], (3, 1, 2)) is BOOL
    tuple_sort = SORTS.get("SORT_TUPLE", INT, BOOL)
    assert result("OP_TUPLE", [INT, BOOL]) is tuple_sort
    assert result("OP_TUPLE_SELECT", [tuple_sort], (1,)) is BOOL


@pytest.mark.parametrize(
    ("kind", "args", "indices"),
    [
        ("OP_BV_ADD", [bv(3), bv(4)], ()),
        ("OP_BV_ADD", [bv(3)], ()),
        ("OP_BV_UDIV", [bv(3), bv(3), bv(3)], ()),
        ("OP_NOT", [INT], ()),
        ("OP_EQUAL", [INT, BOOL], ()),
        ("OP_ITE", [BOOL, INT, BOOL], ()),
        ("OP_BV_EXTRACT", [bv(8)], (2,)),
        ("OP_BV_EXTRACT", [bv(8)], (2, "0")),
        ("OP_BV_EXTRACT", [bv(8)], (True, 0)),
        ("OP_BV_NOT", [bv(8)], (1,)),
        ("OP_UF_APPLY", [SORTS.get("SORT_FUN", INT, BOOL), BOOL], ()),
        ("OP_CONST_ARRAY", [INT], ()),
        ("OP_FORALL", [INT, INT], ()),
        ("OP_FORALL", [BOOL], ()),
        ("OP_DT_APPLY_SEL", [INT], ("c", "s")),
    ],
)
def test_ill_sorted(kind: str, args: list[Sort], indices: tuple[object, ...]) -> None:
    with pytest.raises(IllSorted):
        result(kind, args, indices)


@pytest.mark.parametrize(
    ("kind", "indices"),
    [("OP_BV_EXTRACT", (8, 0)), ("OP_BV_EXTRACT", (3, 4)), ("OP_BV_REPEAT", (0,))],
)
def test_index_out_of_range(kind: str, indices: tuple[int, ...]) -> None:
    with pytest.raises(IndexOutOfRange):
        result(kind, [bv(8)], indices)


def test_widths_have_no_upper_limit() -> None:
    assert result("OP_BV_ZERO_EXTEND", [bv(8)], (100_000,)) is bv(100_008)


def test_the_language_allows_indices_that_no_generator_draws() -> None:
    assert result("OP_BV_ROTATE_LEFT", [bv(8)], (1 << 40,)) is bv(8)
    assert result("OP_AT_MOST", [BOOL, BOOL], (7,)) is BOOL
    assert result("OP_PB_LE", [BOOL, BOOL], (12, 0, 9)) is BOOL
    (index,) = catalogue().operators["OP_AT_MOST"].signature.indices
    assert index.high is not None and index.high.value({}) == 4
    with pytest.raises(IndexOutOfRange, match=r"index k is 0, expected 1 or more$"):
        result("OP_INT_IS_DIV", [INT], (0,))


def test_datatypes() -> None:
    tree = Datatype("tree", ["p"])
    own = SORTS.get("SORT_DT", tree, SORTS.get("SORT_PARAM", "p"))
    tree.constructors = [
        Constructor("leaf", [("value", SORTS.get("SORT_PARAM", "p"))]),
        Constructor("node", [("left", own), ("right", own)]),
    ]
    ints = SORTS.get("SORT_DT", tree, INT)
    assert result("OP_DT_APPLY_CONS", [INT], ("leaf",), ints) is ints
    assert result("OP_DT_APPLY_CONS", [ints, ints], ("node",), ints) is ints
    assert result("OP_DT_APPLY_SEL", [ints], ("leaf", "value")) is INT
    assert result("OP_DT_APPLY_SEL", [ints], ("node", "right")) is ints
    assert result("OP_DT_APPLY_TESTER", [ints], ("leaf",)) is BOOL
    assert result("OP_DT_APPLY_UPDATER", [ints, INT], ("leaf", "value")) is ints
    case = result("OP_DT_MATCH_BIND_CASE", [INT, BOOL], ("leaf",), ints)
    rest = result("OP_DT_MATCH_BIND_CASE", [ints, BOOL], (), ints)
    assert result("OP_DT_MATCH", [ints, case, rest]) is BOOL
    for args, indices, wanted in [
        ([BOOL], ("leaf",), ints),
        ([INT], ("none",), ints),
        ([INT], ("leaf",), None),
        ([], (), ints),
    ]:
        with pytest.raises(IllSorted):
            result("OP_DT_APPLY_CONS", args, indices, wanted)
    with pytest.raises(IllSorted):
        result("OP_DT_APPLY_SEL", [ints], ("leaf", "left"))
    with pytest.raises(IllSorted):
        result(
            "OP_DT_MATCH",
            [ints, result("OP_DT_MATCH_BIND_CASE", [INT, INT], ("leaf",), ints), rest],
        )


def test_well_founded() -> None:
    loop, base, user = Datatype("loop"), Datatype("base"), Datatype("user")
    loop.constructors = [Constructor("l", [("x", SORTS.get("SORT_DT", loop))])]
    base.constructors = [Constructor("b")]
    user.constructors = [Constructor("u", [("y", SORTS.get("SORT_DT", base)), ("z", INT)])]
    assert well_founded([loop, base, user]) == [base, user]


def _instance(pattern: Pattern, env: Binding, table: SortTable, draw: random.Random) -> Sort:
    """A sort that fits `pattern`, its variables bound at random."""
    for name, number in _names(pattern):
        if name not in env:
            env[name] = draw.randint(2, 9) if number else table.get("SORT_BV", draw.randint(1, 4))
    return pattern.build(env, table)


def _names(pattern: Pattern) -> list[tuple[str, bool]]:
    """The variables of a pattern, each with whether it stands for a number."""
    if pattern.kind is None:
        return [(pattern.name, False)]
    names: list[tuple[str, bool]] = []
    for inner in pattern.params:
        names += (
            _names(inner)
            if isinstance(inner, Pattern)
            else [(name, True) for name in inner.names()]
        )
    return names


@given(st.integers(0, 1 << 30))
@example(255)  # a map of arrays, whose sorts are called like numbers elsewhere
def test_every_plain_operator_takes_what_its_rank_says(seed: int) -> None:
    draw, table = random.Random(seed), checker()
    plain = [
        op
        for op in catalogue().operators.values()
        if not (op.typing or op.signature.binder or op.signature.indices or op.signature.as_sort)
        and "*" not in op.signature.text
    ]
    operator = draw.choice(plain)
    env: Binding = {}
    args = [_instance(pattern, env, table.sorts, draw) for pattern in operator.signature.args]
    sort = table.result(operator, tuple(args))
    if operator.signature.result.kind is not None:
        assert sort.kind == operator.signature.result.kind
    if args and operator.signature.attribute is None:
        with pytest.raises(IllSorted):
            table.result(operator, (*args, args[-1]))
    if operator.signature.attribute not in (None, "nary") and operator.kind != "OP_BV_CONCAT":
        assert table.result(operator, (*args, args[-1])) is sort


def test_terms_are_shared_and_know_their_free_variables() -> None:
    terms = TermTable()
    x, y = terms.variable("x", INT), terms.variable("x", INT)
    assert x is not y
    less = terms.apply("OP_INT_LT", (x, y), (), BOOL)
    assert less is terms.apply("OP_INT_LT", (x, y), (), BOOL)
    assert less.free == (x, y)
    bound = terms.apply("OP_FORALL", (x, less), (), BOOL, (x,))
    assert bound.free == (y,)
    assert terms.apply("OP_FORALL", (y, bound), (), BOOL, (y,)).free == ()
    assert terms.leaf("OP_CONSTANT", ("a",), INT) is terms.leaf("OP_CONSTANT", ("a",), INT)


def test_primes() -> None:
    small = [n for n in range(2000) if probably_prime(n)]
    assert small == [n for n in range(2, 2000) if all(n % k for k in range(2, n))]
    assert probably_prime(2**521 - 1) and not probably_prime((2**61 - 1) * (2**89 - 1))
    assert not probably_prime(3215031751)  # a strong pseudoprime to the bases 2, 3, 5, 7


def test_sorts_that_grow_by_doubling_have_a_bound() -> None:
    """The error is one of typing, so a walk takes the operator for unfit."""
    sorts = SortTable()
    sort = sorts.get("SORT_INT")
    with pytest.raises(IllSorted, match="more than 50000 sorts"):
        for _ in range(22):
            sort = sorts.get("SORT_ARRAY", sort, sort)
    assert 25_000 <= sort.parts <= 50_000


def test_a_walk_takes_no_very_large_sort_as_a_parameter() -> None:
    sorts = SortTable()
    large = small = sorts.get("SORT_INT")
    while large.parts < 1000:
        large = sorts.get("SORT_ARRAY", large, large)
    database = SimpleNamespace(sort_entries={large: None, small: None})
    gen: Any = SimpleNamespace(
        profile=SimpleNamespace(allows=lambda context, sort: True),
        stream=Stream(1),
        run=SimpleNamespace(db=database, sorts=sorts),
    )
    assert {draw_sort(gen, "array-element", -1) for _ in range(20)} == {small}
