"""How many steps a backtracking matcher takes for a pattern: the attack by which a pattern shows
that it is not linear.

`re` counts no steps, and times are no test. So the trees that `re` itself parses are matched here,
in the order in which `re` does it, and each try of a node on a character is one step.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from itertools import product
from re import _constants as k  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

LIMIT = 60_000  # steps: what takes more is called exponential; linear costs of shipped patterns reach 21,000
SIZES = (16, 32, 64)
LENGTHS = (16, 22, 128, 1600, 6400)  # characters of the texts that `re` itself is asked
MANY = 20  # a quantifier with this bound or a larger one is attacked
Rest = Callable[[int], int | None]


class TooMany(Exception):
    """The limit of steps is reached."""


class Matcher:
    """Matches one pattern, counting steps."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.tree = parser.parse(pattern.pattern, pattern.flags)
        self.flags = self.tree.state.flags
        self.steps = 0
        self.taken: dict[tuple[int, str], bool] = {}  # by the class of characters and the character

    def cost(self, text: str, mode: str) -> int:
        """The steps of `match`, `fullmatch`, or of all searches in the text (any other mode)."""
        self.text, self.steps, self.groups = text, 0, {}
        try:
            if mode in ("match", "fullmatch"):
                self._sequence(
                    self.tree, 0, 0, lambda at: at if mode == "match" or at == len(text) else None
                )
            else:
                self._all()
        except (TooMany, RecursionError):
            return LIMIT
        return self.steps

    def _all(self) -> None:
        at = 0
        while at <= len(self.text):
            end = self._sequence(self.tree, 0, at, lambda at: at)
            at = max(end, at + 1) if end is not None else at + 1

    def _sequence(self, nodes: Any, index: int, at: int, rest: Rest) -> int | None:
        if index == len(nodes):
            return rest(at)
        op, value = nodes[index]
        return self._node(op, value, at, lambda to: self._sequence(nodes, index + 1, to, rest))

    def _node(self, op: Any, value: Any, at: int, rest: Rest) -> int | None:
        self.steps += 1
        if self.steps > LIMIT:
            raise TooMany
        if op in (k.LITERAL, k.NOT_LITERAL, k.ANY, k.IN):
            return (
                rest(at + 1)
                if at < len(self.text) and self._takes(op, value, self.text[at])
                else None
            )
        if op is k.SUBPATTERN:
            return self._group(value, at, rest)
        if op is k.BRANCH:
            return next(
                (
                    end
                    for branch in value[1]
                    if (end := self._sequence(branch, 0, at, rest)) is not None
                ),
                None,
            )
        if op in (k.MAX_REPEAT, k.MIN_REPEAT):
            return self._repeat(op is k.MAX_REPEAT, value, 0, at, rest)
        if op is k.POSSESSIVE_REPEAT:
            end = self._repeat(True, value, 0, at, lambda to: to)
            return None if end is None else rest(end)
        if op is k.ATOMIC_GROUP:
            end = self._sequence(value, 0, at, lambda to: to)
            return None if end is None else rest(end)
        if op is k.AT:
            return rest(at) if self._stands(value, at) else None
        if op is k.GROUPREF:
            known = self.groups.get(value, "")
            self.steps += len(known)
            return rest(at + len(known)) if self.text.startswith(known, at) else None
        assert op in (k.ASSERT, k.ASSERT_NOT), op
        direction, inner = value
        starts = [at] if direction > 0 else [at - inner.getwidth()[0]]
        found = starts[0] >= 0 and self._sequence(inner, 0, starts[0], lambda to: to) is not None
        return rest(at) if found is (op is k.ASSERT) else None

    def _group(self, value: Any, at: int, rest: Rest) -> int | None:
        number, _, _, inner = value

        def close(to: int) -> int | None:
            self.groups[number] = self.text[at:to]
            return rest(to)

        return self._sequence(inner, 0, at, close)

    def _repeat(self, greedy: bool, value: Any, done: int, at: int, rest: Rest) -> int | None:
        least, most, body = value
        if len(body) == 1 and body[0][0] in (k.LITERAL, k.NOT_LITERAL, k.ANY, k.IN):
            return self._repeat_one(greedy, value, at, rest)

        def again(to: int) -> int | None:
            return (
                None
                if to == at and done >= least
                else self._repeat(greedy, value, done + 1, to, rest)
            )

        def more() -> int | None:
            return (
                self._sequence(body, 0, at, again) if most is k.MAXREPEAT or done < most else None
            )

        if done < least:
            return more()
        first, second = (more, lambda: rest(at)) if greedy else (lambda: rest(at), more)
        end = first()
        return second() if end is None else end

    def _repeat_one(self, greedy: bool, value: Any, at: int, rest: Rest) -> int | None:
        """The same for a body that takes one character, without a call for each of them."""
        least, most, ((op, item),) = value

        def more() -> bool:
            self.steps += 1
            if self.steps > LIMIT:
                raise TooMany
            return to < len(self.text) and self._takes(op, item, self.text[to])

        to, last = at, len(self.text) + 1 if most is k.MAXREPEAT else at + most
        if greedy:
            while to < last and more():
                to += 1
            ends = range(to, at + least - 1, -1)
            return next((end for one in ends if (end := rest(one)) is not None), None)
        while True:
            if to >= at + least and (end := rest(to)) is not None:
                return end
            if to == last or not more():
                return None
            to += 1

    def _takes(self, op: Any, value: Any, char: str) -> bool:
        if op is k.ANY:
            return char != "\n" or bool(self.flags & re.DOTALL)
        fold = str.lower if self.flags & re.IGNORECASE else str
        if op in (k.LITERAL, k.NOT_LITERAL):
            return (fold(char) == fold(chr(value))) is (op is k.LITERAL)
        known = self.taken.get((id(value), char))
        if known is None:
            known = self.taken[id(value), char] = in_class(value, char)
        return known

    def _stands(self, where: Any, at: int) -> bool:
        text, lines = self.text, bool(self.flags & re.MULTILINE)
        if where in (k.AT_BOUNDARY, k.AT_NON_BOUNDARY):
            before = at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_")
            behind = at < len(text) and (text[at].isalnum() or text[at] == "_")
            return (before is not behind) is (where is k.AT_BOUNDARY)
        if where is k.AT_END:
            return at == len(text) or (text[at] == "\n" and (lines or at == len(text) - 1))
        if where is k.AT_BEGINNING:
            return at == 0 or (lines and text[at - 1] == "\n")
        return at == (0 if where is k.AT_BEGINNING_STRING else len(text))


_CATEGORIES = {
    k.CATEGORY_DIGIT: str.isdigit,
    k.CATEGORY_SPACE: str.isspace,
    k.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
    k.CATEGORY_NOT_DIGIT: lambda c: not c.isdigit(),
    k.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
    k.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
}


def in_class(items: Any, char: str) -> bool:
    """True if the class `[...]` has the character."""
    negated, found = False, False
    for op, value in items:
        if op is k.NEGATE:
            negated = True
        elif op is k.LITERAL:
            found = found or ord(char) == value
        elif op is k.RANGE:
            found = found or value[0] <= ord(char) <= value[1]
        else:
            found = found or _CATEGORIES[value](char)
    return found is not negated


# -- attacks


def super_linear(pattern: re.Pattern[str], mode: str) -> str | None:
    """A text for which the steps grow faster than its length, as a Python expression; None where no
    attack succeeds.

    `re` itself is asked first, since it is a hundred times as fast as the count: what it answers at
    once need not be counted. `mode` is the name of the method of the pattern that is used.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 20_000))
    try:
        return _attacked(pattern, mode)
    finally:
        sys.setrecursionlimit(before)  # other tests of this process find the usual one


def _attacked(pattern: re.Pattern[str], mode: str) -> str | None:
    matcher = Matcher(pattern)
    for prefix, pump, suffix in attacks(matcher.tree, mode):
        if not any(
            _slow(pattern, mode, prefix + pump * (length // len(pump)) + suffix)
            for length in LENGTHS
        ):
            continue
        costs = [matcher.cost(prefix + pump * size + suffix, mode) for size in SIZES]
        small, large = costs[1] - costs[0], costs[2] - costs[1]
        if costs[2] > 6 * SIZES[2] and (large > 3 * small or costs[2] >= LIMIT):
            return f"{prefix!r} + {pump!r} * n + {suffix!r}: {costs}"
    return None


def _slow(pattern: re.Pattern[str], mode: str, text: str) -> bool:
    """True if the text takes long twice: on a busy machine each text may take long once."""
    ask = getattr(pattern, mode if mode in ("match", "fullmatch") else "findall")
    for _ in range(2):
        began = time.process_time()
        ask(text)
        if time.process_time() - began <= 0.0008:
            return False
    return True


def attacks(tree: Any, mode: str) -> Iterator[tuple[str, str, str]]:
    """Prefix, what is repeated, suffix: for each quantifier, texts that lead to it and around in
    it, and characters that may not fit. All that takes a character fails at the end of a
    text, so that one more character is tried only where the pattern asks for the end.
    """
    chars = alphabet(tree)
    found: dict[tuple[str, str], None] = {}
    for prefix, body in quantifiers(tree, ""):
        samples = texts(body, chars)[:4]
        pumps = [
            *samples,
            *chars,
            *[f"{prefix}{way}" for way in samples[:2]],
            *["".join(pair) for pair in product(samples[:3], repeat=2)],
        ]
        found.update(
            dict.fromkeys((start, pump) for pump in pumps if pump for start in ("", prefix))
        )
    ends = mode == "fullmatch" or any(name in repr(tree) for name in ("AT_END", "ASSERT_NOT"))
    yield from ((*attack, suffix) for attack in found for suffix in ("", "\0")[: 1 + ends])


def quantifiers(nodes: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """A text that leads to each quantifier, and its body."""
    for op, value in nodes:
        if op in (k.MAX_REPEAT, k.MIN_REPEAT, k.POSSESSIVE_REPEAT):
            least, most, body = value
            if most is k.MAXREPEAT or most >= MANY:
                yield prefix, body
            yield from quantifiers(body, prefix)
            prefix += sample(body) * max(least, 1)
        elif op is k.BRANCH:
            for branch in value[1]:
                yield from quantifiers(branch, prefix)
            prefix += sample(value[1][0])
        elif op in (k.SUBPATTERN, k.ATOMIC_GROUP):
            inner = value[3] if op is k.SUBPATTERN else value
            yield from quantifiers(inner, prefix)
            prefix += sample(inner)
        else:
            prefix += sample([(op, value)])


def sample(nodes: Any) -> str:
    """A text that the nodes match, or nearly so."""
    return texts(nodes, "a0 _-")[0]


def texts(nodes: Any, chars: Any) -> list[str]:
    """Some texts that the nodes match: one for each branch and for each kind of character."""
    found = [""]
    for op, value in nodes:
        ways = _ways(op, value, chars)
        found = [a + b for a in found[:3] for b in ways[:8]]
    return found


def _ways(op: Any, value: Any, chars: Any) -> list[str]:
    if op is k.LITERAL:
        return [chr(value)]
    if op in (k.NOT_LITERAL, k.ANY):
        return [c for c in chars if op is k.ANY or ord(c) != value] or ["x"]
    if op is k.IN:
        return [c for c in chars if in_class(value, c)] or [
            chr(c) for c in range(9, 1000) if in_class(value, chr(c))
        ][:1]
    if op in (k.MAX_REPEAT, k.MIN_REPEAT, k.POSSESSIVE_REPEAT):
        return [way * max(value[0], 1) for way in texts(value[2], chars)]
    if op is k.BRANCH:
        return [way for branch in value[1] for way in texts(branch, chars)[:3]]
    if op in (k.SUBPATTERN, k.ATOMIC_GROUP):
        return texts(value[3] if op is k.SUBPATTERN else value, chars)
    return [""]


def alphabet(nodes: Any) -> list[str]:
    """The characters that a pattern names, and some of each category."""
    found: dict[str, None] = {}

    def walk(nodes: Any) -> None:
        for op, value in nodes:
            if op in (k.LITERAL, k.NOT_LITERAL):
                found.setdefault(chr(value))
            elif op is k.RANGE:
                found.setdefault(chr(value[0]))
            elif op is k.IN:
                walk(value)
            elif op is k.BRANCH:
                for branch in value[1]:
                    walk(branch)
            elif op in (
                k.SUBPATTERN,
                k.MAX_REPEAT,
                k.MIN_REPEAT,
                k.POSSESSIVE_REPEAT,
                k.ASSERT,
                k.ASSERT_NOT,
            ):
                walk(value[-1])
            elif op is k.ATOMIC_GROUP:
                walk(value)

    walk(nodes)
    letters = [c for c in found if c.isalpha()][:3]
    return list(
        dict.fromkeys(
            [*[c for c in found if not c.isalpha()][:9], *letters, "a", "0", " ", "\n", "("]
        )
    )
