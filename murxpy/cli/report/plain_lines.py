"""Reporters that write at most one line for each event; and plain lines, for output that is no
terminal: `word key=value ...`, stable and easy to grep.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict
from typing import Self, TextIO

from murxpy.cli.report.console import tolerate_any_text
from murxpy.cli.report.text import form_word, one_line, percent, seed_text, target_names
from murxpy.records.events import (
    Alike,
    Bisected,
    Ended,
    Event,
    Found,
    Notice,
    Reproduced,
    Started,
    Tick,
)
from murxpy.records.snapshot import Left, Snapshot

EVERY = 5.0  # seconds between two status lines


class Lines(ABC):
    """Writes the line of each event that has one to `stream`; subclasses say what it is."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def consume(self, event: Event) -> None:
        """Write the line of an event, if it has one. Raises BrokenPipeError when nobody reads, which
        `console.quiet_pipe` catches.
        """
        line = self.line(event)
        if line is not None:
            self._stream.write(line + "\n")
            self._stream.flush()

    @abstractmethod
    def line(self, event: Event) -> str | None:
        """The line of an event; None where the event has none."""


class PlainLines(Lines):
    """Writes a line for each event that has one, and a `status` line every five seconds."""

    def __init__(self, stream: TextIO) -> None:
        tolerate_any_text(stream)
        super().__init__(stream)
        self._next = EVERY

    def line(self, event: Event) -> str | None:
        """The line of an event; None where the event has none."""
        match event:
            case Started():
                return _start(event)
            case Tick() if event.elapsed >= self._next:
                self._next = event.elapsed - event.elapsed % EVERY + EVERY
                return _progress(event.snapshot)
            case Found(new=True):
                return _bucket(event)
            case Reproduced():
                return _reproduced(event)
            case Bisected():
                return f"range key={event.bucket} releases={_quoted(event.releases)}"
            case Alike():
                return f"alike key={event.bucket} same={event.same}"
            case Notice():
                return f"notice {one_line(event.text)}"
            case Ended():
                return _end(event)
        return None


def _end(event: Ended) -> str:
    left = "".join(f" {word}" for word in _left(event.left))
    return f"{_status('end', event.snapshot)}{left} exit={event.exit_code} reason={_quoted(event.reason)}"


def _left(left: Left) -> list[str]:
    """The work that waits or is being done after the last run: one word for each number."""
    return [f"left-{name}={number}" for name, number in asdict(left).items() if number]


def _start(event: Started) -> str:
    limits = "" if event.time_limit is None else f" time={event.time_limit:g}"
    limits += "" if event.run_limit is None else f" runs={event.run_limit}"
    return (
        f"start targets={_quoted(target_names(event))} seed={event.seed} jobs={event.jobs} "
        f"machine={_quoted(event.machine)} out={_quoted(event.out)}{limits}"
    )


def _progress(snapshot: Snapshot) -> str:
    """The figures while runs are made; after the last run they do not change any more, so that the line
    tells what is still done.
    """
    if snapshot.left is None:
        return _status("status", snapshot)
    seconds = f"time={snapshot.elapsed:.1f}"
    return " ".join(["finishing", seconds, *_left(snapshot.left)])


def _status(word: str, snapshot: Snapshot) -> str:
    since = snapshot.since_new
    values = {
        "time": f"{snapshot.elapsed:.1f}",
        "runs": snapshot.runs,
        "runs/s": f"{snapshot.runs_per_second:.1f}",
        "decided": snapshot.decided,
        "decided/s": f"{snapshot.decided_per_second:.1f}",
        "solver": _percent(snapshot.solver_share),
        **snapshot.answers,
        **{f"refused-{name}": count for name, count in snapshot.refusals.items()},
        **snapshot.mutants,
        **snapshot.traits,
        **{f"judges-{name}": count for name, count in snapshot.judged.items()},
        **(
            {
                "confirmed": _percent(snapshot.confirmed_share),
                "judges-time": _percent(snapshot.judges_share),
            }
            if snapshot.judged
            else {}
        ),
        "overstayed": snapshot.overstayed,
        "lost": snapshot.lost,
        "findings": snapshot.findings,
        "buckets": len(snapshot.buckets),
        "new": len(snapshot.new_buckets),
        "last-new": "-" if since is None else f"{since:.0f}",
    }
    return " ".join([word, *(f"{name}={value}" for name, value in values.items())])


def _percent(share: float | None) -> str:
    return percent(share).replace(" ", "")


def _bucket(event: Found) -> str:
    found, verdict = event.finding, event.finding.verdict
    return (
        f"bucket {'known' if event.known else 'new'} key={event.bucket} kind={verdict.kind} tier={verdict.tier} "
        f"severity={found.severity} solver={_quoted(f'{found.solver} {found.version}')} "
        f"confirmed={'yes' if found.confirmed else 'no'} seed={seed_text(found.seed)} lines={found.lines} "
        f"message={_quoted(one_line(verdict.message, 300))}"
    )


def _reproduced(event: Reproduced) -> str:
    lines = f" lines={event.before} smallest={event.after}" if event.after else ""
    words = [f"{form.form}={form_word(form)}" for form in event.forms]
    return f"reproduced key={event.bucket}{lines} {' '.join(words)}"


def _quoted(text: str) -> str:
    """The text as one word: in double quotes where it holds blanks or quotes."""
    text = one_line(text)
    if text and not any(char in text for char in ' "'):
        return text
    return '"' + text.replace('"', "'") + '"'
