"""The parts of drawings as the text of SVG files."""

from __future__ import annotations

from collections.abc import Sequence

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
