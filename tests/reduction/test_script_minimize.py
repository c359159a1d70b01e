"""Minimizing scripts, and traces that end with one: what they show stays, and stays known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from commands import FAKES, error, outcome
from toy import catalogue

from murxpy.cli import minimize
from murxpy.logic.sorts import IllSorted
from murxpy.machine.tokens import quote
from murxpy.passes.reduction import Reducer, at_once, finished
from murxpy.passes.script import Commands, bare, order, reformat, shrink_datatypes
from murxpy.reduction.instances import NoInstance
from murxpy.smtlib.building import Rebuilder
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, Script

pytestmark = pytest.mark.usefixtures("kept_solvers")

WRAPPER = ("--wrapper", FAKES / "scripts.yaml")
# The fake solver answers unsat wherever it sees an exclusive or.
TEXT = """(set-logic ALL)(set-info :status sat)
(declare-const a Bool)(declare-const b Bool)(declare-const x Int)(declare-const y Int)
(assert (and (> x 17) (< y (+ x 5)) (or a (xor (and a b) (not a)))))
(assert (not (= x y)))
(push 1)(pop 1)
(check-sat)
"""


# It dies of a constant of this name that is declared right before a scope.
CRASH = """(declare-const x Int)(assert (> x 3))(declare-const shared Bool)(push 1)
(assert (and shared (> x 5)))(check-sat)(pop 1)(push 1)(assert shared)(check-sat)
"""


def written(path: Path, *rows: str) -> Path:
    path.write_text(
        "# murxpy-trace 1\n# solver fake 1.0\n" + "".join(f"1 {row}\n" for row in ("new", *rows))
    )
    return path


def test_a_wrong_answer_stays_wrong(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a.smt2"
    path.write_text(TEXT)
    code, out, err = outcome(
        capsys, "minimize", path, "--solver", f"fake@{FAKES}", *WRAPPER, "--cross-check", "z3,cvc5"
    )
    assert code == 0 and out.startswith("wrong-answer-fake-run-script-bool-"), out + err
    small = (tmp_path / "a.min.smt2").read_text()
    assert (
        small.count("xor") == 1
        and "Int" not in small
        and small.count("assert") == 1
        and len(small) < 120
    )


def test_declarations_stay_where_the_defect_needs_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.smt2"
    path.write_text(CRASH)
    code, out, err = outcome(capsys, "minimize", path, "--solver", f"fake@{FAKES}", *WRAPPER)
    assert code == 0, out + err
    small = (tmp_path / "a.min.smt2").read_text()
    assert re.fullmatch(r"\(declare-const shared Bool\)\s*\(push 1\)\s*", small), small


@pytest.mark.slow
def test_too_little_time_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a.smt2"
    path.write_text(TEXT)
    args = ("--solver", f"fake@{FAKES}", *WRAPPER, "--cross-check", "z3,cvc5", "--time", "0.001s")
    code, _, err = outcome(capsys, "minimize", path, *args)
    assert (
        code == 2
        and "are over before it was seen what the script shows; give it more with --time" in err
    )


# The last of its checks has an exclusive or. The answer to the one before it is not known.
INCREMENTAL = """(declare-const a Bool)(declare-const b Bool)(declare-const x Int)
(assert (> x 17))(push 1)(assert (< x 30))(check-sat)(pop 1)
(define-fun f ((c Bool)) Bool (or c (xor a b)))
(push 1)(assert (f (> x 20)))(check-sat)
"""


@pytest.mark.parametrize(("text", "answers"), [(TEXT, "sat"), (INCREMENTAL, "unknown sat")])
def test_one_other_solver_is_enough_where_a_model_is_evaluated(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, answers: str
) -> None:
    script = f"run-script {quote(text)}"
    path = written(tmp_path / "a.trace", script, f"expect {answers}", script)
    code, out, err = outcome(
        capsys, "minimize", path, "--solver", f"fake@{FAKES}", *WRAPPER, "--cross-check", "z3"
    )
    assert code == 0, out + err
    small = (tmp_path / "a.min.trace").read_text()
    assert small.count("run-script") == 1 and small.count("expect") == 1 and "Int" not in small
    assert re.search(r"^# solver fake \d", small, re.M), "a bisection begins with that release"
    assert (
        outcome(capsys, "replay", tmp_path / "a.min.trace", "--solver", f"fake@{FAKES}", *WRAPPER)[
            0
        ]
        == 1
    )


def test_both_sides_of_a_disagreement_stay(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.smt2"
    path.write_text(TEXT.replace("(set-info :status sat)", ""))
    code, out, _ = outcome(
        capsys, "minimize", path, "--solver", f"fake@{FAKES}", *WRAPPER, "--cross-check", "z3"
    )
    assert (
        code == 0
        and "answers unsat, z3 sat: " in out
        and (tmp_path / "a.min.smt2").read_text().count("xor") == 1
    )


@pytest.mark.parametrize(
    ("text", "more", "expected"),
    [
        (
            "(assert true)(check-sat)",
            ("--cross-check", "cvc5"),
            "it shows no finding on z3, and cvc5 answers alike",
        ),
        (
            "(assert true)(check-sat)",
            (),
            "it shows no finding on z3; to keep a disagreement name another solver",
        ),
        ("(assert", (), "expected"),
    ],
)
def test_what_shows_nothing_is_refused(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    text: str,
    more: tuple[str, ...],
    expected: str,
) -> None:
    path = tmp_path / "a.smt2"
    path.write_text(text)
    code, message = error(capsys, "minimize", path, "--solver", "z3", *more)
    assert code == 2 and expected in message


def test_the_solver_must_be_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a.smt2"
    path.write_text(TEXT)
    assert "with --solver" in error(capsys, "minimize", path)[1]


def test_widths_numerals_names_and_options_get_smaller(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """With several replays at a time; what the script sets is nothing to the other solvers."""
    path = tmp_path / "a.smt2"
    path.write_text("""(set-option :smt.relevancy 0)(set-logic ALL)(set-info :status sat)(declare-sort |a sort| 0)
(declare-const first_operand (_ BitVec 32))(declare-const |second operand| (_ BitVec 32))(declare-const |an element| |a sort|)
(assert (not (= first_operand (bvxor |second operand| #xdeadbeef ((_ zero_extend 24) ((_ extract 15 8) first_operand))))))
(assert (forall ((|another one| |a sort|)) (= |another one| |an element|)))
(check-sat)
""")
    args = (
        "--solver",
        f"fake@{FAKES}",
        *WRAPPER,
        "--cross-check",
        "z3,cvc5",
        "--jobs",
        "2",
        "--tries",
        "2",
    )
    code, out, err = outcome(capsys, "minimize", path, *args)
    small = (tmp_path / "a.min.smt2").read_text()
    assert code == 0 and "wrong-answer" in out, out + err
    assert small.splitlines() == [
        "(set-logic ALL)",
        "(declare-const a (_ BitVec 1))",
        "(assert (= (bvxor a a) a))",
        "(check-sat)",
    ] or (
        # Of two replays at a time either can be the first, so that another small script is left.
        re.search(r"BitVec [1-4]\)", small)
        and "operand" not in small
        and "option" not in small
        and len(small) < 110
    ), small


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(assert (bvult (bvadd x #xf1) x))", "(assert (bvult (bvadd x #b0001) x))"),
        (
            "(assert (= ((_ zero_extend 8) x) (concat x #xf1)))",
            "(assert (= ((_ zero_extend 4) x) (concat x #b0001)))",
        ),
        ("(assert (= ((_ extract 7 4) x) #b1010))", "(assert (= ((_ extract 3 2) x) #b10))"),
        (
            "(assert (forall ((y (_ BitVec 8))) (= (f y) 3)))",
            "(assert (forall ((y (_ BitVec 4))) (= (f y) 3)))",
        ),
        ("(assert (= ((_ int_to_bv 8) i) #xff))", "(assert (= ((_ int_to_bv 4) i) #b1111))"),
    ],
)
def test_widths_are_halved(text: str, expected: str) -> None:
    head = "(declare-const x (_ BitVec 8))(declare-const i Int)(declare-fun f ((_ BitVec 8)) Int)"
    script = read_script(head + text, "a", catalogue())
    rebuilder = Rebuilder(script.tables, lambda width: max(1, width // 2))
    made = Script(
        "a", script.tables, [Assert(rebuilder.term(term)) for term in script.assertions()]
    )
    assert print_script(made, "standard").splitlines()[-1] == expected


def test_what_cannot_be_narrowed_is_not() -> None:
    """A format of floating-point numbers has the bits that it has."""
    script = read_script(
        "(declare-const x (_ BitVec 32))(assert (fp.isNaN ((_ to_fp 8 24) x)))", "a", catalogue()
    )
    with pytest.raises(IllSorted):
        Rebuilder(script.tables, lambda width: 8).term(script.assertions()[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "(assert (fp.lt x (fp #b0 #x80 #b10000000000000000000000)))",
            "(assert (fp.lt x (fp #b0 #b100 #b1000)))",
        ),
        ("(assert (= x ((_ to_fp 8 24) b)))", "(assert (= x ((_ to_fp 3 5) b)))"),
        ("(assert (= x ((_ to_fp 8 24) RNE y)))", "(assert (= x ((_ to_fp 3 5) RNE y)))"),
        ("(assert (= x (_ +oo 8 24)))", "(assert (= x (_ +oo 3 5)))"),
        ("(assert (= ((_ fp.to_sbv 32) RTZ x) b))", "(assert (= ((_ fp.to_sbv 8) RTZ x) b))"),
    ],
)
def test_formats_get_smaller(text: str, expected: str) -> None:
    head = "(declare-const x Float32)(declare-const y Float64)(declare-const b (_ BitVec 32))"
    script = read_script(head + text, "a", catalogue())
    widths = {32: 8, 8: 3, 23: 4}
    rebuilder = Rebuilder(
        script.tables, lambda w: widths.get(w, w), form=lambda f: (3, 5) if f == (8, 24) else f
    )
    made = Script(
        "a", script.tables, [Assert(rebuilder.term(term)) for term in script.assertions()]
    )
    assert print_script(made, "standard").splitlines()[-1] == expected


class Kept:
    """A problem that is solved by every script in which some words stay."""

    def __init__(self, script: Script, *words: str) -> None:
        self._script = script
        self._words = words

    def name(self, commands: Commands) -> str:
        return print_script(replace(self._script, commands=list(commands)), "standard")

    def order(self, commands: Commands) -> tuple[int, ...]:
        return order(self.name(commands), commands)

    def first(self, candidates: Iterator[Commands]) -> int | None:
        return next(
            (
                at
                for at, some in enumerate(candidates)
                if all(word in self.name(some) for word in self._words)
            ),
            None,
        )


def test_formats_get_as_small_as_they_can() -> None:
    """One after another; the bits that a number is made of follow."""
    text = """(declare-const x Float64)(declare-const y Float32)(declare-const b (_ BitVec 64))
(assert (fp.lt (fp.add RNE x ((_ to_fp 11 53) RNE y)) ((_ to_fp 11 53) b)))(check-sat)"""
    script = read_script(text, "a", catalogue())
    kept = Kept(script, "fp.add")
    reducer = Reducer(bare(script), at_once(kept.first), kept.order, kept.name)
    finished(reformat(script.tables, reducer))
    small = kept.name(reducer.best)
    assert (
        small.count("(_ FloatingPoint 2 2)") == 2
        and "(_ BitVec 4)" in small
        and "Float64" not in small
    ), small
    assert print_script(read_script(small, "b", catalogue()), "standard") == small


DATATYPES = """(declare-datatypes ((T 0) (L 0)) (((red) (green) (pair (one Int) (two Bool) (rest L))) ((nil) (cons (head T) (tail L)))))
(declare-const t T)(assert (= t (pair 7 true (cons red nil))))(assert (> (one t) 3))(check-sat)"""


def test_constructors_and_fields_that_nothing_needs_go() -> None:
    """What a term is made with or asked for stays, and each datatype keeps a value."""
    script = read_script(DATATYPES, "a", catalogue())
    kept = Kept(script, "(pair 7")
    reducer = Reducer(bare(script), at_once(kept.first), kept.order, kept.name)
    finished(shrink_datatypes(script.tables, reducer))
    text = kept.name(reducer.best)
    assert (
        "(declare-datatypes ((T 0)) (((pair (one Int)))))" in text
        and "(assert (= t (pair 7)))" in text
    )
    assert print_script(read_script(text, "b", catalogue()), "standard") == text


def test_datatypes_keep_a_value() -> None:
    text = "(declare-datatypes ((L 0)) (((end) (more (next L)))))(declare-const l L)(assert (= l (next l)))"
    script = read_script(text, "a", catalogue())
    kept = Kept(script, "next")
    reducer = Reducer(bare(script), at_once(kept.first), kept.order, kept.name)
    finished(shrink_datatypes(script.tables, reducer))
    assert "(((end) (more (next L))))" in kept.name(reducer.best)


@pytest.mark.slow
def test_what_storm_found_is_regenerated(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Within the least bounds: of depth 1, with one assertion; then it can still be cut."""
    seed = tmp_path / "seed.smt2"
    seed.write_text(
        "(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)(assert (and p (=> q r)))(check-sat)"
    )
    target = (
        "storm",
        f"fake@{FAKES}",
        seed,
        *WRAPPER,
        "--jobs",
        "1",
        "--seed",
        "1",
        "--runs",
        "1",
        "--iterations",
        "40",
        "--more-connectives",
    )
    assert (
        outcome(
            capsys, *target, "--max-depth", "2", "--max-assertions", "8", "--out", tmp_path / "out"
        )[0]
        == 1
    )
    (found,) = (tmp_path / "out" / "findings").rglob("*.trace")
    regenerated = tmp_path / "regenerated.trace"
    named = ("--solver", f"fake@{FAKES}", *WRAPPER, "--allow", seed)
    outcome(capsys, "minimize", found, "--strategy", "regenerate", "-o", regenerated, *named)
    assert regenerated.read_text().count("(assert ") == 1 < found.read_text().count("(assert ")
    code, out, err = outcome(
        capsys, "minimize", found, "--strategy", "both", "-o", tmp_path / "small.trace", *named
    )
    text = (tmp_path / "small.trace").read_text()
    assert re.search(r"^regenerated: [0-9,]+ characters to [0-9]+ ", out), out
    assert code == 0 and "wrong-answer-fake-run-script-bool" in out, out + err
    assert (
        text.count("run-script@") == 1 == text.count("(assert ")
        and "xor " in text
        and "answer unsat" in text
    )


@pytest.mark.parametrize(("strategy", "code"), [("both", 0), ("regenerate", 2)])
def test_both_strategies_do_what_one_of_them_can(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    strategy: str,
    code: int,
) -> None:
    def gone(*_: object) -> None:
        raise NoInstance("seeds were removed")

    (tmp_path / "campaign.sqlite").touch()
    folder = tmp_path / "findings" / "exception-of-other-theories"
    folder.mkdir(parents=True)
    path = written(folder / "a.trace", f"run-script {quote(CRASH)}")
    monkeypatch.setattr(minimize, "plan_of_campaign", gone)
    ended, out, err = outcome(
        capsys, "minimize", path, "--solver", f"fake@{FAKES}", *WRAPPER, "--strategy", strategy
    )
    assert ended == code and "seeds were removed" in err
    assert ("it cannot be regenerated (seeds were removed); its parts are removed" in err) == (
        not code
    )
    assert ("exception-fake" in out) == (not code)
    assert (f"Its bucket is still called {folder.name}, because" in out) == (not code)


def test_what_cannot_be_regenerated(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = written(tmp_path / "a.trace", f"run-script {quote(TEXT)}")
    assert (
        "name the trace in the campaign's folder"
        in error(capsys, "minimize", path, *WRAPPER, "--strategy", "both")[1]
    )
    script = tmp_path / "a.smt2"
    script.write_text(TEXT)
    assert (
        "is for the trace of a finding of storm"
        in error(capsys, "minimize", script, "--solver", "z3", "--strategy", "both")[1]
    )
