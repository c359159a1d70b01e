"""Graphs, by networkx: a state machine, and what the lines of a trace need. Only the modules of this folder
import networkx, and commands import these modules only when they need them: it takes a quarter of a second.
"""

MACHINE_FORMATS = ("dot", "graphml", "json")
TRACE_FORMATS = ("text", "dot", "json")
