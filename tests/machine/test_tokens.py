"""Words of a trace: whatever is printed reads back as itself, whatever is read ends in a word or
one clear error.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from murxpy.errors import InputError
from murxpy.machine.tokens import (
    FieldSort,
    Python,
    Quoted,
    Ref,
    Token,
    as_word,
    print_token,
    quote,
    read_tokens,
)

# any code points, halves of surrogate pairs included
TEXT = st.text(st.characters(codec=None, categories=None))
ATOMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(14_000, 60_000).map(lambda n: -1 << n)
    | st.floats()
    | TEXT
    | st.binary()
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(TEXT | st.integers() | st.binary(), inner, max_size=3)
    ),
    max_leaves=8,
)


def one(text: str) -> Token:
    tokens = read_tokens(f" {text} next", "t", 1)
    assert len(tokens) == 2 and tokens[1] == "next"
    return tokens[0]


def same(left: Any, right: Any) -> bool:
    """Equal in value and type, NaN like NaN, -0.0 unlike 0.0."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        return (math.isnan(left) and math.isnan(right)) or (
            left == right and math.copysign(1, left) == math.copysign(1, right)
        )
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[k], right[k]) for k in left)
    return bool(left == right)


@given(TEXT)
@example('a "quoted" \\ \\u{41} \\u0041 \n\r\t\x00\x85\u2028 \ud800 \U0010ffff')
def test_any_text(text: str) -> None:
    printed = quote(text)
    assert printed.isascii() and printed.isprintable()
    assert one(printed) == Quoted(text)
    assert one(print_token(FieldSort("param", text))) == FieldSort("param", text)
    assert one(print_token(FieldSort("other", text))) == FieldSort("other", text)


@given(VALUES)
@example(float("-inf"))
@example(255.0)
@example(0xFF)
@example([1, ("a b", (), {}, b"\xff\x00")])
def test_any_python_value(value: Any) -> None:
    printed = print_token(Python(value))
    assert printed.isascii() and "\n" not in printed
    read = one(printed)
    assert isinstance(read, Python) and same(read.value, value)


@given(TEXT)
def test_a_word_reads_back_as_its_text(text: str) -> None:
    token = one(as_word(text))
    back = (
        token.text
        if isinstance(token, Quoted)
        else str(token).lower()
        if isinstance(token, bool)
        else str(token)
    )
    assert back == text


@given(st.sampled_from("stocm"), st.integers(0, 999_999_999))
def test_ids(letter: str, number: int) -> None:
    assert one(str(Ref(letter, number))) == Ref(letter, number)


@given(st.integers())
def test_numbers(number: int) -> None:
    assert one(str(number)) == number


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("true", True),
        ("false", False),
        ("007", "007"),
        ("-0", "-0"),
        ("s007", "s007"),
        ("s(nil)", FieldSort("self", "")),
        ("0.02", "0.02"),
        ('"\\u{1F40D}\\u0041"', Quoted("\U0001f40dA")),
        ("9" * 4000, int("9" * 4000)),
        ("9" * 5000, "9" * 5000),
        ("py:nanf", Python(float("nan"))),
    ],
)
def test_single_words(text: str, token: Token) -> None:
    read = one(text)
    assert read == token or str(read) == str(token)
    assert type(read) is type(token)


@pytest.mark.parametrize(
    "text",
    [
        '"open',
        'a"b',
        '"a"b',
        "py:",
        "py:yes",
        "py:[1",
        "py:1_0",
        "py:(1)",
        "py:{[]:1}",
        'py:"a',
        "py:0x1p+9999f",
    ],
)
def test_what_is_no_word(text: str) -> None:
    with pytest.raises(InputError) as error:
        read_tokens(text, "f.trace", 7)
    assert str(error.value).startswith("f.trace:7: ")


def test_deep_values_are_refused() -> None:
    with pytest.raises(InputError):
        read_tokens("py:" + "[" * 5000, "f", 1)


@given(st.text(st.sampled_from('py:"[](){},\\u0 s1tobx-'), max_size=30))
def test_nothing_else_is_raised(text: str) -> None:
    try:
        tokens = read_tokens(text, "f", 1)
    except InputError:
        return
    again = read_tokens(" ".join(map(print_token, tokens)), "f", 1)
    assert list(map(print_token, again)) == list(map(print_token, tokens))
