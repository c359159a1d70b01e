"""Evaluates each assertion and assumption of a trace's last check under the planted model. No
solver is asked.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, Term
from murxpy.logic.walks import subterms
from murxpy.machine.checks.registry import ANSWERING
from murxpy.machine.database import Entry
from murxpy.machine.planted import read_words
from murxpy.machine.planting import planted_of
from murxpy.machine.replaying.defuse import PLANT
from murxpy.machine.tokens import Ref, Token
from murxpy.machine.trace.grammar import Trace
from murxpy.machine.witnesses.show import show
from murxpy.semantics.values import CannotSay, Element
from murxpy.smtlib.printing.declarations import Declarations
from murxpy.smtlib.printing.terms import Printer
from murxpy.smtlib.printing.values import ValueTerms
from murxpy.translate.dry import AnyReading, Silent, interpret
from murxpy.translate.smtlib import Script


class _Last(Silent):
    """Remembers the assertions and assumptions of the last check."""

    def __init__(self, catalogue: Catalogue, trace: Trace) -> None:
        super().__init__(catalogue, trace)
        self.formulas: list[tuple[str, Term]] = []

    def asked(self, action: str) -> Any:
        if action in ANSWERING:
            assumed = list(self.frame.terms) if action == "check-sat-assuming" else []
            names = {entry.term: str(entry) for entry in self.db.terms.values()}
            terms = dict.fromkeys([*(entry.term for entry in self.state.asserted()), *assumed])
            self.formulas = [(names.get(term, "t0"), term) for term in terms]
        return super().asked(action)


def last_formulas(trace: Trace, catalogue: Catalogue) -> list[Term]:
    """The assertions and assumptions of the last check. Raises InputError if the trace is malformed."""
    run = _Last(catalogue, trace)
    interpret(run, AnyReading(run, trace))
    return [term for _, term in run.formulas]


def under_planted(
    trace: Trace, catalogue: Catalogue
) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return the planted values of the constants in the formulas as texts by symbol, and for the id
    of each formula `true`, `false`, or the reason why its value is unknown.

    Raises InputError if the trace is malformed, has no planted model, or has no check.
    """
    run = _Last(catalogue, trace)
    if not any(line.action == PLANT for line in trace.lines):
        raise InputError(
            f"no planted model, expected a trace with lines '{PLANT}'", file=trace.name
        )
    interpret(run, AnyReading(run, trace))
    if run.planted is None or not run.formulas:
        raise InputError("no check has an assertion, expected one to evaluate", file=trace.name)
    used = set(subterms(term for _, term in run.formulas))
    values = run.planted.interpretation.constants
    return {
        str(term.indices[0]): show(value, term.sort)
        for term, value in values.items()
        if term in used
    }, [(name, _verdict(run, term)) for name, term in run.formulas]


def _verdict(run: _Last, term: Term) -> str:
    assert run.planted is not None
    try:
        return "true" if run.planted.value(term) else "false"
    except CannotSay as reason:
        return str(reason)


# ----------------------------------------------------------------------
# Prints a trace with a planted model as a script in which constants, functions and uninterpreted
# sorts are defined as in that model. Such a script has at most one model, and every check in it is
# satisfiable. The answer of a solver therefore says who is wrong about the trace.


def to_defined(
    trace: Trace,
    catalogue: Catalogue,
    dialect: str = "standard",
    lossy: bool = False,
    by_definition: bool = False,
) -> str:
    """Return the script. Raises InputError as `to_smtlib` does."""
    run = _Defining(trace, catalogue, dialect, lossy, by_definition)
    interpret(run, AnyReading(run, trace))
    return run.text()


class _Defining(Script):
    """Knows the planted value of each constant in advance, since the value stands behind the line
    that makes the constant.
    """

    def __init__(
        self, trace: Trace, catalogue: Catalogue, dialect: str, lossy: bool, by_definition: bool
    ) -> None:
        self._plants: dict[Token, list[Token]] = {
            line.args[0]: line.args[1:]
            for line in trace.lines
            if line.action == PLANT and line.args
        }
        super().__init__(trace, catalogue, dialect, lossy, by_definition)

    def declaring(self, printer: Printer) -> Declarations:
        return _Definitions(printer, self)

    def size(self, sort: Sort) -> int:
        """Return the number of elements of an uninterpreted sort in the planted model, or 0 if the
        model has none.
        """
        entries = self.db.sort_entries.get(sort) or []
        words = next(
            (self._plants[ref] for entry in entries if (ref := Ref("s", entry.id)) in self._plants),
            [0],
        )
        return words[0] if isinstance(words[0], int) else 0

    def value(self, constant: Term) -> Any:
        """Return the planted value of a constant. Raises LookupError."""
        return planted_of(self).interpretation.constants[constant]

    def term_entry(
        self, term: Term, obj: Any, number: int | None, sort_number: int | None, pooled: bool = True
    ) -> Entry:
        words = self._plants.get(Ref("t", number or 0))
        if term.op == CONSTANT and words is not None:
            with suppress(CannotSay):
                planted_of(self).fix(
                    term, read_words(words, term.sort, self.sorts, planted_of(self).evaluator)
                )
        return super().term_entry(term, obj, number, sort_number, pooled)


class _Definitions(Declarations):
    """Defines what has a planted value, and declares the rest."""

    def __init__(self, printer: Printer, script: _Defining) -> None:
        super().__init__(printer, [])
        self._script = script

    def _declare_new(self, term: Term) -> None:
        try:
            value = self._script.value(term) if term.op == CONSTANT else None
            text = "" if value is None else self._definition(term, value)
        except (LookupError, CannotSay):
            text = ""
        if not text:
            super()._declare_new(term)
            return
        self._need(term)
        self._declare_sort(term.sort)
        self.heads.append(text)

    def _definition(self, term: Term, value: Any) -> str:
        sort, name = term.sort, self.printer.symbols.of(term, str(term.indices[0]))
        if sort.kind != "SORT_FUN":
            return f"(define-fun {name} () {self.printer.sort(sort)} {self._value(value, sort)})"
        *domain, codomain = sort.sorts()
        names = [self.printer.symbols.of(("argument", at), f"a{at}") for at in range(len(domain))]
        body = self._value(value.default, codomain)
        for point, result in value.items():
            tests = [
                f"(= {variable} {self._value(part, s)})"
                for variable, part, s in zip(names, point, domain, strict=True)
            ]
            condition = tests[0] if len(tests) == 1 else f"(and {' '.join(tests)})"
            body = f"(ite {condition} {self._value(result, codomain)} {body})"
        variables = " ".join(
            f"({variable} {self.printer.sort(s)})"
            for variable, s in zip(names, domain, strict=True)
        )
        return f"(define-fun {name} ({variables}) {self.printer.sort(codomain)} {body})"

    def _value(self, value: Any, sort: Sort) -> str:
        term = ValueTerms(self._script.terms, self._script.sorts).term(value, sort)
        # the constants in the term of a value are elements of uninterpreted sorts
        self._declared.update(part for part in subterms([term]) if part.op == CONSTANT)
        return self.term(term)

    def _declare_new_sort(self, sort: Sort) -> None:
        size = self._script.size(sort) if sort.kind == "SORT_UNINTERPRETED" else 0
        if not size:
            super()._declare_new_sort(sort)
            return
        self.needs["SORT_DT"] = None
        values = ValueTerms(self._script.terms, self._script.sorts)
        names = [
            f"({self.printer.function(values.term(Element(f'@{at}'), sort))})" for at in range(size)
        ]
        self.heads.append(
            f"(declare-datatypes (({self.printer.sort(sort)} 0)) (({' '.join(names)})))"
        )
