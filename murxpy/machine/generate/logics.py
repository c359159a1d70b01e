"""The logic of a run: the smallest that names its theories, or ALL."""

from __future__ import annotations

from murxpy.machine.generate.base import Generator
from murxpy.machine.logics import logic_name


def draw_logic(gen: Generator) -> str:
    """The logic of this run."""
    if gen.settings.chance("logic-all", gen.stream):
        return "ALL"
    return logic_name(gen.swarm.theories, gen.swarm.linear)
