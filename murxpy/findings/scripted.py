"""A script that a trace runs, and a trace that runs a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from murxpy.findings.buckets import bucket_key
from murxpy.machine.tokens import Quoted, print_token, quote
from murxpy.machine.trace.finished import last_row
from murxpy.machine.trace.grammar import Line, Trace
from murxpy.oracles.crash import Outcome, Verdict
from murxpy.oracles.disagreement import OPPOSITE


@dataclass(frozen=True)
class Scripted:
    """A script as a solver was given it.

    `expected` are the known answers to its checks. `limit` is the resource limit of each check, and
    `wall_ms` its limit by the clock in milliseconds; 0 for none.
    """

    text: str
    expected: tuple[str, ...] = ()
    limit: int = 0
    wall_ms: int = 0


def up_to_finding(trace: Trace) -> Sequence[Line]:
    """The lines of a trace up to the first script that was answered with the opposite of what is known,
    else all. Behind such a script its fuzzer only asked whether the seed is labelled rightly.
    """
    for at, (before, line) in enumerate(pairwise(trace.lines), 2):
        if before.action == "expect" and line.action == "run-script":
            answers = [str(words[0]) for name, words in line.results if name == "answer" and words]
            known = zip(answers, map(str, before.args), strict=False)
            if any(OPPOSITE.get(answer) == right for answer, right in known):
                return trace.lines[:at]
    return trace.lines


def scripted(trace: Trace) -> Scripted | None:
    """The script that shows the finding of a trace, else the one that its last line runs; None where
    that line runs none. Parameters of the process are options at the beginning of the script.
    """
    lines = up_to_finding(trace)
    text = (
        lines[-1].args[0] if lines and lines[-1].action == "run-script" and lines[-1].args else None
    )
    if not isinstance(text, Quoted):
        return None
    limits = [line.args for line in lines if line.action == "set-limit" and line.args]
    limit, wall_ms = [int(str(word)) for word in (*limits[-1], 0)[:2]] if limits else (0, 0)
    before = lines[-2] if len(lines) > 1 else lines[-1]
    expected = tuple(map(str, before.args)) if before.action == "expect" else ()
    parameters = [line.args for line in lines if line.action == "set-parameter"]
    head = "".join(f"(set-option :{name} {print_token(value)})\n" for name, value in parameters)
    return Scripted(head + text.text, expected, limit, wall_ms)


def recorded_answers(trace: Trace) -> list[str]:
    """The answers that the trace records for its checks."""
    checks = [line for line in trace.lines if line.action.startswith(("check-sat", "run-script"))]
    results = [result for line in checks for result in line.results]
    return [str(tokens[0]) for name, tokens in results if name == "answer" and tokens]


def trace_of(script: Scripted, solver: str) -> str:
    """The trace that runs a script alone."""
    rows = [f"# murxpy-trace 1\n# solver {solver}\n1 new\n"]
    if script.limit or script.wall_ms:
        clock = f" {script.wall_ms}" if script.wall_ms else ""
        rows.append(f"1 set-limit {script.limit}{clock}\n")
    if any(answer != "unknown" for answer in script.expected):
        rows.append(f"1 expect {' '.join(script.expected)}\n")
    return "".join([*rows, f"1 run-script {quote(script.text)}\n"])


def answers_in(outcome: Outcome) -> list[str]:
    """The answers to the checks of the script that a replay ran last."""
    row = last_row(outcome.trace)
    return row.answers if row is not None and row.action == "run-script" else []


def loose_key(verdict: Verdict, family: str) -> tuple[str, str]:
    """The kind and bucket of a finding without the theories of its script, which a reduction
    changes.
    """
    without = replace(verdict, call=replace(verdict.call, operator=""))
    return verdict.kind, bucket_key(family, without)
