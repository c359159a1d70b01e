"""The finding: one misbehaviour of a solver, from the run that showed it to the reports; and the
forms in which a finding is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from murxpy.findings.kinds.registry import kind_of
from murxpy.machine.trace.finished import options
from murxpy.oracles.crash import Outcome, Verdict, python_frames
from murxpy.processes.handles import Job

State = Literal["candidate", "unconfirmed", "confirmed", "triaged"]


@dataclass(frozen=True, slots=True)
class Reproducer:
    """One form of a finding (`trace`, `min.trace`, `history`, `min.history`, `python`, `smt2`): its
    file, and whether the file was seen to show the finding again.

    `file` is empty if the finding cannot be written in this form, and `reproduces` is None if the
    file was not tried. `note` says why, or what the file shows instead. `message` is what the finding
    says in this form, where it may say less than in the run that was found. `written` is what the solver
    writes before a program dies.
    """

    form: str
    file: str
    reproduces: bool | None = None
    note: str = ""
    message: str = ""
    written: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One misbehaviour of a solver, with all that is needed to see it again.

    A finding never changes: each step gives a new finding with another `state`. A `candidate` was
    seen once. The replays of a finding make it `confirmed` or `unconfirmed`. A disagreement whose
    small trace showed again, and whose culprit was looked for, is `triaged`.

    `target` is the number of the target that the run was for; `solver` and `version` are those of
    the solver that misbehaved. `past` are the jobs that ran before `job` in the same process, and
    `history` those of them that a replay needs to show the finding. `by_seed` says that only another
    run of the same seed shows it, not the trace. `bucket` is the key that decides whether two findings are one defect; it is also the
    name of the folder of its traces. `note` says what was odd about the replays. `judge` is the
    number of the plan whose solver wrote the trace, where that is not the target but a judge, which
    is wrong.
    """

    target: int
    solver: str
    version: str
    job: Job
    past: tuple[Job, ...]
    outcome: Outcome
    verdict: Verdict
    bucket: str
    state: State = "candidate"
    history: tuple[Job, ...] = ()
    by_seed: bool = False
    note: str = ""
    triage: Mapping[str, object] = field(default_factory=dict)
    judge: int | None = None

    def settled(
        self, shown: bool, history: tuple[Job, ...] = (), by_seed: bool = False, note: str = ""
    ) -> Finding:
        """The finding after its replays; `shown` says whether one of them showed it again."""
        state: State = "confirmed" if shown else "unconfirmed"
        return replace(self, state=state, history=history, by_seed=by_seed, note=note)

    @property
    def confirmed(self) -> bool:
        """Whether a replay showed the finding again."""
        return self.state in ("confirmed", "triaged")

    @property
    def by_trace(self) -> bool:
        """Whether the trace alone shows the finding again."""
        return self.confirmed and not self.history and not self.by_seed

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self.job.seed

    @property
    def trace(self) -> str:
        """The text of the trace."""
        return self.outcome.trace

    @property
    def lines(self) -> int:
        """The number of lines of the trace."""
        return self.trace.count("\n")

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """The options of the solver that the trace sets, with their values."""
        return options(self.trace)

    @property
    def severity(self) -> str:
        """`high`, `medium` or `low`."""
        return kind_of(self.verdict.kind).severity

    @property
    def backtrace(self) -> str:
        """The Python frames that the interpreter printed when it crashed."""
        return python_frames(self.outcome.output)

    @property
    def label(self) -> str:
        """The end of the name of the trace's file: the number of the plan whose solver wrote the
        trace, and nothing for the first target.
        """
        number = self.target if self.judge is None else self.judge
        return f"-{number}" if number else ""
