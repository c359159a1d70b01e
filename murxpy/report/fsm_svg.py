"""A state machine as a drawing: a card for each state with what it does, arrows with their
probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from murxpy.checks.registry import ANSWERING
from murxpy.data.visits import Visits
from murxpy.foreign import escaped
from murxpy.report.layered import Layout, Point, Route, layered_layout
from murxpy.report.text import xml_text

Machine = dict[str, Any]

_FONT = "font-family=\"'DejaVu Sans', Verdana, 'Segoe UI', Helvetica, sans-serif\""
_LETTER = 0.62  # mean width of a letter, in font sizes
_TITLE, _TEXT, _SMALL = 14.0, 11.0, 10.5
_ROW, _PAD, _HEAD = 16.0, 10.0, 42.0  # of a card: line height, inner margin, height of the title
_COLUMN = 12  # actions in one column of a card
_MARGIN = 28.0
_TOP = 78.0  # room for the heading
_CARD = {
    "normal": ("#f4f7fb", "#3d5a80"),
    "decision": ("#fdf3e1", "#b7791f"),
    "choice": ("#eef7ee", "#3f7d4e"),
}
_FORWARD, _BACKWARD = "#4a5b70", "#b4552d"
_RARE = 0.02  # below this probability an arrow is drawn pale


@dataclass(frozen=True)
class _Stay:
    """An action after which the run is still in the state."""

    action: str
    share: float
    details: str


@dataclass
class _Arrow:
    """All transitions from one state to another."""

    share: float
    flow: float
    lines: list[str]
    details: list[str]


def machine_svg(machine: Machine, visits: Visits) -> str:
    """The drawing of a checked machine as the text of an SVG file; shares and numbers are those of
    `visits`.
    """
    stays = {name: _stays(machine, visits, name) for name in machine["states"]}
    arrows = _arrows(machine, visits)
    sizes = {name: _card_size(name, stays[name]) for name in machine["states"]}
    labels = {edge: _label_size(arrow) for edge, arrow in arrows.items()}
    layout = layered_layout(sizes, labels, machine["start"])
    heading = _heading(machine, visits)
    width = max(layout.width, 8.0 * max(len(line) for line in heading)) + 2 * _MARGIN
    height = layout.height + _TOP + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" {_FONT}>',
        f"<title>The state machine {xml_text(escaped(machine['name']))}</title>",
        _MARKERS,
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        _text(_MARGIN, _MARGIN + 16, heading[0], 20, "#1d2733", weight="bold"),
        *(
            _text(_MARGIN, _MARGIN + 38 + 18 * i, line, 12, "#5b6775")
            for i, line in enumerate(heading[1:])
        ),
        f'<g transform="translate({_MARGIN + (width - 2 * _MARGIN - layout.width) / 2:.1f} {_TOP + _MARGIN:.1f})">',
        *_draw_arrows(layout, arrows),
        *(
            _card(machine, visits, name, layout.nodes[name], sizes[name], stays[name])
            for name in machine["states"]
        ),
        *_draw_labels(layout, arrows, labels),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


_MARKERS = "<defs>{}</defs>".format(
    "".join(
        f'<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0.8 L10,5 L0,9.2 Z" fill="{colour}"/></marker>'
        for name, colour in (("forward", _FORWARD), ("backward", _BACKWARD))
    )
)


def _heading(machine: Machine, visits: Visits) -> list[str]:
    terms, checks = (
        visits.actions.get("mk-term", 0.0),
        sum(visits.actions.get(a, 0.0) for a in ANSWERING),
    )
    return [
        f"{machine['name']}: {machine['about']}" if machine["about"] else machine["name"],
        f"A run: {visits.length:.0f} actions, {terms:.0f} operator terms, {checks:.1f} checks on average. "
        f"Shares are of the actions drawn in a state; a plain percentage goes on without an action.",
        "Brown arrows lead back.",
    ]


def _stays(machine: Machine, visits: Visits, name: str) -> list[_Stay]:
    found = [
        _Stay(transition["do"], visits.probability(name, position), _details(transition))
        for position, transition in enumerate(machine["states"][name]["do"])
        if transition["to"] == name
    ]
    return sorted(found, key=lambda stay: -stay.share)


def _arrows(machine: Machine, visits: Visits) -> dict[tuple[str, str], _Arrow]:
    arrows: dict[tuple[str, str], _Arrow] = {}
    going: dict[tuple[str, str], float] = {}
    for name, state in machine["states"].items():
        for position, transition in enumerate(state["do"]):
            edge = (name, transition["to"])
            if edge[0] == edge[1]:
                continue
            arrow = arrows.setdefault(edge, _Arrow(0.0, 0.0, [], []))
            share = visits.probability(name, position)
            arrow.share += share
            arrow.flow += visits.taken[name, position]
            arrow.details.append(f"{share_text(share)} {_details(transition)}")
            if transition["do"] == "go":
                going[edge] = going.get(edge, 0.0) + share
            else:
                arrow.lines.append(f"{transition['do']} {share_text(share)}")
    for edge, share in going.items():
        arrows[edge].lines.append(share_text(share))
    return arrows


def _details(transition: dict[str, Any]) -> str:
    when = f" when {', '.join(transition['when'])}" if transition["when"] else ""
    return f"{transition['do']} (weight {transition['weight']:g}){when}"


def share_text(share: float) -> str:
    """A share as a percentage with two digits that count: `79 %`, `4.2 %`, `0.03 %`, `0 %`."""
    value = 100 * share
    digits = 0 if value >= 9.95 or value == 0 else 1 if value >= 0.995 else 2
    return "<0.01 %" if 0 < value < 0.005 else f"{value:.{digits}f} %"


def _card_size(name: str, stays: list[_Stay]) -> tuple[float, float]:
    columns = -(-len(stays) // _COLUMN)
    rows = -(-len(stays) // columns) if stays else 0
    body = columns * _column_width(stays) + max(0, columns - 1) * _PAD
    width = max(body, _TITLE * _LETTER * len(name) * 1.08, 118.0) + 2 * _PAD
    return width, _HEAD + (rows * _ROW + _PAD if rows else 0.0)


def _column_width(stays: list[_Stay]) -> float:
    return max((len(stay.action) for stay in stays), default=0) * _TEXT * _LETTER + 58.0


def _label_size(arrow: _Arrow) -> tuple[float, float]:
    return max(len(line) for line in arrow.lines) * _SMALL * _LETTER + 10, 14.0 * len(
        arrow.lines
    ) + 4


def _card(
    machine: Machine,
    visits: Visits,
    name: str,
    centre: Point,
    size: tuple[float, float],
    stays: list[_Stay],
) -> str:
    width, height = size
    x, y = centre[0] - width / 2, centre[1] - height / 2
    fill, line = _CARD[machine["states"][name]["kind"]]
    strong = 2.2 if name in (machine["start"], machine["final"]) else 1.3
    parts = [
        f'<g transform="translate({x:.1f} {y:.1f})">',
        f"<title>{xml_text(_state_details(machine, name))}</title>",
        f'<rect width="{width:.1f}" height="{height:.1f}" rx="8" fill="{fill}" stroke="{line}" stroke-width="{strong}"/>',
        _text(width / 2, 19, name, _TITLE, line, weight="bold", anchor="middle"),
        _text(width / 2, 34, _visits_text(visits, name), _SMALL, "#5b6775", anchor="middle"),
        *_body(stays, line),
        "</g>",
    ]
    return "\n".join(parts)


def _visits_text(visits: Visits, name: str) -> str:
    return (
        f"{visits.entered[name]:.2f} visits"
        if visits.entered[name] < 9.95
        else f"{visits.entered[name]:.0f} visits"
    )


def _state_details(machine: Machine, name: str) -> str:
    state = machine["states"][name]
    needs = f", needs {', '.join(state['needs'])}" if state["needs"] else ""
    return f"{name} ({state['kind']}{needs})"


def _body(stays: list[_Stay], colour: str) -> list[str]:
    """The actions of a card, each with a bar as long as its share."""
    columns = -(-len(stays) // _COLUMN)
    rows = -(-len(stays) // columns) if stays else 0
    column = _column_width(stays)
    parts = []
    for index, stay in enumerate(stays):
        x, y = _PAD + index // rows * (column + _PAD), _HEAD + index % rows * _ROW
        bar = max(1.0, column * stay.share)
        parts += [
            f"<g><title>{xml_text(stay.details)}</title>",
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{column:.1f}" height="{_ROW - 2}" rx="3" fill="#ffffff"/>',
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{bar:.1f}" height="{_ROW - 2}" rx="3" fill="{colour}" opacity="0.22"/>',
            _text(x + 5, y + 11, stay.action, _TEXT, "#26303c"),
            _text(x + column - 5, y + 11, share_text(stay.share), _TEXT, "#26303c", anchor="end"),
            "</g>",
        ]
    return parts


def _draw_arrows(layout: Layout, arrows: dict[tuple[str, str], _Arrow]) -> list[str]:
    """The lines, rare ones first, so that the main ways lie on top."""
    parts = []
    for edge, arrow in sorted(arrows.items(), key=lambda item: item[1].flow):
        route = layout.routes[edge]
        name, colour = ("backward", _BACKWARD) if route.backward else ("forward", _FORWARD)
        pale = 0.45 if arrow.share < _RARE else 0.9
        thick = min(4.0, 1.0 + arrow.flow**0.5 * 0.7)
        parts.append(
            f'<path d="{_path(route)}" fill="none" stroke="{colour}" stroke-width="{thick:.2f}" opacity="{pale}" '
            f'marker-end="url(#{name})"/>'
        )
    return parts


def _path(route: Route) -> str:
    """A line that is vertical at each row and swings between rows."""
    points = route.points
    parts = [f"M{points[0][0]:.1f},{points[0][1]:.1f}"]
    for (x0, y0), (x1, y1) in pairwise(points):
        middle = (y0 + y1) / 2
        parts.append(
            f"L{x1:.1f},{y1:.1f}"
            if x0 == x1
            else f"C{x0:.1f},{middle:.1f} {x1:.1f},{middle:.1f} {x1:.1f},{y1:.1f}"
        )
    return " ".join(parts)


def _draw_labels(
    layout: Layout,
    arrows: dict[tuple[str, str], _Arrow],
    sizes: dict[tuple[str, str], tuple[float, float]],
) -> list[str]:
    parts = []
    for edge, arrow in arrows.items():
        (x, y), (width, height) = layout.routes[edge].label, sizes[edge]
        colour = _BACKWARD if layout.routes[edge].backward else "#26303c"
        title = f"{edge[0]} to {edge[1]}: " + "; ".join(arrow.details)
        parts += [
            f"<g><title>{xml_text(title)}</title>",
            f'<rect x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4" '
            'fill="#ffffff" opacity="0.92"/>',
        ]
        top = y - height / 2 + 13
        parts += [
            _text(x, top + 14 * index, line, _SMALL, colour, anchor="middle")
            for index, line in enumerate(arrow.lines)
        ]
        parts.append("</g>")
    return parts


def _text(
    x: float,
    y: float,
    text: str,
    size: float,
    colour: str,
    *,
    weight: str = "normal",
    anchor: str = "start",
) -> str:
    bold = f' font-weight="{weight}"' if weight != "normal" else ""
    where = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{colour}"{bold}{where}>{xml_text(escaped(text))}</text>'
