"""Hostile files, some hundreds of each sort: every one is read, or refused by one clear error.
`bench/hostile.py` reads a hundred thousand.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from murxpy.data import load_wrapper
from murxpy.errors import InputError
from murxpy.findings.known import read_known, read_known_marks
from murxpy.solvers.guards import parse_guard

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

import hostile
import hostile_inputs

SIMPLE = {
    "script": 300,
    "trace": 300,
    "model": 300,
    "known": 300,
    "machine": 100,
    "theory": 200,
    "wrapper": 100,
    "profile": 200,
}


@pytest.fixture(autouse=True)
def alarm() -> object:
    """The signal handler as it was."""
    before = signal.getsignal(signal.SIGVTALRM)
    yield
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("kind", SIMPLE)
def test_hostile_files_are_read_or_refused(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(hostile, "DEEP", [False])
    monkeypatch.setattr(hostile, "WALL", 60)  # of a busy machine
    assert hostile.run(kind, range(SIMPLE[kind]))["faults"] == {}


@pytest.mark.parametrize("kind", ["script", "trace", "model"])
def test_what_is_read_of_hostile_files_can_be_used(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(hostile, "WALL", 60)
    assert hostile.run(kind, range(5000, 5030))["faults"] == {}


def test_a_list_of_known_bugs_is_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "."):
        with pytest.raises(InputError, match="expected a file with a list of known bugs"):
            read_known(tmp_path / name)
    with pytest.raises(InputError, match="nowhere: there is no such file"):
        read_known(tmp_path / "nowhere")
    (tmp_path / "list").write_bytes(b"\xef\xbb\xbfz3-*\r\n")
    assert read_known(tmp_path / "list") == ("z3-*",)
    (tmp_path / "list").write_bytes(b"*" * 1001)
    with pytest.raises(InputError, match=":1: expected one bucket key or pattern a line"):
        read_known(tmp_path / "list")


@pytest.mark.parametrize(
    "line",
    ["[a-", "z3-[", "mark", "z3-\0", "Z3-CRASH", "z3-\u202e", "[z-a]x", "z3-[.]", "[]", "[!]"],
)
def test_a_line_that_no_key_matches_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "list").write_text(f"z3-*\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"list:2: no bucket has a key like '.*': expected a key"):
        read_known(tmp_path / "list")


@pytest.mark.parametrize("line", ["mark ", "mark z3-1", "mark z3-* text", "mark z3-\0 text"])
def test_a_mark_needs_a_key_and_a_text(tmp_path: Path, line: str) -> None:
    (tmp_path / "list").write_text(f"{line}\n")
    with pytest.raises(InputError, match=r"list:1: expected 'mark', the key of a bucket, and"):
        read_known_marks(tmp_path / "list")


@pytest.mark.parametrize("line", ["crash-z3-0a1b2c3d", "*", "z?-[a-c]*", "[!a]z", "[]a]z  # why"])
def test_keys_and_patterns_are_taken(tmp_path: Path, line: str) -> None:
    (tmp_path / "list").write_text(f"{line}\n")
    assert read_known(tmp_path / "list") == (line.partition("#")[0].strip(),)


def test_a_hostile_file_is_always_the_same() -> None:
    assert (
        hostile_inputs.hostile("script", 7)
        == hostile_inputs.hostile("script", 7)
        != hostile_inputs.hostile("script", 8)
    )


def test_faults_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(hostile.READERS, "known", lambda path: [][0])
    (told,) = hostile.run("known", range(3))["faults"].items()
    assert told[0].startswith("IndexError: list index out of range, in ") and told[1] == [
        3,
        0,
        1,
        2,
    ]


HOSTILE_TEMPLATES = ["~" * 100_000 + "{0}", "(" * 300 + "{0}" + ")" * 300, "{" + "9" * 5000 + "}"]


@pytest.mark.parametrize("template", HOSTILE_TEMPLATES)
def test_templates_that_python_cannot_parse_are_told(tmp_path: Path, template: str) -> None:
    text = hostile_inputs.sound("wrapper")[0].decode().replace('"~{0}"', f'"{template}"')
    (tmp_path / "w.yaml").write_text(text)
    with pytest.raises(InputError, match=r"w.yaml:\d+: "):
        load_wrapper(str(tmp_path / "w.yaml"))


# Of 100,000 hostile wrappers: numbers of thousands of digits in guards, and a name that is a
# number.
FOUND = (4673, 10750, 13111, 13299, 18415, 60225, 65394, 6679)


@pytest.mark.parametrize("number", FOUND)
def test_wrappers_that_ended_in_internal_errors_are_refused(number: int) -> None:
    assert hostile.run("wrapper", range(number, number + 1))["faults"] == {}


@pytest.mark.parametrize("guard", ["i0<=2^99999999", "i0<9" + "9" * 5000])
def test_a_number_in_a_guard_has_a_bound(guard: str) -> None:
    with pytest.raises(InputError, match="a number in a guard is too large"):
        parse_guard(guard, lambda name: None, "w.yaml:1")


# Each of them took more than ten seconds, or printed a word of five million letters.
WERE_SLOW = (
    *("define-sort-array", "define-sort-params", "dts-par-double", "repeat-1000000", "ff"),
    *(
        "asserts",
        "symbols-same",
        "unknown-word",
        "concat-lets",
        "trace-sorts",
        "trace-checks",
        "trace-word",
    ),
)


@pytest.mark.parametrize("name", WERE_SLOW)
def test_small_inputs_take_no_time(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(hostile, "WALL", 60)  # of a busy machine
    assert hostile.small([name])["faults"] == {}
