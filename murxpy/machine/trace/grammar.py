"""Read a trace into lines and print it again. `traces/FORMAT.md` is the reference of the format."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

from murxpy.errors import InputError
from murxpy.foreign import escaped, read_text
from murxpy.machine.tokens import Python, Quoted, Ref, Token, print_token, read_tokens
from murxpy.solvers.forbidden import Forbidden

VERSION = 1
RESULTS = ("return", "answer", "value", "refused", "raised", "model", "holds")
OPTIONS = ("set-option", "set-parameter")  # actions with the name of an option and its value
INDENT = "      "
MAX_TRACE = 256 << 20
# Characters. The lines of a longer trace are parsed when they are used, since parsed lines take ten
# times the memory of their text.
WHOLE = 1 << 20
MURXLA_OPTIONS = "set-murxla-options"
MURXLA_SOLVERS = ("bitwuzla", "boolector", "btor", "cvc5", "yices")

_HEAD = re.compile(
    r"(?:([0-9]{1,20})\s+)?(?:(o[1-9][0-9]{0,8})\.)?([A-Za-z][A-Za-z0-9_-]*)(?:@(\S+))?(?=\s|$)",
    re.ASCII,
)
_ROW = re.compile(r"[^\n]+")
_SEED = re.compile(r"[0-9a-f]{1,64}")  # 16 digits, and those of the arms of a guided run
_SPACE = r"[^\S\n]"
# A row of ids, numbers, names and closed quotes, as nearly all rows are, cannot violate the grammar.
# This pattern accepts only rows that `_HEAD` and `read_tokens` accept, and looks at each character
# once.
_PLAIN = re.compile(
    rf"{_SPACE}*+(?:([0-9]{{1,20}}){_SPACE}++)?(?:o[1-9][0-9]{{0,8}}\.)?([A-Za-z][A-Za-z0-9_-]*+)(?:@\S++)?"
    rf'(?:{_SPACE}++(?:"[^"\n]*+"|(?!py:)[^\s"]++))*+{_SPACE}*+$',
    re.ASCII | re.MULTILINE,
)


@dataclass(slots=True)
class Line:
    """One action of a trace.

    `target` is the solver that the action is for; None means the only one. `results` are the result
    rows that follow the action, and `number` is that of its row in the file.
    """

    action: str
    args: list[Token] = field(default_factory=list)
    seed: int | None = None
    target: str | None = None
    spelling: str | None = None
    results: list[tuple[str, list[Token]]] = field(default_factory=list)
    number: int = 0  # in its file

    def head(self) -> str:
        """The row of the action, without its result rows."""
        words = [f"{self.seed:>6}"] if self.seed is not None else [" " * 6]
        name = f"{self.target}.{self.action}" if self.target else self.action
        words.append(f"{name}@{self.spelling}" if self.spelling else name)
        words.extend(map(print_token, self.args))
        return " ".join(words)

    def result(self, name: str) -> list[Token] | None:
        """The tokens of the first result row called `name`."""
        return next((tokens for kind, tokens in self.results if kind == name), None)


@dataclass
class Trace:
    """A parsed trace. The header of a trace has comments `# key value`; `murxla_options` is None for
    a trace of ours.
    """

    name: str
    lines: Sequence[Line] = field(default_factory=list)
    header: dict[str, str] = field(default_factory=dict)
    murxla_options: list[str] | None = None

    @property
    def murxla(self) -> bool:
        """True if the trace is in Murxla's dialect."""
        return self.murxla_options is not None

    @property
    def solver(self) -> str:
        """The solver that the trace was made with; empty where the trace does not say it."""
        if self.murxla_options is not None:
            named = [option[2:] for option in self.murxla_options if option[2:] in MURXLA_SOLVERS]
            return named[-1] if named else ""
        return self.header.get("solver", "").split(" ")[0]

    @property
    def seed(self) -> int:
        """The seed of the run, 0 where the header has none."""
        return int(self.header.get("seed") or "0", 16)

    def is_last(self, line: Line) -> bool:
        """True if `line` is the last one, by its number: `lines` may give a new object for a line
        each time.
        """
        return line.number == self.lines[-1].number

    def text(self) -> str:
        """The trace as a file. Header and words come from the file of a stranger, so what a terminal
        would obey in them is escaped.
        """
        return "".join(f"{escaped(row)}\n" for row in self._rows())

    def _rows(self) -> Iterator[str]:
        for key, value in self.header.items():
            yield f"# {key} {value}".rstrip()
        if self.murxla_options is not None:
            yield " ".join([MURXLA_OPTIONS, *self.murxla_options])
        for line in self.lines:
            yield line.head()
            for name, tokens in line.results:
                yield result_line(name, tokens)


def result_line(name: str, tokens: list[Token]) -> str:
    """Print a result row."""
    return f"{INDENT}{name} {' '.join(map(print_token, tokens))}".rstrip()


class _Lines(Sequence[Line]):
    """The lines of a text that was checked before. Each line is parsed when it is asked for."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._starts = array("L")
        self._numbers = array("L")

    def add(self, start: int, number: int) -> None:
        """Note where an action begins, and the number of its row."""
        self._starts.append(start)
        self._numbers.append(number)

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, at: int) -> Line: ...
    @overload
    def __getitem__(self, at: slice) -> list[Line]: ...
    def __getitem__(self, at: int | slice) -> Line | list[Line]:
        if isinstance(at, slice):
            return [self[index] for index in range(len(self))[at]]
        at = range(len(self))[at]
        end = self._starts[at + 1] if at + 1 < len(self) else len(self._text)
        rows = self._rows(self._starts[at], end)
        line = _parse_row(next(rows), self._name, self._numbers[at])
        results = (_parse_row(row, self._name, line.number) for row in rows)
        line.results = [(result.action, result.args) for result in results]
        return line

    def _rows(self, start: int, end: int) -> Iterator[str]:
        """Give the rows of an action one by one: there may be millions of comments between them."""
        for found in _ROW.finditer(self._text, start, end):
            row = found[0].strip()
            if row and not row.startswith("#"):
                yield row


def parse_trace(text: str, name: str) -> Trace:
    """Read a trace, ours or Murxla's. An InputError names file, row and what was expected."""
    if len(text) > MAX_TRACE:
        raise InputError(
            f"a trace of more than {MAX_TRACE >> 20} MB, expected a smaller one", file=name
        )
    trace, lines = Trace(name), _Lines(text, name)
    start = number = 0
    while start < len(text):
        number += 1
        plain = _PLAIN.match(text, start) if lines else None
        if plain is not None:
            end = plain.end()
            begins = plain[1] is not None or plain[2] not in RESULTS
        else:
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            begins = _check_row(trace, text[start:end].strip(), number, not lines)
        if begins:
            lines.add(start, number)
        start = end + 1
    if not lines:
        raise InputError("no action in this trace, expected lines like '12345 new'", file=name)
    trace.lines = list(lines) if len(text) <= WHOLE else lines
    return trace


def _check_row(trace: Trace, row: str, number: int, first: bool) -> bool:
    """Raise InputError for a row that cannot be read; True if the row is an action. With `first`
    there is no action above it.
    """
    if not row:
        return False
    if row.startswith("#"):
        if first:
            _read_header(trace, row[1:].strip(), number)
        return False
    if first and row.split(" ")[0] == MURXLA_OPTIONS:
        trace.murxla_options = row.split()[1:]
        return False
    line = _parse_row(row, trace.name, number)
    if line.seed is not None or line.action not in RESULTS:
        return True
    if first:
        raise InputError(f"'{line.action}' before any action", file=trace.name, line=number)
    return False


def _parse_row(row: str, name: str, number: int) -> Line:
    """Parse a row, an action or a result, as a line of its own. Raises InputError."""
    head = _HEAD.match(row)
    if head is None:
        raise InputError(
            f"expected '<seed> <action> <arguments>', found '{row[:40]}'", file=name, line=number
        )
    seed, target, action, spelling = head.groups()
    tokens = read_tokens(row[head.end() :], name, number)
    form = sys.intern(spelling) if spelling else None  # a long trace has few of them, many times
    return Line(sys.intern(action), tokens, int(seed) if seed else None, target, form, [], number)


def _read_header(trace: Trace, text: str, number: int) -> None:
    """Take a comment above the first action as a key and its value. Raises InputError for a format
    or seed that cannot be read.
    """
    key, _, value = text.partition(" ")
    if not key:
        return
    trace.header.setdefault(key, value)
    if key == "murxpy-trace" and value.split(" ")[0] != str(VERSION):
        message = f"trace format '{value}', this murxpy reads format {VERSION}"
        raise InputError(message, file=trace.name, line=number)
    if key == "seed" and not _SEED.fullmatch(value):
        raise InputError(
            f"expected a seed in hexadecimal, found '{value[:40]}'", file=trace.name, line=number
        )


# ----------------------------------------------------------------------
# Traces in files.


def read_trace(path: Path) -> str:
    """Read the trace in the file `path`. Raises InputError when the file cannot be read or holds no
    text.
    """
    # A symbol may hold half of a surrogate pair.
    return read_text(path, "trace", MAX_TRACE, surrogates=True)


# ----------------------------------------------------------------------
# The options and commands that a wrapper forbids, so that no line of a trace may contain them.


def permit(forbidden: Forbidden, trace: Trace, line: Line) -> None:
    """Raise InputError if a text in a line of `trace` is a script that uses what is forbidden. In the
    lines that set options, and in a misuse, whose operands go to any function of the binding, the
    name of a forbidden option is such a text, too.
    """
    names = line.action in (*OPTIONS, "misuse")
    ask = forbidden.in_operand if names else forbidden.in_script
    for token in line.args:
        value = token.value if isinstance(token, Python) else token
        for text in _texts(value.text if isinstance(value, Quoted) else value):
            if found := ask(text):
                raise InputError(found, file=trace.name, line=line.number)


def _texts(value: Any) -> Iterator[str]:
    """The texts in an operand, which may be nested in lists."""
    if isinstance(value, bytes):
        yield value.decode("latin-1")
    elif isinstance(value, dict):
        yield from _texts([*value, *value.values()])
    elif isinstance(value, (list, tuple)) and not isinstance(value, Ref):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str):
        yield value
