"""The answers of judges that a file keeps: who is not asked again, and what is not believed."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from campaigns import FAKES
from commands import outcome

from murxpy.cli import enumerate as command
from murxpy.judging.cross_check import Judges
from murxpy.judging.kept_answers import KeptAnswers, Recalled
from murxpy.judging.solvers import Solvers
from murxpy.processes.targets import Plan, TargetSpec

pytestmark = pytest.mark.usefixtures("kept_solvers")

TRACE = """# seed 1
    12 run-script@eval "(check-sat)"
      answer sat
    13 run-script@eval "(exit)"
      answer unknown
    14 run-script@eval "(assert false)(check-sat)"
      answer unsat
"""
ANSWERS = [(2, "sat", "sat"), (6, "unsat", "gave-up")]
NOTHING = Recalled(missing=[2, 6])


def solvers(name: str = "other", release: str = "other 1.0", limit: int = 7) -> Solvers:
    plans = [Plan(TargetSpec(one, one, "python")) for one in ("fake", name)]
    return Solvers(plans, ["fake 1.0", release], [limit, limit])


def test_a_judge_is_asked_once(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "answers.db"
    first = KeptAnswers(file, solvers())
    assert first.of(1, TRACE, {}) == NOTHING
    first.keep(1, TRACE, {}, ANSWERS, {2: 3, 6: 4})
    first.close()
    assert KeptAnswers(file, solvers()).of(1, TRACE, {}) == Recalled(ANSWERS, {2: 3, 6: 4})
    for other in (solvers(release="other 1.1"), solvers(limit=8), solvers("other[a=b]")):
        assert KeptAnswers(file, other).of(1, TRACE, {}) == NOTHING
    # a script in other words is another script; of a run with one more, that one is asked about
    assert first_of(file, TRACE, {"2": "(check-sat-assuming ())"}).missing == [2]
    assert first_of(file, TRACE.replace("unknown", "sat"), {}).missing == [4]


def first_of(file: Path, trace: str, scripts: dict[str, str]) -> Any:
    return KeptAnswers(file, solvers()).of(1, trace, scripts)


def test_what_contradicts_the_target_is_asked_again(tmp_path: Path) -> None:
    kept = KeptAnswers(tmp_path / "answers.db", solvers())
    kept.keep(1, TRACE, {}, [(2, "sat", "unsat"), (6, "unsat", "unsat")], {})
    assert kept.of(1, TRACE, {}) == Recalled([(6, "unsat", "unsat")], {}, [2])


def test_builds_in_folders_and_several_checks_are_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "answers.db"
    built = KeptAnswers(file, solvers(f"other@{tmp_path}/build"))
    built.keep(1, TRACE, {}, ANSWERS, {})
    assert built.of(1, TRACE, {}) is None
    several = TRACE.replace("answer sat", "answer sat\n      answer sat")
    kept = KeptAnswers(file, solvers())
    kept.keep(1, several, {}, ANSWERS, {})
    assert kept.of(1, several, {}) is None


def test_what_a_judge_does_not_decide_either_is_kept_by_judge_and_limit(tmp_path: Path) -> None:
    file = tmp_path / "answers.db"
    kept = KeptAnswers(file, solvers())
    assert not kept.left_unknown(1, 70, "(check-sat)")
    kept.keep_unknown(1, 70, "(check-sat)")
    assert kept.left_unknown(1, 70, "(check-sat)")
    assert not kept.left_unknown(1, 700, "(check-sat)")
    assert not kept.left_unknown(0, 70, "(check-sat)")
    assert not kept.left_unknown(1, 70, "(exit)")
    assert not KeptAnswers(file, solvers(release="other 1.1")).left_unknown(1, 70, "(check-sat)")
    built = KeptAnswers(file, solvers(f"other@{tmp_path}/build"))
    built.keep_unknown(1, 70, "(exit)")
    assert not built.left_unknown(1, 70, "(exit)")


@pytest.mark.parametrize("damage", ["text", "columns", "values"])
def test_a_damaged_file_keeps_nothing(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "answers.db"
    if damage == "text":
        file.write_text("no database")
    else:
        kept = KeptAnswers(file, solvers())
        kept.keep(1, TRACE, {}, ANSWERS, {})
        kept.close()
        database = sqlite3.connect(file)
        if damage == "columns":
            database.execute("ALTER TABLE answers RENAME COLUMN cost TO price")
        else:
            database.execute("UPDATE answers SET answer = 'perhaps'")
        database.commit()
        database.close()
    kept = KeptAnswers(file, solvers())
    assert kept.of(1, TRACE, {}) == NOTHING
    kept.keep(1, TRACE, {}, ANSWERS, {})
    assert kept.of(1, TRACE, {}) == Recalled(ANSWERS)


@pytest.mark.usefixtures("bare_findings")
def test_the_second_day_asks_the_target_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first other solver that is installed is the judge, which a line says; --no-reference asks
    nobody.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    words = ("enumerate", f"fake@{FAKES}", "--wrapper", FAKES / "scripts.yaml", "--ci", "60s")
    words = (*words, "--grammar", "core", "--first", "12", "--block", "4", "--jobs", "1")
    monkeypatch.setattr(command, "default_judges", lambda: ("fake", "absent", "cvc5"))
    monkeypatch.setattr(command, "is_installed", lambda name: name != "absent")
    said, asked = [], list[list[int]]()
    question = Judges._question
    monkeypatch.setattr(
        Judges,
        "_question",
        lambda judges, run, judge, scripts, only: (
            asked.append(list(only)) or question(judges, run, judge, scripts, only)
        ),
    )
    for day in (1, 2):
        before = len(asked)
        _, out, err = outcome(capsys, *words, "--out", tmp_path / f"day{day}", "--json")
        second = len(asked) - before
        assert '"cvc5 confirms the answers' in out, err
        said.append(out.count('"judge:recalled"'))
    assert said[0] == 0 and said[1] > 0
    # of a run with an answer that contradicts the target, the judge is asked about that script alone
    assert second and {len(lines) for lines in asked[-second:]} == {1}, asked
    _, out, err = outcome(capsys, *words, "--out", tmp_path / "alone", "--no-reference")
    assert "confirms the answers" not in out + err and "judges" not in out
    # options that go wrong are refused before anything is said
    _, out, err = outcome(capsys, *words, "--out", tmp_path / "day3", "--json", "--statistics")
    assert "--statistics prints tables" in err and "confirms the answers" not in out + err
