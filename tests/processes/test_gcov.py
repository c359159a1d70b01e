"""Which lines of a library runs reach, where the library was built with counters: also of processes that die or are
killed. Without gcc these tests are skipped, without gcovr its page.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from campaigns import FAKES
from commands import FAKE, WRAPPER, error

from murxpy.errors import InputError
from murxpy.processes.gcov import FOLDER, Reached, counters, gather, told, watch

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")

SOURCE = """#include <stdlib.h>

int twice(int x) {
    if (x > 100)
        return x;
    return 2 * x;
}

void die(void) {
    *(volatile int *)0 = 1;
}

void break_memory(void) {
    char *memory = malloc(24);
    memory[-8] = 1; /* the size that the allocator keeps */
    free(memory);
}
"""
CALLS = """
import ctypes, faulthandler, os, sys, time
from pathlib import Path
from murxpy.worker.confine import confine
confine(sys.argv[2])
faulthandler.enable()
library = ctypes.CDLL(sys.argv[3])
library.twice(200)
if sys.argv[1] == "dies":
    library.die()
if sys.argv[1] == "breaks":
    library.break_memory()
if sys.argv[1] == "writes":
    for _ in range(70):
        ctypes.CDLL(None).murxpy_gcov_write()
written, end = Path(os.environ["GCOV_PREFIX"]), time.monotonic() + 30
while not any(written.rglob("*.gcda")) and time.monotonic() < end:
    time.sleep(0.1)
time.sleep(0.35)
os.kill(os.getpid(), 9)
"""


def built(folder: Path) -> Path:
    """A library with counters, in a folder of its own."""
    folder.mkdir()
    (folder / "twice.c").write_text(SOURCE)
    command = ["gcc", "--coverage", "-fPIC", "-shared", "-O0", "-o", "twice.so", "twice.c"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "twice.so"


def reached(out: Path, build: Path) -> list[int]:
    """The lines that were reached, as gcov tells them."""
    data = out / "links"
    gather(out, build, data)
    (file,) = data.rglob("*.gcda")
    told = subprocess.run(
        ["gcov", "--json-format", "--stdout", str(file)], cwd=data, capture_output=True, check=True
    )
    (source,) = json.loads(told.stdout)["files"]
    return [line["line_number"] for line in source["lines"] if line["count"]]


@pytest.mark.parametrize(
    ("how", "ends", "died"),
    [("dies", -11, True), ("breaks", -6, False), ("killed", -9, False), ("writes", -9, False)],
)
def test_a_process_that_ends_by_a_signal_has_written_its_counters(
    how: str, ends: int, died: bool, tmp_path: Path
) -> None:
    """Also one that has written them so often that counters which each writing doubles are 0 again."""
    library, own = built(tmp_path / "build"), tmp_path / "own"
    own.mkdir()
    environment = {**os.environ, **watch(tmp_path / "out", library.parent)}
    command = [sys.executable, "-c", CALLS, how, str(own), str(library)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == ends, done.stderr
    with pytest.raises(InputError, match="name the build that was fuzzed"):
        gather(tmp_path / "out", own, tmp_path / "none")
    lines = reached(tmp_path / "out", library.parent)
    assert 5 in lines and 6 not in lines and (10 in lines) is died


MEANWHILE = """
import ctypes, os, sys, threading, time
library, write = ctypes.CDLL(sys.argv[1]), ctypes.CDLL(None).murxpy_gcov_write
threading.Thread(target=lambda: [write() for _ in range(1000)], daemon=True).start()
time.sleep(0.3)
for _ in range(10):
    library.twice(200)
write()
os.kill(os.getpid(), 9)
"""


def test_writing_waits_for_another_one_that_began_before(tmp_path: Path) -> None:
    library = built(tmp_path / "build")
    environment = {**os.environ, **watch(tmp_path / "out", library.parent)}
    command = [sys.executable, "-c", MEANWHILE, str(library)]
    subprocess.run(command, env=environment, check=False)
    assert 5 in reached(tmp_path / "out", library.parent)


def test_what_counts_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no file \*\.gcno"):
        watch(tmp_path / "out", tmp_path)
    with pytest.raises(InputError, match="has no counters"):
        gather(tmp_path / "out", tmp_path, tmp_path / "links")


TEMPLATE = """template <typename T> T least(T x, T y) {
    if (x < y)
        return x;
    return y;
}

int main() {
    return least(1, 2) + (int)least(2.0, 1.0) - 2;
}
"""


def count_template(build: Path, into: Path) -> None:
    """Build the program in a new folder `build`, and run it with its counters below `into`."""
    build.mkdir()
    (build / "least.cpp").write_text(TEMPLATE)
    command = ["g++", "--coverage", "-O0", "-o", "least", "least.cpp"]
    subprocess.run(command, cwd=build, check=True)
    environment = {**os.environ, "GCOV_PREFIX": str(into.absolute())}
    subprocess.run([build / "least"], env=environment, check=True)


def test_a_line_of_a_template_counts_once(tmp_path: Path) -> None:
    """A header of templates has each line once for each of its instances, which are functions."""
    build, out = tmp_path / "build", tmp_path / "out"
    count_template(build, out / FOLDER)
    gather(out, build, tmp_path / "data")
    (found,) = told(counters(tmp_path / "data"))
    reached = Reached(build)
    reached.take(found[0])
    figures = reached.figures()
    assert (figures["line_covered"], figures["line_total"]) == (6, 6)
    assert (figures["function_covered"], figures["function_total"]) == (3, 3)
    assert (figures["branch_covered"], figures["branch_total"]) == (2, 2)
    assert [file["filename"] for file in figures["files"]] == ["least.cpp"] and not found[1]
    (file,) = counters(out)
    file.write_text("of another build")
    assert "not a gcov data file" in next(told(counters(tmp_path / "data")))[1]


@pytest.mark.skipif(shutil.which("gcov-tool") is None, reason="there is no gcov-tool")
def test_lines_that_were_reached_very_often_are_on_the_page(tmp_path: Path) -> None:
    """As those of a solver are, since each writing adds all counters again. gcovr takes such numbers for
    mistakes of gcov.
    """
    pytest.importorskip("gcovr")
    build, out, page = tmp_path / "build", tmp_path / "out", tmp_path / "lines.html"
    count_template(build, tmp_path / "once")
    out.mkdir()
    often = ["gcov-tool", "rewrite", "--scale", "10000000000", "--output", str(out / FOLDER)]
    subprocess.run([*often, str(tmp_path / "once")], check=True)
    code, _, said = told_by("coverage", build, out, "--html", page)
    assert code == 0 and "least.cpp" in page.read_text(encoding="utf-8"), said


def told_by(*words: str | Path) -> tuple[int, str, str]:
    """What the command says, in a process of its own, because `--gcov` changes the environment."""
    command = [sys.executable, "-m", "murxpy", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
def test_a_campaign_counts_and_its_table_is_printed(tmp_path: Path) -> None:
    library, wrapper, out = built(tmp_path / "build"), tmp_path / "fake.yaml", tmp_path / "out"
    text = WRAPPER.read_text(encoding="utf-8").replace(
        "  import fakesolver as f\n",
        f"  import ctypes\n  import fakesolver as f\n  counted = ctypes.CDLL('{library}')\n",
    )
    text = text.replace('"{solver}.check()"', '"[counted.twice(1), {solver}.check()][1]"')
    wrapper.write_text(text, encoding="utf-8")
    words = (f"fake@{FAKES}", "--wrapper", wrapper, "--gcov", library.parent, "--out", out)
    code, _, said = told_by("fuzz", *words, "--runs", "4", "--jobs", "1", "--seed", "1")
    assert code == 0, said
    code, found, said = told_by("coverage", library.parent, out, "--json")
    assert code == 0, said
    assert 2 < json.loads(found)["line_covered"] < json.loads(found)["line_total"]
    assert "twice.c" in told_by("coverage", library.parent, out)[1]
    page = tmp_path / "lines.html"
    code, _, said = told_by("coverage", library.parent, out, "--html", page)
    if importlib.util.find_spec("gcovr") is None:
        assert "pip install 'murxpy[coverage]'" in said
        return
    assert code == 0 and "twice.c" in page.read_text(), said


def test_no_link_of_a_stranger_is_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the library nor a counter is written, or read, through a link in an output folder."""
    build, out, elsewhere = (tmp_path / name for name in ("build", "out", "elsewhere"))
    for folder in (build, out, elsewhere):
        folder.mkdir()
    (build / "a.gcno").touch()
    (out / "coverage").symlink_to(elsewhere)
    words = ("fuzz", *FAKE, "--gcov", build, "--out", out, "--runs", "1")
    code, said = error(capsys, *words)
    assert code == 2 and "it is a symbolic link" in said and not list(elsewhere.iterdir())
    code, said = error(capsys, "coverage", build, out)
    assert code == 2 and "it is a symbolic link" in said
