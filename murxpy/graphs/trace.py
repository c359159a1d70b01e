"""A graph in which each line of a trace points to the lines that it needs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

import networkx as nx

from murxpy.foreign import escaped
from murxpy.logic.walks import occurrences
from murxpy.machine.replaying.defuse import definitions, used
from murxpy.machine.trace.grammar import Line, Trace

TraceGraph: TypeAlias = "nx.DiGraph[int]"
_WIDTH = 100  # characters of a line of the trace that a picture shows


def trace_graph(trace: Trace) -> TraceGraph:
    """The lines of a trace as a graph. Nodes are the indices of the lines, from 0, with `action` and
    `text`. An edge goes from the line that made a sort, a term or another object to a line that uses it.
    """
    graph: TraceGraph = nx.DiGraph(name=trace.name)
    made = definitions(trace.lines)
    for index, line in enumerate(trace.lines):
        graph.add_node(index, action=line.action, text=_text(line))
        for ref in dict.fromkeys(used(line)):
            if ref in made and made[ref] < index:
                graph.add_edge(made[ref], index)
    return graph


def _text(line: Line) -> str:
    """The action of a line and its words."""
    return line.head().split(maxsplit=1)[-1] if line.seed is not None else line.head()


def slice_of(graph: TraceGraph, line: int) -> list[int]:
    """The lines that a line needs, directly or not, and the line itself, in their order."""
    return sorted({line, *nx.ancestors(graph, line)})


def dependants(graph: TraceGraph, line: int) -> list[int]:
    """The lines that a cut of a line takes along: those that need it, directly or not."""
    return sorted(nx.descendants(graph, line))


def levels(graph: TraceGraph) -> list[list[int]]:
    """The lines by levels: those that need nothing, those that need only these, and so on."""
    return [sorted(level) for level in nx.topological_generations(graph)]


def written(trace: Trace, form: str) -> str:
    """The graph of a trace as text in one of `TRACE_FORMATS`."""
    graph = trace_graph(trace)
    if form == "json":
        return json.dumps(nx.node_link_data(graph, edges="edges"), indent=2) + "\n"
    if form == "dot":
        return _dot(graph)
    return "".join(f"{row}\n" for row in _tree(graph))


def _dot(graph: TraceGraph) -> str:
    rows = ["digraph trace {", "  node [shape=box fontname=monospace];"]
    for index, data in graph.nodes(data=True):
        text = _short(data["text"]).replace("\\", "\\\\").replace('"', '\\"')
        rows.append(f'  {index} [label="{text}"];')
    rows += [f"  {one} -> {other};" for one, other in graph.edges]
    return "\n".join([*rows, "}", ""])


def _tree(graph: TraceGraph) -> Iterator[str]:
    """Each line that nothing needs, with what it needs below it, farther to the right. A line that
    was shown before is not shown again: `^` stands behind it.
    """
    shown: Counter[int] = Counter()

    def below(place: tuple[int, int]) -> list[tuple[int, int]]:
        index, depth = place
        needed = sorted(graph.predecessors(index), reverse=True) if shown[index] == 1 else []
        return [(other, depth + 1) for other in needed]

    roots = [(index, 0) for index in graph if not graph.out_degree(index)]
    for index, depth in occurrences(reversed(roots), below):
        again = index in shown and graph.in_degree(index) > 0
        yield f"{index + 1:>5} {'  ' * depth}{_short(graph.nodes[index]['text'])}{' ^' * again}"
        shown[index] += 1


def _short(text: str) -> str:
    text = escaped(text)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."
