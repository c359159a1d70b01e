"""Traces as lines: reading a file and printing it again. The reference is `traces/FORMAT.md`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from murxpy.errors import InputError
from murxpy.machine.tokens import Token, print_token, read_tokens

VERSION = 1
RESULTS = ("return", "answer", "value", "refused", "raised", "model", "holds")
INDENT = "      "
MAX_TRACE = 256 << 20
MURXLA_OPTIONS = "set-murxla-options"
MURXLA_SOLVERS = ("bitwuzla", "boolector", "btor", "cvc5", "yices")

_HEAD = re.compile(r"(?:([0-9]{1,20})\s+)?(?:(o[1-9][0-9]{0,8})\.)?([A-Za-z][A-Za-z0-9_-]*)(?:@(\S+))?(?=\s|$)", re.ASCII)
_SEED = re.compile(r"[0-9a-f]{1,16}")


@dataclass(slots=True)
class Line:
    """One action: seed, solver it is for (None: the only one), action, spelling, arguments, and what followed it."""

    action: str
    args: list[Token] = field(default_factory=list)
    seed: int | None = None
    target: str | None = None
    spelling: str | None = None
    results: list[tuple[str, list[Token]]] = field(default_factory=list)
    number: int = 0  # in its file

    def head(self) -> str:
        """The line itself, without what followed it."""
        words = [f"{self.seed:>6}"] if self.seed is not None else [" " * 6]
        name = f"{self.target}.{self.action}" if self.target else self.action
        words.append(f"{name}@{self.spelling}" if self.spelling else name)
        words.extend(map(print_token, self.args))
        return " ".join(words)

    def result(self, name: str) -> list[Token] | None:
        """The tokens of the first result line called `name`."""
        return next((tokens for kind, tokens in self.results if kind == name), None)


@dataclass
class Trace:
    """A parsed trace: its header (comments `# key value`), the options of Murxla where it wrote it, its lines."""

    name: str
    lines: list[Line] = field(default_factory=list)
    header: dict[str, str] = field(default_factory=dict)
    murxla_options: list[str] | None = None

    @property
    def murxla(self) -> bool:
        """True if the trace is in Murxla's dialect."""
        return self.murxla_options is not None

    @property
    def solver(self) -> str:
        """The name of the solver that the trace was made with; the empty string where it does not say."""
        if self.murxla_options is not None:
            named = [option[2:] for option in self.murxla_options if option[2:] in MURXLA_SOLVERS]
            return named[-1] if named else ""
        return self.header.get("solver", "").split(" ")[0]

    @property
    def seed(self) -> int:
        """The seed of the run, 0 where the header has none."""
        return int(self.header.get("seed") or "0", 16)

    def text(self) -> str:
        """The trace as a file."""
        return "".join(f"{row}\n" for row in self._rows())

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
    """A result line: what followed the action above it."""
    return f"{INDENT}{name} {' '.join(map(print_token, tokens))}".rstrip()


def parse_trace(text: str, name: str) -> Trace:
    """Read a trace, ours or Murxla's. InputError names file and line and what was expected."""
    if len(text) > MAX_TRACE:
        raise InputError(f"a trace of more than {MAX_TRACE >> 20} MB, expected a smaller one", file=name)
    trace = Trace(name)
    for number, row in enumerate(_rows_of(text), 1):
        _read_row(trace, row.strip(), number)
    if not trace.lines:
        raise InputError("no action in this trace, expected lines like '12345 new'", file=name)
    return trace


def _rows_of(text: str) -> Iterator[str]:
    """The rows of a text, one at a time: a list of them all would take as much memory as the text again."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _read_row(trace: Trace, row: str, number: int) -> None:
    if not row:
        return
    if row.startswith("#"):
        if not trace.lines:
            _read_header(trace, row[1:].strip(), number)
        return
    if row.split(" ")[0] == MURXLA_OPTIONS and not trace.lines:
        trace.murxla_options = row.split()[1:]
        return
    head = _HEAD.match(row)
    if head is None:
        raise InputError(f"expected '<seed> <action> <arguments>', found '{row[:40]}'", file=trace.name, line=number)
    seed, target, action, spelling = head.groups()
    tokens = read_tokens(row[head.end() :], trace.name, number)
    if seed is None and action in RESULTS:
        if not trace.lines:
            raise InputError(f"'{action}' before any action", file=trace.name, line=number)
        line = trace.lines[-1]
        line.results = [*line.results, (sys.intern(action), tokens)]  # exactly as long as it must be
        return
    name, form = sys.intern(action), sys.intern(spelling) if spelling else None  # a long trace has few of them, many times
    trace.lines.append(Line(name, tokens, int(seed) if seed else None, target, form, [], number))


def _read_header(trace: Trace, text: str, number: int) -> None:
    """A comment above the first action: a key and its value. Raises InputError for a format or seed that cannot be read."""
    key, _, value = text.partition(" ")
    if not key:
        return
    trace.header.setdefault(key, value)
    if key == "murxpy-trace" and value.split(" ")[0] != str(VERSION):
        message = f"trace format '{value}', this murxpy reads format {VERSION}"
        raise InputError(message, file=trace.name, line=number)
    if key == "seed" and not _SEED.fullmatch(value):
        raise InputError(f"expected a seed in hexadecimal, found '{value[:40]}'", file=trace.name, line=number)
