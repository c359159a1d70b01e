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
# Operators of a solver's theories that its wrapper does not spell, by the reason.
LACKING = {
    "z3": {
        "z3 has no such function, nor any composition of functions that would test more": """
            OP_EQ_RANGE OP_EQ_RANGE_INT OP_BV_ULTBV OP_BV_SLTBV OP_BV_ITE OP_BV_FROM_BOOLS
            OP_INT_DIV_TOTAL OP_INT_MOD_TOTAL OP_INT_POW2 OP_INT_LOG2 OP_INT_IAND OP_INT_PIAND
            OP_REAL_DIV_TOTAL OP_SEQ_UPDATE OP_SEQ_REV OP_SET_CARD OP_SET_CHOOSE
            OP_SET_IS_SINGLETON OP_SET_ALL OP_SET_SOME OP_SET_FILTER OP_SET_MAP OP_SET_FOLD
            OP_STR_REV OP_STR_TOLOWER OP_STR_TOUPPER OP_STR_UPDATE OP_STR_INDEXOF_RE""",
        "functions are declarations in z3, and lambdas are arrays": "OP_HO_APPLY OP_LAMBDA",
    },
    "cvc5": {
        "cvc5 has no such kind": """
            OP_AT_MOST OP_AT_LEAST OP_PB_LE OP_PB_GE OP_PB_EQ OP_ARRAY_DEFAULT OP_ARRAY_EXT
            OP_ARRAY_MAP OP_ARRAY_MAP2 OP_BV_EXT_ROTATE_LEFT OP_BV_EXT_ROTATE_RIGHT
            OP_FP_TO_IEEE_BV OP_FP_TO_FP_FROM_INT_REAL OP_INT_REM OP_SEQ_LAST_INDEXOF OP_SEQ_MAP
            OP_SEQ_FOLDL OP_STR_LAST_INDEXOF OP_STR_FROM_UBV OP_STR_FROM_SBV OP_TRANS_EULER
            OP_TRANS_SINH OP_TRANS_COSH OP_TRANS_TANH OP_TRANS_ARSINH OP_TRANS_ARCOSH
            OP_TRANS_ARTANH""",
        "lambdas are functions in cvc5, not arrays": "OP_ARRAY_LAMBDA",
    },
}


@functools.cache
def wrappers() -> dict[str, dict[str, Any]]:
    return {name: load_wrapper(name) for name in SOLVERS}


def spelled(section: str) -> set[str]:
    return {key for data in wrappers().values() for key in data[section]}


def test_every_operator_is_spelled_by_some_wrapper() -> None:
    assert [kind for kind in catalogue().operators if kind not in spelled("operators")] == []


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_wrapper_spells_each_operator_of_its_theories_or_there_is_a_reason(solver: str) -> None:
    data, known = wrappers()[solver], catalogue().operators
    lacking = {kind for kinds in LACKING.get(solver, {}).values() for kind in kinds.split()}
    wanted = {kind for kind, operator in known.items() if operator.theory in data["theories"]}
    assert sorted(wanted - lacking - set(data["operators"])) == []  # spell it, or say why not
    assert sorted(lacking & set(data["operators"])) == []
    assert sorted(lacking - wanted) == []


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
    assert [kind for kind in wanted if kind not in said] == []
    assert len(said) == len(set(said))


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_wrapper_spells_each_sort_of_its_theories(solver: str) -> None:
    data = wrappers()[solver]
    wanted = [sort.kind for sort in catalogue().sorts.values() if sort.theory in data["theories"]]
    assert [kind for kind in wanted if kind not in data["sorts"]] == []


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
