"""What the runs of a target learn from earlier runs: which calls they draw less often, and, in a
campaign with guidance, which arms they have.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from murxpy.findings.kinds.registry import kind_of
from murxpy.learning.arms import OPTION, SOURCE, TRANSITION, WALK, Arm, Arms, parse_arm
from murxpy.learning.guide import (
    CORPUS,
    NEW,
    RUN,
    USUAL,
    VARIED,
    WALKS,
    Choices,
    Gains,
    Guide,
    KeptWalks,
    Lag,
    Pending,
    Result,
)
from murxpy.learning.spans import Spans
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


class Damping:
    """Chooses the calls that the runs of one target draw less often. `saved` is what `state` gave in
    an earlier session, of which the runs in `left` are still to be made. A hang damps nothing: the clock
    decides when it is known. `lag` is that of the campaign.
    """

    def __init__(
        self,
        saved: Mapping[str, Any] | None = None,
        lag: Lag = USUAL,
        left: Spans | None = None,
    ) -> None:
        saved = saved or {}
        self._lag = lag
        self._calls: dict[_Call, None] = dict.fromkeys(map(_call, saved.get("calls", ())))
        # The runs that are under way, with the number of the calls that they know; and those of them in
        # which something was found, with the same number and the call in which they ended.
        self._open = Spans()
        self._ended: dict[int, tuple[int, _Call]] = {}
        self._over: dict[int, _Call] = {}  # runs that are over and not learnt from yet
        self._lists: dict[int, Damp] = {}
        for index, row in saved.get("open", {}).items():
            self._restore(int(index), row, left)
        for index, (_, call, *_) in saved.get("over", {}).items():
            self._over[int(index)] = _call(call)

    def _restore(self, first: int, row: Sequence[Any], left: Spans | None) -> None:
        known, call, *more = row
        count = more[0] if more else 1
        own = [(first, count, known)] if left is None else left.remove(first, count)
        for at, size, _ in own:
            if call is None:
                self._open.add(at, size, known)
            else:
                self._ended[at] = known, _call(call)

    def state(self) -> dict[str, Any]:
        """The plain data to store: for neighbours under way, what the first of them has, and their number."""
        open_: dict[str, list[Any]] = {
            str(first): [known, None, count] for first, count, known in self._open
        }
        open_ |= {str(index): [known, list(call)] for index, (known, call) in self._ended.items()}
        over = {str(index): [0, list(call)] for index, call in self._over.items()}
        return {"open": open_, "over": over, "calls": [list(call) for call in self._calls]}

    def ready(self, index: int) -> bool:
        """Whether run `index` can begin: all runs are over whose findings it has to know."""
        if self._known(index) is not None:
            return True
        lowest = self._lowest()
        return lowest is None or lowest > self._last(index)

    def ready_from(self, first: int, most: int) -> int:
        """How many new neighbours from run `first` on can begin, `most` at most."""
        lowest = self._lowest()
        if lowest is None:
            # each of them has to know of those before it in the same block, too
            lowest = first
        return bisect_left(range(most), lowest, key=lambda n: self._last(first + n))

    def alike_from(self, first: int, count: int) -> int:
        """How many neighbours from run `first` on damp the same, `count` at most."""
        self._learn(first)
        new = [number for number, call in self._over.items() if call not in self._calls]
        if not new:
            return count
        return bisect_left(range(count), min(new), key=lambda n: self._last(first + n))

    def of(self, index: int, count: int = 1) -> Damp:
        """The calls that run `index`, which begins now, damps, and so many neighbours from it on. A run that
        began before keeps its own.
        """
        known = self._known(index)
        if known is None:
            self._learn(index)
            known = len(self._calls)
            self._open.add(index, count, known)
        if known not in self._lists:
            self._lists = {known: tuple(sorted(list(self._calls)[:known])[:DAMPED])}
        return self._lists[known]

    def found(self, index: int, verdict: Verdict) -> None:
        """Note that run `index` ended in a finding."""
        call, known = verdict.call, self._known(index)
        if known is not None and call.action and verdict.kind != INTERNAL:
            self._open.remove(index)
            self._ended[index] = known, (call.action, call.operator, call.spelling)

    def over(self, index: int, count: int = 1) -> None:
        """Note that run `index`, or so many neighbours from it on, are over."""
        self._open.remove(index, count)
        if index in self._ended:
            self._over[index] = self._ended.pop(index)[1]

    def _known(self, index: int) -> int | None:
        """How many calls run `index` knows, which is under way; None if it is not."""
        ended = self._ended.get(index)
        return self._open.get(index) if ended is None else ended[0]

    def _lowest(self) -> int | None:
        lowest = [self._open.lowest, min(self._ended, default=None)]
        return min((index for index in lowest if index is not None), default=None)

    def _last(self, index: int) -> int:
        """The last run from which is learnt before run `index` is chosen."""
        return index - self._lag.of(index)

    def _learn(self, index: int) -> None:
        """Learn, in their order, from the runs that are far enough before `index`."""
        if self._over:
            last = self._last(index)
            for number in sorted(number for number in self._over if number <= last):
                self._calls.setdefault(self._over.pop(number))


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
# Guidance: which arms the runs of a target have, or which earlier walk they vary, learnt from what
# earlier runs gained. The choice depends only on the counts of earlier runs, in the order of their
# numbers, and never on a clock. The choice is written into the seed of the run (`murxpy.learning.arms`), so that the run can be
# made again without the campaign.


_KEY, _SOURCES = 0xA4B17, 0xA4B18
_STATE = "state:"  # what the counters of a walk's steps begin with
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
    earlier: int | None = None  # the seed of the walk that it varies
    steps: int = 0

    def row(self) -> list[Any]:
        """The run as plain data."""
        own = [self.arms, self.news, self.counts, self.buckets, self.wrong, self.killed]
        earlier = None if self.earlier is None else f"{self.earlier:x}"
        return [f"{self.seed:x}", *own, self.mutates, earlier, self.steps]

    @property
    def source(self) -> str:
        """The source that its arms name; empty where they name none."""
        arms = map(parse_arm, self.arms)
        return next((arm.name for arm in arms if arm.kind == SOURCE), "")


class Guidance:
    """Chooses the arms of the runs of one target, or with the way `corpus` the earlier walks that they
    vary. `way` is one of `WAYS`, `arms` say how a run seed carries arms, `choices` which of them the
    target can have. `yields`, `news` and `saved` are from an earlier session: the yield of each arm,
    the pairs that were seen, and the result of `state`. `hand_over` gives what is to be stored beside
    `state`. `lag` is that of the campaign.
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
        self._corpus = KeptWalks(saved.get("corpus", ()))  # it stays where sessions guide otherwise
        self._varies = way == CORPUS
        self._guide = Guide(Choices(walks=WALKS) if way == CORPUS else choices, earned)
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
            "corpus": self._corpus.state(),
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
            run = self._begin(stream, base, source, mutates=mutates)
            run.mutates = mutates
            run.arms = [*([str(Arm(SOURCE, source))] if source else []), *run.arms]
            self._runs.open[index] = run
        return self._runs.open[index].seed

    def _begin(self, stream: Stream, base: int, source: str, *, mutates: bool) -> _Begun:
        """A run of `source` that would have the seed `base` without guidance."""
        guide = self._guide
        if mutates or not self._varies:
            arms = guide.draw_for_mutants(stream) if mutates else guide.draw(stream)
            return _Begun(self._arms.guided(base, arms), [str(arm) for arm in arms])
        drawn = self._corpus.draw(stream, source) if guide.draw_walk(stream) == VARIED else None
        if drawn is None:
            return _Begun(self._arms.guided(base, ()), [str(Arm(WALK, NEW))])
        earlier, seed = drawn
        return _Begun(seed, [str(Arm(WALK, VARIED))], earlier=earlier)

    def reported(self, index: int, report: Mapping[str, Any]) -> None:
        """Note the report of run `index`."""
        run = self._runs.open.get(index)
        if run is not None:
            # A signal that an earlier run gave is no news later. Little therefore has to be kept of
            # a run.
            run.news = [pair for pair in report.get("signals", ()) if pair not in self._seen]
            counts = report["counts"]
            run.counts = {name: counts[name] for name in _COUNTED if name in counts}
            run.steps = sum(count for name, count in counts.items() if name.startswith(_STATE))

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
            gain = self._gains.of(result)
            self._guide.learn([parse_arm(arm) for arm in run.arms], gain)
            # a variation of a walk with arms of another kind would lack these
            if not run.mutates and {parse_arm(arm).kind for arm in run.arms} <= {SOURCE, WALK}:
                earlier = run.earlier
                self._corpus.learn(run.seed, run.steps, run.source, result, gain, earlier)
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
    if WALK in kinds:
        return [*arms]
    if not mutates and kinds <= {SOURCE}:
        return [*arms, PLAIN]
    could = (OPTION,) if mutates else WITHOUT
    return [*arms, *(str(Arm(kind, "")) for kind in could if kind not in kinds)]


def _begun(row: Iterable[Any]) -> _Begun:
    seed, *rest = row
    run = _Begun(int(seed, 16), *rest)
    if isinstance(run.earlier, str):
        run.earlier = int(run.earlier, 16)
    return run
