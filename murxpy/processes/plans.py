"""The way from the user's words (targets, machine, wrapper, profile) to the plans of a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import Any

import msgspec

from murxpy.data import (
    load_catalogue,
    load_machine,
    load_profile,
    load_wrapper,
    merge_profile,
    with_dialect,
    wrapper_names,
)
from murxpy.data.folders import shipped_folder
from murxpy.data.lookup import grammar_names, pool_names
from murxpy.data.machines import machine_names
from murxpy.errors import InputError
from murxpy.fuzzers.seeds import SeedFiles
from murxpy.fuzzers.setups import (
    Enumerated,
    Mutation,
    RunOptions,
    check_mix,
    enumeration_setup,
    needs_terms,
    seed_files,
    session_setup,
    sources_setup,
)
from murxpy.grants import file_granted, is_granted, whole_path
from murxpy.logic.catalogue import build_catalogue
from murxpy.processes.environments import Notice, print_notice, user_cache
from murxpy.processes.targets import (
    Plan,
    absolute_target,
    parse_target,
    resolve,
    settled,
    solver_of,
    unnamed,
)
from murxpy.solvers.options import NONE
from murxpy.sources.mutation.term_store import store_of
from murxpy.sources.mutation.workshop import Seed
from murxpy.sources.setups import Setup, SourcesSetup

# The key of options in what a store keeps: of those of a session, and of `run_options` in its request.
# The folders of earlier releases of murxpy have this key, so it never changes.
KEPT_OPTIONS = "wishes"
_KEYS = {"run_options": KEPT_OPTIONS}
_ORDER = ("--solver", "--cross-check", "--wrapper", "--allow")  # as a command line has them


@dataclass(frozen=True, slots=True)
class Request:
    """The user's request for a target.

    A target is `SOLVER` or `SOLVER@PLACE`; behind it, in brackets, may stand options of its own.
    `wrapper` is the name or the file of a wrapper, for the targets of its solver; without any
    targets its solver is the target. `machine` and `profile` are names or files, too.
    """

    targets: tuple[str, ...] = ()
    machine: str = "default"
    wrapper: str | None = None
    profile: str | None = None
    run_options: RunOptions = field(default_factory=RunOptions)
    mutation: Mutation | None = None
    enumeration: Enumerated | None = None

    def files(self) -> list[str]:
        """The files and folders that the request names, without the wrapper and what murxpy ships."""
        shipped = {*machine_names(), *grammar_names(), *pool_names()}
        named = [self.machine, self.profile or ""]
        if self.enumeration is not None:
            named += self.enumeration.grammars
        if self.mutation is not None:
            ours = shipped_folder("seeds")
            named += [seed for seed in self.mutation.seeds if not (ours and _lies_in(seed, ours))]
            choices = self.mutation.choices.values()
            rules = [name for given in choices for name in given.get("rules") or ()]
            named += [name for name in rules if Path(name).suffix in (".yaml", ".yml")]
        return [name for name in named if name and name not in shipped]

    def recorded(self) -> dict[str, Any]:
        """The request as plain data that means the same in any folder. `parse_request` reads it."""
        data = {_KEYS.get(name, name): value for name, value in asdict(self).items()}
        data["targets"] = {name: absolute_target(name) for name in self.targets}
        for key in ("machine", "wrapper", "profile"):
            data[key] = _absolute(data[key])
        if self.enumeration is not None:
            data["enumeration"]["at"] = str(self.enumeration.at)  # more digits than JSON keeps
            data["enumeration"]["grammars"] = [_absolute(n) for n in self.enumeration.grammars]
        if self.mutation is not None:
            data["mutation"]["seeds"] = [str(Path(seed).absolute()) for seed in self.mutation.seeds]
        return data


def parse_request(data: Mapping[str, Any], target: str) -> Request:
    """The recorded request, for the target called `target` alone. Raises KeyError, TypeError or
    ValueError when `data` is something else.
    """
    enumeration = data.get("enumeration")
    if enumeration:
        enumeration = {**enumeration, "at": int(enumeration["at"])}
    named = {key: data[key] for key in ("machine", "wrapper", "profile")}
    more = {"mutation": data.get("mutation"), "enumeration": enumeration or None}
    of_runs = data[KEPT_OPTIONS]
    if not of_runs.get("random_options", True):  # as earlier releases of murxpy keep it
        of_runs = {**of_runs, "drawn_options": [NONE]}
    more["run_options"] = of_runs
    targets = [data["targets"][target]]
    request = msgspec.convert({**named, **more, "targets": targets}, Request)
    if request.mutation is not None:
        check_mix(request.mutation)
    return request


def foreign(request: Request) -> list[tuple[str, str]]:
    """Return the parts of a request that may not be used, because only a file names them, each with
    the option with which the user can name it. Of several targets the last is the one that is
    replayed on. Raises InputError for a name that is none.
    """
    wrapper, found = None, list[tuple[str, str]]()
    if request.wrapper is not None:
        if request.wrapper in wrapper_names() or is_granted(whole_path(request.wrapper)):
            wrapper = load_wrapper(request.wrapper)
        else:
            found.append(("--wrapper", request.wrapper))
    for place, name in enumerate(request.targets, 1):
        own = wrapper if wrapper and wrapper["solver"] == solver_of(name) else None
        if unnamed(name, own):
            option = "--solver" if place == len(request.targets) else "--cross-check"
            found.append((option, name))
    found += [("--allow", name) for name in request.files() if not file_granted(name)]
    return sorted(found, key=lambda entry: _ORDER.index(entry[0]))


def usable_request(request: Request, file: Path | str) -> Request:
    """A request that `file`, or the folder of its campaign, asks for, where all that it names may be
    used. Raises InputError, with all options to give, where it names what the user did not: the file
    may come from a stranger.
    """
    lacking = [f"{option} {quote(name)}" for option, name in foreign(request)]
    if lacking:
        raise InputError(
            "what is named here and not on the command line is neither run, nor installed, nor read: give "
            f"{' '.join(lacking)} to use it",
            file=str(file),
        )
    return request


def make_plans(request: Request, notice: Notice = print_notice) -> tuple[Plan, ...]:
    """The plans of the request's targets. A release that is not in the cache is installed, and
    `notice` is told of that. Raises InputError for bad input, TargetError for a place without a
    solver.
    """
    request = settle(request)
    catalogue = load_catalogue()
    machine = load_machine(request.machine)
    profile = {} if request.profile is None else load_profile(request.profile)
    mutation, seeds = request.mutation, dict[str, SeedFiles]()
    enumeration = None if request.enumeration is None else enumeration_setup(request.enumeration)
    plans = []
    for name, wrapper in _wrappers(request).items():
        whole = merge_profile(wrapper["profile"], profile)
        configuration = parse_target(name).options
        own = _merged(request.run_options.options, configuration)
        options = replace(request.run_options, options=own)
        setup = session_setup(with_dialect(catalogue, wrapper), machine, wrapper, whole, options)
        setup["configuration"] = [list(option) for option in configuration]
        family = str(wrapper["solver"])
        if mutation is not None:
            if family not in seeds:
                seeds[family] = seed_files(mutation, family)
            sources = sources_setup(mutation, seeds[family], scripted=options.scripted)
            setup["sources"] = {**sources, "terms": _terms(mutation, setup, sources)}
        if enumeration is not None:
            setup["enumeration"] = enumeration
        target = replace(
            resolve(name, wrapper, notice),
            family=family,
            library_variables=tuple(wrapper["library-variables"]),
        )
        notes = tuple(seeds[family].notices()) if mutation is not None else ()
        plans.append(Plan(target, setup, notes))
    return tuple(plans)


def _terms(mutation: Mutation, setup: Setup, sources: SourcesSetup) -> str | None:
    """The file with the terms of all seeds; None where no fuzzer takes terms from them."""
    if not needs_terms(mutation):
        return None
    seeds = [Seed(*file) for file in sources["seeds"]]
    dialect = mutation.dialect or str(setup["wrapper"]["solver"])
    catalogue = build_catalogue(setup["catalogue"])
    return str(store_of(seeds, catalogue, dialect, user_cache() / "terms"))


def settle(request: Request) -> Request:
    """The same request, with the newest release in place of `latest`. Raises InputError and
    TargetError.
    """
    own = None if request.wrapper is None else load_wrapper(request.wrapper)
    names = [
        settled(name, own if own is not None and solver_of(name) == own["solver"] else None)
        for name in request.targets
    ]
    return replace(request, targets=tuple(names))


def check_targets(request: Request) -> None:
    """Raise InputError for a target of a solver that nobody knows."""
    _wrappers(request)


def _wrappers(request: Request) -> dict[str, dict[str, Any]]:
    """The wrapper of each target."""
    own = None if request.wrapper is None else load_wrapper(request.wrapper)
    if own is None:
        return {name: load_wrapper(solver_of(name)) for name in _different(request.targets)}
    solver = own["solver"]
    targets = _different(request.targets) or (solver,)
    if all(solver_of(name) != solver for name in targets):
        raise InputError(
            f"{request.wrapper}: it is a wrapper of '{solver}', but the target is {', '.join(targets)}; "
            f"name the target '{solver}' or '{solver}@PLACE', or leave it out"
        )
    families = {name: solver_of(name) for name in targets}
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


def _merged(
    shared: tuple[tuple[str, str], ...], own: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    """The options of every run of a target: those that the user wants for all targets, except where
    the target has an `own` value.
    """
    names = [name for name, _ in own]
    return (*((name, value) for name, value in shared if name not in names), *own)


def _lies_in(path: str, folder: Path) -> bool:
    return Path(path).resolve().is_relative_to(folder)


def _absolute(name: str | None) -> str | None:
    """The absolute path where `name` is a file, else `name` itself."""
    path = Path(name or "").expanduser()
    return str(path.absolute()) if name and path.is_file() else name
