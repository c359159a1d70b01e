"""Bucket keys: which findings are the same defect."""

from __future__ import annotations

import re
from hashlib import blake2b

from murxpy.machine.witnesses.unknowns import KIND as INCOMPLETENESS
from murxpy.oracles.crash import INTERNAL, INVALID_MODEL, Verdict
from murxpy.solvers.contract import CONVERTED

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
