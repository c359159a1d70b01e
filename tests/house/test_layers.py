"""Who may import whom: each room imports only from rooms below its own, and the worker side only the
standard library.
"""

from __future__ import annotations

import ast
import functools
import graphlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "murxpy"
# The rooms of docs/architecture.md, highest first. A module is in the room with the longest name that its own name begins
# with: `machine.checks.cores` is in `machine.checks`. `data` stands beside them, for those that load the data folders.
ROOMS = (
    "api",
    "cli",
    "campaign",
    "studies",
    "campaign.behind",
    "reduction",
    "judging",
    "findings",
    "steering",
    "records",
    "cluster",
    "processes",
    "fuzzers",
    "findings.kinds",
    "oracles",
    "graphs",
    "worker",
    "sources",
    "passes",
    "translate",
    "machine.replaying",
    "machine.checks",
    "machine.actions",
    "machine.trace",
    "machine",
    "solvers",
    "smtlib",
    "semantics",
    "logic",
    "learning",
)
HOST_SIDE = ROOMS[: ROOMS.index("worker")]
WORKER_SIDE = (*ROOMS[ROOMS.index("worker") :], "errors", "foreign", "grants", "modules")
DATA_READS = ("graphs", "machine.checks", "logic", "machine", "solvers")
EVERYBODY = ("errors", "foreign", "grants", "modules", "plugins")
FILES = sorted(p for p in PACKAGE.rglob("*.py") if "_data" not in p.parts)


def room(module: str) -> str:
    """The room that a module is in. A module that is in none stands for itself."""
    inner = module.removeprefix("murxpy.")
    found = [name for name in (*ROOMS, "data") if f"{inner}.".startswith(f"{name}.")]
    return max(found, key=len, default=inner)


@functools.cache
def imports(path: Path) -> tuple[str, ...]:
    """The modules that a file imports anywhere, also for type checking only."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in _statements(ast.parse(path.read_text()).body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            names = [f"{module}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else module for name in names)


def _statements(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The statements and those in them. No expression imports anything, and there are far more of
    those.
    """
    for node in nodes:
        yield node
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from _statements(getattr(node, name, ()))


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
    """True if a module of the room `own` may import from the room `other`."""
    if other == own or other in EVERYBODY or own in ("__main__", "murxpy"):
        return True
    if other == "data":
        return own in HOST_SIDE
    if own == "data":
        return other in DATA_READS
    return ROOMS.index(other) > ROOMS.index(own)


def test_imports_go_down() -> None:
    upward = [
        f"{module_name(path)} imports {module}"
        for path in FILES
        for module in imports(path)
        if module.startswith("murxpy.") and not _may_import(room(module_name(path)), room(module))
    ]
    assert upward == []


def test_the_worker_side_imports_only_the_standard_library() -> None:
    foreign = [
        f"{module_name(path)} imports {module}"
        for path in FILES
        if room(module_name(path)) in WORKER_SIDE
        for module in imports(path)
        if module.split(".")[0] not in ("murxpy", *sys.stdlib_module_names)
    ]
    assert foreign == []


def test_only_graphs_imports_networkx() -> None:
    using = {room(module_name(path)) for path in FILES if "networkx" in imports(path)}
    assert using == {"graphs"}


def test_no_modules_import_each_other_in_a_circle() -> None:
    # The package's own module imports what it makes public when that is first used.
    graph = {
        name: {other for other in imports(path) if other in MODULES} - {name, "murxpy"}
        for name, path in MODULES.items()
    }
    assert cycle(graph) == []


def test_every_package_is_in_a_room() -> None:
    packages = {module_name(p) for p in PACKAGE.glob("*/**/__init__.py") if "_data" not in p.parts}
    assert {name for name in packages if room(name) not in (*ROOMS, "data")} == set()


def test_the_core_imports_without_anything_installed() -> None:
    """The worker side in an interpreter that sees no site packages."""
    import subprocess

    modules = [
        ".".join(p.relative_to(PACKAGE.parent).with_suffix("").parts)
        for p in FILES
        if room(module_name(p)) in WORKER_SIDE and p.stem != "__init__"
    ]
    code = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); import importlib\nfor m in {modules!r}: importlib.import_module(m)"
    done = subprocess.run(
        [sys.executable, "-S", "-I", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
