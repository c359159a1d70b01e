"""Bisection over releases, and kept findings against a release."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from commands import FAKE, WRAPPER, error, outcome
from hypothesis import given
from hypothesis import strategies as st
from wheels import SOURCE, offer

from murxpy.errors import InputError
from murxpy.findings.ranges import keep_range
from murxpy.judging import defects
from murxpy.judging.bisection import Answer, Range, Span, bisect
from murxpy.judging.defects import last_answer
from murxpy.judging.regress import compared, read_table
from murxpy.oracles.crash import Outcome

RELEASES = [f"{number}.0.0" for number in range(56)]
CRASHING = """
_MEANING["or"] = lambda *a: faults.commit("segfault")
"""
LACKING = """
del Context.mk_op
"""
TRACE = """# murxpy-trace 1
# solver fake 1.2
1 new
1 mk-sort SORT_BOOL
      return s1
1 mk-const s1 "x"
      return t1 s1
1 mk-term OP_OR SORT_BOOL 2 t1 t1
      return t2 s1
1 assert-formula t2
1 check-sat
"""


def _asked(words: str) -> tuple[Range, int]:
    """The range over releases whose answers are the letters of `words`, and how many were asked."""
    names = {"s": "shows", "g": "gone", "u": "untestable"}
    asked: list[str] = []

    def ask(release: str) -> Answer:
        asked.append(release)
        return Answer(names[words[RELEASES.index(release)]])  # type: ignore[arg-type]

    known = RELEASES[len(words) - 1] if words.endswith("s") else ""
    return bisect(RELEASES[: len(words)], ask, known), len(asked)


@given(st.integers(0, 55), st.booleans())
def test_a_boundary_takes_at_most_nine_replays(place: int, since: bool) -> None:
    words = "g" * place + "s" * (56 - place) if since else "s" * place + "g" * (56 - place)
    found, replays = _asked(words)
    assert replays <= 9
    shown = [at for at, word in enumerate(words) if word == "s"]
    expected = []
    if shown:
        before = RELEASES[shown[0] - 1] if shown[0] else ""
        after = RELEASES[shown[-1] + 1] if shown[-1] < 55 else ""
        expected = [Span(RELEASES[shown[0]], RELEASES[shown[-1]], before, after)]
    assert list(found.spans) == expected


@given(st.text("sgu", min_size=1, max_size=20))
def test_both_neighbours_of_each_boundary_are_asked(words: str) -> None:
    found, replays = _asked(words)
    assert replays == len(found.asked)
    asked = [RELEASES.index(one) for one in found.asked]
    for one, other in pairwise(asked):
        assert words[one] == words[other] or other == one + 1
    for span in found.spans:
        first, last = RELEASES.index(span.first), RELEASES.index(span.last)
        assert words[first] == words[last] == "s"
        inside = [words[at] for at in asked if first < at < last]
        assert "g" not in inside
        for end, edge in ((span.before, first), (span.after, last)):
            if end:
                least, most = sorted((RELEASES.index(end), edge))
                assert words[RELEASES.index(end)] == "g"
                assert {words[at] for at in asked if least < at < most} <= {"u"}
    assert [words[at] for at in asked].count("u") == len(found.untestable)


def test_releases_that_cannot_be_tested_cost_few_replays() -> None:
    found, replays = _asked("u" * 45 + "s" * 11)
    assert found.words() == "45.0.0.." and replays <= 9


def test_intervals_are_told_where_it_comes_and_goes() -> None:
    def ask(release: str) -> Answer:
        return Answer("gone" if "4.0.0" <= release <= "7.0.0" else "shows")

    found = bisect(RELEASES[:10], ask, every=True)
    assert found.words() == "0.0.0..3.0.0, 8.0.0.." and found.spans[1].before == "7.0.0"
    assert _asked("ggsgg")[0].words() == "none"
    assert (
        bisect(
            RELEASES[:5], lambda one: Answer("shows" if one == "2.0.0" else "gone"), "2.0.0"
        ).words()
        == "2.0.0"
    )


@pytest.mark.parametrize(
    "word, older, status",
    [
        ("shows", {"1.0": "shows"}, "shows"),
        ("shows", {"1.0": "shows", "1.1": "gone"}, "back"),
        ("shows", {"1.0": "gone"}, "shows"),
        ("gone", {"1.0": "shows", "1.1": "gone", "3.0": "gone"}, "mended"),
        ("gone", {"1.0": "gone", "3.0": "shows"}, "gone"),
        ("shows", {}, "shows"),
        ("untestable", {"1.0": "shows"}, "untestable"),
    ],
)
def test_a_release_is_compared_with_older_ones(
    word: str, older: dict[str, str], status: str
) -> None:
    answer = Answer(word)  # type: ignore[arg-type]
    assert compared("x", answer, "2.0", older).status == status
    assert compared("x", answer, "2.0-modified", older).status == status


def test_a_build_that_names_no_release_counts_as_newer_than_all() -> None:
    older = {"1.0": "shows", "3.0": "gone"}
    assert compared("x", Answer("shows"), "a build of mine", older).status == "back"


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six releases: the third and the fourth crash, and the second has no operators."""
    changed = {"1.1": LACKING, "1.2": CRASHING, "1.3": CRASHING}
    names = [f"1.{number}" for number in range(6)]
    files = {name: {"__init__.py": SOURCE["__init__.py"] + changed.get(name, "")} for name in names}
    offer(tmp_path, monkeypatch, files)


@pytest.mark.slow
def test_commands_find_ranges_and_compare(
    published: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "crash.trace").write_text(TRACE.replace("# solver", "# finds crash\n# solver"))
    own = ("--wrapper", WRAPPER)
    code, printed, told = outcome(capsys, "bisect", folder, *own, "--table", folder / "ranges.json")
    assert code == 0, told
    assert "crash.trace: fake: shows in 1.2.0..1.3.0 (6 releases from 1.0.0 to 1.5.0, " in printed
    assert "since 1.2.0: 1.0.0 does not show it" in printed
    assert "until 1.3.0: 1.4.0 does not show it" in printed
    assert "untestable 1.1.0: line " in printed
    table = json.loads((folder / "ranges.json").read_text())
    assert table["crash.trace"]["asked"]["1.1.0"] == "untestable"
    for release, status in (("1.3", "shows"), ("1.5", "mended"), ("1.0", "gone")):
        code, printed, _ = outcome(
            capsys, "regress", folder, "--solver", f"fake@{release}", *own, "--json"
        )
        assert (code, json.loads(printed)[0]["status"]) == (0, status)
    code, printed, _ = outcome(
        capsys, "regress", folder, "--solver", "fake@1.3", *own, "--fail-on", "shows"
    )
    assert code == 1 and "1 shows" in printed


@pytest.mark.slow
def test_the_range_of_a_bucket_is_kept_with_it(
    published: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    fuzz = ("fuzz", "fake@1.2", "--wrapper", WRAPPER, "--out", out, "--seed", "1", "--jobs", "1")
    assert outcome(capsys, *fuzz, "--stop-at-first")[0] == 1
    listed = json.loads(outcome(capsys, "findings", out, "--json")[1])
    key = next(row["key"] for row in listed if row["confirmed"])
    folder = out / "findings" / key
    code, printed, told = outcome(capsys, "bisect", folder, "--releases", "1.2..1.4")
    assert code == 0 and "shows in 1.2.0..1.3.0" in printed, told
    _, printed, _ = outcome(capsys, "findings", out)
    assert "; releases 1.2.0..1.3.0; " in printed
    _, printed, _ = outcome(capsys, "findings", out, "--json")
    ranges = {row["key"]: row["range"] for row in json.loads(printed)}
    assert ranges.pop(key) == "1.2.0..1.3.0" and not any(ranges.values())
    row = "# Shows on fake 1.2.0..1.3.0, mended in 1.4.0\n"
    programs = [file.read_text() for file in folder.glob("*.py")]
    assert programs and all(text.count(row) == 1 for text in programs)
    trace = next(folder.glob("*.trace"))
    code, printed, _ = outcome(
        capsys, "translate", trace, "--to", "python", "--wrapper", str(WRAPPER)
    )
    assert code == 0 and printed.startswith(row)
    bare = re.sub(r"^(# solver fake) .*", r"\1", trace.read_text(), flags=re.M)
    trace.write_text(bare)
    code, printed, told = outcome(capsys, "bisect", folder, "--releases", "1.2..1.4")
    assert code == 0 and "shows in 1.2.0..1.3.0" in printed, "the campaign knows the release"


@pytest.mark.slow
def test_a_campaign_bisects_what_it_finds_over_installed_releases(
    published: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = ("--wrapper", WRAPPER)
    fuzz = ("fuzz", FAKE[0], *own, "--bisect", "--seed", "1", "--jobs", "1", "--runs", "20")
    code, line = error(capsys, *fuzz, "--out", tmp_path / "none")
    assert code == 2 and line.startswith("--bisect asks the releases that are in the cache")
    assert outcome(capsys, "releases", WRAPPER, "--add", "1.0,1.2..1.5")[0] == 0
    out = tmp_path / "out"
    fuzz = ("fuzz", "fake@1.3", *own, "--bisect", "--seed", "1", "--jobs", "1", "--runs", "20")
    code, printed, told = outcome(capsys, *fuzz, "--share", "0", "--out", out)
    assert code == 1, told
    rows = [row for row in printed.splitlines() if row.startswith("range key=crash")]
    assert rows and all(row.endswith(" releases=1.2.0..1.3.0") for row in rows), printed
    key = rows[0].split()[1].removeprefix("key=")
    assert json.loads((out / "findings" / key / "range.json").read_text())["releases"] == 5
    # nothing is done twice
    assert f"range key={key}" not in outcome(capsys, *fuzz, "--out", out)[1]


def test_a_later_range_replaces_the_comment_of_an_earlier_one(tmp_path: Path) -> None:
    file = tmp_path / "bug.smt2"
    file.write_text("; wrong\n(check-sat)\n; Shows on purpose\n")
    span = {"first": "1.0", "last": "1.2", "before": "", "after": ""}
    keep_range(tmp_path, {"solver": "fake", "spans": [span]})
    assert file.read_text().startswith("; wrong\n; Shows on fake 1.0..1.2\n(check-sat)\n")
    other = {"first": "1.4", "last": "1.4", "before": "1.3", "after": "1.5"}
    keep_range(tmp_path, {"solver": "fake", "spans": [span, other]})
    assert file.read_text() == (
        "; wrong\n; Shows on fake 1.0..1.2, and on 1.4, mended in 1.5\n(check-sat)\n; Shows on purpose\n"
    )
    asked = {"1.0": "shows", "0.8": "untestable", "0.9": "untestable"}
    keep_range(tmp_path, {"solver": "fake", "spans": [span], "asked": asked})
    told = "; Shows on fake 1.0..1.2; it cannot be told of 0.8, 0.9\n"
    assert file.read_text().startswith(f"; wrong\n{told}(check-sat)\n")
    keep_range(tmp_path, {"solver": "fake", "spans": []})
    assert "Shows on fake" not in file.read_text()


@pytest.mark.slow
def test_errors_of_bisect(
    published: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = ("--wrapper", str(WRAPPER))
    trace = tmp_path / "a.trace"
    trace.write_text(TRACE.replace("fake 1.2", "fake 1.0"))
    code, _, told = outcome(capsys, "bisect", trace, *own)
    assert code == 2 and "it shows no finding on the release that it names" in told
    trace.write_text(TRACE.replace("# solver fake 1.2", "# finds crash\n# solver fake 1.0"))
    code, _, told = outcome(capsys, "bisect", trace, *own)
    assert code == 2 and "fake 1.0.0, on which it was found, does not show it" in told
    (tmp_path / "ranges.json").write_text('{"a.trace": {"asked": {"x": "shows"}}}')
    code, line = error(capsys, "regress", tmp_path, "--solver", "fake@1.3", *own)
    assert code == 2 and "expected a table that" in line


def test_a_folder_of_which_nothing_can_be_tested_is_no_success(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.trace").write_text(TRACE)
    command = ("regress", tmp_path, "--solver", "fake", "--wrapper", WRAPPER)
    code, printed, told = outcome(capsys, *command)
    assert code == 3 and "1 untestable" in printed
    assert "nothing was tested, since each finding is untestable there" in told


def test_a_release_that_cannot_be_had_is_no_result(
    published: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = ("--wrapper", WRAPPER)
    trace = tmp_path / "a.trace"
    trace.write_text(TRACE.replace("# solver", "# finds crash\n# solver"))
    code, line = error(capsys, "regress", trace, "--solver", "fake@9", *own)
    assert code == 4 and "no release 9.0.0" in line
    code, line = error(capsys, "bisect", trace, "--solver", "z3")
    assert code == 2 and "no finding of z3 is here" in line
    script = tmp_path / "f.smt2"
    script.write_text("(check-sat)")
    code, line = error(capsys, "bisect", script, *own)
    assert code == 2 and "name the solver that the script is run on" in line


@pytest.mark.slow
def test_what_cannot_be_bisected_takes_nothing_from_the_others(
    published: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "a.trace", tmp_path / "b.trace"
    good.write_text(TRACE.replace("# solver", "# finds crash\n# solver"))
    bad.write_text("rubbish\n")
    (tmp_path / "ranges.json").write_text('{"x": {"asked": {"1.0": "gone"}}}')
    table = tmp_path / "mine.json"
    spanned = ("--wrapper", WRAPPER, "--releases", "1.2..1.4", "--table", table)
    code, printed, told = outcome(capsys, "bisect", good, bad, *spanned, "--json")
    assert code == 2 and list(json.loads(printed)) == ["a.trace"]
    assert "b.trace: the trace does not say its solver" in told
    good.rename(tmp_path / "c.trace")
    assert outcome(capsys, "bisect", tmp_path / "c.trace", *spanned)[0] == 0
    assert list(json.loads(table.read_text())) == ["a.trace", "c.trace"]


def test_dots_at_the_end_mean_the_newest_release() -> None:
    def ask(release: str) -> Answer:
        return Answer("shows")

    assert bisect(RELEASES[:3], ask).words() == "0.0.0.."
    assert bisect(RELEASES[:3], ask, newest=False).words() == "0.0.0..2.0.0"


@pytest.mark.parametrize("text", ["[1]", '{"a": 1}', '{"a": {"asked": 1}}', "{", '{"a": {}}'])
def test_malformed_tables(text: str, tmp_path: Path) -> None:
    (tmp_path / "ranges.json").write_text(text)
    with pytest.raises(
        InputError, match="expected a table that 'murxpy bisect --table' wrote"
    ) as caught:
        read_table(tmp_path / "ranges.json")
    assert "attribute" not in str(caught.value) and "subscript" not in str(caught.value)


@pytest.mark.slow
def test_the_wall_time_holds_and_a_hang_is_bisected(
    published: None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "or:sleep")
    walls = []
    real = defects.replay_trace

    def noted(*args: object, **more: object) -> object:
        walls.append(more["wall"])
        return real(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(defects, "replay_trace", noted)
    trace = tmp_path / "a.trace"
    trace.write_text(TRACE.replace("# solver fake 1.2", "# finds hang\n# solver fake 1.4"))
    own = ("--wrapper", WRAPPER, "--wall", "1s", "--releases", "1.4..1.5")
    code, printed, told = outcome(capsys, "bisect", trace, *own)
    assert code == 0 and "shows in 1.4.0.." in printed, told
    assert set(walls) == {1.0}


def test_the_last_answer_of_a_replay_whose_process_died() -> None:
    text = "1 check-sat\n      answer sat\n2 get-value t1\n3 mk-te"
    assert last_answer(Outcome("died", trace=text)) == "sat"
    assert (
        last_answer(Outcome("died", trace='1 run-script "x"\n answer sat\n answer unsat\n'))
        == "unsat"
    )
    assert last_answer(Outcome("died")) == ""
