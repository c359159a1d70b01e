"""The replay service: it does jobs in worker processes, and a `Future` gives the results of each
submission.

All users of worker processes go through this module: the runs of a campaign, confirmation, judges,
the minimizer and `murxpy replay`. The clients decide what is done, in which order, and how much at a
time. The service alone decides in which process it is done: it replaces processes that have done
enough, keeps spare processes, and does a job again when its process was lost before the job began, or
when somebody else may have killed it in the job.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from murxpy.errors import InternalError
from murxpy.machine.random import run_seed
from murxpy.oracles.crash import Outcome, is_from_outside
from murxpy.processes.handles import Job, Worker
from murxpy.processes.pool import POLL, Lost, Pool, Result

# The number of processes that may be lost before they begin the jobs of one submission. The pool
# gives a target up after as many in a row, so this limit matters only when other submissions of the
# target succeed meanwhile.
TRIES = 5

# The number of processes that may be killed by somebody else in the jobs of one submission until that
# is what comes of the jobs.
KILLINGS = 3


@dataclass(frozen=True, slots=True)
class Fresh:
    """The place of a submission: a new process of target number `target`, which does these jobs and
    then ends.

    A `private` process gets a warm parent of its own, so that no other process can take it down.
    """

    target: int = 0
    private: bool = False


class Watcher:
    """A watcher is told what happens to the processes of a group. Subclasses override the methods
    that they need.
    """

    def hired(self, worker: Worker) -> None:
        """A new process, `worker`, belongs to the group."""

    def lost(self, slot: int, reason: str) -> None:
        """The process of the group in this slot is gone. `reason` is empty when it was told to leave."""

    def died_after(self, result: Result) -> None:
        """A process died between two jobs, after it had reported the end of `result.job`."""


@dataclass(eq=False)
class Group:
    """The place of a submission: pooled processes of target number `target`, each of which does
    many jobs, one after another.

    There is at most one process for each number in `places`; that number is its `slot`. A process
    is handed `ahead` jobs at a time. When a process is lost before it began a job, or is killed by
    somebody else in a job, the job is done again if `again` is set; otherwise its future is over, in the
    first case without an outcome. `purpose` names what the
    time of the processes is spent for.
    """

    target: int = 0
    places: Sequence[int] = (0,)
    ahead: int = 1
    again: bool = True
    watcher: Watcher = field(default_factory=Watcher)
    purpose: str = "replays"
    waiting: deque[Future] = field(default_factory=deque)
    workers: list[Worker] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Sum:
    """The number and the counters of runs that the process in `slot` made and in which nothing was found."""

    slot: int
    runs: int
    counts: Mapping[str, int]


@dataclass(eq=False)
class Future:
    """A submission: its jobs, and how each of them ended once the future is `over`.

    `results` holds one entry for each job that began, in order. When a fresh process died behind
    its last job, one more entry says so (`Outcome.after`). `losses` counts the processes that were
    lost before they began anything, `killings` those that somebody else may have killed in a job.
    `aside` says that the jobs are not done, because each machine that began them was lost.
    """

    jobs: tuple[Job, ...]
    on: Fresh | Group
    done: Callable[[Future], None] | None
    results: list[Result] = field(default_factory=list)
    worker: Worker | None = None
    losses: int = 0
    killings: int = 0
    over: bool = False
    cancelled: bool = False
    aside: bool = False

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcomes of the jobs; empty where none of them began."""
        return [result.outcome for result in self.results]

    def seen(self) -> list[Outcome]:
        """The outcomes of the jobs. Raises InternalError where no process came to begin them."""
        if not self.results:
            raise InternalError(
                "the processes die before they begin a replay; see what 'murxpy doctor' says"
            )
        return self.outcomes


class Owner(Protocol):
    """Who has neighbouring runs made in one block."""

    def summed(self, sums: Sequence[Sum]) -> None:
        """Take the counters of those runs of a block that ended by themselves and showed nothing."""

    def passed(self, index: int, count: int) -> None:
        """Note that so many neighbours from run `index` on are over, and are among those that were summed."""

    def back(self, index: int, count: int) -> None:
        """Take back so many neighbours from run `index` on, which were not begun."""

    def over(self, future: Future) -> None:
        """Take the end of another run of a block."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring runs of the campaign with this seed, `count` from run `first` on. All are as `job`, but
    for their numbers and seeds.
    """

    first: int
    count: int
    seed: int
    job: Job
    owner: Owner

    def run(self, offset: int) -> Job:
        """One of the runs, by its place among them."""
        return run_of(self.job, self.seed, self.first + offset)


def run_of(job: Job, campaign: int, index: int) -> Job:
    """Run `index` of the campaign with this seed, which else is as `job`."""
    seed = run_seed(campaign, index)
    return replace(job, seed=seed, index=index, name=f"{seed:016x}.trace")


@dataclass(eq=False)
class _Process:
    """The service's notes on a process: its group, the futures that it has in hand, and whether it
    ever began a job.
    """

    group: Group | None
    futures: deque[Future]
    began: bool = False


class Replays:
    """The replay service on the processes of `pool`. For each target in `spares`, one process is
    kept waiting, so that nobody has to wait for a fork.

    `step` must be called again and again: it waits for the processes, and calls `done` of each
    future that is over. `submit` and `step` raise TargetError when the processes of a target cannot
    live.
    """

    def __init__(self, pool: Pool, spares: Iterable[int] = ()) -> None:
        self.pool = pool
        self._spares: dict[int, Worker | None] = dict.fromkeys(spares)
        self._processes: dict[int, _Process] = {}  # by number of the worker
        self._cpu: defaultdict[str, float] = defaultdict(float)  # of processes that have ended

    def submit(
        self,
        jobs: Sequence[Job],
        on: Fresh | Group,
        done: Callable[[Future], None] | None = None,
    ) -> Future:
        """Do `jobs` one after another in one fresh process, or one single job in a process of a
        group, as soon as one has room. `done` gets the future when it is over.
        """
        numbered = tuple(replace(job, number=self.pool.job_number()) for job in jobs)
        future = Future(numbered, on, done)
        if isinstance(on, Group):
            on.waiting.append(future)
            self._feed(on)
        else:
            self._begin(future, on)
        return future

    def cancel(self, future: Future) -> None:
        """Forget `future`: its `done` is not called. A fresh process is killed. A pooled process
        finishes its job, unless that makes more such processes than the group has places.
        """
        if future.over or future.cancelled:
            return
        future.cancelled, future.done = True, None
        if isinstance(future.on, Fresh):
            if future.worker is not None:
                future.worker.kill("stopped")
        elif future in future.on.waiting:
            future.on.waiting.remove(future)

    def wants(self, group: Group) -> tuple[int, int]:
        """How many neighbouring runs a stretch for the group should have, and how many stretches could be
        begun now: none where the processes are those of this machine, which make each run by itself.
        """
        return 0, 0

    def submit_stretch(self, stretch: Stretch, group: Group) -> None:
        """Have neighbouring runs made in one block. `wants` said that there is room for it. Raises
        InternalError where this service makes runs one by one.
        """
        raise InternalError("only the nodes of a cluster make runs in blocks")

    def end(self, group: Group) -> None:
        """Kill the processes of `group`. The futures of the group are over; those that did not end
        have no outcome.
        """
        for worker in group.workers:
            worker.kill("stopped")
        waiting = list(group.waiting)
        group.waiting.clear()
        for future in waiting:
            self._over(future)

    def room(self, group: Group) -> bool:
        """Whether a process of `group` would be handed a further job at once."""
        return not group.waiting and (
            self._best(group) is not None or self._place(group) is not None
        )

    def step(self, timeout: float = 2 * POLL) -> None:
        """Wait at most `timeout` seconds for something to happen, and call `done` of the futures
        that are over.
        """
        for event in self.pool.step(timeout):
            if isinstance(event, Result):
                self._ended(event)
            else:
                self._lost(event)

    def cpu(self) -> dict[str, float]:
        """The seconds of all processors that the processes took until now, by purpose; those of fresh
        processes are `replays`.
        """
        spent = defaultdict(float, self._cpu)
        for number, process in self._processes.items():
            worker = self.pool.workers.get(number)
            if worker is not None:
                purpose = "replays" if process.group is None else process.group.purpose
                spent[purpose] += worker.cpu_now()
        return dict(spent)

    # The choice of processes.

    def _alive(self, worker: Worker) -> bool:
        gone = worker.eof or worker.killed is not None or worker.stopping
        return not gone and worker.number in self.pool.workers

    def _new(self, target: int, *, private: bool = False) -> Worker:
        """A process that has done nothing yet: the spare one if there is one."""
        spare = None if private else self._spares.get(target)
        if spare is None:
            return self.pool.spawn(target, private=private)
        self._spares[target] = None
        return spare if self._alive(spare) else self.pool.spawn(target)

    def _refill(self, target: int) -> None:
        if target in self._spares and self._spares[target] is None:
            self._spares[target] = self.pool.spawn(target)

    def _begin(self, future: Future, on: Fresh) -> None:
        """Give the jobs of `future` to a fresh process."""
        worker = future.worker = self._new(on.target, private=on.private)
        self._processes[worker.number] = _Process(None, deque([future]))
        for job in future.jobs:
            self.pool.assign(worker, job)
        self.pool.stop(worker)
        self._refill(on.target)

    def _feed(self, group: Group) -> None:
        """Give the waiting jobs to processes of `group`, as long as these have room."""
        while group.waiting:
            worker = self._best(group)
            place = None if worker is not None and not worker.jobs else self._place(group)
            if place is not None:
                worker = self._hire(group, place)
            if worker is None:
                return
            future = group.waiting.popleft()
            future.worker = worker
            self._processes[worker.number].futures.append(future)
            self.pool.assign(worker, future.jobs[0])
            self._refill(group.target)

    def _best(self, group: Group) -> Worker | None:
        """The process with the fewest jobs in hand among those that have room for one more."""
        able = [
            worker
            for worker in group.workers
            if self._alive(worker)
            and len(worker.jobs) < group.ahead
            and len(worker.past) + len(worker.jobs) < self.pool.limits.recycle
        ]
        return min(able, key=lambda worker: len(worker.jobs), default=None)

    def _place(self, group: Group) -> int | None:
        """The number of a free place, None if all are taken. A process takes no place if all its
        jobs were cancelled. When there are more such processes than places, the oldest are killed.
        """
        unwanted = [worker for worker in group.workers if self._unwanted(worker)]
        for worker in unwanted[: max(0, len(unwanted) - len(group.places))]:
            worker.kill("stopped")
        taken = {worker.slot for worker in group.workers if worker not in unwanted}
        return next((place for place in group.places if place not in taken), None)

    def _unwanted(self, worker: Worker) -> bool:
        futures = self._processes[worker.number].futures
        return bool(futures) and all(future.cancelled for future in futures)

    def _hire(self, group: Group, place: int) -> Worker:
        worker = self._new(group.target)
        worker.slot = place
        group.workers.append(worker)
        self._processes[worker.number] = _Process(group, deque())
        group.watcher.hired(worker)
        return worker

    # The ends of jobs and processes.

    def _ended(self, result: Result) -> None:
        worker = result.worker
        assert isinstance(worker, Worker), "our own pool did the job"
        process = self._processes.get(worker.number)
        if process is None:
            return
        process.began = True
        if process.group is None:  # a fresh process; its future is over when the process has ended
            process.futures[0].results.append(result)
        elif result.outcome.after:
            process.group.watcher.died_after(result)
        else:
            future = process.futures.popleft()
            if process.group.again and _is_spoilt(future, [result]):
                process.group.waiting.appendleft(future)
                return  # until it is told that the process is lost
            future.results.append(result)
            self._release(process.group, worker)
            self._over(future)
            self._feed(process.group)

    def _release(self, group: Group, worker: Worker) -> None:
        """Let `worker` leave if it has done enough. The place of the process is free at once, so that
        its successor does not wait for its end.
        """
        enough = not worker.jobs and len(worker.past) >= self.pool.limits.recycle
        if enough and self._alive(worker):
            self.pool.stop(worker)
            group.workers.remove(worker)

    def _lost(self, lost: Lost) -> None:
        worker = lost.worker
        process = self._processes.pop(worker.number, None)
        group = None if process is None else process.group
        self._cpu["replays" if group is None else group.purpose] += worker.cpu
        if process is None:  # a spare process
            return
        for future in process.futures:
            future.losses += not process.began
        if process.group is None:
            self._fresh_over(process.futures[0], worker)
        else:
            self._pooled_over(process.group, process.futures, lost)

    def _fresh_over(self, future: Future, worker: Worker) -> None:
        """Take the end of a fresh process. If it was lost before it began, or was killed by somebody
        else, its jobs are done again; where its warm parent died with it, in a private process, because
        another process of that parent may have killed it.
        """
        assert isinstance(future.on, Fresh)
        orphaned = worker.killed == "parent"
        spoilt = not future.results or _is_spoilt(future, future.results, orphaned=orphaned)
        if spoilt and _worth_another(future, worker):
            future.on = replace(future.on, private=future.on.private or orphaned)
            future.results.clear()
            self._begin(future, future.on)
        else:
            self._over(future)

    def _pooled_over(self, group: Group, futures: Sequence[Future], lost: Lost) -> None:
        """Take the end of a process of `group`, which did not begin the jobs of `futures`."""
        if lost.worker in group.workers:
            group.workers.remove(lost.worker)
        again = [
            future for future in futures if group.again and _worth_another(future, lost.worker)
        ]
        group.waiting.extendleft(reversed(again))
        for future in futures:
            if future not in again:
                self._over(future)
        group.watcher.lost(lost.worker.slot, lost.reason)
        self._feed(group)

    def _over(self, future: Future) -> None:
        future.over = True
        # Whoever is told often keeps the future, so the two would keep each other, with their traces,
        # until the garbage collector finds them: with judges, 5 MB of traces and 8 collections an hour.
        done, future.done = future.done, None
        if done is not None:
            done(future)


def _is_spoilt(future: Future, results: Sequence[Result], *, orphaned: bool = False) -> bool:
    """Whether to do the jobs of `future` again because somebody else may have killed their process, or
    its warm parent (`orphaned`). If that happens each time, it is the jobs that kill it.
    """
    killed = orphaned or any(is_from_outside(result.outcome) for result in results)
    if future.cancelled or not killed:
        return False
    future.killings += 1
    return future.killings < KILLINGS


def _worth_another(future: Future, worker: Worker) -> bool:
    """Whether to do the jobs of `future` again after `worker` was lost with them."""
    return not future.cancelled and worker.killed != "stopped" and future.losses < TRIES
