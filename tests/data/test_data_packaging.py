"""Where the data folders are found: in place in a checkout, inside the package in an installation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from murxpy.data.folders import shipped_folder
from murxpy.fuzzers.setups import Mutation
from murxpy.processes.plans import Request

ROOT = Path(__file__).resolve().parents[2]


def copy_of(*names: str, to: Path) -> None:
    """Copy files and folders of the checkout, without caches."""
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name)


def first_line(python: str, cwd: Path, path: Path | None = None) -> str:
    """The first line of `murxpy fsm show`, with `path` as PYTHONPATH."""
    env = {**os.environ, "PYTHONPATH": "" if path is None else str(path)}
    shown = subprocess.run(
        [python, "-m", "murxpy", "fsm", "show"],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    return (shown.stdout or shown.stderr).splitlines()[0]


def edit(folder: Path) -> None:
    """Change the first words of the default machine's description."""
    path = folder / "fsm" / "default.yaml"
    path.write_text(path.read_text().replace("about: builds", "about: EDITED builds"))


def test_checkout_is_used_in_place(tmp_path: Path) -> None:
    copy_of("murxpy", "fsm", "wrappers", "pyproject.toml", to=tmp_path)
    edit(tmp_path)
    assert first_line(sys.executable, Path("/"), tmp_path).startswith("default: EDITED builds")


def test_a_wheel_has_no_seeds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And seeds that the user names are the user's, whatever the mutation fuzzer."""
    seed = tmp_path / "seed.smt2"
    request = Request(("z3",), mutation=Mutation((("opfuzz", 1.0),), (str(seed),)))
    for name in ("fsm", "wrappers"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.setattr("murxpy.data.folders._root", lambda: tmp_path)
    assert shipped_folder("seeds") is None and str(seed) in request.files()


def test_package_without_checkout(tmp_path: Path) -> None:
    copy_of("murxpy", to=tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "other"\n')
    assert "the data folder 'fsm' is missing" in first_line(sys.executable, Path("/"), tmp_path)
    copy_of("fsm", "wrappers", to=tmp_path / "murxpy" / "_data")
    edit(tmp_path / "murxpy" / "_data")
    assert first_line(sys.executable, Path("/"), tmp_path).startswith("default: EDITED builds")


@pytest.mark.slow
def test_wheel_and_editable_install(tmp_path: Path) -> None:
    source = tmp_path / "source"
    copy_of(
        "murxpy",
        "fsm",
        "wrappers",
        "traces/FORMAT.md",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        to=source,
    )
    subprocess.run(
        [sys.executable, "-m", "build", "-w", "-o", str(tmp_path), str(source)], check=True
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {"murxpy/_data/fsm/theories/bv.yaml", "murxpy/_data/wrappers/z3.yaml"} <= set(names)
    templates = (ROOT / "murxpy" / "cli" / "report" / "templates").iterdir()
    assert {f"murxpy/cli/report/templates/{file.name}" for file in templates} <= set(names)
    assert "murxpy/_data/traces/FORMAT.md" in names
    venv.create(tmp_path / "env", with_pip=True)
    python = str(tmp_path / "env" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "-q", str(wheel)], check=True)
    assert first_line(python, Path("/")).startswith("default: builds")
    subprocess.run([python, "-m", "pip", "install", "-q", "-e", str(source)], check=True)
    edit(source)
    assert first_line(python, Path("/")).startswith("default: EDITED builds")
    assert not list((tmp_path / "env").rglob("murxpy/_data"))
