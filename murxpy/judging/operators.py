"""The operators and sorts that all solvers of a cross-check support: plans that generate nothing
else, and a line for the user about what is left.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from murxpy.data import load_wrapper, merge_profile
from murxpy.errors import InputError
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans
from murxpy.processes.pool import Pool
from murxpy.processes.targets import Plan, TargetName, parse_target, solver_of
from murxpy.solvers.options import NONE
from murxpy.sources.setups import Setup, SourcesSetup

About = Mapping[str, Any]
_NAMED = 12  # operators that one line names; it counts the others


def judge_plans(names: Sequence[str], request: Request | None = None) -> tuple[Plan, ...]:
    """The plans of the judges called `names`, with the machine of `request`, and with its wrapper for
    judges of that wrapper's solver. Raises InputError and TargetError.
    """
    request = request or Request()
    # A judge makes no runs of its own, so it needs neither seeds nor fuzzers nor options to draw, which
    # are named as the target has them.
    run_options = replace(request.run_options, options=(), drawn_options=(NONE,), theories=())
    own = "" if request.wrapper is None else load_wrapper(request.wrapper)["solver"]
    wrapper = request.wrapper if own in map(solver_of, names) else None
    return make_plans(
        replace(
            request,
            targets=tuple(names),
            wrapper=wrapper,
            profile=None,
            run_options=run_options,
            mutation=None,
        )
    )


def make_judges(
    request: Request, targets: Sequence[Plan], names: Sequence[str]
) -> tuple[Plan, ...]:
    """The plans of the judges called `names` for `targets`, which are the plans of `request`.

    Raises InputError for a judge that is the only target itself, TargetError for a place without a
    solver.
    """
    for name in names:
        if all(plan.target.name == name for plan in targets):
            raise InputError(
                f"--cross-check {name}: that is the target itself, expected another solver, or another release of it as "
                f"{solver_of(name)}@PLACE"
            )
    return judge_plans(names, request)


def agree(
    targets: Sequence[Plan], judges: Sequence[Plan], limits: Limits
) -> tuple[tuple[Plan, ...], list[str]]:
    """The plans of `targets`, changed so that they generate only what the judges support, too; and
    for each target a line that says what is left.

    All solvers are loaded for this. Raises TargetError if a solver cannot be loaded, InputError if no
    theory is left.
    """
    with closing(Pool([*targets, *judges], limits)) as pool:
        abouts = pool.warm()
    plans, notes = [], []
    for plan, about in zip(targets, abouts, strict=False):
        others = [
            (j, a)
            for j, a in zip(judges, abouts[len(targets) :], strict=True)
            if j.target.name != plan.target.name
        ]
        made, note = _restricted(plan, about, others)
        plans.append(made)
        notes.append(note)
    return tuple(plans), notes


def apart(targets: Sequence[Plan], judges: Sequence[Plan]) -> tuple[tuple[Plan, ...], list[str]]:
    """The plans of `targets` whose mutants alone are judged, changed so that mutants get no operators
    that mean another thing in a judge; and for each target a line for the user. No solver is loaded for
    this: a judge says nothing about a mutant with an operator that it lacks.
    """
    plans, notes = [], []
    for plan in targets:
        others = [judge for judge in judges if judge.target.name != plan.target.name]
        profile = plan.setup["profile"]
        for judge in others:
            profile = merge_profile(profile, judge.setup["profile"])
        judged = {"without": sorted(differences([plan, *others])), "profile": profile}
        sources: SourcesSetup = {**plan.setup["sources"], "judged": judged}
        plans.append(replace(plan, setup={**plan.setup, "sources": sources}))
        names = " and ".join(judge.target.name for judge in others)
        notes.append(f"mutants of {plan.target.name} are judged by {names}, walks by nobody")
    return tuple(plans), notes


def _restricted(plan: Plan, about: About, others: Sequence[tuple[Plan, About]]) -> tuple[Plan, str]:
    """The plan, changed so that it generates only what all of `others` support, too, and a line
    that says what is left.
    """
    own = {kind: theory for theory, kinds in about["operators"].items() for kind in kinds}
    theirs = [
        {kind for kinds in other["operators"].values() for kind in kinds} for _, other in others
    ]
    differing = differences([plan, *(judge for judge, _ in others)])
    lost = [kind for kind in own if kind in differing or not all(kind in kinds for kinds in theirs)]
    supported = {own[kind] for kind in own if kind not in lost}
    wrapper = plan.setup["wrapper"]
    theories = [name for name in wrapper["theories"] if name in supported]
    left = [name for name in about["operators"] if name in theories]
    if not left:
        names = ", ".join(judge.target.name for judge, _ in others)
        raise InputError(
            f"--cross-check: {plan.target.name} has no operator in common with {names}"
        )
    setup: Setup = {
        **plan.setup,
        "profile": _common_profile(plan, about, others),
        "wrapper": {**wrapper, "theories": theories, **_spelled(wrapper, {*lost, *differing})},
    }
    single = [kind for kind in lost if own[kind] in left]
    return replace(plan, setup=setup), _note(
        _called(plan, about), [_called(*other) for other in others], about, left, single, differing
    )


def _common_profile(
    plan: Plan, about: About, others: Sequence[tuple[Plan, About]]
) -> dict[str, Any]:
    """The profile of a plan with what the profiles of the others exclude, without the sorts that
    they have not.
    """
    profile = plan.setup["profile"]
    for judge, _ in others:
        profile = merge_profile(profile, judge.setup["profile"])
    sorts = [
        kind for kind in about["sorts"] if not all(kind in other["sorts"] for _, other in others)
    ]
    return merge_profile(profile, {"sorts": {"exclude": sorts}})


def _spelled(wrapper: Mapping[str, Any], without: Collection[str]) -> dict[str, Any]:
    """The sections of operators and special values without these names."""
    return {
        section: {name: forms for name, forms in wrapper[section].items() if name not in without}
        for section in ("operators", "special-values")
        if section in wrapper
    }


def differences(plans: Sequence[Plan]) -> dict[str, str]:
    """The operators and special values that, by the wrappers, do not mean the same in all solvers
    of `plans`, with the reason.
    """
    found: dict[str, str] = {}
    families = [plan.target.family for plan in plans]
    for plan in plans:
        for entry in plan.setup["wrapper"].get("differences") or ():
            others = [family for family in families if family != plan.target.family]
            if any(family in entry["from"] or not entry["from"] for family in others):
                for name in (*entry["operators"], *entry["special-values"]):
                    found.setdefault(name, entry["reason"])
    return found


def _called(plan: Plan, about: About) -> str:
    """A solver with its release, and with the options that its name gives it."""
    options = str(TargetName("", options=parse_target(plan.target.name).options))
    return f"{about['solver']} {about['version']}{options}"


def _note(
    called: str,
    judges: Sequence[str],
    about: About,
    left: Sequence[str],
    single: Sequence[str],
    differing: Mapping[str, str],
) -> str:
    note = f"{called} is judged by {' and '.join(judges)} on the theories that all of them support: {', '.join(left)}"
    gone = [name for name in about["operators"] if name not in left]
    if gone:
        note += f"; not on {', '.join(gone)}"
    lacking = [kind for kind in single if kind not in differing]
    if lacking:
        note += f"; without {_named(lacking)}, which not all of them support"
    if differing:
        note += f"; without {_named(list(differing))}, whose meaning is not the same in all of them (docs/cross-check.md)"
    return note


def _named(kinds: Sequence[str]) -> str:
    names = ", ".join(kind.removeprefix("OP_") for kind in kinds[:_NAMED])
    more = f" and {len(kinds) - _NAMED} more" if len(kinds) > _NAMED else ""
    return f"{len(kinds)} operator{'s' * (len(kinds) > 1)} ({names}{more})"
