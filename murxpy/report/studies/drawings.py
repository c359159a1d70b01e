"""The drawings of a study of releases, as the text of SVG files: a heat map of triggers, and lines of
scripts solved by cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log10

from murxpy.campaign.matrix.triggers import TRIGGERS, Found
from murxpy.report.studies.svg import picture, stroke, words
from murxpy.report.studies.tables import powers
from murxpy.report.text import xml_text

_LEFT, _TOP, _CELL, _ROW, _GAP = 120, 64, 62, 20, 24  # pixels
_WIDE, _HIGH = 640, 360  # of the plot of lines
_LINES = ("#1b6ca8", "#c0392b", "#27814b", "#8e5ea2", "#b9770e", "#17808a", "#7f5539", "#5b6775")
_DASHES = ("", "6 3", "2 3")


def heat_map(found: Found) -> str:
    """A panel for each kind of triggers, with a row for each release and a column for each grammar."""
    releases, grammars = found.releases, found.grammars
    panel = len(grammars) * _CELL + _GAP
    width = _LEFT + len(TRIGGERS) * panel
    height = _TOP + len(releases) * _ROW + _GAP
    parts = [words(12, 22, "Triggers by release and grammar", "bold")]
    for row, one in enumerate(releases):
        parts.append(words(12, _TOP + row * _ROW + 14, one.name))
    for at, kind in enumerate(TRIGGERS):
        left = _LEFT + at * panel
        parts.append(words(left, 40, kind, "bold"))
        for column, (number, name) in enumerate(grammars.items()):
            x = left + column * _CELL
            parts.append(words(x + 2, 56, name[:9]))
            for row, one in enumerate(releases):
                cell = found.cells.get((one.number, number))
                count = None if cell is None else cell.kinds[kind]
                title = f"{one.name}, {name}: {count} {kind}"
                parts += _square(x, _TOP + row * _ROW, count, title)
    return picture(width, height, parts)


def _square(x: int, y: int, count: int | None, title: str) -> Iterator[str]:
    if count is None:
        return
    heat = min(1.0, log10(1 + count) / 4)
    colour = "#f1f4f7" if not count else _mix((255, 226, 178), (178, 24, 43), heat)
    yield (
        f'<g><title>{xml_text(title)}</title><rect x="{x}" y="{y}" width="{_CELL - 2}" height="{_ROW - 2}" '
        f'fill="{colour}"/>'
    )
    ink = "#ffffff" if heat > 0.6 else "#26303c"
    yield (
        f"{words(x + _CELL - 8, y + 13, f'{count:,}', ink=ink, anchor='end')}</g>"
        if count
        else "</g>"
    )


def _mix(low: Sequence[int], high: Sequence[int], share: float) -> str:
    mixed = [round(a + (b - a) * share) for a, b in zip(low, high, strict=True)]
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def solved_lines(found: Found) -> str:
    """A line for each release: the share of its scripts that it decides at a cost of at most 2^k."""
    shown = powers(found)
    parts = [words(12, 22, "Scripts decided at a cost of at most 2^k resource units", "bold")]
    span = max(1, len(shown) - 1)
    for power in shown:
        x = _LEFT + (power - shown[0]) * _WIDE / span
        parts.append(stroke([(x, _TOP), (x, _TOP + _HIGH)], "#e3e8ee"))
        parts.append(words(x, _TOP + _HIGH + 16, f"{power}", anchor="middle"))
    for percent in range(0, 101, 20):
        y = _TOP + _HIGH * (1 - percent / 100)
        parts.append(stroke([(_LEFT, y), (_LEFT + _WIDE, y)], "#e3e8ee"))
        parts.append(words(_LEFT - 8, y + 4, f"{percent} %", anchor="end"))
    for row, one in enumerate(found.releases):
        whole = found.whole(one.number)
        colour = _LINES[row % len(_LINES)]
        dashes = _DASHES[row // len(_LINES) % len(_DASHES)]
        points = [
            (
                _LEFT + (power - shown[0]) * _WIDE / span,
                _TOP + _HIGH * (1 - whole.solved(power) / max(1, whole.asked)),
            )
            for power in shown
        ]
        parts.append(stroke(points, colour, 1.8, dashes, one.name))
        y = _TOP + row * 16
        legend = _LEFT + _WIDE + 20
        parts.append(stroke([(legend, y), (legend + 22, y)], colour, 1.8, dashes))
        parts.append(words(legend + 28, y + 4, one.name))
    height = max(_TOP + _HIGH + 40, _TOP + 16 * len(found.releases) + 20)
    return picture(_LEFT + _WIDE + 180, height, parts)
