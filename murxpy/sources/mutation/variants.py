"""Variants of a script that mean the same, made by one method each: other names, commands in another
order, operands in another order, another random seed of the solver.

The method of Zhou, Bosamiya, Takashima, Li, Heule and Parno, "Mariposa: Measuring SMT Instability in
Automated Program Verification" (FMCAD 2023), which has names, the order of assertions, and seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import FUNCTION, Term
from murxpy.logic.walks import bottom_up
from murxpy.machine.random import Stream, mix
from murxpy.passes.script import changed, named
from murxpy.smtlib import script as c
from murxpy.smtlib.building import Rebuilder, Tables, binds
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.script import Command, Script

PLAIN = "plain"  # the script itself, as murxpy prints it
SEED = "seed"  # the method that needs random seeds of the solver
SEEDS = 1 << 16  # random seeds of a solver are below this
_LETTERS = "abcdfghijklmnopqrstuvwxyz"
Commands = list[Command]


class Varier:
    """Makes variants of a script in a dialect. `number` tells apart the variants of different scripts,
    and `seeds` are the options of scripts that are random seeds of the solver.
    """

    def __init__(self, script: Script, dialect: str, number: int, seeds: Sequence[str]) -> None:
        self._tables, self._name, self._dialect = script.tables, script.name, dialect
        self._number, self._seeds = number, seeds
        # what a script prints besides its answers tells nothing here
        self._commands: Commands = [
            one for one in script.commands if not isinstance(one, (c.Ask, c.Exit))
        ]

    def text(self, method: str, place: int) -> str:
        """The text of a variant. Raises Unsayable where the dialect has no words for the script, and
        IllSorted where it cannot be rebuilt.
        """
        key = mix(mix(self._number, list(METHODS).index(method)), place)
        commands = METHODS[method](self, Stream(key))
        return print_script(Script(self._name, self._tables, commands), self._dialect)

    def plain(self, stream: Stream) -> Commands:
        """The script itself."""
        return self._commands

    def renamed(self, stream: Stream) -> Commands:
        """Constants, functions, bound variables and uninterpreted sorts with other names."""
        leaves, sorts = named(tuple(self._commands))
        if any(isinstance(one, c.DeclareDatatypes) for one in self._commands):
            sorts = []  # a field of a datatype names its sort, too
        prefix = self._prefix(stream)
        numbers = list(range(1, len(leaves) + len(sorts) + 1))
        stream.shuffle(numbers)
        names = [f"{prefix}{number}" for number in numbers]
        rebuilder = Rebuilder(
            self._tables,
            names=dict(zip(leaves, names, strict=False)),
            sorts=dict(zip(sorts, names[len(leaves) :], strict=True)),
        )
        return [_rebuilt(one, rebuilder.term, rebuilder.sort) for one in self._commands]

    def _prefix(self, stream: Stream) -> str:
        """Letters with which no name in the script begins."""
        text = print_script(Script(self._name, self._tables, self._commands), self._dialect)
        while True:
            prefix = "".join(stream.choose(_LETTERS) for _ in range(3))
            if prefix not in text:
                return prefix

    def shuffled(self, stream: Stream) -> Commands:
        """Declarations in another order, and assertions behind them in another order, between any two
        other commands.
        """
        made: Commands = []
        for movable, some in groupby(self._commands, _movable):
            if not movable:
                made += [_shuffled_assumptions(one, stream) for one in some]
                continue
            kinds: tuple[Commands, Commands] = ([], [])
            for one in some:
                kinds[isinstance(one, c.Assert)].append(one)
            for kind in kinds:
                stream.shuffle(kind)
                made += kind
        return made

    def commuted(self, stream: Stream) -> Commands:
        """Operands of commutative operators in another order."""
        commuter = _Commuter(self._tables, stream)
        return [_rebuilt(one, commuter.term, lambda sort: sort) for one in self._commands]

    def seeded(self, stream: Stream) -> Commands:
        """Another random seed of the solver."""
        options = [c.SetOption(name, str(stream.below(SEEDS))) for name in self._seeds]
        return [*options, *self._commands]


# The ways to make variants. A variant depends on the place of its method here, so a new one goes last.
METHODS: dict[str, Callable[[Varier, Stream], Commands]] = {
    PLAIN: Varier.plain,
    "rename": Varier.renamed,
    "shuffle": Varier.shuffled,
    "commute": Varier.commuted,
    SEED: Varier.seeded,
}


class _Commuter:
    """Exchanges operands."""

    def __init__(self, tables: Tables, stream: Stream) -> None:
        self._tables, self._stream = tables, stream
        self._done: dict[Term, Term] = {}

    def term(self, root: Term) -> Term:
        """The term with its operands in another order, the same one for equal parts."""
        done = self._done
        for term in bottom_up(root, done):
            args = tuple(self._order(term, [done[arg] for arg in term.args]))
            same = all(old is arg for old, arg in zip(term.args, args, strict=True))
            done[term] = (
                term
                if same
                else self._tables.terms.apply(
                    term.op, args, term.indices, term.sort, self._bound(term)
                )
            )
        return done[root]

    def _order(self, term: Term, args: list[Term]) -> list[Term]:
        operator = self._tables.catalogue.operators.get(term.op)
        if operator is None or not operator.commutative or len(args) < 2:
            return args
        # the last two can be exchanged; with more than the least number, all that were added can
        fixed = max(0, operator.minimum - 2)
        front, behind = args[:fixed], args[fixed:]
        self._stream.shuffle(behind)
        return front + behind

    def _bound(self, term: Term) -> tuple[Term, ...]:
        return term.args[:-1] if term.op == FUNCTION else binds(self._tables.catalogue, term)


def _movable(command: Command) -> bool:
    return isinstance(command, (c.DeclareFun, c.Assert))


def _shuffled_assumptions(command: Command, stream: Stream) -> Command:
    if not isinstance(command, c.CheckSatAssuming):
        return command
    assumptions: list[Any] = [*command.assumptions]
    stream.shuffle(assumptions)
    return c.CheckSatAssuming(tuple(assumptions))


def _rebuilt(
    command: Command, new: Callable[[Term], Term], sort: Callable[[Sort], Sort]
) -> Command:
    """A command with other terms and sorts, also where it declares or defines."""
    if isinstance(command, c.DeclareFun):
        return c.DeclareFun(new(command.constant))
    if isinstance(command, c.DeclareSort):
        return c.DeclareSort(sort(command.sort))
    if isinstance(command, c.DefineFun) and command.function is not None:
        return replace(
            command,
            variables=tuple(map(new, command.variables)),
            body=new(command.body),
            function=new(command.function),
        )
    if isinstance(command, c.Other):
        parts = [new(part) if isinstance(part, Term) else part for part in command.parts]
        return replace(command, parts=tuple(parts))
    return changed(command, new)
