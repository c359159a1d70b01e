"""String literals of SMT-LIB: which escapes there are, that print and read agree, and that z3 and
cvc5 mean the same by them.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scriptsolvers import SOLVERS, answers, z3_scripts
from toy import catalogue, forked, live

from murxpy.logic.values import MAX_CODE_POINT
from murxpy.machine import make, solve
from murxpy.machine.random import Stream
from murxpy.machine.run import Run
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, Script

CATALOGUE = catalogue()
DIALECTS = [
    n for n in sorted(CATALOGUE.dialects) if "SORT_STRING" not in CATALOGUE.dialect(n).lacks
]
HEX = "0123456789abcdefABCDEF"

# What stands between the quotes, and the code points that it denotes; a text stands for its own.
WRITTEN: dict[str, str | list[int]] = {
    r"\u0061": [0x61],
    r"\uD800": [0xD800],
    r"\u006": r"\u006",
    r"\u00g1": r"\u00g1",
    r"\uu0061": r"\uu0061",
    r"\u00611": [0x61, 0x31],
    r"\u{61}": [0x61],
    r"\u{0}": [0],
    r"\u{00061}": [0x61],
    r"\u{000061}": r"\u{000061}",
    r"\u{2fFfF}": [0x2FFFF],
    r"\u{30000}": r"\u{30000}",
    r"\u{100000}": r"\u{100000}",
    r"\u{ffff}": [0xFFFF],
    r"\u{}": r"\u{}",
    r"\u{g}": r"\u{g}",
    r"\u{61": r"\u{61",
    r"\u{6 1}": r"\u{6 1}",
    r"\U{61}": r"\U{61}",
    r"\\u{61}": [0x5C, 0x61],
    r"\x61": r"\x61",
    r"\n": r"\n",
    "\\": "\\",
    r"\u{{61}}": r"\u{{61}}",
    r"\u{\u{61}": [0x5C, 0x75, 0x7B, 0x61],
    r"\u\u0061": [0x5C, 0x75, 0x61],
    '""': '"',
    r"\u{22}" "": [0x22],
}
# Characters of which most strings make escapes, or what almost is one.
letters = st.sampled_from('\\\\\\\\uu{{}}00012369aFg"')
pieces = st.sampled_from(
    [
        r"\u{61}",
        r"\u{000061}",
        r"\u{30000}",
        r"\u0041",
        r"\u{2ffff}",
        "\\u{",
        "}",
        "\u00e9",
        "\0",
        "\ud800",
        "\U0002ffff",
    ]
)
strings = st.lists(letters | pieces, max_size=12).map("".join)


def read(text: str) -> Script:
    return read_script(text, "f.smt2", CATALOGUE)


def denoted(written: str) -> str:
    """What our reader makes of a literal, given what stands between its quotes."""
    term = read(f'(declare-const x String)(assert (= x "{written}"))').assertions()[0]
    return str(term.args[1].indices[0])


def points(expected: str | list[int]) -> str:
    return expected if isinstance(expected, str) else "".join(map(chr, expected))


def reference(written: str) -> str:
    """The definition of the theory UnicodeStrings, letter by letter."""
    found, at = "", 0
    while at < len(written):
        rest = written[at:]
        digits = 0
        if rest.startswith("\\u{"):
            end = rest.find("}")
            code = rest[3:end] if end > 0 else ""
            if (
                1 <= len(code) <= 5
                and all(c in HEX for c in code)
                and int(code, 16) <= MAX_CODE_POINT
            ):
                digits, at = int(code, 16), at + end + 1
                found += chr(digits)
                continue
        elif rest.startswith("\\u") and len(rest) >= 6 and all(c in HEX for c in rest[2:6]):
            found, at = found + chr(int(rest[2:6], 16)), at + 6
            continue
        found, at = found + rest[0], at + 1
    return found


@pytest.mark.parametrize("written", WRITTEN)
def test_escapes_of_the_standard(written: str) -> None:
    assert denoted(written) == points(WRITTEN[written])


@given(strings.map(lambda text: text.replace("\0", "")))  # which no script may contain
@example(r"\u{\u0061}")
def test_a_literal_denotes_what_the_definition_says(written: str) -> None:
    assert denoted(written.replace('"', '""')) == reference(written)


@given(strings, st.sampled_from(DIALECTS))
@example(r"\u{000061}", "z3")
def test_a_printed_string_is_read_again(value: str, dialect: str) -> None:
    text = printed(value, dialect)
    assert text.isascii()
    assert denoted(text) == value


def printed(value: str, dialect: str) -> str:
    """What our printer puts between the quotes of a literal."""
    script = read('(assert (= "" ""))')
    term = script.tables.value(script.tables.string, value)
    made = print_script(
        Script("made", script.tables, [Assert(script.tables.apply("OP_EQUAL", term, term))]),
        dialect,
    )
    return made.split('"')[1]


def sample() -> list[str]:
    """Strings that the seed alone decides: what is written above, and sixty random ones."""
    stream = Stream(7)
    alphabet = [
        r"\u{61}",
        r"\u{000061}",
        r"\u{30000}",
        r"\u0041",
        "\\u{",
        *'\\\\\\uu{{}}012369aF"',
        "\u00e9",
        "\0",
        "\ud800",
        "\U0002ffff",
    ]
    return [
        *WRITTEN,
        *("".join(stream.choose(alphabet) for _ in range(stream.between(1, 8))) for _ in range(60)),
    ]


def says(written: str, value: str) -> str:
    """The assertion that a literal has the length and the code points of `value`."""
    parts = [f'(= (str.to_code (str.at "{written}" {k})) {ord(c)})' for k, c in enumerate(value)]
    return f'(assert (and (= (str.len "{written}") {len(value)}) {" ".join(parts)}))'


@pytest.mark.parametrize("solver", SOLVERS)
def test_solvers_read_literals_as_we_do(solver: str) -> None:
    ours = [says(written, denoted(written)) for written in WRITTEN]
    made = [says(printed(value, solver), value) for value in sample()]
    script = "(set-logic ALL)\n" + "\n".join(ours + made) + "\n(check-sat)"
    assert answers(solver, script) == ["sat"]


@pytest.mark.parametrize("solver", SOLVERS)
def test_each_spelling_of_a_string_makes_that_string(solver: str) -> None:
    found: dict[str, list[Any]] = forked(lambda: _spelled(solver))
    assert len(found) >= 4
    assert {name: wrong for name, (_, wrong) in found.items() if wrong} == {}
    assert all(count > 10 for count, _ in found.values()), found


def _spelled(solver: str) -> dict[str, Any]:
    """By spelling: how many strings it made, and those that came out as others."""
    session = live(solver)
    run = Run(session.wrapper, session.catalogue, 1, lambda line: None)
    solve.new(run, 0)
    sort = make.make_sort(run, run.sorts.get("SORT_STRING"), (), 0)
    reader = run.wrapper.set("readers", "value")
    chosen = run.wrapper.set("values", "SORT_STRING")
    assert reader is not None and chosen is not None
    found: dict[str, Any] = {spelling.name: [0, []] for spelling in chosen.spellings}
    for value in sample():
        for spelling in chosen.spellings:
            run.frame.fill(result=sort.sort, value=value)
            if not spelling.fits(run.frame):
                continue
            made = run.call(spelling, (), (), "mk-value")
            run.frame.fill()
            row = run.call(reader.spellings[0], (made,), (), "simplify")
            found[spelling.name][0] += 1
            if row is None or row[-1] != value:
                found[spelling.name][1].append((value, row))
    return found


def test_old_releases_of_z3_have_the_escapes_of_c() -> None:
    text = r'(assert (= |"\u{7}| "\x41\u{41}\u0042""\\") ) ; \u{7} "\"'
    assert (
        z3_scripts.with_escapes_of_c(text)
        == r'(assert (= |"\u{7}| "\x5cx41\x41\x42""\x5c\x5c") ) ; \u{7} "\"'
    )
    printed = r'(|"\n| "\n\\x\xfF""\q") ; "\n"'
    assert (
        z3_scripts.with_standard_escapes(printed) == r'(|"\n| "\u{a}\u{5c}x\u{ff}""\u{71}") ; "\n"'
    )
    with pytest.raises(z3_scripts.z3.Z3Exception, match="not supported"):
        z3_scripts.with_escapes_of_c(r'"\u{100}"')
