"""Strings and regular languages: the standard's corner cases, and derivatives against languages of
short words by enumeration.
"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typed_terms import Logic, value

from murxpy.semantics.exact import regex, strings
from murxpy.semantics.exact.regex import Regex
from murxpy.semantics.values import CannotSay

LONGEST = 4
WORDS = [
    "".join(letters) for length in range(LONGEST + 1) for letters in product("abc", repeat=length)
]
Language = frozenset[str]
EVERY: Language = frozenset(WORDS)

texts = st.text("ab0", max_size=6)
unicode = st.text(st.integers(0, 0x2FFFF).map(chr), max_size=8)


def joined(one: Language, other: Language) -> Language:
    """The concatenation, of words that are short enough."""
    return frozenset(x + y for x in one for y in other if len(x + y) <= LONGEST)


def power(one: Language, low: int, high: int | None) -> Language:
    """From `low` to `high` times, by multiplying out; LONGEST + `low` times are as good as any
    number.
    """
    found: set[str] = set()
    words: Language = frozenset([""])
    for times in range((LONGEST + low if high is None else high) + 1):
        if times >= low:
            found |= words
        words = joined(words, one)
    return frozenset(found)


Pair = tuple[Regex, Language]
leaves: st.SearchStrategy[Pair] = st.one_of(
    st.sampled_from(
        [(regex.ALL, EVERY), (regex.NONE, frozenset()), (regex.ALLCHAR, frozenset("abc"))]
    ),
    st.text("abc", max_size=3).map(lambda w: (regex.word(w), frozenset([w]))),
    st.tuples(st.sampled_from("abc"), st.sampled_from("abc")).map(
        lambda p: (regex.interval(*p), frozenset(c for c in "abc" if p[0] <= c <= p[1]))
    ),
)


def larger(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    """Operators on pairs of an expression and its language."""
    two = st.tuples(inner, inner)
    times = st.tuples(st.integers(0, 3), st.one_of(st.none(), st.integers(0, 4)))
    return st.one_of(
        inner.map(lambda a: (regex.complement(a[0]), EVERY - a[1])),
        two.map(lambda p: (regex.union((p[0][0], p[1][0])), p[0][1] | p[1][1])),
        two.map(lambda p: (regex.inter((p[0][0], p[1][0])), p[0][1] & p[1][1])),
        two.map(lambda p: (regex.difference(p[0][0], p[1][0]), p[0][1] - p[1][1])),
        two.map(lambda p: (regex.concat((p[0][0], p[1][0])), joined(p[0][1], p[1][1]))),
        st.tuples(inner, times).map(lambda p: (regex.loop(p[0][0], *p[1]), power(p[0][1], *p[1]))),
    )


pairs = st.recursive(leaves, larger, max_leaves=6)


@settings(max_examples=150)
@given(pairs)
def test_derivatives_agree_with_enumeration(pair: Pair) -> None:
    expression, language = pair
    assert {w for w in WORDS if regex.matches(w, expression)} == language


@settings(max_examples=60)
@given(pairs, pairs)
def test_comparing_languages(one: Pair, other: Pair) -> None:
    try:
        same = one[0].same(other[0])
    except CannotSay:
        return
    if same:
        assert one[1] == other[1]
    elif one[1] == other[1]:
        difference = regex.union(
            (regex.difference(one[0], other[0]), regex.difference(other[0], one[0]))
        )
        # they differ in longer words, or other letters
        assert not any(regex.matches(w, difference) for w in WORDS)


def test_languages_that_are_the_same() -> None:
    a, b = regex.word("a"), regex.word("b")
    star = regex.loop(regex.union((a, b)), 0, None)
    nested = regex.loop(regex.concat((regex.loop(a, 0, None), regex.loop(b, 0, None))), 0, None)
    assert star.same(nested)
    assert not star.same(regex.ALL)
    assert regex.loop(a, 2, 2).same(regex.word("aa"))
    assert regex.loop(regex.loop(a, 0, 1), 3, 3).same(regex.loop(a, 0, 3))


@settings(max_examples=150)
@given(texts, pairs, texts)
def test_replacing_the_shortest_leftmost_match(text: str, pair: Pair, by: str) -> None:
    expression, _ = pair
    spans = [
        (i, j)
        for i in range(len(text) + 1)
        for j in range(i, len(text) + 1)
        if regex.matches(text[i:j], expression)
    ]
    i, j = min(spans, default=(0, 0))
    assert regex.replace_first(text, expression, by) == (
        text[:i] + by + text[j:] if spans else text
    )
    assert regex.index_of(text, expression, 0) == (i if spans else -1)
    assert regex.index_of(text, expression, len(text) + 1) == -1
    done, at = "", 0
    while found := [(i, j) for i, j in spans if i >= at and j > i]:
        i, j = min(found)
        done, at = done + text[at:i] + by, j
    assert regex.replace_all(text, expression, by) == done + text[at:]


def test_large_expressions() -> None:
    deep = regex.word("a")
    for _ in range(10_000):
        deep = regex.complement(regex.concat((deep, regex.word("b"))))
    assert regex.matches("a", deep)  # it does not end in b
    assert regex.matches(
        "ab" * 60, regex.loop(regex.union((regex.word("ab"), regex.word("abab"))), 30, 60)
    )
    assert not regex.matches("a" * 100, regex.loop(regex.word("aa"), 2**31 - 1, 2**31 - 1))


@given(unicode, unicode, st.integers(-2, 10), st.integers(-2, 10))
def test_strings(text: str, part: str, k: int, n: int) -> None:
    inside = [i for i in range(len(text) + 1) if text[i : i + len(part)] == part]
    assert strings.index_of(text, part, k) == (
        min([i for i in inside if i >= k], default=-1) if 0 <= k <= len(text) else -1
    )
    assert strings.last_index_of(text, part) == max(inside, default=-1)
    assert strings.substring(text, k, n) == "".join(
        text[i] for i in range(max(k, 0), min(k + n, len(text))) if k >= 0
    )
    assert strings.at(text, k) == strings.substring(text, k, 1)
    assert strings.replace(text, "", part) == part + text
    assert strings.replace_all(text, "", part) == text
    assert len(strings.update(text, k, part)) == len(text)
    assert "".join(strings.from_code(strings.to_code(c)) for c in text) == text


@given(st.integers(-(10**9), 10**9))
def test_numbers_as_strings(number: int) -> None:
    assert strings.from_int(number) == (str(number) if number >= 0 else "")
    assert strings.to_int("00" + strings.from_int(number)) == max(number, 0)


def test_corner_cases_of_strings() -> None:
    assert strings.to_int("") == strings.to_int("-1") == strings.to_int("1a") == -1
    assert strings.to_int("٣") == -1  # a digit, but none of ASCII
    assert not strings.is_digit("٣") and not strings.is_digit("12") and strings.is_digit("7")
    assert strings.from_code(0x2FFFF) == "\U0002ffff" and strings.from_code(
        0x30000
    ) == "" == strings.from_code(-1)
    assert strings.to_code("") == strings.to_code("ab") == -1
    assert strings.to_lower("AZ[É") == "az[É" and strings.to_upper("az{é") == "AZ{é"
    assert strings.update("abcd", 2, "xyz") == "abxy" and strings.update("abcd", 4, "x") == "abcd"
    huge = 7 * 10**9_999 + 1
    assert strings.to_int(strings.from_int(huge)) == huge
    assert strings.decimal(-(10**8000)) == "-1" + "0" * 8000


@pytest.mark.parametrize(
    ("kind", "args", "result"),
    [
        ("STR_FROM_SBV", [("BV", 4, 9)], "-7"),
        ("STR_FROM_UBV", [("BV", 4, 9)], "9"),
        ("STR_LT", ["a", "ab"], True),
        ("STR_LT", ["\uffff", "\U00010000"], True),
        ("STR_PREFIXOF", ["ab", "abc"], True),
        ("STR_SUFFIXOF", ["ab", "abc"], False),
        ("STR_CONTAINS", ["abc", "bc"], True),
        ("STR_CONCAT", ["a", "b", "c"], "abc"),
    ],
)
def test_terms_of_strings(kind: str, args: list[object], result: object) -> None:
    logic = Logic()
    text = logic.sort("STRING")
    terms = [
        logic.val(logic.bv(a[1]), a[2]) if isinstance(a, tuple) else logic.val(text, str(a))
        for a in args
    ]
    assert value(logic.app(kind, *terms)) == result


def test_terms_of_languages() -> None:
    logic = Logic()
    text = logic.sort("STRING")
    a, b = (logic.app("STR_TO_RE", logic.val(text, c)) for c in "ab")
    power_ = logic.app("RE_POW", logic.app("RE_UNION", a, b), indices=(3,))
    assert value(logic.app("STR_IN_RE", logic.val(text, "aba"), power_)) is True
    assert value(logic.app("STR_IN_RE", logic.val(text, "ab"), power_)) is False
    assert (
        value(
            logic.app(
                "EQUAL", power_, logic.app("RE_LOOP", logic.app("RE_UNION", b, a), indices=(3, 3))
            )
        )
        is True
    )
    empty = logic.app("RE_RANGE", logic.val(text, "b"), logic.val(text, "a"))
    assert (
        value(
            logic.app("EQUAL", empty, logic.app("RE_LOOP", a, indices=(3, 2)), logic.app("RE_NONE"))
        )
        is True
    )
