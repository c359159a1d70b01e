"""Preparing a seed for mutation: commands that only describe it are removed, and its meaning is
kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.logic.terms import Term
from murxpy.mutation.workshop import Workshop
from murxpy.smtlib.commands import (
    CHECKS,
    Ask,
    Assert,
    CheckSat,
    CheckSatAssuming,
    CheckSatUsing,
    Command,
    DefineFunsRec,
    Exit,
    GetValue,
    Pop,
    Push,
    Reset,
    ResetAssertions,
    SetInfo,
    SetLogic,
    SetOption,
    Simplify,
)
from murxpy.smtlib.logics import MIXED, NEEDS, smallest
from murxpy.smtlib.script import Script

_MORE = "more"  # stands for whatever no logic of the standard has
_ASSERTING = (Assert, *CHECKS, Push, Pop, Reset, ResetAssertions)
_DROPPED = (Ask, Exit, GetValue, SetInfo, SetLogic, SetOption, Simplify)


def prepared(script: Script, *, tactics: bool = False) -> Script:
    """The script without options, descriptions and questions, in the logic ALL, because mutation
    can leave the logic of the seed. Checks by tactics become plain ones, except with `tactics`.
    """
    kept = [
        CheckSat() if isinstance(c, CheckSatUsing) and not tactics else c
        for c in script.commands
        if not isinstance(c, _DROPPED)
    ]
    return Script(script.name, script.tables, [SetLogic("ALL"), *kept])


def prepared_seed(workshop: Workshop, script: Script) -> Script:
    """The script of a run's first seed, prepared. If the user wants that, the run keeps its options,
    and the checks by tactics stay where the solver has such checks.
    """
    keep = bool(workshop.choices.get("keep_options"))
    if keep:
        workshop.options = [(c.name, c.value) for c in script.commands if isinstance(c, SetOption)]
    return prepared(script, tactics=keep and workshop.shop.tactics)


def declaring(script: Script) -> list[Command]:
    """The commands that neither assert nor check."""
    return [c for c in script.commands if not isinstance(c, _ASSERTING)]


class Logics:
    """The smallest logic for each script of a chain. It remembers what earlier scripts contained,
    so that only new terms are examined.
    """

    def __init__(self, script: Script) -> None:
        self._operators = script.tables.catalogue.operators
        self._seen: set[Term] = set()
        self._needs: dict[str, None] = {}
        if any(isinstance(c, DefineFunsRec) for c in script.commands):
            self._needs[_MORE] = None
        for constant in script.constants():
            self._needs.update(dict.fromkeys(self._of(constant)))

    def of(self, script: Script) -> str:
        """The logic of the next script; `ALL` if no logic of the standard has everything in it."""
        stack = [term for command in script.commands for term in _terms(command)]
        while stack:
            term = stack.pop()
            if term not in self._seen:
                self._seen.add(term)
                self._needs.update(dict.fromkeys(self._of(term)))
                stack.extend(term.args)
        return "ALL" if _MORE in self._needs else smallest(self._needs)

    def _of(self, term: Term) -> list[str]:
        sorts = [sort.kind for sort in (term.sort, *term.sort.sorts()) if sort.kind != "SORT_BOOL"]
        # the sorts of a datatype's fields count, too
        needs = [_MORE if kind == "SORT_DT" else NEEDS.get(kind, _MORE) for kind in sorts]
        operator = self._operators.get(term.op)
        if operator is None:
            return needs
        if operator.kind in MIXED:
            needs += ["I", "R"]
        if operator.extension or operator.feature or operator.typing:
            needs.append(_MORE)
        if operator.signature.binder:
            needs.append("Q" if operator.kind.startswith(("OP_FORALL", "OP_EXISTS")) else _MORE)
        if operator.nonlinear and operator.theory in ("INT", "REAL"):
            factors = sum(not arg.literal for arg in term.args)
            by_zero = operator.nonlinear == "quotient" and any(
                arg.literal and arg.indices[0] == 0 for arg in term.args[1:]
            )
            needs += ["N"] if by_zero or factors > (operator.nonlinear == "product") else []
        return needs


def _terms(command: Command) -> Sequence[Term]:
    if isinstance(command, CheckSatAssuming):
        return command.assumptions
    return (command.term,) if isinstance(command, Assert) else ()


def in_logic(script: Script, logic: str) -> Script:
    """The script with another logic."""
    return Script(
        script.name,
        script.tables,
        [SetLogic(logic) if isinstance(c, SetLogic) else c for c in script.commands],
    )


def places(script: Script) -> list[int]:
    """The positions of the assertions among the commands."""
    return [at for at, command in enumerate(script.commands) if isinstance(command, Assert)]


def with_assertion(script: Script, at: int, term: Term) -> Script:
    """The script with `term` as the assertion at `at`. The name of the assertion is kept."""
    commands: list[Command] = list(script.commands)
    old = commands[at]
    assert isinstance(old, Assert)
    commands[at] = Assert(term, old.name)
    return Script(script.name, script.tables, commands)
