"""Simpler terms: an older one of the same sort or an argument in place of a term, a constant or a
value in place of its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from murxpy.machine.tokens import Quoted, Ref, Token
from murxpy.replaying.defuse import Script, closed, definitions, returned, sort_of, used
from murxpy.trace.grammar import Line

_OLDER = 4  # older terms that are tried in place of one
_SHORT = 60  # lines of a trace in which all are

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


def mapped(line: Line, names: Mapping[Ref, Ref]) -> Line:
    """The line with ids replaced, in its words and in what it returned."""

    def change(tokens: list[Token]) -> list[Token]:
        return [names.get(token, token) if isinstance(token, Ref) else token for token in tokens]

    return replace(
        line,
        args=change(line.args),
        results=[(name, change(tokens)) for name, tokens in line.results],
    )


def with_uses(lines: Script, old: Ref, new: Ref, start: int) -> Script:
    """The lines from `start` on with the id `new` for `old` in their words: whole ids, so `t1` is
    no part of `t10`.
    """
    names = {old: new}
    changed = (replace(line, args=mapped(line, names).args) for line in lines[start:])
    return (*lines[:start], *changed)


def older_terms(lines: Script, at: int) -> Iterator[Script]:
    """With another term for the one that the line at `at` makes: its arguments of that sort, then
    the oldest terms of it.
    """
    sort = sort_of(lines[at])
    if sort is None or at == len(lines) - 1:
        return
    sorts = {returned(line)[0]: sort_of(line) for line in lines[:at] if sort_of(line) is not None}
    same = [ref for ref, other in sorts.items() if other == sort]
    arguments = [ref for ref in dict.fromkeys(used(lines[at])) if ref in same]
    for ref in (*arguments, *_tried(lines, [ref for ref in same if ref not in arguments])):
        yield with_uses(lines, returned(lines[at])[0], ref, at + 1)


def other_argument(lines: Script, at: int) -> Iterator[Script]:
    """With another term of the same sort for a single argument of the line at `at`: one beside it,
    then the oldest.
    """
    line = lines[at]
    sorts = {
        returned(other)[0]: sort_of(other) for other in lines[:at] if sort_of(other) is not None
    }
    for word, token in enumerate(line.args):
        if isinstance(token, Ref) and token in sorts:
            beside = [ref for ref in used(line) if ref != token and sorts.get(ref) == sorts[token]]
            oldest = [ref for ref, sort in sorts.items() if sort == sorts[token] and ref != token]
            for ref in dict.fromkeys((*beside, *_tried(lines, oldest))):
                changed = replace(line, args=[*line.args[:word], ref, *line.args[word + 1 :]])
                yield (*lines[:at], changed, *lines[at + 1 :])


def raised(lines: Script, at: int) -> Iterator[Script]:
    """With the application at `at` above a later one of its own sort, not below it: `t(.. h(x) ..)`
    becomes `h(t(.. y ..))`.

    What lies between them goes, so this is smaller where much does; `y` is the oldest term of the
    sort.
    """
    sort, line = sort_of(lines[at]), lines[at]
    if sort is None or line.action != "mk-term" or not used(line):
        return
    sorts = {returned(other)[0]: sort_of(other) for other in lines if sort_of(other) is not None}
    below = {returned(line)[0]}  # all that the application is in
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
    lowered = replace(
        upper,
        args=[next(older, None) or token if token in below else token for token in upper.args],
    )
    first = next(
        at for at, token in enumerate(line.args) if isinstance(token, Ref) and token.letter == "t"
    )
    above = replace(line, args=[*line.args[:first], top, *line.args[first + 1 :]])
    rest = with_uses(lines[index + 1 :], top, own, 0)
    return closed([*lines[:at], *lines[at + 1 : index], lowered, above, *rest])


def leaves(lines: Script, at: int) -> Iterator[Script]:
    """With a constant, and with the simplest value, for the application at `at`."""
    line, sort = lines[at], sort_of(lines[at])
    if (
        sort is None
        or line.action not in ("mk-term", "mk-value", "mk-special-value")
        or at == len(lines) - 1
    ):
        return
    before = sort_line(lines, at, sort)
    if before is None:
        return
    words: list[tuple[str, list[Token]]] = []
    kind = line.args[1] if line.action == "mk-term" else ""
    if isinstance(kind, str) and kind in _LITERALS:
        words.append(("mk-value", [sort, *_LITERALS[kind]]))
    words.append(("mk-const", [sort, Quoted(f"c{returned(line)[0].number}")]))
    for action, args in words:
        made = Line(action, args, 0, None, None, [("return", [returned(line)[0], sort])])
        yield (*lines[:at], *before, made, *lines[at + 1 :])


def sort_line(lines: Script, at: int, sort: Ref) -> list[Line] | None:
    """What must stand before a line that names `sort` at `at`: nothing, or a line that makes it;
    None if we cannot say how.
    """
    if definitions(lines)[sort] < at:
        return []
    kind = lines[at].args[1] if lines[at].action == "mk-term" else None
    if kind not in _PLAIN:
        return None
    return [Line("mk-sort", [str(kind)], 0, None, None, [("return", [sort])])]


def unbound(lines: Script, at: int) -> Iterator[Script]:
    """With a constant for the variable that the line at `at` makes, and bodies in place of the
    quantifiers that bind it.
    """
    line = lines[at]
    if line.action != "mk-var" or len(returned(line)) != 2:
        return
    variable = returned(line)[0]
    made = replace(line, action="mk-const", spelling=None)
    changed: Script = (*lines[:at], made, *lines[at + 1 :])
    for index in range(at + 1, len(lines)):
        quantified = lines[index]
        if (
            quantified.action == "mk-term"
            and quantified.args[0] in _QUANTIFIERS
            and variable in quantified.args
        ):
            changed = with_uses(changed, returned(quantified)[0], used(quantified)[-1], index + 1)
    dropped = [
        other
        for other in changed
        if not (other.args and other.args[0] in _QUANTIFIERS and variable in other.args)
    ]
    yield tuple(dropped)
