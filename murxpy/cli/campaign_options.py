"""The options of the commands that run a campaign, as typed values."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from murxpy.fuzzers.setups import LimitedBy
from murxpy.learning.guide import OFF

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Kind = TypeVar("Kind", bound=DataclassInstance)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptOptions:
    """The options that the store keeps beside the request and the judges, because `murxpy finish` needs
    them.
    """

    compare: bool
    baseline: str | None
    wall: float
    memory: int
    limits: LimitedBy
    judge_limit: float
    isolate: bool
    fail_on: tuple[str, ...]
    minimize: bool
    bisect: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignOptions(KeptOptions):
    """The options that the commands with a campaign share. An option that some of these commands lack
    has the default of `murxpy fuzz`. Only `murxpy finish` sets `resume`.
    """

    out: Path
    jobs: int | None
    as_json: bool
    finish: bool
    compare: bool = False
    baseline: str | None = None
    time: float | None = None
    runs: int | None = None
    seed: int | None = None
    theories: tuple[str, ...] = ()
    no_quantifiers: bool = False
    linear: bool = False
    smt_lib_only: bool = False
    logic: str = ""
    judges: tuple[tuple[str, ...], ...] = ()
    judged: float = 100.0
    machine: str = "default"
    contract: bool = False
    profile: str | None = None
    wrapper: str | None = None
    settings: tuple[str, ...] = ()
    no_swarm: bool = False
    guide: str = OFF
    no_option_fuzzing: bool = False
    drawn_options: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    known: tuple[Path, ...] = ()
    first: bool = False
    share: float = 15.0
    run_seed: int | None = None
    statistics: bool = False
    resume: bool = False
    keep_scripts: Path | None = None
    kept_runs: str = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationOptions:
    """The options that all commands that mutate seeds share."""

    iterations: int
    check_limit: float
    size_limit: int
    through: str
    budget: int | None
    stability: float
    walk_seeds: int | None


def taken(kind: type[Kind], given: dict[str, Any]) -> Kind:
    """The options of one kind, taken out of the keyword arguments `given` that click passes to a
    command. Raises TypeError if a parameter is missing.
    """
    names = [field.name for field in fields(kind) if field.name in given]
    return kind(**{name: given.pop(name) for name in names})
