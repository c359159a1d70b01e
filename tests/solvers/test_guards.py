"""Guards of spellings, judged on the logic's terms."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from murxpy.errors import InputError
from murxpy.logic.sorts import SortTable
from murxpy.logic.terms import CONSTANT, SPECIAL, VALUE, Term, TermTable
from murxpy.solvers.frame import Frame
from murxpy.solvers.guards import parse_guard

SORTS, TERMS = SortTable(), TermTable()
BV, INT, STRING, RM = (
    SORTS.get(*p) for p in (("SORT_BV", 8), ("SORT_INT",), ("SORT_STRING",), ("SORT_RM",))
)
X = TERMS.leaf(CONSTANT, ("x",), BV)
ZERO, FIVE, ONES = (
    TERMS.leaf(VALUE, (0,), BV),
    TERMS.leaf(VALUE, (5,), BV),
    TERMS.leaf(SPECIAL, ("bv.ones",), BV),
)
RNE, RTZ, MODE = (TERMS.leaf(SPECIAL, (f"rm.{m}",), RM) for m in ("rne", "rtz", "rna"))
A, AB = TERMS.leaf(VALUE, ("a",), STRING), TERMS.leaf(VALUE, ("ab",), STRING)


def holds(guard: str, *terms: Term, **operands: Any) -> bool:
    frame = Frame(lambda sort: None).fill(terms, **operands)
    return parse_guard(guard, lambda name: None, "w")(frame)


@pytest.mark.parametrize(
    ("guard", "yes", "no"),
    [
        ("arity-2", (X, X), (X,)),
        ("arity-2+", (X, X, X), (X,)),
        ("literal-0", (FIVE,), (X,)),
        ("literal-1", (X, ONES), (X,)),
        ("int-literal-0", (FIVE,), (A,)),
        ("python-int-0", (ONES,), (X,)),
        ("rm-rne-0", (RNE,), (RTZ,)),
        ("rm-literal-0", (RTZ,), (X,)),
        ("zero-0", (ZERO,), (FIVE,)),
        ("nonzero-0", (FIVE,), (X,)),
        ("char-literal-0", (A,), (AB,)),
        ("same-0-1", (X, X), (X, FIVE)),
        ("symbol-1", (FIVE, X), (X, FIVE)),
        ("sort-BV-0", (X,), (A,)),
        ("n0<=5", (FIVE,), (ONES,)),
        ("n0==255", (ONES,), (X,)),
        ("0.p0==8", (X,), (A, X)[1:1]),
    ],
)
def test_on_arguments(guard: str, yes: tuple[Term, ...], no: tuple[Term, ...]) -> None:
    assert holds(guard, *yes)
    assert not holds(guard, *no)


def test_on_results_indices_names_and_values() -> None:
    fp, half = SORTS.get("SORT_FP", 11, 53), SORTS.get("SORT_FP", 5, 11)
    assert holds("p0==11", result=fp) and not holds("p0==11", result=half) and not holds("p0==11")
    assert holds("float-exact", result=fp) and not holds("float-exact", result=half)
    assert holds("sort-FP", result=fp) and not holds("sort-FP", result=BV)
    assert holds("elem-BV", result=SORTS.get("SORT_SEQ", BV)) and not holds(
        "elem-BV", result=SORTS.get("SORT_SEQ", INT)
    )
    assert (
        holds("i0<=64", indices=(64,))
        and not holds("i0<=64", indices=(65,))
        and not holds("i0<=64", indices=("c",))
    )
    assert holds("i0<p0", indices=(7,), result=BV) and not holds("i0<p0", indices=(8,), result=BV)
    assert holds("vars-1", bound=1) and not holds("vars-1", bound=2)
    assert holds("ascii", name="x y") and not holds("ascii", name="\u03bb")
    assert holds("printable", value="x y") and not holds("printable", value="\n")
    assert (
        holds("bmp", value="\u03bb")
        and not holds("bmp", value="\U0001f40d")
        and not holds("bmp", value="\ud800")
    )
    assert holds("no-surrogates", value="\U0001f40d") and not holds("no-surrogates", value="\udfff")
    assert holds("decimal", value=Fraction(3, 40)) and not holds("decimal", value=Fraction(1, 3))
    assert holds("integral", value=Fraction(4, 2)) and not holds("integral", value=Fraction(1, 2))
    assert holds("nonnegative", value=0) and not holds("nonnegative", value=-1)


def test_a_wrappers_own_guard_sees_plain_data() -> None:
    seen: list[Any] = []

    def helper(name: str) -> Any:
        assert name == "small"
        return lambda args, indices, sort: seen.append((args, indices, sort)) or True

    guard = parse_guard("h.small", helper, "w")
    assert guard(Frame(lambda sort: None).fill((FIVE,), (1,), result=BV))
    five = {"op": VALUE, "sort": "BV(8)", "value": 5, "closed": True}
    assert seen == [([five], (1,), "BV(8)")]
    bound = TERMS.variable("v", BV)
    assert guard(Frame(lambda sort: None).fill((TERMS.apply("OP_BV_NOT", (bound,), (), BV),)))
    assert seen[1][0][0]["closed"] is False


@pytest.mark.parametrize("text", ["literal", "arity-x", "i0<=x", "q0==1", "nothing"])
def test_unknown_guards_say_where(text: str) -> None:
    with pytest.raises(InputError, match=r"^wrappers/x"):
        parse_guard(text, lambda name: None, "wrappers/x")
