"""A binding for programs that read SMT-LIB on their standard input. Terms are texts with gaps for
their arguments; the solver object writes the commands. The file imports only the standard library.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from smt2_process import (
    COMMAND,
    Process,
    Program,
    Reply,
    Rubbish,
    SolverError,
    confirm,
    raise_errors,
    shown,
)
from smt2_values import Value, read_values

PROGRAM = Program(os.environ[COMMAND])
_LONGEST = 1 << 20  # characters of a term
_HIGH = 200  # a term of this height gets a name even if it occurs once, so that no text nests too deeply
_GAP = re.compile(r"\{(\d+)\}")
_ANSWERS = ("sat", "unsat", "unknown")


def version() -> str:
    """The release of the program with its name behind it."""
    release = re.match(r"\d+(\.\d+)*", PROGRAM.version)
    name = re.sub(r"[^A-Za-z0-9]+", "-", PROGRAM.name).strip("-")
    return f"{release[0] if release else 0}+{name or 'unnamed'}"


# -- terms


class Term:
    """A term: its text, in which gaps stand for the arguments, and its sort.

    A term that binds variables has the texts of its arguments in its own, since these stand in the
    scope of the variables.
    """

    __slots__ = ("args", "sort", "text")

    def __init__(self, text: str, sort: str, args: Sequence[Term] = (), bound: int = 0) -> None:
        if bound:
            text = text.format(*[whole(arg) for arg in args])
            args = ()
        self.text = text if args else text.replace("{{", "{").replace("}}", "}")
        self.sort = sort
        self.args = tuple(args)

    def __str__(self) -> str:
        return whole(self)


def whole(root: Term) -> str:
    """The text of a term with its arguments. A part that occurs several times is said once, in a `let`.
    Raises SolverError for a text that is too long.
    """
    if not root.args:
        return root.text
    order = _parts(root)
    uses = Counter(at for term in order for at in _places(term))
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
        term = stack[-1]
        missing = [arg for arg in term.args if arg not in order]
        if missing and term not in order:
            stack.extend(missing)
        else:
            order[term] = None
            stack.pop()
    return list(order)


def _places(term: Term) -> list[Term]:
    """The arguments of a term, as often as they stand in its text."""
    return [term.args[int(at)] for at in _GAP.findall(term.text)] if term.args else []


# -- contexts and solvers


class Context:
    """The declarations of a run, in the order in which they were made."""

    def __init__(self) -> None:
        self.declarations: list[str] = []
        self.solver: Solver | None = None
        self._known: set[str] = set()  # the applications that the program is known to take
        self._count = 0

    def declare(self, text: str) -> None:
        """Declare something. Raises SolverError if the program refuses it."""
        self.declarations.append(text)
        try:
            if self.solver is not None:
                self.solver.declare()
        except SolverError:
            self.declarations.remove(text)
            raise

    def declare_sort(self, name: str) -> str:
        """A new sort."""
        self.declare(f"(declare-sort {name} 0)")
        return name

    def constant(self, name: str, sort: str, domain: Sequence[str] = ()) -> Term:
        """A new constant or function."""
        self.declare(f"(declare-fun {name} ({' '.join(domain)}) {sort})")
        return Term(name, sort)

    def apply(self, text: str, sort: str, bound: int, *args: Term) -> Term:
        """An application. The program is asked once whether it takes such a one."""
        if not bound:
            self._check(text, sort, args)
        return Term(text, sort, args, bound)

    def _check(self, text: str, sort: str, args: Sequence[Term]) -> None:
        names = [f"$a{at}" for at in range(len(args))]
        shape = text.format(*names)
        bound = " ".join(f"({name} {arg.sort})" for name, arg in zip(names, args, strict=True))
        key = f"({bound}) {sort} {shape}"
        if key in self._known or self.solver is None:
            return
        self._count += 1
        self.solver.command(f"(define-fun $f{self._count} {key})")
        self._known.add(key)


class Solver:
    """A solver in a process of its own. The process is started when the first command is given."""

    def __init__(self, context: Context) -> None:
        self._context = context
        context.solver = self
        self._process: Process | None = None
        # the commands that are to be given again to a process in the place of one that has ended,
        # by level, and how many of the declarations are known in each level
        self._given: list[list[str]] = [[]]
        self._declared = [0]

    def ask(self, command: str) -> list[Reply]:
        """The replies to a command. Raises SolverError for one that is an error."""
        if self._process is None or self._process.exited:
            self._begin()
        assert self._process is not None
        replies = self._process.ask(command)
        raise_errors(replies)
        return replies

    def _begin(self) -> None:
        self._process = PROGRAM.start()
        for command in [command for level in self._given for command in level]:
            confirm(self._process.ask(command))

    def command(self, text: str) -> None:
        """Give a command that the program confirms."""
        replies = self.ask(text)
        if replies != ["success"]:
            raise Rubbish(f"expected success, got {shown(replies)}")
        self._given[-1].append(text)

    def one(self, command: str) -> Reply:
        """The only reply to a command."""
        replies = self.ask(command)
        if len(replies) != 1:
            raise Rubbish(f"expected one reply, got {shown(replies)}")
        return replies[0]

    def declare(self) -> None:
        """Give all declarations that the program does not know yet."""
        while self._declared[-1] < len(self._context.declarations):
            self.command(self._context.declarations[self._declared[-1]])
            self._declared[-1] += 1

    def set_option(self, name: str, value: str) -> None:
        """Set an option."""
        self.command(f"(set-option :{name} {value})")

    def set_incremental(self, value: str) -> None:
        """Say that several checks follow, to a program that wants to know."""
        if PROGRAM.incremental:
            self.set_option("incremental", value)

    def set_logic(self, name: str) -> None:
        """Set the logic."""
        self.command(f"(set-logic {name})")

    def assert_formula(self, term: Term) -> None:
        """Assert a formula."""
        self.command(f"(assert {whole(term)})")

    def check(self, *assumptions: Term) -> str:
        """`sat`, `unsat` or `unknown`. Assumptions that are no literals get a name."""
        command = "(check-sat)"
        if assumptions:
            command = f"(check-sat-assuming ({' '.join(map(whole, assumptions))}))"
        answer = self.one(command)
        if answer not in _ANSWERS:
            raise Rubbish(f"expected an answer, got {shown([answer])}")
        return str(answer)

    def push(self, levels: int) -> None:
        """Open levels."""
        self.command(f"(push {levels})")
        self._given.extend([] for _ in range(levels))
        self._declared.extend([self._declared[-1]] * levels)

    def pop(self, levels: int) -> None:
        """Close levels."""
        self.command(f"(pop {levels})")
        self._given = self._given[: len(self._given) - levels]
        del self._declared[len(self._declared) - levels :]
        self.declare()

    def reset_assertions(self) -> None:
        """Drop all assertions and levels."""
        self.command("(reset-assertions)")
        self._declared = [self._declared[-1] if PROGRAM.declarations_last else 0]
        self.declare()

    def reset(self) -> None:
        """Drop everything, and declare again what the run has."""
        if PROGRAM.resets:
            self.command("(reset)")
            self.command("(set-option :print-success true)")
        elif self._process is not None:
            self._process.close()
            self._process = None
        self._given, self._declared = [[]], [0]

    def get_value(self, term: Term) -> Value:
        """The value of a term in the model."""
        reply = self.one(f"(get-value ({whole(term)}))")
        if not (isinstance(reply, list) and len(reply) == 1 and len(reply[0]) == 2):
            raise Rubbish(f"expected a value, got {shown([reply])}")
        return Value(reply[0][1], term.sort)


def read_model(solver: Solver, constants: Sequence[Term]) -> dict[str, Any]:
    """The values of constants in the model."""
    return read_values([solver.get_value(constant) for constant in constants])
