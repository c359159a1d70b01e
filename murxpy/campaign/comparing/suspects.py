"""Suspects: the lines of a run on which a newer release may have broken something, from one replay
of the run there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from murxpy.campaign.findings.keys import normalise
from murxpy.machine.outcomes import STATE
from murxpy.oracles.crash import Outcome, judge
from murxpy.oracles.disagreement import OPPOSITE
from murxpy.oracles.regression import FACTOR, SLOWER, UNDECIDED, UNKNOWN, VANISHED, aligned
from murxpy.passes.measure import text
from murxpy.replaying.defuse import Script
from murxpy.replaying.measuring import HEADER
from murxpy.trace.finished import Row, add_header, last_row, without_header
from murxpy.trace.grammar import Line, parse_trace

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
    out. Empty where nothing is left.
    """
    trace = outcome.trace
    if outcome.report is None or outcome.report.get("finding"):
        last = last_row(trace)
        trace = "" if last is None else "\n".join(trace.split("\n")[: last.number - 1]) + "\n"
    return named(trace, names) if last_row(trace) is not None else ""


def named(trace: str, names: str) -> str:
    """The trace with a row in its header that names both releases, the older first."""
    return add_header(without_header(trace, HEADER), f"# {HEADER} {names}\n")


def suspects(asked: str, outcome: Outcome, floor: float) -> list[Suspect]:
    """The lines of the trace `asked` that are worth a closer look, after the newer release replayed
    it: the first one of each kind, and each call that vanished.
    """
    report = outcome.report or {}
    pairs = aligned(asked, outcome.trace)
    found = list(_of_answers(pairs))
    found += _slow(pairs, report.get("costs", ()), floor)
    said = {int(line): (sort, message) for line, sort, message in report.get("refused", ())}
    calls: dict[tuple[object, str], int] = {}
    for row, _ in pairs:
        sort, message = said.get(row.number, (STATE, ""))
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
    said = {int(line) for line, _, _ in (outcome.report or {}).get("refused", ())}
    gone = {
        row.number
        for row, there in aligned(asked, outcome.trace)
        if there is None or row.number in said
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
    rows[1:1] = [f"# solver {solver}\n", f"# {HEADER} {trace.header[HEADER]}\n"]
    return "".join(rows)


def written(head: str, script: Script) -> str:
    """The trace of these lines."""
    return head + text(script)
