"""The term database: ids, scopes, fresh terms first, dropping."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from murxpy.logic.sorts import SortTable
from murxpy.logic.terms import CONSTANT, TermTable
from murxpy.machine.database import Database, Entry
from murxpy.machine.random import Stream

SORTS = SortTable()
BOOL, INT = SORTS.get("SORT_BOOL"), SORTS.get("SORT_INT")


def constant(db: Database, terms: TermTable, name: str, pushed: int = 0) -> Entry:
    return db.add_term(terms.leaf(CONSTANT, (name,), INT), object(), pushed=pushed)


def test_ids_are_never_merged() -> None:
    db, terms = Database(), TermTable()
    first, second = constant(db, terms, "x"), constant(db, terms, "x")
    assert first.term is second.term and first.id != second.id
    assert db.terms == {1: first, 2: second}


def test_reserved_ids_are_left_free() -> None:
    db, terms = Database(), TermTable()
    db.reserve(3, 5)
    assert constant(db, terms, "x").id == 6
    assert db.add_term(terms.leaf(CONSTANT, ("y",), INT), None, 2).id == 2
    assert db.add_sort(INT, None).id == 4


def test_fresh_terms_go_first() -> None:
    db, terms, stream = Database(), TermTable(), Stream(1)
    entries = [constant(db, terms, f"x{k}") for k in range(5)]
    for entry in entries[:4]:
        db.use(entry)
    assert all(db.pick(INT, stream, 1.0) is entries[4] for _ in range(20))
    db.use(entries[4])
    assert {e.id for _ in range(200) if (e := db.pick(INT, stream, 1.0)) is not None} == {
        1,
        2,
        3,
        4,
        5,
    }


def test_less_used_terms_are_picked_more_often() -> None:
    db, terms, stream = Database(), TermTable(), Stream(7)
    often, seldom = constant(db, terms, "x"), constant(db, terms, "y")
    for _ in range(10):
        db.use(often)
    db.use(seldom)
    picks = [db.pick(INT, stream, 0.5) for _ in range(400)]
    assert picks.count(seldom) > 250


def test_scopes_hold_what_depends_on_their_variables() -> None:
    db, terms, stream = Database(), TermTable(), Stream(3)
    closed = constant(db, terms, "x")
    variable = db.add_term(terms.variable("v", INT), None, pooled=False)
    assert db.size(INT) == 1
    db.open_scope([variable])
    inside = db.add_term(terms.apply("OP_INT_NEG", (variable.term,), (), INT), None)
    outside = db.add_term(terms.apply("OP_INT_NEG", (closed.term,), (), INT), None)
    assert (variable.level, inside.level, outside.level) == (1, 1, 0)
    assert db.roots() == [inside]
    assert {db.pick(INT, stream, 0.5, closed=True) for _ in range(50)} == {closed, outside}
    db.close_scope()
    assert {db.pick(INT, stream, 0.5) for _ in range(50)} == {closed, outside}
    assert db.size(INT) == 2 and inside.id in db.terms


def test_dropping() -> None:
    db, terms, stream = Database(), TermTable(), Stream(3)
    low, high = constant(db, terms, "x"), constant(db, terms, "y", pushed=2)
    db.drop_above(1)
    assert db.pick(INT, stream, 0.5) is low and high.id in db.terms
    db.drop(low)
    assert low.obj is None and low.id not in db.terms
    assert not db.has(INT) and db.by_kind["SORT_INT"] == []


@given(st.lists(st.tuples(st.sampled_from("auduc"), st.integers(0, 9)), max_size=60))
def test_counts_agree_with_pools(steps: list[tuple[str, int]]) -> None:
    db, terms, made = Database(), TermTable(), []
    for action, which in steps:
        entry = made[which % len(made)] if made else None
        if action == "a" or entry is None:
            made.append(constant(db, terms, f"x{len(made)}", pushed=which))
        elif action == "u" and entry.obj is not None:
            db.use(entry)
        elif action == "d":
            db.drop(entry)
        elif action == "c":
            db.drop_above(which)
        pool = db.scopes[0].pools.get(INT)
        assert db.size(INT) == (len(pool) if pool else 0)
        assert db.has(INT) is (INT in db.by_kind.get("SORT_INT", []))
        assert all(e.slot == at for at, e in enumerate(pool.fresh)) if pool else True
