"""Passes that make sorts simpler: smaller widths and formats, another sort in the place of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from murxpy.machine.tokens import Quoted, Ref, Token
from murxpy.passes.editing import mapped, put, with_word
from murxpy.passes.words import terms_of
from murxpy.replaying.defuse import PLANT, Script, definitions, returned, sort_of
from murxpy.trace.grammar import Line

_SIMPLE = ("SORT_BOOL", "SORT_INT")
# Bits of exponent and significand of floating-point formats, the smallest format first.
_FORMATS = ((2, 2), (2, 3), (3, 3), (3, 5), (5, 11), (8, 24))
_OLDER = 3  # older sorts that are tried in place of one

Format = tuple[int, int]  # bits of exponent and significand


def smaller_formats(lines: Script, at: int) -> Iterator[Script]:
    """Make the floating-point format of the sort at `at` smaller; literals and indices follow."""
    line = lines[at]
    if line.action != "mk-sort" or line.args[0] != "SORT_FP":
        return
    exponent, significand = line.args[1:3]
    if not isinstance(exponent, int) or not isinstance(significand, int):
        return
    old = (exponent, significand)
    for new in (*_FORMATS, (exponent, significand - 1), (exponent - 1, significand)):
        if 2 <= new[0] <= exponent and 2 <= new[1] <= significand and new != old:
            yield tuple(_reformatted(other, line, old, new) for other in lines)


def _reformatted(line: Line, changed: Line, old: Format, new: Format) -> Line:
    """The line for the format `new` in the place of `old` for the sort that `changed` makes."""
    if line.action == "mk-sort":
        return replace(line, args=["SORT_FP", *new], spelling=None) if line is changed else line
    if (line.action == "mk-value" and line.args[0] in returned(changed)) or line.action == PLANT:
        return replace(line, args=[_reformatted_digits(word, old, new) for word in line.args])
    if line.action == "mk-term" and line.args[-2:] == [*old]:
        return replace(line, args=[*line.args[:-2], *new])
    return line


def _reformatted_digits(word: Token, old: Format, new: Format) -> Token:
    """The digits of a literal cut to the new format; any other word as it is."""
    if not isinstance(word, Quoted) or len(word.text) != sum(old) or set(word.text) - {"0", "1"}:
        return word
    exponent = word.text[1 : 1 + old[0]][-new[0] :]
    return Quoted(word.text[:1] + exponent + word.text[1 + old[0] :][: new[1] - 1])


def smaller_widths(lines: Script, at: int) -> Iterator[Script]:
    """Make a number of the bit-vector or floating-point sort at `at` smaller: in all lines, then
    for this sort alone.
    """
    line = lines[at]
    if line.action != "mk-sort" or line.args[0] not in ("SORT_BV", "SORT_FP"):
        return
    for width in dict.fromkeys(token for token in line.args[1:] if type(token) is int):
        for less in dict.fromkeys((1, 2, 3, width // 2, width - 1)):
            if 0 < less < width:
                yield tuple(_resized(other, width, less) for other in lines)
                yield tuple(_narrowed(other, line, width, less) for other in lines)


def _resized(line: Line, old: int, new: int) -> Line:
    """Replace `old` in widths and indices, and cut literals of `old` digits."""
    start = len(line.args)
    if line.action == "mk-sort" and line.args[0] in ("SORT_BV", "SORT_FP"):
        start = 1
    elif line.action == "mk-term":
        place = terms_of(line)
        start = place[0] + place[1] + 1 if place else start
    return _cut(_numbered(line, start, old, new), old, new)


def _numbered(line: Line, start: int, old: int, new: int) -> Line:
    """Replace the number `old` in the words from `start` on."""
    words = [new if type(token) is int and token == old else token for token in line.args[start:]]
    return replace(line, args=[*line.args[:start], *words])


def _narrowed(line: Line, changed: Line, old: int, new: int) -> Line:
    """Make only the sort that `changed` makes narrower, and its literals with it."""
    if line is changed:
        return _numbered(line, 0, old, new)
    own = line.args and (line.args[0] in returned(changed) or line.action == PLANT)
    return _cut(line, old, new) if own else line


def _cut(line: Line, old: int, new: int) -> Line:
    """Cut binary literals of `old` digits to their last `new` digits."""
    literal = line.action == PLANT or (line.action == "mk-value" and len(line.args) == 3)
    pairs = zip(line.args, line.args[1:], strict=False) if literal else ()
    for at, (word, base) in enumerate(pairs):
        if isinstance(word, Quoted) and len(word.text) == old and type(base) is int and base == 2:
            line = with_word(line, at, Quoted(word.text[-new:]))
    return line


def simpler_sorts(lines: Script, at: int) -> Iterator[Script]:
    """Replace the sort that the line at `at` makes by an older one, by Bool, by Int."""
    line = lines[at]
    if line.action not in ("mk-sort", "instantiate-sort") or len(returned(line)) != 1:
        return
    own = returned(line)[0]
    older = {
        returned(other)[0]: str(other.args[0]) for other in lines[:at] if other.action == "mk-sort"
    }
    # parts of the sort, such as the element of an array
    own_parts = [ref for ref in line.args if isinstance(ref, Ref) and ref in older]
    for ref in dict.fromkeys([*own_parts, *[ref for ref in older if ref.letter == "s"][:_OLDER]]):
        yield tuple(
            _of_kind(mapped(other, {own: ref}), ref, older[ref]) for other in put(lines, at)
        )
    for kind in _SIMPLE:
        if kind not in older.values() and len(line.args) > 1:
            made = replace(line, action="mk-sort", args=[kind], spelling=None)
            yield (*lines[:at], made, *(_of_kind(other, own, kind) for other in lines[at + 1 :]))


def merged_sorts(lines: Script, at: int) -> Iterator[Script]:
    """Give two sorts one id: the sort that the line at `at` returns first, and an older one of its
    kind.

    A later sort without parameters is also tried in place of the one that the line makes.
    """
    line = lines[at]
    first = definitions(lines)
    for own in [ref for ref in returned(line) if ref.letter == "s" and first[ref] == at]:
        kind = _kind(line)
        for ref, where in first.items():
            if ref.letter == "s" and where < at and _kind(lines[where]) == kind:
                kept = lines if line.action == "mk-term" else put(lines, at)
                yield tuple(mapped(other, {own: ref}) for other in kept)
        if line.action == "mk-sort" and kind != "SORT_DT":
            yield from _taken(lines, at, own)


def _taken(lines: Script, at: int, own: Ref) -> Iterator[Script]:
    """Replace the sort of the line at `at` by each later one without parameters."""
    for index in range(at + 1, len(lines)):
        later = lines[index]
        if later.action == "mk-sort" and len(later.args) == 1:
            names = {returned(later)[0]: own}
            made = replace(lines[at], args=later.args, spelling=later.spelling)
            rest = (mapped(other, names) for other in (*lines[at + 1 : index], *lines[index + 1 :]))
            yield (*lines[:at], made, *(_of_kind(other, own, str(later.args[0])) for other in rest))


def _kind(line: Line) -> str:
    """The kind of the sort that the line returns; empty where it does not say."""
    where = {"mk-sort": 0, "mk-term": 1}.get(line.action)
    return "" if where is None else str(line.args[where])


def _of_kind(line: Line, sort: Ref, kind: str) -> Line:
    """Set the kind of sort in a line that applies an operator and returns a term of `sort`."""
    if line.action != "mk-term" or sort_of(line) != sort:
        return line
    return with_word(line, 1, kind)


def older_sort_argument(lines: Script, at: int) -> Iterator[Script]:
    """Replace a parameter of the sort, or the sort of the constant, that the line makes."""
    line = lines[at]
    if line.action not in ("mk-sort", "instantiate-sort", "mk-const", "mk-var"):
        return
    older = dict.fromkeys(
        ref for other in lines[:at] for ref in returned(other) if ref.letter == "s"
    )
    for word, token in enumerate(line.args):
        if isinstance(token, Ref) and token.letter == "s":
            for ref in [ref for ref in older if ref.number < token.number][:_OLDER]:
                changed = with_word(line, word, ref)
                if line.action in ("mk-const", "mk-var"):
                    changed = mapped(changed, {token: ref})
                yield put(lines, at, changed)
