"""The registry of known bugs: what is read, what does not count, what a release says of each bug."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from campaigns import run
from commands import error, fuzz_fake, outcome
from markdown_it import MarkdownIt

from murxpy.cli.report.issue import block
from murxpy.cli.report.text import plain, prose
from murxpy.data import load_wrapper, wrapper_names
from murxpy.errors import InputError
from murxpy.findings.buckets import new_bucket
from murxpy.findings.known import Bug, Registry, read_registry, registry_text
from murxpy.findings.store import Changes, Store
from murxpy.machine.trace.finished import Call
from murxpy.oracles.crash import Verdict

pytestmark = pytest.mark.usefixtures("kept_solvers")


def test_a_registry_is_written_and_read_again(tmp_path: Path) -> None:
    bugs = (
        Bug(
            pattern="crash-*",
            solver="z3",
            url="https://x/1",
            since="2026-11-27",
            trace="1 new\n2 f\n",
        ),
        Bug(marks=["z3 dies in f < g"], status="mended", note="a 'quoted' text: #1"),
    )
    file = tmp_path / "known.yaml"
    file.write_text(registry_text(bugs))
    assert read_registry(file) == Registry(bugs)
    assert read_registry(file).patterns() == ["crash-*"]
    assert read_registry(file).marks() == {}, "a bug that was mended counts if it is back"
    assert [bug.url for bug in read_registry(file).alike("crash-f", ())] == ["https://x/1"]
    assert len(read_registry(file).alike("other", ["z3 dies in f < g"])) == 1


def test_an_old_list_is_a_registry(tmp_path: Path) -> None:
    file = tmp_path / "z3.known"
    file.write_text("crash-a # a note\nmark crash-b z3 dies in f\n")
    found = read_registry(file)
    assert (found.patterns(), found.marks()) == (["crash-a"], {"z3 dies in f": "crash-b"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bugs: [{url: u}]", "known.yaml:1: expected 'pattern' or 'marks'"),
        ("bugs: [{pattern: 'A B'}]", "known.yaml:1: no bucket has a key like 'A B'"),
        ("bugs:\n  - {pattern: a, frob: 1}", "known.yaml:2: unknown key 'frob'"),
        ("bugs: [{pattern: a, status: gone}]", "known.yaml:1: expected 'confirmed' or 'mended'"),
        ("bugs: [{pattern: a, since: soon}]", "known.yaml:1: "),
        ("bugs: [", "known.yaml:"),
    ],
)
def test_a_wrong_registry_is_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "known.yaml"
    file.write_text(text)
    with pytest.raises(InputError) as found:
        read_registry(file)
    assert message in str(found.value) and "\n" not in str(found.value)


@pytest.mark.usefixtures("bare_findings")
def test_what_is_known_does_not_set_the_exit_code(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort")
    out, file = tmp_path / "out", tmp_path / "known.yaml"
    assert fuzz_fake(capsys, out, "--runs", "8", "--no-minimize")[0] == 1
    bucket = next((out / "findings").iterdir())
    words = ("known", "add", bucket, "--file", file, "--url", "https://x/7")
    assert "added to" in outcome(capsys, *words)[1]
    assert "replaced in" in outcome(capsys, *words, "--note", "again")[1]
    (bug,) = read_registry(file).bugs
    assert (bug.pattern, bug.url, bug.note, bug.solver) == (
        bucket.name,
        "https://x/7",
        "again",
        "fake",
    )
    assert bug.trace.startswith("# murxpy-trace")
    code, printed, _ = fuzz_fake(capsys, tmp_path / "again", "--runs", "8", "--known", file)
    assert code == 0 and "known" in printed
    listed = outcome(capsys, "known", "list", "--file", file)[1]
    assert bucket.name in listed and "https://x/7" in listed and "reported" in listed


def test_a_check_tells_what_a_release_mends_and_what_is_back(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "known.yaml"
    trace = "# murxpy-trace 1\n# solver z3 5.4.1\n1 new\n2 mk-sort SORT_BOOL\n return s1\n"
    file.write_text(registry_text([Bug(pattern="crash-sigsegv-z3-f", solver="z3", trace=trace)]))
    check = ("known", "check", "--file", file)
    assert outcome(capsys, *check)[:2] == (1, "crash-sigsegv-z3-f: mended\n")
    assert outcome(capsys, *check, "--write")[0] == 1
    assert outcome(capsys, *check)[:2] == (0, "crash-sigsegv-z3-f: gone\n")
    assert "1 bug left out, 0 kept" in outcome(capsys, "known", "prune", "--file", file)[1]
    file.write_text(registry_text([Bug(pattern="crash-f", solver="z3")]))
    assert "cannot be told: no trace is kept" in outcome(capsys, *check)[1]
    file.write_text(registry_text([Bug(pattern="crash-f", solver="z3@/evil", trace=trace)]))
    assert "cannot be told: name the solver with --solver" in outcome(capsys, *check)[1]


def test_files_that_are_no_registry(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    missing = error(capsys, "known", "list", "--file", tmp_path / "none.yaml")
    assert missing[0] == 2 and "there is no such file" in missing[1]
    listed = tmp_path / "z3.known"
    listed.write_text("crash-a\n")
    assert (
        "expected a file of known bugs in YAML"
        in error(capsys, "known", "prune", "--file", listed)[1]
    )


@pytest.mark.usefixtures("bare_findings")
def test_a_draft_has_all_that_a_developer_needs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort")
    out, folder = tmp_path / "out", tmp_path / "issue"
    assert fuzz_fake(capsys, out, "--runs", "8", "--no-minimize")[0] == 1
    bucket = next((out / "findings").iterdir())
    code, text, notes = outcome(capsys, "draft", bucket)
    assert code == 0 and text.startswith("# fake ")
    assert "ends the process with an abort" in text
    assert "## Program: `python3 finding.py`" in text or "## Trace:" in text
    assert "## Where it shows" in text and "other releases were not tried" in text
    known = tmp_path / "known.yaml"
    outcome(capsys, "known", "add", bucket, "--file", known, "--url", "https://x/7")
    code, said, notes = outcome(capsys, "draft", bucket, "--known", known, "-o", folder)
    assert code == 0 and "nothing is sent" in said
    assert "it looks like the known bug" in notes and "https://x/7" in notes
    assert (folder / "issue.md").read_text() == text and (folder / "finding.trace").is_file()


def test_a_campaign_has_a_folder_for_each_issue(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort,or:segfault")
    out, folder = tmp_path / "out", tmp_path / "issues"
    assert fuzz_fake(capsys, out, "--runs", "8", "--no-minimize")[0] == 1
    code, said, _ = outcome(capsys, "draft", out, "-o", folder)
    made = sorted(one.name for one in folder.iterdir())
    assert code == 0 and said.startswith(f"{len(made)} issues written to ") and len(made) > 1
    for key in made:
        alone = outcome(capsys, "draft", out / "findings" / key)[1]
        assert (folder / key / "issue.md").read_text() == alone
    code, said, _ = outcome(capsys, "draft", out, "-o", tmp_path / "one", "--limit", "1")
    assert code == 0 and said.startswith("1 issue written to ")
    code, line = error(capsys, "draft", out / "findings" / made[0], "--limit", "1")
    assert code == 2 and "--limit counts issues of a campaign" in line


def test_what_lists_tell_last_gets_no_issue_unless_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A wrong operand that is refused, only by another exception than is documented."""
    messages = (
        "class C: AssertionError in f.g (x.py)",
        "class C: AttributeError: 'NoneType' object has no attribute 'a' in f.h (x.py)",
        "class F: a number is taken for another; 4294967304 for 8",
    )
    with closing(Store(tmp_path, rebuild=True)) as store:
        for at, message in enumerate(messages):
            call = Call("misuse", f"f.{at}", "call")
            verdict = Verdict("contract", "binding", message, "", call)
            bucket = new_bucket(f"contract-{at}", "fake", verdict, known=False, now=0.0)
            store.save(Changes(buckets=[replace(bucket, state="confirmed")]))
    folder = tmp_path / "issues"
    notes = outcome(capsys, "draft", tmp_path, "-o", folder)[2].splitlines()
    assert notes[0].startswith("note: 2 defects left out, in which a wrong operand is refused")
    assert notes[1:] == ["note: contract-2: it has no trace"]
    notes = outcome(capsys, "draft", tmp_path, "-o", folder, "--all")[2].splitlines()
    assert notes == ["note: 3 issues: it has no trace"]
    code, line = error(capsys, "draft", Path(__file__), "--all")
    assert code == 2 and "--all adds issues of a campaign" in line


def test_what_was_not_made_smaller_gets_no_issue_unless_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out, folder = tmp_path / "out", tmp_path / "issues"
    run(out, {"every": {"exception": 4}}, runs=8)
    _, said, notes = outcome(capsys, "draft", out, "-o", folder)
    assert "note: 1 defect left out, whose traces were not made smaller yet" in notes
    assert said.startswith("0 issues written") and not folder.exists()
    assert outcome(capsys, "draft", out, "-o", folder, "--all")[1].startswith("1 issue written")


def test_text_of_strangers_is_no_markup() -> None:
    hostile = "<script>`*_[a](b)@z3 #12 |x|~\x1b[31m\u202e"
    shown = plain(hostile)
    assert not set("<>`*_[]@|~\x1b\u202e") & set(shown)
    assert " #12" not in shown and "&#35;12" in shown
    rows = list(block("## Script", "smt2", "a\n````\nb\x1b", "f"))
    assert rows[1].startswith("`````smt2\n") and rows[1].endswith("\n`````\n")
    assert "\x1b" not in rows[1]
    long = list(block("## Script", "smt2", "a\n" * 100, "finding.smt2"))
    assert "see the attached finding.smt2" in long[1]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("z3 5.4.1 <= and < with #1, {0} | a_b", "z3 5.4.1 <= and < with `#1`, {0} | a_b"),
        ("1. see https://a.b (www.c.d e)", "`1.` see `https://a.b` `(www.c.d e)`"),
        ("> - it", "`>` - it"),
        (
            "NameError in Fixedpoint.__deepcopy__ (z3.py)",
            "NameError in `Fixedpoint.__deepcopy__` (z3.py)",
        ),
        ("f(a, [g(b), c]): raises", "`f(a, [g(b), c])`: raises"),
        (r"'a\x00b' reads back as '<null>'", r"'a\x00b' reads back as `'<null>'`"),
        ("a * and *_[a](b) &amp; \\* ~c~ ##", "a * and `*_[a](b)` `&amp;` `\\*` `~c~` `##`"),
        ("f(a, (b and __c__: it", "f(a, (b and `__c__`: it"),
    ],
)
def test_a_title_has_what_would_be_markup_as_code(text: str, written: str) -> None:
    assert prose(text) == written
    (_, inline, _) = MarkdownIt().parse(f"# {written}")
    assert inline.children is not None
    assert {one.type for one in inline.children} <= {"text", "code_inline"}
    assert "".join(one.content for one in inline.children) == text, (
        "what is read is the text itself"
    )


def test_nothing_is_emphasised_in_the_text_of_strangers() -> None:
    (_, inline, _) = MarkdownIt().parse(plain("Fixedpoint.__deepcopy__ (z3.py) and _a_ * b"))
    assert [one.type for one in inline.children or ()] == ["text"]
    assert prose("for @z3 and `a`") == "for `@z3` and 'a'"


def test_a_wrapper_says_what_its_developers_ask() -> None:
    for name in wrapper_names():
        assert load_wrapper(name)["reporting"]["tracker"], name
