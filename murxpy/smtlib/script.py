"""The commands of a script as small immutable values: those of SMT-LIB 2.7, section 4, and those
that z3 and cvc5 add.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from murxpy.logic.sorts import Datatype, Sort, SortTable
from murxpy.logic.terms import Term, TermTable
from murxpy.logic.typing import Checker
from murxpy.smtlib.building import Tables
from murxpy.smtlib.lexer import solid


@dataclass(frozen=True, slots=True)
class SetLogic:
    """`(set-logic L)`."""

    logic: str


@dataclass(frozen=True, slots=True)
class SetOption:
    """`(set-option :name value)`. The value is the text that the script has."""

    name: str  # without the colon
    value: str


@dataclass(frozen=True, slots=True)
class SetInfo:
    """`(set-info :name value)`. The value is the text that the script has; it is empty if the
    script has none.
    """

    name: str  # without the colon
    value: str


@dataclass(frozen=True, slots=True)
class DeclareSort:
    """`(declare-sort S 0)`. A declaration of a sort with parameters becomes one command for each
    instance that the script uses; the name of such a command is the instance, such as `(S Int)`.
    """

    sort: Sort


@dataclass(frozen=True, slots=True)
class DefineSort:
    """`(define-sort S (X) sort)`. The parameter `X` is a SORT_PARAM in `sort`. The terms of the
    script do not have the new name: their sorts are those that it stands for.
    """

    name: str
    parameters: tuple[str, ...]
    sort: Sort


@dataclass(frozen=True, slots=True)
class DeclareDatatypes:
    """The declaration of one or more datatypes, which may use each other. The older syntax of the
    command gives the same value.
    """

    datatypes: tuple[Datatype, ...]


@dataclass(frozen=True, slots=True)
class DeclareFun:
    """`declare-fun` or `declare-const`. The declared symbol is an OP_CONSTANT term; if it takes
    arguments, its sort is a SORT_FUN.
    """

    constant: Term


@dataclass(frozen=True, slots=True)
class DefineFun:
    """`define-fun` or `define-const`: a name for `body`.

    With variables, `function` is an OP_FUN term whose arguments are the variables and the body; an
    OP_UF_APPLY term applies it. Without variables there is no function: wherever the script has the
    name, its terms have `body`.
    """

    name: str
    variables: tuple[Term, ...]
    body: Term
    function: Term | None


@dataclass(frozen=True, slots=True)
class DefineFunsRec:
    """`define-fun-rec` or `define-funs-rec`: constants with the variables and the bodies that
    define them. A constant with variables has a SORT_FUN.
    """

    functions: tuple[Term, ...]
    variables: tuple[tuple[Term, ...], ...]
    bodies: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Assert:
    """`(assert t)`, or with a name `(assert (! t :named name))`."""

    term: Term
    name: str | None = None


@dataclass(frozen=True, slots=True)
class CheckSat:
    """`(check-sat)`."""


@dataclass(frozen=True, slots=True)
class CheckSatAssuming:
    """`(check-sat-assuming (t ...))`. In z3 this is also written `(check-sat t ...)`."""

    assumptions: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class CheckSatUsing:
    """`(check-sat-using tactic)` of z3. The tactic is the text that the script has."""

    tactic: str


@dataclass(frozen=True, slots=True)
class Push:
    """`(push n)`."""

    levels: int = 1


@dataclass(frozen=True, slots=True)
class Pop:
    """`(pop n)`."""

    levels: int = 1


@dataclass(frozen=True, slots=True)
class Reset:
    """`(reset)`."""


@dataclass(frozen=True, slots=True)
class ResetAssertions:
    """`(reset-assertions)`."""


@dataclass(frozen=True, slots=True)
class GetValue:
    """`(get-value (t ...))`, or `(eval t)` of z3."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Simplify:
    """`(simplify t)`. Options of the command are left out."""

    term: Term


Part = str | Term | Sort
"""What a command with terms is made of: a piece of text, or something that is printed by the name that it has now."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question whose answer murxpy does not use, such as `get-model`, `get-unsat-core`,
    `get-info` or `echo`. `words` is the text behind the name of the command.

    If terms are in that text, as in `(get-abduct A t)` and `(display t)`, `parts` is the same text
    with the terms as values. The printer then uses `parts`.
    """

    command: str
    words: str = ""
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Exit:
    """`(exit)`. The reader does not read what follows it."""


@dataclass(frozen=True, slots=True)
class Other:
    """A command that only some solvers know and that changes what a check means. `text` is the
    command without its parentheses.

    If terms are in it, as in `(maximize t)`, `parts` is the same text with the terms as values. The
    printer then uses `parts`.
    """

    text: str
    parts: tuple[Part, ...] = ()


Command = (
    SetLogic
    | SetOption
    | SetInfo
    | DeclareSort
    | DefineSort
    | DeclareDatatypes
    | DeclareFun
    | DefineFun
    | DefineFunsRec
    | Assert
    | CheckSat
    | CheckSatAssuming
    | CheckSatUsing
    | Push
    | Pop
    | Reset
    | ResetAssertions
    | GetValue
    | Simplify
    | Ask
    | Exit
    | Other
)
CHECKS = (CheckSat, CheckSatAssuming, CheckSatUsing)


# ----------------------------------------------------------------------
# A script: a sequence of commands that was read or made.


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


# ----------------------------------------------------------------------
# Which formulas are asserted at each check of a script.


def at_checks(script: Script) -> Iterator[tuple[int, tuple[Assert, ...]]]:
    """Return, for each check of a script in order, its position among the commands and the formulas
    that are asserted there on all open levels.
    """
    levels: list[list[Assert]] = [[]]
    for at, command in enumerate(script.commands):
        if isinstance(command, Assert):
            levels[-1].append(command)
        elif isinstance(command, Push):
            levels.extend([] for _ in range(command.levels))
        elif isinstance(command, Pop):
            del levels[max(1, len(levels) - command.levels) :]
        elif isinstance(command, Reset | ResetAssertions):
            levels = [[]]
        elif isinstance(command, CHECKS):
            yield at, tuple(assertion for level in levels for assertion in level)
