"""Single applications in SMT-LIB, with gaps for the arguments that the solver has already."""

from __future__ import annotations

from typing import Any

import pytest

from murxpy.data import load_catalogue
from murxpy.logic.catalogue import build_catalogue
from murxpy.logic.sorts import Constructor, Datatype, SortTable
from murxpy.logic.terms import CONSTANT, VALUE, Term, TermTable
from murxpy.smtlib.printing.applications import Applications
from murxpy.smtlib.printing.terms import Unsayable

SORTS, TERMS = SortTable(), TermTable()
BOOL, INT, BV = SORTS.get("SORT_BOOL"), SORTS.get("SORT_INT"), SORTS.get("SORT_BV", 8)
P, N, B = (TERMS.leaf(CONSTANT, (name,), s) for name, s in (("p", BOOL), ("n", INT), ("b", BV)))
V = TERMS.variable("v", INT)
LIST = Datatype("L", [], [])
LIST.constructors += [
    Constructor("nil", []),
    Constructor("cons {", [("head", INT), ("tail", SORTS.get("SORT_DT", LIST))]),
]
L = TERMS.leaf(CONSTANT, ("l",), SORTS.get("SORT_DT", LIST))


@pytest.fixture
def printer() -> Applications:
    return Applications(build_catalogue(load_catalogue()), "smt2")


@pytest.mark.parametrize(
    ("kind", "args", "indices", "sort", "bound", "text"),
    [
        ("OP_AND", (P, P), (), BOOL, 0, "(and {1} {1})"),
        ("OP_ITE", (P, N, N), (), INT, 0, "(ite {0} {2} {2})"),
        ("OP_BV_EXTRACT", (B,), (3, 1), SORTS.get("SORT_BV", 3), 0, "((_ extract 3 1) {0})"),
        ("OP_BV_BIT", (B,), (3,), BOOL, 0, "(= ((_ extract 3 3) {0}) #b1)"),
        ("OP_FORALL", (V, P), (), BOOL, 1, "(forall (({0} Int)) {1})"),
        ("OP_DT_APPLY_CONS", (N, L), ("cons {",), L.sort, 0, "(|cons {{| {0} {1})"),
        ("OP_DT_MATCH_BIND_CASE", (V, V, N), ("cons {",), L.sort, 2, "((|cons {{| {1} {1}) {2})"),
        ("OP_RE_NONE", (), (), SORTS.get("SORT_REGLAN"), 0, "re.none"),
    ],
)
def test_an_application_has_gaps_for_its_arguments(
    printer: Applications,
    kind: str,
    args: tuple[Term, ...],
    indices: tuple[Any, ...],
    sort: Any,
    bound: int,
    text: str,
) -> None:
    assert printer.application(kind, args, indices, sort, bound) == text


def test_a_constant_array_has_a_value(printer: Applications) -> None:
    sort = SORTS.get("SORT_ARRAY", INT, INT)
    five, less = (TERMS.leaf(VALUE, (number,), INT) for number in (5, -5))
    text = printer.application("OP_CONST_ARRAY", (five,), (), sort, 0)
    assert text == "((as const (Array Int Int)) {0})"
    for term in (less, N):
        with pytest.raises(Unsayable, match="a constant array of"):
            printer.application("OP_CONST_ARRAY", (term,), (), sort, 0)


def test_symbols_are_new_each_time(printer: Applications) -> None:
    assert [printer.symbol(name) for name in ("x", "x", "a b", "and", "@y")] == [
        "x", "x!1", "|a b|", "and!1", "_@y",
    ]  # fmt: skip
