"""`murxpy draft`: a finding as an issue for the solver's developers, ready to paste."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import click

from murxpy.cli.options import count_option, known_option, theory_option, wrapper_option
from murxpy.cli.params import Existing, FileOrBucket, Target, in_out_option
from murxpy.cli.replay import judges_of
from murxpy.cli.report.console import say
from murxpy.cli.report.finding import FindingPage, finding_page, finding_pages
from murxpy.cli.report.findings import LAST, smallest_trace
from murxpy.cli.report.issue import Draft, draft_of
from murxpy.cli.report.text import amount
from murxpy.data import wrapper_names
from murxpy.errors import InputError
from murxpy.findings.bucket_names import is_bucket
from murxpy.findings.buckets import Kept, new_bucket
from murxpy.findings.kinds.sights import Shown
from murxpy.findings.known import Registry, read_registry
from murxpy.findings.origin import plan_of
from murxpy.findings.ranges import keep_range
from murxpy.findings.replayed import replay_trace
from murxpy.findings.store import Changes, Store
from murxpy.judging.cross_check import finding_of
from murxpy.judging.judged_solver import JudgedSolver
from murxpy.judging.operators import judge_plans
from murxpy.judging.regress import range_in
from murxpy.machine.trace.finished import add_header, without_header
from murxpy.machine.trace.grammar import parse_trace, read_trace
from murxpy.processes.handles import Job, Scratch
from murxpy.processes.limits import Limits
from murxpy.processes.targets import Plan, version_of
from murxpy.records.finding import Finding, Reproducer
from murxpy.reduction.pipeline import refuse_malformed
from murxpy.reduction.reproducers import unsound, write_programs
from murxpy.solvers.exceptions import INVALID_MODEL


@click.command()
@click.argument("source", metavar="TRACE|BUCKET|OUT", type=FileOrBucket(folder=True))
@in_out_option
@click.option(
    "--for",
    "receiver",
    type=click.Choice(wrapper_names()),
    help="The solver to whose developers the issue goes.  [default: the solver of the finding]",
)
@known_option("Known bugs; the draft says which of them look like this finding.")
@click.option(
    "--table",
    type=Existing(),
    metavar="FILE",
    help="The table of 'murxpy bisect --table' that says which releases show TRACE.",
)
@click.option(
    "--solver",
    type=Target(),
    metavar="SOLVER[@PLACE]",
    help="Solver on which TRACE is replayed.  [default: the one on which it was found]",
)
@theory_option
@wrapper_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write issue.md and the files that go with it to this folder; of a campaign, each issue to a folder of its own "
    "in it.  [default: print the issue]",
)
@count_option("--limit", "Write the issues of the N worst defects of a campaign only.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Of a campaign, also write issues of what is told last in lists (a wrong operand is refused, but by an exception "
    "that nobody documents; objects of two contexts in one call), and of findings that were not made smaller yet.",
)
def draft(
    source: Path,
    receiver: str | None,
    known: tuple[Path, ...],
    table: Path | None,
    solver: str | None,
    wrapper: str | None,
    output: Path | None,
    limit: int | None,
    every: bool,
) -> None:
    """Write a finding as an issue in Markdown: title, what was expected and why, what was got, the
    smallest script or program, the command that runs it, releases, and what it needs. Nothing is sent.

    BUCKET is a folder OUT/findings/BUCKET, or the beginning of its name. TRACE is replayed, and its
    program and script are written and tried. OUT is the folder of a campaign: each of its defects is
    written, the worst first. What the developers of a solver ask for stands in the section 'reporting'
    of its wrapper. Warnings go to standard error.

    \b
    murxpy draft wrong-unsat --out out           # print the issue
    murxpy draft wrong-unsat --out out -o issue/ # with its script, program and trace
    murxpy draft wrong-unsat --known known.yaml  # and say which known bugs look like it
    murxpy draft out -o issues/ --limit 10       # the ten worst defects of a campaign
    murxpy draft bug.trace --solver z3@latest    # of a trace that no campaign keeps
    """
    registries = [read_registry(path) for path in known]
    campaign = source.is_dir() and not is_bucket(source)
    if (limit is not None or every) and not campaign:
        option, does = ("--all", "adds") if limit is None else ("--limit", "counts")
        raise InputError(f"{option} {does} issues of a campaign: name its folder", file=str(source))
    if (is_bucket(source) or campaign) and (solver or wrapper or table):
        raise InputError(
            "a campaign says what its findings are of: leave out --solver, --wrapper and --table",
            file=str(source),
        )
    if campaign:
        _write_all(source, receiver, registries, output, limit, every)
        return
    if is_bucket(source):
        made = draft_in(source, receiver, registries)
    else:
        plan = plan_of(parse_trace(read_trace(source), str(source)), solver, wrapper, source)
        with Scratch("draft") as out:
            folder = kept_alone(source, plan, out, {} if table is None else range_in(table, source))
            made = draft_in(folder, receiver, registries)
    for warning in made.warnings:
        say(f"note: {warning}", err=True)
    if output is None:
        click.echo(made.text, nl=False)
        attached = [name for name in made.files if f"attached {name}" in made.text]
        if attached:
            say(
                f"note: the issue names {', '.join(attached)}, which -o DIR writes with it",
                err=True,
            )
        return
    _write(made, output)
    say(f"issue.md and {amount(len(made.files), 'file')} written to {output}; nothing is sent")


def _write(made: Draft, folder: Path) -> None:
    """Write an issue and its files to a folder. Raises InputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in {"issue.md": made.text, **made.files}.items():
            (folder / name).write_text(text, encoding="utf-8", errors="surrogatepass")
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror}", file=str(folder)) from None


def _premature(page: FindingPage) -> str:
    """Why developers would not want an issue of this defect, at least for now; empty where they would."""
    if page.defect.rank >= LAST:
        return "in which a wrong operand is refused by another exception than is documented, or which mix objects of two contexts"
    forms = page.bucket.reproducers
    shown = any(one.reproduces and one.form in ("python", "smt2") for one in forms)
    kept = page.bucket.smallest() is not None
    if kept and not shown and smallest_trace(page.bucket, page.read) is None:
        return "whose traces were not made smaller yet, which 'murxpy finish' does"
    return ""


def _write_all(
    out: Path,
    receiver: str | None,
    registries: Sequence[Registry],
    output: Path | None,
    limit: int | None,
    every: bool,
) -> None:
    """Write the issues of the worst defects of the campaign in folder `out`, each to a folder of
    `output` with the name of its bucket; only with `every` also of those that developers would not
    want. A warning that several issues have is said once. Raises InputError.
    """
    if output is None:
        raise InputError("name the folder for the issues of a campaign with -o DIR", file=str(out))
    warned: dict[str, list[str]] = {}
    written = 0
    with closing(Store(out, read_only=True)) as store:
        pages = list(islice(finding_pages(store, out), limit))
    left_out: Counter[str] = Counter()
    for page in pages:
        key = page.bucket.key
        why = "" if every else _premature(page)
        if why:
            left_out[why] += 1
            continue
        made = draft_of(page, receiver, registries)
        if made is None:
            warned["it has no trace"] = [*warned.get("it has no trace", ()), key]
            continue
        _write(made, output / key)
        written += 1
        for warning in made.warnings:
            warned.setdefault(warning, []).append(key)
    for why, count in left_out.items():
        say(f"note: {amount(count, 'defect')} left out, {why}; --all writes them, too", err=True)
    for warning, keys in warned.items():
        of = keys[0] if len(keys) == 1 else amount(len(keys), "issue")
        say(f"note: {of}: {warning}", err=True)
    say(f"{amount(written, 'issue')} written to {output}, each in a folder; nothing is sent")


def draft_in(source: Path, receiver: str | None, registries: Sequence[Registry]) -> Draft:
    """The issue of the finding in the folder of a bucket. Raises InputError."""
    folder = source.absolute()
    made = draft_of(finding_page(folder.parent.parent, folder.name), receiver, registries)
    if made is None:
        raise InputError("this campaign has no such bucket with a trace", file=str(source))
    return made


# ----------------------------------------------------------------------
# A trace that no campaign keeps: its finding is kept in a folder like that of a campaign, with its
# program and its script, so that it is written as all findings are.


def kept_alone(file: Path, plan: Plan, out: Path, spans: Mapping[str, Any]) -> Path:
    """Replay the trace in `file` on the target of `plan`, and keep its finding in `out` as a campaign
    does. `spans` is what a bisection found out about it. Returns the folder of its bucket. Raises
    InputError where the replay shows no finding.
    """
    text = read_trace(file)
    found = _found(text, file, plan)
    verdict, release = found.verdict, f"{found.solver} {found.version}".strip()
    told = add_header(without_header(text, "solver"), f"# solver {release}\n")
    message = unsound(plan, text, file.name) if verdict.kind == INVALID_MODEL else ""
    folder = out / "findings" / found.bucket
    folder.mkdir(parents=True)
    small = folder / "finding.min.trace"
    small.write_text(told, encoding="utf-8", errors="surrogatepass")
    shown = Shown(verdict.kind, found.bucket, verdict.message)
    forms = [
        Reproducer("min.trace", str(small), True, message=message or verdict.message),
        *write_programs(plan, small, told, shown),
    ]
    bucket = replace(
        new_bucket(found.bucket, found.solver, verdict, known=False, now=0.0),
        state="confirmed",
        count=1,
        traces=[Kept(str(small.relative_to(out)), 0, told.count("\n"), len(told), confirmed=True)],
        triage=dict(found.triage),
        reproducers=tuple(
            replace(form, file=os.path.relpath(form.file, out) if form.file else "")
            for form in forms
        ),
    )
    with closing(Store(out, rebuild=True)) as store:
        store.save(Changes(buckets=[bucket]))
    if spans:
        keep_range(folder, spans)
    return folder


def _found(text: str, file: Path, plan: Plan) -> Finding:
    """The finding that a replay shows, or that the judges in the header of the trace show. Raises
    InputError.
    """
    replayed = replay_trace(plan, text, str(file))
    refuse_malformed(replayed.outcome, str(file))
    if replayed.found is not None:
        return replayed.found
    names = judges_of(parse_trace(text, str(file)), None)
    if names:
        with closing(JudgedSolver(plan, judge_plans(names), Limits())) as solver:
            outcome, case = solver.cross_checked(text)
            if case is not None:
                job = Job(0, Limits().replay_wall, text=text, name=str(file))
                return finding_of(solver.solvers, case, solver.investigated(case), job, outcome, ())
    release = f"{plan.target.family} {version_of(replayed.about)}"
    raise InputError(f"its replay on {release} shows no finding", file=str(file))
