"""A trace as a formula: the script that has its assertions and its checks, and nothing else of it.

A solver's options, questions about answers, copies, checks of the binding and the ends of objects
are calls that only an API has. They are no part of the formula, so that a formula without them lacks
nothing. A formula lacks something where the dialect has no word for a sort or an operator of an
assertion or an assumption.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import Term
from murxpy.machine.database import Entry
from murxpy.machine.trace.grammar import Trace
from murxpy.smtlib.logics import smallest
from murxpy.smtlib.printing.declarations import HIGHER, Declarations
from murxpy.smtlib.printing.terms import Printer
from murxpy.translate.dry import AnyReading, Silent, interpret
from murxpy.translate.smtlib import Script

_RESET = "(reset)"
_PARTS = (
    "assert-formula",
    "assert-tracked",
    "check-sat",
    "check-sat-assuming",
    "push",
    "pop",
    "reset",
    "reset-assertions",
    "run-script",
    "set-logic",
)


@dataclass(frozen=True, slots=True)
class Formula:
    """The formula of a trace: its `text` as a script; the `parts` between its resets, each a script; and
    of each assertion, check and script that the dialect cannot say the line, the action and why (`lost`).
    `terms` are the terms of the assertions and assumptions in it.
    """

    text: str
    parts: Sequence[str]
    lost: Sequence[tuple[int, str, str]]
    terms: Sequence[Term]


class _Declarations(Declarations):
    """The declarations of a formula. Its logic is the smallest that has all of it, unless the trace sets
    one.
    """

    def logic(self, wanted: str | None) -> str:
        found = super().logic(wanted)
        return found if wanted or HIGHER in self.needs else smallest(self.demands())


class _FormulaScript(Script):
    """Writes the formula of a trace."""

    def __init__(self, trace: Trace, catalogue: Catalogue, dialect: str) -> None:
        self.stated: list[Term] = []
        super().__init__(trace, catalogue, dialect, lossy=True, by_definition=True)
        # all declarations stand before all levels, where each reader takes them
        self.words = replace(self.words, global_declarations=False)
        self.printer.formulas = True
        self.lost: list[tuple[int, str, str]] = []

    def _begin(self) -> None:
        super()._begin()
        self._term = self._text

    def _text(self, root: Term) -> str:
        text = self._declarations.term(root)
        self.stated.append(root)
        return text

    def declaring(self, printer: Printer) -> Declarations:
        return _Declarations(printer, [])

    def passed(self, reason: str) -> None:
        """Handle a line without a call: it is no part of the formula."""

    def broken(self) -> None:
        """Handle a line that breaks a call on purpose: it is no part of the formula."""

    def begin(self, seed: int, action: str, spelling: str | None, words: str) -> None:
        if action == "new":
            super().begin(seed, action, spelling, words)

    def asked(self, action: str) -> Any:
        return super().asked(action) if action in _PARTS else None

    def term_entry(
        self, term: Term, obj: Any, number: int | None, sort_number: int | None, pooled: bool = True
    ) -> Entry:
        # a constant is declared where a formula uses it
        return Silent.term_entry(self, term, obj, number, sort_number, pooled)

    def _do_run_script(self) -> str:
        """Write a script, with the answer that is known for its one check."""
        expected = list(self.state.expected)
        text = str(self.frame.value)
        if len(expected) == text.count("(check-sat") == 1 and expected[0] != "unknown":
            self.frame.value = f"(set-info :status {expected[0]})\n{text}"
        self.state.expected = []
        return super()._do_run_script()

    def _answered(self) -> str:
        return super()._answered() if self.answer() != "unknown" else ""

    def _do_reset_assertions(self) -> None:
        self._restart()  # which differs in what is kept of options, and there are none

    def _cannot(self, what: str, hint: str = "") -> None:
        if self.line.action in _PARTS:
            self.lost.append((self.line.number, self.line.action, what))
            self._comment(what)


def formula_of(trace: Trace, catalogue: Catalogue, dialect: str) -> Formula:
    """The formula of a trace in a dialect of SMT-LIB. Operators without a name there are printed by
    their definitions. Raises InputError for a trace that is malformed.
    """
    run = _FormulaScript(trace, catalogue, dialect)
    interpret(run, AnyReading(run, trace))
    text = run.text()
    head, *rows, end, _ = text.split("\n")
    parts = [
        "\n".join([head, *part, end, ""])
        for reset, part in groupby(rows, lambda row: row == _RESET)
        if not reset
    ]
    return Formula(text, parts, run.lost, run.stated)


def to_formula(
    trace: Trace, catalogue: Catalogue, dialect: str = "standard", lossy: bool = False
) -> str:
    """The formula of a trace as a script. Raises InputError, with the line, for an assertion or a
    check that the dialect cannot say; with `lossy`, a comment takes its place.
    """
    formula = formula_of(trace, catalogue, dialect)
    if formula.lost and not lossy:
        line, action, what = formula.lost[0]
        raise InputError(
            f"{what}, so that '{action}' would be missing; with --lossy a comment takes its place",
            file=trace.name,
            line=line,
        )
    return formula.text
