"""`murxpy eval`: each assertion of a trace or script and its value under a model, by our own evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import click

from murxpy.campaign.limits import Limits
from murxpy.campaign.origin import origin
from murxpy.campaign.replay import replay_trace
from murxpy.cli.params import duration
from murxpy.cli.replay import plan_of
from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.logic.terms import FUNCTION, Term
from murxpy.report.evaluation import Evaluation, evaluation_lines, read_evaluation
from murxpy.semantics.values import CannotSay
from murxpy.smtlib.commands import Assert
from murxpy.smtlib.models import read_model
from murxpy.smtlib.printer import Printer, Unsayable
from murxpy.smtlib.reader import read_file, read_text
from murxpy.smtlib.valuation import Valuation
from murxpy.trace.file import read_trace
from murxpy.trace.grammar import Line, Trace, parse_trace
from murxpy.trace.lift import lift
from murxpy.trace.translate.planted import under_planted

_CHECKS = ("check-sat", "check-sat-assuming")
_SAYING = ("mk-", "instantiate-sort", "assert-", "check-sat", "push", "pop", "reset")  # what a script says, where other lines only ask
_DIALECTS = ("cvc5", "z3", "standard")  # in which values of models are shown
_OWN = ("check-model", "check-values", "evaluate")  # they would end the replay where something is wrong


@click.command("eval")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--solver", metavar="SOLVER[@PLACE]", help="Solve with this one.  [default: where the trace comes from]")
@click.option("--model", metavar="FILE", type=click.Path(path_type=Path),
              help="Evaluate a script under the model in this file, as solvers print it, and ask no solver.")  # fmt: skip
@click.option("--planted", is_flag=True, help="Evaluate a trace under its planted model, and ask no solver.")
@click.option("--wall", type=duration, default="20s", metavar="TIME", show_default=True, help="End it after this time.")
def eval(file: Path, solver: str | None, model: Path | None, planted: bool, wall: float) -> int:
    """Replay FILE, a trace or an SMT-LIB script, and print the model of its last sat answer and the value of each assertion under it.

    With --planted, the model is the planted one of the trace, and the assertions are those of its last check.

    Exits with 1 when an assertion is false, with 0 when none is known to be.
    """
    if planted and (model is not None or solver is not None):
        raise InputError("with --planted no solver is asked, and there is a model: leave out --solver and --model")
    if planted:
        return _show(Evaluation(*under_planted(_trace(file), build_catalogue(load_catalogue()))))
    if model is not None:
        if solver is not None:
            raise InputError("with --model no solver is asked: leave out --solver")
        return _show(_under_model(file, model))
    trace = _trace(file)
    plan = plan_of(trace, solver, None, None if solver else origin(file))
    replayed = replay_trace(plan, asking(trace).text(), str(file), Limits(wall=wall), None, wall)
    report = replayed.outcome.report or {}
    if report.get("status") == "malformed":
        raise InputError(report["message"])
    if file.suffix == ".smt2":
        _check_whole(report.get("counts") or {}, file, plan.target.name)
    found = read_evaluation(parse_trace(replayed.outcome.trace, str(file)))
    if replayed.found is not None:
        click.echo(f"the replay ends with a finding: {replayed.found.verdict.message}", err=True)
    answers = list(dict.fromkeys(str(answer) for *_, answer in report.get("answers") or ()))
    if found is None and replayed.outcome.cause == "wall":
        raise InputError(f"no model: the solver had not answered after {wall:g} s; give it more time with --wall", file=str(file))
    if found is None and answers and "sat" not in answers:
        click.echo(f"no model: the checks answer {', '.join(answers)}")
        return 0
    return _show(found or Evaluation({}, []))


def _check_whole(counts: Mapping[str, int], file: Path, solver: str) -> None:
    """Raise InputError where the solver's API refused a part of a script: what it answered then is not about the whole of it."""
    refused = [key.split(":", 2)[1:] for key in counts if key.startswith("replay-refused:")]
    for action, reason in refused:
        if action.startswith(_SAYING):
            raise InputError(f"{solver}'s API refuses a part of the script ({action}: {reason}), so there is no model of the whole script; "
                             "a model that the solver's program prints can be given with --model", file=str(file))  # fmt: skip


def _show(found: Evaluation) -> int:
    """Print it; the exit code."""
    for line in evaluation_lines(found):
        click.echo(line)
    return int(any(verdict == "false" for _, verdict in found.holds))


def _trace(file: Path) -> Trace:
    """The trace in a file, or that of the script in it."""
    if file.suffix == ".smt2":
        return lift(read_file(file, build_catalogue(load_catalogue())))
    return parse_trace(read_trace(file), str(file))


def _under_model(file: Path, model: Path) -> Evaluation:
    """The assertions of a script, by their lines, under a model in a file."""
    script = read_file(file, build_catalogue(load_catalogue()))
    read = read_model(read_text(model), str(model), script)
    catalogue = script.tables.catalogue
    shown = {Printer(catalogue, _DIALECTS[0]).function(constant): _shown(catalogue, term) for constant, term in read.definitions.items()}
    valuation = Valuation(script, read)
    return Evaluation(shown, [(f"line {script.line(at)}", _verdict(valuation, command.term))
                              for at, command in enumerate(script.commands) if isinstance(command, Assert)])  # fmt: skip


def _verdict(valuation: Valuation, formula: Term) -> str:
    try:
        return "true" if valuation.holds(formula) else "false"
    except CannotSay as reason:
        return str(reason)


def _shown(catalogue: Catalogue, term: Term) -> str:
    """A value, or a function with its variables, as text: in the first dialect that has words for it."""
    for dialect in _DIALECTS:
        printer = Printer(catalogue, dialect)
        with suppress(Unsayable):
            if term.op != FUNCTION:
                return printer.term(term)
            return f"({printer.variables(term.args[:-1])}) {printer.term(term.args[-1])}"
    return "a value that no dialect has words for"


def asking(trace: Trace) -> Trace:
    """The trace with a line `evaluate` behind each check, and without its own checks of models."""
    lines: list[Line] = []
    for line in trace.lines:
        if line.action not in _OWN:
            lines.append(line)
        if line.action in _CHECKS:
            lines.append(Line("evaluate", seed=0))
    return Trace(trace.name, lines, trace.header, trace.murxla_options)
