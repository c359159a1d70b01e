"""`murxpy show`: one finding, whole."""

from __future__ import annotations

from pathlib import Path

import click

from murxpy.cli.options import json_option, wrapper_option
from murxpy.cli.params import FileOrBucket, Target, in_out_option
from murxpy.cli.report.console import make_console, print_json
from murxpy.cli.report.finding import (
    ShownModel,
    finding_data,
    finding_page,
    planted_model,
    print_finding,
)
from murxpy.data import load_catalogue
from murxpy.errors import InputError, MurxpyError
from murxpy.findings.bucket_names import is_bucket, kept_trace
from murxpy.findings.kinds.registry import kind_of
from murxpy.findings.origin import holds_traces, plan_of
from murxpy.graphs import TRACE_FORMATS
from murxpy.judging.evaluation import Modelled, asking, unread
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.trace.grammar import Trace, parse_trace, read_trace
from murxpy.translate.dry import term_texts

_WALL = 20.0  # seconds until a replay that asks for a model is ended, as with 'murxpy eval'


@click.command()
@click.argument("folder", metavar="BUCKET", type=FileOrBucket(folder=True))
@in_out_option
@click.option(
    "--solver",
    type=Target(),
    metavar="SOLVER[@PLACE]",
    help="Solver that is asked for a wrong model.  [default: the one on which it was found]",
)
@wrapper_option
@click.option(
    "--graph",
    type=click.Choice(TRACE_FORMATS),
    is_flag=False,
    flag_value="text",
    help="Print instead which lines of its smallest trace need which: as a picture of text, or for Graphviz, or as "
    "nodes and links in JSON.",
)
@json_option
def show(
    folder: Path, solver: str | None, wrapper: str | None, graph: str | None, as_json: bool
) -> None:
    """Print one finding whole: what is wrong, how often it was found, which releases show it, the
    smallest script, program or trace that shows it, what it needs, and the frames of a crash.

    BUCKET is a folder OUT/findings/BUCKET or the beginning of its name; with --graph also a trace. Where a model is wrong, the
    finding is replayed for its model, with the wrong terms marked.
    """
    if graph is not None:
        from murxpy.graphs.trace import written  # only this pays for networkx

        file = kept_trace(folder) if is_bucket(folder) else folder
        click.echo(written(parse_trace(read_trace(file), str(file)), graph), nl=False)
        return
    if not is_bucket(folder):
        raise InputError("expected OUT/findings/BUCKET of a campaign", file=str(folder))
    named = folder if len(folder.parts) > 2 else folder.absolute()
    page = finding_page(named.parent.parent, named.name)
    model = _model(folder, page.bucket.kind, solver, wrapper) if page.view.trace else None
    if as_json:
        print_json(finding_data(page, model))
    else:
        print_finding(make_console(), page, model)


def _model(folder: Path, kind: str, solver: str | None, wrapper: str | None) -> ShownModel | None:
    """The model of a finding in which a model is wrong or missed; None for other findings."""
    about = kind_of(kind).about_model
    if not about:
        return None
    file = kept_trace(folder)
    source = f"of {file.name}"
    try:
        if file.suffix == ".history" and not holds_traces(file):
            return ShownModel(
                source, why="no model: it needs the runs before it, whose seeds are here"
            )
        trace = parse_trace(read_trace(file), str(file))
        if about == "planted":
            return planted_model(trace)
        plan = plan_of(trace, solver, wrapper, file)
        asked = Modelled(plan, asking(trace), _WALL)
        source = f"replayed on {plan.target.name}"
        why = unread(asked.trace) or "no check answered sat, or its model cannot be read"
        return ShownModel(source, asked.found, why, _texts(asked.trace))
    except MurxpyError as error:
        return ShownModel(source, why=f"no model: {error}")


def _texts(trace: Trace) -> dict[str, str]:
    return term_texts(trace, build_catalogue(load_catalogue()))
