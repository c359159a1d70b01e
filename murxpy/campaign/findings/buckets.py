"""Buckets: which findings are the same defect."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from murxpy.campaign.events import Reproducer
from murxpy.errors import InputError
from murxpy.oracles.crash import Verdict, severity
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.solvers.contract import CONVERTED

State = Literal["pending", "confirmed", "unconfirmed", "known"]

# A place in C or C++ source as assertions print it: `rewriter.cpp:118`, `rewriter.cpp 118`, `File:
# rewriter.cpp Line: 118`.
_SOURCE = re.compile(r"(?<![\w-])([\w-]++\.(?:cpp|cc|c|hpp|h))\W{1,3}(?:[Ll]ine:?\s*)?(\d+)")

_OPERATOR = re.compile(r"\bOP_\w+")

# An exception that a misuse let out: `class C: AttributeError: 'int' object has ... in
# ExprRef.__init__ (z3.py)`.
_THROWN = re.compile(r"class \w: (\w+)(?:: (.*))? in ([\w.<>]+) \(\w+\.\w+\)", re.DOTALL)

# Rules whose calls name a public callable of the binding.
_BY_NAME = ("call", "edge", "alike", "keyword")

# What the C library says of a heap that was written to where it must not be.
_HEAP = re.compile(
    r"double free|corrupted|(?:free|malloc|realloc|munmap_chunk|malloc_consolidate)\(\)"
)

# What a solver throws in one of these tells of its assertions.
SOLVING = frozenset(
    [
        "check-sat",
        "check-sat-assuming",
        "push",
        "check-core",
        "check-assumptions",
        "check-model",
        "check-invariant",
    ]
)

KEPT = 3  # traces of one bucket
MOST_KNOWN = 16 << 20  # bytes of a list of known bugs
# characters of a pattern of known bugs; keys have less than 150, and long patterns take seconds to
# compile
MAX_PATTERN = 1000
TRIALS = 6  # findings of one bucket that are tried for whether they show again

# What differs between two findings of one defect, the longest first.
_VARIABLE = (
    (re.compile(r"0x[0-9a-fA-F]+"), "ADDR"),
    (re.compile(r"(?:/[\w.+-]+)+/([\w.+-]+)"), r"\1"),  # of a path, the name of the file stays
    (re.compile(r"\|[^|]*\||\"[^\"]*\"|`[^`']*'|'[^']*'"), "NAME"),
    (re.compile(r"(?<![A-Za-z_])[-+]?\d+(?:\.\d+)?"), "N"),
    (re.compile(r"\b([A-Za-z_]+?)[!_]?\d+\b"), r"\1N"),
    (re.compile(r"\s+"), " "),
)


def normalise(message: str) -> str:
    """`message` without what differs between two findings of one defect: addresses, numbers, paths,
    quoted names.
    """
    text = message.strip()[:2000]
    for pattern, replacement in _VARIABLE:
        text = pattern.sub(replacement, text)
    return text[:400]


def bucket_key(family: str, verdict: Verdict) -> str:
    """The bucket of a finding in a solver of `family`: words to read, and a hash of all that
    decides.

    A message that names a place in the solver's source says which defect it is, from wherever it
    was reached; else the call does.
    """
    call = verdict.call
    message = normalise(verdict.message)
    place = _SOURCE.search(verdict.message)
    where = [call.action, call.operator, call.spelling]
    thrown = _THROWN.fullmatch(verdict.message) if call.action == "misuse" else None
    # `call` and `edge` differ in the operands only
    if call.action == "misuse" and call.spelling in _BY_NAME:
        where = ["misuse", call.operator]
    if thrown is not None:
        message, where = _misuse(thrown, call.spelling)
    elif call.action == "misuse":
        # what differs from one misuse to the next stands behind it
        message = message.partition(";")[0]
        # What a rule of spellings gets past a binding, it gets past most of its functions.
        if message.endswith(CONVERTED):
            where = ["misuse", call.spelling]
        elif verdict.kind == "contract" and call.spelling not in _BY_NAME:
            message, where = _OPERATOR.sub("an operator", message), ["misuse", call.spelling]
    elif verdict.kind == "invalid-model":
        # what the solver itself says of the assertion stands behind it
        message = message.partition(";")[0]
    elif (
        verdict.kind == "wrong-unsat"
    ):  # which check it was, and the planted model behind the message, say nothing of the defect
        message, where, place = message.partition(";")[0], [call.operator], None
    elif verdict.kind == "abort" and _HEAP.match(verdict.message):
        # which of its lists is broken, and which call comes upon it, is chance
        message, where = "the heap is corrupted", []
    elif verdict.kind == "exception" and call.action in SOLVING:
        where = []  # the solver came upon it while it solved; which call made it solve says nothing
    elif (
        call.action == "run-script"
        and verdict.kind in ("abort", "exception")
        and not verdict.doubtful
    ):
        # What the solver says tells one defect from another better than the theories of a script,
        # many of which have no part in it.
        where = [
            call.action,
            "" if verdict.message != verdict.signal else call.operator,
            call.spelling,
        ]
    if place is not None:
        where = [place.group(1), place.group(2)]
        if verdict.kind == "abort":
            # the formulas that broke it stand behind it
            message = normalise(verdict.message[: place.end()])
    parts = (verdict.kind, family, verdict.signal, message, *where)
    words = [verdict.kind, verdict.signal, family, *where]
    slug = re.sub(r"[^a-z0-9]+", "-", "-".join(filter(None, words)).lower()).strip("-")[:80]
    return f"{slug}-{blake2b(repr(parts).encode('utf-8', 'replace'), digest_size=4).hexdigest()}"


def _misuse(thrown: re.Match[str], rule: str) -> tuple[str, list[str]]:
    """Message and place of an exception that a misuse let out.

    Nearly every function of a binding may use an operand before it looks at its type: that is one
    defect a rule. Any other exception tells of the function that threw it.
    """
    kind, message, function = thrown.groups()
    if kind == "AttributeError" and rule not in _BY_NAME:
        return kind, ["misuse", rule, kind]
    return f"{kind}: {normalise(message or '')}", ["misuse", kind, function]


@dataclass(slots=True)
class Kept:
    """A trace kept for a bucket: `file` under the output folder. `confirmed` is None until it was
    tried.
    """

    file: str
    seed: int
    lines: int
    size: int
    confirmed: bool | None = None


@dataclass(slots=True)
class Bucket:
    """One defect. `first` and `last` are seconds since the epoch; `tried` the findings that were
    tried alone.
    """

    key: str
    kind: str
    tier: str
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
    # of a disagreement: who is wrong, by which evidence
    triage: dict[str, Any] = field(default_factory=dict)
    reproducers: tuple[Reproducer, ...] = ()

    @property
    def known(self) -> bool:
        """Whether the user listed it as known."""
        return self.state == "known"

    def smallest(self) -> Kept | None:
        """The trace to show: the smallest that shows the defect alone, else the smallest."""
        return min(self.traces, key=lambda kept: (not kept.confirmed, kept.size), default=None)


def new_bucket(key: str, family: str, verdict: Verdict, *, known: bool, now: float) -> Bucket:
    """The bucket that a first finding opens."""
    call = verdict.call
    return Bucket(
        key,
        verdict.kind,
        verdict.tier,
        severity(verdict.kind),
        family,
        verdict.signal,
        verdict.message,
        call.action,
        call.operator,
        call.spelling,
        "known" if known else "pending",
        now,
        now,
    )


NOT_FAILING = ("hang", "out-of-memory")  # unless the user wants to fail on them


def failing(bucket: Bucket, fail_on: Sequence[str] = ()) -> bool:
    """Whether `bucket` makes the exit code 1: confirmed, not known, the solver's, and of a kind
    that counts.
    """
    counts = bucket.kind in fail_on or (bucket.kind not in NOT_FAILING and bucket.tier != "murxpy")
    return bucket.state == "confirmed" and counts and bucket.tier != DOCUMENTED


class Known:
    """The user's list of known bugs: bucket keys or patterns with `*` and `?`."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._patterns = tuple(patterns)

    def __contains__(self, key: str) -> bool:
        return any(fnmatch.fnmatchcase(key, pattern) for pattern in self._patterns)


def read_known(path: Path) -> tuple[str, ...]:
    """The patterns in the file `path`, one a line, `#` begins a comment. Raises InputError."""
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise InputError(
                "the list of known bugs cannot be read: expected a file", file=str(path)
            )
        if path.stat().st_size > MOST_KNOWN:
            raise InputError(
                f"the list of known bugs is larger than {MOST_KNOWN >> 20} MB, expected a smaller one",
                file=str(path),
            )
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(
            f"the list of known bugs cannot be read: {reason}", file=str(path)
        ) from error
    patterns = []
    for number, line in enumerate(lines, 1):
        pattern = line.partition("#")[0].strip()
        if re.search(r"\s", pattern) or len(pattern) > MAX_PATTERN:
            raise InputError(
                "expected one bucket key or pattern a line, without blanks; put notes behind '#'",
                file=str(path),
                line=number,
            )
        if pattern:
            patterns.append(pattern)
    return tuple(patterns)
