"""The commands of a script as small immutable values: SMT-LIB 2.7, section 4, and what z3 and cvc5
add.
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
    """`(set-option :name value)`; the value as it was written."""

    name: str  # without the colon
    value: str


@dataclass(frozen=True, slots=True)
class SetInfo:
    """`(set-info :name value)`; the value as it was written, empty where there is none."""

    name: str  # without the colon
    value: str


@dataclass(frozen=True, slots=True)
class DeclareSort:
    """`(declare-sort S 0)`. One with parameters has a command for each instance, whose name is then
    `(S Int)`.
    """

    sort: Sort


@dataclass(frozen=True, slots=True)
class DefineSort:
    """`(define-sort S (X) sort)`, in which `X` is a SORT_PARAM. Terms have the sort that it stands
    for.
    """

    name: str
    parameters: tuple[str, ...]
    sort: Sort


@dataclass(frozen=True, slots=True)
class DeclareDatatypes:
    """A block of datatypes, perhaps mutually recursive, of either age of the command."""

    datatypes: tuple[Datatype, ...]


@dataclass(frozen=True, slots=True)
class DeclareFun:
    """`declare-fun` and `declare-const`: an OP_CONSTANT term, of a SORT_FUN where it takes
    arguments.
    """

    constant: Term


@dataclass(frozen=True, slots=True)
class DefineFun:
    """`define-fun`, `define-const`: a name for `body`.

    With variables, `function` is an OP_FUN term whose arguments are the variables and the body, and
    what applies it is OP_UF_APPLY. Without, there is no function: wherever the name stands, terms
    have `body` itself.
    """

    name: str
    variables: tuple[Term, ...]
    body: Term
    function: Term | None


@dataclass(frozen=True, slots=True)
class DefineFunsRec:
    """`define-fun-rec`, `define-funs-rec`: constants (of a SORT_FUN where they have variables) with
    their variables and bodies.
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
    """`(check-sat-assuming (t ...))`, also written `(check-sat t ...)` in z3."""

    assumptions: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class CheckSatUsing:
    """`(check-sat-using tactic)` of z3; the tactic as it was written."""

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
    """`(get-value (t ...))`, and `(eval t)` of z3."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Simplify:
    """`(simplify t)`, without its options."""

    term: Term


Part = str | Term | Sort
"""What a command with terms is made of: a piece of text, or something that is printed by the name that it has now."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question whose answer nobody uses: `get-model`, `get-unsat-core`, `get-info`, `echo`; with
    what follows as it was written.

    `parts` says the same as `words` where terms are in it, as in `(get-abduct A t)` and `(display
    t)`; it is what is printed then.
    """

    command: str
    words: str = ""
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Exit:
    """`(exit)`; nothing is read behind it."""


@dataclass(frozen=True, slots=True)
class Other:
    """A command that only some solver knows and that changes what a check means, as it was written,
    without its parentheses.

    `parts` says the same where terms are in it, as in `(maximize t)`; it is what is printed then.
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
