"""`murxpy minimize`: a smaller trace, or a smaller script, that shows the same finding."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from murxpy.cli.options import (
    JUDGES,
    allow_option,
    count_option,
    jobs_option,
    theory_option,
    wrapper_option,
)
from murxpy.cli.params import (
    NONE,
    FileOrBucket,
    Guarded,
    Target,
    Text,
    duration,
    in_out_option,
    judge_names,
)
from murxpy.cli.replay import judges_of, refuse_forbidden
from murxpy.cli.report.console import Progress as Reporting
from murxpy.cli.report.console import say
from murxpy.cli.report.text import amount, brief, one_line, percent, rate
from murxpy.errors import InputError
from murxpy.findings.bucket_names import is_bucket, keep_forms
from murxpy.findings.folder import write_atomically
from murxpy.findings.kinds.sights import Shown
from murxpy.findings.origin import holds_traces, plan_of_campaign, read_history
from murxpy.findings.origin import plan_of as trace_plan
from murxpy.findings.replayed import replay_trace
from murxpy.findings.scripted import Scripted
from murxpy.fuzzers.seeds import statuses_of
from murxpy.judging.operators import judge_plans
from murxpy.machine.trace.grammar import Trace, parse_trace, read_trace
from murxpy.machine.witnesses.unknowns import BASELINE
from murxpy.oracles.crash import HANG
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.processes import interrupts
from murxpy.processes.plans import Request, make_plans
from murxpy.processes.targets import Plan, same_targets
from murxpy.records.finding import Reproducer
from murxpy.reduction.histories import minimize_history, minimize_joined
from murxpy.reduction.instances import NoInstance, regenerate
from murxpy.reduction.pipeline import Match, Minimized, Progress, Saver, Task, exit_kind
from murxpy.reduction.reproducers import base_of, smaller_form, smaller_of, write_programs
from murxpy.reduction.scripts import minimize_script, others_than
from murxpy.reduction.traces import minimize_trace


class Watch:
    """Shows how far a reduction is, and saves the best candidate from time to time."""

    def __init__(self, output: Path | None) -> None:
        self._saver = None if output is None else Saver(output)
        self._shown = Reporting("minimizing")

    def see(self, progress: Progress) -> None:
        """Take the newest progress."""
        if self._saver is not None:
            self._saver(progress)
        tests = rate(progress.tests / progress.seconds) if progress.seconds else "-"
        state = [
            amount(progress.lines, "line"),
            amount(progress.terms, "term"),
            amount(progress.tests, "test"),
            tests,
        ]
        self._shown.tell(", ".join(state))

    def clear(self) -> None:
        """Remove the line of progress from the terminal."""
        self._shown.clear()


Begin = partial[Task]  # makes the task from the plan that a file needs


@click.command()
@click.argument("file", metavar="TRACE|SCRIPT|BUCKET", type=FileOrBucket(whole=True))
@in_out_option
@jobs_option("Number of replays at a time.")
@click.option(
    "--time",
    "seconds",
    type=duration,
    metavar="TIME",
    help="End after this time, with the best result so far.",
)
@count_option(
    "--replays",
    "End after N candidates, with the best result so far. With one job the result then does not depend on the machine's load.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="File of the result.  [default: NAME.min.trace beside NAME.trace]",
)
@click.option(
    "--tries",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    help="Number of replays of each candidate at most, for findings that do not show each time.",
)
@click.option(
    "--strategy",
    type=click.Choice(["delete", "regenerate", "both"]),
    default="delete",
    show_default=True,
    help="Delete parts of the trace; or make other instances within smaller bounds, for findings of storm; or both.",
)
@click.option(
    "--match-message",
    type=Text(),
    metavar="TEXT",
    help="Keep a finding with this message, whatever its bucket is.",
)
@click.option(
    "--match-part",
    type=Text(),
    metavar="TEXT",
    help="Keep a finding with this text in its message.",
)
@click.option(
    "--match-exit",
    type=Text(),
    metavar="CODE|SIGNAL",
    help="Keep that the process ends with this exit code or signal, such as 3 or SIGSEGV.",
)
@click.option("--unknown", is_flag=True, help="Keep that the last check answers unknown.")
@click.option(
    "--slower", type=duration, metavar="TIME", help="Keep that a replay takes longer than this."
)
@click.option(
    "--command",
    cls=Guarded,
    metavar="COMMAND",
    help="Keep each candidate for which this command exits with 0. The command gets the candidate's file as its argument.",
)
@click.option(
    "--cross-check",
    "judged",
    type=judge_names,
    metavar="SOLVER[@PLACE],...",
    help=f"{JUDGES}: keep that one disagrees, and which solver is wrong; 'none' keeps the finding.  [default: those in the header]",
)
@click.option(
    "--reproducers",
    is_flag=True,
    help="Also write the result as a Python program and as an SMT-LIB script beside it, and try both. For a finding of a "
    "campaign this is always done.",
)
@click.option(
    "--solver",
    type=Target(),
    metavar="SOLVER[@PLACE]",
    help="Solver on which candidates are replayed.  [default: the one on which the trace was found]",
)
@theory_option
@wrapper_option
@allow_option
def minimize(
    file: Path,
    output: Path | None,
    solver: str | None,
    wrapper: str | None,
    judged: tuple[str, ...] | None,
    reproducers: bool,
    strategy: str,
    **how: Any,
) -> int:
    """Make TRACE, or with --solver the SMT-LIB SCRIPT, as small as possible while it still shows the
    same finding.

    BUCKET is a folder OUT/findings/BUCKET, or the beginning of its name; its program and its script are
    renewed, and all commands show the smaller trace from then on. The same finding has the
    same kind and the same bucket; what must stay of 'incompleteness' and 'slow' stands in
    docs/mutation.md. With --match-..., --unknown or --slower,
    a candidate must meet all these conditions instead; with --command, the command decides. Ctrl-C
    ends the work with the best result so far, and a second call goes on from that.
    """
    begin = _begin(file, **how)
    if strategy != "delete" and (_asked(begin) or file.suffix != ".trace"):
        raise InputError(
            f"--strategy {strategy} is for the trace of a finding of storm, and always keeps the finding",
            file=str(file),
        )
    if file.suffix == ".history":
        result = _history(file, output, solver, wrapper, begin)
    elif file.suffix == ".smt2":
        result = _script_file(file, output, solver, wrapper, judged, begin)
    else:
        target = trace_target(file, solver, wrapper)
        named = (solver, wrapper)
        result = _trace_file(file, output, target, judged, begin, strategy, reproducers, named)
    return interrupts.exit_code() if result.ended == "interrupted" else 0


def trace_target(file: Path, solver: str | None, wrapper: str | None) -> tuple[str, Trace, Plan]:
    """The text of a trace, the trace itself, and the target on which it is replayed. Of a misuse the target
    tells its callables, too. Raises InputError.
    """
    source = read_trace(file)
    trace = parse_trace(source, str(file))
    plan = trace_plan(trace, solver, wrapper, file)
    if any(line.action == "misuse" for line in trace.lines):
        plan = replace(plan, setup={**plan.setup, "callables": True})
    return source, trace, plan


def _trace_file(
    file: Path,
    output: Path | None,
    target: tuple[str, Trace, Plan],
    judged: tuple[str, ...] | None,
    begin: Begin,
    strategy: str,
    reproducers: bool,
    named: tuple[str | None, str | None],
) -> Minimized:
    """Minimize a trace, or the script that it runs."""
    source, trace, plan = target
    output = output or smaller_of(file)
    earlier = _earlier(output, file)
    watch = Watch(output)
    if judged and same_targets(judged, filter(None, [trace.header.get(BASELINE)])):
        judged = None  # the older release of the header decides the script, and judges nothing
    judges = () if _asked(begin) else judges_of(trace, judged)
    result = None
    if strategy != "delete":
        result = _regenerated(file, trace, begin, strategy, watch, named)
        source = source if result is None else result.text
    if result is None or (strategy == "both" and result.ended != "interrupted"):
        names = judges or (None if judged is None else ())
        task = begin(plan, follow=watch.see, judges=judge_plans(judges))
        result = minimize_trace(task, source, names, earlier, partial(_refused, trace, watch))
    write_atomically(output, result.text)
    watch.clear()
    for line in [_summary(result, output), *_renamed(file, result.key), *result.needs]:
        say(line)
    of_bucket = (
        output == smaller_of(file) and is_bucket(file.absolute().parent) and not _asked(begin)
    )
    if (reproducers or of_bucket) and result.ended != "interrupted":
        forms = _print_forms(plan, output, result, bool(judges))
        if of_bucket:
            _keep_forms(plan, file, output, result, forms)
    return result


def _keep_forms(
    plan: Plan, file: Path, small: Path, result: Minimized, forms: Sequence[Reproducer]
) -> None:
    """Note in the campaign's database how the finding is written now, so that all commands show this."""
    folder = file.absolute().parent
    written = [
        Reproducer("trace", str(base_of(file).with_suffix(".trace")), True),
        smaller_form(plan, "min.trace", small, result, result.key == folder.name),
        *forms,
    ]
    try:
        keep_forms(folder, written)
    except InputError as error:
        say(f"the list of findings does not have it yet: {error}", err=True)


def _renamed(file: Path, key: str) -> Iterator[str]:
    """A sentence where the result of a trace in the folder of a bucket has the `key` of another one:
    the theories of a script stand in the key, and a smaller script needs fewer.
    """
    folder = file.absolute().parent
    if is_bucket(folder) and key != folder.name and " " not in key:
        yield f"Its bucket is still called {folder.name}, because the key of a bucket never changes."


def _regenerated(
    file: Path,
    trace: Trace,
    begin: Begin,
    strategy: str,
    watch: Watch,
    named: tuple[str | None, str | None],
) -> Minimized | None:
    """The smallest instance that STORM generates again. Where the strategy goes on to remove parts, says
    how small it is; None where it is `both` and no instance can be made. Raises InputError for other
    strategies then.
    """
    try:
        why = "other instances are made from the seeds of the campaign: name the trace in the campaign's folder"
        seeded = plan_of_campaign(file, *named, why)
        result = regenerate(begin(seeded, follow=watch.see), trace)
    except NoInstance as error:
        if strategy != "both":
            raise
        watch.clear()
        say(f"it cannot be regenerated ({error}); its parts are removed", err=True)
        return None
    if strategy == "both":
        watch.clear()
        say(f"regenerated: {_sizes(result)}")
    return result


def _earlier(output: Path, file: Path) -> str | None:
    """The result of an earlier call, from which this one goes on. Raises InputError where the
    output is no trace: that is not overwritten.
    """
    if not output.is_file() or output.resolve() == file.resolve():
        return None
    earlier = read_trace(output)
    parse_trace(earlier, str(output))
    return earlier


def _refused(trace: Trace, watch: Watch, error: InputError) -> None:
    """Tell the user why the last script of a trace alone does not show the finding. Raises the error
    where the trace runs no other script.
    """
    if sum(line.action == "run-script" for line in trace.lines) < 2:
        raise error
    watch.clear()
    say(
        f"the last script alone does not show the finding ({error}); the lines of the trace are minimized",
        err=True,
    )


def _print_forms(plan: Plan, output: Path, result: Minimized, judged: bool) -> list[Reproducer]:
    """Write the result in its other forms, and print for each whether it shows the finding."""
    replayed = replay_trace(plan, result.text, str(output))
    shown = Shown(DISAGREEMENT if judged else HANG, result.key, "")
    if replayed.found is not None and not judged:
        shown = Shown(
            replayed.found.verdict.kind, replayed.found.bucket, replayed.found.verdict.message
        )
    forms = write_programs(plan, output, result.text, shown)
    for form in forms:
        verdict = {True: "shows it", False: "does not show it", None: "not tried"}[form.reproduces]
        note = f" ({one_line(form.note, 200)})" if form.note else ""
        say(
            f"{form.form}: {form.file}: {verdict}{note}"
            if form.file
            else f"{form.form}: none{note}"
        )
    return forms


def _script_file(
    file: Path,
    output: Path | None,
    solver: str | None,
    wrapper: str | None,
    judged: tuple[str, ...] | None,
    begin: Begin,
) -> Minimized:
    """Minimize an SMT-LIB script."""
    if _asked(begin):
        raise InputError(
            "--command, --match-..., --unknown and --slower do not apply to scripts, whose finding is always kept; leave them out",
            file=str(file),
        )
    if solver is None and wrapper is None:
        raise InputError(
            "name the solver that the script is run on with --solver or --wrapper", file=str(file)
        )
    (plan,) = make_plans(Request((solver,) if solver else (), wrapper=wrapper))
    text = refuse_forbidden(plan, file)
    labels = statuses_of(text)
    labelled = any(label != "unknown" for label in labels)
    names = tuple(judged or ()) if judged != (NONE,) else ()
    names = names or (others_than(plan.target.name) if labelled else ())
    watch = Watch(None)
    script = Scripted(text, labels if labelled else ())
    made = minimize_script(begin(plan, follow=watch.see), script, judge_plans(names))
    output = output or file.with_name(f"{file.stem.removesuffix('.min')}.min.smt2")
    write_atomically(output, made.best)
    watch.clear()
    say(_summary(made, output))
    return made


def _history(
    file: Path, output: Path | None, solver: str | None, wrapper: str | None, begin: Begin
) -> Minimized:
    """Minimize a finding that needs earlier runs in its process."""
    if begin.keywords["command"]:
        raise InputError("--command is for a trace: a history needs replays", file=str(file))
    watch = Watch(None)
    if holds_traces(file):
        source, _, plan = trace_target(file, solver, wrapper)
        reduced = minimize_joined(begin(plan, follow=watch.see), source)
    else:
        plan = plan_of_campaign(file, solver, wrapper)
        reduced = minimize_history(begin(plan, follow=watch.see), tuple(read_history(file)))
    ending = "history" if reduced.apart else "trace"
    output = output or base_of(file).with_name(f"{base_of(file).name}.min.{ending}")
    write_atomically(output, reduced.result.text)
    watch.clear()
    say(
        f"{amount(reduced.runs_before, 'run')} to {reduced.runs}; {_summary(reduced.result, output)}"
    )
    return reduced.result


def _begin(
    file: Path,
    seconds: float | None,
    match_message: str | None,
    match_part: str | None,
    match_exit: str | None,
    unknown: bool,
    slower: float | None,
    command: str | None,
    **numbers: Any,
) -> Begin:
    """Read the options that say how to reduce; `numbers` are those that a Task takes as they are."""
    ends = None if match_exit is None else exit_kind(match_exit)
    match = Match(match_message, match_part, ends, unknown, slower)
    words: tuple[str, ...] = ()
    if command is not None:
        if match:
            raise InputError(
                "with --command the command alone decides what is kept: leave out --match-..., --unknown and --slower"
            )
        try:
            words = tuple(shlex.split(command)) or ("",)
        except ValueError as error:
            raise InputError(f"--command: {error}, expected words as for a shell") from None
    folder = file.absolute().parent
    key = folder.name if is_bucket(folder) else ""
    return partial(
        Task, name=str(file), time=seconds, match=match, command=words, key=key, **numbers
    )


def _asked(begin: Begin) -> bool:
    """Whether the user says what is kept in place of the finding."""
    return bool(begin.keywords["match"] or begin.keywords["command"])


def _summary(result: Minimized, output: Path) -> str:
    return f"{result.key}: {_sizes(result)}; written to {output}"


def _sizes(result: Minimized) -> str:
    """The size before and after the reduction, and the time and the replays that the reduction took."""
    ended = {
        "complete": "",
        "time": ", ended by its time limit",
        "replays": ", ended by its limit of replays",
        "interrupted": ", interrupted",
    }
    share = percent(result.after / result.before) if result.before else "-"
    return (
        f"{amount(result.before, result.unit)} to {result.after} ({share}), "
        f"{amount(result.tests, 'test')} in {brief(result.seconds)}{ended[result.ended]}"
    )
