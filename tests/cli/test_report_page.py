"""The page of `murxpy report --html`: how a campaign went, its defects whole or in a line, its tables."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from commands import error, fuzz_fake
from store_buckets import kept, stored

from murxpy.cli.report import page
from murxpy.cli.report.course import charts, releases_section
from murxpy.cli.report.tables import Table
from murxpy.cli.report.written import report_of
from murxpy.findings.store import Changes, Store
from murxpy.records.timeline import Point, Timeline, joined
from murxpy.sources.enumeration.blocks import COUNTED

pytest.importorskip("jinja2")
SCRIPT = "(set-logic ALL)\n(check-sat) ; unsat\n"
TRACE = (
    "# murxpy-trace 1\n# solver z3 5.4.1\n 1 new\n     return o1\n 2 check-sat\n     return unsat\n"
)


def points(session: float, count: int) -> list[Point]:
    """Points of a session, one a second, with ten runs and a decided check in each."""
    return [
        Point(session, float(at), 10 * at, 4 * at, at, 2 * at, 1000 * at, 800 * at, at, 0, 1 << 20)
        for at in range(count)
    ]


def test_sessions_go_on_where_the_one_before_ended() -> None:
    line = joined([*points(100.0, 5), *points(900.0, 3)])
    assert [one.elapsed for one in line] == [0, 1, 2, 3, 4, 4, 5, 6]
    assert (line[-1].runs, line[-1].killed, line[-1].supervisor) == (60, 6, 1 << 20)


def test_points_lie_closer_early_than_late() -> None:
    line = Timeline(0.0)
    made, now = [], 0.0
    while now < 86_400:
        if line.due(now):
            made.append(line.point(now, {"run:total": int(now)}, 0, 0).elapsed)
        now += 0.5
    assert made[:4] == [0.0, 1.0, 2.0, 3.0] and 600 < len(made) < 1000


def test_a_campaign_keeps_its_figures_over_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for runs in ("20", "5"):
        fuzz_fake(capsys, tmp_path, "--runs", runs)
    with closing(Store(tmp_path, read_only=True)) as store:
        line, counters, sessions = joined(store.timeline()), store.counters(), store.sessions()
    assert (line[-1].runs, line[-1].checks) == (25, counters["check:total"])
    assert len(sessions) == len({one.session for one in line}) == 2
    assert line[-1].supervisor > 1 << 20


def test_the_charts_show_each_figure_over_all_sessions() -> None:
    drawn = charts([*points(100.0, 60), *points(900.0, 60)], [103.0, 905.0, 2000.0])
    assert {"Runs a second", "Defects found", "Unknown answers, % of checks"} <= {*drawn}
    assert all(text.startswith("<svg") and "nan" not in text for text in drawn.values())
    assert "1:00" in drawn["Runs a second"]
    assert charts([], [103.0]) == {} and charts(points(1.0, 1), []) == {}


def test_a_campaign_without_figures_over_time_has_a_page(tmp_path: Path) -> None:
    stored(tmp_path, kept(tmp_path, "wrong-unsat-a", {"smt2": SCRIPT}, kind="wrong-unsat"))
    text = page.html(report_of(tmp_path))
    assert "<svg" not in text and "wrong-unsat-a" in text


def test_a_defect_is_shown_with_draft_trace_evidence_and_commands(tmp_path: Path) -> None:
    triage = {"evidence": ["both other solvers say sat"], "verdict": "refutation-unsoundness"}
    forms = {"smt2": SCRIPT, "min.trace": TRACE}
    stored(tmp_path, kept(tmp_path, "wrong-unsat-a", forms, kind="wrong-unsat", triage=triage))
    text = page.html(report_of(tmp_path))
    for shown in ("refutation unsoundness", "both other solvers say sat", "Draft of an issue"):
        assert shown in text
    assert "<summary>Trace</summary>" in text and "2 check-sat" in text
    assert f'<pre class="copy">{SCRIPT}</pre>' in text and "murxpy replay" in text


def test_what_is_beyond_the_worst_takes_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "_WHOLE", 2)
    buckets = [
        kept(tmp_path, f"wrong-unsat-{n}", {"smt2": SCRIPT}, kind="wrong-unsat", message=f"m{n}")
        for n in range(5)
    ]
    stored(tmp_path, *buckets)
    text = page.html(report_of(tmp_path))
    assert "3 more: wrong-unsat" in text and len(re.findall("<tr data-defect>", text)) == 3
    assert text.count("(check-sat) ; unsat") == 2 + text.count("```smt2")
    assert all(f"wrong-unsat-{n}" in text for n in range(5))


def test_a_long_text_is_cut(tmp_path: Path) -> None:
    long = SCRIPT + "; x\n" * 50_000
    forms = {"smt2": long, "trace": "# murxpy-trace 1\n" * 60_000}
    stored(tmp_path, kept(tmp_path, "wrong-unsat-a", forms, kind="wrong-unsat"))
    text = page.html(report_of(tmp_path))
    assert len(text) < 100_000 and "more characters)" in text


def test_the_matrix_says_which_releases_show_a_defect(tmp_path: Path) -> None:
    stored(tmp_path, kept(tmp_path, "wrong-unsat-a", {"smt2": SCRIPT}, kind="wrong-unsat"))
    found = {
        "solver": "z3",
        "range": "4.9.0..",
        "spans": [{"first": "4.9.0", "last": "5.4.1", "before": "4.8.7", "after": ""}],
        "asked": {"4.8.7": "gone", "4.10.2": "shows", "4.9.0": "shows", "4.8.9": "untestable"},
    }
    (tmp_path / "findings" / "wrong-unsat-a" / "range.json").write_text(json.dumps(found))
    text = page.html(report_of(tmp_path))
    row = re.search(r"<th>defect</th>(.*?)</table>", text, re.S)
    assert row is not None
    assert re.findall(r"<th>([\d.]+)</th>", row[1]) == ["4.8.7", "4.8.9", "4.9.0", "4.10.2"]
    assert re.findall(r"<td>([●○?])</td>", row[1]) == ["○", "?", "●", "●"]


def test_releases_that_are_no_versions_have_a_column_too() -> None:
    (section,) = releases_section({"wrong": {"own build": "shows", "4.9.0": "gone"}})
    table = next(part for part in section.parts if isinstance(part, Table))
    assert list(table.columns) == ["defect", "own build", "4.9.0"]
    assert not list(releases_section({}))


def test_the_tables_tell_options_refusals_and_health(tmp_path: Path) -> None:
    stored(tmp_path)
    with closing(Store(tmp_path)) as store:
        arguments = json.dumps({"jobs": 3, "known": ["<b>"]})
        counters = {"refusal:unsupported": 7, "op:OP_BV_ADD": 5, "op-ok:OP_BV_ADD": 4}
        changes = Changes(session=(1.0, 31.0, "time limit", arguments), points=points(1.0, 9))
        changes.counters.update(counters)
        store.save(changes)
    text = page.html(replace(report_of(tmp_path), theories={"BV": ["OP_BV_ADD", "OP_BV_MUL"]}))
    for shown in ("calls refused: unsupported", "time limit", "BV: 1 of 2 executed", "jobs"):
        assert shown in text
    assert "<b>&#39;" not in text and "&lt;b&gt;" in text


def test_an_enumeration_has_its_scripts_by_size(tmp_path: Path) -> None:
    stored(tmp_path)
    counters = {"ints:2:sat": 40, "ints:2:unknown": 2, "ints:3:unsat": 9, "ints:x:sat": 1}
    with closing(Store(tmp_path)) as store:
        store.save(Changes(counters=Counter({f"{COUNTED}{key}": n for key, n in counters.items()})))
    (table,) = re.findall(r"<th>grammar</th>(.*?)</table>", page.html(report_of(tmp_path)), re.S)
    rows = [re.findall(r">([^<]*)</td>", row) for row in table.split("<tr>")[1:]]
    assert rows == [
        ["ints", "2", "42", "40", "2", "0", "0", "0"],
        ["ints", "3", "9", "9", "0", "0", "0", "0"],
    ]


@pytest.mark.parametrize("line", ["{", '{"round": 1}', '{"round": 1, "margin": "x"}'])
def test_a_search_that_cannot_be_read_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    (tmp_path / "perf.jsonl").write_text('{"perf": 1}\n' + line + "\n")
    code, said = error(capsys, "report", tmp_path)
    assert code == 2 and "perf.jsonl:2: expected a line that 'murxpy perf' has written" in said


def test_the_folder_of_a_study_that_cannot_be_reported_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "study-unknown.sqlite").write_text("")
    code, said = error(capsys, "report", tmp_path)
    assert code == 2 and "'unknown', of which there is no report" in said
    (tmp_path / "study-unknown.sqlite").rename(tmp_path / "study-stability.sqlite")
    assert error(capsys, "report", tmp_path)[0] == 2
