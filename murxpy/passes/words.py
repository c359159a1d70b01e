"""Simpler words: fewer arguments, smaller numbers, shorter texts, plain symbols."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from murxpy.machine.tokens import Quoted, Ref, Token
from murxpy.replaying.defuse import PLANT, Script, closed, matching_pops
from murxpy.trace.grammar import Line

_COUNTED = ("check-sat-assuming", "get-value", "get-value-completion")
# An action, the one that does less, and how many words that takes (None: all).
_PLAINER: dict[str, tuple[str, int | None]] = {
    "check-sat-assuming": ("check-sat", 0),
    "assert-tracked": ("assert-formula", 1),
    "get-value-completion": ("get-value", None),
}
_NAMED = {"mk-const": 1, "mk-var": 1, "mk-fun": 0, "assert-tracked": 1}


def _with(lines: Script, at: int, args: list[Token], spelled: bool = True) -> Script:
    line = (
        replace(lines[at], args=args) if spelled else replace(lines[at], args=args, spelling=None)
    )
    return (*lines[:at], line, *lines[at + 1 :])


def terms_of(line: Line) -> tuple[int, int] | None:
    """Where the counted terms of the line begin, and how many there are; None where it has none."""
    if line.action not in (*_COUNTED, "mk-term"):
        return None
    for at, token in enumerate(line.args[:-1]):
        following = line.args[at + 1]
        if type(token) is int and isinstance(following, Ref) and following.letter == "t":
            return at + 1, token
    return None


def fewer_terms(lines: Script, at: int) -> Iterator[Script]:
    """With fewer of the counted terms of the line at `at`: one half, the other half, each one left
    out.
    """
    place = terms_of(lines[at])
    if place is None:
        return
    start, count = place
    least = 1 if lines[at].action in _COUNTED else 2
    parts = [(0, count // 2), (count // 2, count)] if count > 3 else []
    parts += [(index, index + 1) for index in range(count - 1, -1, -1)]
    for low, high in parts:
        if count - (high - low) >= least:
            for args in _cut(lines[at].args, start, count, low, high):
                yield _with(lines, at, args)
                yield _with(lines, at, args, spelled=False)


def _cut(args: list[Token], start: int, count: int, low: int, high: int) -> Iterator[list[Token]]:
    """The words without the terms from `low` up to `high`, and without their weights where each
    term has one.
    """
    terms = [*args[start : start + low], *args[start + high : start + count]]
    rest = args[start + count :]
    head: list[Token] = [*args[: start - 1], len(terms)]
    weights = len(rest) - 2  # a count, a bound, and a weight each
    if weights == count:
        left = [*rest[2 : 2 + low], *rest[2 + high :]]
        yield [*head, *terms, len(left) + 1, rest[1], *left]
    else:
        yield [*head, *terms, *rest]


def fewer_levels(lines: Script, at: int) -> Iterator[Script]:
    """With one level less for the `push` at `at`, then also for the last pop of its levels; with
    fewer for the `pop` at `at`.
    """
    line = lines[at]
    count = line.args[0] if line.action in ("push", "pop") and line.args else 0
    if not isinstance(count, int) or count < 2:
        return
    if line.action == "pop":
        yield _with(lines, at, [1])
        yield _with(lines, at, [count - 1])
        return
    yield closed(_with(lines, at, [count - 1]))
    changed = list(_with(lines, at, [count - 1]))
    pops = matching_pops(lines, at)
    if pops:
        popped = lines[pops[-1]].args[0]
        if isinstance(popped, int) and popped > 1:
            changed[pops[-1]] = replace(lines[pops[-1]], args=[popped - 1])
        else:
            del changed[pops[-1]]
    yield tuple(changed)


def simpler_actions(lines: Script, at: int) -> Iterator[Script]:
    """With a plainer action for that of the line at `at`, with as many of its words as that takes."""
    line = lines[at]
    if line.action in _PLAINER and line.args:
        plain, taken = _PLAINER[line.action]
        changed = replace(line, action=plain, args=line.args[:taken], spelling=None)
        yield (*lines[:at], changed, *lines[at + 1 :])


def smaller_words(lines: Script, at: int) -> Iterator[Script]:
    """With one number or text of the line at `at` made smaller; counts and bases of literals stay."""
    line = lines[at]
    place = terms_of(line)
    for word, token in enumerate(line.args):
        for smaller in _smaller(line, word, token, place):
            yield _with(lines, at, [*line.args[:word], smaller, *line.args[word + 1 :]])


def _smaller(line: Line, word: int, token: Token, place: tuple[int, int] | None) -> list[Token]:
    if isinstance(token, bool):
        return [False] if token else []
    if isinstance(token, int):
        return _numbers(token) if _free(line, word, place) else []
    return (
        _texts(token.text)
        if isinstance(token, Quoted) and line.action in ("mk-value", PLANT)
        else []
    )


def _free(line: Line, word: int, place: tuple[int, int] | None) -> bool:
    """Whether the number at `word` counts no words of the line."""
    if line.action == "mk-term":
        return place is not None and word > place[0] + place[1]
    if line.action == "mk-sort":
        return word > 0 and line.args[0] == "SORT_FP"
    return line.action in ("set-limit", "set-option") or _elements(line)


def _elements(line: Line) -> bool:
    """Whether the line says how many elements an uninterpreted sort has in the planted model."""
    return line.action == PLANT and isinstance(line.args[0], Ref) and line.args[0].letter == "s"


def _numbers(number: int) -> list[Token]:
    """Smaller numbers, the smallest first."""
    steps = [0, 1, 2, number // 2, number - 1] if number > 0 else [0, 1, -number, number // 2]
    return [
        step
        for step in dict.fromkeys(steps)
        if 2 * abs(step) + (step < 0) < 2 * abs(number) + (number < 0)
    ]


def _texts(text: str) -> list[Token]:
    """Shorter texts, of digits only where it is a number; those of the same length have simpler
    characters.
    """
    if set(text) <= set("01"):
        return (
            [Quoted("0" * len(text)), Quoted("0" * (len(text) - 1) + "1")]
            if len(text) > 1
            else [Quoted("0"), Quoted("1")]
        )
    shorter = [
        "",
        "0",
        "1",
        "a",
        text[: len(text) // 2],
        text[len(text) // 2 :],
        text[1:],
        text[:-1],
    ]
    return [
        Quoted(other)
        for other in dict.fromkeys(shorter)
        if len(other) < len(text) or other in ("0", "a")
    ]


def plain_symbols(lines: Script) -> Script:
    """The same lines with short symbols, in the order in which they come: `a`, `b`, … `z`, `a1`, …"""
    names: dict[str, str] = {}
    for line in lines:
        symbol = _symbol(line)
        if symbol is not None:
            names.setdefault(symbol, _short(len(names)))
    return tuple(_renamed(line, names) for line in lines)


def plain_symbol(lines: Script, at: int) -> Iterator[Script]:
    """With a short or a shorter symbol for the one that the line at `at` declares, where nothing
    else is called so.
    """
    symbol = _symbol(lines[at])
    if symbol is None:
        return
    taken = {token.text for line in lines for token in line.args if isinstance(token, Quoted)}
    free = next(name for name in map(_short, range(len(taken) + 1)) if name not in taken)
    half = len(symbol) // 2
    for name in (free, symbol[:half], symbol[half:], symbol[1:], symbol[:-1]):
        if name and name not in taken:
            yield tuple(_renamed(line, {symbol: name}) for line in lines)


def _short(number: int) -> str:
    return f"{chr(97 + number % 26)}{number // 26 or ''}"


def _symbol(line: Line) -> str | None:
    """The symbol that the line declares."""
    word = line.args[_NAMED[line.action]] if line.action in _NAMED else None
    return word.text if isinstance(word, Quoted) else None


def _renamed(line: Line, names: dict[str, str]) -> Line:
    symbol = _symbol(line)
    if symbol is None:
        return line
    where = _NAMED[line.action]
    return replace(
        line, args=[*line.args[:where], Quoted(names.get(symbol, symbol)), *line.args[where + 1 :]]
    )


def plain_seeds(lines: Script) -> Script:
    """The same lines, each with the seed 0."""
    return tuple(replace(line, seed=0) for line in lines)


def plain_seed(lines: Script, at: int) -> Iterator[Script]:
    """With the seed 0 for the line at `at`."""
    if lines[at].seed:
        yield (*lines[:at], replace(lines[at], seed=0), *lines[at + 1 :])
