"""What each pass of a reduction gives, and what it costs: a part of `bench/reduction.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import common

from murxpy.passes import trace
from murxpy.passes.reduction import Asking, Reducer


@dataclass
class Gain:
    """Candidates that a pass had tested, those that were accepted, and what became less."""

    tests: int = 0
    accepted: int = 0
    lines: int = 0
    terms: int = 0


class Gains:
    """The gains of all passes while `counted` is open."""

    def __init__(self) -> None:
        self.passes: dict[str, Gain] = {}
        self._name = ""

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Inside, each offer of a pass counts."""
        before = Reducer.offer, trace.each, trace.ddmin
        Reducer.offer = self._offering(Reducer.offer)  # type: ignore[method-assign]
        trace.each = self._named(trace.each)  # type: ignore[attr-defined]
        trace.ddmin = self._named(trace.ddmin)  # type: ignore[attr-defined]
        try:
            yield
        finally:
            Reducer.offer, trace.each, trace.ddmin = before  # type: ignore

    def _named(self, run: Callable[..., Asking[None]]) -> Callable[..., Asking[None]]:
        """Lets the variants of a pass name its offers."""

        def named(reducer: Reducer[Any], length: Any, variants: Any) -> Asking[None]:
            self._name = variants.__name__
            try:
                yield from run(reducer, length, variants)
            finally:
                self._name = ""

        return named

    def _offering(
        self, offer: Callable[..., Asking[int | None]]
    ) -> Callable[..., Asking[int | None]]:
        def offering(reducer: Reducer[Any], candidates: Iterable[Any]) -> Asking[int | None]:
            gain = self.passes.setdefault(self._name or "whole traces", Gain())
            tests, key = reducer.tests, reducer._key
            try:
                return (yield from offer(reducer, candidates))
            finally:
                gain.tests += reducer.tests - tests
                gain.accepted += reducer._key != key
                gain.lines += key[0] - reducer._key[0]
                gain.terms += key[1] - reducer._key[1]

        return offering

    def print(self) -> None:
        """Print a line for each pass, the most candidates first."""
        rows = [
            (name, gain.tests, gain.accepted, gain.lines, gain.terms)
            for name, gain in sorted(self.passes.items(), key=lambda entry: -entry[1].tests)
            if gain.tests
        ]
        common.table(
            "Passes over traces",
            ("pass", "tests", "accepted", "lines less", "terms less"),
            rows,
        )
