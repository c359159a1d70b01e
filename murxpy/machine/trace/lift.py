"""Lifting: turn an SMT-LIB script into a trace, which says the same through any solver's API."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.sorts import Datatype, Sort, reachable
from murxpy.logic.terms import CONSTANT, FUNCTION, SPECIAL, VALUE, VARIABLE, Term
from murxpy.logic.values import to_codes, write_value
from murxpy.logic.walks import backwards, bottom_up
from murxpy.machine.solve import SPECIAL_OPTIONS
from murxpy.machine.tokens import FieldSort, Quoted, Ref, Token
from murxpy.machine.trace.grammar import VERSION, Line, Trace
from murxpy.smtlib import script as c
from murxpy.smtlib.building import Tables
from murxpy.smtlib.script import Command, Script

_LEAVES = {CONSTANT: "mk-const", VARIABLE: "mk-var", SPECIAL: "mk-special-value"}
SOLVER = "smtlib"  # no solver wrote the trace, so each uses its own spellings
MOST_LEFT_OUT = 20  # different commands that the header lists as left out
_ASKS = {
    "get-model": "get-model",
    "get-unsat-core": "get-unsat-core",
    "get-unsat-assumptions": "get-unsat-assumptions",
    "get-assertions": "get-assertions",
    "get-info :reason-unknown": "reason-unknown",
    "get-info :all-statistics": "statistics",
}


def lift(script: Script) -> Trace:
    """Turn a script into a trace. Raises InputError, with the line of the command, for what no
    trace can express.

    Commands for which there is no action, and options of one solver, become comments. A recursive
    function is declared, and its definition is asserted for all arguments. `reset` ends the solver
    and makes a new one. `check-sat-using` becomes a plain check.
    """
    lifter = Lifter(script)
    for at, command in enumerate(script.commands):
        try:
            lifter.carry_out(command)
        except InputError as error:
            raise InputError(error.reason, file=script.name, line=script.line(at)) from None
    return lifter.trace


def for_judges(trace: Trace) -> Trace:
    """Turn a script into a trace for `murxpy.machine.replaying.judging`: a judge is to answer all its
    checks.
    """
    answer: list[tuple[str, list[Token]]] = [("answer", ["sat"])]
    lines = []
    for line in trace.lines:
        # A judge answers only checks that have an answer in the trace. Any answer will do here.
        results = answer if line.action in ("check-sat", "check-sat-assuming") else line.results
        lines.append(replace(line, results=results))
    return Trace(trace.name, lines, trace.header)


class TermLines:
    """Writes the lines that make sorts and terms. A sort or term is made before the line that uses
    it. New ids are above `highest`, the highest numbers that are taken, by their letters.
    """

    def __init__(self, tables: Tables, highest: Mapping[str, int]) -> None:
        self.tables = tables
        self.lines: list[Line] = []
        self._count = {**dict.fromkeys("st", 0), **highest}
        self.forget()

    def forget(self) -> None:
        """Begin with a solver for which no sorts and terms were made yet."""
        self._sorts: dict[Sort, int] = {}
        self._terms: dict[Term, int] = {}
        self._named: dict[tuple[str, Sort], Term] = {}  # leaves by their names in the trace
        self._declared: set[Datatype] = set()

    def know(self, terms: Mapping[Term, int], sorts: Mapping[Sort, int]) -> None:
        """Use these ids of sorts and terms, which other lines made, and forget other terms."""
        self._terms, self._sorts = dict(terms), {**self._sorts, **sorts}

    @property
    def sorts(self) -> Mapping[Sort, int]:
        """The ids of the sorts that have one."""
        return self._sorts

    # -- lines

    def line(self, action: str, *args: Token, returns: Sequence[Token] = ()) -> None:
        """Write a line and what it returns."""
        results = [("return", list(returns))] if returns else []
        self.lines.append(Line(action, list(args), results=results, number=len(self.lines) + 1))

    def _new(self, letter: str) -> Ref:
        self._count[letter] += 1
        return Ref(letter, self._count[letter])

    # -- sorts

    def sort(self, sort: Sort) -> Ref:
        """The id of a sort. The sort is made if there is no line yet that does."""
        known = self._sorts.get(sort)
        if known is not None:
            return Ref("s", known)
        if sort.kind == "SORT_DT":
            return self._datatype_sort(sort)
        params: list[Token] = [self.sort(s) for s in sort.sorts()]
        if sort.kind in ("SORT_UNINTERPRETED", "SORT_FF"):
            params = [Quoted(str(sort.params[0]))]
        elif not params:
            params = [p for p in sort.params if isinstance(p, int)]
        return self._made_sort(sort, "mk-sort", sort.kind, *params)

    def _made_sort(self, sort: Sort, action: str, *words: Token) -> Ref:
        ref = self._new_sort(sort)
        self.line(action, *words, returns=[ref])
        return ref

    def _new_sort(self, sort: Sort) -> Ref:
        ref = self._new("s")
        self._sorts[sort] = ref.number
        return ref

    def _datatype_sort(self, sort: Sort) -> Ref:
        if sort.datatype not in self._declared:
            self.datatypes(reachable(sort.datatype))
        if not sort.sorts():
            return Ref("s", self._sorts[sort])
        params = [self.sort(s) for s in sort.sorts()]
        return self._made_sort(
            sort, "instantiate-sort", Ref("s", self._sorts[self._plain(sort.datatype)]), *params
        )

    def _plain(self, datatype: Datatype) -> Sort:
        return self.tables.sorts.get("SORT_DT", datatype)

    def datatypes(self, block: Sequence[Datatype]) -> None:
        """Declare a block of datatypes."""
        if block[0] in self._declared:
            return
        self._declared.update(block)
        words: list[Token] = ["SORT_DT", len(block)]
        for datatype in block:
            words += [
                Quoted(datatype.name),
                len(datatype.params),
                *(FieldSort("param", p) for p in datatype.params),
            ]
            words.append(len(datatype.constructors))
            for constructor in datatype.constructors:
                words += [Quoted(constructor.name), len(constructor.fields)]
                for selector, sort in constructor.fields:
                    words += [Quoted(selector), *self._field(sort, datatype, block)]
        refs = [self._new_sort(self._plain(datatype)) for datatype in block]
        self.line("mk-sort", *words, returns=refs)

    def _field(self, sort: Sort, owner: Datatype, block: Sequence[Datatype]) -> list[Token]:
        own = tuple(str(p.params[0]) for p in sort.sorts() if p.kind == "SORT_PARAM")
        if sort.kind == "SORT_PARAM":
            return [FieldSort("param", str(sort.params[0]))]
        if sort.kind == "SORT_DT" and sort.datatype in block:
            if sort.datatype is owner and own == tuple(owner.params):
                return [FieldSort("self", "")]
            words: list[Token] = [FieldSort("other", sort.datatype.name), len(sort.sorts())]
            return words + [
                word for inner in sort.sorts() for word in self._field(inner, owner, block)
            ]
        if _mentions(sort, block):
            raise InputError(
                f"a field of sort {sort} has a datatype of its own declaration, or a parameter, inside another sort, "
                "which a trace cannot say"
            )
        return [self.sort(sort)]

    # -- terms

    def term(self, root: Term) -> Ref:
        """The id of a term. The term and its parts are made if there are no lines yet that do."""
        for term in bottom_up(root, self._terms, backwards):
            self._make(term)
        return Ref("t", self._terms[root])

    def terms(self, terms: Sequence[Term]) -> list[Token]:
        """The number of terms, and their ids."""
        return [len(terms), *(self.term(t) for t in terms)]

    def _make(self, term: Term) -> None:
        action, words = self._words(term)
        ref = self._new("t")
        self._terms[term] = ref.number
        if term.sort.kind == "SORT_CASE":
            self.line(action, *words, returns=[ref])
            return
        number = self._sorts.get(term.sort)
        # A sort that no line made gets its id from its first term.
        sort = Ref("s", number) if number is not None else self._new_sort(term.sort)
        self.line(action, *words, returns=[ref, sort])

    def _words(self, term: Term) -> tuple[str, list[Token]]:
        """The action that makes a term, and its words."""
        first = term.indices[0] if term.indices else None
        if term.op in _LEAVES:
            return _LEAVES[term.op], [self.sort(term.sort), Quoted(self._name(term))]
        if term.op == VALUE:
            words = (Quoted(w) if isinstance(w, str) else w for w in write_value(term.sort, first))
            return "mk-value", [self.sort(term.sort), *words]
        args: list[Token] = [Ref("t", self._terms[a]) for a in term.args]
        if term.op == FUNCTION:
            return "mk-fun", [Quoted(str(first)), len(args) - 1, *args]
        return "mk-term", self._application(term, args)

    def _name(self, leaf: Term) -> str:
        """The name of a leaf in the trace: its own, but another one for a variable whose name a
        constant or another variable of its sort has. Bindings take two such objects for one, so that
        an inner binder would bind what the outer one has to.
        """
        own = name = str(leaf.indices[0])
        count = 0
        while self._named.setdefault((name, leaf.sort), leaf) is not leaf and leaf.op == VARIABLE:
            count += 1
            name = f"{own}_{count}"  # solvers make fresh names with an exclamation mark
        return name

    def _application(self, term: Term, args: list[Token]) -> list[Token]:
        operator = self.tables.catalogue.operators[term.op]
        shown = term.sort.sort(1) if term.sort.kind == "SORT_CASE" else term.sort
        words: list[Token] = [operator.kind, shown.kind]
        if operator.signature.as_sort:
            words.append(self.sort(term.sort))
        elif operator.typing == "match-case":
            words.append(self.sort(term.sort.sort(0)))
        if operator.typing is not None and operator.typing != "match":
            words += [len(term.indices), *(Quoted(str(i)) for i in term.indices)]
        words += [len(args), *args]
        if term.indices and operator.typing is None:
            words += [len(term.indices), *term.indices]
        return words


class Lifter(TermLines):
    """Writes the lines of a script, one command after another."""

    def __init__(self, script: Script) -> None:
        super().__init__(script.tables, {})
        self.trace = Trace(
            script.name, self.lines, {"murxpy-trace": str(VERSION), "solver": f"{SOLVER} 2.7"}
        )
        self.line("new", returns=[Ref("o", 1)])
        if script.incremental:
            self.line("set-option", "incremental", True)

    def carry_out(self, command: Command) -> None:
        """Write the lines of one command. Raises InputError."""
        _LIFTERS[type(command)](self, command)

    def restart(self) -> None:
        """End the solver and make a new one, which has no sorts and terms yet."""
        self.line("delete")
        self.forget()
        self.line("new", returns=[Ref("o", 1)])

    # -- what is not carried out

    def comment(self, text: str) -> None:
        """Note in the header that a command was left out."""
        self.trace.header.setdefault("left-out", "")
        left = [
            *filter(None, self.trace.header["left-out"].split("; ")),
            to_codes(" ".join(text.split()))[:60],
        ]
        self.trace.header["left-out"] = "; ".join(list(dict.fromkeys(left))[:MOST_LEFT_OUT])


def _mentions(sort: Sort, block: Sequence[Datatype]) -> bool:
    if sort.kind == "SORT_PARAM" or (sort.kind == "SORT_DT" and sort.datatype in block):
        return True
    return any(_mentions(inner, block) for inner in sort.sorts())


# -- commands


def _set_option(lifter: Lifter, command: c.SetOption) -> None:
    if command.name in SPECIAL_OPTIONS and command.value in ("true", "false"):
        lifter.line("set-option", command.name, command.value == "true")
    else:
        lifter.comment(f"set-option {command.name} {command.value}")


def _define_rec(lifter: Lifter, command: c.DefineFunsRec) -> None:
    tables = lifter.tables
    for function, variables, body in zip(
        command.functions, command.variables, command.bodies, strict=True
    ):
        left = tables.apply("OP_UF_APPLY", function, *variables) if variables else function
        definition = tables.apply("OP_EQUAL", left, body)
        if variables:
            definition = tables.apply("OP_FORALL_PATTERN", *variables, definition, left)
        lifter.line("assert-formula", lifter.term(definition))


def _assert(lifter: Lifter, command: c.Assert) -> None:
    ref = lifter.term(command.term)
    if command.name is None:
        lifter.line("assert-formula", ref)
    else:
        lifter.line("assert-tracked", ref, Quoted(command.name))


def _check_using(lifter: Lifter, command: c.CheckSatUsing) -> None:
    lifter.comment(f"check-sat-using {command.tactic}")
    lifter.line("check-sat")


def _ask(lifter: Lifter, command: c.Ask) -> None:
    text = f"{command.command} {command.words}".rstrip()
    action = _ASKS.get(text)
    if action is not None:
        lifter.line(action)
    else:
        lifter.comment(text)


def _nothing(lifter: Lifter, command: Any) -> None:
    """Write nothing: the command tells the solver nothing."""


_LIFTERS: dict[type, Callable[[Lifter, Any], object]] = {
    c.SetLogic: lambda lifter, x: lifter.line("set-logic", x.logic),
    c.SetOption: _set_option,
    c.SetInfo: _nothing,
    c.DeclareSort: lambda lifter, x: lifter.sort(x.sort),
    c.DefineSort: _nothing,
    c.DeclareDatatypes: lambda lifter, x: lifter.datatypes(x.datatypes),
    c.DeclareFun: lambda lifter, x: lifter.term(x.constant),
    c.DefineFun: lambda lifter, x: lifter.term(x.function or x.body),
    c.DefineFunsRec: _define_rec,
    c.Assert: _assert,
    c.CheckSat: lambda lifter, x: lifter.line("check-sat"),
    c.CheckSatAssuming: lambda lifter, x: lifter.line(
        "check-sat-assuming", *lifter.terms(x.assumptions)
    ),
    c.CheckSatUsing: _check_using,
    c.Push: lambda lifter, x: lifter.line("push", x.levels),
    c.Pop: lambda lifter, x: lifter.line("pop", x.levels),
    c.Reset: lambda lifter, x: lifter.restart(),
    c.ResetAssertions: lambda lifter, x: lifter.line("reset-assertions"),
    c.GetValue: lambda lifter, x: lifter.line("get-value", *lifter.terms(x.terms)),
    c.Simplify: lambda lifter, x: lifter.line("simplify", lifter.term(x.term)),
    c.Ask: _ask,
    c.Exit: _nothing,
    c.Other: lambda lifter, x: lifter.comment(x.text),
}
