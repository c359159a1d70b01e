"""Passes that make datatypes smaller: fewer in a block, fewer constructors, fewer selectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from murxpy.machine.tokens import FieldSort, Quoted, Token
from murxpy.passes.editing import with_word
from murxpy.replaying.defuse import Script, closed, returned
from murxpy.trace.grammar import Line

Selector = list[Token]  # its name and the words of its sort
Constructor = tuple[Token, list[Selector]]
Gone = tuple[Token, int]  # a constructor's name, and the number of its field that is left out


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

    def put(self, at: int, *new: Constructor) -> _Datatype:
        """Put `new` in the place of the constructor at `at`."""
        constructors = [*self.constructors[:at], *new, *self.constructors[at + 1 :]]
        return replace(self, constructors=constructors)


def smaller_datatypes(lines: Script, at: int) -> Iterator[Script]:
    """Leave out a datatype, a constructor or a selector of the block that the line at `at`
    declares, or give a field a simpler sort.

    A selector goes with the datatype of its sort. A constructor is applied to the fields that are
    left.
    """
    line = lines[at]
    if line.action != "mk-sort" or line.args[0] != "SORT_DT":
        return
    block = _read(line.args)
    ids = returned(line)
    for index in range(len(block) - 1, -1, -1) if len(block) == len(ids) > 1 else ():
        others, gone = _without_datatype(block, index)
        results: list[tuple[str, list[Token]]] = [("return", [*ids[:index], *ids[index + 1 :]])]
        yield closed(_declaring(lines, at, replace(line, results=results), others, gone))
    for index, datatype in enumerate(block):
        smaller = [*_smaller(datatype), *((one, []) for one in _simpler(datatype, lines[:at]))]
        for changed, gone in smaller:
            others = [*block[:index], changed, *block[index + 1 :]]
            yield _declaring(lines, at, line, others, gone)


def _declaring(
    lines: Script, at: int, line: Line, block: Sequence[_Datatype], gone: Sequence[Gone]
) -> Script:
    """Let the line at `at` declare `block`, and leave out the fields in `gone` behind it."""
    words = (word for datatype in block for word in datatype.words())
    declared = replace(line, args=["SORT_DT", len(block), *words])
    return (*lines[:at], declared, *(_reapplied(other, gone) for other in lines[at + 1 :]))


def _without_datatype(block: Sequence[_Datatype], index: int) -> tuple[list[_Datatype], list[Gone]]:
    """The block without a datatype and without the fields of its sort, and which these are."""
    name = block[index].name
    gone: list[Gone] = []
    others = []
    for datatype in [*block[:index], *block[index + 1 :]]:
        constructors = []
        for constructor, selectors in datatype.constructors:
            mentions = [any(_names(word, name) for word in selector[1:]) for selector in selectors]
            places = range(len(selectors) - 1, -1, -1)
            gone += [(constructor, place) for place in places if mentions[place]]
            kept = [s for s, there in zip(selectors, mentions, strict=True) if not there]
            constructors.append((constructor, kept))
        others.append(replace(datatype, constructors=constructors))
    return others, gone


def _names(word: Token, name: Token) -> bool:
    """Whether the word of a field's sort is the datatype of that name in the block."""
    return isinstance(name, Quoted) and word == FieldSort("other", name.text)


def _reapplied(line: Line, gone: Sequence[Gone]) -> Line:
    """Leave out the fields in `gone`, the last one first, where the line applies a constructor."""
    if line.action != "mk-term" or line.args[0] != "OP_DT_APPLY_CONS":
        return line
    symbols = [at for at, word in enumerate(line.args) if isinstance(word, Quoted)]
    for constructor, place in gone:
        if symbols and line.args[symbols[0]] == constructor:
            count = symbols[-1] + 1
            number = line.args[count]
            if isinstance(number, int) and number > place:
                fewer = with_word(with_word(line, count + 1 + place), count, number - 1)
                line = replace(fewer, spelling=None)
    return line


def _simpler(datatype: _Datatype, before: Script) -> Iterator[_Datatype]:
    """Give a field of a datatype of the block the oldest sort, so that recursion ends."""
    older = [ref for line in before if line.action == "mk-sort" for ref in returned(line)[:1]]
    for index, (name, selectors) in enumerate(datatype.constructors):
        for place, selector in enumerate(selectors):
            if older and any(isinstance(word, FieldSort) for word in selector[1:]):
                simple: Selector = [selector[0], older[0]]
                fields = [*selectors[:place], simple, *selectors[place + 1 :]]
                yield datatype.put(index, (name, fields))


def _smaller(datatype: _Datatype) -> Iterator[tuple[_Datatype, list[Gone]]]:
    """Leave out a constructor; then a selector, and say which field that is."""
    constructors = datatype.constructors
    for index in range(len(constructors) - 1, -1, -1) if len(constructors) > 1 else ():
        yield datatype.put(index), []
    for index, (name, selectors) in enumerate(constructors):
        for place in range(len(selectors) - 1, -1, -1):
            fewer = [*selectors[:place], *selectors[place + 1 :]]
            yield datatype.put(index, (name, fewer)), [(name, place)]


def _read(words: Sequence[Token]) -> list[_Datatype]:
    """The datatypes in the words of a `mk-sort SORT_DT` line; it replayed, so its counts are right."""
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
