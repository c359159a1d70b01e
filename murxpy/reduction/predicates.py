"""Predicates that replay traces, for findings of one solver and for disagreements."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from murxpy.errors import InputError
from murxpy.judging.comparing.regressions import Pair, Shown, regression_key, told
from murxpy.judging.disagreement import Case, CaseQuestions
from murxpy.judging.judged_solver import JudgedSolver
from murxpy.judging.operators import judge_plans
from murxpy.machine.trace.finished import read_rows, until_row
from murxpy.oracles.crash import Outcome, judge
from murxpy.oracles.disagreement import OPPOSITE, Triage
from murxpy.passes.siblings import Callables
from murxpy.processes.handles import Scratch, end_group
from murxpy.processes.inquiries import OutOfTime, Tester, replay_of
from murxpy.processes.limits import Limits
from murxpy.reduction.pipeline import (
    FIRST_RUNS,
    FirstShown,
    Predicate,
    Task,
    first_shown,
    refuse_malformed,
)
from murxpy.worker.process import die_with_parent

PATIENCE = 3.0  # a candidate may take so many times as long as the trace itself
SPARE = 1.0  # seconds that a candidate may take in addition
# The same where the task is limited in replays: so many that a busy machine changes no result. There
# a candidate that does not end is stopped by the processor's time that it took.
_CALM_SPARE = 6.0
_CALM_CPU = 0.5
_HANG = 20.0  # seconds after which a call that does not return counts as a hang
_NARROWER = 100  # traces that are kept of what may be left of a finding
_LATER = 5.0  # times the limit of a candidate, in the second attempt to reduce a hang


class Replaying(Predicate[str]):
    """A replay on the target shows the same again.

    `split` cuts a text into texts that one process replays one after another. `callables` are those of the
    target. Raises what
    `murxpy.reduction.traces.minimize` raises, and OutOfTime.
    """

    def __init__(
        self, task: Task, source: str, split: Callable[[str], Sequence[str]] | None = None
    ) -> None:
        self._tester = Tester(task.plan, Limits(), task.jobs, task.warm)
        super().__init__(task.deadline, self._tester)
        self._tester.split = split
        with self.closed_on_error():
            found = self._golden(task, source)
        self._shown, self._narrows, self._alike = found.shows, found.narrows, found.alike
        self.callables = Callables.told(self._tester.about)
        self._hang = found.late is not None and task.match.slower is None
        self._tester.wall = found.late or PATIENCE * found.seconds + (
            SPARE if task.replays is None else _CALM_SPARE
        )
        if task.replays is not None and found.late is None:
            self._tester.limit_cpu(PATIENCE * found.least + _CALM_CPU)
        self._tester.tries, self._tester.alone = task.tries, found.alone
        self.key, self.start = found.key, "" if split else found.trace

    def _golden(self, task: Task, source: str) -> FirstShown:
        tester = self._tester
        tester.wall = task.match.slower or tester.wall
        replays = tester.jobs_of(source)
        runs = [tester.fresh(*replays)]
        more = 1 if runs[0] and runs[0][-1].cause == "wall" else max(FIRST_RUNS, task.tries) - 1
        if not task.doubtful or any(map(judge, runs[0])):
            runs += tester.many(more, *replays)
        return first_shown(runs, task)

    def _same(self, outcome: Outcome) -> bool:
        """Whether a replay shows the same. The smallest traces that show what may be left of it are kept."""
        if self._shown(outcome):
            return True
        if self._narrows(outcome) and outcome.trace not in self.narrower:
            self.narrower = sorted([*self.narrower, outcome.trace], key=len)[:_NARROWER]
        return False

    def first(self, candidates: Iterator[str]) -> int | None:
        return self._tester.first(candidates, self._same)

    @property
    def tells_alike(self) -> bool:
        """Whether it can tell of other traces that they end in the same way."""
        return self._alike is not None and self._tester.split is None

    def alike(self, text: str, lines: int) -> bool:
        """Whether a replay of `text`, which has so many lines, ends in the same way, whatever it calls, and not
        before its last line.
        """
        wanted = self._alike

        def ends(outcome: Outcome) -> bool:
            whole = outcome.after or sum(1 for _ in read_rows(outcome.trace)) >= lines
            return wanted is not None and whole and wanted(outcome)

        return wanted is not None and self._tester.first(iter([text]), ends) is not None

    def result(self, best: str) -> tuple[str, str]:
        if self._tester.split is None:
            written = next(filter(self._same, self._tester.fresh(replay_of(best))), None)
            if written is not None and written.trace and self._shows(written.trace):
                verdict = judge(written)
                self.message = verdict.message if verdict is not None else ""
                return self.key, written.trace
        return self.key, best

    def written(self, text: str) -> str:
        if self._tester.split is not None:
            return ""
        return self._tester.fresh(replay_of(text))[0].trace

    def _shows(self, text: str) -> bool:
        return any(map(self._same, self._tester.fresh(*self._tester.jobs_of(text))))

    def doubted(self, best: str) -> bool:
        """Whether the replay of the text ends when it gets as much time as a hang.

        If so, all later candidates get more time.
        """
        if not self._hang:
            return False
        wall, self._tester.wall = self._tester.wall, _HANG
        hangs = self._shows(best)
        self._tester.wall = min(_HANG, _LATER * wall)
        self._hang = self._tester.wall < _HANG
        return not hangs


class Disagreeing(Predicate[str]):
    """The two sides of a disagreement still contradict each other, and the same side is wrong.

    The solver of the trace answers first, then the judge. Only if both answer as before is all
    other evidence gathered again. Raises InputError where the trace shows no disagreement.
    """

    def __init__(self, task: Task, source: str) -> None:
        self._solver = solver = JudgedSolver(task.plan, task.judges, Limits())
        super().__init__(task.deadline, solver)
        with self.closed_on_error():
            case = self._case(source, task.name)
            self._work = CaseQuestions(solver.solvers, case)
            self.start = self._cut(case, task.name)
            self._triage = self._verdict(self.start)
        releases = solver.solvers.releases
        self.key = (
            f"disagreement: {releases[0]} {case.ours}, {releases[case.judge]} {OPPOSITE[case.ours]}"
        )
        if self._triage.culprit:
            self.key += f", {self._triage.verdict} of {self._triage.release}"

    def _case(self, source: str, name: str) -> Case:
        outcome, case = self._solver.cross_checked(source)
        refuse_malformed(outcome, name)
        if case is None:
            judges = " and ".join(self._solver.solvers.releases[1:])
            raise InputError(
                f"it shows no disagreement with {judges}, expected a trace that 'murxpy replay --cross-check' exits with "
                "1 for",
                file=name,
            )
        return case

    def _cut(self, case: Case, name: str) -> str:
        """The trace up to the check in question, which must show it again."""
        shown = self._solver.answer(self._work.replayed(until_row(case.trace, case.line)))
        if shown is None:
            raise InputError(
                f"it does not show the disagreement each time: {self._work.note}", file=name
            )
        return shown

    def _verdict(self, trace: str) -> Triage:
        return self._solver.answer(self._work.evidence(trace))

    def shows(self, candidate: str) -> bool:
        return self._shown(candidate) is not None

    def _shown(self, text: str) -> str | None:
        """The trace that the solver writes for `text`; None where it does not show the
        disagreement.
        """
        shown = self._solver.answer(self._work.replayed(text))
        if shown is None or not self._triage.culprit:
            return shown
        now, before = self._verdict(shown), self._triage
        return shown if (now.verdict, now.culprit) == (before.verdict, before.culprit) else None

    def result(self, best: str) -> tuple[str, str]:
        shown = self._shown(best)
        return self.key, best if shown is None else self._work.named(shown)


class Comparing(Predicate[str]):
    """The release called `older` carries the trace out well, and the release of the task's plan still
    shows the same regression.

    Raises InputError where the trace shows no regression.
    """

    def __init__(self, task: Task, source: str, older: str) -> None:
        self._solver = JudgedSolver(task.plan, judge_plans((older,)), Limits())
        super().__init__(task.deadline, self._solver)
        self._pair = Pair(self._solver.solvers, older=1, newer=0)
        with self.closed_on_error():
            shown = self._solver.answer(self._pair.both(source, fresh=True))
            if shown is None:
                releases = self._solver.solvers.releases
                raise InputError(
                    f"it shows nothing that {releases[1]} does well and {releases[0]} does not, expected a trace that "
                    "'murxpy replay' exits with 1 for",
                    file=task.name,
                )
        self._first = shown
        self.key, self.start = regression_key(self._pair, shown) or shown.kind, shown.text

    def shows(self, candidate: str) -> bool:
        return self._shown(candidate) is not None

    def _shown(self, text: str, fresh: bool = False) -> Shown | None:
        return self._solver.answer(self._pair.again(self._first, text, fresh))

    def result(self, best: str) -> tuple[str, str]:
        shown = self._shown(best, fresh=True)
        return self.key, best if shown is None else told(self._pair, shown, self._first.kind)


# ----------------------------------------------------------------------
# The predicate that is a command of the user: it is run on a file with each candidate.


_SECONDS = 60.0  # for the first run of the command


class Commanded(Predicate[str]):
    """A command of the user exits with 0 for a file with the candidate, whose path is its last word.

    Raises InputError where there is no such program, or it does not exit with 0 for the trace itself.
    A run that takes much longer than that counts as a failure.
    """

    def __init__(self, task: Task, source: str) -> None:
        command = task.command
        if shutil.which(command[0]) is None:
            raise InputError(
                f"--command: there is no program '{command[0]}'; name one, with its arguments"
            )
        self.key = " ".join(command)
        self._runs = _Runs(command, task.jobs)
        super().__init__(task.deadline, self._runs)
        with self.closed_on_error():
            began = time.monotonic()
            if self.first(iter([source])) is None:
                raise InputError(
                    f"'{self.key}' does not exit with 0 for it, expected a command that keeps the trace",
                    file=task.name,
                )
        self._runs.seconds = min(_SECONDS, PATIENCE * (time.monotonic() - began) + SPARE)

    def first(self, candidates: Iterator[str]) -> int | None:
        return self._runs.first(candidates)

    def result(self, best: str) -> tuple[str, str]:
        return self.key, best


class _Runs:
    """Runs of a command, `jobs` at a time, each for `seconds` at most."""

    def __init__(self, command: Sequence[str], jobs: int) -> None:
        self.replays = 0
        self.deadline: float | None = None
        self.seconds = _SECONDS
        self._command, self._jobs = command, jobs
        self._scratch = Scratch("minimize")
        self._running: dict[int, tuple[subprocess.Popen[bytes], float]] = {}

    def first(self, texts: Iterator[str]) -> int | None:
        """The index of the first text for which the command is seen to exit with 0."""
        begun = enumerate(texts)
        try:
            while True:
                while (
                    len(self._running) < self._jobs and (following := next(begun, None)) is not None
                ):
                    self._begin(*following)
                if not self._running:
                    return None
                if (at := self._kept()) is not None:
                    return at
                if self.deadline is not None and time.monotonic() >= self.deadline:
                    raise OutOfTime
        finally:
            self._stop()

    def _begin(self, at: int, text: str) -> None:
        self.replays += 1
        file = self._scratch.path / f"candidate-{at % self._jobs}-{self.replays}.trace"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        process = subprocess.Popen(
            [*self._command, str(file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=partial(die_with_parent, os.getpid()),
        )
        self._running[at] = (process, time.monotonic())

    def _kept(self) -> int | None:
        """Wait a little, and give the first candidate for which a run of the command has exited
        with 0.
        """
        first = next(iter(self._running.values()))[0]
        with contextlib.suppress(subprocess.TimeoutExpired):
            first.wait(0.01)
        for at, (process, start) in list(self._running.items()):
            code = process.poll()
            if code is None and time.monotonic() - start < self.seconds:
                continue
            if code is None:
                end_group(process)
            del self._running[at]
            if code == 0:
                return at
        return None

    def _stop(self) -> None:
        for process, _ in self._running.values():
            end_group(process)
        self._running.clear()
        for file in self._scratch.path.iterdir():
            file.unlink()

    def close(self) -> None:
        """Kill the runs and remove their files."""
        self._stop()
        self._scratch.remove()
