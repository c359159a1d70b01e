"""What the mutation fuzzers make: answers known by construction hold, new expressions are in scope,
growth has a bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain as chain_of
from pathlib import Path
from typing import Any

import pytest
from campaigns import FAKES
from chains import chain
from commands import error, outcome
from scriptsolvers import SOLVERS, answers, output
from toy import catalogue

from murxpy.machine.random import Stream
from murxpy.smtlib.printed_models import Valuation, read_printed_model
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import CHECKS, Assert, Pop, Push
from murxpy.sources.mutation.assignments import Depths, asking
from murxpy.sources.mutation.preparing import prepared
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.sources.mutation.workshop import Mutant, MutationSession, Seed, Workshop

pytestmark = pytest.mark.usefixtures("kept_solvers")

CATALOGUE = catalogue()
SHOP = MutationSession(CATALOGUE, frozenset(CATALOGUE.operators), "standard")
SAT = Seed(
    "sat.smt2",
    """(set-info :status sat)(declare-datatypes ((T 0)) (((leaf) (node (value Int)))))
(declare-const x Int)(declare-const y Int)(declare-const b (_ BitVec 4))(declare-const s String)(declare-const p Bool)
(declare-fun f (Int) Int)(declare-const t T)
(assert (let ((u (+ x y))) (and (< u 3) (> u x)))) (assert (= (f x) (+ x 1))) (assert (not (= b #x3)))
(assert (=> p (= (str.len s) 2))) (assert ((_ is node) t)) (assert (forall ((z Int)) (or (< z x) (<= x z))))
(check-sat)""",
    "sat",
)
DEEP = """(declare-const a Bool)(declare-const b Bool)(declare-const x Int)
(assert (or a (and b (not (or (< x 3) (and a (xor b (< x 5))))))))(check-sat)"""
UNSAT = Seed(
    "unsat.smt2",
    """(set-info :status unsat)(declare-const x Int)(declare-const b (_ BitVec 4))(declare-fun f (Int) Int)
(assert (> x 0))(assert (< (f x) (f 1)))(assert (<= x 1))(assert (= b #x1))(check-sat)""",
    "unsat",
)
STEPS = Seed(
    "steps.smt2",
    """(declare-const x Int)(assert (> x 0))(check-sat)(push 1)(assert (< x 5))(check-sat)(pop 1)
(assert (> x 7))(check-sat)""",
)
QUANTIFIED = Seed(
    "q.smt2",
    """(declare-const x Int)(assert (forall ((y Int)) (exists ((z Int)) (and (< y z) (< (+ y x) z)))))
(assert (exists ((y Int)) (= y (* 2 x))))(check-sat)""",
)


def ask(text: str) -> str | None:
    return output("z3", text)


def made(
    name: str,
    seeds: Sequence[Seed],
    count: int,
    choices: dict[str, Any] | None = None,
    seed: int = 1,
) -> list[Mutant]:
    workshop = Workshop(SHOP, Stream(seed), seeds, ask, choices or {})
    return list(chain(FUZZERS[name].mutants(workshop), count))


def text_of(mutant: Mutant, dialect: str = "standard") -> str:
    return print_script(mutant.script, dialect)


@pytest.mark.parametrize(
    ("oracle", "seeds"), [("sat", (SAT, SAT)), ("unsat", (UNSAT, UNSAT)), ("mixed", (SAT, UNSAT))]
)
@pytest.mark.parametrize("solver", SOLVERS)
def test_fusions_answer_as_they_must(oracle: str, seeds: Sequence[Seed], solver: str) -> None:
    decided = 0
    for mutant in made("fusion", seeds, 12, {"oracle": oracle}):
        (found,) = answers(solver, text_of(mutant), 20_000)
        assert found in ("unknown", *mutant.expected), text_of(mutant)
        decided += found != "unknown"
        assert re.fullmatch(
            r"fusion: [a-z-]+ of .* replaced\)|fusion: either|fusion: both", mutant.steps[0]
        )
    assert decided >= 3


def test_fusion_keeps_functions_and_datatypes_of_both() -> None:
    text = text_of(made("fusion", (SAT, SAT), 1)[0])
    assert all(
        text.count(word) == 1
        for word in ("declare-fun f (", "declare-fun f_2 (", "((T 0))", "((T!1 0))")
    )


def test_what_cannot_be_fused_is_left() -> None:
    assert made("fusion", (STEPS, SAT), 1) == []


def test_storm_instances_hold_in_a_model_of_the_seed() -> None:
    mutants = made("storm", (SAT,), 6)
    assert len(mutants) == 6 and all(set(mutant.expected) == {"sat"} for mutant in mutants)
    output = ask(asking(prepared(read_script(SAT.text, "a", CATALOGUE)), "z3")) or ""
    for mutant in mutants:
        model = Valuation(mutant.script, read_printed_model(output, mutant.script))
        terms = [t for t in mutant.script.assertions() if "open_" not in repr(t)]
        assert terms and all(map(model.holds, terms))


def test_storm_is_incremental_for_some_seeds() -> None:
    kinds = [made("storm", (SAT,), 1, seed=number)[0] for number in range(8)]
    checks = [sum(isinstance(c, CHECKS) for c in mutant.script.commands) for mutant in kinds]
    assert min(checks) == 1 < max(checks)
    for mutant, count in zip(kinds, checks, strict=True):
        assert len(mutant.expected) == count
        depth = 0
        for command in mutant.script.commands:
            depth += isinstance(command, Push) - (command.levels if isinstance(command, Pop) else 0)
            assert depth >= 0


@pytest.mark.parametrize("solver", SOLVERS)
def test_storm_makes_unsatisfiable_instances(solver: str) -> None:
    for mutant in made("storm", (UNSAT,), 5, {"unsat": True}):
        assert mutant.expected == ("unsat",) and answers(solver, text_of(mutant), 20_000) in (
            ["unsat"],
            ["unknown"],
        )
        assert mutant.steps[0].endswith("around a core of 3")


def test_without_a_core_all_assertions_contradict_each_other() -> None:
    workshop = Workshop(SHOP, Stream(1), (UNSAT,), lambda text: "unknown", {"unsat": True})
    (mutant,) = chain(FUZZERS["storm"].mutants(workshop), 1)
    assert mutant.steps[0].endswith("around a core of 4")


@pytest.mark.parametrize("seed", [SAT, QUANTIFIED, STEPS], ids=lambda seed: seed.name)
@pytest.mark.parametrize("name", ["typefuzz", "opfuzz"])
def test_mutants_are_closed_and_read_back(name: str, seed: Seed) -> None:
    """A variable out of scope would not be read; each mutant differs from the one before."""
    before = ""
    for mutant in made(name, (seed,), 40):
        text = text_of(mutant)
        # an operator without a name is spelled by others
        once = print_script(read_script(text, "once", CATALOGUE), "standard")
        assert (
            print_script(read_script(once, "twice", CATALOGUE), "standard") == once
            and text != before
        )
        assert not any(term.free for term in mutant.script.assertions())
        before = text


def test_growth_is_bounded() -> None:
    mutants = made("typefuzz", (QUANTIFIED,), 300)
    assert len(mutants) == 300
    assert max(len(text_of(mutant)) for mutant in mutants) < 20_000


def test_incremental_seeds_stay_incremental() -> None:
    for mutant in (*made("opfuzz", (STEPS,), 3), *made("typefuzz", (STEPS,), 3)):
        kinds = [
            type(c).__name__
            for c in mutant.script.commands
            if isinstance(c, (Assert, Push, Pop, *CHECKS))
        ]
        assert kinds == [
            "Assert",
            "CheckSat",
            "Push",
            "Assert",
            "CheckSat",
            "Pop",
            "Assert",
            "CheckSat",
        ]


CASES: list[tuple[str, Sequence[Seed], dict[str, Any]]] = [
    ("opfuzz", (SAT,), {}),
    ("typefuzz", (SAT,), {}),
    ("storm", (SAT,), {}),
    ("storm", (UNSAT,), {"unsat": True}),
    ("fusion", (SAT, UNSAT), {"oracle": "mixed"}),
]


@pytest.mark.parametrize(
    ("name", "seeds", "choices"), CASES, ids=[f"{name}{choices}" for name, _, choices in CASES]
)
def test_the_same_seed_makes_the_same(
    name: str, seeds: Sequence[Seed], choices: dict[str, Any]
) -> None:
    def texts(number: int) -> list[str]:
        return [text_of(mutant) for mutant in made(name, seeds, 6, choices, number)]

    assert texts(3) == texts(3) != texts(4)


Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return written


BOOLEAN = "(set-info :status sat)(declare-const a Bool)(declare-const b Bool)(assert (or a b))(assert (not (and a b)))(check-sat)"


@pytest.mark.usefixtures("bare_findings")
def test_a_wrong_answer_is_found_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, write: Write
) -> None:
    """The planted solver answers unsat where it sees an exclusive or; the finding says how it was
    made.
    """
    seed = write("seed.smt2", BOOLEAN)
    args = (
        "fusion",
        f"fake@{FAKES}",
        seed,
        "--wrapper",
        FAKES / "scripts.yaml",
        "--jobs",
        "1",
        "--seed",
        "1",
        "--check",
        "none",
    )
    code, out, _ = outcome(capsys, *args, "--runs", "12", "--out", tmp_path / "out")
    assert code == 1 and out.count("bucket new") == 1 and "kind=wrong-answer" in out, out
    traces = [found.read_text() for found in (tmp_path / "out" / "findings").rglob("*.trace")]
    trace = next(text for text in traces if "# seed-file" in text)
    assert (
        f"# seed-file {seed}" in trace
        and "# fusion: bool-xor of " in trace
        and re.search(r"^# seed [0-9a-f]+$", trace, re.M)
    )
    (number,) = re.findall(r"^# seed ([0-9a-f]+)$", trace, re.M)
    again = outcome(capsys, *args, "--run-seed", number)
    assert again[0] == 1 and "answered unsat, expected sat" in again[2]


@pytest.mark.parametrize(
    "fuzzer", [("fusion", "--oracle", "unsat"), ("storm", "--unsat")], ids=lambda args: args[0]
)
def test_a_wrong_label_is_no_finding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, write: Write, fuzzer: tuple[str, ...]
) -> None:
    seed = write("lying.smt2", BOOLEAN.replace("sat", "unsat", 1))
    args = ("z3", seed, "--runs", "2", "--jobs", "1", "--seed", "1", "--out", tmp_path / "out")
    code, out, _ = outcome(capsys, fuzzer[0], *fuzzer[1:], *args)
    said = f"1 file answered against the label, 'murxpy check-seeds --cross-check' says who is right: {seed}"
    assert code == 0 and "no findings" in out and said in out, out


def test_a_wrong_label_that_nothing_was_made_of_hides_no_finding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, write: Write
) -> None:
    """STORM's instances are satisfiable by the evaluator's word, whatever the seed is labelled."""
    seed = write("lying.smt2", BOOLEAN.replace("sat", "unsat", 1))
    args = (
        "storm",
        "--more-connectives",
        f"fake@{FAKES}",
        seed,
        "--wrapper",
        FAKES / "scripts.yaml",
        "--jobs",
        "1",
        "--seed",
        "1",
        "--runs",
        "1",
    )
    code, out, _ = outcome(
        capsys, *args, "--iterations", "6", "--check", "none", "--out", tmp_path / "out"
    )
    assert code == 1 and "kind=wrong-answer" in out, out


@pytest.mark.parametrize(
    "oracle", [("sat", (SAT, SAT)), ("unsat", (UNSAT, UNSAT))], ids=["sat", "unsat"]
)
def test_fusion_with_functions_that_are_made(oracle: tuple[str, Sequence[Seed]]) -> None:
    mutants = made("fusion", oracle[1], 20, {"oracle": oracle[0], "generate": 3})
    assert any("composed" in step for mutant in mutants for step in mutant.steps)
    for mutant in mutants:
        assert answers("z3", text_of(mutant, "z3"), 20_000)[0] in ("unknown", *mutant.expected), (
            text_of(mutant)
        )


OWN = """(define-fun scale ((x Int) (y Int)) Int (+ (* 3 x) y))
(define-fun scale.x ((z Int) (y Int)) Int (div (- z y) 3))
(define-fun scale.y ((z Int) (x Int)) Int (- z (* 3 x)))
(define-fun scale.guard ((x Int) (y Int)) Bool (< x 1000))
"""


def test_the_users_functions(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, write: Write
) -> None:
    mutants = made("fusion", (SAT, SAT), 10, {"functions": OWN})
    assert any(step.startswith("fusion: scale of ") for mutant in mutants for step in mutant.steps)
    seed, own = write("seed.smt2", BOOLEAN), write("own.smt2", OWN)
    code, out, _ = outcome(
        capsys,
        "fusion",
        "z3",
        seed,
        "--functions",
        own,
        "--runs",
        "1",
        "--jobs",
        "1",
        "--out",
        tmp_path / "out",
    )
    assert code == 0, out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            OWN.replace("(- z (* 3 x))", "(- z x)"),
            "own.smt2: the law y = scale.y(scale(x, y), x) does not hold for all x and y: z3",
        ),
        (OWN.replace("scale.y", "scale.w"), "own.smt2:1: expected a definition of 'scale.y'"),
        (
            "(define-fun f ((x Int)) Int x)",
            "own.smt2:1: 'f': expected a function of two arguments",
        ),
        (
            OWN.replace("scale.x ((z Int)", "scale.x ((z Real)").replace("(div (- z y) 3)", "y"),
            "a function from INT and INT to",
        ),
        ("(check-sat)", "expected definitions of fusion functions"),
        ("(define-fun", "own.smt2"),
    ],
)
def test_functions_that_are_refused(
    capsys: pytest.CaptureFixture[str], write: Write, text: str, expected: str
) -> None:
    code, message = error(
        capsys, "fusion", "z3", write("seed.smt2", BOOLEAN), "--functions", write("own.smt2", text)
    )
    assert code == 2 and expected in message


NUMBERS = Seed(
    "numbers.smt2",
    """(declare-const b (_ BitVec 8))(declare-const f (_ FloatingPoint 3 5))
(assert (= (bvadd b #x01) #x03))(assert (fp.lt f (fp.add RNE f f)))(check-sat)""",
    "sat",
)
WORDS = Seed(
    "words.smt2",
    """(declare-const s String)(declare-const i Int)
(assert (str.in_re (str.++ s "a") (re.* (str.to_re "a"))))(assert (> i 3))(check-sat)""",
    "sat",
)


@pytest.mark.parametrize(
    ("seed", "rare"),
    [
        (
            NUMBERS,
            [
                "BV_COMP",
                "BV_REDOR",
                "BV_CONCAT",
                "BV_ZERO_EXTEND",
                "FP_TO_UBV",
                "FP_TO_FP_FROM_SBV",
                "FP_MAX",
            ],
        ),
        (
            WORDS,
            [
                "STR_LEN",
                "STR_TO_RE",
                "STR_TO_INT",
                "STR_IS_DIGIT",
                "STR_INDEXOF",
                "RE_OPT",
                "RE_ALLCHAR",
            ],
        ),
    ],
    ids=["numbers", "words"],
)
def test_operators_that_stand_for_no_other_come(seed: Seed, rare: list[str]) -> None:
    """What conforms to nothing in the seed, and gives a sort that few places have, is put into
    conditions.
    """
    runs = [mutant for number in range(40) for mutant in made("typefuzz", (seed,), 25, seed=number)]
    steps = " ".join(step.replace(",", " ") for mutant in runs for step in mutant.steps)
    assert [name for name in rare if f"OP_{name} " not in steps] == []
    assert " of OP_" in steps


def test_operators_of_theories_are_changed_more_often() -> None:
    """Half of what can be changed are connectives, which any script has; most changes are of the
    others.
    """
    seed = Seed(
        "few.smt2",
        """(declare-const x Int)(declare-const p Bool)(declare-const q Bool)
(assert (and (or p q) (or p (not q)) (< x 5) (> x 0)))(check-sat)""",
    )
    steps = [
        mutant.steps[0]
        for number in range(60)
        for mutant in made("opfuzz", (seed,), 5, seed=number)
    ]
    assert (
        sum(re.match(r"opfuzz: OP_(AND|OR|NOT)", step) is None for step in steps) > len(steps) * 0.6
    )


def test_fusion_of_rounding_modes() -> None:
    seed = Seed(
        "rm.smt2", "(declare-const r RoundingMode)(assert (not (= r RTZ)))(check-sat)", "sat"
    )
    mutants = made("fusion", (seed, seed), 20, {"generate": 3})
    assert all("fusion: choice of r" in mutant.steps[0] for mutant in mutants)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_bounds_of_storm(depth: int) -> None:
    """Both bounds are reached, and nothing is beyond them: one assertion, and no more connectives
    above an atom than `--max-depth` says, whether the seed has them or STORM adds them.
    """
    deep = Seed("deep.smt2", DEEP)
    for seed in range(3):
        mutants = made("storm", (deep,), 60, {"max_assertions": 4, "max_depth": depth}, seed)
        asserted = [mutant.script.assertions() for mutant in mutants]
        assert {len(terms) for terms in asserted} == {1, 2, 3, 4}
        assert max(map(Depths(CATALOGUE).of, chain_of(*asserted))) == depth
