"""Traces as lines: reading a file and printing it again. The reference is `traces/FORMAT.md`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from murxpy.errors import InputError
from murxpy.machine.tokens import Token, print_token, read_tokens

VERSION = 1
RESULTS = ("return", "answer", "value", "refused", "raised")
INDENT = "      "
MAX_TRACE = 256 << 20

_HEAD = re.compile(r"(?:(\d{1,20})\s+)?(?:(o\d{1,9})\.)?([A-Za-z][A-Za-z0-9_-]*)(?:@(\S+))?(?=\s|$)")


@dataclass(slots=True)
class Line:
    """One action: seed, solver it is for (None: the current one), action, spelling, arguments, and what followed it."""

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
    """A parsed trace: its header (comments `# key value`), whether Murxla wrote it, its lines."""

    name: str
    lines: list[Line] = field(default_factory=list)
    header: dict[str, str] = field(default_factory=dict)
    murxla: bool = False

    def text(self) -> str:
        """The trace as a file."""
        return "".join(f"{row}\n" for row in self._rows())

    def _rows(self) -> Iterator[str]:
        for key, value in self.header.items():
            yield f"# {key} {value}".rstrip()
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
    for number, row in enumerate(text.split("\n"), 1):
        _read_row(trace, row, number)
    if not trace.lines:
        raise InputError("no action in this trace, expected lines like '12345 new'", file=name)
    version = trace.header.get("murxpy-trace")
    if version is not None and version.split(" ")[0] != str(VERSION):
        raise InputError(f"trace format {version}, this murxpy reads format {VERSION}", file=name, line=1)
    return trace


def _read_row(trace: Trace, row: str, number: int) -> None:
    stripped = row.strip()
    if not stripped:
        return
    if stripped.startswith("#"):
        key, _, value = stripped[1:].strip().partition(" ")
        if not trace.lines and key:
            trace.header.setdefault(key, value)
        return
    if stripped.startswith("set-murxla-options"):
        trace.murxla = True
        return
    head = _HEAD.match(stripped)
    if head is None:
        raise InputError(f"expected '<seed> <action> <arguments>', found '{stripped[:40]}'", file=trace.name, line=number)
    seed, target, action, spelling = head.groups()
    tokens = read_tokens(stripped[head.end() :], trace.name, number)
    if seed is None and action in RESULTS:
        if not trace.lines:
            raise InputError(f"'{action}' before any action", file=trace.name, line=number)
        trace.lines[-1].results.append((action, tokens))
        return
    trace.lines.append(Line(action, tokens, int(seed) if seed else None, target, spelling, [], number))
