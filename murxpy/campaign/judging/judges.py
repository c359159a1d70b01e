"""The judges of a campaign: each answers the checks that the targets decided, in workers of its
own.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from murxpy.campaign.judging.judge_limits import judging_wishes, own_limit
from murxpy.campaign.workers.handles import Job, Worker
from murxpy.campaign.workers.pool import Lost, Pool, Result
from murxpy.oracles.crash import Outcome
from murxpy.oracles.disagreement import (
    OPPOSITE,
    Answers,
    Disagreement,
    answers_of,
    confirmed,
    decided_lines,
    first_disagreement,
)

AHEAD = 2  # jobs that a judge's worker has, so that it never waits for the next
WAITING = 24  # runs that may wait for a judge; with more the targets wait, too


@dataclass(eq=False)
class Hearing:
    """One run of target number `target` before the judges; `left` judges did not answer yet,
    `counts` is what the others counted.
    """

    target: int
    job: Job
    outcome: Outcome
    left: int = 0
    heard: bool = False
    answers: dict[int, Answers] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def disagreement(self) -> Disagreement | None:
        """The first check that a judge answers otherwise."""
        return first_disagreement(self.answers)


@dataclass(eq=False)
class _Bench:
    """The workers of one judge, and the runs that wait for it."""

    judge: int
    waiting: deque[Hearing] = field(default_factory=deque)
    workers: list[Worker] = field(default_factory=list)
    given: dict[int, int] = field(default_factory=dict)  # jobs by worker


class Jury:
    """Has runs judged. `judges` are numbers of plans in `pool`; `each` workers has each; `heard`
    gets what they said of a run.

    A judge that dies or is past its limit says nothing of the run, and is replaced. What the judges
    of a run counted is in its hearing: whoever is told of it adds it to the totals when the run is
    over, so that a run that is judged again counts once.
    """

    def __init__(
        self, pool: Pool, judges: Sequence[int], each: int, heard: Callable[[Hearing], None]
    ) -> None:
        self._pool = pool
        self._benches = [_Bench(judge) for judge in judges]
        self._each = each
        self._tell = heard
        self._hasty = False
        self._jobs: dict[int, Hearing] = {}

    def judges(self, target: int) -> list[int]:
        """The judges of target number `target`: all that are not the target itself."""
        name = self._pool.plans[target].target.name
        return [
            bench.judge
            for bench in self._benches
            if self._pool.plans[bench.judge].target.name != name
        ]

    @property
    def full(self) -> bool:
        """Whether so many runs wait that the targets should wait, too."""
        return any(len(bench.waiting) >= WAITING for bench in self._benches)

    @property
    def busy(self) -> bool:
        """Whether a run is before the judges."""
        return bool(self.unheard)

    @property
    def unheard(self) -> list[Hearing]:
        """The runs that the judges have not finished."""
        hearings = [
            *self._jobs.values(),
            *(hearing for bench in self._benches for hearing in bench.waiting),
        ]
        return [hearing for hearing in dict.fromkeys(hearings) if not hearing.heard]

    def hasten(self) -> None:
        """The campaign ends soon: from now on a run is heard as soon as one judge disagrees,
        without waiting for the other judges.
        """
        self._hasty = True
        for hearing in self.unheard:
            self._settle(hearing)

    def _settle(self, hearing: Hearing) -> None:
        """Tell of the run when all judges have answered, or when a disagreement is known and the
        end is near.
        """
        over = not hearing.left or (self._hasty and hearing.disagreement is not None)
        if over and not hearing.heard:
            hearing.heard = True
            self._tell(hearing)

    def judge(self, target: int, job: Job, outcome: Outcome) -> None:
        """Have the run `job` of target number `target` judged, whose trace is in `outcome`."""
        hearing = Hearing(target, job, outcome)
        for bench in self._benches:
            if bench.judge in self.judges(target):
                bench.waiting.append(hearing)
                hearing.left += 1
        self._settle(hearing)

    def feed(self) -> None:
        """Give the judges what waits for them."""
        for bench in self._benches:
            while bench.waiting:
                worker = self._free(bench)
                if worker is None:
                    break
                hearing = bench.waiting.popleft()
                if not hearing.heard:
                    self._assign(bench, worker, hearing)

    def _free(self, bench: _Bench) -> Worker | None:
        """The worker with the fewest jobs that may get one more; a new one as long as there are
        few.
        """
        recycle = self._pool.limits.recycle
        able = [
            w for w in bench.workers if not w.stopping and w.killed is None and len(w.jobs) < AHEAD
        ]
        if len(bench.workers) < self._each and not any(not worker.jobs for worker in able):
            worker = self._pool.spawn(bench.judge)
            bench.workers.append(worker)
            bench.given[worker.number] = 0
            return worker
        best = min(able, key=lambda worker: len(worker.jobs), default=None)
        if best is not None and bench.given[best.number] >= recycle:
            self._pool.stop(best)
            return self._free(bench)
        return best

    def _assign(self, bench: _Bench, worker: Worker, hearing: Hearing) -> None:
        limit = own_limit(self._pool.plans[bench.judge], self._pool.limits.judge_ms)
        wishes = judging_wishes(self._pool.plans[hearing.target].setup.get("wrapper") or {}, limit)
        seed = hearing.job.seed
        job = Job(
            self._pool.job_number(),
            seed,
            self._pool.limits.wall,
            text=hearing.outcome.trace,
            name=f"{seed:016x}.trace",
            judge=wishes,
            by_line=True,
        )
        self._jobs[job.number] = hearing
        bench.given[worker.number] += 1
        self._pool.assign(worker, job)

    def take(self, event: Result | Lost) -> bool:
        """Take `event` when it is about a judge's worker; False when it is not."""
        bench = next((bench for bench in self._benches if event.worker in bench.workers), None)
        if bench is None:
            return False
        if isinstance(event, Result):
            self._judged(bench, event)
        else:
            bench.workers.remove(event.worker)
            del bench.given[event.worker.number]
            for job in reversed(event.unstarted):
                hearing = self._jobs.pop(job.number, None)
                if hearing is not None:  # none of them is, when the jury was cleared
                    bench.waiting.appendleft(hearing)
        return True

    def _judged(self, bench: _Bench, result: Result) -> None:
        hearing = self._jobs.pop(result.job.number, None)
        # its process died after the report, or the end came before this judge's answer
        if hearing is None or hearing.heard:
            return
        outcome = result.outcome
        answers = answers_of(outcome.report)
        hearing.answers[bench.judge] = answers
        hearing.left -= 1
        hearing.counts.update(figures(outcome, answers))
        self._settle(hearing)

    def clear(self) -> None:
        """End the judges' workers, and forget the runs that they have."""
        for bench in self._benches:
            bench.waiting.clear()
            for worker in bench.workers:
                worker.kill("stopped")
        self._jobs.clear()


def confirmation(hearing: Hearing) -> Counter[str]:
    """What is counted of one run before all its judges: its decided checks, and those of them that
    a judge answered in the same way.
    """
    decided = decided_lines(hearing.outcome.trace)
    agreed = confirmed(hearing.answers)
    return +Counter(
        {"check:judged": len(decided), "check:confirmed": sum(line in agreed for line in decided)}
    )


def figures(outcome: Outcome, answers: Answers) -> Counter[str]:
    """What is counted of one run before one judge. A check is decided when both decided it."""
    counts: Counter[str] = Counter({"judge:runs": 1, "judge:checks": len(answers)})
    decided = [
        (before, now) for _, before, now in answers if before in OPPOSITE and now in OPPOSITE
    ]
    counts["judge:decided"] = len(decided)
    counts["judge:agreed"] = sum(now == before for before, now in decided)
    counts["judge:lost"] = outcome.cause != "report"
    own = (outcome.report or {}).get("counts", {})
    for name in ("judge:declined", "judge:given-up"):
        counts[name] = own.get(name, 0)
    for name in ("run", "solver"):
        counts[f"judge:time-ns:{name}"] = own.get(f"time-ns:{name}", 0)
    return +counts
