"""Decides which findings of a campaign are to be reduced, translated and bisected, and handles the
results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from murxpy.campaign.behind.queue import Nodes, Queue
from murxpy.campaign.behind.requests import CPU, MORE_CPU, NICE, REPLAYS, Answer, Request
from murxpy.findings.archive import Archive
from murxpy.findings.buckets import Bucket, Kept, worst_first
from murxpy.findings.defects import comparable, is_trifle, needs_reduction
from murxpy.findings.folder import read_if_there
from murxpy.findings.kinds.registry import kind_of
from murxpy.findings.ranges import kept_range
from murxpy.oracles.disagreement import KIND
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.oracles.documented import Documented, survives_safe_mode
from murxpy.processes.environments import installed
from murxpy.records import events
from murxpy.records.config import Budget, CampaignConfig
from murxpy.records.finding import Reproducer
from murxpy.records.services import Service
from murxpy.records.snapshot import Left

_MORE = 8  # times as many replays for a reduction that the user asked for
_SMALLER = ("min.trace", "min.history")
_LATER = 1000  # more than the rank of any finding
_TARGET = re.compile(
    r"-(\d+)\.trace$"
)  # the name of a trace that was found on another target than the first


class FollowUp(Service):
    """Requests reproducers and ranges of confirmed buckets, and reports them through `emit`. Behind
    each, `learnt` is called. `older` gives the older bucket that shows the defect of a bucket, or
    nothing, and `alike` all buckets of the folder that show it, where there are several.

    Reproducers are made from smaller traces where `config` says so, and where only a smaller trace
    tells which defect a bucket shows. Ranges are found where `config` says so, within the time of
    `budget`; the worst findings come first. `printed` is called with each bucket for which a program shows its
    finding.
    """

    def __init__(
        self,
        config: CampaignConfig,
        archive: Archive,
        budget: Budget,
        emit: Callable[[events.Event], None],
        learnt: Callable[[], None],
        older: Callable[[str], str],
        alike: Callable[[str], Sequence[str]],
        printed: Callable[[str], None] = lambda key: None,
        nodes: Nodes | None = None,
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
        self._learnt = learnt
        self._older = older
        self._alike = alike
        self._printed = printed
        self._documented = [Documented(plan.setup.get("wrapper") or {}) for plan in self._plans]
        self._releases = [
            installed(plan.setup.get("wrapper") or {}) if config.bisect else ()
            for plan in self._plans
        ]
        self._jobs, self._known = config.jobs, config.known_marks
        self._hurried = False
        self._ordered: set[str] = set()
        self._reduced: set[str] = set()
        # Buckets to look at although they did not change since: those of earlier sessions, and those
        # whose smallest trace was not written yet.
        self._due = dict.fromkeys(archive.buckets)
        self._bisected: set[str] = set()
        self._budget = budget
        self.queue = Queue(
            self._plans,
            config.limits.memory,
            budget,
            self._done,
            self._ready,
            self._urgency,
            0 if config.resume else NICE,
            nodes,
        )

    def hurry(self) -> None:
        """Take all the time and as many processes as there were workers: these have ended."""
        self._budget.unbounded = True
        self.queue.widen(self._jobs)
        self.settle()
        left = self.queue.telling
        if self.patient and self.queue.busy:
            self._promise("findings are still made smaller or bisected")
        elif left:
            self._promise(
                f"findings are still made smaller, to see which are one defect ({left} left)"
            )

    def settle(self) -> None:
        """Note that there are no more runs, so that it is known what is left to do."""
        self._hurried = True
        self.look()

    def poll(self) -> None:
        self.queue.poll()

    def cpu(self) -> dict[str, float]:
        return {"follow-up": self.queue.cpu}

    @property
    def reducing(self) -> float | None:
        """The seconds of all processors that the requests took until now; None where none is left."""
        return self.queue.cpu if self.queue.busy else None

    def close(self) -> None:
        self.queue.stop()

    @property
    def left(self) -> Left:
        asked = self.queue.left
        made = [request for request in asked if not request.releases]
        smaller = sum(request.minimize for request in made)
        keys = {request.key for request in asked if self._releases[request.target]}
        return Left(reductions=smaller, programs=len(made) - smaller, bisections=len(keys))

    def _promise(self, what: str) -> None:
        self._emit(events.Notice(f"{what}; Ctrl-C leaves that to the next session"))

    @property
    def patient(self) -> bool:
        """Whether a campaign waits for more than programs after its last run."""
        return self._minimize or any(self._releases)

    def _ready(self, request: Request) -> Request | None:
        """Return the part of the request that is still wanted when the work on it begins: nothing where
        another bucket shows the defect as well; after the last run, findings are only translated, unless
        the user asked for more, or a smaller trace can tell which defect was found.
        """
        if not request.releases and self._covered(self._archive.buckets[request.key]):
            return None
        if not self._hurried or self._minimize or request.releases:
            return request
        if request.telling and self._telling(self._archive.buckets[request.key]):
            return request
        return replace(request, minimize=False, telling=False)

    def _urgency(self, request: Request) -> tuple[bool, bool, bool, int, bool, int]:
        """A key by which what lists tell last comes last, then the first finding of each defect before a
        second one, then the worst, then what needs no run before it, since a history takes as long as
        five traces, then that with the smallest trace. What has used up its time comes behind all.
        """
        bucket = self._archive.buckets[request.key]
        kept = bucket.smallest()
        again = not request.releases and any(map(self._tried, self._others(bucket)))
        size = kept.size if kept is not None else 0
        several = kept is not None and not kept.confirmed
        return request.rank >= _LATER, is_trifle(bucket), again, request.rank, several, size

    def _others(self, bucket: Bucket) -> Iterator[Bucket]:
        """The other buckets of the folder that show the defect of a bucket, as far as that is known."""
        for key in self._alike(bucket.key):
            if key != bucket.key:
                yield self._archive.buckets[key]

    def _tried(self, bucket: Bucket) -> bool:
        """Whether a bucket was made smaller, or is being made smaller."""
        smaller = any(form.form in _SMALLER for form in bucket.reproducers)
        return smaller or bucket.key in self._reduced or self.queue.works_on(bucket.key)

    def _covered(self, bucket: Bucket) -> bool:
        """Whether a bucket that is no better shows the same defect in a smaller trace, and in a program or
        a script. Then nobody needs another program of it.
        """
        if not self._minimize or bucket.tier == DOCUMENTED:
            return False
        rank = worst_first(bucket)
        return any(
            worst_first(other) <= rank and other.tier != DOCUMENTED and _is_shown(other)
            for other in self._others(bucket)
        )

    def look(self) -> None:
        """Request reproducers for the buckets that lack them, and then ranges.

        While runs are made, nothing is to be done for a bucket that did not change. After the last
        run, a new bucket may be one with which an older bucket has to be compared.
        """
        buckets = self._archive.buckets
        for key in list(buckets) if self._hurried else [*self._due, *self._archive.changed]:
            self._look(buckets[key])

    def _look(self, bucket: Bucket) -> None:
        self._due.pop(bucket.key, None)
        kept = bucket.smallest()
        if bucket.state != "confirmed" or kept is None:
            return
        if self._archive.waits(kept):
            self._due[bucket.key] = None
            return
        target, file = self._target(bucket, kept), self._file(kept)
        if target is None or file is None:
            return
        again = self._telling(bucket) and bucket.key not in self._reduced
        fresh = bucket.key not in self._ordered or (again and not self.queue.has(bucket.key))
        if fresh and self._lacks(bucket):
            self._ordered.add(bucket.key)
            self._archive.held[bucket.key] = kept.file
            self._order(bucket, file, target)
        elif bucket.key not in self._bisected and self._without_range(bucket, kept, target):
            self._bisected.add(bucket.key)
            self._archive.held[bucket.key] = kept.file
            self._bisect(bucket, kept, target)

    def _file(self, kept: Kept) -> Path | None:
        """The file that shows the finding: its trace, or its history if it needs the runs before
        it.
        """
        trace = self._folder / kept.file
        history = trace.with_suffix(".history")
        return trace if kept.confirmed else history if history.is_file() else None

    def _order(self, bucket: Bucket, file: Path, target: int) -> None:
        telling = self._telling(bucket)
        minimize = self._minimize or telling or self._may_need_documented(bucket, target)
        replays = REPLAYS * (_MORE if self._minimize else 1)
        request = Request(
            bucket.key,
            bucket.kind,
            bucket.message,
            str(file),
            target,
            minimize,
            kind_of(bucket.kind).replays or replays,
            telling,
            rank=worst_first(bucket),
        )
        if minimize or "wrapper" in self._plans[target].setup:
            self.queue.add(request)
        else:  # nothing can be printed
            self._done(request, Answer((Reproducer("trace", str(file), True),)))

    def _without_range(self, bucket: Bucket, kept: Kept, target: int) -> bool:
        """Whether the releases that show the bucket are to be found: its reproducers are made, a trace
        shows it alone, and there are releases to ask.
        """
        return (
            bool(self._releases[target])
            and bucket.state == "confirmed"
            and bool(kept.confirmed)
            and not self._lacks(bucket)
            and not kept_range((self._folder / kept.file).parent)
        )

    def _bisect(self, bucket: Bucket, kept: Kept, target: int) -> None:
        smaller = [f.file for f in bucket.reproducers if f.form == "min.trace" and f.reproduces]
        file = str(self._folder / (smaller[0] if smaller else kept.file))
        request = Request(bucket.key, bucket.kind, bucket.message, file, target, False)
        rank = worst_first(bucket)
        self.queue.add(replace(request, releases=self._releases[target], rank=rank))

    def _telling(self, bucket: Bucket) -> bool:
        """Whether a smaller trace may tell which defect a bucket shows, if nothing else told that
        yet. Behind the last run it may not where there is nothing that the bucket could be one defect
        with.
        """
        if not needs_reduction(bucket) or self._older(bucket.key):
            return False
        others = self._archive.buckets.values()
        return not self._hurried or self._minimize or comparable(bucket, others, self._known)

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
        return (
            bucket.state == "confirmed"
            and not self._covered(bucket)
            and self._lacks_forms(bucket, forms)
        )

    def _lacks_forms(self, bucket: Bucket, forms: Sequence[str]) -> bool:
        return "trace" not in forms or (
            (self._minimize or self._telling(bucket)) and not {*_SMALLER} & {*forms}
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
        self._archive.held.pop(key, None)
        if request.minimize:
            self._reduced.add(key)
        if answer.error:
            lacking = "no range of releases" if request.releases else "no reproducers"
            self._emit(events.Notice(f"{key}: {lacking}: {answer.error}"))
            return
        if request.releases:
            self._emit(events.Bisected(key, answer.releases))
            self._learnt()
            return
        if answer.ended == "time":
            self._ended(request, answer)
        forms = tuple(replace(form, file=self._relative(form.file)) for form in answer.reproducers)
        self._archive.set_reproducers(key, forms)
        if any(form.form == "python" and form.reproduces for form in forms):
            self._printed(key)
        bucket = self._archive.buckets[key]
        if self._needs_documented(request, answer, bucket):
            self._archive.set_tier(key, DOCUMENTED)
        elif bucket.tier == DOCUMENTED and any(map(survives_safe_mode, _smaller(answer))):
            self._archive.set_tier(key, "solver")  # what a safe mode allows is not experimental
        elif bucket.tier == "binding" and any(f.form == "smt2" and f.reproduces for f in forms):
            self._archive.set_tier(key, "solver")  # the solver's own reader needs no binding
        tier = self._archive.buckets[key].tier
        self._emit(events.Reproduced(key, forms, answer.before, answer.after, tier))
        self._learnt()
        self._look(self._archive.buckets[key])

    def _ended(self, request: Request, answer: Answer) -> None:
        """Let a reduction that has used up its time go on when all other findings had theirs; say so
        the second time.
        """
        if request.cpu < MORE_CPU:
            self._archive.held[request.key] = self._relative(request.trace)
            self.queue.add(replace(request, cpu=MORE_CPU, rank=request.rank + _LATER))
            return
        self._emit(
            events.Notice(
                f"{request.key}: {answer.before} lines to {answer.after} in the {CPU + MORE_CPU:g} s of CPU time that a "
                "finding gets; 'murxpy minimize' makes it smaller still"
            )
        )

    def _needs_documented(self, request: Request, answer: Answer, bucket: Bucket) -> bool:
        """Whether the smaller trace and all traces of the bucket use something that is documented
        as experimental.
        """
        documented = self._documented[request.target]
        smaller = _smaller(answer)
        if not smaller or bucket.tier == "murxpy":
            return False
        kept = [self._archive.pending_trace(kept) for kept in bucket.traces]
        return all(text is None or documented.of_trace(text) for text in [*smaller, *kept])

    def _relative(self, file: str) -> str:
        return str(Path(file).relative_to(self._folder)) if file else ""


def _is_shown(bucket: Bucket) -> bool:
    """Whether a smaller trace of a bucket shows its finding, and a program or a script."""
    shows = {form.form for form in bucket.reproducers if form.reproduces}
    return bool(shows & {*_SMALLER}) and bool(shows & {"python", "smt2"})


def _smaller(answer: Answer) -> list[str]:
    """The texts of the smaller traces that show a finding."""
    forms = answer.reproducers
    files = [form.file for form in forms if form.form == "min.trace" and form.reproduces]
    return [text for text in map(read_if_there, map(Path, files)) if text is not None]
