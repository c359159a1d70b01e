"""Regular languages over code points: the values of RegLan in a normal form, and their derivatives.

Source: SMT-LIB 2.7, theory UnicodeStrings; Brzozowski, Derivatives of regular expressions, JACM
1964; Owens, Reppy, Turon, Regular-expression derivatives re-examined, JFP 2009 (character classes,
similarity). The functions that make expressions keep unions and intersections flat, sorted and
without duplicates, so that an expression has few derivatives. Expressions of equal structure are
the same object as long as the cache remembers it; two objects may still denote the same language
(`same`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count
from typing import Any

from murxpy.logic.values import MAX_CODE_POINT
from murxpy.logic.walks import subterms
from murxpy.semantics.values import CannotSay, check_length

CHARS, WORD, CONCAT, UNION, INTER, NOT, LOOP = (
    "chars",
    "word",
    "concat",
    "union",
    "inter",
    "not",
    "loop",
)
MAX_WORK = 200_000  # most parts that are looked at for one derivative
MAX_STATES = 500  # most derivatives that are looked at to compare two languages

Ranges = tuple[tuple[int, int], ...]
_serials = count()


class Regex:
    """A regular expression: its kind, its parts, and whether the empty word is in it.

    `data` depends on the kind. For characters it is the ranges of code points, which are sorted and
    do not touch; for a word it is the text; for a loop it is the least and the greatest number of
    times, None for any number. Only the functions below make expressions.
    """

    __slots__ = ("data", "kind", "nullable", "parts", "serial")

    def __init__(self, kind: str, parts: tuple[Regex, ...], data: Any, nullable: bool) -> None:
        self.kind = kind
        self.parts = parts
        self.data: Any = data
        self.nullable = nullable
        self.serial = next(_serials)

    def same(self, other: Regex) -> bool:
        """Return whether both denote the same language. Raises CannotSay if the comparison takes too
        many derivatives.
        """
        return self is other or is_empty(union((difference(self, other), difference(other, self))))


@lru_cache(maxsize=1 << 17)
def _node(kind: str, parts: tuple[Regex, ...], data: Any, nullable: bool) -> Regex:
    return Regex(kind, parts, data, nullable)


NONE = Regex(UNION, (), None, False)
EPSILON = Regex(CONCAT, (), None, True)
ALL = Regex(NOT, (NONE,), None, True)
ALLCHAR = Regex(CHARS, (), ((0, MAX_CODE_POINT),), False)


def characters(ranges: Ranges) -> Regex:
    """Return the words of one character in `ranges`, which are sorted and do not touch."""
    if not ranges:
        return NONE
    return ALLCHAR if ranges == ALLCHAR.data else _node(CHARS, (), ranges, False)


def word(text: str) -> Regex:
    """`str.to_re`."""
    if len(text) < 2:
        return characters(((ord(text), ord(text)),)) if text else EPSILON
    return _node(WORD, (), text, False)


def interval(low: str, high: str) -> Regex:
    """`re.range`. The language is empty unless both arguments are single characters and the first is
    not after the second.
    """
    if len(low) != 1 or len(high) != 1 or low > high:
        return NONE
    return characters(((ord(low), ord(high)),))


def concat(parts: Iterable[Regex]) -> Regex:
    """`re.++`."""
    flat: list[Regex] = []
    for part in parts:
        if part is NONE:
            return NONE
        for piece in part.parts if part.kind == CONCAT else (part,):
            if not (piece is ALL and flat and flat[-1] is ALL):
                flat.append(piece)
    if len(flat) < 2:
        return flat[0] if flat else EPSILON
    return _node(CONCAT, tuple(flat), None, all(p.nullable for p in flat))


def union(parts: Iterable[Regex]) -> Regex:
    """`re.union`."""
    found, ranges = _flatten(UNION, parts)
    merged = [characters(_merge([r for one in ranges for r in one]))] if ranges else []
    members = [p for p in [*merged, *found] if p is not NONE]
    if ALL in found or _opposites(found):
        return ALL
    if len(members) < 2:
        return members[0] if members else NONE
    return _node(UNION, _sorted(members), None, any(p.nullable for p in members))


def inter(parts: Iterable[Regex]) -> Regex:
    """`re.inter`."""
    found, ranges = _flatten(INTER, parts)
    common: list[Regex] = []
    for k, one in enumerate(ranges):
        common = [characters(_common(_ranges(common[0]), one))] if k else [characters(one)]
    members = [p for p in [*common, *found] if p is not ALL]
    if NONE in members or _opposites(found):
        return NONE
    if EPSILON in members:
        return EPSILON if all(p.nullable for p in members) else NONE
    if len(members) < 2:
        return members[0] if members else ALL
    return _node(INTER, _sorted(members), None, all(p.nullable for p in members))


def complement(part: Regex) -> Regex:
    """`re.comp`."""
    if part.kind == NOT:
        return part.parts[0]
    return ALL if part is NONE else _node(NOT, (part,), None, not part.nullable)


def difference(one: Regex, other: Regex) -> Regex:
    """`re.diff`."""
    return inter((one, complement(other)))


def loop(part: Regex, low: int, high: int | None) -> Regex:
    """`re.loop`, `re.^`, `re.*` (0, None), `re.+` (1, None) and `re.opt` (0, 1). The language is
    empty if `low` is greater than `high`.
    """
    if high is not None and low > high:
        return NONE
    if high == 0 or part is EPSILON or (part is NONE and low == 0):
        return EPSILON
    if part is NONE or part is ALL or (low == 1 and high == 1):
        return part
    if part.nullable:
        low = 0  # with the empty word in the language, fewer times give the same words
        if high == 1 or part.data == (0, None):
            return part
    if part is ALLCHAR and low == 0 and high is None:
        return ALL
    return _node(LOOP, (part,), (low, high), low == 0)


@lru_cache(maxsize=1 << 16)
def derivative(root: Regex, code: int) -> Regex:
    """Return the words that follow the character `code` in the language of `root`.

    Raises CannotSay if the expression is too large. Parts are handled before the expressions that
    they are in, each once and without recursion.
    """
    known: dict[Regex, Regex] = {}
    stack = [root]
    work = 0
    while stack:
        node = stack[-1]
        if node in known:
            stack.pop()
            continue
        waiting = [part for part in _looked_at(node) if part not in known]
        work += 1 + len(waiting)
        if work > MAX_WORK:
            raise CannotSay("a regular expression is too large")
        if waiting:
            stack.extend(waiting)
        else:
            known[stack.pop()] = _derive(node, code, known)
    return known[root]


def matches(text: str, root: Regex) -> bool:
    """`str.in_re`."""
    for c in text:
        if root is NONE or root is ALL:
            break
        root = derivative(root, ord(c))
    return root.nullable


def shortest_match(root: Regex, text: str, start: int, empty: bool) -> int | None:
    """Return the end of the shortest match that starts at `start`, or None. The empty match counts
    if `empty` is set.
    """
    if empty and root.nullable:
        return start
    for k in range(start, len(text)):
        root = derivative(root, ord(text[k]))
        if root.nullable:
            return k + 1
        if root is NONE:
            break
    return None


def replace_first(text: str, root: Regex, by: str) -> str:
    """`str.replace_re`: replace the shortest leftmost match, which may be empty."""
    for start in range(len(text) + 1):
        end = shortest_match(root, text, start, True)
        if end is not None:
            return text[:start] + by + text[end:]
    return text


def replace_all(text: str, root: Regex, by: str) -> str:
    """`str.replace_re_all`: replace each shortest match that is not empty, from the left."""
    check_length(len(text) * len(by))
    done: list[str] = []
    start = 0
    while start < len(text):
        end = shortest_match(root, text, start, False)
        done.append(text[start] if end is None else by)
        start = start + 1 if end is None else end
    return "".join(done)


def index_of(text: str, root: Regex, start: int) -> int:
    """`str.indexof_re` of cvc5: the first position from `start` on at which a match starts, or -1."""
    if not 0 <= start <= len(text):
        return -1
    places = range(start, len(text) + 1)
    return next((k for k in places if shortest_match(root, text, k, True) is not None), -1)


def is_empty(root: Regex) -> bool:
    """Return whether the language has no word: none of the expressions that derivatives lead to has
    the empty word. Raises CannotSay.
    """
    seen: dict[Regex, None] = {root: None}
    work = [root]
    while work:
        node = work.pop()
        if node.nullable:
            return False
        for code in _representatives(node):
            after = derivative(node, code)
            if after not in seen:
                seen[after] = None
                work.append(after)
        if len(seen) > MAX_STATES:
            raise CannotSay(f"languages that take more than {MAX_STATES} derivatives to compare")
    return True


def _representatives(root: Regex) -> list[int]:
    """Return a character of each class that the expression tells apart, and perhaps further ones."""
    edges = {0}
    for node in subterms([root], _looked_at):
        for low, high in _ranges(node):
            edges.update((low, high + 1))
        if node.kind == WORD:
            edges.update((ord(node.data[0]), ord(node.data[0]) + 1))
    return sorted(edge for edge in edges if edge <= MAX_CODE_POINT)


def _looked_at(node: Regex) -> tuple[Regex, ...]:
    """Return the parts whose derivatives are needed for that of `node`."""
    if node.kind != CONCAT:
        return node.parts
    head = next((k for k, part in enumerate(node.parts) if not part.nullable), len(node.parts))
    return node.parts[: head + 1]


def _derive(node: Regex, code: int, known: dict[Regex, Regex]) -> Regex:
    kind = node.kind
    if kind == CHARS:
        return EPSILON if any(low <= code <= high for low, high in _ranges(node)) else NONE
    if kind == WORD:
        text = str(node.data)
        return word(text[1:]) if ord(text[0]) == code else NONE
    if kind == CONCAT:
        heads = enumerate(_looked_at(node), 1)
        return union([concat([known[part], *node.parts[k:]]) for k, part in heads])
    if kind == LOOP:
        low, high = node.data
        rest = loop(node.parts[0], max(low - 1, 0), None if high is None else high - 1)
        return concat([known[node.parts[0]], rest])
    derived = [known[part] for part in node.parts]
    if kind == NOT:
        return complement(derived[0])
    return union(derived) if kind == UNION else inter(derived)


def _ranges(node: Regex) -> Ranges:
    return node.data if node.kind == CHARS else ()


def _flatten(kind: str, parts: Iterable[Regex]) -> tuple[dict[Regex, None], list[Ranges]]:
    """Return the parts without duplicates, with the parts of those of the same `kind` in their
    place, and separately the character classes among them.
    """
    found: dict[Regex, None] = {}
    ranges: list[Ranges] = []
    for piece in _pieces(kind, parts):
        if piece.kind == CHARS:
            ranges.append(_ranges(piece))
        else:
            found[piece] = None
    return found, ranges


def _pieces(kind: str, parts: Iterable[Regex]) -> Iterator[Regex]:
    for part in parts:
        if part.kind == kind and part is not NONE:
            yield from part.parts
        else:
            yield part


def _opposites(found: dict[Regex, None]) -> bool:
    return any(part.kind == NOT and part.parts[0] in found for part in found)


def _sorted(parts: list[Regex]) -> tuple[Regex, ...]:
    return tuple(sorted(parts, key=lambda part: part.serial))


def _merge(ranges: list[tuple[int, int]]) -> Ranges:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def _common(one: Ranges, other: Ranges) -> Ranges:
    pairs = [(max(a, c), min(b, d)) for a, b in one for c, d in other]
    return tuple((low, high) for low, high in pairs if low <= high)
