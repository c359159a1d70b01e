"""Finds out whether a term uses functions as values. Some dialects allow that only in logics whose
names begin with `HO_`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Datatype, Sort, reachable
from murxpy.logic.terms import CONSTANT, FUNCTION, Term
from murxpy.logic.walks import backwards, bottom_up
from murxpy.smtlib import script as c
from murxpy.smtlib.lexer import joined, option_value
from murxpy.smtlib.printing.terms import Printer
from murxpy.smtlib.script import Command, Script

# the first argument of these operators is the symbol of a function and no value
_APPLYING = ("OP_UF_APPLY", "OP_ARRAY_MAP", "OP_ARRAY_MAP2")
_PREFIX = "HO_"


def higher_order(term: Term) -> bool:
    """Return whether the term itself uses a function as a value. The arguments of the term are not
    examined.
    """
    if term.sort.kind == "SORT_FUN":
        if term.op not in (CONSTANT, FUNCTION) or _has_function(term.sort.sorts()):
            return True
    elif term.sort.params and _has_function(term.sort.sorts()):
        return True
    if term.op == FUNCTION:
        return False
    values = term.args[1:] if term.op in _APPLYING else term.args
    return _has_function([value.sort for value in values]) or (
        term.op == "OP_UF_APPLY" and term.args[0].op not in (CONSTANT, FUNCTION)
    )


def _has_function(sorts: Iterable[Sort]) -> bool:
    return "SORT_FUN" in [sort.kind for sort in sorts]


def higher_logic(logic: str) -> str:
    """Return the logic that has functions as values and is otherwise the logic of this name."""
    return logic if logic.startswith(_PREFIX) else f"{_PREFIX}{logic}"


# ----------------------------------------------------------------------
# Prints scripts. In front of each command stand the declarations that it needs and the script
# does not have.


_LOGIC = "(set-logic "
Declared = Sort | Term | Datatype


def print_script(script: Script, dialect: str = "standard") -> str:
    """Return the script as text in a dialect of the catalogue. Raises Unsayable if the dialect
    cannot say some part of it.
    """
    writer = Writer(script.tables.catalogue, dialect)
    for command in script.commands:
        writer.write(command)
    return "".join(f"{row}\n" for row in writer.raised(writer.rows))


class Writer:
    """Writes commands, and knows for each open level what is declared on it."""

    def __init__(self, catalogue: Catalogue, dialect: str, printer: Printer | None = None) -> None:
        self.printer = printer or Printer(catalogue, dialect)
        self.rows: list[str] = []
        self._declared: set[Declared] = set()
        self._levels: list[list[Declared]] = [[]]
        self._names = 0
        self._global = False
        self.higher = False  # some term uses a function as a value
        self._only_all = False  # some term has a sort that only the logic ALL has

    def write(self, command: Command) -> None:
        """Write one command."""
        text = self.text(command)
        if text:
            self.rows.append(text)

    def text(self, command: Command) -> str:
        """Return the text of one command. The declarations that it needs are added to `rows`."""
        return _WRITERS[type(command)](self, command)

    # -- declarations

    def new(self, thing: Declared) -> bool:
        """Return whether `thing` was not declared before, and note that it is declared now."""
        if thing in self._declared:
            return False
        self._declared.add(thing)
        self._levels[-1].append(thing)
        return True

    def push(self, levels: int) -> None:
        """Open levels."""
        self._levels.extend([] for _ in range(levels))

    def pop(self, levels: int) -> None:
        """Close levels, and forget what was declared on them."""
        for _ in range(min(levels, len(self._levels) - 1)):
            gone = self._levels.pop()
            if self._global:
                self._levels[-1] += gone
            else:
                self._declared.difference_update(gone)

    def forget(self, everything: bool) -> None:
        """Forget the declarations that the command `reset` ends, or else those that
        `reset-assertions` ends.
        """
        self.pop(len(self._levels))
        if everything or not (self.printer.words.declarations_last or self._global):
            self._declared.clear()
            self._levels = [[]]

    def raised(self, rows: list[str]) -> list[str]:
        """Return the rows of a script with a logic that has everything in it and that the dialect has:
        `ALL` for some sorts and for logics that the dialect does not have, and in some dialects a
        logic of higher order if functions are used as values.
        """
        known = self.printer.words.logics
        named = [row[len(_LOGIC) : -1] for row in rows if row.startswith(_LOGIC)]
        if self._only_all or (known and not {*named}.issubset(known)):
            return [f"{_LOGIC}ALL)" if row.startswith(_LOGIC) else row for row in rows]
        if not (self.higher and self.printer.words.higher_order_logics):
            return rows
        if not any(row.startswith(_LOGIC) for row in rows):
            return [f"{_LOGIC}HO_ALL)", *rows]
        return [
            f"{_LOGIC}{higher_logic(row[len(_LOGIC) : -1])})" if row.startswith(_LOGIC) else row
            for row in rows
        ]

    def option(self, command: c.SetOption) -> str:
        """Return the text of a `set-option`, and note if it says that declarations are global."""
        if command.name == "global-declarations":
            self._global = command.value == "true"
        if command.value and self.printer.words.string_options:
            command = replace(command, value=option_value(command.value, strings=True))
        return _pair("set-option", command)

    def term(self, term: Term) -> str:
        """Return the text of a term, and declare everything that is in it."""
        self.need(term)
        return self.printer.term(term)

    def terms(self, terms: Iterable[Term]) -> str:
        """Return the texts of terms with blanks between them."""
        return " ".join([self.term(t) for t in terms])

    def parts(self, parts: Iterable[c.Part]) -> str:
        """Return the text of a command that consists of texts, terms and sorts."""
        return joined(
            [
                p if isinstance(p, str) else self.sort(p) if isinstance(p, Sort) else self.term(p)
                for p in parts
            ]
        )

    def need(self, root: Term) -> None:
        """Declare all sorts, constants and functions in a term. Each declaration follows those that
        it needs.
        """
        order: list[Term] = []
        for term in bottom_up(root, self._declared, backwards):
            self.new(term)
            order.append(term)
        for term in order:
            self.higher = self.higher or higher_order(term)
            if term.sort not in self._declared and term.sort.kind != "SORT_CASE":
                self.sort(term.sort)
            if term.op == CONSTANT:
                self.rows.append(self.constant(term))
            elif term.op == FUNCTION:
                self.rows.append(
                    self.definition(self.printer.function(term), term.args[:-1], term.args[-1])
                )

    def constant(self, term: Term) -> str:
        """Return the declaration of a constant or function."""
        name = self.printer.function(term)
        if term.sort.kind != "SORT_FUN":
            return f"(declare-const {name} {self.sort(term.sort)})"
        *domain, result = [self.sort(s) for s in term.sort.sorts()]
        return f"(declare-fun {name} ({' '.join(domain)}) {result})"

    def definition(self, name: str, variables: Sequence[Term], body: Term) -> str:
        """Return a `define-fun`."""
        shown, sort = self.variables(variables), self.sort(body.sort)
        return f"(define-fun {name} ({shown}) {sort} {self.term(body)})"

    def variables(self, variables: Sequence[Term]) -> str:
        """Return the text of variables with their sorts."""
        for variable in variables:
            self.sort(variable.sort)
        return self.printer.variables(tuple(variables))

    def sort(self, sort: Sort) -> str:
        """Return the text of a sort, and declare it."""
        if self.new(sort):
            self._only_all = self._only_all or sort.kind in self.printer.words.only_all
            for inner in sort.sorts():
                self.sort(inner)
            if sort.kind == "SORT_UNINTERPRETED":
                self.rows.append(f"(declare-sort {self.printer.sort(sort)} 0)")
            elif sort.kind == "SORT_DT" and sort.datatype not in self._declared:
                self.rows.append(self.datatypes(reachable(sort.datatype)))
        return self.printer.sort(sort)

    def datatypes(self, block: list[Datatype]) -> str:
        """Return the declaration of a block of datatypes."""
        for datatype in block:
            self.new(datatype)
        for datatype in block:
            for constructor in datatype.constructors:
                for _, sort in constructor.fields:
                    self.sort(sort)
        return self.printer.datatypes(block)

    def fresh(self, name: str) -> str:
        """Return a symbol for a name. No other symbol of the script is the same."""
        self._names += 1
        return self.printer.symbols.of(("name", self._names), name)


# -- commands


def _declare_sort(w: Writer, command: c.DeclareSort) -> str:
    w.sort(command.sort)
    return ""


def _declare_datatypes(w: Writer, command: c.DeclareDatatypes) -> str:
    return w.datatypes(list(command.datatypes)) if command.datatypes[0] not in w._declared else ""


def _declare_fun(w: Writer, command: c.DeclareFun) -> str:
    return w.constant(command.constant) if w.new(command.constant) else ""


def _define_fun(w: Writer, command: c.DefineFun) -> str:
    if command.function is None:
        return w.definition(w.fresh(command.name), (), command.body)
    w.need(command.function)
    return ""


def _define_sort(w: Writer, command: c.DefineSort) -> str:
    parameters = " ".join(w.printer.parameter(p) for p in command.parameters)
    sort = w.sort(command.sort)
    return f"(define-sort {w.fresh(command.name)} ({parameters}) {sort})"


def _define_rec(w: Writer, command: c.DefineFunsRec) -> str:
    heads = []
    for function, variables in zip(command.functions, command.variables, strict=True):
        w.new(function)
        result = function.sort.sorts()[-1] if variables else function.sort
        heads.append(f"{w.printer.function(function)} ({w.variables(variables)}) {w.sort(result)}")
    bodies = [w.term(body) for body in command.bodies]
    if len(heads) == 1:
        return f"(define-fun-rec {heads[0]} {bodies[0]})"
    return f"(define-funs-rec (({') ('.join(heads)})) ({' '.join(bodies)}))"


def _assert(w: Writer, command: c.Assert) -> str:
    text = w.term(command.term)
    return (
        f"(assert {text})"
        if command.name is None
        else f"(assert (! {text} :named {w.fresh(command.name)}))"
    )


def _push(w: Writer, command: c.Push) -> str:
    w.push(command.levels)
    return f"(push {command.levels})"


def _pop(w: Writer, command: c.Pop) -> str:
    w.pop(command.levels)
    return f"(pop {command.levels})"


def _reset(w: Writer, command: c.Reset | c.ResetAssertions) -> str:
    everything = isinstance(command, c.Reset)
    w.forget(everything)
    return "(reset)" if everything else "(reset-assertions)"


def _pair(name: str, command: c.SetInfo | c.SetOption) -> str:
    return (
        f"({name} :{command.name} {command.value})"
        if command.value
        else f"({name} :{command.name})"
    )


def _ask(w: Writer, command: c.Ask) -> str:
    words = w.parts(command.parts) or command.words
    return f"({command.command} {words})" if words else f"({command.command})"


def _other(w: Writer, command: c.Other) -> str:
    return f"({w.parts(command.parts) or command.text})"


_WRITERS: dict[type, Callable[[Writer, Any], str]] = {
    c.SetLogic: lambda w, x: f"(set-logic {x.logic})",
    c.SetOption: lambda w, x: w.option(x),
    c.SetInfo: lambda w, x: _pair("set-info", x),
    c.DeclareSort: _declare_sort,
    c.DefineSort: _define_sort,
    c.DeclareDatatypes: _declare_datatypes,
    c.DeclareFun: _declare_fun,
    c.DefineFun: _define_fun,
    c.DefineFunsRec: _define_rec,
    c.Assert: _assert,
    c.CheckSat: lambda w, x: "(check-sat)",
    c.CheckSatAssuming: lambda w, x: f"(check-sat-assuming ({w.terms(x.assumptions)}))",
    c.CheckSatUsing: lambda w, x: f"(check-sat-using {x.tactic})",
    c.Push: _push,
    c.Pop: _pop,
    c.Reset: _reset,
    c.ResetAssertions: _reset,
    c.GetValue: lambda w, x: f"(get-value ({w.terms(x.terms)}))",
    c.Simplify: lambda w, x: f"(simplify {w.term(x.term)})",
    c.Ask: _ask,
    c.Exit: lambda w, x: "(exit)",
    c.Other: _other,
}
