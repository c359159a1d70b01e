"""A script that was read, or made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

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
from murxpy.smtlib.syntax.lexer import offset, place
from murxpy.smtlib.tables import Tables


@dataclass(frozen=True)
class Origin:
    """The text of a script, and the numbers of the tokens that its commands begin with."""

    text: str
    starts: list[int]


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
        """The sorts."""
        return self.tables.sorts

    @property
    def terms(self) -> TermTable:
        """The terms."""
        return self.tables.terms

    @property
    def checker(self) -> Checker:
        """The type checker."""
        return self.tables.checker

    @property
    def logic(self) -> str | None:
        """The first logic that is set; None where there is none."""
        return next((c.logic for c in self.commands if isinstance(c, SetLogic)), None)

    def line(self, number: int) -> int | None:
        """The line that a command begins on."""
        if self.origin is None or number >= len(self.origin.starts):
            return None
        return place(self.origin.text, offset(self.origin.text, self.origin.starts[number]))[0]

    def assertions(self) -> list[Term]:
        """The asserted terms, in order, whatever level they are on."""
        return [c.term for c in self.commands if isinstance(c, Assert)]

    def constants(self) -> list[Term]:
        """The declared constants and functions, in order."""
        return [c.constant for c in self.commands if isinstance(c, DeclareFun)]

    def statuses(self) -> list[str | None]:
        """What `(set-info :status S)` says of each check: `sat`, `unsat`, `unknown`, or None."""
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
        """True if there is not just one check, after all assertions."""
        checks = [at for at, c in enumerate(self.commands) if isinstance(c, CHECKS)]
        return len(checks) != 1 or any(isinstance(c, Assert) for c in self.commands[checks[0] :])
