"""The older release that a campaign asks about the answers unknown of its target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from murxpy.campaign.judging.common_operators import judge_plans
from murxpy.campaign.workers.names import parse_target
from murxpy.campaign.workers.plans import Request
from murxpy.campaign.workers.targets import Plan
from murxpy.errors import InputError
from murxpy.mutation.source import TEXT
from murxpy.releases.versions import version


def baseline_plan(
    request: Request, plans: Sequence[Plan], wishes: Mapping[str, Any]
) -> Plan | None:
    """The plan of the release that --baseline names; None where it names none. Raises InputError where
    the campaign has nothing for it to do.
    """
    name = wishes["baseline"]
    if name is None:
        return None
    if request.mutation is None:
        raise InputError(
            "--baseline asks an older release about scripts: use it with 'murxpy janus' or another "
            "fuzzer of scripts, or with --mix"
        )
    if request.mutation.through not in (TEXT, "both"):
        raise InputError(f"--baseline and --through {request.mutation.through} exclude each other")
    if wishes["compare"] or len(plans) != 1:
        raise InputError("--baseline is for one target, without --compare")
    _check_release(plans[0].target.name, name)
    return judge_plans((name,), request)[0]


def _check_release(target: str, name: str) -> None:
    """Raise InputError where `name` is no older release of the solver of `target`."""
    newer, older = parse_target(target), parse_target(name)
    if older.solver != newer.solver or name == target:
        raise InputError(
            f"--baseline {name}: expected another release of the target, as {newer.solver}@RELEASE"
        )
    if older.release and newer.release and version(older.release) >= version(newer.release):
        raise InputError(
            f"--baseline {name}: expected a release older than that of the target, {target}"
        )
