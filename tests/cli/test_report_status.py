"""The live view: its lines at several sizes, and that it leaves the terminal as it was."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from report_demo import campaign, started
from rich.console import Console

from murxpy.cli.report.console import make_console
from murxpy.cli.report.jsonl import JsonLines
from murxpy.cli.report.live import LiveStatus, Screen, view_lines
from murxpy.cli.report.plain_lines import PlainLines
from murxpy.records.events import Ended, Tick
from murxpy.records.snapshot import NodeView, Snapshot, WorkerView

NOTICE = "z3 4.15.0 has no finite fields: FF is left out"

WIDE = """\
murxpy  z3 4.15.0, cvc5@envs/old 1.2.1                   seed 7   out murxpy-out
────────────────────────────────────────────────────────────────────────────────
time      0:06 of 1:00   78 % of it in the solver
runs      600   100/s now, 100/s mean   1 overstayed   3 workers lost
decided   1,200   200/s now, 200/s mean
answers   sat 577   unsat 600   unknown 66   over limit 32
          ███████████████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒░░
refused   unsupported 68   resources 0   ill-formed 0   undocumented 0
findings  3 in 3 buckets   2 new   1 known   last new 0:00 ago

worker  target          runs  run               state          for
0       z3               300  dced67f27b983896  running      0.0 s
1       cvc5@envs/old    300  d7f741646afd1120  running      0.1 s

 first seen         count  newest buckets
   0:00 ago  new        1  z3-exception-undocumented-mk-term-OP_BV_CONCAT@raw  …
   0:02 ago  known      1  z3-assertion-assert-mk-term-OP_FP_FMA@fma
   0:04 ago  new        1  z3-crash-sigsegv-mk-term-OP_BV_UDIV@udiv

z3 4.15.0 has no finite fields: FF is left out



Ctrl-C ends the campaign; findings are kept"""

NARROW = """\
murxpy  z3 4.15.0, cvc5@envs/old 1.2.1
seed 7   out murxpy-out
──────────────────────────────────────────────────
time      0:06 of 1:00   78 % of it in the solver
runs      600   100/s now, 100/s mean
          1 overstayed   3 workers lost
decided   1,200   200/s now, 200/s mean
answers   sat 577   unsat 600   unknown 66
          over limit 32
          ██████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒░
refused   unsupported 68   resources 0
          ill-formed 0   undocumented 0
findings  3 in 3 buckets   2 new   1 known
          last new 0:00 ago

worker  runs run              state         for
0        300 dced67f27b983896 running     0.0 s
1        300 d7f741646afd1120 running     0.1 s

 first seen         count  newest buckets
   0:00 ago  new        1  z3-exception-undocumen…

z3 4.15.0 has no finite fields: FF is left out
Ctrl-C ends the campaign; findings are kept"""


def _snapshot(seconds: float = 6.0, jobs: int = 2) -> Snapshot:
    return [
        event.snapshot
        for event in campaign(seconds, targets=2, jobs=jobs)
        if isinstance(event, Tick)
    ][-1]


def _show(screen: Screen, snapshot: Snapshot) -> str:
    return "\n".join(
        line.plain.rstrip() for line in view_lines(started(2), snapshot, [NOTICE], screen)
    )


def test_the_view_on_a_usual_terminal() -> None:
    assert _show(Screen(80, 24), _snapshot()) == WIDE


def test_the_view_on_a_narrow_terminal() -> None:
    assert _show(Screen(50, 24), _snapshot()) == NARROW


@pytest.mark.parametrize("width", [1, 10, 30, 50, 79, 80, 120, 300])
@pytest.mark.parametrize("height", [1, 2, 5, 10, 12, 24, 60])
@pytest.mark.parametrize("jobs", [1, 40])
def test_the_view_never_exceeds_its_screen(width: int, height: int, jobs: int) -> None:
    lines = view_lines(started(2), _snapshot(2.0, jobs), [NOTICE * 5], Screen(width, height))
    assert len(lines) == height
    assert max(line.cell_len for line in lines) <= width


def test_before_the_first_run_there_is_a_view_too() -> None:
    shown = _show(Screen(80, 24), Snapshot(0.0, {}))
    assert "time      0:00 of 1:00   - of it in the solver" in shown
    assert "findings  0 in 0 buckets   0 new   0 known\n" in shown


def test_workers_that_do_not_fit_are_counted_by_state() -> None:
    snapshot = replace(
        _snapshot(), workers=tuple(WorkerView(n, "z3", 0, n, "running") for n in range(30))
    )
    assert "more: 2" in _show(Screen(80, 24), snapshot)
    assert "more:" not in _show(Screen(80, 60), snapshot)


def test_wide_characters_count_twice() -> None:
    snapshot = _snapshot()
    buckets = tuple(replace(bucket, message="漢字" * 90) for bucket in snapshot.buckets)
    lines = view_lines(started(), replace(snapshot, buckets=buckets), [], Screen(120, 24))
    assert max(line.cell_len for line in lines) <= 120


def test_without_unicode_the_view_is_ascii() -> None:
    assert _show(Screen(80, 24, ascii=True), _snapshot()).isascii()


def _live(environment: dict[str, str]) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream,
        force_terminal=True,
        width=80,
        height=24,
        color_system="standard",
        markup=False,
        _environ={"TERM": "xterm", **environment},
    )
    with LiveStatus(console) as status:
        for event in campaign(1.0):
            status.consume(event)
    return stream.getvalue()


def test_the_terminal_is_left_as_it_was() -> None:
    written = _live({})
    assert written.index("\x1b[?1049h") < written.index("\x1b[?1049l")
    assert written.index("\x1b[?25l") < written.index("\x1b[?25h")
    assert written.endswith(f"notice: {NOTICE}\x1b[0m\n")


def test_a_frame_overwrites_the_last_one_without_clearing_the_screen() -> None:
    written = _live({})
    assert written.count("\x1b[2J") == 1  # when it leaves
    # the start, and every third tenth of a second
    assert written.count("seed 7   out murxpy-out") == 4


def test_no_color_is_heeded() -> None:
    assert "\x1b[36m" in _live({})
    assert "\x1b[36m" not in _live({"NO_COLOR": "1"})


def test_an_interrupt_restores_the_terminal() -> None:
    stream = io.StringIO()
    console = Console(
        file=stream, force_terminal=True, width=80, height=24, _environ={"TERM": "xterm"}
    )
    with pytest.raises(KeyboardInterrupt), LiveStatus(console) as status:
        for event in campaign(1.0):
            status.consume(event)
            if isinstance(event, Tick):
                raise KeyboardInterrupt
    assert "\x1b[?1049l" in stream.getvalue()


def test_a_console_on_a_file_is_wide_and_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    console = make_console(io.StringIO())
    assert (console.width, console.is_terminal) == (120, False)


def test_the_yield_of_each_fuzzer() -> None:
    words = {
        "made": 1200,
        "accepted": 1190,
        "decided": 900,
        "unknown": 290,
        "timeouts": 2,
        "findings": 1,
    }
    snapshot = replace(
        _snapshot(), counts={f"mutator:storm:{word}": number for word, number in words.items()}
    )
    text = " ".join(_show(Screen(100, 40), snapshot).split())
    assert (
        "mutants storm 1,200 accepted 1,190 decided 900 unknown 290 timeouts 2 findings 1" in text
    )


def test_the_ties_of_fusion() -> None:
    counts = {"mutator:fusion:made": 12, "mutator:fusion:tied-across": 11}
    snapshot = replace(_snapshot(), counts=counts)
    text = " ".join(_show(Screen(100, 40), snapshot).split())
    assert "fusion 12 " in text and "tied-across 11 tied-within 0" in text
    plain, lines = io.StringIO(), io.StringIO()
    PlainLines(plain).consume(Ended("done", snapshot))
    JsonLines(lines).consume(Ended("done", snapshot))
    assert "fusion:tied-across=11 fusion:tied-within=0" in plain.getvalue()
    assert json.loads(lines.getvalue())["mutants"] == {
        "fusion:made": 12, "fusion:tied-across": 11, "fusion:tied-within": 0
    }  # fmt: skip


def test_the_nodes_of_a_cluster() -> None:
    nodes = (
        NodeView("tcp://a:1", "a", 7, 2.0),
        NodeView("tcp://b:1", "b", 9, 65.0),
        NodeView("tcp://c:1", "c", 0, 1.0, refused="it has Python 3.11"),
        NodeView("tcp://d:1", "d", 5, 90.0, lost=True),
    )
    text = "\n".join(
        map(str, view_lines(started(), replace(_snapshot(), nodes=nodes), [], Screen(100, 30)))
    )
    assert " 2 used   1 refused   1 lost   b: no answer for 1:05" in text
