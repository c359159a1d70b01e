"""Commands run in this process, and the fake solver as a user's own wrapper and build."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import FAKES

from murxpy.cli import run

WRAPPER = FAKES / "fake.yaml"
FAKE = (f"fake@{FAKES}", "--wrapper", str(WRAPPER))


def outcome(capsys: pytest.CaptureFixture[str], *args: str | Path) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    code = run([str(arg) for arg in args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def fuzz_fake(
    capsys: pytest.CaptureFixture[str], out: Path, *args: str | Path
) -> tuple[int, str, str]:
    """The outcome of a campaign on the fake solver with one worker and seed 1."""
    return outcome(capsys, "fuzz", *FAKE, "--out", out, "--jobs", "1", "--seed", "1", *args)


def error(capsys: pytest.CaptureFixture[str], *args: str | Path) -> tuple[int, str]:
    """Exit code of a command that fails, and its one line without what begins every such line."""
    code, _, err = outcome(capsys, *args)
    prefix = "murxpy: error: "
    assert err.count("\n") == 1 and err.startswith(prefix), err
    return code, err.removeprefix(prefix).strip()
