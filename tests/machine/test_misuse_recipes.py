"""Public callables of a binding: every one has its turn, and the wrappers' recipes make the objects
that methods need.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import misuses
import pytest
from shipped import installed
from toy import forked

from murxpy.data import importable_names, load_catalogue, load_machine, load_wrapper
from murxpy.machine.actions.base import Action
from murxpy.machine.checks.registry import ACTIONS
from murxpy.machine.generate import callables
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Stopped
from murxpy.machine.run import Run
from murxpy.solvers.callables import find_callables
from murxpy.worker.session import Session


class Instead(Action):
    """Does something else in the place of an action."""

    def __init__(self, name: str, follow: Callable[[Generator], bool]) -> None:
        super().__init__(name)
        self.follow = follow

    def draw(self, gen: Generator) -> bool:
        return self.follow(gen)


def test_every_callable_has_its_turn_by_the_seed_alone() -> None:
    found = misuses.session().wrapper.callables
    drawn = [callables.turns(cast(Run, SimpleNamespace(seed=seed)), found) for seed in range(30)]
    assert drawn[0] == callables.turns(cast(Run, SimpleNamespace(seed=0)), found) != drawn[1]
    assert {name for names in drawn for name in names} == set(found.callees)


def test_a_recipe_that_needs_what_a_release_lacks_is_left_out() -> None:
    recipes = {
        "misused.Box": ['misused.Box py:"a"'],
        "misused.Term": ["misused.no_such_function c1"],
    }
    assert find_callables(misuses.WRAPPER["contract"]["calls"] | {"recipes": recipes}).recipes == {
        "misused.Box": ('misused.Box py:"a"',)
    }


def _made(solver: str) -> list[str]:
    """The classes whose recipe makes no object of them in a run."""
    session = Session(
        {
            "catalogue": load_catalogue(),
            "machine": load_machine("contract"),
            "wrapper": load_wrapper(solver),
        }
    )
    found, failed = session.wrapper.callables, []
    waiting = list(found.recipes)

    def follow(gen: Generator) -> bool:
        cls = waiting.pop()
        if not callables.follow(gen, found.recipes[cls]) or not callables.instances(
            gen.run, found.classes[cls]
        ):
            failed.append(cls)
        raise Stopped(None)

    # a recipe stands alone
    early = [name for name in ACTIONS if name.startswith(("misuse", "mk-"))]
    ACTIONS.update({name: Instead(name, follow) for name in early})
    seed = 0
    while waiting:
        seed += 1
        session.walk(seed, lambda text: None)
    return failed


@pytest.mark.parametrize("solver", importable_names())
def test_every_recipe_makes_an_object_of_its_class(solver: str) -> None:
    if not installed(solver):
        pytest.skip(f"{solver} is not installed")
    assert forked(lambda: _made(solver)) == []


def test_a_recipe_stops_where_a_call_is_refused_or_gives_plain_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[bool] = []
    ways: Sequence[Sequence[str]] = (
        ['misused.Box py:"a"', "copy.copy $1"],
        ["misused.Box py:1", "copy.copy $1"],
        ['misused.Box py:"a"', "misused.Box.__str__ $1", "copy.copy $2"],
    )

    def follow(gen: Generator) -> Any:
        made.extend(callables.follow(gen, way) for way in ways)
        raise Stopped(None)

    monkeypatch.setitem(ACTIONS, "misuse-call", Instead("misuse-call", follow))
    seed = 0
    while not made:
        seed += 1
        misuses.walked(seed)
    assert made == [True, False, False]
