"""Spellings: the ways in which a binding lets one thing be said. They are compiled from templates,
and the seed of a line chooses one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.solvers.frame import Frame
from murxpy.solvers.guards import Guard
from murxpy.solvers.template import Template

Compiled = Callable[[Sequence[Any], Sequence[Any], Frame], Any]


@dataclass(eq=False)
class Spelling:
    """A spelling: its stable name, its template, the compiled call, guards and weight, and how it
    takes more arguments.
    """

    name: str
    template: Template
    call: Compiled
    guards: tuple[Guard, ...] = ()
    weight: float = 1.0
    fold: str | None = None
    fixed: bool = False  # it takes only as many arguments as the template names

    def fits(self, frame: Frame) -> bool:
        """Return whether it can spell the call that `frame` holds."""
        arity = self.template.arity
        count = len(frame.terms)
        # only a fold can take more arguments than the template names
        if (
            self.fixed
            and arity is not None
            and count != arity
            and (self.fold is None or count < arity)
        ):
            return False
        return all(guard(frame) for guard in self.guards)

    def folds(self, count: int) -> bool:
        """Return whether `count` arguments need the fold."""
        return (
            self.fold is not None
            and self.template.arity is not None
            and count > self.template.arity
        )


class SpellingSet:
    """All spellings of one thing. `pick` draws by weight one of those that fit the call."""

    __slots__ = ("_names", "_total", "spellings")

    def __init__(self, spellings: Sequence[Spelling]) -> None:
        self.spellings = list(spellings)
        self._names = {s.name: s for s in self.spellings}
        self._total = sum(s.weight for s in self.spellings)

    def __bool__(self) -> bool:
        return bool(self.spellings)

    def named(self, name: str) -> Spelling | None:
        """Return the spelling called `name`, or None if this release does not have it."""
        return self._names.get(name)

    def pick(self, point: float, frame: Frame) -> Spelling | None:
        """Return the spelling at `point` in [0, 1) of the weights, or the next one that fits.
        Return None if none fits.
        """
        spellings = self.spellings
        count = len(spellings)
        if count == 1:
            return spellings[0] if spellings[0].fits(frame) else None
        goal = point * self._total
        start = 0
        while start < count - 1:
            goal -= spellings[start].weight
            if goal < 0:
                break
            start += 1
        for step in range(count):
            spelling = spellings[(start + step) % count]
            if spelling.weight > 0 and spelling.fits(frame):
                return spelling
        return None


def run_spelling(
    spelling: Spelling,
    args: Sequence[Any],
    indices: Sequence[Any],
    frame: Frame,
    conjunction: Compiled | None,
) -> Any:
    """Make the call. A template of two arguments is folded over more arguments as the spelling
    says.
    """
    if not spelling.folds(len(args)):
        return spelling.call(args, indices, frame)
    return _fold(spelling, list(args), indices, frame, conjunction)


def _fold(
    spelling: Spelling,
    args: list[Any],
    indices: Sequence[Any],
    frame: Frame,
    conjunction: Compiled | None,
) -> Any:
    terms = frame.terms

    def pair(left: int, right: int) -> Any:
        frame.terms = (terms[left], terms[right])
        return spelling.call([args[left], args[right]], indices, frame)

    try:
        if spelling.fold == "left":
            value = args[0]
            for other in args[1:]:
                value = spelling.call([value, other], indices, frame)
            return value
        if spelling.fold == "right":
            value = args[-1]
            for other in reversed(args[:-1]):
                value = spelling.call([other, value], indices, frame)
            return value
        count = len(args)
        if spelling.fold == "chain":
            pairs = [(k, k + 1) for k in range(count - 1)]
        else:
            pairs = [(j, k) for j in range(count) for k in range(j + 1, count)]
        parts = [pair(j, k) for j, k in pairs]
        if conjunction is None:
            raise TypeError(f"spelling '{spelling.name}' needs the wrapper's conjunction")
        return conjunction(parts, (), frame)
    finally:
        frame.terms = terms
