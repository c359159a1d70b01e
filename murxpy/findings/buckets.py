"""Bucket keys: which findings are the same defect."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from murxpy.errors import InputError
from murxpy.foreign import excerpt, read_text
from murxpy.machine.witnesses.slowness import KIND as SLOW
from murxpy.machine.witnesses.unknowns import KIND as INCOMPLETENESS
from murxpy.oracles.crash import INTERNAL, INVALID_MODEL, Outcome, Tier, Verdict, judge, severity
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.oracles.regression import SLOWER, UNKNOWN, VANISHED
from murxpy.processes.handles import Job
from murxpy.records.finding import Finding, Reproducer
from murxpy.solvers.exceptions import CONVERTED

# A place in C or C++ source as assertions print it: `rewriter.cpp:118`, `rewriter.cpp 118`, `File:
# rewriter.cpp Line: 118`.
_SOURCE = re.compile(r"(?<![\w-])([\w-]++\.(?:cpp|cc|c|hpp|h))\W{1,3}(?:[Ll]ine:?\s*)?(\d+)")

_OPERATOR = re.compile(r"\bOP_\w+")

# An exception that a misuse let out, such as `class C: AttributeError: 'int' object has ... in
# ExprRef.__init__ (z3.py)`.
_THROWN = re.compile(r"class \w: (\w+)(?:: (.*))? in ([\w.<>]+) \(\w+\.\w+\)", re.DOTALL)

# Rules whose calls name a public callable of the binding.
_BY_NAME = ("call", "edge", "alike", "keyword")

# What the C library says of a heap that was written to where it must not be.
_HEAP = re.compile(
    r"double free|corrupted|(?:free|malloc|realloc|munmap_chunk|malloc_consolidate)\(\)"
)

# What a solver throws in one of these actions is about its assertions.
_SOLVING = (
    *("check-sat", "check-sat-assuming", "push", "check-core"),
    *("check-assumptions", "check-model", "check-invariant"),
)

# The answer and the name of the rule in the message of incompleteness.
_BY_RULE = re.compile(r"(?<= expected )(?:un)?sat |(?<= by )\S+ of (?=a script)")

# What differs between two findings of one defect, and what stands in its place.
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


def bucket_key(solver: str, verdict: Verdict) -> str:
    """The bucket of a finding in `solver`: words to read, and a hash of everything that decides.

    A message that names a place in the solver's source says which defect it is, whatever call
    reached that place. Without such a place, the call decides.
    """
    message, where = _message_and_call(verdict)
    source = _SOURCE.search(verdict.message)
    if source is not None and verdict.kind != "wrong-unsat":
        where = [source[1], source[2]]
        if verdict.kind == "abort":
            # The formulas that broke the assertion stand behind its place.
            message = normalise(verdict.message[: source.end()])
    parts = (verdict.kind, solver, verdict.signal, message, *where)
    words = [verdict.kind, verdict.signal, verdict.against, solver, *where]
    slug = re.sub(r"[^a-z0-9]+", "-", "-".join(filter(None, words)).lower()).strip("-")[:80]
    return f"{slug}-{blake2b(repr(parts).encode('utf-8', 'replace'), digest_size=4).hexdigest()}"


def _message_and_call(verdict: Verdict) -> tuple[str, list[str]]:
    """The parts of the message and of the call that tell this defect from others."""
    call, message = verdict.call, normalise(verdict.message)
    if verdict.kind == INTERNAL:
        # The type of the error and its place in murxpy: its text quotes values, and which call of
        # the solver was in hand tells nothing.
        return verdict.message.partition(":")[0], [call.action, call.operator]
    if call.action == "misuse":
        return _of_misuse(verdict, message)
    if verdict.kind == INVALID_MODEL:
        # What the solver itself says of the assertion stands behind the semicolon.
        return message.partition(";")[0], [call.action, call.operator, call.spelling]
    if verdict.kind == INCOMPLETENESS:
        # The rule that made the script, and the answer, tell no defects apart; the reason does.
        told = _BY_RULE.sub("", message) if verdict.against else message
        return told, [call.action, call.operator, call.spelling]
    if verdict.kind == "wrong-unsat":
        # The kind of check, and the planted model behind the semicolon, tell no defects apart.
        return message.partition(";")[0], [call.operator]
    if verdict.kind == "abort" and _HEAP.match(verdict.message):
        # Which list of the heap is broken, and which call notices that, is chance.
        return "the heap is corrupted", []
    if verdict.kind == "exception" and call.action in _SOLVING:
        # The solver threw it while it solved: the call that made the solver solve tells nothing.
        return message, []
    died = verdict.kind in ("abort", "exception") and not verdict.doubtful
    if call.action == "run-script" and died and verdict.message != verdict.signal:
        # A message tells defects apart better than the theories of the script: most of these
        # have no part in the defect.
        return message, [call.action, "", call.spelling]
    return message, [call.action, call.operator, call.spelling]


def _of_misuse(verdict: Verdict, message: str) -> tuple[str, list[str]]:
    """The parts of the message and of the call of a misuse that tell its defect from others."""
    rule = verdict.call.spelling
    thrown = _THROWN.fullmatch(verdict.message)
    if thrown is not None:
        return _of_thrown(thrown, rule)
    # The details of this one misuse stand behind the semicolon.
    message = message.partition(";")[0]
    if message.endswith(CONVERTED):
        # What a rule of spellings gets past a binding, it gets past most of its functions.
        return message, ["misuse", rule]
    if rule in _BY_NAME:  # `call` and `edge` differ in the operands only
        return message, ["misuse", verdict.call.operator]
    if verdict.kind == "contract":
        return _OPERATOR.sub("an operator", message), ["misuse", rule]
    return message, ["misuse", verdict.call.operator, rule]


def _of_thrown(thrown: re.Match[str], rule: str) -> tuple[str, list[str]]:
    """Message and place of an exception that a misuse let out.

    Nearly every function of a binding may use an operand before it looks at the operand's type:
    that is one defect for each rule. Any other exception tells of the function that threw it.
    """
    kind, message, function = thrown.groups()
    if kind == "AttributeError" and rule not in _BY_NAME:
        return kind, ["misuse", rule, kind]
    return f"{kind}: {normalise(message or '')}", ["misuse", kind, function]


# ----------------------------------------------------------------------
# From the end of a run to a finding that is still to be confirmed.


def candidate(
    target: int,
    solver: str,
    version: str,
    job: Job,
    past: tuple[Job, ...],
    outcome: Outcome,
    verdict: Verdict | None = None,
) -> Finding | None:
    """The finding that `outcome` makes; None when nothing is wrong. Without `verdict`, the verdict
    is judged from the outcome.
    """
    verdict = verdict or judge(outcome)
    if verdict is None:
        return None
    key = bucket_key(solver, verdict)
    return Finding(target, solver, version, job, past, outcome, verdict, key)


# ----------------------------------------------------------------------
# Buckets: what a campaign keeps of the findings of one defect; and the user's list of known
# bugs.


State = Literal["pending", "confirmed", "unconfirmed", "known"]

KEPT = 3  # traces that a bucket keeps
MOST_KNOWN = 16 << 20  # bytes of a list of known bugs
# characters of a pattern of known bugs; keys are shorter than 150, and long patterns take seconds
# to compile
MAX_PATTERN = 1000
_KEY_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789-"
_KEY = re.compile(r"[a-z0-9-]+")
MARK = "mark "  # how a line of the list begins that has no key, but a mark of a defect
TRIALS = 6  # findings of a bucket that are replayed at most to confirm them


@dataclass(slots=True)
class Kept:
    """A trace that a bucket keeps. `file` is its path under the output folder, `size` its characters.
    `confirmed` says whether the trace alone shows the finding, and is None until it was replayed.
    """

    file: str
    seed: int
    lines: int
    size: int
    confirmed: bool | None = None


@dataclass(slots=True)
class Bucket:
    """One defect: all findings with the same key. Kind, tier, message and call are those of the
    first finding. `first` and `last` are the times of the first and the last finding, in seconds
    since the epoch; `tried` is how many findings were replayed to confirm them. `told` says that an
    event called the bucket new: of each bucket one event does.
    """

    key: str
    kind: str
    tier: Tier
    severity: str
    solver: str
    signal: str
    message: str
    action: str
    operator: str
    spelling: str
    state: State
    first: float
    last: float
    count: int = 0
    tried: int = 0
    backtrace: str = ""
    traces: list[Kept] = field(default_factory=list)
    # of a disagreement or an invalid model: which solver is wrong, by which evidence
    triage: dict[str, Any] = field(default_factory=dict)
    against: str = ""  # of a slow script: what its cost is measured against; of incompleteness: parent or baseline
    reproducers: tuple[Reproducer, ...] = ()
    told: bool = False

    @property
    def known(self) -> bool:
        """Whether the user lists the defect as known."""
        return self.state == "known"

    def smallest(self) -> Kept | None:
        """The trace to show: the smallest that alone shows the defect, else the smallest of all."""
        return min(self.traces, key=lambda kept: (not kept.confirmed, kept.size), default=None)


def new_bucket(key: str, solver: str, verdict: Verdict, *, known: bool, now: float) -> Bucket:
    """The bucket that a first finding opens."""
    call = verdict.call
    return Bucket(
        key,
        verdict.kind,
        verdict.tier,
        severity(verdict.kind),
        solver,
        verdict.signal,
        verdict.message,
        call.action,
        call.operator,
        call.spelling,
        "known" if known else "pending",
        now,
        now,
        against=verdict.against,
    )


def say(bucket: Bucket, verdict: Verdict) -> None:
    """Have the bucket say of its defect what `verdict` says."""
    call = verdict.call
    bucket.kind, bucket.tier, bucket.severity = verdict.kind, verdict.tier, severity(verdict.kind)
    bucket.signal, bucket.message, bucket.against = verdict.signal, verdict.message, verdict.against
    bucket.action, bucket.operator, bucket.spelling = call.action, call.operator, call.spelling


# kinds that count only with --fail-on: what a release may change on purpose, and what may be slow
NOT_FAILING = ("hang", "out-of-memory", UNKNOWN, SLOWER, VANISHED, "incompleteness", SLOW)


def failing(bucket: Bucket, fail_on: Sequence[str] = ()) -> bool:
    """Whether `bucket` makes the exit code 1: it is confirmed, not known, no fault of murxpy, needs
    nothing that the solver documents as experimental, and its kind counts.
    """
    return bucket.state == "confirmed" and fails_when_confirmed(bucket, fail_on)


def fails_when_confirmed(bucket: Bucket, fail_on: Sequence[str] = ()) -> bool:
    """Whether `bucket`, which the user does not know, makes the exit code 1 once it is confirmed."""
    counts = bucket.kind in fail_on or (bucket.kind not in NOT_FAILING and bucket.tier != "murxpy")
    return counts and bucket.tier != DOCUMENTED


class Known:
    """The user's list of known bugs: bucket keys, or patterns of them with `*` and `?`."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._patterns = tuple(patterns)

    def __contains__(self, key: str) -> bool:
        return any(fnmatch.fnmatchcase(key, pattern) for pattern in self._patterns)


def read_known(path: Path) -> tuple[str, ...]:
    """The patterns in the file `path`, one a line; `#` begins a comment. Raises InputError."""
    patterns = []
    for number, line in enumerate(_known_lines(path), 1):
        pattern = "" if line.startswith(MARK) else line.partition("#")[0].strip()
        if re.search(r"\s", pattern) or len(pattern) > MAX_PATTERN:
            raise InputError(
                "expected one bucket key or pattern a line, without blanks; put notes behind '#'",
                file=str(path),
                line=number,
            )
        if pattern:
            if not _can_match(pattern):
                raise InputError(
                    f"no bucket has a key like '{excerpt(pattern)}': expected a key (small letters, digits and "
                    "hyphens), a pattern of keys with *, ? or [...], or 'mark', a key, and a mark",
                    file=str(path),
                    line=number,
                )
            patterns.append(pattern)
    return tuple(patterns)


def read_known_marks(path: Path) -> dict[str, str]:
    """The marks of defects in the file `path`, each with a bucket that has it: what stands in lines
    `mark KEY TEXT`, as `murxpy findings --format known` writes them. Raises InputError.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(_known_lines(path), 1):
        if line.startswith(MARK):
            key, _, mark = line.removeprefix(MARK).strip().partition(" ")
            if not mark or not _KEY.fullmatch(key):
                raise InputError(
                    "expected 'mark', the key of a bucket, and a mark of its defect",
                    file=str(path),
                    line=number,
                )
            found.setdefault(mark, key)
    return found


def _can_match(pattern: str) -> bool:
    """Whether some key may match the pattern: it consists of characters of keys, of `*` and `?`, and of
    brackets that are closed and match some character of a key.
    """
    if pattern == MARK.strip():
        return False
    at = 0
    while at < len(pattern):
        end = at
        if pattern[at] == "[":
            # It is closed as fnmatch reads it: a first `]` is a character of the group.
            first = at + 2 if pattern.startswith("!", at + 1) else at + 1
            end = pattern.find("]", first + 1)
            group = pattern[at : end + 1]
            if end < 0 or not any(fnmatch.fnmatchcase(key, group) for key in _KEY_CHARACTERS):
                return False
        elif pattern[at] not in _KEY_CHARACTERS and pattern[at] not in "*?":
            return False
        at = end + 1
    return True


def _known_lines(path: Path) -> list[str]:
    return read_text(path, "list of known bugs", MOST_KNOWN).split("\n")


# ----------------------------------------------------------------------
# How bad a bucket is.


# The worst first: a wrong answer, what makes an answer wrong to use, and then what ends the work.
_ORDER = (
    *("refutation-unsoundness", "solution-unsoundness", DISAGREEMENT, "invalid-model"),
    *("model-value", "repeated-model", "invalid-core", "invalid-assumptions", "invalid-proof"),
    *("invalid-interpolant", "invalid-abduct", "invalid-elimination", "invalid-substitute"),
    *("invalid-simplify", "invalid-value", "invariant", "asan", "crash", "abort", "exit", "ubsan"),
    *("exception", "flood", "contract", "out-of-memory", "hang", "ill-formed", "internal"),
    *("incompleteness", SLOW),
)
_UNKNOWN = _ORDER.index("invariant")  # other kinds are about answers, too
_OF_ANSWER = {"wrong-unsat": "refutation-unsoundness", "wrong-sat": "solution-unsoundness"}


def worst_first(bucket: Bucket) -> int:
    """A key to sort by: 0 for the worst."""
    named = str(bucket.triage.get("verdict", "")) if bucket.kind == DISAGREEMENT else ""
    named = "invalid-model" if named == "wrong-model" else named
    return rank_of(named if named in _ORDER else bucket.kind)


def rank_of(kind: str) -> int:
    """How bad findings of a kind are: 0 for the worst."""
    kind = _OF_ANSWER.get(kind, kind)
    return _ORDER.index(kind) if kind in _ORDER else _UNKNOWN
