"""How far long work is: a line that is written over on a terminal, and a line each ten seconds elsewhere."""

from __future__ import annotations

import pytest

from murxpy.cli.report import console
from murxpy.cli.report.console import Progress


class Clock:
    """A clock that only the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(console.time, "monotonic", lambda: self.now)


def test_in_a_pipe_it_speaks_after_five_seconds_and_then_each_ten(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock(monkeypatch)
    with Progress("proving", 40) as progress:
        for _ in range(40):
            clock.now += 0.5
            progress.step()
    assert capsys.readouterr() == (
        "",
        "proving: 10 of 40, about 15 s left\nproving: 30 of 40, about 5 s left\n",
    )


def test_short_work_says_nothing_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("proving", 2) as progress:
        progress.step()
        progress.step()
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_a_bar_is_written_over_and_removed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock(monkeypatch)
    monkeypatch.setattr(console, "is_live_terminal", lambda stream=None: True)
    with Progress("proving", 2) as progress:
        clock.now += 300
        progress.step()
        progress.say("a rule does not hold")
    out, err = capsys.readouterr()
    assert out == "a rule does not hold\n" and "\n" not in err
    assert err.split("\r\x1b[K") == [
        "",
        f"proving: [{'.' * 24}] 0 of 2",
        f"proving: [{'#' * 12}{'.' * 12}] 1 of 2, about 5 min left",
        "",
        "",
    ]


def test_work_of_unknown_size_tells_its_note(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock(monkeypatch)
    progress = Progress("minimizing")
    clock.now += 6
    progress.tell("12 lines")
    assert capsys.readouterr().err == "minimizing: 12 lines\n"
