"""Regressions: what a newer release shows on a trace that an older release of the solver carried out
well. The functions take values and give values; they ask no solver.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from murxpy.machine import outcomes
from murxpy.machine.outcomes import STATE, WRONG_ANSWER, WRONG_UNSAT
from murxpy.machine.trace.finished import Row, last_row, read_rows
from murxpy.oracles.crash import (
    DEATHS,
    FLOOD,
    HANG,
    OUT_OF_MEMORY,
    UBSAN,
    Outcome,
    Tier,
    Verdict,
    judge,
)
from murxpy.oracles.disagreement import OPPOSITE
from murxpy.solvers.exceptions import ILL_FORMED

WRONG = "became-wrong"
UNDECIDED = "answers-differ"
INVALID = "became-invalid"
UNKNOWN = "became-unknown"
CRASH = "new-crash"
EXCEPTION = "new-exception"
VANISHED = "vanished"
SLOWER = "slower"
# All kinds of regressions. An answer that differs is `became-wrong` where the newer release is seen
# to be wrong, and `answers-differ` where nobody knows which of the two releases is.
KINDS = (WRONG, UNDECIDED, INVALID, UNKNOWN, CRASH, EXCEPTION, VANISHED, SLOWER)
# Kinds that are about the answer of a check.
OF_ANSWERS = (WRONG, UNDECIDED, UNKNOWN)
# Keys of the header of a regression's trace: its kind, and the costs of a slower check in the older
# and in the newer release.
SHOWS = "shows"
COSTS = "costs"
# Kinds that are about the effort for a check: it can be luck, so it must not depend on a random seed.
OF_EFFORT = (UNKNOWN, SLOWER)
FACTOR = 10  # a check is slower when the newer release needs more than so many times the cost
# The least cost of a slower check, in milliseconds of a usual machine; the wrapper says how many
# units of the solver that is. Below it, what a release does once before a check outweighs the check.
FLOOR_MS = 50.0

# An end at a limit of murxpy or of the solver says nothing about a release.
_LIMITED = (OUT_OF_MEMORY, FLOOD, HANG)
_KNOWN_WRONG = (WRONG_ANSWER, WRONG_UNSAT)


@dataclass(frozen=True, slots=True)
class Seen:
    """The outcome of a release on the last line of a trace.

    `end` is `done`, `refused`, `finding`, `late` (a limit of time ended the replay) or `other` (the
    line was not reached, or a limit of memory ended the replay). If the line is a check, `answers`
    are its answers, `cost` is the solver's count for the check (None if it has none), `total` the
    count with all checks before it, and `reason` says why an answer is unknown. `refused` are the
    numbers of the other lines that were refused or skipped, and `before` are the answers to earlier
    checks.
    """

    end: str
    answers: tuple[str, ...] = ()
    cost: int | None = None
    reason: str = ""
    message: str = ""
    verdict: Verdict | None = None
    refused: tuple[int, ...] = ()
    before: tuple[str, ...] = ()
    total: int | None = None

    def words(self, unit: str = "units") -> str:
        """Describe the outcome of the release in a few words."""
        if self.verdict is not None:
            return f"{self.verdict.kind}: {first_line(self.verdict.message)}"
        if self.end == "refused":
            return f"refuses it: {self.message}"
        if not self.answers:
            return {"done": "carries it out", "late": "has no end within the limit of time"}.get(
                self.end, "does not reach it"
            )
        reason = f" ({first_line(self.reason)})" if self.reason else ""
        cost = "" if self.cost is None else f", {self.cost:,} {unit}"
        if self.cost and self.total and self.total > self.cost:
            cost += f" ({self.total:,} with the checks before it)"
        return f"{' '.join(self.answers)}{reason}{cost}"


def seen(outcome: Outcome, text: str) -> Seen:
    """Return the outcome of a replay of the trace `text` on its last line."""
    last = last_row(text)
    reached = last_row(outcome.trace)
    verdict = judge(outcome)
    if outcome.cause in ("wall", "cpu") or (verdict is not None and verdict.kind in _LIMITED):
        return Seen("late" if verdict is None else "other")
    report = outcome.report or {}
    refusals = {int(line): (sort, text) for line, sort, text in report.get("refused", ())}
    if last is None or report.get("status") == "malformed":
        return Seen("other", message=str(report.get("message", "")))
    lost = lines_lost(text, outcome.trace, refusals)
    refused = tuple(line for line in lost if line != last.number)
    if last.number in refusals and verdict is None:
        sort, message = refusals[last.number]
        ends = "refused" if sort not in (STATE, "resources") else "other"
        return Seen(ends, message=message, refused=refused)
    if reached is None or not _same_call(reached, last):
        return Seen("other", refused=refused)
    if verdict is not None:
        return Seen("finding", verdict=verdict, refused=refused)
    return _done(outcome, report, last, reached, refused)


def _done(
    outcome: Outcome,
    report: Mapping[str, Any],
    last: Row,
    reached: Row,
    refused: tuple[int, ...],
) -> Seen:
    costs = list(report.get("costs", ()))
    _, cost, reason = next((one for one in costs if one[0] == last.number), (0, None, ""))
    total = None if cost is None else sum(one[1] or 0 for one in costs)
    answers = [answer for row in read_rows(outcome.trace) for answer in row.answers]
    before = tuple(answers[: len(answers) - len(reached.answers)])
    return Seen(
        "done", tuple(reached.answers), cost, reason, refused=refused, before=before, total=total
    )


def aligned(text: str, written: str) -> list[tuple[Row, Row | None]]:
    """Each row of the trace `text`, and the row that its replay `written` has for it; None where the
    replay skipped the row or refused it before the call.
    """
    rows = read_rows(written)
    following = next(rows, None)
    pairs: list[tuple[Row, Row | None]] = []
    for row in read_rows(text):
        if following is not None and _same_call(following, row):
            pairs.append((row, following))
            following = next(rows, None)
        else:
            pairs.append((row, None))
    return pairs


def lines_lost(text: str, written: str, refused: Collection[int] = ()) -> list[int]:
    """The numbers of the lines of `text` that its replay `written` skipped or refused. `refused` are the
    lines that the release itself refused.
    """
    pairs = aligned(text, written)
    return [row.number for row, there in pairs if there is None or row.number in refused]


def _same_call(one: Row, other: Row) -> bool:
    return (one.seed, one.action, one.words) == (other.seed, other.action, other.words)


def regression(older: Seen, newer: Seen, floor: float) -> str:
    """The kind of regression that two releases show on the last line of a trace; empty where they
    show none. `floor` is the least cost of a check that is slower.

    Both releases must have carried out the same lines before, so that the last line asks both the same.
    """
    if older.end != "done" or older.refused != newer.refused:
        return ""
    if newer.end == "finding" and newer.verdict is not None:
        return _of_verdict(newer.verdict)
    if newer.end == "refused":
        return VANISHED
    if newer.end != "done" or len(older.answers) != len(newer.answers):
        return ""
    pairs = list(zip(older.answers, newer.answers, strict=True))
    if any(OPPOSITE.get(was) == now for was, now in pairs):
        return UNDECIDED
    if not any(was in OPPOSITE for was in older.answers):
        return ""
    # one release may do for an earlier check what the other does for the last one
    if older.total and newer.total and newer.total >= max(floor, FACTOR * older.total):
        return SLOWER
    return UNKNOWN if any(was in OPPOSITE and now not in OPPOSITE for was, now in pairs) else ""


def _of_verdict(verdict: Verdict) -> str:
    if verdict.doubtful:
        return ""
    if verdict.kind in (*DEATHS, UBSAN):
        return CRASH
    if verdict.kind == outcomes.EXCEPTION:
        return EXCEPTION
    if verdict.kind == ILL_FORMED:  # the newer release takes the call for a wrong one
        return VANISHED
    if verdict.tier == "murxpy":
        return ""
    return WRONG if verdict.kind in _KNOWN_WRONG else INVALID


def tier_of(kind: str, newer: Seen) -> Tier:
    """Whose fault a regression is."""
    if newer.verdict is not None and newer.verdict.tier != "murxpy":
        return newer.verdict.tier
    return "binding" if kind == VANISHED else "solver"


def first_line(message: str) -> str:
    """The first line of a message."""
    return next((line.strip() for line in message.splitlines() if line.strip()), "")[:300]
