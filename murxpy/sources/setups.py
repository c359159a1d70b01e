"""The plain data from which a session is made. The supervisor writes it as JSON, and the session in the
process of the target reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

Plain = dict[str, Any]
_Limited = TypedDict("_Limited", {"check-ms": float})
_Alone = TypedDict("_Alone", {"limit": int, "wall-ms": int})
_Drawn = TypedDict("_Drawn", {"drawn-options": list[str]}, total=False)
_OwnChecks = TypedDict("_OwnChecks", {"own-checks": bool})


class SourcesSetup(_Limited):
    """The mutation fuzzers of a session.

    `mix` has pairs of source and weight, and `seeds` name, text and label of each seed. `walk` is the
    number of mutants in a run, and `budget` the number of mutants of a seed, or None. `check-ms` is
    the limit of a check in milliseconds of a usual machine. With `auto`, the time of a source follows
    from what it gave. `dialect` is that of the scripts; if
    empty, that of the solver. `choices` has the user's settings of each fuzzer, `stability` is the
    share of mutants of which variants are asked, for statistics, and `terms` the path of a TermStore,
    or None. Where judges look at mutants and not at walks, `judged` has the operators that mutants are
    `without`, and their `profile`. `machines` has, by name, the machines that sources of the mix walk.
    """

    mix: list[list[Any]]
    seeds: list[list[str]]
    walk: int
    budget: int | None
    dialect: str
    through: str
    stability: float
    choices: dict[str, Plain]
    auto: NotRequired[bool]
    judged: NotRequired[Plain]
    machines: NotRequired[dict[str, Plain]]
    rules: NotRequired[list[Plain]]
    terms: NotRequired[str | None]


class EnumerationSetup(_Limited):
    """The scripts that a session tests: `grammars`, as `murxpy.data.lookup` gives them; `at`, the first
    index as decimal digits; `take`, the number of scripts of each grammar; `block`, the scripts of a
    run. `check-ms` is the limit of a check in milliseconds of a usual machine. With `simplify`, the
    simplifier is tested in place of the answers. Where twins are skipped, `canonical` has the
    commutative operators as `Canonical` takes them.
    """

    grammars: list[Mapping[str, Any]]
    at: str
    take: int
    block: int
    simplify: NotRequired[bool]
    canonical: NotRequired[dict[str, int]]


class Setup(_Drawn, total=False):
    """A session: the class `session` if it is not that of `murxpy.worker.session`, which is looked for in
    `session_path`, too. The solver is looked for in `paths`. Plug-ins add `modules`, as
    `murxpy.modules.added_modules` gives them.

    The session of random runs has catalogue, machine, wrapper and profile; `theories`, a list or None;
    `linear`, for runs without nonlinear arithmetic; `logics`, names of which each run has one;
    `swarm`, true or false; `options`, names and values that are set in every run; `configuration`,
    those of the options that also hold when the session answers checks as a judge; `drawn-options`,
    sets, names and patterns of the options that runs draw (`murxpy.solvers.options`); `limits`, where
    `wall` means that no check gets a resource limit; `checks`, the names of those checks of the
    solver's promises that are on; `documented`, the operators that mutants do not get; and `guide`,
    how a campaign chooses what runs are made of. In one with `solverless` no call of a walk reaches
    the solver, and half of the walks have a planted model. With `callables` the session describes the
    public callables of its binding.
    """

    modules: dict[str, dict[str, list[str]]]
    catalogue: Plain
    machine: Plain
    wrapper: Plain
    profile: Plain
    theories: list[str] | None
    linear: bool
    logics: list[str]
    swarm: bool
    options: list[list[str]]
    configuration: list[list[str]]
    limits: str
    checks: list[str]
    documented: list[str]
    guide: str
    solverless: bool
    callables: bool
    sources: SourcesSetup
    enumeration: EnumerationSetup
    session: str
    session_path: list[str]
    paths: list[str]


class ScriptSetup(Setup, _Alone):
    """A session that reads scripts alone: `limit` is that of a check in units of the solver, and
    `wall-ms` that in milliseconds.
    """


class AnsweringSetup(ScriptSetup, _OwnChecks):
    """A session that answers the scripts of `grammars`, counted from index `at`, which are as in an
    enumeration, and asks for models, cores or both, as `checks` says. With `own-checks`, the solver
    checks its models itself.
    """

    grammars: list[Mapping[str, Any]]
    at: str


class VaryingSetup(ScriptSetup):
    """A session that answers variants of `scripts`, each a name, a text and a number, in a dialect."""

    scripts: list[tuple[str, str, int]]
    dialect: str
