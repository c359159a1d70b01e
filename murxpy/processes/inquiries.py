"""Trials: replays that see whether a finding shows again, each in a fresh process."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from murxpy.data import load_catalogue, load_wrapper, with_dialect
from murxpy.errors import InputError, MurxpyError
from murxpy.machine.outcomes import CRASH
from murxpy.oracles.crash import Outcome, signal_name
from murxpy.processes.environments import Notice
from murxpy.processes.handles import Job
from murxpy.processes.limits import Limits, ensure_files
from murxpy.processes.pool import Pool
from murxpy.processes.service import Fresh, Future, Group, Replays
from murxpy.processes.targets import Plan, parse_target, resolve, version_of
from murxpy.sources.setups import ScriptSetup


@dataclass(frozen=True, slots=True)
class Trial:
    """The jobs of one trial, and the fresh process to do them in. `done` gets the future when it is
    over. In a hurry, trials with a smaller `rank` come first.
    """

    jobs: Sequence[Job]
    on: Fresh
    done: Callable[[Future], None]
    rank: int = 0


class Trials:
    """Does trials one at a time, so that they take little from the runs of a campaign. Once there are
    no more runs, the campaign is in a hurry: several trials are done at a time, the worst findings
    first.
    """

    def __init__(self, replays: Replays) -> None:
        self._replays = replays
        self._waiting: deque[Trial] = deque()
        self._running: list[Future] = []
        self._places = 1
        self._hurried = False

    def hurry(self, places: int) -> None:
        """Do so many trials at a time from now on, in the order of their ranks."""
        self._places, self._hurried = places, True
        self._sort()

    def _sort(self) -> None:
        if self._hurried:
            self._waiting = deque(sorted(self._waiting, key=lambda trial: trial.rank))

    def add(self, trial: Trial) -> None:
        """Do `trial` after the waiting trials."""
        self._waiting.append(trial)
        self._sort()

    def add_first(self, trial: Trial) -> None:
        """Do `trial` before the waiting trials."""
        self._waiting.appendleft(trial)
        self._sort()

    @property
    def busy(self) -> bool:
        """Whether a trial is under way or waits."""
        return bool(self._running or self._waiting)

    def feed(self) -> None:
        """Begin the next trials while there are places for them."""
        while len(self._running) < self._places and self._waiting:
            self._begin(self._waiting.popleft())

    def _begin(self, trial: Trial) -> None:
        def over(future: Future) -> None:
            self._running.remove(future)
            trial.done(future)

        self._running.append(self._replays.submit(trial.jobs, trial.on, over))

    def clear(self) -> None:
        """Forget the waiting trials, and kill the processes of the trials under way."""
        self._waiting.clear()
        for future in self._running:
            self._replays.cancel(future)
        self._running.clear()


# ----------------------------------------------------------------------
# The tester: it replays the many candidates of a minimization, several of them in one process.
# Earlier jobs of a process may change what a candidate shows. A candidate therefore counts only
# when a replay in a fresh process shows the wanted outcome.


Wanted = Callable[[Outcome], bool]
_NAME = "candidate"


class OutOfTime(Exception):
    """The time given for a task is over."""


def replay_of(text: str, name: str = _NAME) -> Job:
    """The job that replays `text`."""
    return Job(0, 0.0, text=text, name=name)


class Warm:
    """Pools whose solvers are loaded, one for each plan, for a tester after another: to load a solver
    takes longer than ten replays. Without any, each tester loads its solver.
    """

    def __init__(self) -> None:
        self._pools: list[Pool] = []

    def take(self, plan: Plan, limits: Limits) -> Pool:
        """A pool for this plan alone, which nobody else has."""
        pool = next((one for one in self._pools if one.plans == (plan,)), None)
        if pool is None:
            return Pool([plan], limits)
        self._pools.remove(pool)
        pool.limits = limits
        return pool

    def leave(self, pool: Pool) -> None:
        """Let the next tester have a pool."""
        with suppress(MurxpyError):
            if pool.rest():
                self._pools.append(pool)
                return
        pool.close()

    def close(self) -> None:
        """End all processes."""
        for pool in self._pools:
            pool.close()
        self._pools.clear()


class Tester:
    """Replays candidates on the target of `plan`, `jobs` at a time, each for at most `wall`
    seconds, until `deadline` (monotonic).

    By default a process makes up to `limits.recycle` replays. With `alone`, every replay gets a
    fresh process, and the way in which that process ends counts, too. `tries` limits how often a
    candidate is replayed, for faults that do not show each time. `split` cuts a candidate into
    several texts, which one fresh process replays one after another. `replays` counts the replays.
    `about` is what the session tells of the solver, and `release` has its family and its version, as the
    header of a trace names it.

    Raises TargetError when the solver cannot be loaded. `close` ends all processes, but for the loaded
    solver that it got from `warm`.
    """

    def __init__(self, plan: Plan, limits: Limits, jobs: int = 1, warm: Warm | None = None) -> None:
        self.jobs = jobs
        self.wall = limits.replay_wall
        self.tries = 1
        self.alone = False
        self.split: Callable[[str], Sequence[str]] | None = None
        self.deadline: float | None = None
        self.replays = 0
        self._warm = warm
        self._pool = Pool([plan], limits) if warm is None else warm.take(plan, limits)
        (self.about,) = self._pool.warm()
        self.release = f"{plan.target.family} {version_of(self.about)}".rstrip()
        self._service = Replays(self._pool, spares=(0,))
        self._group = Group()

    def close(self) -> None:
        """End all processes."""
        if self._warm is None:
            self._pool.close()
        else:
            self._warm.leave(self._pool)

    def limit_cpu(self, seconds: float) -> None:
        """Stop each replay from now on that takes so many seconds of the processor."""
        self._pool.limits = replace(self._pool.limits, cpu=seconds)

    def fresh(self, *jobs: Job) -> list[Outcome]:
        """The outcomes of `jobs` in one fresh process. If the process itself then ended badly, a
        last outcome says so.
        """
        return self.many(1, *jobs)[0]

    def many(self, count: int, *jobs: Job) -> list[list[Outcome]]:
        """The outcomes of `count` fresh processes that each do `jobs`, as many at a time as
        `self.jobs` allows.
        """
        ended: list[Future] = []
        running: list[Future] = []
        while len(ended) < count:
            while len(running) < self.jobs and len(ended) + len(running) < count:
                running.append(self._submit(jobs, Fresh()))
            self._step()
            ended += [future for future in running if future.over]
            running = [future for future in running if not future.over]
        return [future.seen() for future in ended]

    def first(self, texts: Iterator[str], wanted: Wanted) -> int | None:
        """The index of the first text of `texts` that ends as `wanted`; None if no text does. Raises
        OutOfTime.

        With several jobs, later texts are begun before earlier ones have ended; they are given up
        as soon as one text is seen to end as wanted.
        """
        begun = enumerate(texts)
        running: dict[Future, int] = {}
        try:
            while True:
                while len(running) < self.jobs and (following := next(begun, None)) is not None:
                    running[self._begin(following[1])] = following[0]
                if not running:
                    return None
                self._step()
                for future in [future for future in running if future.over]:
                    at = running.pop(future)
                    if self._shows(future, wanted):
                        return at
        finally:
            for future in running:
                self._service.cancel(future)

    def _shows(self, future: Future, wanted: Wanted) -> bool:
        """Whether a candidate, replayed in `future`, ends as `wanted`. If it did so in a process
        that had made other replays, it is replayed again in a fresh one.
        """
        shown = any(map(wanted, future.seen()))
        alone = isinstance(future.on, Fresh) or not future.results[-1].past
        if shown and alone:
            return True
        tries = max(1, self.tries - (not shown)) if shown or self.tries > 1 else 0
        return any(wanted(outcome) for _ in range(tries) for outcome in self.fresh(*future.jobs))

    def jobs_of(self, text: str) -> tuple[Job, ...]:
        """The jobs that replay a candidate, all in one process."""
        return (replay_of(text),) if self.split is None else tuple(map(replay_of, self.split(text)))

    def _begin(self, text: str) -> Future:
        if self.alone or self.split is not None:
            return self._submit(self.jobs_of(text), Fresh())
        self._group.places = range(self.jobs)
        return self._submit((replay_of(text),), self._group)

    def _submit(self, jobs: Sequence[Job], on: Fresh | Group) -> Future:
        self.replays += len(jobs)
        return self._service.submit([replace(job, wall=self.wall) for job in jobs], on)

    def _step(self) -> None:
        if self.deadline is not None and time.monotonic() >= self.deadline:
            raise OutOfTime
        self._service.step()


# ----------------------------------------------------------------------
# Inquiries: series of questions to solvers, where each question may depend on the answers
# before it. A question is a trace to replay.


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ask:
    """A question: replay the trace `text` on plan number `target`. With `judge`, the solver only
    answers the decided checks of the trace, as a judge that is told `judge`.

    A `patient` question gets as much time as the replay that confirms a finding, because the
    machine may be busier than it was; one with a `wall` gets so many seconds. A `fresh` question gets
    a process of its own.
    """

    target: int
    text: str
    judge: Mapping[str, Any] | None = None
    patient: bool = False
    fresh: bool = False
    wall: float = 0.0


Questions = Generator[Ask, Outcome, T]


class Inquirer:
    """Puts the questions of a generator (`Questions`) to solvers, one after another, and gives it the
    outcomes. A replay gets the wall limit of a run, and a judge gets this limit for each check.

    Each solver is asked in one process, as long as that lives, unless a question is `fresh`. If it dies in a replay, its death is
    the answer. `asked` counts the questions.
    """

    def __init__(self, replays: Replays) -> None:
        self._replays = replays
        self._limits = replays.pool.limits
        self._waiting: deque[tuple[Questions[Any], Callable[[Any], None]]] = deque()
        self._running: tuple[Questions[Any], Callable[[Any], None]] | None = None
        self._asked: Future | None = None
        self._groups: dict[int, Group] = {}
        self.asked = 0

    def add(self, questions: Questions[T], done: Callable[[T], None]) -> None:
        """Carry out `questions` after the waiting inquiries. `done` gets what the generator
        returns.
        """
        self._waiting.append((questions, done))

    @property
    def busy(self) -> bool:
        """Whether an inquiry waits or is under way."""
        return self.waiting > 0

    @property
    def waiting(self) -> int:
        """The number of inquiries that wait or are under way."""
        return len(self._waiting) + (self._running is not None)

    def feed(self) -> None:
        """Begin the next inquiry if none is under way."""
        while self._running is None and self._waiting:
            self._running = self._waiting.popleft()
            self._advance(None)

    def _advance(self, answered: Future | None) -> None:
        assert self._running is not None
        questions, done = self._running
        try:
            # the first outcome: a fresh process may have one more, for the way in which it ended
            ask = next(questions) if answered is None else questions.send(answered.seen()[0])
        except StopIteration as end:
            self._running = self._asked = None
            done(end.value)
            return
        self.asked += 1
        job = Job(
            0,
            ask.wall or (self._limits.replay_wall if ask.patient else self._limits.wall),
            text=ask.text,
            name="trace",
            judge=ask.judge,
            keep=True,
            by_line=self._limits.by_line or ask.judge is not None,
        )
        on = Fresh(ask.target) if ask.fresh else self._group(ask.target)
        self._asked = self._replays.submit((job,), on, self._advance)

    def _group(self, target: int) -> Group:
        return self._groups.setdefault(target, Group(target))

    def clear(self) -> None:
        """Forget all inquiries, and kill the processes."""
        self._waiting.clear()
        self._running = None
        if self._asked is not None:
            self._replays.cancel(self._asked)
            self._asked = None
        for group in self._groups.values():
            self._replays.end(group)


# ----------------------------------------------------------------------
# Lists of scripts that a target answers one after another, a line of the trace for each. If the
# process dies of a script, the next process continues behind it.


_AHEAD = 2  # lists that a process has in hand
# Each script has a context of its own, and glibc gives the large tables of a dead context back to the
# kernel at once. Kept memory made z3 5.4.1 answer 3.5 times as many scripts in a second.
_KEPT_MEMORY = (("MALLOC_MMAP_THRESHOLD_", f"{1 << 30}"), ("MALLOC_TRIM_THRESHOLD_", f"{1 << 30}"))
# A check ends after so many times its limit in milliseconds, because some solvers count almost nothing
# of what they do for sines and cosines.
_PATIENCE = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a target to a script: the answer (sat, unsat, unknown, error, crash or timeout),
    its cost in the solver's own units, the verdict on its model, and a message if there is one.
    """

    answer: str
    cost: int = 0
    model: str = "-"
    message: str = ""


Found = Sequence[tuple[int, Answer]]


@dataclass(frozen=True, slots=True)
class Lists(Generic[T]):
    """Asks a target, `jobs` processes at a time. `seed_of` gives the seed of the run that answers
    the scripts at places of a subject. `told` gets the answers of a run. A script has `limits.wall`
    seconds.
    """

    plan: Plan
    limits: Limits
    jobs: int
    seed_of: Callable[[T, range], int]
    told: Callable[[T, Found], None]

    def ask(self, lists: Iterable[tuple[T, range]]) -> float:
        """Ask lists of places of subjects, and return the CPU seconds that the processes took. Raises
        InputError for what the target's session refuses, TargetError for a target that cannot be used.
        """
        ensure_files(self.jobs)
        with closing(Pool([self.plan], self.limits)) as pool:
            pool.warm()
            service = Replays(pool)
            _Asking(self, service).ask(lists)
            return sum(service.cpu().values())


class _Asking(Generic[T]):
    """The lists that are asked now."""

    def __init__(self, lists: Lists[T], service: Replays) -> None:
        self._lists, self._service = lists, service
        self._group = Group(places=range(lists.jobs), ahead=_AHEAD)
        self._open = 0

    def ask(self, lists: Iterable[tuple[T, range]]) -> None:
        """Ask all of them."""
        for subject, places in lists:
            while not self._service.room(self._group):
                self._service.step()
            self._submit(subject, places)
        while self._open:
            self._service.step()

    def _submit(self, subject: T, places: range) -> None:
        seed = self._lists.seed_of(subject, places)
        self._open += 1
        self._service.submit(
            [Job(seed, self._lists.limits.wall, keep=True, by_line=True)],
            self._group,
            lambda future: self._ended(future, subject, places),
        )

    def _ended(self, future: Future, subject: T, places: range) -> None:
        self._open -= 1
        outcome = future.seen()[0]
        found = list(read_answers(outcome))
        self._lists.told(subject, found)
        if outcome.report is not None and outcome.report["status"] != "ok":
            message = outcome.report["finding"]["message"]
            raise InputError(f"{self._lists.plan.target.name}: {message}")
        if len(found) < len(places):
            self._submit(subject, places[len(found) :])


def missing(done: Container[int], places: range, most: int) -> list[range]:
    """The places that are not done, in lists of at most `most` without a gap."""
    found: list[range] = []
    for place in places:
        if place in done:
            continue
        if found and found[-1].stop == place and len(found[-1]) < most:
            found[-1] = range(found[-1].start, place + places.step, places.step)
        else:
            found.append(range(place, place + places.step, places.step))
    return found


def read_answers(outcome: Outcome) -> Iterator[tuple[int, Answer]]:
    """The answers in the trace of a run, by place. The last one is that of the process where it died or
    was killed: a script after whose place nothing stands.
    """
    for line in outcome.trace.split("\n"):
        place, _, answer = line.partition(" ")
        words = answer.split(" ", 3)
        if len(words) == 4:
            yield int(place), Answer(words[0], int(words[1]), words[2], words[3])
        elif place:
            yield int(place), _death(outcome)


def _death(outcome: Outcome) -> Answer:
    if outcome.cause in ("wall", "cpu"):
        return Answer("timeout")
    if outcome.cause == "memory":
        return Answer("timeout", message="out of memory")
    return Answer(CRASH, message=signal_name(outcome.status) or "the process ended")


def script_setup(session: str, name: str, wrapper_file: str | None, check_ms: float) -> ScriptSetup:
    """The common part of the setups of all targets that only read scripts. A check has a limit of
    `check_ms` milliseconds of a usual machine. Raises InputError.
    """
    named = parse_target(name)
    wrapper = wrapper_of(named.solver, wrapper_file)
    if named.options:
        raise InputError(f"'{name}': expected SOLVER or SOLVER@RELEASE, without options")
    return {
        "catalogue": with_dialect(load_catalogue(), wrapper),
        "wrapper": wrapper,
        "limit": int(check_ms * wrapper["limit-per-ms"]),
        "wall-ms": int(_PATIENCE * check_ms),
        "session": session,
    }


def script_plan(name: str, setup: ScriptSetup, notice: Notice) -> Plan:
    """The plan of a target that reads scripts alone. Raises InputError, TargetError."""
    wrapper = setup["wrapper"]
    libraries = tuple(wrapper["library-variables"])
    target = resolve(name, wrapper, notice)
    variables = (*target.variables, *_KEPT_MEMORY)
    return Plan(replace(target, variables=variables, library_variables=libraries), setup)


def wrapper_of(solver: str, file: str | None) -> dict[str, Any]:
    """The wrapper of a solver: the one that the user names, where it is of this solver, else the shipped
    one. Raises InputError.
    """
    own = None if file is None else load_wrapper(file)
    return own if own is not None and own["solver"] == solver else load_wrapper(solver)
