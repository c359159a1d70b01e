"""Judges the end of a run: makes a verdict from a report, a wait status and the last output of a
process.

The key of a finding's bucket is made from the verdict, so nothing here may depend on addresses,
process numbers or time.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from murxpy.machine.outcomes import CRASH, EXIT
from murxpy.machine.trace.finished import Call, last_call
from murxpy.solvers.exceptions import INVALID_MODEL

# Whose fault a finding is; `documented` means that the solver documents what the finding needs as
# experimental or the like.
Tier = Literal["solver", "binding", "documented", "murxpy"]
Cause = Literal["report", "died", "parent", "wall", "cpu", "memory", "channel", "stopped"]

# Kinds of findings in which the process dies, or passes a limit.
ABORT, ASAN, UBSAN = "abort", "asan", "ubsan"
FLOOD, OUT_OF_MEMORY, HANG = "flood", "out-of-memory", "hang"

# A process that reads memory that is not its own dies now by one of these, now by the other.
MEMORY_FAULTS = ("SIGSEGV", "SIGBUS")
# A defect that broke memory may show as any of these kinds, depending on where the memory lies.
DEATHS = (CRASH, ABORT, ASAN, EXIT)

# Signals that somebody outside may have sent: such a death counts only when a replay shows it again.
FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")

# The first word in a line that can name a place in a source file, then the first assertion behind
# it. The quantifiers are possessive, so that no other place is tried.
_ASSERTION = re.compile(
    r"^(?:(?!\S+:\d+: )\S*+[^\S\n])*+(\S+:\d+: (?:(?!Assertion [`']).)*+Assertion) [`'](.+)' (failed)",
    re.M,
)

# The last words of dying programs, the most telling first: kind (None keeps the kind of the
# signal), a word that the output must hold, and a pattern whose groups make the message. Some
# patterns take quadratic time in the length of a line, so lines are cut before.
_LONG_LINE = re.compile(r"^(.{1000}).+$", re.M)
_LAST_WORDS: tuple[tuple[str | None, str, re.Pattern[str]], ...] = (
    (ASAN, "AddressSanitizer", re.compile(r"^SUMMARY: AddressSanitizer: (.+)$", re.M)),
    (ASAN, "AddressSanitizer", re.compile(r"ERROR: AddressSanitizer: (.+)$", re.M)),
    (UBSAN, "runtime error", re.compile(r"^(\S+:\d+):\d+: (runtime error: .+)$", re.M)),
    (
        UBSAN,
        "UndefinedBehavior",
        re.compile(r"^SUMMARY: UndefinedBehaviorSanitizer: (.+)$", re.M),
    ),
    (
        ABORT,
        "ASSERTION",
        re.compile(r"(ASSERTION VIOLATION)\nFile: (.+)\nLine: (\d+)\n(.*)$", re.M),
    ),
    (
        ABORT,
        "Fatal failure",
        re.compile(r"(Fatal failure within .+)(?:\n(?:Check failure\n)?\s*(.*))?$", re.M),
    ),
    (ABORT, "Assertion", _ASSERTION),
    # z3 checks its model itself, and ends the process if the model is none
    (INVALID_MODEL, "Failed to validate", re.compile(r"^(Failed to validate)\b", re.M)),
    (ABORT, "UNEXPECTED CODE", re.compile(r"(UNEXPECTED CODE WAS REACHED.*)$", re.M)),
    (ABORT, "UNREACHABLE", re.compile(r"(UNREACHABLE.*)$", re.M)),
    (OUT_OF_MEMORY, "std::bad_alloc", re.compile(r"(std::bad_alloc)")),
    (OUT_OF_MEMORY, "memory", re.compile(r"([Oo]ut of memory|Cannot allocate memory)")),
    (
        None,
        "terminate called",
        re.compile(r"(terminate called .+?)(?:\n\s*(what\(\): .+))?$", re.M),
    ),
    (
        None,
        "",
        re.compile(
            r"^((?:double free|corrupted|free\(\)|malloc\(\)|munmap_chunk\(\)|realloc\(\)).*)$",
            re.M,
        ),
    ),
    (None, "stack smashing", re.compile(r"^(\*\*\* stack smashing detected \*\*\*)", re.M)),
    (
        None,
        "Fatal Python",
        re.compile(r"^Fatal Python error: (?!Segmentation f|Aborted|Bus e|Floating-p)(.+)$", re.M),
    ),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a run.

    `report` is what the session reported, None without a report. `status` is the wait status of the
    process that died, `peak` its largest resident memory in bytes. `after` says that the process
    died behind the report of this run, before the next one. `seconds` are those of the clock, and
    `cpu` those of all processors, where they are known. `stack` are the bytes of the stack in use
    when a limit of time ended the process.
    """

    cause: Cause
    report: Mapping[str, Any] | None = None
    trace: str = ""
    output: str = ""
    status: int | None = None
    peak: int = 0
    seconds: float = 0.0
    after: bool = False
    memory_limit: int = 0
    cpu: float = 0.0
    stack: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """A misbehaviour. A `doubtful` one may come from outside, and counts only when a replay shows it
    again. `against` is what the cost of a slow script is measured against, and for
    incompleteness who decides: `parent` or `baseline`. `baseline` also stands for a slow script that
    another solver decided soon.
    """

    kind: str
    tier: Tier
    message: str
    signal: str
    call: Call
    note: str = ""
    doubtful: bool = False
    against: str = ""


# Calls that break a precondition, or that destroy objects: a death in one of them is the
# fault of the binding.
_ENDS_OBJECTS = ("misuse", "del", "gc", "delete")


def judge(outcome: Outcome) -> Verdict | None:
    """The verdict on `outcome`; None when nothing is wrong, or when the run only reached its time
    limit.
    """
    if outcome.cause in ("wall", "cpu"):
        return None
    if outcome.cause == "report":
        return _judge_report(outcome)
    return _judge_death(outcome)


def _judge_report(outcome: Outcome) -> Verdict | None:
    finding = (outcome.report or {}).get("finding")
    if not finding:
        return None
    call = last_call(outcome.trace)
    if finding.get("action"):
        call = Call(finding["action"], finding.get("operator") or "", finding.get("spelling") or "")
    tier, against = finding.get("tier", "binding"), finding.get("against", "")
    return Verdict(finding["kind"], tier, finding["message"], "", call, against=against)


def _judge_death(outcome: Outcome) -> Verdict:
    call = last_call(outcome.trace)
    tier: Tier = "binding" if call.action in _ENDS_OBJECTS else "solver"
    note = "it died after the end of the run" if outcome.after else ""
    if outcome.cause == "parent":
        note = "the warm parent died with it"
    kind, message, name, doubtful = _death(outcome)
    return Verdict(kind, tier, message, name, call, note, doubtful)


def _death(outcome: Outcome) -> tuple[str, str, str, bool]:
    """Describe a death: kind, message, the signal's name, and whether it may come from outside."""
    name = signal_name(outcome.status)
    died = ABORT if name == "SIGABRT" else CRASH
    if outcome.cause == "memory":
        return OUT_OF_MEMORY, "the memory limit was passed", "", False
    if outcome.cause == "parent":
        return died, "it killed the process that started it", name, True
    if outcome.cause == "channel":
        return CRASH, "it closed the descriptors of its process", "", False
    if name == "SIGXFSZ":
        return FLOOD, "it printed more than the limit", name, False
    if name == "SIGKILL" and 0 < outcome.memory_limit * 0.8 <= outcome.peak:
        return OUT_OF_MEMORY, "killed by the system for its memory", "", False
    kind, message = _last_words(outcome.output)
    if not name:
        code = os.waitstatus_to_exitcode(outcome.status or 0)
        return kind or EXIT, message or f"the process exited with code {code}", "", False
    return kind or died, message or name, name, name in FROM_OUTSIDE


def is_from_outside(outcome: Outcome) -> bool:
    """Whether somebody else may have killed the process, so that its end says nothing of its job."""
    return outcome.cause in ("died", "parent") and _death(outcome)[-1]


def signal_name(status: int | None) -> str:
    """The name of the signal in a wait status; empty when no signal ended the process."""
    if status is None or not os.WIFSIGNALED(status):
        return ""
    number = os.WTERMSIG(status)
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def _last_words(output: str) -> tuple[str | None, str]:
    output = _LONG_LINE.sub(r"\1", output)
    for kind, word, pattern in _LAST_WORDS:
        match = pattern.search(output) if word in output else None
        if match is not None:
            return kind, " ".join(part.strip() for part in match.groups() if part)
    return None, ""


_WRITTEN = 8  # lines that a solver wrote before it died
_LONGEST = 300  # letters of each


def written(output: str) -> str:
    """What a solver wrote before its process died, without what the interpreter wrote then; empty where it
    wrote nothing.
    """
    rows = output.partition("Fatal Python error: ")[0].split("\n")
    told = [
        row.rstrip()[:_LONGEST] for row in rows if row.strip() and not row.startswith("expected ")
    ]
    return "\n".join(told[:_WRITTEN])


def python_frames(output: str) -> str:
    """The Python frames, innermost first, that the interpreter printed when it crashed; empty when
    it printed none.
    """
    start = output.rfind("Fatal Python error: ")
    return output[start:].strip() if start >= 0 else ""


# Parts of a message that differ between two findings of one defect, and the text that replaces
# them.
_VARIABLE = (
    (re.compile(r"0x[0-9a-fA-F]+"), "ADDR"),
    (re.compile(r"(?:/[\w.+-]+)+/([\w.+-]+)"), r"\1"),  # only the file's name stays of a path
    (re.compile(r"\|[^|]*\||\"[^\"]*\"|`[^`']*'|'[^']*'"), "NAME"),
    (re.compile(r"(?<![A-Za-z_])[-+]?\d+(?:\.\d+)?"), "N"),
    (re.compile(r"\b([A-Za-z_]+?)[!_]?\d+\b"), r"\1N"),
    (re.compile(r"\s+"), " "),
)


def normalise(message: str) -> str:
    """The message without the parts that differ between two findings of one defect: addresses,
    numbers, paths, quoted names.
    """
    text = message.strip()[:2000]
    for pattern, replacement in _VARIABLE:
        text = pattern.sub(replacement, text)
    return text[:400]
