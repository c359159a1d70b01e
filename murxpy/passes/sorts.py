"""Passes that make sorts simpler: smaller widths and formats, another sort in the place of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from murxpy.machine.replaying.defuse import PLANT, Script, closed, definitions, returned, sort_of
from murxpy.machine.tokens import FieldSort, Quoted, Ref, Token
from murxpy.machine.trace.grammar import Line
from murxpy.passes.lines import mapped, put, with_word
from murxpy.passes.words import terms_of

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


# ----------------------------------------------------------------------
# Passes that make datatypes smaller: fewer in a block, fewer constructors, fewer selectors.


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


# ----------------------------------------------------------------------
# Passes that leave out an argument of a function, and of all its applications.


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
