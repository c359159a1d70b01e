"""Which spellings the installed release has: the names that a template uses are looked up before anything is called."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from typing import Any


def missing_name(source: str, namespace: Mapping[str, Any], classes: Mapping[str, Any]) -> str | None:
    """The first name in the expression `source` that does not exist, or None.

    `classes` gives, for `ctx` and `solver`, the object whose attributes a template may use.
    """
    for node in ast.walk(ast.parse(source, mode="eval")):
        if isinstance(node, ast.Name) and not _known(node.id, namespace) and node.id not in _bound_names(source):
            return node.id
        if isinstance(node, ast.Attribute):
            chain = _chain(node)
            if chain is not None and not _resolves(chain, namespace, classes):
                return ".".join(chain)
    return None


def _known(name: str, namespace: Mapping[str, Any]) -> bool:
    return name in ("a", "i", "k") or name in namespace or hasattr(builtins, name)


def _bound_names(source: str) -> list[str]:
    """Names bound inside the expression by lambdas and comprehensions."""
    bound = []
    for node in ast.walk(ast.parse(source, mode="eval")):
        if isinstance(node, ast.arg):
            bound.append(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.append(node.id)
    return bound


def _chain(node: ast.Attribute) -> list[str] | None:
    names = [node.attr]
    inner: ast.expr = node.value
    while isinstance(inner, ast.Attribute):
        names.append(inner.attr)
        inner = inner.value
    return [inner.id, *reversed(names)] if isinstance(inner, ast.Name) else None


def _resolves(chain: list[str], namespace: Mapping[str, Any], classes: Mapping[str, Any]) -> bool:
    if chain[0] == "k":
        if len(chain) < 3 or chain[1] not in classes or classes[chain[1]] is None:
            return True
        value, rest = classes[chain[1]], chain[2:]
    elif chain[0] in namespace:
        value, rest = namespace[chain[0]], chain[1:]
    else:
        return True
    for name in rest:
        if not hasattr(value, name):
            return False
        value = getattr(value, name)
    return True
