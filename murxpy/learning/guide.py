"""The guide of a campaign: it draws the arms of runs, and learns from what they gained."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from murxpy.learning.arms import GROUP, KINDS, OPTION, SOURCE, THEORY, TRANSITION, Arm
from murxpy.learning.bandit import Bandit
from murxpy.learning.beta import Uniform

# An arm remembers about its last 100 runs: of the walks on old releases, one in 50 to 500 opens a
# bucket, so a shorter memory would hardly ever hold one.
DECAY = 0.99
PLAIN = 0.1  # the share of runs without arms, with which the table of arms compares
GROUPS = 0.5  # the share of the other runs that prefer a group of operators
TRANSITIONS = 0.5  # and of those that prefer a transition
# How many options such a run sets. Of the 76 confirmed bugs that the enumeration of grammars found in
# z3 and cvc5, 41 needed no option, 33 one, and 2 two.
NO_OPTION, ONE_OPTION = 0.4, 0.5


@dataclass(frozen=True)
class Choices:
    """The arms that a campaign can draw for its walks: theories, the groups of operators of each
    theory, options with the theories that they are for (none: all), and transitions of the machine.
    `sources` are the sources of the runs in a mix, and `of_scripts` the options that the scripts of
    mutants can set.
    """

    theories: tuple[str, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    transitions: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    of_scripts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def names(self, kind: str) -> tuple[str, ...]:
        """The names of the arms of a kind."""
        return {
            THEORY: self.theories,
            GROUP: tuple(name for names in self.groups.values() for name in names),
            OPTION: tuple(dict.fromkeys((*self.options, *self.of_scripts))),
            TRANSITION: self.transitions,
            SOURCE: self.sources,
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
        """The groups to draw from: those of the theory, or all where there is none."""
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
