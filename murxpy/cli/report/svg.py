"""Drawings as the text of SVG files: their parts, and charts with axes and a legend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log10

from murxpy.cli.report.text import xml_text
from murxpy.foreign import escaped

_FONT = 'font-family="\'DejaVu Sans\', Verdana, Helvetica, sans-serif" font-size="11"'


def stroke(
    points: Sequence[tuple[float, float]],
    colour: str,
    width: float = 1.0,
    dashes: str = "",
    title: str = "",
) -> str:
    """A line through points, with a title that a pointer on it shows."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dashed}>'
        f"<title>{xml_text(title)}</title></polyline>"
    )


def words(
    x: float,
    y: float,
    text: str,
    weight: str = "normal",
    ink: str = "#26303c",
    anchor: str = "start",
    size: float | None = None,
) -> str:
    """A text whose foot stands at a point, by default in the size of the picture."""
    large = "" if size is None else f' font-size="{size:g}"'
    bold = f' font-weight="{weight}"' if weight != "normal" else ""
    where = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{large} fill="{ink}"{bold}{where}>{xml_text(escaped(text))}</text>'


def picture(width: float, height: float, parts: Sequence[str]) -> str:
    """The whole file, on a white ground."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" {_FONT}>'
    )
    return "\n".join(
        [head, '<rect width="100%" height="100%" fill="#ffffff"/>', *parts, "</svg>", ""]
    )


# ----------------------------------------------------------------------
# Charts.


_GRID, _INK = "#e3e8ee", "#26303c"
_COLOURS = ("#1b6ca8", "#c0392b", "#27814b", "#8e5ea2", "#b9770e", "#17808a", "#7f5539", "#5b6775")
_DASHES = ("", "6 3", "2 3")
_COLD, _HOT = (255, 226, 178), (178, 24, 43)


@dataclass
class Chart:
    """A chart with a title, axes and a legend. Its plot is `wide` by `high` pixels, with `left` pixels
    before it for labels and `top` pixels above it; the
    names of the curves get `legend` pixels beside it. `x` are the values at its left and right side, and `y` those at its bottom and
    its top.
    """

    title: str
    x: tuple[float, float]
    y: tuple[float, float]
    wide: float = 640
    high: float = 360
    left: float = 120
    top: float = 64
    legend: float = 180
    _parts: list[str] = field(default_factory=list)
    _keys: dict[str, tuple[str, str]] = field(default_factory=dict)

    def _at(self, x: float, y: float) -> tuple[float, float]:
        """The point of the drawing for two values."""
        across = (x - self.x[0]) / ((self.x[1] - self.x[0]) or 1)
        up = (y - self.y[0]) / ((self.y[1] - self.y[0]) or 1)
        return self.left + self.wide * across, self.top + self.high * (1 - up)

    def x_axis(
        self, labels: Mapping[float, str], *, above: bool = False, grid: bool = True
    ) -> None:
        """Label values of x below or above the plot, with a line of the grid at each."""
        foot = self.top - 8 if above else self.top + self.high + 16
        for value, text in labels.items():
            x, _ = self._at(value, 0)
            if grid:
                self._parts.append(stroke([(x, self.top), (x, self.top + self.high)], _GRID))
            self._parts.append(words(x, foot, text, anchor="middle"))

    def y_axis(self, labels: Mapping[float, str], *, grid: bool = True) -> None:
        """Label values of y beside the plot, with a line of the grid at each."""
        for value, text in labels.items():
            _, y = self._at(0, value)
            if grid:
                self._parts.append(stroke([(self.left, y), (self.left + self.wide, y)], _GRID))
            self._parts.append(words(self.left - 8, y + 4, text, anchor="end"))

    def heading(self, x: float, text: str) -> None:
        """Write a heading over the part of the plot that begins at a value of x."""
        self._parts.append(words(self._at(x, 0)[0], self.top - 24, text, "bold"))

    def key(self, name: str, colour: str, dashes: str = "") -> None:
        """Name a colour in the legend."""
        self._keys[name] = colour, dashes

    def curve(self, name: str, points: Iterable[tuple[float, float]]) -> None:
        """Draw a line through points, in a colour and with dashes of its own, and name it in the
        legend.
        """
        row = len(self._keys)
        colour = _COLOURS[row % len(_COLOURS)]
        dashes = _DASHES[row // len(_COLOURS) % len(_DASHES)]
        self.key(name, colour, dashes)
        self._parts.append(stroke([self._at(*one) for one in points], colour, 1.8, dashes, name))

    def bar(self, y: float, least: float, middle: float, most: float, key: str, title: str) -> None:
        """Draw a bar from the value `least` to `most` with a mark at `middle`, in the colour of a key."""
        ends = [self._at(least, y), self._at(most, y)]
        ends[1] = max(ends[1], (ends[0][0] + 2, ends[0][1]))
        mark, height = self._at(middle, y)
        self._parts.append(stroke(ends, self._keys[key][0], 3.0, "", title))
        self._parts.append(stroke([(mark, height - 3), (mark, height + 3)], _INK, 1.5))

    def cell(self, x: float, y: float, count: int, title: str) -> None:
        """Fill the square from (x, y) to (x + 1, y + 1) in a colour that grows hotter with the count."""
        left, top = self._at(x, y)
        right, foot = self._at(x + 1, y + 1)
        heat = min(1.0, log10(1 + count) / 4)
        mixed = [round(a + (b - a) * heat) for a, b in zip(_COLD, _HOT, strict=True)]
        colour = "#{:02x}{:02x}{:02x}".format(*mixed) if count else "#f1f4f7"
        ink = "#ffffff" if heat > 0.6 else _INK
        number = words(right - 8, foot - 7, f"{count:,}", ink=ink, anchor="end") if count else ""
        self._parts.append(
            f'<g><title>{xml_text(title)}</title><rect x="{left:.1f}" y="{top:.1f}" width="{right - left - 2:.1f}" '
            f'height="{foot - top - 2:.1f}" fill="{colour}"/>{number}</g>'
        )

    def text(self) -> str:
        """The whole file."""
        parts = [words(12, 22, self.title, "bold"), *self._parts]
        side = self.left + self.wide + 20
        named = self._keys if self.legend else {}
        for row, (name, (colour, dashes)) in enumerate(named.items()):
            y = self.top + row * 16
            parts.append(stroke([(side, y), (side + 22, y)], colour, 1.8, dashes))
            parts.append(words(side + 28, y + 4, name))
        width = side + (self.legend if self._keys else 0)
        return picture(width, self.top + max(self.high + 40, 16 * len(named) + 20), parts)
