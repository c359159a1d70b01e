"""`murxpy finish`: what a campaign had no time for."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
import msgspec

from murxpy.campaign.asked import KeptOptions, Known, prepared, unusable
from murxpy.cli.campaign_options import CommandOptions
from murxpy.cli.campaigns import carry_out, finish_command
from murxpy.cli.options import (
    Grouped,
    cluster_option,
    jobs_option,
    json_option,
    listed,
    theory_option,
)
from murxpy.cli.params import OUT
from murxpy.errors import InputError
from murxpy.findings.known import MAX_PATTERN
from murxpy.findings.store import FILE, Store
from murxpy.grants import grant_file
from murxpy.processes.plans import KEPT_OPTIONS, Request, parse_request
from murxpy.processes.targets import grant_target


@dataclass(frozen=True, slots=True)
class _Session:
    """The request of a session. `names` are the names of its targets by their absolute names."""

    request: Request
    names: Mapping[str, str]
    judges: tuple[str, ...]
    options: KeptOptions
    known: Known


def _finish(
    out: Path, names: tuple[str, ...], jobs: int | None, as_json: bool, cluster: str | None
) -> int:
    """Do what the campaign in the folder OUT (murxpy-out) had no time for: confirm its findings, find
    out which are one defect, and write them as programs. What the campaign was asked for is done,
    too: answers of judges, smaller traces, and bisection.

    Name in NAME... what else the campaign was given on its command line: environments, builds and
    releases that are not in the cache, files of wrappers, machines, profiles and grammars, and seeds.
    A folder can come from a stranger, so that what only the folder names is not used.

    Ctrl-C ends it, and the same command goes on. The exit code is that of the campaign, as if it had
    ended only now.
    """
    for name in names:  # a target, or a file
        grant_file(name)
        with contextlib.suppress(InputError):
            grant_target(name)
    session = _last_session(out)
    _refuse_foreign(session, out)
    options = CommandOptions(
        **asdict(session.options),
        out=out,
        jobs=jobs,
        as_json=as_json,
        finish=True,
        resume=True,
        cluster=cluster,
    )
    campaign = prepared(session.request, session.judges, options, session.known, session.names)
    return carry_out(campaign, options)


def _last_session(out: Path) -> _Session:
    """The request of the last session in the folder `out`. Raises InputError."""
    with closing(Store(out, read_only=True)) as store:
        asked, known = store.arguments(), store.meta().get("known")
    try:
        stored = next(one for one in asked if KEPT_OPTIONS in one)
        targets = msgspec.convert(stored["request"]["targets"], dict[str, str])
        first = parse_request(stored["request"], next(iter(targets)))
        return _Session(
            replace(first, targets=tuple(targets.values())),
            {place: name for name, place in targets.items()},
            msgspec.convert(stored.get("judges", ()), tuple[str, ...]),
            _kept_options(stored[KEPT_OPTIONS]),
            _known(known),
        )
    except (StopIteration, LookupError, TypeError, ValueError, AttributeError):
        raise InputError(
            "the folder does not say what its campaign was asked to do, as one of an earlier release "
            "of murxpy; 'murxpy fuzz' goes on in it",
            file=str(out / FILE),
        ) from None


def _kept_options(data: Mapping[str, Any]) -> KeptOptions:
    """The options of the session. An earlier version stored one baseline, or none."""
    baseline = data.get("baseline")
    names = [] if baseline is None else [baseline] if isinstance(baseline, str) else baseline
    return msgspec.convert({**data, "baseline": names}, KeptOptions)


def _known(data: Any) -> Known:
    """The patterns and marks of the defects that the user of the session knew."""
    patterns, marks = msgspec.convert(data or ((), {}), tuple[tuple[str, ...], dict[str, str]])
    if any(len(pattern) > MAX_PATTERN for pattern in patterns):
        raise ValueError(patterns)
    return list(patterns), marks


def _refuse_foreign(session: _Session, out: Path) -> None:
    """Raise InputError where the campaign was given something that neither the user named nor murxpy
    may use without being told.
    """
    others = [*session.judges, *session.options.baseline]
    lacking = unusable(session.request, others)
    if lacking:
        raise InputError(
            "the campaign was given what only its folder names now, and a folder can come from a stranger; to use "
            f"it, name it too: {finish_command(out, lacking)}",
            file=str(out / FILE),
        )


_PARAMS = [
    click.Argument(
        ["out"], metavar="[OUT]", type=click.Path(path_type=Path), default=OUT, required=False
    ),
    click.Argument(["names"], metavar="[NAME...]", nargs=-1),
    *listed(
        jobs_option(
            "Number of processes that work at a time.  [default: one for each usable CPU]",
            default=None,
        ),
        theory_option,
        json_option,
        cluster_option,
    ),
]
COMMAND = Grouped(
    "finish",
    callback=_finish,
    params=_PARAMS,
    help=_finish.__doc__,
    examples=[
        ("murxpy finish", "what the campaign in murxpy-out had no time for"),
        ("murxpy finish out seeds/", "the campaign mutated these scripts"),
        ("murxpy finish out fake@build fake.yaml", "its solver was a build with a wrapper file"),
        ("murxpy finish --cluster tcp://head:8786", "on many machines"),
    ],
)
