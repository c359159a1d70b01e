"""The cross-check of a campaign: judges answer the checks of its runs, disagreements are
investigated, and the results are handed to the campaign.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b

from murxpy.campaign.finding import Finding
from murxpy.campaign.findings.buckets import Bucket
from murxpy.campaign.judging.disagreement import (
    Case,
    Investigated,
    investigate,
    small_trace_data,
)
from murxpy.campaign.judging.judge_limits import own_limit
from murxpy.campaign.judging.judges import JudgedRun, Judges, confirmation
from murxpy.campaign.judging.solvers import Solvers, loaded_solvers
from murxpy.campaign.replays.inquiries import Inquirer
from murxpy.campaign.replays.service import Replays
from murxpy.campaign.runs import Runs
from murxpy.campaign.workers.handles import Job
from murxpy.oracles.crash import Outcome, Verdict
from murxpy.oracles.disagreement import KIND
from murxpy.trace.finished import Call

_UNDER_INQUIRY = 8  # disagreements that may be open; with more, the targets wait, too


@dataclass(frozen=True)
class Hooks:
    """The campaign's functions that the cross-check calls: give the runs of a target; a disagreement
    was investigated; add counters; and give all buckets.
    """

    runs: Callable[[int], Runs]
    found: Callable[[Finding], None]
    count: Callable[[Mapping[str, int]], None]
    buckets: Callable[[], Sequence[Bucket]]


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What a cross-check has left: runs that some judge has not answered, and disagreements that
    are not investigated.
    """

    runs: int = 0
    disagreements: int = 0

    def words(self) -> str:
        """The numbers in words; empty where nothing is left."""
        runs = f"{self.runs:,} run{'s' * (self.runs != 1)} to be judged" if self.runs else ""
        known = (
            f"{self.disagreements:,} known disagreement{'s' * (self.disagreements != 1)} to be investigated"
            if self.disagreements
            else ""
        )
        return " and ".join(filter(None, (runs, known)))


class CrossCheck:
    """Has the runs of the targets judged by the solvers of the plans of these numbers, `judges`, in the
    pool of `replays`. `versions` are those of the loaded solvers, `jobs` is the number of workers of
    the campaign.
    """

    only_differences = False  # what a target shows by itself counts, too

    def __init__(
        self,
        replays: Replays,
        judges: Sequence[int],
        versions: Sequence[str],
        jobs: int,
        hooks: Hooks,
    ) -> None:
        pool = replays.pool
        self._hooks = hooks
        self._solvers = loaded_solvers(pool.plans, versions, pool.limits.judge_ms)
        each = max(1, jobs // (1 + len(judges)))
        self._judges = Judges(replays, self._solvers, judges, each, self._settled, self._said)
        self._inquirer = Inquirer(replays)
        self._dropped = 0

    @property
    def full(self) -> bool:
        """Whether the targets should wait."""
        return self._judges.full or self._inquirer.waiting >= _UNDER_INQUIRY

    @property
    def busy(self) -> bool:
        """Whether some run is not done."""
        return bool(self._judges.unsettled) or self._inquirer.busy

    @property
    def unfinished(self) -> Unfinished:
        """What is not finished now."""
        return Unfinished(len(self._judges.unsettled) + self._dropped, self._inquirer.waiting)

    def run_ended(self, target: int, job: Job, outcome: Outcome) -> None:
        """Take a run of target number `target` that ended. Its trace is there if a check was
        decided or something was found.
        """
        if outcome.after:  # the process died after the run, which was taken before
            return
        if "\n      answer " in outcome.trace:
            self._judges.judge(target, job, outcome)
        else:
            self._hooks.runs(target).done(job.index)

    def feed(self) -> None:
        """Begin to investigate the next disagreement if none is under way."""
        self._inquirer.feed()

    def hasten(self) -> None:
        """Investigate each disagreement as soon as it is known, because the campaign ends soon."""
        self._judges.hasten()

    def close_judges(self) -> None:
        """End the judges. Investigations go on."""
        self._dropped += len(self._judges.unsettled)
        self._judges.clear()

    def close(self) -> Unfinished:
        """End everything, and return what was not finished. The runs in question stay open."""
        left = self.unfinished
        self._judges.clear()
        self._inquirer.clear()
        return left

    def _said(self, target: int, seed: int, trace: str, family: str) -> Mapping[str, str]:
        """The scripts of a run of a target that a family of solvers needs in other words."""
        return self._hooks.runs(target).said_for(seed, trace, family)

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
        """Count a run, which is done."""
        named = {self._solvers.name(judge): answers for judge, answers in run.answers.items()}
        runs = self._hooks.runs(run.target)
        told = runs.judged(run.job.seed, run.outcome.trace, named)
        for judge, spent in run.spent.items():
            unit = own_limit(self._solvers.plans[judge], 1.0)
            costs = {line: cost / unit for line, cost in spent.items()}
            runs.compared(run.job.seed, run.outcome, costs)
        self._hooks.count(run.counts + confirmation(run) + Counter(told))
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
    said = f"{sat} answers sat, {unsat} unsat"
    if solved.triage.culprit:
        said += f": {solved.triage.verdict.replace('-', ' ')} of {solved.triage.release}, by {solved.triage.by}"
    kinds = ", ".join(kind.removeprefix("OP_") for kind in solved.operators)
    named = f"; options {', '.join(solved.options)}" if solved.options else ""
    depends = ", ".join(dict.fromkeys(need.sort for need in solved.depends))
    return f"{said} ({kinds}{named}{f'; depends on {depends}' if depends else ''})"


def record(pair: Pair, solved: Investigated) -> dict[str, object]:
    """The triage as the plain data that the bucket stores."""
    return {**solved.triage.data(), "said": _said(pair, solved), **small_trace_data(solved)}


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
    said = _said(pair, solved)
    mine = sorted({*solved.operators, *solved.options})
    needs = sorted({need.sort for need in solved.depends})
    for bucket in buckets:
        kept = bucket.triage
        if bucket.kind == KIND and kept.get("said") == said:
            theirs = {*kept.get("operators", ()), *kept.get("options", ())}
            theirs_needs = {need[0] for need in kept.get("depends", ())}
            if theirs and theirs <= set(mine) and theirs_needs == set(needs):
                return bucket.key
    verdict = solved.triage.verdict if solved.triage.culprit else ""
    words = "-".join(filter(None, (KIND, verdict, family, *needs, *mine)))
    slug = re.sub(r"[^a-z0-9]+", "-", words.lower().replace("op_", "")).strip("-")[:80].rstrip("-")
    facts = repr((said, mine, *([needs] if needs else [])))
    return f"{slug}-{blake2b(facts.encode(), digest_size=4).hexdigest()}"


def _said(pair: Pair, solved: Investigated) -> str:
    """The solver that is wrong, or else the two that disagree."""
    return solved.triage.culprit or " and ".join(sorted(family for family, _ in pair))
