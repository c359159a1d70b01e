"""Signals: a solver's statistics after a check, as pairs of a key and an order of magnitude.

A pair that no earlier run gave is news: the solver did something that it had not done before, or did
it ten times as often. News therefore stand in for coverage where the solver was not built to measure
that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32


def order(value: int) -> int:
    """The order of magnitude: the number of decimal digits, 0 for 0, and negative below."""
    digits = len(str(abs(value))) if value else 0
    return digits if value >= 0 else -digits


class Signals:
    """The pairs of one run, each as a number of 32 bits. `numbers` keeps what was worked out for
    earlier runs of the process: solvers have some hundred keys.
    """

    def __init__(self, numbers: dict[tuple[str, int], int]) -> None:
        self._numbers = numbers
        self._seen: dict[int, None] = {}

    def note(self, key: str, value: int) -> None:
        """Note that the solver gives `value` for `key`."""
        pair = (key, order(value))
        number = self._numbers.get(pair)
        if number is None:
            number = self._numbers[pair] = crc32(f"{pair[0]}\0{pair[1]}".encode())
        self._seen[number] = None

    def note_all(self, pairs: Iterable[tuple[str, int]]) -> None:
        """Note several keys with their values."""
        for key, value in pairs:
            self.note(key, value)

    def numbers(self) -> list[int]:
        """The pairs so far, in ascending order."""
        return sorted(self._seen)


# ----------------------------------------------------------------------
# Arms: what the guidance of a campaign can choose for a run, and how a run seed carries them. A
# run seed below 2^64 has no arms. Above its low 64 bits, a guided run seed has the digit 1, and
# then four hexadecimal digits for each arm: one for the kind of the arm, three for its place
# among the arms of that kind. Random streams use the low 64 bits alone.
#
# The seed of a run that varies an earlier walk has the digit 2 there, and then twelve hexadecimal
# digits for each turn: four for its step, eight for the seed by which the walk draws from then on.


BITS = 64  # of a run seed without arms
_DIGIT = 16  # bits of an arm
_PLACE = 12  # bits of its place among those of its kind
MOST = 8  # arms of a run
_TURN, _STEP, _OWN = 48, 16, 32  # bits of a turn, of its step and of its seed
TURNS = 3  # turns of a walk
MOST_STEPS = (1 << _STEP) - 1  # the last step at which a walk can turn
# The kinds of arms; run seeds have their numbers from 1, so new kinds stand last.
THEORY, GROUP, OPTION, TRANSITION, SOURCE, WALK = KINDS = (
    "theory",
    "group",
    "option",
    "transition",
    "source",
    "walk",
)


@dataclass(frozen=True, slots=True, order=True)
class Arm:
    """One choice for a run: a kind of `KINDS`, and a name among those of its kind."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


def parse_arm(text: str) -> Arm:
    """The arm that `str` gave as `text`."""
    kind, _, name = text.partition(":")
    return Arm(kind, name)


def is_guided(run_seed: int) -> bool:
    """Whether the guidance of a campaign chose the arms of the run with this seed, if only none, or the
    earlier walk that the run varies.
    """
    return run_seed >> BITS > 0


def is_run_seed(number: int) -> bool:
    """Whether a number can be a run seed: below 2^64, or above that with a 1 and whole arms, or with a 2
    and whole turns, which are at different steps from 1 on.
    """
    above = number >> BITS
    armed = (above.bit_length() - 1) % _DIGIT == 0 and above >> _DIGIT * MOST <= 1
    steps = [turn.step for turn in turns_of(number)]
    turned = 0 < len(steps) <= TURNS and steps == sorted({0, *steps})[1:]
    return above == 0 or armed or turned


def is_varied(run_seed: int) -> bool:
    """Whether the run with this seed varies an earlier walk."""
    above = run_seed >> BITS
    bits = above.bit_length() - 2
    return bits > 0 and bits % _TURN == 0 and above >> bits == 2


@dataclass(frozen=True, slots=True)
class Turn:
    """From step `step` on, a walk draws by `seed`."""

    step: int
    seed: int


def turns_of(run_seed: int) -> tuple[Turn, ...]:
    """The turns of the walk with this seed, in the order of their steps."""
    found: list[Turn] = []
    above = run_seed >> BITS if is_varied(run_seed) else 0
    while above > 2:
        found.append(Turn((above >> _OWN) & ((1 << _STEP) - 1), above & ((1 << _OWN) - 1)))
        above >>= _TURN
    return tuple(reversed(found))


def varied(run_seed: int, step: int, own: int) -> int:
    """The seed of a walk that goes as the one with `run_seed` up to step `step`, and then as the low bits
    of `own` say. The earlier walk has fewer turns before the step than a walk can have.
    """
    before = [turn for turn in turns_of(run_seed) if turn.step < step][: TURNS - 1]
    above = 2
    for turn in (*before, Turn(step, own & ((1 << _OWN) - 1))):
        above = (above << _TURN) | (turn.step << _OWN) | turn.seed
    return (above << BITS) | (run_seed & ((1 << BITS) - 1))


class Arms:
    """The arms that there are, by kind. The order of the names of a kind is their place in run
    seeds.
    """

    def __init__(self, names: Mapping[str, Sequence[str]]) -> None:
        self._names = {kind: tuple(names.get(kind, ()))[: 1 << _PLACE] for kind in KINDS}
        self._digits = {
            Arm(kind, name): (number << _PLACE) | place
            for number, kind in enumerate(KINDS, 1)
            for place, name in enumerate(self._names[kind])
        }

    def names(self, kind: str) -> tuple[str, ...]:
        """The names of a kind, in their order."""
        return self._names[kind]

    def guided(self, run_seed: int, arms: Iterable[Arm]) -> int:
        """The seed of a run that has these arms, and else is that of `run_seed`."""
        high = 1
        for arm in arms:
            high = (high << _DIGIT) | self._digits[arm]
        return (high << BITS) | (run_seed & ((1 << BITS) - 1))

    def of(self, run_seed: int) -> tuple[Arm, ...]:
        """The arms of the run with this seed. Digits that name no arm are left out: the run seed is
        of another solver or machine.
        """
        high, found = 0 if is_varied(run_seed) else run_seed >> BITS, []
        while high > 1:
            kind, place = (high >> _PLACE) & 15, high & ((1 << _PLACE) - 1)
            if 1 <= kind <= len(KINDS) and place < len(self._names[KINDS[kind - 1]]):
                found.append(Arm(KINDS[kind - 1], self._names[KINDS[kind - 1]][place]))
            high >>= _DIGIT
        return tuple(reversed(found))
