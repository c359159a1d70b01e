"""The page of the ways in which people use the APIs names what is in the shipped data, and leaves nothing out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from murxpy.data import load_machine, load_wrapper, machine_names
from murxpy.machine.checks.invariants import INVARIANTS
from murxpy.machine.checks.registry import ACTIONS

PAGE = Path(__file__).parents[2] / "docs" / "uses.md"
SOLVERS = ("z3", "cvc5")
LEAST = 20  # ways of use


def rows() -> list[list[str]]:
    """The cells of the rows of the table."""
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def known(wrapper: dict[str, Any], name: str) -> bool:
    """Whether the shipped data have a machine, a check or an action of this name for a solver."""
    action, _, spelling = name.partition("@")
    optimizer = wrapper.get("parts", {}).get("optimizer", {}).get("actions", {})
    if spelling:
        return spelling in spellings(wrapper, action)
    invariants = {*INVARIANTS, *wrapper.get("invariants", {})}
    return (
        name in machine_names()
        or name in ACTIONS
        or name in {*wrapper["actions"], *optimizer}
        or name.removeprefix("invariant-") in invariants
    )


def spellings(wrapper: dict[str, Any], action: str) -> set[str]:
    return set(wrapper["actions"].get(action, {}))


def test_each_name_of_the_page_is_in_the_shipped_data() -> None:
    for at, solver in enumerate(SOLVERS, 1):
        wrapper = load_wrapper(solver)
        cells = [row[at] for row in rows()]
        assert [n for cell in cells for n in names(cell) if not known(wrapper, n)] == []
        assert [cell for cell in cells if not names(cell) and not cell.startswith("none: ")] == []


def test_the_page_leaves_out_no_loop_and_no_other_machine() -> None:
    for at, solver in enumerate(SOLVERS, 1):
        listed = {name for row in rows() for name in names(row[at])}
        loops = {
            f"{solver}-loop@{one}" for one in spellings(load_wrapper(solver), f"{solver}-loop")
        }
        others = {machine["name"] for _, machine in load_machine("default")["others"]}
        assert loops | others <= listed


def test_the_ways_of_use_are_many_and_each_is_there_once() -> None:
    uses = [row[0] for row in rows()]
    assert len(uses) >= LEAST and len(set(uses)) == len(uses)
    assert all(len(row) == len(SOLVERS) + 2 and row[-1] for row in rows())
