"""The base class of actions: an action is one kind of line in a trace, and one kind of step in a walk.

The class of an action holds everything about it: how its operands are drawn, how its line is read
back, and its facts. `murxpy.machine.checks.registry` imports the modules of all actions; other code asks
the registry.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeVar

from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.holding import holding
from murxpy.machine.trace.reading import Reading


class Action:
    """An action, by its name in machine files and traces. An action that occurs only in traces has
    no `draw`; one that occurs only in machine files has no `read`.
    """

    # -- facts

    drawn: ClassVar[bool] = True  # a state machine may name it
    traced: ClassVar[bool] = True  # lines of a trace have its name
    answers: ClassVar[bool] = False  # it asks the solver: sat, unsat or unknown
    makes: ClassVar[bool] = False  # its line returns a sort or a term
    reads_made: ClassVar[bool] = False  # a self-check of what it made may follow at once
    checks: ClassVar[bool] = False  # it checks what the solver promised with an answer
    state: ClassVar[bool] = False  # it changes what is asserted, or on which level
    resets: ClassVar[bool] = False  # it removes all assertions
    alone: ClassVar[bool] = False  # it can be carried out without a solver
    before: ClassVar[bool] = False  # it is carried out before there is a solver
    fatal: ClassVar[bool] = False  # some solvers cannot be used after they refused it
    damped: ClassVar[bool] = True  # it may be drawn less often if known findings are about it
    scripted: ClassVar[bool] = True  # a script of SMT-LIB can have a command for it
    establishes: ClassVar[tuple[str, ...]] = ()  # conditions that hold after it was repeated often

    def __init__(self, name: str) -> None:
        self.name = name

    def draw(self, gen: Generator) -> bool:
        """Draw operands and carry the action out. The result is False if the action is not possible
        now. Raises Refused if the binding refuses, and Stopped with a finding.
        """
        raise NotImplementedError(f"the action {self.name} is never drawn")

    def read(self, r: Reading) -> None:
        """Carry out the current line. Raises InputError if the line is malformed, Skipped and Refused
        as `murxpy.machine.trace.reading` says, and Stopped with a finding.
        """
        raise NotImplementedError(f"no line has the action {self.name}")


class Check(Action):
    """An action that checks a promise that the solver made with an answer. A check is drawn behind
    that answer.

    `option` is its name among the checks that a user can choose, and `default` says whether it is
    on by default. `after` are the answers behind which it is drawn; the checks of one answer are
    drawn in the order of `place`. `reader` names the reader of the wrapper that it needs, if any.
    A check of a plug-in says its `chance`, because the machines do not name it.
    """

    drawn = False
    checks = True
    option: ClassVar[str] = ""
    default: ClassVar[bool] = True
    after: ClassVar[tuple[str, ...]] = ()
    place: ClassVar[int] = 0
    reader: ClassVar[str] = ""
    chance: ClassVar[float | None] = None

    def due(self, gen: Generator) -> bool:
        """Whether the check is on, the wrapper has its reader, and its chance lets it be drawn now."""
        there = self.option in gen.checks and (
            not self.reader or gen.run.wrapper.set("readers", self.reader) is not None
        )
        return there and gen.settings.chance(self.name, gen.stream)

    def spelling(self, r: Reading) -> str | None:
        """The spelling of its reader that the line names. Raises Refused if the wrapper has no such
        reader.
        """
        there = r.run.wrapper.set("readers", self.reader) is not None
        r.require(there, f"the wrapper has no reader '{self.reader}'")
        return r.spelling("readers", self.reader)


REGISTERED: dict[str, Action] = {}
Kind = TypeVar("Kind", bound=type[Action])


def register(*names: str) -> Callable[[Kind], Kind]:
    """A decorator that enters a class of actions into the registry, under each of its names."""

    def enter(kind: Kind) -> Kind:
        for name in names:
            assert name not in REGISTERED, name
            REGISTERED[name] = kind(name)
        return kind

    return enter


def answer_checks() -> list[Check]:
    """The checks that are drawn behind answers, in the order in which they are drawn."""
    found = [action for action in REGISTERED.values() if isinstance(action, Check) and action.after]
    return sorted(found, key=lambda check: check.place)


# ----------------------------------------------------------------------
# Picking the terms on which an action works.


def any_entry(gen: Generator, closed: bool = True) -> Entry | None:
    """A term of any sort; all sorts of one kind are equally likely. The result is None if there is no
    term.
    """
    by_kind = gen.run.db.by_kind
    kinds = [k for k, found in by_kind.items() if found]
    if not kinds:
        return None
    return gen.run.db.pick(
        gen.stream.choose(by_kind[gen.stream.choose(kinds)]), gen.stream, 0.2, closed
    )


def bool_entry(gen: Generator) -> Entry | None:
    """A Boolean term, rarely a literal; None if there is none."""
    sort = gen.run.sorts.get("SORT_BOOL")
    for _ in range(4):
        entry = gen.run.db.pick(sort, gen.stream, 0.8, closed=True)
        if entry is None or not entry.term.literal:
            return entry
    return None


def formula(gen: Generator) -> Entry | None:
    """A formula to assert or to assume; None if there is none."""
    entry = bool_entry(gen)
    return None if entry is None else holding(gen, entry)


def values_to_read(gen: Generator) -> list[Entry]:
    """Closed terms, whose values are then asked for."""
    run, stream = gen.run, gen.stream
    kinds = [
        s
        for kind, found in run.db.by_kind.items()
        for s in found
        if gen.profile.allows("get-value", s)
    ]
    picked = [
        run.db.pick(stream.choose(kinds), stream, 0.3, closed=True) if kinds else None
        for _ in range(gen.settings.number("values-read", stream))
    ]
    return [entry for entry in picked if entry is not None]
