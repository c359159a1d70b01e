"""Printing a chain of scripts that have most in common: each assertion is printed once, declarations stand in front of everything."""

from __future__ import annotations

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import FUNCTION, Term
from murxpy.smtlib import commands as c
from murxpy.smtlib.commands import Command
from murxpy.smtlib.printer import Printer
from murxpy.smtlib.script import Script
from murxpy.smtlib.tables import Tables
from murxpy.smtlib.writer import Writer, print_script

PLAIN = 24  # occurrences in a term that is printed without `let`s, and its text kept
_FORGETTING = (c.Reset, c.ResetAssertions)  # behind them declarations are gone
_DECLARING = (c.DeclareSort, c.DeclareDatatypes, c.DeclareFun, c.DefineFunsRec)
_SCOPES = {c.Push: "push", c.Pop: "pop"}


class ChainPrinter:
    """Prints scripts of the same tables, one after another. A script may declare more than it uses: what those before it had."""

    def __init__(self, tables: Tables, dialect: str) -> None:
        self._dialect = dialect
        self._writer = Writer(tables.catalogue, dialect, _Keeping(tables.catalogue, dialect))
        self._texts: dict[Command, str] = {}

    def text(self, script: Script) -> str:
        """A script. Raises Unsayable for what the dialect has no words for."""
        if any(isinstance(command, _FORGETTING) for command in script.commands):
            return print_script(script, self._dialect)
        head: list[str] = []
        body: list[str] = []
        for command in script.commands:
            kind = type(command)
            if kind in (c.SetLogic, c.SetOption):
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


class _Keeping(Printer):
    """Keeps the texts of small terms: of a term that was changed somewhere, only what is above that place is printed anew."""

    def __init__(self, catalogue: Catalogue, dialect: str) -> None:
        super().__init__(catalogue, dialect)
        self._sizes: dict[Term, int] = {}
        self._small: dict[Term, str] = {}

    def term(self, root: Term) -> str:
        """A term. Raises Unsayable."""
        if root not in self._sizes:
            self._measure(root)
        known = self._small.get(root)
        return super().term(root) if known is None else known

    def inside(self, term: Term) -> list[Term]:
        """The parts of a large term that are large, too."""
        small = self._small
        return [part for part in super().inside(term) if part not in small]

    def known(self, term: Term) -> dict[Term, str]:
        """The texts of its parts that are small."""
        small = self._small
        return {part: small[part] for part in term.args if part in small}

    def _measure(self, root: Term) -> None:
        sizes, stack = self._sizes, [root]
        while stack:
            term = stack[-1]
            args = () if term.op == FUNCTION else term.args
            waiting = [arg for arg in args if arg not in sizes]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            if term in sizes:
                continue
            size = PLAIN + 1 if term.sort.kind == "SORT_CASE" else 1 + sum([sizes[arg] for arg in args])
            if size <= PLAIN:
                self._small[term] = self._apply(term, self._small)  # a term that is Unsayable has no size, and is so again
            sizes[term] = min(size, PLAIN + 1)
