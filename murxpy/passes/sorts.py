"""Simpler sorts: smaller widths and formats, an older sort or one without parameters in place of
another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from murxpy.machine.tokens import Quoted, Ref, Token
from murxpy.passes.terms import mapped
from murxpy.passes.words import terms_of
from murxpy.replaying.defuse import PLANT, Script, definitions, returned, sort_of
from murxpy.trace.grammar import Line

_SIMPLE = ("SORT_BOOL", "SORT_INT")
# of floating point, the smallest first
_FORMATS = ((2, 2), (2, 3), (3, 3), (3, 5), (5, 11), (8, 24))
_OLDER = 3  # older sorts that are tried in place of one


def smaller_formats(lines: Script, at: int) -> Iterator[Script]:
    """With a smaller floating-point format for the sort at `at`, and its literals cut to it;
    indices of the old one follow.
    """
    line = lines[at]
    if line.action != "mk-sort" or line.args[0] != "SORT_FP":
        return
    exponent, significand = line.args[1:3]
    if not isinstance(exponent, int) or not isinstance(significand, int):
        return
    for e, s in (*_FORMATS, (exponent, significand - 1), (exponent - 1, significand)):
        if 2 <= e <= exponent and 2 <= s <= significand and (e, s) != (exponent, significand):
            yield tuple(
                _reformatted(other, line, (exponent, significand), (e, s)) for other in lines
            )


def _reformatted(line: Line, changed: Line, old: tuple[int, int], new: tuple[int, int]) -> Line:
    """The line for a format `new` (bits of exponent and significand) where there was `old`."""
    if line.action == "mk-sort":
        return replace(line, args=["SORT_FP", *new], spelling=None) if line is changed else line
    if (line.action == "mk-value" and line.args[0] in returned(changed)) or line.action == PLANT:
        return replace(line, args=[_reformatted_digits(word, old, new) for word in line.args])
    if line.action == "mk-term" and line.args[-2:] == [*old]:
        return replace(line, args=[*line.args[:-2], *new])
    return line


def _reformatted_digits(word: Token, old: tuple[int, int], new: tuple[int, int]) -> Token:
    """The digits of a literal in the new format, cut; any other word as it is."""
    if not isinstance(word, Quoted) or len(word.text) != sum(old) or set(word.text) - {"0", "1"}:
        return word
    exponent = word.text[1 : 1 + old[0]][-new[0] :]
    return Quoted(word.text[:1] + exponent + word.text[1 + old[0] :][: new[1] - 1])


def smaller_widths(lines: Script, at: int) -> Iterator[Script]:
    """With a smaller number for one in the bit-vector or floating-point sort at `at`: everywhere at
    once, then there alone.
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
    """The line with the number `new` for `old` in widths and indices, and literals of `old` digits
    cut to `new`.
    """
    start = len(line.args)
    if line.action == "mk-sort" and line.args[0] in ("SORT_BV", "SORT_FP"):
        start = 1
    elif line.action == "mk-term":
        place = terms_of(line)
        start = place[0] + place[1] + 1 if place else start
    args = [
        new if at >= start and token == old and type(token) is int else token
        for at, token in enumerate(line.args)
    ]
    return _cut(replace(line, args=args), old, new)


def _narrowed(line: Line, changed: Line, old: int, new: int) -> Line:
    """The line where only the sort that `changed` makes gets narrower, and its literals with it."""
    if line is changed:
        return replace(
            line,
            args=[new if token == old and type(token) is int else token for token in line.args],
        )
    own = line.args and (line.args[0] in returned(changed) or line.action == PLANT)
    return _cut(line, old, new) if own else line


def _cut(line: Line, old: int, new: int) -> Line:
    """A binary literal of `old` digits with its last `new` ones."""
    if line.action == PLANT:
        return replace(line, args=_cut_values(line.args, old, new))
    if line.action != "mk-value" or len(line.args) != 3 or line.args[2] != 2:
        return line
    digits = line.args[1]
    if not isinstance(digits, Quoted) or len(digits.text) != old:
        return line
    return replace(line, args=[line.args[0], Quoted(digits.text[-new:]), 2])


def _cut_values(args: list[Token], old: int, new: int) -> list[Token]:
    """The words of a planted value, where a text of `old` digits in base 2 has its last `new` ones
    left.
    """
    base = [*args[1:], None]
    binary = [
        isinstance(word, Quoted) and len(word.text) == old and after == 2
        for word, after in zip(args, base, strict=True)
    ]
    return [
        Quoted(word.text[-new:]) if cut and isinstance(word, Quoted) else word
        for word, cut in zip(args, binary, strict=True)
    ]


def simpler_sorts(lines: Script, at: int) -> Iterator[Script]:
    """With an older sort, Bool or Int for the sort that the line at `at` makes."""
    line = lines[at]
    if line.action not in ("mk-sort", "instantiate-sort") or len(returned(line)) != 1:
        return
    own = returned(line)[0]
    older = {
        returned(other)[0]: str(other.args[0]) for other in lines[:at] if other.action == "mk-sort"
    }
    # such as the element of an array
    own_parts = [ref for ref in line.args if isinstance(ref, Ref) and ref in older]
    for ref in dict.fromkeys([*own_parts, *[ref for ref in older if ref.letter == "s"][:_OLDER]]):
        kind = older[ref]
        yield tuple(
            _of_kind(mapped(other, {own: ref}), ref, kind)
            for other in (*lines[:at], *lines[at + 1 :])
        )
    for kind in _SIMPLE:
        if kind not in older.values() and len(line.args) > 1:
            words: list[Token] = [kind]
            made = replace(line, action="mk-sort", args=words, spelling=None)
            yield (*lines[:at], made, *(_of_kind(other, own, kind) for other in lines[at + 1 :]))


def merged_sorts(lines: Script, at: int) -> Iterator[Script]:
    """With one id for two sorts: the sort that the line at `at` was the first to return, and an
    older one of its kind.

    A sort without parameters that only a later line makes is also tried in place of the one that
    the line makes.
    """
    line = lines[at]
    first = definitions(lines)
    for own in [ref for ref in returned(line) if ref.letter == "s" and first[ref] == at]:
        kind = _kind(line)
        for ref in [
            ref
            for ref, where in first.items()
            if ref.letter == "s" and where < at and _kind(lines[where]) == kind
        ]:
            kept = lines if line.action == "mk-term" else (*lines[:at], *lines[at + 1 :])
            yield tuple(mapped(other, {own: ref}) for other in kept)
        if line.action == "mk-sort" and kind != "SORT_DT":
            yield from _taken(lines, at, own)


def _taken(lines: Script, at: int, own: Ref) -> Iterator[Script]:
    """With the sort of each later line without parameters for that of the line at `at`."""
    for index in range(at + 1, len(lines)):
        later = lines[index]
        if later.action == "mk-sort" and len(later.args) == 1:
            names = {returned(later)[0]: own}
            made = replace(lines[at], args=later.args, spelling=later.spelling)
            rest = (mapped(other, names) for other in (*lines[at + 1 : index], *lines[index + 1 :]))
            yield (*lines[:at], made, *(_of_kind(other, own, str(later.args[0])) for other in rest))


def _kind(line: Line) -> str:
    """The kind of the sort that the line returns, empty where it does not say."""
    return (
        str(line.args[{"mk-sort": 0, "mk-term": 1}[line.action]])
        if line.action in ("mk-sort", "mk-term")
        else ""
    )


def _of_kind(line: Line, sort: Ref, kind: str) -> Line:
    """The line of an application that returned a term of `sort`, which is of `kind` now."""
    if line.action != "mk-term" or sort_of(line) != sort:
        return line
    return replace(line, args=[line.args[0], kind, *line.args[2:]])


def older_sort_argument(lines: Script, at: int) -> Iterator[Script]:
    """With an older sort for one parameter of the sort that the line at `at` makes, or for that of
    its constant.
    """
    line = lines[at]
    if line.action not in ("mk-sort", "instantiate-sort", "mk-const", "mk-var"):
        return
    older = dict.fromkeys(
        ref for other in lines[:at] for ref in returned(other) if ref.letter == "s"
    )
    for word, token in enumerate(line.args):
        if isinstance(token, Ref) and token.letter == "s":
            for ref in [ref for ref in older if ref.number < token.number][:_OLDER]:
                changed = replace(line, args=[*line.args[:word], ref, *line.args[word + 1 :]])
                if line.action in ("mk-const", "mk-var"):
                    changed = mapped(changed, {token: ref})
                yield (*lines[:at], changed, *lines[at + 1 :])
