"""Minimizing a whole script: from its text to the smallest that still shows what is to be kept, and
of which that is still known.

A crash or an exception is kept by its message. Of a wrong answer the right one must be known for
each candidate anew: two other solvers give it, or our evaluator finds all assertions true in the
model of one of them. Of a disagreement both sides must answer as before.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial

from murxpy.campaign import interrupts
from murxpy.campaign.findings.keys import bucket_key
from murxpy.campaign.judging.disagreement import HEADER, evaluated
from murxpy.campaign.reduction.traces import Follow, Minimized, Progress, Wishes
from murxpy.campaign.replays.tester import OutOfTime, Tester, replay_of
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.plans import absolute_target
from murxpy.campaign.workers.targets import Plan
from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.script import without_options
from murxpy.machine.tokens import Quoted, quote
from murxpy.oracles.crash import Outcome, Verdict, judge
from murxpy.oracles.disagreement import OPPOSITE
from murxpy.passes.parts import Commands, order
from murxpy.passes.reduction import Problem, Reducer
from murxpy.passes.script import bare, reduce_script
from murxpy.smtlib.commands import CHECKS
from murxpy.smtlib.dialects import DIALECTS
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Script
from murxpy.trace.finished import add_header
from murxpy.trace.grammar import Trace, parse_trace
from murxpy.trace.lift import lift

VOTES = 2  # of other solvers that say what the right answer is, where the evaluator cannot
_TEXTS = 500  # printed scripts that are kept
WRONG = "wrong-answer"


@dataclass(frozen=True)
class Scripted:
    """A script as a solver was given it: what its checks are known to answer, and the limit of each
    (0: none).
    """

    text: str
    expected: tuple[str, ...] = ()
    limit: int = 0


def scripted(trace: Trace) -> Scripted | None:
    """What the last line of a trace runs; None where that is no script."""
    lines = trace.lines
    text = (
        lines[-1].args[0] if lines and lines[-1].action == "run-script" and lines[-1].args else None
    )
    if not isinstance(text, Quoted):
        return None
    limits = [line.args[0] for line in lines if line.action == "set-limit" and line.args]
    before = lines[-2] if len(lines) > 1 else lines[-1]
    expected = tuple(map(str, before.args)) if before.action == "expect" else ()
    return Scripted(text.text, expected, int(str(limits[-1])) if limits else 0)


def trace_of(script: Scripted, solver: str) -> str:
    """The trace that runs a script alone."""
    rows = [f"# murxpy-trace 1\n# solver {solver}\n1 new\n"]
    rows += [f"1 set-limit {script.limit}\n"] if script.limit else []
    rows += (
        [f"1 expect {' '.join(script.expected)}\n"]
        if any(answer != "unknown" for answer in script.expected)
        else []
    )
    return "".join([*rows, f"1 run-script {quote(script.text)}\n"])


def answers_in(outcome: Outcome) -> list[str]:
    """What the checks of the last script in a replay answered."""
    lines = parse_trace(outcome.trace, "replay").lines if outcome.trace else []
    if not lines or lines[-1].action != "run-script":
        return []
    return [str(tokens[0]) for name, tokens in lines[-1].results if name == "answer"]


class _Solver:
    """One solver that scripts are tried on."""

    def __init__(self, plan: Plan) -> None:
        self.name, self.family = plan.target.name, plan.target.family
        self.tester = Tester(plan, Limits())

    def run(self, script: Scripted) -> Outcome:
        """How the script alone ends."""
        found: list[Outcome] = []

        def seen(outcome: Outcome) -> bool:
            found.append(outcome)
            return False

        self.tester.first(iter([trace_of(script, self.family)]), seen)
        return found[-1]

    def opinion(self, text: str) -> list[str]:
        """What the checks of another solver's script answer here."""
        return answers_in(self.run(Scripted(without_options(text))))

    def holds(self, script: Script) -> bool:
        """True if our evaluator finds all assertions true in a model of this solver."""
        try:
            text = lift(script).text()
        except InputError:
            return False
        outcomes = self.tester.fresh(replay_of(f"{text}0 check-model\n"))
        counted = evaluated(outcomes[0]) if outcomes else None
        return counted is not None and counted[0] > 0 and counted[1:] == (0, 0)


class _Oracle:
    """What a script shows, and whether another one shows the same."""

    def __init__(
        self, target: _Solver, judges: Sequence[_Solver], source: Scripted, name: str
    ) -> None:
        self.target, self.judges = target, list(judges)
        outcome = target.run(source)
        if (outcome.report or {}).get("status") == "malformed":
            raise InputError(str((outcome.report or {})["message"]), file=name)
        self._verdict = judge(outcome)
        self._limit = source.limit
        self._answer = self._right = ""
        self.checks = 0  # up to the one in question; 0: all that there are
        self.key = ""
        if self._verdict is not None:
            self._of_verdict(outcome, source)
        else:
            self._of_disagreement(outcome, source, name)

    def _of_verdict(self, outcome: Outcome, source: Scripted) -> None:
        assert self._verdict is not None
        self.key = bucket_key(self.target.family, self._verdict)
        if self._verdict.kind == WRONG:
            found = zip(source.expected, answers_in(outcome), strict=False)
            at = next(
                at
                for at, (expected, answer) in enumerate(found)
                if OPPOSITE.get(expected) == answer
            )
            self.checks, self._right = at + 1, source.expected[at]

    def _of_disagreement(self, outcome: Outcome, source: Scripted, name: str) -> None:
        ours = answers_in(outcome)
        for solver in list(self.judges):
            theirs = solver.opinion(source.text)
            for at, (answer, other) in enumerate(zip(ours, theirs, strict=False)):
                if OPPOSITE.get(answer) == other:
                    self.checks, self._answer, self.judges = at + 1, answer, [solver]
                    self.key = f"{self.target.name} answers {answer}, {solver.name} {other}"
                    return
        others = " and ".join(solver.name for solver in self.judges)
        hint = (
            f", and {others} answers alike"
            if others
            else "; to keep a disagreement name another solver with --cross-check"
        )
        raise InputError(f"it shows no finding on {self.target.name}{hint}", file=name)

    def asked(self, script: Script, text: str) -> Scripted | None:
        """A script as the target is asked it; None where the check in question is gone."""
        count = sum(isinstance(command, CHECKS) for command in script.commands)
        if self.checks and not count:
            return None
        return Scripted(
            text, ("unknown",) * (count - 1) + (self._right,) if self._right else (), self._limit
        )

    def wanted(self, outcome: Outcome) -> bool:
        """Whether the target did the same again."""
        if self._answer:
            return answers_in(outcome)[-1:] == [self._answer]
        verdict = judge(outcome)
        return verdict is not None and self._loose(verdict) == self._loose(self._verdict)

    def stands(self, script: Script, text: str) -> bool:
        """Whether what the target does is still wrong: the others are asked."""
        if self._answer:
            return self._votes(text, OPPOSITE[self._answer]) > 0
        return not self._right or self._known(
            script, text, sum(isinstance(command, CHECKS) for command in script.commands)
        )

    def _loose(self, verdict: Verdict | None) -> tuple[str, str]:
        """Kind and bucket of a finding without the theories of its script."""
        assert verdict is not None
        return verdict.kind, bucket_key(
            self.target.family, replace(verdict, call=replace(verdict.call, operator=""))
        )

    def _votes(self, text: str, answer: str) -> int:
        return sum(solver.opinion(text)[-1:] == [answer] for solver in self.judges)

    def _known(self, script: Script, text: str, count: int) -> bool:
        """Whether the last check must answer as it should."""
        votes = self._votes(text, self._right)
        if votes >= VOTES:
            return True
        return (
            votes > 0
            and self._right == "sat"
            and count == 1
            and any(solver.holds(script) for solver in self.judges)
        )

    def named(self, script: Script, text: str) -> tuple[str, str]:
        """The key of what a script shows, and the trace that its run writes."""
        small = self.asked(script, text) or Scripted(text)
        outcome = self.target.run(small)
        verdict = None if self._answer else judge(outcome)
        trace = outcome.trace or trace_of(small, self.target.family)
        if self._answer:
            names = ",".join(absolute_target(solver.name) for solver in self.judges)
            trace = add_header(trace, f"# {HEADER} {names}\n")
        return (self.key if verdict is None else bucket_key(self.target.family, verdict)), trace


def minimize_script(
    plan: Plan,
    source: Scripted,
    name: str,
    judges: Sequence[Plan] = (),
    wishes: Wishes | None = None,
    follow: Follow = lambda progress: None,
) -> tuple[Minimized, str]:
    """Make a script smaller; gives the trace that runs the result, and the result. Raises
    InputError where it shows nothing.
    """
    wishes = wishes or Wishes()
    start = time.monotonic()
    script = read_script(source.text, name, build_catalogue(load_catalogue()))
    with ExitStack() as stack:
        solvers = [_Solver(one) for one in (plan, *judges)]
        for solver in solvers:
            stack.callback(solver.tester.close)
        oracle = _Oracle(solvers[0], solvers[1:], source, name)
        solvers[0].tester.jobs, solvers[0].tester.tries = wishes.jobs, wishes.tries
        families = {solver.family for solver in solvers}
        dialect = families.pop() if len(families) == 1 else "standard"
        work = _Work(oracle, script, dialect if dialect in DIALECTS else "standard", follow, start)
        if wishes.time is not None:
            for solver in solvers:
                solver.tester.deadline = start + wishes.time
        ended = work.run(name)
        for solver in solvers:
            solver.tester.deadline = None
        return work.result(source, ended, sum(solver.tester.replays for solver in solvers))


class _Work:
    """One minimization in progress."""

    def __init__(
        self, oracle: _Oracle, script: Script, dialect: str, follow: Follow, start: float
    ) -> None:
        self._oracle, self._script, self._dialect, self._follow, self._start = (
            oracle,
            script,
            dialect,
            follow,
            start,
        )
        self._texts: dict[Commands, str] = {}
        problem = Problem[Commands](self._first, self._order, self.text)
        self._reducer = Reducer(problem, self._cut(), self._progress)

    def _cut(self) -> Commands:
        """The commands up to the check in question."""
        commands, checks = bare(self._script), self._oracle.checks
        for at, command in enumerate(commands, 1):
            checks -= isinstance(command, CHECKS)
            if self._oracle.checks and checks == 0:
                return commands[:at]
        return commands

    def _made(self, commands: Commands) -> Script:
        return Script(self._script.name, self._script.tables, list(commands))

    def text(self, commands: Commands) -> str:
        """The script as text; empty for what the dialect cannot say."""
        known = self._texts.get(commands)
        if known is None:
            try:
                known = print_script(self._made(commands), self._dialect)
            except Unsayable:
                known = ""
            if len(self._texts) > _TEXTS:
                self._texts.clear()
            self._texts[commands] = known
        return known

    def _order(self, commands: Commands) -> tuple[int, int, int, int]:
        return order(self.text(commands), commands)

    def _first(self, candidates: Iterator[Commands]) -> int | None:
        """The target is asked about several candidates at a time, the others only about one that it
        still does the same on.
        """
        oracle, handed, waiting = self._oracle, list[Commands](), deque[int]()

        def traces() -> Iterator[str]:
            while True:
                interrupts.check()
                if not waiting:
                    commands = next(candidates, None)
                    if commands is None:
                        return
                    handed.append(commands)
                    waiting.append(len(handed) - 1)
                at = waiting.popleft()
                text = self.text(handed[at])
                asked = oracle.asked(self._made(handed[at]), text) if text else None
                if asked is not None:
                    tried.append(at)
                    yield trace_of(asked, oracle.target.family)

        while True:
            tried: list[int] = []
            won = oracle.target.tester.first(traces(), oracle.wanted)
            if won is None:
                return None
            at = tried[won]
            if oracle.stands(self._made(handed[at]), self.text(handed[at])):
                return at
            # these may have been given up
            begun = range(max(0, won - oracle.target.tester.jobs + 1), len(tried))
            waiting.extendleft(reversed([tried[number] for number in begun if number != won]))

    def run(self, name: str) -> str:
        """Reduce; how it ended. Raises InputError where the script as we print it shows something
        else.
        """
        first = self._reducer.best
        try:
            shown = self._first(iter([first])) is not None
        except OutOfTime:
            raise InputError(
                "the time is over before what the script shows was seen again; give it more with --time",
                file=name,
            ) from None
        if not shown:
            raise InputError(
                "what it shows is not seen again when it is printed anew, or what it must answer is not known: two other "
                "solvers must say so, or our evaluator in the model of one",
                file=name,
            )
        try:
            with interrupts.deferred():
                reduce_script(self._reducer, self._script.tables)
        except OutOfTime:
            return "time"
        except KeyboardInterrupt:
            return "interrupted"
        return "complete"

    def _progress(self, best: Commands) -> None:
        found = self._order(best)
        self._follow(
            Progress(
                found[1],
                found[0],
                self._reducer.tests,
                time.monotonic() - self._start,
                partial(self.text, best),
            )
        )

    def result(self, source: Scripted, ended: str, replays: int) -> tuple[Minimized, str]:
        """The best, as trace and as script; sizes are in characters of the script."""
        best = self._reducer.best
        small = self.text(best)
        key, trace = self._oracle.named(self._made(best), small)
        seconds = time.monotonic() - self._start
        tests, repeated = self._reducer.tests, self._reducer.repeated
        return Minimized(
            trace, key, len(source.text), len(small), tests, replays, repeated, seconds, ended
        ), small


def others_than(target: str, known: Sequence[str] = ("z3", "cvc5")) -> tuple[str, ...]:
    """The solvers that say what is right where nobody names any: those that are installed beside
    murxpy.
    """
    return tuple(name for name in known if name != target)
