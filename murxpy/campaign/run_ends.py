"""The end of a run: its counters, its finding, the suspicion that it hangs, and its checks for the
judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from murxpy.campaign import events
from murxpy.campaign.breakdown import Breakdown
from murxpy.campaign.event_log import EventLog
from murxpy.campaign.finding import Finding
from murxpy.campaign.findings.archive import Archive
from murxpy.campaign.findings.candidates import candidate
from murxpy.campaign.findings.collector import Collector
from murxpy.campaign.hangs import Hangs
from murxpy.campaign.runs import FuzzedTarget
from murxpy.campaign.second_look import SecondLook
from murxpy.campaign.workers.pool import Result
from murxpy.oracles.crash import INTERNAL
from murxpy.trace.finished import last_call


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
        self.cross: SecondLook | None = None

    def ended(self, number: int, result: Result) -> None:
        """Take the result of a run of target number `number`. A result with `Outcome.after` says
        that a process died after the run had ended.
        """
        target, outcome = self._targets[number], result.outcome
        # Not None: the run ended in an earlier session and only lacks the answers of its judges.
        before = None if outcome.after else target.runs.counted(result.job.index)
        if outcome.report is not None:
            self._reported(target, result, before is None)
        elif before is None and not outcome.after:
            ended = "killed" if outcome.cause in ("wall", "cpu") else "died"
            self._log.statistics.counts[f"time-ns:{ended}"] += int(1e9 * outcome.cpu)
            self._unreported(number, result)
        found = candidate(number, target.family, target.version, result.job, result.past, outcome)
        doubtful = found is not None and found.verdict.doubtful
        if not doubtful:
            found = self._counting(found)
        if before is None and not (outcome.after or doubtful):
            self._left_over(target, result)
        # The statistics count such a run when they get the event of the lost worker.
        if before is None and outcome.report is None and not (outcome.after or doubtful):
            self._archive.add({"run:total": 1})
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
        target.damp = self._collector.damped(target.family)

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
        if not result.outcome.after:  # otherwise the run had ended before
            if over:
                self.count({"run:total": 1})
                self._left_over(self._targets[number], result)
                runs.done(index)
            else:
                runs.give_back(index)
        found = self._counting(shown) if over else None
        if found is not None:
            self._collector.found(found)
