"""Targets: our own environment, another one, a build folder; and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from campaigns import FAKES

from murxpy.errors import TargetError
from murxpy.findings.replayed import replay_trace
from murxpy.processes.limits import Limits
from murxpy.processes.targets import Plan, resolve

PROBE = '''
import sys
class Probe:
    """Says where the fake module `thesolver` was found, and what of murxpy's environment can be imported."""
    def __init__(self, setup):
        import thesolver
        self.module = thesolver
    def describe(self):
        seen = []
        for name in ("yaml", "rich", "click", "msgspec"):
            try:
                __import__(name)
                seen.append(name)
            except ImportError:
                pass
        import os
        return {"solver": "thesolver", "version": "2", "module_file": self.module.__file__, "seen": seen,
                "prefix": sys.prefix, "libraries": os.environ.get("LD_LIBRARY_PATH", "")}
    def replay(self, text, name, write):
        write(text)
        return {"status": "ok", "seed": 0, "counts": {}, "finding": None, "differences": []}
'''


@pytest.fixture
def probe(tmp_path: Path) -> dict[str, object]:
    """The setup of a session that says what it sees."""
    folder = tmp_path / "session"
    folder.mkdir()
    (folder / "probesession.py").write_text(PROBE)
    return {"session": "probesession:Probe", "session_path": [str(folder)]}


def make_environment(path: Path) -> Path:
    """A bare environment; gives its folder of packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(path)], check=True)
    return next(path.glob("lib/python*/site-packages"))


def test_environment_has_its_own_packages_only(tmp_path: Path, probe: dict[str, object]) -> None:
    packages = make_environment(tmp_path / "env")
    (packages / "thesolver.py").write_text("")
    target = resolve(f"thesolver@{tmp_path / 'env'}")
    about = replay_trace(Plan(target, probe), "x\n", "x").about
    assert about["module_file"] == str(packages / "thesolver.py")
    assert about["prefix"] == str(tmp_path / "env")
    assert about["seen"] == []


def test_build_comes_first_and_brings_nothing_of_ours(
    tmp_path: Path, probe: dict[str, object]
) -> None:
    package = tmp_path / "build" / "python" / "thesolver"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    target = resolve(f"thesolver@{tmp_path / 'build'}")
    about = replay_trace(Plan(target, probe), "x\n", "x").about
    assert about["module_file"] == str(package / "__init__.py")
    assert about["seen"] == []
    assert str(about["libraries"]).split(":")[0] == str(tmp_path / "build")


def test_module_from_elsewhere_is_refused(tmp_path: Path, probe: dict[str, object]) -> None:
    make_environment(tmp_path / "env")
    (tmp_path / "session" / "thesolver.py").write_text("")
    target = resolve(f"thesolver@{tmp_path / 'env'}")
    with pytest.raises(TargetError, match="which is not under") as caught:
        replay_trace(Plan(target, probe), "x\n", "x")
    assert caught.value.exit_code == 4


def test_other_minor_version_is_refused(
    tmp_path: Path, probe: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_environment(tmp_path / "env")
    monkeypatch.setattr("murxpy.processes.parents.PYTHON", "3.99")
    with pytest.raises(
        TargetError, match=r"its interpreter is Python 3\.\d+, murxpy runs on Python 3\.99; make"
    ):
        replay_trace(Plan(resolve(f"thesolver@{tmp_path / 'env'}"), probe), "x\n", "x")


def test_interpreter_that_is_none(tmp_path: Path, probe: dict[str, object]) -> None:
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "env" / "bin" / "python").write_text("")
    with pytest.raises(TargetError, match="cannot be run: Permission denied"):
        replay_trace(Plan(resolve(f"thesolver@{tmp_path / 'env'}"), probe), "x\n", "x")


@pytest.mark.parametrize(
    "make, message", [(False, "there is no folder"), (True, "has neither bin/python")]
)
def test_place_without_a_solver(make: bool, message: str, tmp_path: Path) -> None:
    if make:
        (tmp_path / "place").mkdir()
    with pytest.raises(TargetError, match=message) as caught:
        resolve(f"z3@{tmp_path / 'place'}")
    assert "\n" not in str(caught.value)


def test_replay_follows_the_trace_as_it_grows() -> None:
    text = "".join(f"{number:05} mk-const s1 x{number}\n" for number in range(1000))
    parts: list[str] = []
    plan = Plan(
        resolve("fake"), {"session": "fakesession:FakeSession", "session_path": [str(FAKES)]}
    )
    replayed = replay_trace(plan, text, "a.trace", Limits(), parts.append)
    assert "".join(parts) == text
    assert replayed.found is None and replayed.outcome.report is not None


def test_replay_of_a_malformed_trace_says_where() -> None:
    plan = Plan(
        resolve("fake"), {"session": "fakesession:FakeSession", "session_path": [str(FAKES)]}
    )
    report = replay_trace(plan, "00001 mk-const s1 x\nnonsense\n", "a.trace").outcome.report
    assert report is not None
    assert (report["status"], report["differences"]) == (
        "malformed",
        ["a.trace:2: expected a seed"],
    )
