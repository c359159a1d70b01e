"""Walks as seeds of the mutation fuzzers: the formulas of walks over the state machine of a campaign.

The walks are made without the solver, so they depend on the seed of the campaign and on the calls that
the release has, and not on the number of processes or on a clock. They are no runs of the campaign.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from murxpy.errors import InputError
from murxpy.findings.replayed import walk_seeds
from murxpy.fuzzers.seeds import label_of
from murxpy.fuzzers.setups import Mutation
from murxpy.judging.judged_solver import JudgedSolver
from murxpy.judging.seeds import alone, labels_of
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.machine.random import mix, run_seed
from murxpy.machine.trace.grammar import parse_trace
from murxpy.oracles.crash import Outcome
from murxpy.processes.limits import Limits
from murxpy.processes.targets import Plan
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.mutation.preparing import views
from murxpy.sources.setups import Setup
from murxpy.translate.formula import formula_of

_KEY = 0x3A1C5
PLANTED = "planted"


@dataclass
class Walked:
    """Seeds of walks, each a name, a text and a label; and how many walks gave none, by reason.
    A walk with several checks gives two: its whole formula, and the largest of its checks alone.
    """

    seeds: list[list[str]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def notice(self, target: str) -> str:
        """What the user is told of them."""
        labels = Counter(label for _, _, label in self.seeds if label)
        labelled = ", ".join(f"{count} labelled {label}" for label, count in sorted(labels.items()))
        lost = "".join(f"; {count} left out, {why}" for why, count in self.left_out.most_common())
        of_them = f", {labelled}" if labelled else ""
        return f"{target}: {len(self.seeds)} seeds of walks{of_them}{lost}"


def with_walks(
    plans: Sequence[Plan], judges: Sequence[Plan], mutation: Mutation, seed: int, limits: Limits
) -> tuple[tuple[Plan, ...], list[str]]:
    """The plans, whose seeds are also the formulas of walks, in the dialect of their mutants; and for
    each target a line about these. `seed` is that of the campaign. A formula has a label where its
    planted model or the answers of the target and of one of the `judges` tell it. Raises TargetError for
    a solver that cannot be loaded.
    """
    made, notices = [], list[str]()
    for plan in plans:
        sources = plan.setup["sources"]
        dialect = mutation.dialect or plan.target.family
        walked = walks_of(plan, mutation.walks, seed, dialect, limits)
        others = [judge for judge in judges if judge.target.name != plan.target.name]
        if others:
            _label(walked, plan, others, int(mutation.check_ms), limits)
        notices.append(walked.notice(plan.target.name))
        seeds = [*sources["seeds"], *walked.seeds]
        setup: Setup = {**plan.setup, "sources": {**sources, "seeds": seeds}}
        made.append(replace(plan, setup=setup))
    return tuple(made), notices


def walks_of(plan: Plan, number: int, seed: int, dialect: str, limits: Limits) -> Walked:
    """The formulas of so many walks that the target of `plan` could make, in a dialect."""
    setup: Setup = {**plan.setup, "solverless": True, "checks": [PLANTED], "options": []}
    setup.pop("sources", None)
    setup.pop("guide", None)
    catalogue = build_catalogue(setup["catalogue"])
    found = Walked()
    for at, outcome in enumerate(_outcomes(replace(plan, setup=setup), number, seed, limits)):
        name = f"walk-{at}"
        why, text = _formula(outcome, name, catalogue, dialect)
        if why:
            found.left_out[why] += 1
            continue
        for own, script in (
            (name, text),
            (f"{name}-check", _largest(name, text, catalogue, dialect)),
        ):
            if script:
                found.seeds.append([own, script, label_of(script)])
    return found


def _largest(name: str, text: str, catalogue: Catalogue, dialect: str) -> str | None:
    """The script of that check alone which has the most assertions; None for a script with one check,
    and for one that cannot be read.
    """
    try:
        script = read_script(text, name, catalogue)
    except InputError:
        return None
    among = list(zip(views(script), script.statuses(), strict=True))
    if len(among) < 2:
        return None
    view, label = max(among, key=lambda one: len(one[0].asserted))
    return alone(script, view, label or "", dialect)


def _outcomes(plan: Plan, number: int, seed: int, limits: Limits) -> Iterator[Outcome]:
    """The outcomes of so many walks, in order. Every second one has a planted model. A process that a
    limit ends is followed by another one, which goes on behind the walk that was too long.
    """
    seeds = [mix(run_seed(seed, at), _KEY) >> 1 << 1 | at % 2 for at in range(number)]
    done = 0
    while done < number:
        runs = [(one, ()) for one in seeds[done:]]
        outcomes = walk_seeds(plan, runs, limits).outcomes
        yield from outcomes
        done += len(outcomes)


def _label(
    walked: Walked, plan: Plan, judges: Sequence[Plan], check_ms: int, limits: Limits
) -> None:
    """Label the seeds that have no label and on which the solvers agree."""
    catalogue = build_catalogue(plan.setup["catalogue"])
    lacking = [seed for seed in walked.seeds if not seed[2]]
    with closing(JudgedSolver(plan, judges, limits)) as solver:
        texts = [(name, text) for name, text, _ in lacking]
        for seed, label in zip(lacking, labels_of(texts, solver, catalogue, check_ms), strict=True):
            seed[2] = label


def _formula(outcome: Outcome, name: str, catalogue: Catalogue, dialect: str) -> tuple[str, str]:
    """Why the trace of a walk is no seed, or else its formula."""
    if outcome.report is None:
        return "over a limit", ""
    formula = formula_of(parse_trace(outcome.trace, name), catalogue, dialect)
    if formula.lost:
        return f"{dialect} cannot say them", ""
    if "(assert " not in formula.text or "(check-sat" not in formula.text:
        return "without an assertion or a check", ""
    return "", formula.text
