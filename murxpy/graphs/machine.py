"""A state machine as a graph, and what the graph says of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any, TypeAlias

import networkx as nx

from murxpy.data.machine_check import Fault, assignments, enabled, mentioned
from murxpy.foreign import escaped
from murxpy.machine.checks.registry import ANSWERING, MAKING

Machine = Mapping[str, Any]
MachineGraph: TypeAlias = "nx.MultiDiGraph[str]"
_WORK = (*MAKING, "assert-formula", "assert-tracked")  # what is done to be checked


def machine_graph(machine: Machine) -> MachineGraph:
    """A state machine as a graph. Nodes are states, with `kind` and `needs`. Edges are transitions, whose
    key is the position in the state, with `do`, `weight` and `when`.
    """
    graph: MachineGraph = nx.MultiDiGraph(
        name=machine["name"], start=machine["start"], final=machine["final"], about=machine["about"]
    )
    for name, state in machine["states"].items():
        graph.add_node(name, kind=state["kind"], needs=" ".join(state["needs"]))
    for name, state in machine["states"].items():
        for position, transition in enumerate(state["do"]):
            graph.add_edge(
                name,
                transition["to"],
                key=position,
                do=transition["do"],
                weight=float(transition["weight"]),
                when=" ".join(transition["when"]),
            )
    return graph


def out_of_reach(machine: Machine) -> Iterator[Fault]:
    """The states that no run comes to, and those that no run can leave to the end."""
    graph, start, final = machine_graph(machine), machine["start"], machine["final"]
    reached = {start, *nx.descendants(graph, start)}
    ending = {final, *nx.ancestors(graph, final)}
    for name in graph:
        if name not in reached:
            yield name, None, f"state '{name}' is never reached from '{start}'"
        if name not in ending:
            yield name, None, f"the final state '{final}' is not in reach of state '{name}'"


def oddities(machine: Machine) -> Iterator[Fault]:
    """Return properties that a sound machine hardly means: transitions that nothing can take, and
    states in which a run can make terms or assert them for ever, while nothing is checked there or
    behind them.
    """
    graph = machine_graph(machine)
    for name, state in machine["states"].items():
        taken = _takeable(machine, name)
        for position, transition in enumerate(state["do"]):
            if position not in taken:
                text = f"nothing can take '{transition['do']}' in state '{name}'"
                yield name, position, f"{text} when {', '.join(transition['when'])}"
    edges = [(source, target, str(data["do"])) for source, target, data in graph.edges(data=True)]
    checking = {source for source, _, do in edges if do in ANSWERING}
    checked = checking.union(*(nx.ancestors(graph, name) for name in sorted(checking)))
    for component in nx.strongly_connected_components(graph):
        work = any(do in _WORK and {source, to} <= component for source, to, do in edges)
        if work and not component & checked:
            names = sorted(component)
            listed = ", ".join(f"'{name}'" for name in names)
            yield names[0], None, f"nothing is checked in {listed} nor behind"


def _takeable(machine: Machine, name: str) -> set[int]:
    """The positions of the transitions of a state that can be drawn under some conditions."""
    body = machine["states"][name]
    positions = {id(transition): at for at, transition in enumerate(body["do"])}
    found: set[int] = set()
    for assignment in assignments(mentioned(dict(machine), name), body["needs"]):
        found.update(positions[id(one)] for one in enabled(dict(machine), name, assignment))
    return found


def written(machine: Machine, form: str, shares: Mapping[tuple[str, int], float]) -> str:
    """The graph of a machine as text in one of `MACHINE_FORMATS`. `shares` are the shares of the actions drawn in
    a state that take a transition, by state and position; the graph has them as `share`.
    """
    graph = machine_graph(machine)
    for source, _, position, data in graph.edges(keys=True, data=True):
        data["share"] = round(shares[source, position], 6)
    if form == "json":
        return json.dumps(nx.node_link_data(graph, edges="edges"), indent=2) + "\n"
    if form == "graphml":
        out = BytesIO()
        nx.write_graphml_xml(graph, out)
        return out.getvalue().decode() + "\n"
    return _dot(graph)


def _dot(graph: MachineGraph) -> str:
    rows = [f"digraph {_quoted(graph.graph['name'])} {{", "  node [shape=box style=rounded];"]
    for name, data in graph.nodes(data=True):
        bold = " penwidth=2" if name in (graph.graph["start"], graph.graph["final"]) else ""
        rows.append(f"  {_quoted(name)} [tooltip={_quoted(data['kind'])}{bold}];")
    for source, target, data in graph.edges(data=True):
        label = "" if data["do"] == "go" else f"{data['do']} "
        caption = _quoted(f"{label}{100 * data['share']:.3g} %")
        when = f" tooltip={_quoted(data['when'])}" if data["when"] else ""
        rows.append(f"  {_quoted(source)} -> {_quoted(target)} [label={caption}{when}];")
    return "\n".join([*rows, "}", ""])


def _quoted(text: str) -> str:
    return '"' + escaped(text).replace("\\", "\\\\").replace('"', '\\"') + '"'
