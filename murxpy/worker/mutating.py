"""The parts that a session of the mutation fuzzers needs beside those of a walk. Only a session with
such sources imports this module, because loading the fuzzers takes a fifth of the time in which a
session begins.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.machine.generate.swarm import Profile
from murxpy.machine.planted import solvers_own
from murxpy.machine.random import Settings
from murxpy.solvers.facts import Option, Pairs
from murxpy.solvers.wrapper import Wrapper
from murxpy.sources.mutation.options import MOST, Offer, offer_of
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.sources.mutation.source import Sources
from murxpy.sources.mutation.workshop import MutationSession
from murxpy.sources.setups import Setup


def make_sources(
    setup: Setup,
    catalogue: Catalogue,
    wrapper: Wrapper,
    profile: Profile,
    available: Collection[str],
) -> Sources:
    """The sources of runs that the setup of a session names; `available` are the operators that the
    solver has. Raises InputError if the sources need a reader of scripts and the solver has none.
    """
    # a finding with an operator that is documented as experimental would not count
    without = frozenset(setup.get("documented") or ())
    judged = setup["sources"].get("judged")
    if judged is not None:
        without |= frozenset(judged["without"])
        profile = Profile(judged["profile"], wrapper.facts.function_terms)
    shop = MutationSession(
        catalogue,
        frozenset(filter(wrapper.reads, available)) - without,
        wrapper.name,
        profile,
        solvers_own(wrapper.facts.unjudged, wrapper.set("readers", "universe") is not None),
        Settings(setup["machine"], {}),
    )
    sources = Sources(setup["sources"], shop)
    if sources.reading and wrapper.set("actions", "run-script") is None:
        raise InputError(
            f"{wrapper.name} {wrapper.release} cannot read scripts (its wrapper has no action run-script for it): "
            f"expected --through api, and not {' or '.join(n for n, e in FUZZERS.items() if e.asks)}"
        )
    return sources


def offer(
    sources: Sources,
    wrapper: Wrapper,
    options_of: tuple[Sequence[Option], Sequence[Option]],
    options: Sequence[Sequence[str]],
    parameters: Pairs,
    most: int = MOST,
) -> None:
    """Tell the sources which options scripts may set, less the `options` and `parameters` of every
    run. `options_of` are the options that solver objects of the release take, and all options that
    the user lets runs draw; a mutant draws `most` of them at most.
    """
    sources.offer = offered(wrapper, options_of, options, parameters, most)


def offered(
    wrapper: Wrapper,
    options_of: tuple[Sequence[Option], Sequence[Option]],
    options: Sequence[Sequence[str]],
    parameters: Pairs,
    most: int = MOST,
) -> Offer:
    """The options which scripts may set, as `offer` tells them to sources."""
    facts = wrapper.facts
    known, drawn = options_of
    prefix = facts.script_option_prefix
    return offer_of(
        # scripts may lack an option that only some solver objects have
        [o for o in known if o.listed or not prefix or wrapper.has_parameter(prefix + o.name)],
        [o for o in facts.process_options if o in drawn and wrapper.has_parameter(o.name)],
        tuple((name, value) for name, value in options),
        prefix,
        [name for name, _ in parameters],
        facts.listed_options,
        most,
    )


def ask(sources: Sources, chances: Mapping[str, float], checks: Collection[str]) -> None:
    """Tell the sources how often mutants ask for models, for cores, and why an answer is unknown."""
    names = {
        "models": "script-models",
        "models-open": "script-models-open",
        "cores": "script-cores",
    }
    sources.unknowns = chances.get("script-unknowns", 0.0) if checks else 0.0
    sources.late = chances.get("script-late", 0.0)
    sources.promises = {
        what: chances.get(name, 0.0)
        for what, name in names.items()
        if what.partition("-")[0] in checks
    }
