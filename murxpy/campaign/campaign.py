"""A campaign makes runs on all targets until it is told to end, counts and confirms the findings, and
yields events.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator, Iterator
from dataclasses import asdict
from typing import Any

from murxpy import __version__
from murxpy.campaign.behind.orders import FollowUp
from murxpy.campaign.run_ends import Breakdown, Hangs, KeptScripts, RunEnds
from murxpy.campaign.runs import FuzzedTarget, barren, idle_code, stored_runs
from murxpy.campaign.sessions import choose_part, choose_seed, recorded_settings, refuse_another
from murxpy.campaign.slots import Slots
from murxpy.campaign.statistics import EventLog, callables_of, operators_of
from murxpy.cluster.service import ClusterReplays
from murxpy.errors import FolderLost, InputError, InternalError
from murxpy.findings.archive import Archive
from murxpy.findings.buckets import Bucket, Known
from murxpy.findings.collector import Collector
from murxpy.findings.folder import CAMPAIGN, Folder
from murxpy.findings.frames import Backtraces
from murxpy.findings.store import Store, TargetState
from murxpy.judging.comparing.baseline import Baselines
from murxpy.judging.comparing.comparison import Comparison
from murxpy.judging.cross_check import CrossCheck, Hooks, Judging
from murxpy.processes import interrupts
from murxpy.processes.pool import Pool
from murxpy.processes.service import Replays
from murxpy.processes.targets import Plan, version_of
from murxpy.records import events
from murxpy.records.config import Budget, CampaignConfig, cpu_counts, deadline, own_cpu
from murxpy.records.services import Service
from murxpy.records.snapshot import Left, NodeSum, NodeView
from murxpy.records.timeline import Timeline

# Without a limit of time: seconds after the last run in which the last findings are confirmed.
GRACE = 20.0
PATIENCE = 60.0  # seconds instead, where findings are made smaller or bisected in a short campaign
_FLUSH = 1.0  # seconds between two writes to the store
# Seconds between two writes while a finding waits to be reported, which happens when it is stored.
# With a write for each finding, a finding cost 2 ms more.
_URGENT = 0.1
# Seconds between two groupings of the buckets to defects while runs are made. With 600 buckets, one
# takes 20 ms.
_REGROUP = 1.0


class Campaign:
    """A campaign runs while it is iterated over. The campaign yields the events of
    `murxpy.records.events`, the last of them `Ended`.

    Raises InputError when the output folder cannot be used, TargetError when a solver cannot.
    """

    def __init__(self, config: CampaignConfig) -> None:
        self.config = config
        self._stop = ""
        self.interrupted = False  # whether a signal ended it
        self._since = time.monotonic() if config.since is None else config.since
        self._breakdown = Breakdown([plan.target.name for plan in config.targets])
        self._log = EventLog()
        self._cluster = contextlib.ExitStack()
        self._nodes: ClusterReplays | None = None
        self._abouts: list[dict[str, Any]] = []
        # In the order in which they begin what they can, and in which they end.
        self._services: list[Service] = []

    def stop(self, reason: str = "interrupted") -> None:
        """End the campaign soon, in good order. A signal handler may call this."""
        self._stop = self._stop or reason

    def _signalled(self) -> None:
        """End the campaign because a signal came."""
        self.interrupted = True
        self.stop()

    @property
    def buckets(self) -> list[Bucket]:
        """All buckets of the folder, oldest first."""
        return list(self._archive.buckets.values())

    @property
    def runs(self) -> int:
        """The runs of this session that have ended."""
        return self._log.runs

    @property
    def abouts(self) -> list[dict[str, Any]]:
        """The description of the solver by the session of each target; empty before the first
        event.
        """
        return list(self._abouts)

    def __iter__(self) -> Generator[events.Event, None, None]:
        names = [plan.target.name for plan in self.config.targets]
        if len(set(names)) < len(names):
            raise InputError(
                f"each target can be named once, not {' '.join(names)}; 'murxpy fuzz --jobs' gives it more workers"
            )
        folder = Folder(self.config.out, CAMPAIGN)
        try:
            store = Store(folder.path)
            try:
                self._archive = Archive(folder, store, Known(self.config.known), self._log.notice)
                yield from self._supervise(store)
            finally:
                store.close()
        finally:
            folder.close()

    def _supervise(self, store: Store) -> Iterator[events.Event]:
        if not self.config.resume:  # it goes on with what the folder has
            refuse_another(store, self.config)
        self.seed = choose_seed(store, self.config)
        self._part = choose_part(store, self.config)
        self._pool = Pool([*self.config.targets, *self.config.others], self.config.limits)
        try:
            with interrupts.caught(self._signalled):
                if interrupts.early():
                    self._signalled()
                self._prepare(store)
                try:
                    reason = yield from self._loop()
                    yield from self._finish(reason)
                except FolderLost as lost:
                    yield from self._abandon(lost)
                except BaseException:
                    with contextlib.suppress(FolderLost):
                        self._flush()  # what the user was told of is kept, whatever ends the campaign
                    raise
        finally:
            for service in self._services:
                service.close()
            self._cluster.close()
            self._pool.close()

    def _prepare(self, store: Store) -> None:
        versions = self._load(store)
        config = self.config
        self._replays = self._processes()
        self._budget = Budget(config.share)
        self._traces = Backtraces(
            self._budget,
            self._framed,
            lambda: self._follow_up.reducing,
            self._archive.shown_by,
        )
        self._collector = Collector(
            self._replays,
            self._archive,
            self._traces if config.backtrace else None,
            self._log.emit,
            config.known_marks,
            config.slots,
        )
        tried = self._archive.meta.get("suspects", [])
        hangs = Hangs(
            self._replays, self._solver, self._collector.found, tried, self._time_of_workers
        )
        self._ends = RunEnds(
            self._targets,
            config.out,
            self._archive,
            self._log,
            self._collector,
            hangs,
            self._breakdown,
        )
        judging = self._ends.cross = self._judging(versions) if config.others else None
        self._judges = judging or Service()
        slots = Slots(
            config,
            self._targets,
            self._replays,
            self._archive,
            self._log,
            self._ends.ended,
            self._breakdown.runs_passed,
            lambda: judging is not None and judging.full,
        )
        self._follow_up = FollowUp(
            config,
            self._archive,
            self._budget,
            self._log.emit,
            self._learnt,
            self._collector.older,
            self._collector.alike,
            self._collector.printed,
            self._nodes,
        )
        if config.scripts is not None and not config.resume:
            decided = config.scripts_decided
            kept = KeptScripts(config.scripts, self._log.notice, decided=decided)
            self._ends.scripts = kept
            self._services.append(kept)
        self._services += [slots, self._judges, self._collector, hangs]
        self._services += [self._traces, self._follow_up]
        self._epoch = time.time()
        self._timeline = Timeline(self._epoch)
        self._log.restart_clock()
        self._run_time = self._time_of_runs()
        self._flushed = self._ticked = 0.0
        self._regroup = False
        self._left: Left | None = None
        self._untried = False  # whether a finding that was not replayed makes the exit code 1
        self._unkept = ""
        self._record()
        self._begin(versions)

    def _record(self) -> None:
        """Write down in the folder what this session is, and what a later one must know of it."""
        config = self.config
        callables = {
            f"callables:{plan.target.name}": callables_of(plan.setup["wrapper"], about)
            for plan, about in zip(config.targets, self._abouts, strict=True)
            if about.get("callables")
        }
        self._archive.note(seed=self.seed, operators=operators_of(self._abouts), **callables)
        if not config.resume:
            part = self._part
            shard = (part.number, part.lag.shards)
            self._archive.note(lag=part.lag.most, shard=shard, release=__version__)
            self._archive.note(
                **recorded_settings(config), known=(config.known, dict(config.known_marks))
            )
        self._archive.session(self._epoch, dict(config.arguments))

    def _load(self, store: Store) -> list[str]:
        """Load all solvers, and return their versions."""
        abouts = self._pool.warm()
        versions = [version_of(about) for about in abouts]
        self._all_abouts = abouts
        self._abouts = abouts[: len(self.config.targets)]
        self._targets = [
            self._target(plan, about, store)
            for plan, about in zip(self.config.targets, self._abouts, strict=True)
        ]
        return versions

    def _processes(self) -> Replays:
        """The replay service: of this machine, or of a cluster."""
        config = self.config
        if config.cluster is None:
            return Replays(self._pool, range(len(self._targets)))
        replays = ClusterReplays(
            self._pool,
            config.cluster(),
            config.out,
            self.seed,
            config.slots,
            self._log.notice,
            self._all_abouts,
        )
        self._cluster.callback(replays.close)
        self._nodes = replays
        return replays

    def _target(self, plan: Plan, about: dict[str, Any], store: Store) -> FuzzedTarget:
        config = self.config
        with store.reading(f"what it keeps of {plan.target.name}"):
            runs = stored_runs(
                plan,
                about,
                store,
                self.seed,
                config.runs,
                resume=config.resume,
                # what a comparison has found does not change what is compared
                damp=config.damp and not config.compare,
                part=self._part,
            )
        if runs.steering is not None:
            for notice in runs.steering.notices():
                self._log.notice(notice)
        return FuzzedTarget(plan.target.name, plan.target.family, version_of(about), runs)

    def _begin(self, versions: list[str]) -> None:
        config = self.config
        count = len(self._targets) + (len(config.judges) if config.compare else 0)
        plans = zip(self._pool.plans[:count], versions, strict=False)
        targets = tuple(events.Target(p.target.name, p.target.family, v) for p, v in plans)
        self._log.emit(
            events.Started(
                self._epoch,
                targets,
                str(config.out),
                self.seed,
                config.machine,
                config.slots,
                config.time,
                config.runs,
            )
        )
        self._compare()
        solvers = [self._solver(number) for number in range(len(self._targets))]
        self._collector.confirm_stored(solvers, config.limits.wall)
        meta = self._archive.meta
        opened = meta.get("opened", ()) if config.resume else ()
        self._collector.go_on(opened, meta.get("unframed", ()))

    def _judging(self, versions: list[str]) -> Judging:
        """The other solvers that look at the runs."""
        config, replays, slots = self.config, self._replays, self.config.slots
        hooks = Hooks(
            lambda target: self._targets[target].runs,
            self._ends.triaged,
            self._ends.count,
            lambda: self.buckets,
        )
        if config.compare:
            return Comparison(replays, versions, slots, hooks, self._targets[0].runs.lowest)
        first = len(config.targets)
        judges = range(first, first + len(config.judges))
        cross = (
            CrossCheck(replays, judges, versions, slots, hooks, config.judged, config.answers)
            if judges
            else None
        )
        if config.baselines:
            plans = [plan.target.name for plan in (*config.targets, *config.others)]
            asked = [plans.index(plan.target.name, first) for plan in config.baselines]
            enumerated = self._targets[0].runs.enumerated is not None
            return Baselines(replays, asked, versions, hooks, cross, enumerated=enumerated)
        assert cross is not None, "some other solver looks at the runs"
        return cross

    def _time_of_workers(self) -> float:
        """The seconds that all workers have together."""
        return self.config.slots * max(self.config.time or 0.0, self._log.now)

    def _solver(self, target: int) -> tuple[str, str]:
        return self._targets[target].family, self._targets[target].version

    def _framed(self, key: str, text: str) -> None:
        self._archive.set_backtrace(key, text)
        self._learnt()

    def _compare(self) -> None:
        self._regroup, self._compared = False, self._log.now
        self._collector.compare()

    def _learnt(self) -> None:
        """Group the buckets again, since more is known of a bucket: soon, or at once if the groups
        decide what is still to be done.
        """
        self._regroup = True
        if self._budget.unbounded:
            self._compare()

    def _time_of_runs(self) -> float | None:
        """The seconds that runs are made; None without a limit. The runs get all the time of the
        campaign, unless the machine is so busy that the start alone took the overtime; they get at
        least half of it.
        """
        seconds = self.config.time
        if seconds is None:
            return None
        left = deadline(self._since, seconds) - time.monotonic()
        return max(seconds / 2, min(seconds, left))

    # The loop.

    def _loop(self) -> Generator[events.Event, None, str]:
        self._flush()
        while not (reason := self._reason()):
            yield from self._turn()
        return reason

    def _turn(self) -> Iterator[events.Event]:
        """Let each service begin what it can, and take what ended."""
        with self._breakdown.watch(self._log.runs):
            for service in self._services:
                service.feed()
            self._replays.step()
            for service in self._services:
                service.poll()
            self._keep()
        yield from self._reportable()

    def _reportable(self) -> Iterator[events.Event]:
        """The events that can be reported now: a finding is reported when it is stored."""
        return iter(()) if self._collector.urgent else self._log.drain()

    def _keep(self) -> None:
        """Write to the store and tell the figures, when it is time."""
        now = self._log.now
        if now - self._flushed >= (_URGENT if self._collector.urgent else _FLUSH):
            if self._regroup and now - self._compared >= _REGROUP:
                self._compare()
            for service in self._services:
                service.look()
            if self._timeline.due(now):
                self._point(now)
            self._flush()
        if now - self._ticked >= self.config.tick:
            self._ticked = now
            self._account()
            self._look_at_nodes()
            self._left = None if self._log.statistics.runs_ended is None else self._unsettled()
            self._log.emit(events.Tick(now, self._log.statistics.snapshot(now, self._left)))

    def _look_at_nodes(self) -> None:
        """Tell the statistics which nodes of a cluster there are, and which were lost."""
        if self._nodes is None:
            return
        now, there = time.monotonic(), self._nodes.members.values()
        self._log.statistics.nodes = tuple(
            NodeView(one.name, one.host, one.runs, now - one.seen, one not in there, one.refused)
            for one in (*there, *self._nodes.gone)
        )
        self._archive.nodes([NodeSum(*row) for row in self._nodes.told()])

    def _point(self, now: float) -> None:
        """Note the figures of this moment for the reports over time."""
        figures = self._log.statistics.snapshot(now)
        self._archive.point(
            self._timeline.point(now, figures.counts, figures.overstayed, figures.lost)
        )

    def _reason(self) -> str:
        """The reason to end the campaign now; empty if there is no reason."""
        if self._stop or self._breakdown.reason:
            return self._stop or self._breakdown.reason
        if self._run_time is not None and self._log.now >= self._run_time:
            return "time limit"
        if self.config.first and self._exit_code() == 1:
            return "first finding"
        runs = [target.runs for target in self._targets]
        if not all(each.exhausted for each in runs) or self._busy:
            return ""
        enumerated = any(each.enumerated is not None for each in runs)
        if self.config.resume:
            return "nothing left to run"
        used_up = all(each.used_up for each in runs) and not enumerated
        return "all seeds used up" if used_up else "all runs done"

    # The end.

    def _account(self) -> None:
        """Tell statistics and budget how long the parts of the campaign took of all processors until
        now, or until the end of its runs.
        """
        if self._budget.unbounded:
            return
        parts = {
            **self._replays.cpu(),
            "targets": self._pool.parents_cpu,
            "supervisor": own_cpu(),
        }
        behind = {part: cpu for service in self._services for part, cpu in service.cpu().items()}
        parts.update(behind)
        self._budget.passed(sum(behind.values()), sum(parts.values()))
        self._log.statistics.spent(cpu_counts(parts))

    def _finish(self, reason: str) -> Iterator[events.Event]:
        """Do what is left as far as there is time for it, store everything, and tell the end."""
        self._stop = "" if self._stop == reason else self._stop
        self._log.end_runs(self._log.now, barren(self.config.targets, self._targets))
        self._account()
        self._look_at_nodes()
        for service in self._services:
            service.end_runs(at_once=reason == "first finding")
        with interrupts.caught(self._signalled):  # a signal now ends only the wait
            yield from self._wait(reason)
        if self._regroup:
            self._compare()
        for service in self._services:
            service.settle()
        self._left = self._unsettled()
        self._untried = self._collector.tell_untried(self.config.fail_on)
        if self._left:
            self._log.notice(f"left for 'murxpy finish' or the next session: {self._left.words()}")
        now = self._log.now
        kept = {"left": asdict(self._left), "unframed": self._traces.waiting}
        self._archive.note(**kept, opened=self._collector.opened)
        self._archive.session(self._epoch, dict(self.config.arguments), time.time(), reason)
        self._point(now)
        self._look_at_nodes()
        self._flush()
        self._tell_end(reason, now)
        yield from self._log.drain()

    def _abandon(self, lost: FolderLost) -> Iterator[events.Event]:
        """End at once, since the folder cannot be written any more; what it lacks is written elsewhere."""
        self._log.end_runs(self._log.now, ())
        for service in self._services:
            service.end_runs(at_once=True)
        self._untried |= self._collector.tell_untried(self.config.fail_on)
        self._unkept = str(self._archive.rescue(lost))
        self._log.notice(self._unkept)
        self._tell_end(f"the folder cannot be written: {lost.why}", self._log.now)
        yield from self._log.drain()

    def _wait(self, reason: str) -> Iterator[events.Event]:
        """Go on without new runs while there is something left to do and time for it. Findings are
        confirmed first; then they are made smaller, and so on, the worst first.
        """
        ended, hurried = self._log.now, False
        while (
            (self._unsettled() or self._collector.busy or self._flushed <= ended)
            and self._has_time(reason, ended)
            and not (self._stop or self._breakdown.unusable)
        ):
            if not (hurried or self._collector.busy):
                self._flush()  # only a finding whose trace is in its file is made smaller
                self._compare()  # it decides what is to be made smaller
                self._follow_up.hurry()
                hurried = True
            else:
                yield from self._turn()

    def _has_time(self, reason: str, ended: float) -> bool:
        """Whether there is still time for what is left after the last run, which was at `ended`.

        After a limit of time, all that is done ends within the overtime. Without one, reductions that
        tell which defects were found end by themselves, and what the user asked for gets as much
        time as the runs had. After Ctrl-C only the judges get time.
        """
        config, now = self.config, self._log.now
        since, seconds = self._since, config.time
        late = seconds is not None and time.monotonic() >= deadline(since, seconds)
        if reason == "interrupted":
            return self._judges.busy and now < ended + GRACE
        if reason == "first finding":
            return now < ended + GRACE and not late
        if config.finish or config.time is not None:
            return config.finish or not late
        patience = max(PATIENCE, ended) if self._follow_up.patient and not self._busy else GRACE
        return now < ended + patience or self._follow_up.queue.telling > 0

    def _tell_end(self, reason: str, now: float) -> None:
        seeds = {
            target.name: target.runs.yields()
            for target in self._targets
            if target.runs.steering is not None
        }
        offered = {
            target.name: target.runs.steering.offered
            for target in self._targets
            if target.runs.steering is not None
        }
        self._log.emit(
            events.Ended(
                reason,
                self._log.statistics.snapshot(now),
                self._exit_code(),
                seeds,
                offered,
                self._left or Left(),
                self._unkept,
                sum(bucket.count for bucket in self.buckets),
                len(self.buckets),
                len(self._collector.late),
            )
        )

    @property
    def _busy(self) -> bool:
        return any(service.busy for service in self._services)

    def _unsettled(self) -> Left:
        """The work that is still to be done for the findings."""
        return sum((service.left for service in self._services), Left())

    def _exit_code(self) -> int:
        if self._unkept and not self._breakdown.exit_code:
            return InternalError.exit_code
        if self._breakdown.exit_code:
            return self._breakdown.exit_code
        if self.interrupted:
            return interrupts.exit_code()
        unsolved = self._left is not None and self._left.disagreements > 0
        if self._collector.fails(self.config.fail_on) or self._untried or unsolved:
            return 1
        return InternalError.exit_code if self._collector.broken else idle_code(self._targets)

    # The store.

    def _flush(self) -> None:
        states = []
        for target in self._targets:
            runs = target.runs
            states.append(
                TargetState(
                    target.name,
                    target.family,
                    target.version,
                    runs.ledger.next,
                    tuple((first, count) for first, count, _ in runs.ledger.spans()),
                )
            )
            if runs.steering is not None:
                self._archive.steered(target.name, runs.steering)
            if runs.guidance is not None:
                self._archive.guided(target.name, runs.guidance)
        for service in self._services:
            self._archive.note(**service.state())
        self._collector.urgent = False
        self._flushed = self._log.now
        self._archive.flush(states)
