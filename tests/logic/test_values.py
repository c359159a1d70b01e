"""Literals: what a trace writes reads back; what is no literal of its sort is refused."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from murxpy.logic.sorts import Sort, SortTable
from murxpy.logic.values import (
    BadValue,
    from_codes,
    read_value,
    special_value,
    to_codes,
    write_value,
)
from murxpy.machine.random import Stream

SORTS = SortTable()
BOOL, INT, REAL, STRING = (SORTS.get(f"SORT_{k}") for k in ("BOOL", "INT", "REAL", "STRING"))
FF, FP, BV = SORTS.get("SORT_FF", 13), SORTS.get("SORT_FP", 3, 5), SORTS.get("SORT_BV", 5)


@st.composite
def literals(draw: st.DrawFn) -> tuple[Sort, Any]:
    sort = draw(
        st.sampled_from(
            [
                BOOL,
                INT,
                REAL,
                STRING,
                FF,
                FP,
                BV,
                SORTS.get("SORT_BV", 1),
                SORTS.get("SORT_FP", 15, 113),
            ]
        )
    )
    if sort is BOOL:
        return sort, draw(st.booleans())
    if sort is INT:
        return sort, draw(st.integers())
    if sort is REAL:
        return sort, draw(st.fractions())
    if sort is STRING:
        return sort, draw(
            st.text(st.characters(max_codepoint=0x2FFFF, codec=None, categories=None))
        )
    top = (
        sort.width
        if sort.kind == "SORT_FF"
        else 1 << sum(p for p in sort.params if isinstance(p, int))
    )
    return sort, draw(st.integers(0, top - 1))


@given(literals())
def test_round_trip(literal: tuple[Sort, Any]) -> None:
    sort, value = literal
    assert read_value(sort, write_value(sort, value)) == value


@pytest.mark.parametrize(
    ("sort", "words", "value"),
    [
        (BV, ["-16", 10], 16),
        (BV, ["-1", 10], 31),
        (BV, ["1f", 16], 31),
        (BV, ["1", 2], 1),
        (REAL, ["-0.25"], Fraction(-1, 4)),
        (REAL, ["6/4"], Fraction(3, 2)),
        (REAL, ["6", "-4"], Fraction(-3, 2)),
        (FF, ["-1"], 12),
        (FF, ["14"], 1),
        (STRING, [""], ""),
    ],
)
def test_other_ways_to_write(sort: Sort, words: list[Any], value: Any) -> None:
    assert read_value(sort, words) == value


@pytest.mark.parametrize(
    ("sort", "words"),
    [
        (BOOL, ["true"]),
        (BOOL, []),
        (BV, ["32", 10]),
        (BV, ["-17", 10]),
        (BV, ["111111", 2]),
        (BV, ["2", 2]),
        (BV, ["0b1", 2]),
        (BV, ["1_0", 10]),
        (BV, ["7", 8]),
        (BV, ["1"]),
        (BV, [1, 2]),
        (INT, [""]),
        (INT, ["1.0"]),
        (INT, ["\u0663"]),
        (INT, ["1" * 5000 + "x"]),
        (REAL, ["1/0"]),
        (REAL, ["1e999999999"]),
        (REAL, ["1", "2", "3"]),
        (FP, ["0000000"]),
        (FP, ["0x000000"]),
        (FF, ["a"]),
        (STRING, ["\U00030000"]),
        (STRING, [3]),
        (SORTS.get("SORT_RM"), ["rne"]),
    ],
)
def test_no_literals(sort: Sort, words: list[Any]) -> None:
    with pytest.raises(BadValue):
        read_value(sort, words)


@given(st.text(st.characters(codec=None, categories=None)))
def test_codes(text: str) -> None:
    assert from_codes(to_codes(text)) == text


def test_special_values() -> None:
    assert [
        special_value(n, BV)
        for n in ("bv.zero", "bv.one", "bv.ones", "bv-min-signed", "bv-max-signed")
    ] == [0, 1, 31, 16, 15]
    assert special_value("ff.negone", FF) == 12 and special_value("fp.nan", FP) is None


def test_drawn_literals_are_literals() -> None:
    from murxpy.data import load_machine
    from murxpy.machine.generate.leaves import draw_literal
    from murxpy.machine.random import Settings

    settings, stream = Settings(load_machine("default"), {}), Stream(11)
    odd = [SORTS.get("SORT_FP", e, s) for e in (2, 5, 11) for s in (2, 3, 24)]
    for sort in [
        BOOL,
        INT,
        REAL,
        STRING,
        FF,
        FP,
        BV,
        SORTS.get("SORT_BV", 1),
        SORTS.get("SORT_FF", 2),
        *odd,
    ]:
        for _ in range(150):
            value = draw_literal(sort, settings, stream)
            assert read_value(sort, write_value(sort, value)) == value


@pytest.mark.parametrize("kind", ["SORT_BOOL", "SORT_INT", "SORT_REAL", "SORT_STRING"])
def test_a_literal_needs_words(kind: str) -> None:
    with pytest.raises(BadValue, match="expected a literal of"):
        read_value(SortTable().get(kind), [])


def test_numbers_longer_than_pythons_own_limit_are_read() -> None:
    """A walk over a solver that folds constants has values of thousands of digits."""
    code = (
        "from murxpy.logic.sorts import SortTable\n"
        "from murxpy.logic.values import read_value\n"
        "from fractions import Fraction\n"
        "real, integer = (SortTable().get(kind) for kind in ('SORT_REAL', 'SORT_INT'))\n"
        "digits = '7' * 6000\n"
        "assert read_value(integer, [digits]) % 10 == 7\n"
        "assert read_value(real, [digits, '3']) == Fraction(read_value(integer, [digits]), 3)\n"
        "assert read_value(real, [digits + '.5']).denominator == 2\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
