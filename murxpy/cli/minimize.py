"""`murxpy minimize`: a smaller trace that shows the same."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from murxpy.campaign.minimize import Minimized, Progress, Wishes
from murxpy.campaign.minimize import minimize as minimize_trace
from murxpy.campaign.origin import origin
from murxpy.cli.params import duration
from murxpy.cli.replay import plan_of as trace_plan
from murxpy.report.console import is_live_terminal
from murxpy.report.text import amount, brief, percent, rate
from murxpy.trace.file import read_trace
from murxpy.trace.grammar import parse_trace


@click.command()
@click.argument("file", metavar="TRACE", type=click.Path(path_type=Path))
@click.option("--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="Replays at a time.")
@click.option("--time", "seconds", type=duration, metavar="TIME", help="End with the best after this time.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Where the result goes.  [default: NAME.min.trace beside NAME.trace]")  # fmt: skip
@click.option("--tries", type=click.IntRange(1, 100), default=1, show_default=True,
              help="Replay each candidate up to so often, for what does not show each time.")  # fmt: skip
@click.option("--slower", type=duration, metavar="TIME", help="Keep that a replay takes longer than this, not a finding.")
@click.option("--solver", metavar="SOLVER[@PLACE]", help="Replay on this one.  [default: where the trace comes from]")
@click.option("--wrapper", metavar="FILE", help="Wrapper of the solver.")
def minimize(
    file: Path, jobs: int, seconds: float | None, output: Path | None, tries: int, slower: float | None,
    solver: str | None, wrapper: str | None,
) -> None:  # fmt: skip
    """Make TRACE as small as it can be while its replay still shows the same finding.

    Ctrl-C ends it with the best so far; a second call goes on from that.
    """
    source = read_trace(file)
    plan = trace_plan(parse_trace(source, str(file)), solver, wrapper, None if solver or wrapper else origin(file))
    output = output or file.with_suffix(".min.trace")
    earlier = read_trace(output) if output.is_file() and output.resolve() != file.resolve() else None
    if earlier is not None:
        parse_trace(earlier, str(output))  # what is no trace is not overwritten
    live = is_live_terminal(sys.stderr)
    result = minimize_trace(plan, source, str(file), Wishes(jobs, seconds, tries, slower), earlier, _show if live else _ignore)
    output.write_bytes(result.text.encode("utf-8", "surrogatepass"))
    if live:
        click.echo("\r\x1b[K", err=True, nl=False)
    click.echo(_summary(result, output))


def _ignore(progress: Progress) -> None:
    """Show nothing: nobody looks."""


def _show(progress: Progress) -> None:
    tests = rate(progress.tests / progress.seconds) if progress.seconds else "-"
    state = f"{amount(progress.lines, 'line')}, {amount(progress.terms, 'term')}, {amount(progress.tests, 'test')}, {tests}"
    click.echo(f"\r\x1b[K{state}", err=True, nl=False)


def _summary(result: Minimized, output: Path) -> str:
    ended = {"complete": "", "time": ", ended by its time limit", "interrupted": ", interrupted"}[result.ended]
    share = percent(result.after / result.before)
    return (f"{result.key}: {amount(result.before, 'line')} to {result.after} ({share}), {amount(result.tests, 'test')} in "
            f"{brief(result.seconds)}{ended}; written to {output}")  # fmt: skip
