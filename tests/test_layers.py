"""Who may import whom: each package imports only from rows below its own, and the worker side only
the standard library.
"""

from __future__ import annotations

import ast
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
    "fuzzers",
    "oracles",
    "worker",
    "mutation",
    "trace",
    "machine",
    "solvers",
    "smtlib",
    "semantics",
    "logic",
)
WORKER_SIDE = (
    "worker",
    "mutation",
    "trace",
    "machine",
    "solvers",
    "smtlib",
    "semantics",
    "logic",
    "errors",
)
READS_DATA = ("cli", "report", "campaign", "fuzzers", "data")
EVERYBODY = ("errors",)
FILES = sorted(p for p in PACKAGE.rglob("*.py") if "_data" not in p.parts)


def layer(path: Path) -> str:
    """The package directly below `murxpy` that a file is in, or its own name."""
    inner = path.relative_to(PACKAGE)
    return inner.parts[0] if len(inner.parts) > 1 else inner.stem


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports anywhere, but for type checking only."""
    tree = ast.parse(path.read_text())
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


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
            assert other in ("logic", "machine", "solvers"), f"data imports {module}"
        else:
            assert LAYERS.index(other) > LAYERS.index(own), f"{own} imports {module}"


@pytest.mark.parametrize(
    "path", [p for p in FILES if layer(p) in WORKER_SIDE], ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_the_worker_side_imports_only_the_standard_library(path: Path) -> None:
    for module in imports(path):
        root = module.split(".")[0]
        assert root == "murxpy" or root in sys.stdlib_module_names, f"{path.name} imports {module}"


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
