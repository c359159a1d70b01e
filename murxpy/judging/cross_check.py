"""The judges of a campaign. Each one answers, in processes of its own, the checks that the targets
decided.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

from murxpy.findings.buckets import Bucket
from murxpy.judging.disagreement import Case, Investigated, investigate, small_trace_data
from murxpy.judging.kept_answers import KeptAnswers, Recalled
from murxpy.judging.limits import own_limit
from murxpy.judging.solvers import Solvers, loaded_solvers
from murxpy.machine.random import mix
from murxpy.machine.trace.finished import Call
from murxpy.oracles.crash import Outcome, Verdict
from murxpy.oracles.disagreement import (
    KIND,
    OPPOSITE,
    Answers,
    Disagreement,
    answers_of,
    confirmed,
    decided_lines,
    first_disagreement,
    spent_of,
)
from murxpy.processes.handles import Job
from murxpy.processes.inquiries import Inquirer
from murxpy.processes.service import Future, Group, Replays
from murxpy.records.finding import Finding
from murxpy.records.services import Service
from murxpy.records.snapshot import Left

_AHEAD = (
    2  # a process has its next job while it does one, so that it never waits for the supervisor
)
# The scripts of a run of a target, by its seed and trace, that a family of solvers needs in other words
# than those of the trace, by the lines that run them.
ScriptsFor = Callable[[int, int, str, str], Mapping[str, str]]
WAITING = 24  # runs that may wait for a judge; with more, the targets wait, too


@dataclass(eq=False)
class JudgedRun:
    """A run of target number `target` whose checks the judges answer. `left` judges have not
    answered yet. `spent` has what scripts cost each of them, by line. `counts` are the counters of
    the other judges. The run is `settled` when its answers were handed on.
    """

    target: int
    job: Job
    outcome: Outcome
    left: int = 0
    settled: bool = False
    answers: dict[int, Answers] = field(default_factory=dict)
    spent: dict[int, dict[int, int]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    asked: list[Future] = field(default_factory=list)

    @property
    def disagreement(self) -> Disagreement | None:
        """The first check that a judge answers otherwise."""
        return first_disagreement(self.answers)


class Judges:
    """Has runs judged by those `solvers` whose numbers are in `judges`, each in up to `each`
    processes. `settled` gets the runs with the answers. `scripts_for` gives scripts in the words of a judge.
    A judge is asked about those scripts of a run alone of which no answer is in `kept`.

    A judge that dies or is past its limit says nothing about the run. The counters of the judges
    stay in the `JudgedRun` until the run is done. Only then are they added to the totals, so that a
    run that the next session judges again counts once.
    """

    def __init__(
        self,
        replays: Replays,
        solvers: Solvers,
        judges: Sequence[int],
        each: int,
        settled: Callable[[JudgedRun], None],
        scripts_for: ScriptsFor,
        kept: KeptAnswers | None = None,
    ) -> None:
        self._replays = replays
        self._kept = kept
        self._scripts_for = scripts_for
        self._solvers = solvers
        self._wall = replays.pool.limits.wall
        self._groups = {
            judge: Group(judge, range(each), _AHEAD, purpose="judges") for judge in judges
        }
        self._tell = settled
        self._hasty = False
        self._open: dict[JudgedRun, None] = {}

    def of_target(self, target: int) -> list[int]:
        """The judges of target number `target`: all but the target itself."""
        name = self._solvers.name(target)
        return [judge for judge in self._groups if self._solvers.name(judge) != name]

    @property
    def full(self) -> bool:
        """Whether so many runs wait that the targets should wait, too."""
        return any(len(group.waiting) >= WAITING for group in self._groups.values())

    @property
    def unsettled(self) -> list[JudgedRun]:
        """The runs that some judge has not answered."""
        return list(self._open)

    def hasten(self) -> None:
        """From now on, settle a run as soon as one judge disagrees, because the campaign
        ends soon.
        """
        self._hasty = True
        for run in self.unsettled:
            self._settle(run)

    def _settle(self, run: JudgedRun) -> None:
        """Hand on the run if all judges have answered; when the end is near, also if a disagreement
        is known.
        """
        over = not run.left or (self._hasty and run.disagreement is not None)
        if over and not run.settled:
            run.settled = True
            del self._open[run]
            for future in run.asked:
                self._replays.cancel(future)
            self._tell(run)

    def judge(self, target: int, job: Job, outcome: Outcome) -> None:
        """Have the run `job` of target number `target` judged. Its trace is in `outcome`."""
        run = JudgedRun(target, job, outcome)
        self._open[run] = None
        judges = self.of_target(target)
        run.left = len(judges)
        for judge in judges:
            family = self._solvers.family(judge)
            scripts = self._scripts_for(run.target, run.job.seed, run.outcome.trace, family)
            kept = self._kept and self._kept.of(judge, run.outcome.trace, scripts)
            if kept and not kept.missing:
                self._take(run, judge, kept)
                continue
            answered = partial(self._answered, run, judge, scripts, kept or Recalled())
            question = self._question(run, judge, scripts, kept.missing if kept else ())
            run.asked.append(self._replays.submit((question,), self._groups[judge], answered))
        self._settle(run)

    def _take(self, run: JudgedRun, judge: int, kept: Recalled) -> None:
        """Take the answers of a judge to all decided scripts of a run, which are kept."""
        run.answers[judge], run.spent[judge] = kept.answers, kept.spent
        run.left -= 1
        run.counts.update({**figures(Outcome("report"), run.answers[judge]), "judge:recalled": 1})

    def _question(
        self, run: JudgedRun, judge: int, scripts: Mapping[str, str], only: Sequence[int]
    ) -> Job:
        extra: dict[str, object] = {"reasons": True}
        if scripts:
            extra["scripts"] = scripts
        if only:
            extra["only"] = list(only)
        return Job(
            run.job.seed,
            self._wall,
            text=run.outcome.trace,
            name=f"{run.job.seed:016x}.trace",
            judge={**self._solvers.settings(run.target, judge), **extra},
            by_line=True,
        )

    def _answered(
        self,
        run: JudgedRun,
        judge: int,
        scripts: Mapping[str, str],
        kept: Recalled,
        future: Future,
    ) -> None:
        # If no process of the judge came to begin the job, the judge says nothing either.
        outcome = future.outcomes[-1] if future.results else Outcome("died")
        answers = sorted([*kept.answers, *answers_of(outcome.report)])
        run.answers[judge] = answers
        run.spent[judge] = {**kept.spent, **spent_of(outcome.report)}
        run.left -= 1
        run.counts.update(figures(outcome, answers))
        if self._kept is not None and outcome.cause == "report":
            self._kept.keep(judge, run.outcome.trace, scripts, answers, run.spent[judge])
        self._settle(run)

    def clear(self) -> None:
        """End the judges' processes, and forget the runs that they have."""
        for run in self.unsettled:
            for future in run.asked:
                self._replays.cancel(future)
        for group in self._groups.values():
            self._replays.end(group)
        self._open.clear()


def confirmation(run: JudgedRun) -> Counter[str]:
    """The counters for one run after all its judges: its decided checks, and those of them for
    which a judge gave the same answer.
    """
    decided = decided_lines(run.outcome.trace)
    agreed = confirmed(run.answers)
    return +Counter(
        {"check:judged": len(decided), "check:confirmed": sum(line in agreed for line in decided)}
    )


def figures(outcome: Outcome, answers: Answers) -> Counter[str]:
    """The counters for one run and one judge. A check counts as decided when both sides
    decided it.
    """
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


# ----------------------------------------------------------------------
# The cross-check of a campaign: judges answer the checks of its runs, disagreements are
# investigated, and the results are handed to the campaign.


_DRAWN = 0x1D6E  # key of the numbers that say which runs are judged
_UNDER_INQUIRY = 8  # disagreements that may be open; with more, the targets wait, too


class Runs(Protocol):
    """The runs of a target, as far as judges tell them something."""

    def judged(
        self,
        seed: int,
        outcome: Outcome,
        answers: Mapping[str, Answers],
        spent: Mapping[str, Mapping[int, float]],
    ) -> dict[str, int]:
        """Take the answers of each judge, by its name, to the run with this seed, and give counters.
        `spent` has what scripts cost each judge in milliseconds of a usual machine, by the lines of the
        run's trace.
        """

    def compared(self, seed: int, outcome: Outcome, judged: Mapping[int, float]) -> None:
        """Take what the scripts of the run with this seed cost a judge, by the lines of its trace."""

    def scripts_for(self, seed: int, trace: str, family: str) -> Mapping[str, str]:
        """Return the scripts of the run with this seed that a family of solvers needs in other words
        than those of the trace, by the lines of the trace that run them.
        """

    def sizes(self, seed: int, trace: str) -> Sequence[str]:
        """Return grammar and size of each script in the trace of a run; nothing where no grammar made
        them.
        """

    def count_scripts(self, counts: Mapping[str, int]) -> None:
        """Note the counters that are about the enumerated scripts of this target."""

    def count_open(self, counts: Mapping[str, int]) -> None:
        """Note such counters of a run that the end of the campaign leaves open, until it is made again."""

    def judged_open(self, seed: int, outcome: Outcome, answers: Mapping[str, Answers]) -> None:
        """Note the answers of some judges to a run that the end of the campaign leaves open."""

    def judged_at_all(self, seed: int) -> bool:
        """Whether judges look at the run with this seed."""

    def gave_up(self, seed: int, outcome: Outcome, place: int, other: str, ms: float) -> None:
        """Note that the target gives up on a script of the run with this seed, which the solver named `other`
        decides at a cost of `ms` milliseconds of a usual machine. It is script number `place` of the run.
        """

    def done(self, index: int) -> None:
        """Take that run `index` is over."""


@dataclass(frozen=True)
class Hooks:
    """The campaign's functions that the cross-check calls: give the runs of a target; a disagreement
    was investigated; add counters; and give all buckets.
    """

    runs: Callable[[int], Runs]
    found: Callable[[Finding], None]
    count: Callable[[Mapping[str, int]], None]
    buckets: Callable[[], Sequence[Bucket]]


class Judging(Service):
    """Other solvers look at the runs of a campaign: they judge its answers, or are compared with it."""

    # Whether only differences are findings, and what a target shows by itself is none.
    only_differences = False

    @property
    def full(self) -> bool:
        """Whether the targets should wait."""
        return False

    def run_ended(self, target: int, job: Job, outcome: Outcome) -> None:
        """Take a run of target number `target` that ended. Its trace is there if a check was
        decided or something was found.
        """
        raise NotImplementedError


class CrossCheck(Judging):
    """Has the runs of the targets judged by the solvers of the plans of these numbers, `judges`, in the
    pool of `replays`. `versions` are those of the loaded solvers, `jobs` is the number of workers of
    the campaign. `judged` is the share of the runs that are judged, from 0 to 1; their seeds say which. The
    file `answers` keeps what the judges answer, if it is given; `kept` reads it.
    """

    def __init__(
        self,
        replays: Replays,
        judges: Sequence[int],
        versions: Sequence[str],
        jobs: int,
        hooks: Hooks,
        judged: float,
        answers: Path | None = None,
    ) -> None:
        pool = replays.pool
        self._hooks = hooks
        self._judged = judged
        self._solvers = loaded_solvers(pool.plans, versions, pool.limits.judge_ms)
        each = max(1, jobs // (1 + len(judges)))
        self.kept = None if answers is None else KeptAnswers(answers, self._solvers)
        self._judges = Judges(
            replays, self._solvers, judges, each, self._settled, self._scripts_for, self.kept
        )
        self._inquirer = Inquirer(replays)
        self._dropped = 0

    @property
    def full(self) -> bool:
        return self._judges.full or self._inquirer.waiting >= _UNDER_INQUIRY

    @property
    def busy(self) -> bool:
        return bool(self._judges.unsettled) or self._inquirer.busy

    @property
    def left(self) -> Left:
        return Left(
            runs=len(self._judges.unsettled) + self._dropped, disagreements=self._inquirer.waiting
        )

    def run_ended(self, target: int, job: Job, outcome: Outcome) -> None:
        if outcome.after:  # the process died after the run, which was taken before
            return
        runs = self._hooks.runs(target)
        decided = "\n      answer " in outcome.trace and runs.judged_at_all(job.seed)
        if decided and mix(job.seed, _DRAWN) < self._judged * 2**64:
            self._judges.judge(target, job, outcome)
        else:
            runs.done(job.index)

    def feed(self) -> None:
        self._inquirer.feed()

    def end_runs(self, *, at_once: bool) -> None:
        # Investigate each disagreement as soon as it is known, because the campaign ends soon.
        self._judges.hasten()
        if at_once:  # investigations go on
            self._dropped += len(self._judges.unsettled)
            self._judges.clear()

    def settle(self) -> None:
        for run in self._judges.unsettled:
            named = {self._solvers.name(judge): answers for judge, answers in run.answers.items()}
            self._hooks.runs(run.target).judged_open(run.job.seed, run.outcome, named)

    def close(self) -> None:
        """End everything. The runs that are not done stay open."""
        self._judges.clear()
        self._inquirer.clear()
        if self.kept is not None:
            self.kept.close()

    def _scripts_for(self, target: int, seed: int, trace: str, family: str) -> Mapping[str, str]:
        """The scripts of a run of a target that a family of solvers needs in other words."""
        return self._hooks.runs(target).scripts_for(seed, trace, family)

    def _settled(self, run: JudgedRun) -> None:
        found = run.disagreement
        if found is None:
            self._over(run)
            return
        judges = tuple(self._judges.of_target(run.target))
        case = Case(run.target, found.judge, judges, run.outcome.trace, found.line, found.ours)
        self._inquirer.add(investigate(self._solvers, case), partial(self._investigated, run, case))

    def _investigated(self, run: JudgedRun, case: Case, solved: Investigated) -> None:
        buckets = self._hooks.buckets()
        self._hooks.found(finding_of(self._solvers, case, solved, run.job, run.outcome, buckets))
        run.counts["judge:disagreements"] += 1
        self._over(run)

    def _over(self, run: JudgedRun) -> None:
        """Count a run that is over."""
        named = {self._solvers.name(judge): answers for judge, answers in run.answers.items()}
        runs = self._hooks.runs(run.target)
        costs: dict[str, dict[int, float]] = {}
        for judge, spent in run.spent.items():
            unit = own_limit(self._solvers.plans[judge], 1.0)
            costs[self._solvers.name(judge)] = {line: cost / unit for line, cost in spent.items()}
        agreements = runs.judged(run.job.seed, run.outcome, named, costs)
        for each in costs.values():
            runs.compared(run.job.seed, run.outcome, each)
        self._hooks.count(run.counts + confirmation(run) + Counter(agreements))
        runs.done(run.job.index)


Pair = tuple[tuple[str, str], tuple[str, str]]


def finding_of(
    solvers: Solvers,
    case: Case,
    solved: Investigated,
    job: Job,
    outcome: Outcome,
    buckets: Sequence[Bucket],
) -> Finding:
    """The finding that an investigation gives: of the solver that is wrong, or of the main one where
    nobody is known to be. `job` and `outcome` are those of the run in which the answers differed.
    """
    sides = (case.main, case.judge)
    wrong = next((at for at in sides if solvers.name(at) == solved.triage.culprit), case.main)
    family, _, version = solvers.releases[wrong].partition(" ")
    pair = _pair(solvers, case)
    return Finding(
        case.main,
        family,
        version,
        job,
        (),
        Outcome("report", outcome.report, solved.trace, outcome.output),
        Verdict(KIND, "solver", message(pair, solved), "", Call("check-sat")),
        disagreement_bucket(family, pair, solved, buckets),
        "triaged" if solved.shown else "unconfirmed",
        note=solved.note,
        triage=record(pair, solved),
        judge=None if solved.on == case.main else solved.on,
    )


def _pair(solvers: Solvers, case: Case) -> Pair:
    """Who answers sat, and who answers unsat, each with name and release."""
    sat, unsat = (case.main, case.judge) if case.ours == "sat" else (case.judge, case.main)
    return (
        (solvers.family(sat), solvers.releases[sat]),
        (solvers.family(unsat), solvers.releases[unsat]),
    )


def message(pair: Pair, solved: Investigated) -> str:
    """The finding in one line."""
    (_, sat), (_, unsat) = pair
    line = f"{sat} answers sat, {unsat} unsat"
    if solved.triage.culprit:
        line += f": {solved.triage.verdict.replace('-', ' ')} of {solved.triage.release}, by {solved.triage.by}"
    kinds = ", ".join(kind.removeprefix("OP_") for kind in solved.operators)
    named = f"; options {', '.join(solved.options)}" if solved.options else ""
    depends = ", ".join(dict.fromkeys(need.sort for need in solved.depends))
    return f"{line} ({kinds}{named}{f'; depends on {depends}' if depends else ''})"


def record(pair: Pair, solved: Investigated) -> dict[str, object]:
    """The triage as the plain data that the bucket stores."""
    return {**solved.triage.data(), "said": _wrong_side(pair, solved), **small_trace_data(solved)}


def disagreement_bucket(
    family: str, pair: Pair, solved: Investigated, buckets: Sequence[Bucket]
) -> str:
    """The key of the bucket of a disagreement.

    Two disagreements are one defect when three things hold. The same solver is wrong; where that is
    not known, the same two solvers disagree. The options and operators in the small trace of one
    are among those of the other; the larger trace has some more only because its reduction stopped
    early. The wrong answers depend on the same sorts of things (limit, option, earlier check).
    Which of the two answers is the wrong one does not count, because a wrong rewriting can cause
    both, by the place where it happens.
    """
    wrong = _wrong_side(pair, solved)
    mine = sorted({*solved.operators, *solved.options})
    needs = sorted({need.sort for need in solved.depends})
    for bucket in buckets:
        kept = bucket.triage
        if bucket.kind == KIND and kept.get("said") == wrong:
            theirs = {*kept.get("operators", ()), *kept.get("options", ())}
            theirs_needs = {need[0] for need in kept.get("depends", ())}
            if theirs and theirs <= set(mine) and theirs_needs == set(needs):
                return bucket.key
    verdict = solved.triage.verdict if solved.triage.culprit else ""
    words = "-".join(filter(None, (KIND, verdict, family, *needs, *mine)))
    slug = re.sub(r"[^a-z0-9]+", "-", words.lower().replace("op_", "")).strip("-")[:80].rstrip("-")
    facts = repr((wrong, mine, *([needs] if needs else [])))
    return f"{slug}-{blake2b(facts.encode(), digest_size=4).hexdigest()}"


def _wrong_side(pair: Pair, solved: Investigated) -> str:
    """The solver that is wrong, or else the two that disagree."""
    return solved.triage.culprit or " and ".join(sorted(family for family, _ in pair))
