"""The figures of a campaign at one moment, for reporters to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from operator import add
from typing import Any, Literal

from murxpy.oracles.crash import Tier
from murxpy.records.finding import Reproducer
from murxpy.solvers.exceptions import REFUSALS
from murxpy.sources.mutation.tying import ACROSS, WITHIN

# The parts of a campaign for which the time of all processors is reported.
PARTS = ("runs", "replays", "judges", "gdb", "follow-up", "targets", "supervisor")

WorkerState = Literal["starting", "running", "confirming", "waiting"]

TRAITS = (ACROSS, WITHIN)  # what is counted of mutants that have it
# what is counted of a mutation fuzzer's mutants
YIELD = ("made", "accepted", "decided", "unknown", "timeouts", "findings")


@dataclass(frozen=True, slots=True)
class WorkerView:
    """The state of one worker: how many runs it has done, the seed of the run in hand (None: no
    run), and since when it is in this state.
    """

    worker: int
    target: str
    runs: int = 0
    seed: int | None = None
    state: WorkerState = "starting"
    since: float = 0.0


@dataclass(frozen=True, slots=True)
class NodeView:
    """The state of one node of a cluster: its name, the machine that it runs on, how many runs it has done in
    this session, and the seconds since it answered last. `lost` says that it is gone, `refused` why it
    is not used.
    """

    name: str
    host: str
    runs: int
    silent: float
    lost: bool = False
    refused: str = ""

    @property
    def state(self) -> str:
        """One word for it: `used`, `joining`, `refused` or `lost`."""
        if self.lost or self.refused:
            return "lost" if self.lost else "refused"
        return "used" if self.host else "joining"


@dataclass(frozen=True, slots=True)
class NodeSum:
    """What the folder keeps of a node of a cluster: its name, the machine that it ran on, how many runs it
    made, how often it was lost, and when it answered last, in seconds since the epoch. Name and machine are
    what the node says of itself.
    """

    name: str
    host: str
    runs: int
    losses: int
    seen: float


@dataclass(frozen=True, slots=True)
class BucketView:
    """One defect as the reports show it.

    `new` says whether this campaign opened the bucket; it is None where the bucket is read from an
    output folder and no campaign runs. `seed` and `lines` are those of the smallest trace, `first`
    is the time when the bucket was opened, and `trace` is the path of the trace that is kept, empty
    where none is (known bugs). `same` is the key of an earlier bucket that is probably the same
    defect. `reproducers` are the forms in which the finding was written. For a disagreement,
    `triage` says which solver is wrong. `range` names the releases that show the defect, empty
    where 'murxpy bisect' did not look. `against` is what the cost of a slow script is measured
    against.
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
    range: str = ""
    against: str = ""

    @property
    def status(self) -> str:
        """`known`; in a campaign that runs `new` or `again`; in an output folder `open`."""
        if self.known:
            return "known"
        return "open" if self.new is None else "new" if self.new else "again"


@dataclass(frozen=True, slots=True)
class Left:
    """The work that a campaign has left to do for its findings, once it makes no more runs: buckets
    whose findings were not replayed yet (`unconfirmed`), and defects that are to be made smaller,
    shown as programs, bisected, or asked for their native frames; runs that some judge has not
    answered, and known disagreements that were not looked into.
    """

    unconfirmed: int = 0
    reductions: int = 0
    programs: int = 0
    bisections: int = 0
    frames: int = 0
    runs: int = 0
    disagreements: int = 0

    def __bool__(self) -> bool:
        return self != _NOTHING

    def __add__(self, other: Left) -> Left:
        if other == _NOTHING:  # as it is of most parts of a campaign, at each tick
            return self
        return Left(*map(add, astuple(self), astuple(other)))

    def words(self) -> str:
        """The numbers in words; empty where nothing is left."""
        rows = (
            (self.disagreements, "known disagreement", "to be looked into"),
            (self.unconfirmed, "finding", "to be confirmed"),
            (self.runs, "run", "to be judged"),
            (self.reductions, "finding", "to be made smaller and grouped"),
            (self.programs, "finding", "to be written as programs"),
            (self.bisections, "finding", "to be bisected"),
            (self.frames, "crash", "to be asked for native frames"),
        )
        parts = [
            f"{number:,} {noun}{('es' if noun == 'crash' else 's') * (number != 1)} {what}"
            for number, noun, what in rows
            if number
        ]
        return ", ".join(parts)


_NOTHING = Left()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The figures of a campaign at one moment, `elapsed` seconds after it began.

    Rates are per second of the wall time in which runs were made. Time in which the campaign only
    confirms findings or waits for judges does not count.
    """

    elapsed: float
    counts: Mapping[str, int]
    workers: tuple[WorkerView, ...] = ()
    buckets: tuple[BucketView, ...] = ()
    overstayed: int = 0
    lost: int = 0
    recent_runs: float = 0.0
    recent_decided: float = 0.0
    runs_ended: float | None = (
        None  # seconds from the start to the last run, once there are no more
    )
    left: Left | None = None  # what is being done since then
    nodes: tuple[NodeView, ...] = ()  # of a campaign on a cluster
    kept_nodes: tuple[NodeSum, ...] = ()  # of all sessions, where the snapshot is that of a folder

    @property
    def running(self) -> float:
        """The seconds in which runs were made."""
        return self.elapsed if self.runs_ended is None else min(self.elapsed, self.runs_ended)

    def part(self, prefix: str) -> dict[str, int]:
        """The counters whose names begin with `prefix`, sorted, by the rest of the name."""
        named = sorted(item for item in self.counts.items() if item[0].startswith(prefix))
        return {name[len(prefix) :]: n for name, n in named}

    @property
    def runs(self) -> int:
        """The number of runs that ended, by themselves or from outside."""
        return self.counts.get("run:total", 0)

    @property
    def decided(self) -> int:
        """The number of checks answered sat or unsat with something asserted. Checks of the same
        set of formulas in one run count once.
        """
        return self.counts.get("check:decided", 0)

    @property
    def runs_per_second(self) -> float:
        """The mean rate of runs since the start."""
        return self.runs / self.running if self.running > 0 else 0.0

    @property
    def decided_per_second(self) -> float:
        """The mean rate of decided checks since the start."""
        return self.decided / self.running if self.running > 0 else 0.0

    @property
    def solver_share(self) -> float | None:
        """The share, from 0 to 1, of the time of all runs that was spent in solver and binding;
        None before the first run ended.
        """
        total = self.counts.get("time-ns:run", 0)
        return min(1.0, self.counts.get("time-ns:solver", 0) / total) if total else None

    @property
    def cpu(self) -> dict[str, float]:
        """The seconds of all processors that the parts of the campaign took. The seconds of `runs`
        are also split by the end of the run: runs that ended by themselves (`ended`), that were
        killed at a limit (`killed`), and that ended with their process (`died`).
        """
        names = {name: f"cpu-ns:{name}" for name in PARTS}
        names |= {"ended": "time-ns:run", "killed": "time-ns:killed", "died": "time-ns:died"}
        return {name: self.counts.get(counter, 0) / 1e9 for name, counter in names.items()}

    @property
    def answers(self) -> dict[str, int]:
        """The number of checks by answer: `sat`, `unsat`, `unknown`, `over-limit`, in this
        order.
        """
        return {
            name: self.counts.get(f"answer:{name}", 0)
            for name in ("sat", "unsat", "unknown", "over-limit")
        }

    @property
    def refusals(self) -> dict[str, int]:
        """The number of refused calls by class, always with all four classes in this order."""
        return {name: self.counts.get(f"refusal:{name}", 0) for name in REFUSALS}

    @property
    def mutants(self) -> dict[str, int]:
        """For each mutation fuzzer, the number of mutants and of their results, under names such as
        `opfuzz-made`. The list is empty if no mutation fuzzer runs.
        """
        counts = self.part("mutator:")
        names = dict.fromkeys(key.partition(":")[0] for key in counts)
        return {
            f"{name}-{word}": counts.get(f"{name}:{word}", 0) for name in names for word in YIELD
        }

    @property
    def traits(self) -> dict[str, int]:
        """For each mutation fuzzer whose mutants have traits, the number of mutants with each trait,
        under names such as `fusion:tied-across`.
        """
        counts = self.part("mutator:")
        names = dict.fromkeys(key.partition(":")[0] for key in counts if key.endswith(TRAITS))
        return {
            f"{name}:{trait}": counts.get(f"{name}:{trait}", 0)
            for name in names
            for trait in TRAITS
        }

    @property
    def judged(self) -> dict[str, int]:
        """The number of checks by what the judges answered: `agreed`, `disagreed`, `undecided`; and
        the number of runs that judges `lost`. The list is empty if there are no judges.
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
        """The share of the decided checks in judged runs for which some judge gave the same answer
        and no judge the opposite one; None where there was no such check.
        """
        judged = self.counts.get("check:judged", 0)
        return self.counts.get("check:confirmed", 0) / judged if judged else None

    @property
    def judges_share(self) -> float | None:
        """The judges' share of the time of runs and judges together; None where no judge has
        answered.
        """
        judges = self.counts.get("judge:time-ns:run", 0)
        return judges / (judges + self.counts.get("time-ns:run", 0)) if judges else None

    @property
    def findings(self) -> int:
        """The number of findings of this campaign, in all buckets together."""
        return sum(bucket.count for bucket in self.buckets)

    @property
    def new_buckets(self) -> tuple[BucketView, ...]:
        """The buckets that this campaign opened, oldest first, without those that the user knows or
        that are the same as an earlier one.
        """
        return tuple(
            bucket for bucket in self.buckets if bucket.new and not bucket.known and not bucket.same
        )

    @property
    def since_new(self) -> float | None:
        """The seconds since the last new bucket; None when there was none."""
        firsts = [bucket.first for bucket in self.new_buckets]
        return max(0.0, self.elapsed - max(firsts)) if firsts else None
