"""The investigation of a suspect: both releases carry out the same lines in fresh processes; what the
newer one broke is made small with both, and where answers contradict each other, evidence is
collected. The functions are inquiries, as `murxpy.campaign.replays.inquiries` carries them out.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from murxpy.campaign.comparing.suspects import limited, written
from murxpy.campaign.findings.keys import bucket_key, normalise
from murxpy.campaign.judging.disagreement import evaluated, operators, options
from murxpy.campaign.judging.solvers import Solvers
from murxpy.campaign.replays.inquiries import Ask, Questions
from murxpy.machine.tokens import Quoted
from murxpy.oracles.crash import Outcome
from murxpy.oracles.disagreement import OPPOSITE, answers_of
from murxpy.oracles.regression import (
    FLOOR_MS,
    OF_EFFORT,
    UNDECIDED,
    UNKNOWN,
    VANISHED,
    WRONG,
    Seen,
    regression,
    seen,
)
from murxpy.oracles.triage import GivenAnswer, ModelEvaluation, Triage, Way, triage
from murxpy.passes.quick import reduced
from murxpy.replaying.defuse import Script
from murxpy.trace.finished import Call, last_row
from murxpy.trace.grammar import Line, parse_trace

TESTS = 400  # candidates that the quick reduction may try
# A reduction ends when its checks have cost as much as a usual machine does in this time, in ms; a
# candidate that reaches the limit of time counts as the second figure.
_BUDGET_MS = 60_000.0
_LATE_MS = 2_000.0
_SEEDS = (1, 2, 3)  # random seeds of the solver for which a difference in effort must show, too


@dataclass(frozen=True, slots=True)
class Shown:
    """A regression that both releases showed on a trace. `text` is the trace as the newer one wrote
    it, `output` what that printed.
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
    """What two releases show on the last line of a trace; `outcome` is how the replay of the newer
    one ended. `older` is None where the newer one says nothing, so that the older was not asked.
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
        """What must stay while a regression is made smaller, besides its kind."""
        verdict = shown.newer.verdict
        if verdict is not None:
            return bucket_key(self.family, verdict)
        if shown.kind == VANISHED:
            return repr((shown.call.action, normalise(shown.newer.message)))
        reason = normalise(shown.newer.reason) if shown.kind == UNKNOWN else ""
        return repr((shown.older.answers, reason))

    def look(self, text: str, fresh: bool = False) -> Generator[Ask, Outcome, Look]:
        """What the two releases show on the last line of the trace `text`. The older one is asked
        only where that can matter.
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
        """What the two releases show on the last line of the trace `text`; None where that is no
        regression.
        """
        return self.shown(text, (yield from self.look(text, fresh)))

    def shown(self, text: str, look: Look) -> Shown | None:
        """The regression that two releases showed on `text`; None where they showed none."""
        older, newer = look.older, look.newer
        kind = "" if older is None else regression(older, newer, self.floor)
        if older is None or not kind or (kind == VANISHED and older.before != newer.before):
            return None
        limit = limit_of(text)
        if _by_limit(older, limit) or (kind == UNKNOWN and _by_limit(newer, limit)):
            return None  # a limit alone kept the older release from an answer, or the newer one
        # a call that is not there is refused before its line is written
        written = text if kind == VANISHED else look.outcome.trace
        return Shown(kind, older, newer, text, written, look.outcome.output)


def investigate(
    pair: Pair, head: str, script: Script, effort: bool, known: Callable[[Shown], bool]
) -> Questions[Regression | None]:
    """The regression that the last line of `script` shows; None where fresh processes of both
    releases do not show it, or where the older one is wrong. One that is `known` is not made smaller.

    `effort` says that the newer release may need more for a check than the older one. Then, and
    where the limit ended the check of the older one, the limits of the script are made larger.
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
    same = pair.identity(first)
    search, best = reduced(script, TESTS), script
    enough = pair.spent + _BUDGET_MS * pair.per_ms
    with suppress(StopIteration):
        candidate = next(search)
        while pair.spent < enough:
            shown = yield from pair.both(written(head, candidate))
            holds = shown is not None and (shown.kind, pair.identity(shown)) == (first.kind, same)
            best = candidate if holds else best
            candidate = search.send(holds)
    last = yield from pair.both(written(head, best), fresh=True)
    if last is None or (last.kind, pair.identity(last)) != (first.kind, same):
        return first
    return last if (yield from by_any_seed(pair, head, best, last)) else first


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
    said = {pair.older: shown.older.answers[at], pair.newer: shown.newer.answers[at]}
    sides = (
        GivenAnswer(solvers.name(pair.older), pair.release(pair.older), "main", said[pair.older]),
        GivenAnswer(solvers.name(pair.newer), pair.release(pair.newer), "judge", said[pair.newer]),
    )
    sat = next(side for side, answer in said.items() if answer == "sat")
    outcome = yield Ask(sat, f"{written(head, script)}0 check-model\n")
    counted = evaluated(outcome)
    models = [ModelEvaluation(solvers.name(sat), pair.release(sat), *counted)] if counted else []
    answers: list[GivenAnswer] = []
    for side in said:
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
