"""Disagreements: shown again, made small, and judged by all evidence that there is. Questions as
`murxpy.campaign.replays.inquiries` asks them.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from murxpy.campaign.judging.dependence import Dependence, dependences
from murxpy.campaign.judging.judge_limits import HEADER as LIMITS
from murxpy.campaign.judging.judge_limits import judging_wishes, limits_row, parse_limits
from murxpy.campaign.replays.inquiries import Ask, Questions
from murxpy.campaign.workers.names import absolute_target
from murxpy.campaign.workers.targets import Plan
from murxpy.machine.script import own_options
from murxpy.machine.tokens import Quoted
from murxpy.oracles.crash import Outcome
from murxpy.oracles.disagreement import (
    OPPOSITE,
    Answers,
    answers_of,
    first_disagreement,
    last_answer,
)
from murxpy.oracles.triage import GivenAnswer, ModelEvaluation, Triage, Way, triage
from murxpy.passes.measure import text
from murxpy.passes.quick import reduced
from murxpy.replaying.defuse import Script
from murxpy.smtlib.syntax.fingerprint import theories
from murxpy.trace.finished import add_header, header_value, until_row, without_header
from murxpy.trace.grammar import Trace, parse_trace

TESTS = 800  # candidates of the quick reduction
HEADER = "cross-check"  # the key of a trace's header that names the judges
_KEPT_HEADER = ("murxpy-trace", "solver", "python", "seed", HEADER, LIMITS)
_CORE = ("OP_NOT", "OP_AND", "OP_OR", "OP_XOR", "OP_IMPLIES", "OP_ITE", "OP_EQUAL", "OP_DISTINCT")


@dataclass(frozen=True)
class Solvers:
    """The plans of an inquiry, by number, with the release of each as `family version`.

    `limits`: of the checks that each is asked as a judge, in its own unit.
    """

    plans: Sequence[Plan]
    releases: Sequence[str]
    limits: Sequence[int]

    def of_trace(self, source: str) -> Solvers:
        """The same with the limits that stand in the header of the trace `source`. Raises
        InputError.
        """
        named = parse_limits(header_value(source, LIMITS), "trace")
        limits = [
            named.get(absolute_target(plan.target.name), limit)
            for plan, limit in zip(self.plans, self.limits, strict=True)
        ]
        return replace(self, limits=limits)

    def name(self, at: int) -> str:
        """The target as the user names it."""
        return self.plans[at].target.name

    def wishes(self, main: int, at: int, **more: Any) -> dict[str, Any]:
        """What plan number `at` is told as a judge of traces of plan number `main`."""
        return judging_wishes(self.plans[main].setup.get("wrapper") or {}, self.limits[at], **more)

    def variants(self, at: int) -> list[dict[str, str]]:
        """Options by which the solver of plan number `at` is asked again."""
        wrapper = self.plans[at].setup.get("wrapper") or {}
        return [
            {str(name): str(value) for name, value in entry.items()}
            for entry in wrapper.get("variants") or ()
        ]


@dataclass(frozen=True)
class Case:
    """The solver of plan `main` answered `ours` at the check on line `line` of `trace`, that of
    plan `judge` the opposite.

    `judges` are all that there are.
    """

    main: int
    judge: int
    judges: tuple[int, ...]
    trace: str
    line: int
    ours: str


@dataclass(frozen=True)
class Investigated:
    """What came of a case. `shown`: it showed again; then `trace` is a small trace that shows it,
    and `triage` the verdict on that.

    `operators` and `options` are what is left in it; `before` the lines of the trace that it was
    made from. `on`: the number of the plan whose solver wrote the trace; where a judge is wrong
    that is the judge, and the solver of the campaign's trace is its judge. `depends`: what the
    wrong answer depends on besides what is asserted (the trace's solver's answer, where nobody is
    known to be wrong).
    """

    shown: bool
    trace: str
    triage: Triage
    operators: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    before: int = 0
    note: str = ""
    on: int = 0
    depends: tuple[Dependence, ...] = ()


def investigate(solvers: Solvers, case: Case) -> Questions[Investigated]:
    """See whether the disagreement shows again, make it small, and find out who is wrong."""
    whole = until_row(case.trace, case.line)
    before = whole.count("\n")
    work = CaseQuestions(solvers, case)
    parsed = parse_trace(whole, "trace")
    script, header = tuple(parsed.lines), header_of(parsed)
    if (yield from work.replayed(header + text(script), patient=True)) is None:
        return Investigated(False, whole, Triage("undecided"), note=work.note, before=before)
    search = reduced(script, TESTS)
    try:
        candidate = next(search)
        while True:
            candidate = search.send(
                (yield from work.replayed(header + text(candidate))) is not None
            )
    except StopIteration as end:
        script = end.value
    shown = yield from work.replayed(header + text(script))
    if shown is None:
        return Investigated(False, whole, Triage("undecided"), note=work.note, before=before)
    return (yield from _investigated(work, shown, before))


def _investigated(work: CaseQuestions, shown: str, before: int) -> Questions[Investigated]:
    """Who is wrong in the small trace `shown`, and what the wrong answer depends on; its own trace
    where a judge is wrong.
    """
    verdict = yield from work.evidence(shown)
    case = work.case
    wrong = case.judge if verdict.culprit == work.solvers.name(case.judge) else case.main
    turned = None if wrong == case.main else (yield from work.turned())
    trace = turned or work.named(shown)
    script = tuple(parse_trace(trace, "trace").lines)
    on = wrong if turned else case.main
    return Investigated(
        True,
        trace,
        verdict,
        operators(script),
        options(script),
        before,
        on=on,
        depends=tuple(work.needs[wrong]),
    )


def cross_checked(solvers: Solvers, source: str) -> Questions[tuple[Outcome, Case | None]]:
    """Replay the trace `source` on the first plan, and have its checks judged by the others: the
    replay, and the first disagreement.
    """
    judges = tuple(range(1, len(solvers.plans)))
    solvers = solvers.of_trace(source)
    outcome = yield Ask(0, source)
    found = (
        first_disagreement((yield from judged(solvers, outcome.trace))) if outcome.trace else None
    )
    return outcome, None if found is None else Case(
        0, found.judge, judges, outcome.trace, found.line, found.ours
    )


def judged(solvers: Solvers, trace: str) -> Questions[dict[int, Answers]]:
    """What the judges, all plans but the first, answer to the checks of `trace`, by their number."""
    solvers = solvers.of_trace(trace)
    answers: dict[int, Answers] = {}
    for judge in range(1, len(solvers.plans)):
        outcome = yield Ask(judge, trace, solvers.wishes(0, judge))
        answers[judge] = answers_of(outcome.report)
    return answers


def operators(script: Script) -> tuple[str, ...]:
    """The operators of a trace, sorted; those of Boolean structure only where there is nothing
    else. Of a whole script, its theories.
    """
    kinds = sorted(
        {str(line.args[0]) for line in script if line.action == "mk-term"}.union(
            *map(theories, texts(script))
        )
    )
    return tuple([kind for kind in kinds if kind not in _CORE] or kinds)


def texts(script: Script) -> list[str]:
    """The whole scripts that a trace runs."""
    return [
        arg.text
        for line in script
        if line.action == "run-script"
        for arg in line.args
        if isinstance(arg, Quoted)
    ]


def options(script: Script) -> tuple[str, ...]:
    """The options that a trace sets, also those of whole scripts in it."""
    set_by_line = {str(line.args[0]) for line in script if line.action == "set-option"}
    return tuple(
        sorted(set_by_line.union(name for text in texts(script) for name, _ in own_options(text)))
    )


def header_of(trace: Trace) -> str:
    """The rows of the header that say what a replay needs."""
    return "".join(f"# {key} {trace.header[key]}\n" for key in _KEPT_HEADER if key in trace.header)


class CaseQuestions:
    """One case in hand: what is asked of its solvers about texts of traces whose last check is the
    one in question.
    """

    def __init__(self, solvers: Solvers, case: Case) -> None:
        self.solvers = solvers.of_trace(case.trace)
        self.case = case
        self.note = ""
        self.needs: dict[int, list[Dependence]] = {}
        self._theirs = ""

    def replayed(self, source: str, patient: bool = False) -> Generator[Ask, Outcome, str | None]:
        """What the main solver writes for `source` where both sides still answer so at its last
        check, else None.
        """
        case = self.case
        outcome = yield Ask(case.main, source, patient=patient)
        if last_answer(outcome.trace)[1] != case.ours:
            self.note = f"{self.solvers.releases[case.main]} does not answer {case.ours} again"
            return None
        trace = outcome.trace
        judged = yield Ask(case.judge, trace, self.solvers.wishes(case.main, case.judge), patient)
        answers = answers_of(judged.report)
        if (
            not answers
            or answers[-1][0] != last_answer(trace)[0]
            or answers[-1][2] != OPPOSITE[case.ours]
        ):
            self.note = (
                f"{self.solvers.releases[case.judge]} does not answer {OPPOSITE[case.ours]} again"
            )
            return None
        self._theirs = judged.trace
        return trace

    def _dependences(self, shown: str) -> Generator[Ask, Outcome, list[GivenAnswer]]:
        """What the two sides answer to the last check of `shown`, which was replayed last, without
        what their answers depend on.
        """
        answers: list[GivenAnswer] = []
        for at, trace in ((self.case.main, shown), (self.case.judge, self._theirs)):
            self.needs[at] = yield from dependences(
                at, trace, header_of(parse_trace(trace, "trace"))
            )
            answers += [
                self._given(at, "without", need.answer, {need.words: ""})
                for need in self.needs[at]
                if need.answer
            ]
        return answers

    def turned(self) -> Generator[Ask, Outcome, str | None]:
        """The trace that the judge wrote when it was asked last, with the other side as its judge;
        None where that does not show it.
        """
        case, trace = self.case, self._theirs
        others = (case.main, *(judge for judge in case.judges if judge != case.judge))
        turned = Case(
            case.judge, case.main, others, trace, last_answer(trace)[0], OPPOSITE[case.ours]
        )
        work = CaseQuestions(self.solvers, turned)
        shown = yield from work.replayed(trace)
        return None if shown is None else work.named(shown)

    def named(self, trace: str) -> str:
        """The trace with the judges that it is for in its header."""
        case = self.case
        first = [case.judge, *(judge for judge in case.judges if judge != case.judge)]
        row = (
            f"# {HEADER} {','.join(absolute_target(self.solvers.name(judge)) for judge in first)}\n"
        )
        row += limits_row({self.solvers.name(judge): self.solvers.limits[judge] for judge in first})
        return add_header(without_judges(trace), row)

    def evidence(self, trace: str) -> Generator[Ask, Outcome, Triage]:
        """The verdict on `trace`, after the model of the sat side, the others' votes, and other
        ways to ask the two sides.

        `trace` is what was replayed last; `needs` then has, by number of a side, what its answer
        depends on.
        """
        case, solvers = self.case, self.solvers
        sides = (
            self._given(case.main, "main", case.ours),
            self._given(case.judge, "judge", OPPOSITE[case.ours]),
        )
        models = yield from self._models(trace)
        answers = yield from self._dependences(trace)
        for other in case.judges:
            if other != case.judge:
                answers += yield from self._ask(other, trace, "judge")
        answers += yield from self._ask(case.main, trace, "plain")
        for side in (case.main, case.judge):
            for more in solvers.variants(side):
                answers += yield from self._ask(side, trace, "variant", more)
        return triage(sides, models, answers)

    def _given(
        self, at: int, way: Way, answer: str, more: dict[str, str] | None = None
    ) -> GivenAnswer:
        words = ", ".join(
            f"{name}={value}" if value else name for name, value in (more or {}).items()
        )
        return GivenAnswer(self.solvers.name(at), self.solvers.releases[at], way, answer, words)

    def _ask(
        self, at: int, trace: str, way: Way, more: dict[str, str] | None = None
    ) -> Generator[Ask, Outcome, list[GivenAnswer]]:
        wishes = self.solvers.wishes(
            self.case.main, at, options=[list(pair) for pair in (more or {}).items()]
        )
        outcome = yield Ask(at, trace, wishes)
        there = [
            now for line, _, now in answers_of(outcome.report) if line == last_answer(trace)[0]
        ]
        return [self._given(at, way, there[0], more)] if there else []

    def _models(self, trace: str) -> Generator[Ask, Outcome, list[ModelEvaluation]]:
        """What our evaluator says of the model of the side that answers sat; nothing where the
        model cannot be read.
        """
        case = self.case
        if case.ours == "sat":
            at = case.main
            parsed = parse_trace(trace, "trace")
            plain = tuple(line for line in parsed.lines if line.action != "check-model")
            outcome = yield Ask(at, f"{header_of(parsed)}{text(plain)}0 check-model\n")
        else:
            at = case.judge
            outcome = yield Ask(at, trace, self.solvers.wishes(case.main, at, model=True))
        counted = evaluated(outcome)
        return (
            [ModelEvaluation(self.solvers.name(at), self.solvers.releases[at], *counted)]
            if counted
            else []
        )


def small_trace_data(solved: Investigated) -> dict[str, Any]:
    """What a bucket keeps of the small trace, as plain data: what is left in it, and what the wrong
    answer depends on.
    """
    depends = [[need.sort, need.words, need.answer] for need in solved.depends]
    return {
        "operators": list(solved.operators),
        "options": list(solved.options),
        "whole": solved.before,
        "depends": depends,
    }


def evaluated(outcome: Outcome) -> tuple[int, int, int] | None:
    """How many assertions are true, false, and not known, as the report of a replay with one
    `check-model` says.
    """
    counts = (outcome.report or {}).get("counts", {})
    true, false, unknown = (
        counts.get(f"check-model:{name}", 0) for name in ("true", "false", "cannot-say")
    )
    return (true, false, unknown) if true or false or unknown else None


def without_judges(trace: str) -> str:
    """The trace without the rows of its header that name judges and their limits."""
    return without_header(trace, HEADER, LIMITS)
