"""`murxpy known`: the registry of known bugs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import click
import msgspec

from murxpy.cli.options import known_file_option
from murxpy.cli.params import FileOrBucket, Target, Text, in_out_option
from murxpy.cli.report.console import make_console, say
from murxpy.cli.report.tables import Table, kinds
from murxpy.cli.report.text import amount, one_line
from murxpy.data import wrapper_names
from murxpy.errors import InputError, MurxpyError
from murxpy.findings.bucket_names import bucket_of, is_bucket, kept_trace
from murxpy.findings.defects import grouping
from murxpy.findings.folder import write_atomically
from murxpy.findings.known import STATUSES, Bug, Registry, Status, read_registry, registry_text
from murxpy.findings.ranges import kept_range
from murxpy.findings.replayed import replay_trace
from murxpy.machine.trace.grammar import parse_trace, read_trace
from murxpy.processes.plans import Request, make_plans
from murxpy.processes.targets import Plan, version_of

_WALL = 20.0  # seconds of a replay


@click.group()
def known() -> None:
    """Keep a registry of known bugs in a YAML file, which 'murxpy fuzz --known FILE' and 'murxpy draft
    --known FILE' read: only what is not in it sets the exit code.

    \b
    murxpy known add wrong-unsat --out out --url URL  # after the issue was sent
    murxpy known list
    murxpy known check --solver z3@latest             # which bugs a release mends, which are back
    murxpy known prune                                # leave out what is mended
    """


@known.command()
@click.argument("folder", metavar="BUCKET", type=FileOrBucket(folder=True))
@in_out_option
@click.option(
    "--file",
    "output",
    type=click.Path(path_type=Path, dir_okay=False),
    default="known.yaml",
    show_default=True,
    metavar="FILE",
    help="The registry of known bugs, which is made if it is missing.",
)
@click.option("--url", type=Text(), default="", metavar="URL", help="Where the bug was reported.")
@click.option(
    "--note", type=Text(), default="", metavar="TEXT", help="What else is to be kept of it."
)
@click.option(
    "--status",
    type=click.Choice(STATUSES),
    default=STATUSES[0],
    show_default=True,
    help="What became of the report.",
)
def add(folder: Path, output: Path, url: str, note: str, status: str) -> None:
    """Add the finding of BUCKET, a folder OUT/findings/BUCKET or the beginning of its name, with the
    marks of its defect and its smallest trace. A bug that is there already is replaced.
    """
    trace = kept_trace(folder) if is_bucket(folder) else folder
    bucket = bucket_of(trace) if is_bucket(folder) else None
    if bucket is None:
        raise InputError("expected OUT/findings/BUCKET of a campaign", file=str(folder))
    out = folder.absolute().parent.parent
    found = Bug(
        pattern=bucket.key,
        marks=list(grouping(out).marks(bucket).own),
        solver=bucket.solver,
        url=url,
        status=cast("Status", status),  # one of the words of the option
        since=datetime.now(UTC).date().isoformat(),
        releases=kept_range(folder),
        note=note,
        trace=read_trace(trace) if trace.suffix == ".trace" else "",
    )
    before = _read(output).bugs
    others = [bug for bug in before if bug.pattern != found.pattern]
    _write(output, [*others, found])
    say(f"{found.name}: {'added to' if len(others) == len(before) else 'replaced in'} {output}")


@known.command("list")
@known_file_option
def list_(file: Path) -> None:
    """List the known bugs of a file: what became of each, since when, and where it was reported."""
    table = Table(kinds(["bug", "solver", "status", "since", "releases", "url", "note"]))
    for bug in _read(file).bugs:
        words = (bug.name, bug.solver, bug.status, bug.since, bug.releases, bug.url, bug.note)
        table.add(*map(one_line, words))
    table.print(make_console())


@dataclass(frozen=True, slots=True)
class _Checked:
    """What a release says of a bug: `shows`, `gone`, or why that cannot be told."""

    bug: Bug
    said: str

    @property
    def news(self) -> str:
        """What is not as the registry has it: a bug that is mended, or one that is back."""
        if self.said == "gone" and self.bug.status != "mended":
            return "mended"
        return "back" if self.said == "shows" and self.bug.status == "mended" else ""


@known.command()
@known_file_option
@click.option(
    "--solver",
    "target",
    type=Target(),
    metavar="SOLVER[@PLACE]",
    help="Release or build that is asked.  [default: the installed release of each bug's solver]",
)
@click.option("--write", is_flag=True, help="Write what became of the bugs to the file.")
def check(file: Path, target: str | None, write: bool) -> int:
    """Replay the trace of each known bug: say which a release mends, and which mended ones are back.

    The exit code is 1 if something is not as the file has it, else 0.
    """
    plans: dict[str, Plan] = {}
    found = []
    for bug in _read(file).bugs:
        if bug.solver and target is not None and not target.startswith(bug.solver):
            continue
        found.append(_Checked(bug, _replayed(bug, target, plans)))
        one = found[-1]
        say(f"{one_line(bug.name)}: {one.news or one.said}")
    if write:
        news = {one.bug.name: one.news for one in found if one.news}
        changed = [
            msgspec.structs.replace(
                bug, status="mended" if news[bug.name] == "mended" else "reported"
            )
            if bug.name in news
            else bug
            for bug in _read(file).bugs
        ]
        _write(file, changed)
    return int(any(one.news for one in found))


def _replayed(bug: Bug, target: str | None, plans: dict[str, Plan]) -> str:
    """`shows`, `gone`, or why that cannot be told."""
    if not bug.trace:
        return "cannot be told: no trace is kept"
    if target is None and bug.solver not in wrapper_names():  # the file names no build and no place
        return f"cannot be told: name the solver with --solver, which is none of {', '.join(wrapper_names())}"
    try:
        parse_trace(bug.trace, bug.name)
        name = target or bug.solver
        if name not in plans:
            (plans[name],) = make_plans(Request((name,)))
        replayed = replay_trace(plans[name], bug.trace, bug.name, wall=_WALL)
    except MurxpyError as error:
        return f"cannot be told: {error}"
    release = version_of(replayed.about)
    if replayed.found is not None and Registry((bug,)).alike(replayed.found.bucket, ()):
        return "shows"
    if replayed.found is not None:
        return f"cannot be told: {release} shows {replayed.found.bucket}"
    refused = (replayed.outcome.report or {}).get("counts", {}).get("refusal:unsupported", 0)
    return f"cannot be told: {release} lacks a call" if refused else "gone"


@known.command()
@known_file_option
def prune(file: Path) -> None:
    """Leave out the bugs that are mended."""
    bugs = _read(file).bugs
    kept = [bug for bug in bugs if bug.status != "mended"]
    if len(kept) < len(bugs):
        _write(file, kept)
    say(f"{amount(len(bugs) - len(kept), 'bug')} left out, {len(kept)} kept in {file}")


def _read(file: Path) -> Registry:
    if file.suffix not in (".yaml", ".yml"):
        raise InputError(
            "expected a file of known bugs in YAML, such as known.yaml", file=str(file)
        )
    return read_registry(file) if file.exists() else Registry()


def _write(file: Path, bugs: list[Bug]) -> None:
    try:
        write_atomically(file, registry_text(bugs))
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror}", file=str(file)) from None
