"""Walks over terms, and over other things with shared parts: sorts, regular expressions, lists of
lists. No walk recurses, because terms are deeper than Python's stack.

`inner` gives the parts of a node; by default, these are the arguments of a term. Unless its docstring
says otherwise, a walk begins with the last root and goes on with the last part. A walk asks for the
parts of a node after the caller has seen the node.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, TypeVar

N = TypeVar("N")
H = TypeVar("H", bound=Hashable)

ARGS: Callable[[Any], tuple[Any, ...]] = attrgetter("args")


def occurrences(roots: Iterable[N], inner: Callable[[N], Iterable[N]] = ARGS) -> Iterator[N]:
    """Yield each occurrence of a node in `roots`, before its parts."""
    stack = list(roots)
    while stack:
        node = stack.pop()
        yield node
        stack.extend(inner(node))


def subterms(
    roots: Iterable[H], inner: Callable[[H], Iterable[H]] = ARGS, seen: set[H] | None = None
) -> Iterator[H]:
    """Yield all different nodes in `roots`, including `roots` themselves, before their parts. Skip
    those in `seen`, and add the others to it.
    """
    known: set[H] = set() if seen is None else seen
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in known:
            known.add(node)
            yield node
            stack.extend(inner(node))


def preorder(roots: Sequence[H], inner: Callable[[H], Sequence[H]] = ARGS) -> Iterator[H]:
    """Yield all different nodes in `roots`, before their parts, the first root and part first."""
    return subterms(reversed(roots), lambda node: reversed(inner(node)))


def bottom_up(
    root: H, done: Container[object], inner: Callable[[H], Iterable[H]] = ARGS
) -> Iterator[H]:
    """Yield the nodes in `root` that are not in `done`, parts first. The caller must add each to
    `done` before it asks for the next.
    """
    stack = [root]
    while stack:
        node = stack[-1]
        waiting = [] if node in done else [part for part in inner(node) if part not in done]
        if waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        if node not in done:
            yield node


def backwards(term: Any) -> tuple[Any, ...]:
    """Return the arguments of a term, the last one first. With these parts, a walk takes the first
    argument first.
    """
    args: tuple[Any, ...] = term.args
    return args[::-1]
