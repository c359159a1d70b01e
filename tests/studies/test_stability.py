"""Variants of scripts that mean the same, and how stable a solver is on them: fake solvers with planted
instability, and the shipped wrappers.
"""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from xml.etree import ElementTree

import pytest
from campaigns import FAKES
from commands import error, outcome
from toy import catalogue
from wheels import SOURCE

from murxpy.data import load_catalogue, load_wrapper, with_dialect
from murxpy.findings.folder import STABILITY, study_file
from murxpy.machine.script import Alone
from murxpy.oracles.stability import class_of, spread, whole
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.values import Interpretation
from murxpy.smtlib import script as c
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Script
from murxpy.sources.mutation.variants import METHODS, PLAIN, Varier

CATALOGUE = catalogue()
TEXT = """(set-logic ALL)
(declare-sort S 0)
(declare-datatypes ((Pair 0)) (((mk (first Int) (second Bool)))))
(declare-fun f (Int) Int)
(declare-const x Int)
(declare-const y Int)
(declare-const s S)
(define-fun twice ((k Int)) Int (+ k k x))
(assert (! (= (f x) (+ x 3 y)) :named first-one))
(assert (and (or (< x y) (= x y 2)) (distinct (f 2) 7)))
(assert (forall ((k Int)) (=> (> k 5) (>= (f k) (+ y k)))))
(push 1)
(assert (= (twice y) (f (twice x))))
(assert (= (first (mk x true)) y))
(check-sat-assuming ((< x 10) (< y 20) (= s s)))
(get-model)
(pop 1)
(check-sat)
(exit)
"""
# A solver that gives up where `b` stands before `a`, and where its random seed is odd.
ALONE = """
def run_alone(text, limit, wall_ms):
    names = [word for word in text.replace("(", " ").replace(")", " ").split() if word in ("a", "b")]
    {bug}
    return "sat\\n", len(text)


def run_script(text):
    answer, cost = run_alone(text, 10**6, 0)
    _SPENT[0] += cost
    return answer
"""
BUGS = {
    "calm": "pass",
    "refusing": 'raise FakeError("unknown operator or")',
    "orderly": 'if "(assert b)" in text and text.index("(assert b)") < text.index("(assert a)"): return "unknown", limit',
    "lying": 'if "(assert b)" in text and text.index("(assert b)") < text.index("(assert a)"): return "unsat", 5',
    "crashing": 'if "(or b a)" in text: faults.commit("segfault")',
    "seedy": 'if int(text.split(":dice ")[1].split(")")[0]) % 2 if ":dice" in text else 0: return "unknown", limit',
    "hopeless": 'return "unknown", limit',
}
SCRIPT = (
    "(declare-const a Bool)(declare-const b Bool)(assert a)(assert b)(assert (or a b))(check-sat)"
)


def varier(text: str = TEXT, number: int = 7) -> Varier:
    script = read_script(text, "t.smt2", CATALOGUE)
    return Varier(script, "standard", number, ["dice", "more-dice"])


def made(method: str, place: int, text: str = TEXT) -> str:
    return varier(text).text(method, place)


def words(text: str) -> list[str]:
    return sorted(re.findall(r"[^\s()]+", text))


# -- variants


@pytest.mark.parametrize("method", METHODS)
def test_a_variant_is_read_again_and_drawn_from_its_place_alone(method: str) -> None:
    first = [made(method, place) for place in range(6)]
    assert [made(method, place) for place in range(5, -1, -1)] == first[::-1]
    assert len({*first}) == (1 if method == PLAIN else 6)
    for text in first:
        commands = read_script(text, "v", CATALOGUE).commands
        assert sum(isinstance(one, c.Assert) for one in commands) == 5
        assert "get-model" not in text and "exit" not in text
    other = Varier(read_script(TEXT, "t.smt2", CATALOGUE), "standard", 8, ["dice"])
    assert method == PLAIN or other.text(method, 0) != first[0]


def test_shuffling_changes_nothing_but_order() -> None:
    plain = made(PLAIN, 0)
    for place in range(5):
        text = made("shuffle", place)
        assert words(text) == words(plain) and text != plain
        first, second = text.index("(push"), text.index("(pop")
        assert "twice" in text[first:second] and "forall" in text[:first]


def test_renaming_changes_nothing_but_names() -> None:
    plain, text = made(PLAIN, 0), made("rename", 1)
    old, new = (re.findall(r"[^\s()]+", one) for one in (plain, text))
    names = dict(zip(old, new, strict=True))
    assert [names[word] for word in old] == new  # the same name everywhere
    assert {word for word in names if names[word] != word} >= {"x", "y", "f", "k"}
    assert names["first-one"] == "first-one"


def test_a_seed_is_set_before_everything_else() -> None:
    lines = made("seed", 3).splitlines()
    assert re.fullmatch(r"\(set-option :dice \d+\)", lines[0]) and ":more-dice" in lines[1]
    assert lines[2:] == made(PLAIN, 0).splitlines()


def test_operands_in_another_order_have_the_same_value() -> None:
    def values(script: Script) -> list[object]:
        constants = {name: script.tables.constant(name, script.tables.int) for name in "xy"}
        evaluator = Evaluator(CATALOGUE, Interpretation({constants["x"]: 2, constants["y"]: 5}))
        asserted = [one.term for one in script.commands if isinstance(one, c.Assert)]
        return [evaluator.value(term) for term in asserted]

    text = "(declare-const x Int)(declare-const y Int)" + "".join(
        f"(assert {term})"
        for term in (
            "(= (- x y 1) (+ y x 3))",
            "(and (< x y) (or (= y x) (= 7 (+ x y))))",
            "(distinct x y 9)",
        )
    )
    plain = values(read_script(made(PLAIN, 0, text), "v", CATALOGUE))
    assert plain == [False, True, True]
    for place in range(8):
        assert values(read_script(made("commute", place, text), "v", CATALOGUE)) == plain


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_the_shipped_solvers_take_every_variant(solver: str) -> None:
    wrapper = load_wrapper(solver)
    catalogue = with_dialect(load_catalogue(), wrapper)
    alone = Alone(catalogue, wrapper, (10**6, 5000))
    script = read_script(TEXT, "t.smt2", alone.catalogue, dialect=solver)
    variants = Varier(script, solver, 3, wrapper["script-seeds"])
    assert wrapper["script-seeds"]
    for method in METHODS:
        for place in range(2):
            said = alone.ask(variants.text(method, place))
            assert said.outcome in ("unknown", "unsat+unsat", "unsat+sat"), (method, said)


# -- classes


@pytest.mark.parametrize(
    ("decided", "count", "kind"),
    [
        (60, 60, "stable"),
        (59, 60, "unsure"),
        (50, 60, "unstable"),
        (30, 60, "unstable"),
        (7, 60, "unstable"),
        (0, 60, "unsolved"),
        (2, 60, "unsure"),
        (10, 10, "unsure"),
        (0, 10, "unsure"),
        (3, 10, "unstable"),
        (0, 0, "unsure"),
    ],
)
def test_classes_are_told_where_there_is_little_doubt(decided: int, count: int, kind: str) -> None:
    answers = [("sat", 5)] * decided + [("unknown", 9)] * (count - decided)
    assert class_of(spread(answers)) == kind


def test_a_script_is_as_stable_as_its_worst_method() -> None:
    assert whole(["stable", "unstable", "unsure"]) == "unstable"
    assert whole(["stable", "unsolved"]) == "unstable"
    assert whole(["stable", "stable"]) == "stable" and whole(["stable", "unsure"]) == "unsure"


def test_costs_are_those_of_decided_variants() -> None:
    found = spread([("sat", 10), ("unknown", 10**6), ("unsat", 40), ("sat", 20), ("crash", 0)])
    assert (found.count, found.decided, found.answers) == (5, 3, ("sat", "unsat"))
    assert (found.least, found.middle, found.most, found.ratio) == (10, 20, 40, 4.0)


# -- the command


def target(folder: Path, bug: str) -> list[str]:
    """Words that name a fake solver with a bug."""
    package = folder / bug / "fakesolver"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text(SOURCE["__init__.py"] + ALONE.format(bug=BUGS[bug]))
    (folder / bug / "faults.py").write_text((FAKES / "faults.py").read_text())
    wrapper = folder / "scripts.yaml"
    wrapper.write_text(
        (FAKES / "scripts.yaml").read_text()
        + 'readers: {alone: "f.run_alone({v}, {0}, {1})", script-cost: "f.spent()"}\n'
        + "script-seeds: [dice]\n"
    )
    script = folder / "s.smt2"
    script.write_text(SCRIPT)
    return [f"fake@{folder / bug}", str(script), "--wrapper", str(wrapper)]


@pytest.mark.parametrize(
    ("bug", "code", "classes"),
    [
        ("calm", 0, "stable stable stable stable"),
        ("orderly", 0, "stable unstable stable stable"),
        ("seedy", 0, "stable stable stable unstable"),
        ("hopeless", 0, "unsolved unsolved unsolved unsolved"),
        ("lying", 1, "stable stable stable stable"),
        ("crashing", 1, "stable stable unstable stable"),
    ],
)
def test_what_makes_a_solver_unstable_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bug: str, code: int, classes: str
) -> None:
    found, text, _ = outcome(capsys, "stability", *target(tmp_path, bug), "--format", "json")
    (row,) = json.loads(text)
    assert " ".join(one["class"] for one in row["methods"].values()) == classes
    assert found == code and (row["answers"] == ["sat", "unsat"]) == (bug == "lying")
    assert bool(row["crashes"]) == (bug == "crashing")
    assert [one["count"] for one in row["methods"].values()] == [60] * 4


def test_a_script_that_is_not_read_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = target(tmp_path, "refusing")
    with (tmp_path / "scripts.yaml").open("a") as wrapper:
        wrapper.write("refusals: [{class: unsupported, message: unknown operator}]\n")
    (tmp_path / "bad.smt2").write_text("(assert nobody)(check-sat)")
    code, text, told = outcome(capsys, "stability", *words, str(tmp_path / "bad.smt2"))
    assert code == 0 and "s.smt2: refused: " in text and "unknown operator or" in text
    assert "left out: " in told and "unknown symbol 'nobody'" in told


def test_a_study_goes_on_and_asks_nothing_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    words = [*target(tmp_path, "orderly"), "--variants", "20", "--out", str(out)]
    code, text, _ = outcome(capsys, "stability", *words, "--fail-on", "unstable")
    assert code == 1 and "unstable" in text
    assert ElementTree.parse(out / "stability.svg").getroot().tag.endswith("svg")
    page = tmp_path / "s.html"
    assert outcome(capsys, "report", out, "--html", page)[0] == 0
    shown = page.read_text()  # it has the tables that the command has printed, and the drawing
    assert all(word in shown for word in text.splitlines()[1].split())
    assert "<svg" in shown and shown.startswith("<!doctype html>")
    with sqlite3.connect(out / study_file("stability")) as db:  # killed before the last answers
        db.execute("DELETE FROM answers WHERE place > 11")
    assert outcome(capsys, "stability", *words)[:2] == (0, text)
    with sqlite3.connect(out / study_file("stability")) as db:
        (count,) = db.execute("SELECT count(*) FROM answers").fetchone()
    assert count == 81


def test_a_folder_of_an_older_version_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It kept answers as lines of JSON."""
    out = tmp_path / "out"
    words = [*target(tmp_path, "calm"), "--variants", "2", "--methods", "seed", "--out", str(out)]
    assert outcome(capsys, "stability", *words)[0] == 0
    kept = out / study_file("stability")
    with sqlite3.connect(kept) as db:
        rows = db.execute(
            "SELECT t.name, s.name, place, cost FROM answers JOIN grammars s ON s.id = grammar "
            "JOIN targets t ON t.id = target"
        ).fetchall()
    assert len(rows) == 3
    kept.unlink()
    lines = [
        json.dumps([name, *subject.split(" "), [[place, "sat", cost + 1000, ""]]]) + "\n"
        for name, subject, place, cost in rows
    ]
    (out / STABILITY).write_text("".join(lines) + lines[0][:30])  # killed while it wrote
    code, text, told = outcome(capsys, "stability", *words, "--format", "json")
    (row,) = json.loads(text)
    assert code == 0 and told == "" and row["cost"] == 1000 + min(cost for *_, cost in rows)
    (out / STABILITY).write_text("{}\n")
    code, line = error(capsys, "stability", *words)
    assert code == 2 and f"{STABILITY}:1: expected answers" in line
    kept.unlink()
    assert error(capsys, "stability", *words)[0] == 2


def test_a_variant_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = target(tmp_path, "lying")
    code, text, _ = outcome(capsys, "stability", *words)
    where = re.search(r"different answers: sat \(plain:0\), unsat \((shuffle:\d+)\)", text)
    assert code == 1 and where is not None
    code, text, _ = outcome(capsys, "stability", *words, "--print", where[1])
    assert code == 0 and text.index("(assert b)") < text.index("(assert a)")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["z3", "nosuch.smt2"], "nosuch.smt2"),
        (["z3", "s.smt2", "--methods", "shufle"], "unknown name 'shufle'"),
        (["z3", "s.smt2", "--print", "shuffle"], "expected a method"),
        (["z3,cvc5", "s.smt2", "--print", "shuffle:1"], "one target and one script"),
        (["z3", "s.smt2", "--methods", ""], "expected"),
    ],
)
def test_bad_words_are_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    message: str,
) -> None:
    (tmp_path / "s.smt2").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    code, line = error(capsys, "stability", *words)
    assert code == 2 and message in line


# -- in a campaign


def campaign(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bug: str, *more: str
) -> tuple[int, dict[str, int]]:
    """The exit code of a campaign on a fake solver that asks variants of all mutants, and what it
    counted of them.
    """
    out = tmp_path / "out"
    options = ("--runs", "3", "--iterations", "6", "--jobs", "1", "--seed", "1", "--check", "none")
    words = ("opfuzz", *target(tmp_path, bug), *options, "--stability", "100", "--out", str(out))
    code, _, err = outcome(capsys, *words, *more)
    assert code in (0, 1), err
    counts = json.loads(outcome(capsys, "statistics", out, "--json")[1])
    front = "stability:"
    return code, {
        name.removeprefix(front): count for name, count in counts.items() if name.startswith(front)
    }


def test_a_campaign_counts_what_its_solver_makes_of_variants(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, counts = campaign(tmp_path, capsys, "orderly")
    asked = counts["plain:asked"]
    assert code == 0 and asked == 18 == counts["plain:decided"] == counts["rename:decided"]
    assert counts["shuffle:lost"] == asked - counts["shuffle:decided"] > 4
    assert not any(count for name, count in counts.items() if name.endswith(":x10"))
    _, text, _ = outcome(capsys, "statistics", tmp_path / "out")
    assert re.search(r"^shuffle +18 +\d+ +\d+ +- ", text, re.M), text


@pytest.mark.usefixtures("bare_findings")
def test_a_variant_that_contradicts_its_mutant_is_a_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _ = campaign(tmp_path, capsys, "lying", "--stop-at-first", "--no-minimize")
    trace = next((tmp_path / "out" / "findings").glob("wrong-answer-*/*.trace"))
    assert code == 1 and "# a variant of it: shuffle" in trace.read_text()
    solver, _, *wrapper = target(tmp_path, "lying")
    assert outcome(capsys, "replay", trace, "--solver", solver, *wrapper)[0] == 1
