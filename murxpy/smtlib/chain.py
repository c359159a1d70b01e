"""Printing a chain of scripts that have most in common: each assertion is printed once, declarations stand in front of everything."""

from __future__ import annotations

from murxpy.smtlib import commands as c
from murxpy.smtlib.commands import Command
from murxpy.smtlib.script import Script
from murxpy.smtlib.tables import Tables
from murxpy.smtlib.writer import Writer, print_script

_FORGETTING = (c.Reset, c.ResetAssertions)  # behind them declarations are gone
_DECLARING = (c.DeclareSort, c.DeclareDatatypes, c.DeclareFun, c.DefineFunsRec)
_SCOPES = {c.Push: "push", c.Pop: "pop"}


class ChainPrinter:
    """Prints scripts of the same tables, one after another. A script may declare more than it uses: what those before it had."""

    def __init__(self, tables: Tables, dialect: str) -> None:
        self._dialect = dialect
        self._writer = Writer(tables.catalogue, dialect)
        self._texts: dict[Command, str] = {}

    def text(self, script: Script) -> str:
        """A script. Raises Unsayable for what the dialect has no words for."""
        if any(isinstance(command, _FORGETTING) for command in script.commands):
            return print_script(script, self._dialect)
        head: list[str] = []
        body: list[str] = []
        for command in script.commands:
            kind = type(command)
            if kind is c.SetLogic:
                head.append(self._writer.text(command))
            elif kind in _DECLARING:
                self._declare(command)
            elif kind in _SCOPES:
                assert isinstance(command, c.Push | c.Pop)
                body.append(f"({_SCOPES[kind]} {command.levels})")  # everything is declared outside
            elif kind is not c.DefineFun:  # terms have what it stands for
                body.append(self._text(command))
        return "\n".join([*head, *self._writer.rows, *body, ""])

    def _declare(self, command: Command) -> None:
        if command not in self._texts:
            self._texts[command] = ""
            self._writer.write(command)

    def _text(self, command: Command) -> str:
        text = self._texts.get(command)
        if text is None:
            text = self._texts[command] = self._writer.text(command)
        return text
