"""The runs of one target: which run comes next, from which seed, and which runs are done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from murxpy.campaign.enumeration import Enumerated
from murxpy.errors import InputError
from murxpy.findings.store import Store
from murxpy.fuzzers.seeds import all_faulty, none_usable, unusable
from murxpy.learning.guide import Lag
from murxpy.machine.random import run_seed
from murxpy.oracles.crash import Outcome, Verdict
from murxpy.oracles.disagreement import Answers, confirmed_of, spent_of
from murxpy.processes.handles import Damp
from murxpy.processes.targets import Plan, version_of
from murxpy.records.yields import Yield, settled
from murxpy.solvers.facts import SCRIPT_MS
from murxpy.steering.guidance import Damping, Guidance, choices_of
from murxpy.steering.seeds import Ledger, Steering


@dataclass(frozen=True, slots=True)
class Part:
    """The part of the runs of a campaign that this folder has: shard `number` of as many as `lag` counts,
    which has each so manyth run.
    """

    lag: Lag = field(default_factory=Lag)
    number: int = 1


WHOLE = Part()


class Runs:
    """Hands out runs as `ledger` has them. `steering` chooses the seed files that the runs work on;
    it is None when the runs need no seed files. `guidance` chooses the arms of walks; it is None in a
    campaign without guidance. `enumerated` chooses the runs of an enumeration; it is None for any
    other campaign. `damping` chooses the calls that walks draw less often; it is None where none are.
    """

    def __init__(
        self,
        seed: int,
        ledger: Ledger,
        steering: Steering | None,
        enumerated: Enumerated | None = None,
        guidance: Guidance | None = None,
        damping: Damping | None = None,
    ) -> None:
        self._seed = seed
        self.ledger = ledger
        self.steering = steering
        self.enumerated = enumerated
        self.guidance = guidance
        self.damping = damping

    def take(self) -> tuple[int, int] | None:
        """The index and the seed of the next run; None when there is none, or none yet."""
        upcoming, waiting = self.ledger.upcoming, (self.guidance, self.steering, self.damping)
        if not all(one.ready(upcoming) for one in waiting if one):
            return None
        if self.used_up:
            if self.enumerated is not None:
                # runs that are under way may leave something to do
                if self.ledger.open() or not self.enumerated.settle():
                    return None
            else:
                self.ledger.close()
        index = self.ledger.take()
        if index is None:
            return None
        if self.enumerated is not None:
            return index, self.enumerated.seed_of(index)
        return index, self._seed_of(index)

    @property
    def alike(self) -> bool:
        """Whether nothing but its number makes a run differ from its neighbours, so that they can be made in
        one block.
        """
        return self.guidance is None and self.steering is None and self.enumerated is None

    def ready(self, most: int) -> int:
        """How many new neighbours can begin now, `most` at most."""
        most = self.ledger.most(most) if self.alike else 0
        return self.damping.ready_from(self.ledger.next, most) if most and self.damping else most

    def take_span(self, most: int) -> tuple[int, int, Damp]:
        """Take the next neighbours that draw the same calls less often, `most` at most, which can begin now:
        the index of the first, how many they are, and the calls.
        """
        first = self.ledger.next
        damp: Damp = ()
        if self.damping is not None:
            most = self.damping.alike_from(first, most)
            damp = self.damping.of(first, most)
        return self.ledger.take_span(most), most, damp

    @property
    def seed(self) -> int:
        """The seed of the campaign."""
        return self._seed

    def damped(self, index: int) -> Damp:
        """The calls that run `index`, which `take` gave last, draws less often."""
        return () if self.damping is None else self.damping.of(index)

    def _seed_of(self, index: int) -> int:
        """The seed of run `index` of a campaign that enumerates nothing."""
        guidance, steering = self.guidance, self.steering
        if steering is None:
            seed = run_seed(self._seed, index)
            return seed if guidance is None else guidance.seed_of(index, seed)
        if guidance is None:
            return steering.seed_of(index)
        source = guidance.source_of(index)
        for number, news in guidance.learnt.items():
            steering.note_news(number, news)
        seed = steering.seed_of(index, source)
        of = "" if source is None else steering.source_of(seed)
        return guidance.seed_of(index, seed, of, mutates=steering.fuzzer_of(seed) is not None)

    @property
    def used_up(self) -> bool:
        """Whether no new run can be made because every seed file has used up its budget, or every
        block was handed out.
        """
        if self.enumerated is not None:
            return self.ledger.next >= self.enumerated.number and not self.ledger.redoing
        return self.steering is not None and self.steering.used_up and not self.ledger.redoing

    @property
    def exhausted(self) -> bool:
        """Whether no further run will be handed out, and all runs that were handed out are done."""
        over = self.enumerated is not None and self.enumerated.settled and self.used_up
        return (over and not self.ledger.open()) or self.ledger.exhausted

    def text_of(self, index: int) -> str | None:
        """The trace that run `index` replays; None where the run makes a trace of its own."""
        return None if self.enumerated is None else self.enumerated.text_of(index)

    def reported(self, index: int, seed: int, report: Mapping[str, Any]) -> None:
        """Note the report of run `index`, which has this seed."""
        self.count(index, report["counts"])
        if self.guidance is not None:
            self.guidance.reported(index, report)
        if self.enumerated is not None:
            self.enumerated.spent(seed, spent_of(report))
            self.enumerated.count(report["counts"])

    def ended_early(self, seed: int, trace: str, *, reported: bool, killed: bool) -> dict[str, int]:
        """Note that the run with this seed ended with the last line of `trace`, by a finding or from
        outside, where a limit of time may have `killed` it. Returns the counters of what is in the
        trace where the run has not `reported` them.
        """
        if self.enumerated is None:
            return {}
        counts = self.enumerated.ended_early(seed, trace, reported=reported, killed=killed)
        self.enumerated.count(counts)
        return counts

    def judged(
        self,
        seed: int,
        outcome: Outcome,
        answers: Mapping[str, Answers],
        spent: Mapping[str, Mapping[int, float]],
    ) -> dict[str, int]:
        """The counters for the answers of each judge, by its name, to the run with this seed. `spent` has
        what scripts cost each judge in milliseconds of a usual machine, by the lines of the run's trace.
        """
        if self.enumerated is None:
            return {}
        own = confirmed_of(outcome.report)
        counts = self.enumerated.judged(seed, outcome.trace, answers, own)
        self.enumerated.count(counts)
        own_costs = spent_of(outcome.report)
        self.enumerated.note_given_up(seed, outcome.trace, answers, own_costs, spent)
        return counts

    def count_scripts(self, counts: Mapping[str, int]) -> None:
        """Note the counters that are about the enumerated scripts of this target."""
        if self.enumerated is not None:
            self.enumerated.count(counts)

    def count_open(self, counts: Mapping[str, int]) -> None:
        """Note such counters of a run that the end of the campaign leaves open, until it is made again."""
        if self.enumerated is not None:
            self.enumerated.count_open(counts)

    def judged_open(self, seed: int, outcome: Outcome, answers: Mapping[str, Answers]) -> None:
        """Note the answers of some judges to a run that the end of the campaign leaves open."""
        if self.enumerated is not None:
            own = confirmed_of(outcome.report)
            self.enumerated.count_open(self.enumerated.judged(seed, outcome.trace, answers, own))

    def stopped(self, seed: int, trace: str) -> None:
        """Note that the end of the campaign stopped the run with this seed at the last line of `trace`."""
        if self.enumerated is not None:
            self.enumerated.stopped(seed, trace)

    def compared(self, seed: int, outcome: Outcome, judged: Mapping[int, float]) -> None:
        """Note what the scripts of the run with this seed cost a judge, by the lines of its trace, in
        milliseconds of a usual machine.
        """
        if self.enumerated is not None:
            self.enumerated.compared(seed, outcome.trace, spent_of(outcome.report), judged)

    def gave_up(self, seed: int, outcome: Outcome, place: int, other: str, ms: float) -> None:
        """Note that the target gives up on a script of the run with this seed, which the solver named `other`
        decides at a cost of `ms` milliseconds of a usual machine. It is script number `place` of the run.
        """
        if self.enumerated is not None:
            costs = spent_of(outcome.report)
            self.enumerated.gave_up(seed, outcome.trace, costs, place, other, ms)

    def scripts_for(self, seed: int, trace: str, family: str) -> Mapping[str, str]:
        """The scripts of the run with this seed that a family of solvers needs in other words, by the
        lines of its trace.
        """
        return {} if self.enumerated is None else self.enumerated.scripts_for(seed, trace, family)

    def sizes(self, seed: int, trace: str) -> Sequence[str]:
        """The grammar and size of each script in the trace of the run with this seed, such as `reals:4`;
        empty where no grammar made them.
        """
        return () if self.enumerated is None else self.enumerated.sizes(seed, trace)

    def lowest(self) -> int:
        """The smallest index of a run that was handed out and is not done, or is handed out next."""
        return min(self.ledger.open(), default=self.ledger.next)

    def count(self, index: int, counts: Mapping[str, int]) -> None:
        """Note the counters of run `index`."""
        if self.steering is not None:
            self.steering.count(index, counts)

    def ended_badly(self, index: int, seed: int, word: str) -> dict[str, int]:
        """The counters for a run that ended without a report, or in which something was found: `word`
        names the counter. The list is empty unless the run belongs to a mutation fuzzer.
        """
        if self.guidance is not None and word == "timeouts":
            self.guidance.killed(index)
        if self.steering is None or (source := self.steering.fuzzer_of(seed)) is None:
            return {}
        counts = {f"mutator:{source}:{word}": 1}
        self.count(index, counts)
        return counts

    def source_of(self, seed: int) -> str | None:
        """The source of the run with this seed; None in a campaign that has only one kind of source."""
        return None if self.steering is None else self.steering.source_of(seed)

    def walks(self, seed: int) -> bool:
        """Whether the run with this seed walks over a state machine, also in a mix."""
        mutates = self.steering is not None and self.steering.fuzzer_of(seed) is not None
        return self.enumerated is None and not mutates

    def judged_at_all(self, seed: int) -> bool:
        """Whether judges look at the run with this seed: at all runs but the walks of a mix that learns. A
        judge costs as much as the walk, and walks are checked against models that we know.
        """
        return self.steering is None or not self.steering.learns or not self.walks(seed)

    def found(self, index: int, bucket: str, verdict: Verdict) -> None:
        """Note that run `index` had a finding of `bucket`, empty for a finding that does not count
        for its seed file and its arms.
        """
        if self.steering is not None:
            self.steering.found(index, bucket)
        if self.guidance is not None:
            self.guidance.found(index, bucket, verdict)
        if self.damping is not None:
            self.damping.found(index, verdict)

    def ended(self, index: int, bucket: str = "") -> None:
        """Note that run `index` ended and was counted; a finding in it went to `bucket`. The run is
        done when its judges have answered.
        """
        self.ledger.ended[index] = bucket
        if self.damping is not None:
            self.damping.over(index)

    def counted(self, index: int) -> str | None:
        """The bucket of the finding in run `index`, if the run ended in an earlier session; empty if
        it had no finding. The result is None if the run did not end before.
        """
        return self.ledger.ended.get(index)

    def done(self, index: int) -> None:
        """Note that run `index` is over, whatever its outcome."""
        self.ledger.done(index)
        if self.steering is not None:
            self.steering.done(index)
        if self.guidance is not None:
            self.guidance.done(index)
        if self.damping is not None:
            self.damping.over(index)

    def passed(self, index: int, count: int) -> None:
        """Note that so many neighbours from run `index` on are over, in which nothing was found."""
        self.ledger.done(index, count)
        if self.damping is not None:
            self.damping.over(index, count)

    def give_back(self, index: int, count: int = 1) -> None:
        """Note that run `index`, or so many neighbours from it on, were not begun. They are handed out again
        with the same seeds.
        """
        self.ledger.give_back(index, count)

    def yields(self) -> tuple[Yield, ...]:
        """The yield of each seed file that was used: how many runs, answers and findings came of it."""
        return (
            ()
            if self.steering is None
            else tuple(settled(self.steering.yields.values(), self.steering.state()))
        )

    @property
    def barren(self) -> bool:
        """Whether no seed file can be used, and none ever gave a mutant."""
        if not self.used_up or self.steering is None:
            return False
        yields = self.yields()
        return bool(yields) and all(entry.unusable and not entry.made for entry in yields)


@dataclass(frozen=True, eq=False)
class FuzzedTarget:
    """A target in a campaign: its name, the family and version of its solver, and its runs."""

    name: str
    family: str
    version: str
    runs: Runs


def barren(plans: Sequence[Plan], targets: Sequence[FuzzedTarget]) -> list[str]:
    """A sentence for each target that can use no seed file; `plans` are those of the targets."""
    return [
        f"{target.name}: {none_usable(plan.setup['sources'], target.family)}"
        for plan, target in zip(plans, targets, strict=False)
        if target.runs.barren
    ]


def idle_code(targets: Sequence[FuzzedTarget]) -> int:
    """The exit code of a campaign that found nothing: that of bad input if no target can use any
    seed file.
    """
    return InputError.exit_code if all(target.runs.barren for target in targets) else 0


def stored_runs(
    plan: Plan,
    about: Mapping[str, Any],
    store: Store,
    seed: int,
    limit: int | None,
    *,
    resume: bool = False,
    damp: bool = True,
    part: Part = WHOLE,
) -> Runs:
    """The runs of the target of `plan`, whose session describes its solver by `about`, in the
    campaign with `seed`. The runs continue where an earlier session stopped, and there are at most
    `limit` more; with `resume` only those that wait for their judges are made again. With `damp`,
    walks draw the calls of earlier findings less often. `part` says which of the runs are made.
    Raises InputError when every source lacks seeds that it needs.
    """
    name, meta = plan.target.name, store.meta()
    state = store.targets().get(name)
    ended = {int(index): bucket for index, bucket in meta.get(f"ended:{name}", {}).items()}
    made, open_ = (state.next, state.numbers()) if state else (0, ())
    ledger = Ledger(
        made, open_, limit, ended, resume=resume, first=part.number - 1, step=part.lag.shards
    )
    sources = plan.setup.get("sources")
    if plan.setup.get("enumeration"):
        release, saved = f"{plan.target.family} {version_of(about)}", meta.get(f"enumerated:{name}")
        return Runs(seed, ledger, None, Enumerated(plan.setup, release, saved))
    guidance = _stored_guidance(plan, about, store, seed, ledger, part.lag)
    damping = Damping(meta.get(f"damping:{name}"), part.lag, ledger.spans()) if damp else None
    if not sources:
        return Runs(seed, ledger, None, guidance=guidance, damping=damping)
    saved = _left_open(meta.get(f"steering:{name}"), ledger)
    try:
        # a mix that learns begins with walks, and finds out later which seeds it cannot use
        faults = {} if sources.get("auto") else unusable(sources, plan.target.family)
        yields, script_ms = store.yields().get(name, ()), float(about.get("script_ms", SCRIPT_MS))
        steering = Steering(seed, sources, yields, saved, faults, part.lag, script_ms)
    except InputError:
        if not all_faulty(sources, plan.target.family):
            raise
        raise InputError(none_usable(sources, plan.target.family)) from None
    return Runs(seed, ledger, steering, guidance=guidance, damping=damping)


def _stored_guidance(
    plan: Plan, about: Mapping[str, Any], store: Store, seed: int, ledger: Ledger, lag: Lag
) -> Guidance | None:
    """The guidance of the target of `plan`, whose runs `ledger` has; None where the user wants none."""
    way, name = plan.setup.get("guide"), plan.target.name
    if way is None:
        return None
    saved = _left_open(store.meta().get(f"guidance:{name}"), ledger)
    arms, choices = choices_of(plan.setup, about)
    yields = store.arms().get(name, ())
    return Guidance(way, seed, arms, choices, yields, store.news(name), saved, lag)


def _left_open(saved: Mapping[str, Any] | None, ledger: Ledger) -> dict[str, Any]:
    """Return the part of the `saved` choices of an earlier session that still applies. Open runs that
    another session has made since, without seed files or without guidance, are removed.
    """
    saved, left = saved or {}, {str(index) for index in ledger.open()}
    open_ = {index: row for index, row in saved.get("open", {}).items() if index in left}
    return {**saved, "open": open_}
