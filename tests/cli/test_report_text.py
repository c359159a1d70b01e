"""How figures and foreign text are written."""

from __future__ import annotations

import pytest

from murxpy.cli.report import text


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(-1, "0:00"), (7.9, "0:07"), (61, "1:01"), (3723, "1:02:03"), (273906, "3 d 04:05:06")],
)
def test_clock(seconds: float, shown: str) -> None:
    assert text.clock(seconds) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.04, "0.0 s"), (9.96, "10 s"), (59.4, "59 s"), (59.9, "0:59")]
)
def test_brief(seconds: float, shown: str) -> None:
    assert text.brief(seconds) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (None, "-"),
        (0.0, "0 %"),
        (0.784, "78 %"),
        (0.9949, "99 %"),
        (0.995, "99.5 %"),
        (9_999_999 / 10_000_000, "99.9 %"),
        (1.0, "100 %"),
    ],
)
def test_percent(share: float | None, shown: str) -> None:
    """What is not all is not rounded up to all."""
    assert text.percent(share) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0/s"), (0.043, "0.04/s"), (9.51, "9.5/s"), (99.7, "100/s"), (1204.2, "1,204/s")],
)
def test_rate(value: float, shown: str) -> None:
    assert text.rate(value) == shown


def test_foreign_text_cannot_move_the_cursor() -> None:
    assert text.one_line("a\n b\x1b[2J\x00\udc80\u202e") == "a b\\u001b[2J\\u0000\\udc80\\u202e"
    assert text.one_line("abcdefgh", 6) == "abc..."


def test_the_replay_command_can_be_pasted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert text.replay_command("my out/a.trace") == "murxpy replay 'my out/a.trace'"
    monkeypatch.setattr(text, "used", lambda: ["murxpy-example"])
    assert text.replay_command("a.trace") == "murxpy --plugin murxpy-example replay a.trace"


@pytest.mark.parametrize(
    ("name", "version", "shown"),
    [
        ("z3", "5.4.1", "z3 5.4.1"),
        ("z3@5.4.1", "5.4.1", "z3@5.4.1"),
        ("z3@5.4.1[arith.solver=2]", "5.4.1", "z3@5.4.1[arith.solver=2]"),
        ("z3@build", "5.4.1", "z3@build 5.4.1"),
        ("z3", "", "z3"),
    ],
)
def test_a_target_says_its_version_once(name: str, version: str, shown: str) -> None:
    assert text.with_version(name, version) == shown
