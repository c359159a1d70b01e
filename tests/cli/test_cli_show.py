"""`murxpy show`: one finding, whole."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from commands import error, outcome
from store_buckets import kept, stored

from murxpy.findings.buckets import Bucket
from murxpy.findings.frames import inside
from murxpy.findings.store import Changes, Store

REGRESSIONS = Path(__file__).parents[2] / "traces" / "regressions"
FRAMES = "".join(
    f"#{at}  0x000000000000000{at} in {name} () from /x/lib.so\n"
    for at, name in enumerate(("smt::pop(unsigned int)", "Z3_solver_pop", "??", "ffi_call", "main"))
)
SMALL = """# murxpy-trace 1
# solver z3 5.4.1
# needs [["option", "core.minimize", "true", "", ""], ["spelling", "mk-const", "list", "", ""]]
1 new
1 pop 1
"""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a campaign with two buckets of one crash, and a wrong model of cvc5."""
    folder = tmp_path_factory.mktemp("show") / "out"
    model = (REGRESSIONS / "cvc5-1.4.2" / "total-division-by-zero-in-a-model.trace").read_text()
    script = "(check-sat)\n" + "; minimize: a comment that is longer than the screen is wide".ljust(
        95, "."
    )
    buckets = [
        kept(folder, "crash-pop", {"smt2": script, "min.trace": SMALL}, backtrace=FRAMES),
        kept(folder, "crash-push", {"python": "print(1)\n"}, backtrace=FRAMES, last=2),
        kept(
            folder,
            "invalid-model",
            {"min.trace": model},
            kind="invalid-model",
            solver="cvc5",
            message="an assertion is false",
        ),
    ]
    rows = [
        ("crash-pop", "z3", run, "aa", version, 90, "[]", float(run))
        for run, version in enumerate(("5.4.1", "5.4.0", "5.4.1"))
    ]
    with closing(Store(folder, rebuild=True)) as store:
        store.save(Changes(buckets=buckets, rows=rows, counters=Counter({"run:total": 1200})))
    return folder


def test_a_finding_is_printed_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, out: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, text, err = outcome(capsys, "show", "crash-po", "--out", out)
    assert (code, err) == (0, "")
    folder = out / "findings" / "crash-pop"
    head, _, rest = text.partition("\nSMT-LIB script")
    assert head.splitlines() == [
        "crash-pop",
        "pop ends the process with a segmentation fault in smt::pop",
        "",
        "found       crash of z3 5.4.1, 5.4.0, tier solver",
        "evidence    3 times in 1,200 runs; its trace shows it again",
        "needs       In the trace, the defect needs the option core.minimize set to true.",
        "the same    1 other bucket of this defect",
        "            crash-push",
    ]
    assert rest.splitlines() == [
        f" ({folder}/00000000000000aa.smt2)",
        "(check-sat)",
        "; minimize: a comment that is longer than the screen is wide".ljust(95, "."),
        "",
        "Frames",
        "  smt::pop(unsigned int)",
        "  Z3_solver_pop",
        "",
        "Commands",
        f"  murxpy replay {folder}/00000000000000aa.trace",
        f"  murxpy replay {folder}/00000000000000aa.min.trace",
        f"  murxpy bisect {folder}",
    ]


def test_a_finding_as_json(capsys: pytest.CaptureFixture[str], out: Path) -> None:
    code, text, _ = outcome(capsys, "show", out / "findings" / "crash-push", "--json")
    data = json.loads(text)
    assert code == 0 and (data["key"], data["form"]) == ("crash-push", "python")
    assert data["text"] == "print(1)\n" and data["model"] is None
    assert data["others"] == ["crash-pop"] and data["runs"] == 1200
    assert data["frames"] == ["smt::pop(unsigned int)", "Z3_solver_pop"]


def test_the_wrong_term_of_a_model_is_marked(capsys: pytest.CaptureFixture[str], out: Path) -> None:
    pytest.importorskip("cvc5")
    code, text, _ = outcome(capsys, "show", out / "findings" / "invalid-model")
    assert code == 0
    model = text.partition("\nModel (replayed on cvc5)\n")[2].partition("\n\n")[0].splitlines()
    assert [row for row in model if row.startswith("  > ")], model
    assert " = false" in model[-1] and model[-1].startswith("  > (")


def test_what_is_no_bucket(capsys: pytest.CaptureFixture[str], out: Path, tmp_path: Path) -> None:
    code, said = error(capsys, "show", tmp_path)
    assert (code, said) == (2, f"{tmp_path}: expected OUT/findings/BUCKET of a campaign")
    code, said = error(capsys, "show", "crash-p", "--out", out)
    assert (code, said) == (
        2,
        f"2 buckets of {out} begin with 'crash-p': crash-pop, crash-push",
    )
    gone = out / "findings" / "crash-gone"
    gone.mkdir()
    assert error(capsys, "show", gone) == (2, f"{gone}: this campaign has no such bucket")


def test_a_bucket_of_a_damaged_campaign_is_not_said_to_be_missing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "campaign.sqlite").write_bytes(b"x" * 5000)
    code, said = error(capsys, "show", "crash-p", "--out", tmp_path)
    assert code == 2 and "it is damaged" in said and f"murxpy repair {tmp_path}" in said


def test_the_frames_of_the_interpreter_are_left_out() -> None:
    assert inside(FRAMES) == ("smt::pop(unsigned int)", "Z3_solver_pop")
    assert inside("") == ()


def behind(folder: Path, key: str, forms: dict[str, str], shows: bool) -> Bucket:
    """A bucket whose trace alone does not show it, with the runs that must come before it."""
    found = kept(folder, key, forms, backtrace=FRAMES)
    note = "" if shows else "it shows no finding in 5 replays"
    smaller = [
        replace(form, reproduces=shows or None, note=note)
        for form in found.reproducers
        if form.form == "min.history"
    ]
    others = [form for form in found.reproducers if form.form == "history"]
    alone = replace(found.reproducers[0], reproduces=False)
    traces = [replace(found.traces[0], confirmed=False)]
    return replace(found, traces=traces, reproducers=(alone, *others, *smaller))


def test_a_finding_behind_earlier_runs_is_shown_as_traces_and_else_listed_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seeds = "aa []\nab [['pop', '', '']]\n"
    two = "# murxpy-trace 1\n1 new\n1 delete\n1 new\n1 check-sat\n"
    buckets = [
        behind(tmp_path, "crash-apart", {"history": seeds, "min.history": two}, False),
        behind(tmp_path, "crash-two", {"history": seeds, "min.history": two}, True),
        replace(kept(tmp_path, "hang-a", {}), kind="hang", severity="low"),
    ]
    buckets[0] = replace(buckets[0], backtrace=FRAMES.replace("smt::pop", "smt::other"))
    with closing(Store(tmp_path, rebuild=True)) as store:
        store.save(Changes(buckets=buckets))
    code, page, _ = outcome(capsys, "show", "crash-two", "--out", tmp_path)
    assert code == 0 and "Traces of several runs in one process" in page
    assert "1 delete\n1 new\n1 check-sat\n" in page
    code, page, _ = outcome(capsys, "show", "crash-apart", "--out", tmp_path)
    assert code == 0 and "'pop'" not in page and "Trace" not in page.split("Frames")[1]
    assert "smt::other(unsigned int)" in page and ".history" in page.split("Commands")[1]
    text = outcome(capsys, "draft", "crash-two", "--out", tmp_path, "-o", tmp_path / "issue")[1]
    assert "1 file written" in text
    assert "murxpy replay finding.history" in (tmp_path / "issue" / "issue.md").read_text()
    assert (tmp_path / "issue" / "finding.history").read_text() == two
    text = outcome(capsys, "draft", "crash-apart", "--out", tmp_path)[1]
    assert "it needs runs that only its campaign can make" in text and "replay" not in text
    code, listed, _ = outcome(capsys, "findings", tmp_path)
    shown, apart = listed.split("Not shown again")
    assert "crash-two" in shown and "hang-a" in shown and "crash-apart" in apart
    assert apart.splitlines()[2] == "    in smt::other, Z3_solver_pop"


def test_a_wrong_model_that_needs_the_runs_before_it_has_no_trace_to_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = behind(tmp_path, "model-apart", {"history": "aa []\nab []\n"}, False)
    with closing(Store(tmp_path, rebuild=True)) as store:
        store.save(Changes(buckets=[replace(found, kind="invalid-model")]))
    code, page, _ = outcome(capsys, "show", "model-apart", "--out", tmp_path)
    assert code == 0 and "expected" not in page
    assert "it needs the runs before it, whose seeds are here" in page


def unknown_behind(decided: str, mutant: str) -> str:
    """A trace in which a mutant is unknown that a rule made of a script which was decided."""
    lines = ["# murxpy-trace 1", "# solver cvc5 1.4.2", "1 new@default", "      return o1"]
    for text, answer in ((decided, "sat"), (mutant, "unknown")):
        if text:
            lines += ["1 expect sat", f'1 run-script@parser "{text}"', f"      answer {answer}"]
    return "\n".join([*lines, ""])


def test_the_script_that_was_decided_is_of_the_trace_that_is_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The smaller trace may lack it. Then it is in the trace of the same run, not in the smallest one."""
    key, named = "incompleteness-parent", "(set-info :implied-by-decided rule)"
    found = kept(
        tmp_path,
        key,
        {
            "smt2": "(check-sat)",
            "trace": unknown_behind("(assert mine)(check-sat)", f"{named}(check-sat)"),
            "min.trace": unknown_behind("", f"{named}(check-sat)"),
        },
        kind="incompleteness",
        solver="cvc5",
        against="parent",
    )
    other = tmp_path / "findings" / key / "00000000000000bb.trace"
    other.write_text(unknown_behind("(assert other)(check-sat)", f"{named}(check-sat)"))
    small = replace(found.traces[0], file=str(other.relative_to(tmp_path)), size=9)
    stored(tmp_path, replace(found, traces=[*found.traces, small]))
    code, page, err = outcome(capsys, "show", key, "--out", tmp_path)
    assert (code, err) == (0, "") and "The script that the solver decides" in page
    assert "(assert mine)" in page and "(assert other)" not in page
