"""Releases as targets: their names, the package index, and the cache of environments."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from commands import WRAPPER, error, outcome
from disks import disk as disk
from packaging.version import Version
from waiting import wait_for
from wheels import NAME, offer

from murxpy.data import load_wrapper
from murxpy.errors import InputError, TargetError
from murxpy.findings.store import Store
from murxpy.processes import inquiries
from murxpy.processes.environments import (
    FOLDER,
    Package,
    cached,
    found,
    package_of,
    provide,
    prune,
    remove,
)
from murxpy.processes.handles import Job
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans
from murxpy.processes.releases import chosen, short, span
from murxpy.processes.targets import (
    TargetName,
    absolute_target,
    parse_target,
    releases_of,
    split_names,
)

PACKAGE = Package(NAME, NAME, {})
DYING = "import os\nos.abort()\n"
PUBLISHED = ("5.4.1.0", "5.4.0.0", "4.13.0.0", "4.8.17.0", "4.8.7.0")


def quiet(text: str) -> None:
    """No notice."""


@pytest.mark.parametrize(
    "text, solver, place, options",
    [
        ("z3", "z3", "", ()),
        ("z3@4.13.0", "z3", "4.13.0", ()),
        ("z3@~/a[b]c/x", "z3", "~/a[b]c/x", ()),
        ("z3[a.b=2,c=true]", "z3", "", (("a.b", "2"), ("c", "true"))),
        ("z3@latest[a=1]", "z3", "latest", (("a", "1"),)),
    ],
)
def test_names_are_read_and_printed(
    text: str, solver: str, place: str, options: tuple[tuple[str, str], ...]
) -> None:
    assert parse_target(text) == TargetName(solver, place, options)
    assert str(parse_target(text)) == text


@pytest.mark.parametrize(
    "text", ["", "@4.13.0", "z3@", "z3[a]", "z3[=1]", "z3[a=1]x", "[a=1]", "z3[]", "z3[a=1,a=2]"]
)
def test_what_names_no_target(text: str) -> None:
    with pytest.raises(InputError, match=r"names no target|is no option|stands twice"):
        parse_target(text)


def test_lists_of_names_hold_options() -> None:
    assert split_names("cvc5, z3[a=1,b=2],z3@4.13.0") == ["cvc5", "z3[a=1,b=2]", "z3@4.13.0"]


def test_place_is_a_release_unless_it_is_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert parse_target("z3@4.13.0").release == "4.13.0"
    assert parse_target("z3@envs/old").release == ""
    (tmp_path / "4.13.0").mkdir()
    assert parse_target("z3@4.13.0").release == "4.13.0", "no folder stands in for a release"
    assert absolute_target("z3@./4.13.0[a=1]") == f"z3@{tmp_path / '4.13.0'}[a=1]"
    (tmp_path / "build").mkdir()
    assert parse_target("z3@build").release == ""
    assert absolute_target("z3@4.12.0") == "z3@4.12.0"


@pytest.mark.parametrize(
    "name, usual",
    [("4.13.0.0", "4.13.0"), ("4.15", "4.15.0"), ("1.2.1.post1", "1.2.1.post1"), ("3", "3.0.0")],
)
def test_a_release_has_one_name(name: str, usual: str) -> None:
    assert short(name) == usual and Version(usual) == Version(name)


def test_releases_are_chosen_by_name_and_span() -> None:
    assert chosen("latest", PUBLISHED, "p") == "5.4.1.0"
    assert chosen("4.13", PUBLISHED, "p") == "4.13.0.0"
    assert span("4.8.10..5.4", PUBLISHED, "p") == ["4.8.17.0", "4.13.0.0", "5.4.0.0"]
    assert span("..4.8.7,latest", PUBLISHED, "p") == ["4.8.7.0", "5.4.1.0"]
    with pytest.raises(TargetError, match=r"no release 4.9.3 .*4.8.7, 4.8.17, 4.13.0, 5.4.0$"):
        chosen("4.9.3", PUBLISHED, "p")
    with pytest.raises(TargetError, match="'envs' is neither a folder that exists nor a release"):
        chosen("envs", PUBLISHED, "p")
    with pytest.raises(TargetError, match=r"or 'latest'; the newest are 5.4.0, 5.4.1$"):
        chosen("nonsense", PUBLISHED, "p")
    with pytest.raises(TargetError, match=r"holds no release of p .*; the nearest are 4"):
        span("4.9..4.10", PUBLISHED, "p")
    with pytest.raises(InputError, match="expected the older release first"):
        span("5.0..4.0", PUBLISHED, "p")


def test_needs_go_by_spans_of_releases() -> None:
    package = package_of(load_wrapper("z3"))
    assert package.requirements("4.8.7.0") == ["z3-solver==4.8.7", "setuptools<80"]
    assert package.requirements("4.12.3.0") == ["z3-solver==4.12.3", "importlib_resources"]
    assert package.requirements("4.13.0") == ["z3-solver==4.13.0"]


def test_environment_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = offer(tmp_path, monkeypatch, {"1.0": {}, "1.1": {}})
    notices: list[str] = []
    made = provide(PACKAGE, "1.1", notices.append)
    assert provide(PACKAGE, "1.1.0", notices.append) == made == found(PACKAGE, "1.1")
    assert made.fault == "" and made.size > 1000 and len(notices) == 1
    assert [one.release for one in cached(NAME)] == ["1.1.0"]
    assert [path.name for path in cache.iterdir() if not path.name.startswith(".")] == [
        Path(made.folder).name
    ]
    changed = Package(NAME, NAME, {"<2": [f"{NAME}<2"]})
    assert found(changed, "1.1") is None
    assert provide(changed, "1.1", quiet).requirements == ["fakesolver==1.1.0", "fakesolver<2"]
    remove(made)
    assert cached(NAME) == []


@pytest.mark.slow
def test_fuzzes_releases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    offer(tmp_path, monkeypatch, {"1.0": {}, "1.1": {}})
    out = tmp_path / "out"
    code, printed, told = outcome(
        capsys,
        *("fuzz", "fake@1.0", "fake@latest", "--wrapper", WRAPPER, "--out", out),
        *("--jobs", "2", "--seed", "1", "--runs", "3"),
    )
    assert code == 0, told
    assert "fake@1.0.0 1.0, fake@1.1.0 1.1" in printed and told.count("installing fakesolver") == 2
    with closing(Store(out, read_only=True)) as store:
        assert set(store.arguments()[0]["request"]["targets"]) == {"fake@1.0.0", "fake@1.1.0"}


@pytest.mark.slow
def test_errors_of_releases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = offer(
        tmp_path, monkeypatch, {"1.0": {}, "1.1": {"__init__.py": DYING}, "1.2": {"x.py": ""}}
    )
    fuzz = ("--wrapper", str(WRAPPER), "--out", str(tmp_path / "out"), "--runs", "1")
    code, line = error(capsys, "fuzz", "fake@0.9", *fuzz)
    assert code == 4 and line.endswith("the nearest are 1.0.0, 1.1.0")
    code, line = error(capsys, "fuzz", "fake@envs", *fuzz)
    assert code == 4 and "'envs' is neither a folder" in line
    code, _, told = outcome(capsys, "fuzz", "fake@1.1", *fuzz)
    assert code == 4 and "'import fakesolver' dies with signal 6" in told
    broken = tmp_path / "index" / f"{NAME}-1.2-py3-none-any.whl"
    broken.write_bytes(broken.read_bytes()[:200])
    code, _, told = outcome(capsys, "fuzz", "fake@1.2", *fuzz)
    assert code == 4 and told.count("\n") == 2 and "fakesolver 1.2 cannot be installed" in told
    assert [one.release for one in cached(NAME)] == ["1.1.0"]
    assert not list(cache.glob("*.part"))
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    releases_of.cache_clear()
    code, line = error(capsys, "fuzz", "fake@1.3", *fuzz)
    assert code == 4 and "the package index does not say" in line


def _process(code: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


ASK = f"""
from murxpy.processes.environments import Package, provide
made = provide(Package({NAME!r}, {NAME!r}, {{}}), "1.0", print)
print(made.folder, made.made)
"""


def test_two_processes_share_what_one_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(tmp_path, monkeypatch, {"1.0": {}})
    processes = [_process(ASK) for _ in range(3)]
    printed = [process.communicate()[0].splitlines() for process in processes]
    assert len({lines[-1] for lines in printed}) == 1
    assert sum("installing" in line for lines in printed for line in lines) == 1


def test_killed_installation_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = offer(tmp_path, monkeypatch, {"1.0": {}})
    process = _process(ASK)
    wait_for(lambda: any(cache.glob("*.part")))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    made = provide(PACKAGE, "1.0", quiet)
    assert made.fault == "" and os.listdir(made.folder)
    assert [path for path in cache.glob("*") if path.name.endswith(".part")] == []
    leftover = cache / f"{NAME}-9.9-x.part"
    leftover.mkdir()
    (leftover / "file").write_bytes(b"x" * 100)
    assert prune() == 100 and not leftover.exists()


def test_full_disk_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disk: Callable[[int], Path]
) -> None:
    offer(tmp_path, monkeypatch, {"1.0": {}, "1.1": {"big.py": f"'{'x' * 900_000}'"}})
    cache = disk(600_000)
    monkeypatch.setenv(FOLDER, str(cache))
    with pytest.raises(TargetError, match=f"{NAME} 1.1 cannot be installed"):
        provide(PACKAGE, "1.1", quiet)
    assert [path.name for path in cache.iterdir() if not path.name.startswith(".")] == []
    assert provide(PACKAGE, "1.0", quiet).fault == ""


@pytest.mark.parametrize("option", ["--add", "--remove"])
def test_an_empty_name_is_no_release(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MURXPY_RELEASES", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    code, line = error(capsys, "releases", "z3", option, "")
    assert code in (2, 4) and line


def test_command_lists_adds_and_removes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    offer(tmp_path, monkeypatch, {"1.0": {}, "1.1": {}, "1.2": {}})
    code, printed, told = outcome(capsys, "releases", WRAPPER, "--add", "1.1..")
    assert code == 0 and "1 of 2: fakesolver 1.1.0" in told
    assert "3 releases, 2 of them in" in printed and printed.count("  yes\n") == 3
    code, printed, _ = outcome(capsys, "releases", WRAPPER, "--remove", "1.2", "--json")
    (listed,) = json.loads(printed).values()
    assert code == 0 and listed["releases"] == ["1.2.0", "1.1.0", "1.0.0"]
    assert listed["usable"] == ["1.0.0", "1.1.0", "1.2.0"]
    assert [one["release"] for one in listed["cached"]] == ["1.1.0"]
    assert error(capsys, "releases", "--add", "1.0")[0] == 2
    assert error(capsys, "releases", WRAPPER, "--add", "2.0..1.0")[0] == 2
    for text in ("nonsense", "9.9"):
        assert error(capsys, "releases", WRAPPER, "--add", text)[0] == 4
    code, line = error(capsys, "releases", WRAPPER, "--remove", "1.2")
    assert code == 4 and line.startswith(
        "fakesolver 1.2 is not in the cache; the nearest are 1.1.0"
    )


def test_a_configuration_holds_in_runs_and_in_judgements(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, printed, told = outcome(capsys, "fuzz", "z3[smt.arith.solver=2]", "--run-seed", "5")
    assert code == 0 and "set-option" in printed and "arith.solver 2\n" in printed, told
    code, _, told = outcome(capsys, "fuzz", "z3[random_seed=abc]", "--run-seed", "5")
    assert code == 2 and "random_seed=abc: expected a whole number" in told
    # a choice of the wrapper, whose type z3 itself knows
    code, _, told = outcome(capsys, "fuzz", "z3[arith.solver=abc]", "--run-seed", "5")
    assert code == 2 and "arith.solver=abc: expected a whole number" in told
    code, _, told = outcome(capsys, "fuzz", "z3[nonsense=2]", "--run-seed", "5")
    assert code == 2 and "does not take the option nonsense=2" in told
    (plan,) = make_plans(Request(("z3[smt.arith.solver=2]",)))
    trace = (
        '# solver cvc5\n1 new\n1 mk-sort SORT_BOOL\n return s1\n1 mk-const s1 "x"\n return t1 s1\n'
    )
    trace += "1 assert-formula t1\n1 check-sat\n answer sat\n"
    with closing(inquiries.Tester(plan, Limits())) as replays:
        (outcome_of,) = replays.fresh(Job(0, 0.0, text=trace, name="t", judge={}, keep=True))
    assert "arith.solver 2\n" in outcome_of.trace
