"""`murxpy eval`: each assertion of a trace and its value under the model that the solver gives, by our own evaluation."""

from __future__ import annotations

from pathlib import Path

import click

from murxpy.campaign.limits import Limits
from murxpy.campaign.origin import origin
from murxpy.campaign.replay import replay_trace
from murxpy.cli.params import duration
from murxpy.cli.replay import plan_of
from murxpy.errors import InputError
from murxpy.report.evaluation import Evaluation, evaluation_lines, read_evaluation
from murxpy.trace.file import read_trace
from murxpy.trace.grammar import Line, Trace, parse_trace

_CHECKS = ("check-sat", "check-sat-assuming")
_OWN = ("check-model", "check-values", "evaluate")  # they would end the replay where something is wrong


@click.command("eval")
@click.argument("file", metavar="TRACE", type=click.Path(path_type=Path))
@click.option("--solver", metavar="SOLVER[@PLACE]", help="Solve with this one.  [default: where the trace comes from]")
@click.option("--wall", type=duration, default="20s", metavar="TIME", show_default=True, help="End it after this time.")
def eval(file: Path, solver: str | None, wall: float) -> int:
    """Replay TRACE, and print the model of its last sat answer and the value of each assertion under it.

    Exits with 1 when an assertion is false, with 0 when none is known to be.
    """
    trace = parse_trace(read_trace(file), str(file))
    plan = plan_of(trace, solver, None, None if solver else origin(file))
    replayed = replay_trace(plan, asking(trace).text(), str(file), Limits(wall=wall), None, wall)
    report = replayed.outcome.report or {}
    if report.get("status") == "malformed":
        raise InputError(report["message"])
    found = read_evaluation(parse_trace(replayed.outcome.trace, str(file)))
    for line in evaluation_lines(found or Evaluation({}, [])):
        click.echo(line)
    if replayed.found is not None:
        click.echo(f"the replay ends with a finding: {replayed.found.verdict.message}", err=True)
    return int(found is not None and any(verdict == "false" for _, verdict in found.holds))


def asking(trace: Trace) -> Trace:
    """The trace with a line `evaluate` behind each check, and without its own checks of models."""
    lines: list[Line] = []
    for line in trace.lines:
        if line.action not in _OWN:
            lines.append(line)
        if line.action in _CHECKS:
            lines.append(Line("evaluate", seed=0))
    return Trace(trace.name, lines, trace.header, trace.murxla_options)
