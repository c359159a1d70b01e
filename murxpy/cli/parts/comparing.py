"""The replay of a trace on the two releases that it compares."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import click

from murxpy.campaign.comparing.regressions import Pair
from murxpy.campaign.findings.origin import origin
from murxpy.campaign.judging.judged_solver import JudgedSolver
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.names import split_names
from murxpy.campaign.workers.plans import Request, make_plans, usable_request
from murxpy.replaying.measuring import HEADER
from murxpy.report.console import say
from murxpy.trace.grammar import Trace


def releases_of(trace: Trace) -> list[str]:
    """The two releases that a trace compares, the older first; empty where it compares none."""
    names = split_names(trace.header.get(HEADER, ""))
    return names if len(names) == 2 else []


def show_compared(file: Path, text: str, names: list[str], limits: Limits, as_json: bool) -> int:
    """Replay the trace on both releases, print what they show on its last line, and return the exit
    code: 1 where the newer one broke something.
    """
    found = origin(file)
    wrapper = None if found is None else found.request.wrapper
    request = usable_request(Request(tuple(names), wrapper=wrapper), file)
    older, newer = make_plans(request)
    with closing(JudgedSolver(older, [newer], limits)) as solver:
        pair = Pair(solver.solvers, older=0, newer=1)
        look = solver.answer(pair.look(text, fresh=True))
        shown = pair.shown(text, look)
        releases = solver.solvers.releases
    kind = "" if shown is None else shown.kind
    said = ["is not asked" if look.older is None else look.older.words(), look.newer.words()]
    if as_json:
        sides = [{"solver": name, "shows": text} for name, text in zip(releases, said, strict=True)]
        data = {"fails": bool(kind), "outcome": kind or "ok", "older": sides[0], "newer": sides[1]}
        click.echo(json.dumps(data, indent=2))
    else:
        say(kind or "no difference that counts")
        for name, text in zip(releases, said, strict=True):
            say(f"  {name}: {text}")
    return int(bool(kind))
