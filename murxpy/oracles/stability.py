"""Judges the answers to variants of a script: whether the script is stable, and how much costs differ.

The classes and the way to tell them are those of Zhou et al., "Mariposa" (FMCAD 2023), section III,
with exact binomial tests in place of their approximations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from statistics import median

from murxpy.machine.outcomes import CRASH

STABLE, UNSTABLE, UNSOLVED, UNSURE = "stable", "unstable", "unsolved", "unsure"
CLASSES = (STABLE, UNSTABLE, UNSOLVED, UNSURE)
REFUSED = "refused"  # of a script that the solver does not read
RARELY, MOSTLY = 0.05, 0.95  # shares of variants: fewer are decided, or more are
DOUBT = 0.05  # the chance that a class is told wrongly
BAD = ("unknown", "error", CRASH, "timeout")


@dataclass(frozen=True, slots=True)
class Spread:
    """The answers to `count` variants, of which `decided` were decided, each with one of `answers`. The
    decided ones cost `least` to `most` units, half of them at most `middle`.
    """

    count: int
    decided: int
    answers: tuple[str, ...]
    least: int = 0
    middle: int = 0
    most: int = 0

    @property
    def ratio(self) -> float:
        """The ratio between the greatest and the least cost; 1 if nothing was decided."""
        return self.most / max(1, self.least) if self.decided else 1.0


def spread(answers: Sequence[tuple[str, int]]) -> Spread:
    """Sum up the answers to variants, each with its cost."""
    decided = [(answer, cost) for answer, cost in answers if answer not in BAD]
    if not decided:
        return Spread(len(answers), 0, ())
    costs = sorted(cost for _, cost in decided)
    different = tuple(sorted({answer for answer, _ in decided}))
    return Spread(len(answers), len(decided), different, costs[0], int(median(costs)), costs[-1])


def class_of(found: Spread) -> str:
    """The class of a script by the variants of one method: stable, unstable, unsolved, or unsure where
    there are too few of them to tell. To tell `stable`, 59 decided variants are needed.
    """
    count, decided = found.count, found.decided
    if not count:
        return UNSURE
    if _at_most(decided, count, RARELY) <= DOUBT:
        return UNSOLVED
    if 1 - _at_most(decided - 1, count, MOSTLY) <= DOUBT:
        return STABLE
    seldom = 1 - _at_most(decided - 1, count, RARELY) > DOUBT  # more are decided only by chance
    return UNSURE if seldom or _at_most(decided, count, MOSTLY) > DOUBT else UNSTABLE


def whole(classes: Sequence[str]) -> str:
    """The class of a script by all methods: unstable if one of them finds it so."""
    if UNSTABLE in classes or {STABLE, UNSOLVED} <= {*classes}:
        return UNSTABLE
    return classes[0] if len({*classes}) == 1 else UNSURE


def _at_most(number: int, count: int, share: float) -> float:
    """The chance of at most `number` of `count`, each with the chance `share`."""
    return sum(
        comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(max(0, number + 1))
    )
