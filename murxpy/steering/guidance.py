"""What the runs of a target learn from earlier runs: which calls they draw less often, and, in a
campaign with guidance, which arms they have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from murxpy.findings.kinds.registry import kind_of
from murxpy.learning.arms import OPTION, SOURCE, TRANSITION, Arm, Arms, parse_arm
from murxpy.learning.guide import RUN, USUAL, Choices, Gains, Guide, Lag, Pending, Result
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.machine.generate.guided import Reader, groups_of, option_names
from murxpy.machine.outcomes import INTERNAL
from murxpy.machine.random import Stream, mix
from murxpy.oracles.crash import Verdict
from murxpy.processes.handles import DAMPED, Damp
from murxpy.records.yields import PLAIN, WITHOUT, ArmYield, Learnt
from murxpy.solvers.facts import Option, build_facts
from murxpy.solvers.options import LISTED, chosen, completed
from murxpy.sources.setups import Setup

# ----------------------------------------------------------------------
# Damping: the calls in which findings end are drawn less often, to find something else. A run damps
# the calls of the findings that are far enough before it (`murxpy.learning.guide.lag`), so a campaign
# with the same seed damps the same in each run, however many workers there are.


_Call = tuple[str, str, str]  # an action, an operator and a spelling


@dataclass
class _Damped:
    """A run that damps the first `known` calls, and the call in which it ended, if by a finding."""

    known: int
    call: _Call | None = None

    def row(self) -> list[Any]:
        """The run as plain data."""
        return [self.known, self.call]


class Damping:
    """Chooses the calls that the runs of one target draw less often. `saved` is what `state` gave in
    an earlier session. A hang damps nothing: the clock decides when it is known. `lag` is that of
    the campaign.
    """

    def __init__(self, saved: Mapping[str, Any] | None = None, lag: Lag = USUAL) -> None:
        saved = saved or {}
        self._runs = Pending(_damped, saved, lag)
        self._calls: dict[_Call, None] = dict.fromkeys(map(_call, saved.get("calls", ())))

    def state(self) -> dict[str, Any]:
        """The plain data to store."""
        return {**self._runs.state(), "calls": [list(call) for call in self._calls]}

    def ready(self, index: int) -> bool:
        """Whether run `index` can begin: all runs are over whose findings it has to know."""
        return self._runs.ready(index)

    def of(self, index: int) -> Damp:
        """The calls that run `index`, which begins now, damps. A run that began before keeps its own."""
        if index not in self._runs.open:
            for _, run in self._runs.due(index):
                assert run.call is not None, "only runs with a finding wait"
                self._calls.setdefault(run.call)
            self._runs.open[index] = _Damped(len(self._calls))
        known = list(self._calls)[: self._runs.open[index].known]
        return tuple(sorted(known)[:DAMPED])

    def found(self, index: int, verdict: Verdict) -> None:
        """Note that run `index` ended in a finding."""
        run, call = self._runs.open.get(index), verdict.call
        if run is not None and call.action and verdict.kind != INTERNAL:
            run.call = (call.action, call.operator, call.spelling)

    def over(self, index: int) -> None:
        """Note that run `index` is over."""
        self._runs.done(index)
        if (run := self._runs.over.get(index)) and run.call is None:
            del self._runs.over[index]


def _damped(row: Iterable[Any]) -> _Damped:
    known, call = row
    return _Damped(known, None if call is None else _call(call))


def _call(row: Sequence[str]) -> _Call:
    action, operator, spelling = row
    return action, operator, spelling


# ----------------------------------------------------------------------
# The arms that the runs of a target can have: what its session can do, as far as the user leaves it
# open.


def choices_of(setup: Setup, about: Mapping[str, Any]) -> tuple[Arms, Choices]:
    """Return the way in which run seeds carry arms, and the arms to draw from. `setup` is that of a
    session, and `about` is how the session describes its solver.
    """
    catalogue = build_catalogue(setup["catalogue"])
    facts = completed(build_facts(setup["wrapper"]), about.get("options") or ())
    drawn = chosen(facts, setup.get("drawn-options") or [LISTED])
    reader = Reader(catalogue, setup["machine"], facts.every_option)
    groups = _groups(catalogue, about)
    theories = [name for name in groups if not catalogue.theories[name].always]
    lacking = {key for section, key, *_ in about.get("missing", ()) if section == "options"}
    fixed = {name for name, _ in setup.get("options") or ()}
    options, of_process = (
        _arms_of(o for o in part if o in drawn and o.name not in lacking | fixed)
        for part in (facts.options or (), facts.process_options)
    )
    mutating = setup.get("sources")
    sources = tuple(str(name) for name, _ in mutating["mix"]) if mutating else ()
    choices = Choices(
        () if setup.get("theories") or setup.get("logics") else tuple(theories),
        groups,
        options,
        reader.arms.names(TRANSITION),
        sources if len(sources) > 1 else (),
        {**options, **of_process},
    )
    return reader.arms, choices


def _groups(catalogue: Catalogue, about: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """By theory, the groups of which the target has an operator."""
    usable = {kind for kinds in about.get("operators", {}).values() for kind in kinds}
    groups: dict[str, tuple[str, ...]] = {}
    for name, kinds in groups_of(catalogue).items():
        if not usable.isdisjoint(kinds):
            theory = name.partition("/")[0]
            groups[theory] = (*groups.get(theory, ()), name)
    return groups


def _arms_of(options: Iterable[Option]) -> dict[str, tuple[str, ...]]:
    """The arms of the options that are drawn at all, each with the theories that it is for."""
    drawn = (option for option in options if option.weight > 0)
    return {name: option.theories for option in drawn for name in option_names(option)}


# ----------------------------------------------------------------------
# Guidance: which arms the runs of a target have, learnt from what earlier runs gained. The choice
# depends only on the counts of earlier runs, in the order of their numbers, and never on a clock.
# The choice is written into the seed of the run (`murxpy.learning.arms`), so that the run can be
# made again without the campaign.


_KEY, _SOURCES = 0xA4B17, 0xA4B18
# the counters of a run that decide what it gained
_COUNTED = ("answer:unknown", "check:decided", "signal:spent")


@dataclass
class _Begun:
    """A run that has begun and is not learnt from yet."""

    seed: int
    arms: list[str]
    news: list[int] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    buckets: list[str] = field(default_factory=list)
    wrong: bool = False
    killed: bool = False
    mutates: bool = False

    def row(self) -> list[Any]:
        """The run as plain data."""
        own = [self.arms, self.news, self.counts, self.buckets, self.wrong, self.killed]
        return [f"{self.seed:x}", *own, self.mutates]


class Guidance:
    """Chooses the arms of the runs of one target. `way` is `statistics` or `bandit`, `arms` say how a
    run seed carries arms, `choices` which of them the target can have. `yields`, `news` and `saved`
    are from an earlier session: the yield of each arm, the pairs that were seen, and the result of
    `state`. `hand_over` gives what is to be stored beside `state`. `lag` is that of the campaign.
    """

    def __init__(
        self,
        way: str,
        seed: int,
        arms: Arms,
        choices: Choices,
        yields: Iterable[ArmYield] = (),
        news: Iterable[int] = (),
        saved: Mapping[str, Any] | None = None,
        lag: Lag = USUAL,
    ) -> None:
        saved = saved or {}
        self._seed, self._arms = seed, arms
        self.yields = {entry.arm: entry for entry in yields}
        earned = {arm: (entry.gains, entry.losses) for arm, entry in self.yields.items()}
        self._guide = Guide(choices, earned)
        self._gains = Gains(way, float(saved.get("typical", RUN)))
        self._seen = dict.fromkeys(news)
        self._runs = Pending(_begun, saved, lag)
        self._paid: dict[str, None] = dict.fromkeys(saved.get("paid", ()))
        self._changed: dict[str, None] = {}
        self._new: list[int] = []
        # by the numbers of the runs that `source_of` learnt from: pairs that no earlier run gave
        self.learnt: dict[int, int] = {}

    def state(self) -> dict[str, Any]:
        """The plain data to store besides `changes`."""
        return {
            **self._runs.state(),
            "paid": list(self._paid),
            "typical": self._gains.typical,
        }

    def hand_over(self, target: str, learnt: Learnt) -> None:
        """Add what changed since the last call to `learnt`, for the target called `target`."""
        earned = self._guide.earned() if self._changed else {}
        for arm in self._changed:
            entry = learnt.arms[target, arm] = self.yields[arm]
            entry.gains, entry.losses = earned.get(arm, (0.0, 0.0))
        learnt.news.update(((target, pair), None) for pair in self._new)
        self._changed, self._new = {}, []

    def ready(self, index: int) -> bool:
        """Whether run `index` can be chosen: all runs are over from which it is to be learnt."""
        return self._runs.ready(index)

    def source_of(self, index: int) -> str | None:
        """The source of run `index`, which begins now; None where there is no choice. `learnt` says
        then which news came of the runs that count from now on.
        """
        self.learnt = {}
        self._learn(index)
        return self._guide.draw_source(Stream(mix(mix(self._seed, index), _SOURCES)))

    def seed_of(self, index: int, base: int, source: str = "", *, mutates: bool = False) -> int:
        """The seed of run `index`, which begins now and would have the seed `base` without guidance.
        The seed is that of a run of `source`, which `mutates` scripts or walks. A run that began
        before keeps its seed.
        """
        if index not in self._runs.open:
            self._learn(index)
            stream = Stream(mix(mix(self._seed, index), _KEY))
            guide = self._guide
            arms = guide.draw_for_mutants(stream) if mutates else guide.draw(stream)
            seed = self._arms.guided(base, arms)
            of = [str(Arm(SOURCE, source))] if source else []
            self._runs.open[index] = _Begun(seed, [*of, *map(str, arms)], mutates=mutates)
        return self._runs.open[index].seed

    def reported(self, index: int, report: Mapping[str, Any]) -> None:
        """Note the report of run `index`."""
        run = self._runs.open.get(index)
        if run is not None:
            # A signal that an earlier run gave is no news later. Little therefore has to be kept of
            # a run.
            run.news = [pair for pair in report.get("signals", ()) if pair not in self._seen]
            counts = report["counts"]
            run.counts = {name: counts[name] for name in _COUNTED if name in counts}

    def found(self, index: int, bucket: str, verdict: Verdict) -> None:
        """Note that run `index` had a finding of `bucket`, empty for a finding that is known."""
        run = self._runs.open.get(index)
        if run is not None:
            run.buckets.append(bucket)
            run.wrong = run.wrong or kind_of(verdict.kind).answers

    def killed(self, index: int) -> None:
        """Note that run `index` was ended by a limit of time."""
        if index in self._runs.open:
            self._runs.open[index].killed = True

    def done(self, index: int) -> None:
        """Note that run `index` is over."""
        self._runs.done(index)

    def _learn(self, index: int) -> None:
        """Learn, in their order, from the runs that are far enough before `index`."""
        for number, run in self._runs.due(index):
            result = self._result(run)
            self.learnt[number] = result.news
            self._guide.learn([parse_arm(arm) for arm in run.arms], self._gains.of(result))
            for arm in _counted(run.arms, run.mutates):
                self.yields.setdefault(arm, ArmYield(arm)).add(result, run.wrong)
                self._changed[arm] = None

    def _result(self, run: _Begun) -> Result:
        """Return the result of a run. Its signals are no news for later runs."""
        news = [pair for pair in run.news if pair not in self._seen]
        self._seen.update(dict.fromkeys(news))
        self._new += news
        new = [
            bucket for bucket in dict.fromkeys(run.buckets) if bucket and bucket not in self._paid
        ]
        self._paid.update(dict.fromkeys(new))
        undecided, decided, spent = (run.counts.get(name, 0) for name in _COUNTED)
        return Result(len(news), len(run.buckets), len(new), decided, undecided, spent, run.killed)


def _counted(arms: Sequence[str], mutates: bool) -> list[str]:
    """The arms under which a run counts: its own, and for each kind that it lacks the one without a
    name.
    """
    kinds = {parse_arm(arm).kind for arm in arms}
    if not mutates and kinds <= {SOURCE}:
        return [*arms, PLAIN]
    could = (OPTION,) if mutates else WITHOUT
    return [*arms, *(str(Arm(kind, "")) for kind in could if kind not in kinds)]


def _begun(row: Iterable[Any]) -> _Begun:
    seed, *rest = row
    return _Begun(int(seed, 16), *rest)
