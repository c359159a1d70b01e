"""The mutation fuzzers as sources of a campaign's runs: what the user wants of them, and their part
of the setup of a session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from murxpy.errors import InputError, nearest
from murxpy.fuzzers.rules import proved_rules
from murxpy.fuzzers.seeds import SIZE_LIMIT, SeedFiles, collect_seeds
from murxpy.mutation.registry import API, SOURCES
from murxpy.mutation.source import BOTH, TEXT

WAYS = (TEXT, API, BOTH)


@dataclass(frozen=True, slots=True)
class Mutation:
    """What the user wants of the mutation fuzzers.

    `mix`: sources with their weights; `api` is the walk over the state machine. `seeds`: files and
    folders. `walk`: the number of mutants in one run, which then begins anew from a seed.
    `check_ms`: the limit of a check, in milliseconds of a usual machine. `choices`: the settings of
    each fuzzer. `dialect`: the dialect of the scripts; if empty, that of the solver. `through`: how
    mutants reach the solver, one of `WAYS`. `budget`: the number of mutants that one fuzzer makes
    of one seed; None for no limit. `stability`: the share of mutants of which variants are asked.
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
    stability: float = 0.0


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
        "stability": mutation.stability,
        "choices": {name: dict(choices) for name, choices in mutation.choices.items()},
        **_rules(mutation),
    }


def _rules(mutation: Mutation) -> dict[str, Any]:
    """The rules of implication, if a fuzzer of the mix needs them: those that the user names, else all.
    Raises InputError if none of them is proved.
    """
    choices = [mutation.choices.get(name) or {} for name, _ in mutation.mix if SOURCES[name].ruled]
    named = [name for choice in choices for name in choice.get("rules") or ()]
    return {"rules": proved_rules(named)} if choices else {}


def needs_terms(mutation: Mutation) -> bool:
    """True if a fuzzer takes terms from all seeds."""
    return any(choices.get("corpus") for choices in mutation.choices.values())


def seed_files(mutation: Mutation) -> SeedFiles:
    """The seeds. Raises InputError if there are none."""
    return collect_seeds(map(Path, mutation.seeds), mutation.size_limit)


def parse_mix(text: str) -> tuple[tuple[str, float], ...]:
    """The sources with their weights in a text such as `api:4,storm:2`. Raises InputError for any
    other text.
    """
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


def check_mix(mutation: Mutation) -> None:
    """Raise KeyError for a source of a recorded mix that there is not."""
    for name in (*dict(mutation.mix), *mutation.choices):
        SOURCES[name]


def needs_seeds(mix: Sequence[tuple[str, float]]) -> bool:
    """True if the mix has a source other than the walk."""
    return any(SOURCES[name].mutants is not None for name, _ in mix)
