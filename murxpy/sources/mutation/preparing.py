"""The questions of a script's checks. An incremental script asks several questions, and each of
them can serve as a seed of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from murxpy.logic.terms import Term
from murxpy.logic.walks import subterms
from murxpy.smtlib.logics import MIXED, NEEDS, smallest, smallest_free
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.script import (
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
    Script,
    SetInfo,
    SetLogic,
    SetOption,
    Simplify,
    at_checks,
)
from murxpy.sources.mutation.workshop import Workshop


@dataclass(frozen=True, slots=True)
class View:
    """One check: the assertions of all levels, then its assumptions, and its label (`sat`, `unsat`,
    or empty for none).
    """

    asserted: tuple[Term, ...]
    label: str = ""


def views(script: Script, label: str = "") -> list[View]:
    """The checks in order. `label` is the label of a single check about which the script itself
    says nothing.
    """
    statuses = script.statuses()
    labels = iter([label or statuses[0]] if len(statuses) == 1 else statuses)
    found = []
    for at, asserted in at_checks(script):
        command, status = script.commands[at], next(labels)
        assumed = command.assumptions if isinstance(command, CheckSatAssuming) else ()
        found.append(
            View(
                (*(assertion.term for assertion in asserted), *assumed),
                status if status in ("sat", "unsat") else "",
            )
        )
    return found


# ----------------------------------------------------------------------
# Preparing a seed for mutation: commands that only describe it are removed, and its meaning is
# kept.


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
    """The script of a run's first seed, prepared. Checks by tactics stay where the solver has such checks,
    unless the user wants none of a seed's options.
    """
    return prepared(script, tactics=workshop.keeps_options and workshop.shop.tactics)


def declaring(script: Script) -> list[Command]:
    """The commands that neither assert nor check."""
    return [c for c in script.commands if not isinstance(c, _ASSERTING)]


class Logics:
    """The smallest logic for each script of a chain. The object remembers what earlier scripts
    contained, so that only new terms are examined.
    """

    def __init__(self, script: Script) -> None:
        self._operators = script.tables.catalogue.operators
        self._seen: set[Term] = set()
        self._needs: dict[str, None] = {}
        if any(isinstance(c, DefineFunsRec) for c in script.commands):
            self._needs[_MORE] = None
        for constant in script.constants():
            self._needs.update(dict.fromkeys(self._of(constant)))

    def of(self, script: Script, *, composed: bool = False) -> str:
        """The logic of the next script; `ALL` if no logic of the standard has everything in it. With
        `composed`, a name that is made of letters, such as QF_UFBVFP, is one, too.
        """
        roots = [term for command in script.commands for term in _terms(command)]
        for term in subterms(roots, seen=self._seen):
            self._needs.update(dict.fromkeys(self._of(term)))
        if _MORE in self._needs:
            return "ALL"
        return smallest_free(self._needs) if composed else smallest(self._needs)

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


# ----------------------------------------------------------------------
# The assertions of an unsatisfiable seed that contradict each other, by the answer of the
# solver.


_NAME = "core!{}"
_NAMED = re.compile(r"core!(\d+)")


def core_of(workshop: Workshop, script: Script, asserted: Sequence[Term]) -> list[Term]:
    """The unsat core that the solver gives for `asserted`, in their order; all of them if it gives
    none.

    If the core is satisfiable, the solver was wrong here. An instance made with this core is then
    satisfiable, and shows the defect.
    """
    named = [Assert(term, _NAME.format(at)) for at, term in enumerate(asserted)]
    commands = [
        SetOption("produce-unsat-cores", "true"),
        *declaring(script),
        *named,
        CheckSat(),
        Ask("get-unsat-core"),
    ]
    output = (
        workshop.ask(
            print_script(Script(script.name, script.tables, commands), workshop.shop.dialect)
        )
        or ""
    )
    if not output.startswith("unsat"):
        return list(asserted)
    places = {int(number) for number in _NAMED.findall(output)}
    return [term for at, term in enumerate(asserted) if at in places] or list(asserted)
