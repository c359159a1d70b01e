"""Readers for the text of a finished trace, which do not check it.

The process that wrote a trace may have died in the middle of a row. These readers therefore take
whatever is there: a torn last row counts as far as it goes, and a row that is not understood is
skipped. `murxpy.machine.trace.grammar.parse_trace` is the strict reader, for traces that are to be
replayed.
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from itertools import takewhile

from murxpy.logic.values import from_codes
from murxpy.machine.trace.grammar import OPTIONS, RESULTS
from murxpy.smtlib.logics import theories

# Seed, action, spelling, and the words behind them.
_ROW = re.compile(
    r"\s*(\d{1,20})\s+(?:[a-z]\d+\.)?([A-Za-z][\w-]*)(?:@(\S+))?(?:\s+(\S.*))?", re.DOTALL
)
_LEVELS = 1000  # of a push or pop, in a text that may be damaged
_KIND = re.compile(r"(?:OP|SORT)_[A-Z0-9_]+")
_ID = re.compile(r"[tsocx]\d+")
_OBJECT = re.compile(r"\bx\d+")
_NAMED = {"t": "term", "s": "sort", "o": "solver", "c": "context", "x": "object"}


@dataclass(frozen=True, slots=True)
class Call:
    """The call of a row; `operator` and `spelling` are empty if the row has none."""

    action: str = ""
    operator: str = ""
    spelling: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """An action of a trace.

    `number` is that of its row in the text, from 1. `words` is the text behind the name of the
    action, and `results` are the words of each result row below it.
    """

    number: int
    seed: int
    action: str
    spelling: str
    words: str
    results: list[list[str]] = field(default_factory=list)

    @property
    def answers(self) -> list[str]:
        """The answers that the action's result rows record."""
        return [words[1] for words in self.results if words[0] == "answer" and len(words) > 1]

    @property
    def call(self) -> Call:
        """The call of the row. For a misuse, the misused callee stands in the place of the operator;
        for a script, the names of its theories do.
        """
        first = self.words.split(maxsplit=1)[0] if self.words else ""
        if self.action == "misuse":
            return Call(self.action, self._misused(first), self.spelling)
        if self.action == "run-script" and first:
            used = theories(from_codes(self.words.strip('"\n ')))
            return Call(self.action, "+".join(used), self.spelling)
        named = _KIND.fullmatch(first) or self.action in OPTIONS
        return Call(self.action, first if named else "", self.spelling)

    def _misused(self, first: str) -> str:
        """The misused callee. A row names the rule and then the call: `misuse@none mk-term@plus
        OP_BV_ADD ... with 0 py:none`.
        """
        callee = first.partition("@")[0]
        if _ID.fullmatch(callee):
            return _NAMED[callee[0]]
        broken = read_row(f"0 {self.words}")
        return broken.call.operator or callee if broken else callee


def read_row(line: str, number: int = 0) -> Row | None:
    """The action on one row of a trace; None for comments, result rows and anything else."""
    match = _ROW.match(line)
    if match is None:
        return None
    seed, action, spelling, words = match.groups()
    return Row(number, int(seed), action, spelling or "", words or "")


def read_rows(text: str) -> Iterator[Row]:
    """The actions of a trace in order, each with its result rows."""
    row: Row | None = None
    for number, line in enumerate(text.split("\n"), 1):
        following = read_row(line, number)
        if following is not None:
            if row is not None:
                yield row
            row = following
        elif row is not None and (words := line.split()):
            row.results.append(words)
    if row is not None:
        yield row


def checks_of(text: str) -> Counter[str]:
    """What the checks of a walk decided, by the counters of a run that reports them: for a run that
    ended before its report.
    """
    counts: Counter[str] = Counter()
    levels: list[set[str]] = [set()]
    decided: set[frozenset[str]] = set()
    for row in read_rows(text):
        words = row.words.split()
        if row.action in ("assert-formula", "assert-tracked"):
            levels[-1].update(words[:1])
        elif row.action in ("push", "pop") and words and words[0].isdigit():
            number = min(int(words[0]), _LEVELS)
            levels += [set() for _ in range(number if row.action == "push" else 0)]
            del levels[max(1, len(levels) - (number if row.action == "pop" else 0)) :]
        elif row.action in ("reset", "reset-assertions"):
            levels = [set()]
        elif row.action in ("check-sat", "check-sat-assuming") and row.answers:
            asked = frozenset().union(*levels, words[1:])
            _count(counts, row.answers[0], asked, decided)
    return counts


def _count(
    counts: Counter[str], answer: str, asked: frozenset[str], decided: set[frozenset[str]]
) -> None:
    """Count a check that got an answer."""
    known = answer in ("sat", "unsat")
    counts["check:total"] += 1
    counts[f"answer:{answer if known else 'unknown'}"] += 1
    if known:
        counts[f"{answer}:total"] += 1
    if asked:
        counts["check:asserted"] += 1
        counts["check:decided"] += known and asked not in decided
        decided.update([asked] if known else ())


def last_row(text: str, actions: Collection[str] = ()) -> Row | None:
    """The last action of a trace, or the last of these actions; None if the trace has none."""
    rows = (row for row in read_rows(text) if not actions or row.action in actions)
    return next(iter(deque(rows, 1)), None)


def last_call(text: str) -> Call:
    """The last call that a trace began; the empty call when there is none."""
    end = len(text)
    while end > 0:
        start = text.rfind("\n", 0, end) + 1
        row = read_row(text[start:end])
        if row is not None:
            return _with_class(row.call, text, start, end)
        end = start - 1
    return Call()


def _with_class(call: Call, text: str, start: int, end: int) -> Call:
    """Add the class of the misused object to the call, if the trace says it."""
    if call.action != "misuse" or call.operator != _NAMED["x"]:
        return call
    name = _OBJECT.search(text[start:end])
    made = name and re.search(rf"^\s*return {name[0]} (\w+)$", text[:start], re.M)
    return Call(call.action, made[1], call.spelling) if made else call


def options(text: str) -> tuple[tuple[str, str], ...]:
    """The names and values of the solver's options that a trace sets, in order."""
    pairs = (row.words.partition(" ") for row in read_rows(text) if row.action in OPTIONS)
    return tuple((name, value.strip()) for name, _, value in pairs if value.strip())


def header_rows(text: str) -> list[str]:
    """The comments at the beginning of a trace."""
    return list(takewhile(lambda row: row.startswith("#"), text.split("\n")))


def header_value(text: str, key: str) -> str:
    """The value of a key in the header of a trace; empty where the header lacks the key."""
    front = f"# {key} "
    row = next((row for row in header_rows(text) if row.startswith(front)), "")
    return row.removeprefix(front).strip()


def add_header(text: str, rows: str) -> str:
    """Add whole `rows` behind the first row of a trace's header."""
    first, newline, rest = text.partition("\n")
    return first + newline + rows + rest


def without_header(text: str, *keys: str) -> str:
    """Leave out the rows of a trace's header that have one of these keys."""
    dropped = tuple(f"# {key} " for key in keys)
    head = header_rows(text)
    kept = [row for row in head if not row.startswith(dropped)]
    return "\n".join([*kept, *text.split("\n")[len(head) :]])


def until_row(text: str, number: int) -> str:
    """Cut a trace behind the action on row `number` and the result rows of that action."""
    rows = text.split("\n")
    end = number
    while end < len(rows) and rows[end].split()[:1] and rows[end].split()[0] in RESULTS:
        end += 1
    return "\n".join(rows[:end]) + "\n"


# ----------------------------------------------------------------------
# The settings that a defect needs beside its formulas, as the header row `needs` of a smallest
# trace says it. The value of the row is JSON: a list of needs, each a list of texts.


HEADER = "needs"
_ORDINALS = {"2": "second", "3": "third"}
# The parts of an action's call that a defect can need.
_CALLS = {
    "assert-tracked": "a name of the assertion",
    "check-assumptions": "reading the unsat assumptions before",
    "check-core": "reading the unsat core before",
    "check-model": "reading the model before",
    "check-sat": "a first check",
    "check-sat-assuming": "a first check",
    "del": "dropping an object",
    "gc": "a collection of Python's garbage",
    "pop": "popping a level of assertions",
    "push": "pushing a level of assertions",
    "reset": "resetting the solver",
    "reset-assertions": "dropping all assertions",
}


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that cannot be taken away from the smallest trace.

    `kind` is `option`, `limit`, `call`, `again`, `earlier`, `spelling`, `context`, `other`, `operand`, `called` or `safe`;
    `name` is that of the option, the action or the operator; `value` is that of the option, the name of the spelling, or how
    often the call is made. An `earlier` check leaves something behind that a check of nothing does not.
    Of a number `low` is the least one that was seen to show the defect, and `high` the largest; `high`
    is empty where no larger number was seen to hide it, and both are where a smaller one shows it, too.
    Of an operator that is not needed (`other`), `value` is one that shows the defect in its place, both as
    scripts call them.
    Of an `operand` of a misuse `name` is LINE:PLACE in its words, `high` the operand in words, `value` others
    that show the defect in its place, and `low` those that do not. Of a callable that is `called`, `name` is
    LINE:CALLABLE, `value` are others that end in the same way with its operands, and `low` those that do not.
    Of an option of the solver's safe mode (`safe`), which nothing needs, `low` is `yes` or `no`: whether
    the defect shows in that mode, too. It is `refused` where that mode refuses a call that is not refused
    without it; `high` is then the message.
    """

    kind: str
    name: str
    value: str = ""
    low: str = ""
    high: str = ""

    def sentence(self) -> str:
        """The need in one sentence."""
        if self.kind == "option":
            if self.low and self.low == self.high:  # whether other values do, was not tried
                return f"In the trace, the defect does not show with the default of the option {self.name}; it shows with {self.low}."
            where = self._range() if self.low else f"set to {self.value}"
            return f"In the trace, the defect needs the option {self.name} {where}."
        if self.kind == "limit":
            where = f" {self._range()}" if self.low else ""
            return f"In the trace, the defect needs a resource limit{where}."
        if self.kind == "again":
            return f"In the trace, the defect shows only at the {_ORDINALS.get(self.value, f'{self.value}th')} {self.name}."
        if self.kind == "earlier":
            place = "with that one in front of all assertions, it does not show"
            return f"In the trace, the defect shows only at a check that follows an earlier check; {place}."
        if self.kind == "spelling":
            return f"In the trace, the defect needs {self.name} in the spelling {self.value}; plainer spellings do not show it."
        if self.kind == "context":
            return "In the trace, the defect needs objects of a context of its own; with those of the default context, it does not show."
        if self.kind == "other":
            return f"The defect shows with {self.value} in the place of {self.name}, too."
        if self.kind in ("operand", "called"):
            return self._tried()
        if self.kind == "safe":
            mode = f"the solver's safe mode ({self.name}={self.value})"
            if self.low == "refused":
                return f"It cannot be tried in {mode}, which refuses a call: {self.high}"
            shows = "shows in" if self.low == "yes" else "does not show in"
            return f"The defect {shows} {mode}{', too' if self.low == 'yes' else ''}."
        what = _CALLS.get(self.name)
        if what is None:
            return f"In the trace, the defect does not show without a call of {self.name}."
        return f"In the trace, the defect does not show without {what} ({self.name})."

    def _tried(self) -> str:
        """What else shows the defect of a misuse, or what was tried and does not."""
        others = f"Other calls in the place of {self.name.partition(':')[2]}"
        if self.kind == "operand":
            others = f"Other operands in the place of {self.high}"
        if self.value:
            return f"{others} show the defect, too: {self.value}."
        return f"{others} were tried and do not show it: {self.low}."

    def _range(self) -> str:
        if not self.high:
            return f"of at least {self.low}"
        return f"of {self.low}" if self.low == self.high else f"between {self.low} and {self.high}"


OWN_CONTEXT = Need("context", "")


def write_needs(needs: Sequence[Need]) -> str:
    """The value of the header row."""
    return json.dumps([astuple(need) for need in needs])


def read_needs(value: str) -> list[Need]:
    """The needs that the value of a header row says; none where nobody can read it."""
    try:
        return [Need(*map(str, words)) for words in json.loads(value)] if value else []
    except (ValueError, TypeError):
        return []
