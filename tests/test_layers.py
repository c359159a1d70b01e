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
WORKER_SIDE = (*LAYERS[LAYERS.index("worker") :], "errors", "foreign")
READS_DATA = ("cli", "report", "campaign", "fuzzers", "data")
DATA_READS = ("checks", "logic", "machine", "solvers")
EVERYBODY = ("errors", "foreign")
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


def _may_import(own: str, other: str) -> bool:
    """True if a module of the package `own` may import from the package `other`."""
    if other == own or other in EVERYBODY or own in ("__main__", "__init__"):
        return True
    if other == "data":
        return own in READS_DATA
    if own == "data":
        return other in DATA_READS
    return LAYERS.index(other) > LAYERS.index(own)


def test_imports_go_down() -> None:
    upward = [
        f"{module_name(path)} imports {module}"
        for path in FILES
        for module in imports(path)
        if module.startswith("murxpy.") and not _may_import(layer(path), module.split(".")[1])
    ]
    assert upward == []


def test_the_worker_side_imports_only_the_standard_library() -> None:
    foreign = [
        f"{module_name(path)} imports {module}"
        for path in FILES
        if layer(path) in WORKER_SIDE
        for module in imports(path)
        if module.split(".")[0] not in ("murxpy", *sys.stdlib_module_names)
    ]
    assert foreign == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {
        name: {other for other in imports(path) if other in MODULES} - {name}
        for name, path in MODULES.items()
    }
    assert cycle(graph) == []


PACKAGES = sorted({path.parent for path in FILES})


@pytest.mark.parametrize("folder", PACKAGES, ids=module_name)
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


def _room(module: str) -> str | None:
    """The room of `campaign/` that a module is in."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["murxpy", "campaign"] and parts[2:3] != [] else None


def test_a_room_of_campaign_imports_only_from_rooms_below() -> None:
    upward = [
        f"{name} imports {module}"
        for name, path in MODULES.items()
        if (own := _room(name)) in ROOMS
        for module in imports(path)
        if (room := _room(module)) in ROOMS and room != own and ROOMS.index(room) < ROOMS.index(own)
    ]
    assert upward == []


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
