"""Disagreement: one solver answers sat and another one unsat to the same check. The answer unknown
disagrees with nothing. The functions take values and give values; they ask no solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.replaying.judging import CHECKS
from murxpy.trace.finished import last_row, read_rows

KIND = "disagreement"
OPPOSITE = {"sat": "unsat", "unsat": "sat"}

# For each check: its line, the answer that the trace records, and the answer of the judge.
Answers = Sequence[tuple[int, str, str]]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The trace's solver answered `ours` to the check on line `line`, and judge number `judge` gave
    the opposite answer. `others` has the decided answers of all judges there, by their numbers.
    """

    line: int
    ours: str
    judge: int
    others: Mapping[int, str]


def answers_of(report: Mapping[str, Any] | None) -> list[tuple[int, str, str]]:
    """The answers in the report of a replay."""
    return [
        (int(line), str(before), str(now))
        for line, before, now in (report or {}).get("answers", ())
    ]


def spent_of(report: Mapping[str, Any] | None) -> dict[int, int]:
    """The costs of scripts in the report of a run: by their places in the block of an enumeration, or
    in that of a judge by their lines.
    """
    return {int(place): int(cost) for place, cost in (report or {}).get("spent", ())}


def first_disagreement(judged: Mapping[int, Answers]) -> Disagreement | None:
    """The first check to which some judge gave the opposite of the recorded answer; None where there
    is none.

    `judged` has the answers of each judge, by its number. Where several judges disagree at that
    check, the one with the smallest number is named.
    """
    lines = sorted({line for answers in judged.values() for line, _, _ in answers})
    for line in lines:
        there = {
            judge: pair for judge, answers in sorted(judged.items()) for pair in _at(answers, line)
        }
        against = [judge for judge, (before, now) in there.items() if OPPOSITE.get(before) == now]
        if against:
            others = {judge: now for judge, (_, now) in there.items() if now in OPPOSITE}
            return Disagreement(line, there[against[0]][0], against[0], others)
    return None


def _at(answers: Answers, line: int) -> Iterable[tuple[str, str]]:
    return [(before, now) for number, before, now in answers if number == line][:1]


def confirmed(judged: Mapping[int, Answers]) -> frozenset[int]:
    """The lines of the decided checks to which some judge gave the recorded answer, and no judge the
    opposite one.
    """
    pairs = [
        (line, before, now)
        for answers in judged.values()
        for line, before, now in answers
        if before in OPPOSITE
    ]
    against = {line for line, before, now in pairs if now == OPPOSITE[before]}
    return frozenset(line for line, before, now in pairs if now == before and line not in against)


def decided_lines(trace: str) -> list[int]:
    """The lines of the checks that the text of a trace records as sat or unsat."""
    checks = (row for row in read_rows(trace) if row.action in CHECKS)
    return [row.number for row in checks if any(answer in OPPOSITE for answer in row.answers)]


def last_answer(trace: str) -> tuple[int, str]:
    """Line and answer of the last check in the text of a trace. The answer is empty where the check
    did not return, and the line is 0 where there is no check.
    """
    last = last_row(trace, CHECKS)
    return (0, "") if last is None else (last.number, (last.answers or [""])[-1])
