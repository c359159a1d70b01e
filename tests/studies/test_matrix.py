"""A solver that is followed over releases with every small script: fake releases with planted bugs."""

from __future__ import annotations

import importlib
import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import pytest
from campaigns import FAKES
from commands import error, outcome
from scriptsolvers import z3_scripts
from wheels import SOURCE, offer

from murxpy.cli.studies.matrix import costs_table, shown_triggers
from murxpy.data import load_catalogue, load_wrapper
from murxpy.data.lookup import load_grammar
from murxpy.errors import InputError
from murxpy.findings.folder import MATRIX
from murxpy.fuzzers.setups import checked
from murxpy.oracles.crash import Outcome
from murxpy.processes.inquiries import Answer, read_answers
from murxpy.processes.limits import Limits
from murxpy.sources.enumeration.answering import Answering
from murxpy.sources.enumeration.grammar import Grammar
from murxpy.studies.matrix import (
    Followed,
    Matrix,
    Trigger,
    Triggers,
    Truth,
    grammars_in,
    targets_in,
    truth_of,
)
from murxpy.studies.study import Store, carry_out

# All scripts of this grammar are satisfiable, by the model in which all constants are true.
MONOTONE = """grammar: {name}
about: formulas that are true where all constants are
sorts: {{B: Bool}}
declare: ["(declare-const a Bool)", "(declare-const b Bool)"]
rules: {{B: ["{{a b}}", "({{and or}} B B)"]}}
script: [(assert B), (check-sat)]
"""
UNKNOWN = MONOTONE.format(name="deep").replace(
    "(declare-const b Bool)", "(declare-const b Bool)(declare-const c Int)"
)
ALONE = """
# opened here, in the warm parent, because workers may not write there
_SHOTS = os.open(__file__ + ".shots", os.O_RDWR | os.O_APPEND | os.O_CREAT)

def shoot():
    os.write(_SHOTS, b".")
    return os.fstat(_SHOTS).st_size <= {shots}

def run_alone(text, limit, wall_ms):
    say = "sat"
    values = "true"
    core = "(core!0)"
    {bug}
    model = f"((define-fun a () Bool {{values}})(define-fun b () Bool {{values}}))"
    if say == "unsat" and "get-unsat-core" in text:
        return f"unsat\\n{{core}}", 1
    return f"{{say}}\\n" + (model if say == "sat" else ""), text.count("and") * 16 + 1
"""
BUGS = {
    "right": "pass",
    "unsound": 'say = "unsat" if "(or a b)" in text else say',
    "unsure": 'say = "unknown" if "(and b" in text else say',
    "wrong-model": 'values = "false" if "(and a a)" in text else values',
    "core-right": 'say = "unsat" if "(and a b)" in text else say',
    "core-wrong": 'say = "unsat" if "(and a b)" in text and "unsat-core" in text else say',
    "core-foreign": 'say, core = ("unsat", "(other)") if "(and a b)" in text else (say, core)',
    "crashing": 'if "(or b b)" in text: faults.commit("segfault")',
    "shot": 'if "(or b b)" in text and shoot(): os.kill(os.getpid(), 9)',
    "endless": 'if "(or b b)" in text: faults.commit("spin")',
    "checking": 'if ":checking true" in text and "(and a a)" in text: raise FakeError("the model is wrong")',
    "refusing": 'if "or" in text: raise FakeError("unknown operator or")',
    "late": 'if "or" in text: raise FakeError("check error: unknown operator or")',
    "ill-formed": 'if "(or b" in text: raise FakeError("check error: bad sort")',
}


def wrapper(folder: Path) -> str:
    """The file of a wrapper of the fake solver that answers whole scripts."""
    file = folder / "scripts.yaml"
    text = (FAKES / "scripts.yaml").read_text()
    file.write_text(
        text
        + 'readers: {alone: "f.run_alone({v}, {0}, {1})"}\nown-checks: {checking: true}\n'
        + "refusals: [{class: unsupported, message: unknown operator}, {class: ill-formed, message: bad sort}, "
        + "{class: invalid-model, message: the model is wrong}]\n"
    )
    return str(file)


def source(bug: str) -> dict[str, str]:
    """The files of a release with a bug."""
    name, _, shots = bug.partition("-shots-")
    return {"__init__.py": SOURCE["__init__.py"] + ALONE.format(bug=BUGS[name], shots=shots or 0)}


def release(folder: Path, bug: str) -> str:
    """A target with a bug."""
    package = folder / bug / "fakesolver"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text(source(bug)["__init__.py"])
    (folder / bug / "faults.py").write_text((FAKES / "faults.py").read_text())
    return f"fake@{folder / bug}"


def grammar(folder: Path, name: str = "monotone") -> str:
    """The file of a grammar."""
    file = folder / f"{name}.yaml"
    file.write_text(MONOTONE.format(name=name))
    return str(file)


def study(
    folder: Path,
    bugs: str,
    take: int = 10,
    watch: object = None,
    own_checks: bool = False,
    **options: object,
) -> Triggers:
    """Follow fake releases with bugs, and tell what was found."""
    names = [release(folder, bug) for bug in bugs.split()]
    if "grammars" not in options:
        files = [grammar(folder, name) for name in str(options.pop("names", "monotone")).split()]
        options["grammars"] = [checked(file) for file in files]
    options = {"block": 4, "check_ms": 5.0, **options}
    asked = Matrix(
        targets=names,
        at=0,
        take=take,
        own_checks=own_checks,
        limits=Limits(wall=0.5, by_line=True),
        wrapper=wrapper(folder),
        **options,  # type: ignore[arg-type]
    )
    return carry_out(asked, folder / "out", watch or (lambda *told: None), lambda text: None)  # type: ignore[arg-type]


def shown(found: Triggers, target: int) -> list[tuple[str, str]]:
    """The triggers of a target: kind, and the place of the script."""
    return [(one.kind, str(one.place)) for one in found.triggers if one.target == target]


# the first ten scripts: a, b, then (and a a) (and a b) (and b a) (and b b) (or a a) .. (or b b)
def test_each_kind_of_bug_is_told_of_the_release_that_has_it(tmp_path: Path) -> None:
    found = study(
        tmp_path,
        "right unsound wrong-model crashing endless refusing unsure late ill-formed",
        jobs=2,
    )
    right, unsound, model, crash, endless, refusing, unsure, late, ill_formed = range(1, 10)
    assert shown(found, right) == []
    assert shown(found, unsound) == [("unsound", "7")]
    assert shown(found, model) == [("invalid-model", "2")]
    assert shown(found, crash) == [("crash", "9")]
    assert found.whole(endless).answers == Counter(sat=9, timeout=1)
    assert found.whole(refusing).answers == Counter(sat=6, error=4)
    assert found.whole(late).answers == Counter(sat=6, error=4)
    assert [kind for kind, _ in shown(found, ill_formed)] == ["crash", "crash"]
    assert found.whole(unsure).answers == Counter(sat=8, unknown=2)
    # Both answers of Boolean scripts are known
    assert found.truths[1] == Counter({"all values": 10})
    assert [found.whole(right).solved(power) for power in (0, 1, 5)] == [6, 6, 10]


def test_costs_are_compared_on_what_all_releases_decide(tmp_path: Path) -> None:
    """The scripts with `and b` are left to one release, so their costs do not count. The time of the
    processor stands beside the units, and what is asked later is added.
    """
    found = study(tmp_path, "right unsure", take=6)
    right, unsure = (one.number for one in found.releases)
    # four scripts of six: a and b cost 1, and two with `and` cost 17
    assert found.joint == {right: (4, 36), unsure: (4, 36)}
    before = found.cpu[right]
    assert before[0] > 0 and before[1] == 6
    again = study(tmp_path, "right unsure", take=10)
    assert again.cpu[right][1] == 10 and again.cpu[right][0] > before[0]
    text = costs_table(again).to_csv()
    assert "jointly decided" in text and "scripts/CPU s" in text


def test_a_process_that_is_killed_from_outside_is_no_answer(tmp_path: Path) -> None:
    found = study(tmp_path, "shot-shots-2 shot-shots-9")
    assert shown(found, 1) == [] and found.whole(1).answers == Counter(sat=10)
    assert shown(found, 2) == [("crash", "9")]  # it is the script that kills it


def test_the_own_check_of_a_solver_counts_apart(tmp_path: Path) -> None:
    found = study(tmp_path, "checking wrong-model", own_checks=True)
    assert shown(found, 1) == [("own-check", "2")]
    assert shown(found, 2) == [("invalid-model", "2")]
    assert found.whole(1).models == Counter(true=10)


def test_cores_are_asked_and_checked(tmp_path: Path) -> None:
    """A core must be unsatisfiable alone, for the release that gave it, and have only what was asserted.
    The grammar has too many values to go through, so that nothing else tells a wrong answer.
    """
    file = tmp_path / "deep.yaml"
    file.write_text(UNKNOWN)
    asked = {"grammars": [checked(str(file))], "checks": ["cores"], "take": 6}
    found = study(tmp_path, "core-right core-wrong core-foreign", **asked)  # type: ignore[arg-type]
    assert [shown(found, target) for target in (1, 2, 3)] == [
        [],
        [("invalid-core", "3")],
        [("invalid-core", "3")],
    ]
    assert found.whole(1).models["core-right"] == 1
    why = {one.words for one in found.triggers if one.kind == "invalid-core"}
    assert len(why) == 2 and any("satisfiable when solved anew" in words for words in why)
    with pytest.raises(InputError, match="has answers with checks of cores"):
        study(tmp_path, "core-right", **{**asked, "checks": ["models"]})  # type: ignore[arg-type]


def test_a_study_that_was_stopped_asks_only_what_is_left(tmp_path: Path) -> None:
    def stop(target: str, grammar: str, done: int, size: int, came: object) -> None:
        if done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study(tmp_path, "right", watch=stop)
    asked: list[int] = []
    study(tmp_path, "right", watch=lambda target, grammar, done, *_: asked.append(done))
    assert asked[-1] == 10 and len(asked) == 2
    # more scripts, grammars and releases in the same folder
    told: Counter[str] = Counter()

    def count(target: str, grammar: str, done: int, size: int, came: object) -> None:
        told[f"{Path(target).name} {grammar}"] += 1

    found = study(tmp_path, "right unsound", take=14, watch=count, names="monotone other")
    assert told == Counter(
        {"right monotone": 1, "right other": 4, "unsound monotone": 4, "unsound other": 4}
    )
    assert [found.whole(target).asked for target in (1, 2)] == [28, 28]


def test_every_third_script_is_asked_and_later_the_rest(tmp_path: Path) -> None:
    found = study(tmp_path, "wrong-model unsound crashing", step=3, block=2)
    assert [found.whole(target).asked for target in (1, 2, 3)] == [4, 4, 4]
    # of the places 0, 3, 6 and 9
    assert [shown(found, target) for target in (1, 2, 3)] == [[], [], [("crash", "9")]]
    assert found.truths[1] == Counter({"all values": 4})
    found = study(tmp_path, "wrong-model unsound crashing")
    assert shown(found, 1) == [("invalid-model", "2")] and shown(found, 2) == [("unsound", "7")]
    assert found.truths[1] == Counter({"all values": 10})


def test_answers_that_were_got_in_another_way_are_not_mixed(tmp_path: Path) -> None:
    study(tmp_path, "right", take=2)
    with sqlite3.connect(tmp_path / "out" / MATRIX) as db:  # as a folder of an older murxpy is
        db.execute("DELETE FROM meta WHERE name = 'way'")
    with pytest.raises(InputError, match="has answers with way None"):
        study(tmp_path, "right", take=4)


def test_a_folder_takes_no_answers_to_other_questions(tmp_path: Path) -> None:
    study(tmp_path, "right", take=2)
    with pytest.raises(InputError, match="has answers with check-ms"):
        study(tmp_path, "right", take=2, check_ms=6.0)
    moved = tmp_path / "monotone.yaml"
    text = moved.read_text()
    moved.write_text(text.replace("{and or}", "{or and}"))
    other = {"grammars": [checked(str(moved))], "take": 2}
    with pytest.raises(InputError, match="another grammar monotone"):
        study(tmp_path, "right", **other)  # type: ignore[arg-type]
    moved.write_text("# a line above\n" + text)
    other = {"grammars": [checked(str(moved))], "take": 2}
    assert study(tmp_path, "right", **other).whole(1).asked == 2  # type: ignore[arg-type]
    with closing(Store(tmp_path / "out", MATRIX)) as answers:
        assert [*grammars_in(answers)] == [1]


SAT, UNSAT = Answer("sat", 1, "true"), Answer("unsat", 1)


@pytest.mark.parametrize(
    ("known", "said", "judges", "truth"),
    [
        ("unsat", {1: SAT}, [], Truth("unsat", "all values")),
        ("", {1: SAT, 2: UNSAT}, [2], Truth("sat", "a model")),
        ("", {1: Answer("sat", 1, "unsure"), 2: UNSAT}, [2], Truth("unsat", "a judge")),
        ("", {1: Answer("sat", 1, "false"), 2: UNSAT}, [], None),
        ("unknown", {1: UNSAT, 2: Answer("unknown")}, [2], None),
        ("", {1: UNSAT, 2: UNSAT, 3: Answer("sat", 1, "unsure")}, [2, 3], None),
        ("", {1: Answer("sat+unsat", 1, "true")}, [], Truth("sat+?", "a model")),
        (
            "",
            {1: Answer("sat+unsat", 1, "true"), 2: Answer("sat+sat")},
            [2],
            Truth("sat+sat", "a judge"),
        ),
    ],
)
def test_what_tells_the_right_answer(
    known: str, said: dict[int, Answer], judges: list[int], truth: Truth | None
) -> None:
    assert truth_of(known, said, judges) == truth


def test_the_script_that_ended_a_process_is_known() -> None:
    outcome = Outcome("died", trace="5 sat 3 true \n6 unsat 4 - \n7", status=11)
    assert list(read_answers(outcome)) == [
        (5, Answer("sat", 3, "true")),
        (6, Answer("unsat", 4)),
        (7, Answer("crash", message="SIGSEGV")),
    ]


@pytest.mark.parametrize(
    ("solver", "name"),
    [
        ("z3", "strings"),
        ("cvc5", "bitvectors"),
        ("z3", "arrays"),
        pytest.param("cvc5", "strings", marks=pytest.mark.slow),
        pytest.param("z3", "bitvectors", marks=pytest.mark.slow),
        pytest.param("cvc5", "arrays", marks=pytest.mark.slow),
    ],
)
def test_answers_do_not_depend_on_the_scripts_before(solver: str, name: str) -> None:
    plain = load_grammar(name)
    own = Grammar(plain)
    wrapper = load_wrapper(solver)
    session = Answering(
        {
            "catalogue": load_catalogue(),
            "wrapper": wrapper,
            "grammars": [plain],
            "at": "0",
            "limit": int(3 * wrapper["limit-per-ms"]),
            "wall-ms": 600_000,  # the clock ends no check
            "checks": ["models"],
            "own-checks": False,
        }
    )
    scripts = [own.whole(own.at(index)) for index in range(2000, 50_000, 8000)]

    def answer(script: str) -> tuple[str, int, str, str]:
        return session.answer(f"(set-option :produce-models true)\n{script}(get-model)\n", script)

    forwards = [answer(script) for script in scripts]
    backwards = [answer(script) for script in reversed(scripts)]
    assert forwards == backwards[::-1]
    assert {answer[0] for answer in forwards} & {"sat", "unsat"}
    if solver == "z3":
        z3 = importlib.import_module("z3")
        assert z3.get_param("rlimit") == "0", "what a script sets, z3 sets for the whole process"


HARD = """(declare-const a (_ BitVec 32))(declare-const b (_ BitVec 32))
(assert (and (= (bvmul a b) #x7fffffff) (bvult #x00000001 a) (bvult a b) (= (bvudiv #x7fffffff a) b)))
(check-sat)(get-model)
"""


def test_z3_is_interrupted_after_its_time_also_behind_an_error() -> None:
    unlimited = 10**9
    for _ in range(2):  # the model that is not there is an error, which its context keeps
        output, spent = z3_scripts.run_alone(HARD, unlimited, 30)
        assert output.startswith("unknown") and 0 < spent < unlimited


# -- the command


def reported(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    """Exit code and output of a report."""
    code, out, _ = outcome(capsys, "matrix", folder / "out", *more)
    return code, out


def test_a_report_asks_no_solver(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study(tmp_path, "unsound wrong-model right")
    code, text = reported(tmp_path, capsys)
    assert code == 0  # the last release is right
    rows = [line.split()[1:] for line in text.splitlines()[2:5]]
    assert rows == [["10", "1/0/0", "1/0/0"], ["10", "0/1/0", "0/1/0"], ["10", ".", "."]]
    data = json.loads(reported(tmp_path, capsys, "--format", "json")[1])
    assert data["targets"][0]["grammars"]["monotone"]["triggers"]["unsound"] == 1
    header, first, *_ = reported(tmp_path, capsys, "--format", "csv")[1].splitlines()
    assert header.startswith("target,grammar,scripts,sat") and ",monotone,10,9,1," in first
    for name in ("triggers.svg", "solved.svg"):
        drawing = ElementTree.parse(tmp_path / "out" / name).getroot()
        assert drawing.tag.endswith("svg")
    page = tmp_path / "m.html"
    assert outcome(capsys, "report", tmp_path / "out", "--html", page)[0] == 0
    assert page.read_text().count("<svg") == 2 and "1/0/0" in page.read_text()
    code, text, _ = outcome(capsys, "report", tmp_path / "out")
    assert code == 0 and "| 10 | 1/0/0 | 1/0/0 |" in text
    code, said = error(capsys, "report", tmp_path / "out", "--junit", tmp_path / "j.xml")
    assert code == 2 and "use --html or --markdown" in said
    study(tmp_path, "right unsound")
    with sqlite3.connect(tmp_path / "out" / MATRIX) as db:  # the newest release is wrong
        db.execute("UPDATE targets SET judge = 1 WHERE name NOT LIKE '%unsound'")
    code, text = reported(tmp_path, capsys)
    assert code == 1 and re.search(r"monotone +1 +7  \(assert \(or a b\)\)", text)
    assert re.search(r"\(check-sat\) +(sat|unsat), (sat|unsat) by (all values|a model)", text), text


def test_releases_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """An older release that is asked later does not become the newest."""
    with closing(Store(tmp_path, MATRIX, make=True)) as answers:
        for name in ("z3@4.10.0", "z3@4.9.1", "cvc5@1.1.0", "z3@4.8.12"):
            answers.target(name, judge=name.startswith("cvc5"))
        found = Triggers(targets_in(answers), {}, {}, {}, [])
    assert [one.name for one in found.targets] == [
        *("z3@4.8.12", "z3@4.9.1", "z3@4.10.0"),
        "cvc5@1.1.0",
    ]
    assert [one.name for one in found.newest] == ["z3@4.10.0"]


def test_each_set_of_releases_has_a_row_with_its_first_script() -> None:
    def trigger(target: int, place: int, kind: str = "unsound") -> Trigger:
        return Trigger(1, place, target, kind, f"said {target}", f"script\n{place}")

    targets = [Followed(n, name, name == "judge") for n, name in enumerate("abcd", 1)]
    targets.append(Followed(5, "judge", True))
    showing = {3: (1, 2, 4), 4: (2, 3), 9: (1, 2, 4), 10: (2, 3, 5)}
    triggers = [trigger(one, place) for place, ones in showing.items() for one in ones]
    found = Triggers(targets, {1: "g"}, {}, {}, [*triggers, trigger(1, 3, "crash")])
    assert [row[1:6] for row in shown_triggers(found).rows] == [
        ["b..c, judge", "g", 1, "10", "script 10"],
        ["a..b, d", "g", 2, "3", "script 3"],
        ["b..c", "g", 1, "4", "script 4"],
        ["a", "g", 1, "3", "script 3"],
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nosuch"], "there is no folder 'nosuch'"),
        (["z3", "--releases", "5.4.1", "--out", "m"], "needs --releases, --grammar and --out"),
        (["fsm", "--grammar", "core"], "a folder is only reported on"),
        (["fsm"], "expected the folder of 'murxpy matrix'"),
        (["z3", "--releases", "5.4.1", "--grammar", "core", "--out", "m", "--at", "3"], "--take"),
        (
            ["z3", "--releases", "5.4.1", "--grammar", "core", "--out", "m", "--first", "1e12"],
            "at most",
        ),
    ],
)
def test_bad_words_are_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    message: str,
) -> None:
    (tmp_path / "fsm").mkdir()
    monkeypatch.chdir(tmp_path)
    code, line = error(capsys, "matrix", *words)
    assert code == 2 and message in line


@pytest.mark.slow
def test_releases_of_an_index_are_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(tmp_path, monkeypatch, {"1.0": source("right"), "1.1": source("unsound")})
    words = ["--wrapper", wrapper(tmp_path), "--grammar", grammar(tmp_path), "--first", "8"]
    out = ["--out", str(tmp_path / "out")]
    code, text, told = outcome(capsys, "matrix", "fake", "--releases", "1.0..latest", *words, *out)
    assert code == 1 and "fake@1.1.0        8     1/0/0" in text
    assert "fake@1.0.0 monotone: 8 of 8 scripts (8 sat)" in told
