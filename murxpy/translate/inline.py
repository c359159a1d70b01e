"""Collects the helpers that a program needs from the source of the wrapper's helpers: functions,
the functions that these call, and imports.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple


def inlined(sources: Sequence[str], names: Iterable[str]) -> str:
    """Return the statements of the files `sources` that define `names`, and all statements that
    these need, in their order. A text that stands in several files is returned once.

    Statements for effect are kept. Imports from one file of helpers to another are left out.
    """
    wanted = list(names)
    if not wanted:
        return ""
    source = "\n".join(sources)
    body = _statements(source)
    imported = {
        name
        for statement in body
        if isinstance(statement.node, (ast.Import, ast.ImportFrom))
        for name in statement.defined
    }
    kept: set[ast.stmt] = set()
    known = set(wanted)
    changed = True
    while changed:
        changed = False
        for statement in body:
            if statement.node not in kept and _needed(statement, known, imported):
                kept.add(statement.node)
                known.update(statement.used)
                changed = True
    lines = source.splitlines()
    return "\n".join(
        dict.fromkeys(
            _text(statement.node, lines, known) for statement in body if statement.node in kept
        )
    )


class _Statement(NamedTuple):
    """A statement of a module, the names that it defines, and the names that it reads."""

    node: ast.stmt
    defined: frozenset[str]
    used: frozenset[str]


@lru_cache(maxsize=8)
def _statements(source: str) -> tuple[_Statement, ...]:
    """Return the statements of a module that a program may need. They are parsed once, because the
    programs of a folder share their helpers.
    """
    body = [node for node in ast.parse(source).body if not _docstring(node) and not _future(node)]
    own = {
        name
        for node in body
        if not isinstance(node, (ast.Import, ast.ImportFrom))
        for name in defined(node)
    }
    body = [
        node
        for node in body
        if not (isinstance(node, ast.ImportFrom) and own.issuperset(a.name for a in node.names))
    ]
    return tuple(_Statement(node, frozenset(defined(node)), frozenset(used(node))) for node in body)


def _docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _needed(statement: _Statement, names: set[str], imported: set[str]) -> bool:
    if isinstance(statement.node, ast.Expr):
        return True
    # such a statement changes what other statements define
    if isinstance(statement.node, (ast.If, ast.Try, ast.For)):
        return not statement.used.isdisjoint(names - imported)
    return not statement.defined.isdisjoint(names)


def defined(node: ast.stmt) -> Iterator[str]:
    """Return the names that a statement of a module defines."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (
            inner.id
            for target in targets
            for inner in ast.walk(target)
            if isinstance(inner, ast.Name)
        )


def used(node: ast.stmt) -> Iterator[str]:
    """Return the names that a statement reads."""
    return (
        inner.id
        for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    )


def _text(node: ast.stmt, lines: list[str], names: set[str]) -> str:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        aliases = [a for a in node.names if (a.asname or a.name.split(".")[0]) in names]
        return ast.unparse(
            ast.Import(aliases)
            if isinstance(node, ast.Import)
            else ast.ImportFrom(node.module, aliases, 0)
        )
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)])
    text = "\n".join(lines[first - 1 : node.end_lineno])
    return f"\n\n{text}\n" if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else text
