"""A binding for programs that read SMT-LIB on their standard input. Terms are texts with gaps for
their arguments; the solver object writes the commands. The file imports only the standard library.
"""

from __future__ import annotations

import os
import re
import weakref
from collections import Counter
from collections.abc import Sequence
from numbers import Rational
from typing import Any

from smt2_process import (
    COMMAND,
    Declined,
    Process,
    Program,
    Reply,
    Rubbish,
    SolverError,
    commands,
    confirm,
    expressions,
    raise_errors,
    shown,
)
from smt2_values import Function, Rows, Value

PROGRAM = Program(os.environ[COMMAND])
_LONGEST = 1 << 20  # characters of a term
_HIGH = 200  # a term of this height gets a name, too, so that no text nests too deeply
_GAP = re.compile(r"\{(\d+)\}")
_SYMBOL = re.compile(r"[^\s()|;\"]+|\|[^|]*\|")
_BUILDING = ("(set-", "(declare-", "(define-", "(assert ")
_ANSWERS = ("sat", "unsat", "unknown")


def version() -> str:
    """The release of the program with its name behind it."""
    release = re.match(r"\d+(\.\d+)*", PROGRAM.version)
    name = re.sub(r"[^A-Za-z0-9]+", "-", PROGRAM.name).strip("-")
    return f"{release[0] if release else 0}+{name or 'unnamed'}"


def done(value: Any) -> None:
    """None, whatever the argument is."""


# -- terms


class Term:
    """A term: its text, in which gaps stand for the arguments, and its sort.

    A term that binds variables has the texts of its arguments in its own, since these stand in the
    scope of the variables.
    """

    __slots__ = ("args", "sort", "text")

    def __init__(self, text: str, sort: str, args: Sequence[Term] = (), bound: int = 0) -> None:
        self.text = text.format(*map(whole, args)) if bound else text
        self.sort = sort
        self.args = () if bound else tuple(args)

    def __str__(self) -> str:
        return whole(self)


def whole(root: Term) -> str:
    """The text of a term with its arguments. A part that occurs several times is said once, in a `let`.
    Raises SolverError for a text that is too long.
    """
    if not root.args:
        return root.text
    order = _parts(root)
    uses = Counter(arg for term in order for arg in _occurrences(term))
    texts: dict[Term, str] = {}
    levels: dict[Term, int] = {}
    heights: dict[Term, int] = {}
    lets: list[list[str]] = []
    count = 0
    for term in order:
        text = term.text.format(*[texts[arg] for arg in term.args]) if term.args else term.text
        level = max((levels[arg] for arg in term.args), default=0)
        height = 1 + max((heights[arg] for arg in term.args), default=0)
        if len(text) > _LONGEST:
            raise SolverError("unsupported: the text of a term is too long")
        if term.args and term is not root and (uses[term] > 1 or height > _HIGH):
            if len(lets) == level:
                lets.append([])
            count += 1
            lets[level].append(f"($l{count} {text})")
            text, level, height = f"$l{count}", level + 1, 0
        texts[term], levels[term], heights[term] = text, level, height
    opened = "".join(f"(let ({' '.join(bindings)}) " for bindings in lets)
    return f"{opened}{texts[root]}{')' * len(lets)}"


def _parts(root: Term) -> list[Term]:
    """The parts of a term, each behind its own parts."""
    order: dict[Term, None] = {}
    stack = [root]
    while stack:
        missing = [arg for arg in stack[-1].args if arg not in order]
        if missing:
            stack.extend(missing)
        else:
            order[stack.pop()] = None
    return list(order)


def _occurrences(term: Term) -> list[Term]:
    """The arguments of a term, each as often as it stands in the text."""
    return [term.args[int(at)] for at in _GAP.findall(term.text)] if term.args else []


def one_literal(args: Any, indices: Any, sort: Any) -> bool:
    """True if SMT-LIB writes the first argument as one literal."""
    value = args[0]["value"]
    return not isinstance(value, Rational) or (value >= 0 and value.denominator == 1)


def conjunction(context: Context, terms: Sequence[Term]) -> Term:
    """The conjunction of some formulas."""
    gaps = " ".join(f"{{{at}}}" for at in range(len(terms)))
    return context.apply(f"(and {gaps})", "Bool", 0, *terms)


# -- contexts and solvers


class Context:
    """What a run has declared, in the order in which it was made. Declarations are given at once to the
    first solver that there is, and to another one in front of its next assertion.
    """

    def __init__(self) -> None:
        self.declarations: list[str] = []
        self.constructors: dict[str, tuple[str, Sequence[str], Sequence[Reply]]] = {}
        self.first: weakref.ref[Solver] | None = None
        self._taken: set[str] = set()  # the applications that the program is known to take
        self._count = 0

    def fresh(self, letter: str) -> str:
        """A new symbol, which no symbol of the run begins like."""
        self._count += 1
        return f"${letter}{self._count}"

    def solver(self) -> Solver | None:
        """The first solver, if it is there."""
        return self.first() if self.first is not None else None

    def declare(self, text: str) -> None:
        """Declare something. Raises SolverError if the program refuses it."""
        self.declarations.append(text)
        try:
            if (solver := self.solver()) is not None:
                solver.declare()
        except SolverError:
            self.declarations.pop()
            raise

    def declare_sort(self, name: str) -> str:
        """An uninterpreted sort."""
        text = f"(declare-sort {name} 0)"
        if text not in self.declarations:
            self.declare(text)
        return name

    def declare_datatypes(self, text: str, block: Sequence[Any]) -> list[str]:
        """The sorts of a block of datatypes. The text is its declaration, with the symbols in it."""
        self.declare(text)
        _, heads, bodies = expressions(text)[0]
        for body, (_, parameters, constructors) in zip(bodies, block, strict=True):
            symbols = list(map(str, body[1] if parameters else ()))
            for said, (name, _) in zip(body[2] if parameters else body, constructors, strict=True):
                sorts = [sort for _, sort in said[1:]]
                self.constructors[said[0]] = (name, symbols, sorts)
        return [str(name) for name, _ in heads]

    def constant(self, name: str, sort: str) -> Term:
        """A new constant."""
        self.declare(f"(declare-fun {name} () {sort})")
        return Term(name, sort)

    def function(self, name: str, sorts: Sequence[str]) -> Term:
        """A new function. The last of the sorts is that of its values."""
        self.declare(f"(declare-fun {name} ({' '.join(sorts[:-1])}) {sorts[-1]})")
        return Term(name, f"(-> {' '.join(sorts)})")

    def define(self, name: str, body: Term, *variables: Term) -> Term:
        """A defined function."""
        sorts = [variable.sort for variable in variables]
        bound = " ".join(f"({variable.text} {variable.sort})" for variable in variables)
        self.declare(f"(define-fun {name} ({bound}) {body.sort} {whole(body)})")
        return Term(name, f"(-> {' '.join([*sorts, body.sort])})")

    def apply(self, text: str, sort: str, bound: int, *args: Term) -> Term:
        """An application. Raises SolverError if the program does not take such a one."""
        if not args:
            text = text.format()
        if not bound:
            self._check(text, sort, args)
        return Term(text, sort, args, bound)

    def _check(self, text: str, sort: str, args: Sequence[Term]) -> None:
        """Ask the program once whether it takes such an application, by the definition of a function. Not
        everything may be an argument of a function.
        """
        sorts = [sort, *(arg.sort for arg in args)]
        special = any(one.startswith(("(->", "RegLan")) for one in sorts)
        if special or text.startswith(("((as const", "(match")):
            return
        if (solver := self.solver()) is None:
            return
        names = [f"$a{at}" for at in range(len(args))]
        bound = " ".join(f"({name} {arg.sort})" for name, arg in zip(names, args, strict=True))
        shape = f"({bound}) {sort} {text.format(*names) if args else text}"
        if shape not in self._taken:
            solver.command(f"(define-fun {self.fresh('f')} {shape})", again=False)
            self._taken.add(shape)


class Solver:
    """A solver in a process of its own, which is started when the first command is given."""

    def __init__(self, context: Context) -> None:
        self._context = context
        if context.solver() is None:
            context.first = weakref.ref(self)
        self._process: Process | None = None
        self._cores = False  # whether assertions need names
        self._begin()

    def _begin(self) -> None:
        # The commands that are given again to a new process, by level; how many declarations each
        # level knows; and the names of assertions and assumptions.
        self._given: list[list[str]] = [[]]
        self._declared = [0]
        self._named: dict[str, Term] = {}
        self._assumed: list[Term] = []  # of the last check
        self._logic = ""
        self._check = ""  # the last check, if it is the last command that a new process needs

    # -- commands

    def ask(self, command: str) -> list[Reply]:
        """The replies to a command. Raises SolverError for one that is an error."""
        if self._process is None or self._process.exited:
            self._process = PROGRAM.start()
            for given in [given for level in self._given for given in level]:
                confirm(self._process.ask(given))
            if self._check:
                self._process.ask(self._check)
        replies = self._process.ask(command)
        try:
            raise_errors(replies)
        except SolverError as error:
            if type(error) is SolverError and command.startswith(_BUILDING):
                raise Declined(str(error)) from None
            raise
        return replies

    def command(self, text: str, again: bool = True) -> None:
        """Give a command that the program confirms. `again` says that a new process needs it, too."""
        replies = self.ask(text)
        if replies != ["success"]:
            raise Rubbish(f"expected success, got {shown(replies)}")
        if again:
            self._given[-1].append(text)
            self._check = ""

    def one(self, command: str) -> Reply:
        """The only reply to a command."""
        replies = self.ask(command)
        if len(replies) != 1:
            raise Rubbish(f"expected one reply to {command[:40]}, got {shown(replies)}")
        return replies[0]

    def listed(self, command: str) -> list[Any]:
        """The parts of the only reply to a command, which is a list."""
        reply = self.one(command)
        if isinstance(reply, str):
            raise Rubbish(f"expected a list for {command[:40]}, got {shown([reply])}")
        return reply

    def declare(self) -> None:
        """Give all declarations that the program does not know yet."""
        while self._declared[-1] < len(self._context.declarations):
            self.command(self._context.declarations[self._declared[-1]])
            self._declared[-1] += 1

    def set_limit(self, limit: int) -> None:
        """Limit each check that follows, if the program has an option for that."""
        if PROGRAM.limits:
            self.set_option("reproducible-resource-limit", str(limit))

    def set_option(self, name: str, value: str) -> None:
        """Set an option."""
        self.command(f"(set-option :{name} {value})")
        if name == "produce-unsat-cores":
            self._cores = value == "true"

    def set_incremental(self, value: str) -> None:
        """Say that several checks follow, to a program that wants to know."""
        if PROGRAM.incremental:
            self.set_option("incremental", value)

    def set_logic(self, name: str) -> None:
        """Set the logic."""
        self.command(f"(set-logic {name})")
        self._logic = name

    def has_theory(self, letters: str) -> bool:
        """True unless the logic leaves out the theory with these letters."""
        return self._logic in ("", "ALL") or letters in self._logic

    def assert_formula(self, term: Term) -> None:
        """Assert a formula. It has a name if cores are produced."""
        self.declare()
        text = whole(term)
        if self._cores:
            name = self._context.fresh("n")
            self._named[name] = term
            text = f"(! {text} :named {name})"
        self.command(f"(assert {text})")

    def check(self, *assumptions: Term) -> str:
        """`sat`, `unsat` or `unknown`."""
        self.declare()
        self._assumed = list(assumptions)
        names = [self._literal(term) for term in assumptions]
        command = f"(check-sat-assuming ({' '.join(names)}))" if assumptions else "(check-sat)"
        self._check, answer = command, self.one(command)
        if answer not in _ANSWERS:
            raise Rubbish(f"expected an answer, got {shown([answer])}")
        return str(answer)

    def _literal(self, term: Term) -> str:
        """A constant that is equal to an assumption, since programs take only literals as such. What
        defines it stays asserted, which changes no answer.
        """
        name = self._context.fresh("p")
        self._named[name] = term
        self.command(f"(declare-fun {name} () Bool)")
        self.command(f"(assert (= {name} {whole(term)}))")
        return name

    def push(self, levels: int) -> None:
        """Open levels."""
        self.command(f"(push {levels})", again=False)
        self._check = ""
        for _ in range(levels):
            self._given.append(["(push 1)"])
            self._declared.append(self._declared[-1])

    def pop(self, levels: int) -> None:
        """Close levels, and declare again what was declared in them."""
        self.command(f"(pop {levels})", again=False)
        self._check = ""
        del self._given[len(self._given) - levels :]
        del self._declared[len(self._declared) - levels :]
        self.declare()

    def reset_assertions(self) -> None:
        """Drop all assertions and levels."""
        self.command("(reset-assertions)")
        self._declared = [self._declared[-1] if PROGRAM.declarations_last else 0]
        self._given = [[command for level in self._given for command in level]]
        self.declare()

    def reset(self) -> None:
        """Drop everything but the options. What the run has declared is declared again when it is needed."""
        options = [text for text in self._given[0] if text.startswith("(set-option ")]
        if PROGRAM.resets and self._process is not None and not self._process.exited:
            confirm(self._process.ask("(reset)"))
            confirm(self._process.ask("(set-option :print-success true)"))
        else:
            self._process = None
        self._begin()
        for option in options:
            self.command(option)

    # -- what the program says of an answer

    def get_value(self, term: Term) -> Value:
        """The value of a term in the model."""
        return self.values([term])[0]

    def values(self, terms: Sequence[Term]) -> list[Value]:
        """The values of terms in the model."""
        if not terms:
            return []
        pairs = self.listed(f"(get-value ({' '.join(map(whole, terms))}))")
        if len(pairs) != len(terms) or any(len(pair) != 2 for pair in pairs):
            raise Rubbish(f"expected {len(terms)} values, got {shown(pairs)}")
        return [Value(pair[1], term.sort) for pair, term in zip(pairs, terms, strict=True)]

    def functions(self) -> dict[str, Function]:
        """The functions that the model defines, by their names without bars."""
        found: dict[str, Function] = {}
        for part in self.listed("(get-model)"):
            if isinstance(part, list) and len(part) == 5 and part[0].startswith("define-fun"):
                found[part[1].strip("|")] = (part[2], part[3], part[4])
        return found

    def rows(self) -> Rows:
        """New rows for values of the model. The model as a whole is read when they need a function."""
        known: dict[str, Function] = {}

        def function(name: str) -> Function | None:
            if not known:
                known.update(self.functions())
            return known.get(name.strip("|"))

        return Rows(self._context.constructors, function)

    def unsat_assumptions(self) -> list[Term | str]:
        """The assumptions that the last check needed, and the text of what is the name of none."""
        return self._formulas("(get-unsat-assumptions)")

    def unsat_core(self) -> list[Term | str]:
        """The assertions that the last check needed, and all assumptions: not every program has those in
        its cores.
        """
        return [*self._formulas("(get-unsat-core)"), *self._assumed]

    def _formulas(self, command: str) -> list[Term | str]:
        return [
            self._named.get(part, part) if isinstance(part, str) else shown([part])
            for part in self.listed(command)
        ]


def read_values(solver: Solver, values: Sequence[Value]) -> dict[str, Any]:
    """Values as rows."""
    return solver.rows().answer(values)


def read_model(solver: Solver, constants: Sequence[Term]) -> dict[str, Any]:
    """The values of constants and functions in the model, as rows."""
    rows = solver.rows()
    plain = [term for term in constants if not term.sort.startswith("(->")]
    values = dict(zip(plain, solver.values(plain), strict=True))
    roots = []
    for term in constants:
        if term in values:
            roots.append(rows.add(values[term].data, values[term].sort))
            continue
        at = rows.function(term.text)
        roots.append(rows.unknown("nothing") if at is None else at)
    return rows.of(roots)


def read_core(core: Sequence[Term | str], formulas: Sequence[Term | None]) -> list[int | str]:
    """The positions of a core's formulas among `formulas`; the text of one that is not there."""
    return [
        next((at for at, formula in enumerate(formulas) if formula is part), str(part))
        for part in core
    ]


# -- scripts


def run_script(text: str, limit: int, wall_ms: int = 0) -> str:
    """The output of the program for a script, in a process of its own; each check has the limit `limit`,
    and that of `wall_ms` milliseconds.

    Raises SolverError with the first error. The message begins with `script error: `, or with
    `check error: ` for a check.
    """
    process = PROGRAM.start()
    process.tell("(set-option :print-success false)")
    if limit and PROGRAM.limits:
        process.tell(f"(set-option :reproducible-resource-limit {limit})")
    output, where = [], "script"
    try:
        for command in commands(text):
            if re.match(r"\(\s*exit\s*\)", command):
                break
            where = "check" if re.match(r"\(\s*check-sat", command) else "script"
            said = process.tell(command, wall_ms / 1000 or None)
            raise_errors(expressions(said))
            output.append(said)
            where = "script"
    except SolverError as error:
        raise type(error)(f"{where} error: {error}") from None
    return "\n".join(said for said in output if said)


def run_alone(text: str, limit: int, wall_ms: int) -> tuple[str, int]:
    """The output of the program for a script. No program says what that cost."""
    return run_script(text, limit, wall_ms), 0
