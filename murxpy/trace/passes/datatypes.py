"""Smaller datatypes: fewer in a block, fewer constructors, fewer selectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from murxpy.machine.tokens import FieldSort, Token
from murxpy.trace.defuse import Script, closed, returned
from murxpy.trace.grammar import Line

Selector = list[Token]  # its name and the words of its sort
Constructor = tuple[Token, list[Selector]]


@dataclass
class _Datatype:
    name: Token
    params: list[Token] = field(default_factory=list)
    constructors: list[Constructor] = field(default_factory=list)

    def words(self) -> list[Token]:
        words: list[Token] = [self.name, len(self.params), *self.params, len(self.constructors)]
        for name, selectors in self.constructors:
            words += [name, len(selectors), *(word for selector in selectors for word in selector)]
        return words


def smaller_datatypes(lines: Script, at: int) -> Iterator[Script]:
    """With a datatype, a constructor or a selector less in the block that the line at `at` declares."""
    line = lines[at]
    if line.action != "mk-sort" or line.args[0] != "SORT_DT":
        return
    block = _read(line.args)
    ids = returned(line)
    for index in range(len(block) - 1, -1, -1) if len(block) == len(ids) > 1 else ():
        others = [*block[:index], *block[index + 1 :]]
        changed = replace(_with(line, others), results=[("return", [*ids[:index], *ids[index + 1 :]])])
        yield closed([*lines[:at], changed, *lines[at + 1 :]])
    for index, datatype in enumerate(block):
        for smaller in _smaller(datatype):
            yield (*lines[:at], _with(line, [*block[:index], smaller, *block[index + 1 :]]), *lines[at + 1 :])


def _with(line: Line, block: Sequence[_Datatype]) -> Line:
    return replace(line, args=["SORT_DT", len(block), *(word for datatype in block for word in datatype.words())])


def _smaller(datatype: _Datatype) -> Iterator[_Datatype]:
    constructors = datatype.constructors
    for index in range(len(constructors) - 1, -1, -1):
        if len(constructors) > 1:
            yield replace(datatype, constructors=[*constructors[:index], *constructors[index + 1 :]])
    for index, (name, selectors) in enumerate(constructors):
        for left_out in range(len(selectors) - 1, -1, -1):
            fewer = (name, [*selectors[:left_out], *selectors[left_out + 1 :]])
            yield replace(datatype, constructors=[*constructors[:index], fewer, *constructors[index + 1 :]])


def _read(words: Sequence[Token]) -> list[_Datatype]:
    """The datatypes in the words of a `mk-sort SORT_DT` line that replayed, so that its counts are right."""
    rest = iter(words[1:])

    def count() -> int:
        return int(str(next(rest)))

    def sort() -> list[Token]:
        word = next(rest)
        if not (isinstance(word, FieldSort) and word.form == "other"):
            return [word]
        number = count()
        return [word, number, *(inner for _ in range(number) for inner in sort())]

    block = []
    for _ in range(count()):
        datatype = _Datatype(next(rest))
        datatype.params = [next(rest) for _ in range(count())]
        for _ in range(count()):
            name = next(rest)
            datatype.constructors.append((name, [[next(rest), *sort()] for _ in range(count())]))
        block.append(datatype)
    return block
