"""The command line: what the commands about the data folders print, and how it ends."""

from __future__ import annotations

import gc
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from murxpy import cli
from murxpy.cli import commands, module_of, run
from murxpy.data import load_machine, shipped_names
from murxpy.errors import InternalError, TargetError

DRAWING = Path(__file__).parents[2] / "docs" / "default-machine.svg"


def outcome(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    code = run(list(args))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


GROUPS = ("Find:", "Look:", "Run again, shrink:", "Translate:", "Releases:", "Reference:")


def test_help_lists_all_commands(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = outcome(capsys, "--all")
    assert code == 0
    assert outcome(capsys, "--help", "--all") == outcome(capsys, "--all", "-h") == (0, out, "")
    for command, brief in commands().items():  # each on one line of 80 columns
        assert re.search(rf"^  {command} +{re.escape(brief)}$", out, re.M), command
    assert [out.index(heading) for heading in GROUPS] == sorted(map(out.index, GROUPS))
    assert outcome(capsys, "--version")[:2] == (0, "murxpy, version 0.1.0\n")


def test_the_first_screen_has_what_a_newcomer_needs(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = outcome(capsys)
    assert (code, out) == (2, "")
    code, out, _ = outcome(capsys, "--help")
    assert (code, out) == (0, err)
    listed = re.findall(r"^  (\w[\w-]*)  +[A-Z]", out, re.M)
    assert listed[:4] == ["doctor", "fuzz", "findings", "show"] and len(listed) == 10
    assert f"lists {len(commands()) - 10} more" in " ".join(out.split())
    assert len(out.splitlines()) < 40


def test_the_list_of_commands_needs_little() -> None:
    """What runs, decodes and draws is imported by the commands that use it: the list of commands is on
    the screen in less than 0.2 s.
    """
    program = """
import sys
from murxpy.cli import run
run(["--help"])
print(*sorted({name.split(".")[0] if "murxpy." not in name else name for name in sys.modules}))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = done.stdout.splitlines()[-1].split()
    assert "click" in loaded
    heavy = ("rich", "yaml", "msgspec", "packaging", "sqlite3", "murxpy.machine", "murxpy.data")
    assert [name for name in heavy if name in loaded] == []


def test_a_command_runs_with_the_collector_that_was_off_while_it_was_loaded(
    capsys: pytest.CaptureFixture[str],
) -> None:
    gc.disable()  # as the program does first
    try:
        assert outcome(capsys, "plugins")[0] == 0
        assert gc.isenabled()
    finally:
        gc.enable()
        gc.unfreeze()


@pytest.mark.parametrize("command", commands())
def test_every_command_has_help(capsys: pytest.CaptureFixture[str], command: str) -> None:
    code, out, err = outcome(capsys, command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"Usage: murxpy {command}")


def test_fsm_show(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = outcome(capsys, "fsm", "show", "--svg", str(tmp_path / "m.svg"))
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("default: ")
    assert "operator terms" in lines[1]
    assert [line.split()[0] for line in lines[3:6]] == ["state", "new", "new"]
    assert "\x1b" not in out
    drawn, kept = (tmp_path / "m.svg").read_text(), DRAWING.read_text()
    assert drawn.startswith("<svg")
    assert drawn == kept, f"'murxpy fsm show --svg docs/{DRAWING.name}' draws it again"


def test_fsm_show_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = outcome(
        capsys, "fsm", "show", "incremental", "--json", "--runs", "1000", "--solver", "z3"
    )
    data = json.loads(out)
    assert code == 0
    assert set(data["states"]) == set(load_machine("incremental")["states"])
    for state in data["states"].values():
        assert sum(t["probability"] for t in state["do"]) == pytest.approx(1 if state["do"] else 0)
    reach = data["reach"]["operators"]["OP_BV_ADD"]
    assert sum(s["expected"] for s in reach["spellings"].values()) == pytest.approx(
        reach["expected"]
    )


def test_fsm_show_spellings(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = outcome(capsys, "fsm", "show", "--runs", "20000", "--solver", "z3")
    assert code == 0
    assert "in 20,000 runs" in out
    rows = [line.split() for line in out.splitlines()]
    assert any(row[:1] == ["OP_BV_ADD"] and int(row[1].replace(",", "")) > 1000 for row in rows)


def test_fsm_check(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert outcome(capsys, "fsm", "check", "default")[1].startswith("default: sound, ")
    path = tmp_path / "m.yaml"
    path.write_text(
        "name: m\nstart: a\nfinal: z\nstates:\n  a: {do: [{do: nw, weight: 1, to: y}]}\n  z: {}\n"
    )
    code, out, err = outcome(capsys, "fsm", "check", str(path))
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        f"murxpy: error: {path}:5: state 'a': unknown action 'nw' (did you mean 'new'?)",
        f"murxpy: error: {path}:5: state 'a': unknown state 'y'; known are a, z",
    ]


def test_theories_and_wrappers(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = outcome(capsys, "theories")
    assert code == 0
    assert out.splitlines()[0].split()[:5] == [
        "theory",
        "SMT-LIB",
        "sorts",
        "operators",
        shipped_names()[0],
    ]
    code, out, _ = outcome(capsys, "theories", "bv")
    assert code == 0
    assert "BV(n) BV(n) -> BV(n) :left-assoc" in out
    theories = json.loads(outcome(capsys, "theories", "FF", "--json")[1])["theories"]
    assert [theory["name"] for theory in theories] == ["FF"]
    assert "z3" in theories[0]["operators"]["OP_FINITE_FIELD_ADD"]["spellings"]
    assert {"z3", "cvc5"} <= set(json.loads(outcome(capsys, "wrappers", "--json")[1]))
    code, out, _ = outcome(capsys, "wrappers", "z3")
    assert code == 0
    assert "z3: z3-solver" in out
    assert "OP_BV_ADD" in out
    assert "profile" in out


USAGE = {
    ("frob",): "unknown command 'frob'",
    ("theroies",): "unknown command 'theroies' (did you mean 'theories'?); see 'murxpy --help'",
    ("fsm", "shw"): "No such command 'shw'",
    ("fsm", "show", "--runs", "0"): "Invalid value for '--runs'",
    (
        "fsm",
        "show",
        "--given",
        "satt=1",
    ): "--given satt=1: unknown condition 'satt' (did you mean 'sat'?)",
    ("fsm", "show", "--given", "sat=2"): "--given sat=2: expected a chance from 0 to 1",
    ("fsm", "show", "--solver", "zz"): "unknown solver 'zz'",
    (
        "fsm",
        "show",
        "--svg",
        "/nowhere/m.svg",
    ): "/nowhere/m.svg: cannot be written: No such file or directory",
    ("fsm", "check"): "Missing argument 'FILE'",
    (
        "fuzz",
        "z3",
        "--share",
        "nan",
    ): "Invalid value for '--share': 'nan': expected a share from 0 to 100",
    ("theories", "BW"): "unknown theory 'BW'",
    ("theories", "--jsn"): "No such option",
    ("wrappers", "cvc4"): "unknown solver 'cvc4' (did you mean 'cvc5'?)",
}


@pytest.mark.parametrize("args", USAGE)
def test_bad_usage_is_one_line(capsys: pytest.CaptureFixture[str], args: tuple[str, ...]) -> None:
    code, out, err = outcome(capsys, *args)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith("murxpy: error: " + USAGE[args])


FAILURES = [
    (TargetError("no\nsolver"), 4, "murxpy: error: no solver\n"),
    (InternalError("broken"), 3, "murxpy: error: broken\n"),
    (KeyError("k"), 3, "murxpy: error: internal error: KeyError: 'k' (a fault of murxpy: "),
    (KeyboardInterrupt(), 130, "murxpy: error: ended by Ctrl-C before it was done\n"),
    (OSError(28, "No space left on device"), 2, "murxpy: error: output: No space left on device\n"),
]


@pytest.mark.parametrize(("error", "code", "line"), FAILURES)
def test_failures(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    line: str,
) -> None:
    @click.command()
    def broken() -> None:
        raise error

    monkeypatch.setattr(cli.murxpy, "get_command", lambda ctx, name: broken)
    found, _, err = outcome(capsys, "fsm")
    assert found == code
    assert err.startswith(line)
    assert err.count("\n") == 1
    monkeypatch.setenv("MURXPY_DEBUG", "1")
    assert "Traceback" in outcome(capsys, "fsm")[2] or code == 130


def test_command_gives_the_exit_code(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command()
    def finds() -> int:
        return 1

    monkeypatch.setattr(cli.murxpy, "get_command", lambda ctx, name: finds)
    assert outcome(capsys, "fuzz")[0] == 1


def murxpy_process(*args: str, stdout: int) -> subprocess.Popen[bytes]:
    """`python -m murxpy` with these arguments."""
    root = Path(cli.__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, "-m", "murxpy", *args],
        stdout=stdout,
        stderr=subprocess.PIPE,
        cwd=root,
        env={**os.environ},
    )


def test_reader_that_goes_away() -> None:
    process = murxpy_process("wrappers", "z3", "--json", stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 0


def test_output_that_cannot_be_written() -> None:
    with open("/dev/full", "wb") as full:
        process = murxpy_process("theories", "--json", stdout=full.fileno())
        _, err = process.communicate()
    assert err == b"murxpy: error: output: No space left on device\n"
    assert process.returncode == 2


def test_every_module_with_a_command_is_in_the_list_of_commands() -> None:
    """A command that is missing in the list cannot be called."""
    folder = Path(cli.__file__).parent
    listed = {f"murxpy.cli.{module_of(name)}" for name in commands()}
    for file in [*folder.glob("*.py"), *(folder / "studies").glob("*.py")]:
        if file.stem != "__init__" and re.search(
            r"^@click\.(?:command|group)\(", file.read_text(encoding="utf-8"), re.M
        ):
            inside = file.relative_to(folder).with_suffix("")
            assert f"murxpy.cli.{'.'.join(inside.parts)}" in listed, file
