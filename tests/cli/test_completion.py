"""What shells complete. bash runs the script that `murxpy completion bash` prints, with the words of a
command line as bash takes them apart; what the script asks for is also asked in this process.
"""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from commands import error, outcome
from store_buckets import kept, stored
from supervised import PATIENCE

from murxpy.cli.completing import plain
from murxpy.data import load_catalogue, shipped_names

Sys = pytest.CaptureFixture[str]
Asked = Callable[..., Sequence[str]]

# Prints what bash would offer. `compopt` is how the script says that bash itself is to complete.
PROGRAM = """
compopt() { printf '<%s>\\n' "$2"; }
eval "$(murxpy completion bash)"
offer() {
    COMP_WORDS=(murxpy "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _murxpy_completion murxpy
    printf '%s ' "${COMPREPLY[@]}"
    printf '\\n'
}
"""


@pytest.fixture
def asked(capsys: Sys, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Asked:
    """What a shell is offered behind these words, of which the last is incomplete."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MURXPY_RELEASES", str(tmp_path / "releases"))
    monkeypatch.setenv("_MURXPY_COMPLETE", "bash_complete")

    def ask(*words: str) -> Sequence[str]:
        monkeypatch.setenv("COMP_WORDS", "\n".join(["murxpy", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        code, out, err = outcome(capsys)
        assert (code, err) == (0, "")
        kinds = [line.partition(",") for line in out.splitlines() if line]
        return [value if kind == "plain" else f"<{kind}>" for kind, _, value in kinds]

    return ask


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_offers_what_fits(tmp_path: Path) -> None:
    """A command, a release behind a sign that ends a word for bash, a bucket, and a file."""
    program = tmp_path / "murxpy"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m murxpy "$@"\n')
    program.chmod(0o755)
    out = tmp_path / "here"
    stored(out, kept(out, "crash-pop", {}), kept(out, "crash-push", {}), kept(out, "hang", {}))
    calls = (
        "offer re",
        "offer fuzz z3 @ l",
        "offer show --out here crash-pu",
        "offer show --out here x",
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", PROGRAM + "\n".join(calls)],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert done.stderr == ""
    assert [line.split() for line in done.stdout.splitlines() if line.strip()] == [
        ["report", "repair", "replay", "releases", "regress"],
        ["@latest"],
        ["crash-push"],
        ["<default>"],
    ]


def test_commands_and_options(asked: Asked) -> None:
    assert asked("--con") == ["--config"]
    assert asked("known", "ch") == ["check"]
    assert {*asked("fuzz", "z3", "--storm-max")} == {
        *("--storm-max-assertions", "--storm-max-depth", "--storm-max-formulas")
    }
    assert asked("fuzz", "z3", "--guide", "st") == ["statistics"]


def test_targets(asked: Asked) -> None:
    assert asked("fuzz", "cv") == ["cvc5", "cvc5-pythonic"]
    assert asked("fuzz", "--cross-check", "") == shipped_names()
    assert asked("replay", "f", "--solver", "z3", "@") == ["@latest"]
    assert asked("fuzz", "z3", "--cross-check", "cvc5,z") == ["cvc5,z3"]
    assert asked("fuzz", "z3", "--cross-check", "z3", "@", "latest,z") == ["@latest,z3"]


def test_theories(asked: Asked) -> None:
    known = [theory["name"] for theory in load_catalogue()["theories"]]
    assert asked("theories", "") == known
    assert asked("fuzz", "z3", "--theories", "BV,QU") == ["BV,QUANT"]
    assert asked("generate", "--theories", "QU") == ["QUANT"]


def test_buckets_of_the_campaign(asked: Asked, tmp_path: Path) -> None:
    out = tmp_path / "murxpy-out"
    stored(out, kept(out, "crash-pop", {}), kept(out, "hang", {}))
    for command in ("show", "minimize", "replay", "draft", "bisect"):
        assert asked(command, "cr") == ["crash-pop"]
        assert asked(command, "--out", "elsewhere", "cr") == ["<file>"]


def test_what_cannot_be_completed_is_quiet(asked: Asked, tmp_path: Path) -> None:
    assert asked("nothing", "x") == []
    assert asked("fuzz", "z3", "--time", "soon", "--jobs", "") == []
    (tmp_path / "murxpy.toml").write_text("[fuzz]\nnothing = 3\n")
    assert asked("fuzz", "--no-opt") == ["--no-option-fuzzing"]
    (tmp_path / "murxpy-out").mkdir()
    (tmp_path / "murxpy-out" / "campaign.sqlite").write_text("no database")
    assert asked("show", "c") == ["<file>"]


def test_nothing_that_a_shell_obeys_is_offered() -> None:
    hostile = ["ok", "a b", "$(x)", "`x`", "a;b", "*", "a\nb", "\x1b[31m", "\u202e", "a'b", "'"]
    assert [item.value for item in plain(hostile, "")] == ["ok"]


def test_nothing_is_looked_up(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """A word before the incomplete one may name the newest release, for which the index is asked else."""

    def ask_index(package: str) -> list[str]:
        raise AssertionError(package)

    monkeypatch.setattr("murxpy.processes.targets.releases_of", ask_index)
    words = ("--cross-check", "z3", "@", "latest", "--baseline", "z3", "@", "latest")
    assert asked("fuzz", "z3", *words, "--no-sw") == ["--no-swarm"]


# What is typed before the tabulator, and what then stands on the line.
TYPED = {
    "murxpy fuzz z3@l": "murxpy fuzz z3@latest",
    "murxpy fuzz --cross-check cvc5,z": "murxpy fuzz --cross-check cvc5,z3",
    "murxpy fuzz --cross-check=cv": "murxpy fuzz --cross-check=cvc5",
    "murxpy fuzz z3 --theories BV,QU": "murxpy fuzz z3 --theories BV,QUANT",
    "murxpy show --out here crash-pu": "murxpy show --out here crash-push",
    "murxpy replay here/fin": "murxpy replay here/findings",
}
INTERACTIVE = {
    "bash": (["bash", "--norc", "-i"], 'eval "$(murxpy completion bash)"'),
    "zsh": (
        ["zsh", "-f", "-i"],
        'autoload -Uz compinit; compinit -u; eval "$(murxpy completion zsh)"',
    ),
    "fish": (["fish", "--no-config", "-i"], "murxpy completion fish | source"),
}


@pytest.mark.slow
@pytest.mark.parametrize("shell", INTERACTIVE)
def test_a_user_presses_the_tabulator(shell: str, tmp_path: Path) -> None:
    """The program writes its arguments into a file where it is called to run and not to complete."""
    words, begin = INTERACTIVE[shell]
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    program = tmp_path / "murxpy"
    program.write_text(
        f'#!/bin/sh\n[ -n "$_MURXPY_COMPLETE" ] || [ "$1" = completion ] && exec {sys.executable} -m murxpy "$@"\n'
        f'echo murxpy "$@" > {tmp_path / "called"}\n'
    )
    program.chmod(0o755)
    out = tmp_path / "here"
    stored(out, kept(out, "crash-pop", {}), kept(out, "crash-push", {}))
    pid, terminal = pty.fork()
    if pid == 0:
        path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
        os.chdir(tmp_path)
        os.execvpe(words[0], words, {**os.environ, "PATH": path, "HOME": str(tmp_path)})
    try:
        _heard(terminal, 2)
        os.write(terminal, begin.encode() + b"\n")
        _heard(terminal, 5)
        for typed, wanted in TYPED.items():
            (tmp_path / "called").unlink(missing_ok=True)
            os.write(terminal, typed.encode() + b"\t")
            _heard(terminal, 5)
            os.write(terminal, b"\r")
            _heard(terminal, 2)
            called = (tmp_path / "called").read_text().strip()
            assert called.removesuffix("/") == wanted, (shell, typed)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.close(terminal)
        os.waitpid(pid, 0)


def _heard(terminal: int, seconds: float) -> None:
    """Read what the shell writes in this time, which would wait for a reader else."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            os.read(terminal, 1 << 16)


def test_the_option_stays_in_front_of_its_value(
    capsys: Sys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """zsh and fish replace the whole word, and bash what is behind the sign."""
    monkeypatch.setenv("COMP_WORDS", "murxpy fuzz --guide=st")
    for shell, word, told in (
        ("zsh", "2", "plain\n--guide=statistics\n_\n"),
        ("fish", "--guide=st", "plain,--guide=statistics\n"),
    ):
        monkeypatch.setenv("COMP_CWORD", word)
        monkeypatch.setenv("_MURXPY_COMPLETE", f"{shell}_complete")
        assert outcome(capsys) == (0, told, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(
    capsys: Sys, monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    code, text, err = outcome(capsys, "completion", shell)
    assert (code, err) == (0, "")
    assert f"_MURXPY_COMPLETE={shell}_complete" in text
    monkeypatch.setenv("_MURXPY_COMPLETE", f"{shell}_source")
    assert outcome(capsys) == (0, text, "")


def test_fish_splits_only_at_the_first_comma(capsys: Sys) -> None:
    assert 'string split -m1 ","' in outcome(capsys, "completion", "fish")[1]


def test_another_shell_is_refused(capsys: Sys, monkeypatch: pytest.MonkeyPatch) -> None:
    code, line = error(capsys, "completion", "tcsh")
    assert code == 2 and "'tcsh' is not one of 'bash', 'zsh', 'fish'" in line
    monkeypatch.setenv("_MURXPY_COMPLETE", "tcsh_complete")
    assert outcome(capsys, "fuzz") == (2, "", "")
