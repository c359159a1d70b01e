"""`murxpy report`: a campaign as HTML, Markdown, JUnit and SARIF."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import error, outcome
from store_buckets import kept, stored

from murxpy.campaign.statistics import Reach
from murxpy.cli.report.page import environment, html
from murxpy.cli.report.written import Report, report_of
from murxpy.cli.reporting import WRITERS
from murxpy.findings.buckets import Bucket
from murxpy.records.snapshot import Snapshot
from murxpy.records.yields import ArmYield, Yield

HOSTILE = "</pre><script>alert(1)</script>\"'&]]>\x1b[31m\u202e\x00``` {{ 7 * 7 }}\n# x"
SCRIPT = "(set-logic ALL)\n(check-sat) ; unsat\n"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A campaign with a wrong answer, a crash that is known, a slow script, which does not count, and a
    wrong answer that no replay showed again.
    """
    wrong = kept(tmp_path, "wrong-unsat-a", {"smt2": SCRIPT}, kind="wrong-unsat", severity="high")
    crash = kept(tmp_path, "crash-b", {}, kind="crash", severity="high", state="known")
    slow = kept(tmp_path, "slow-c", {"smt2": SCRIPT}, kind="slow", severity="low")
    doubtful = kept(tmp_path, "wrong-unsat-d", {}, kind="wrong-unsat", state="unconfirmed")
    stored(tmp_path, wrong, crash, slow, doubtful)
    return tmp_path


def hostile(report: Report) -> Report:
    """The report with hostile text wherever a stranger's text stands."""

    def changed(bucket: Bucket) -> Bucket:
        return replace(bucket, message=HOSTILE, triage={"evidence": [HOSTILE]})

    pages = tuple(
        replace(
            page,
            bucket=changed(page.bucket),
            defect=replace(page.defect, wrong=HOSTILE),
            text=HOSTILE,
            releases=(HOSTILE,),
            decided=HOSTILE,
            read=lambda file: HOSTILE,
            needs=(HOSTILE,),
            frames=(HOSTILE,),
            range=HOSTILE,
        )
        for page in report.defects
    )
    figures = Snapshot(1.0, {f"{name}:{HOSTILE}": 7 for name in COUNTED} | {"op:OP_A": 1})
    seed = Yield(HOSTILE, HOSTILE, runs=1, made=1, unreadable=1)
    return replace(
        report,
        folder=HOSTILE,
        targets=(HOSTILE,),
        defects=pages,
        figures=figures,
        sessions=[(1.0, 2.0, HOSTILE)],
        arguments=[{HOSTILE: HOSTILE, "known": [HOSTILE]}],
        theories={HOSTILE: [HOSTILE, "OP_A"]},
        reaches={HOSTILE: Reach([HOSTILE], [], [], {HOSTILE: 1})},
        yields={HOSTILE: [seed]},
        offered={HOSTILE: {HOSTILE: {"": 1, HOSTILE: 1}}},
        arms={HOSTILE: [ArmYield(f"option:{HOSTILE}", runs=9)]},
    )


COUNTED = (
    "op",
    "op-ok",
    "op-refused:x",
    "action",
    "state",
    "refusal-message:unsupported",
    "mutator",
)


class Tags(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[dict[str, str]] = []
        self.policy = self.data = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes.append({name: value or "" for name, value in attrs})
        if ("http-equiv", "Content-Security-Policy") in attrs:
            self.policy = str(dict(attrs)["content"])

    def handle_data(self, data: str) -> None:
        self.data += data


def test_junit_fails_for_what_counts(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = out / "j.xml"
    assert outcome(capsys, "report", out, "--junit", file)[0] == 0
    suite = ElementTree.parse(file).getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "1", "3")
    cases = {str(case.get("name")): case for case in suite}
    failure = cases["wrong-unsat-a"].find("failure")
    assert failure is not None and "(check-sat) ; unsat" in str(failure.text)
    assert cases["crash-b"].find("skipped") is not None
    assert cases["wrong-unsat-a"].get("classname") == "murxpy.z3.wrong-unsat"


def test_sarif_has_a_result_for_each_defect(out: Path) -> None:
    (run,) = json.loads(WRITERS["sarif"](report_of(out)))["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    results = {one["partialFingerprints"]["murxpyBucket/v1"]: one for one in run["results"]}
    assert {one["ruleId"] for one in results.values()} == set(rules)
    assert results["wrong-unsat-a"]["level"] == "error"
    assert results["wrong-unsat-a"]["baselineState"] == "new"
    assert (results["crash-b"]["level"], results["crash-b"]["baselineState"]) == (
        "note",
        "unchanged",
    )
    (place,) = results["wrong-unsat-a"]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"].endswith(".smt2")


def test_markdown_is_printed_without_a_file(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text, _ = outcome(capsys, "report", out)
    assert code == 0 and "| defects | 4, of which 1 count |" in text
    assert f"```smt2\n{SCRIPT}```" in text and "wrong-unsat-a" in text


def test_the_page_needs_nothing_from_outside(out: Path) -> None:
    pytest.importorskip("jinja2")
    text = WRITERS["html"](report_of(out))
    page = Tags(text)
    assert page.policy.startswith("default-src 'none'")
    assert not {"img", "link", "iframe", "object", "form"} & {*page.names}
    assert sum("data-defect" in one for one in page.attributes) == 4
    assert "(check-sat) ; unsat" in page.data
    assert all(one["href"].startswith("#") for one in page.attributes if "href" in one)
    assert not any({"src", "style", "onclick"} & {*one} for one in page.attributes)


def test_the_policy_allows_the_own_script_and_style_only(out: Path) -> None:
    pytest.importorskip("jinja2")
    text = html(report_of(out))
    policy = Tags(text).policy
    for name in ("script", "style"):
        (inside,) = re.findall(f"<{name}>(.*?)</{name}>", text, re.S)
        digest = b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy and "connect-src" not in policy


SCHEMA = json.loads((Path(__file__).parents[1] / "support" / "sarif.json").read_text())


@pytest.mark.parametrize("changed", [lambda report: report, hostile], ids=["plain", "hostile"])
def test_sarif_keeps_its_schema(out: Path, changed: Callable[[Report], Report]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    found = json.loads(WRITERS["sarif"](changed(report_of(out))))
    jsonschema.Draft7Validator(SCHEMA).validate(found)
    (run,) = found["runs"]
    assert all(
        one["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
        for one in run["results"]
    )
    del run["tool"]["driver"]["name"]  # the validator looks inside
    assert not jsonschema.Draft7Validator(SCHEMA).is_valid(found)


def test_sarif_of_no_defects_keeps_its_schema(tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    stored(tmp_path)
    jsonschema.Draft7Validator(SCHEMA).validate(json.loads(WRITERS["sarif"](report_of(tmp_path))))


@pytest.mark.parametrize("changed", [lambda report: report, hostile], ids=["plain", "hostile"])
def test_junit_is_read_by_others(out: Path, changed: Callable[[Report], Report]) -> None:
    junitparser = pytest.importorskip("junitparser")
    found = junitparser.JUnitXml.fromstring(WRITERS["junit"](changed(report_of(out))).encode())
    (suite,) = found
    cases = {case.name: case for case in suite}
    assert (suite.tests, suite.failures, suite.skipped, len(cases)) == (4, 1, 3, 4)
    assert cases["wrong-unsat-a"].is_failure and cases["crash-b"].is_skipped
    suite.update_statistics()
    assert (suite.tests, suite.failures, suite.skipped) == (4, 1, 3)


@pytest.mark.parametrize("form", WRITERS)
def test_text_of_strangers_is_shown_and_nothing_else(out: Path, form: str) -> None:
    if form == "html":
        pytest.importorskip("jinja2")
    plain, text = WRITERS[form](report_of(out)), WRITERS[form](hostile(report_of(out)))
    assert not {"\x1b", "\u202e", "\x00"} & {*text}
    assert "\\u202e" in text or "\\\\u202e" in text
    if form == "html":
        names = Tags(text).names
        assert names.count("script") == 1
        assert not set(names) - set(Tags(plain).names) - {"details", "summary"}
        assert "alert(1)" in Tags(text).data and "{{ 7 * 7 }}" in Tags(text).data
    elif form == "junit":
        root = ElementTree.fromstring(text)
        assert len(root[0]) == 4 and "alert(1)" in str(root[0].find(".//failure").text)  # type: ignore[union-attr]
    elif form == "sarif":
        assert len(json.loads(text)["runs"][0]["results"]) == 4
    else:
        rows = text.split("\n")
        assert rows.count("````smt2") + rows.count("````") >= 2
        outside = re.sub(r"`[^`\n]+`", "", "".join(text.split("````")[::2]))  # without code spans
        assert "<script>" not in outside and "\n# x" not in outside


def test_no_defects_is_a_case_that_passes(tmp_path: Path) -> None:
    stored(tmp_path)
    suite = ElementTree.fromstring(WRITERS["junit"](report_of(tmp_path)))[0]
    assert (suite.get("tests"), suite.get("failures")) == ("1", "0")


def test_a_missing_extra_is_one_clear_line(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setattr("murxpy.cli.report.page.environment", environment.__wrapped__)
    code, said = error(capsys, "report", out, "--html", out / "r.html")
    assert code == 2 and "install murxpy[report]" in said
    assert not (out / "r.html").exists()
    code, said = error(capsys, "report", out / "none")
    assert (code == 2 and "no campaign" in said) or "there is no" in said


def test_a_pipe_and_a_device_are_written_into_and_not_replaced(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe = out / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert outcome(capsys, "report", out, "--markdown", pipe)[0] == 0
        assert b"wrong-unsat-a" in os.read(reader, 1 << 16) and pipe.is_fifo()
    finally:
        os.close(reader)
    full = Path("/dev/full")
    code, said = error(capsys, "report", out, "--sarif", full)
    assert code == 2 and "No space left" in said and full.is_char_device()


def test_a_dash_in_the_place_of_a_file_prints(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    alone = outcome(capsys, "report", out)[1]
    assert outcome(capsys, "report", out, "--markdown", "-") == (0, alone, "")
    code, text, said = outcome(capsys, "report", out, "--junit", "-", "--sarif", "s.json")
    assert code == 0 and text.startswith("<?xml") and said.startswith("s.json: ")
    assert (tmp_path / "s.json").is_file() and not (tmp_path / "-").exists()
    code, line = error(capsys, "report", out, "--junit", "-", "--sarif", "-")
    assert code == 2 and "--sarif -: --junit is printed already" in line
