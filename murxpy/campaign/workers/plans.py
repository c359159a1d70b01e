"""From what the user names (targets, machine, wrapper, profile) to the plans of a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from murxpy.campaign.workers.targets import Plan, resolve
from murxpy.data import (
    load_catalogue,
    load_machine,
    load_profile,
    load_wrapper,
    merge_profile,
    with_dialect,
)
from murxpy.errors import InputError
from murxpy.fuzzers.api import Wishes, session_setup
from murxpy.fuzzers.mutation import Mutation, parse_mutation, seed_files, sources_setup


@dataclass(frozen=True, slots=True)
class Request:
    """What to fuzz, in the user's words.

    A target is `SOLVER` or `SOLVER@PLACE`. `wrapper` is the file (or name) of a wrapper for the
    targets of its solver; without targets that solver is the target. `machine` and `profile` are
    names or files.
    """

    targets: tuple[str, ...] = ()
    machine: str = "default"
    wrapper: str | None = None
    profile: str | None = None
    wishes: Wishes = field(default_factory=Wishes)
    mutation: Mutation | None = None

    def recorded(self) -> dict[str, Any]:
        """The request as plain data that means the same in any folder; `parse_request` reads it."""
        data = asdict(self)
        data["targets"] = {name: absolute_target(name) for name in self.targets}
        for key in ("machine", "wrapper", "profile"):
            data[key] = _absolute(data[key])
        if self.mutation is not None:
            data["mutation"]["seeds"] = [str(Path(seed).absolute()) for seed in self.mutation.seeds]
        return data


def parse_request(data: Mapping[str, Any], target: str) -> Request:
    """The recorded request, for the target called `target` alone. Raises KeyError or TypeError for
    other data.
    """
    wishes = dict(data["wishes"])
    wishes["theories"] = tuple(wishes["theories"])
    wishes["options"] = tuple((name, value) for name, value in wishes["options"])
    if "checks" in wishes:  # a folder of an earlier release has none
        wishes["checks"] = tuple(wishes["checks"])
    place = data["targets"][target]
    mutation = parse_mutation(data["mutation"]) if data.get("mutation") else None
    return Request(
        (place,), data["machine"], data["wrapper"], data["profile"], Wishes(**wishes), mutation
    )


def make_plans(request: Request) -> tuple[Plan, ...]:
    """The plans of the request's targets. Raises InputError for bad input, TargetError for a place
    without a solver.
    """
    catalogue = load_catalogue()
    machine = load_machine(request.machine)
    profile = {} if request.profile is None else load_profile(request.profile)
    sources = (
        None
        if request.mutation is None
        else sources_setup(request.mutation, seed_files(request.mutation))
    )
    plans = []
    for name, wrapper in _wrappers(request).items():
        whole = merge_profile(wrapper["profile"], profile)
        setup = session_setup(
            with_dialect(catalogue, wrapper), machine, wrapper, whole, request.wishes
        )
        if sources is not None:
            setup["sources"] = sources
        target = replace(resolve(name, wrapper["module"]), family=wrapper["solver"])
        plans.append(Plan(target, setup))
    return tuple(plans)


def _wrappers(request: Request) -> dict[str, dict[str, Any]]:
    """The wrapper of each target."""
    own = None if request.wrapper is None else load_wrapper(request.wrapper)
    if own is None:
        return {name: load_wrapper(name.partition("@")[0]) for name in _different(request.targets)}
    solver = own["solver"]
    targets = _different(request.targets) or (solver,)
    if all(name.partition("@")[0] != solver for name in targets):
        raise InputError(
            f"{request.wrapper}: it is a wrapper of '{solver}', but the target is {', '.join(targets)}; "
            f"name the target '{solver}' or '{solver}@PLACE', or leave it out"
        )
    families = {name: name.partition("@")[0] for name in targets}
    return {
        name: own if family == solver else load_wrapper(family) for name, family in families.items()
    }


def _different(targets: tuple[str, ...]) -> tuple[str, ...]:
    for name in targets:
        if targets.count(name) > 1:
            raise InputError(
                f"the target '{name}' stands twice: name it once; 'murxpy fuzz --jobs' gives it more workers"
            )
    return targets


def _absolute(name: str | None) -> str | None:
    """The absolute path of a file; a name stays."""
    path = Path(name or "").expanduser()
    return str(path.absolute()) if name and path.is_file() else name


def absolute_target(name: str) -> str:
    """The name of a target that means the same in any folder."""
    family, at, place = name.partition("@")
    family = _absolute(family) or family
    return f"{family}{at}{Path(place).expanduser().absolute()}" if at else family
