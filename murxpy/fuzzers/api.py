"""The API fuzzer, which walks a state machine of the solver's API: the setup of its session, as
plain data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from murxpy.checks.invariants import INVARIANTS, PHRASES, PROMISES
from murxpy.checks.registry import CHECKS as ANSWER_CHECKS
from murxpy.errors import InputError, nearest
from murxpy.learning.gains import OFF
from murxpy.oracles.documented import Documented

Plain = dict[str, Any]
LimitedBy = Literal["solver", "wall"]

# The checks of the solver's promises, by name; cheap ones are on by default.
_NAMED = {check.option: check for check in ANSWER_CHECKS if check.option}
DEFAULT_CHECKS = (*(name for name, check in _NAMED.items() if check.default), "planted")
SCRIPT_CHECKS = ("models", "cores")  # checks that also judge the answers to whole scripts
CHECKS = (*_NAMED, "planted", *(f"invariant-{name}" for name in PHRASES))


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user wants of the runs.

    `theories`: every run has exactly these theories; if empty, all theories of the solver.
    `options`: names and values that every run sets. `swarm`: runs differ in theories, operators and
    weights. `random_options`: runs set options at random. `limits`: what ends a check, the solver's
    own resource limit or only the wall time of the run. `checks`: the checks of the solver's
    promises that are on. `guide`: how a campaign chooses what its runs are made of.
    """

    theories: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    swarm: bool = True
    random_options: bool = True
    limits: LimitedBy = "solver"
    checks: tuple[str, ...] = DEFAULT_CHECKS
    guide: str = OFF


def session_setup(
    catalogue: Plain, machine: Plain, wrapper: Plain, profile: Plain, wishes: Wishes
) -> Plain:
    """The setup of a session (see `murxpy.worker.session`) that makes random runs as the user
    wishes. `profile` is the user's profile merged over the wrapper's.

    Raises InputError for a theory that is unknown or that the wrapper does not have.
    """
    return {
        "catalogue": catalogue,
        "machine": machine,
        "wrapper": wrapper if wishes.random_options else without_drawn_options(wrapper),
        "profile": profile,
        "theories": chosen_theories(wishes.theories, catalogue, wrapper),
        "swarm": wishes.swarm,
        "options": [list(option) for option in wishes.options],
        "limits": wishes.limits,
        "checks": list(wishes.checks),
        "documented": Documented(wrapper).operators(),
        **({} if wishes.guide == OFF else {"guide": wishes.guide}),
    }


def without_drawn_options(wrapper: Plain) -> Plain:
    """A wrapper of which runs draw no options. They stand under `not-drawn`."""
    sections = ("options", "process-options")
    return {
        **wrapper,
        **{section: [] for section in sections},
        "not-drawn": {section: wrapper.get(section) or [] for section in sections},
    }


def chosen_theories(names: Sequence[str], catalogue: Plain, wrapper: Plain) -> list[str] | None:
    """The theories called `names`, in upper or lower case; None for no names. Raises InputError for
    a theory that the wrapper does not have.
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
    """The checks called `names`, in a fixed order. The names may be `all` or `none`; no name means
    the default. Raises InputError.
    """
    if not names:
        return DEFAULT_CHECKS
    if "none" in names and len(names) > 1:
        raise InputError("--check none switches all checks off: leave out the other names")
    return tuple(name for name in CHECKS if name in names or "all" in names)


def without_object(names: Sequence[str], wrapper: Plain) -> list[str]:
    """The checks among `names` for which this solver gives nothing to check."""
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
    """The name and the value in `NAME=VALUE`. Raises InputError for any other text."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise InputError(f"--set {text}: expected NAME=VALUE, as in '--set random_seed=7'")
    return name.strip(), value.strip()
