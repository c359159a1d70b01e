"""Prints a trace as an SMT-LIB 2.7 script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murxpy.errors import InputError
from murxpy.foreign import escaped
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import CONSTANT, FUNCTION, Term
from murxpy.logic.values import to_codes
from murxpy.machine.checks.registry import READERS
from murxpy.machine.database import Entry
from murxpy.machine.solve import SPECIAL_OPTIONS
from murxpy.machine.tokens import Ref
from murxpy.machine.trace.grammar import Trace
from murxpy.smtlib.lexer import option_value, spell
from murxpy.smtlib.printing.declarations import (
    Declarations,
)
from murxpy.smtlib.printing.terms import OnlyDefined, Printer, Unsayable
from murxpy.translate.dry import AnyReading, Silent, interpret, plain_text

_QUERIES = {
    "get-model": "(get-model)",
    "print-model": "(get-model)",
    "get-unsat-core": "(get-unsat-core)",
    "get-unsat-assumptions": "(get-unsat-assumptions)",
    "get-assertions": "(get-assertions)",
    "reason-unknown": "(get-info :reason-unknown)",
    "statistics": "(get-info :all-statistics)",
    "reset-assertions": "(reset-assertions)",
}
_INFO = {  # by the name of the spelling
    "name": "name",
    "version": "version",
    "authors": "authors",
    "error-behavior": "error-behavior",
    "levels": "assertion-stack-levels",
    "statistics": "all-statistics",
}


def to_smtlib(
    trace: Trace,
    catalogue: Catalogue,
    dialect: str = "standard",
    lossy: bool = False,
    by_definition: bool = False,
) -> str:
    """Return the trace as a script in a dialect of SMT-LIB.

    Raises InputError with the line for anything that SMT-LIB cannot say. With `lossy`, a comment
    takes its place. With `by_definition`, an operator that has no name in the dialect is printed by
    its definition, which is another formula with the same meaning.
    """
    run = Script(trace, catalogue, dialect, lossy, by_definition)
    interpret(run, AnyReading(run, trace))
    return run.text()


class Script(Silent):
    """Writes the commands of a trace. After a `reset` a new part begins, with its own options,
    logic and declarations.
    """

    def __init__(
        self, trace: Trace, catalogue: Catalogue, dialect: str, lossy: bool, by_definition: bool
    ) -> None:
        super().__init__(catalogue, trace)
        self.words = catalogue.dialect(dialect)
        self.dialect = self.words.name
        self.lossy = lossy
        self.by_definition = by_definition
        self.printer = Printer(catalogue, dialect, self._may_expand)
        # of each term, the spellings that made it
        self._spellings: dict[Term, dict[str | None, None]] = {}
        self._left_out = False  # whether the last check of the trace is missing, because the dialect cannot say it
        self.done: list[str] = []
        self._global = any(
            line.action in ("push", "pop", "reset-assertions") for line in trace.lines
        )
        self._assumed = 0
        self._values: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self._options: list[str] = []
        self._logic: str | None = None
        self._body: list[str] = []
        self._checks = 0  # rows of the body that are checks
        # something was asserted or asked, so options stay where they are
        self._settled = False
        self._declarations = self.declaring(self.printer)
        self._term = self._declarations.term
        # the position of the last check, while its answer still holds
        self._checked: int | None = None

    def declaring(self, printer: Printer) -> Declarations:
        """Return the object that declares the symbols of a part of the script."""
        return Declarations(printer, [])

    def text(self) -> str:
        """Return the script."""
        self._end()
        made = escaped(
            f"; from {self.trace.name.rsplit('/', 1)[-1]}, made with {self.trace.header.get('solver', 'an unnamed solver')}"
        )
        return "\n".join([made, *self.done, "(exit)", ""])

    def _end(self) -> None:
        options = list(dict.fromkeys(self._options))
        named = " ".join(options)
        for word, option in (
            ("(get-value", "models"),
            ("(get-model", "models"),
            ("(get-unsat-core", "unsat-cores"),
            ("(get-unsat-assumptions", "unsat-assumptions"),
            ("(get-assertions", "assertions"),
            ("(get-proof", "proofs"),
        ):
            if f":produce-{option} " not in named and any(
                command.startswith(word) for command in self._body
            ):
                options.append(f"(set-option :produce-{option} true)")
                named = " ".join(options)
        if self._global and self.words.global_declarations:
            options.append("(set-option :global-declarations true)")
        checks = sum(command.startswith("(check-sat") for command in self._body)
        several = checks > 1 or self._global
        if several and self.words.incremental_option and ":incremental" not in named:
            options.append("(set-option :incremental true)")
        # if the trace is of this solver, it sets the options that it needs
        if self.dialect != self.trace.solver:
            known, needs = self.words.options, self._declarations.needs
            names = [known[need] for need in needs if need in known]
            options += [f"(set-option :{name} true)" for name in dict.fromkeys(names)]
        self._declare()
        heads = self._declarations.heads
        self.done += [
            *options,
            f"(set-logic {self._declarations.logic(self._logic)})",
            *heads,
            *self._body,
        ]

    def _add(self, command: str) -> None:
        """Add a command, and before it the declarations that it needs."""
        self._declare()
        if command.startswith(_CHANGING):
            self._checked = None
        elif command.startswith("(check-sat"):
            self._checked = len(self._body)
        self._body.append(command)
        self._checks += command.startswith("(check-sat")

    def _declare(self) -> None:
        """Add the new declarations. A declaration ends the answer of a check, so while the last
        answer holds, they are added before its check.
        """
        # z3 knows the option :global-declarations in its program only, and in none of its
        # interfaces. In a dialect without the option, declarations stand before all levels.
        if not self.words.global_declarations or not self._declarations.heads:
            return
        at = len(self._body) if self._checked is None else self._checked
        self._body[at:at] = self._declarations.heads
        if self._checked is not None:
            self._checked += len(self._declarations.heads)
        self._declarations.heads.clear()

    # -- what the run tells

    def begin(self, seed: int, action: str, spelling: str | None, words: str) -> None:
        if action == "new":
            if self.state.started or self._body:
                self._restart()
        elif action in ("del", "gc"):
            self._cannot(f"'{action}' is an action of the API only")

    def broken(self) -> None:
        self._cannot("a call that is broken on purpose")

    def asked(self, action: str) -> Any:
        handler: Callable[[], Any] | None = getattr(self, "_do_" + action.replace("-", "_"), None)
        if handler is not None:
            return handler()
        if action in _QUERIES:
            self._settled = True
            self._read(lambda: _QUERIES[action])
        elif action != "new":
            self._cannot(f"'{action}' is an action of the API only")
        return None

    def term_entry(
        self, term: Term, obj: Any, number: int | None, sort_number: int | None, pooled: bool = True
    ) -> Entry:
        self._spellings.setdefault(term, {})[self.line.spelling] = None
        if term.op in (CONSTANT, FUNCTION):
            try:
                self._declarations.declare(term)
                self._declare()
            except Unsayable as error:
                self._cannot(str(error))
        return super().term_entry(term, obj, number, sort_number, pooled)

    def _may_expand(self, term: Term) -> bool:
        """Return whether a term may be printed by the definition of its operator: the user asked
        for that, or the call to the solver was such an expression.
        """
        made = self._spellings.get(term, {})
        return self.by_definition or (
            bool(made) and all(spelling in self.catalogue.as_spelled(term.op) for spelling in made)
        )

    def passed(self, reason: str) -> None:
        action, commands = self.line.action, self.words.commands
        command = commands.get(f"{action}@{self.line.spelling}") or commands.get(action)
        if action in READERS or self.refusal() is not None:
            self._comment(reason)
        elif command is not None:
            self._own_command(command)
        else:
            self._cannot(f"'{action}' is an action of one solver only")

    def _own_command(self, command: str) -> None:
        """Write a command that only this dialect has, about what the last check found."""
        refs = [word for word in self.line.args if isinstance(word, Ref)]
        terms = [self.db.terms[ref.number].term for ref in refs]
        self._read(lambda: command.replace("{*}", " ".join(map(self._term, terms))))

    def _cannot(self, what: str, hint: str = ", which SMT-LIB cannot say") -> None:
        if not self.lossy:
            raise InputError(
                f"{what}{hint}; with --lossy a comment takes its place",
                file=self.trace.name,
                line=self.line.number,
            )
        self._comment(what)

    def _comment(self, text: str) -> None:
        shown = " ".join(f"line {self.line.number}: {self.line.action}: {text}".split())[:160]
        self._add(f"; {to_codes(shown)}")

    # -- commands

    def _do_set_logic(self) -> None:
        self._logic = self.frame.value

    def _do_set_option(self) -> None:
        name, value = self.frame.name, self.frame.value
        if name == "incremental":
            if self.words.incremental_option:
                self._option(f"(set-option :incremental {value})")
        elif name in SPECIAL_OPTIONS:
            self._option(f"(set-option :{name} {value})")
        elif self.dialect == self.trace.solver and self.words.option_prefix is not None:
            prefix = "" if self.line.action == "set-parameter" else self.words.option_prefix
            self._option(
                f"(set-option :{prefix}{spell(name)} {option_value(str(value), self.words.string_options)})"
            )
        else:
            self._cannot(f"the option '{name}' of {self.trace.solver or 'a solver'}")

    _do_set_parameter = _do_set_option

    def _option(self, command: str) -> None:
        if self._settled:
            self._add(command)
        else:
            self._options.append(command)

    def _do_run_script(self) -> str:
        """Write a script, which a solver of its own runs. The script stands between two resets."""
        if self.dialect not in ("standard", self.trace.solver):
            self._cannot("a script in the dialect of another solver")
            return self.printed()
        if self._body or self._options:
            self._restart()
        rows = [
            row
            for row in str(self.frame.value).splitlines()
            if row.strip() and row.strip() != "(exit)"
        ]
        self.done += [*rows, "(reset)"]
        return self.printed()

    def _do_set_limit(self) -> None:
        if self.trace.murxla or self.dialect not in ("standard", self.trace.solver):
            self._cannot("a limit in the unit of another solver")
        else:
            self._add(f"(set-option :reproducible-resource-limit {self.frame.value})")

    def _do_assert_formula(self) -> None:
        self._say(lambda: f"(assert {self._term(self.frame.terms[0])})")

    def _do_assert_tracked(self) -> None:
        name = self.printer.symbols.of(("name", self.line.number), self.frame.name)
        self._say(lambda: f"(assert (! {self._term(self.frame.terms[0])} :named {name}))")

    def _do_minimize(self) -> None:
        """Write an objective. It changes no answer, so a dialect without objectives leaves it out."""
        command = self.words.commands.get(self.line.action)
        if command is None:
            self._comment("an objective")
            return
        frame = self.frame
        self._say(
            lambda: (
                command.replace("{*}", self._term(frame.terms[0]))
                .replace("{v}", str(frame.value))
                .replace("{name}", spell(frame.name or "default"))
            )
        )

    _do_maximize = _do_assert_soft = _do_minimize

    def _say(self, command: Callable[[], str]) -> None:
        """Write a command, or fail because something in it cannot be written."""
        self._settled = True
        try:
            self._add(command())
        except OnlyDefined as error:
            self._cannot(
                f"{error}", "; with --by-definition its definition is printed, another formula"
            )
        except Unsayable as error:
            self._cannot(str(error))

    def _status(self) -> None:
        """If the trace has a planted model under which the current check must answer sat, write
        that model and the status.
        """
        values = self.planted_values()
        if values is not None:
            for value in values:
                self._add(f"; {value}")
            self._add("(set-info :status sat)")

    def _read(self, command: Callable[[], str]) -> None:
        """Write a command that reads what the last check found, unless that check is left out."""
        if self._left_out and self.line.action not in _ANY_TIME:
            self._comment("it reads a check that is left out")
        else:
            self._say(command)

    def _do_check_sat(self) -> str:
        self._check(lambda: f"(check-sat){self._answered()}")
        return self.answer()

    def _check(self, command: Callable[[], str]) -> None:
        """Write a check. If it is left out, so are the commands that read it."""
        self._status()
        before = self._checks
        self._say(command)
        self._left_out = self._checks == before

    def _do_check_sat_assuming(self) -> str:
        terms = self.frame.terms
        self._check(
            lambda: (
                f"(check-sat-assuming ({' '.join(map(self._literal, terms))})){self._answered()}"
            )
        )
        return self.answer()

    def _answered(self) -> str:
        words = self.line.result("answer")
        return f" ; {to_codes(plain_text(words[0]))}" if words else ""

    def _literal(self, term: Term) -> str:
        """Return an assumption as the standard wants it: a Boolean constant or its negation, else a
        new name for the term.
        """
        if term.op == CONSTANT or (term.op == "OP_NOT" and term.args[0].op == CONSTANT):
            return self._term(term)
        text = self._term(term)
        self._assumed += 1
        name = self.printer.symbols.of(("assumption", self._assumed), f"assumption{self._assumed}")
        self._declarations.heads.append(f"(define-fun {name} () Bool {text})")
        return name

    def _do_get_value(self) -> None:
        self._read(lambda: f"(get-value ({self._term(self.frame.terms[0])}))")

    _do_get_value_completion = _do_get_value

    def _do_get_info(self) -> None:
        info = _INFO.get(self.line.spelling or "")
        if info is None:
            self._cannot(f"'get-info' spelled '{self.line.spelling}'")
        else:
            self._add(f"(get-info :{info})")

    def _do_simplify(self) -> None:
        if "simplify" not in self.words.commands:
            self._cannot("'simplify' is no command of the standard")
        elif self.frame.terms[0].free:
            self._cannot("'simplify' of a term with free variables")
        else:
            self._say(lambda: f"(simplify {self._term(self.frame.terms[0])})")

    def _do_push(self) -> None:
        self._settled = True
        self._add(f"(push {self.frame.value})")

    def _do_pop(self) -> None:
        self._add(f"(pop {self.frame.value})")

    def _restart(self) -> None:
        self._end()
        self.done.append("(reset)")
        self._begin()

    _do_reset = _restart


# no check has to stand before these
_ANY_TIME = ("get-assertions", "reset-assertions", "statistics")
_CHANGING = ("(assert ", "(push ", "(pop ", "(reset", "(block-model")
