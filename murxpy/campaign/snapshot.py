"""The figures of a campaign at one moment: what reporters show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from murxpy.campaign.finding import Reproducer
from murxpy.oracles.crash import Tier

WorkerState = Literal["starting", "running", "confirming", "waiting"]

# what is counted of a mutation fuzzer's mutants
YIELD = ("made", "accepted", "decided", "unknown", "timeouts", "findings")


@dataclass(frozen=True, slots=True)
class WorkerView:
    """What one worker does: runs done, the run in hand (None: none) and when it entered this state."""

    worker: int
    target: str
    runs: int = 0
    seed: int | None = None
    state: WorkerState = "starting"
    since: float = 0.0


@dataclass(frozen=True, slots=True)
class BucketView:
    """One defect as the reports show it.

    `new` says whether this campaign opened the bucket; it is None where the bucket is read from an
    output folder and no campaign runs. `seed` and `lines` are those of the smallest trace, `first`
    is when the bucket was opened, and `trace` is the path of the trace that is kept, empty where
    none is (known bugs). `same` is the key of an earlier bucket that is probably the same defect.
    `reproducers` are the forms in which the finding was written; `triage` says of a disagreement
    which solver is wrong.
    """

    key: str
    kind: str
    tier: Tier
    severity: str
    solver: str
    version: str
    message: str
    new: bool | None
    known: bool
    confirmed: bool
    count: int
    seed: int
    lines: int
    first: float
    trace: str = ""
    same: str = ""
    reproducers: tuple[Reproducer, ...] = ()
    triage: Mapping[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """`known`; `new` or `again` in the campaign that runs; `open` in an output folder."""
        if self.known:
            return "known"
        return "open" if self.new is None else "new" if self.new else "again"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The figures of a campaign at one moment, `elapsed` seconds after it began.

    Rates are per second of the wall time in which there were runs: up to the grace for what was
    found last, and for the judges.
    """

    elapsed: float
    counts: Mapping[str, int]
    workers: tuple[WorkerView, ...] = ()
    buckets: tuple[BucketView, ...] = ()
    overstayed: int = 0
    lost: int = 0
    recent_runs: float = 0.0
    recent_decided: float = 0.0
    runs_ended: float | None = None  # seconds from the start to the grace, once it has come

    @property
    def running(self) -> float:
        """Seconds in which there were runs."""
        return self.elapsed if self.runs_ended is None else min(self.elapsed, self.runs_ended)

    def part(self, prefix: str) -> dict[str, int]:
        """The counters whose name begins with `prefix`, by the rest of their name, sorted."""
        return {
            name[len(prefix) :]: n
            for name, n in sorted(self.counts.items())
            if name.startswith(prefix)
        }

    @property
    def runs(self) -> int:
        """Runs that ended, by themselves or from outside."""
        return self.counts.get("run:total", 0)

    @property
    def decided(self) -> int:
        """Checks answered sat or unsat with something asserted, once for each distinct set."""
        return self.counts.get("check:decided", 0)

    @property
    def runs_per_second(self) -> float:
        """Mean since the start."""
        return self.runs / self.running if self.running > 0 else 0.0

    @property
    def decided_per_second(self) -> float:
        """Mean since the start."""
        return self.decided / self.running if self.running > 0 else 0.0

    @property
    def solver_share(self) -> float | None:
        """Share of the time of all runs that was spent in solver and binding, from 0 to 1; None
        before the first.
        """
        total = self.counts.get("time-ns:run", 0)
        return min(1.0, self.counts.get("time-ns:solver", 0) / total) if total else None

    @property
    def answers(self) -> dict[str, int]:
        """Checks by answer: `sat`, `unsat`, `unknown`, `over-limit`, in this order."""
        return {
            name: self.counts.get(f"answer:{name}", 0)
            for name in ("sat", "unsat", "unknown", "over-limit")
        }

    @property
    def refusals(self) -> dict[str, int]:
        """Refused calls by class: the four classes always, in this order."""
        classes = ("unsupported", "resources", "ill-formed", "undocumented")
        return {name: self.counts.get(f"refusal:{name}", 0) for name in classes}

    @property
    def mutants(self) -> dict[str, int]:
        """Of each mutation fuzzer what it made and what came of that, as `opfuzz-made`; nothing
        where none runs.
        """
        counts = self.part("mutator:")
        names = dict.fromkeys(key.partition(":")[0] for key in counts)
        return {
            f"{name}-{word}": counts.get(f"{name}:{word}", 0) for name in names for word in YIELD
        }

    @property
    def judged(self) -> dict[str, int]:
        """Checks by what judges said to them: `agreed`, `disagreed`, `undecided`; `lost` runs of
        theirs. Nothing without judges.
        """
        checks, decided, agreed, lost = (
            self.counts.get(f"judge:{name}", 0) for name in ("checks", "decided", "agreed", "lost")
        )
        if not self.counts.get("judge:runs"):
            return {}
        return {
            "agreed": agreed,
            "disagreed": decided - agreed,
            "undecided": checks - decided,
            "lost": lost,
        }

    @property
    def confirmed_share(self) -> float | None:
        """Share of the decided checks of judged runs that some judge answered in the same way, and
        none in the other; None without one.
        """
        judged = self.counts.get("check:judged", 0)
        return self.counts.get("check:confirmed", 0) / judged if judged else None

    @property
    def judges_share(self) -> float | None:
        """Share of the judges in the time of runs and judges together; None where no judge has
        answered.
        """
        judges = self.counts.get("judge:time-ns:run", 0)
        return judges / (judges + self.counts.get("time-ns:run", 0)) if judges else None

    @property
    def findings(self) -> int:
        """Findings of this campaign, all buckets together."""
        return sum(bucket.count for bucket in self.buckets)

    @property
    def new_buckets(self) -> tuple[BucketView, ...]:
        """Buckets that this campaign opened, that are not known to the user and not the same as an
        earlier one, oldest first.
        """
        return tuple(
            bucket for bucket in self.buckets if bucket.new and not bucket.known and not bucket.same
        )

    @property
    def since_new(self) -> float | None:
        """Seconds since the last new bucket; None when there was none."""
        firsts = [bucket.first for bucket in self.new_buckets]
        return max(0.0, self.elapsed - max(firsts)) if firsts else None
