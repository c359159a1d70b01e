"""Reads commands of single solvers that contain terms: questions such as `get-abduct` and
`display`, and objectives.

The text of such a command is kept, but the terms in it are read and typed. Formulas are therefore
printed with the names that constants have at that point.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from murxpy.errors import InputError, nearest
from murxpy.foreign import read_bytes
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import Term
from murxpy.smtlib import script as c
from murxpy.smtlib.building import Tables
from murxpy.smtlib.lexer import Source, is_symbol, joined, key, symbol
from murxpy.smtlib.reading.declarations import (
    ScriptContext,
    declare_const,
    declare_datatype,
    declare_datatypes,
    declare_fun,
    declare_sort,
    define_const,
    define_fun,
    define_fun_rec,
    define_funs_rec,
    define_sort,
)
from murxpy.smtlib.reading.heads import FunctionHead
from murxpy.smtlib.script import Ask, Command, Origin, Other, Part, Script

# The parts of each command behind its name: a name, a term, or terms in parentheses. Everything
# behind these parts, such as attributes, is kept as text.
TERM_COMMANDS: dict[str, tuple[str, ...]] = {
    "get-abduct": ("name", "term"),
    "get-interpolant": ("name", "term"),
    "get-qe": ("term",),
    "get-qe-disjunct": ("term",),
    "get-timeout-core-assuming": ("terms",),
    "display": ("term",),
    "minimize": ("term",),
    "maximize": ("term",),
    "assert-soft": ("term",),
    "block-model-values": ("terms",),
}
# these commands change the answers of later checks
_CHANGING = ("minimize", "maximize", "assert-soft", "block-model-values")


def command_with_terms(r: ScriptContext, name: str) -> Ask | Other:
    """Return the command. If a solver writes something else in place of a term, as in
    `(get-interpolant (group ...))`, that is kept as text.
    """
    at = r.source.at
    mark = r.terms.scope.mark()
    try:
        parts = _parts(r, TERM_COMMANDS[name])
    except InputError:
        if name in _CHANGING:
            raise
        r.terms.scope.undo(mark)
        r.source.go_back(at)
        parts = []
    rest = list(_rest(r))
    words = joined(r.source.tokens[at : r.source.at])
    if name in _CHANGING:
        return Other(f"{name} {words}", (name, *parts, *rest))
    return Ask(name, words, (*parts, *rest))


def _parts(r: ScriptContext, shape: tuple[str, ...]) -> list[Part]:
    parts: list[Part] = []
    for what in shape:
        if what == "name":
            parts.append(r.source.symbol("a name"))
        elif what == "term":
            parts.append(r.terms.read())
        else:
            r.source.take("(", "before the terms")
            parts.append("(")
            while not r.source.skip(")"):
                parts.append(r.terms.read())
            parts.append(")")
    return parts


def _rest(r: ScriptContext) -> Iterator[Part]:
    """Return everything up to the ')' of the command. The rest is text in which the symbols of the
    script are replaced by what they stand for, as in a grammar.
    """
    depth = 0
    while r.source.peek() != ")" or depth:
        token = r.source.next("')'")
        depth += (token == "(") - (token == ")")
        yield _known(r, token)


def _known(r: ScriptContext, token: str) -> Part:
    scope = r.terms.scope
    if not is_symbol(token) or key(token) not in scope.own:
        return token
    head = scope.heads.get(key(token))
    if isinstance(head, FunctionHead):
        return head.function
    return scope.atoms.get(key(token), token)


# ----------------------------------------------------------------------
# Reading scripts: SMT-LIB 2.7 with what z3 and cvc5 add, typed against `fsm/theories`. script =
# read_script(text, "f.smt2", catalogue) for command in script.commands: ... See
# `smtlib.script.Script` for what comes out, and `smtlib.writer.print_script` for the way back.


MAX_SCRIPT = 256 << 20  # bytes
MAX_LEVELS = 100_000

_INTEGERS = re.compile(r"I(RA|A|DL)|LI|NI")
_REALS = re.compile(r"RA|RDL")


def read_script(
    text: str,
    name: str,
    catalogue: Catalogue,
    tables: Tables | None = None,
    dialect: str = "standard",
) -> Script:
    """Read the script `text`. `name` is its file, for errors.

    Names of all dialects are known. A lambda is an array in a dialect whose functions are arrays,
    else it is a function, or an array where only an array fits. In a dialect whose sets are arrays,
    the names that two theories of sets share are those of finite sets. With `tables`, the sorts and terms
    are made there, together with those of other scripts: constants of the same name and sort are
    one term, and uninterpreted sorts of the same name are one sort. Raises InputError with file,
    line and column, and what was expected.
    """
    source = Source(text.removeprefix("\ufeff"), name)
    words = catalogue.dialect(dialect)
    reader = Reader(source, tables or Tables(catalogue), finite_sets=words.sets_are_arrays)
    reader.terms.array_lambdas = words.functions_are_arrays
    try:
        return reader.script()
    except InputError as error:
        raise error if error.file is not None else source.located(error) from None


def read_file(
    path: Path, catalogue: Catalogue, tables: Tables | None = None, dialect: str = "standard"
) -> Script:
    """Read the script in a file as `read_script` does. Raises InputError if the file cannot be read."""
    return read_script(read_text(path), str(path), catalogue, tables, dialect)


def read_text(path: Path) -> str:
    """Return the text of a script in UTF-8 without a byte-order mark. A file that is no UTF-8 is
    read as Latin-1. Raises InputError.
    """
    data = read_bytes(path, "script", MAX_SCRIPT)
    try:
        return data.decode("utf-8-sig")  # a byte-order mark is left out
    except UnicodeDecodeError:
        return data.decode("latin-1")


class Reader(ScriptContext):
    """Reads commands."""

    def __init__(self, source: Source, tables: Tables, finite_sets: bool = False) -> None:
        super().__init__(source, tables, finite_sets)
        self.commands: list[Command] = []
        self.starts: list[int] = []

    def script(self) -> Script:
        """Read all commands up to `(exit)` or the end of the text."""
        source = self.source
        if not source.tokens:
            raise InputError(
                "no command, expected a script such as (assert true) (check-sat)", file=source.name
            )
        while (token := next(source.rest, None)) is not None:
            start = source.at - 1
            if token != "(":
                raise InputError(f"expected '(' before a command, found '{token[:60]}'")
            command = self._command(source.next("a command"))
            source.take(")", "behind the command")
            self._declare_instances(start)
            self._add([command] if command is not None else [], start)
            if isinstance(command, c.Exit):
                break
        return Script(source.name, self.tables, self.commands, Origin(source.text, self.starts))

    def _add(self, commands: list[Command], start: int) -> None:
        self.commands.extend(commands)
        self.starts.extend([start] * len(commands))

    def _command(self, name: str) -> Command | None:
        reader = COMMANDS.get(name)
        if reader is not None:
            return reader(self)
        if name in TERM_COMMANDS:
            return command_with_terms(self, name)
        if name in ASKS:
            return c.Ask(name, self.source.raw_rest())
        if name in OTHERS:
            return c.Other(f"{name} {self.source.raw_rest()}".rstrip())
        reason = REFUSED.get(name)
        if reason is not None:
            raise InputError(f"'{name}': {reason}")
        raise InputError(
            f"unknown command '{name[:60]}'{nearest(name, [*COMMANDS, *TERM_COMMANDS, *ASKS, *OTHERS])}"
        )

    def _declare_instances(self, start: int) -> None:
        for sort in self.instances:
            self.terms.scope.put(self.terms.scope.instances, sort, True)
            self._add([c.DeclareSort(sort)], start)
        self.instances.clear()


# -- commands


def _word(r: Reader, what: str) -> str:
    return symbol(r.source.symbol(what))


def _set_logic(r: Reader) -> Command:
    logic = _word(r, "a logic")
    r.terms.numerals(reals=_REALS.search(logic) is not None and _INTEGERS.search(logic) is None)
    return c.SetLogic(logic)


def _attribute(r: Reader) -> tuple[str, str]:
    token = r.source.next("a keyword such as :status")
    if token[0] != ":":
        raise InputError(f"expected a keyword such as :status, found '{token[:60]}'")
    return token[1:], r.source.raw_rest()


def _assert(r: Reader) -> Command:
    term = r.boolean()
    return c.Assert(term, r.terms.name)


def _check_sat(r: Reader) -> Command:
    if r.source.peek() == ")":
        return c.CheckSat()
    return c.CheckSatAssuming(_terms(r, "", r.boolean))


def _terms(r: Reader, what: str, read: Callable[[], Term]) -> tuple[Term, ...]:
    """Read terms up to a parenthesis. If `what` is given, an opening parenthesis is read first, and
    `what` names it in errors.
    """
    if what:
        r.source.take("(", what)
    found = []
    while r.source.peek() != ")":
        found.append(read())
    if what:
        r.source.take(")", "behind them")
    return tuple(found)


def _levels(r: Reader) -> int:
    levels = 1 if r.source.peek() == ")" else r.source.numeral("a number of levels")
    if levels > MAX_LEVELS:
        raise InputError(f"expected 0 to {MAX_LEVELS} levels, found {levels}")
    return levels


def _push(r: Reader) -> Command:
    command = c.Push(_levels(r))
    r.push(command.levels)
    return command


def _pop(r: Reader) -> Command:
    command = c.Pop(_levels(r))
    r.pop(command.levels)
    return command


def _reset(r: Reader) -> Command:
    r.begin()
    return c.Reset()


def _reset_assertions(r: Reader) -> Command:
    r.pop(r.levels)
    if not r.global_declarations:  # the standard forgets all declarations then, but z3 keeps them
        r.terms.scope.may_redeclare()
    return c.ResetAssertions()


def _set_option(r: Reader) -> Command:
    name, value = _attribute(r)
    if name == "global-declarations":
        r.global_declarations = value == "true"
    return c.SetOption(name, value)


def _simplify(r: Reader) -> Command:
    term = r.terms.read()
    r.source.raw_rest()
    return c.Simplify(term)


COMMANDS: dict[str, Callable[[Reader], Command | None]] = {
    "set-logic": _set_logic,
    "set-info": lambda r: c.SetInfo(*_attribute(r)),
    "set-option": _set_option,
    "declare-sort": declare_sort,
    "define-sort": define_sort,
    "declare-datatype": declare_datatype,
    "declare-datatypes": declare_datatypes,
    "declare-fun": declare_fun,
    "declare-const": declare_const,
    "define-fun": define_fun,
    "define-const": define_const,
    "define-fun-rec": define_fun_rec,
    "define-funs-rec": define_funs_rec,
    "assert": _assert,
    "check-sat": _check_sat,
    "check-sat-assuming": lambda r: c.CheckSatAssuming(
        _terms(r, "before the assumptions", r.boolean)
    ),
    "check-sat-using": lambda r: c.CheckSatUsing(r.source.raw_rest()),
    "push": _push,
    "pop": _pop,
    "reset": _reset,
    "reset-assertions": _reset_assertions,
    "get-value": lambda r: c.GetValue(_terms(r, "before the terms", r.terms.read)),
    "eval": lambda r: c.GetValue((r.terms.read(),)),
    "simplify": _simplify,
    "exit": lambda r: c.Exit(),
}
_ASKS = """
    get-model get-unsat-core get-unsat-assumptions get-proof get-info get-option get-assertions
    get-assignment get-objectives get-difficulty get-learned-literals get-timeout-core
    get-unsat-core-lemmas get-abduct-next get-interpolant-next get-interpolants
    find-synth find-synth-next get-model-domain-elements echo labels help dbg-print
"""
ASKS = tuple(_ASKS.split())
OTHERS = ("block-model", "include", "apply", "set-simplifier")
REFUSED = {
    "declare-codatatypes": "codatatypes are no part of fsm/theories",
    "declare-codatatype": "codatatypes are no part of fsm/theories",
    "declare-heap": "separation logic is no part of fsm/theories",
    "synth-fun": "a problem of synthesis (SyGuS), expected a script of SMT-LIB",
    "declare-sort-parameter": "sorts with parameters in assertions are no part of fsm/theories",
    "declare-rel": "the Horn clause language of fixed-point engines is not read, expected logic HORN",
    "declare-tactic": "tactics with names are not read",
}
