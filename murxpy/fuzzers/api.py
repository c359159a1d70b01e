"""The API fuzzer: random walks over a state machine of the solver's API. What its session needs, as
plain data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from murxpy.checks.invariants import INVARIANTS, PHRASES, PROMISES
from murxpy.checks.registry import CHECKS as ANSWER_CHECKS
from murxpy.errors import InputError, nearest
from murxpy.oracles.documented import Documented

Plain = dict[str, Any]
LimitedBy = Literal["solver", "wall"]

# Checks of what the solver promises, by name; those that cost little are on by default.
_NAMED = {check.option: check for check in ANSWER_CHECKS if check.option}
DEFAULT_CHECKS = (*(name for name, check in _NAMED.items() if check.default), "planted")
SCRIPT_CHECKS = ("models", "cores")  # those of them that are made of the answers to whole scripts
CHECKS = (*_NAMED, "planted", *(f"invariant-{name}" for name in PHRASES))


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user wants of the runs.

    `theories`: only these, all of them in every run; none: all that the solver has. `options`:
    names and values that every run sets. `swarm`: runs differ in theories, operators and weights.
    `random_options`: runs set options at random. `limits`: what ends a check, the solver's own
    resource limit or only the wall time of the run. `checks`: which of what the solver promises is
    checked.
    """

    theories: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    swarm: bool = True
    random_options: bool = True
    limits: LimitedBy = "solver"
    checks: tuple[str, ...] = DEFAULT_CHECKS


def session_setup(
    catalogue: Plain, machine: Plain, wrapper: Plain, profile: Plain, wishes: Wishes
) -> Plain:
    """The setup of a session (see `murxpy.worker.session`) that does random runs as wished.

    `profile` is the whole one, the user's merged over the wrapper's. Raises InputError for a theory
    that is unknown or that the wrapper has not.
    """
    return {
        "catalogue": catalogue,
        "machine": machine,
        "wrapper": wrapper if wishes.random_options else {**wrapper, "options": []},
        "profile": profile,
        "theories": chosen_theories(wishes.theories, catalogue, wrapper),
        "swarm": wishes.swarm,
        "options": [list(option) for option in wishes.options],
        "limits": wishes.limits,
        "checks": list(wishes.checks),
        "documented": Documented(wrapper).operators(),
    }


def chosen_theories(names: Sequence[str], catalogue: Plain, wrapper: Plain) -> list[str] | None:
    """The theories called `names` in any case, None for none. Raises InputError for one that cannot
    be had.
    """
    known = [theory["name"] for theory in catalogue["theories"]]
    offered = wrapper["theories"] or known
    chosen = []
    for name in names:
        theory = name.upper()
        if theory not in known:
            raise InputError(
                f"unknown theory '{name}'{nearest(theory, known)}; known are {', '.join(known)}"
            )
        if theory not in offered:
            raise InputError(
                f"{wrapper['solver']} has no theory {theory}: expected some of {', '.join(offered)}"
            )
        chosen.append(theory)
    return list(dict.fromkeys(chosen)) or None


def chosen_checks(names: Sequence[str]) -> tuple[str, ...]:
    """The checks called `names`, in our order; `all`, `none`, and no name for the default. Raises
    InputError.
    """
    if not names:
        return DEFAULT_CHECKS
    if "none" in names and len(names) > 1:
        raise InputError("--check none: leave the others out")
    return tuple(name for name in CHECKS if name in names or "all" in names)


def without_object(names: Sequence[str], wrapper: Plain) -> list[str]:
    """Those of the checks called `names` that a solver gives nothing to check for."""
    readers, own = wrapper.get("readers") or {}, wrapper.get("invariants") or {}
    invariants = [
        name
        for name in PHRASES
        if name not in INVARIANTS and name not in PROMISES and name not in own
    ]
    lacking = [
        name for name, check in _NAMED.items() if check.reader and check.reader not in readers
    ] + [f"invariant-{name}" for name in invariants]
    return [name for name in names if name in lacking]


def parse_option(text: str) -> tuple[str, str]:
    """Name and value in `NAME=VALUE`. Raises InputError for anything else."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise InputError(f"--set {text}: expected NAME=VALUE, as in '--set random_seed=7'")
    return name.strip(), value.strip()
