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

Size = tuple[float, float]
Edge = tuple[str, str]
Point = tuple[float, float]

_SWEEPS = 24  # over the order
_MOVES = 600  # over the places in it, at most
_REST = 0.05  # no more moves when all are smaller
# a move goes this far towards the wished place: beyond 1 it is sooner at rest (over-relaxation)
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
    """How many pairs of edge pieces cross."""
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
                moved, _settle(row, [place.x + _STRIDE * (_wish(place) - place.x) for place in row])
            )
        if moved < _REST:
            break
    for row in rows:
        _settle(row, [_wish(place) for place in row])
    left = min(place.x - place.width / 2 for row in rows for place in row)
    for row in rows:
        for place in row:
            place.x -= left


def _wish(place: Place) -> float:
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
    pools: list[tuple[float, float, int]] = []  # sum of wished positions, weight, places
    for place, wish, offset in zip(row, wanted, offsets, strict=True):
        weight = sum(pull for _, pull in place.pulls) or 1.0
        pools.append((weight * (wish - offset), weight, 1))
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
    """Where on its upper (False) and lower end (True) each edge meets the node: spread over the
    side, in order.
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
