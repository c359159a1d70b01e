"""The limit for the checks of a run. Checks that are not decided use up a credit, and checks that
are decided add to it.

Checks without an answer therefore take only a small part of the time of a run, whatever its seed is.
A seed whose mutants the solver cannot decide gets smaller limits and is soon given up; a seed whose
mutants it can decide gets larger limits. Only answers decide, never a clock.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from murxpy.machine.generate.options import draw_value
from murxpy.machine.random import Stream, Weighted
from murxpy.smtlib.logics import theories
from murxpy.smtlib.script import Script, SetOption
from murxpy.solvers.facts import Option
from murxpy.sources.mutation.workshop import Seed

# All numbers are shares of the largest limit. The values were chosen by measuring the answers of z3
# 5.4.0 to mutants of four logics.
CREDIT = 0.5
GAIN = 0.01  # the gain for a mutant that was decided
STAKE = 0.5  # the share of the credit that one check may use
HALVINGS = 5  # how often the limit is halved at most


class Patience:
    """The limits of a run's checks. `most` is the largest limit, in the solver's unit; 0 for a
    solver without limits.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._credit = CREDIT

    @property
    def over(self) -> bool:
        """True if the credit is used up."""
        return self._share() > self._credit

    @property
    def limit(self) -> int:
        """The limit of the next checks: the largest limit, halved some times. The limit therefore
        changes rarely.
        """
        return max(min(1, self.most), int(self.most * self._share()))

    def _share(self) -> float:
        share = 1.0
        for _ in range(HALVINGS):
            if share <= STAKE * self._credit:
                break
            share /= 2
        return share

    def note(self, answers: Sequence[str] | None, spent: int | None = None) -> None:
        """Record the answers of a mutant's checks; None if the mutant was refused.

        `spent` is what the solver counted for the mutant, for checks that may give up at once. An
        undecided check costs no more than that.
        """
        undecided = 1 if answers is None else sum(answer == "unknown" for answer in answers)
        if answers and undecided < len(answers):
            self._credit += GAIN
        cost = undecided * self._share()
        self._credit -= cost if spent is None else min(cost, spent / max(1, self.most))


def decided(answers: Sequence[str] | None) -> bool:
    """True if a check of a mutant was decided."""
    return any(answer != "unknown" for answer in answers or ())


# ----------------------------------------------------------------------
# Options for mutants: those that the user sets in every script, and random options of the
# solver.


RUNS = 0.5  # the share of runs that set random options
MUTANTS = 0.5  # the share of their mutants that set other options than the mutant before
MOST = 3
_TRIES = 4

Options = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Offer:
    """The options that scripts can set: `known` are the solver's options by weight, `wanted` are
    set in every script, `prefix` is how the names of the solver's options begin in scripts, and `most`
    is the largest number of options that a mutant draws.

    Options in `process` are parameters of the solver's whole process. Parameters have their names in
    scripts, and no solver object takes them. The options in `kept` have values that the user wants in
    every run. `listed` are all options of the wrapper, by their names in scripts.
    """

    known: Weighted[Option]
    wanted: Options = ()
    prefix: str = ""
    process: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    listed: Mapping[str, Option] = field(default_factory=dict)
    most: int = MOST

    def head(self, script: Script, options: Options) -> Script:
        """The script with options at its beginning."""
        if not options:
            return script
        commands = [
            *(SetOption(self._in_scripts(name), value) for name, value in options),
            *script.commands,
        ]
        return Script(script.name, script.tables, commands)

    def few(self, stream: Stream, about: Collection[str], most: int) -> Options:
        """From one to `most` random options that fit these theories; fewer where there are not so many."""
        found: dict[str, str] = {}
        count = stream.between(1, most)
        for _ in range(_TRIES * count if self.known.items else 0):
            option = stream.weighted(self.known)
            if len(found) < count and option.name not in found and option.fits(about, found):
                found[option.name] = draw_value(option, stream)
        return tuple(found.items())

    def lines(self, options: Options) -> str:
        """The commands that set options at the beginning of a script."""
        return "".join(
            f"(set-option :{self._in_scripts(name)} {value})\n" for name, value in options
        )

    def _in_scripts(self, name: str) -> str:
        listed = self.listed.get(name)
        of_process = name in self.process or (listed is not None and listed.name == name)
        return name if of_process else self.prefix + name


def offer_of(
    options: Sequence[Option],
    of_process: Sequence[Option],
    wanted: Options = (),
    prefix: str = "",
    kept: Sequence[str] = (),
    listed: Mapping[str, Option] | None = None,
    most: int = MOST,
) -> Offer:
    """The offer of options of solver objects and of the process, less those in `kept`."""
    drawn = [option for option in (*options, *of_process) if option.name not in kept]
    names = [name for option in of_process for name, _ in ((option.name, ""), *option.beside)]
    weighted = Weighted([(option, option.weight) for option in drawn])
    return Offer(
        weighted, wanted, prefix, frozenset(names), frozenset(kept), dict(listed or {}), most
    )


NOTHING = Offer(Weighted([]))


class Drawer:
    """The options of the mutants of one run. The seeds say which theories matter.

    A script can set a parameter of the process for itself. With `calls`, mutants reach the solver
    call by call, so that the run sets `parameters` once, before its first solver. Options that the
    guidance of a campaign chose for the run are `fixed`: they are set beside the random ones.
    """

    def __init__(
        self,
        offer: Offer,
        stream: Stream,
        seeds: Sequence[Seed],
        fixed: Options = (),
        *,
        calls: bool = False,
    ) -> None:
        self._offer = offer
        self._stream = stream
        self._random = bool(offer.known.items) and stream.chance(RUNS)
        self._theories = (
            {name for seed in seeds for name in theories(seed.text)} if self._random else set()
        )
        names = {name for option in offer.known.items for name in option.names}
        self._fixed = {name: value for name, value in fixed if name in names - offer.kept}
        self._drawn: Options = self._draw() if self._random else tuple(self._fixed.items())
        self._elsewhere = offer.process if calls else frozenset()
        self.parameters = tuple(pair for pair in self._drawn if pair[0] in self._elsewhere)
        self._seeds: Options = ()

    def keep(self, options: Mapping[str, str]) -> None:
        """Set these options of seeds in each mutant, too, as far as the wrapper lists them and could
        draw their values: another option may write files, or print, or change what a formula means.
        """
        known = self._offer.listed
        listed = [(known[name], value) for name, value in options.items() if name in known]
        kept = {option.name: value for option, value in listed if option.takes(value)}
        self._seeds = tuple(pair for pair in kept.items() if pair[0] not in self._elsewhere)

    def next(self) -> Options:
        """The options of the next mutant."""
        if self._random and self._stream.chance(MUTANTS):
            self._drawn = self._draw()
        wanted = dict(self._offer.wanted)
        wanted.update(pair for pair in self._seeds if pair[0] not in wanted)
        left_out = {*wanted, *self._elsewhere}
        return (*wanted.items(), *(pair for pair in self._drawn if pair[0] not in left_out))

    def _draw(self) -> Options:
        """The fixed options, and up to `most` others that fit the theories of the seeds."""
        found = dict(self._fixed)
        count = len(found) + self._stream.between(0, self._offer.most)
        for _ in range(_TRIES * (count - len(found))):
            option = self._stream.weighted(self._offer.known)
            if (
                len(found) < count
                and option.name not in found
                and option.fits(self._theories, found)
            ):
                found[option.name] = draw_value(option, self._stream)
                if found[option.name] != "false":
                    found.update(pair for pair in option.beside if pair[0] not in self._offer.kept)
        return tuple({**found, **self._fixed}.items())
