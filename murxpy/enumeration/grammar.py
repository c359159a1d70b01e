"""A grammar of scripts: its productions, which are checked when it is made, its counts, and its
scripts by index.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

from murxpy.enumeration.counting import Counts
from murxpy.enumeration.productions import Production, parse_production
from murxpy.enumeration.unranking import Texts
from murxpy.errors import InputError

ENDLESS = None  # the number of scripts of a grammar that has no largest one


class Grammar:
    """The scripts of a grammar. `plain` is what `murxpy.data.grammars` gives.

    The size of a script is the sum of the sizes of the terms in it. Raises InputError for a
    production that cannot be read. `murxpy.enumeration.checking` checks whether it is well-sorted.
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
        used = dict.fromkeys(self.script.children)
        todo = list(used)
        while todo:
            for production in self.rules[todo.pop()]:
                todo += [child for child in production.children if child not in used]
                used.update(dict.fromkeys(production.children))
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
