"""Measures what a run gained, as a share from 0 to 1, from which the guidance of a campaign learns.

Only counts decide: pairs of signals, findings, answers, and what the solver itself counted of its
work. A campaign with the same seed therefore learns the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from murxpy.learning.arms import (
    GROUP,
    KINDS,
    MOST_STEPS,
    OPTION,
    SOURCE,
    THEORY,
    TRANSITION,
    TURNS,
    WALK,
    Arm,
    turns_of,
    varied,
)
from murxpy.learning.bandit import Bandit, Uniform

WAYS = OFF, STATISTICS, BANDIT, CORPUS = "off", "statistics", "bandit", "corpus"

NEWS = 0.5  # the greatest worth of news; that of a new bucket is 1
# The greatest worth of decided checks. Nearly all runs have some, and one in 50 to 500 opens a bucket: with
# 0.1, what runs gain by chance is more than what an arm gains by its findings.
DECIDED = 0.01
# The cost of a run beside its checks, in milliseconds of a solver's limit: a walk takes about 20 ms
# to choose its calls and to make its terms.
RUN = 20.0
AGAIN = 100.0  # the cost of a finding that is not new: a new process, and a replay
KILLED = 500.0  # the cost of a run that was killed
UNDECIDED = 10.0  # the cost of a check without an answer, of a solver that does not count its work
_MEMORY = 0.99  # the share of the typical cost that stays at each run


@dataclass(frozen=True, slots=True)
class Result:
    """The yield of a run: its pairs that no earlier run gave, its findings, those of them that opened
    a bucket, decided and undecided checks, the milliseconds of its limits that the solver spent (0 if
    it does not tell), and whether the run was killed.
    """

    news: int = 0
    findings: int = 0
    new: int = 0
    decided: int = 0
    undecided: int = 0
    spent: int = 0
    killed: bool = False

    @property
    def cost(self) -> float:
        """The cost of the run, in milliseconds of a solver's limit."""
        again = AGAIN * (self.findings - self.new)
        checks = float(self.spent) if self.spent else UNDECIDED * self.undecided + self.decided
        return RUN + checks + again + KILLED * self.killed

    def worth(self, way: str) -> float:
        """The worth of the run, from 0 to 1. With `statistics`, only news count."""
        news = 1.0 - 0.5**self.news
        if way == STATISTICS:
            return news
        if self.new:
            return 1.0
        checks = self.decided + self.undecided
        return NEWS * news + (DECIDED * self.decided / checks if checks else 0.0)


class Gains:
    """Turns results into gains. A run that cost more than is typical gains less, as much as its cost
    is above that. `typical` is what `typical` was in an earlier session.
    """

    def __init__(self, way: str, typical: float = RUN) -> None:
        self._way = way
        self.typical = typical

    def of(self, result: Result) -> float:
        """The gain of a run, which counts for what is typical from now on."""
        cost = result.cost
        gain = result.worth(self._way) * min(1.0, self.typical / cost)
        self.typical = _MEMORY * self.typical + (1.0 - _MEMORY) * cost
        return gain


# ----------------------------------------------------------------------
# The runs of a campaign from which something is learnt, in the order of their numbers. Runs end in
# any order, and faster on one machine than on another. A run is therefore chosen by the results of
# the runs that are `lag` numbers before it, and waits until these are over. Then a campaign with
# the same seed chooses the same, whenever results come and however many workers there are.


LAG = 32  # numbers between a run and the last one that it is chosen by, at the beginning
# Later the lag is a quarter of all runs, up to so many unless the campaign has another limit. With a
# lag of 32, 16 workers would wait for slow runs for 45 % of their time (simulated, with exponential
# times of runs), and now for 1 %.
MOST, _SHARE = 512, 4


class Row(Protocol):
    """A run that can be stored."""

    def row(self) -> list[Any]:
        """The run as plain data."""


R = TypeVar("R", bound=Row)


@dataclass(frozen=True, slots=True)
class Lag:
    """The lag of a campaign: at most `most` of its runs. In one of `shards` parts of a campaign, each of
    which makes every so manyth run, the numbers of its runs are further apart.
    """

    most: int = MOST
    shards: int = 1

    def of(self, index: int) -> int:
        """The distance between run `index` and the last run whose result may influence its choices."""
        return self.shards * min(self.most, max(LAG, index // self.shards // _SHARE))


USUAL = Lag()


class Pending(Generic[R]):
    """The runs that are under way, and those that are over and not learnt from yet, by their numbers.
    `saved` is what `state` gave in an earlier session, and `read` reads a run that `row` described.
    """

    def __init__(
        self, read: Callable[[Iterable[Any]], R], saved: Mapping[str, Any], lag: Lag = USUAL
    ) -> None:
        self._lag = lag
        self.open, self.over = (
            {int(index): read(row) for index, row in saved.get(part, {}).items()}
            for part in ("open", "over")
        )

    def state(self) -> dict[str, Any]:
        """The plain data to store."""
        parts = {"open": self.open, "over": self.over}
        return {
            part: {str(index): run.row() for index, run in runs.items()}
            for part, runs in parts.items()
        }

    def ready(self, index: int) -> bool:
        """Whether run `index` can be chosen: all runs are over from which it is to be learnt. A worker
        that is much faster than another one has to wait.
        """
        return index in self.open or min(self.open, default=index) > self._last(index)

    def done(self, index: int) -> None:
        """Note that run `index` is over."""
        if index in self.open:
            self.over[index] = self.open.pop(index)

    def due(self, index: int) -> Iterator[tuple[int, R]]:
        """The runs from which is learnt before run `index` is chosen, in their order. Each result is
        given once.
        """
        for number in sorted(n for n in self.over if n <= self._last(index)):
            yield number, self.over.pop(number)

    def _last(self, index: int) -> int:
        """The last run from which is learnt before run `index` is chosen."""
        return index - self._lag.of(index)


# ----------------------------------------------------------------------
# The guide of a campaign: it draws the arms of runs, and learns from their gains.


# An arm remembers about its last 100 runs: of the walks on old releases, one in 50 to 500 opens a
# bucket, so a shorter memory would hardly ever hold one.
DECAY = 0.99
PLAIN = 0.1  # the share of runs without arms, with which the table of arms compares
GROUPS = 0.5  # the share of the other runs that prefer a group of operators
TRANSITIONS = 0.5  # and of those that prefer a transition
# The number of options that such a run sets. Of the 76 confirmed bugs that the enumeration of
# grammars found in z3 and cvc5, 41 needed no option, 33 one, and 2 two.
NO_OPTION, ONE_OPTION = 0.4, 0.5


@dataclass(frozen=True)
class Choices:
    """The arms that a campaign can draw for its walks: theories, the groups of operators of each
    theory, options with the theories that they are for (none: all), and transitions of the machine.
    `sources` are the sources of the runs in a mix, `of_scripts` the options that the scripts of
    mutants can set, and `walks` says whether a walk is new or varies an earlier one.
    """

    theories: tuple[str, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    transitions: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    of_scripts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    walks: tuple[str, ...] = ()

    def names(self, kind: str) -> tuple[str, ...]:
        """The names of the arms of a kind."""
        return {
            THEORY: self.theories,
            GROUP: tuple(name for names in self.groups.values() for name in names),
            OPTION: tuple(dict.fromkeys((*self.options, *self.of_scripts))),
            TRANSITION: self.transitions,
            SOURCE: self.sources,
            WALK: self.walks,
        }[kind]


class Guide:
    """Draws arms by Thompson sampling, for each kind of arms by itself. `earned` are gains and
    losses by the text of the arm, from an earlier session.
    """

    def __init__(self, choices: Choices, earned: Mapping[str, Sequence[float]]) -> None:
        self._choices = choices
        self._bandits: dict[str, Bandit] = {}
        for kind in KINDS:
            names = choices.names(kind)
            if names:
                self._bandits[kind] = Bandit(names, DECAY)
                own = {name: earned[text] for name in names if (text := f"{kind}:{name}") in earned}
                self._bandits[kind].restore(own)

    def draw_source(self, stream: Uniform) -> str | None:
        """The source of a run; None where there is no choice."""
        return self._draw(SOURCE, stream)

    def draw_walk(self, stream: Uniform) -> str:
        """Whether a walk is `NEW` or `VARIED`."""
        return self._draw(WALK, stream) or NEW

    def draw_for_mutants(self, stream: Uniform) -> tuple[Arm, ...]:
        """The arms of a run of a mutation fuzzer, whose seeds decide about everything but options."""
        return tuple(Arm(OPTION, name) for name in self._options(stream, self._choices.of_scripts))

    def draw(self, stream: Uniform) -> tuple[Arm, ...]:
        """The arms of a walk; none for a run that is to be as without guidance."""
        if stream.random() < PLAIN:
            return ()
        theory = self._draw(THEORY, stream)
        found: list[tuple[str, str | None]] = [(THEORY, theory)]
        if stream.random() < GROUPS:
            found.append((GROUP, self._draw(GROUP, stream, self._groups(theory))))
        found += [(OPTION, name) for name in self._options(stream, self._fitting(theory))]
        if stream.random() < TRANSITIONS:
            found.append((TRANSITION, self._draw(TRANSITION, stream)))
        return tuple(Arm(kind, name) for kind, name in found if name is not None)

    def _groups(self, theory: str | None) -> Collection[str] | None:
        """The groups to draw from: those of the theory, or None for all groups if `theory` is None."""
        return None if theory is None else self._choices.groups.get(theory, ())

    def _fitting(self, theory: str | None) -> list[str]:
        """The options that are for the theory."""
        return [
            name
            for name, needs in self._choices.options.items()
            if not needs or theory is None or theory in needs
        ]

    def _options(self, stream: Uniform, among: Iterable[str]) -> list[str]:
        """No option, one, or sometimes two."""
        share = stream.random()
        count = 0 if share < NO_OPTION else 1 if share < NO_OPTION + ONE_OPTION else 2
        fitting = dict.fromkeys(among)
        found: list[str] = []
        for _ in range(count):
            name = self._draw(OPTION, stream, fitting)
            if name is None:
                break
            found.append(name)
            option = name.partition("=")[0]
            fitting = {other: None for other in fitting if other.partition("=")[0] != option}
        return found

    def _draw(self, kind: str, stream: Uniform, among: Collection[str] | None = None) -> str | None:
        bandit = self._bandits.get(kind)
        if bandit is None or (among is not None and not among):
            return None
        return bandit.draw(stream, among)

    def learn(self, arms: Sequence[Arm], gain: float) -> None:
        """Note what a run with these arms gained."""
        for arm in arms:
            bandit = self._bandits.get(arm.kind)
            if bandit is not None and arm.name in bandit.arms:
                bandit.reward(arm.name, gain)

    def earned(self) -> dict[str, list[float]]:
        """The gains and losses that the arms remember, by the texts of the arms."""
        return {
            f"{kind}:{name}": earned
            for kind, bandit in self._bandits.items()
            for name, earned in bandit.state().items()
        }


# ----------------------------------------------------------------------
# The corpus of a campaign: walks in which the solver did something for the first time. Some of the
# runs go as such a walk up to one of its steps, and draw anew from then on.

WALKS = NEW, VARIED = "", "varied"
KEPT = 256  # walks of a corpus
LEAST = 1e-6  # what a walk of a corpus gained at least, so that each can be drawn


@dataclass
class Kept:
    """A walk of the corpus: its steps and its source, how often it was varied, and what it gained with its
    variations.
    """

    steps: int
    source: str
    gained: float
    tried: int = 0

    @property
    def worth(self) -> float:
        """What the walk and its variations gained in the mean."""
        return self.gained / (1 + self.tried)


class KeptWalks:
    """Keeps walks by their run seeds, and says which is varied. `saved` is what `state` gave in an
    earlier session.
    """

    def __init__(self, saved: Iterable[tuple[str, Sequence[Any]]] = ()) -> None:
        self._kept = {int(seed, 16): Kept(*row) for seed, row in saved}

    def state(self) -> list[tuple[str, list[Any]]]:
        """The plain data to store."""
        return [
            (f"{seed:x}", [kept.steps, kept.source, kept.gained, kept.tried])
            for seed, kept in self._kept.items()
        ]

    def draw(self, stream: Uniform, source: str) -> tuple[int, int] | None:
        """The seed of a walk of `source` to vary, and the seed of the variation; None if no such walk is
        kept. A walk is drawn with its worth as its weight.
        """
        # The greatest of these powers is that of each walk with a chance in proportion to its worth.
        tickets = {
            seed: stream.random() ** (1.0 / kept.worth)
            for seed, kept in self._kept.items()
            if kept.source == source
        }
        if not tickets:
            return None
        seed = max(tickets, key=tickets.__getitem__)
        turns = turns_of(seed)
        last = self._kept[seed].steps if len(turns) < TURNS else turns[TURNS - 1].step
        return seed, varied(seed, 1 + int(stream.random() * last), int(stream.random() * 2.0**53))

    def learn(
        self, seed: int, steps: int, source: str, result: Result, gain: float, earlier: int | None
    ) -> None:
        """Note what a walk gained, which varied the walk with the seed `earlier` or none. It is kept if it
        had news, and no finding, which would end its variations, too.
        """
        if earlier is not None and earlier in self._kept:
            self._kept[earlier].tried += 1
            self._kept[earlier].gained += gain
        if not result.news or result.findings or not steps:
            return
        if len(self._kept) >= KEPT:
            del self._kept[min(self._kept, key=lambda other: self._kept[other].worth)]
        self._kept[seed] = Kept(min(steps, MOST_STEPS), source, max(gain, LEAST))
