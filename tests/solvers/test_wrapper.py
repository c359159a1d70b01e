"""Wrappers: compiling spellings, leaving out what a release lacks, folding, refusals, what a call
may raise.
"""

from __future__ import annotations

import copy
import sys
import types
from types import SimpleNamespace
from typing import Any

import pytest
from toy import TOY, catalogue, live, replay, toy_session, walk

from murxpy.data import load_wrapper
from murxpy.errors import InputError, TargetError
from murxpy.machine.outcomes import Stopped
from murxpy.machine.run import LINE_SEEDS, Run
from murxpy.solvers import wrapper as wrapping
from murxpy.solvers.exceptions import Refusals
from murxpy.solvers.facts import SCRIPT_MS
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import run_spelling
from murxpy.solvers.wrapper import Wrapper, missing_name


def wrapper(**changes: Any) -> Wrapper:
    data = copy.deepcopy(TOY)
    for key, value in changes.items():
        section = data.setdefault(key.replace("_", "-"), value)
        if isinstance(section, dict):
            section.update(value)
        else:
            data[key.replace("_", "-")] = value
    return Wrapper(data, catalogue())


def made(kind: str, count: int, name: str | None = None, **changes: Any) -> str:
    """The text that a spelling of `kind` makes of arguments a0, a1, …"""
    toy = wrapper(**changes)
    frame = Frame(lambda sort: None)
    terms = toy_terms(count)
    frame.fill(terms)
    spellings = toy.spellings["operators"][kind]
    spelling = spellings.named(name) if name else spellings.pick(0.0, frame)
    assert spelling is not None
    return str(run_spelling(spelling, [f"a{k}" for k in range(count)], (), frame, toy.conjunction))


def toy_terms(count: int) -> tuple[Any, ...]:
    from murxpy.logic.sorts import SortTable
    from murxpy.logic.terms import CONSTANT, TermTable

    sort, terms = SortTable().get("SORT_INT"), TermTable()
    return tuple(terms.leaf(CONSTANT, (f"a{k}",), sort) for k in range(count))


def test_folds_follow_the_signature() -> None:
    assert made("OP_AND", 4, "binary") == "(and (and (and a0 a1) a2) a3)"
    assert made("OP_IMPLIES", 3) == "(=> a0 (=> a1 a2))"
    assert made("OP_INT_LT", 3) == "(and (< a0 a1) (< a1 a2))"
    assert made("OP_DISTINCT", 3) == "(and (distinct a0 a1) (distinct a0 a2) (distinct a1 a2))"
    assert made("OP_AND", 4, "many") == "(and a0 a1 a2 a3)"
    assert (
        made(
            "OP_IMPLIES", 3, operators={"OP_IMPLIES": {"is": "app('=>', {0}, {1})", "fold": "left"}}
        )
        == "(=> (=> a0 a1) a2)"
    )


def test_a_fixed_number_of_arguments_is_not_folded() -> None:
    toy = wrapper(operators={"OP_AT_MOST": {"two": "app('most', {0}, {1})"}})
    frame = Frame(lambda sort: None)
    assert toy.spellings["operators"]["OP_AT_MOST"].pick(0.0, frame.fill(toy_terms(3))) is None
    assert toy.spellings["operators"]["OP_AT_MOST"].pick(0.0, frame.fill(toy_terms(2))) is not None


def test_a_guarded_spelling_may_leave_out_an_argument_of_a_fixed_number() -> None:
    forms = {
        "full": "app('select', {0}, {1})",
        "implied": {"is": "app('first', {0})", "when": "same-0-1"},
    }
    chosen = (
        wrapper(operators={"OP_ARRAY_SELECT": forms})
        .spellings["operators"]["OP_ARRAY_SELECT"]
        .named("implied")
    )
    one, other = toy_terms(2)
    frame = Frame(lambda sort: None)
    assert chosen is not None
    assert chosen.fits(frame.fill((one, one))) and not chosen.fits(frame.fill((one, other)))


def test_what_a_release_lacks_is_left_out() -> None:
    toy = wrapper(
        operators={
            "OP_OR": {
                "gone": "Missing.OR({0}, {1})",
                "old": "Context.no_such({0})",
                "there": "app('or', {0}, {1})",
            }
        },
        actions={
            "reset": "{solver}.no_such_method()",
            "print-model": "[x for x in {solver}.asserted]",
        },
    )
    assert [s.name for s in toy.spellings["operators"]["OP_OR"].spellings] == ["there"]
    assert "reset" not in toy.spellings["actions"] and "print-model" in toy.spellings["actions"]
    missing = {(section, key, name): absent for section, key, name, absent in toy.missing}
    assert missing[("operators", "OP_OR", "gone")] == "Missing"
    assert missing[("operators", "OP_OR", "old")] == "Context.no_such"
    assert missing[("operators", "OP_GONE", "default")] == "missing_function"
    assert missing[("actions", "reset", "default")].endswith("no_such_method")


@pytest.mark.parametrize("key, value", [("unsound", True), ("drawn-since", "99")])
def test_unsound_spellings_and_those_of_later_releases_are_only_replayed(
    key: str, value: object
) -> None:
    toy = wrapper(
        operators={
            "OP_XOR": {"wrong": {"is": "'wrong'", key: value}, "right": "app('xor', {0}, {1})"}
        }
    )
    spellings = toy.spellings["operators"]["OP_XOR"]
    frame = Frame(lambda sort: None).fill(toy_terms(2))
    assert {spellings.pick(k / 50, frame).name for k in range(50)} == {"right"}  # type: ignore[union-attr]
    assert spellings.named("wrong") is not None


def test_a_solver_says_now_which_spellings_are_drawn_and_replays_use_them_all() -> None:
    forms = {
        "empty": {"is": "'empty'", "drawn-while": "not {solver}.asserted"},
        "full": {"is": "'full'", "drawn-while": "{solver}.asserted"},
    }
    spellings = wrapper(actions={"statistics": forms}).spellings["actions"]["statistics"]
    only = wrapper(actions={"statistics": {"full": forms["full"]}}).spellings["actions"]
    for asserted, drawn in (([], "empty"), (["a"], "full")):
        frame = Frame(lambda sort: None)
        frame.solver = SimpleNamespace(asserted=asserted)
        frame.fill()
        assert {spellings.pick(k / 9, frame).name for k in range(9)} == {drawn}  # type: ignore[union-attr]
        assert (only["statistics"].pick(0.5, frame) is None) is (drawn == "empty")
        assert all(spelling.fits(frame) for spelling in spellings.spellings)


def test_weights_and_guards_decide_what_is_drawn() -> None:
    never = {"is": "app('c', {*})", "when": "arity-5"}
    forms = {
        "often": {"is": "app('a', {*})", "weight": 9},
        "seldom": "app('b', {*})",
        "never": never,
    }
    toy = wrapper(operators={"OP_OR": forms})
    spellings = toy.spellings["operators"]["OP_OR"]
    frame = Frame(lambda sort: None).fill(toy_terms(2))
    drawn = [spellings.pick(k / 1000, frame).name for k in range(1000)]  # type: ignore[union-attr]
    assert drawn.count("often") > 800 and drawn.count("seldom") > 50 and "never" not in drawn


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"operators": {"OP_OR": "app('or', {0}"}}, "cannot compile"),
        ({"operators": {"OP_OR": "{what}"}}, "unknown placeholder"),
        ({"operators": {"OP_OR": {"is": "1", "when": "full-moon"}}}, "unknown guard 'full-moon'"),
        ({"operators": {"OP_OR": {"is": "1", "when": "h.none"}}}, "no helper 'none'"),
        ({"refusals": [{"class": "maybe"}]}, "unknown class 'maybe'"),
        ({"refusals": [{"class": "resources", "message": "("}]}, "bad pattern"),
        ({"imports": "import )"}, "in imports or helpers"),
    ],
)
def test_broken_wrappers_say_where(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        wrapper(**changes)
    assert message in str(error.value) and "wrappers/toy.yaml" in str(error.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"imports": "import no_such_solver"},
        {"lifecycle": {"new": "Solver({ctx}).nothing"}},
        {"lifecycle": {"new": "no_solver({ctx})"}},
    ],
)
def test_an_unusable_solver_is_a_target_error(changes: dict[str, Any]) -> None:
    with pytest.raises(TargetError):
        wrapper(**changes)


def test_refusals_are_sorted_first_match_first() -> None:
    rules = [
        {"class": "resources", "type": "RuntimeError", "message": "memory|limit"},
        {"class": "unsupported", "type": "RuntimeError"},
        {"class": "ill-formed", "message": "sort"},
    ]
    sort = wrapper(refusals=rules).refusals.sort
    assert sort(RuntimeError("out of memory\nmore")).sort == "resources"
    assert sort(RuntimeError("never mind")).sort == "unsupported"
    assert sort(TypeError("wrong sort")).sort == "ill-formed"
    assert sort(KeyError("x")).sort == "undocumented"
    assert sort(MemoryError()).sort == "resources"


def test_what_only_z3_can_have_built_is_no_fault_of_ours() -> None:
    sort = Refusals(load_wrapper("z3")["refusals"], "z3").sort
    mismatch = "Sort mismatch at argument #1 for function (declare-fun {} (A) B) supplied sort is C"
    z3_exception = type("Z3Exception", (Exception,), {})
    own = sort(z3_exception(f"script error: {mismatch.format('fold-rec-1')}"))
    script = sort(z3_exception(f"script error: {mismatch.format('f')}"))
    term = sort(z3_exception(mismatch.format("re.loop")))
    assert (own.sort, script.sort, term.sort) == ("undocumented", "ill-formed", "ill-formed")
    assert term.of_terms and not script.of_terms


def test_names_that_an_old_reader_lacks_are_no_fault_of_ours() -> None:
    """Every operator of cvc5's own with a name in a namespace, and the few without one that are
    younger than the oldest release."""
    says = catalogue().dialect("cvc5").same
    names = [op.smtlib for kind, op in catalogue().operators.items() if kind in says]
    young = [name for name in names if "." in name or name.endswith(("_total", "piand"))]
    assert len(young) > 50
    refusals = Refusals(load_wrapper("cvc5")["refusals"], "cvc5")
    for name in young:
        error = RuntimeError(f"script error: Symbol '{name}' not declared as a variable")
        assert refusals.sort(error).sort == "unsupported", name
    error = RuntimeError("script error: Symbol 'x_0' not declared as a variable")
    assert refusals.sort(error).sort == "ill-formed"


@pytest.mark.parametrize("verb", ["Cannot", "script error: cannot", "check error: Cannot"])
def test_old_releases_of_cvc5_refuse_shadowed_variables(verb: str) -> None:
    sort = Refusals(load_wrapper("cvc5")["refusals"], "cvc5").sort
    error = RuntimeError(f"{verb} process term (exists ((x Bool)) x) with shadowed variables")
    assert sort(error).sort == "unsupported"


@pytest.mark.parametrize(
    ("action", "kind"), [("assert-formula", "exception"), ("mk-sort", "ill-formed")]
)
def test_an_assertion_refused_for_a_term_in_it_is_a_fault_of_the_solver(
    action: str, kind: str
) -> None:
    def throw() -> None:
        raise ValueError("sort mismatch")

    rule = {"class": "ill-formed", "message": "mismatch", "of-terms": True}
    calls = {action: "thrower.throw()"}
    data = {"refusals": [rule], "imports": f"{TOY['imports']}\nimport thrower"}
    sys.modules["thrower"] = types.SimpleNamespace(throw=throw)
    toy = wrapper(**data, actions=calls)
    run = Run(toy, toy.catalogue, 0, lambda text: None)
    spellings = toy.set("actions", action)
    assert spellings is not None
    with pytest.raises(Stopped) as stopped:
        run.call(spellings.spellings[0], (), (), action)
    assert stopped.value.finding["kind"] == kind


def test_the_reason_behind_what_a_long_message_quotes() -> None:
    rules = [
        {"class": "resources", "message": "^limit"},
        {"class": "unsupported", "message": "not supported$"},
    ]
    sort = wrapper(refusals=rules).refusals.sort
    assert sort(RuntimeError("(and p " * 10_000 + "is not supported")).sort == "unsupported"
    assert sort(RuntimeError("limit" + "x" * 30_000)).sort == "resources"
    assert sort(RuntimeError("x" * 25_000 + "limit" + "x" * 9_995)).sort == "undocumented"


def test_the_line_seed_alone_chooses_the_spelling() -> None:
    names = {}
    for seed in range(0, LINE_SEEDS, 5000):
        first, second = (
            replay(toy_session(), f"{before}new\n{seed} mk-sort SORT_INT")[0]
            for before in ("", "# seed 7\n")
        )
        names[seed] = first.split("mk-sort@")[1].split(" ")[0]
        assert second.endswith(f"mk-sort@{names[seed]} SORT_INT\n      return s1\n")
    assert set(names.values()) == {"plain", "other"}


def test_walks_call_only_what_fits() -> None:
    for seed in range(60):
        text, report = walk(toy_session(), seed)
        assert report["finding"] is None, (seed, report["finding"])
        assert "OP_GONE" not in text


def test_an_operator_that_only_later_releases_read_is_not_in_scripts() -> None:
    toy = wrapper(script_since={"OP_AND": "99.0", "OP_OR": "0.1"})
    assert [toy.reads(kind) for kind in ("OP_AND", "OP_OR", "OP_NOT")] == [False, True, True]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({}, SCRIPT_MS),
        ({"0": 30, "0.2": 20, "99.0": 5}, 20.0),
        ({"99.0": 5}, SCRIPT_MS),
        ({"0.10": 7, "0.9": 8}, 7.0),
    ],
)
def test_the_time_of_a_script_is_that_of_the_release(
    told: dict[str, float], expected: float
) -> None:
    toy = wrapper(script_ms=told)
    assert toy.script_ms == expected == toy.describe()["script_ms"]


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_the_first_look_at_the_words_of_a_spelling_hides_nothing(
    solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For all spellings of a shipped wrapper, each also with a name that does not exist."""
    asked: list[tuple[Any, ...]] = []

    def noted(*args: Any) -> str | None:
        asked.append(args)
        return missing_name(*args)

    monkeypatch.setattr(wrapping, "missing_name", noted)
    live.__wrapped__(solver)  # a session of its own: one loaded before asks nothing again
    asked += [(f"[{source}, no_such_name]", *rest) for source, *rest in asked]
    quick = [missing_name(*args) for args in asked]
    monkeypatch.setattr(wrapping, "_simple", lambda *_: False)
    assert quick == [missing_name(*args) for args in asked] and any(quick)
