"""Prints the trace of a finding as a script that also asks the solver for what shows the finding."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import Any

from murxpy.checks.registry import ANSWERING, MAKING
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import Term
from murxpy.machine.tokens import Ref
from murxpy.machine.witnesses.model import LITERAL
from murxpy.machine.witnesses.show import show
from murxpy.semantics.values import CannotSay
from murxpy.smtlib.printing.forms import Unsayable
from murxpy.smtlib.printing.values import ValueTerms
from murxpy.trace.grammar import Line, Trace
from murxpy.translate.dry import AnyReading, interpret
from murxpy.translate.evidence import Asked, Evidence, Way, about_model
from murxpy.translate.smtlib import Script

_CORE_TERMS = "print-core-terms"  # the dialect's command
_DEFINED = re.compile(r"^\(define-fun (?=\S+ \(\()", re.M)


class _Writer(Script):
    """Writes the commands of a trace, and behind its last check those that ask for evidence.

    A call that the solver refused is written, because the script makes it, too.
    """

    def __init__(
        self, trace: Trace, catalogue: Catalogue, dialect: str, way: Way, name_all: bool = False
    ) -> None:
        super().__init__(trace, catalogue, dialect, lossy=True, by_definition=True)
        terms = self.words.commands.get(_CORE_TERMS, "") if way.core_terms and name_all else ""
        self._way, self._name_all = way, name_all and not terms
        self._options += [terms] if terms else []
        self._tracked: dict[tuple[str, Term], str] = {}
        self.asked_for: list[Asked] = []
        self.formulas: dict[str, str] = {}
        self.background: list[str] = []
        self.missing: list[str] = []
        self.lost = ""
        self.equations: list[str] = []
        answering = [line for line in trace.lines if line.action in ANSWERING]
        self._final = answering[-1] if answering else Line("")
        self._written: Line | None = None
        self._fresh_names: list[str] = []
        if way.levels:
            self._add("(push 1)")

    def _begin(self) -> None:
        super()._begin()
        self._term = lru_cache(None)(self._term)  # the names of its parts are the same each time

    def text(self) -> str:
        text = super().text()
        return _DEFINED.sub("(define-fun-rec ", text) if self._way.recursive else text

    # -- what the run tells

    def call(self, *args: Any, **words: Any) -> Any:
        action = args[3]
        if self.refusal() is not None and action not in MAKING and action != "set-option":
            self.asked(action)
            if self.last and action in ANSWERING:
                self.ask("reason", "(get-info :reason-unknown)")
            self._written = self.line
        return super().call(*args, **words)

    def passed(self, reason: str) -> None:
        if self._written is self.line:
            return
        action, commands = self.line.action, self.words.commands
        command = commands.get(f"{action}@{self.line.spelling}") or commands.get(action)
        if command is not None and self.refusal() is not None:
            self._own_command(command)
        else:
            super().passed(reason)

    def _comment(self, text: str) -> None:
        self.missing.append(text)
        self.lost = self.lost or (text if self.last else "")
        super()._comment(text)

    def witness(self, action: str) -> None:
        ask = _WITNESSES.get(action)
        try:
            if ask is not None:
                ask(self)
            else:
                self._own(action)
        except Unsayable as error:
            self._cannot(str(error))

    # -- commands

    def _status(self) -> None:
        """Keep the planted model. The status is not written, since it is what the script shows."""
        values = {} if self.planted is None else self.planted.interpretation.constants
        known = values.items() if self.planted_values() is not None else ()
        made = ValueTerms(self.terms, self.sorts)
        self.equations = []
        for term, value in known:
            with suppress(CannotSay, Unsayable, AttributeError):
                literal = show(value, term.sort) if term.sort.kind in LITERAL else ""
                said = literal or self._term(made.term(value, term.sort))
                self.equations.append(f"(= {self._term(term)} {said})")

    def _do_set_limit(self) -> None:
        if self._way.limited:
            super()._do_set_limit()

    def _do_assert_formula(self) -> None:
        if not self._name_all:
            super()._do_assert_formula()
            return
        term = self.frame.terms[0]
        self._say(lambda: f"(assert (! {self._term(term)} :named {self._fresh(term)}))")

    def _fresh(self, term: Term) -> str:
        number = len(self._fresh_names) + 1
        name = self.printer.symbols.of(("named", number), f"a{number}")
        self._fresh_names.append(name)
        self.formulas[name] = self._term(term)
        return name

    def _do_assert_tracked(self) -> None:
        name = self.printer.symbols.of(("name", self.line.number), self.frame.name)
        self.formulas[name] = self._term(self.frame.terms[0])
        self._tracked[self.frame.name, self.frame.terms[0]] = name
        self._options.append("(set-option :produce-unsat-cores true)")  # else names track nothing
        super()._do_assert_tracked()

    def _literal(self, term: Term) -> str:
        name = super()._literal(term)
        self.formulas[name] = self._term(term)
        return name

    def _do_check_sat(self) -> str:
        self._reduce()
        return super()._do_check_sat()

    def _do_check_sat_assuming(self) -> str:
        self._reduce()
        if not self._way.assumed:
            return super()._do_check_sat_assuming()
        for term in self.frame.terms:
            self._say(lambda term=term: f"(assert {self._term(term)})")  # type: ignore[misc]
        return super()._do_check_sat()

    def _reduce(self) -> None:
        """Leave only the declarations and the assertions that hold at the last check."""
        if not self._way.alone or self.line is not self._final:
            return
        declared = ("(declare", "(define", "(set-option")
        self._body = [row for row in self._body if row.startswith(declared)]
        self.done, self._checked, self._global = [], None, self._way.levels
        if self._way.levels:
            self._body.append("(push 1)")
        names = {id(entry): name for name, entry in self.state.named()}
        for entry in self.state.asserted():
            name = self._tracked.get((names.get(id(entry), ""), entry.term))
            self._assert(entry.term, name or (self._fresh(entry.term) if self._name_all else ""))

    def _assert(self, term: Term, name: str) -> None:
        text = self._term(term)
        named = f"(assert (! {text} :named {name}))"
        plain = not name or named in self._body  # no name can be given twice
        self._say(lambda: f"(assert {text})" if plain else named)

    # -- what shows the finding

    def ask(self, kind: str, command: str, term: str = "", sort: str = "") -> None:
        """Write a command that asks for what shows the finding."""
        self._say(lambda: command)
        if self.last:
            self.asked_for.append(Asked(kind, command, term, sort))

    def core(self) -> None:
        """Ask for the unsat core."""
        self.ask("core", "(get-unsat-core)")
        # some solvers leave assumptions out when they print a core
        own = self.state.assumptions if self._name_all else []
        texts = [self._term(entry.term) for entry in (*self.state.asserted(), *own)]
        known = {self.formulas[name] for name in self._tracked.values()}
        known.update(self.formulas[name] for name in self._fresh_names)
        self.background = [text for text in dict.fromkeys(texts) if text not in known]

    def model(self, *wanted: Term) -> None:
        """Ask for the model, and for the values of assertions or of `wanted`, and of their parts."""
        if not self.last:
            self.ask("model", "(get-model)")
            return
        held = dict.fromkeys(e.term for e in (*self.state.asserted(), *self.state.assumptions))
        formulas, kind = (wanted, "term") if wanted else (tuple(held), "formula")
        for asked in about_model(formulas, kind, self.printer, self._term):
            self.ask(*asked)

    def _value(self, term: Term) -> None:
        text = self._term(term)
        self.ask("term", f"(get-value ({text}))", text, self.printer.sort(term.sort))

    def operands(self) -> list[Term]:
        """The terms that the line names."""
        refs = [word for word in self.line.args if isinstance(word, Ref)]
        return [self.db.terms[ref.number].term for ref in refs]

    def again(self) -> None:
        """Ask for values, forbid them, and ask for another model and its values."""
        terms = self.operands()
        for term in terms:
            self._value(term)
        self.ask("silent", self._command(self.line.action, " ".join(map(self._term, terms))))
        self.ask("again", "(check-sat)")
        for term in terms:
            self._value(term)

    def simplified(self) -> None:
        """Ask for the simplified term."""
        text = self._term(self.operands()[0])
        self.ask("made", self._command("simplify", text), text)

    def _own(self, action: str) -> None:
        """Write the dialect's command for a check."""
        text = " ".join(map(self._term, self.operands()))
        self.ask("made", self._command(action, text), text)

    def _command(self, name: str, text: str) -> str:
        command = self.words.commands.get(name)
        if command is None:
            raise Unsayable(f"the dialect has no command for '{name}'")
        return command.replace("{*}", text).replace("{0}", text)


_WITNESSES = {
    "check-model": _Writer.model,
    "check-values": lambda run: run.model(*run.operands()),
    "check-core": _Writer.core,
    "check-assumptions": lambda run: run.ask("assumptions", "(get-unsat-assumptions)"),
    "check-blocked": _Writer.again,
    "check-simplify": _Writer.simplified,
}


def with_evidence(
    trace: Trace, catalogue: Catalogue, dialect: str, way: Way, name_all: bool = False
) -> Evidence:
    """Return the script of the trace of a finding.

    With `name_all`, each assertion has a name, for solvers whose cores are made of all assertions.
    Raises InputError for a malformed trace.
    """
    run = _Writer(trace, catalogue, dialect, way, name_all)
    interpret(run, AnyReading(run, trace))
    return Evidence(
        run.text(),
        run.dialect,
        tuple(run.asked_for),
        formulas=run.formulas,
        background=tuple(run.background),
        missing=tuple(run.missing),
        lost=run.lost,
        planted=tuple(run.equations),
    )
