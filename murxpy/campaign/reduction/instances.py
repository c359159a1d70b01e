"""STORM's own way to reduce a finding: it makes new instances from the same seed within smaller
bounds.

Mansur, Christakis, Wüstholz, Zhang, FSE 2020, section 3.2: the bounds of depth and of assertions
are halved as long as some instance still shows the finding. Then several rounds with other random
numbers look for the shortest instance. The right answer is known by construction, so no other
solver is asked.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from murxpy.campaign.findings.replayed import replay_trace, walk_seeds
from murxpy.campaign.reduction.pipeline import Minimized, Predicate, Problem, Task, reduce
from murxpy.campaign.reduction.scripted import Scripted, loose_key, scripted, trace_of
from murxpy.campaign.replays.tester import OutOfTime
from murxpy.campaign.seeds import run_seed
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.targets import Plan
from murxpy.errors import InputError
from murxpy.fuzzers.api import without_drawn_options
from murxpy.machine.script import own_options
from murxpy.mutation.corpus import Corpus
from murxpy.mutation.fuzzers.storm import MOST_ASSERTIONS
from murxpy.mutation.pools.pool import MOST_DEPTH
from murxpy.oracles.crash import Outcome, judge
from murxpy.passes.reduction import Reducer
from murxpy.trace.grammar import Trace, parse_trace

ROUNDS = 10  # runs within the bounds that were found, with other random numbers
RUNS = 3  # runs within other bounds, the first with the random numbers of the finding
LEAST_ASSERTIONS = 4
SOURCE = "storm"


@dataclass(frozen=True, order=True, slots=True)
class Bounds:
    """The bounds of instances. Bounds with more runs are smaller in the order."""

    depth: int
    assertions: int
    skipped: int = ROUNDS - RUNS  # runs fewer than ROUNDS

    @property
    def runs(self) -> int:
        """The number of runs within the bounds, one of which must show the finding."""
        return ROUNDS - self.skipped


def regenerate(task: Task, trace: Trace) -> Minimized:
    """Make the finding of a run of STORM anew within the least bounds.

    The plan of the task has the sources of the campaign. The sizes in the result are in characters
    of the script. Raises InputError where the trace is no such finding, where its script alone does
    not show it, and where the seeds of the campaign were changed.
    """
    predicate = Regenerating(task.plan, trace, task.deadline)
    result = reduce(_problem(predicate), predicate, task)
    return replace(result, tests=result.replays)


def _problem(instances: Regenerating) -> Problem[Bounds, Bounds]:
    """The problem of the bounds; their size is that of the shortest instance made so far."""
    choices = instances.choices
    bounds = Bounds(
        int(choices.get("max_depth") or MOST_DEPTH),
        int(choices.get("max_assertions") or MOST_ASSERTIONS),
    )
    return Problem(
        [bounds],
        order=lambda candidate: candidate,
        text=repr,
        asked=lambda candidate: candidate,
        size=lambda candidate: len(instances.best.text),
        counts=lambda candidate: (instances.best.text.count("\n"), 0),
        shrink=_shrink,
        before=len(instances.best.text),
        unit="character",
    )


def _shrink(reducer: Reducer[Bounds]) -> None:
    """Find the least depth, then the least number of assertions, then the shortest instance."""
    _least(reducer, 1, reducer.best.depth, "depth")
    _least(reducer, LEAST_ASSERTIONS, reducer.best.assertions, "assertions")
    reducer.offer([replace(reducer.best, skipped=0)])


def _least(reducer: Reducer[Bounds], low: int, high: int, bound: str) -> None:
    """Find the least value of a bound by binary search; `high` is known to work."""
    while low < high:
        middle = (low + high) // 2
        if reducer.offer([replace(reducer.best, **{bound: middle})]) is not None:
            high = middle
        else:
            low = middle + 1


class Regenerating(Predicate[Bounds]):
    """Runs of STORM within bounds, on the seed of the trace, show the finding.

    `best` is the shortest instance that was seen to do so.
    """

    replays = 0

    def __init__(self, plan: Plan, trace: Trace, deadline: float | None) -> None:
        super().__init__(deadline)
        self._sources, self.best = _found(plan, trace)
        self._plan, self._setting = plan, _setting(plan, self.best.text)
        self._family, self._name, self._seed = plan.target.family, trace.name, trace.seed
        self._corpus = Corpus(
            self._sources["seeds"], self._sources["mix"], self._sources.get("choices")
        )
        drawn = self._corpus.draw(trace.seed)
        names = [self._corpus.seeds[number].name for number in drawn.seeds]
        if drawn.source != SOURCE or [name.rpartition("/")[2] for name in names] != [_file(trace)]:
            raise InputError(
                f"the run of the trace works on {' '.join(names) or 'no seed'} now, not on {_file(trace)}: seeds were added or removed",
                file=trace.name,
            )
        self._drawn = drawn.seeds
        self.choices: dict[str, Any] = dict((self._sources.get("choices") or {}).get(SOURCE) or {})
        shown = replay_trace(plan, trace_of(self.best, self._family), trace.name)
        if shown.found is None:
            raise InputError(
                "its last script alone does not show the finding; leave --strategy out",
                file=trace.name,
            )
        self._wanted = loose_key(shown.found.verdict, self._family)

    def limit(self, deadline: float | None) -> None:
        self._deadline = deadline

    def first(self, candidates: Iterator[Bounds]) -> int | None:
        return next((at for at, bounds in enumerate(candidates) if self._shown(bounds)), None)

    def _shown(self, bounds: Bounds) -> bool:
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise OutOfTime
        instances = [one for outcome in self._outcomes(bounds) if (one := self._instance(outcome))]
        self.best = min([self.best, *instances], key=lambda one: len(one.text))
        return bool(instances)

    def _outcomes(self, bounds: Bounds) -> Iterator[Outcome]:
        """Do the runs of the seed, and give how they end. The first has the random numbers of the
        finding.

        One process does all runs until it dies.
        """
        others = (run_seed(self._seed, number) for number in range(1, bounds.runs))
        seeds = [self._seed, *(self._corpus.steered(seed, SOURCE, self._drawn) for seed in others)]
        within = {"max_depth": bounds.depth, "max_assertions": bounds.assertions}
        choices = {**(self._sources.get("choices") or {}), SOURCE: {**self.choices, **within}}
        sources = {**self._sources, "choices": choices}
        plan = replace(self._setting, setup={**self._setting.setup, "sources": sources})
        while seeds:
            runs = [(seed, ()) for seed in seeds]
            outcomes = walk_seeds(plan, runs, Limits(by_line=True)).outcomes
            self.replays += len(outcomes)
            yield from outcomes
            seeds = seeds[len(outcomes) :] if outcomes else []

    def _instance(self, outcome: Outcome) -> Scripted | None:
        """The instance with which the run showed the finding; None where it did not."""
        verdict = judge(outcome)
        if verdict is None or loose_key(verdict, self._family) != self._wanted:
            return None
        return scripted(parse_trace(outcome.trace, "run"))

    def result(self, best: Bounds) -> tuple[str, str]:
        replayed = replay_trace(self._plan, trace_of(self.best, self._family), self._name)
        return replayed.found.bucket if replayed.found else "", replayed.outcome.trace


def _found(plan: Plan, trace: Trace) -> tuple[dict[str, Any], Scripted]:
    """The sources of the campaign that found `trace`, and the script that it runs last."""
    sources = plan.setup.get("sources")
    if trace.header.get("source") != SOURCE:
        raise InputError(
            "only a finding of storm can be made anew from its seed; leave --strategy out",
            file=trace.name,
        )
    if not sources:
        raise InputError(
            "only the campaign knows where its seeds are: name the trace in the campaign's folder",
            file=trace.name,
        )
    found = scripted(trace)
    if found is None:
        raise InputError("expected a run-script line at its end", file=trace.name)
    return sources, found


def _setting(plan: Plan, text: str) -> Plan:
    """Let all runs of the plan set the options that a script sets, and no others."""
    wrapper = plan.setup["wrapper"]
    prefix = str(wrapper.get("script-option-prefix") or "")
    options = [[name.removeprefix(prefix), value] for name, value in own_options(text)]
    setup = {**plan.setup, "options": options, "wrapper": without_drawn_options(wrapper)}
    return replace(plan, setup=setup)


def _file(trace: Trace) -> str:
    return trace.header.get("seed-file", "").rpartition("/")[2]
