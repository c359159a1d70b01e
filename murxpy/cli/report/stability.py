"""The stability of scripts, as tables, plain data and a drawing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from math import log10
from typing import Any

from murxpy.cli.report.svg import picture, stroke, words
from murxpy.cli.report.tables import Table, kinds
from murxpy.oracles.stability import CLASSES, REFUSED, Spread, class_of
from murxpy.studies.stability import Row

_COLOURS = {"stable": "#27814b", "unstable": "#c0392b", "unsolved": "#5b6775", "unsure": "#b9770e"}
_LEFT, _TOP, _ROW, _WIDE, _GAP = 300, 60, 18, 560, 24  # pixels
_DRAWN = 60  # scripts in the drawing


def scripts_table(rows: Sequence[Row]) -> Table:
    """A row for each target and script: the answer to the script itself, its class, and for each method
    how many variants were decided and how many times the least cost the greatest is.
    """
    methods = list(rows[0].spreads) if rows else []
    columns = kinds(["target", "script", "answer"], ["cost"])
    table = Table({**columns, **kinds(["class"], methods)})
    for row in rows:
        plain = row.plain.answer, row.plain.cost
        table.add(row.target, row.script, *plain, row.kind, *map(_cell, row.spreads.values()))
    return table


def _cell(one: Spread) -> str:
    times = f" x{one.ratio:.1f}" if one.decided else ""
    return f"{one.decided}/{one.count}{times}"


def classes_table(rows: Sequence[Row]) -> Table:
    """A row for each target and method, and one for all methods: the number of scripts of each class."""
    columns = (*CLASSES, REFUSED)
    table = Table(kinds(["target", "method"], columns))
    for target in dict.fromkeys(row.target for row in rows):
        own = [row for row in rows if row.target == target]
        for method in own[0].spreads:
            counts = Counter(
                REFUSED if row.kind == REFUSED else class_of(row.spreads[method]) for row in own
            )
            table.add(target, method, *(counts[one] for one in columns))
        whole = Counter(row.kind for row in own)
        table.add(target, "all", *(whole[one] for one in columns), style="bold")
    return table


def study_data(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """All of it as plain data."""
    return [
        {
            "target": row.target,
            "script": row.script,
            "answer": row.plain.answer,
            "cost": row.plain.cost,
            "message": row.plain.message,
            "class": row.kind,
            "answers": row.answers,
            "first": row.first,
            "crashes": row.crashes,
            "methods": {
                method: {"class": class_of(one), **asdict(one)}
                for method, one in row.spreads.items()
            },
        }
        for row in rows
    ]


def study_table(rows: Sequence[Row]) -> Table:
    """A row for each target, script and method, with all figures."""
    figures = ["variants", "decided", "answers", "least", "middle", "most"]
    table = Table(kinds(["target", "script", "class", "method"], figures))
    for row in rows:
        for method, one in row.spreads.items():
            known = one.count, one.decided, " ".join(one.answers)
            costs = one.least, one.middle, one.most
            table.add(row.target, row.script, class_of(one), method, *known, *costs)
    return table


def drawing(rows: Sequence[Row]) -> str:
    """A bar for each script and method, from the least to the greatest cost of its decided variants,
    with a mark at half of them; scripts whose costs differ most stand first. The colour shows the
    class.
    """
    shown = sorted(rows, key=lambda row: -max(one.ratio for one in row.spreads.values()))[:_DRAWN]
    costs = [
        cost for row in shown for one in row.spreads.values() for cost in (one.least, one.most)
    ]
    low = log10(max(1, min(filter(None, costs), default=1)))
    high = max(low + 1, log10(max(1, max(costs, default=1))))

    def place(cost: int) -> float:
        return _LEFT + (log10(max(1, cost)) - low) * _WIDE / (high - low)

    parts = [words(12, 22, "Cost of variants that mean the same, in resource units", "bold")]
    parts += _legend()
    y = _TOP
    for power in range(int(low), int(high) + 2):
        if low <= power <= high:
            parts.append(words(place(10**power), _TOP - 6, f"10^{power}", anchor="middle"))
    for row in shown:
        parts.append(words(12, y + 12, f"{row.target} {row.script}"[-44:]))
        for method, one in row.spreads.items():
            parts += _bar(row, method, one, place, y)
            y += _ROW // 2
        y += _ROW // 2
    return picture(_LEFT + _WIDE + 40, y + _GAP, parts)


def _legend() -> list[str]:
    return [
        words(420 + 90 * at, 22, name, ink=colour)
        for at, (name, colour) in enumerate(_COLOURS.items())
    ]


def _bar(row: Row, method: str, one: Spread, place: Any, y: float) -> list[str]:
    title = (
        f"{row.target} {row.script}, {method}: {one.decided} of {one.count} decided, "
        f"{one.least:,} to {one.most:,} units"
    )
    if not one.decided:
        return []
    colour, height = _COLOURS[class_of(one)], y + 7
    ends = [(place(one.least), height), (max(place(one.most), place(one.least) + 2), height)]
    middle = place(one.middle)
    return [
        stroke(ends, colour, 3.0, "", title),
        stroke([(middle, height - 3), (middle, height + 3)], "#26303c", 1.5),
    ]
