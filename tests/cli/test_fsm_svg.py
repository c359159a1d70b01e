"""The drawing of a machine: well-formed, complete, and without overlaps."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from murxpy.cli.report.machines import layered_layout, machine_svg, share_text
from murxpy.data import load_machine, machine_names
from murxpy.data.visits import expected_visits


@pytest.mark.parametrize("name", machine_names())
def test_drawing_has_all_states_and_actions(name: str) -> None:
    machine = load_machine(name)
    drawing = machine_svg(machine, expected_visits(machine))
    root = ElementTree.fromstring(drawing)
    texts = [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert set(machine["states"]) <= set(texts)
    actions = {t["do"] for state in machine["states"].values() for t in state["do"]} - {"go"}
    assert all(any(text.startswith(action) for text in texts) for action in actions)
    arrows = {
        (name, t["to"])
        for name, state in machine["states"].items()
        for t in state["do"]
        if t["to"] != name
    }
    assert drawing.count("marker-end") == len(arrows)
    if name == "default":
        assert machine_svg(machine, expected_visits(machine)) == drawing


edges_of_graphs = st.sets(
    st.tuples(st.sampled_from("abcdefg"), st.sampled_from("abcdefg")), max_size=20
)


@settings(max_examples=25, deadline=None)
@given(edges_of_graphs)
def test_layout_of_any_graph(pairs: set[tuple[str, str]]) -> None:
    nodes = {name: (60.0 + 10 * index, 30.0) for index, name in enumerate("abcdefg")}
    edges = {(a, b): (40.0, 14.0) for a, b in sorted(pairs) if a != b}
    layout = layered_layout(nodes, edges, "a")
    boxes = [(*layout.nodes[name], *size) for name, size in nodes.items()]
    boxes += [(*layout.routes[edge].label, *size) for edge, size in edges.items()]
    for (x, y, w, h), (u, v, o, p) in combinations(boxes, 2):
        assert abs(x - u) >= (w + o) / 2 - 0.01 or abs(y - v) >= (h + p) / 2 - 0.01
    for x, y, w, h in boxes:
        assert (
            x - w / 2 >= -0.01
            and x + w / 2 <= layout.width + 0.01
            and y - h / 2 >= 0
            and y + h / 2 <= layout.height
        )
    for (source, target), route in layout.routes.items():
        for name, point in ((source, route.points[0]), (target, route.points[-1])):
            x, y = layout.nodes[name]
            assert abs(point[0] - x) <= nodes[name][0] / 2 and abs(point[1] - y) == pytest.approx(
                15
            )


def test_share_text() -> None:
    shares = [1, 0.79, 0.0995, 0.042, 0.00995, 0.0003, 0.00001, 0]
    assert [share_text(share) for share in shares] == [
        "100 %",
        "79 %",
        "10 %",
        "4.2 %",
        "1.0 %",
        "0.03 %",
        "<0.01 %",
        "0 %",
    ]
