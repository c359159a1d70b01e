"""Functions of fewer arguments: their sorts and definitions, and with them all applications."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from murxpy.machine.tokens import Ref
from murxpy.passes.words import terms_of
from murxpy.replaying.defuse import Script, returned
from murxpy.trace.grammar import Line


def fewer_domains(lines: Script, at: int) -> Iterator[Script]:
    """With a domain less in the function sort at `at`, and an argument less in all applications of
    its functions.
    """
    line = lines[at]
    if line.action != "mk-sort" or line.args[0] != "SORT_FUN":
        return
    own = returned(line)[:1]
    functions = {
        returned(other)[0]
        for other in lines[at:]
        if other.action == "mk-const" and other.args[:1] == own and returned(other)
    }
    for index in range(len(line.args) - 3, -1, -1) if len(line.args) > 3 else ():
        fewer = replace(line, args=[*line.args[: 1 + index], *line.args[2 + index :]])
        rest = (_applied(other, functions, index) for other in lines[at + 1 :])
        yield (*lines[:at], fewer, *rest)


def fewer_variables(lines: Script, at: int) -> Iterator[Script]:
    """With a variable less in the function that the line at `at` defines, and an argument less in
    all its applications.
    """
    line = lines[at]
    count = line.args[1] if line.action == "mk-fun" else 0
    if not isinstance(count, int):
        return
    for index in range(count - 1, -1, -1) if count > 1 else ():
        fewer = replace(
            line, args=[line.args[0], count - 1, *line.args[2 : 2 + index], *line.args[3 + index :]]
        )
        rest = (_applied(other, set(returned(line)[:1]), index) for other in lines[at + 1 :])
        yield (*lines[:at], fewer, *rest)


def _applied(line: Line, functions: set[Ref], index: int) -> Line:
    """The application of one of `functions` without its argument number `index`."""
    place = terms_of(line)
    if (
        line.action != "mk-term"
        or line.args[0] != "OP_UF_APPLY"
        or place is None
        or line.args[place[0]] not in functions
    ):
        return line
    start, count = place
    args = [
        *line.args[: start - 1],
        count - 1,
        *line.args[start : start + 1 + index],
        *line.args[start + 2 + index :],
    ]
    return replace(line, args=args, spelling=None)
