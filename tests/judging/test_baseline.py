"""An older release decides what the target leaves unknown: the campaign, its findings, and what the
options of the command must name.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from campaigns import FAKES
from commands import error, outcome
from wheels import SOURCE, offer

from murxpy.campaign.asked import older
from murxpy.data import load_catalogue
from murxpy.judging.comparing.baseline import Causes, Undecided, had_its_limit, undecided
from murxpy.judging.defects import obstacle, read_defect
from murxpy.judging.kept_answers import KeptAnswers
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.tokens import quote
from murxpy.machine.witnesses.unknowns import (
    AT_LIMIT,
    BY_COUNT,
    KIND,
    baseline_of,
    limit_of_baseline,
    mark_of,
    marked,
    unmarked,
    within,
)
from murxpy.oracles.crash import Outcome

pytestmark = pytest.mark.usefixtures("kept_solvers")

SEED = """(set-info :status sat)(declare-const a Bool)(declare-const b Bool)
(assert (or a b))(assert (not (and a b)))(check-sat)"""
# the newer release gives up on double negations
PLANTED = (
    "'unknown (INCOMPLETE)' if '(not (not' in {v} and f.__version__ == '1.0' else f.run_script({v})"
)


def releases(folder: Path) -> tuple[Path, list[str]]:
    """A wrapper with a planted defect, and the words that name a target and its older release."""
    wrapper = folder / "scripts.yaml"
    text = (FAKES / "scripts.yaml").read_text()
    wrapper.write_text(text.replace("f.run_script({v})", PLANTED))
    old = folder / "old"
    shutil.copytree(FAKES, old, ignore=shutil.ignore_patterns("__pycache__"))
    code = old / "fakesolver" / "__init__.py"
    code.write_text(code.read_text().replace('"1.0"', '"0.9"'))
    return wrapper, [f"fake@{FAKES}", f"fake@{old}"]


@pytest.mark.usefixtures("bare_findings")
def test_what_an_older_release_decides_is_found(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The trace of the finding shows it on the newer release alone, and the exit code counts it only
    on request.
    """
    wrapper, (new, old) = releases(tmp_path)
    (tmp_path / "seed.smt2").write_text(SEED)
    words = ("janus", new, tmp_path / "seed.smt2", "--wrapper", wrapper, "--rules", "not-not")
    words = (*words, "--check", "none", "--jobs", "1", "--seed", "1")
    words = (*words, "--runs", "1", "--iterations", "8")
    code, out, err = outcome(
        capsys, *words, "--baseline", old, "--no-option-fuzzing", "--out", tmp_path / "out"
    )
    assert code == 0 and "as fake 0.9 answers" in out, out + err
    assert "decided by the baseline" in out
    trace = min((tmp_path / "out" / "findings").glob("incompleteness-baseline-*/*.trace"))
    assert f"# baseline {old}" in trace.read_text()
    for solver, shown in ((new, 1), (old, 0)):
        code, out, err = outcome(capsys, "replay", trace, "--solver", solver, "--wrapper", wrapper)
        assert code == shown and (KIND in out) == bool(shown), out + err


@pytest.mark.usefixtures("bare_findings")
def test_what_a_judge_of_an_enumeration_decides_is_found(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The first judge is asked about what the target leaves unknown, and no option is needed for it."""
    wrapper, (new, old) = releases(tmp_path)
    words = ("enumerate", new, "--wrapper", wrapper, "--grammar", "core", "--first", "120")
    words = (*words, "--jobs", "1", "--check", "none", "--cross-check", old)
    code, out, err = outcome(capsys, *words, "--out", tmp_path / "out")
    assert code == 1 and "as fake 0.9 answers" in out, out + err  # other scripts crash the fake
    assert "decided by the baseline" in out
    assert len([*(tmp_path / "out" / "findings").glob("incompleteness-baseline-*")]) == 1
    # what it costs each of them is told
    lines = out.partition("Incompleteness of the target")[2].splitlines()[1:3]
    assert lines[0].split()[:3] == ["grammar", "judge", "operators"], out
    assert lines[1].split()[:3] == ["core", old, "-"] and "(not (not" in lines[1]


@pytest.mark.usefixtures("bare_findings")
@pytest.mark.parametrize(
    "option", ["--cross-check", pytest.param("--baseline", marks=pytest.mark.slow)]
)
def test_the_next_judge_is_asked_where_the_first_does_not_decide(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, option: str
) -> None:
    """Release 0.8 decides what 1.0 and 0.9 leave unknown. The finding names 0.8."""
    wrapper, (new, old) = releases(tmp_path)
    third = tmp_path / "oldest"
    shutil.copytree(tmp_path / "old", third)
    code = third / "fakesolver" / "__init__.py"
    code.write_text(code.read_text().replace('"0.9"', '"0.8"'))
    wrapper.write_text(wrapper.read_text().replace("== '1.0'", "!= '0.8'"))
    words = ("enumerate", new, "--wrapper", wrapper, "--grammar", "core", "--first", "40")
    words = (*words, "--jobs", "1", "--check", "none", "--no-minimize")
    found = tmp_path / "out" / "findings"
    _, out, err = outcome(capsys, *words, option, f"{old},fake@{third}", "--out", tmp_path / "out")
    assert "as fake 0.8 answers" in out and "as fake 0.9" not in out, out + err
    (bucket,) = found.glob("incompleteness-baseline-*")
    assert f"# baseline fake@{third}" in min(bucket.glob("*.trace")).read_text()
    _, out, err = outcome(capsys, *words, option, old, "--out", tmp_path / "first-alone")
    assert "0 decided by the baseline" in out, out + err


@pytest.mark.usefixtures("bare_findings")
def test_what_a_judge_did_not_decide_is_not_asked_the_next_day(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge leaves unknown what the target does. A build in a folder would not be kept."""
    wrapper, (new, old) = releases(tmp_path)
    wrapper.write_text(wrapper.read_text().replace("== '1.0'", "!= '0.8'"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(KeptAnswers, "_about", lambda kept, judge: str(judge))
    words = ("enumerate", new, "--wrapper", wrapper, "--grammar", "core", "--first", "40")
    words = (*words, "--jobs", "1", "--check", "none", "--no-minimize")
    words = (*words, "--ci", "60s", "--cross-check", old)
    recalled = []
    for day in ("one", "two"):
        _, out, err = outcome(capsys, *words, "--json", "--out", tmp_path / day)
        counted = re.findall(r'"baseline:(asked|recalled)": (\d+)', out)
        recalled.append({word: int(number) for word, number in counted})
        assert recalled[-1].get("asked", 0) > 0, out + err
    assert recalled[0].get("recalled", 0) == 0 < recalled[1]["recalled"]


@pytest.mark.usefixtures("bare_findings")
def test_a_judge_that_gives_up_is_told_with_the_costs_also_the_next_day(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The target decides double negations, on which the judge gives up at once."""
    wrapper, (new, old) = releases(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(KeptAnswers, "_about", lambda kept, judge: str(judge))
    words = ("enumerate", old, "--wrapper", wrapper, "--grammar", "core", "--first", "40")
    words = (*words, "--jobs", "1", "--check", "none", "--no-minimize")
    words = (*words, "--ci", "60s", "--cross-check", new)
    told = []
    for day in ("one", "two"):
        _, out, err = outcome(capsys, *words, "--json", "--out", tmp_path / day)
        rows = [json.loads(line) for line in out.splitlines() if '"event": "gave-up"' in line]
        assert rows, out + err
        told.append(rows)
        assert ('"judge:recalled"' in out) == (day == "two"), out + err
    assert told[0] == told[1]
    (row,) = told[0]
    assert (row["by"], row["grammar"], row["judge"], row["cause"]) == ("judges", "core", new, "")
    assert row["scripts"] > 0 and "(not (not" in row["first"]
    _, out, err = outcome(capsys, *words, "--out", tmp_path / "three")
    assert "Incompleteness of judges" in out and "it gives up" in out, out + err


def test_which_judges_are_asked_about_unknown_scripts() -> None:
    """All but newer releases of the target, which are expected to decide more."""
    judges = ("z3@5.4.1", "z3@4.13.0", "z3@4.12.0", "cvc5", "z3[smt.arith.solver=2]", "z3@./build")
    assert [name for name in judges if older(name, "z3@4.13.0")] == [*judges[2:]]


# the newer release uses up its limit on double negations, and gives up on `or`
SLOW = (
    "f.run_script({v}) if f.__version__ != '1.0' else 'unknown (RESOURCEOUT)' if '(not (not' in {v} "
    "else 'unknown (INCOMPLETE)' if '(or' in {v} else f.run_script({v})"
)


@pytest.mark.usefixtures("bare_findings")
def test_what_a_judge_decides_soon_and_the_target_not_in_ten_times_is_slow(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A limit and giving up are two findings, and many scripts are one bucket. The counts stand by grammar and size."""
    wrapper, (new, old) = releases(tmp_path)
    text = wrapper.read_text().replace(PLANTED, SLOW)
    wrapper.write_text(f'{text}  set-limit: "[{{solver}}, {{v}}]"\nlimit-per-ms: 10\n')
    words = (
        "enumerate",
        new,
        "--wrapper",
        wrapper,
        "--grammar",
        "core",
        "--first",
        "120",
        "--no-minimize",
    )
    words = (*words, "--jobs", "1", "--check", "none", "--baseline", old, "--json")
    _, out, err = outcome(capsys, *words, "--out", tmp_path / "out")
    rows = [json.loads(line) for line in out.splitlines() if '"left-unknown"' in line]
    assert rows and sum(row["slow"] for row in rows) > 1, out + err
    assert sum(row["lost"] for row in rows) > 1 and {row["grammar"] for row in rows} == {"core"}
    assert all(row["left"] >= row["asked"] >= row["decided"] for row in rows)
    findings = tmp_path / "out" / "findings"
    (slow,) = findings.glob("slow-baseline-*")
    (lost,) = findings.glob("incompleteness-baseline-*")
    for folder in (slow, lost):
        trace = min(folder.glob("*.trace"))
        for solver, shown in ((new, 1), (old, 0)):
            code, out, err = outcome(
                capsys, "replay", trace, "--solver", solver, "--wrapper", wrapper
            )
            assert code == shown, out + err


@pytest.mark.usefixtures("bare_findings")
def test_several_targets_in_one_folder_are_counted_apart(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The guarantee of a target has its own scripts alone, whether it is another release or another
    configuration.
    """
    wrapper, targets = releases(tmp_path)
    words = (
        "--wrapper",
        wrapper,
        "--grammar",
        "core",
        "--first",
        "8",
        "--jobs",
        "1",
        "--no-minimize",
    )
    for target in targets:
        _, out, err = outcome(
            capsys,
            "enumerate",
            target,
            *words,
            "--check",
            "none",
            "--json",
            "--out",
            tmp_path / "out",
        )
        rows = [json.loads(line) for line in out.splitlines() if '"tested"' in line]
        assert sum(sum(row["came"].values()) for row in rows) == 8, out + err


@pytest.mark.usefixtures("bare_findings")
def test_what_a_busy_machine_ended_is_not_slow(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A check that the clock ends while the solver did nothing says nothing of the solver."""
    wrapper, (new, old) = releases(tmp_path)
    idle = SLOW.replace("RESOURCEOUT", "TIMEOUT")
    text = wrapper.read_text().replace(PLANTED, idle)
    wrapper.write_text(f'{text}  set-limit: "[{{solver}}, {{v}}]"\nlimit-per-ms: 10\n')
    words = ("enumerate", new, "--wrapper", wrapper, "--grammar", "core", "--first", "120")
    words = (*words, "--no-minimize", "--jobs", "1", "--check", "none", "--baseline", old)
    outcome(capsys, *words, "--out", tmp_path / "out")
    findings = tmp_path / "out" / "findings"
    assert not [*findings.glob("slow-*")] and [*findings.glob("incompleteness-*")]


@pytest.mark.parametrize(
    ("counts", "had"),
    [
        ({"time-ns:solver": 70_000_000}, False),  # of 500 ms by the clock; alone it takes 75 ms
        ({"time-ns:solver": 240_000_000}, False),
        ({"time-ns:solver": 260_000_000}, True),
        ({"time-ns:solver": 1_000_000, BY_COUNT: 1}, True),
        ({}, False),
    ],
)
def test_a_check_that_the_clock_ended_is_slow_only_if_the_solver_had_its_limit(
    counts: dict[str, int], had: bool
) -> None:
    assert had_its_limit(Outcome("report", {"counts": counts}, ""), 500) is had


def test_a_script_says_what_tells_its_cause() -> None:
    causes = Causes(build_catalogue(load_catalogue()))
    script = '(declare-const sin Real)(assert (not (= (* x (cos x)) "(tan y)")))'
    assert causes.of(script) == ("*", "cos")
    assert causes.of("(assert (and (< x y) (= x y)))") == ("<",)
    assert causes.of("(assert (not a))") == ()
    assert causes.of("(assert (= ((_ extract 1 0) a) b))") == ("extract",)


def test_a_mark_names_cause_release_and_limit() -> None:
    for soon in (False, True):
        named = within("cvc5 1.4.2", 7500)
        text = marked(SEED, False, baseline=named, soon=soon, cause="* cos")
        assert unmarked(text) == SEED and text == mark_of(text) + SEED
        assert baseline_of(text) == named and limit_of_baseline(text) == 7500


def test_a_limit_says_nothing_of_an_older_release(tmp_path: Path) -> None:
    """Bisection asks the older release at once, and an unknown answer at a limit is no answer."""
    trace = tmp_path / "a.trace"
    trace.write_text("# murxpy-trace 1\n# solver fake 1.2\n# baseline fake@0.9\n1 new\n")
    assert read_defect(trace).without == "0.9"
    ended = Outcome("report", {"counts": {AT_LIMIT: 1}}, "")
    assert "reached its limit" in obstacle(ended) and not obstacle(Outcome("report", {}, ""))


@pytest.mark.slow
def test_the_releases_that_lost_an_answer_are_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of five releases two decide the script, one reaches its limit, and the last two give up."""
    lost = "\n_decided = run_script\ndef run_script(text):\n    return 'unknown ({})'\n"
    reasons = {"1.2": "TIMEOUT", "1.3": "INCOMPLETE", "1.4": "INCOMPLETE"}
    changed = {one: lost.format(reason) for one, reason in reasons.items()}
    offer(
        tmp_path,
        monkeypatch,
        {
            release: {"__init__.py": SOURCE["__init__.py"] + changed.get(release, "")}
            for release in ("1.0", "1.1", *changed)
        },
    )
    trace = tmp_path / "a.trace"
    script = quote('(set-info :decided-by-baseline "fake 1.1")\n' + SEED)
    trace.write_text(
        "# murxpy-trace 1\n# solver fake 1.4\n# baseline fake@1.1\n1 new\n1 expect sat\n"
        f"1 run-script {script}\n"
    )
    code, out, err = outcome(capsys, "bisect", trace, "--wrapper", FAKES / "scripts.yaml")
    assert code == 0 and "fake: shows in 1.3.0.." in out, out + err
    assert "since 1.3.0: 1.1.0 does not show it" in out and "untestable 1.2.0: a check" in out


@pytest.mark.slow
def test_the_older_release_decides_a_smaller_script_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    wrapper, (new, old) = releases(tmp_path)
    whole, small = tmp_path / "a.trace", tmp_path / "small.trace"
    script = '(set-info :decided-by-baseline "fake 0.9")\n' + SEED.replace(
        "(or a", "(or (not (not a))"
    )
    whole.write_text(
        f"# murxpy-trace 1\n# solver fake\n# baseline {old}\n1 new\n1 expect sat\n"
        f"1 run-script {quote(script)}\n"
    )
    named = ("--solver", new, "--wrapper", wrapper)
    code, out, err = outcome(
        capsys, "minimize", whole, "-o", small, "--jobs", "1", *named, "--cross-check", old
    )
    assert code == 0 and f"# baseline {old}" in small.read_text(), out + err
    assert small.read_text().count("assert") == 1 and "(not (not" in small.read_text()
    assert outcome(capsys, "replay", small, *named)[0] == 1


def test_only_unknown_scripts_are_asked_about() -> None:
    def run(text: str, answer: str) -> str:
        return f"1 expect sat\n1 run-script {quote(text)}\n      answer {answer}\n"

    marked = "(set-info :satisfiable-by-construction true)\n(check-sat)\n"
    trace = "# murxpy-trace 1\n1 new\n1 set-limit 7\n" + "".join(
        run(text, answer)
        for text, answer in (
            ('(echo "a")(check-sat)', "sat"),
            ("(set-option :own 1)\n(check-sat)\n(get-model)\n", "unknown"),
            ("(set-option :random-seed 2)\n(check-sat)\n", "unknown"),
            (marked, "unknown"),
        )
    )
    (one,) = undecided(trace)
    assert (one.text.split(), one.expected, one.limit) == (["(check-sat)"], ("sat",), 7)


def test_an_answer_against_the_label_decides_nothing() -> None:
    asked = Undecided("", ("sat", "unknown", "sat"), ("unknown", "unknown", "sat"), 0)
    assert asked.decided(["sat", "unsat", "sat"]) == ("sat", "unsat", "unknown")
    assert asked.decided(["unsat", "unsat", "sat"]) == ()
    assert asked.decided(["unknown", "unknown", "sat"]) == ()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("fuzz", "z3"), "use it with 'murxpy enumerate'"),
        (("janus", "z3", "SEED", "--through", "api"), "--through api exclude each other"),
        (("janus", "z3", "SEED"), "expected another solver, or another release of the target"),
        (("fuzz", "z3", "cvc5", "--mix", "janus:1", "SEED"), "for one target"),
    ],
)
def test_a_baseline_without_a_use_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    seed = tmp_path / "a.smt2"
    seed.write_text(SEED)
    named = [str(seed) if word == "SEED" else word for word in words]
    code, line = error(capsys, *named, "--baseline", "z3")
    assert code == 2 and reason in line, line
