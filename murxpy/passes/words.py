"""Passes that make words simpler: fewer arguments, smaller numbers, shorter texts, plain symbols."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from murxpy.machine.contract.calls import AT, BY, CALLS, flat, grouped
from murxpy.machine.contract.rules import CONTEXT
from murxpy.machine.replaying.defuse import PLANT, Script, closed, matching_pops
from murxpy.machine.tokens import Python, Quoted, Ref, Token
from murxpy.machine.trace.grammar import Line
from murxpy.passes.lines import put, with_word
from murxpy.passes.reduction import Asking, Reducer

_EXACT = 16  # a number is searched for to this part of itself
_COUNTED = ("check-sat-assuming", "get-value", "get-value-completion")
# An action, one that does less, and how many words that takes (None: all).
_PLAINER: dict[str, tuple[str, int | None]] = {
    "check-sat-assuming": ("check-sat", 0),
    "assert-tracked": ("assert-formula", 1),
    "get-value-completion": ("get-value", None),
}
_NAMED = {"mk-const": 1, "mk-var": 1, "mk-fun": 0, "assert-tracked": 1}


def terms_of(line: Line) -> tuple[int, int] | None:
    """The index and the number of the terms that the line counts; None where it counts none."""
    if line.action not in (*_COUNTED, "mk-term"):
        return None
    for at, token in enumerate(line.args[:-1]):
        following = line.args[at + 1]
        if type(token) is int and isinstance(following, Ref) and following.letter == "t":
            return at + 1, token
    return None


def fewer_terms(lines: Script, at: int) -> Iterator[Script]:
    """Leave out the first half of the counted terms of the line, the second half, each single one."""
    line, place = lines[at], terms_of(lines[at])
    if place is None:
        return
    start, count = place
    least = 1 if line.action in _COUNTED else 2
    parts = [(0, count // 2), (count // 2, count)] if count > 3 else []
    parts += [(index, index + 1) for index in range(count - 1, -1, -1)]
    for low, high in parts:
        if count - (high - low) >= least:
            fewer = replace(line, args=_without(line.args, start, count, low, high))
            yield put(lines, at, fewer)
            yield put(lines, at, replace(fewer, spelling=None))


def _without(args: list[Token], start: int, count: int, low: int, high: int) -> list[Token]:
    """Leave out the terms from `low` up to `high`, and their weights where each term has one."""
    terms = [*args[start : start + low], *args[start + high : start + count]]
    rest = args[start + count :]
    if len(rest) - 2 == count:  # a count, a bound, and a weight each
        weights = [*rest[2 : 2 + low], *rest[2 + high :]]
        rest = [len(weights) + 1, rest[1], *weights]
    return [*args[: start - 1], len(terms), *terms, *rest]


def fewer_operands(lines: Script, at: int) -> Iterator[Script]:
    """Leave out operands of the public callable that the line calls, from behind, most of them first, and then
    elements of lists; but not the context of the run: without it a binding takes one of its own.
    """
    line = lines[at]
    if line.action != "misuse" or line.spelling not in CALLS or AT in line.args:
        return
    end = line.args.index(BY) if BY in line.args else len(line.args)
    try:
        words = grouped(line.args[1:end])
    except ValueError:
        return
    kept = max((k for k, word in enumerate(words, 1) if word == CONTEXT), default=1)
    for count in range(kept, len(words)):
        args = [line.args[0], *flat(words[:count]), *line.args[end:]]
        yield put(lines, at, replace(line, args=args))
    for place, word in enumerate(words):
        parts = word if isinstance(word, list) else []
        for k in range(len(parts)):
            shorter = [*words[:place], [*parts[:k], *parts[k + 1 :]], *words[place + 1 :]]
            args = [line.args[0], *flat(shorter), *line.args[end:]]
            yield put(lines, at, replace(line, args=args))


def fewer_levels(lines: Script, at: int) -> Iterator[Script]:
    """Push or pop one level less at `at`; with a push, then also at the last pop of its levels."""
    line = lines[at]
    count = line.args[0] if line.action in ("push", "pop") and line.args else 0
    if not isinstance(count, int) or count < 2:
        return
    if line.action == "pop":
        yield put(lines, at, replace(line, args=[1]))
        yield put(lines, at, replace(line, args=[count - 1]))
        return
    changed = put(lines, at, replace(line, args=[count - 1]))
    yield closed(changed)
    for last in matching_pops(lines, at)[-1:]:
        popped = lines[last].args[0]
        less = [popped - 1] if isinstance(popped, int) and popped > 1 else []
        changed = put(changed, last, *(replace(lines[last], args=[levels]) for levels in less))
    yield changed


def simpler_actions(lines: Script, at: int) -> Iterator[Script]:
    """Replace the action at `at` by one that does less, with the words that this one takes."""
    line = lines[at]
    if line.action in _PLAINER and line.args:
        plain, taken = _PLAINER[line.action]
        yield put(lines, at, replace(line, action=plain, args=line.args[:taken], spelling=None))


def smaller_numbers(reducer: Reducer[Script]) -> Asking[None]:
    """Make the number that a line sets as small as a search by halves can."""
    for at in range(len(reducer.best)):
        place, low = number_of(reducer.best[at]), -1
        while place is not None:
            high = int(str(reducer.best[at].args[place]))
            if high - low <= max(1, high // _EXACT):
                break
            middle = (low + high) // 2
            less = put(reducer.best, at, with_word(reducer.best[at], place, middle))
            if (yield from reducer.offer([less])) is None:
                low = middle


def number_of(line: Line) -> int | None:
    """The index of the number that the line sets as a limit or an option, if it sets one."""
    place = {"set-limit": 0, "set-option": 1}.get(line.action, len(line.args))
    number = line.args[place] if place < len(line.args) else None
    return place if type(number) is int and number >= 0 else None


def smaller_words(lines: Script, at: int) -> Iterator[Script]:
    """Make one number or text of the line smaller; counts and bases of literals stay."""
    line = lines[at]
    place = terms_of(line)
    for word, token in enumerate(line.args):
        for smaller in _smaller(line, word, token, place):
            yield put(lines, at, with_word(line, word, smaller))


def _smaller(line: Line, word: int, token: Token, place: tuple[int, int] | None) -> list[Token]:
    if isinstance(token, Python):
        return _values(token) if line.action == "misuse" else []
    if isinstance(token, bool):
        return [False] if token else []
    if isinstance(token, int):
        return _numbers(token) if _free(line, word, place) and number_of(line) is None else []
    literal = line.action in ("mk-value", PLANT)
    return _texts(token.text) if isinstance(token, Quoted) and literal else []


def _free(line: Line, word: int, place: tuple[int, int] | None) -> bool:
    """Whether the number at `word` counts no words of the line."""
    if line.action == "mk-term":
        return place is not None and word > place[0] + place[1]
    if line.action == "mk-sort":
        return word > 0 and line.args[0] == "SORT_FP"
    return line.action in ("set-limit", "set-option") or _counts_elements(line)


def _counts_elements(line: Line) -> bool:
    """Whether the line says how many elements an uninterpreted sort has in the planted model."""
    return line.action == PLANT and isinstance(line.args[0], Ref) and line.args[0].letter == "s"


def _numbers(number: int) -> list[Token]:
    """Smaller numbers, the smallest first."""
    steps = [0, 1, 2, number // 2, number - 1] if number > 0 else [0, 1, -number, number // 2]
    size = 2 * abs(number) + (number < 0)
    return [step for step in dict.fromkeys(steps) if 2 * abs(step) + (step < 0) < size]


def _values(token: Python) -> list[Token]:
    """Shorter values of Python of the same class, the plainest first."""
    value = token.value
    plain: tuple[object, ...] = ()
    if isinstance(value, int) and not isinstance(value, bool):
        plain = (0, 1, -1, 8, -8, 100, -100)
    elif isinstance(value, str):
        half = len(value) // 2
        plain = ("", "a", value[:half], value[half:], value[1:], value[:-1])
    elif isinstance(value, (list, tuple, dict)):
        plain = (type(value)(),)
    shorter = {str(Python(one)): Python(one) for one in plain}
    return [one for text, one in shorter.items() if len(text) < len(str(token))]


def _texts(text: str) -> list[Token]:
    """Shorter texts, then simple ones of the same length; for a binary number only such numbers."""
    if set(text) <= set("01"):
        length = len(text)
        plain = ["0" * length, "0" * (length - 1) + "1"] if length > 1 else ["0", "1"]
        return [Quoted(other) for other in plain]
    half = len(text) // 2
    shorter = ["", "0", "1", "a", text[:half], text[half:], text[1:], text[:-1]]
    return [
        Quoted(other)
        for other in dict.fromkeys(shorter)
        if len(other) < len(text) or other in ("0", "a")
    ]


def plain_symbols(lines: Script) -> Script:
    """Give all symbols short names in the order in which they come: `a`, `b`, … `z`, `a1`, …"""
    symbols = dict.fromkeys(symbol for symbol in map(_symbol, lines) if symbol is not None)
    names = {symbol: _short(number) for number, symbol in enumerate(symbols)}
    return tuple(_renamed(line, names) for line in lines)


def plain_symbol(lines: Script, at: int) -> Iterator[Script]:
    """Give the symbol that the line declares a short name, or a part of its own, if that is free."""
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
    return with_word(line, _NAMED[line.action], Quoted(names.get(symbol, symbol)))


def plain_seeds(lines: Script) -> Script:
    """Give each line the seed 0."""
    return tuple(replace(line, seed=0) for line in lines)


def plain_seed(lines: Script, at: int) -> Iterator[Script]:
    """Give the line at `at` the seed 0."""
    if lines[at].seed:
        yield put(lines, at, replace(lines[at], seed=0))
