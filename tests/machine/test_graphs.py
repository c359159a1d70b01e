"""State machines and traces as graphs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from commands import outcome

from murxpy.data import load_machine, machine_names
from murxpy.graphs.machine import machine_graph, oddities
from murxpy.graphs.trace import dependants, levels, slice_of, trace_graph
from murxpy.machine.trace.grammar import parse_trace

TRACE = """\
# solver z3 5.4.1
1 new
2 mk-sort SORT_INT
      return s1
3 mk-const s1 "a"
      return t1
4 mk-const s1 "b"
      return t2
5 mk-term OP_INT_ADD SORT_INT 2 t1 t1
      return t3 s1
6 mk-term OP_EQUAL SORT_BOOL 2 t3 t2
      return t4 s2
7 assert-formula t4
8 check-sat
"""
MACHINE: dict[str, Any] = {
    "name": "odd",
    "about": "",
    "start": "one",
    "final": "end",
    "states": {
        "one": {
            "kind": "normal",
            "needs": ["has-term"],
            "do": [
                {"do": "check-sat", "weight": 1, "to": "two", "when": ["can-check"]},
                {"do": "push", "weight": 1, "to": "one", "when": ["not-has-term"]},
            ],
        },
        "two": {
            "kind": "normal",
            "needs": [],
            "do": [
                {"do": "assert-formula", "weight": 1, "to": "two", "when": []},
                {"do": "go", "weight": 2, "to": "end", "when": []},
            ],
        },
        "end": {"kind": "normal", "needs": [], "do": []},
    },
}


def test_what_lines_of_a_trace_need() -> None:
    graph = trace_graph(parse_trace(TRACE, "trace"))
    assert slice_of(graph, 4) == [1, 2, 4]
    assert dependants(graph, 3) == [5, 6]
    assert levels(graph) == [[0, 1, 7], [2, 3], [4], [5], [6]]


def test_the_picture_of_a_trace(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a.trace"
    file.write_text(TRACE)
    code, out, _ = outcome(capsys, "show", file, "--graph")
    assert code == 0 and out.splitlines() == [
        "    1 new",
        "    7 assert-formula t4",
        "    6   mk-term OP_EQUAL SORT_BOOL 2 t3 t2",
        '    4     mk-const s1 "b"',
        "    2       mk-sort SORT_INT",
        "    5     mk-term OP_INT_ADD SORT_INT 2 t1 t1",
        '    3       mk-const s1 "a"',
        "    2         mk-sort SORT_INT",
        "    8 check-sat",
    ]
    code, out, _ = outcome(capsys, "show", file, "--graph", "json")
    assert nx.node_link_graph(json.loads(out), edges="edges").number_of_edges() == 6
    code, out, _ = outcome(capsys, "show", file, "--graph", "dot")
    assert "  2 -> 4;\n" in out and '\\"a\\"' in out


@pytest.mark.parametrize("name", machine_names())
def test_shipped_machines_have_no_oddities(name: str) -> None:
    machine = load_machine(name)
    assert list(oddities(machine)) == []
    graph = machine_graph(machine)
    assert graph.number_of_edges() == sum(len(one["do"]) for one in machine["states"].values())


def test_oddities_of_a_machine() -> None:
    assert [fault for _, _, fault in oddities(MACHINE)] == [
        "nothing can take 'push' in state 'one' when not-has-term",
        "nothing is checked in 'two' nor behind",
    ]


@pytest.mark.parametrize("form", ["dot", "graphml", "json"])
def test_a_machine_for_other_programs(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = outcome(capsys, "fsm", "show", "--format", form)
    again = outcome(capsys, "fsm", "show", "--format", form)
    assert code == 0 and again[1] == out
    if form == "json":
        graph = nx.node_link_graph(json.loads(out), edges="edges")
    elif form == "graphml":
        graph = nx.parse_graphml(out, force_multigraph=True)
    else:
        assert out.startswith('digraph "default" {') and '"check" -> ' in out
        return
    assert set(graph) == set(load_machine("default")["states"])


def test_commands_without_a_graph_do_not_load_networkx() -> None:
    code = (
        "import sys\nfrom murxpy.cli import run\n"
        "try:\n    run(['fuzz', '--help'], 0.0)\nexcept SystemExit:\n    pass\n"
        "from murxpy.data import load_machine\nload_machine('default')\n"
        "sys.exit('networkx' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
