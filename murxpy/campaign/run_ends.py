"""Reasons to end a campaign early: the processes of a target cannot live, or runs keep ending in
errors of murxpy itself.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from murxpy.campaign.runs import FuzzedTarget
from murxpy.campaign.statistics import EventLog
from murxpy.errors import InternalError, TargetError
from murxpy.findings.archive import Archive
from murxpy.findings.buckets import candidate
from murxpy.findings.collector import Collector
from murxpy.fuzzers.seeds import SeedFolder
from murxpy.judging.cross_check import Judging
from murxpy.machine.outcomes import INTERNAL
from murxpy.machine.trace.finished import checks_of, last_call
from murxpy.machine.trace.grammar import parse_trace
from murxpy.oracles.crash import HANG, Verdict
from murxpy.processes.inquiries import Trial, Trials
from murxpy.processes.pool import Result
from murxpy.processes.service import Fresh, Future, Replays
from murxpy.records import events
from murxpy.records.finding import Finding
from murxpy.records.services import Service

ROW = 20  # runs of one target in a row that end in an internal error
SPAN = 200  # the last runs of one target; at most half of them may end in one


class Breakdown:
    """Watches the runs of the targets called `names`. `reason` says why the campaign must end; it
    is empty while the campaign can go on.

    `exit_code` is the exit code that the reason means.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._last: list[deque[bool]] = [deque(maxlen=SPAN) for _ in names]
        self.reason = ""
        self.exit_code = 0

    @property
    def unusable(self) -> bool:
        """Whether the processes of a target cannot live any more, so that there is nothing left to
        wait for.
        """
        return self.exit_code == TargetError.exit_code

    @contextmanager
    def watch(self, runs: int) -> Iterator[None]:
        """Turn a TargetError from inside into the reason to end the campaign in good order. If no
        runs have ended yet (`runs` is 0), the error is raised as it is.
        """
        try:
            yield
        except TargetError as error:
            if not runs:
                raise
            self.reason, self.exit_code = str(error), error.exit_code

    def runs_passed(self, target: int, count: int) -> None:
        """Note that so many runs of target number `target` ended, none in an internal error."""
        self._last[target].extend([False] * min(count, SPAN))

    def run_ended(self, target: int, internal: bool, trace: str) -> None:
        """Note that a run of target number `target` ended; `internal` says whether it ended in an
        internal error, and `trace` names a file that shows that error.
        """
        last = self._last[target]
        last.append(internal)
        row = len(last) >= ROW and all(list(last)[-ROW:])
        if internal and not self.reason and (row or (len(last) == SPAN and sum(last) > SPAN // 2)):
            which = f"the last {ROW}" if row else f"{sum(last)} of the last {SPAN}"
            self.reason = f"internal errors keep coming: {which} runs on '{self._names[target]}' ended in one; see {trace}"
            self.exit_code = InternalError.exit_code


# ----------------------------------------------------------------------
# Hangs: which of the runs past the wall limit never return at all. A run past the wall limit is
# only a statistic. For each fatal call, one suspect is replayed alone with far more time, and then
# again with twice as much. The replays of such runs get a limited part of the campaign's time.


SHARE = 0.1  # the part of the time of all workers that replays of suspects may take
_WAITING = 50  # suspects that may wait; each takes 60 s or more, so others would never be reached
# Seconds of the first replay where the last call is of contract mode: it solves nothing, and takes
# milliseconds.
_OF_MISUSES = 2.0


class Hangs(Service):
    """Collects runs past the wall limit, replays them, and calls `hung` with the findings of those
    that hang. `family(target)` gives family and version of a target's solver. `tried` names the
    fatal calls that an earlier session replayed. `workers_time()` are the seconds that all workers have
    together.
    """

    def __init__(
        self,
        replays: Replays,
        family: Callable[[int], tuple[str, str]],
        hung: Callable[[Finding], None],
        tried: list[str],
        workers_time: Callable[[], float],
    ) -> None:
        self._workers_time = workers_time
        self._patience = replays.pool.limits.patience
        self._family = family
        self._hung = hung
        self._trials = Trials(replays)
        self._suspects: list[Result] = []
        self._target_of: dict[int, int] = {}
        self._spent = 0.0
        self._begun: float | None = None
        self.tried = dict.fromkeys(tried)

    def suspect(self, result: Result, target: int) -> None:
        """Remember a run past the wall limit, unless a run with the same fatal call was remembered
        before.
        """
        call = last_call(result.outcome.trace)
        name = f"{target} {call.action} {call.operator}"
        if name not in self.tried and result.outcome.trace and len(self._suspects) < _WAITING:
            self.tried[name] = None
            self._target_of[result.job.number] = target
            self._suspects.append(result)

    def feed(self) -> None:
        """Begin to replay the next suspect that fits into the share of the time of all workers. One that
        needs too much time does not keep the others waiting.
        """
        if not self._trials.busy:
            left = SHARE * self._workers_time() - self._spent
            fitting = (s for s in self._suspects if 3 * self._patience_with(s) <= left)
            suspect = next(fitting, None)
            if suspect is not None:
                self._suspects.remove(suspect)
                self._begin(suspect)
        self._trials.feed()

    def _begin(self, result: Result) -> None:
        self._begun = time.monotonic()
        wall = self._patience_with(result)
        self._try(result, wall, lambda trial: self._first(result, trial))

    def _patience_with(self, result: Result) -> float:
        """The seconds that the first replay of a suspect gets; the second gets twice as much."""
        misuse = last_call(result.outcome.trace).action == "misuse"
        return min(self._patience, _OF_MISUSES) if misuse else self._patience

    def _try(self, result: Result, wall: float, done: Callable[[Future], None]) -> None:
        name = f"{result.job.seed:016x}.trace"
        job = replace(result.job, wall=wall, text=result.outcome.trace, name=name)
        self._trials.add(Trial((job,), Fresh(self._target_of[result.job.number]), done))

    def state(self) -> dict[str, list[str]]:
        return {"suspects": list(self.tried)}

    def end_runs(self, *, at_once: bool) -> None:
        """Forget the suspects, also the one that is being replayed."""
        self._suspects.clear()
        self._trials.clear()

    def _first(self, result: Result, trial: Future) -> None:
        if _overstayed(trial):
            wall = 2 * self._patience_with(result)
            self._try(result, wall, lambda again: self._second(result, again))
        else:
            self._end()

    def _second(self, result: Result, trial: Future) -> None:
        self._end()
        if not _overstayed(trial):
            return
        target = self._target_of[result.job.number]
        message = f"no return within {2 * self._patience_with(result):g} s"
        call = last_call(trial.outcomes[-1].trace)
        of_misuse = call.action == "misuse"
        verdict = Verdict(HANG, "binding" if of_misuse else "solver", message, "", call)
        found = candidate(
            target, *self._family(target), result.job, result.past, result.outcome, verdict
        )
        if found is not None:
            self._hung(found.settled(True))

    def _end(self) -> None:
        if self._begun is not None:
            self._spent += time.monotonic() - self._begun
            self._begun = None


def _overstayed(trial: Future) -> bool:
    return any(outcome.cause == "wall" for outcome in trial.outcomes)


# ----------------------------------------------------------------------
# The formulas of runs, which the user keeps as scripts.


class KeptScripts(Service):
    """Writes the formulas of runs that ended by themselves to a folder of the user. If it takes no file,
    `notice` is told, and no further one is written.
    """

    def __init__(self, folder: Path, notice: Callable[[str], None], *, decided: bool) -> None:
        self._folder = SeedFolder(folder)
        self._notice = notice
        self._decided = decided
        self._lost = False

    def take(self, result: Result, family: str) -> None:
        """Write the formula of a run on a solver of this family."""
        report, seed = result.outcome.report, f"{result.job.seed:016x}"
        if report is None or self._lost or not result.outcome.trace:
            return
        if self._decided and not report.get("counts", {}).get("check:decided"):
            return
        try:
            self._folder.take(parse_trace(result.outcome.trace, seed), seed, family)
        except OSError as error:
            self._lost = True
            self._notice(f"no more scripts are kept in {self._folder.path}: {error.strerror}")

    def end_runs(self, *, at_once: bool) -> None:
        lost = "".join(
            f"; {count} runs left out, {why}" for why, count in self._folder.left_out.most_common(3)
        )
        self._notice(f"{self._folder.written} scripts kept in {self._folder.path}{lost}")


# ----------------------------------------------------------------------
# The end of a run: its counters, its finding, the suspicion that it hangs, and its checks for
# the judges.


class RunEnds:
    """Takes the results of the runs of `targets` and hands them on: to the `archive` and the `log`,
    to the `collector` of findings, to `hangs` and to the judges. `cross` is None in a campaign
    without judges. `out` is the campaign's folder.
    """

    def __init__(
        self,
        targets: Sequence[FuzzedTarget],
        out: Path,
        archive: Archive,
        log: EventLog,
        collector: Collector,
        hangs: Hangs,
        breakdown: Breakdown,
    ) -> None:
        self._targets = targets
        self._out = out
        self._archive = archive
        self._log = log
        self._collector = collector
        self._hangs = hangs
        self._breakdown = breakdown
        self.cross: Judging | None = None
        self.scripts: KeptScripts | None = None

    def ended(self, number: int, result: Result) -> None:
        """Take the result of a run of target number `number`. A result with `Outcome.after` says
        that a process died after the run had ended.
        """
        target, outcome = self._targets[number], result.outcome
        # Not None: the run ended in an earlier session and only lacks the answers of its judges.
        before = None if outcome.after else target.runs.counted(result.job.index)
        if outcome.report is not None:
            self._reported(target, result, before is None)
            if self.scripts is not None and before is None:
                self.scripts.take(result, target.family)
        elif before is None and not outcome.after:
            ended = "killed" if outcome.cause in ("wall", "cpu") else "died"
            self._log.statistics.counts[f"time-ns:{ended}"] += int(1e9 * outcome.cpu)
            self._unreported(number, result)
        found = candidate(number, target.family, target.version, result.job, result.past, outcome)
        if found is not None and result.shown_again:
            found = found.settled(True)
        doubtful = found is not None and found.verdict.doubtful
        if not doubtful:
            found = self._counting(found)
        if before is None and not (outcome.after or doubtful):
            self._left_over(target, result)
        if before is None and not (outcome.after or doubtful):
            self._of_source(target, result, found)
        # The statistics count such a run when they get the event of the lost worker.
        if before is None and outcome.report is None and not (outcome.after or doubtful):
            self._archive.add({"run:total": 1})
            self.count(checks_of(outcome.trace))
        if found is None or found.bucket == before:
            self._over(number, result, before or "")
        elif doubtful:
            self._log.show(result.worker.slot, target.name, "waiting")  # the run may be made again
            self._collector.doubt(found, partial(self._doubt_settled, number, result))
        else:
            self._found(found)
            if not outcome.after:  # otherwise the judges have its answers already
                self._over(number, result, found.bucket)
        self._watch(number, found)

    def _of_source(self, target: FuzzedTarget, result: Result, found: Finding | None) -> None:
        """Count a run under its source, in a campaign with several."""
        source = target.runs.source_of(result.job.seed)
        if source is None:
            return
        report = result.outcome.report
        counts = checks_of(result.outcome.trace) if report is None else report.get("counts", {})
        spent = counts.get("time-ns:run") or int(1e9 * result.outcome.cpu)
        decided = counts.get("check:decided", 0)
        of = {"runs": 1, "cpu-ns": spent, "decided": decided, "findings": int(found is not None)}
        self.count({f"source:{source}:{name}": number for name, number in of.items() if number})

    def _left_over(self, target: FuzzedTarget, result: Result) -> None:
        """Tell the runs of a target that one of them ended early, if it did."""
        report = result.outcome.report
        if report is None or report.get("finding"):
            seed, outcome = result.job.seed, result.outcome
            killed = report is None and outcome.cause in ("wall", "cpu")
            counts = target.runs.ended_early(
                seed, outcome.trace, reported=report is not None, killed=killed
            )
            self.count(counts)

    def _counting(self, found: Finding | None) -> Finding | None:
        """The finding of a run, if it counts: a comparison has no use for what the older release
        shows, unless that is a fault of murxpy.
        """
        if found is None or self.cross is None or not self.cross.only_differences:
            return found
        if found.verdict.tier == "murxpy":
            return found
        self.count({"compare:of-older": 1})
        return None

    def _reported(self, target: FuzzedTarget, result: Result, first: bool) -> None:
        report = dict(result.outcome.report or {})
        report["counts"] = {"run:total": 1, **report.get("counts", {})} if first else {}
        self._archive.add(report["counts"])
        if first:
            target.runs.reported(result.job.index, result.job.seed, report)
        self._log.emit(events.RunEnded(result.worker.slot, result.job.seed, report))

    def _unreported(self, number: int, result: Result) -> None:
        """Take a run that ended together with its process."""
        target, slot, job = self._targets[number], result.worker.slot, result.job
        # Several jobs may have ended in one step, so the statistics may not know of this one yet.
        self._log.show(slot, target.name, "running", job.seed)
        if result.outcome.cause in ("wall", "cpu"):
            call = last_call(result.outcome.trace)
            self._log.emit(events.Overstayed(slot, job.seed, call.action, call.operator))
            self.count(target.runs.ended_badly(job.index, job.seed, "timeouts"))
            if self.cross is None or not self.cross.only_differences:
                self._hangs.suspect(result, number)

    def _watch(self, number: int, found: Finding | None) -> None:
        """Tell the breakdown whether the run ended in an internal error."""
        if found is None or found.verdict.kind != INTERNAL:
            self._breakdown.run_ended(number, False, "")
            return
        kept = self._archive.buckets[found.bucket].smallest()
        trace = self._out / (kept.file if kept else "findings")
        self._breakdown.run_ended(number, True, str(trace))

    def count(self, counts: Mapping[str, int]) -> None:
        """Add `counts` to the totals."""
        self._archive.add(counts)
        self._log.statistics.counts.update(counts)

    def _found(self, found: Finding) -> None:
        target, job = self._targets[found.target], found.job
        self._collector.found(found)
        self._credit(found)
        if found.outcome.report is None:
            self.count(target.runs.ended_badly(job.index, job.seed, "findings"))

    def _credit(self, found: Finding) -> None:
        """Credit a finding to the seed file of its run, unless the user knows the bucket already,
        or murxpy itself is at fault.
        """
        pays = not self._archive.buckets[found.bucket].known and found.verdict.tier != "murxpy"
        bucket = found.bucket if pays else ""
        self._targets[found.target].runs.found(found.job.index, bucket, found.verdict)

    def triaged(self, found: Finding) -> None:
        """Take a disagreement that was investigated: `found` holds the triage."""
        runs, job = self._targets[found.target].runs, found.job
        self._collector.found(found)
        self._credit(found)
        self.count(runs.ended_badly(job.index, job.seed, "findings"))

    def _over(self, number: int, result: Result, bucket: str) -> None:
        """Note that a run and its finding, in `bucket`, were counted. The run is done now, or as
        soon as the judges have answered its checks.
        """
        runs, index = self._targets[number].runs, result.job.index
        if self.cross is None:
            runs.done(index)
        else:
            runs.ended(index, bucket)
            self.cross.run_ended(number, result.job, result.outcome)

    def _doubt_settled(self, number: int, result: Result, shown: Finding, over: bool) -> None:
        """Take the answer to the doubt whether somebody else killed the run's process: either the
        run is `over`, and `shown` is its finding, or it must be made again.
        """
        runs, index = self._targets[number].runs, result.job.index
        found = self._counting(shown) if over else None
        if found is not None:
            self._collector.found(found)
            self._credit(found)
        if not result.outcome.after:  # otherwise the run had ended before
            if over:
                self.count({"run:total": 1, **checks_of(result.outcome.trace)})
                self._left_over(self._targets[number], result)
                runs.done(index)
            else:
                runs.give_back(index)
