"""Options and commands of a solver that change or read files, or start programs. The wrapper lists
them, and no trace, script or command line may use them (docs/security.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

# what may stand between two words of a command
_GAP = r"(?:\s|;[^\n]*(?:\n|$))*"
_END = r"(?![A-Za-z0-9~!@$%^&*_+=<>.?/:-])"
_ENDING = ": murxpy refuses it in traces, scripts and command lines, so leave it out"


def _normal(name: str) -> str:
    """The name without what solvers do not distinguish. z3 takes `-` and `:` for `_`."""
    return re.sub("[-:]", "_", name.lower().strip("|").lstrip(":"))


def _pattern(name: str) -> str:
    """A regular expression for all spellings of a name."""
    return re.sub("[-_:]", "[-_:]", re.escape(name).replace("\\-", "-"))


class Forbidden:
    """The forbidden options and commands of a wrapper by the reason, a clause such as `writes its
    output to a file`.

    The option `module.name` of a module is also known by `name` alone.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        options, commands = (_reasons(data.get(kind) or {}) for kind in ("options", "commands"))
        short = {name.partition(".")[2]: because for name, because in options.items()}
        names = {**{name: because for name, because in short.items() if name}, **options}
        self._options = {_normal(name): because for name, because in names.items()}
        self._commands = commands
        # A name of one plain word is also the name of other things. So it counts behind
        # `set-option` only. Other names count at any place, because the parameters of commands and
        # tactics are spelled alike.
        telling = sorted(name for name in names if not name.isalnum())
        plain = sorted(name for name in names if name.isalnum())
        parts = []
        if telling:
            parts.append(rf":+\|?(?P<telling>{_any(telling)})\|?{_END}")
        if plain:
            parts.append(rf"set-option\|?{_GAP}:+\|?(?P<plain>{_any(plain)})\|?{_END}")
        if commands:
            parts.append(rf"\({_GAP}\|?(?P<command>{_any(commands)})\|?{_END}")
        self._script = re.compile("|".join(parts), re.IGNORECASE) if parts else None
        self._word = re.compile(_any(telling), re.IGNORECASE) if telling else None

    def option(self, name: str) -> str:
        """The words of an error if the option is forbidden, which say why; else empty."""
        because = self._options.get(_normal(name))
        return f"the option {name} {because}{_ENDING}" if because else ""

    def in_script(self, text: str) -> str:
        """The same for the first option or command in a script that is forbidden.

        Solvers read comments, strings and quoted symbols in ways of their own. So the text is
        searched as it stands, and what is forbidden is so within these, too.
        """
        found = None if self._script is None else self._script.search(text)
        if found is None:
            return ""
        groups = found.groupdict()
        command = groups.get("command")
        if command is not None:
            return f"the command {command} {self._commands[command.lower()]}{_ENDING}"
        return self.option(groups.get("telling") or groups.get("plain") or "")

    def in_operand(self, text: str) -> str:
        """The same for a text that is passed to a function of the solver, such as the name of an
        option, or a script.
        """
        found = None if self._word is None else self._word.search(text)
        named = self.option(text if found is None else found[0])
        return named or self.in_script(text)


def _reasons(names: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {name: because for because, known in names.items() for name in known}


def _any(names: Iterable[str]) -> str:
    return "|".join(map(_pattern, sorted(names, key=len, reverse=True)))
