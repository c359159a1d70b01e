"""What a solver documents as internal, unsupported or experimental is decided in data, and hides
what needs it, and nothing else.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from commands import fuzz_fake, outcome
from toy import TOY, forked

from murxpy.data import load_catalogue, load_wrapper
from murxpy.data.spellings import forms
from murxpy.findings.buckets import failing, new_bucket
from murxpy.machine.trace.finished import Call
from murxpy.oracles.crash import Verdict
from murxpy.oracles.documented import TIER, Documented
from murxpy.solvers.wrapper import SECTIONS

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import documentation

SOLVERS = ("z3", "cvc5")
FAKES = Path(__file__).parents[1] / "fakes"
QUOTE = "This kind is experimental"
ENTRIES: list[dict[str, Any]] = [
    {"quote": QUOTE, "calls": r"'distinct'|\btoy_look\("},
    {"quote": "formats", "options": ["fp-exp"], "sorts": "^SORT_FP (?!8 24$)"},
    {"quote": "all", "options": ["*"], "counts": "for experts"},
    {"quote": "said", "calls": "'and'", "counts": "the standard has it"},
]
DOCUMENTED = Documented({**TOY, "documented": ENTRIES})


@dataclass
class Read:
    """What the installed package documents: of each quote the things that have it, sentences that
    nothing decides, barred names.
    """

    quotes: dict[str, list[str]]
    undecided: list[str]
    barred: list[str]


def _read(solver: str) -> Read:
    wrapper = load_wrapper(solver)
    texts = list(documentation.documentation(wrapper))
    decide, hits, entries = (
        documentation.decider(wrapper),
        documentation.hits(texts),
        wrapper["documented"],
    )
    read = Read(
        {entry["quote"]: [] for entry in entries},
        [],
        [hit.name for hit in hits if "may not be created" in hit.sentence],
    )
    read.undecided = [f"{hit.name}: {hit.sentence}" for hit in hits if decide(hit) is None]
    for what, name, text in texts:
        line = documentation.one_line(text)
        place = decide(documentation.Hit(what, name, line))
        if place is not None and entries[place]["quote"] in line:
            read.quotes[entries[place]["quote"]].append(name)
    return read


@functools.cache
def read(solver: str) -> Read:
    result: Read = forked(lambda: _read(solver))
    return result


@pytest.mark.parametrize("solver", SOLVERS)
def test_each_quote_is_in_the_installed_documentation(solver: str) -> None:
    assert [quote for quote, names in read(solver).quotes.items() if not names] == []


@pytest.mark.parametrize("solver", SOLVERS)
def test_each_sentence_that_limits_what_is_promised_is_decided(solver: str) -> None:
    assert read(solver).undecided == []


@pytest.mark.parametrize("solver", SOLVERS)
def test_each_entry_names_what_the_wrapper_has(solver: str) -> None:
    wrapper = load_wrapper(solver)
    text = documentation.source(wrapper)
    options = {option["name"] for option in wrapper["options"]} | {
        n for pairs in wrapper["required-options"].values() for n, _ in pairs
    }
    for entry in wrapper["documented"]:
        assert entry.get("calls") or entry.get("options"), entry
        assert "calls" not in entry or re.search(entry["calls"], text), entry
        assert set(entry.get("options") or ()) <= options | {"*"}, entry


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_spelling_creates_what_may_not_be_created(solver: str) -> None:
    wrapper = load_wrapper(solver)
    templates = [
        f if isinstance(f, str) else f["is"]
        for s in SECTIONS
        for entry in wrapper[s].values()
        for f in forms(entry).values()
    ]
    assert [
        text
        for text in templates
        for name in read(solver).barred
        if re.search(rf"\b{re.escape(name)}\b", text)
    ] == []


@pytest.mark.parametrize(
    ("line", "quote"),
    [
        ("1 mk-term@default OP_DISTINCT SORT_BOOL 2 t1 t2", QUOTE),
        ("1 mk-term@default OP_NOT SORT_BOOL 1 t1", ""),
        # a spelling that the wrapper has not
        ("1 mk-term@other OP_DISTINCT SORT_BOOL 2 t1 t2", ""),
        ("1 mk-term@binary OP_AND SORT_BOOL 2 t1 t2", ""),  # decided to count
        ("1 misuse@none mk-term@default OP_DISTINCT SORT_BOOL 2 t1 t2 with 0 py:none", ""),
        ("1 set-option@default fp-exp true", ""),  # no sort that needs it
        ("1 mk-sort@default SORT_FP 5 11", ""),
        ("1 mk-sort@default SORT_FP 5 11\n1 set-option@default fp-exp true", "formats"),
        ("1 mk-sort@default SORT_FP 8 24\n1 set-option@default fp-exp true", ""),
        ("1 mk-sort@default SORT_FP 5 11\n1 set-option@default fp-exp false", ""),
        ("1 set-option@default depth 3", ""),
    ],
)
def test_a_trace_uses_what_is_documented_so(line: str, quote: str) -> None:
    assert DOCUMENTED.of_trace(f"# solver toy\n1 new@default\n{line}\n") == quote


def test_only_the_call_itself_decides_a_call() -> None:
    assert DOCUMENTED.of_call(Call("mk-term", "OP_DISTINCT", "default")) == QUOTE
    assert DOCUMENTED.of_call(Call("check-sat", "", "default")) == ""
    assert Documented(TOY).of_call(Call("mk-term", "OP_DISTINCT", "default")) == ""


def test_what_checks_elimination_is_the_call_that_eliminates() -> None:
    cvc5 = Documented(load_wrapper("cvc5"))
    assert "experimental" in cvc5.of_call(Call("check-elimination", "", "full"))
    assert "experimental" in cvc5.of_call(Call("check-interpolant", "", "one"))
    assert (
        cvc5.of_call(Call("check-simplify", "", "plain"))
        == cvc5.of_call(Call("check-core", "", "default"))
        == ""
    )


def test_a_documented_bucket_does_not_fail() -> None:
    for tier, fails in (("solver", True), ("binding", True), (TIER, False), ("murxpy", False)):
        bucket = new_bucket(
            "key", "toy", Verdict("crash", tier, "", "", Call()), known=False, now=0.0
        )
        bucket.state = "confirmed"
        assert failing(bucket) is fails


def fake(tmp_path: Path, calls: str) -> tuple[str, ...]:
    """The words of a fuzz of the fake solver, whose documentation calls `calls` experimental."""
    wrapper = tmp_path / "fake.yaml"
    entry = f'documented:\n  - {{quote: may change, calls: "{calls}"}}\n'
    wrapper.write_text((FAKES / "fake.yaml").read_text(encoding="utf-8") + entry, encoding="utf-8")
    return ("--wrapper", str(wrapper))


@pytest.mark.slow
def test_what_the_safe_mode_of_the_solver_allows_is_not_hidden(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort")
    words = fake(tmp_path, "mk_op.'and'")
    with (tmp_path / "fake.yaml").open("a", encoding="utf-8") as file:
        file.write("safe-options: [[depth, 3]]\n")
    code, out, _ = fuzz_fake(capsys, tmp_path / "out", "--runs", "20", *words)
    assert code == 1 and "hidden" not in out
    listed = json.loads(outcome(capsys, "findings", tmp_path / "out", "--json")[1])
    assert [row["tier"] for row in listed] == ["solver"]


@pytest.mark.slow
@pytest.mark.parametrize(("calls", "hidden"), [("mk_op.'and'", True), ("mk_op.'or'", False)])
def test_a_campaign_hides_what_needs_it(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    calls: str,
    hidden: bool,
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort")
    code, out, _ = fuzz_fake(
        capsys, tmp_path / "out", "--runs", "20", "--minimize", *fake(tmp_path, calls)
    )
    assert code == int(not hidden)
    assert ("1 defect of experimental features hidden: murxpy findings" in out) is hidden
    listed, every, only = (
        [
            row["tier"]
            for row in json.loads(outcome(capsys, "findings", tmp_path / "out", "--json", *more)[1])
        ]
        for more in ((), ("--all",), ("--tier", TIER))
    )
    assert (listed, every, only) == (
        ([], [TIER], [TIER]) if hidden else (["solver"], ["solver"], [])
    )
    assert (
        "no findings\n1 defect hidden" in outcome(capsys, "findings", tmp_path / "out")[1]
    ) is hidden


def test_mutants_get_no_operator_that_is_documented_as_experimental() -> None:
    """What a script shows is not told by its operators, so that none of them may need the tier."""
    operators = Documented(load_wrapper("cvc5")).operators()
    assert {"OP_INT_DIV_TOTAL", "OP_SET_CHOOSE", "OP_BAG_CARD"} <= set(
        operators
    ) and "OP_INT_DIV" not in operators
    assert Documented(load_wrapper("z3")).operators() == []
    assert set(operators) <= {
        kind for theory in load_catalogue()["theories"] for kind in theory["operators"]
    }


@pytest.mark.parametrize(
    ("last", "hidden"),
    [
        ("1 mk-term@a OP_FP_TO_FP_FROM_UBV SORT_FP 2 t8 t4 2 3 22", True),
        ("1 mk-term@a OP_FP_TO_FP_FROM_UBV SORT_FP 2 t8 t4 2 8 24", False),
        ("1 mk-term@a OP_FP_FP SORT_FP 3 t1 t2 t1", True),
        ("1 mk-term@a OP_FP_FP SORT_FP 3 t1 t3 t4", False),
        ("1 mk-sort@a SORT_FP 3 5", True),
    ],
)
def test_a_format_is_told_by_the_terms_of_it_too(last: str, hidden: bool) -> None:
    """cvc5 documents formats other than Float32 and Float64 as experimental."""
    head = "1 new@default\n1 set-option@default fp-exp true\n"
    for number, width in ((1, 1), (2, 2), (3, 8), (4, 23)):
        head += f'1 mk-sort@mk SORT_BV {width}\n      return s{number}\n1 mk-const@mk s{number} "a"\n      return t{number} s{number}\n'
    assert bool(Documented(load_wrapper("cvc5")).of_trace(f"{head}{last}\n")) == hidden


@pytest.mark.parametrize("sort, hidden", [("SORT_ARRAY s1 s1", True), ("SORT_REAL", False)])
def test_the_experimental_arrays_of_cvc5_need_an_array(sort: str, hidden: bool) -> None:
    """The runs that bring scripts to the API turn `arrays-exp` on for each script, so the option
    alone says nothing of a finding.
    """
    trace = f"1 new@default\n1 set-option@default arrays-exp true\n1 mk-sort@mk {sort}\n      return s2\n"
    assert bool(Documented(load_wrapper("cvc5")).of_trace(trace)) == hidden
