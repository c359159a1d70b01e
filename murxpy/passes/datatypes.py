"""Smaller datatypes: fewer in a block, fewer constructors, fewer selectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from murxpy.machine.tokens import FieldSort, Quoted, Token
from murxpy.replaying.defuse import Script, closed, returned
from murxpy.trace.grammar import Line

Selector = list[Token]  # its name and the words of its sort
Constructor = tuple[Token, list[Selector]]
Gone = tuple[Token, int]  # a constructor's name, and the number of its field that goes


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
    """With a datatype, a constructor or a selector less in the block that the line at `at`
    declares, or a field of a simpler sort.

    Selectors of the sort of a datatype that goes go with it; constructors are applied to what is
    left of their fields.
    """
    line = lines[at]
    if line.action != "mk-sort" or line.args[0] != "SORT_DT":
        return
    block = _read(line.args)
    ids = returned(line)
    for index in range(len(block) - 1, -1, -1) if len(block) == len(ids) > 1 else ():
        others, gone = _without_datatype(block, index)
        changed = replace(
            _with(line, others), results=[("return", [*ids[:index], *ids[index + 1 :]])]
        )
        yield closed(
            [*lines[:at], changed, *(_reapplied(other, gone) for other in lines[at + 1 :])]
        )
    for index, datatype in enumerate(block):
        for smaller, gone in _smaller(datatype):
            changed = _with(line, [*block[:index], smaller, *block[index + 1 :]])
            yield (*lines[:at], changed, *(_reapplied(other, gone) for other in lines[at + 1 :]))
        for simpler in _simpler_fields(datatype, lines[:at]):
            yield (
                *lines[:at],
                _with(line, [*block[:index], simpler, *block[index + 1 :]]),
                *lines[at + 1 :],
            )


def _without_datatype(block: Sequence[_Datatype], index: int) -> tuple[list[_Datatype], list[Gone]]:
    """The block without a datatype and without the fields of its sort, and which these are."""
    name = block[index].name
    gone: list[Gone] = []
    others = []
    for datatype in [*block[:index], *block[index + 1 :]]:
        constructors = []
        for constructor, selectors in datatype.constructors:
            mentions = [any(_names(word, name) for word in selector[1:]) for selector in selectors]
            gone += [
                (constructor, place)
                for place in range(len(selectors) - 1, -1, -1)
                if mentions[place]
            ]
            constructors.append(
                (
                    constructor,
                    [s for s, there in zip(selectors, mentions, strict=True) if not there],
                )
            )
        others.append(replace(datatype, constructors=constructors))
    return others, gone


def _names(word: Token, name: Token) -> bool:
    """Whether the word of a field's sort is the datatype of that name in the block."""
    return (
        isinstance(word, FieldSort)
        and word.form == "other"
        and isinstance(name, Quoted)
        and word.name == name.text
    )


def _reapplied(line: Line, gone: Sequence[Gone]) -> Line:
    """The line, where it applies a constructor without its fields in `gone`, the last field first."""
    if line.action != "mk-term" or line.args[0] != "OP_DT_APPLY_CONS" or not gone:
        return line
    symbols = [at for at, word in enumerate(line.args) if isinstance(word, Quoted)]
    for constructor, place in gone:
        if symbols and line.args[symbols[0]] == constructor:
            count = symbols[-1] + 1
            number = line.args[count]
            if isinstance(number, int) and number > place:
                args = [
                    *line.args[:count],
                    number - 1,
                    *line.args[count + 1 : count + 1 + place],
                    *line.args[count + 2 + place :],
                ]
                line = replace(line, args=args, spelling=None)
    return line


def _simpler_fields(datatype: _Datatype, before: Script) -> Iterator[_Datatype]:
    """With an older sort for a field that is of a datatype of the block, so that recursion goes."""
    older = [ref for line in before if line.action == "mk-sort" for ref in returned(line)[:1]]
    for index, (name, selectors) in enumerate(datatype.constructors):
        for place, selector in enumerate(selectors):
            if any(isinstance(word, FieldSort) for word in selector[1:]):
                for ref in older[:1]:
                    fields = [*selectors[:place], [selector[0], ref], *selectors[place + 1 :]]
                    constructors = [
                        *datatype.constructors[:index],
                        (name, fields),
                        *datatype.constructors[index + 1 :],
                    ]
                    yield replace(datatype, constructors=constructors)


def _with(line: Line, block: Sequence[_Datatype]) -> Line:
    return replace(
        line,
        args=["SORT_DT", len(block), *(word for datatype in block for word in datatype.words())],
    )


def _smaller(datatype: _Datatype) -> Iterator[tuple[_Datatype, list[Gone]]]:
    """With a constructor less, then with a selector less, and which field that is."""
    constructors = datatype.constructors
    for index in range(len(constructors) - 1, -1, -1):
        if len(constructors) > 1:
            yield (
                replace(datatype, constructors=[*constructors[:index], *constructors[index + 1 :]]),
                [],
            )
    for index, (name, selectors) in enumerate(constructors):
        for left_out in range(len(selectors) - 1, -1, -1):
            fewer = (name, [*selectors[:left_out], *selectors[left_out + 1 :]])
            yield (
                replace(
                    datatype,
                    constructors=[*constructors[:index], fewer, *constructors[index + 1 :]],
                ),
                [(name, left_out)],
            )


def _read(words: Sequence[Token]) -> list[_Datatype]:
    """The datatypes in the words of a `mk-sort SORT_DT` line that replayed, so that its counts are
    right.
    """
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
