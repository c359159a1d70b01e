"""Targets with planted faults (`fakes/planted.py`), and long traces that show them."""

from __future__ import annotations

import random
import sys
from functools import cache
from typing import Any

from campaigns import FAKES
from toy import TOY, toy_session, walk

from murxpy.data import load_catalogue, load_machine
from murxpy.machine.tokens import Ref
from murxpy.machine.trace.grammar import Line, Trace, parse_trace
from murxpy.passes.lines import mapped
from murxpy.processes.targets import Plan, resolve
from murxpy.reduction.pipeline import Minimized

sys.path.append(str(FAKES))  # as the worker has it

from planted import shows

_OFFSET = 10_000_000  # of the ids of lines that are mixed in
_WALK = 10_000  # of those of each further walk

# A trace that shows the fault NEED_NOT, and has more lines than it needs.
EXAMPLE = """1 new
1 mk-sort SORT_BOOL
 return s1
1 mk-const s1 "x"
 return t1 s1
1 mk-term OP_NOT SORT_BOOL 1 t1
 return t2 s1
1 assert-formula t2
1 push 2
1 set-option depth 7
1 check-sat-assuming 3 t2 t1 t2
1 get-value 2 t1 t2
1 pop 2
"""
NEED_NOT = {"asserted": [["OP_NOT"]], "at": "check-sat-assuming", "how": "segfault"}


def planted(**fault: Any) -> Plan:
    """The toy solver with this fault; see `fakes/planted.py`."""
    catalogue, machine = _data()
    setup = {
        "session": "planted:PlantedSession",
        "session_path": [str(FAKES)],
        "catalogue": catalogue,
        "machine": machine,
        "wrapper": TOY,
        "fault": fault,
    }
    return Plan(resolve("toy"), setup)


@cache
def _data() -> tuple[Any, Any]:
    return load_catalogue(), load_machine("default")


def long_trace(fault: dict[str, Any], example: str, seed: int, least: int = 200) -> str:
    """A random walk of `least` lines or more that shows `fault`: by itself, else with the lines of
    `example` mixed in.
    """
    rng = random.Random(seed)
    walked = _walk(rng, least)
    if shows(fault, walked):
        return walked
    for _ in range(50):
        mixed = _mix(walked, example, rng)
        if shows(fault, mixed):
            return mixed
        walked = _walk(rng, least)
    raise AssertionError(f"no trace shows {fault}")


def _walk(rng: random.Random, least: int) -> str:
    """Walks one after another on one solver, with ids of their own, until there are `least` lines."""
    walked: list[Line] = []
    number = 0
    while len(walked) < least:
        found = parse_trace(_walked(rng.randrange(4000)), "walk").lines
        rest = (
            found
            if not number
            else [line for line in found if line.action not in ("new", "set-logic")]
        )
        walked += [_moved(line, number * _WALK) for line in rest if line.action != "delete"]
        number += 1
    return Trace("", walked).text()


@cache
def _walked(seed: int) -> str:
    return walk(toy_session(), seed)[0]


def _mix(walked: str, example: str, rng: random.Random) -> str:
    """The lines of both in their order, with ids that differ, and one `new`."""
    lines = [line for line in parse_trace(walked, "walk").lines if line.action != "delete"]
    added = [
        _moved(line, _OFFSET)
        for line in parse_trace(example, "example").lines
        if line.action != "new"
    ]
    at = sorted(rng.randrange(1, len(lines) + 1) for _ in added)
    for place, line in zip(reversed(at), reversed(added), strict=True):
        lines.insert(place, line)
    return Trace("", lines).text()


def _moved(line: Line, by: int) -> Line:
    refs = [*line.args, *(token for _, tokens in line.results for token in tokens)]
    return mapped(
        line,
        {
            ref: Ref(ref.letter, ref.number + by)
            for ref in refs
            if isinstance(ref, Ref) and ref.letter in "st"
        },
    )


def rows(result: Minimized) -> list[str]:
    """The lines of the result without seeds, spellings and ids returned."""
    lines = parse_trace(result.text, "min").lines
    return [" ".join([line.action, *map(str, line.args)]) for line in lines]
