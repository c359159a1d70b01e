"""The page of a campaign that may run: its parts, read again where they changed, in a small share of the
time of a processor.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from murxpy.cli.report.page import PARTS, part
from murxpy.cli.report.text import with_version
from murxpy.cli.report.written import Report, defects_of, told_by
from murxpy.errors import InputError
from murxpy.findings.defects import Grouping, grouping
from murxpy.findings.folder import CAMPAIGN, read_below
from murxpy.findings.store import Store
from murxpy.records.snapshot import Snapshot

# The share of a processor that reading and showing the campaign may take in all. The sums are read each
# second, which takes 2 ms; everything else waits until there is time for it in this share.
_SHARE = 0.01
_RECENT = 10.0  # seconds over which the rate of runs is taken
_WAITING = "waiting for a campaign"

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Shown:
    """The text of a part of the page, and the number of the reading that changed it last."""

    html: str
    version: int


class LivePage:
    """The page of the campaign in folder `out`, where one may be begun, run and end. It only reads.

    `parts` are the parts of the page by name, `version` is the number of the last reading that changed
    one, and `title` names the targets. `clock` and `spent` give the time and the time of the processor
    that this process took.
    """

    def __init__(
        self, out: Path, clock: Clock = time.monotonic, spent: Clock = time.process_time
    ) -> None:
        self._out = out
        self._clock, self._spent = clock, spent
        self.version = 0
        self.title = str(out)
        self.parts: dict[str, Shown] = {}
        self._forget()

    def _forget(self) -> None:
        """Begin anew, with no campaign."""
        self._store: Store | None = None
        self._file: os.stat_result | None = None
        self._group: Grouping | None = None
        self._report = Report(str(self._out), (), Snapshot(0.0, {}), 0.0, (), 0)
        self._state = _WAITING
        self._change: int | None = None
        self._changed = 0.0  # when the campaign wrote last, in seconds since the epoch
        self._old = dict.fromkeys(name for name in PARTS if name != "head")
        self._runs: deque[tuple[float, int]] = deque()
        self._paid = self._clock(), self._spent()
        self._show(dict.fromkeys(PARTS, ""))

    def refresh(self) -> bool:
        """Read what changed, as far as there is time for it, and return whether a part of the page
        changed. What cannot be read is said on the page.
        """
        before = self.version
        try:
            self._refresh()
        except InputError as error:
            self.close()
            if self._state != str(error):
                self._state = str(error)
                self._show({"head": self._head()})
        return self.version > before

    def close(self) -> None:
        """Close the database."""
        if self._store is not None:
            self._store.close()
        self._store = self._file = self._change = None

    def _refresh(self) -> None:
        if not self._opened():
            return
        assert self._store is not None
        change = self._store.changes()
        if change != self._change:
            self._change, self._changed = change, time.time()
            self._old |= dict.fromkeys(name for name in PARTS if name != "head")
            self._read_sums(self._store)
            self._show({"head": self._head()})
        first = not any(self.parts[name].html for name in PARTS if name != "head")
        while self._old and (first or self._affordable()):
            self._paid = self._clock(), self._spent()
            self._renew(next(iter(self._old)), self._store)
        if first:  # somebody waits for it, so it is not paid for
            self._paid = self._clock(), self._spent()

    def _opened(self) -> bool:
        """Open the database where it is not open, or another file stands in its place."""
        try:
            found = os.stat(self._out / CAMPAIGN)
        except OSError:
            found = None
        if self._file is not None and (found is None or not os.path.samestat(found, self._file)):
            self.close()
            self._forget()
        if found is None or not found.st_size:
            if not self.parts["head"].html:
                self._show({"head": self._head()})
            return False
        if self._store is None:
            self._store, self._file = Store(self._out, read_only=True), found
            self._group = grouping(self._out, partial(read_below, self._out))
        return True

    def _read_sums(self, store: Store) -> None:
        """Read the sums of the campaign and how far its last session is."""
        sessions, spent = store.sessions(), store.seconds(self._changed)
        ended, reason = sessions[-1][1:] if sessions else (None, None)
        figures = Snapshot(spent, {name: store.counter(name) for name in Report.COUNTED})
        now = self._clock()
        self._runs.append((now, figures.runs))
        while len(self._runs) > 2 and self._runs[1][0] <= now - _RECENT:
            self._runs.popleft()
        targets = tuple(with_version(one.name, one.version) for one in store.targets().values())
        self._report = replace(
            self._report, targets=targets, figures=figures, seconds=spent, sessions=sessions
        )
        self.title = ", ".join(targets)
        self._state = f"ended: {reason}" if ended is not None else "running"

    def _head(self) -> str:
        (first, before), (last, runs) = (
            (self._runs or [(0.0, 0)])[0],
            (self._runs or [(0.0, 0)])[-1],
        )
        rate = (runs - before) / (last - first) if last > first else 0.0
        wrote = (
            f"{datetime.fromtimestamp(self._changed, UTC):%H:%M:%S} UTC" if self._changed else ""
        )
        running = self._state == "running"
        return part(
            "head", self._report, state=self._state, rate=rate if running else None, wrote=wrote
        )

    def _affordable(self) -> bool:
        """Whether the share of the processor that is allowed was not used up since the last costly
        reading began.
        """
        since, before = self._paid
        return self._spent() - before <= _SHARE * (self._clock() - since)

    def _renew(self, name: str, store: Store) -> None:
        """Read what a part shows, and make it anew."""
        del self._old[name]
        if name == "defects":
            pages, hidden = defects_of(store, self._out, group=self._group)
            self._report = replace(self._report, defects=pages, hidden=hidden)
            self._show({"head": self._head()})
        elif name == "time":
            self._report = replace(self._report, points=store.timeline())
        elif name == "tables":
            now = self._report
            self._report = replace(
                told_by(store), folder=now.folder, defects=now.defects, hidden=now.hidden
            )
        self._show({name: part(name, self._report)})

    def _show(self, made: dict[str, str]) -> None:
        """Put texts in the place of those of parts."""
        for name, text in made.items():
            if name not in self.parts or self.parts[name].html != text:
                self.version += 1
                self.parts[name] = Shown(text, self.version)
