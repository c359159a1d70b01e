"""The output of `murxpy doctor`: this machine, and for each solver what its release can and cannot
do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import metadata
from typing import Any

import click

from murxpy import __version__
from murxpy.campaign.probe import Host, Probe, look_at_host, probe
from murxpy.cli import fail
from murxpy.cli.options import json_option
from murxpy.cli.params import NamedFile, Target
from murxpy.cli.report.console import Progress, make_console, print_json, say
from murxpy.cli.report.tables import COUNT, Table, kinds
from murxpy.cli.report.text import amount, heading, one_line
from murxpy.data import importable_names, is_installed, load_wrapper
from murxpy.errors import MurxpyError, TargetError
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans
from murxpy.processes.targets import Plan
from murxpy.records.snapshot import BucketView
from murxpy.solvers.exceptions import REFUSALS

_GIB = 1 << 30
_MISSING = ("section", "key", "spelling", "name")
_MESSAGES = 12  # messages shown of each class of refusals


def host_lines(host: Host, worker_memory: int, jobs: int) -> Iterator[str]:
    """The machine: its memory, beside the memory that the workers may take, gdb, and how far the
    kernel confines workers.
    """
    yield f"murxpy {__version__}"
    bounds = [(host.available, "available"), (host.group_limit, "limit of the control group")]
    bounds += [(host.address_space, "limit of the address space (ulimit -v)")]
    shown = ", ".join(f"{_gib(size)} {what}" for size, what in bounds if size is not None)
    yield f"  memory   {_gib(worker_memory)} a worker, {amount(jobs, 'worker')}; {shown or 'unknown'}"
    free = min(
        (size for size in (host.available, host.group_limit) if size is not None), default=None
    )
    if free is not None and free < worker_memory:
        yield "           less than one worker may take: give 'murxpy fuzz' a smaller --memory"
    if host.address_space is not None and host.address_space < 2 * worker_memory:
        yield "           the address space is too small for the --memory of 'murxpy fuzz': raise it with 'ulimit -v unlimited'"
    yield f"  gdb      {host.gdb or 'not installed: crashes come without native frames'}"
    yield f"  confined {_confined(host.landlock, host.filters)}"


def _confined(landlock: int, filters: bool) -> str:
    """Describe the restrictions that the kernel puts on workers. Each ABI of Landlock refuses more
    than the one before.
    """
    if not landlock:
        missing = (
            "NOT: this kernel has no Landlock, so a solver can write any file that you can write"
        )
        return missing + ("; it reaches no network and starts no program" if filters else "")
    found = f"workers write in a folder of their own only (Landlock ABI {landlock})"
    lacks = [
        *(["truncating files that they can read"] if landlock < 3 else []),
        *(["signals to your other processes"] if landlock < 6 else []),
        *(["modes and times of files, the network, starting programs"] if not filters else []),
    ]
    return found + (f"; this kernel does not prevent {', '.join(lacks)}" if lacks else "")


def target_lines(plan: Plan, probe: Probe) -> Iterator[str]:
    """The lines about a target that can be used."""
    about, gaps = probe.about, operator_gaps(plan, probe.about)
    yield f"{plan.target.name}: {about['solver']} {about['version']}"
    yield f"  module   {about['module_file']}"
    yield f"  python   {about['python']} ({plan.target.interpreter})"
    operators: Mapping[str, Sequence[str]] = about["operators"]
    counted = ", ".join(f"{name} {len(drawn)}" for name, drawn in operators.items())
    yield f"  draws    {amount(sum(map(len, operators.values())), 'operator')}: {counted}"
    for title, missing in gaps.items():
        if missing:
            yield f"  {title}: {', '.join(missing)}"
    yield from _missing_lines(about["missing"])
    yield from _probe_lines(probe)


def judges_table(abouts: Mapping[str, Mapping[str, Any]]) -> Table:
    """Which solvers can judge answers about which theories: by theory and solver, how many of the
    theory's operators the solver has. `abouts` has what the session of each target says of its solver.
    """
    table = Table(kinds(["theory"], list(abouts), COUNT), whole=True)
    theories = {name: None for about in abouts.values() for name in about["operators"]}
    for theory in theories:
        counts = [len(about["operators"].get(theory, ())) for about in abouts.values()]
        table.add(theory, *counts)
    return table


def target_json(plan: Plan, probe: Probe) -> dict[str, Any]:
    """A target that can be used, as plain data."""
    return {
        "target": plan.target.name,
        "usable": True,
        **{
            key: probe.about[key]
            for key in ("solver", "version", "module_file", "python", "operators")
        },
        "interpreter": plan.target.interpreter,
        "missing": [dict(zip(_MISSING, entry, strict=True)) for entry in probe.about["missing"]],
        "gaps": operator_gaps(plan, probe.about),
        "runs": probe.runs,
        "overstayed": probe.overstayed,
        "refused": dict(sorted(probe.refused.items())),
        "findings": [_found(bucket) for bucket in probe.buckets],
    }


def _found(bucket: BucketView) -> dict[str, Any]:
    """A bucket as plain data. A probe writes no reproducers and asks no judges."""
    data = asdict(bucket)
    del data["reproducers"], data["triage"]
    return data


def operator_gaps(plan: Plan, about: Mapping[str, Any]) -> dict[str, list[str]]:
    """The operators of the solver's theories that no run draws, by the reason for that."""
    setup = plan.setup
    wrapper, chosen = setup["wrapper"], setup["theories"] or setup["wrapper"]["theories"]
    drawn = {kind for kinds in about["operators"].values() for kind in kinds}
    absent = {key for section, key, _, _ in about["missing"] if section == "operators"}
    excluded = set(setup["profile"].get("exclude-operators", ()))
    gaps: dict[str, list[str]] = {
        "not in the wrapper": [],
        "not in this release": [],
        "left out by the profile": [],
        "left out for their sorts, features or spellings": [],
    }
    for theory in setup["catalogue"]["theories"]:
        for kind in theory["operators"] if theory["name"] in chosen else ():
            if kind in drawn:
                continue
            if kind not in wrapper["operators"]:
                gaps["not in the wrapper"].append(kind)
            elif kind in excluded:
                gaps["left out by the profile"].append(kind)
            elif kind in absent:
                gaps["not in this release"].append(kind)
            else:
                gaps["left out for their sorts, features or spellings"].append(kind)
    return gaps


def _missing_lines(missing: Sequence[Sequence[str]]) -> Iterator[str]:
    """The spellings that the release lacks; those of one operator share a line."""
    if not missing:
        yield "  lacks    no spelling of the wrapper"
        return
    yield f"  lacks    {amount(len(missing), 'spelling')} of the wrapper, by the names and releases in brackets"
    groups: dict[str, list[str]] = {}
    for section, key, spelling, name in missing:
        label = key if section == "operators" else f"{section} {key}"
        groups.setdefault(label, []).append(f"{spelling} ({name})")
    for label, spellings in groups.items():
        yield f"    {label}: {', '.join(spellings)}"


def _probe_lines(probe: Probe) -> Iterator[str]:
    if not probe.runs:
        return
    counts = probe.counts
    checks, decided = counts.get("check:total", 0), counts.get("check:decided", 0)
    yield (
        f"  probe    {amount(probe.runs, 'run')}: {amount(checks, 'check')}, {decided:,} decided, "
        f"{probe.overstayed:,} overstayed, {amount(len(probe.buckets), 'bucket')} of findings"
    )
    for bucket in probe.buckets:
        yield f"    found {bucket.key}: {one_line(bucket.message, 120)}"
    if not probe.refused:
        yield "  refused  nothing"
    for name in REFUSALS:
        yield from _refused_lines(probe, name)


def _refused_lines(probe: Probe, name: str) -> Iterator[str]:
    """The refusals of one class: each message with the share of the runs that saw it."""
    own = {
        key.partition(":")[2]: runs
        for key, runs in probe.refused.items()
        if key.startswith(f"{name}:")
    }
    if not own:
        return
    total = probe.counts.get(f"refusal:{name}", 0)
    yield f"  refused  {amount(total, 'call')} as {name}; share of runs that saw it:"
    for message, runs in sorted(own.items(), key=lambda pair: (-pair[1], pair[0]))[:_MESSAGES]:
        yield f"    {100 * runs / probe.runs:5.1f} %  {one_line(message, 160)}"
    if len(own) > _MESSAGES:
        yield f"             and {len(own) - _MESSAGES} more messages"


def _gib(size: int) -> str:
    return f"{size / _GIB:.1f} GiB"


# ----------------------------------------------------------------------
# `murxpy doctor`: whether each solver can be used, what its release lacks, and what it refuses.


_RUNS = 150


@click.command()
@click.argument("targets", type=Target(), metavar="[SOLVER[@PLACE]]...", nargs=-1)
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    default=_RUNS,
    metavar="N",
    show_default=True,
    help="Number of random runs on each solver, to see what it refuses.",
)
@click.option(
    "--wrapper",
    type=NamedFile(),
    metavar="FILE",
    help="Wrapper of a solver. Its solver is examined if no other is named.",
)
@click.option(
    "--profile", type=NamedFile(), metavar="FILE", help="More restrictions on what is generated."
)
@json_option
def doctor(
    targets: tuple[str, ...], runs: int, wrapper: str | None, profile: str | None, as_json: bool
) -> int:
    """Say of each solver whether it can be used, and what its release lacks and refuses; and of
    several solvers, which can judge each other's answers about which theories ('murxpy fuzz
    --cross-check'). Without arguments, all installed solvers that have a wrapper are examined.

    Exits with 4 when a solver that is named here cannot be used, or none is there.
    """
    jobs = len(os.sched_getaffinity(0))
    host = look_at_host()
    absent = [] if targets or wrapper else [n for n in importable_names() if not is_installed(n)]
    names = targets or (() if wrapper else tuple(n for n in importable_names() if n not in absent))
    if absent and not names:
        raise TargetError(
            f"no solver is installed here: 'pip install {_package(absent[-1])}' gives one"
        )
    requests = [Request((name,), wrapper=wrapper, profile=profile) for name in names]
    looked = _look(requests or [Request(wrapper=wrapper, profile=profile)], runs, jobs)
    if as_json:
        found = [_json(*each) for each in looked]
        lacking = (TargetError(f"not installed: pip install {_package(name)}") for name in absent)
        found += [
            {**_json(n, None, e), "exit_code": 0} for n, e in zip(absent, lacking, strict=True)
        ]
        print_json({"host": asdict(host), "targets": found})
        return max(int(each["exit_code"]) for each in found)
    for line in host_lines(host, Limits().memory, jobs):
        say(line)
    code = 0
    abouts: dict[str, Mapping[str, Any]] = {}
    for name, plan, result in looked:
        click.echo()
        if isinstance(result, MurxpyError):
            say(f"{name}: cannot be used")
            code = max(code, fail(str(result), result.exit_code))
        elif plan is not None:
            abouts[plan.target.name] = result.about
            for line in target_lines(plan, result):
                say(line)
    if absent:
        how = ", ".join(f"{name} (pip install {_package(name)})" for name in absent)
        click.echo()
        say(f"not installed here: {how}")
    if len(abouts) > 1:
        heading(make_console(), "Judges: how many operators of each theory a solver has")
        judges_table(abouts).print(make_console())
    return code


def _look(
    requests: list[Request], runs: int, jobs: int
) -> Iterator[tuple[str, Plan | None, Probe | MurxpyError]]:
    """Examine each target: its plan with what was found, or the error that prevents its use."""
    with Progress("looking at solvers", len(requests)) as progress:
        for request in requests:
            name, plan = str((*request.targets, request.wrapper)[0]), None
            result: Probe | MurxpyError
            try:
                (plan,) = make_plans(request)
                result = probe(plan, runs, jobs)
            except MurxpyError as error:
                result = error
            progress.step()
            progress.clear()
            yield name, plan, result


def _package(name: str) -> str:
    """What pip installs for a solver: an extra of murxpy where there is one, else its package."""
    extras = metadata("murxpy").get_all("Provides-Extra") or ()
    return f"'murxpy[{name}]'" if name in extras else str(load_wrapper(name)["package"] or name)


def _json(name: str, plan: Plan | None, result: Probe | MurxpyError) -> dict[str, Any]:
    if isinstance(result, MurxpyError) or plan is None:
        return {
            "target": name,
            "usable": False,
            "error": str(result),
            "exit_code": getattr(result, "exit_code", 4),
        }
    return {**target_json(plan, result), "exit_code": 0}
