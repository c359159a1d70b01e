"""Who may import whom: each package imports only from rows below its own, and the worker side only
the standard library.
"""

from __future__ import annotations

import ast
import functools
import graphlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "murxpy"
# The rows of docs/architecture.md, highest first; `data` stands beside them, for those that load
# the data folders.
LAYERS = (
    "cli",
    "report",
    "campaign",
    "releases",
    "fuzzers",
    "oracles",
    "worker",
    "sources",
    "trees",
    "mutation",
    "enumeration",
    "passes",
    "translate",
    "replaying",
    "checks",
    "actions",
    "trace",
    "machine",
    "solvers",
    "smtlib",
    "semantics",
    "logic",
    "learning",
)
WORKER_SIDE = (*LAYERS[LAYERS.index("worker") :], "errors")
READS_DATA = ("cli", "report", "campaign", "fuzzers", "data")
EVERYBODY = ("errors",)
# The rooms of campaign/, highest first.
ROOMS = (
    "performance",
    "aftermath",
    "ranges",
    "reduction",
    "matrix",
    "stability",
    "comparing",
    "judging",
    "findings",
    "guiding",
    "replays",
    "workers",
)
CAMPAIGN_ROOMS = [("campaign", room) for room in ROOMS]
MOST_MODULES = 25  # of a folder
FILES = sorted(p for p in PACKAGE.rglob("*.py") if "_data" not in p.parts)


def layer(path: Path) -> str:
    """The package directly below `murxpy` that a file is in, or its own name."""
    inner = path.relative_to(PACKAGE)
    return inner.parts[0] if len(inner.parts) > 1 else inner.stem


@functools.cache
def imports(path: Path) -> tuple[str, ...]:
    """The modules that a file imports anywhere, also for type checking only."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            names = [f"{module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else module for name in names)


def module_name(path: Path) -> str:
    """The dotted name of the module or package in a file."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in FILES}


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """The names on a circle of the graph; empty where there is none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_down(path: Path) -> None:
    own = layer(path)
    for module in imports(path):
        parts = module.split(".")
        if parts[0] != "murxpy" or len(parts) == 1:
            continue
        other = parts[1]
        if other == own or other in EVERYBODY or own in ("__main__", "__init__"):
            continue
        if other == "data":
            assert own in READS_DATA, f"{own} imports {module}"
        elif own == "data":
            assert other in ("checks", "logic", "machine", "solvers"), f"data imports {module}"
        else:
            assert LAYERS.index(other) > LAYERS.index(own), f"{own} imports {module}"


@pytest.mark.parametrize(
    "path", [p for p in FILES if layer(p) in WORKER_SIDE], ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_the_worker_side_imports_only_the_standard_library(path: Path) -> None:
    for module in imports(path):
        root = module.split(".")[0]
        assert root == "murxpy" or root in sys.stdlib_module_names, f"{path.name} imports {module}"


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {
        name: {other for other in imports(path) if other in MODULES} - {name}
        for name, path in MODULES.items()
    }
    assert cycle(graph) == []


PACKAGES = sorted({path.parent for path in FILES})


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda p: str(p.relative_to(PACKAGE.parent)))
def test_no_rooms_of_a_package_import_each_other_in_a_circle(folder: Path) -> None:
    """A room is a folder inside a package; a module beside the rooms stands for itself."""
    prefix = module_name(folder / "__init__.py") + "."
    inside = {
        name: name.removeprefix(prefix).partition(".")[0]
        for name in MODULES
        if name.startswith(prefix)
    }
    graph: dict[str, set[str]] = {room: set() for room in inside.values()}
    for name, room in inside.items():
        graph[room] |= {inside[other] for other in imports(MODULES[name]) if other in inside} - {
            room
        }
    assert cycle(graph) == []


@pytest.mark.parametrize(
    "path",
    [p for p in FILES if p.relative_to(PACKAGE).parts[:2] in CAMPAIGN_ROOMS],
    ids=lambda p: p.stem,
)
def test_a_room_of_campaign_imports_only_from_rooms_below(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[1]
    for module in imports(path):
        parts = module.split(".")
        if (
            parts[:2] == ["murxpy", "campaign"]
            and tuple(parts[1:3]) in CAMPAIGN_ROOMS
            and parts[2] != room
        ):
            assert ROOMS.index(parts[2]) > ROOMS.index(room), f"{room} imports {module}"


def test_no_folder_is_crowded() -> None:
    for folder in PACKAGES:
        modules = [path for path in FILES if path.parent == folder and path.stem != "__init__"]
        assert len(modules) <= MOST_MODULES, (
            f"{folder.relative_to(PACKAGE.parent)} holds {len(modules)} modules"
        )


def test_every_package_has_a_row() -> None:
    packages = {p.parent.name for p in PACKAGE.glob("*/__init__.py")}
    assert packages <= {*LAYERS, "data"}


def test_the_core_imports_without_anything_installed() -> None:
    """The worker side in an interpreter that sees no site packages."""
    import subprocess

    modules = [
        ".".join(p.relative_to(PACKAGE.parent).with_suffix("").parts)
        for p in FILES
        if layer(p) in WORKER_SIDE and p.stem != "__init__"
    ]
    code = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); import importlib\nfor m in {modules!r}: importlib.import_module(m)"
    done = subprocess.run(
        [sys.executable, "-S", "-I", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
