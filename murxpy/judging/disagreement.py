"""Dependences: what an answer depends on besides the assertions. Each limit, option and earlier
call is omitted in turn, and the solver is asked again.

None of these omissions changes the question of the last check. A solver that then gives the opposite
answer therefore contradicts itself.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any

from murxpy.judging.limits import HEADER as LIMITS
from murxpy.judging.limits import limits_row
from murxpy.judging.solvers import Solvers
from murxpy.machine.checks.registry import named
from murxpy.machine.replaying.defuse import MAKERS, Script, closed, collected
from murxpy.machine.replaying.judging import CHECKS
from murxpy.machine.script import own_options
from murxpy.machine.solve import SPECIAL_OPTIONS
from murxpy.machine.tokens import Quoted, print_token
from murxpy.machine.trace.finished import add_header, last_row, until_row, without_header
from murxpy.machine.trace.grammar import OPTIONS, Line, Trace, parse_trace
from murxpy.machine.witnesses.script_evidence import with_models
from murxpy.oracles.crash import Outcome
from murxpy.oracles.disagreement import (
    OPPOSITE,
    Answers,
    GivenAnswer,
    ModelEvaluation,
    Triage,
    Way,
    answers_of,
    first_disagreement,
    last_answer,
    triage,
)
from murxpy.passes.measure import text
from murxpy.passes.reduction import Search, one_by_one
from murxpy.passes.trace import quick_problem
from murxpy.processes.inquiries import Ask, Questions
from murxpy.processes.targets import absolute_target, split_names, usable
from murxpy.smtlib.logics import theories

_ASSERTING = (*named(lambda action: action.state), "expect", "plant")
_MORE = (10, 100)  # multiples of the limit, to try where the solver does not return without a limit
_MOST = 40  # omissions that are tried
_EARLIER = re.compile(r"^\(check-sat.*\)\n(?=(?:.*\n)*\(check-sat)", re.M)


@dataclass(frozen=True, slots=True)
class Omission:
    """A script from which one thing was omitted: `sort` says in a word or two what it is, `words`
    names it.
    """

    sort: str
    words: str
    script: Script


@dataclass(frozen=True, slots=True)
class Dependence:
    """One thing that the answer depends on. Without it, the check answers `answer`, which is empty
    where the check does not return or is not reached.
    """

    sort: str
    words: str
    answer: str

    def line(self) -> str:
        """The dependence in words."""
        return f"{self.words} (without: {self.answer or 'no answer'})"


def omissions(script: Script) -> Iterator[Omission]:
    """The script without each of the things that do not change what is asserted at its last line,
    which is a check.
    """
    for at, line in enumerate(script[:-1]):
        sort = _sort(line)
        if sort:
            yield Omission(sort, _words(sort, line), _without(script, [at]))
    earlier = [at for at, line in enumerate(script[:-1]) if line.action in CHECKS]
    if len(earlier) > 1:
        yield Omission(
            "earlier checks", f"the {len(earlier)} checks before it", _without(script, earlier)
        )
    scopes = _finished(script)
    if scopes:
        yield Omission(
            "earlier scopes", "the scopes that are popped before it", _without(script, scopes)
        )
    yield from _of_text(script)


def _sort(line: Line) -> str:
    """The sort of thing that a line is; empty where the line cannot be omitted."""
    if line.action in MAKERS or line.action in _ASSERTING:
        return ""
    if line.action in OPTIONS:
        return "" if str(line.args[0]) in SPECIAL_OPTIONS else "option"
    return {"set-limit": "limit", "set-logic": "logic"}.get(
        line.action, "earlier check" if line.action in CHECKS else "earlier call"
    )


def _words(sort: str, line: Line) -> str:
    args = " ".join(print_token(arg) for arg in line.args)
    if sort == "option":
        return f"option {args.replace(' ', '=', 1)}"
    if sort in ("limit", "logic"):
        return f"{sort} {args}"
    answer = next(
        (str(tokens[0]) for name, tokens in line.results if name == "answer" and tokens), ""
    )
    return f"the {sort} {line.action}{f', answered {answer}' if answer else ''}"


def _without(script: Script, places: list[int]) -> Script:
    gone = set(places)
    return tuple(collected(closed([line for at, line in enumerate(script) if at not in gone])))


def _finished(script: Script) -> list[int]:
    """The lines of scopes that are popped again before the last line, with the assertions and
    checks in them.
    """
    gone: list[int] = []
    opened: list[int] = []
    for at, line in enumerate(script[:-1]):
        levels = int(str(line.args[0])) if line.action in ("push", "pop") and line.args else 0
        if line.action == "push" and levels == 1:
            opened.append(at)
        elif line.action == "pop" and levels == 1 and opened:
            begin = opened.pop()
            if not opened:
                gone += [k for k in range(begin, at + 1) if script[k].action not in MAKERS]
        elif line.action in ("push", "pop", "reset", "reset-assertions"):
            return []
    return gone


def _of_text(script: Script) -> Iterator[Omission]:
    """The omissions from the whole script that the last line runs: its options, its logic, and its
    earlier checks.
    """
    last = script[-1]
    source = last.args[0] if last.action == "run-script" and last.args else None
    if not isinstance(source, Quoted):
        return
    variants = [
        (
            "option",
            f"option {name}={value}",
            re.sub(rf"^\(set-option :{re.escape(name)} .*\)\n", "", source.text, flags=re.M),
        )
        for name, value in own_options(source.text)
    ]
    for logic in re.findall(r"^\(set-logic (\S+)\)\n", source.text, re.M):
        if logic != "ALL":
            variants.append(
                (
                    "logic",
                    f"logic {logic}",
                    source.text.replace(f"(set-logic {logic})", "(set-logic ALL)", 1),
                )
            )
    variants.append(
        ("earlier checks", "the checks before it in the script", _EARLIER.sub("", source.text))
    )
    for sort, words, changed in variants:
        if changed != source.text:
            yield Omission(sort, words, (*script[:-1], replace(last, args=[Quoted(changed)])))


def dependences(target: int, trace: str, header: str) -> Generator[Ask, Outcome, list[Dependence]]:
    """The things that the answer of the last check of `trace` depends on, when plan number `target`
    is asked. Each question gets the header `header`.
    """
    script = tuple(parse_trace(trace, "trace").lines)
    ours = last_answer(trace)[1]
    found: list[Dependence] = []
    for omission in list(omissions(script))[:_MOST]:
        answer = yield from _answer(target, header, omission.script)
        if not answer and omission.sort == "limit":
            answer = yield from _with_more(target, header, script, ours)
        if answer != ours:
            found.append(Dependence(omission.sort, omission.words, answer))
    return found


def _answer(target: int, header: str, script: Script) -> Generator[Ask, Outcome, str]:
    outcome = yield Ask(target, header + text(script))
    return last_answer(outcome.trace)[1]


def _with_more(target: int, header: str, script: Script, ours: str) -> Generator[Ask, Outcome, str]:
    """The opposite of `ours` where a larger limit leads to it, else `ours`. A check that does not
    return without a limit says nothing.
    """
    for times in _MORE:
        more = tuple(
            replace(line, args=[int(str(line.args[0])) * times])
            if line.action == "set-limit"
            else line
            for line in script
        )
        answer = yield from _answer(target, header, more)
        if answer in OPPOSITE and answer != ours:
            return answer
    return ours


# ----------------------------------------------------------------------
# The investigation of a disagreement: it is shown again, its trace is made small, and all
# evidence is collected to say who is wrong. The functions are inquiries, as
# `murxpy.processes.inquiries` carries them out.


TESTS = 800  # candidates that the quick reduction may try
HEADER = "cross-check"  # the key of the row in a trace's header that names the judges
_KEPT_HEADER = ("murxpy-trace", "solver", "python", "seed", HEADER, LIMITS)
_CORE = ("OP_NOT", "OP_AND", "OP_OR", "OP_XOR", "OP_IMPLIES", "OP_ITE", "OP_EQUAL", "OP_DISTINCT")


@dataclass(frozen=True)
class Case:
    """One disagreement: at the check on line `line` of `trace`, the solver of plan `main` answered
    `ours`, and the solver of plan `judge` the opposite.

    `judges` are the numbers of all judges.
    """

    main: int
    judge: int
    judges: tuple[int, ...]
    trace: str
    line: int
    ours: str


@dataclass(frozen=True)
class Investigated:
    """The result for one case. If the disagreement showed again (`shown`), `trace` is a small trace
    that shows it, and `triage` is the verdict on that trace.

    `operators` and `options` are those of the small trace, and `before` is the number of lines that
    it was made from. `on` is the number of the plan whose solver wrote the small trace: the judge,
    where the judge is wrong; then the solver of the run is its judge. `depends` lists the things
    that the wrong answer depends on; where nobody is known to be wrong, those that the answer in
    the trace depends on.
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
    """See whether the disagreement shows again, make its trace small, and find out who is wrong."""
    whole = until_row(case.trace, case.line)
    before = whole.count("\n")
    work = CaseQuestions(solvers, case)
    parsed = parse_trace(whole, "trace")
    script, header = tuple(parsed.lines), header_of(parsed)
    if (yield from work.replayed(header + text(script), patient=True)) is None:
        return Investigated(False, whole, Triage("undecided"), note=work.note, before=before)
    shows = one_by_one(work.shows)
    search = Search(quick_problem(script, lambda one: header + text(one)), shows, TESTS)
    yield from search.run()
    script = search.reducer.best
    shown = yield from work.replayed(header + text(script))
    if shown is None:
        return Investigated(False, whole, Triage("undecided"), note=work.note, before=before)
    return (yield from _investigated(work, shown, before))


def _investigated(work: CaseQuestions, shown: str, before: int) -> Questions[Investigated]:
    """The result for the small trace `shown`: who is wrong, and what the wrong answer depends on.
    Where the judge is wrong, the result holds the judge's own trace.
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
    """Replay the trace `source` on the first plan, and have its checks judged by the others.
    Returns the replay and the first disagreement.
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
    """The answers of the judges, which are all plans but the first, to the checks of `trace`, by
    the judge's number.
    """
    solvers = solvers.of_trace(trace)
    answers: dict[int, Answers] = {}
    for judge in range(1, len(solvers.plans)):
        outcome = yield Ask(judge, trace, solvers.settings(0, judge))
        answers[judge] = answers_of(outcome.report)
    return answers


def operators(script: Script) -> tuple[str, ...]:
    """The operators of a trace, sorted. Operators of Boolean structure are named only where there
    are no others. For a whole script, its theories are named instead.
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
    """The options that a trace sets, in its own lines and in whole scripts."""
    set_by_line = {str(line.args[0]) for line in script if line.action in OPTIONS}
    return tuple(
        sorted(set_by_line.union(name for text in texts(script) for name, _ in own_options(text)))
    )


def header_of(trace: Trace) -> str:
    """The rows of the header that a replay needs."""
    return "".join(f"# {key} {trace.header[key]}\n" for key in _KEPT_HEADER if key in trace.header)


class CaseQuestions:
    """The questions about one case. The questions are asked about traces whose last check is the one
    in question.
    """

    def __init__(self, solvers: Solvers, case: Case) -> None:
        self.solvers = solvers.of_trace(case.trace)
        self.case = case
        self.note = ""
        self.needs: dict[int, list[Dependence]] = {}
        self._theirs = ""

    def replayed(self, source: str, patient: bool = False) -> Generator[Ask, Outcome, str | None]:
        """The trace that the main solver writes when it replays `source`; None unless both sides
        answer the last check as they did.
        """
        case = self.case
        outcome = yield Ask(case.main, source, patient=patient)
        if last_answer(outcome.trace)[1] != case.ours:
            self.note = f"{self.solvers.releases[case.main]} does not answer {case.ours} again"
            return None
        trace = outcome.trace
        judged = yield Ask(case.judge, trace, self.solvers.settings(case.main, case.judge), patient)
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

    def shows(self, source: str) -> Questions[bool]:
        """Whether both sides answer the last check of `source` as they did."""
        return (yield from self.replayed(source)) is not None

    def _dependences(self, shown: str) -> Generator[Ask, Outcome, list[GivenAnswer]]:
        """The answers of the two sides to the last check of `shown`, without the things that they
        depend on. `shown` is the trace that was replayed last.
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
        """The trace that the judge wrote last, with the other side as its judge; None where this
        trace does not show the disagreement.
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
        """The trace with the names of its judges in the header."""
        case = self.case
        first = [case.judge, *(judge for judge in case.judges if judge != case.judge)]
        row = (
            f"# {HEADER} {','.join(absolute_target(self.solvers.name(judge)) for judge in first)}\n"
        )
        row += limits_row({self.solvers.name(judge): self.solvers.limits[judge] for judge in first})
        return add_header(without_judges(trace), row)

    def evidence(self, trace: str) -> Generator[Ask, Outcome, Triage]:
        """The verdict on `trace`, from the model of the side that answers sat, the votes of the
        other judges, and other ways of asking the two sides.

        `trace` must be the trace that was replayed last. Afterwards, `needs` says what the answer
        of each side depends on.
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
        settings = self.solvers.settings(
            self.case.main, at, options=[list(pair) for pair in (more or {}).items()]
        )
        outcome = yield Ask(at, trace, settings)
        there = [
            now for line, _, now in answers_of(outcome.report) if line == last_answer(trace)[0]
        ]
        return [self._given(at, way, there[0], more)] if there else []

    def _models(self, trace: str) -> Generator[Ask, Outcome, list[ModelEvaluation]]:
        """Evaluate the model of the side that answers sat, and describe the result; empty if the
        model cannot be read.
        """
        case = self.case
        at, source = (case.main, trace) if case.ours == "sat" else (case.judge, self._theirs)
        whole = parse_trace(source, "trace")
        if whole.lines and whole.lines[-1].action == "run-script":
            outcome = yield Ask(at, _asking_for_model(whole))
            counted = _held(outcome.trace)
            return self._evaluations(at, counted)
        if case.ours == "sat":
            parsed = parse_trace(trace, "trace")
            plain = tuple(line for line in parsed.lines if line.action != "check-model")
            outcome = yield Ask(at, f"{header_of(parsed)}{text(plain)}0 check-model\n")
        else:
            outcome = yield Ask(at, trace, self.solvers.settings(case.main, at, model=True))
        return self._evaluations(at, evaluated(outcome))

    def _evaluations(self, at: int, counted: tuple[int, int, int] | None) -> list[ModelEvaluation]:
        name, release = self.solvers.name(at), self.solvers.releases[at]
        return [ModelEvaluation(name, release, *counted)] if counted else []


def small_trace_data(solved: Investigated) -> dict[str, Any]:
    """The data that a bucket stores about the small trace."""
    depends = [[need.sort, need.words, need.answer] for need in solved.depends]
    return {
        "operators": list(solved.operators),
        "options": list(solved.options),
        "whole": solved.before,
        "depends": depends,
    }


def _asking_for_model(trace: Trace) -> str:
    """A trace whose last line runs a script, with the model of the script evaluated instead."""
    *before, last = trace.lines
    asked = [Quoted(with_models(arg.text)) for arg in last.args if isinstance(arg, Quoted)]
    kept = tuple(line for line in before if line.action != "expect")
    return f"{header_of(trace)}{text((*kept, Line('evaluate', [*asked], seed=last.seed)))}"


def _held(trace: str) -> tuple[int, int, int] | None:
    """The numbers of assertions that are true, false and not known, from the text of a trace that
    evaluates the model of a script; None where no model was read.
    """
    row = last_row(trace, ("evaluate",))
    values = [words[-1] for words in row.results if words[0] == "holds"] if row is not None else []
    true, false = values.count("true"), values.count("false")
    return (true, false, len(values) - true - false) if values else None


def evaluated(outcome: Outcome) -> tuple[int, int, int] | None:
    """The numbers of assertions that are true, false and not known, from the report of a replay
    with one `check-model`.
    """
    counts = (outcome.report or {}).get("counts", {})
    true, false, unknown = (
        counts.get(f"check-model:{name}", 0) for name in ("true", "false", "cannot-say")
    )
    return (true, false, unknown) if true or false or unknown else None


def header_judges(trace: Trace) -> tuple[str, ...]:
    """The judges that the header of a trace names. Raises InputError if a judge may not be asked,
    because only the header names it.
    """
    names = split_names(trace.header[HEADER]) if trace.header.get(HEADER) else []
    return usable([*filter(None, names)], f"--{HEADER}", file=trace.name)


def without_judges(trace: str) -> str:
    """The trace without the rows of its header that name judges and their limits."""
    return without_header(trace, HEADER, LIMITS)
