"""Signatures of operators: reading them, matching sorts, building results."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy import catalogue

from murxpy.errors import InputError
from murxpy.logic.signature import Binding, parse_signature
from murxpy.logic.sorts import SortTable


def test_indices_arguments_result_attribute() -> None:
    read = parse_signature("{i:0..n-1} {j:0..i} BV(n) -> BV(i-j+1)", "x")
    assert [index.name for index in read.indices] == ["i", "j"]
    assert [pattern.kind for pattern in read.args] == ["SORT_BV"]
    assert read.indices[0].high is not None and read.indices[0].high.value({"n": 8}) == 7
    assert read.result.build({"i": 5, "j": 2}, SortTable()).width == 4
    assert parse_signature("BOOL BOOL -> BOOL :right-assoc", "x").attribute == "right-assoc"
    assert parse_signature("var+ BOOL -> BOOL :binder", "x").binder
    assert parse_signature("b -> ARRAY(a,b) :as", "x").as_sort


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("BV(n -> BV(n)", "signature"),
        ("BV(n) BV(n)", "expected"),
        ("BV(n) -> ", "expected"),
        ("BV(n) -> BV(n) :sideways", "unknown attribute"),
        ("BV(n) -> BV(n) extra", "unknown attribute"),
        ("{i:0..} BV(n) -> BV(n)", "signature"),
        ("{i:0.. draw 0} BV(n) -> BV(n)", "signature"),
        ("? -> BOOL", "unexpected"),
    ],
)
def test_bad_signatures_say_where(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        parse_signature(text, "OP_X")
    assert "OP_X: " in str(error.value)


def test_an_index_may_be_larger_than_those_that_are_drawn() -> None:
    read = parse_signature("{i:0.. draw 0..2*n} {j:1..9 draw 1..4} BV(n) -> BV(n)", "x")
    first, second = read.indices
    assert first.most is None and first.high is not None and first.high.value({"n": 8}) == 16
    assert second.most is not None and second.most.value({}) == 9
    assert read.language == "{i:0..} {j:1..9} BV(n) -> BV(n)"


def test_variables_match_equal_sorts_only() -> None:
    sorts = SortTable()
    pattern = parse_signature("ARRAY(a,b) a -> b", "x").args
    index, element = sorts.get("SORT_INT"), sorts.get("SORT_BV", 8)
    env: Binding = {}
    assert pattern[0].match(sorts.get("SORT_ARRAY", index, element), env)
    assert pattern[1].match(index, env) and not pattern[1].match(element, env)


def test_stars_take_the_sorts_between() -> None:
    sorts = SortTable()
    pattern = parse_signature("FUN(a*,b) a* -> b", "x").args[0]
    parts = [sorts.get("SORT_BV", k) for k in (1, 2, 3)]
    env: Binding = {}
    assert pattern.match(sorts.get("SORT_FUN", *parts), env)
    assert env["a"] == (parts[0], parts[1]) and env["b"] is parts[2]
    assert not pattern.match(sorts.get("SORT_ARRAY", parts[0], parts[1]), {})


@given(st.integers(1, 200), st.integers(1, 200))
def test_a_width_is_solved_for(first: int, second: int) -> None:
    linear = parse_signature("BV(m) BV(n) -> BV(m+n)", "x").result.params[0]
    env: Binding = {"m": first}
    assert linear.solve(first + second, env) and env["n"] == second  # type: ignore[union-attr]
    assert not linear.solve(first, {"m": first})  # type: ignore[union-attr]


def test_every_shipped_signature_prints_its_text() -> None:
    for operator in catalogue().operators.values():
        again = parse_signature(operator.signature.text, operator.kind)
        assert again == operator.signature
        assert operator.minimum >= 0
