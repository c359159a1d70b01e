"""`murxpy eval`: the value of each assertion of a trace or script under a model, as murxpy's own
evaluator computes it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from murxpy.cli.options import theory_option, time_option, wrapper_option
from murxpy.cli.params import Existing, FileOrBucket, Target, in_out_option
from murxpy.cli.replay import plan_of, refuse_forbidden
from murxpy.cli.report.console import say
from murxpy.cli.report.judged import Evaluation, evaluation_lines, read_evaluation, unread
from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.findings.replayed import replay_trace
from murxpy.logic.catalogue import build_catalogue
from murxpy.logic.terms import Term
from murxpy.machine.checks.registry import ANSWERING
from murxpy.machine.tokens import Quoted
from murxpy.machine.trace.grammar import Line, Trace, parse_trace, read_trace
from murxpy.machine.trace.lift import lift
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans
from murxpy.processes.targets import Plan
from murxpy.semantics.values import CannotSay
from murxpy.smtlib.printed_models import Valuation, asking_for_models, read_model, shown_model
from murxpy.smtlib.reading.scripts import read_file, read_text
from murxpy.smtlib.script import Assert, Script
from murxpy.translate.planted import under_planted

# Lines that say what a script asserts; other lines only ask the solver something.
_SAYING = ("mk-", "instantiate-sort", "assert-", "check-sat", "push", "pop", "reset")
# Checks of murxpy that would end the replay where something is wrong.
_OWN = ("check-model", "check-values", "evaluate", "expect")
API, TEXT = "api", "text"


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
        return _show(_under_model(file, model))
    if file.suffix == ".smt2":
        return _script(file, solver, wrapper, through, wall)
    if through is not None:
        raise InputError("--through is for a script, expected a file *.smt2", file=str(file))
    trace = _trace(file)
    plan = plan_of(trace, solver, wrapper, file)
    return Asked(plan, asking(trace), file, wall).show()


def _script(
    file: Path, solver: str | None, wrapper: str | None, through: str | None, wall: float
) -> int:
    """Evaluate a script through the API of the solver. Where the API refuses a part of the script, or
    the user wants another way, the solver reads the script as text.
    """
    script = read_file(file, build_catalogue(load_catalogue()))
    if solver is None and wrapper is None:
        raise InputError(
            "name the solver that the script is run on with --solver, or give a model with --model",
            file=str(file),
        )
    (plan,) = make_plans(Request((solver,) if solver else (), wrapper=wrapper))
    refuse_forbidden(plan, file)
    name, reason = plan.target.name, ""
    if through != TEXT:
        asked, reason = _through_api(plan, script, file, wall, wanted=through == API)
        if asked is not None and not reason:
            return asked.show(f"through {name}'s API")
        if through == API:
            raise InputError(
                f"{name}'s API refuses a part of the script ({reason}), so there is no model of the whole script; "
                f"leave out '--through {API}' to have {name} read it as text",
                file=str(file),
            )
    text = Quoted(asking_for_models(read_text(file), str(file)))
    lines = [Line("new", seed=1), Line("evaluate", [text], seed=1)]
    asked = Asked(plan, Trace(str(file), lines, {"solver": name}), file, wall)
    why = f", since its API refuses a part ({reason})" if reason else ""
    return asked.show(f"through {name}'s reader of scripts{why}")


def _through_api(
    plan: Plan, script: Script, file: Path, wall: float, *, wanted: bool
) -> tuple[Asked | None, str]:
    """The replay of a script call by call, and what the API refuses of it (empty for nothing). The
    replay is None where no trace can say the script; if the user wants this way (`wanted`), that
    raises InputError.
    """
    try:
        asked = Asked(plan, asking(lift(script)), file, wall)
    except InputError as error:
        if wanted:
            raise
        return None, error.reason
    return asked, asked.lacking()


class Asked:
    """A trace that was replayed to ask for models; `found` is the model of its last sat answer, or
    None. Raises InputError where the trace is malformed.
    """

    def __init__(self, plan: Plan, trace: Trace, file: Path, wall: float) -> None:
        self._file, self._wall = file, wall
        self._replayed = replay_trace(plan, trace.text(), str(file), Limits(wall=wall), None, wall)
        self._report = self._replayed.outcome.report or {}
        if self._report.get("status") == "malformed":
            raise InputError(self._report["message"])
        self.trace = parse_trace(self._replayed.outcome.trace, str(file))
        self.found = read_evaluation(self.trace)
        self._answers = list(
            dict.fromkeys(str(answer) for *_, answer in self._report.get("answers") or ())
        )

    def lacking(self) -> str:
        """The reason why the answers are not about the whole script, or why a sat answer has no model;
        empty where both are fine.
        """
        for key in self._report.get("counts") or {}:
            if key.startswith("replay-refused:"):
                _, action, reason = key.split(":", 2)
                if action.startswith(_SAYING) or (
                    action == "evaluate" and self.found is None and "sat" in self._answers
                ):
                    return f"{action}: {reason}"
        return ""

    def show(self, way: str = "") -> int:
        """Print the evaluation, or the reason why there is none, and return the exit code. `way` says
        how the solver was given the script.
        """
        if reason := unread(self.trace):
            raise InputError(
                f"no model that can be judged, {way or 'of the last script'}: {reason}",
                file=str(self._file),
            )
        if way:
            say(way)
        if self._replayed.found is not None:
            say(f"the replay ends with a finding: {self._replayed.found.verdict.message}", err=True)
        if self.found is not None:
            return _show(self.found)
        if self._replayed.outcome.cause == "wall":
            raise InputError(
                f"no model: the solver had not answered after {self._wall:g} s; give it more time with --wall",
                file=str(self._file),
            )
        if self._answers and "sat" not in self._answers:
            say(f"no model: the checks answer {', '.join(self._answers)}")
            return 0
        return _show(Evaluation({}, []))


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


def _under_model(file: Path, model: Path) -> Evaluation:
    """The assertions of a script, named by their lines, under the model in a file."""
    script = read_file(file, build_catalogue(load_catalogue()))
    read = read_model(read_text(model), str(model), script)
    valuation = Valuation(script, read)
    return Evaluation(
        shown_model(script.tables.catalogue, read),
        [
            (f"line {script.line(at)}", _verdict(valuation, command.term))
            for at, command in enumerate(script.commands)
            if isinstance(command, Assert)
        ],
    )


def _verdict(valuation: Valuation, formula: Term) -> str:
    try:
        return "true" if valuation.holds(formula) else "false"
    except CannotSay as reason:
        return str(reason)


def asking(trace: Trace) -> Trace:
    """The trace with a line `evaluate` behind each check and in place of each whole script, and
    without the checks of murxpy that would end its replay early.
    """
    lines: list[Line] = []
    for line in trace.lines:
        text = line.args[0] if line.action == "run-script" and line.args else None
        if isinstance(text, Quoted):
            lines.append(
                replace(
                    line,
                    action="evaluate",
                    args=[Quoted(asking_for_models(text.text, trace.name))],
                    results=[],
                )
            )
        elif line.action not in _OWN:
            lines.append(line)
        if line.action in ANSWERING:
            lines.append(Line("evaluate", seed=0))
    return Trace(trace.name, lines, trace.header, trace.murxla_options)
