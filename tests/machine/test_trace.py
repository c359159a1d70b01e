"""Traces as text: round trips, and malformed ones, which give one clear line and never another
exception.
"""

from __future__ import annotations

import functools
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import replay, toy, toy_session, walk

from murxpy.errors import InputError
from murxpy.machine.tokens import FieldSort, Python, Quoted, Ref
from murxpy.machine.trace.grammar import Line, Trace, parse_trace

TEXT = st.text(st.characters(codec=None, categories=None), max_size=8)
NAME = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,8}", fullmatch=True)
TOKENS = (
    st.builds(Ref, st.sampled_from("stocm"), st.integers(0, 999_999_999))
    | st.builds(Quoted, TEXT)
    | st.builds(FieldSort, st.just("param"), TEXT)
    | st.builds(
        Python,
        st.none() | st.booleans() | st.integers() | TEXT | st.lists(st.integers(), max_size=2),
    )
    | st.booleans()
    | st.integers()
    | st.just("QF_BV")
)
RESULT = st.tuples(
    st.sampled_from(["return", "answer", "value", "refused", "raised"]),
    st.lists(TOKENS, max_size=3),
)
LINES = st.builds(
    Line,
    NAME.filter(
        lambda n: n not in ("return", "answer", "value", "refused", "raised", "set-murxla-options")
    ),
    st.lists(TOKENS, max_size=4),
    st.integers(0, 10**20 - 1),
    st.none() | st.builds("o{}".format, st.integers(1, 9)),
    st.none() | NAME,
    st.lists(RESULT, max_size=3),
)


@given(
    st.lists(LINES, min_size=1, max_size=5),
    st.dictionaries(NAME.filter(lambda n: n != "seed"), NAME, max_size=3),
)
def test_print_and_parse(lines: list[Line], header: dict[str, str]) -> None:
    text = Trace("t", lines, header).text()
    read = parse_trace(text, "t")
    assert read.text() == text
    assert read.header == header
    for before, after in zip(lines, read.lines, strict=True):
        after.number = 0
        assert after == before


@functools.cache
def real(seed: int) -> str:
    """The trace of a walk with the toy solver."""
    return walk(toy_session(), seed)[0]


def test_walks_parse_and_print_the_same() -> None:
    for seed in range(30):
        assert parse_trace(real(seed), "t").text() == real(seed)


def outcome(text: str) -> str:
    """What a replay of `text` says: `ok`, `finding` or the message of a malformed trace. Nothing
    else may be raised.
    """
    report = replay(toy_session(), text)[1]
    if report["status"] != "malformed":
        return str(report["status"])
    message = str(report["message"])
    assert re.match(r"t\.trace(:\d+)?: \S", message), message
    assert "\n" not in message
    return message


@pytest.mark.parametrize("place", range(2))
def test_cut_at_any_byte(place: int) -> None:
    text = sorted((t for t in map(real, range(60)) if len(t) > 700), key=len)[place]
    whole = [at for at in range(len(text) + 1) if text[:at].endswith("\n")]
    outcomes = {at: outcome(text[:at]) for at in sorted({*whole, *range(place, len(text) + 1, 5)})}
    first = text.index(" new") + len(" new\n")
    assert all(outcomes[at] == "ok" for at in whole if at > first)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 200), st.randoms(use_true_random=False))
def test_mutated_traces(seed: int, draw: random.Random) -> None:
    rows = real(seed % 30).split("\n")
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(rows))
        change = draw.randrange(5)
        words = rows[at].split(" ")
        if change == 0:
            rows[at] = ""
        elif change == 1:
            rows.insert(draw.randrange(len(rows)), rows[at])
        elif change == 2:
            words[draw.randrange(len(words))] = draw.choice(
                ["t1", "s1", "t99", "-1", "0", "3", '"x"', "true", "py:none", "s(nil)"]
            )
            rows[at] = " ".join(words)
        elif change == 3:
            del words[draw.randrange(len(words))]
            rows[at] = " ".join(words)
        else:
            spot = draw.randrange(len(rows[at]) + 1)
            rows[at] = rows[at][:spot] + draw.choice('"@#. \\}s9\x00\u2028') + rows[at][spot:]
    outcome("\n".join(rows))


SORTS = ["mk-sort SORT_INT", "return s1", "mk-sort SORT_BOOL", "return s2"]
LEAVES = ['mk-const s1 "x"', "return t1 s1", 'mk-var s1 "v"', "return t2 s1"]
PRELUDE = [
    *SORTS,
    *LEAVES,
    "mk-term OP_INT_LT SORT_BOOL 2 t1 t2",
    "return t3 s2",
    'mk-const s2 "p"',
    "return t4 s2",
]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("chek-sat", "unknown action 'chek-sat' (did you mean 'check-sat'"),
        ("check-sat 1", "'check-sat' takes 0 words"),
        ("o2.check-sat", "unknown solver o2"),
        ("toy-lok t1", "unknown action 'toy-lok' (did you mean 'toy-look'"),
        ("toy-look", "takes 1 terms, found 0"),
        ("toy-look t1", "expected a Boolean term, but t1"),
        ("new", "expected 'delete' before"),
        ("mk-sort SORT_BVV 3", "unknown sort kind 'SORT_BVV' (did you mean 'SORT_BV'"),
        ("mk-sort SORT_BV", "expected the parameter n"),
        ("mk-sort SORT_BV 0", "expected 1 to"),
        ("mk-sort SORT_BV 99999999999", "expected 1 to"),
        ('mk-sort SORT_BV "\u00b2"', "expected 1 to"),
        ("mk-sort SORT_FP 1 5", "expected 2 to"),
        ('mk-sort SORT_FF "15"', "expected a prime"),
        ("mk-sort SORT_BV 3 4", "takes 2 words"),
        ("mk-sort SORT_ARRAY s1 s9", "unknown sort s9"),
        ("mk-sort SORT_ARRAY s1 t1", "expected a sort such as s1, found 't1'"),
        ("mk-sort SORT_FUN s1", "a domain and a codomain"),
        ("mk-sort SORT_DT 0", "at least one datatype"),
        ('mk-sort SORT_DT 1 "d" 0 1 "c" 1 "x" s(nil)', "no finite value"),
        ('mk-sort SORT_DT 1 "d" 0 2 "c" 0 "c" 0', "two times a constructor 'c'"),
        ('mk-sort SORT_DT 1 "d" 0 1 "c" 1 "x" s"p"', "has no parameter"),
        (
            'mk-sort SORT_DT 1 "d" 0 1 "c" 1 "x" s<"e"> 0',
            "expected a datatype that this line declares",
        ),
        ('mk-sort SORT_DT 1 "d" 0 1 "c" 1 "x" s<"d"> 1 s1', "has 0 parameters, found 1"),
        ("mk-sort SORT_DT 1 d 0 1 c 1 x " + 's<"d"> 1 ' * 99 + "s1", "nested more than"),
        ("instantiate-sort s1 s2", "expected a datatype with parameters"),
        ('mk-const s9 "x"', "unknown sort s9"),
        ("mk-const s1", "expected a symbol"),
        ('mk-value s1 "abc"', "expected a literal of INT, found 'abc'"),
        ("mk-value s1", "expected a literal of INT, found ''"),
        ('mk-special-value s1 "bv.zero"', "has no special value"),
        (
            "mk-term OP_INT_LTT SORT_BOOL 2 t1 t1",
            "unknown operator 'OP_INT_LTT' (did you mean 'OP_INT_LT'",
        ),
        ("mk-term OP_INT_LT SORT_BOL 2 t1 t1", "unknown sort kind 'SORT_BOL'"),
        ("mk-term OP_INT_LT SORT_INT 2 t1 t1", "expected a term of kind SORT_BOOL"),
        ("mk-term OP_INT_LT SORT_BOOL 3 t1 t1", "expected 3 terms behind the count, found 2"),
        ("mk-term OP_INT_LT SORT_BOOL 2 t1 t1 t1", "expected a number of indices"),
        ("mk-term OP_INT_LT SORT_BOOL 1 t1", "takes at least 2 arguments, found 1"),
        ("mk-term OP_NOT SORT_BOOL 2 t4 t4", "takes 1 arguments, found 2"),
        ("mk-term OP_NOT SORT_BOOL 1 t1", "expected arguments of"),
        ("mk-term OP_NOT SORT_BOOL 1 t9", "unknown term t9"),
        ("mk-term OP_NOT SORT_BOOL 1 s1", "expected a term such as t1, found 's1'"),
        ("mk-term OP_NOT SORT_BOOL -1", "found"),
        ("mk-term OP_FORALL SORT_BOOL 2 t1 t3", "binds variables, but t1 is not a variable"),
        ("mk-term OP_FORALL SORT_BOOL 3 t2 t2 t3", "binds t2 twice"),
        ('mk-fun "f" 1 t1 t3', "binds variables, but t1 is not a variable"),
        ('mk-fun "f" 0 t1', "expected variables"),
        ("mk-term@sideways OP_NOT SORT_BOOL 1 t4", "unknown spelling 'sideways' of OP_NOT"),
        (
            "mk-term@number OP_INT_ADD SORT_INT 2 t1 t1",
            "the spelling 'number' of OP_INT_ADD does not fit",
        ),
        ("mk-term@many OP_AND SORT_BOOL 2 t4 t4", "the spelling 'many' of OP_AND does not fit"),
        ("check-sat@other", "unknown spelling 'other' of check-sat"),
        ("assert-formula t3", "free variables"),
        ("assert-formula t1", "must be Boolean"),
        ("check-sat-assuming 1 t1", "must be Boolean"),
        ("check-sat-assuming 2 t4", "expected 2 terms behind the count, found 1"),
        ("pop 1", "cannot pop 1 levels: the run has pushed 0"),
        ("push -1", "levels"),
        ("push x", "expected a number of levels"),
        ("substitute t1 t1 t4", "cannot substitute BOOL for INT"),
        ("simplify", "expected a term"),
        ("set-limit -1", "a limit of 0 or more"),
        ("set-limit 5 -1", "a limit of 0 or more"),
        ("set-limit 5 6 7", "takes 2 words here"),
        ("del t9", "unknown term t9"),
        ("get-value 1 t3", "free variables"),
        ("check-value t1", "expected a literal, but t1 is not one"),
    ],
)
def test_malformed_lines(line: str, message: str) -> None:
    report = toy(*PRELUDE, line)
    assert report["status"] == "malformed", report
    assert report["message"].startswith(f"t.trace:{len(PRELUDE) + 2}: ")
    assert message in report["message"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["mk-sort SORT_INT", "return s1"], "id s1 is returned twice"),
        (['mk-const s1 "y"', "return t1 s1"], "id t1 is returned twice"),
        (['mk-const s1 "y"', "return t9 s2"], "but s2 is BOOL"),
    ],
)
def test_malformed_returns(lines: list[str], message: str) -> None:
    assert message in toy(*PRELUDE, *lines)["message"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no action"),
        ("# murxpy-trace 1\n", "no action"),
        ("# murxpy-trace 2\nnew\n", "trace format '2', this murxpy reads format 1"),
        ("# murxpy-trace 1\n# seed xyz\nnew\n", "t.trace:2: expected a seed in hexadecimal"),
        ("check-sat\n", "expected 'new' before"),
        ("return t1\n", "'return' before any action"),
        ("new\n12 34\n", "t.trace:2: expected '<seed> <action>"),
        ('new\nmk-sort "x\n', "t.trace:2: cannot read"),
    ],
)
def test_malformed_files(text: str, message: str) -> None:
    assert message in outcome(text)


def test_ill_formed_files_raise_input_errors() -> None:
    with pytest.raises(InputError) as error:
        parse_trace("new\n!\n", "f")
    assert error.value.exit_code == 2
