"""Plain lines, JSON lines, the summary, the listing of findings: what a user sees of each."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from report_demo import THEORIES, campaign, started

from murxpy.cli.campaigns import make_reporter
from murxpy.cli.report.console import make_console
from murxpy.cli.report.findings import (
    bucket_data,
    defect_views,
    findings_csv,
    findings_known,
    print_findings,
    sentence,
    unread,
    use_of,
)
from murxpy.cli.report.jsonl import JsonLines
from murxpy.cli.report.plain_lines import PlainLines
from murxpy.cli.report.statistics import print_statistics
from murxpy.cli.report.summary import print_results, print_summary
from murxpy.findings.buckets import new_bucket
from murxpy.machine.trace.finished import Call
from murxpy.oracles.crash import Verdict
from murxpy.records.events import Ended, Event, Notice
from murxpy.records.finding import Reproducer
from murxpy.records.snapshot import YIELD, BucketView, Left, Snapshot

SUMMARY = """\

Results
runs        1,200 (100/s), 0 % without a check, 2 overstayed, 6 workers lost
checks      3,600, 100 % with something asserted, 2,400 decided (200/s)
sat         1,167, a model read after 100 %
unsat       1,200
unknown     124
over limit  70
refused     132 unsupported, 0 resources, 0 ill-formed, 0 undocumented
terms       36,000, 90 % in a check
time        solver and binding 78 %, choosing 10 %, trace 4 %

Findings
crash  z3 4.15.0  2 findings  new, tier solver
    segmentation fault in smt::theory_bv::internalize_udiv
    z3-crash-sigsegv-mk-term-OP_BV_UDIV@udiv
assertion  z3 4.15.0  2 findings  known, tier solver
    ASSERTION VIOLATION
    z3-assertion-assert-mk-term-OP_FP_FMA@fma
exception  z3 4.15.0  2 findings  new, tier binding, not confirmed
    index out of bounds: 'Ω' \\u001b[31m in mk_concat
    z3-exception-undocumented-mk-term-OP_BV_CONCAT@raw
one of them whole: murxpy show KEY --out murxpy-out

z3 4.15.0, seed 7: 1,200 runs in 0:12 (time limit); this session: 6 findings in 3 buckets, 2 new; \
all in murxpy-out, which has 9 findings in 4 buckets
exit code 1: new findings"""

STATISTICS = """\

Operators
operator               tried     ok  unsupported
CORE: 2 of 3 executed
  OP_AND               6,000  6,000            -
  OP_NOT               6,000  6,000            -
BV: 3 of 4 executed
  OP_BV_ADD            6,000  6,000            -
  OP_BV_CONCAT         6,000  6,000            -
  OP_BV_UDIV           6,000  6,000            -
FP: 1 of 1 executed
  OP_FP_FMA            6,000  5,868          132

Operators never executed
CORE: OP_XOR
BV: OP_BV_SMULO

States visited
assert 4,800, check 3,600, create 1,200

Actions
action           tried      ok
get-unsat-core   1,200       -
mk-term         36,000  36,000

Refusals
count  class        message
  132  unsupported  fma is not in this build"""

ROWS = [
    BucketView(
        "z3-crash-sigsegv-mk-term-OP_BV_UDIV@udiv",
        "crash",
        "solver",
        "high",
        "z3",
        "4.15.0",
        "\n segmentation fault\nat 0x12",
        new=None,
        known=False,
        confirmed=True,
        count=1200,
        seed=0x1A,
        lines=43,
        first=0.0,
        trace="my out/findings/b/1a.trace",
    ),
    BucketView(
        "cvc5-hang-check-sat",
        "hang",
        "solver",
        "low",
        "cvc5",
        "1.2.1",
        "no return in 20 s",
        new=None,
        known=True,
        confirmed=False,
        count=1,
        seed=0,
        lines=0,
        first=0.0,
    ),
]


def _plain(seconds: float) -> list[str]:
    stream = io.StringIO()
    with PlainLines(stream) as lines:
        for event in campaign(seconds):
            lines.consume(event)
    return stream.getvalue().splitlines()


def test_plain_lines() -> None:
    lines = _plain(12.0)
    assert [" ".join(line.split()[:2]) for line in lines] == [
        'start targets="z3',
        "notice z3",
        "bucket new",
        "bucket known",
        "status time=5.0",
        "bucket new",
        "status time=10.0",
        "end time=12.0",
    ]
    assert (
        lines[0] == 'start targets="z3 4.15.0" seed=7 jobs=2 machine=default out=murxpy-out time=60'
    )


def test_the_plain_line_of_a_bucket() -> None:
    assert _plain(6.0)[-2] == (
        "bucket new key=z3-exception-undocumented-mk-term-OP_BV_CONCAT@raw kind=exception tier=binding severity=medium "
        'solver="z3 4.15.0" confirmed=no seed=a488a lines=45 '
        "message=\"index out of bounds: 'Ω' \\u001b[31m in mk_concat\""
    )


def test_the_plain_line_at_the_end() -> None:
    assert _plain(6.0)[-1] == (
        "end time=6.0 runs=600 runs/s=100.0 decided=1200 decided/s=200.0 solver=78% sat=577 unsat=600 unknown=66 "
        "over-limit=32 refused-unsupported=68 refused-resources=0 refused-ill-formed=0 refused-undocumented=0 "
        'overstayed=1 lost=3 findings=3 buckets=3 new=2 last-new=0 exit=1 reason="time limit"'
    )


def test_what_judges_said_is_on_status_lines_where_there_are_any() -> None:
    counts = {
        "judge:runs": 5,
        "judge:checks": 20,
        "judge:decided": 17,
        "judge:agreed": 16,
        "judge:lost": 1,
    }
    stream = io.StringIO()
    PlainLines(stream).consume(Ended("done", Snapshot(2.0, counts)))
    assert (
        " judges-agreed=16 judges-disagreed=1 judges-undecided=3 judges-lost=1 "
        in stream.getvalue()
    )


JUDGED = {
    "judge:runs": 5,
    "judge:checks": 20,
    "judge:decided": 17,
    "judge:agreed": 17,
    "judge:time-ns:run": 5,
    "time-ns:run": 5,
    "check:judged": 10_000,
    "check:confirmed": 9_999,
    "check:decided": 12_000,
    "run:total": 600,
}


def test_what_is_not_all_is_not_called_all() -> None:
    stream = io.StringIO()
    PlainLines(stream).consume(Ended("done", Snapshot(2.0, JUDGED)))
    assert " confirmed=99.9% judges-time=50% " in stream.getvalue()
    (event,) = _json(
        [
            Ended(
                "done",
                Snapshot(2.0, {**JUDGED, "check:judged": 100_000, "check:confirmed": 99_999}),
            )
        ]
    )
    assert event["confirmed_share"] == 0.9999


def test_the_summary_of_a_judged_campaign() -> None:
    """`decided` is said of the target alone, and rates leave out the time after its runs."""
    stream = io.StringIO()
    print_summary(
        make_console(stream, width=200),
        started(),
        Ended("time limit", Snapshot(75.0, JUDGED, runs_ended=60.0)),
        [],
    )
    said = stream.getvalue()
    assert (
        "runs        600 (10.0/s), " in said
        and "with something asserted, 12,000 decided (200/s)" in said
    )
    assert "of the checks 17 agreed, 0 disagreed, 3 left open; 0 lost" in said
    assert "99.9 % of 10,000 judged checks, in 50 % of the time of runs and judges" in said
    assert "600 runs in 1:00 and 0:15 for what was left (time limit)" in said


def test_the_summary_of_a_judge_who_had_nothing_to_judge() -> None:
    """No check was decided, so the counters of what was judged are not there."""
    stream = io.StringIO()
    asked = {"judge:runs": 5, "judge:checks": 20, "run:total": 5}
    print_summary(
        make_console(stream, width=200), started(), Ended("done", Snapshot(2.0, asked)), []
    )
    assert "- of 0 judged checks" in stream.getvalue()


def _json(events: list[Event]) -> list[dict[str, object]]:
    stream = io.StringIO()
    with JsonLines(stream) as lines:
        for event in events:
            lines.consume(event)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_json_lines_have_the_events_and_fields_of_the_documentation() -> None:
    documentation = (Path(__file__).parents[2] / "docs" / "events.md").read_text()
    objects = _json(list(campaign(12.0)))
    assert objects[0]["event"] == "started"
    assert objects[-1]["event"] == "ended"
    for one in objects:
        assert f"| `{one['event']}` |" in documentation
        assert [name for name in one if f"`{name}`" not in documentation] == []


def test_json_lines_keep_what_a_solver_wrote() -> None:
    assert _json([Notice("a\nb\x1b\udc80")]) == [{"event": "notice", "text": "a\nb\x1b\udc80"}]


def test_the_last_json_object_has_the_buckets_with_their_replay() -> None:
    (ended,) = [one for one in _json(list(campaign(6.0))) if one["event"] == "ended"]
    buckets = ended["bucket_list"]
    assert isinstance(buckets, list)
    assert [bucket["replay"] is None for bucket in buckets] == [False, True, False]
    assert buckets[0]["replay"].startswith("murxpy replay murxpy-out/findings/z3-crash")
    assert ended["seeds"] == []


def _summary(width: int, times: int = 1) -> str:
    """The summary of the made-up campaign, with all its findings `times` times."""
    stream = io.StringIO()
    *_, ended = campaign(12.0)
    assert isinstance(ended, Ended)
    if times > 1:  # as much else as there can be
        counts = {**ended.snapshot.counts, **JUDGED}
        ended = replace(
            ended,
            snapshot=replace(ended.snapshot, counts=counts),
            left=Left(runs=2, disagreements=3),
        )
    defects = unread(ended.snapshot.buckets) * times
    print_summary(make_console(stream, width=width), started(), ended, defects)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def test_the_summary() -> None:
    assert _summary(100) == SUMMARY


def test_the_tables_of_a_campaign() -> None:
    stream = io.StringIO()
    *_, ended = campaign(12.0)
    assert isinstance(ended, Ended)
    print_statistics(make_console(stream, width=100), ended.snapshot, THEORIES, {}, {})
    assert "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) == STATISTICS


@pytest.mark.parametrize("width", [20, 50, 80])
def test_keys_and_commands_are_never_cut(width: int) -> None:
    shown = _summary(width)
    assert "    z3-crash-sigsegv-mk-term-OP_BV_UDIV@udiv\n" in shown
    assert "murxpy show KEY --out murxpy-out\n" in shown
    assert "exit code 1: new findings" in shown


def test_a_summary_is_at_most_two_screens_and_lists_the_worst() -> None:
    shown = _summary(80, times=40).splitlines()
    assert 40 <= sum(-(-max(1, len(line)) // 80) for line in shown) <= 48
    assert "and 114 more: murxpy findings murxpy-out" in shown
    assert shown[-1] == "exit code 1: new findings"
    assert all(word in " ".join(shown) for word in ("smt::theory_bv::internalize_udiv", "Results"))


def test_operators_that_were_only_refused_count_as_never_executed() -> None:
    counts = {"op:OP_A": 2, "op-refused:OP_A:unsupported": 2, "op:OP_NEW": 1, "op-ok:OP_NEW": 1}
    stream = io.StringIO()
    ended = Ended("interrupted", Snapshot(1.0, counts), 0)
    print_statistics(make_console(stream), ended.snapshot, {"CORE": ("OP_A", "OP_B")}, {}, {})
    print_summary(make_console(stream), started(), ended, [])
    shown = stream.getvalue()
    assert "\nCORE: OP_A (tried 2), OP_B\n" in shown
    assert "other: 1 of 1 executed" in shown
    assert "no findings\n" in shown
    assert shown.endswith(
        "all in murxpy-out, which has 0 findings in 0 buckets\nexit code 0: nothing new found that counts\n"
    )


@pytest.mark.parametrize("width", [40, 80, None])
def test_the_names_of_columns_are_never_cut(width: int | None) -> None:
    counts = {f"mutator:{name}:{what}": 12 for name in ("diver", "storm") for what in YIELD}
    counts |= {"mutator:diver:wrapping-drawn": 3, "action:run-script": 4, "refusal:unsupported": 1}
    stream = io.StringIO()
    print_statistics(make_console(stream, width=width), Snapshot(1.0, counts), {}, {}, {})
    lines = stream.getvalue().splitlines()
    assert [line.split() for line in lines[2:5]] == [
        ["fuzzer", *YIELD, "wrapping-drawn"],
        ["diver", *["12"] * len(YIELD), "3"],
        ["storm", *["12"] * len(YIELD), "-"],
    ]


def test_the_listing_of_findings() -> None:
    stream = io.StringIO()
    print_findings(make_console(stream), ROWS)
    assert stream.getvalue().splitlines() == [
        "  count  status  kind   tier     solver      lines  message",
        "  1,200  open    crash  solver   z3 4.15.0      43  segmentation fault",
        "         z3-crash-sigsegv-mk-term-OP_BV_UDIV@udiv",
        "         murxpy replay 'my out/findings/b/1a.trace'",
        "      1  known   hang   solver   cvc5 1.2.1      -  (not confirmed) no return in 20 s",
        "         cvc5-hang-check-sat",
    ]


def test_sentences_keep_names_and_leave_no_gap() -> None:
    def said(kind: str, message: str, signal: str = "") -> str:
        verdict = Verdict(kind, "solver", message, signal, Call("mk-term", "OP_AND"))
        return sentence(new_bucket("b", "z3", verdict, known=False, now=0.0))

    assert said("wrong-answer", "the answer is wrong") == "The answer is wrong"
    assert said("wrong-answer", "z3 is wrong") == "z3 is wrong"
    assert said("contract", "mk-term takes 3") == "mk-term takes 3"
    assert (
        said("abort", "ASSERTION f 3") == "making a term with and ends the process: ASSERTION f 3"
    )


def test_an_empty_listing_says_so() -> None:
    stream = io.StringIO()
    print_findings(make_console(stream), [])
    assert stream.getvalue() == "no findings\n"


def test_the_listing_as_json() -> None:
    first, second = json.loads(json.dumps([*map(bucket_data, ROWS)]))
    assert (first["key"], first["count"]) == (ROWS[0].key, 1200)
    assert first["replay"] == "murxpy replay 'my out/findings/b/1a.trace'"
    assert (second["trace"], second["replay"]) == (None, None)


def test_the_listing_as_a_table() -> None:
    names, first, *_ = csv.reader(io.StringIO(findings_csv(ROWS)))
    told = dict(zip(names, first, strict=True))
    assert (told["key"], told["count"], told["program"]) == (ROWS[0].key, "1200", "untried")


def test_the_listing_as_a_file_of_known_bugs() -> None:
    lines = findings_known(ROWS, {"z3 dies in f < g": ROWS[1].key}).splitlines()
    told = [ROWS[0].key, f"mark {ROWS[1].key} z3 dies in f < g"]
    assert [line for line in lines if not line.startswith("#")] == told
    assert lines[1] == "# z3 4.15.0, 1,200 times: segmentation fault"


def test_the_output_decides_the_reporter() -> None:
    assert isinstance(make_reporter(stream=io.StringIO()), PlainLines)
    assert isinstance(make_reporter(json=True, stream=io.StringIO()), JsonLines)


def _demo(*words: str, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.report_demo", "fast", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("words", [(), ("json",)])
def test_a_reader_that_goes_ends_it_quietly(words: tuple[str, ...]) -> None:
    process = _demo(*words)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_an_encoding_without_the_characters_does_no_harm() -> None:
    out, errors = _demo(PYTHONIOENCODING="ascii").communicate()
    assert errors == b""
    assert out.isascii() and b"exit code 1: new findings" in out


def test_the_summary_says_why_fewer_checks_are_decided_than_answered() -> None:
    counts = {"check:total": 9, "check:asserted": 8, "check:decided": 5}
    stream = io.StringIO()
    answers = {"answer:sat": 4, "answer:unsat": 3}
    print_results(make_console(stream, width=200), Snapshot(1.0, {**counts, **answers}))
    assert "5 decided (5.0/s); 2 more sat or unsat with nothing asserted, or" in stream.getvalue()


def test_a_finding_is_told_by_its_smallest_form() -> None:
    message = "answered unsat; a = 1, b = 2, and 7 more"
    verdict = Verdict("wrong-unsat", "solver", message, "", Call("check-sat"))
    found = new_bucket("b", "z3", verdict, known=False, now=0.0)
    small = Reproducer("min.trace", "s.min.trace", True, message="answered unsat; a = 1")
    found.reproducers = (Reproducer("trace", "s.trace", True), small)
    assert sentence(found) == "Answered unsat; a = 1"
    found.reproducers = (replace(small, reproduces=False),)
    assert sentence(found).endswith("and 7 more")


SMALL = """# murxpy-trace 1
# solver z3 5.4.1
1 new
2 set-option produce-models true
{options}3 mk-sort SORT_BV 4
4 mk-const s1 "a"
5 mk-term {operator} SORT_BV 1 t1
6 {action}
"""


@pytest.mark.parametrize(
    ("options", "operator", "action", "words"),
    [
        ("", "OP_BV_NOT", "check-sat", "default options, standard operators"),
        ("", "OP_BV_INC", "check-sat", "default options, with bvinc"),
        ("", "OP_BV_NOT", "z3-cube", "default options, with cube"),
        (
            "2 set-option arith.solver 6\n",
            "OP_BV_NOT",
            'run-script "(set-option :smt.phase 2)(declare-const x Int)(assert ((_ at-most 1) (= x 1) (= x 2)))"',
            "with arith.solver=6, smt.phase=2, with at-most",
        ),
        ("", "OP_BV_NOT", 'run-script "no script"', "default options, standard operators"),
    ],
)
def test_how_near_a_defect_is_to_what_users_do(
    options: str, operator: str, action: str, words: str
) -> None:
    use = use_of(SMALL.format(options=options, operator=operator, action=action))
    assert use.words() == words
    assert use.distance == words.count("=") + sum(
        words.endswith(f"with {name}") for name in ("bvinc", "cube", "at-most")
    )


def test_of_one_kind_the_defect_with_default_options_comes_first(tmp_path: Path) -> None:
    found = []
    for at, options in enumerate(("1 set-option arith.solver 6\n", "")):
        text = SMALL.format(options=options, operator="OP_BV_NOT", action="check-sat")
        (tmp_path / f"{at}.min.trace").write_text(text)
        verdict = Verdict("wrong-unsat", "solver", f"wrong {at}", "", Call("check-sat"))
        bucket = new_bucket(f"b{at}", "z3", verdict, known=False, now=float(at))
        bucket.reproducers = (Reproducer("min.trace", f"{at}.min.trace", True),)
        found.append(bucket)
    views = defect_views(found, {}, str(tmp_path))
    assert [view.shown.key for view in views] == ["b1", "b0"]
    assert [view.use.distance for view in views if view.use] == [0, 1]


def test_a_list_of_broken_promises_names_the_cause_the_callables_and_the_call(
    tmp_path: Path,
) -> None:
    buckets = []
    for at, place in enumerate(("ArraySort", "SetUnion", "SetIntersect")):
        message = (
            f"class C: AttributeError: 'NoneType' object has no attribute 'ctx' in {place} (z3.py)"
        )
        verdict = Verdict("contract", "binding", message, "", Call("misuse", f"z3.{place}", "edge"))
        buckets.append(new_bucket(f"n{at}", "z3", verdict, known=False, now=float(at)))
    text = "# murxpy-trace 1\n1 new\n2 misuse@call z3.Goal c1\n return x1 Goal\n3 misuse@edge z3.Goal.get x1 py:8 t4 at 1\n"
    (tmp_path / "s.min.trace").write_text(text)
    died = Verdict("crash", "binding", "SIGSEGV", "SIGSEGV", Call("misuse", "z3.Goal.get", "edge"))
    buckets.append(new_bucket("died", "z3", died, known=False, now=9.0))
    buckets[-1].reproducers = (Reproducer("min.trace", "s.min.trace", True),)
    bare = Verdict("contract", "binding", "class E: AssertionError in f (g.py)", "", Call("misuse"))
    silent = Verdict(
        "contract",
        "binding",
        "class F: a float is taken for another; 3.7 for 3",
        "",
        Call("misuse", "f"),
    )
    buckets += [
        new_bucket(key, "z3", v, known=False, now=0.0)
        for key, v in (("low", bare), ("silent", silent))
    ]
    for bucket in buckets:
        bucket.state = "confirmed"
    assert [view.wrong for view in defect_views(buckets, {}, str(tmp_path))] == [
        "z3.Goal.get(8, a term) ends the process with a segmentation fault",
        "misuse of f takes 3.7 for 3",
        "None is not refused cleanly: ArraySort, SetUnion, SetIntersect",
        "AssertionError in f (g.py)",
    ]
