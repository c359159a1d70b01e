"""`murxpy eval`: the value of each assertion of a trace or script under a model, as murxpy's own
evaluator computes it.
"""

from __future__ import annotations

from pathlib import Path

import click

from murxpy.cli.options import theory_option, time_option, wrapper_option
from murxpy.cli.params import Existing, FileOrBucket, Target, in_out_option
from murxpy.cli.report.console import say
from murxpy.cli.report.judged import evaluation_lines
from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.findings.origin import plan_of
from murxpy.judging.evaluation import (
    API,
    TEXT,
    Evaluation,
    Modelled,
    asking,
    modelled_script,
    under_model,
)
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.trace.grammar import Trace, parse_trace, read_trace
from murxpy.machine.trace.lift import lift
from murxpy.processes.plans import Request, make_plans
from murxpy.smtlib.reading.scripts import read_file, read_text
from murxpy.translate.planted import under_planted


@click.command("eval")
@click.argument("file", metavar="FILE|BUCKET", type=FileOrBucket())
@in_out_option
@click.option(
    "--solver",
    type=Target(),
    metavar="SOLVER[@PLACE]",
    help="Solve with this one.  [default: where the trace comes from]",
)
@wrapper_option
@click.option(
    "--through",
    type=click.Choice([API, TEXT]),
    help="Give a script to the solver call by call through its API, or as text.  [default: the API, or text if the API refuses a part]",
)
@click.option(
    "--model",
    metavar="FILE",
    type=Existing(),
    help="Evaluate a script under the model in this file, written as solvers print models. No solver is asked.",
)
@click.option(
    "--planted", is_flag=True, help="Evaluate a trace under its planted model. No solver is asked."
)
@theory_option
@time_option("--wall", "20s", "End it after this time.")
def eval(
    file: Path,
    solver: str | None,
    wrapper: str | None,
    through: str | None,
    model: Path | None,
    planted: bool,
    wall: float,
) -> int:
    """Replay FILE, a trace or an SMT-LIB script, and print the model of its last sat answer with the
    value of each assertion under it.

    With --planted, the model is the one that is planted in the trace, and the assertions are those
    of its last check.

    Exits with 1 when an assertion is false, with 0 when no assertion is known to be false.
    """
    if through is not None and (planted or model is not None):
        raise InputError("with --planted or --model no solver is asked: leave out --through")
    asked = solver is not None or wrapper is not None
    if planted and (model is not None or asked):
        raise InputError(
            "with --planted no solver is asked, and there is a model: leave out --solver, --wrapper and "
            "--model"
        )
    if planted:
        return _show(Evaluation(*under_planted(_trace(file), build_catalogue(load_catalogue()))))
    if model is not None:
        if asked:
            raise InputError("with --model no solver is asked: leave out --solver and --wrapper")
        return _show(under_model(read_text(file), str(file), read_text(model), str(model)))
    if file.suffix == ".smt2":
        if not asked:
            raise InputError(
                "name the solver that the script is run on with --solver, or give a model with --model",
                file=str(file),
            )
        (plan,) = make_plans(Request((solver,) if solver else (), wrapper=wrapper))
        return _show_modelled(modelled_script(plan, read_text(file), str(file), wall, through))
    if through is not None:
        raise InputError("--through is for a script, expected a file *.smt2", file=str(file))
    trace = _trace(file)
    return _show_modelled(Modelled(plan_of(trace, solver, wrapper, file), asking(trace), wall))


def _show_modelled(made: Modelled) -> int:
    """Print the model and the assertions of a replay, or that there is none, and return the exit code.
    Raises InputError where the model cannot be judged.
    """
    found = made.evaluation()
    if made.way:
        say(made.way)
    if made.finding is not None:
        say(f"the replay ends with a finding: {made.finding.verdict.message}", err=True)
    if found is not None:
        return _show(found)
    say(f"no model: the checks answer {', '.join(made.answers)}")
    return 0


def _show(found: Evaluation) -> int:
    """Print an evaluation, and return the exit code."""
    for line in evaluation_lines(found):
        say(line)
    return int(any(verdict == "false" for _, verdict in found.holds))


def _trace(file: Path) -> Trace:
    """The trace in a file, or the trace of the script in it."""
    if file.suffix == ".smt2":
        return lift(read_file(file, build_catalogue(load_catalogue())))
    return parse_trace(read_trace(file), str(file))
