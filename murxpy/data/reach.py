"""Estimates how often operators and their spellings are called in a campaign, so that weights can
be set by calculation.

`murxpy.data.visits` says how many operator terms a run makes. Many swarms, drawn with a fixed seed,
say how often a theory is among those of a run. Within a run, `mk-term` draws a theory and then an
operator by their weights, among those whose sort kinds the run has. The estimate does not count
that arguments may be missing, that other actions also make terms, and that random factors on
weights do not cancel exactly. A spelling with a guard is counted as if the guard held.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

from murxpy.data.spellings import forms

Plain = dict[str, Any]
SAMPLES = 4000
_SORT_NAME = re.compile(r"\b[A-Z]{2,}\b")


@dataclass(frozen=True)
class Expected:
    """An operator or one of its spellings, and the number of its calls in all runs. If it is
    `guarded`, there are at most so many.
    """

    theory: str
    operator: str
    spelling: str | None
    count: float
    guarded: bool = False


def expected_operators(
    catalogue: Plain, machine: Plain, wrapper: Plain | None, mk_terms: float
) -> list[Expected]:
    """Return the calls of each operator, in the order of the catalogue, if `mk_terms` operator
    terms are made in all runs.

    With a `wrapper`, these are only the calls of its operators, each followed by its spellings.
    """
    offered = _offered(catalogue, wrapper)
    shares = _shares(catalogue, machine, wrapper, offered)
    rows: list[Expected] = []
    for theory, operators in offered.items():
        for kind in operators:
            count = mk_terms * shares.get(kind, 0.0)
            rows.append(Expected(theory, kind, None, count))
            if wrapper is not None:
                rows += _spellings(theory, kind, wrapper["operators"][kind], count)
    return rows


def _spellings(theory: str, kind: str, entry: Any, count: float) -> list[Expected]:
    weights = {name: _weight(form) for name, form in forms(entry).items()}
    total = sum(weights.values()) or 1.0
    return [
        Expected(
            theory,
            kind,
            name,
            count * weights[name] / total,
            isinstance(form, dict) and bool(form.get("when")),
        )
        for name, form in forms(entry).items()
    ]


def _weight(form: Any) -> float:
    if isinstance(form, str):
        return 1.0
    return 0.0 if form.get("unsound") else float(form.get("weight", 1))


def _offered(catalogue: Plain, wrapper: Plain | None) -> dict[str, dict[str, Plain]]:
    """Return the operators that can be generated, by theory."""
    offered = {}
    excluded = [] if wrapper is None else wrapper["profile"].get("exclude-operators", [])
    for theory in catalogue["theories"]:
        kinds = theory["operators"]
        if wrapper is not None:
            if theory["name"] not in wrapper["theories"] and not theory["always"]:
                continue
            kinds = {
                kind: op
                for kind, op in kinds.items()
                if _usable(kind, op, wrapper) and kind not in excluded
            }
        offered[theory["name"]] = kinds
    return offered


def _usable(kind: str, operator: Plain, wrapper: Plain) -> bool:
    return kind in wrapper["operators"] and (
        operator["feature"] is None or bool(wrapper.get(operator["feature"]))
    )


def _shares(
    catalogue: Plain, machine: Plain, wrapper: Plain | None, offered: dict[str, dict[str, Plain]]
) -> dict[str, float]:
    """Return the mean share of each operator among the operator terms of a run."""
    owners = {
        kind.removeprefix("SORT_"): t["name"] for t in catalogue["theories"] for kind in t["sorts"]
    }
    needs = {
        kind: {owners[name] for name in _SORT_NAME.findall(operator["sig"]) if name in owners}
        for operators in offered.values()
        for kind, operator in operators.items()
    }
    shares: dict[str, float] = {}
    linear = machine["swarm"]["linear"] or 0.0
    nonlinear = {
        k
        for ops in offered.values()
        for k, op in ops.items()
        if op["nonlinear"] in ("quotient", "always")
    }
    for chosen, count in _theory_sets(catalogue, machine, wrapper, offered).items():
        for part, banned in ((1.0 - linear, set[str]()), (linear, nonlinear)):
            for kind, share in _shares_among(machine, offered, needs, chosen, banned).items():
                shares[kind] = shares.get(kind, 0.0) + part * share * count / SAMPLES
    return shares


def _shares_among(
    machine: Plain,
    offered: dict[str, dict[str, Plain]],
    needs: dict[str, set[str]],
    chosen: tuple[str, ...],
    banned: set[str],
) -> dict[str, float]:
    """Return the share of each operator in a run that has the theories `chosen` and lacks the
    operators `banned`.
    """
    present = set(chosen)
    drawable = {
        name: [kind for kind in offered[name] if needs[kind] <= present and kind not in banned]
        for name in chosen
    }
    theories = {
        name: weight_of(machine["weights"]["theories"], name) for name in chosen if drawable[name]
    }
    shares: dict[str, float] = {}
    for name, weight in theories.items():
        operators = {
            kind: weight_of(machine["weights"]["operators"], kind) for kind in drawable[name]
        }
        factor = weight / sum(theories.values()) / sum(operators.values())
        shares |= {kind: factor * own for kind, own in operators.items()}
    return shares


def _theory_sets(
    catalogue: Plain, machine: Plain, wrapper: Plain | None, offered: dict[str, dict[str, Plain]]
) -> dict[tuple[str, ...], int]:
    """Return the sets of theories of many drawn runs, in the order of the catalogue, and how many
    runs had each set.
    """
    rng = random.Random(0)
    requires = {theory["name"]: theory["requires"] for theory in catalogue["theories"]}
    always = [theory["name"] for theory in catalogue["theories"] if theory["always"]]
    drawn = [name for name in offered if name not in always]
    excluded = {} if wrapper is None else wrapper["profile"].get("exclude-combinations", {})
    sets: dict[tuple[str, ...], int] = {}
    for _ in range(SAMPLES):
        chosen = list(always)
        for name in _draw_theories(rng, machine["swarm"]["theories"], drawn):
            wanted = [n for n in _closure(name, requires) if n in offered and n not in chosen]
            if not any(_clash(excluded, one, other) for one in wanted for other in chosen):
                chosen += wanted
        key = tuple(name for name in offered if name in chosen)
        sets[key] = sets.get(key, 0) + 1
    return sets


def _draw_theories(rng: random.Random, swarm: Plain, names: list[str]) -> list[str]:
    """Return the theories that a run draws, in the order in which it draws them."""
    count = len(names)
    if rng.random() >= swarm["all"]:
        values, weights = zip(*swarm["count"]["choices"], strict=True)
        value = rng.choices(values, weights)[0]
        count = rng.randint(*value) if isinstance(value, list) else value
    left = list(names)
    drawn: list[str] = []
    while left and len(drawn) < count:
        name = rng.choices(left, [weight_of(swarm["weights"], name) for name in left])[0]
        left.remove(name)
        drawn.append(name)
    return drawn


def _closure(name: str, requires: dict[str, list[str]]) -> list[str]:
    """Return a theory and all theories that it requires, directly or not."""
    names = [name]
    for known in names:
        names += [other for other in requires[known] if other not in names]
    return names


def _clash(excluded: dict[str, list[str]], one: str, other: str) -> bool:
    return other in excluded.get(one, []) or one in excluded.get(other, [])


def weight_of(weights: Plain, name: str) -> float:
    """Return the weight of a name, or the weight of all that are not named."""
    return float(weights[name] if name in weights else weights.get("default", 1))
