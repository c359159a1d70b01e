"""Passes that make terms simpler: another term of the same sort, a constant, a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from murxpy.machine.tokens import Quoted, Ref, Token
from murxpy.passes.editing import made, put, term_sorts, with_uses, with_word
from murxpy.replaying.defuse import Script, closed, definitions, returned, sort_of, used
from murxpy.trace.grammar import Line

_OLDER = 4  # older terms that are tried in place of one
_SHORT = 60  # lines of a trace in which all older terms are tried

# The simplest literal of a sort without parameters.
_LITERALS: dict[str, list[Token]] = {
    "SORT_BOOL": [True],
    "SORT_INT": [Quoted("0")],
    "SORT_REAL": [Quoted("0")],
    "SORT_STRING": [Quoted("")],
}
_QUANTIFIERS = ("OP_FORALL", "OP_EXISTS")
_PLAIN = (*_LITERALS, "SORT_RM", "SORT_REGLAN")


def _tried(lines: Script, older: list[Ref]) -> list[Ref]:
    return older if len(lines) <= _SHORT else older[:_OLDER]


def older_terms(lines: Script, at: int) -> Iterator[Script]:
    """Replace the term that the line makes by an argument of it, then by the oldest terms."""
    sort = sort_of(lines[at])
    if sort is None or at == len(lines) - 1:
        return
    same = [ref for ref, other in term_sorts(lines[:at]).items() if other == sort]
    arguments = [ref for ref in dict.fromkeys(used(lines[at])) if ref in same]
    for ref in (*arguments, *_tried(lines, [ref for ref in same if ref not in arguments])):
        yield with_uses(lines, returned(lines[at])[0], ref, at + 1)


def other_argument(lines: Script, at: int) -> Iterator[Script]:
    """Replace one argument of the line by another one of it, then by the oldest terms."""
    line, sorts = lines[at], term_sorts(lines[:at])
    for word, token in enumerate(line.args):
        if isinstance(token, Ref) and token in sorts:
            beside = [ref for ref in used(line) if ref != token and sorts.get(ref) == sorts[token]]
            oldest = [ref for ref, sort in sorts.items() if sort == sorts[token] and ref != token]
            for ref in dict.fromkeys((*beside, *_tried(lines, oldest))):
                yield put(lines, at, with_word(line, word, ref))


def raised(lines: Script, at: int) -> Iterator[Script]:
    """Move the application at `at` above a later one of its sort: `t(.. h(x) ..)` becomes
    `h(t(.. y ..))`, where `y` is the oldest term of the sort.

    The terms between the two are left out, so the trace is smaller where there are many.
    """
    sort, line = sort_of(lines[at]), lines[at]
    if sort is None or line.action != "mk-term" or not used(line):
        return
    sorts = term_sorts(lines)
    below = {returned(line)[0]}  # the term of the line in hand, and all terms that contain it
    for index in range(at + 1, len(lines)):
        upper = lines[index]
        if upper.action != "mk-term" or not below & {*used(upper)}:
            continue
        below |= {*returned(upper)[:1]}
        older = [
            next(
                (ref for ref, of in sorts.items() if of == sorts.get(arg) and ref not in below),
                None,
            )
            for arg in used(upper)
            if arg in below
        ]
        if sort_of(upper) == sort and None not in older:
            yield _raised(lines, at, index, below, iter(older))


def _raised(
    lines: Script, at: int, index: int, below: set[Ref], older: Iterator[Ref | None]
) -> Script:
    line, upper = lines[at], lines[index]
    own, top = returned(line)[0], returned(upper)[0]
    words = [next(older, None) or token if token in below else token for token in upper.args]
    first = next(
        at for at, token in enumerate(line.args) if isinstance(token, Ref) and token.letter == "t"
    )
    rest = with_uses(lines[index + 1 :], top, own, 0)
    between = lines[at + 1 : index]
    above = with_word(line, first, top)
    return closed([*lines[:at], *between, replace(upper, args=words), above, *rest])


def leaves(lines: Script, at: int) -> Iterator[Script]:
    """Replace the application or value at `at` by the simplest value, then by a constant."""
    line, sort = lines[at], sort_of(lines[at])
    makes = line.action in ("mk-term", "mk-value", "mk-special-value")
    if sort is None or not makes or at == len(lines) - 1:
        return
    before = sort_line(lines, at, sort)
    if before is None:
        return
    own = returned(line)[0]
    kind = line.args[1] if line.action == "mk-term" else ""
    if isinstance(kind, str) and kind in _LITERALS:
        yield put(lines, at, *before, made("mk-value", [sort, *_LITERALS[kind]], own, sort))
    constant = made("mk-const", [sort, Quoted(f"c{own.number}")], own, sort)
    yield put(lines, at, *before, constant)


def sort_line(lines: Script, at: int, sort: Ref) -> list[Line] | None:
    """The line that must come before one that names `sort` at `at`, if any; None where we do not
    know how to make the sort.
    """
    if definitions(lines)[sort] < at:
        return []
    kind = lines[at].args[1] if lines[at].action == "mk-term" else None
    return [made("mk-sort", [str(kind)], sort)] if kind in _PLAIN else None


def unbound(lines: Script, at: int) -> Iterator[Script]:
    """Replace the variable at `at` by a constant, and the quantifiers that bind it by their bodies."""
    line = lines[at]
    if line.action != "mk-var" or len(returned(line)) != 2:
        return
    variable = returned(line)[0]
    changed = put(lines, at, replace(line, action="mk-const", spelling=None))
    for index in range(at + 1, len(lines)):
        if lines[index].action == "mk-term" and _binds(lines[index], variable):
            body = used(lines[index])[-1]
            changed = with_uses(changed, returned(lines[index])[0], body, index + 1)
    yield tuple(other for other in changed if not _binds(other, variable))


def _binds(line: Line, variable: Ref) -> bool:
    """Whether the line applies a quantifier to the variable."""
    return bool(line.args) and line.args[0] in _QUANTIFIERS and variable in line.args
