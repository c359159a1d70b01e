"""Files that a user names: pipes, devices and huge files are refused at once by every reader, with
one clear error.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import error

from murxpy.errors import InputError
from murxpy.foreign import read_bytes, read_text

PACKAGE = Path(__file__).parents[2] / "murxpy"
SCRIPT = "(declare-const x Int)(assert (> x 0))(check-sat)\n"

# Modules that read files otherwise, and what they read.
READ_OTHERWISE = {
    "campaign/behind/process.py": "plans that the campaign has just written for its own process",
    "records/config.py": "/proc",
    "findings/frames.py": "what gdb wrote into a scratch folder",
    "findings/folder.py": "files of the campaign's own folder",
    "findings/repair.py": "stores that the command has just copied or made",
    "campaign/probe.py": "/proc",
    "records/timeline.py": "/proc",
    "cli/__init__.py": "the declarations of murxpy's own fuzzers",
    "cli/report/page.py": "the templates that are shipped",
    "reduction/reproducers.py": "programs in a scratch folder",
    "processes/parents.py": "/proc",
    "cluster/node.py": "murxpy's own code, and terms of seeds that the supervisor has just written",
    "data/folders.py": "the pyproject.toml of a checkout",
    "processes/environments.py": "records of the cache of environments",
    "worker/parent.py": "files that the supervisor has just written",
    "sources/trees/weighing.py": "/proc",
    "worker/process.py": "/proc",
}
_READS = ("open(", "read_text", "read_bytes")
COMMANDS: list[tuple[str, ...]] = [
    ("fusion", "SCRIPT", "SCRIPT", "--functions", "FILE"),
    ("fuzz", "z3", "--machine", "FILE.yaml"),
    ("fuzz", "z3", "--profile", "FILE"),
    ("fuzz", "z3", "--known", "FILE"),
    ("fuzz", "--wrapper", "FILE"),
    ("wrappers", "FILE.yaml"),
    ("fsm", "check", "FILE"),
    ("janus", "z3", "SCRIPT", "--rules", "FILE.yaml"),
    ("lift", "FILE"),
    ("eval", "FILE", "--planted"),
    ("eval", "FILE.smt2", "--solver", "z3"),
    ("eval", "SCRIPT", "--model", "FILE"),
    ("translate", "FILE", "--to", "smt2"),
    ("replay", "FILE"),
    ("replay", "FILE.history"),
    ("minimize", "FILE"),
    ("minimize", "FILE.smt2", "--solver", "z3"),
    ("bisect", "FILE"),
    ("bisect", "FILE.smt2", "--solver", "z3"),
    ("stability", "z3", "FILE"),
    ("grammars", "FILE.yaml"),
    ("enumerate", "z3", "--grammar", "FILE.yaml"),
]


def _calls(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    if not any(word in text for word in _READS):  # most files need not be parsed
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id == "open":
                yield "open"
            elif isinstance(called, ast.Attribute) and called.attr in ("read_text", "read_bytes"):
                yield called.attr
            elif isinstance(called, ast.Attribute) and called.attr == "open" and _of_a_path(node):
                yield "open"


def _of_a_path(call: ast.Call) -> bool:
    """Whether a call of a method `open` is that of a path: it has a mode, a text such as `rb`."""
    return any(
        isinstance(arg, ast.Constant) and str(arg.value) in ("r", "rb", "w", "wb", "a", "ab", "r+b")
        for arg in call.args
    )


def test_every_reader_of_files_uses_the_one_function() -> None:
    found = {
        str(path.relative_to(PACKAGE))
        for path in sorted(PACKAGE.rglob("*.py"))
        if "_data" not in path.parts and any(_calls(path))
    }
    assert sorted(found) == sorted(READ_OTHERWISE)


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def _huge(path: Path) -> Path:
    with path.open("wb") as file:
        file.truncate(3 << 30)  # it takes no room on the disk
    return path


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "huge"])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_reads_what_is_no_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: tuple[str, ...], kind: str
) -> None:
    name = next(word for word in command if word.startswith("FILE"))
    suffix = name.removeprefix("FILE")
    file, script = tmp_path / f"f{suffix}", tmp_path / "script.smt2"
    script.write_text(SCRIPT)
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind == "huge":
        _huge(file)
    else:
        file.symlink_to("/dev/zero")
    words = (file if word == name else script if word == "SCRIPT" else word for word in command)
    code, line = error(capsys, *words)
    assert code == 2 and str(file) in line, line


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbfa\nb")
    assert read_text(tmp_path / "f", "text", 6) == "a\nb"
    assert read_bytes(tmp_path / "f", "text", 6) == b"\xef\xbb\xbfa\nb"
    with pytest.raises(InputError, match=r"f: larger than 5 bytes, expected a smaller text"):
        read_bytes(tmp_path / "f", "text", 5)


def test_a_file_that_grows_while_it_is_read_has_its_limit() -> None:
    """Files of /proc have the size 0 and are not empty."""
    with pytest.raises(InputError, match="larger than 3 bytes"):
        read_bytes(Path("/proc/self/stat"), "text", 3)
    assert read_bytes(Path("/proc/self/stat"), "text", 1 << 20)


@pytest.mark.parametrize("name", ["nowhere", "nul\0", "n" * 5000])
def test_a_path_without_a_file_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"there is no such file|cannot be read"):
        read_bytes(tmp_path / name, "text", 10)


def test_a_pipe_is_not_waited_for(pipe: Path) -> None:
    with pytest.raises(InputError, match="expected a file with a text, found a pipe"):
        read_bytes(pipe, "text", 10)


def test_text_that_is_no_utf_8_has_its_line(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"a\n\xff")
    with pytest.raises(InputError, match=r"f:2: not UTF-8, expected the text of a list"):
        read_text(tmp_path / "f", "list", 10)
