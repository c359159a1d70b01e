"""Each action has all its faces, and each file that speaks of actions speaks of all of them."""

from __future__ import annotations

import re

import pytest

from murxpy.data import data_folder, load_machine, load_wrapper, machine_names, wrapper_names
from murxpy.fuzzers.setups import CHECKS as OPTIONS
from murxpy.machine.actions.base import Action, Check
from murxpy.machine.checks.registry import ACTIONS, CHECKS, DRAWN, READERS
from murxpy.translate import smtlib

WALKED = [name for name in machine_names() if load_machine(name)["states"]]
DRAWN_CHECKS = [check for check in CHECKS if check.option]
# What SMT-LIB has no command for, with the reason.
API_ONLY = {
    "mk-sort": "sorts are declared where they are used first",
    "instantiate-sort": "sorts are written where they are used",
    "mk-const": "constants are declared where they are made",
    "mk-var": "variables stand in the binders that bind them",
    "mk-value": "literals stand in the terms that have them",
    "mk-special-value": "special values stand in the terms that have them",
    "mk-term": "terms stand in the commands that have them",
    "mk-fun": "functions are defined where they are made",
    "new": "a script has its solver from the start",
    "delete": "a script restarts",
    "del": "a script has no objects to let go of",
    "gc": "a script has no objects to collect",
    "expect": "it says what is known of answers, and asks nothing",
    "plant": "it says what is known of answers, and asks nothing",
    "misuse": "it is a call that a script cannot make",
    "check-sort": "it looks at an object of the binding",
    "check-term": "it looks at an object of the binding",
    "check-value": "it looks at an object of the binding",
    "check-eq": "it looks at an object of the binding",
    "term-get-children": "it looks at an object of the binding",
    "substitute": "SMT-LIB has no such command",
}


@pytest.mark.parametrize("name", ACTIONS)
def test_an_action_is_drawn_or_read(name: str) -> None:
    action = ACTIONS[name]
    kind = type(action)
    assert action.name == name
    assert kind.__doc__
    assert action.drawn or action.traced
    if action.drawn or (isinstance(action, Check) and action.after):
        assert kind.draw is not Action.draw
    if action.traced:
        assert kind.read is not Action.read


@pytest.mark.parametrize("name", DRAWN)
def test_some_shipped_machine_draws_it(name: str) -> None:
    states = [state for machine in WALKED for state in load_machine(machine)["states"].values()]
    assert any(transition["do"] == name for state in states for transition in state["do"])


@pytest.mark.parametrize("machine", WALKED)
def test_each_machine_has_the_chance_of_each_check(machine: str) -> None:
    chances = load_machine(machine)["probabilities"]
    assert [check.name for check in DRAWN_CHECKS if check.name not in chances] == []


def test_each_check_is_an_option_of_its_own() -> None:
    options = [check.option for check in DRAWN_CHECKS]
    assert len(set(options)) == len(options)
    assert set(options) <= set(OPTIONS)
    places = [check.place for check in DRAWN_CHECKS]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("check", DRAWN_CHECKS, ids=lambda check: check.name)
def test_each_reader_that_a_check_needs_is_in_some_wrapper(check: Check) -> None:
    wrappers = [load_wrapper(name) for name in ("z3", "cvc5")]
    assert not check.reader or any(check.reader in wrapper["readers"] for wrapper in wrappers)


@pytest.mark.parametrize("solver", wrapper_names())
def test_each_action_that_a_wrapper_spells_is_known_or_its_own(solver: str) -> None:
    wrapper = load_wrapper(solver)
    known = {*ACTIONS, *wrapper["own-actions"]}
    assert [name for name in wrapper["actions"] if name not in known] == []


@pytest.mark.parametrize("name", READERS)
def test_the_format_has_a_row_of_each_line(name: str) -> None:
    text = (data_folder("traces") / "FORMAT.md").read_text(encoding="utf-8")
    rows = [row.split(" | ")[0] for row in text.splitlines() if row.startswith("| `")]
    assert any(re.search(rf"`{re.escape(name)}(@| |`)", row) for row in rows)


@pytest.mark.parametrize("name", READERS)
def test_smt_lib_has_a_command_for_it_or_there_is_a_reason(name: str) -> None:
    said = hasattr(smtlib.Script, "_do_" + name.replace("-", "_")) or name in smtlib._QUERIES
    assert said or ACTIONS[name].checks or name in API_ONLY
    assert not (said and name in API_ONLY and name not in ("new", "delete"))
