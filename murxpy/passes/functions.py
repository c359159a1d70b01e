"""Passes that leave out an argument of a function, and of all its applications."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from murxpy.machine.tokens import Ref
from murxpy.passes.editing import with_word
from murxpy.passes.words import terms_of
from murxpy.replaying.defuse import Script, returned
from murxpy.trace.grammar import Line


def fewer_domains(lines: Script, at: int) -> Iterator[Script]:
    """Leave out a domain of the function sort at `at`."""
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
        yield _without(lines, at, with_word(line, 1 + index), functions, index)


def fewer_variables(lines: Script, at: int) -> Iterator[Script]:
    """Leave out a variable of the function that the line at `at` defines."""
    line = lines[at]
    count = line.args[1] if line.action == "mk-fun" else 0
    if not isinstance(count, int):
        return
    for index in range(count - 1, -1, -1) if count > 1 else ():
        fewer = with_word(with_word(line, 2 + index), 1, count - 1)
        yield _without(lines, at, fewer, set(returned(line)[:1]), index)


def _without(lines: Script, at: int, made: Line, functions: set[Ref], index: int) -> Script:
    """Put `made` in the place of the line at `at`, and leave out argument number `index` of the
    applications of `functions` behind it.
    """
    return (*lines[:at], made, *(_applied(line, functions, index) for line in lines[at + 1 :]))


def _applied(line: Line, functions: set[Ref], index: int) -> Line:
    place = terms_of(line)
    if line.action != "mk-term" or line.args[0] != "OP_UF_APPLY" or place is None:
        return line
    start, count = place
    if line.args[start] not in functions:
        return line
    fewer = with_word(with_word(line, start + 1 + index), start - 1, count - 1)
    return replace(fewer, spelling=None)
