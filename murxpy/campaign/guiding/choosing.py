"""The arms that the runs of a target can have: what its session can do, as far as the user leaves it
open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from murxpy.learning.arms import TRANSITION, Arms
from murxpy.learning.guide import Choices
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.machine.generate.guided import Reader, groups_of, option_names
from murxpy.solvers.facts import Option, build_facts


def choices_of(setup: Mapping[str, Any], about: Mapping[str, Any]) -> tuple[Arms, Choices]:
    """How run seeds carry arms, and the arms to draw from. `setup` is that of a session, and `about`
    is how the session describes its solver.
    """
    catalogue = build_catalogue(setup["catalogue"])
    facts = build_facts(setup["wrapper"])
    reader = Reader(catalogue, setup["machine"], facts.every_option)
    groups = _groups(catalogue, about)
    theories = [name for name in groups if not catalogue.theories[name].always]
    lacking = {key for section, key, *_ in about.get("missing", ()) if section == "options"}
    fixed = {name for name, _ in setup.get("options") or ()}
    options, of_process = (
        _arms_of(option for option in drawn if option.name not in lacking | fixed)
        for drawn in (facts.options or (), facts.process_options)
    )
    mix = (setup.get("sources") or {}).get("mix") or ()
    sources = tuple(str(name) for name, _ in mix)
    choices = Choices(
        () if setup.get("theories") else tuple(theories),
        groups,
        options,
        reader.arms.names(TRANSITION),
        sources if len(sources) > 1 else (),
        {**options, **of_process},
    )
    return reader.arms, choices


def _groups(catalogue: Catalogue, about: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """By theory, the groups of which the target has an operator."""
    usable = {kind for kinds in about.get("operators", {}).values() for kind in kinds}
    groups: dict[str, tuple[str, ...]] = {}
    for name, kinds in groups_of(catalogue).items():
        if not usable.isdisjoint(kinds):
            theory = name.partition("/")[0]
            groups[theory] = (*groups.get(theory, ()), name)
    return groups


def _arms_of(options: Iterable[Option]) -> dict[str, tuple[str, ...]]:
    """The arms of the options that are drawn at all, each with the theories that it is for."""
    drawn = (option for option in options if option.weight > 0)
    return {name: option.theories for option in drawn for name in option_names(option)}
