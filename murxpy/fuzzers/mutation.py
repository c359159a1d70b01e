"""The mutation fuzzers as sources of a campaign's runs: what the user wishes of them, and their
part of a session's setup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from murxpy.errors import InputError, nearest
from murxpy.fuzzers.seeds import SIZE_LIMIT, SeedFiles, collect_seeds
from murxpy.mutation.registry import API, SOURCES
from murxpy.mutation.source import BOTH, TEXT

WAYS = (TEXT, API, BOTH)


@dataclass(frozen=True, slots=True)
class Mutation:
    """What the user wants of the mutation fuzzers.

    `mix`: sources with their weights, `api` the walks over the state machine. `seeds`: files and
    folders. `walk`: mutants of one run, after which it begins anew from a seed. `check_ms`: the
    limit of a check, in milliseconds of a usual machine. `choices`: by fuzzer, its own settings.
    `dialect`: of the scripts; empty: that of the solver. `through`: how mutants reach the solver,
    one of `WAYS`. `budget`: mutants of a seed in the hands of one fuzzer, None for no end.
    """

    mix: tuple[tuple[str, float], ...]
    seeds: tuple[str, ...]
    walk: int = 25
    check_ms: float = 50.0
    size_limit: int = SIZE_LIMIT
    choices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    dialect: str = ""
    through: str = TEXT
    budget: int | None = None


def sources_setup(mutation: Mutation, files: SeedFiles) -> dict[str, Any]:
    """The part `sources` of a session's setup, as plain data."""
    return {
        "mix": [list(pair) for pair in mutation.mix],
        "seeds": files.files,
        "walk": mutation.walk if mutation.budget is None else min(mutation.walk, mutation.budget),
        "budget": mutation.budget,
        "check-ms": mutation.check_ms,
        "dialect": mutation.dialect,
        "through": mutation.through,
        "choices": {name: dict(choices) for name, choices in mutation.choices.items()},
    }


def seed_files(mutation: Mutation) -> SeedFiles:
    """The seeds. Raises InputError where there are none."""
    return collect_seeds(map(Path, mutation.seeds), mutation.size_limit)


def parse_mix(text: str) -> tuple[tuple[str, float], ...]:
    """Sources with weights in `api:4,storm:2`. Raises InputError for anything else."""
    mix = tuple(_parse_source(part.strip()) for part in text.split(","))
    names = [name for name, _ in mix]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"--mix: '{name}' stands twice; add up its weights")
    return mix


def _parse_source(part: str) -> tuple[str, float]:
    known = list(SOURCES)
    name, colon, weight = part.partition(":")
    if name not in known:
        raise InputError(
            f"--mix: unknown source '{name}'{nearest(name, known)}; known are {', '.join(known)}"
        )
    try:
        number = float(weight) if colon else 1.0
    except ValueError:
        number = 0.0
    if not 0 < number < 1e9:
        raise InputError(f"--mix: expected a weight above 0 behind '{name}:', found '{weight}'")
    return name, number


def parse_mutation(data: Mapping[str, Any]) -> Mutation:
    """What was recorded of a `Mutation`. Raises KeyError or TypeError for other data."""
    mix = tuple((str(name), float(weight)) for name, weight in data["mix"])
    return Mutation(**{**data, "mix": mix, "seeds": tuple(data["seeds"])})


def needs_seeds(mix: Sequence[tuple[str, float]]) -> bool:
    """True if a source other than the walks is in the mix."""
    return any(SOURCES[name].mutants is not None for name, _ in mix)
