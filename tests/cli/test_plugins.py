"""Plug-ins: the example of the documentation in use, what is imported of one that nobody names, and what
is said of one that is broken. Plug-ins stay in a process, so each command has one of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import error, outcome
from packages import put_example, put_metadata
from supervised import PATIENCE

from murxpy import modules, plugins
from murxpy.errors import InputError
from murxpy.findings.store import read_buckets

Sys = pytest.CaptureFixture[str]
USED = ("--plugin", "murxpy-example")
SEED = "(declare-const p Bool)\n(assert (or p (not p)))\n(check-sat)\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with the example, and a plug-in that leaves a mark when it is imported."""
    folder = tmp_path_factory.mktemp("site")
    put_example(folder)
    marking = f"from pathlib import Path\nPath({str(folder / 'mark')!r}).touch()\n"
    (folder / "marking.py").write_text(f"{marking}raise KeyError('what')\n")
    groups = {"murxpy.checks": {"marking": "marking"}, "murxpy.wrappers": {"mark": "marking:PATH"}}
    put_metadata(folder, "murxpy-marking", "2.0", groups)
    return folder


def run(site: Path, cwd: Path, *args: str | Path) -> subprocess.CompletedProcess[str]:
    """A command in a process that finds the packages in `site`."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "murxpy", *map(str, args)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def failed(done: subprocess.CompletedProcess[str]) -> str:
    """The one line of a command that ended with bad input."""
    assert done.returncode == 2 and done.stdout == "", done.stderr
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("murxpy: error: ").strip()


def test_plugins_are_listed_and_not_imported(site: Path, tmp_path: Path) -> None:
    done = run(site, tmp_path, *USED, "plugins", "--json")
    assert done.returncode == 0, done.stderr
    found = {one["name"]: one for one in json.loads(done.stdout)}
    assert {name: one["used"] for name, one in found.items()} == {
        "murxpy-example": True,
        "murxpy-marking": False,
    }
    assert [(one["kind"], one["name"]) for one in found["murxpy-example"]["gives"]] == [
        ("wrapper", "truthtable"),
        ("check", "value-twice"),
        ("kind", "unstable-value"),
        ("fuzzer", "negations"),
        ("writer", "keys"),
    ]
    assert not (site / "mark").exists()


def test_a_check_of_a_plugin_finds(site: Path, tmp_path: Path, capsys: Sys) -> None:
    """The solver of the example forgets its model. The trace of the finding was confirmed and made smaller
    by other processes, replays with the plug-in alone, and is reported by its writer.
    """
    target = f"truthtable@{site}"
    given = ("--check", "value-twice", "--runs", "6", "--seed", "1", "--jobs", "1", "--out", "out")
    done = run(site, tmp_path, *USED, "fuzz", target, *given)
    assert done.returncode == 1, done.stderr
    out = tmp_path / "out"
    found = read_buckets(out)
    assert {(bucket.kind, bucket.state) for bucket in found} == {("unstable-value", "confirmed")}
    trace = next((out / "findings").glob("*/*.min.trace"))
    assert "check-value-twice" in trace.read_text()

    done = run(site, tmp_path, *USED, "replay", trace, "--solver", target)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("unstable-value: the value of a term of BOOL is another one")
    code, line = error(capsys, "replay", trace, "--solver", "z3")
    assert code == 2 and "unknown action 'check-value-twice'" in line

    done = run(site, tmp_path, *USED, "report", "out", "--keys", "keys.txt")
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "keys.txt").read_text().split()
    assert written and set(written) <= {bucket.key for bucket in found}


def test_a_wrapper_of_a_plugin_that_nobody_names_is_not_loaded(
    site: Path, tmp_path: Path, capsys: Sys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by the command line, nor by a trace of a stranger."""
    monkeypatch.syspath_prepend(str(site))
    code, line = error(capsys, "fuzz", f"truthtable@{site}", "--runs", "1")
    assert code == 2
    assert "is used only where you name it: 'murxpy --plugin murxpy-example ...'" in line
    (tmp_path / "stranger.trace").write_text("# murxpy-trace 1\n# solver mark 1.0\n1 new\n")
    code, line = error(capsys, "replay", tmp_path / "stranger.trace")
    assert code == 2
    assert "mark" in line and not (site / "mark").exists()


def test_a_fuzzer_of_a_plugin_is_a_command(site: Path, tmp_path: Path) -> None:
    (tmp_path / "seed.smt2").write_text(SEED)
    given = ("z3", "seed.smt2", "--runs", "1", "--iterations", "3", "--jobs", "1", "--pairs", "2")
    done = run(site, tmp_path, *USED, "negations", *given, "--check", "none", "--json")
    assert done.returncode == 0, done.stderr
    assert '"negations"' in done.stdout


def test_the_users_own_file_names_plugins_and_a_projects_does_not(
    site: Path, tmp_path: Path, capsys: Sys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "murxpy.toml").write_text('plugin = "murxpy-example"\n')
    code, line = error(capsys, "plugins")
    assert code == 2, line
    assert line.startswith(f"{tmp_path / 'murxpy.toml'}:1: plugin: the file of a project")
    (tmp_path / "murxpy.toml").unlink()
    (tmp_path / "own" / "murxpy").mkdir(parents=True)
    (tmp_path / "own" / "murxpy" / "config.toml").write_text('plugin = ["murxpy-example"]\n')
    done = run(site, tmp_path, "config", "--json")
    (shown,) = json.loads(done.stdout)["values"]
    assert (shown["option"], shown["value"], shown["line"]) == ("plugin", ["murxpy-example"], 1)


def test_a_broken_plugin_is_one_line_that_names_it(site: Path, tmp_path: Path) -> None:
    line = failed(run(site, tmp_path, "--plugin", "murxpy-marking", "fuzz", "z3", "--runs", "1"))
    assert "plug-in 'murxpy-marking': it cannot be loaded: KeyError: 'what'" in line
    (site / "mark").unlink()
    line = failed(run(site, tmp_path, "--plugin", "murxpy-exampel", "fuzz", "z3"))
    assert line == (
        "no plug-in 'murxpy-exampel' is installed (did you mean 'murxpy-example'?); 'murxpy plugins' lists "
        "those that are"
    )


def test_an_error_in_a_check_names_the_plugin(tmp_path: Path, site: Path) -> None:
    text = (site / "murxpy_example" / "value_twice.py").read_text()
    broken = text.replace("    run.frame.fill()\n", "    run.nothing()\n")
    assert broken != text
    (tmp_path / "broken_check.py").write_text(broken)
    (tmp_path / "truthtable.py").write_text((site / "truthtable.py").read_text())
    wrapper = site / "murxpy_example" / "truthtable.yaml"
    put_metadata(tmp_path, "murxpy-slip", "1", {"murxpy.checks": {"slip": "broken_check"}})
    given = ("--wrapper", wrapper, "--runs", "8", "--seed", "1", "--jobs", "1", "--no-minimize")
    done = run(
        *(tmp_path, tmp_path, "--plugin", "murxpy-slip", "fuzz", f"truthtable@{tmp_path}"),
        *("--check", "value-twice", *given),
    )
    assert "(plug-in 'murxpy-slip', murxpy.machine.checks.slip, check)" in done.stdout + done.stderr


def test_a_module_of_ours_is_not_replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "own_check.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(modules, "_added", {})
    monkeypatch.setattr(plugins, "_used", {})
    put_metadata(tmp_path, "murxpy-own", "1", {"murxpy.checks": {"values": "own_check"}})
    with pytest.raises(InputError, match="'murxpy-own': murxpy itself has a module 'values'"):
        plugins.use(["murxpy-own"])
    put_metadata(tmp_path, "murxpy-late", "1", {"murxpy.checks": {"late": "own_check"}})
    modules.load_modules("murxpy.machine.checks")
    with pytest.raises(InputError, match="'murxpy-late' comes too late"):
        plugins.use(["murxpy-late"])
    put_metadata(tmp_path, "murxpy-none", "1", {"murxpy.checks": {"none": "json.nothing"}})
    with pytest.raises(InputError, match="'murxpy-none': its check 'none' is to be the file"):
        plugins.use(["murxpy-none"])


def test_no_plugin(capsys: Sys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "installed", list)
    assert outcome(capsys, "plugins") == (0, "no plug-in is installed\n", "")
