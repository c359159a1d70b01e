"""Options and commands of a solver that change or read files, or start programs. The wrapper lists
them, and no trace, script or command line may use them (docs/security.md).
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from murxpy.errors import InputError

_SPACE = re.compile(r"\s*")
_SYMBOL = "[a-z0-9~!@$%^&*_+=<>.?/]"
_END = f"(?!{_SYMBOL})"
_KEYWORD = re.compile(rf":\|?({_SYMBOL}+)")
_SET_OPTION = re.compile(r"set_option\|?")
_OPENED = re.compile(r"\(")
_LINE_END = re.compile(r"\n")
_NAMED = re.compile(rf"(?<!:):+\|?({_SYMBOL}+)")
_ENDING = ": murxpy refuses it in traces, scripts and command lines, so leave it out"


def _normal(text: str) -> str:
    """The text with those letters alike that z3 does not distinguish in the names of options."""
    return text.lower().replace("-", "_")


class Forbidden:
    """The forbidden options and commands of a wrapper by the reason, a clause such as `writes its
    output to a file`.

    The option `module.name` of a module is also known by `name` alone.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        options, commands = (_reasons(data.get(kind) or {}) for kind in ("options", "commands"))
        short = {name.partition(".")[2]: because for name, because in options.items()}
        names = {**{name: because for name, because in short.items() if name}, **options}
        self._options = {_normal(name): (name, because) for name, because in names.items()}
        self._commands = {_normal(name): (name, because) for name, because in commands.items()}
        # A name of one plain word is also the name of other things. The word therefore counts
        # behind `set-option` only. Other names count at any place, because the parameters of
        # commands and tactics are spelled alike.
        self._telling = {name for name in self._options if not name.isalnum()}
        self._word = re.compile(_any(self._telling)) if self._telling else None
        self._called = re.compile(rf"\|?({_any(self._commands)}){_END}")

    def option(self, name: str) -> str:
        """The words of an error if the option is forbidden, which say why; else empty."""
        known = self._known(name)
        return f"the option {known[0]} {known[1]}{_ENDING}" if known else ""

    def reason(self, name: str) -> str:
        """The reason why the option is forbidden, a clause that goes on after its name; else empty."""
        known = self._known(name)
        return known[1] if known else ""

    def _known(self, name: str) -> tuple[str, str] | None:
        return self._options.get(_normal(name).strip("|").lstrip(":"))

    def in_script(self, text: str) -> str:
        """The same for the first option or command in a script that is forbidden.

        Solvers read comments, strings and quoted symbols in ways of their own. The text is therefore
        searched as it stands, and forbidden words count within these, too.
        """
        found = self._first(_normal(text))
        return "" if found is None else found[0]

    def permit(self, script: str, file: str) -> None:
        """Raise InputError, with the line, if something forbidden is in the script in `file`."""
        normal = _normal(script)
        if (found := self._first(normal)) is not None:
            raise InputError(found[0], file=file, line=normal.count("\n", 0, found[1]) + 1)

    def _first(self, normal: str) -> tuple[str, int] | None:
        """The words of an error for the first option or command that is forbidden, and where it stands."""
        # looking for the words alone is much faster, and nearly every script has none of them
        telling = not self._telling.isdisjoint(_KEYWORD.findall(normal))
        for name in _KEYWORD.finditer(normal) if telling else _behind(normal, _SET_OPTION, _NAMED):
            if (not telling or name[1] in self._telling) and (found := self.option(name[1])):
                return found, name.start(1)
        if any(name in normal for name in self._commands):
            for called in _behind(normal, _OPENED, self._called):
                command, because = self._commands[called[1]]
                return f"the command {command} {because}{_ENDING}", called.start(1)
        return None

    def in_operand(self, text: str) -> str:
        """The same for a text that is passed to a function of the solver, such as the name of an
        option, or a script.
        """
        found = None if self._word is None else self._word.search(_normal(text))
        named = self.option(text if found is None else found[0])
        return named or self.in_script(text)


def _behind(text: str, word: re.Pattern[str], pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Each match of `pattern` behind `word`, with nothing between the two but blanks and comments.

    The time is linear in the text: many words can stand in one comment, and what follows the end of
    its line is looked for once. One pattern that skips comments would be quadratic there.
    """
    line_ends: list[int] = []
    behind: dict[int, int] = {}  # the end of a line -> where the blanks and comments behind it end
    for found in word.finditer(text):
        passed, at = [], _blanks(text, found.end())
        while text.startswith(";", at):
            line_ends = line_ends or [*(end.start() for end in _LINE_END.finditer(text)), len(text)]
            end = line_ends[bisect.bisect_left(line_ends, at)]
            if end in behind:
                at = behind[end]
                break
            passed.append(end)
            at = _blanks(text, end)
        behind.update(dict.fromkeys(passed, at))
        if match := pattern.match(text, at):
            yield match


def _blanks(text: str, at: int) -> int:
    """Return the end of the blanks that begin at `at`."""
    found = _SPACE.match(text, at)
    assert found is not None  # it matches the empty text, too
    return found.end()


def _reasons(names: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {name: because for because, known in names.items() for name in known}


def _any(names: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
