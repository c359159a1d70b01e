"""How a campaign went: charts of its figures over time, its sessions, the releases that show its
defects, and its health.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from math import ceil, floor, log10

from packaging.version import InvalidVersion, Version

from murxpy.cli.report.svg import Chart
from murxpy.cli.report.tables import COUNT, TEXT, Section, Table, kinds
from murxpy.cli.report.text import clock, percent
from murxpy.processes.limits import MIB
from murxpy.records.snapshot import Snapshot
from murxpy.records.timeline import Point, joined

_MOST = 120  # points of a curve: more are not told apart on a page
_WIDE, _HIGH, _LEFT, _TOP, _LEGEND = 280.0, 120.0, 56.0, 34.0, 90.0  # pixels of a chart
_STEPS = (1, 2, 5, 10)
_SECONDS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400)
_RELEASES, _DEFECTS = 24, 200  # columns and rows of the matrix of releases

Curve = Sequence[tuple[float, float]]
Figure = Callable[[Point], float]


# ----------------------------------------------------------------------
# Charts.


def charts(points: Sequence[Point], firsts: Iterable[float]) -> dict[str, str]:
    """The drawings of a campaign over the time of all its sessions, by title. `firsts` are the times, in
    seconds since the epoch, at which its defects were found. There is none with fewer than two points.
    """
    line = _thinned(joined(points))
    if len(line) < 2:
        return {}
    end = line[-1].elapsed
    found = _steps(_moments(firsts, points), end)
    curves: dict[str, dict[str, Curve]] = {
        "Runs a second": {"runs": _rates(line, lambda one: one.runs)},
        "Decided checks a second": {"decided": _rates(line, lambda one: one.decided)},
        "Defects found": {"defects": found},
        "Solver's share of the time of runs, %": {
            "solver": _shares(line, lambda one: one.solver_ns, lambda one: one.run_ns)
        },
        "Unknown answers, % of checks": {
            "unknown": _shares(line, lambda one: one.unknown, lambda one: one.checks)
        },
        "Runs ended, workers lost": {
            "ended": [(one.elapsed, one.killed) for one in line],
            "lost": [(one.elapsed, one.lost) for one in line],
        },
        "Memory in use, MiB": {
            "supervisor": [(one.elapsed, one.supervisor / MIB) for one in line],
            "largest": [(one.elapsed, one.largest / MIB) for one in line],
        },
    }
    return {title: _drawn(title, end, named) for title, named in curves.items()}


def _thinned(line: Sequence[Point]) -> list[Point]:
    """At most `_MOST` of the points, evenly spread over the time, with the first and the last one."""
    if not line:
        return []
    span = (line[-1].elapsed - line[0].elapsed) / _MOST
    kept = [line[0]]
    for point in line[1:]:
        if point is line[-1] or point.elapsed - kept[-1].elapsed >= span:
            kept.append(point)
    return kept


def _rates(line: Sequence[Point], figure: Figure) -> Curve:
    """How much a figure grew in a second, between each two points."""
    return [
        (new.elapsed, (figure(new) - figure(old)) / (new.elapsed - old.elapsed))
        for old, new in pairwise(line)
        if new.elapsed > old.elapsed
    ]


def _shares(line: Sequence[Point], part: Figure, whole: Figure) -> Curve:
    """How many percent one figure was of another between each two points."""
    return [
        (new.elapsed, min(100.0, 100 * (part(new) - part(old)) / (whole(new) - whole(old))))
        for old, new in pairwise(line)
        if whole(new) > whole(old)
    ]


def _steps(moments: Sequence[float], end: float) -> Curve:
    """A curve that goes up by one at each moment."""
    found = [(0.0, 0.0)]
    for count, moment in enumerate(moments, 1):
        found += [(moment, count - 1.0), (moment, float(count))]
    return [*found, (end, float(len(moments)))]


def _moments(firsts: Iterable[float], points: Sequence[Point]) -> list[float]:
    """The seconds of campaign, over all sessions, at times in seconds since the epoch, in order."""
    spent = {point.session: point.elapsed for point in points}
    starts = list(spent)
    before = [0.0, *accumulate(spent.values())]
    found = []
    for first in firsts:
        at = max(0, bisect_right(starts, first) - 1)
        found.append(before[at] + min(max(0.0, first - starts[at]), spent[starts[at]]))
    return sorted(found)


def _drawn(title: str, end: float, curves: Mapping[str, Curve]) -> str:
    high = max((y for curve in curves.values() for _, y in curve), default=0.0)
    marks = _marks(high)
    legend = _LEGEND if len(curves) > 1 else 0  # the title names the only curve
    chart = Chart(title, (0, end), (0, marks[-1]), _WIDE, _HIGH, _LEFT, _TOP, legend)
    step = next((one for one in _SECONDS if end / one <= 6), 86400 * ceil(end / 86400 / 6))
    chart.x_axis({at: clock(at) for at in range(0, int(end) + 1, step)}, grid=False)
    chart.y_axis({mark: f"{mark:,.4g}" for mark in marks})
    for name, curve in curves.items():
        chart.curve(name, curve)
    return chart.text()


def _marks(high: float) -> list[float]:
    """About four round values from 0 to at least `high`."""
    rough = max(high, 1e-9) / 4
    power = 10.0 ** floor(log10(rough))
    step = next(one * power for one in _STEPS if one * power >= rough * 0.999)
    return [step * at for at in range(max(1, ceil(high / step - 1e-9)) + 1)]


# ----------------------------------------------------------------------
# Tables.


def sessions_section(sessions: Sequence[tuple[float, float | None, str | None]]) -> Section:
    """When the sessions of a campaign began, how long they took, and why they ended."""
    table = Table(kinds(["began (UTC)", "time", "end"]))
    for started, ended, reason in sessions:
        began = f"{datetime.fromtimestamp(started, UTC):%Y-%m-%d %H:%M:%S}"
        if ended is None:
            table.add(began, "-", "it runs, or was killed")
        else:
            table.add(began, clock(ended - started), reason or "-")
    return Section("Sessions", [table])


def health_section(figures: Snapshot, points: Sequence[Point]) -> Section:
    """What hinders the runs: runs that were ended from outside, processes that died, calls that were
    refused, the parts of the time of the processors, and the memory.
    """
    line = joined(points)
    table = Table(kinds(["what", "how much"]))
    if line:
        last = line[-1]
        share = percent(last.killed / last.runs if last.runs else None)
        table.add("runs ended from outside, at a limit", f"{last.killed:,} ({share})")
        table.add("worker processes lost", f"{last.lost:,}")
        for name, part in (("supervisor", "supervisor"), ("largest process below it", "largest")):
            most = max(getattr(one, part) for one in points)
            table.add(f"most memory of the {name}", f"{most / MIB:,.0f} MiB")
    for name, number in figures.refusals.items():
        table.add(f"calls refused: {name}", f"{number:,}")
    whole = sum(figures.cpu.get(name, 0.0) for name in _PARTS)
    for name in _PARTS:
        seconds = figures.cpu[name]
        if seconds:
            table.add(
                f"processor time: {name}", f"{clock(seconds)} ({percent(seconds / (whole or 1))})"
            )
    return Section("Health", [table])


_PARTS = ("runs", "replays", "judges", "gdb", "follow-up", "targets", "supervisor")
_SIGNS = {"shows": "●", "gone": "○", "untestable": "?"}


def releases_section(asked: Mapping[str, Mapping[str, str]]) -> Iterator[Section]:
    """Which releases show which defects. `asked` has the answers of releases, `shows`, `gone` or
    `untestable`, by what is wrong. Nothing where no release was asked.
    """
    releases = sorted({one for answers in asked.values() for one in answers}, key=_release)
    if not releases:
        return
    shown = releases[-_RELEASES:]
    rows = [(wrong, answers) for wrong, answers in asked.items() if answers]
    table = Table({"defect": TEXT, **dict.fromkeys(shown, TEXT)})
    for wrong, answers in rows[:_DEFECTS]:
        table.add(wrong, *(_SIGNS.get(answers.get(one, ""), "") for one in shown))
    total = Table({"release": TEXT, "defects that it shows": COUNT})
    for one in reversed(releases):
        count = sum(answers.get(one) == "shows" for answers in asked.values())
        total.add(one, count)
    note = "● shows it, ○ does not, ? cannot tell; an empty cell was not asked."
    more = (
        [f"{len(releases) - len(shown)} older releases are left out."] * (shown != releases)
    ) + ([f"{len(rows) - _DEFECTS} more defects are left out."] * (len(rows) > _DEFECTS))
    yield Section("Releases", [note, *more, table, total])


def _release(name: str) -> tuple[int, Version | None, str]:
    try:
        return 1, Version(name), ""
    except InvalidVersion:
        return 0, None, name
