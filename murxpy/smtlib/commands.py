"""The commands of a script as small immutable values: those of SMT-LIB 2.7, section 4, and those
that z3 and cvc5 add.
"""

from __future__ import annotations

from dataclasses import dataclass

from murxpy.logic.sorts import Datatype, Sort
from murxpy.logic.terms import Term


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
