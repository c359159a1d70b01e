"""Goes through a trace without a solver. The lines are read and typed as in a replay, and the calls
are handed to a translator.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from murxpy.errors import InputError, nearest
from murxpy.logic.catalogue import STANDARD, Catalogue
from murxpy.logic.sorts import Sort
from murxpy.machine.actions.own import read_own
from murxpy.machine.checks.registry import ACTIONS, ANSWERING, BEFORE, MAKING, READERS
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.planting import satisfied, told
from murxpy.machine.run import Run
from murxpy.machine.tokens import Ref, Token
from murxpy.machine.trace.grammar import Line, Trace
from murxpy.machine.trace.murxla import old_action
from murxpy.machine.trace.reading import Reading, Skipped
from murxpy.smtlib.printing.terms import Printer, Unsayable
from murxpy.solvers.facts import Facts, Parameters
from murxpy.solvers.spelling import Spelling, SpellingSet, Template
from murxpy.solvers.wrapper import Wrapper


class DryRun(Run):
    """A run that calls nothing. A check answers what the trace says that it answered."""

    asks = False

    def __init__(self, wrapper: Wrapper, catalogue: Catalogue, trace: Trace) -> None:
        super().__init__(wrapper, catalogue, trace.seed, lambda text: None)
        self.trace = trace
        self.line = Line("")

    @property
    def last(self) -> bool:
        """Return whether this is the last line. The call of the line may not have returned."""
        return self.trace.is_last(self.line)

    def refusal(self) -> tuple[str, str] | None:
        """Return the class and the message with which the call of the line was refused, or None if
        it was not refused.
        """
        words = self.line.result("refused")
        if words is None:
            return None
        texts = [plain_text(word) for word in words]
        return texts[0] if texts else "", " ".join(texts[1:])

    def answer(self) -> str:
        """Return the recorded answer of a check, or `unknown` if there is none."""
        words = self.line.result("answer")
        return plain_text(words[0]) if words else "unknown"

    def printed(self) -> str:
        """Return the recorded answers of a script, as the solver printed them."""
        return "\n".join(
            plain_text(words[0]) for name, words in self.line.results if name == "answer" and words
        )

    def returned(self, letter: str) -> int | None:
        """Return the first id with this letter that the line returned."""
        return next(
            (
                t.number
                for t in self.line.result("return") or ()
                if isinstance(t, Ref) and t.letter == letter
            ),
            None,
        )

    def planted_values(self) -> list[str] | None:
        """Return the planted values of what the current check has, as text. Return None if the values
        do not make the formulas satisfiable.
        """
        assumed = self.frame.terms if self.line.action == "check-sat-assuming" else ()
        formulas = list(dict.fromkeys([*(entry.term for entry in self.state.asserted()), *assumed]))
        return (
            told(self.planted, formulas)
            if self.planted is not None and satisfied(self, formulas)
            else None
        )

    def passed(self, reason: str) -> None:
        """Handle a line without a call. `reason` says why the line has no call."""
        raise NotImplementedError

    def witness(self, action: str) -> None:
        """Handle a line that checks what the solver promised."""
        self.passed("it reads what the solver gives and checks it")


class Anything(Wrapper):
    """Stands for a wrapper that has a spelling of everything. A part that cannot be printed is found
    when it is printed.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._whole = None
        self.facts = Facts(function_terms=True)
        self.parameters = Parameters(lambda name: None)
        self._any = SpellingSet([Spelling("any", Template("", (), "", None), _nothing)])
        self.spellings = {section: _All(self._any) for section in ("lifecycle", "operators")}

    def set(self, section: str, key: str) -> SpellingSet | None:
        """Return the only spelling, but none for what reads objects, and for options of a solver that
        is made later.
        """
        return None if section == "readers" or key == "new-options" else self._any

    def has_parameter(self, name: str) -> bool:
        """Return True."""
        return True


class _All(dict[str, SpellingSet]):
    """Has the same spellings for every key."""

    def __init__(self, spellings: SpellingSet) -> None:
        self._spellings = spellings

    def get(self, key: str, default: Any = None) -> Any:
        return self._spellings

    def __getitem__(self, key: str) -> SpellingSet:
        return self._spellings


def _nothing(args: Sequence[Any], indices: Sequence[Any], frame: Any) -> None:
    return None


class AnyReading(Reading):
    """Reads a trace whose spellings do not matter."""

    def spelling(self, section: str, *keys: str) -> str | None:
        return None


def plain_text(word: Token) -> str:
    """Return what a word says, without quotes."""
    return str(getattr(word, "text", word))


class Silent(DryRun):
    """A run whose objects do not matter. Everything that can be made is made, unless the trace says
    that it was refused.
    """

    def __init__(self, catalogue: Catalogue, trace: Trace) -> None:
        super().__init__(Anything(trace.solver), catalogue, trace)

    def call(
        self,
        spelling: Spelling,
        args: Sequence[Any],
        indices: Sequence[Any],
        action: str,
        operator: str = "",
    ) -> Any:
        refusal = self.refusal()
        if refusal is not None:
            raise Refused(refusal[0], f"the solver refused: {refusal[1]}")
        if action == "mk-sort" and self.frame.result is None:
            return [True] * len(self.frame.value)
        return True if action in MAKING else self.asked(action)

    def passed(self, reason: str) -> None:
        """Handle a line without a call: it makes nothing."""

    def broken(self) -> None:
        """Handle a line that breaks a call on purpose."""

    def asked(self, action: str) -> Any:
        """Handle an action that makes nothing. The result is the answer if it is a check."""
        if action == "run-script":
            return self.printed()
        return self.answer() if action in ANSWERING else None

    def sort_object(self, sort: Sort) -> Any:
        return True

    def _sort_of(self, obj: Any, sort: Sort) -> Any:
        return True


def interpret(run: DryRun, reading: Reading) -> None:
    """Go through the lines, up to one with a finding. Raises InputError for a line that is
    malformed or that the translator cannot say.
    """
    for line in run.trace.lines:
        reading.line = run.line = line
        try:
            _reader(reading)(reading)
        except Skipped:
            reading.lost()
            run.passed("it needs what a refused line did not return")
        except Refused as refused:
            reading.lost()
            run.passed(str(refused))
        except Stopped:
            return
        except InputError as error:
            if error.file is not None:
                raise
            raise InputError(str(error), file=run.trace.name, line=line.number) from None


def _reader(reading: Reading) -> Any:
    action = old_action(reading.line.action) if reading.trace.murxla else reading.line.action
    if not reading.run.state.started and action not in BEFORE:
        raise reading.error("no solver yet, expected 'new' before this line")
    if action not in READERS and "-" not in action:
        raise reading.error(f"unknown action '{action}'{nearest(action, READERS)}")
    if action == "misuse" and isinstance(silent := reading.run, Silent):
        return lambda reading: silent.broken()
    known = ACTIONS.get(action)
    if known is not None and known.checks and isinstance(run := reading.run, DryRun):
        return lambda reading: run.witness(action)
    return READERS.get(action, read_own)


# ----------------------------------------------------------------------
# The terms of a trace as texts of SMT-LIB, by their ids. No solver is asked.


_LONGEST = 2000  # characters; a longer text helps nobody to see a value in it


def term_texts(trace: Trace, catalogue: Catalogue) -> dict[str, str]:
    """The text of each term that the trace still has at its end, in the dialect of its solver if
    there is one. Terms that cannot be printed, or only in a very long text, are missing. Raises
    InputError if the trace is malformed.
    """
    run = Silent(catalogue, trace)
    interpret(run, AnyReading(run, trace))
    known = trace.solver in catalogue.dialects
    printer = Printer(catalogue, trace.solver if known else STANDARD)
    found = {}
    for entry in run.db.terms.values():
        if not entry.term.free and entry.term.sort.kind != "SORT_CASE":  # a case is no term
            with suppress(Unsayable):
                found[str(entry)] = printer.term(entry.term)
    return {name: text for name, text in found.items() if len(text) <= _LONGEST}
