"""`murxpy draft`: a finding as an issue for the solver's developers, ready to paste."""

from __future__ import annotations

import os
import platform
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import click

from murxpy.cli.options import count_option, known_option, theory_option, wrapper_option
from murxpy.cli.params import Existing, FileOrBucket, Target, in_out_option
from murxpy.cli.replay import judges_of
from murxpy.cli.report.console import say
from murxpy.cli.report.finding import FindingPage, finding_page, finding_pages
from murxpy.cli.report.findings import Use, operators_of, sentence
from murxpy.cli.report.text import amount, fenced, one_line, plain
from murxpy.data import load_wrapper, wrapper_names
from murxpy.errors import InputError
from murxpy.findings.bucket_names import is_bucket, kept_form, kept_trace
from murxpy.findings.buckets import Kept, new_bucket
from murxpy.findings.defects import grouping
from murxpy.findings.kinds.calls import misuse_message
from murxpy.findings.kinds.registry import kind_of
from murxpy.findings.kinds.sights import Shown
from murxpy.findings.known import Registry, read_registry
from murxpy.findings.origin import holds_traces, plan_of
from murxpy.findings.ranges import keep_range
from murxpy.findings.replayed import replay_trace
from murxpy.findings.store import Changes, Store
from murxpy.judging.cross_check import finding_of
from murxpy.judging.judged_solver import JudgedSolver
from murxpy.judging.operators import judge_plans
from murxpy.judging.regress import range_in
from murxpy.machine.outcomes import CONTRACT, EXCEPTION
from murxpy.machine.trace.finished import add_header, header_value, without_header
from murxpy.machine.trace.grammar import parse_trace, read_trace
from murxpy.processes.handles import Job, Scratch
from murxpy.processes.limits import Limits
from murxpy.processes.targets import Plan, version_of
from murxpy.records.finding import Finding, Reproducer
from murxpy.reduction.pipeline import refuse_malformed
from murxpy.reduction.reproducers import unsound, write_programs
from murxpy.solvers.exceptions import INVALID_MODEL

_TITLE = 110  # letters of a title
_OPERATORS = 3  # operators that a title names
_LONGEST = 200  # letters of what a program printed
_FRAMES = 8  # native frames that stand in the text
_INLINE = (
    80  # lines of a script or program that stands in the text; a longer one is an attachment only
)
# what Markdown reads as markup, also mentions, and links to issues; not an underscore inside a word
_TRACES = ("finding.trace", "finding.history")  # one run, or several runs in one process
_SET = re.compile(r"^\(set-option :(\S+) ([^()]*)\)$", re.M)
# Options that only let a script ask or do more, and limits.
_ASKING = re.compile(r"produce-|incremental|global-|print-|interactive|\S*limit")
_RELEASE = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class Draft:
    """An issue: its Markdown, the files that go with it by their names, and what its author should know
    before sending it.
    """

    text: str
    files: Mapping[str, str]
    warnings: Sequence[str]


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
def draft(
    source: Path,
    receiver: str | None,
    known: tuple[Path, ...],
    table: Path | None,
    solver: str | None,
    wrapper: str | None,
    output: Path | None,
    limit: int | None,
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
    if limit is not None and not campaign:
        raise InputError(
            "--limit counts the issues of a campaign: name its folder", file=str(source)
        )
    if (is_bucket(source) or campaign) and (solver or wrapper or table):
        raise InputError(
            "a campaign says what its findings are of: leave out --solver, --wrapper and --table",
            file=str(source),
        )
    if campaign:
        _write_all(source, receiver, registries, output, limit)
        return
    if is_bucket(source):
        made = draft_of(source, receiver, registries)
    else:
        plan = plan_of(parse_trace(read_trace(source), str(source)), solver, wrapper, source)
        with Scratch("draft") as out:
            folder = kept_alone(source, plan, out, {} if table is None else range_in(table, source))
            made = draft_of(folder, receiver, registries)
    for warning in made.warnings:
        say(f"note: {warning}", err=True)
    if output is None:
        click.echo(made.text, nl=False)
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


def _write_all(
    out: Path,
    receiver: str | None,
    registries: Sequence[Registry],
    output: Path | None,
    limit: int | None,
) -> None:
    """Write the issues of the worst defects of the campaign in folder `out`, each to a folder of
    `output` with the name of its bucket. A warning that several issues have is said once. Raises
    InputError.
    """
    if output is None:
        raise InputError("name the folder for the issues of a campaign with -o DIR", file=str(out))
    warned: dict[str, list[str]] = {}
    written = 0
    for page in islice(finding_pages(out), limit):
        key = page.bucket.key
        try:
            made = draft_of_page(page, out, receiver, registries)
        except InputError as error:
            warned[str(error)] = [key]
            continue
        _write(made, output / key)
        written += 1
        for warning in made.warnings:
            warned.setdefault(warning, []).append(key)
    for warning, keys in warned.items():
        of = keys[0] if len(keys) == 1 else amount(len(keys), "issue")
        say(f"note: {of}: {warning}", err=True)
    say(f"{amount(written, 'issue')} written to {output}, each in a folder; nothing is sent")


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


def draft_of(source: Path, receiver: str | None, registries: Sequence[Registry]) -> Draft:
    """The issue of the finding in the folder of a bucket. Raises InputError."""
    folder = source.absolute()
    out = folder.parent.parent
    return draft_of_page(finding_page(out, folder.name), out, receiver, registries)


def draft_of_page(
    page: FindingPage, out: Path, receiver: str | None, registries: Sequence[Registry]
) -> Draft:
    """The issue of a finding of the campaign in folder `out`. Raises InputError."""
    trace = kept_trace(out / "findings" / page.bucket.key)
    shown = trace.suffix == ".trace" or holds_traces(
        trace
    )  # else it holds seeds, which show nothing
    small = read_trace(trace) if shown else ""
    solver = page.bucket.solver
    wrapper = load_wrapper(solver) if solver in wrapper_names() else {}
    rules = (load_wrapper(receiver) if receiver else wrapper).get("reporting") or {}
    script, program = kept_form(trace, "smt2"), kept_form(trace, "python")
    release = _release(page, small)
    files = {f"finding{trace.suffix}": small} if small else {}
    files |= {"finding.smt2": script} if script else {}
    files |= {"finding.py": program} if program else {}
    files |= {"decided.smt2": page.decided} if page.decided else {}
    if script and not _by_program(page) and not wrapper.get("command"):
        files["run.py"] = str(wrapper.get("script-runner") or "")
    parts = [
        f"# {_title(page, small, release)}\n",
        *_what(page, script, program),
        *_how(page, script, program, files, wrapper, release),
        *_circumstances(page, small, script, release),
        *_frames(page),
    ]
    text = "\n".join(parts).rstrip("\n") + "\n"
    return Draft(text, files, [*_warnings(page, rules, script or program, registries, out)])


def _release(page: FindingPage, small: str) -> str:
    """The release on which the finding was made, by the header of its trace or by the campaign."""
    told = header_value(small, "solver").partition(" ")[2] or next(iter(page.releases), "")
    found = _RELEASE.match(told)
    return found[0] if found else told


def _title(page: FindingPage, small: str, release: str) -> str:
    """Kind, operators and release, or where a process dies."""
    kind, solver = kind_of(page.bucket.kind), page.bucket.solver
    if kind.dies:
        what = sentence(page.bucket).partition(": ")[0]
    elif page.bucket.kind in (CONTRACT, EXCEPTION):
        what = misuse_message(page.defect.wrong)
    else:
        names = operators_of(small)[:_OPERATORS]
        what = f"{kind.label}{f' with {_listed(names)}' if names else ''}"
    return plain(f"{solver} {release} {what}"[:_TITLE])


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _what(page: FindingPage, script: str | None, program: str | None) -> Iterator[str]:
    """What was expected and why, and what was got: as the script or the program says it."""
    got, expected = _told(script) if script else ("", "")
    yield f"{plain(sentence(page.bucket))}.\n"
    if expected:
        yield f"- **Expected:** {plain(expected)}"
        yield f"- **Got:** {plain(got)}"
    elif program:
        told = next((one.note for one in page.bucket.reproducers if one.form == "python"), "")
        wanted, _, got = told.removeprefix("expected ").partition(" got ")
        if got:
            yield f"- **Expected:** {plain(wanted.rstrip(','))}"
            yield f"- **Got:** {plain(one_line(got, _LONGEST))}"
    for line in page.bucket.triage.get("evidence") or ():
        yield f"- **Evidence:** {plain(str(line))}"
    yield ""


def _told(script: str) -> tuple[str, str]:
    """What the header of a script says that it prints and that it should print."""
    found = {"It prints": "", "It should print": ""}
    key = ""
    for row in script.split("\n"):
        if not row.startswith(";"):
            break
        begun = re.match(r"; (It prints|It should print): (.*)", row)
        if begun:
            key = begun[1]
            found[key] = begun[2]
        elif key and row.startswith(";   "):
            found[key] += f" {row[1:].strip()}"
        else:
            key = ""
    return found["It prints"], found["It should print"]


def _by_program(page: FindingPage) -> bool:
    """Whether the solver's own program runs the script, and not a reader of its binding."""
    notes = [form.note for form in page.bucket.reproducers if form.form == "smt2"]
    return any(" FILE" in note for note in notes)


def _how(
    page: FindingPage,
    script: str | None,
    program: str | None,
    files: Mapping[str, str],
    wrapper: Mapping[str, Any],
    release: str,
) -> Iterator[str]:
    """The smallest script or program, with the command that runs it."""
    package = str(wrapper.get("package") or page.bucket.solver)
    install = (
        f"pip install {shlex.quote(f'{package}=={release}')}"
        if release
        else f"pip install {package}"
    )
    if script:
        notes = [form.note for form in page.bucket.reproducers if form.form == "smt2"]
        own = next((note.removeprefix("run as ") for note in notes if " FILE" in note), "")
        command = own.replace("FILE", "finding.smt2") or "python3 run.py finding.smt2"
        if wrapper.get("command"):  # a program that the user named, and that the reader knows
            command = "solver < finding.smt2"
        body = "\n".join(row for row in script.rstrip("\n").split("\n") if not row.startswith(";"))
        yield from block(f"## Script: `{command}`", "smt2", body, "finding.smt2")
        yield from _decided(page)
        if "run.py" in files:
            yield from block("`run.py` reads it:", "python", files["run.py"].rstrip("\n"), "run.py")
    elif program:
        yield from block(
            "## Program: `python3 finding.py`", "python", program.rstrip("\n"), "finding.py"
        )
    else:
        name = next((name for name in files if name in _TRACES), "")
        yield f"## Trace: `murxpy replay {name}`\n" if name else "## Trace\n"
        kept = "the trace is attached" if name else "it needs runs that only its campaign can make"
        yield f"No script and no program shows it alone; {kept}.\n"
    if not script:
        yield from _decided(page)
    if not wrapper.get("command"):
        yield f"Installed by `{install}`.\n"


def _decided(page: FindingPage) -> Iterator[str]:
    """The script that the solver decides, where it gives up on what follows from it."""
    if page.decided:
        title = "The solver decides this script, from which the rule made the other one:"
        yield from block(title, "smt2", page.decided.rstrip("\n"), "decided.smt2")


def block(title: str, language: str, text: str, name: str) -> Iterator[str]:
    """A heading and a text between fences, which are longer than those in the text; a long text is only
    named.
    """
    yield f"{title}\n"
    if text.count("\n") >= _INLINE:
        yield f"It has {text.count(chr(10)) + 1} lines: see the attached {name}.\n"
        return
    yield fenced(text, language)


def _circumstances(
    page: FindingPage, small: str, script: str | None, release: str
) -> Iterator[str]:
    """Release, platform, releases that show it, and what it needs."""
    python = header_value(small, "python") or platform.python_version()
    yield "## Where it shows\n"
    yield f"- {page.bucket.solver} {release}, {platform.system()} {platform.machine()}, Python {python}"
    yield f"- {plain(page.range)}" if page.range else "- other releases were not tried"
    if page.defect.use is not None:
        yield f"- {plain(_needed(page.defect.use, script))}"
    yield from (f"- {plain(need)}" for need in page.needs)
    if page.runs and not page.bucket.message.startswith("no return"):
        found = datetime.fromtimestamp(page.bucket.first, UTC)
        yield f"- found by murxpy on {found:%d %B %Y}, {amount(page.bucket.count, 'time')} in one campaign"
    yield ""


def _needed(use: Use, script: str | None) -> str:
    """What it needs, in words: the options of the script where there is one, which has no others."""
    if script:
        pairs = _SET.findall(script)
        options = [f"{name}={value}" for name, value in pairs if not _ASKING.match(name)]
        use = replace(use, options=tuple(options))
    return f"it shows {use.words() if use.options else f'with {use.words()}'}"


def _frames(page: FindingPage) -> Iterator[str]:
    """The native frames without those of the interpreter, the innermost first."""
    if page.frames:
        more = len(page.frames) - _FRAMES
        text = "\n".join([*page.frames[:_FRAMES], *([f"({more} more)"] if more > 0 else [])])
        yield from block("## Native frames", "", text, "backtrace.txt")


def _warnings(
    page: FindingPage,
    rules: Mapping[str, Any],
    shown: str | None,
    registries: Sequence[Registry],
    out: Path,
) -> Iterator[str]:
    """What should keep the author from sending the issue as it is."""
    bucket = page.bucket
    if not shown:
        yield "no script and no program shows the finding: developers can hardly mend it"
    if bucket.state != "confirmed":
        yield "the finding is not confirmed"
    if rules.get("tracker"):
        yield f"it goes to {rules['tracker']}"
    asked = filter(None, (rules.get("together"), rules.get("attachments")))
    yield from (f"the developers ask: {one}" for one in asked)
    for hold in rules.get("hold-off") or ():
        if re.search(str(hold["match"]), f"{bucket.key} {page.defect.wrong} {page.text}"):
            yield f"hold it back: {hold['because']}"
    week = sum(registry.sent_last_week(bucket.solver) for registry in registries)
    quota = rules.get("a-week")
    if quota and week >= quota:
        yield f"{amount(week, 'issue')} went to {bucket.solver} in the last seven days, and {quota} are welcome"
    marks = grouping(out).marks(bucket).own if registries else ()
    for registry in registries:
        for entry in registry.alike(bucket.key, marks):
            yield f"it looks like the known bug {entry.name}{f' ({entry.url})' if entry.url else ''}"
