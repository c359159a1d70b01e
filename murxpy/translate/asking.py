"""Makes scripts whose answers show a finding: they ask for the model with the values of the
assertions and of their parts, for the core, and the like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, SPECIAL, VALUE, Term
from murxpy.logic.walks import subterms
from murxpy.machine.checks.registry import ANSWERING, MAKING
from murxpy.machine.tokens import Ref
from murxpy.machine.trace.grammar import Line, Trace
from murxpy.machine.witnesses.model import LITERAL, with_universe
from murxpy.machine.witnesses.show import show
from murxpy.semantics.values import CannotSay
from murxpy.smtlib.logics import theories
from murxpy.smtlib.printing.terms import Printer, Unsayable
from murxpy.smtlib.printing.values import ValueTerms
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import CHECKS, at_checks
from murxpy.translate.dry import AnyReading, interpret
from murxpy.translate.smtlib import Script

_TERMS = 40  # terms of a wrong model whose values a script asks for


@dataclass(frozen=True, slots=True)
class Way:
    """The differences between a script and its trace. `words` says it in a sentence.

    `alone`: only the last check with what is asserted there. `levels`: all assertions stand on a
    pushed level. `limited`: the limits of the trace hold. `assumed`: assumptions are asserted.
    `recursive`: functions are defined as those are that can call themselves. `core_terms`: a core is
    printed as terms, not as names. `theories`: a script that the trace runs sets the options that its
    theories need; with `all_theories` those of all theories, as the reader in a run sets them.
    """

    words: str = ""
    alone: bool = False
    levels: bool = False
    limited: bool = True
    assumed: bool = False
    recursive: bool = False
    core_terms: bool = False
    theories: bool = True
    all_theories: bool = False


WAYS = (
    Way(),
    Way(all_theories=True),
    Way("all assertions stand behind a push", levels=True),
    Way("it sets no options for its theories", theories=False),
    Way("functions are defined by define-fun-rec", recursive=True),
    Way("the core is printed as terms", core_terms=True),
    Way("the trace's limits are left out", limited=False),
    Way("only the last check is left, without levels", alone=True),
    Way(
        "only the last check is left, on one level and without limits",
        alone=True,
        levels=True,
        limited=False,
    ),
    Way(
        "only the last check is left, without limits and with its assumptions asserted",
        alone=True,
        limited=False,
        assumed=True,
    ),
)


class Asked(NamedTuple):
    """A command behind the last check, which asks for what shows the finding.

    `kind` is `model`, `formula` (the value of an assertion), `constant` or `term` (the
    value of another term), `core`, `assumptions`, `again` (a second check), `made` (a formula that the
    solver makes of the term), or `silent` where nothing is printed.
    """

    kind: str
    command: str
    term: str = ""
    sort: str = ""


@dataclass(frozen=True)
class Evidence:
    """A script that asks for what shows a finding: its text, and the questions behind its last check.

    `formulas` are the assertions and assumptions that have names, as text, and `background` are the
    assertions of the last check that have none. `missing` says what of the trace the script cannot
    say, and `lost` why it cannot say the last line, with which the finding came. `planted` are
    equations that a model of the last check is known to make true.
    """

    text: str
    dialect: str
    asked: tuple[Asked, ...] = ()
    formulas: Mapping[str, str] = field(default_factory=dict)
    background: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    lost: str = ""
    planted: tuple[str, ...] = ()


_UNIVERSE = "set.universe"
_MODELS = "(set-option :produce-models true)"
LEAVES = (VALUE, SPECIAL)
_UNPRINTED = ("SORT_REGLAN", "SORT_FUN", "SORT_CASE")


def about_model(
    formulas: Sequence[Term], kind: str, printer: Printer, text: Callable[[Term], str]
) -> Iterator[Asked]:
    """The questions about a model: it as a whole, the values of `formulas`, which are questions of
    `kind`, and those of their parts. Raises Unsayable.
    """
    yield Asked("model", "(get-model)")
    formulas = [term for term in formulas if term.op not in LEAVES]

    def value(kind: str, term: Term) -> Asked:
        said = text(term)
        return Asked(kind, f"(get-value ({said}))", said, printer.sort(term.sort))

    for term in formulas:
        yield value(kind, term)
    parts = sorted(subterms(formulas), key=lambda term: term.serial)
    asked = [t for t in parts if not t.free and t.op not in LEAVES and t not in formulas]
    for term in [t for t in asked if t.sort.kind not in _UNPRINTED][:_TERMS]:
        yield value("constant" if term.op == CONSTANT else "term", term)
    for sort in with_universe(parts):
        yield _universe(sort, printer)


def _universe(sort: Sort, printer: Printer) -> Asked:
    said = printer.sort(sort)
    term = printer.words.special_values[_UNIVERSE].replace("{sort}", said)
    return Asked("universe", f"(get-value ({term}))", term, said)


def theory_options(text: str, catalogue: Catalogue, dialect: str) -> list[str]:
    """The options that the theories of a script need in a dialect."""
    used = {f"SORT_{theory}" for theory in theories(text)}
    options = catalogue.dialect(dialect).options
    return list(dict.fromkeys(name for sort, name in options.items() if sort in used))


def of_script(
    text: str, catalogue: Catalogue, dialect: str, limit: int, models: bool, way: Way
) -> Evidence:
    """A script as a solver was given it, with the limit of its checks, 0 for none. With `models`, it
    ends behind its last check with questions about the model.
    """
    rows = [row for row in text.splitlines() if row.strip() and row.strip() != "(exit)"]
    if way.theories:
        options = catalogue.dialect(dialect).options.values()
        needed = theory_options(text, catalogue, dialect)
        needed = list(dict.fromkeys(options)) if way.all_theories else needed
        rows[:0] = [f"(set-option :{name} true)" for name in needed]
    if limit and way.limited:
        rows.insert(0, f"(set-option :reproducible-resource-limit {limit})")
    asked: tuple[Asked, ...] = ()
    if models:
        checks = [at for at, row in enumerate(rows) if row.startswith("(check-sat")]
        del rows[checks[-1] + 1 if checks else len(rows) :]
        rows = [_MODELS, *(row for row in rows if row != _MODELS)]
        asked = _of_last_check("\n".join(rows), catalogue, dialect)
    return Evidence(
        "\n".join([*rows, *(one.command for one in asked), "(exit)", ""]), dialect, asked
    )


def _of_last_check(text: str, catalogue: Catalogue, dialect: str) -> tuple[Asked, ...]:
    """The questions about the model of the last check; only for it as a whole where the script
    cannot be read.
    """
    try:
        script = read_script(text, "script", catalogue, dialect=dialect)
        at, asserted = list(at_checks(script))[-1]
        assert isinstance(script.commands[at], CHECKS)
        printer = Printer(catalogue, dialect)
        formulas = list(dict.fromkeys(one.term for one in asserted))
        return tuple(about_model(formulas, "formula", printer, printer.term))
    except (InputError, Unsayable, IndexError):
        return (Asked("model", "(get-model)"),)


# ----------------------------------------------------------------------
# Prints the trace of a finding as a script that also asks the solver for what shows the
# finding.


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
