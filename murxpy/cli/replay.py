"""The replay of a trace on the two releases that it compares."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from murxpy.cli import tell
from murxpy.cli.options import (
    JUDGES,
    allow_option,
    json_option,
    memory_option,
    theory_option,
    time_option,
    wrapper_option,
)
from murxpy.cli.params import NONE, FileOrBucket, Target, in_out_option, judge_names
from murxpy.cli.report.console import print_json, say, write_now
from murxpy.cli.report.judged import judged_json, judged_lines
from murxpy.cli.report.outcome import exit_code, fails, outcome_json, outcome_lines
from murxpy.errors import InputError
from murxpy.findings.origin import (
    holds_traces,
    origin,
    plan_of,
    plan_of_campaign,
    read_history,
    releases_of,
)
from murxpy.findings.replayed import Replayed, replay_texts, replay_trace, walk_seeds
from murxpy.judging.comparing.regressions import Pair
from murxpy.judging.disagreement import header_judges
from murxpy.judging.judged_solver import JudgedSolver
from murxpy.judging.operators import judge_plans
from murxpy.machine.trace.grammar import Trace, parse_trace, read_trace
from murxpy.oracles.disagreement import first_disagreement
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans, usable_request
from murxpy.processes.targets import Plan, same_targets
from murxpy.reduction.histories import parts
from murxpy.reduction.pipeline import refuse_malformed
from murxpy.smtlib.reading.scripts import read_text
from murxpy.solvers.forbidden import Forbidden


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
    outcomes = ["is not asked" if look.older is None else look.older.words(), look.newer.words()]
    if as_json:
        sides = [
            {"solver": name, "shows": text} for name, text in zip(releases, outcomes, strict=True)
        ]
        data = {"fails": bool(kind), "outcome": kind or "ok", "older": sides[0], "newer": sides[1]}
        print_json(data)
    else:
        say(kind or "no difference that counts")
        for name, text in zip(releases, outcomes, strict=True):
            say(f"  {name}: {text}")
    return int(bool(kind))


# ----------------------------------------------------------------------
# `murxpy replay`: run a trace again in a fresh process, or the several runs that a finding
# needs.


@click.command()
@click.argument("file", metavar="TRACE|BUCKET", type=FileOrBucket(whole=True))
@in_out_option
@click.option(
    "--solver",
    type=Target(),
    metavar="SOLVER[@PLACE]",
    help="Solver on which the trace is replayed.  [default: the one on which it was found]",
)
@theory_option
@wrapper_option
@allow_option
@click.option(
    "--cross-check",
    "judged",
    type=judge_names,
    metavar="SOLVER[@PLACE],...",
    help=f"{JUDGES}: its checks; 'none' asks no solver.  [default: those that its header names]",
)
@time_option(
    "--wall",
    "20s",
    "End the replay after this time. A replay that is ended after 20s or more counts as a hang.",
)
@memory_option
@click.option(
    "--trace",
    "follow",
    is_flag=True,
    help="Write the trace of the replay to standard output as it happens.",
)
@json_option
def replay(
    file: Path,
    solver: str | None,
    wrapper: str | None,
    judged: tuple[str, ...] | None,
    wall: float,
    memory: int,
    follow: bool,
    as_json: bool,
) -> int:
    """Replay TRACE, a trace of murxpy or of Murxla, in a fresh process. The exit code is 1 if the replay
    shows a finding, else 0. BUCKET is a folder OUT/findings/BUCKET, or the beginning of its name.

    Some findings need earlier runs in their process. Their file `*.history` is replayed run by run.

    Programs, folders, wrappers and releases that only TRACE or its folder names are not used: name
    them here, too.

    \b
    Examples:
      murxpy replay bug.trace --solver z3@4.13.0
      murxpy replay bug.trace --cross-check cvc5@~/cvc5/build
      murxpy replay invalid-m --solver z3@~/z3/build --wrapper my.yaml
    """
    if follow and as_json:
        raise InputError("--trace and --json both write to standard output: leave one out")
    limits = Limits(wall=wall, memory=memory)
    if file.suffix == ".history":
        return _show(_replay_history(file, limits, follow, solver, wrapper), None, as_json)
    text = read_trace(file)
    trace = parse_trace(text, str(file))
    names, given = releases_of(trace), [*filter(None, [solver, *(judged or ())])]
    if names and not follow and (not (given or wrapper) or same_targets(names, given)):
        return show_compared(file, text, names, limits, as_json)
    plan = plan_of(trace, solver, wrapper, file)
    replayed = replay_trace(plan, text, str(file), limits, write_now if follow else None, wall)
    refuse_malformed(replayed.outcome, str(file))
    try:
        judges, unasked = judges_of(trace, judged), None
    except InputError as error:  # what the solver shows is told nevertheless
        judges, unasked = (), error
    if judges and replayed.found is None:
        return _show_judged(plan, judges, replayed, limits, as_json)
    code = _show(replayed, trace, as_json)
    _show_files_beside(file, replayed, as_json)
    return code if unasked is None or code else tell(unasked)


def _show_files_beside(file: Path, replayed: Replayed, as_json: bool) -> None:
    """Name the helpful file that a campaign keeps beside a trace: the native frames of a crash, or
    the earlier runs that the finding needs.
    """
    frames = file.with_name("backtrace.txt")
    if replayed.found is not None and frames.is_file() and not as_json:
        say(f"  native frames in {frames}")
    history = file.with_suffix(".history")
    if not fails(replayed) and history.is_file():
        say(f"this finding needs the runs before it: murxpy replay {history}", err=True)


def refuse_forbidden(plan: Plan, file: Path) -> str:
    """The text of a script that the solver is to read. Raises InputError if the text uses what the
    wrapper forbids.
    """
    text = read_text(file)
    Forbidden((plan.setup.get("wrapper") or {}).get("forbidden") or {}).permit(text, str(file))
    return text


def judges_of(trace: Trace, asked: tuple[str, ...] | None) -> tuple[str, ...]:
    """The names of the judges: those that the user names, else those in the header of the trace.
    Raises InputError where the header names one that may not be asked.
    """
    if asked is None:
        return header_judges(trace)
    return () if asked == (NONE,) else asked


def _show_judged(
    plan: Plan, names: tuple[str, ...], replayed: Replayed, limits: Limits, as_json: bool
) -> int:
    """Have judges answer the checks of the replayed trace, print what they and the replay showed, and
    return the exit code.
    """
    with closing(JudgedSolver(plan, judge_plans(names), limits)) as solver:
        answers = solver.judged(replayed.outcome.trace)
        releases = solver.solvers.releases
    found = first_disagreement(answers)
    if as_json:
        print_json(judged_json(replayed, releases, answers, found))
    else:
        for line in judged_lines(replayed, releases, answers, found):
            say(line)
    return int(found is not None or fails(replayed))


def _replay_history(
    file: Path, limits: Limits, follow: bool, solver: str | None, wrapper: str | None
) -> Replayed:
    if file.is_file() and holds_traces(file):
        text = read_trace(file)
        plan = plan_of(parse_trace(text, str(file)), solver, wrapper, file)
        return replay_texts(plan, parts(text), str(file), limits, write_now if follow else None)
    runs = read_history(file)
    plan = plan_of_campaign(file, solver, wrapper)
    return walk_seeds(plan, runs, limits, write_now if follow else None)


def _show(replayed: Replayed, trace: Trace | None, as_json: bool) -> int:
    """Print what the replay showed, and return the exit code."""
    if as_json:
        print_json(outcome_json(replayed, trace))
    else:
        for line in outcome_lines(replayed, trace):
            say(line)
    return exit_code(replayed)
