"""The slots of a campaign: in each slot, one process after another makes runs of one target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from murxpy.campaign.runs import FuzzedTarget
from murxpy.campaign.statistics import EventLog
from murxpy.findings.archive import Archive
from murxpy.oracles.crash import is_from_outside, signal_name
from murxpy.processes.handles import Damp, Job, Worker
from murxpy.processes.inquiries import Trial, Trials
from murxpy.processes.parents import DEEP
from murxpy.processes.pool import Result
from murxpy.processes.service import Fresh, Future, Group, Replays, Stretch, Sum, Watcher
from murxpy.records import events
from murxpy.records.config import CampaignConfig
from murxpy.records.services import Service

_AHEAD = 2  # [`2`] a process holds its next job while it does the first, so that it never waits for the supervisor

# Times its limits that a replay gets of a run which a limit ended deep in the stack. An endless recursion fills the
# stack in 0.4 s of the processor, and a call has an eighth of a second.
_LONGER, _LONGER_CALL = 4.0, 8.0

Ended = Callable[[int, Result], None]


@dataclass(frozen=True)
class _Owner:
    """Has neighbouring runs of a target made for the slots."""

    slots: Slots
    target: int

    def summed(self, sums: Sequence[Sum]) -> None:
        self.slots.summed(self.target, sums)

    def passed(self, index: int, count: int) -> None:
        self.slots.passed(self.target, index, count)

    def back(self, index: int, count: int) -> None:
        self.slots.back(self.target, index, count)

    def over(self, future: Future) -> None:
        self.slots.over(self.target, future)


class Slots(Service, Watcher):
    """The slots of `targets`: as many as `config` has jobs, and at least one for each target.
    `ended` gets the number of the target and the result of each run, or `passed` the number of neighbouring runs
    that showed nothing. While `held` says that the judges are
    behind, no run begins.

    A run that was not begun goes back to the ledger of its target, which hands it out again.
    """

    def __init__(
        self,
        config: CampaignConfig,
        targets: Sequence[FuzzedTarget],
        replays: Replays,
        archive: Archive,
        log: EventLog,
        ended: Ended,
        passed: Callable[[int, int], None],
        held: Callable[[], bool],
    ) -> None:
        self._held = held
        self._passed = passed
        # what else looks at runs, and at their traces, looks at each by itself
        self._in_stretches = not (config.others or config.scripts is not None or config.resume)
        self._closed = False
        self._config = config
        self._targets = targets
        self._replays = replays
        self._archive = archive
        self._log = log
        self._tell = ended
        self.count = config.slots
        self._deep = Trials(replays)
        self._groups = [
            Group(target, range(target, self.count, len(targets)), _AHEAD, False, self, "runs")
            for target in range(len(targets))
        ]

    def feed(self) -> None:
        """Give runs to the processes that have room for more."""
        if self._closed:
            return
        self._deep.feed()
        for target, group in enumerate(self._groups):
            if self._in_stretches:
                self._feed_stretches(target, group)
            while self._replays.room(group) and not self._held():
                taken = self._targets[target].runs.take()
                if taken is None:
                    break
                self._assign(target, group, *taken)

    def _feed_stretches(self, target: int, group: Group) -> None:
        """Have neighbouring runs made in blocks, where that makes no difference to the runs."""
        runs = self._targets[target].runs
        size, free = self._replays.wants(group)
        while free and (ready := runs.ready(size * free)):
            # what can begin is shared by all who have room: the last blocks are small
            first, count, damp = runs.take_span(min(size, -(-ready // free)))
            job = self._job(target, 0, -1, damp)
            owner = _Owner(self, target)
            self._replays.submit_stretch(Stretch(first, count, runs.seed, job, owner), group)
            free -= 1

    def _assign(self, target: int, group: Group, index: int, seed: int) -> None:
        job = self._job(target, seed, index, self._targets[target].runs.damped(index))
        future = self._replays.submit((job,), group, partial(self.over, target))
        if future.worker is not None and len(future.worker.jobs) == 1:
            self.show(future.worker)

    def _job(self, target: int, seed: int, index: int, damp: Damp) -> Job:
        config, runs = self._config, self._targets[target].runs
        walks = runs.walks(seed)
        judged = bool(config.judges) and runs.judged_at_all(seed)
        return Job(
            seed,
            config.limits.wall,
            index,
            damp=damp,
            keep=config.compare
            or bool(config.baselines)
            or (config.scripts is not None and not config.scripts_decided)
            or ("decided" if config.scripts or judged else False),
            by_line=config.limits.by_line and not walks,
            call=config.limits.call if walks else 0.0,
            text=runs.text_of(index) if index >= 0 else None,
            name=f"{seed:016x}.trace",
        )

    def show(self, worker: Worker) -> None:
        """Tell the log what `worker` does now."""
        target = self._targets[worker.slot % len(self._targets)].name
        if worker.jobs:
            self._log.show(worker.slot, target, "running", worker.jobs[0].seed)
        else:
            self._log.show(worker.slot, target, "waiting")

    def state(self) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for target in self._targets:
            enumerated = target.runs.enumerated
            if enumerated is not None:
                kept[f"enumerated:{target.name}"] = enumerated.state()
            if target.runs.damping is not None:
                kept[f"damping:{target.name}"] = target.runs.damping.state()
            kept[f"ended:{target.name}"] = dict(target.runs.ledger.ended)
        return kept

    def end_runs(self, *, at_once: bool) -> None:
        """End the processes."""
        self._closed = True
        self._deep.clear()
        for group in self._groups:
            for worker in group.workers:
                job = worker.running()
                if job is not None:
                    self._targets[group.target].runs.stopped(job.seed, worker.trace())
                self._log.show(worker.slot, self._targets[group.target].name, "confirming")
            self._replays.end(group)

    # The replay service calls these.

    def summed(self, target: int, sums: Sequence[Sum]) -> None:
        """Count runs of a target that ended by themselves and showed nothing."""
        for one in sums:
            self._archive.add(one.counts)
            self._log.emit(events.RunsEnded(one.slot, one.runs, one.counts))

    def passed(self, target: int, index: int, count: int) -> None:
        """Note that neighbouring runs of a target are over, which showed nothing."""
        self._targets[target].runs.passed(index, count)
        self._passed(target, count)

    def back(self, target: int, index: int, count: int) -> None:
        """Take back neighbouring runs of a target that were not begun."""
        self._targets[target].runs.give_back(index, count)

    def over(self, target: int, future: Future) -> None:
        """Take the end of a run of a target."""
        for result in future.results:
            outcome = result.outcome
            if outcome.cause in ("wall", "cpu") and outcome.stack >= DEEP:
                self._make_again(target, result)
            else:
                self._tell(target, result)
        if future.aside:
            self._archive.add({"run:aside": 1})
            self._targets[target].runs.done(future.jobs[0].index)
        elif not future.results:
            (job,) = future.jobs
            self._targets[target].runs.give_back(job.index)
            if future.worker is not None:
                self._log.statistics.not_begun(future.worker.slot, job.seed)

    def _make_again(self, target: int, result: Result) -> None:
        """Replay the trace of a run, with more time, that a limit ended while its stack was deep. The run
        may be in an endless recursion, which crashes a little later: a slightly faster machine would show
        the crash.
        """
        job = result.job
        self._archive.add({"run:again": 1})
        self._log.show(result.worker.slot, self._targets[target].name, "waiting")  # it is not over
        wall, call = _LONGER * job.wall, _LONGER_CALL * job.call
        more = replace(job, text=result.outcome.trace, wall=wall, call=call)
        self._deep.add(Trial((more,), Fresh(target), partial(self._made_again, target, result)))

    def _made_again(self, target: int, result: Result, future: Future) -> None:
        """Take the death of the replay as the end of the run, or else the end that it had. The death needs
        no other replay.
        """
        ends = [
            o for o in future.outcomes if o.cause == "died" and not (o.after or is_from_outside(o))
        ]
        if not ends:
            self._tell(target, result)
            return
        limited = result.outcome
        died = replace(ends[0], trace=limited.trace, cpu=limited.cpu, seconds=limited.seconds)
        self._tell(target, replace(result, outcome=died, shown_again=True))
        # it was no process of the slot, so nobody else tells
        self._log.emit(events.WorkerLost(result.worker.slot, signal_name(died.status)))

    def hired(self, worker: Worker) -> None:
        """Tell the log that a process begins in a slot."""
        target = self._targets[worker.slot % len(self._targets)]
        self._log.show(worker.slot, target.name, "starting")

    def died_after(self, result: Result) -> None:
        """Hand on that a process died between two runs. The run before may be to blame."""
        self._tell(result.worker.slot % len(self._targets), result)

    def lost(self, slot: int, reason: str) -> None:
        """Count a process that ended when nobody had told it to."""
        if reason:
            self._archive.add({"worker:lost": 1})
            self._log.emit(events.WorkerLost(slot, reason))
