"""A script: a sequence of commands that was read or made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from murxpy.logic.sorts import SortTable
from murxpy.logic.terms import Term, TermTable
from murxpy.logic.typing import Checker
from murxpy.smtlib.commands import (
    CHECKS,
    Assert,
    Command,
    DeclareFun,
    Exit,
    Reset,
    SetInfo,
    SetLogic,
)
from murxpy.smtlib.syntax.lexer import solid
from murxpy.smtlib.tables import Tables


@dataclass(frozen=True)
class Origin:
    """The text of a script, and for each command the number of its first token."""

    text: str
    starts: list[int]

    @cached_property
    def lines(self) -> list[int]:
        """The line of each command, from 1. All are found in one pass over the text."""
        found, line, at, passed = [], 1, 0, 0
        begins = solid(self.text)
        for start in self.starts:
            begin = next(islice(begins, start - passed, None), len(self.text))
            line += self.text.count("\n", at, begin)
            at, passed = begin, start + 1
            found.append(line)
        return found


@dataclass
class Script:
    """An SMT-LIB script: its commands in order, and the tables that its sorts and terms are in.

    - `commands` are the values of `smtlib.commands`; what they hold are `logic.terms.Term` and `logic.sorts.Sort`. Terms are what the text
      means, not how it was written: `let`, names of terms, `define-sort`, and `define-fun` without arguments are replaced by what they
      stand for (subterms are shared, so that costs nothing), negative and rational numbers are literals, an integer where a real must be is
      a real. Operators are those of `fsm/theories`, n-ary where they were written so.
    - New terms come from `tables`: `script.tables.apply("OP_AND", a, b)`, `.value(sort, 5)`, `.constant("x", sort)`, `.variable(...)`;
      everything is type-checked (IllSorted). `tables.catalogue` knows the operators.
    - Another script with the same tables is `Script(name, tables, [commands])`; a command for it is `Assert(term)`. Constants need a
      `DeclareFun`; constants, sorts and datatypes without one are declared by `print_script` in front of the first command that needs them.
    - Printing: `murxpy.smtlib.printing.scripts.print_script(script, dialect)`, with the name of a dialect of the catalogue.
    - `line(k)` is the line of the k-th command in the text, None for a script that was made.
    """

    name: str
    tables: Tables
    commands: list[Command] = field(default_factory=list)
    origin: Origin | None = None

    @property
    def sorts(self) -> SortTable:
        """Return the table of sorts."""
        return self.tables.sorts

    @property
    def terms(self) -> TermTable:
        """Return the table of terms."""
        return self.tables.terms

    @property
    def checker(self) -> Checker:
        """Return the type checker."""
        return self.tables.checker

    @property
    def logic(self) -> str | None:
        """Return the first logic that is set, or None if there is none."""
        return next((c.logic for c in self.commands if isinstance(c, SetLogic)), None)

    def line(self, number: int) -> int | None:
        """Return the line on which a command begins, or None for a script that was made."""
        if self.origin is None or number >= len(self.origin.starts):
            return None
        return self.origin.lines[number]

    def assertions(self) -> list[Term]:
        """Return the asserted formulas in order, on whatever level they are."""
        return [c.term for c in self.commands if isinstance(c, Assert)]

    def constants(self) -> list[Term]:
        """Return the declared constants and functions in order."""
        return [c.constant for c in self.commands if isinstance(c, DeclareFun)]

    def statuses(self) -> list[str | None]:
        """Return for each check what the `(set-info :status S)` before it says: `sat`, `unsat`,
        `unknown`, or None.
        """
        return list(self._statuses())

    def _statuses(self) -> Iterator[str | None]:
        status = None
        for command in self.commands:
            if isinstance(command, SetInfo) and command.name == "status":
                status = command.value
            elif isinstance(command, CHECKS):
                yield status
                status = None
            elif isinstance(command, Exit | Reset):
                status = None

    @property
    def incremental(self) -> bool:
        """Return False only if the script has exactly one check and all assertions before it."""
        checks = [at for at, c in enumerate(self.commands) if isinstance(c, CHECKS)]
        return len(checks) != 1 or any(isinstance(c, Assert) for c in self.commands[checks[0] :])
