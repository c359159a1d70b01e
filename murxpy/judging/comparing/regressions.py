"""Suspects: the lines of a run on which a newer release may have broken something, from one replay
of the run there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Any

from murxpy.findings.buckets import Bucket, bucket_key
from murxpy.judging.disagreement import evaluated, operators, options
from murxpy.judging.solvers import Solvers
from murxpy.machine.outcomes import STATE
from murxpy.machine.replaying.defuse import Script
from murxpy.machine.replaying.untracer import COMPARED
from murxpy.machine.tokens import Quoted
from murxpy.machine.trace.finished import Call, Row, add_header, last_row, without_header
from murxpy.machine.trace.grammar import Line, parse_trace
from murxpy.oracles.crash import Outcome, Verdict, judge, normalise
from murxpy.oracles.disagreement import (
    OPPOSITE,
    GivenAnswer,
    ModelEvaluation,
    Triage,
    Way,
    answers_of,
    triage,
)
from murxpy.oracles.regression import (
    COSTS,
    FACTOR,
    FLOOR_MS,
    OF_EFFORT,
    SHOWS,
    SLOWER,
    UNDECIDED,
    UNKNOWN,
    VANISHED,
    WRONG,
    Seen,
    aligned,
    first_line,
    regression,
    seen,
    tier_of,
)
from murxpy.passes.measure import text
from murxpy.passes.reduction import OutOfReplays, Search, one_by_one
from murxpy.passes.trace import quick_problem
from murxpy.processes.handles import Job
from murxpy.processes.inquiries import Ask, Questions
from murxpy.records.finding import Finding

_KEPT_HEADER = ("murxpy-trace", "python", "seed")
_VANISHED = 8  # different calls of one run that are looked into


@dataclass(frozen=True, slots=True)
class Suspect:
    """A line that may show a regression of this kind. `kind` is empty where a finding of the newer
    release will say it.
    """

    kind: str
    line: int


def comparable(outcome: Outcome, names: str) -> str:
    """The trace of a run, to be replayed by the other release. `names` are those of both releases.

    Where the run ended in its last line, by a finding, a death or a limit of time, that line is left
    out. The list is empty if nothing is left.
    """
    trace = outcome.trace
    if outcome.report is None or outcome.report.get("finding"):
        last = last_row(trace)
        trace = "" if last is None else "\n".join(trace.split("\n")[: last.number - 1]) + "\n"
    return named(trace, names) if last_row(trace) is not None else ""


def named(trace: str, names: str) -> str:
    """The trace with a row in its header that names both releases, the older first."""
    return add_header(without_header(trace, COMPARED), f"# {COMPARED} {names}\n")


def suspects(asked: str, outcome: Outcome, floor: float) -> list[Suspect]:
    """The lines of the trace `asked` that are worth a closer look, after the newer release replayed
    it: the first one of each kind, and each call that vanished.
    """
    report = outcome.report or {}
    pairs = aligned(asked, outcome.trace)
    found = list(_of_answers(pairs))
    found += _slow(pairs, report.get("costs", ()), floor)
    refused = {int(line): (sort, message) for line, sort, message in report.get("refused", ())}
    calls: dict[tuple[object, str], int] = {}
    for row, _ in pairs:
        sort, message = refused.get(row.number, (STATE, ""))
        if sort not in (STATE, "resources"):
            calls.setdefault((row.call, normalise(message)), row.number)
    found += [Suspect(VANISHED, line) for line in list(calls.values())[:_VANISHED]]
    verdict = judge(outcome)
    ended = [row.number for row, there in pairs if there is not None]
    if verdict is not None and ended:
        found.append(Suspect("", ended[-1]))
    return found


def _of_answers(pairs: list[tuple[Row, Row | None]]) -> Iterator[Suspect]:
    """The first check with the opposite answer, and the first one that became unknown."""
    kinds: dict[str, int] = {}
    for row, there in pairs:
        for was, now in zip(row.answers, there.answers if there else (), strict=False):
            if OPPOSITE.get(was) == now:
                kinds.setdefault(UNDECIDED, row.number)
            elif was in OPPOSITE and now not in OPPOSITE:
                kinds.setdefault(UNKNOWN, row.number)
    yield from (Suspect(kind, line) for kind, line in kinds.items())


def _slow(
    pairs: list[tuple[Row, Row | None]], costs: list[tuple[int, int | None, str]], floor: float
) -> list[Suspect]:
    """The check with the largest cost, of those that both releases decide."""
    both = {
        row.number
        for row, there in pairs
        if there is not None and row.answers and row.answers == there.answers
    }
    large = [(cost, -line) for line, cost, _ in costs if cost and cost >= floor and line in both]
    return [Suspect(SLOWER, -max(large)[1])] if large else []


def question(asked: str, outcome: Outcome, suspect: Suspect) -> Script:
    """The lines of the trace `asked` up to the line of `suspect`, without those that the newer
    release did not carry out: both releases can be asked these, and are asked the same.
    """
    refused = {int(line) for line, _, _ in (outcome.report or {}).get("refused", ())}
    gone = {
        row.number
        for row, there in aligned(asked, outcome.trace)
        if there is None or row.number in refused
    }
    return tuple(
        line
        for line in parse_trace(asked, "trace").lines
        if line.number == suspect.line or (line.number < suspect.line and line.number not in gone)
    )


def limited(script: Script, cost: int | None, floor: float) -> Script:
    """The script with ten times as much for each check as the last check cost the older release, and
    at least `floor`: a check that needs somewhat more than the limit of the run broke nothing.

    Where the cost is not known, each limit is ten times as large.
    """

    def more(line: Line) -> Line:
        limit = int(str(line.args[0])) if line.action == "set-limit" and line.args else 0
        wanted = FACTOR * (cost or limit)
        return replace(line, args=[max(wanted, int(floor))]) if limit else line

    return tuple(map(more, script))


def header(asked: str, solver: str) -> str:
    """The header of a trace about the release `solver` (name and version), made from that of the
    run.
    """
    trace = parse_trace(asked, "trace")
    rows = [f"# {key} {trace.header[key]}\n" for key in _KEPT_HEADER if key in trace.header]
    rows[1:1] = [f"# solver {solver}\n", f"# {COMPARED} {trace.header[COMPARED]}\n"]
    return "".join(rows)


def written(head: str, script: Script) -> str:
    """The trace of these lines."""
    return head + text(script)


# ----------------------------------------------------------------------
# The investigation of a suspect: both releases carry out the same lines in fresh processes;
# what the newer one broke is made small with both, and where answers contradict each other,
# evidence is collected. The functions are inquiries, as `murxpy.processes.inquiries`
# carries them out.


TESTS = 400  # candidates that the quick reduction may try
# A reduction ends when its checks have cost as much as a usual machine does in this time, in ms; a
# candidate that reaches the limit of time counts as the second figure.
_BUDGET_MS = 60_000.0
_LATE_MS = 2_000.0
_SEEDS = (1, 2, 3)  # random seeds of the solver for which a difference in effort must show, too


@dataclass(frozen=True, slots=True)
class Shown:
    """A regression that both releases showed on a trace. `text` is the trace as the newer release
    wrote it, `output` is what that release printed.
    """

    kind: str
    older: Seen
    newer: Seen
    asked: str
    text: str
    output: str

    @property
    def call(self) -> Call:
        """The call of the last line."""
        last = last_row(self.asked)
        return Call() if last is None else last.call


@dataclass(frozen=True, slots=True)
class Regression:
    """A confirmed regression on a small trace. `operators` and `options` are those of the trace,
    `before` is the number of lines that it was made from; `triage` says who is wrong where the
    answers contradict each other.
    """

    shown: Shown
    operators: tuple[str, ...]
    options: tuple[str, ...]
    before: int
    triage: Triage | None = None

    @property
    def kind(self) -> str:
        """The kind of the regression: a contradiction counts as wrong where the newer is seen to be."""
        wrong = self.triage is not None and self.triage.culprit
        return WRONG if wrong else self.shown.kind


@dataclass(frozen=True, slots=True)
class Look:
    """The outcome of two releases on the last line of a trace; `outcome` is how the newer release's
    replay ended. `older` is None if the newer release shows nothing, so that the older release was
    not asked.
    """

    older: Seen | None
    newer: Seen
    outcome: Outcome


class Pair:
    """Two releases of one solver: the plans number `older` and `newer` of `solvers`."""

    def __init__(self, solvers: Solvers, older: int, newer: int) -> None:
        self.solvers = solvers
        self.older, self.newer = older, newer
        wrapper = solvers.plans[newer].setup.get("wrapper") or {}
        self.per_ms = float(wrapper.get("limit-per-ms") or 1)
        self.floor = FLOOR_MS * self.per_ms
        self.spent = 0.0  # what the checks cost that were asked, in the solver's unit

    @property
    def family(self) -> str:
        """The name of the solver."""
        return self.solvers.family(self.newer)

    def release(self, at: int) -> str:
        """Name and version of one of the two releases."""
        return self.solvers.releases[at]

    def seeded(self, script: Script, number: int) -> Script:
        """The script with a random seed for the solver, and for each whole script in it."""
        wrapper = self.solvers.plans[self.newer].setup.get("wrapper") or {}
        option = wrapper.get("seed-option")
        if not option:
            return script
        front = f"(set-option :{wrapper.get('script-option-prefix') or ''}{option} {number})\n"
        lines = []
        for line in script:
            if line.action == "run-script" and isinstance(line.args[0], Quoted):
                line = replace(line, args=[Quoted(front + line.args[0].text)])
            lines.append(line)
            if line.action == "new":
                lines.append(Line("set-option", args=[option, number], seed=0))
        return tuple(lines)

    def identity(self, shown: Shown) -> str:
        """Return the properties that must stay while a regression is made smaller, besides its kind."""
        verdict = shown.newer.verdict
        if verdict is not None:
            return bucket_key(self.family, verdict)
        if shown.kind == VANISHED:
            return repr((shown.call.action, normalise(shown.newer.message)))
        reason = normalise(shown.newer.reason) if shown.kind == UNKNOWN else ""
        return repr((shown.older.answers, reason))

    def look(self, text: str, fresh: bool = False) -> Generator[Ask, Outcome, Look]:
        """Run the trace `text` on both releases and return what they show on its last line. The older
        release is asked only if its answer can matter.
        """
        outcome = yield Ask(self.newer, text, patient=fresh, fresh=fresh)
        newer = seen(outcome, text)
        self.spent += _LATE_MS * self.per_ms if newer.end == "late" else newer.cost or 0
        if newer.end in ("late", "other"):
            return Look(None, newer, outcome)
        older = seen((yield Ask(self.older, text, patient=fresh, fresh=fresh)), text)
        self.spent += older.cost or 0
        return Look(older, newer, outcome)

    def both(self, text: str, fresh: bool = False) -> Generator[Ask, Outcome, Shown | None]:
        """Return what the two releases show on the last line of the trace `text`; None if that is no
        regression.
        """
        return self.shown(text, (yield from self.look(text, fresh)))

    def again(self, first: Shown, text: str, fresh: bool = False) -> Questions[Shown | None]:
        """The regression `first` on the trace `text`; None where the two releases do not show it."""
        shown = yield from self.both(text, fresh)
        if shown is None or shown.kind != first.kind:
            return None
        return shown if self.identity(shown) == self.identity(first) else None

    def shown(self, text: str, look: Look) -> Shown | None:
        """The regression that two releases showed on `text`; None where they showed none."""
        older, newer = look.older, look.newer
        kind = "" if older is None else regression(older, newer, self.floor)
        if older is None or not kind or (kind == VANISHED and older.before != newer.before):
            return None
        limit = limit_of(text)
        if _by_limit(older, limit) or (kind == UNKNOWN and _by_limit(newer, limit)):
            return None  # a limit alone kept the older or the newer release from an answer
        # a call that is not there is refused before its line is written
        written = text if kind == VANISHED else look.outcome.trace
        return Shown(kind, older, newer, text, written, look.outcome.output)


def investigate(
    pair: Pair, head: str, script: Script, effort: bool, known: Callable[[Shown], bool]
) -> Questions[Regression | None]:
    """Return the regression that the last line of `script` shows; None if fresh processes of both
    releases do not show it, or if the older release is wrong. One that is `known` is not made
    smaller.

    `effort` says that the newer release may need more for a check than the older one. In this case,
    and if the limit ended the check of the older release, the limits of the script are made larger.
    """
    text = written(head, script)
    older = seen((yield Ask(pair.older, text, patient=True)), text)
    if effort or _by_limit(older, limit_of(text)):
        script = limited(script, older.total, pair.floor)
    first = yield from pair.both(written(head, script), fresh=True)
    if first is None or not (yield from by_any_seed(pair, head, script, first)):
        return None
    shown = first
    if not known(first):
        shown = yield from smaller(pair, head, script, first)
    small = tuple(parse_trace(shown.asked, "trace").lines)
    verdict = None
    if shown.kind == UNDECIDED:
        verdict = yield from evidence(pair, head, small, shown)
        if verdict.culprit == pair.solvers.name(pair.older):
            return None
    return Regression(shown, operators(small), options(small), len(script), verdict)


def smaller(pair: Pair, head: str, script: Script, first: Shown) -> Questions[Shown]:
    """The regression on a smaller trace, which fresh processes of both releases showed."""
    enough = pair.spent + _BUDGET_MS * pair.per_ms

    def shows(text: str) -> Questions[bool]:
        if pair.spent >= enough:
            raise OutOfReplays
        return (yield from pair.again(first, text)) is not None

    search = Search(quick_problem(script, partial(written, head)), one_by_one(shows), TESTS)
    yield from search.run()
    best = search.reducer.best
    last = yield from pair.again(first, written(head, best), fresh=True)
    if last is None or not (yield from by_any_seed(pair, head, best, last)):
        return first
    return last


def by_any_seed(pair: Pair, head: str, script: Script, shown: Shown) -> Questions[bool]:
    """Whether the two releases differ in effort for other random seeds, too. A difference that other
    choices at random undo is luck and no regression. Kinds that are not about effort always are.
    """
    if shown.kind not in OF_EFFORT:
        return True
    for number in _SEEDS:
        other = yield from pair.both(written(head, pair.seeded(script, number)))
        if other is None or other.kind not in OF_EFFORT:
            return False
    return True


def limit_of(text: str) -> int:
    """The limit of the last check of a trace; 0 where there is none."""
    last = last_row(text, ("set-limit",))
    return int(last.words) if last is not None and last.words.isdigit() else 0


def _by_limit(side: Seen, limit: int) -> bool:
    """Whether the limit of its check left a release without an answer."""
    undecided = any(answer not in OPPOSITE for answer in side.answers)
    return undecided and limit > 0 and (side.cost or 0) >= limit


def evidence(pair: Pair, head: str, script: Script, shown: Shown) -> Questions[Triage]:
    """Which of two releases that contradict each other is wrong, by the model of the one that
    answers sat, and by what both answer when they are asked in other ways.
    """
    solvers = pair.solvers
    at = next(k for k, (was, now) in enumerate(_pairs(shown)) if OPPOSITE.get(was) == now)
    given = {pair.older: shown.older.answers[at], pair.newer: shown.newer.answers[at]}
    sides = (
        GivenAnswer(solvers.name(pair.older), pair.release(pair.older), "main", given[pair.older]),
        GivenAnswer(solvers.name(pair.newer), pair.release(pair.newer), "judge", given[pair.newer]),
    )
    sat = next(side for side, answer in given.items() if answer == "sat")
    outcome = yield Ask(sat, f"{written(head, script)}0 check-model\n")
    counted = evaluated(outcome)
    models = [ModelEvaluation(solvers.name(sat), pair.release(sat), *counted)] if counted else []
    answers: list[GivenAnswer] = []
    for side in given:
        for more in ({}, *solvers.variants(side)):
            answers += yield from _asked(pair, side, shown.text, more)
    return triage(sides, models, answers)


def _pairs(shown: Shown) -> list[tuple[str, str]]:
    return list(zip(shown.older.answers, shown.newer.answers, strict=True))


def _asked(
    pair: Pair, side: int, trace: str, more: dict[str, str]
) -> Generator[Ask, Outcome, list[GivenAnswer]]:
    """The answer of one side to the last check of `trace` without the options of the run, or with
    others.
    """
    given = [list(option) for option in more.items()]
    settings: dict[str, Any] = pair.solvers.settings(pair.older, side, options=given)
    outcome = yield Ask(side, trace, settings)
    last = last_row(trace)
    there = [now for line, _, now in answers_of(outcome.report) if last and line == last.number]
    words = ", ".join(f"{name}={value}" for name, value in more.items())
    way: Way = "variant" if more else "plain"
    solvers = pair.solvers
    return [
        GivenAnswer(solvers.name(side), pair.release(side), way, answer, words) for answer in there
    ]


# ----------------------------------------------------------------------
# A regression as a finding of the campaign: its bucket, its message, its trace, and what the
# bucket stores of it.


_NAMED = 6  # operators that a message names


def regression_key(pair: Pair, shown: Shown) -> str:
    """The key of the bucket, where that is known before the trace is small: of a finding of the
    newer release, and of a call that vanished. Otherwise empty.
    """
    if shown.newer.verdict is not None:
        return f"{shown.kind}-{bucket_key(pair.family, shown.newer.verdict)}"
    if shown.kind == VANISHED:
        call = shown.call
        words = [shown.kind, pair.family, call.action, call.operator, call.spelling]
        return _key(words, (*words, normalise(shown.newer.message)))
    return ""


def regression_finding(
    pair: Pair, solved: Regression, job: Job, version: str, buckets: Sequence[Bucket]
) -> Finding:
    """The finding that a regression is. The finding is one of the newer release, whose `version` is
    given.
    """
    shown = solved.shown
    record = _stored(pair, solved)
    verdict = Verdict(
        solved.kind,
        tier_of(solved.kind, shown.newer),
        _message(pair, solved),
        shown.newer.verdict.signal if shown.newer.verdict else "",
        shown.call,
    )
    return Finding(
        pair.older,
        pair.family,
        version,
        job,
        (),
        Outcome("report", None, told(pair, shown, solved.kind), shown.output),
        verdict,
        regression_key(pair, shown) or _bucket(pair, solved, record, buckets),
        "triaged",
        triage=record,
        judge=pair.newer,
    )


def _stored(pair: Pair, solved: Regression) -> dict[str, object]:
    """The data that the bucket of a regression stores."""
    shown = solved.shown
    record: dict[str, object] = {
        "comparison": solved.kind,
        **outcomes_in_words(pair, shown),
        "costs": [shown.older.total, shown.newer.total],
        "operators": list(solved.operators),
        "options": list(solved.options),
        "reason": normalise(shown.newer.reason),
        "whole": solved.before,
    }
    if solved.triage is not None:
        record["evidence"] = list(solved.triage.evidence)
    return record


def outcomes_in_words(pair: Pair, shown: Shown) -> dict[str, str]:
    """Describe what each of the two releases showed."""
    return {
        "older": f"{pair.release(pair.older)}: {shown.older.words()}",
        "newer": f"{pair.release(pair.newer)}: {shown.newer.words()}",
    }


def told(pair: Pair, shown: Shown, kind: str) -> str:
    """The trace of a regression; its header tells what the two releases showed."""
    rows = "".join(f"# {name} {text}\n" for name, text in outcomes_in_words(pair, shown).items())
    if kind == SLOWER:
        rows += f"# {COSTS} {shown.older.total} {shown.newer.total}\n"
    text = without_header(shown.text, SHOWS, COSTS, "older", "newer")
    return add_header(text, f"# {SHOWS} {kind}\n{rows}")


def _message(pair: Pair, solved: Regression) -> str:
    """The regression in one line: what the newer release shows, then what the older one does."""
    shown = solved.shown
    older = f"{pair.release(pair.older)}: {shown.older.words()}"
    if shown.newer.verdict is not None:
        return f"{first_line(shown.newer.verdict.message)}; {older}"
    if solved.kind == VANISHED:
        call = " ".join(filter(None, (shown.call.action, shown.call.operator)))
        return f"{call}: {shown.newer.message}; {older}"
    line = f"{older}; {pair.release(pair.newer)}: {shown.newer.words()}"
    if shown.older.total and shown.newer.total and solved.kind == SLOWER:
        line += f", {shown.newer.total / shown.older.total:,.0f} times as much"
    names = [kind.removeprefix("OP_") for kind in solved.operators]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{line} ({', '.join(names[:_NAMED])}{more})" if names else line


def _bucket(
    pair: Pair, solved: Regression, record: dict[str, object], buckets: Sequence[Bucket]
) -> str:
    """The bucket of a regression of answers or of effort. Two are one defect when their kind and the
    reason are the same, and the operators and options of one are among those of the other: the
    larger trace has some more only because its reduction stopped early.
    """
    mine = {*solved.operators, *solved.options}
    for bucket in buckets:
        kept = bucket.triage
        theirs = {*kept.get("operators", ()), *kept.get("options", ())}
        alike = (bucket.kind, kept.get("reason")) == (solved.kind, record["reason"])
        if alike and theirs and theirs <= mine:
            return bucket.key
    words = [solved.kind, pair.family, *sorted(mine)]
    return _key(words, (*words, str(record["reason"])))


def _key(words: Sequence[str], facts: Sequence[str]) -> str:
    text = "-".join(filter(None, words)).lower().replace("op_", "")
    slug = re.sub(r"[^a-z0-9]+", "-", text).strip("-")[:80].rstrip("-")
    return f"{slug}-{blake2b(repr(tuple(facts)).encode(), digest_size=4).hexdigest()}"
