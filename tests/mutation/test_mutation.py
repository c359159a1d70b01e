"""The mutation fuzzers: occurrences, conforming operators, chains, seeds and their commands."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from campaigns import FAKES
from chains import chain
from commands import error, outcome
from toy import catalogue

from murxpy.cli.report.outcome import exit_code
from murxpy.data import load_catalogue, load_machine, load_wrapper
from murxpy.fuzzers.seeds import collect_seeds, label_of
from murxpy.logic.terms import Term
from murxpy.machine.random import Stream
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.chains import ChainPrinter
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, CheckSat, Script
from murxpy.sources.mutation.conforming import Conforming
from murxpy.sources.mutation.fuzzers import opfuzz
from murxpy.sources.mutation.occurrences import Occurrences, in_scope, replaced
from murxpy.sources.mutation.preparing import Logics, in_logic, prepared
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.sources.mutation.terms import Expressions, Fitting
from murxpy.sources.mutation.workshop import MutationSession, Seed, Workshop
from murxpy.worker.session import Session

pytestmark = pytest.mark.usefixtures("kept_solvers")

CATALOGUE = catalogue()
EVERYTHING = frozenset(CATALOGUE.operators)
TEXT = """(set-info :status sat)
(declare-const x Int) (declare-const y Int)
(assert (let ((s (+ x y))) (and (< s 3) (> s x))))
(assert (forall ((z Int)) (=> (<= z x) (<= z (+ x 1)))))
(check-sat)
"""


def workshop(text: str, seed: int = 1) -> Workshop:
    shop = MutationSession(CATALOGUE, EVERYTHING, "standard")
    return Workshop(shop, Stream(seed), [Seed("a.smt2", text)], lambda script: None, {})


def test_every_occurrence_is_drawn_alike() -> None:
    first = read_script(TEXT, "a", CATALOGUE).assertions()[0]
    occurrences = Occurrences(CATALOGUE, lambda term: bool(term.args))
    assert occurrences.count(first) == 5, "and, <, >, and the shared sum twice"
    stream = Stream(3)
    drawn = Counter(
        occurrence.term.op for _ in range(2000) if (occurrence := occurrences.draw(first, stream))
    )
    assert drawn.keys() == {"OP_AND", "OP_INT_LT", "OP_INT_GT", "OP_INT_ADD"}
    assert 700 < drawn["OP_INT_ADD"] < 900 and all(
        300 < drawn[op] < 500 for op in drawn if op != "OP_INT_ADD"
    )


def test_one_occurrence_of_a_shared_term_is_replaced() -> None:
    script = read_script(TEXT, "a", CATALOGUE)
    occurrences = Occurrences(CATALOGUE, lambda term: term.op == "OP_INT_ADD")
    occurrence = occurrences.draw(script.assertions()[0], Stream(1))
    assert occurrence is not None
    new = replaced(script.tables, occurrence, script.tables.value(script.tables.int, 7))
    assert occurrences.count(new) == 1


def test_bound_variables_are_in_scope_of_the_body_alone() -> None:
    script = read_script(TEXT, "a", CATALOGUE)
    occurrences = Occurrences(CATALOGUE, lambda term: term.op == "OP_INT_LTE")
    occurrence = occurrences.draw(script.assertions()[1], Stream(1))
    assert occurrence is not None
    assert [variable.indices[0] for variable in in_scope(CATALOGUE, occurrence)] == ["z"]


def test_conforming_operators_keep_sorts() -> None:
    script = read_script(TEXT, "a", CATALOGUE)
    conforming = Conforming(CATALOGUE, EVERYTHING)
    both = script.assertions()[0]
    names = {kind for kind, _, cast in conforming.choices(both, script.checker) if not cast}
    assert {
        "OP_OR",
        "OP_XOR",
        "OP_IMPLIES",
        "OP_EQUAL",
        "OP_DISTINCT",
    } <= names and "OP_AND" not in names
    assert [kind for kind, _, _ in conforming.choices(script.assertions()[1], script.checker)] == [
        "OP_EXISTS"
    ]


def test_integers_are_reals_too() -> None:
    script = read_script(
        "(declare-const x Int)(assert (< x 3))(assert (= (/ (to_real x) (to_real 2)) 1.0))",
        "a",
        CATALOGUE,
    )
    conforming = Conforming(CATALOGUE, EVERYTHING)
    below, quotient = script.assertions()[0], script.assertions()[1].args[0]
    assert ("OP_REAL_GT", (), "up") in conforming.choices(below, script.checker)
    casts = {kind: cast for kind, _, cast in conforming.choices(quotient, script.checker)}
    assert casts["OP_INT_DIV"] == "down" and casts["OP_REAL_MUL"] == ""


@pytest.mark.parametrize("seed", range(5))
def test_mutants_read_back(seed: int) -> None:
    """Every mutant is well-sorted, and differs from the one before."""
    before = ""
    for mutant in chain(opfuzz.mutants(workshop(TEXT, seed)), 30):
        text = print_script(mutant.script, "standard")
        assert text != before and len(mutant.steps) == 1
        # an operator without a name is spelled by others
        once = print_script(read_script(text, "b", CATALOGUE), "standard")
        assert print_script(read_script(once, "c", CATALOGUE), "standard") == once
        before = text


def test_the_same_seed_makes_the_same_mutants() -> None:
    def texts() -> list[str]:
        return [
            print_script(mutant.script, "standard")
            for mutant in chain(opfuzz.mutants(workshop(TEXT, 9)), 20)
        ]

    assert texts() == texts()


@pytest.mark.parametrize("name", ["opfuzz", "typefuzz"])
def test_what_is_not_decided_is_left(name: str) -> None:
    """Mutants are made of the last one that was decided, so that a chain does not get lost in what
    no check answers.
    """

    def changed(answers: tuple[str, ...]) -> list[int]:
        before = prepared(read_script(TEXT, "seed", CATALOGUE))
        return [
            sum(
                a != b
                for a, b in zip(
                    map(repr, before.assertions()),
                    map(repr, mutant.script.assertions()),
                    strict=True,
                )
            )
            for mutant in chain(FUZZERS[name].mutants(workshop(TEXT, 3)), 30, answers)
        ]

    assert (
        set(changed(("unknown",))) == set(changed(())) == {1}
        and max(changed(("unknown", "sat"))) > 1
    )


def test_typefuzz_tries_twenty_places_with_eight_operators_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where nothing fits, the run ends, and another seed follows."""
    operators: list[int] = []
    instead = Expressions.instead

    def asked(self: Expressions, term: Term, scope: dict[Term, None]) -> tuple[Term, str] | None:
        operators.append(0)
        return instead(self, term, scope)

    def applied(self: Expressions, *_: object) -> None:
        operators[-1] += 1

    monkeypatch.setattr(Expressions, "instead", asked)
    monkeypatch.setattr(Expressions, "_apply", applied)
    monkeypatch.setattr(Fitting, "fits", lambda self, term: False)
    seed = "(declare-const p Bool)(declare-const q Bool)(assert (and p q))(check-sat)"
    make = FUZZERS["typefuzz"].mutants
    assert make is not None and not list(chain(make(workshop(seed, 1)), 5))
    assert len(operators) == 20 and max(operators) == 8


@pytest.mark.parametrize(
    ("text", "logic"),
    [
        ("(declare-const x Int)(assert (< (* 2 x) 3))", "QF_LIA"),
        ("(declare-const x Int)(assert (< (* x x) 3))", "QF_NIA"),
        # as cvc5 has it: what it is hangs on the model
        ("(declare-const x Int)(assert (= (div 1 0) x))", "QF_NIA"),
        ("(declare-const x Real)(assert (= (/ x 2.0 0.0) x))", "QF_NRA"),
        ("(declare-const x (_ BitVec 8))(assert (= (bvmul x x) x))", "QF_BV"),
        ("(declare-fun f (Real) Real)(assert (forall ((y Real)) (= (f y) 1.0)))", "UFLRA"),
        ("(declare-const s String)(assert (= (str.len s) 3))", "QF_SLIA"),
        ("(declare-const x Int)(declare-const b (_ BitVec 8))(assert (< x 3))", "ALL"),
        ("(declare-datatypes ((T 0)) (((c (d Int)))))(declare-const t T)(assert (= t t))", "ALL"),
        ("(declare-const p Bool)(assert p)", "QF_UF"),
        ("(declare-const x Real)(assert (is_int x))", "QF_LIRA"),
    ],
)
def test_the_logic_of_a_script(text: str, logic: str) -> None:
    script = prepared(read_script(text, "a", CATALOGUE))
    assert Logics(script).of(script) == logic and in_logic(script, logic).logic == logic


def test_labels() -> None:
    assert label_of(TEXT) == "sat"
    assert label_of(TEXT + "(check-sat)") == "", "which check is meant?"
    assert label_of(TEXT.replace("status sat", "status unknown")) == ""


def test_a_folder_labels_what_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "unsat").mkdir()
    for name, text in (
        ("silent", TEXT.replace("(set-info :status sat)", "")),
        ("says", TEXT),
        ("two", "(check-sat)(check-sat)"),
        ("unsure", TEXT.replace("status sat", "status unknown")),
    ):
        (tmp_path / "unsat" / f"{name}.smt2").write_text(text)
    assert [label for _, _, label in collect_seeds([tmp_path]).files] == [
        "sat",
        "unsat",
        "",
        "unsat",
    ]


def test_what_is_no_seed_is_left_out_and_named(tmp_path: Path) -> None:
    (tmp_path / "good.smt2").write_text(TEXT)
    (tmp_path / "big.smt2").write_text(TEXT + "; " + "x" * 300)
    (tmp_path / "binary.smt2").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "none.smt2").write_text("(assert true)")
    found = collect_seeds([tmp_path, tmp_path / "good.smt2"], 400)
    assert [Path(name).name for name, _, _ in found.files] == ["good.smt2"]
    assert sorted(found.left_out) == ["larger than 400 bytes", "no text", "without a check-sat"]


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_a_campaign_with_mutants(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, solver: str
) -> None:
    seed = tmp_path / "a.smt2"
    seed.write_text(TEXT)
    args = ("--runs", "3", "--iterations", "10", "--jobs", "1", "--seed", "1")
    code, out, _ = outcome(capsys, "opfuzz", solver, seed, *args, "--out", tmp_path / "out")
    assert code == 0 and re.search(r"^opfuzz +30 +(30|2[5-9]) +[0-9]+ ", out, re.M), out


def test_a_run_is_redone_by_its_seed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    seed = tmp_path / "a.smt2"
    seed.write_text(TEXT)
    traces = [
        outcome(capsys, "opfuzz", "z3", seed, "--run-seed", "7", "--iterations", "10")[1]
        for _ in range(2)
    ]
    assert traces[0] == traces[1] and traces[0].count("# opfuzz: ") == 10
    assert f"# seed-file {seed}" in traces[0]


def test_a_mix_has_the_options_of_its_fuzzers(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seed = tmp_path / "a.smt2"
    seed.write_text(TEXT)
    args = (
        "fuzz",
        "z3",
        "--mix",
        "storm",
        "--storm-max-assertions",
        "4",
        seed,
        "--run-seed",
        "7",
        "--iterations",
        "5",
    )
    mixed = outcome(capsys, *args)[1]
    assert (
        mixed
        == outcome(
            capsys,
            "storm",
            "z3",
            "--max-assertions",
            "4",
            seed,
            "--run-seed",
            "7",
            "--iterations",
            "5",
        )[1]
    )
    counts = re.findall(r"# storm: (\d+) formulas", mixed)
    assert len(counts) == 5 and set(counts) <= set("1234")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("opfuzz", "z3"), "Missing argument 'SEEDS...'"),
        (("opfuzz", "z3", "nowhere"), "no such file or folder: nowhere"),
        (("fuzz", "z3", "--mix", "api:1,opfuzz:1", "--walk-seeds", "0"), "no seeds"),
        (("fuzz", "z3", "--mix", "opfuzzy:1"), "unknown source 'opfuzzy'"),
        (("fuzz", "z3", "--mix", ""), "one is empty; known are api"),
        (("fuzz", "z3", "--mix", "api:2,,storm"), "one is empty; known are api"),
        (("fuzz", "z3", "--mix", "opfuzz:none"), "expected a weight above 0"),
        (("fuzz", "z3", "--mix", "opfuzz:1,api,opfuzz"), "'opfuzz' stands twice"),
        (
            ("fuzz", "z3", "--mix", "api:1,opfuzz:1", "--storm-max-depth", "3"),
            "--storm-max-depth is an option of storm, which is not among the sources of --mix",
        ),
        (
            ("fuzz", "z3", "--storm-unsat"),
            "--storm-unsat is an option of storm, which is not among the sources of --mix",
        ),
    ],
)
def test_bad_input_is_one_line(
    capsys: pytest.CaptureFixture[str], args: tuple[str, ...], expected: str
) -> None:
    code, text = error(capsys, *args)
    assert code == 2 and expected in text


@pytest.mark.parametrize("name", ["opfuzz", "typefuzz"])
def test_a_chain_is_printed_as_its_scripts_mean(name: str) -> None:
    """What is printed with kept texts and definitions reads as the terms that it was printed from."""
    shop = workshop(
        TEXT.replace(
            "(forall ((z Int)) (=> (<= z x) (<= z (+ x 1))))", "(=> (<= y x) (<= y (+ x 1)))"
        ),
        4,
    )
    printer = ChainPrinter(shop.tables, "standard")
    for mutant in chain(FUZZERS[name].mutants(shop), 60):
        tables = Tables(CATALOGUE)
        kept, again = (
            read_script(text, "a", CATALOGUE, tables)
            for text in (printer.text(mutant.script), print_script(mutant.script))
        )
        assert (
            kept.assertions() == again.assertions()
            and kept.commands[-1] == again.commands[-1] == CheckSat()
        )


@pytest.mark.parametrize(
    ("solver", "name"),
    [
        ("z3", "opfuzz"),
        ("cvc5", "typefuzz"),
        ("z3", "storm"),
        pytest.param("cvc5", "opfuzz", marks=pytest.mark.slow),
        pytest.param("z3", "typefuzz", marks=pytest.mark.slow),
        pytest.param("cvc5", "storm", marks=pytest.mark.slow),
    ],
)
def test_mutants_through_the_api(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, solver: str, name: str
) -> None:
    """Each is a solver of its own in the trace, which replays with the same answers."""
    seed = tmp_path / "a.smt2"
    seed.write_text(TEXT)
    trace = outcome(
        capsys, name, solver, seed, "--run-seed", "7", "--iterations", "5", "--through", "api"
    )[1]
    assert (
        trace.count(f"# {name}: ") == 5 == len(re.findall("^ *[0-9]+ delete", trace, re.M))
        and "check-sat" in trace
    )
    path = tmp_path / "a.trace"
    path.write_text(trace)
    code, out, _ = outcome(capsys, "replay", path)
    assert (code == 0 and "no difference" in out) or "answers: " in out, out


def test_a_solver_without_a_reader_gets_mutants_through_its_api(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    wrapper, seed = tmp_path / "fake.yaml", tmp_path / "a.smt2"
    wrapper.write_text(
        "".join(row for row in (FAKES / "scripts.yaml").open() if "run-script" not in row)
    )
    seed.write_text(
        "(declare-const a Bool)(declare-const b Bool)(assert (and a (not b)))(check-sat)"
    )
    args = (f"fake@{FAKES}", seed, "--wrapper", wrapper, "--run-seed", "7", "--iterations", "5")
    code, message = error(capsys, "opfuzz", *args)
    assert (
        code == 2
        and "cannot read scripts" in message
        and "expected --through api, and not " in message
        and "storm" in message
    )
    assert outcome(capsys, "opfuzz", *args, "--through", "api")[1].count("# opfuzz: ") == 5
    shown = error(capsys, "storm", *args, "--through", "api")[1]
    assert "and not " in shown and "storm" in shown


def test_what_cannot_be_said_cannot_be_said_again() -> None:
    """A constant array of a term that is no value has no name in the standard's dialect."""
    script = read_script(
        "(declare-const x Int)(declare-const a (Array Int Int))(assert (= x 1))", "a", CATALOGUE
    )
    tables = script.tables
    x, a = script.constants()
    filled = tables.apply("OP_CONST_ARRAY", x, wanted=a.sort)
    printer = ChainPrinter(tables, "standard")
    for term in (tables.apply("OP_EQUAL", a, filled), tables.apply("OP_DISTINCT", a, filled)):
        with pytest.raises(Unsayable):
            printer.text(Script("b", tables, [*script.commands, Assert(term)]))
    assert "(= x 1)" in printer.text(script)


def test_what_stands_in_many_places_is_printed_once() -> None:
    """By definitions: of constants, functions and recursive functions, in the order in which they
    need each other, and no others.
    """
    sums = (
        "".join(f"(declare-const x{k} Int)" for k in range(30)),
        "(+ " + " ".join(f"x{k}" for k in range(30)) + ")",
    )
    text = f"""{sums[0]}(declare-const p Bool)(define-fun f ((a Int)) Int (* a {sums[1]}))
(define-fun-rec g ((a Int)) Int (ite (< a 0) {sums[1]} (g (- a {sums[1]}))))
(assert (or p (< {sums[1]} 3)))(assert (or (> {sums[1]} (f x1)) (forall ((y Int)) (< y (g {sums[1]})))))(check-sat)"""
    script = read_script(text, "a", CATALOGUE)
    printer = ChainPrinter(script.tables, "standard")
    printed = printer.text(script)
    # another one in that of g
    assert (
        len(re.findall("(?m)^.define-fun def!", printed)) == 1
        and len(re.findall("x7 x8", printed)) == 2
    )
    again = read_script(printed, "b", CATALOGUE)
    assert [print_script(s).count("(assert") for s in (script, again)] == [2, 2]
    assert print_script(read_script(print_script(again), "c", CATALOGUE)) == print_script(again)
    without = Script(
        "c",
        script.tables,
        [
            *script.commands[:-3],
            Assert(script.tables.constant("p", script.tables.bool)),
            CheckSat(),
        ],
    )
    assert "(assert p)" in printer.text(without)


def test_a_seed_that_is_kept_is_as_one_that_is_read() -> None:
    """What a run makes of a seed does not depend on the runs before it that worked on the same one."""

    def texts(shop: MutationSession, name: str) -> list[str]:
        seeds = [Seed("seed.smt2", TEXT, "sat")] * 2
        room = Workshop(shop, Stream(5), seeds, lambda text: None, {})
        printer = ChainPrinter(room.tables, "standard")
        return [printer.text(mutant.script) for mutant in chain(FUZZERS[name].mutants(room), 10)]

    shop = MutationSession(CATALOGUE, EVERYTHING, "standard")
    for name in ("opfuzz", "typefuzz", "fusion"):
        fresh = texts(MutationSession(CATALOGUE, EVERYTHING, "standard"), name)
        assert fresh and texts(shop, name) == texts(shop, name) == fresh


def test_what_a_solver_spends_is_counted() -> None:
    """As it counts for its own limit, so it is the same whenever the run is made."""
    seed = [
        "a.smt2",
        "(declare-const x Int)(declare-const y Int)(assert (= (+ (* x x) (* y y)) 1105))(check-sat)",
        "sat",
    ]
    sources = {"seeds": [seed], "mix": [["opfuzz", 1.0]], "walk": 5, "check-ms": 20.0}
    setup = {
        "catalogue": load_catalogue(),
        "machine": load_machine("default"),
        "wrapper": load_wrapper("z3"),
    }
    session = Session({**setup, "sources": sources})
    spent = [session.walk(7, lambda text: None)["counts"]["mutator:opfuzz:spent"] for _ in range(2)]
    assert spent[0] == spent[1] > 0


@pytest.mark.parametrize(("kind", "code"), [("internal", 3), ("wrong-answer", 1), ("", 0)])
def test_one_run_ends_with_the_exit_code_of_a_campaign(kind: str, code: int) -> None:
    ended = SimpleNamespace(cause="end", seconds=0.0)
    found = SimpleNamespace(verdict=SimpleNamespace(kind=kind)) if kind else None
    replayed: Any = SimpleNamespace(found=found, outcome=ended)
    assert exit_code(replayed) == code
