"""Finds out which spellings the installed release has. The names in a template are looked up before
anything is called.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Mapping
from functools import cache
from types import FunctionType
from typing import Any


def missing_name(
    source: str, namespace: Mapping[str, Any], classes: Mapping[str, Any]
) -> str | None:
    """Return the first name in the expression `source` that does not exist or does not take as many
    arguments, or None if there is none.

    `classes` has for `ctx` and `solver` the object whose attributes a template may use.
    """
    for node in ast.walk(ast.parse(source, mode="eval")):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and not _takes(namespace.get(node.func.id), node)
        ):
            return f"{node.func.id} with {len(node.args)} arguments"
        if (
            isinstance(node, ast.Name)
            and not _known(node.id, namespace)
            and node.id not in _bound_names(source)
        ):
            return node.id
        if isinstance(node, ast.Attribute):
            chain = _chain(node)
            if chain is not None and not _resolves(chain, namespace, classes):
                return ".".join(chain)
    return None


def _takes(function: Any, call: ast.Call) -> bool:
    """Return False if a function written in Python cannot take the arguments of a call. An older
    release of it may take others.
    """
    if not isinstance(function, FunctionType) or any(
        isinstance(part, ast.Starred) for part in call.args
    ):
        return True
    names = [keyword.arg for keyword in call.keywords]
    if None in names:
        return True
    try:
        _signature(function).bind(*call.args, **{str(name): None for name in names})
    except TypeError:
        return False
    return True


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _known(name: str, namespace: Mapping[str, Any]) -> bool:
    return name in ("a", "i", "k") or name in namespace or hasattr(builtins, name)


def _bound_names(source: str) -> list[str]:
    """Return the names that lambdas and comprehensions inside of the expression bind."""
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
