"""Contract mode on a binding with planted defects: each is found, once, by its class; a clean
binding has none; lines replay.
"""

from __future__ import annotations

import pydoc
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import misuses
import pytest
from misuses import session
from toy import forked, live, replay, walk

from murxpy.data import load_catalogue, load_machine, load_wrapper
from murxpy.findings.buckets import bucket_key
from murxpy.machine.contract import protocols
from murxpy.machine.contract.rules import RULES
from murxpy.machine.contract.stress import outlived, survived
from murxpy.machine.trace.grammar import parse_trace
from murxpy.oracles.crash import Outcome, judge
from murxpy.translate.python import to_python
from murxpy.worker.session import Session

SEEDS = 1000  # walks after which a defect that did not show is one that no rule finds


@pytest.fixture(autouse=True)
def binding(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test ends the interpreter, and none leaves a defect behind."""
    monkeypatch.setitem(protocols.STRESS, "exit", lambda run, operands, words: None)
    yield
    misuses.plant("")


def test_every_class_of_defects_has_a_rule() -> None:
    assert len(RULES) == 41, "two rules with one name, or a new one: say it in docs/contract.md"
    assert {rule.letter for rule in RULES.values()} == set("ABCDEFGH")
    assert set(misuses.DEFECTS.values()) == set("ABCDEFGH")


@pytest.mark.slow
def test_a_clean_binding_has_no_finding() -> None:
    counts: dict[str, int] = {}
    for seed in range(10):
        trace, report = misuses.walked(seed, by_name=seed < 4)
        assert report["finding"] is None, f"{report['finding']}\n{trace}"
        for name, count in report["counts"].items():
            counts[name] = counts.get(name, 0) + count
    assert sum(count for name, count in counts.items() if name.startswith("misuse-refused:")) > 15
    assert len([name for name in counts if name.startswith("misuse:")]) > 15


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("defect", misuses.DEFECTS)
def test_a_planted_defect_is_found_and_named(defect: str) -> None:
    misuses.plant(defect)
    walks = (misuses.walked(seed, defect in misuses.BY_NAME) for seed in range(SEEDS))
    found = next(walk for walk in walks if walk[1]["finding"] is not None)
    trace, report = found
    verdict = judge(Outcome("report", report, trace))
    assert verdict is not None
    assert verdict.tier == "binding"
    assert verdict.message.startswith(f"class {misuses.DEFECTS[defect]}: "), verdict.message

    text, again = misuses.replayed(trace)
    assert text == trace
    same = judge(Outcome("report", again, text))
    assert same is not None
    assert bucket_key("misused", same) == bucket_key("misused", verdict)

    misuses.plant("")
    assert misuses.replayed(trace)[1]["finding"] is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('misuse@nonesuch mk-const s1 "a" with name py:none', "unknown rule 'nonesuch'"),
        ('misuse@none mk-const@default s1 "a" with p0 py:none', "has no operand 'p0'"),
        ('misuse@none mk-const@default s1 "a" with name t9', "unknown id t9"),
        ('misuse@none mk-const@default s1 "a" with name eval', "'eval' is no bad operand"),
        ('misuse@none mk-const@default s1 "a"', "expected 'with SLOT BAD'"),
        ("misuse@none new with ctx py:none", "'new' is not a call that a misuse can break"),
        ("misuse@none mk-konst s1 with name py:none", "did you mean 'mk-const'"),
        ("misuse@copy t1 t1", "takes 1 words, found 2"),
        ("misuse@copy x", "expected an id or a Python value"),
        ("misuse@orphan t1", "takes a sort"),
        ("misuse@index t1", "takes 2 words"),
        ('misuse@call os.system py:"true"', "does not allow calls of 'os.system'"),
        ("misuse@call misused.threading.Thread", "does not allow calls of"),
        ('misuse@call misused._check py:true py:"a"', "does not allow calls of"),
        ('misuse@call misused.Term s1 py:"a"', "does not allow calls of"),
        ("misuse@call misused.repeated t9 py:1", "unknown id t9"),
        ("misuse@call misused.repeated x1 py:1", "unknown id x1"),
        ("misuse@call misused.repeated __import__ py:1", "'__import__' is no operand"),
        ("misuse@call misused.repeated [ t1", "expected brackets in pairs"),
        ("misuse@alike misused.repeated t1 py:1", "expected 'at N'"),
        ("misuse@keyword misused.repeated t1 by count py:1", "expected 'by"),
        ('misuse@keyword misused.repeated by "count" t1 py:1', "expected 'by"),
        ('misuse@keyword misused.repeated t1 by "a.b" py:1', "expected 'by"),
        ("misuse@alike misused.repeated t1 py:1 at 2", "expected 'at N'"),
    ],
)
def test_a_malformed_misuse_is_one_clear_line(line: str, message: str) -> None:
    start = '1 new@default\n1 mk-sort@default SORT_BOOL\n      return s1\n1 mk-const@default s1 "a"\n      return t1 s1\n'
    report = misuses.replayed(f"{start}1 {line}\n")[1]
    assert report["status"] == "malformed"
    assert message in report["message"]
    assert "t.trace:6" in report["message"]


BOX = 'misuse@call misused.Box py:"a"\n      return x1 Box\n'
SHOWING = {
    "deaf": "misuse@signal",
    "shared": "misuse@threads s1",
    "misread": "misuse@reread t1",
    "lost-keyword": 'misuse@keyword misused.repeated t1 py:2 by "nobody_knows" py:1',
    "flag-for-a-width": "misuse@type mk-sort@default SORT_BV 8 with p0 py:true",
    "silent": "misused-callback@default",
    "shared-copy": f"{BOX}1 misuse@outlive x1",
    "unprintable": f"{BOX}1 misuse@print x1",
    "bytes": f"{BOX}1 misuse@call misused.Box.label x1",
    "overflow": f"{BOX}1 misuse@call misused.Box.size x1",
    "twins": 'misuse@edge misused.symbols s1 [ py:"a" py:"a" ]',
    "incomparable": "misuse@equality t1",
    "astray": f"{BOX}1 misuse@call misused.Box.paired x1 s1",
}


@pytest.mark.parametrize("defect", misuses.SHOWN)
def test_a_planted_defect_shows_in_one_line_and_a_clean_binding_does_not(defect: str) -> None:
    text = f"""1 new@default
1 set-limit@default 5
1 mk-sort@default SORT_BOOL
      return s1
1 mk-const@default s1 "a"
      return t1 s1
1 assert-formula@default t1
1 {SHOWING[defect]}
"""
    assert misuses.replayed(text)[1]["status"] == "ok"
    misuses.plant(defect)
    finding = misuses.replayed(text)[1]["finding"]
    assert finding is not None and finding["tier"] == "binding"
    assert defect == "silent" or finding["message"].startswith(
        f"class {misuses.SHOWN[defect]}: "
    ), finding


def test_public_callables_are_found_before_workers_are_forked() -> None:
    assert "callables" in vars(session().wrapper)


def test_objects_that_public_callables_give_are_used_by_later_lines() -> None:
    text = """1 new@default
1 mk-sort@default SORT_BV 8
      return s1
1 mk-const@default s1 "a"
      return t1 s1
1 misuse@call misused.repeated t1 py:2
      return x1 Term
1 misuse@call misused.Box py:"a"
      return x2 Box
1 misuse@call copy.deepcopy x2
      return x3 Box
1 del x2
1 gc
1 misuse@edge misused.Box x3
      raised "MisusedError: expected a text"
1 misuse@call misused.repeated [ x1 x3 ] py:2
      raised "MisusedError: expected a term and a number"
1 misuse@alike misused.repeated x1 py:4294967298 at 1
      raised "MisusedError: this width is not supported"
1 misuse@survive x3
1 misuse@keyword misused.repeated x1 by "count" py:2
      return x4 Term
1 misuse@keyword misused.repeated x1 py:2 by "nobody_knows" py:1
      raised "MisusedError: no such option"
1 misuse@keyword misused.repeated x1
      raised "TypeError: repeated() missing 1 required positional argument: \'count\'"
1 misuse@call misused.repeated x9 py:1
"""
    written, report = misuses.replayed(
        text.replace(
            "misuse@call misused.repeated x9 py:1\n", "misuse@call misused.no_such_function\n"
        )
    )
    assert report["status"] == "ok", report
    lines = [line.strip() for line in text.splitlines()[:-1]]
    assert [line.strip() for line in written.splitlines()][-len(lines) :][1:] == lines[1:]
    assert report["counts"]["callable-taken:copy.deepcopy"] == 1
    assert misuses.replayed(text)[1]["message"].endswith("unknown id x9")


def test_a_context_is_in_order_although_the_sort_that_shows_it_was_deleted() -> None:
    made = "1 new@default\n1 mk-sort@default SORT_BOOL\n      return s1\n"
    trace, report = misuses.replayed(f"{made}1 del s1\n1 misuse@print c1\n")
    assert report["finding"] is None
    assert "raised" not in trace


def test_a_program_makes_the_calls_of_public_callables() -> None:
    text = """# solver misused 1.0
1 new@default
1 mk-sort@default SORT_BV 8
      return s1
1 mk-const@default s1 "a"
      return t1 s1
1 misuse@call misused.repeated t1 py:2
      return x1 Term
1 misuse@call copy.deepcopy x1
      raised "MisusedError: a context cannot be copied"
1 misuse@alike misused.repeated x1 py:4294967298 at 1
"""
    source = to_python(parse_trace(text, "t.trace"), session().catalogue, misuses.WRAPPER)
    assert "only_public('misused', misused.repeated, copy.deepcopy)" in source
    for defect, code in (("", 2), ("truncated-count", 1)):
        planted = source.replace(
            "only_public('misused'", f"misused.planted = {defect!r}\nonly_public('misused'"
        )
        done = subprocess.run(
            [sys.executable, "-c", planted], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr


class Element:
    """An element of a finite field of some order."""

    def __init__(self, number: int, order: int) -> None:
        self.number = number % order

    def __repr__(self) -> str:
        return f"{self.number}"

    def eq(self, other: Element) -> bool:
        return self.number == other.number


@pytest.mark.parametrize("order", [3, 5, 7, 17, 1 << 16])
@pytest.mark.parametrize("given", [(1 << 64) - 1, (1 << 128) - 1, (1 << 32) + 5, -1])
def test_what_counts_modulo_a_number_confuses_nothing(order: int, given: int) -> None:
    assert protocols.alike(lambda number: Element(number, order), [given], 0) is None
    said = protocols.alike(lambda number: Element(number % (1 << 32), 1 << 40), [given], 0)
    assert said is not None and said.startswith(f"a number is taken for another; {given} for ")


def test_a_program_drops_what_a_public_callable_gave() -> None:
    text = """# solver misused 1.0
1 new@default
1 mk-sort@default SORT_BV 8
      return s1
1 mk-const@default s1 "a"
      return t1 s1
1 misuse@call misused.repeated t1 py:2
      return x1 Term
1 del x1
1 check-sat@default
"""
    source = to_python(parse_trace(text, "t.trace"), session().catalogue, misuses.WRAPPER)
    assert "del x1  #" in source


def test_a_program_calls_nothing_that_the_binding_does_not_define() -> None:
    text = '# solver misused 1.0\n1 new@default\n1 misuse@call misused.Path py:"a"\n      return x1 Path\n'
    source = to_python(parse_trace(text, "t.trace"), session().catalogue, misuses.WRAPPER)
    source = source.replace(
        "only_public('misused'",
        "import pathlib; misused.Path = pathlib.Path\nonly_public('misused'",
    )
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=60, check=False
    )
    assert "is not of misused" in done.stderr, done.stdout + done.stderr


def test_what_needs_the_solver_is_refused_when_it_is_gone() -> None:
    report = misuses.replayed("1 new@default\n1 del o1\n1 check-sat@default\n")[1]
    assert "the solver or its context is gone" in report["message"]


def test_a_run_goes_on_after_a_refused_misuse() -> None:
    text = """1 new@default
1 mk-sort@default SORT_BOOL
      return s1
1 mk-const@default s1 "a"
      return t1 s1
1 misuse@none assert-formula@default t1 with 0 py:none
1 misuse@order pop@default 3
1 assert-formula@default t1
1 misuse@kept
1 misuse@hold get-assertions@default
1 del o1
1 gc
1 misuse@held
"""
    written, report = misuses.replayed(text)
    assert report["finding"] is None
    assert written.count('raised "MisusedError: ') == 2
    outcomes = {
        name: count for name, count in report["counts"].items() if name.startswith("misuse-")
    }
    assert outcomes == {
        "misuse-refused:none": 1,
        "misuse-refused:order": 1,
        "misuse-kept:kept": 1,
        "misuse-kept:hold": 1,
        "misuse-kept:held": 1,
    }


@pytest.mark.parametrize("changes", [False, True])
def test_a_run_ends_behind_a_kept_misuse_that_changes_assertions(changes: bool) -> None:
    wrapper = {
        **misuses.WRAPPER,
        "own-actions": {"misused-block": {"needs": ["sat"], "changes": changes}},
        "actions": {**misuses.WRAPPER["actions"], "misused-block": "None"},
    }
    setup = {"catalogue": load_catalogue(), "machine": load_machine("contract")}
    text = "1 new@default\n1 misuse@order misused-block@default\n1 gc\n"
    written, report = replay(Session({**setup, "wrapper": wrapper}), text)
    assert report["finding"] is None and report["counts"]["misuse-kept:order"] == 1
    assert ("gc" in written) is not changes


def test_a_stress_of_the_wrappers_own_is_drawn_in_contract_mode_only() -> None:
    own = {"misused-called-back": {"needs": ["asserted"], "stress": True, "weight": 50}}
    wrapper = {
        **misuses.WRAPPER,
        "own-actions": own,
        "actions": {**misuses.WRAPPER["actions"], "misused-called-back": "'it is lost'"},
    }
    found: dict[str, list[str]] = {}
    for machine, runs in (("contract", 20), ("default", 6)):
        session = Session(
            {
                "catalogue": load_catalogue(),
                "machine": load_machine(machine),
                "wrapper": wrapper,
                "checks": [],
            }
        )
        reports = [walk(session, seed)[1] for seed in range(runs)]
        found[machine] = [
            r["finding"]["message"]
            for r in reports
            if r["finding"] and r["finding"]["action"] == "misused-called-back"
        ]
    assert found["contract"] and set(found["contract"]) == {"it is lost"} and not found["default"]


STRESSED = {
    "z3": (
        "z3-on-clause",
        "z3-on-model",
        "z3-propagator",
        "z3-optimize",
        "z3-fixedpoint",
        "z3-read-back",
        "z3-interrupt",
    ),
    "cvc5": ("cvc5-plugin",),
}


@pytest.mark.parametrize("solver", STRESSED)
def test_callbacks_that_raise_and_handles_that_outlive_their_owner_break_nothing_here(
    solver: str,
) -> None:
    spelled = load_wrapper(solver)["actions"]
    calls = [f"{name}@{spelling}" for name in STRESSED[solver] for spelling in spelled[name]]
    lines = "".join(f"1 {call}\n1 misuse@hold {call}\n" for call in calls)
    session = live(solver)
    report = forked(
        partial(replay, session, f"# solver {solver} 1\n{ASSERTED}{lines}1 gc\n1 misuse@held\n")
    )[1]
    assert report["status"] == "ok" and report["counts"]["misuse-kept:hold"] == len(calls), report


REFUSED = {
    "z3": ["z3-misfit@many", "z3-misfit@other-sort", "z3-misfit@other-result"],
    "cvc5": [
        f"cvc5-misfit@rec-{how}"
        for how in ("doubled", "few", "constant", "other-sort", "other-result")
    ],
}


@pytest.mark.parametrize("solver", REFUSED)
def test_most_definitions_that_do_not_fit_are_refused_here(solver: str) -> None:
    lines = "".join(f"1 {call}\n" for call in REFUSED[solver])
    report = forked(partial(replay, live(solver), f"# solver {solver} 1\n1 new\n{lines}"))[1]
    assert report["status"] == "ok" and report["counts"][f"action-ok:{solver}-misfit"] == len(
        REFUSED[solver]
    ), report


ASSERTED = """1 new
1 mk-sort SORT_BOOL
 return s1
1 mk-sort SORT_BV 4
 return s2
1 mk-const s1 "a"
 return t1 s1
1 mk-const s2 "x"
 return t2 s2
1 mk-const s2 "y"
 return t3 s2
1 mk-term OP_BV_ULT SORT_BOOL 2 t2 t3
 return t4 s1
1 mk-term OP_OR SORT_BOOL 2 t1 t4
 return t5 s1
1 assert-formula t5
"""


@pytest.mark.parametrize("solver", STRESSED)
def test_what_counts_as_documented_is_a_quote_from_the_documentation(solver: str) -> None:
    live(solver)
    for entry in load_wrapper(solver)["contract"]["documented"]:
        text = " ".join((pydoc.locate(entry["of"]).__doc__ or "").split())
        assert " ".join(entry["quote"].split()) in text, entry


@pytest.mark.parametrize("solver", ["z3", "cvc5-pythonic"])
@pytest.mark.parametrize(
    ("section", "key", "spelling", "rule", "left_out"),
    [
        ("sorts", "instantiate-sort", "default", "context", True),  # a method of a helper
        ("values", "SORT_INT", "cast", "float", True),  # as IntVal, which cuts a float
        ("values", "SORT_INT", "cast", "none", False),
        ("values", "SORT_BV", "cast", "float", False),
    ],
)
def test_what_is_no_promise_of_the_binding_is_left_out(
    solver: str, section: str, key: str, spelling: str, rule: str, left_out: bool
) -> None:
    wrapper = live(solver).wrapper
    found = wrapper.set(section, key)
    assert found is not None
    template = next(one.template.text for one in found.spellings if one.name == spelling)
    assert wrapper.contract.undefined(template, rule) is left_out


@pytest.mark.parametrize("solver", ["cvc5", "cvc5-pythonic"])
def test_a_kind_that_is_refused_is_no_check_that_failed(solver: str) -> None:
    (entry,) = load_wrapper(solver)["contract"]["defects"]
    for said, fails in (
        ("invalid kind 'INTERNAL_KIND'", False),
        ("INTERNAL_KIND is not a valid kind", False),
        ("cannot make a term of INTERNAL_KIND", True),
    ):
        assert bool(re.search(entry["message"], said)) is fails


class Symbol:
    """A term whose comparisons are terms. With `true`, Python takes a term for true."""

    def __init__(self, name: str, true: bool = False, order: bool = True) -> None:
        self.name, self.true, self.order = name, true, order

    def eq(self, other: object) -> bool:
        return isinstance(other, Symbol) and self.name == other.name

    def __eq__(self, other: object) -> Any:
        return Symbol(f"{self.name}={other}", self.true)

    def __lt__(self, other: object) -> Any:
        return Symbol(f"{self.name}<{other}", self.true) if self.order else NotImplemented

    def __bool__(self) -> bool:
        if not self.true:
            raise TypeError("a term has no truth value")
        return True

    def __hash__(self) -> int:
        return 1


class Equal(Symbol):
    """An equation of two terms is true if they are the same, as in z3py."""

    __hash__ = Symbol.__hash__

    def __eq__(self, other: object) -> Any:
        assert isinstance(other, Symbol)
        return Symbol("equal", True) if self.name[0] == other.name[0] else Unequal("unequal")


class Unequal(Symbol):
    """An equation of two different terms."""

    __hash__ = Symbol.__hash__

    def __bool__(self) -> bool:
        return False


def test_a_chained_comparison_that_loses_a_part_is_found() -> None:
    one, other = Symbol("a", true=True), Symbol("b", true=True)
    assert protocols.chained(one, other) == "a < b < a of two Symbol has lost a part"
    with pytest.raises(TypeError):  # the binding refuses the chain
        protocols.chained(Symbol("a"), Symbol("b"))


def test_two_objects_that_a_collection_takes_for_one_are_found() -> None:
    alike = Equal("a1", order=False), Equal("a2", order=False)
    fault = protocols.chained(*alike)
    assert fault == "a Equal is found in a collection that has another one only"
    assert protocols.chained(Equal("a", order=False), Equal("b", order=False)) is None
    assert protocols.chained(Equal("a", order=False), Equal("a", order=False)) is None


def test_parts_with_one_text_are_ambiguous_only_if_they_differ() -> None:
    class Named(Equal):
        __hash__ = Symbol.__hash__

        def __str__(self) -> str:
            return self.name[0]

    assert protocols.ambiguous([Named("a1"), 1, Named("a2")])
    assert not protocols.ambiguous([Named("a1"), Named("a1"), Named("b1"), "a", "a"])


class _Listed:
    """Prints its parts in another order each time, as a model of constants may."""

    def __init__(self) -> None:
        self.parts = ["[a = 1, ", "b = 2]"]

    def __str__(self) -> str:
        self.parts.reverse()
        return "".join(self.parts)


class _Mute:
    def __str__(self) -> str:
        raise ValueError("it has no text")


class _Changed(_Listed):
    def __copy__(self) -> _Listed:
        other = _Listed()
        other.parts = ["[]"]
        return other


def test_a_copy_breaks_no_promise_by_the_order_or_the_lack_of_its_text() -> None:
    """Nobody promises an order, and what has no text has none before it is copied."""
    assert survived([_Listed()]) is None and outlived([_Listed()]) is None
    assert survived([_Mute()]) is None and outlived([_Mute()]) is None
    assert outlived([_Changed()]) == "a copy of a _Changed has another text than the original"
