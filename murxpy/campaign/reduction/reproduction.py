"""Which findings of a campaign are to be reduced and translated, and what becomes of the results."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from murxpy.campaign import events
from murxpy.campaign.config import CampaignConfig
from murxpy.campaign.finding import Reproducer
from murxpy.campaign.findings.archive import Archive
from murxpy.campaign.findings.buckets import Bucket, Kept
from murxpy.campaign.findings.files import read_if_there
from murxpy.campaign.reduction.process import SECONDS, Answer, Request
from murxpy.campaign.reduction.process_queue import ReductionQueue
from murxpy.oracles.disagreement import KIND
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.oracles.documented import Documented

# Seconds. Most traces are a tenth as long by then, which shows whether they need something that is
# documented as experimental.
_GLANCE = 20.0
_TARGET = re.compile(
    r"-(\d+)\.trace$"
)  # the name of a trace that was found on another target than the first


class Reproduction:
    """Requests reproducers of confirmed buckets, reports them through `emit`, and then calls
    `reproduced`.

    They are made from smaller traces where `config` says so.
    """

    def __init__(
        self,
        config: CampaignConfig,
        archive: Archive,
        emit: Callable[[events.Event], None],
        reproduced: Callable[[], None],
    ) -> None:
        self._plans = (
            *config.targets,
            *config.judges,
        )  # a judge that is wrong wrote the trace of its finding
        self._targets = len(config.targets)
        self._families = [plan.target.family for plan in self._plans]
        self._archive = archive
        self._folder = config.out.absolute()
        self._minimize = config.minimize
        self._emit = emit
        self._reproduced = reproduced
        self._documented = [Documented(plan.setup.get("wrapper") or {}) for plan in self._plans]
        self._ordered: set[str] = set()
        self.queue = ReductionQueue(self._plans, config.limits.memory, self._done)

    def hurry(self) -> None:
        """Take all the time: the workers have ended."""
        self.queue.unbounded = True
        if not self._minimize:
            self.queue.print_only()
        if self._minimize and self.queue.busy:
            self._emit(
                events.Notice(
                    "findings are still made smaller; Ctrl-C leaves that to the next session"
                )
            )

    def look(self) -> None:
        """Request reproducers for the buckets that lack them."""
        for bucket in self._archive.buckets.values():
            kept = bucket.smallest()
            if (
                bucket.key in self._ordered
                or kept is None
                or not self._lacks(bucket)
                or self._archive.waits(kept)
            ):
                continue
            target, file = self._target(bucket, kept), self._file(kept)
            if target is not None and file is not None:
                self._ordered.add(bucket.key)
                self._order(bucket, file, target)

    def _file(self, kept: Kept) -> Path | None:
        """The file that shows the finding: its trace, or its history if it needs the runs before
        it.
        """
        trace = self._folder / kept.file
        history = trace.with_suffix(".history")
        return trace if kept.confirmed else history if history.is_file() else None

    def _order(self, bucket: Bucket, file: Path, target: int) -> None:
        minimize = self._minimize or self._may_need_documented(bucket, target)
        seconds = SECONDS if self._minimize else _GLANCE
        request = Request(
            bucket.key, bucket.kind, bucket.message, str(file), target, minimize, seconds
        )
        if minimize or "wrapper" in self._plans[target].setup:
            self.queue.add(request)
        else:  # nothing can be printed
            self._done(request, Answer((Reproducer("trace", str(file), True),)))

    def _may_need_documented(self, bucket: Bucket, target: int) -> bool:
        """Whether all traces of a bucket use something that the solver documents as experimental. A
        smaller trace then tells whether the finding needs that.
        """
        texts = [self._archive.pending_trace(kept) for kept in bucket.traces]
        documented = self._documented[target]
        return bucket.tier != DOCUMENTED and all(
            text is not None and documented.of_trace(text) for text in texts
        )

    def _lacks(self, bucket: Bucket) -> bool:
        forms = [form.form for form in bucket.reproducers]
        return bucket.state == "confirmed" and (
            "trace" not in forms or (self._minimize and not {"min.trace", "min.history"} & {*forms})
        )

    def _target(self, bucket: Bucket, kept: Kept) -> int | None:
        """The number of the plan whose solver wrote the trace; None when this session has no such
        plan.
        """
        match = _TARGET.search(kept.file)
        number = int(match[1]) if match else 0
        if number < len(self._families) and self._families[number] == bucket.solver:
            return number
        if bucket.kind == KIND:  # the judge is wrong, but only the trace of the target shows it
            return number if number < self._targets else None
        targets = self._families[: self._targets]
        return targets.index(bucket.solver) if bucket.solver in targets else None

    def _done(self, request: Request, answer: Answer) -> None:
        key = request.key
        if answer.error:
            self._emit(events.Notice(f"{key}: no reproducers: {answer.error}"))
            return
        forms = tuple(replace(form, file=self._relative(form.file)) for form in answer.reproducers)
        self._archive.set_reproducers(key, forms)
        if self._needs_documented(request, answer, self._archive.buckets[key]):
            self._archive.set_tier(key, DOCUMENTED)
        tier = self._archive.buckets[key].tier
        self._emit(events.Reproduced(key, forms, answer.before, answer.after, tier))
        self._reproduced()

    def _needs_documented(self, request: Request, answer: Answer, bucket: Bucket) -> bool:
        """Whether the smaller trace and all traces of the bucket use something that is documented
        as experimental.
        """
        documented = self._documented[request.target]
        smaller = [
            form.file for form in answer.reproducers if form.form == "min.trace" and form.reproduces
        ]
        if not smaller or bucket.tier == "murxpy":
            return False
        kept = [self._archive.pending_trace(kept) for kept in bucket.traces]
        return all(
            text is None or documented.of_trace(text)
            for text in [*map(read_if_there, map(Path, smaller)), *kept]
        )

    def _relative(self, file: str) -> str:
        return str(Path(file).relative_to(self._folder)) if file else ""
