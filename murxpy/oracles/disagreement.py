"""Disagreement: two solvers decided one check, and not alike. Values in, values out; unknown agrees
with anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.replaying.judging import CHECKS
from murxpy.trace.grammar import RESULTS

KIND = "disagreement"
OPPOSITE = {"sat": "unsat", "unsat": "sat"}

# line of the check, the answer recorded there, the answer now
Answers = Sequence[tuple[int, str, str]]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """At the check on line `line` the trace's solver answered `ours`, and judge number `judge` the
    opposite.

    `others` are the decided answers of all judges there, by their number.
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


def first_disagreement(judged: Mapping[int, Answers]) -> Disagreement | None:
    """The first check that some judge answered with the opposite of what is recorded, None where
    there is none.

    `judged`: by number of a judge its answers to the checks that it carried out, in any order: of
    several judges that disagree there, the one with the smallest number is named.
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
    """The lines of the checks that some judge answered as is recorded, sat or unsat, and none with
    the opposite.
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
    """The lines of the checks in the text of a trace that recorded sat or unsat."""
    found: list[int] = []
    check = 0
    for number, row in enumerate(trace.split("\n"), 1):
        words = row.split(maxsplit=2)
        if len(words) > 1 and words[0].isdigit():
            check = number if words[1].partition("@")[0] in CHECKS else 0
        elif check and words[:1] == ["answer"] and len(words) > 1 and words[1] in OPPOSITE:
            found.append(check)
            check = 0
    return found


def last_answer(trace: str) -> tuple[int, str]:
    """Line and answer of the last check in a trace as a run writes it; the answer is empty where it
    did not return.
    """
    line, answer = 0, ""
    for number, row in enumerate(trace.split("\n"), 1):
        words = row.split(maxsplit=2)
        if len(words) > 1 and words[0].isdigit() and words[1].partition("@")[0] in CHECKS:
            line, answer = number, ""
        elif len(words) > 1 and words[0] == "answer":
            answer = words[1]
    return line, answer


def until_line(trace: str, number: int) -> str:
    """The text of a trace up to the line `number`, with what followed it."""
    rows = trace.split("\n")
    end = number
    while end < len(rows) and rows[end].split()[:1] and rows[end].split()[0] in RESULTS:
        end += 1
    return "\n".join(rows[:end]) + "\n"
