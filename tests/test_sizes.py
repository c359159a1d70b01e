"""How long modules and functions may be: what is longer holds more than one idea."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = [
    path
    for folder in ("murxpy", "wrappers")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "_data" not in path.parts
]
MODULE, FUNCTION = 400, 35  # lines at most


def _longer(path: Path) -> dict[str, int]:
    """The lines of a module and of its functions that are above the limits, by their names."""
    text = path.read_text(encoding="utf-8")
    sizes = {path.name: text.count("\n")} if text.count("\n") > MODULE else {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            if lines > FUNCTION:
                sizes[node.name] = lines
    return sizes


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_and_functions_hold_one_idea(path: Path) -> None:
    assert _longer(path) == {}, f"at most {MODULE} lines a module and {FUNCTION} a function"
