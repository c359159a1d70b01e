"""Prints scripts one after another that have most of their terms in common. Each assertion is
printed once, and all declarations stand at the beginning of a script.
"""

from __future__ import annotations

import re
from typing import get_args

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import FUNCTION, Term
from murxpy.logic.walks import bottom_up
from murxpy.smtlib import script as c
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.scripts import Writer, print_script
from murxpy.smtlib.printing.terms import Printer
from murxpy.smtlib.script import Command, Script

PLAIN = 24  # a term with at most so many occurrences of terms in it is printed wherever it is used
# these commands end the declarations before them
_FORGETTING = frozenset([c.Reset, c.ResetAssertions])
_DECLARING = frozenset([c.DeclareSort, c.DeclareDatatypes, c.DeclareFun, c.DefineFunsRec])
_HEAD = frozenset([c.SetLogic, c.SetOption])
_SCOPES = {c.Push: "push", c.Pop: "pop"}
# a value if it is made of literals; cvc5 recognizes values by their syntax, so no name may replace
# it
_VALUES = ("OP_CONST_ARRAY", "OP_DT_APPLY_CONS")
# definitions are no part of the body: terms contain the defined term itself
_BODY = (
    frozenset(get_args(Command)) - _FORGETTING - _DECLARING - _HEAD - {c.Push, c.Pop, c.DefineFun}
)
_NAME = "def!"
_NAMES = re.compile(rf"{_NAME}[0-9!]+")

Printed = tuple[str, tuple[int, ...]]
"""A text, and the rows that it needs."""


class ChainPrinter:
    """Prints scripts that share their tables, one after another. A script may declare symbols that
    only scripts before it use.

    A large term without free variables gets a name by a `define-fun`. If a later script changes a
    part of an assertion, only the terms around that part are printed again, and a term that many
    assertions contain is printed once. Each script contains the definitions that it uses.
    """

    def __init__(self, tables: Tables, dialect: str) -> None:
        self._dialect = dialect
        self._printer = _Naming(tables.catalogue, dialect)
        self._writer = Writer(tables.catalogue, dialect, self._printer)
        self._rows = self._printer.rows = self._writer.rows
        self._kept: dict[Term | Command, Printed] = {}
        self._always: dict[int, None] = {}  # the rows that every script contains
        # of each row, the numbers of the rows that a script with it must contain
        self._closures: list[tuple[int, ...]] = []

    def text(self, script: Script) -> str:
        """Return the text of a script. Raises Unsayable if the dialect cannot say some part of it."""
        head: list[str] = []
        body: list[str] = []
        used: list[tuple[int, ...]] = []
        for command in script.commands:
            kind = type(command)
            if kind in _BODY:
                text, rows = self._printed(command)
                body.append(text)
                if rows:
                    used.append(rows)
            elif kind in _SCOPES:
                assert isinstance(command, c.Push | c.Pop)
                # push and pop need no bookkeeping, because all declarations stand outside of the
                # levels
                body.append(f"({_SCOPES[kind]} {command.levels})")
            elif kind in _DECLARING:
                self._declare(command)
            elif kind in _FORGETTING:
                return print_script(script, self._dialect)
            elif kind in _HEAD:
                head.append(self._writer.text(command))
        self._look()
        needed = dict(self._always)
        for rows in used:
            needed.update(dict.fromkeys(rows))
        return "\n".join(
            [*self._writer.raised(head), *[self._rows[at] for at in sorted(needed)], *body, ""]
        )

    def _printed(self, command: Command) -> Printed:
        """Return the text of a command that needs only declarations before it, and the rows of the
        definitions in it.
        """
        key = command.term if isinstance(command, c.Assert) and command.name is None else command
        known = self._kept.get(key)
        if known is None:
            text = self._writer.text(command)
            self._look()
            known = self._kept[key] = (text, self._used(text))
        return known

    def _declare(self, command: Command) -> None:
        if command not in self._kept:
            self._kept[command] = ("", ())
            # a definition may not move in front of a recursive definition that it uses
            self._printer.naming = not isinstance(command, c.DefineFunsRec)
            self._writer.write(command)
            self._printer.naming = True

    def _look(self) -> None:
        """Note which rows each new row uses. The rows are in an order in which each uses only rows
        before it.
        """
        for at in range(len(self._closures), len(self._rows)):
            used = (*self._used(self._rows[at]), at)
            self._closures.append(used)
            if at not in self._printer.defined:
                self._always.update(dict.fromkeys(used))

    def _used(self, text: str) -> tuple[int, ...]:
        """Return the numbers of the rows that define the names in a text, and of all rows that
        these use.
        """
        names, known = self._printer.names, len(self._closures)
        rows = [names.get(name, known) for name in _NAMES.findall(text)]
        return tuple(
            dict.fromkeys([used for at in rows if at < known for used in self._closures[at]])
        )


class _Naming(Printer):
    """A printer that remembers the texts of small terms, and gives names to large terms that are
    parts of other terms.
    """

    def __init__(self, catalogue: Catalogue, dialect: str) -> None:
        super().__init__(catalogue, dialect)
        self.naming = True
        self.rows: list[str] = []  # the rows of the script; definitions are added at their end
        self.names: dict[str, int] = {}  # of each defined name, the number of its row
        self.defined: set[int] = set()
        self._sizes: dict[Term, int] = {}
        self._small: dict[Term, str] = {}

    def term(self, root: Term) -> str:
        """A term. Raises Unsayable."""
        if root not in self._sizes:
            self._measure(root)
        known = self._small.get(root)
        return self._large(root) if known is None else known

    def inside(self, term: Term) -> list[Term]:
        """Return the parts of a large term that are large, too."""
        small = self._small
        return [part for part in super().inside(term) if part not in small]

    def known(self, term: Term) -> dict[Term, str]:
        """Return the texts of the parts of a term that are small."""
        small = self._small
        return {part: small[part] for part in term.args if part in small}

    def _large(self, term: Term) -> str:
        return super().term(term) if self.inside(term) else self._apply(term, self._small)

    def _measure(self, root: Term) -> None:
        sizes = self._sizes
        for term in bottom_up(root, sizes, lambda one: () if one.op == FUNCTION else one.args):
            size = (
                PLAIN + 1
                if term.sort.kind == "SORT_CASE"
                else 1 + sum([self._size(arg) for arg in term.args if term.op != FUNCTION])
            )
            if size <= PLAIN:
                # a term that raises Unsayable gets no size, so it raises Unsayable again the next
                # time
                self._small[term] = self._apply(term, self._small)
            sizes[term] = min(size, PLAIN + 1)

    def _size(self, part: Term) -> int:
        """Return the size of a part of a larger term. A large part gets a name if it can have one,
        and then has size 1.
        """
        size = self._sizes[part]
        if (
            size <= PLAIN
            or not self.naming
            or part.free
            or part.sort.kind in ("SORT_CASE", "SORT_FUN")
            or not part.args
        ):
            return size
        if part.op == FUNCTION or (part.op in _VALUES and part.ground):
            return size
        text = self._large(part)
        name = self.symbols.of(("definition", len(self.names)), f"{_NAME}{len(self.names)}")
        self.names[name] = len(self.rows)
        self.defined.add(len(self.rows))
        self.rows.append(f"(define-fun {name} () {self.sort(part.sort)} {text})")
        self._small[part] = name
        self._sizes[part] = 1
        return 1
