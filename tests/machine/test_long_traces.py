"""The lines of a long trace are parsed when they are used. Nothing else may differ from a short
trace, whose lines are parsed at once.
"""

from __future__ import annotations

import re
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import replay, toy_session, walk

from murxpy.data import load_catalogue, load_wrapper
from murxpy.errors import InputError
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.trace import grammar
from murxpy.machine.trace.grammar import Line, Trace, parse_trace
from murxpy.translate.python import to_python

NOTHING = re.compile(r"(?!)")
EXAMPLES = sorted((Path(__file__).parents[2] / "traces").rglob("*.trace"))
# Whatever the two ways to read a row could see differently: heads, results, quotes, Python values,
# all sorts of white space.
PIECES = (
    "new",
    "7",
    "mk-term@and",
    "o1.",
    "o1.assert-formula",
    "@x",
    "return",
    "answer",
    "# note",
    "t1",
    "s(nil)",
    's"p"',
    's<"d">',
    '"a b"',
    '"',
    "py:none",
    "py:[",
    'py:"a b"',
    "-5",
    "9" * 21,
    "\\u{61}",
    " ",
    "  ",
    "\t",
    "\r",
    "\x0b",
    "\x1c",
    "\x85",
    "\xa0",
    "\u2028",
    "\n",
    "\nreturn ",
    "\n7 new ",
    "é",
    "1 set-murxla-options --cvc5\n",
    "set-murxla-options --cvc5\n",
)


def late(text: str, name: str = "t") -> Trace:
    """The trace, read as a long one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grammar, "WHOLE", 0)
        return parse_trace(text, name)


def read(text: str) -> tuple[list[Line], dict[str, str], list[str] | None] | str:
    """What a trace holds, or the error that it gives."""
    try:
        trace = late(text)
    except InputError as error:
        return str(error)
    return list(trace.lines), trace.header, trace.murxla_options


@settings(max_examples=500)
@given(st.lists(st.sampled_from(PIECES) | st.just(" "), max_size=12).map("".join))
def test_a_row_that_is_not_looked_at_closely_can_be_parsed(rows: str) -> None:
    for text in (rows, f"1 new\n{rows}"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(grammar, "_PLAIN", NOTHING)
            closely = read(text)
        assert read(text) == closely


@pytest.mark.parametrize("path", EXAMPLES[::5], ids=lambda path: path.name)
def test_lines_are_the_same_however_they_are_asked_for(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines, known = late(text).lines, parse_trace(text, "t").lines
    assert len(lines) == len(known) and list(lines) == known
    assert (
        list(reversed(lines)) == known[::-1]
        and lines[1:-1:2] == known[1:-1:2]
        and lines[-1] == known[-1]
    )
    assert late(text).text() == parse_trace(text, "t").text()
    with pytest.raises(IndexError):
        lines[len(known)]


def test_an_error_is_told_before_a_line_is_used() -> None:
    wrong = {
        '7 assert-formula "t1': "t:3: cannot read",
        "7 ?": "t:3: expected '<seed>",
        "7 new py:x": "t:3: 'py:x' is no",
    }
    for row, message in wrong.items():
        with pytest.raises(InputError, match=re.escape(message)):
            late(f"1 new\n\n{row}\n2 delete\n")


def test_replays_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    walks = [walk(toy_session(), seed)[0] for seed in range(8)]
    replayed = [replay(toy_session(), text)[0] for text in walks]
    monkeypatch.setattr(grammar, "WHOLE", 0)
    assert [replay(toy_session(), text)[0] for text in walks] == replayed == walks


def test_a_program_knows_the_last_line() -> None:
    catalogue, wrapper = build_catalogue(load_catalogue()), load_wrapper("z3")
    text = '# solver z3 5.4.0\nnew\nmk-sort SORT_BOOL\n return s1\nmisuse@call z3.And py:[1] py:none\n raised "ValueError: a"\n'
    for ended in (text, f"{text}delete\n", f"{text}check-sat\n"):
        assert to_python(late(ended), catalogue, wrapper) == to_python(
            parse_trace(ended, "t"), catalogue, wrapper
        )
    assert "ends with this call" in to_python(late(f"{text}check-sat\n"), catalogue, wrapper)


def test_blank_rows_and_comments_take_no_memory() -> None:
    text = "1 new\n2 mk-sort SORT_BOOL\n" + "\n# nothing\n" * 20_000 + "  return s1\n"
    tracemalloc.start()
    trace = late(text)
    results = [line.results for line in trace.lines]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [len(result) for result in results] == [0, 1]
    assert peak < len(text)


def test_a_long_trace_takes_less_memory_than_its_text() -> None:
    text = "1 new\n" + "2 mk-term@and OP_AND SORT_BOOL 2 t1 t2\n      return t3 s1\n" * 4000
    tracemalloc.start()
    trace = late(text)
    words = sum(len(line.args) for line in trace.lines)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert words == 5 * 4000
    assert peak < len(text)
