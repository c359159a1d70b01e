"""The options that a solver tells of itself, and which of them runs may draw."""

from __future__ import annotations

import re
from typing import Any

import pytest
from commands import outcome
from toy import live

from murxpy.data import load_catalogue, load_wrapper
from murxpy.errors import InputError
from murxpy.fuzzers.setups import RunOptions
from murxpy.logic.catalogue import build_catalogue
from murxpy.processes.plans import Request, make_plans
from murxpy.solvers.facts import Option, build_facts
from murxpy.solvers.options import chosen, completed, excluded
from murxpy.solvers.wrapper import Wrapper
from murxpy.worker.session import Session

WRAPPER = {
    "options": [
        {"name": "old", "type": "bool", "weight": 2},
        {"name": "mode", "type": ""},
        {"name": "gone", "type": "choice", "values": ["a", "b"]},
    ],
    "undrawn-options": {"prints": ["print-*"]},
    "option-theories": {"BV": ["bv-*"]},
    "forbidden": {"options": {"writes files": ["dump"]}},
}
READ: list[dict[str, Any]] = [
    {"name": "old", "type": "bool", "category": "common"},
    {"name": "mode", "type": "choice", "values": ["x", "y"], "category": "regular"},
    {"name": "bv-depth", "type": "int", "min": 2, "max": 50, "default": 7, "category": "regular"},
    {"name": "bv-late", "type": "bool", "category": "expert"},
    {"name": "print-all", "type": "bool", "category": "common"},
    {"name": "dump", "type": "bool", "category": "common"},
    {"name": "title", "type": "text", "category": "common"},
    {"name": "depth", "type": "int", "alias-of": "bv-depth", "category": "regular"},
]
FACTS = completed(build_facts(WRAPPER), READ)


def test_the_solver_completes_what_the_wrapper_lists() -> None:
    options = {option.name: option for option in FACTS.every_option}
    assert list(options) == ["old", "mode", "gone", "bv-depth", "bv-late"]
    assert (options["mode"].type, options["mode"].values) == ("choice", ("x", "y"))
    assert options["bv-depth"].values == (2, 5, 10, 7) and not options["bv-depth"].listed
    assert options["bv-late"].theories == ("BV",) and options["old"].weight == 2
    plain = build_facts(WRAPPER)
    assert completed(plain, []) is plain


def test_an_option_is_not_drawn_beside_its_rivals() -> None:
    option = Option("fast", "bool", theories=("BV", "FP"), unless=("models", "QUANT"))
    assert option.fits(["BOOL", "BV"], {"models": "false", "other": "true"})
    assert not option.fits(["BOOL"], {})
    assert not option.fits(["BV", "QUANT"], {})
    assert not option.fits(["BV"], {"models": "true"})


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("none", ""),
        ("listed", "old mode gone"),
        ("common", "old"),
        ("regular", "old mode gone bv-depth"),
        ("all", "old mode gone bv-depth bv-late"),
        ("common,bv-*", "old bv-depth bv-late"),
    ],
)
def test_sets_names_and_patterns(words: str, expected: str) -> None:
    assert [o.name for o in chosen(FACTS, words.split(","))] == expected.split()


@pytest.mark.parametrize(
    ("word", "message"),
    [("print-all", "because it prints"), ("bv-lat", "bv-late"), ("nothing", "no option")],
)
def test_a_word_without_an_option_is_an_error(word: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        chosen(FACTS, [word])


def test_each_option_that_is_not_drawn_has_a_reason() -> None:
    reasons = {entry["name"]: excluded(FACTS, entry) for entry in READ}
    assert [name for name, because in reasons.items() if because] == [
        *("print-all", "dump", "title", "depth")
    ]
    assert reasons["dump"] == "writes files"


@pytest.mark.parametrize(("solver", "least"), [("z3", 240), ("cvc5", 320)])
def test_what_a_release_offers(solver: str, least: int) -> None:
    wrapper = Wrapper(load_wrapper(solver), build_catalogue(load_catalogue()))
    wrapper.ask_options()
    facts = wrapper.facts
    assert len(facts.options or ()) > least
    assert all(option.type for option in facts.options or ())
    forbidden, prefix = facts.forbidden, facts.script_option_prefix
    names = [option.name for option in facts.every_option]
    assert len(names) == len(set(names))
    assert not [n for n in names if forbidden.option(n) or forbidden.option(prefix + n)]
    stale = [
        pattern
        for pattern, _ in facts.undrawn
        if not any(
            re.fullmatch(pattern.replace("*", ".*"), e["name"]) for e in wrapper.read_options
        )
    ]
    assert not stale


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_runs_set_few_options_beyond_those_listed(solver: str) -> None:
    (plan,) = make_plans(Request((solver,), run_options=RunOptions(drawn_options=("all",))))
    session = Session(plan.setup)
    listed = {option["name"] for option in load_wrapper(solver)["options"]}
    drawn: list[list[str]] = []
    for seed in range(12):
        lines: list[str] = []
        session.walk(seed, lines.append)
        names = re.findall(r"^ *\d+ set-option@\S+ (\S+)", "".join(lines), re.M)
        special = session.wrapper.facts.forms.get("special-options") or {}
        needed = [name for name, _ in session.wrapper.facts.required()]
        drawn.append([n for n in names if n not in special and n not in needed])
    assert max(map(len, drawn)) <= 3
    assert {name for names in drawn for name in names} - listed


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    seed = ("--run-seed", "7")
    code, trace, _ = outcome(capsys, "fuzz", "cvc5", *seed, "--options", "safe")
    assert code in (0, 1) and " safe-mode safe\n" in trace
    code, trace, _ = outcome(capsys, "fuzz", "cvc5", *seed, "--options", "none")
    assert (
        code in (0, 1) and trace == outcome(capsys, "fuzz", "cvc5", *seed, "--no-option-fuzzing")[1]
    )
    for words, message in (
        (("z3", "--options", "safe"), "no safe mode"),
        (("cvc5", "--options", "comon"), "such a name"),
        (("cvc5", "--options", "all", "--no-option-fuzzing"), "leave it or --options out"),
    ):
        code, _, err = outcome(capsys, "fuzz", *words, *seed)
        assert code == 2 and message in err and len(err.splitlines()) == 1


def test_a_walk_sets_what_the_wrapper_sets_beside_an_option() -> None:
    options = RunOptions(theories=("BOOL",), drawn_options=("bv-solver",))
    (plan,) = make_plans(Request(("cvc5",), run_options=options))
    wrapper = dict(plan.setup["wrapper"])
    own = {"name": "bv-solver", "type": "choice", "values": ["bitblast"], "with": [["seed", 7]]}
    session = Session({**plan.setup, "wrapper": {**wrapper, "options": [own]}})
    drawn = 0
    for seed in range(20):
        lines: list[str] = []
        session.walk(seed, lines.append)
        given = re.findall(r"^ *\d+ set-option@\S+ \S*?(bv-solver|seed)\b", "".join(lines), re.M)
        assert given in ([], ["bv-solver", "seed"])
        drawn += bool(given)
    assert drawn


def test_z3_is_asked_once_what_all_its_solvers_take() -> None:
    z3 = pytest.importorskip("z3")
    h = live("z3").wrapper.namespace["h"]
    taken = h.taken_by_all()
    assert taken is h.taken_by_all() and "random_seed" in taken
    context = z3.Context()
    simple, other = z3.SimpleSolver(ctx=context), z3.Solver(ctx=context)
    assert all(h.has_parameter(simple, name) for name in taken)
    assert h.has_parameter(other, "sort_sums") and "sort_sums" not in taken
    assert h.setting(other, "sort_sums", "true") is True
    with pytest.raises(z3.Z3Exception, match="unknown parameter"):
        h.setting(simple, "sort_sums", "true")
