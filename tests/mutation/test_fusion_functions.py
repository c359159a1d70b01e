"""The user's fusion functions: both formats, literals that are drawn, and functions by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import error, outcome
from scriptsolvers import answers
from test_fusion import FREE, made, text_of
from toy import catalogue

from murxpy.smtlib.building import Tables
from murxpy.sources.mutation.functions.choosing import built_in
from murxpy.sources.mutation.functions.user import read_any
from murxpy.sources.mutation.fuzzers.fusion import groups
from murxpy.sources.mutation.workshop import Seed

CATALOGUE = catalogue()
SEED = (
    "(set-info :status sat)(declare-const a Int)(assert (< a 4))(assert (> (* 2 a) 1))(check-sat)"
)


def block(sort: str, value: str, first: str, second: str, drawn: str = "") -> str:
    """A function in the published format."""
    constants = "".join(
        f"(declare-const {name} {sort})" for name in ("x", "y", "z", *drawn.split())
    )
    equations = zip("zxy", (value, first, second), strict=True)
    rows = "\n".join(f"(assert (= {name} {side}))" for name, side in equations)
    return f"#begin\n{constants}\n{rows}\n#end\n"


PUBLISHED = "; functions of two constants\n" + "".join(
    [
        block("Int", "(* x y)", "(div z y)", "(div z x)"),
        block("Int", "(+ x y c)", "(- (- z c) y)", "(- z c x)", "c"),
        block("Real", "(+ x c) y", "(- (- z c) y)", "(- (- z c) x)", "c"),
        block("String", "(str.++ x c y)", "(str.substr z 0 (str.len x))",
              '(str.replace (str.replace z x "") c "")', "c"),
        block("Int", "(+ (* c1 x) (* c2 y))", "(div (- z (* c2 y)) c1)",
              "(div (- z (* c1 x)) c2)", "c1 c2"),
    ]
)  # fmt: skip


def test_the_published_format_is_read() -> None:
    notes: list[str] = []
    tables = Tables(CATALOGUE)
    found = read_any(PUBLISHED, "f.txt", tables, notes)
    assert notes == ["f.txt:14: block 3 left out: (= z ...) has 3 sides, expected two"]
    assert {function.name: built_in(tables, function) for function in found} == {
        "block-1": "int-mul",
        "block-2": None,
        "block-4": "string-constant",
        "block-5": None,
    }
    for mutant in made((SEED, SEED), 20, functions=PUBLISHED):
        assert "fusion: block-" in mutant.steps[0]
        text = text_of(mutant)
        if "block-1 " in " ".join(mutant.steps):
            assert "(ite (= " in text, "an inverse that divides has a case for 0"
        assert "declare-const c" not in text, "a declared constant is drawn as a literal"
        assert answers("z3", text, 20_000)[0] in ("unknown", "sat")


@pytest.mark.slow
def test_a_campaign_with_published_functions(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seed, own = tmp_path / "seed.smt2", tmp_path / "f.txt"
    seed.write_text(SEED)
    own.write_text(PUBLISHED)
    args = ("fusion", "z3", seed, "--functions", own, "--functions-only", "block-5,int-add")
    code, out, err = outcome(
        capsys, *args, "--runs", "1", "--jobs", "1", "--seed", "1", "--out", tmp_path / "out"
    )
    assert code == 0 and "tied-across" in out, out
    assert f"note: {own}:14: block 3 left out" in err


OWN = """(declare-const c Int)
(define-fun scale ((x Int) (y Real)) Real (+ (to_real (* c x)) y))
(define-fun scale.x ((z Real) (y Real)) Int (div (to_int (- z y)) c))
(define-fun scale.y ((z Real) (x Int)) Real (- z (to_real (* c x))))
"""


def test_functions_between_two_sorts_with_drawn_literals() -> None:
    for seeds in ((SEED, FREE), (FREE, SEED)):
        for mutant in made(seeds, 6, functions=OWN):
            assert "fusion: scale of " in mutant.steps[0]
            assert "to_real (* " in text_of(mutant) and " c)" not in text_of(mutant)
            assert answers("z3", text_of(mutant), 20_000)[0] in ("unknown", "sat")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (block("Int", "(+ x y)", "(- z y)", "z"), "the law y = block-1.y(block-1(x, y), x) does"),
        (PUBLISHED.replace("#end", "", 1), "own.txt:8: expected '#end' before '#begin'"),
        ("#end", "own.txt:1: expected '#begin' before '#end'"),
        ("#begin\n(declare-const x Int)\n#end", "own.txt:1: expected declarations of 'z' and"),
        (
            "#begin\n(declare-const z Int)(declare-const x Int)(declare-const y Int)\n#end",
            "own.txt:1: expected three assertions, found 0",
        ),
        (block("Int", "(+ x y)", "z", "z").replace("(= x z)", "(> x z)"), "own.txt:1: expected (ass"),
        ("#begin\n(declare-const x Foo)\n#end", "own.txt:2:"),
        (
            block("(Array Int Int)", "x", "z", "z", "c"),
            "'c' has the sort ARRAY(INT,INT); expected a sort whose literals can be drawn",
        ),
    ],
)  # fmt: skip
def test_functions_that_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, expected: str
) -> None:
    own, seed = tmp_path / "own.txt", tmp_path / "seed.smt2"
    own.write_text(text)
    seed.write_text(SEED)
    code, message = error(capsys, "fusion", "z3", seed, "--functions", own)
    assert code == 2 and expected in message, message


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("--functions-only", "int-mull"), "--functions-only: unknown function 'int-mull'"),
        (
            ("--functions-only", "int-mul", "--generate", "2"),
            "--functions-only and --generate exclude each other",
        ),
        (("--concat-only", "--within"), "--concat-only and --within exclude each other"),
    ],
)
def test_options_that_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, args: tuple[str, ...], expected: str
) -> None:
    seed = tmp_path / "seed.smt2"
    seed.write_text(SEED)
    code, message = error(capsys, "fusion", "z3", seed, *args)
    assert code == 2 and expected in message, message


def test_functions_by_name() -> None:
    mixed = f"(declare-const b Bool)(assert (or b (not b))){SEED}"
    for mutant in made((mixed, mixed), 12, functions_only=["int-mul", "bool-xor"]):
        assert all(step.split()[1] in ("int-mul", "bool-xor") for step in mutant.steps)

    def found(place: int, *names: str) -> frozenset[str]:
        sorts = "(declare-const a Int)(declare-const r Real)(declare-const v (_ BitVec 4))"
        return groups(place, Seed("a", sorts), {"functions_only": names})

    assert found(0, "int-mul") == {"Int"} and found(0, "bv-xor") == {"( _ BitVec 4 )"}
    assert found(0, "int-real-add") == found(1, "int-real-add") == {"Int and Real", "Real and Int"}
    assert found(0, "bv-extend") == {"bit-vector"}
    assert {"Int", "Real", "( _ BitVec 4 )"} == found(0, "choice")
