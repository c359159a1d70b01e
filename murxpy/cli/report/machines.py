"""A layered layout of a directed graph with labelled edges, after Sugiyama, Tagawa and Toda (1981).

Edges that close a cycle are laid out against their direction. Nodes stand on the even rows, labels
on the odd ones: a label is a place on its edge's way that has a width, so it overlaps neither nodes
nor other labels. Rows are ordered by barycenters, places are moved under their neighbours by
isotonic regression, which keeps order and distances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from itertools import pairwise
from typing import Any

from murxpy.cli.report.svg import words
from murxpy.cli.report.text import xml_text
from murxpy.data.visits import Visits
from murxpy.foreign import escaped
from murxpy.machine.checks.registry import ANSWERING

Size = tuple[float, float]
Edge = tuple[str, str]
Point = tuple[float, float]

_SWEEPS = 24  # over the order
_MOVES = 600  # over the places in it, at most
_REST = 0.05  # no more moves when all are smaller
# a move goes this far towards the wanted place: beyond 1 it is sooner at rest (over-relaxation)
_STRIDE = 1.85
# pull along an edge: on its way, at its ends if it is short, if it is long
_PASSING, _SHORT, _LONG = 12.0, 4.0, 0.04
# between neighbours on a row: two nodes or labels, or a passing edge
_NODE_GAP, _EDGE_GAP = 34.0, 14.0
_ROW_GAP = 26.0


@dataclass(eq=False)
class Place:
    """A node, or the point where an edge crosses a row."""

    row: int
    width: float
    height: float
    name: str | None = None
    up: list[Place] = field(default_factory=list)
    down: list[Place] = field(default_factory=list)
    pulls: list[tuple[Place, float]] = field(default_factory=list)
    x: float = 0.0
    order: float = 0.0

    @property
    def gap(self) -> float:
        """The room kept free on each side."""
        return (_NODE_GAP if self.width else _EDGE_GAP) / 2


@dataclass(frozen=True)
class Route:
    """The way of an edge: `points` from its source to its target, in vertical pairs; where its
    label is centred.
    """

    points: list[Point]
    label: Point
    backward: bool


@dataclass(frozen=True)
class Layout:
    """Centres of nodes, routes of edges, and the size of the whole."""

    nodes: dict[str, Point]
    routes: dict[Edge, Route]
    width: float
    height: float


def layered_layout(nodes: Mapping[str, Size], edges: Mapping[Edge, Size], start: str) -> Layout:
    """Place `nodes` (name: width, height) and `edges` (source, target: width and height of the
    label), `start` on top.

    No edge may join a node with itself.
    """
    backward = _backward(nodes, edges, start)
    rows_of = _rows(nodes, edges, backward)
    places = {name: Place(2 * rows_of[name], *size, name=name) for name, size in nodes.items()}
    ways = {edge: _way(places, edge, size, edge in backward) for edge, size in edges.items()}
    rows = _ordered([*places.values(), *(place for way in ways.values() for place in way[1:-1])])
    _set_x(rows)
    tops, heights = _row_tops(rows)
    centre = {
        name: (place.x, tops[place.row] + heights[place.row] / 2) for name, place in places.items()
    }
    ports = _ports(ways)
    routes = {
        edge: _route(edge, way, ports, edge in backward, tops, heights, centre)
        for edge, way in ways.items()
    }
    width = max(place.x + place.width / 2 for row in rows for place in row)
    return Layout(centre, routes, width, tops[-1] + heights[-1])


def _backward(nodes: Mapping[str, Size], edges: Mapping[Edge, Size], start: str) -> set[Edge]:
    """The edges that lead back to a node still open in a depth-first search from `start`, in the
    order given.
    """
    following: dict[str, list[str]] = {name: [] for name in nodes}
    for source, target in edges:
        following[source].append(target)
    done: set[str] = set()
    back: set[Edge] = set()
    for root in [start, *nodes]:
        if root in done:
            continue
        opened = {root: iter(following[root])}
        while opened:
            name = next(reversed(opened))
            target = next(opened[name], "")
            if not target:
                del opened[name]
                done.add(name)
            elif target in opened:
                back.add((name, target))
            elif target not in done:
                opened[target] = iter(following[target])
    return back


def _rows(
    nodes: Mapping[str, Size], edges: Mapping[Edge, Size], backward: set[Edge]
) -> dict[str, int]:
    """The row of each node: the longest way to it."""
    above: dict[str, list[str]] = {name: [] for name in nodes}
    for a, b in edges:
        upper, lower = (b, a) if (a, b) in backward else (a, b)
        above[lower].append(upper)
    rows: dict[str, int] = {}
    for name in TopologicalSorter(above).static_order():
        rows[name] = max((rows[before] + 1 for before in above[name]), default=0)
    return rows


def _way(places: Mapping[str, Place], edge: Edge, label: Size, backward: bool) -> list[Place]:
    """The places of an edge from the upper to the lower end; the one next to the source has the
    label's size.
    """
    upper, lower = (places[name] for name in (reversed(edge) if backward else edge))
    labelled = lower.row - 1 if backward else upper.row + 1
    between = [
        Place(row, *(label if row == labelled else (0.0, 0.0)))
        for row in range(upper.row + 1, lower.row)
    ]
    way = [upper, *between, lower]
    ends = _SHORT if len(way) == 3 else _LONG
    for above, below in pairwise(way):
        pull = ends if above.name or below.name else _PASSING
        above.down.append(below)
        below.up.append(above)
        above.pulls.append((below, pull))
        below.pulls.append((above, pull))
    return way


def _ordered(places: Sequence[Place]) -> list[list[Place]]:
    """The rows, ordered with few crossings: sweeps by barycenter, the best order is kept."""
    rows: list[list[Place]] = [[] for _ in range(1 + max(place.row for place in places))]
    for place in places:
        rows[place.row].append(place)
    best, fewest = [list(row) for row in rows], _crossings(rows)
    for sweep in range(_SWEEPS):
        downward = sweep % 2 == 0
        for row in rows if downward else reversed(rows):
            for position, place in enumerate(row):
                place.order = float(position)
            row.sort(key=lambda place: _barycenter(place, place.up if downward else place.down))
            for position, place in enumerate(row):
                place.order = float(position)
        crossings = _crossings(rows)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _barycenter(place: Place, neighbours: Sequence[Place]) -> float:
    return sum(other.order for other in neighbours) / len(neighbours) if neighbours else place.order


def _crossings(rows: Sequence[Sequence[Place]]) -> int:
    """The number of pairs of edge pieces that cross."""
    total = 0
    for row, below in pairwise(rows):
        position = {id(place): index for index, place in enumerate(below)}
        ends = [sorted(position[id(other)] for other in place.down) for place in row]
        flat = [end for group in ends for end in group]
        starts = [index for index, group in enumerate(ends) for _ in group]
        total += sum(
            starts[i] < starts[j] and flat[i] > flat[j]
            for i in range(len(flat))
            for j in range(i + 1, len(flat))
        )
    return total


def _set_x(rows: Sequence[Sequence[Place]]) -> None:
    """Set the centres: near the neighbours' mean, in order, with the gaps kept; the least left end
    is 0.
    """
    for row in rows:
        edge = 0.0
        for place in row:
            place.x = edge + place.gap + place.width / 2
            edge = place.x + place.width / 2 + place.gap
    for sweep in range(_MOVES):
        moved = 0.0
        for row in rows if sweep % 2 == 0 else reversed(rows):
            moved = max(
                moved,
                _settle(row, [place.x + _STRIDE * (_wanted(place) - place.x) for place in row]),
            )
        if moved < _REST:
            break
    for row in rows:
        _settle(row, [_wanted(place) for place in row])
    left = min(place.x - place.width / 2 for row in rows for place in row)
    for row in rows:
        for place in row:
            place.x -= left


def _wanted(place: Place) -> float:
    """The mean of the neighbours' centres; a long edge pulls most where it only passes, so that it
    is straight.
    """
    total = sum(pull for _, pull in place.pulls)
    return sum(pull * other.x for other, pull in place.pulls) / total if total else place.x


def _settle(row: Sequence[Place], wanted: Sequence[float]) -> float:
    """Move a row's places as near as possible to `wanted` (least squares, by pooling adjacent
    violators); how far.
    """
    offsets = [0.0]
    for before, place in pairwise(row):
        offsets.append(offsets[-1] + before.width / 2 + before.gap + place.gap + place.width / 2)
    pools: list[tuple[float, float, int]] = []  # sum of wanted positions, weight, places
    for place, goal, offset in zip(row, wanted, offsets, strict=True):
        weight = sum(pull for _, pull in place.pulls) or 1.0
        pools.append((weight * (goal - offset), weight, 1))
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] > pools[-1][0] / pools[-1][1]:
            last, before_last = pools.pop(), pools.pop()
            pools.append(
                (before_last[0] + last[0], before_last[1] + last[1], before_last[2] + last[2])
            )
    settled = [total / weight for total, weight, count in pools for _ in range(count)]
    before_move = [place.x for place in row]
    for place, base, offset in zip(row, settled, offsets, strict=True):
        place.x = base + offset
    return max(abs(place.x - x) for place, x in zip(row, before_move, strict=True))


def _row_tops(rows: Sequence[Sequence[Place]]) -> tuple[list[float], list[float]]:
    """The upper end and the height of each row."""
    heights = [max(place.height for place in row) for row in rows]
    tops = [0.0]
    for height in heights[:-1]:
        tops.append(tops[-1] + height + _ROW_GAP)
    return tops, heights


def _ports(ways: Mapping[Edge, Sequence[Place]]) -> dict[tuple[Edge, bool], float]:
    """The points at which edges meet nodes, on the upper (False) and lower end (True) of each edge:
    spread over the side of the node, in order.
    """
    sides: dict[tuple[str, bool], list[tuple[float, Edge]]] = {}
    for edge, way in ways.items():
        sides.setdefault((str(way[0].name), False), []).append((way[1].x, edge))
        sides.setdefault((str(way[-1].name), True), []).append((way[-2].x, edge))
    centre = {place.name: place for way in ways.values() for place in (way[0], way[-1])}
    ports: dict[tuple[Edge, bool], float] = {}
    for (name, is_lower_end), met in sides.items():
        node = centre[name]
        step = min(22.0, (node.width - 24.0) / max(1, len(met) - 1))
        for position, (_, edge) in enumerate(sorted(met)):
            ports[edge, is_lower_end] = node.x + (position - (len(met) - 1) / 2) * step
    return ports


def _route(
    edge: Edge,
    way: Sequence[Place],
    ports: Mapping[tuple[Edge, bool], float],
    backward: bool,
    tops: Sequence[float],
    heights: Sequence[float],
    centre: Mapping[str, Point],
) -> Route:
    upper, lower = way[0], way[-1]
    points = [(ports[edge, False], centre[str(upper.name)][1] + upper.height / 2)]
    for place in way[1:-1]:
        points += [(place.x, tops[place.row]), (place.x, tops[place.row] + heights[place.row])]
    points.append((ports[edge, True], centre[str(lower.name)][1] - lower.height / 2))
    labelled = way[-2] if backward else way[1]
    label = (labelled.x, tops[labelled.row] + heights[labelled.row] / 2)
    return Route(points[::-1] if backward else points, label, backward)


# ----------------------------------------------------------------------
# A state machine as a drawing: a card for each state with its transitions, arrows with their
# probabilities.


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
        words(_MARGIN, _MARGIN + 16, heading[0], "bold", "#1d2733", size=20),
        *(
            words(_MARGIN, _MARGIN + 38 + 18 * i, line, ink="#5b6775", size=12)
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
        words(width / 2, 19, name, "bold", line, "middle", _TITLE),
        words(
            width / 2, 34, _visits_text(visits, name), ink="#5b6775", anchor="middle", size=_SMALL
        ),
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
            words(x + 5, y + 11, stay.action, size=_TEXT),
            words(x + column - 5, y + 11, share_text(stay.share), anchor="end", size=_TEXT),
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
            words(x, top + 14 * index, line, ink=colour, anchor="middle", size=_SMALL)
            for index, line in enumerate(arrow.lines)
        ]
        parts.append("</g>")
    return parts
