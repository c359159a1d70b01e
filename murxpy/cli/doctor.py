"""`murxpy doctor`: whether each solver can be used, what its release lacks, and what it refuses."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from murxpy.campaign.probe import Probe, look_at_host, probe
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.plans import Request, make_plans
from murxpy.campaign.workers.targets import Plan
from murxpy.cli import fail
from murxpy.cli.params import NamedFile, Target
from murxpy.cli.parts.options import json_option
from murxpy.data import wrapper_names
from murxpy.errors import MurxpyError
from murxpy.report.console import say
from murxpy.report.doctor import host_lines, target_json, target_lines

_RUNS = 150


@click.command()
@click.argument("targets", type=Target(), metavar="[SOLVER[@PLACE]]...", nargs=-1)
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    default=_RUNS,
    metavar="N",
    show_default=True,
    help="Number of random runs on each solver, to see what it refuses.",
)
@click.option(
    "--wrapper",
    type=NamedFile(),
    metavar="FILE",
    help="Wrapper of a solver. Its solver is examined if no other is named.",
)
@click.option(
    "--profile", type=NamedFile(), metavar="FILE", help="More restrictions on what is generated."
)
@json_option
def doctor(
    targets: tuple[str, ...], runs: int, wrapper: str | None, profile: str | None, as_json: bool
) -> int:
    """Say of each solver whether it can be used, and what its release lacks and refuses. Without
    arguments, all solvers that have a wrapper are examined.

    Exits with 4 when a solver cannot be used.
    """
    jobs = len(os.sched_getaffinity(0))
    host = look_at_host()
    names = targets or (() if wrapper else tuple(wrapper_names()))
    requests = [Request((name,), wrapper=wrapper, profile=profile) for name in names]
    looked = _look(requests or [Request(wrapper=wrapper, profile=profile)], runs, jobs)
    if as_json:
        found = [_json(*each) for each in looked]
        click.echo(json.dumps({"host": asdict(host), "targets": found}, indent=2))
        return max(int(each["exit_code"]) for each in found)
    for line in host_lines(host, Limits().memory, jobs):
        say(line)
    code = 0
    for name, plan, result in looked:
        click.echo()
        if isinstance(result, MurxpyError):
            say(f"{name}: cannot be used")
            code = max(code, fail(str(result), result.exit_code))
        elif plan is not None:
            for line in target_lines(plan, result):
                say(line)
    return code


def _look(
    requests: list[Request], runs: int, jobs: int
) -> Iterator[tuple[str, Plan | None, Probe | MurxpyError]]:
    """Examine each target: its plan with what was found, or the error that prevents its use."""
    for request in requests:
        name, plan = str((*request.targets, request.wrapper)[0]), None
        try:
            (plan,) = make_plans(request)
            yield name, plan, probe(plan, runs, jobs)
        except MurxpyError as error:
            yield name, plan, error


def _json(name: str, plan: Plan | None, result: Probe | MurxpyError) -> dict[str, Any]:
    if isinstance(result, MurxpyError) or plan is None:
        return {
            "target": name,
            "usable": False,
            "error": str(result),
            "exit_code": getattr(result, "exit_code", 4),
        }
    return {**target_json(plan, result), "exit_code": 0}
