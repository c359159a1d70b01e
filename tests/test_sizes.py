"""How long modules and functions may be: what is longer holds more than one idea."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "murxpy"
FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if "_data" not in path.parts]
MODULE, FUNCTION = 400, 35  # lines at most

# What is longer: `module.py` or `module.py function`, with its lines. An entry may only get smaller, and goes when it is below the limit.
LONGER: dict[str, int] = {}


def _lengths(path: Path) -> dict[str, int]:
    """The lines of a module and of its functions that are above the limits."""
    name, text = str(path.relative_to(PACKAGE)), path.read_text()
    sizes = {name: text.count("\n")} if text.count("\n") > MODULE else {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            if lines > FUNCTION:
                sizes[f"{name} {node.name}"] = lines
    return sizes


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_and_functions_hold_one_idea(path: Path) -> None:
    grown = {
        name: lines for name, lines in _lengths(path).items() if lines > LONGER.get(name, FUNCTION)
    }
    assert grown == {}, f"at most {MODULE} lines a module and {FUNCTION} a function"


def test_the_list_of_longer_ones_only_shrinks() -> None:
    lengths = {name: lines for path in FILES for name, lines in _lengths(path).items()}
    assert {name: lengths.get(name) for name in LONGER} == LONGER, "shorten the entry, or remove it"
