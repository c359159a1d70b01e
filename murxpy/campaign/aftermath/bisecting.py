"""Bisection of the findings of a campaign, over the releases that are in the cache already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import msgspec

from murxpy.campaign.aftermath.requests import Answer, Request, Wait
from murxpy.campaign.findings.range_file import keep_answers, keep_range, kept_answers
from murxpy.campaign.findings.replayed import replay_trace
from murxpy.campaign.ranges.bisection import Answer as Told
from murxpy.campaign.ranges.bisection import range_data
from murxpy.campaign.ranges.defects import read_defect
from murxpy.campaign.ranges.finding_out import find_range
from murxpy.campaign.ranges.showing import sign_of
from murxpy.campaign.workers.targets import Plan
from murxpy.errors import InputError
from murxpy.releases.environments import cached, package_of
from murxpy.releases.versions import short

_WALL = 20.0  # seconds of a replay, as 'murxpy bisect' has them


def installed(wrapper: Mapping[str, Any]) -> tuple[str, ...]:
    """The releases of a solver that are in the cache, can be loaded, and that its wrapper takes,
    oldest first; none where the wrapper names no package.
    """
    if not wrapper.get("package"):
        return ()
    package = package_of(wrapper)
    there = [one.release for one in cached(package.name) if not one.fault]
    return tuple(short(one) for one in package.usable(there))


def bisected(request: Request, plan: Plan, wait: Wait = lambda: None) -> Answer:
    """Find and keep the range of a bucket by a trace of it, going on where an earlier bisection was
    ended. `wait` is called behind each release. Raises InputError where none of the releases shows the finding.
    """
    file = Path(request.trace)
    defect = read_defect(file)
    sign = defect.sign or sign_of(replay_trace(plan, defect.text, str(file), wall=_WALL).outcome)
    if sign is None:
        raise InputError("its trace does not show it alone", file=str(file))
    answers = _earlier(file.parent)

    def keep(release: str, told: Told) -> None:
        answers[release] = told
        keep_answers(file.parent, {name: asdict(one) for name, one in answers.items()})
        wait()

    found, replays = find_range(
        replace(defect, sign=sign),
        request.releases,
        tries=1,
        every=False,
        wall=_WALL,
        notice=_unheard,
        watch=keep,
        newest=False,
        earlier=dict(answers),
    )
    keep_range(file.parent, range_data(found, defect.solver, replays))
    return Answer(releases=found.words())


def _earlier(folder: Path) -> dict[str, Told]:
    """The answers of a bisection that was ended; none where their file is damaged."""
    try:
        return msgspec.convert(kept_answers(folder), dict[str, Told])
    except msgspec.ValidationError:
        return {}


def _unheard(text: str) -> None:
    """Nobody listens to the notices of a bisection beside a campaign."""
