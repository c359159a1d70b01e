"""The theories and the wrappers fit together: what is defined is spelled, what is spelled is
defined.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest
from toy import catalogue, live

from murxpy.data import load_wrapper, wrapper_names

SOLVERS = tuple(wrapper_names())


@functools.cache
def wrappers() -> dict[str, dict[str, Any]]:
    return {name: load_wrapper(name) for name in SOLVERS}


def spelled(section: str) -> set[str]:
    return {key for data in wrappers().values() for key in data[section]}


def test_every_operator_is_spelled_by_some_wrapper() -> None:
    assert [kind for kind in catalogue().operators if kind not in spelled("operators")] == []


def test_every_sort_kind_and_special_value_is_spelled_by_some_wrapper() -> None:
    assert [kind for kind in catalogue().sorts if kind not in spelled("sorts")] == []
    special = [name for sort in catalogue().sorts.values() for name in sort.special]
    assert [name for name in special if name not in spelled("special-values")] == []


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_wrapper_spells_each_operator_of_its_theories_or_says_why_not(solver: str) -> None:
    data = wrappers()[solver]
    said = [
        *data["operators"],
        *(kind for group in data["unspelled"] for kind in group["operators"]),
    ]
    wanted = [op.kind for op in catalogue().operators.values() if op.theory in data["theories"]]
    assert [kind for kind in wanted if kind not in said] == []  # spell it, or say why not
    assert [kind for kind in said if kind not in wanted and kind not in data["operators"]] == []
    assert len(said) == len(set(said))


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_wrapper_spells_each_sort_of_its_theories_or_says_why_not(solver: str) -> None:
    data = wrappers()[solver]
    wanted = [sort.kind for sort in catalogue().sorts.values() if sort.theory in data["theories"]]
    said = [*data["sorts"], *(kind for group in data["unspelled"] for kind in group["sorts"])]
    assert [kind for kind in wanted if kind not in said] == []


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_spelled_kind_exists(solver: str) -> None:
    data, known = wrappers()[solver], catalogue()
    special = {name for sort in known.sorts.values() for name in sort.special}
    assert [k for k in data["operators"] if k not in known.operators] == []
    assert [k for k in data["sorts"] if k not in known.sorts and k != "instantiate-sort"] == []
    assert [k for k in data["values"] if k not in known.sorts] == []
    assert [k for k in data["special-values"] if k not in special] == []
    assert [k for k in data["theories"] if k not in known.theories] == []
    for section in ("constants", "variables"):
        assert [
            k
            for k in data[section]
            if k != "any" and f"SORT_{k.removeprefix('SORT_')}" not in known.sorts
        ] == []


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_a_theory_needs_is_spelled(solver: str) -> None:
    """A supported theory's sorts, with literals and special values where the sort has them."""
    data, known = wrappers()[solver], catalogue()
    for sort in known.sorts.values():
        if sort.theory in data["theories"] and sort.kind in data["sorts"]:
            assert all(name in data["special-values"] for name in sort.special), sort.kind


def test_aliases_name_one_operator_each() -> None:
    known = catalogue()
    aliases = [alias for operator in known.operators.values() for alias in operator.aliases]
    assert len(aliases) == len(set(aliases))
    assert not set(aliases) & set(known.operators)


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_the_installed_release_has_nearly_all_spellings(solver: str) -> None:
    session = live(solver)
    missing = session.wrapper.missing
    total = sum(
        len(s.spellings) for section in session.wrapper.spellings.values() for s in section.values()
    )
    assert len(missing) < total / 20, missing
