"""Productions of a grammar, as they are written: SMT-LIB text with the names of nonterminals in it,
and with choices in braces, such as `({+ - *} I I)`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

from murxpy.errors import InputError, nearest
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.walks import occurrences, subterms
from murxpy.smtlib.logics import LOGICS, known
from murxpy.smtlib.reading.scripts import read_script

MOST = 10_000  # spellings of one production
# comments do not occur: a production stands on one line
_TOKEN = re.compile(r"""\s+|[(){}]|"(?:[^"]|"")*"|\|[^|\\]*\||[^\s(){}"|;]+|.""", re.S)
_CLOSING = {"(": ")", "{": "}"}


@dataclass(frozen=True, slots=True)
class Production:
    """A way to make a text of a nonterminal.

    `children` are the nonterminals in it, in order. Each of `spellings` is one choice of the words
    in braces: the texts around the children, so that it has one text more than there are children.
    """

    children: tuple[str, ...]
    spellings: tuple[tuple[str, ...], ...]
    line: int = 0

    def text(self, spelling: int, children: Sequence[str]) -> str:
        """The text with this spelling and these texts for the children."""
        around = self.spellings[spelling]
        return around[0] + "".join(
            child + behind for child, behind in zip(children, around[1:], strict=True)
        )


def parse_production(
    text: str, nonterminals: Collection[str], file: str = "", line: int = 0
) -> Production:
    """Read a production. Raises InputError for parentheses or braces that do not match, for braces
    within braces, and for a nonterminal within braces.
    """

    def wrong(message: str) -> InputError:
        return InputError(f"{message} in the production {text}", file=file, line=line)

    parts: list[list[str]] = []  # the choices of each part; a child is the list of its name
    children: list[int] = []  # the places of children among the parts
    for token in _parts(text, wrong):
        if isinstance(token, list):
            named = [word for word in token if word in nonterminals]
            if named:
                raise wrong(f"braces choose among words, not among nonterminals: found {named[0]}")
            parts.append(token)
        elif token in nonterminals:
            children.append(len(parts))
            parts.append([token])
        else:
            parts.append([token])
    count = 1
    for choices in parts:
        count *= len(choices)
    if count > MOST:
        raise wrong(f"expected at most {MOST:,} choices of words, found {count:,}")
    spellings = tuple(_around(chosen, children) for chosen in product(*parts))
    return Production(tuple(parts[place][0] for place in children), spellings, line)


def _around(words: Sequence[str], children: Sequence[int]) -> tuple[str, ...]:
    ends = [-1, *children, len(words)]
    return tuple("".join(words[begin + 1 : end]) for begin, end in pairwise(ends))


def _parts(text: str, wrong: object) -> Iterator[str | list[str]]:
    """The tokens of a production, blanks included; a pair of braces is the list of its choices."""
    assert callable(wrong)
    open_: list[str] = []
    choices: list[str] | None = None
    depth = 0  # of parentheses within the braces
    for token in _TOKEN.findall(" ".join(text.split())):
        if token in ('"', "|", ";"):
            raise wrong(f"expected SMT-LIB text, found a single {token}")
        if token in _CLOSING:
            if token == "{":
                if choices is not None:
                    raise wrong("expected no braces within braces")
                choices = []
                open_.append(token)
                continue
            open_.append(token)
        elif token in _CLOSING.values():
            if not open_ or _CLOSING[open_.pop()] != token:
                raise wrong(f"expected the match of an open one before '{token}'")
            if token == "}":
                if not choices:
                    raise wrong("expected words between braces")
                yield choices
                choices, depth = None, 0
                continue
        if choices is None:
            yield token
            continue
        if token.isspace() and not depth:
            continue
        depth = _add(choices, token, depth)
    if open_:
        raise wrong(f"expected '{_CLOSING[open_[-1]]}' before the end")


def _add(choices: list[str], token: str, depth: int) -> int:
    """Add a token to the choices, and return how many parentheses are open behind it."""
    if depth:
        choices[-1] += token
    else:
        choices.append(token)
    return depth + (token == "(") - (token == ")")


# ----------------------------------------------------------------------
# The exact number of texts of each size in a grammar. The size of a text is the number of
# productions that made it, counted each time that they were used. The choice among words in braces
# is no production, and costs nothing. (Winterer, Testing SMT Solvers, 2024, chapter 7, with the counting
# of functional enumeration.)


Rules = Mapping[str, Sequence[Production]]
Row = tuple[str, ...]  # nonterminals that stand one after another
_Piece = str | tuple[str, int, int]  # words, or a text by its nonterminal, size and index


class Counts:
    """The counts of a grammar, kept as they are asked for. Sizes are asked for in any order; each
    count depends only on counts of smaller sizes.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._single: dict[str, list[int]] = {name: [0] for name in rules}
        self._rows: dict[Row, list[int]] = {}
        for productions in rules.values():
            for production in productions:
                self._note(production.children)

    def _note(self, row: Row) -> None:
        while len(row) > 1 and row not in self._rows:
            self._rows[row] = [0]
            row = row[1:]

    def of(self, name: str, size: int) -> int:
        """The number of texts of a nonterminal that have this size."""
        if size >= len(self._single[name]):
            self._extend(size)
        return self._single[name][size]

    def of_row(self, row: Row, size: int) -> int:
        """The number of ways to choose a text for each nonterminal of a row, so that their sizes
        add up to `size`.
        """
        if len(row) == 1:
            return self.of(row[0], size)
        if not row:
            return size == 0
        if row not in self._rows:
            self._note(row)
        if size >= len(self._rows[row]):
            self._extend(size)
            self._fill(row, size)
        return self._rows[row][size]

    def of_production(self, production: Production, size: int) -> int:
        """The number of texts of this size that the production makes."""
        if not production.children:
            return len(production.spellings) if size == 1 else 0
        return len(production.spellings) * self.of_row(production.children, size - 1)

    def _extend(self, size: int) -> None:
        """Count all texts up to a size, the smaller ones first."""
        begin = len(next(iter(self._single.values())))
        for n in range(begin, size + 1):
            for name, counts in self._single.items():
                counts.append(
                    sum(self.of_production(production, n) for production in self.rules[name])
                )
            for row in self._rows:
                self._fill(row, n)

    def _fill(self, row: Row, size: int) -> None:
        """Count the ways to fill a row up to a size, and those to fill its end before them."""
        if len(row) > 2:
            self._fill(row[1:], size)
        counts, first = self._rows[row], self._single[row[0]]
        rest = self._single[row[1]] if len(row) == 2 else self._rows[row[1:]]
        for n in range(len(counts), size + 1):
            # each text has a size of at least one
            counts.append(sum(first[k] * rest[n - k] for k in range(1, n) if first[k]))


# ----------------------------------------------------------------------
# The text of a grammar that has a given index. The order is that of the counts: smaller texts
# first; within a size the productions as they stand; within a production the choices of words;
# then the sizes of the first child, its index, and the rest of the children likewise.


# Texts of a size are all kept if there are at most so many of them, because larger texts have them
# as parts.
KEPT = 30_000


class Texts:
    """The texts of a grammar by nonterminal, size and index within the size."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._rules = counts.rules
        self._kept: dict[tuple[str, int], list[str]] = {}

    def text(self, name: str, size: int, index: int) -> str:
        """The text of this index, from 0, among those of a nonterminal and a size. Raises
        IndexError where there are not so many.
        """
        if not 0 <= index < self._counts.of(name, size):
            raise IndexError(index)
        return self._text(name, size, index)

    def texts(self, row: Row, size: int, index: int) -> list[str]:
        """The texts of this index for the nonterminals of a row, whose sizes add up to `size`."""
        return [self._text(*part) for part in self._parts(row, size, index)]

    def all_of(self, name: str, size: int) -> list[str] | None:
        """All texts of a nonterminal and a size in order; None where they are too many to keep."""
        key = (name, size)
        found = self._kept.get(key)
        if found is None and self._counts.of(name, size) <= KEPT:
            found = self._kept[key] = list(self._listed(name, size))
        return found

    def _listed(self, name: str, size: int) -> list[str]:
        return [self._made(name, size, index) for index in range(self._counts.of(name, size))]

    def _text(self, name: str, size: int, index: int) -> str:
        known = self.all_of(name, size)
        return self._made(name, size, index) if known is None else known[index]

    def _made(self, name: str, size: int, index: int) -> str:
        """Put a text together, which may be nested deeper than Python's stack."""

        def inside(piece: _Piece) -> Sequence[_Piece]:
            if isinstance(piece, str):
                return ()
            known = self.all_of(*piece[:2])
            return self._pieces(*piece) if known is None else (known[piece[2]],)

        pieces = occurrences(self._pieces(name, size, index), inside)
        return "".join(piece for piece in pieces if isinstance(piece, str))

    def _pieces(self, name: str, size: int, index: int) -> list[_Piece]:
        """The words of a text and the children between them, the last one first."""
        around, parts = self._split(name, size, index)
        pieces: list[_Piece] = [around[0]]
        for part, words in zip(parts, around[1:], strict=True):
            pieces += (part, words)
        return pieces[::-1]

    def _split(
        self, name: str, size: int, index: int
    ) -> tuple[tuple[str, ...], list[tuple[str, int, int]]]:
        """The words around the children of a text, and each child by its name, size and index."""
        for production in self._rules[name]:
            count = self._counts.of_production(production, size)
            if index < count:
                break
            index -= count
        if not production.children:
            return production.spellings[index], []
        spelling, index = divmod(index, self._counts.of_row(production.children, size - 1))
        return production.spellings[spelling], self._parts(production.children, size - 1, index)

    def _parts(self, row: Row, size: int, index: int) -> list[tuple[str, int, int]]:
        parts: list[tuple[str, int, int]] = []
        counts = self._counts
        while len(row) > 1:
            name, row = row[0], row[1:]
            for k in range(1, size):
                here = counts.of(name, k)
                if not here:
                    continue
                behind = counts.of_row(row, size - k)
                if index < here * behind:
                    break
                index -= here * behind
            at, index = divmod(index, behind)
            parts.append((name, k, at))
            size -= k
        parts.append((row[0], size, index))
        return parts


# ----------------------------------------------------------------------
# A grammar of scripts: its productions, which are checked when it is made, its counts, and its
# scripts by index.


ENDLESS = None  # the number of scripts of a grammar that has no largest one


class Grammar:
    """The scripts of a grammar. `plain` is what `murxpy.data.lookup` gives.

    The size of a script is the sum of the sizes of the terms in it. Raises InputError for a
    production that cannot be read. `murxpy.sources.enumeration.grammar` checks whether it is well-sorted.
    """

    def __init__(self, plain: Mapping[str, Any]) -> None:
        self.name = str(plain["grammar"])
        self.about = str(plain["about"])
        self.file = str(plain["file"])
        self.plain = plain
        names = plain["sorts"]
        self.rules = {
            name: tuple(
                parse_production(text, names, self.file, line) for text, line in productions
            )
            for name, productions in plain["rules"].items()
        }
        self.head = "\n".join(
            [f"(set-logic {plain['logic']})", *(text for text, _ in plain["declare"])]
        )
        commands = [
            parse_production(text, names, self.file, line) for text, line in plain["script"]
        ]
        self.script = _joined(commands)
        self.counts = Counts(self.rules)
        self._texts = Texts(self.counts)
        self.largest = self._largest()
        self._before = [0, 0]  # the number of scripts that are smaller than a size

    def _children(self, name: str) -> list[str]:
        return [child for production in self.rules[name] for child in production.children]

    def check_use(self) -> None:
        """Raise InputError for a nonterminal that is of no use, at its first production."""
        finite: dict[str, None] = {}
        while more := [
            name
            for name, productions in self.rules.items()
            if name not in finite
            and any(all(child in finite for child in each.children) for each in productions)
        ]:
            finite.update(dict.fromkeys(more))
        used = set(subterms(self.script.children, self._children))
        endless = [name for name in self.rules if name not in finite]
        for name, productions in self.rules.items():
            # one that fails because of others is told only where there is no other
            others = [n for p in productions for n in p.children if n in endless and n != name]
            if name in endless and (not others or name == endless[-1]):
                raise self._error(productions[0], f"the nonterminal {name} has no finite text")
            if name not in used:
                raise self._error(productions[0], f"no script has the nonterminal {name}")

    def _error(self, production: Production, message: str) -> InputError:
        return InputError(message, file=self.file, line=production.line)

    def _largest(self) -> int | None:
        """The size of the largest scripts; `ENDLESS` where there is none."""
        sizes: dict[str, int | None] = {}

        def largest(name: str) -> int | None:
            if name not in sizes:
                sizes[name] = ENDLESS  # as long as it is being asked for, it is a part of itself
                found = [row(production) for production in self.rules[name]]
                sizes[name] = None if None in found else max(n for n in found if n is not None)
            return sizes[name]

        def row(production: Production) -> int | None:
            parts = [largest(child) for child in production.children]
            return None if None in parts else 1 + sum(n for n in parts if n is not None)

        found = row(self.script)
        return None if found is None else found - 1

    def of_size(self, size: int) -> int:
        """The number of scripts of this size."""
        return len(self.script.spellings) * self.counts.of_row(self.script.children, size)

    def up_to(self, size: int) -> int:
        """The number of scripts of at most this size."""
        return self._smaller(size + 1)

    def _smaller(self, size: int) -> int:
        while len(self._before) <= size:
            self._before.append(self._before[-1] + self.of_size(len(self._before) - 1))
        return self._before[size]

    @property
    def number(self) -> int | None:
        """The number of all scripts; `ENDLESS` where it is infinite."""
        return ENDLESS if self.largest is None else self.up_to(self.largest)

    def size_at(self, index: int) -> int:
        """The size of the script with this index, from 0. Raises IndexError."""
        if index < 0 or (self.number is not None and index >= self.number):
            raise IndexError(index)
        while self._before[-1] <= index:
            self._smaller(len(self._before))
        return bisect_right(self._before, index) - 1

    def at(self, index: int) -> str:
        """The script with this index, from 0, without its declarations. Raises IndexError."""
        size = self.size_at(index)
        return self.in_size(size, index - self._smaller(size))

    def in_size(self, size: int, index: int) -> str:
        """The script with this index, from 0, among those of a size, without its declarations."""
        spelling, index = divmod(index, self.counts.of_row(self.script.children, size))
        return self.script.text(spelling, self._texts.texts(self.script.children, size, index))

    def whole(self, script: str) -> str:
        """A script with the declarations in front."""
        return f"{self.head}\n{script}\n"

    def spelled(self) -> Iterator[tuple[str, Production, int]]:
        """Each spelling of each production of each nonterminal."""
        for name, productions in self.rules.items():
            for production in productions:
                for spelling in range(len(production.spellings)):
                    yield name, production, spelling


_AHEAD = 1.02  # times the digits that are likely to be enough, so that few more steps are needed


def first_large(grammar: Grammar, length: int) -> int:
    """The first power of ten that is the index of a script with so many characters. Raises InputError
    for a grammar that has none.
    """

    def written(digits: int) -> int:
        """The characters of the script whose index is this power of ten."""
        if grammar.number is not None and 10**digits >= grammar.number:
            raise InputError(
                f"the grammar {grammar.name} has no script of {length:,} characters",
                file=grammar.file,
            )
        text: str = grammar.whole(grammar.at(10**digits))
        return len(text)

    least, most = 0, 1  # digits: too few, and enough
    while (found := written(most)) < length:
        # Scripts grow about as the digits of their indices do, and counting them costs about the third
        # power of these. Doubling would go to 2,048 digits for `ints`, where 1,120 are enough.
        likely = most * length * _AHEAD // found
        least, most = most, max(most + 1, min(2 * most, int(likely)))
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if written(middle) >= length else (middle, most)
    return int(10**most)


def _joined(commands: list[Production]) -> Production:
    """All commands of a script as one production, a line for each command."""
    children = tuple(child for command in commands for child in command.children)
    spellings: list[tuple[str, ...]] = [("",)]
    for place, command in enumerate(commands):
        begin = "\n" if place else ""
        spellings = [
            (*before[:-1], before[-1] + begin + own[0], *own[1:])
            for before in spellings
            for own in command.spellings
        ]
    return Production(children, tuple(spellings))


# ----------------------------------------------------------------------
# The check of a grammar: each production is well-sorted and well-scoped, and so is each script.


Line = tuple[str, int]  # a command, and the line of the file that it comes from


def check_grammar(grammar: Grammar, catalogue: Catalogue) -> None:
    """Raise InputError, with the line of the file, for the first part of a grammar that is no
    well-sorted SMT-LIB; else for what is of no use, or makes a script twice.

    Each nonterminal becomes a function of the variables that are bound where it stands, and each
    spelling of each production the body of a definition of its sort.
    """
    _check_logic(grammar)
    _check_sorts(grammar, catalogue)
    _check_commands(grammar)
    grammar.check_use()
    _check_twice(grammar)
    _check_cycles(grammar)


def _check_logic(grammar: Grammar) -> None:
    logic = grammar.plain["logic"]
    if not known(logic):
        raise InputError(
            f"unknown logic '{logic}', expected one that solvers know, such as ALL or QF_LIA{nearest(logic, LOGICS)}",
            file=grammar.file,
            line=grammar.plain["logic-line"],
        )


def spelled_out(grammar: Grammar) -> str:
    """A script that has each spelling of each production of a grammar in it."""
    return "\n".join(command for command, _ in _lines(grammar))


def _check_sorts(grammar: Grammar, catalogue: Catalogue) -> None:
    lines = list(_lines(grammar))
    text = "\n".join(command for command, _ in lines)
    try:
        read_script(text, grammar.file, catalogue)
    except InputError as error:
        command, line = lines[min(len(lines), error.line or 1) - 1]
        raise InputError(
            f"{error.reason} (in {command})".replace(_HOLE, ""), file=grammar.file, line=line
        ) from None


_HOLE = "hole!"
# The contents that a script may have. Others end it, change how it is read, or ask what no oracle
# judges.
_COMMANDS = re.compile(
    r"\((?:assert|check-sat|check-sat-assuming|push|pop|declare-\S+|define-\S+)[\s)]"
)


def _check_commands(grammar: Grammar) -> None:
    for section in ("declare", "script"):
        for text, line in grammar.plain[section]:
            if not _COMMANDS.match(text):
                raise InputError(
                    "expected assert, check-sat, check-sat-assuming, push, pop, or a declaration or "
                    f"definition, found {text}",
                    file=grammar.file,
                    line=line,
                )
    if not any("(check-sat" in text for text, _ in grammar.plain["script"]):
        line = grammar.plain["script"][0][1] if grammar.plain["script"] else 1
        raise InputError("expected a check-sat in the script", file=grammar.file, line=line)


def _check_twice(grammar: Grammar) -> None:
    """Raise InputError for a production that makes the same text as another of its nonterminal."""
    seen: dict[tuple[str, str], int] = {}
    for name, production, spelling in grammar.spelled():
        text = production.text(spelling, production.children)
        if (name, text) in seen:
            raise InputError(
                f"the nonterminal {name} has the production {text} twice (also on line {seen[name, text]}), "
                "so that scripts with it would be tested twice",
                file=grammar.file,
                line=production.line,
            )
        seen[name, text] = production.line


def _check_cycles(grammar: Grammar) -> None:
    """Raise InputError for nonterminals that stand for each other alone, so that a text of one of
    them is one of every size.
    """
    alone = {
        name: [
            (production.children[0], production.line)
            for production in productions
            if len(production.children) == 1 and ("", "") in production.spellings
        ]
        for name, productions in grammar.rules.items()
    }

    def below(name: str) -> list[str]:
        return [child for child, _ in alone[name]]

    for name in grammar.rules:
        if name in subterms(below(name), below):
            raise InputError(
                f"the nonterminal {name} can stand for itself alone, so that each of its texts would be "
                "made in endlessly many ways",
                file=grammar.file,
                line=alone[name][0][1],
            )


def _lines(grammar: Grammar) -> Iterator[Line]:
    plain = grammar.plain
    scope: Mapping[str, Mapping[str, str]] = plain["scope"]
    first = plain["script"][0][1] if plain["script"] else 1
    yield f"(set-logic {plain['logic']})", first
    for text, line in plain["declare"]:
        yield " ".join(text.split()), line
    for name, sort in plain["sorts"].items():
        line = grammar.rules[name][0].line
        bound = " ".join(scope.get(name, {}).values())
        yield f"(declare-fun {_HOLE}{name} ({bound}) {sort})", line
    for number, (name, production, spelling) in enumerate(grammar.spelled()):
        bound = " ".join(f"({word} {sort})" for word, sort in scope.get(name, {}).items())
        body = production.text(spelling, _holes(production.children, scope))
        sort = plain["sorts"][name]
        yield f"(define-fun production!{number} ({bound}) {sort} {body})", production.line
    holes = _holes(grammar.script.children, scope)
    for spelling in range(len(grammar.script.spellings)):
        yield from _commands(grammar.script, spelling, holes, plain["script"])


def _holes(names: Sequence[str], scope: Mapping[str, Mapping[str, str]]) -> list[str]:
    return [
        f"({_HOLE}{name} {' '.join(scope[name])})" if scope.get(name) else f"{_HOLE}{name}"
        for name in names
    ]


def _commands(
    script: Production, spelling: int, holes: Sequence[str], written: Sequence[Sequence[str | int]]
) -> Iterator[Line]:
    for command, (_, line) in zip(script.text(spelling, holes).split("\n"), written, strict=True):
        yield command, int(line)
