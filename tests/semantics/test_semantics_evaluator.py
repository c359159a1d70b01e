"""The evaluator: depth, binders, open points, what cannot be said; and that every operator of the
catalogue has a meaning.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from typed_terms import Logic, catalogue, evaluator, value

from murxpy.logic.sorts import Constructor, Datatype
from murxpy.logic.terms import Term
from murxpy.semantics.registry import BINDERS, MEANINGS, partial_key
from murxpy.semantics.values import (
    ArrayValue,
    CannotSay,
    DatatypeValue,
    Element,
    FunctionValue,
    Interpretation,
    SetValue,
)

# Operators without a meaning, each with the reason. Scripts' `let` and annotations are no operators
# of the catalogue.
WITHOUT_MEANING: dict[str, str] = {}


@pytest.fixture
def logic() -> Logic:
    return Logic()


def test_every_operator_has_a_meaning() -> None:
    missing = [
        kind for kind in catalogue().operators if kind not in MEANINGS and kind not in BINDERS
    ]
    assert missing == list(WITHOUT_MEANING)


def test_every_meaning_is_of_an_operator() -> None:
    known = {*catalogue().operators, "OP_FUN"}
    assert [kind for kind in (*MEANINGS, *BINDERS) if kind not in known] == []


def test_a_term_of_depth_100000(logic: Logic) -> None:
    x = logic.const("x", logic.bv(8))
    term = x
    for _ in range(100_000):
        term = logic.terms.apply("OP_BV_ADD", (term, x), (), x.sort)
    assert value(term, {x: 3}) == 3 * 100_001 % 256


def test_a_shared_term_is_evaluated_once(logic: Logic) -> None:
    term = logic.const("x", logic.int)
    root = term
    for _ in range(64):
        root = logic.app("INT_ADD", root, root)
    assert value(root, {term: 1}) == 1 << 64


def test_attributes_of_ranks(logic: Logic) -> None:
    numbers = [logic.val(logic.int, k) for k in (10, 3, 2)]
    assert value(logic.app("INT_SUB", *numbers)) == 5
    assert value(logic.app("INT_GT", *numbers)) is True
    assert value(logic.app("INT_GT", numbers[0], numbers[2], numbers[1])) is False
    assert value(logic.app("DISTINCT", numbers[0], numbers[1], numbers[0])) is False
    flags = [logic.val(logic.bool, b) for b in (False, True, False)]
    assert value(logic.app("IMPLIES", *flags)) is True
    assert value(logic.app("XOR", *flags)) is True


def test_a_constant_without_a_value_may_be_any(logic: Logic) -> None:
    b, x = logic.const("b", logic.bool), logic.const("x", logic.int)
    judge = evaluator()
    assert judge.possible(b) == (False, True)
    assert judge.value(logic.app("EQUAL", b, b)) is True
    assert judge.value(logic.app("OR", b, logic.val(logic.bool, True))) is True
    with pytest.raises(CannotSay, match="x is open"):
        judge.value(x)


def test_one_open_point_has_one_value(logic: Logic) -> None:
    """Division by zero is any number, but the same for the same dividend; a selector too."""
    datatype = Datatype("D")
    sort = logic.sort("DT", datatype)
    datatype.constructors += [Constructor("none"), Constructor("some", [("bit", logic.bv(1))])]
    none = logic.app("DT_APPLY_CONS", indices=("none",), wanted=sort)
    bit = logic.app("DT_APPLY_SEL", none, indices=("some", "bit"))
    assert evaluator().possible(bit) == (0, 1)
    assert value(logic.app("EQUAL", bit, logic.app("BV_NOT", logic.app("BV_NOT", bit)))) is True
    assert value(logic.app("BV_XOR", bit, bit)) == 0
    assert set(evaluator().possible(logic.app("BV_CONCAT", bit, bit))) == {0, 3}
    fixed = {"OP_DT_APPLY_SEL": FunctionValue(1)}
    assert value(bit, partial=fixed) == 1


def test_the_model_fixes_open_points(logic: Logic) -> None:
    x, zero = logic.val(logic.int, 7), logic.val(logic.int, 0)
    term = logic.app("INT_DIV", x, zero)
    with pytest.raises(CannotSay):
        value(term)
    assert value(term, partial={"OP_INT_DIV": FunctionValue(0, [((7, 0), 5)])}) == 5
    key = partial_key("OP_INT_DIV", (), (logic.int, logic.int))
    assert value(term, partial={key: FunctionValue(9), "OP_INT_DIV": FunctionValue(0)}) == 9


def test_what_cannot_be_said_spreads_only_to_what_needs_it(logic: Logic) -> None:
    x = logic.val(logic.int, 1)
    open_ = logic.app("INT_DIV", x, logic.val(logic.int, 0))
    positive = logic.app("INT_GT", open_, x)
    assert value(logic.app("AND", positive, logic.val(logic.bool, False))) is False
    assert value(logic.app("ITE", positive, x, x)) == 1
    with pytest.raises(CannotSay, match="OP_INT_DIV is open"):
        value(logic.app("OR", positive, logic.val(logic.bool, False)))


def test_too_many_open_points_cannot_be_said(logic: Logic) -> None:
    flags = [logic.const(f"b{k}", logic.bool) for k in range(20)]
    with pytest.raises(CannotSay):
        value(logic.app("XOR", *flags))


def test_open_points_that_make_formulas_true(logic: Logic) -> None:
    """What a model leaves open may be anything, but the same in all formulas."""
    quotient = logic.app("INT_DIV", logic.val(logic.int, 7), logic.val(logic.int, 0))
    is_two = logic.app("EQUAL", quotient, logic.val(logic.int, 2))
    is_three = logic.app("EQUAL", quotient, logic.val(logic.int, 3))
    never = logic.app("DISTINCT", quotient, quotient)
    judge = evaluator()
    assert judge.satisfied([is_two]) and judge.satisfied([logic.app("NOT", is_two), is_three])
    assert not judge.satisfied([is_two, is_three]) and not judge.satisfied([never])
    with pytest.raises(CannotSay):
        judge.value(is_two)  # what was tried is not remembered


def test_a_difference_of_arrays_may_be_at_any_index_where_they_differ(logic: Logic) -> None:
    a, b = (logic.const(name, logic.sort("ARRAY", logic.int, logic.int)) for name in "ab")
    index = logic.app("ARRAY_EXT", a, b)
    judge = evaluator({a: ArrayValue(0, [(5, 1)]), b: ArrayValue(1)})
    assert judge.satisfied([logic.app("INT_GT", index, logic.val(logic.int, 5))])
    assert not judge.satisfied([logic.app("EQUAL", index, logic.val(logic.int, 5))])


def test_the_default_of_an_array_over_elements_is_open(logic: Logic) -> None:
    """A model with one element has constant arrays only, which says nothing of their defaults."""
    sort = logic.sort("UNINTERPRETED", "U")
    a = logic.const("a", logic.sort("ARRAY", sort, logic.bool))
    judge = evaluator({a: ArrayValue(True)}, domains={sort: (Element("u"),)})
    assert judge.possible(logic.app("ARRAY_DEFAULT", a)) == (False, True)


def test_arrays_that_are_no_tables_are_told_apart_at_a_few_points(logic: Logic) -> None:
    x, y = logic.var("x", logic.int), logic.var("y", logic.int)
    one = logic.val(logic.int, 1)
    sort = logic.sort("ARRAY", logic.int, logic.int)
    a, members = logic.const("a", sort), logic.const("s", logic.sort("SET", sort))
    itself, again = logic.app("ARRAY_LAMBDA", x, x), logic.app("ARRAY_LAMBDA", y, y)
    successor = logic.app("ARRAY_LAMBDA", x, logic.app("INT_ADD", x, one))
    doubled = logic.app("ARRAY_LAMBDA", x, logic.app("INT_SUB", logic.app("INT_ADD", x, x), x))
    stored = logic.app("ARRAY_STORE", itself, one, logic.val(logic.int, 9))
    table = ArrayValue(0, [(k, k) for k in range(-5, 5)])
    for left, right in ((itself, successor), (itself, a), (itself, stored)):
        assert value(logic.app("EQUAL", left, right), {a: table}) is False
    # the same but for the name of the variable
    assert value(logic.app("EQUAL", itself, again)) is True
    with pytest.raises(CannotSay, match="large domain"):
        value(logic.app("EQUAL", itself, doubled))
    held = {members: SetValue(frozenset([table]))}
    assert value(logic.app("SET_MEMBER", itself, members), dict(held)) is False
    assert (
        value(logic.app("SET_MEMBER", itself, logic.app("SET_COMPLEMENT", members)), held) is True
    )


def test_quantifiers_over_finite_sorts(logic: Logic) -> None:
    x, y = logic.var("x", logic.bv(4)), logic.var("y", logic.bv(4))
    commutes = logic.app("EQUAL", logic.app("BV_ADD", x, y), logic.app("BV_ADD", y, x))
    assert value(logic.app("FORALL", x, y, commutes)) is True
    inverse = logic.app("EQUAL", logic.app("BV_MULT", x, y), logic.val(logic.bv(4), 1))
    assert value(logic.app("FORALL", x, logic.app("EXISTS", y, inverse))) is False
    assert value(logic.app("EXISTS", x, logic.app("EXISTS", y, inverse))) is True


def test_quantifiers_over_infinite_sorts(logic: Logic) -> None:
    x = logic.var("x", logic.int)
    below = logic.app("INT_LT", x, logic.val(logic.int, 5))
    assert value(logic.app("FORALL", x, below)) is False
    assert value(logic.app("EXISTS", x, below)) is True
    with pytest.raises(CannotSay, match="quantifier"):
        value(logic.app("FORALL", x, logic.app("EQUAL", x, x)))


def test_quantifiers_over_the_elements_of_a_model(logic: Logic) -> None:
    sort = logic.sort("UNINTERPRETED", "U")
    x, c = logic.var("x", sort), logic.const("c", sort)
    same = logic.app("FORALL", x, logic.app("EQUAL", x, c))
    one = Element("u0")
    assert value(same, {c: one}, domains={sort: (one,)}) is True
    assert value(same, {c: one}, domains={sort: (one, Element("u1"))}) is False
    with pytest.raises(CannotSay):
        value(same, {c: one})


def test_deeply_nested_binders(logic: Logic) -> None:
    body = logic.const("b", logic.bool)
    x = logic.var("x", logic.bv(1))
    term = logic.app("AND", body, logic.app("EQUAL", x, x))
    for k in range(1_000):
        term = logic.app("EXISTS" if k % 2 else "FORALL", x, term)
        x = logic.var("x", logic.bv(1))
        term = logic.app("AND", term, logic.app("EQUAL", x, x))
    term = logic.app("EXISTS", x, term)
    assert value(term, {body: True}) is True


def test_lambdas_and_functions(logic: Logic) -> None:
    x, y = logic.var("x", logic.bv(2)), logic.var("y", logic.bv(2))
    add = logic.app("LAMBDA", x, y, logic.app("BV_ADD", x, y))
    one = logic.val(logic.bv(2), 1)
    assert value(logic.app("UF_APPLY", logic.app("HO_APPLY", add, one), one)) == 2
    flipped = logic.app("LAMBDA", y, x, logic.app("BV_ADD", x, y))
    assert value(logic.app("EQUAL", add, flipped)) is True
    n = logic.var("n", logic.int)
    twice = logic.define((n,), logic.app("INT_ADD", n, n))
    assert value(logic.app("UF_APPLY", twice, logic.val(logic.int, 21))) == 42
    assert (
        value(logic.app("EQUAL", twice, logic.app("LAMBDA", n, logic.app("INT_ADD", n, n)))) is True
    )
    with pytest.raises(CannotSay, match="equality of functions"):
        other = logic.app("LAMBDA", n, logic.app("INT_MUL", n, logic.val(logic.int, 2)))
        value(logic.app("EQUAL", twice, other))


def test_functions_of_a_model(logic: Logic) -> None:
    f = logic.const("f", logic.sort("FUN", logic.int, logic.int))
    table = FunctionValue(0, [((1,), 5)])
    apply = [logic.app("UF_APPLY", f, logic.val(logic.int, k)) for k in (1, 2)]
    assert [value(term, {f: table}) for term in apply] == [5, 0]


def test_arrays(logic: Logic) -> None:
    sort = logic.sort("ARRAY", logic.int, logic.int)
    zero, one, two = (logic.val(logic.int, k) for k in range(3))
    constant = logic.app("CONST_ARRAY", zero, wanted=sort)
    stored = logic.app("ARRAY_STORE", constant, one, two)
    assert value(logic.app("ARRAY_SELECT", stored, one)) == 2
    assert value(logic.app("EQUAL", logic.app("ARRAY_STORE", stored, one, zero), constant)) is True
    x = logic.var("x", logic.int)
    square = logic.app("ARRAY_LAMBDA", x, logic.app("INT_MUL", x, x))
    changed = logic.app("ARRAY_STORE", square, two, one)
    assert [value(logic.app("ARRAY_SELECT", changed, logic.val(logic.int, k))) for k in (2, 3)] == [
        1,
        9,
    ]


def test_arrays_over_finite_sorts_are_extensional(logic: Logic) -> None:
    """All four indices stored: the constant below is of no account."""
    sort = logic.sort("ARRAY", logic.bv(2), logic.bool)
    arrays = []
    for default in (False, True):
        array = logic.app("CONST_ARRAY", logic.val(logic.bool, default), wanted=sort)
        for index in range(4):
            array = logic.app(
                "ARRAY_STORE",
                array,
                logic.val(logic.bv(2), index),
                logic.val(logic.bool, index % 2 == 0),
            )
        arrays.append(array)
    assert value(logic.app("EQUAL", *arrays)) is True
    assert isinstance(value(arrays[0]), ArrayValue)
    a, b = logic.var("a", sort), logic.var("b", sort)
    index = logic.val(logic.bv(2), 0)
    differ = logic.app(
        "DISTINCT", logic.app("ARRAY_SELECT", a, index), logic.app("ARRAY_SELECT", b, index)
    )
    assert value(logic.app("FORALL", a, logic.app("EXISTS", b, differ))) is True


def test_datatypes_and_match(logic: Logic) -> None:
    datatype = Datatype("List")
    sort = logic.sort("DT", datatype)
    datatype.constructors += [
        Constructor("nil"),
        Constructor("cons", [("head", logic.int), ("tail", sort)]),
    ]
    nil = logic.app("DT_APPLY_CONS", indices=("nil",), wanted=sort)
    both = logic.app("DT_APPLY_CONS", logic.val(logic.int, 4), nil, indices=("cons",), wanted=sort)
    assert value(both) == DatatypeValue("cons", (4, DatatypeValue("nil")))
    assert value(logic.app("DT_APPLY_TESTER", both, indices=("cons",))) is True
    updated = logic.app("DT_APPLY_UPDATER", both, logic.val(logic.int, 5), indices=("cons", "head"))
    assert value(logic.app("DT_APPLY_SEL", updated, indices=("cons", "head"))) == 5
    assert _matched(logic, both, nil) == 4
    assert _matched(logic, nil, nil) == 9


def _matched(logic: Logic, subject: Term, nil: Term) -> object:
    sort = subject.sort
    head, tail, rest = logic.var("h", logic.int), logic.var("t", sort), logic.var("r", sort)
    cases = (
        logic.app("DT_MATCH_BIND_CASE", head, tail, head, indices=("cons",), wanted=sort),
        logic.app("DT_MATCH_BIND_CASE", rest, logic.val(logic.int, 9), wanted=sort),
    )
    return value(logic.app("DT_MATCH", subject, *cases))


def test_bodies_are_bounded(logic: Logic) -> None:
    x = logic.var("x", logic.bv(8))
    term = logic.app("FORALL", x, logic.app("EQUAL", x, x))
    assert value(term) is True
    with pytest.raises(CannotSay, match="more than 10 evaluations"):
        value(term, bodies=10)


def test_values_are_remembered_under_one_interpretation(logic: Logic) -> None:
    x = logic.const("x", logic.real)
    half = logic.app("REAL_DIV", x, logic.val(logic.real, Fraction(2)))
    judge = evaluator({x: Fraction(1)})
    assert judge.value(half) == Fraction(1, 2)
    assert judge.value(logic.app("REAL_ADD", half, half)) == 1
    assert judge.interpretation == Interpretation({x: Fraction(1)})


def test_the_documentation_lists_every_open_point() -> None:
    text = (Path(__file__).parents[2] / "docs" / "semantics.md").read_text(encoding="utf-8")
    rows = {
        cell: row
        for row in text.splitlines()
        if row.startswith("| `")
        for cell in re.findall("`(.*?)`", row)
    }
    for kind, meaning in MEANINGS.items():
        row = rows.get(kind.removeprefix("OP_"), "")
        assert bool(meaning.open) == bool(row), kind
        assert all(part in row for part in meaning.open.split(": ", 1)), kind


def test_numbers_too_long_cannot_be_said(logic: Logic) -> None:
    for kind, sort in (("INT_MUL", logic.int), ("REAL_MUL", logic.real)):
        term = logic.const("x", sort)
        for _ in range(60):
            term = logic.app(kind, term, term)
        start = Fraction(3, 2) if sort is logic.real else 3
        with pytest.raises(CannotSay, match="bits"):
            value(term, {logic.const("x", sort): start})


def test_arrays_by_a_sort_whose_elements_are_not_known(logic: Logic) -> None:
    """Whether two defaults differ shows only where the sort has more elements than are stored."""
    index = logic.sort("UNINTERPRETED", "U")
    a, b = (logic.const(name, logic.sort("ARRAY", index, logic.int)) for name in "ab")
    element = Element("u")
    values = {a: ArrayValue(0, [(element, 1)]), b: ArrayValue(1, [])}
    with pytest.raises(CannotSay, match="not known"):
        value(logic.app("EQUAL", a, b), dict(values))
    assert value(logic.app("EQUAL", a, b), {**values, b: ArrayValue(2, [])}) is False


def test_words_too_long_cannot_be_said(logic: Logic) -> None:
    text = logic.sort("STRING")
    x = logic.const("x", text)
    for kind in ("STR_CONCAT", "STR_REPLACE_ALL"):
        term = x
        for _ in range(40):
            term = logic.app(
                kind, term, *([logic.val(text, "a")] if kind == "STR_REPLACE_ALL" else []), term
            )
        with pytest.raises(CannotSay, match="letters"):
            value(term, {x: "aa"})
