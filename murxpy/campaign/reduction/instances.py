"""STORM's own way to make a finding smaller: instances are made anew from its seed within ever
smaller bounds, none is cut.

Mansur, Christakis, Wüstholz, Zhang, FSE 2020, section 3.5: the bounds of depth and of assertions
are halved as long as some instance still shows the finding; then several rounds with other random
numbers look for the shortest. What is known of the answer is known by construction, so that no
other solver is asked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from murxpy.campaign.findings.keys import bucket_key
from murxpy.campaign.findings.replayed import replay_trace, walk_seeds
from murxpy.campaign.reduction.scripts import Scripted, scripted, trace_of
from murxpy.campaign.reduction.traces import Follow, Minimized, Progress, Wishes
from murxpy.campaign.seeds import run_seed
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.targets import Plan
from murxpy.errors import InputError
from murxpy.machine.script import own_options
from murxpy.mutation.corpus import Corpus
from murxpy.mutation.fuzzers.storm import MOST_ASSERTIONS, MOST_DEPTH
from murxpy.oracles.crash import Outcome, Verdict, judge
from murxpy.trace.grammar import Trace, parse_trace

ROUNDS = 10  # with other random numbers, within the bounds that were found
RUNS = 3  # that may show it within some bounds: the first with the random numbers of the finding
LEAST_ASSERTIONS = 4
SOURCE = "storm"


def regenerate(
    plan: Plan, trace: Trace, limits: Limits, wishes: Wishes, follow: Follow = lambda progress: None
) -> tuple[Minimized, Scripted]:
    """The finding of a run of STORM made anew within the least bounds; sizes are in characters of
    the script. Raises as `Regeneration`.
    """
    start = time.monotonic()
    made = Regeneration(plan, trace, limits, wishes.time)
    whole = len(made.best.text)

    def told(script: Scripted) -> None:
        follow(
            Progress(
                script.text.count("\n"),
                0,
                made.runs,
                time.monotonic() - start,
                lambda: trace_of(script, plan.target.family),
            )
        )

    best = made.smallest(told)
    replayed = replay_trace(plan, trace_of(best, plan.target.family), trace.name)
    key = "" if replayed.found is None else replayed.found.bucket
    seconds = time.monotonic() - start
    return Minimized(
        replayed.outcome.trace,
        key,
        whole,
        len(best.text),
        made.runs,
        made.runs,
        0,
        seconds,
        made.ended,
    ), best


class Regeneration:
    """Makes the finding of `trace`, of a run of STORM on `plan`, anew. `plan` has the sources of
    its campaign.

    Raises InputError for a trace of anything else, or when the campaign's seeds are not what they
    were.
    """

    def __init__(
        self, plan: Plan, trace: Trace, limits: Limits, seconds: float | None = None
    ) -> None:
        sources = plan.setup.get("sources")
        if trace.header.get("source") != SOURCE:
            raise InputError(
                "only what storm found can be made anew from its seed; leave --strategy out",
                file=trace.name,
            )
        if not sources:
            raise InputError(
                "where its seeds are is known to its campaign alone: name the trace in the campaign's folder",
                file=trace.name,
            )
        found = scripted(trace)
        if found is None:
            raise InputError("expected a run-script line at its end", file=trace.name)
        self._plan, self._limits, self._sources = (
            _setting(plan, found.text),
            replace(limits, by_line=True),
            sources,
        )
        self._corpus = Corpus(sources["seeds"], sources["mix"], sources.get("choices"))
        self._seed = trace.seed
        drawn = self._corpus.draw(trace.seed)
        names = [self._corpus.seeds[number].name for number in drawn.seeds]
        if drawn.source != SOURCE or [name.rpartition("/")[2] for name in names] != [_file(trace)]:
            raise InputError(
                f"its run works on {' '.join(names) or 'no seed'} now, not on {_file(trace)}: seeds were added or removed",
                file=trace.name,
            )
        self._drawn = drawn.seeds
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._choices: dict[str, Any] = dict((sources.get("choices") or {}).get(SOURCE) or {})
        self.runs = 0
        self.ended = "complete"
        self.best = found
        shown = replay_trace(plan, trace_of(found, plan.target.family), trace.name)
        if shown.found is None:
            raise InputError(
                "its last script alone does not show the finding; leave --strategy out",
                file=trace.name,
            )
        self._wanted = self._key(shown.found.verdict)

    def smallest(self, told: Callable[[Scripted], None]) -> Scripted:
        """The shortest instance that shows the finding, which may be the one that was found; `told`
        gets each new one.
        """
        depth = int(self._choices.get("max_depth") or MOST_DEPTH)
        assertions = int(self._choices.get("max_assertions") or MOST_ASSERTIONS)
        depth = self._least(1, depth, lambda bound: self._shown(bound, assertions, RUNS, told))
        assertions = self._least(
            LEAST_ASSERTIONS, assertions, lambda bound: self._shown(depth, bound, RUNS, told)
        )
        self._shown(depth, assertions, ROUNDS, told)
        return self.best

    def _least(self, low: int, high: int, shown: Callable[[int], bool]) -> int:
        """The least bound with which it is shown, by binary search; `high` is one."""
        while low < high:
            middle = (low + high) // 2
            if shown(middle):
                high = middle
            else:
                low = middle + 1
        return high

    def _shown(
        self, depth: int, assertions: int, runs: int, told: Callable[[Scripted], None]
    ) -> bool:
        """Whether some run within these bounds shows the finding; the shortest instance that does
        is kept.
        """
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self.ended = "time"
            return False
        instances = [
            one
            for outcome in self._outcomes(runs, depth, assertions)
            if (one := self._instance(outcome)) is not None
        ]
        for instance in instances:
            if len(instance.text) < len(self.best.text):
                self.best = instance
                told(instance)
        return bool(instances)

    def _outcomes(self, runs: int, depth: int, assertions: int) -> Iterator[Outcome]:
        """How so many runs of the seed end, the first with the random numbers of the finding; one
        process does all until it dies.
        """
        others = (run_seed(self._seed, number) for number in range(1, runs))
        seeds = [self._seed, *(self._corpus.steered(seed, SOURCE, self._drawn) for seed in others)]
        choices = {**self._choices, "max_depth": depth, "max_assertions": assertions}
        sources = {
            **self._sources,
            "choices": {**(self._sources.get("choices") or {}), SOURCE: choices},
        }
        plan = replace(self._plan, setup={**self._plan.setup, "sources": sources})
        while seeds:
            outcomes = walk_seeds(plan, [(seed, ()) for seed in seeds], self._limits).outcomes
            self.runs += len(outcomes)
            yield from outcomes
            seeds = seeds[len(outcomes) :] if outcomes else []

    def _instance(self, outcome: Outcome) -> Scripted | None:
        """The instance with which a run showed the finding."""
        verdict = judge(outcome)
        if verdict is None:
            return None
        return (
            scripted(parse_trace(outcome.trace, "run"))
            if self._key(verdict) == self._wanted
            else None
        )

    def _key(self, verdict: Verdict) -> tuple[str, str]:
        """Kind and bucket without the theories of the script, which change with its formulas."""
        return verdict.kind, bucket_key(
            self._plan.target.family, replace(verdict, call=replace(verdict.call, operator=""))
        )


def _setting(plan: Plan, text: str) -> Plan:
    """The plan whose runs all set the options that a script sets, and no others."""
    wrapper = plan.setup["wrapper"]
    prefix = str(wrapper.get("script-option-prefix") or "")
    options = [[name.removeprefix(prefix), value] for name, value in own_options(text)]
    return replace(
        plan, setup={**plan.setup, "options": options, "wrapper": {**wrapper, "options": []}}
    )


def _file(trace: Trace) -> str:
    return trace.header.get("seed-file", "").rpartition("/")[2]
