"""Sequences, sets, bags, relations and finite fields: the operators on terms, open points, and
laws.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typed_terms import Logic, evaluator, value

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import SPECIAL, Term
from murxpy.semantics.exact import strings
from murxpy.semantics.meanings import bags, relations, sequences, sets
from murxpy.semantics.values import BagValue, CannotSay, DatatypeValue, SetValue

elements = st.lists(st.integers(0, 2), max_size=6).map(tuple)
some_sets = st.tuples(st.frozensets(st.integers(0, 5)), st.booleans()).map(lambda p: SetValue(*p))
some_bags = st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 3)), max_size=5).map(
    bags.make_bag
)


def a_set(*members: Any) -> SetValue:
    """A set of members."""
    return SetValue(frozenset(members))


def a_bag(**counts: int) -> BagValue:
    """A bag: `a_bag(_1=2)` holds the 1 twice."""
    return bags.make_bag((int(name[1:]), count) for name, count in counts.items())


def special(logic: Logic, sort: Sort, name: str) -> Term:
    """A special value."""
    return logic.terms.leaf(SPECIAL, (name,), sort)


def numbers(logic: Logic, kind: str, join: str, *members: int) -> Term:
    """A sequence or set of integers as a term."""
    terms = [logic.app(kind, logic.val(logic.int, m)) for m in members]
    joined = terms[0]
    for term in terms[1:]:
        joined = logic.app(join, joined, term)
    return joined


@given(elements, elements, elements, st.integers(-2, 7), st.integers(-2, 7))
def test_sequences_are_like_strings(
    whole: tuple[int, ...], part: tuple[int, ...], by: tuple[int, ...], k: int, n: int
) -> None:
    def text(seq: tuple[int, ...]) -> str:
        return "".join(map(str, seq))

    assert text(sequences.extract(whole, k, n)) == strings.substring(text(whole), k, n)
    assert text(sequences.at(whole, k)) == strings.at(text(whole), k)
    assert text(sequences.update(whole, k, part)) == strings.update(text(whole), k, text(part))
    assert sequences.index_of(whole, part, k) == strings.index_of(text(whole), text(part), k)
    assert sequences.last_index_of(whole, part) == strings.last_index_of(text(whole), text(part))
    assert text(sequences.replace(whole, part, by)) == strings.replace(
        text(whole), text(part), text(by)
    )
    assert text(sequences.replace_all(whole, part, by)) == strings.replace_all(
        text(whole), text(part), text(by)
    )
    assert sequences.prefix_of(part, whole) == text(whole).startswith(text(part))
    assert sequences.suffix_of(part, whole) == text(whole).endswith(text(part))
    assert sequences.contains(whole, part) == (text(part) in text(whole))


def test_terms_of_sequences() -> None:
    logic = Logic()
    whole = numbers(logic, "SEQ_UNIT", "SEQ_CONCAT", 4, 5, 6)
    assert value(logic.app("SEQ_REV", whole)) == (6, 5, 4)
    assert value(logic.app("SEQ_NTH", whole, logic.val(logic.int, 1))) == 5
    outside = logic.app("SEQ_NTH", whole, logic.val(logic.int, 3))
    with pytest.raises(CannotSay, match="open"):
        value(outside)
    assert value(special(logic, whole.sort, "seq.empty")) == ()
    x = logic.var("x", logic.int)
    double = logic.app("ARRAY_LAMBDA", x, logic.app("INT_ADD", x, x))
    assert value(logic.app("SEQ_MAP", double, whole)) == (8, 10, 12)
    y = logic.var("y", logic.int)
    minus = logic.app("ARRAY_LAMBDA", x, logic.app("ARRAY_LAMBDA", y, logic.app("INT_SUB", x, y)))
    assert value(logic.app("SEQ_FOLDL", minus, logic.val(logic.int, 100), whole)) == 85


@given(some_sets, some_sets, st.integers(0, 7))
def test_sets_by_membership(one: SetValue, other: SetValue, x: int) -> None:
    left, right = sets.member(x, one), sets.member(x, other)
    assert sets.member(x, sets.union(one, other)) == (left or right)
    assert sets.member(x, sets.inter(one, other)) == (left and right)
    assert sets.member(x, sets.minus(one, other)) == (left and not right)
    assert sets.subset(one, other) == (sets.union(one, other) == other)


def test_terms_of_sets() -> None:
    logic = Logic()
    one = numbers(logic, "SET_SINGLETON", "SET_UNION", 1, 2, 3)
    assert value(one) == a_set(1, 2, 3)
    assert value(logic.app("SET_CARD", one)) == 3
    assert value(logic.app("SET_DELETE", logic.val(logic.int, 2), one)) == a_set(1, 3)
    choice = logic.app("SET_CHOOSE", one)
    assert set(evaluator().possible(choice)) == {1, 2, 3}
    assert value(logic.app("SET_MEMBER", choice, one)) is True
    everything = special(logic, one.sort, "set.universe")
    assert value(logic.app("SET_MEMBER", logic.val(logic.int, 9), everything)) is True
    assert value(logic.app("SET_COMPLEMENT", one)) == SetValue(frozenset([1, 2, 3]), True)
    with pytest.raises(CannotSay, match="cardinality"):
        value(logic.app("SET_CARD", everything))


def test_a_set_over_few_values_is_given_by_its_members() -> None:
    logic = Logic()
    one = logic.app("SET_SINGLETON", logic.val(logic.bv(2), 1))
    rest = logic.app("SET_COMPLEMENT", one)
    assert value(rest) == a_set(0, 2, 3)
    assert value(logic.app("SET_CARD", special(logic, one.sort, "set.universe"))) == 4
    assert value(logic.app("EQUAL", logic.app("SET_COMPLEMENT", rest), one)) is True


def test_functions_over_sets_and_bags() -> None:
    logic = Logic()
    one = numbers(logic, "SET_SINGLETON", "SET_UNION", 1, 2, 3)
    x, y = logic.var("x", logic.int), logic.var("y", logic.int)
    odd = logic.define(
        (x,),
        logic.app(
            "EQUAL", logic.app("INT_MOD", x, logic.val(logic.int, 2)), logic.val(logic.int, 1)
        ),
    )
    half = logic.define((x,), logic.app("INT_DIV", x, logic.val(logic.int, 2)))
    assert value(logic.app("SET_FILTER", odd, one)) == a_set(1, 3)
    assert (value(logic.app("SET_ALL", odd, one)), value(logic.app("SET_SOME", odd, one))) == (
        False,
        True,
    )
    assert value(logic.app("SET_MAP", half, one)) == a_set(0, 1)
    start = logic.val(logic.int, 10)
    total = logic.define((x, y), logic.app("INT_ADD", x, y))
    assert value(logic.app("SET_FOLD", total, start, one)) == 16
    # 1 - (2 - (3 - 10)), and so on: the order matters, so any of the results is allowed.
    minus = logic.define((x, y), logic.app("INT_SUB", x, y))
    assert set(evaluator().possible(logic.app("SET_FOLD", minus, start, one))) == {-8, -6, -10}
    bag = logic.app("BAG_MAKE", logic.val(logic.int, 3), logic.val(logic.int, 2))
    assert value(logic.app("BAG_FOLD", total, start, bag)) == 16
    assert value(logic.app("BAG_MAP", half, logic.app("BAG_UNION_DISJOINT", bag, bag))) == a_bag(
        _1=4
    )
    assert value(logic.app("BAG_FILTER", odd, bag)) == a_bag(_3=2)


def test_comprehensions() -> None:
    logic = Logic()
    x = logic.var("x", logic.bv(2))
    condition = logic.app("BV_ULT", x, logic.val(logic.bv(2), 3))
    term = logic.app(
        "SET_COMPREHENSION", x, condition, logic.app("BV_AND", x, logic.val(logic.bv(2), 2))
    )
    assert value(term) == a_set(0, 2)


@given(some_bags, some_bags)
def test_bags_by_counts(one: BagValue, other: BagValue) -> None:
    apply = {
        kind: bags._OPERATIONS[f"OP_BAG_{kind}"]
        for kind in ("UNION_MAX", "UNION_DISJOINT", "INTERSECTION_MIN")
    }
    apply |= {
        kind: bags._OPERATIONS[f"OP_BAG_{kind}"]
        for kind in ("DIFFERENCE_SUBTRACT", "DIFFERENCE_REMOVE")
    }
    for x in range(4):
        a, b = bags.count_of(x, one), bags.count_of(x, other)
        expected = (max(a, b), a + b, min(a, b), max(a - b, 0), 0 if b else a)
        assert (
            tuple(bags.count_of(x, function(one, other)) for function in apply.values()) == expected
        )
    assert bags.subbag(one, other) == (apply["UNION_MAX"](one, other) == other)


def test_terms_of_bags() -> None:
    logic = Logic()
    sort = logic.sort("BAG", logic.int)
    bag = logic.app("BAG_MAKE", logic.val(logic.int, 5), logic.val(logic.int, 2))
    none = logic.app("BAG_MAKE", logic.val(logic.int, 5), logic.val(logic.int, -1))
    assert value(logic.app("EQUAL", none, special(logic, sort, "bag.empty"))) is True
    assert value(logic.app("BAG_CARD", bag)) == 2
    assert value(logic.app("BAG_CHOOSE", bag)) == 5
    assert value(logic.app("BAG_DUPLICATE_REMOVAL", bag)) == a_bag(_5=1)
    assert value(logic.app("BAG_TO_SET", bag)) == a_set(5)
    with pytest.raises(CannotSay, match="open"):
        value(logic.app("BAG_CHOOSE", none))


pairs = st.frozensets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8)


@given(pairs, pairs)
def test_relations(one: frozenset[tuple[int, int]], other: frozenset[tuple[int, int]]) -> None:
    left, right = relations.relation_of(one), relations.relation_of(other)
    assert relations.join(left, right) == relations.relation_of(
        (a, d) for a, b in one for c, d in other if b == c
    )
    assert relations.product(left, right) == relations.relation_of(
        (*p, *q) for p in one for q in other
    )
    closed = relations.transitive_closure(left)
    assert sets.subset(left, closed) and sets.subset(relations.join(closed, closed), closed)
    steps = left
    for _ in range(5):
        steps = sets.union(left, relations.join(steps, left))
    assert steps == closed


def test_terms_of_relations() -> None:
    logic = Logic()

    def pair(a: int, b: int) -> Term:
        return logic.app("TUPLE", logic.val(logic.int, a), logic.val(logic.int, b))

    relation = logic.app(
        "SET_INSERT",
        pair(1, 2),
        logic.app("SET_INSERT", pair(1, 3), logic.app("SET_SINGLETON", pair(2, 3))),
    )
    assert value(logic.app("TUPLE_SELECT", pair(7, 8), indices=(1,))) == 8
    assert value(logic.app("REL_TRANSPOSE", relation)) == relations.relation_of(
        [(2, 1), (3, 1), (3, 2)]
    )
    image = logic.app("REL_JOIN_IMAGE", relation, logic.val(logic.int, 2))
    assert value(image) == a_set(DatatypeValue("", (1,)))
    assert value(logic.app("REL_IDEN", image)) == relations.relation_of([(1, 1)])


def test_a_universe_may_be_what_the_model_says() -> None:
    logic = Logic()
    sort = logic.sort("SET", logic.int)
    x = logic.const("x", sort)
    universe = logic.terms.leaf(SPECIAL, ("set.universe",), sort)
    terms = [universe, logic.app("SET_COMPLEMENT", x)]
    assert [value(t, {x: a_set(1)}) for t in terms] == [
        SetValue(frozenset(), True),
        SetValue(frozenset([1]), True),
    ]
    judge = evaluator({x: a_set(1)})
    judge.interpretation.universes[sort] = a_set(1, 2)
    assert [judge.value(t) for t in terms] == [a_set(1, 2), a_set(2)]


def test_terms_of_finite_fields() -> None:
    logic = Logic()
    field = logic.sort("FF", 7)
    x, y, z = (logic.val(field, k) for k in (3, 5, 6))
    assert value(logic.app("FINITE_FIELD_NEG", x)) == 4
    assert value(logic.app("FINITE_FIELD_ADD", x, y, z)) == 0
    assert value(logic.app("FINITE_FIELD_MULT", x, y, z)) == 6
    assert value(logic.app("FINITE_FIELD_BITSUM", x, y, z)) == (3 + 10 + 24) % 7
    assert value(special(logic, field, "ff.negone")) == 6
