"""Processes that murxpy starts with Python import nothing from the current folder, which may be a stranger's."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "murxpy"


def _modules(path: Path) -> Iterator[list[str]]:
    """The words before `-m` in each list of words that a program of murxpy's is started with."""
    text = path.read_text(encoding="utf-8")
    if '"-m"' not in text:  # most files need not be parsed
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.List):
            words = [word.value if isinstance(word, ast.Constant) else "" for word in node.elts]
            if "-m" in words:
                yield [str(word) for word in words[: words.index("-m")]]


def test_python_is_started_with_a_module_only_where_the_current_folder_is_no_place_for_modules() -> (
    None
):
    found = {path: list(_modules(path)) for path in sorted(PACKAGE.rglob("*.py"))}
    assert sum(map(len, found.values())) >= 5
    assert not [
        (path, words) for path, lists in found.items() for words in lists if "-P" not in words
    ]
