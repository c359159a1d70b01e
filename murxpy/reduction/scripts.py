"""Reducing a whole script to the smallest script that still shows the finding.

A crash or an exception is recognised by its message. For a wrong answer, and for unknown where the
answer is known, the right one must be found again for each candidate: two other solvers give it, or
one of them gives a model in which our evaluator finds all assertions true. In a disagreement both
sides must answer as before. Where an older release decides what the target does not, it must go on to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Protocol, TypeVar

from murxpy.data import default_judges, is_same_solver, load_catalogue
from murxpy.errors import InputError
from murxpy.findings.buckets import bucket_key
from murxpy.findings.scripted import Scripted, answers_in, loose_key, trace_of
from murxpy.judging.comparing.baseline import baseline_times
from murxpy.judging.disagreement import HEADER, evaluated
from murxpy.judging.limits import same_limit
from murxpy.logic.catalogue import STANDARD, build_catalogue
from murxpy.machine.outcomes import WRONG_ANSWER
from murxpy.machine.script import for_others
from murxpy.machine.trace.finished import add_header
from murxpy.machine.trace.lift import lift
from murxpy.machine.witnesses import slowness, unknowns
from murxpy.oracles.crash import Outcome, Verdict, judge
from murxpy.oracles.disagreement import OPPOSITE
from murxpy.passes.reduction import Problem
from murxpy.passes.script import Commands, bare, order, reduce_script, terms
from murxpy.processes.inquiries import Tester, replay_of
from murxpy.processes.limits import Limits
from murxpy.processes.targets import Plan, absolute_target
from murxpy.reduction.pipeline import Minimized, Predicate, Task, reduce
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import (
    CHECKS,
    Assert,
    CheckSat,
    CheckSatAssuming,
    Pop,
    Push,
    Reset,
    ResetAssertions,
    Script,
    at_checks,
)
from murxpy.sources.mutation.known import TWICE

_TEXTS = 500  # printed scripts that are remembered
VOTES = 2  # other solvers that must give the right answer where our evaluator cannot
# right answers with those that are findings
WRONG_PAIRS = tuple(OPPOSITE.items())
UNKNOWN_PAIRS = (("sat", "unknown"), ("unsat", "unknown"))
# the marks of scripts that show a finding of a kind only with their mark
_MARKS = {unknowns.KIND: unknowns.mark_of, slowness.KIND: slowness.mark_of}


class HasText(Protocol):
    """What a predicate is asked about a script; the text is empty where a dialect lacks something."""

    @property
    def text(self) -> str:
        """The text of the script."""


P = TypeVar("P", bound=HasText)


@dataclass(frozen=True)
class Printed:
    """A script and its text; the text is empty where the dialect cannot express the script."""

    script: Script
    text: str

    def checks(self) -> int:
        """The number of its checks."""
        return sum(isinstance(command, CHECKS) for command in self.script.commands)


class _Solver:
    """A solver that is asked about scripts."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.name, self.family = plan, plan.target.name, plan.target.family
        self.tester = Tester(plan, Limits())

    def run(self, script: Scripted) -> Outcome:
        """Run the script alone, and give how that ends."""
        found: list[Outcome] = []

        def seen(outcome: Outcome) -> bool:
            found.append(outcome)
            return False

        self.tester.first(iter([trace_of(script, self.tester.release)]), seen)
        return found[-1]

    def opinion(self, text: str, limit: int = 0) -> list[str]:
        """Return this solver's answers to the checks of another solver's script."""
        return answers_in(self.run(Scripted(for_others(text), limit=limit)))

    def holds(self, script: Script) -> bool:
        """True if our evaluator finds all assertions true in a model of this solver."""
        try:
            text = lift(script).text()
        except InputError:
            return False
        outcomes = self.tester.fresh(replay_of(f"{text}0 check-model\n"))
        counted = evaluated(outcomes[0]) if outcomes else None
        return counted is not None and counted[0] > 0 and counted[1:] == (0, 0)


def _started(plans: Sequence[Plan]) -> list[_Solver]:
    """Load the solvers of the plans. If one of them cannot be loaded, the others are closed."""
    with ExitStack() as stack:
        solvers = []
        for plan in plans:
            solvers.append(_Solver(plan))
            stack.callback(solvers[-1].tester.close)
        stack.pop_all()
        return solvers


class ScriptPredicate(Predicate[Printed]):
    """The target gives the same wrong result, and the other solvers still say that it is wrong.

    `checks` is the number of checks up to the one in question; 0 stands for all. `unseen` says why a
    script may show nothing once it was parsed and printed. Raises InputError where the script shows
    nothing.
    """

    checks = 0
    unseen = (
        "the script does not show the finding after it was parsed and printed, or the right answer is not known: "
        "two other solvers must give it, or our evaluator in the model of one"
    )

    def __init__(self, task: Task, source: Scripted, judges: Sequence[Plan]) -> None:
        self._target, *self._judges = solvers = _started([task.plan, *judges])
        super().__init__(None, *(solver.tester for solver in solvers))
        with self.closed_on_error():
            self._verdict = self._shown(source, task.name)
        self._target.tester.jobs, self._target.tester.tries = task.jobs, task.tries

    def _shown(self, source: Scripted, name: str) -> Verdict | None:
        """The finding that the target shows without other solvers; None where it is a disagreement."""
        if not unknowns.baseline_of(source.text):  # other findings do not depend on the clock
            source = replace(source, wall_ms=0)
        outcome = self._target.run(source)
        report = outcome.report or {}
        if report.get("status") == "malformed":
            raise InputError(str(report["message"]), file=name)
        verdict = judge(outcome)
        self._limit, self._wall_ms = source.limit, source.wall_ms
        self._answer = self._right = ""
        # without the mark, which parsing drops, nobody looks at unknown answers and costs; parsing also
        # drops the question for the reason
        self._asks = unknowns.QUESTION in source.text
        based = verdict is not None and verdict.against == unknowns.BASELINE
        kind = unknowns.KIND if based else verdict.kind if verdict is not None else ""
        self._mark = _MARKS[kind](source.text) if kind in _MARKS else ""
        self._asked_with = unknowns.limit_of_baseline(source.text)
        self._baseline = (
            self._judges[0]
            if based
            and self._judges[:1]
            and self._judges[0].family == unknowns.baseline_of(source.text).partition(" ")[0]
            else None
        )
        if verdict is None:
            self._disagree(answers_in(outcome), source, name)
            return None
        self.key = bucket_key(self._target.family, verdict)
        if verdict.kind in (WRONG_ANSWER, unknowns.KIND) or based:
            pairs = list(zip(source.expected, answers_in(outcome), strict=False))
            wrong = WRONG_PAIRS if verdict.kind == WRONG_ANSWER else UNKNOWN_PAIRS
            at = next(at for at, pair in enumerate(pairs) if pair in wrong)
            self.checks, self._right = at + 1, source.expected[at]
        return verdict

    def _disagree(self, ours: list[str], source: Scripted, name: str) -> None:
        """Find the first judge that contradicts an answer."""
        for solver in self._judges:
            for at, (answer, other) in enumerate(
                zip(ours, solver.opinion(source.text), strict=False)
            ):
                if OPPOSITE.get(answer) == other:
                    self.checks, self._answer, self._judges = at + 1, answer, [solver]
                    self.key = f"{self._target.name} answers {answer}, {solver.name} {other}"
                    return
        others = " and ".join(solver.name for solver in self._judges)
        hint = (
            f", and {others} answers alike"
            if others
            else "; to keep a disagreement name another solver with --cross-check"
        )
        raise InputError(f"it shows no finding on {self._target.name}{hint}", file=name)

    def first(self, candidates: Iterator[Printed]) -> int | None:
        """The index of the first script that shows the finding.

        The target is asked about several candidates at a time. The others are asked only about a
        candidate on which the target still does the same.
        """
        handed, waiting = list[Printed](), deque[int]()

        def traces() -> Iterator[str]:
            while True:
                if not waiting:
                    candidate = next(candidates, None)
                    if candidate is None:
                        return
                    handed.append(candidate)
                    waiting.append(len(handed) - 1)
                at = waiting.popleft()
                asked = self._asked(handed[at])
                if asked is not None:
                    tried.append(at)
                    yield trace_of(asked, self._target.tester.release)

        while True:
            tried: list[int] = []
            won = self._target.tester.first(traces(), self._same)
            if won is None or self._stands(handed[tried[won]]):
                return None if won is None else tried[won]
            # the tester may have given up the candidates that it had begun beside the one that won
            begun = range(max(0, won - self._target.tester.jobs + 1), len(tried))
            waiting.extendleft(reversed([tried[number] for number in begun if number != won]))

    def _asked(self, candidate: Printed) -> Scripted | None:
        """The script as it is given to the target; None where the check in question is gone."""
        count = candidate.checks()
        if not candidate.text or (self.checks and not count):
            return None
        expected = ("unknown",) * (count - 1) + (self._right,) if self._right else ()
        text = unknowns.with_question(candidate.text) if self._asks else candidate.text
        return Scripted(self._mark + text, expected, self._limit, self._wall_ms)

    def _same(self, outcome: Outcome) -> bool:
        """Whether the target did the same again."""
        if self._verdict is None:
            return answers_in(outcome)[-1:] == [self._answer]
        verdict, family = judge(outcome), self._target.family
        return verdict is not None and loose_key(verdict, family) == loose_key(
            self._verdict, family
        )

    def _stands(self, candidate: Printed) -> bool:
        """Ask the other solvers whether the result of the target is still wrong."""
        if self._baseline is not None:  # it decides with the limit that it had first
            first, other = self._limit // TWICE, self._baseline
            limit = self._asked_with or same_limit(
                baseline_times(self._target.family, other.family) * first,
                self._target.plan,
                other.plan,
            )
            return self._baseline.opinion(candidate.text, limit)[-1:] == [self._right]
        if self._answer:
            return self._votes(candidate.text, OPPOSITE[self._answer]) > 0
        if not self._right:
            return True
        votes = self._votes(candidate.text, self._right)
        return votes >= VOTES or (
            votes > 0
            and self._right == "sat"
            and any(solver.holds(_last_check(candidate.script)) for solver in self._judges)
        )

    def _votes(self, text: str, answer: str) -> int:
        return sum(solver.opinion(text)[-1:] == [answer] for solver in self._judges)

    def result(self, best: Printed) -> tuple[str, str]:
        family = self._target.family
        small = self._asked(best) or Scripted(best.text)
        outcome = self._target.run(small)
        trace = outcome.trace or trace_of(small, self._target.tester.release)
        if self._answer:
            judges = ",".join(absolute_target(solver.name) for solver in self._judges)
            return self.key, add_header(trace, f"# {HEADER} {judges}\n")
        verdict = judge(outcome)
        if self._baseline is not None:
            row = f"# {unknowns.BASELINE} {absolute_target(self._baseline.name)}\n"
            trace = add_header(trace, row)
        return (self.key if verdict is None else bucket_key(family, verdict)), trace


def _last_check(script: Script) -> Script:
    """The script with the last of its checks alone."""
    *_, (at, asserted) = at_checks(script)
    last = script.commands[at]
    check = last if isinstance(last, CheckSatAssuming) else CheckSat()
    apart = (Assert, Push, Pop, Reset, ResetAssertions, *CHECKS)
    rest = [command for command in script.commands if not isinstance(command, apart)]
    return Script(script.name, script.tables, [*rest, *asserted, check])


def minimize_script(task: Task, source: Scripted, judges: Sequence[Plan] = ()) -> Minimized:
    """Make a script smaller; the result is the trace that runs the smaller script.

    The reduction begins without declarations and definitions, which printing adds where they are
    needed; where that shows nothing, with those of the script in their places.

    The sizes in the result are in characters of the script. Raises InputError where the script
    shows nothing, or shows it no more after it was parsed and printed.
    """
    catalogue = build_catalogue(task.plan.setup.get("catalogue") or load_catalogue())
    script = read_script(source.text, task.name, catalogue)
    predicate = ScriptPredicate(task, source, judges)
    dialect = _dialect([task.plan, *judges])

    def printed(candidate: Commands) -> Printed:
        made = Script(script.name, script.tables, list(candidate))
        try:
            return Printed(made, print_script(made, dialect))
        except Unsayable:
            return Printed(made, "")

    return reduce_printed(task, source, script, predicate, printed)


def _dialect(plans: Sequence[Plan]) -> str:
    """The dialect that all of the solvers read."""
    families = {plan.target.family for plan in plans}
    return families.pop() if len(families) == 1 else STANDARD


def script_problem(
    script: Script, start: Commands, before: int, printed: Callable[[Commands], P]
) -> Problem[Commands, P]:
    """The problem of the commands `start` of a script, of which `printed` gives what a predicate is
    asked about. `before` is the size of what was given, in characters.
    """
    known = lru_cache(_TEXTS)(printed)

    def text(candidate: Commands) -> str:
        return known(candidate).text

    return Problem(
        [start],
        lambda candidate: order(text(candidate), candidate),
        text,
        asked=known,
        size=lambda candidate: len(text(candidate)),
        counts=lambda candidate: (len(candidate), len(terms(candidate))),
        shrink=partial(reduce_script, tables=script.tables),
        before=before,
        unit="character",
    )


def reduce_printed(
    task: Task,
    source: Scripted,
    script: Script,
    predicate: ScriptPredicate,
    printed: Callable[[Commands], Printed],
) -> Minimized:
    """Make a script smaller, of whose commands `printed` gives what the predicate is asked about; then
    close the predicate. Raises InputError where the script shows nothing at first.
    """
    with closing(predicate):
        predicate.limit(task.deadline)
        for begin in (bare(script), tuple(script.commands)):
            ends = (at for at, one in enumerate(begin, 1) if isinstance(one, CHECKS))
            start = begin[: dict(enumerate(ends, 1)).get(predicate.checks)]
            problem = script_problem(script, start, len(source.text), printed)
            with task.enough_time("the script shows"):
                shown = predicate.first(map(problem.asked, problem.starts))
            if shown is not None:
                return reduce(problem, predicate, task)
    raise InputError(predicate.unseen, file=task.name)


def others_than(target: str) -> tuple[str, ...]:
    """The solvers, other than the target, that say what is right where nobody names any."""
    return tuple(name for name in default_judges() if not is_same_solver(name, target))
