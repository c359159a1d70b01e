"""How long modules and functions may be: what is longer holds more than one idea."""

from __future__ import annotations

import ast
from pathlib import Path

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
    sizes = {str(path.relative_to(ROOT)): text.count("\n")} if text.count("\n") > MODULE else {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            if lines > FUNCTION:
                sizes[f"{path.relative_to(ROOT)}: {node.name}"] = lines
    return sizes


def test_modules_and_functions_hold_one_idea() -> None:
    longer = {name: lines for path in FILES for name, lines in _longer(path).items()}
    assert longer == {}, f"at most {MODULE} lines a module and {FUNCTION} a function"
