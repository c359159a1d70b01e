"""Links in an output folder: none is followed, whatever a command writes or reads there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from campaigns import run
from commands import FAKE, error

from murxpy.errors import InputError
from murxpy.findings.folder import (
    CAMPAIGN,
    MATRIX,
    PERF,
    STABILITY,
    Folder,
    Lines,
    connect_below,
    open_below,
    read_below,
    study_file,
    write_below,
)
from murxpy.findings.store import Store
from murxpy.processes.limits import Limits
from murxpy.studies.stability import Stability
from murxpy.studies.study import Store as Answers

SETUP = {"every": {"segfault": 3, "exception": 3}, "lines": 10}
SECRET = "what nobody may read or write\n"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file outside of every output folder."""
    file = tmp_path / "secret"
    file.write_text(SECRET)
    return file


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a campaign."""
    out = tmp_path_factory.mktemp("whole") / "out"
    run(out, SETUP, runs=20)
    return out


NAMES = (
    "lock",
    CAMPAIGN,
    f"{CAMPAIGN}-wal",
    f"{CAMPAIGN}-shm",
    f"{CAMPAIGN}-journal",
    "defects.json",
)


@pytest.mark.parametrize("name", [*NAMES, "findings", "anything", "findings/BUCKET/x.trace"])
def test_a_link_in_the_folder_is_refused_by_its_name(
    name: str, whole: Path, tmp_path: Path, secret: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = Path(shutil.copytree(whole, tmp_path / "out"))
    bucket = next(out.glob("findings/*"))
    file = out / name.replace("BUCKET", bucket.name)
    if name == "findings":
        target = Path(shutil.move(file, tmp_path / "elsewhere"))
    else:
        file.unlink(missing_ok=True)
        target = secret
    file.symlink_to(target)
    for command in (("fuzz", *FAKE, "--runs", "5", "--out", out), ("repair", out)):
        code, line = error(capsys, *command)
        assert code == 2 and line.startswith(f"{file}: it is a symbolic link")
    assert secret.read_text() == SECRET and file.is_symlink()
    if name == "findings":
        assert sorted(path.name for path in whole.glob("findings/*")) == sorted(os.listdir(target))


@pytest.mark.parametrize("name", NAMES[1:5])
def test_a_database_with_a_link_is_not_read(name: str, tmp_path: Path, secret: Path) -> None:
    (tmp_path / "out").mkdir()
    Store(tmp_path / "out").close()
    (tmp_path / "out" / name).unlink(missing_ok=True)
    (tmp_path / "out" / name).symlink_to(secret)
    for read_only in (False, True):
        with pytest.raises(InputError, match=rf"{name}: it is a symbolic link"):
            Store(tmp_path / "out", read_only=read_only)
        with pytest.raises(InputError, match=rf"{name}: it is a symbolic link"):
            connect_below(tmp_path / "out", CAMPAIGN, read_only=read_only)
    assert secret.read_text() == SECRET


NEW = study_file("stability")
VARIANTS = Stability(targets=(), scripts=(), methods=(), variants=1, check_ms=1.0, limits=Limits())
STUDIES: dict[str, Callable[[Path], object]] = {
    PERF: lambda out: Lines(out, PERF),
    STABILITY: lambda out: VARIANTS.before(Answers(out, NEW, make=True)),
    NEW: lambda out: Answers(out, NEW, make=True),
    MATRIX: lambda out: Answers(out, MATRIX, make=True),
}


@pytest.mark.parametrize("name", STUDIES)
def test_the_file_of_a_study_is_no_link(name: str, tmp_path: Path, secret: Path) -> None:
    (tmp_path / name).symlink_to(secret)
    with pytest.raises(InputError, match="it is a symbolic link"):
        STUDIES[name](tmp_path)
    with pytest.raises(InputError, match="it is a symbolic link"):
        Folder(tmp_path, name)
    assert secret.read_text() == SECRET


def test_a_link_that_comes_later_is_not_followed(tmp_path: Path, secret: Path) -> None:
    """A campaign runs already."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with closing(Folder(tmp_path / "out")) as folder:
        folder.write("findings/a/x.trace", "1\n")
        (tmp_path / "out" / "findings" / "b").symlink_to(elsewhere)
        (tmp_path / "out" / "findings" / "a" / "y.trace").symlink_to(secret)
        with pytest.raises(InputError, match=r"findings/b: it is a symbolic link"):
            folder.write("findings/b/x.trace", "2\n")
        with pytest.raises(InputError, match=r"y.trace: it is a symbolic link"):
            read_below(folder.path, "findings/a/y.trace")
        with pytest.raises(InputError, match=r"y.trace: it is a symbolic link"):
            open_below(folder.path, "findings/a/y.trace", os.O_RDWR | os.O_CREAT)
        folder.write("findings/a/y.trace", "3\n")  # the link is replaced, and not followed
    assert not list(elsewhere.iterdir()) and secret.read_text() == SECRET
    assert (tmp_path / "out" / "findings" / "a" / "y.trace").read_text() == "3\n"


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    """The user names it."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "disk")
    run(tmp_path / "out", SETUP, runs=10)
    assert (tmp_path / "disk" / CAMPAIGN).is_file()


def test_what_is_no_plain_file_is_not_waited_for(tmp_path: Path) -> None:
    for name in ("lock", CAMPAIGN):
        out = tmp_path / name.replace(".", "-")
        out.mkdir()
        os.mkfifo(out / name)
        with pytest.raises(InputError, match="expected a plain file"):
            run(out, SETUP, runs=1)


def test_text_is_written_as_it_is(tmp_path: Path) -> None:
    text = "\ud800\r\n\x00é"
    write_below(tmp_path, "a/b", text)
    assert read_below(tmp_path, "a/b") == text
