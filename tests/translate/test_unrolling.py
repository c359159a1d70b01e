"""The calls that a helper makes stand in a program in its place, where they show the finding."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from murxpy.translate.programs.unrolling import (
    Call,
    Goal,
    calls_of,
    ended_with,
    goals_of,
    instrumented,
    literal_of,
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
                "got = v1.count(deep=2, **{'a.b': 1})",
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
    goal = goals_of(calls, site, COUNTED)[0]

    def shows(kept: list[Call]) -> bool:
        return run(tmp_path, written(site, kept, goal, COUNTED)).returncode == 1

    kept = shortened(needed(calls, goal, site), goal, site, shows)
    text = written(site, kept, goal, COUNTED)
    assert run(tmp_path, text).returncode == 1
    assert "law" not in text and "Helper" not in text
    for row in rows:
        assert f"{row}\n" in text, text
    assert "missing" not in text and "look" not in text and "deep=3" not in text


@pytest.mark.parametrize(
    "source",
    [
        "import sys\n\nprint(1)\n",
        LAW.replace("got = law(box,", "for one in law(box,"),
    ],
    ids=["no helper", "no expression"],
)
def test_what_cannot_be_put_in_its_place_is_left(source: str) -> None:
    assert site_of(source) is None


def test_what_another_helper_makes_is_put_in_its_place_too(tmp_path: Path) -> None:
    source = LAW.replace(
        "\n\nbox = Box()", "\n\ndef filled(part):\n    return Box(part)\n\nbox = Box()"
    )
    source = source.replace("box = Box()\ngot", "box = filled(1)\ngot")
    source = source.replace("print('expected 1", "print('expected 2").replace(
        "count gives 3", "count gives 4"
    )
    site = site_of(source)
    assert site is not None and [*site.between] == ["box = filled(1)", "given2 = Box('p')"]
    output = run(tmp_path, instrumented(source, site)).stdout
    message = ended_with(output) or ""
    goal = goals_of(calls_of(output), site, message)[0]
    text = written(site, needed(calls_of(output), goal, site), goal, message)
    assert "def filled" not in text and run(tmp_path, text).returncode == 1, text


def test_the_call_of_an_argument_may_be_enough(tmp_path: Path) -> None:
    source = LAW.replace(
        'got = law(box, Box("p"))', "try:\n    law(box, box.missing())\n    got = None"
    )
    source = source.replace("print(", "except AttributeError:\n    got = 1\nprint(")
    site = site_of(source)
    assert site is not None and len(site.arguments) == 1
    assert "def law" not in site.arguments[0] and "    box.missing()\n" in site.arguments[0]
    assert run(tmp_path, site.arguments[0]).stdout == run(tmp_path, source).stdout


def test_another_answer_of_a_check_is_right_where_another_check_gave_it() -> None:
    site = site_of(LAW)
    assert site is not None
    rows = [Call("v0", "box.put(v1)", "None"), Call("v3", "other.put(v1)", "None")]
    one, two = Call("v1", "box.check()", "unsat", ended=True), Call("v2", "other.check()", "sat")
    assert not goals_of([one], site, "check gives unsat instead of sat")
    assert goals_of([one], site, "check gives unsat instead of a count") == [Goal(one)]
    assert not goals_of([], site, "check gives unsat instead of a count")
    told = "a check after it answers unsat instead of sat"
    assert not goals_of([rows[0], one, two], site, told), "both checks have the same question"
    more = Call("v4", "other.put(box)", "None")
    assert not goals_of([*rows, more, one, two], site, told), "variables of the program count, too"
    (goal,) = goals_of([*rows, one, two], site, told)
    assert (goal.call, goal.reason) == (one, two)
    kept = shortened(needed([*rows, one, two], goal, site), goal, site, lambda _: True)
    text = written(site, kept, goal, "a check after it answers unsat instead of sat")
    assert (
        "got = box.check()\nright = other.check()\n"
        "print('expected', right, 'as the other check answers, got', got)\n"
        "sys.exit(1 if [str(got), str(right)] == ['unsat', 'sat'] else 0)\n"
    ) in text


def test_what_both_solvers_are_given_goes_from_both_or_stays() -> None:
    site = site_of(LAW)
    assert site is not None
    one, two = Call("v1", "a.check()", "unsat"), Call("v2", "b.check()", "sat")
    rows = "a.set(1)", "a.add(p)", "a.limit(2)", "b.set(1)", "b.add(p)", "b.model(3)"
    given = [Call(f"w{at}", row, "None") for at, row in enumerate(rows)]
    calls = [*given[:3], one, *given[3:], two]

    def shows(kept: list[Call]) -> bool:
        return sum(call.code.endswith("add(p)") for call in kept) > 0

    kept = shortened(calls, Goal(one, two), site, shows)
    assert [call.code for call in kept] == [*rows[1:3], one.code, *rows[4:], two.code]


QUESTIONS = (
    LAW.partition("def law")[0]
    + """def law(box, part):
    told = [("count of a part", whole(part).count(), 1), ("count of another", whole(box).count(), 2)]
    for name, got, wanted in told:
        if got != wanted:
            return f"{name} gives {got} instead of {wanted}"


box = Box()
got = law(box, "p")
print("expected 1, got", got)
sys.exit(1 if got else 0)
"""
)


def test_the_call_is_the_one_without_whose_result_the_helper_is_content(tmp_path: Path) -> None:
    """Another call of the same function gives the same, and is right."""
    site = site_of(QUESTIONS)
    assert site is not None
    output = run(tmp_path, instrumented(QUESTIONS, site)).stdout
    message = ended_with(output) or ""
    assert message == "count of a part gives 2 instead of 1" and literal_of(message) == (1,)
    goals = goals_of(calls_of(output), site, message)
    told = [
        ended_with(run(tmp_path, instrumented(QUESTIONS, site, {goal.call.name: 1})).stdout)
        for goal in goals
    ]
    assert told == [message, "None"]
    calls = needed(calls_of(output), goals[1], site)
    assert "got = whole('p').count()\n" in written(site, calls, goals[1], message)


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
    (goal,) = goals_of(calls, site, "TypeError: no")
    assert goal.call.raised and goal.call.code == "box.put()"
    kept = shortened(needed(calls, goal, site), goal, site, lambda _: True)
    text = written(site, kept, goal, "")
    assert "    box.put()\n    got = 'no exception'\n" in text and "law" not in text
    assert run(tmp_path, text).stdout == run(tmp_path, source).stdout


def test_a_method_that_was_kept_is_called_by_its_object(tmp_path: Path) -> None:
    """Otherwise nothing says that it changes the object, and the program lacks what it did."""
    source = RAISING.replace(
        "(box, part):\n", "(box, part):\n    do = box.put\n    do(7)\n    box.put()\n"
    )
    site = site_of(source)
    assert site is not None
    calls = calls_of(run(tmp_path, instrumented(source, site)).stdout)
    (goal,) = goals_of(calls, site, "TypeError: no")
    assert "box.put(7)" in [one.code for one in needed(calls, goal, site)]


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
    kept = shortened(calls, Goal(calls[-1]), site, lambda _: True)
    assert [one.name for one in kept] == ["v1", "v3", "v5"]


def test_what_may_change_a_result_stays() -> None:
    """Without it, the result would be right, and the program would still call it wrong."""
    site = site_of(LAW)
    assert site is not None and site.returns
    calls = [
        Call("v1", "box.put(1)", "None", ended=True, uses={"box"}),
        Call("v2", "whole(box)", "other", ended=True, uses={"box"}),
        Call("v3", "box.look()", "[1]", ended=True, uses={"box"}),
        Call("v4", "part.fill(v2)", "done", ended=True, uses={"part", "v2"}),
        Call("v5", "box.count(v2)", "3", ended=True, uses={"box", "v2"}),
    ]
    goal = Goal(calls[-1])
    kept = shortened(needed(calls, goal, site), goal, site, lambda _: True)
    assert [one.name for one in kept] == ["v1", "v2", "v4", "v5"]
