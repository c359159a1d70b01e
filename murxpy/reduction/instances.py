"""STORM's own way to reduce a finding: it makes new instances within smaller bounds.

Mansur, Christakis, Wüstholz, Zhang, FSE 2020, section 3.2 and algorithm 2: the number of assertions
and then their depth are halved as long as some instance still shows the finding, and the smallest
instance that shows it is the seed of what follows. Then several rounds with other random numbers
look for the shortest instance. The right answer is known by construction, so no other solver is
asked.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from murxpy.errors import InputError
from murxpy.findings.replayed import replay_trace, walk_seeds
from murxpy.findings.scripted import Scripted, loose_key, scripted, trace_of
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.machine.random import run_seed
from murxpy.machine.script import own_options
from murxpy.machine.trace.grammar import Trace, parse_trace
from murxpy.oracles.crash import Outcome, judge
from murxpy.passes.reduction import Asking, Problem, Reducer
from murxpy.processes.inquiries import OutOfTime
from murxpy.processes.limits import Limits
from murxpy.processes.targets import Plan, version_of
from murxpy.reduction.pipeline import Minimized, Predicate, Task, reduce
from murxpy.smtlib.reading.scripts import read_script
from murxpy.solvers.options import NONE
from murxpy.sources.mutation.assignments import Depths
from murxpy.sources.mutation.corpus import Corpus
from murxpy.sources.setups import Setup, SourcesSetup

ROUNDS = 10  # runs within the bounds that were found, with other random numbers
RUNS = 2  # runs within other bounds, on the smallest instance and then on the campaign's seed
MUTANTS = 300  # instances of a run, the fewest that the paper makes of a pool
SOURCE = "storm"


@dataclass(frozen=True, order=True, slots=True)
class Bounds:
    """The bounds of instances. Bounds with more runs are smaller in the order."""

    assertions: int
    depth: int
    skipped: int = ROUNDS - RUNS  # runs fewer than ROUNDS

    @property
    def runs(self) -> int:
        """The number of runs within the bounds on each seed, one of which must show the finding."""
        return ROUNDS - self.skipped


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance that shows the finding, with the number of its assertions and their depth."""

    script: Scripted
    assertions: int
    depth: int

    @property
    def key(self) -> tuple[int, int, int]:
        """Smaller for a smaller instance."""
        return self.assertions, self.depth, len(self.script.text)


def regenerate(task: Task, trace: Trace) -> Minimized:
    """Regenerate the finding of a run of STORM within the least bounds.

    The plan of the task has the sources of the campaign. The sizes in the result are in characters
    of the script. Raises InputError where the trace is no such finding, where its script alone does
    not show it, and where the seeds of the campaign were changed.
    """
    predicate = Regenerating(task.plan, trace, task.deadline)
    result = reduce(_problem(predicate), predicate, task)
    return replace(result, tests=result.replays)


def _problem(instances: Regenerating) -> Problem[Bounds, Bounds]:
    """The problem of the bounds; their size is that of the smallest instance made so far."""
    first = instances.best

    def shrink(reducer: Reducer[Bounds]) -> Asking[None]:
        """Find the least number of assertions, then the least depth, then the shortest instance."""
        yield from _least(reducer, instances, "assertions")
        yield from _least(reducer, instances, "depth")
        yield from reducer.offer([replace(reducer.best, skipped=0)])

    return Problem(
        [Bounds(first.assertions, max(1, first.depth))],
        order=lambda candidate: candidate,
        text=repr,
        asked=lambda candidate: candidate,
        size=lambda candidate: len(instances.best.script.text),
        counts=lambda candidate: (instances.best.script.text.count("\n"), 0),
        shrink=shrink,
        before=len(first.script.text),
        unit="character",
    )


def _least(reducer: Reducer[Bounds], instances: Regenerating, bound: str) -> Asking[None]:
    """Find the least value of a bound by binary search, from that of the smallest instance."""
    low, high = 1, getattr(reducer.best, bound)
    while low < high:
        middle = (low + high) // 2
        offered = [replace(reducer.best, **{bound: middle})]
        if (yield from reducer.offer(offered)) is not None:
            high = max(1, min(middle, getattr(instances.best, bound)))
        else:
            low = middle + 1


class NoInstance(InputError):
    """No instance of STORM can be made that shows the finding, though STORM has found it."""


class Regenerating(Predicate[Bounds]):
    """Runs of STORM within bounds show the finding: runs on the smallest instance that was seen to
    show it, `best`, or else on the seed of the trace.
    """

    replays = 0

    def __init__(self, plan: Plan, trace: Trace, deadline: float | None) -> None:
        super().__init__(deadline)
        self._sources, found = _found(plan, trace)
        self._catalogue = build_catalogue(plan.setup["catalogue"])
        self._plan, self._setting = plan, _setting(plan, found.text)
        self._family, self._name, self._seed = plan.target.family, trace.name, trace.seed
        self._file = _seed_of(self._sources, trace)
        self._choices: dict[str, Any] = dict((self._sources.get("choices") or {}).get(SOURCE) or {})
        shown = replay_trace(plan, trace_of(found, self._family), trace.name)
        if shown.found is None:
            raise NoInstance(
                "its last script alone does not show the finding; leave --strategy out",
                file=trace.name,
            )
        self._release = f"{self._family} {version_of(shown.about)}".rstrip()
        self._wanted = loose_key(shown.found.verdict, self._family)
        self.best = measured(found, self._catalogue)

    def limit(self, deadline: float | None) -> None:
        self._deadline = deadline

    def shows(self, candidate: Bounds) -> bool:
        """Whether a run shows the finding. The smallest such instance is the best from now on."""
        label = self.best.script.expected[-1] if self.best.script.expected else ""
        instance = ["instance.smt2", self.best.script.text, label]
        for seed in (instance, self._file):
            shown = [
                measured(script, self._catalogue)
                for outcome in self._outcomes(candidate, seed)
                if (script := self._instance(outcome)) is not None
            ]
            if shown:
                self.best = min([self.best, *shown], key=lambda one: one.key)
                return True
        return False

    def _outcomes(self, bounds: Bounds, seed: list[str]) -> Iterator[Outcome]:
        """Do the runs on a seed, and give how they end. One process does all runs until it dies."""
        within = {"max_depth": bounds.depth, "max_assertions": bounds.assertions}
        sources: SourcesSetup = {
            **self._sources,
            "seeds": [seed],
            "mix": [[SOURCE, 1.0]],
            "walk": MUTANTS,
            "budget": None,
            "choices": {SOURCE: {**self._choices, **within}},
        }
        plan = replace(self._setting, setup={**self._setting.setup, "sources": sources})
        seeds = [run_seed(self._seed, number) for number in range(bounds.runs)]
        while seeds:
            if self._deadline is not None and time.monotonic() >= self._deadline:
                raise OutOfTime
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
        replayed = replay_trace(self._plan, trace_of(self.best.script, self._release), self._name)
        return replayed.found.bucket if replayed.found else "", replayed.outcome.trace


def measured(script: Scripted, catalogue: Catalogue) -> Instance:
    """A script with the number of its assertions and their depth. Raises InputError if the trace
    cannot be read.
    """
    formulas = read_script(script.text, "instance", catalogue).assertions()
    depths = Depths(catalogue)
    return Instance(script, len(formulas), max(map(depths.of, formulas), default=0))


def _seed_of(sources: SourcesSetup, trace: Trace) -> list[str]:
    """The seed of the run of a trace, as the campaign has it. Raises InputError if the campaign has
    other seeds now.
    """
    corpus = Corpus(sources["seeds"], sources["mix"], sources.get("choices"))
    drawn = corpus.draw(trace.seed)
    names = [corpus.seeds[number].name for number in drawn.seeds]
    if drawn.source != SOURCE or [name.rpartition("/")[2] for name in names] != [_file(trace)]:
        raise NoInstance(
            f"the run of the trace works on {' '.join(names) or 'no seed'} now, not on {_file(trace)}: seeds were added or removed",
            file=trace.name,
        )
    return list(sources["seeds"][drawn.seeds[0]])


def _found(plan: Plan, trace: Trace) -> tuple[SourcesSetup, Scripted]:
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
    setup: Setup = {**plan.setup, "options": options, "drawn-options": [NONE]}
    return replace(plan, setup=setup)


def _file(trace: Trace) -> str:
    return trace.header.get("seed-file", "").rpartition("/")[2]
