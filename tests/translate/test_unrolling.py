"""The calls that a helper makes stand in a program in its place, where they show the finding."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from murxpy.translate.programs.unrolling import (
    Call,
    calls_of,
    goal_of,
    instrumented,
    needed,
    shortened,
    site_of,
    written,
)

BINDING = """
import os
class Box:
    def __init__(self, *parts, deep=0):
        self.parts = list(parts)
    def put(self, part):
        self.parts.append(part)
    def look(self):
        return self.parts
    def __add__(self, other):
        return Box(*self.parts, *other.parts)
    def __getitem__(self, at):
        return self.parts[at]
    def count(self, **options):
        return len(self.parts) + 1
    def open(self):
        os.kill(os.getpid(), 11) if self.parts else None
def whole(box):
    return Box(box)
"""
LAW = """# boxes 1.0: count gives 3 instead of 1
import os, sys
from boxes import *

import boxes
from typing import Any


def law(box, part):
    both = boxes.whole(box) + box
    unused = boxes.Box()
    for one in [both, *both.look()]:
        whole(one).look()
    both.put(part)
    other = max(both[0].count() for _ in "ab")
    got = both.count(**{"a.b": 1}, deep=2)
    return f"count gives {got} instead of {other}"


_USED: dict[str, Any] = {"law": law}

box = Box()
got = law(box, Box("p"))
print("expected 1, got", got)
sys.exit(1 if got else 0)
"""
DEATH = """# boxes 1.0 dies: SIGSEGV
import sys
from boxes import *
from multiprocessing import Process

class Helper:
    def run(self, box):
        box.put(1)
        box.put(Box(deep=3))
        try:
            box.missing
        except AttributeError:
            box.open()


def law(box, name):
    Helper().run(box)

def calls():
    box = Box()
    law(box, "name")


if __name__ == "__main__":
    child = Process(target=calls)
    child.start()
    child.join()
    print("expected no signal, got", child.exitcode)
    sys.exit(0 if child.exitcode == 0 else 1)
"""


WITHIN = DEATH.replace('law(box, "name")', "[one.put(1) or one.open() for one in parts(box)]")
WITHIN = WITHIN.replace(
    "def law(box, name):\n    Helper().run(box)",
    "def parts(box):\n    return list(whole(box).look())",
)


def run(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "boxes.py").write_text(BINDING)
    file = folder / "program.py"
    file.write_text(text)
    return subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, cwd=folder, check=False
    )


COUNTED = "count gives 3 instead of 1"


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        (
            LAW,
            [
                "box = Box()",
                "given2 = Box('p')",
                "v1 = whole(box) + box",
                "v1.put(given2)",
                "got = v1.count()",
            ],
        ),
        (DEATH, ["    box = Box()", "    box.put(1)", "    box.open()"]),
        (WITHIN, ["    box = Box()", "    box.put(1)", "    box.open()"]),
    ],
    ids=["law", "death", "a helper within"],
)
def test_a_program_without_its_helper_shows_the_same(
    tmp_path: Path, source: str, rows: list[str]
) -> None:
    assert run(tmp_path, source).returncode == 1
    site = site_of(source)
    assert site is not None and site.dies is (source != LAW)
    calls = calls_of(run(tmp_path, instrumented(source, site)).stdout)
    goal = goal_of(calls, site, COUNTED)
    assert goal is not None

    def shows(kept: list[Call]) -> bool:
        return run(tmp_path, written(site, kept, COUNTED)).returncode == 1

    text = written(site, shortened(needed(calls, goal, site), site, shows), COUNTED)
    assert run(tmp_path, text).returncode == 1
    assert "law" not in text and "Helper" not in text
    for row in rows:
        assert f"{row}\n" in text, text
    assert "missing" not in text and "look" not in text and "deep" not in text


@pytest.mark.parametrize(
    "source",
    [
        "import sys\n\nprint(1)\n",
        LAW.replace("got = law(", "more = law(box, 1)\ngot = law("),
        LAW.replace("got = law(box,", "for one in law(box,"),
    ],
    ids=["no helper", "two calls", "no expression"],
)
def test_what_cannot_be_put_in_its_place_is_left(source: str) -> None:
    assert site_of(source) is None


def test_the_call_of_an_argument_may_be_enough(tmp_path: Path) -> None:
    source = LAW.replace(
        'got = law(box, Box("p"))', "try:\n    law(box, box.missing())\n    got = None"
    )
    source = source.replace("print(", "except AttributeError:\n    got = 1\nprint(")
    site = site_of(source)
    assert site is not None and len(site.arguments) == 1
    assert "def law" not in site.arguments[0] and "    box.missing()\n" in site.arguments[0]
    assert run(tmp_path, site.arguments[0]).stdout == run(tmp_path, source).stdout


def test_the_answer_of_a_check_is_not_the_goal() -> None:
    """Why another answer is right only the helper says."""
    site = site_of(LAW)
    assert site is not None
    calls = [Call("v1", "box.check()", "unsat", ended=True)]
    assert goal_of(calls, site, "check gives unsat instead of sat") is None
    assert goal_of(calls, site, "check gives unsat instead of a count") == 0
    assert goal_of([], site, "check gives unsat instead of a count") is None


def test_broken_rows_of_a_recorder_are_no_calls() -> None:
    assert calls_of('\x1ecalled [1\n\x1ecalled {}\nx\n\x1ecalled ["v1", "got", "2"]\n') == []


RAISING = LAW.replace(
    'got = law(box, Box("p"))',
    "try:\n    law(box, Box(\"p\"))\n    got = 'no exception'\nexcept TypeError:\n    got = 1",
)


def test_the_call_that_raises_stands_in_the_place_of_its_helper(tmp_path: Path) -> None:
    """What was done to a solver before its check stays, although the exception shows without it."""
    source = RAISING.replace("(box, part):\n", "(box, part):\n    box.put()\n")
    site = site_of(source)
    assert site is not None and not site.returns and not site.dies
    calls = calls_of(run(tmp_path, instrumented(source, site)).stdout)
    goal = goal_of(calls, site, "TypeError: no")
    assert goal is not None and calls[goal].raised and calls[goal].code == "box.put()"
    text = written(site, shortened(needed(calls, goal, site), site, lambda _: True), "")
    assert "    box.put()\n    got = 'no exception'\n" in text and "law" not in text
    assert run(tmp_path, text).stdout == run(tmp_path, source).stdout


def test_what_was_asserted_before_a_check_stays() -> None:
    site = site_of(RAISING)
    assert site is not None
    calls = [
        Call("v1", "box.put(1)", "None", ended=True),
        Call("v2", "box.look()", "1", ended=True),
        Call("v3", "box.check()", "sat", ended=True),
        Call("v4", "box.put(2)", "None", ended=True),
        Call("v5", "box.missing()", ended=True, raised=True),
    ]
    kept = shortened(calls, site, lambda _: True)
    assert [one.name for one in kept] == ["v1", "v3", "v5"]
