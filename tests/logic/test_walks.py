"""The orders of the walks over terms, which decide random draws, and their depth."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from murxpy.logic.walks import bottom_up, occurrences, preorder, subterms

PARTS: dict[str, list[str]] = {"f": ["g", "a", "h"], "g": ["a", "b"], "h": ["g", "c"]}
DEEP = 100_000


def inner(name: str) -> list[str]:
    return PARTS.get(name, [])


def test_occurrences_come_last_first_and_as_often_as_they_occur() -> None:
    assert "".join(occurrences(["c", "f"], inner)) == "fhcgbaagbac"


def test_subterms_come_last_first_and_once() -> None:
    assert "".join(subterms(["c", "f"], inner)) == "fhcgba"


def test_subterms_skip_what_was_seen_and_note_the_rest() -> None:
    seen = {"g", "x"}
    assert "".join(subterms(["f"], inner, seen)) == "fhca"
    assert seen == set("fhcagx")


def test_preorder_takes_the_first_part_first() -> None:
    assert "".join(preorder(["f", "c"], inner)) == "fgabhc"


def test_bottom_up_yields_what_is_not_done_behind_its_parts() -> None:
    done: dict[str, None] = {"b": None}
    for name in bottom_up("f", done, inner):
        done[name] = None
    assert "".join(done) == "bcaghf"


@given(st.lists(st.lists(st.integers(0, 30), max_size=4), min_size=1, max_size=30))
def test_all_walks_visit_the_same_nodes(graph: list[list[int]]) -> None:
    below = [[part for part in parts if part < at] for at, parts in enumerate(graph)]
    root, done = len(graph) - 1, dict[int, None]()
    for node in bottom_up(root, done, below.__getitem__):
        assert all(part in done for part in below[node])
        done[node] = None
    visited = list(subterms([root], below.__getitem__))
    assert len(visited) == len(set(visited))
    assert set(visited) == set(done) == set(preorder([root], below.__getitem__))


def test_no_walk_recurses() -> None:
    def below(node: int) -> list[int]:
        return [node - 1] if node else []

    done: dict[int, None] = {}
    for node in bottom_up(DEEP, done, below):
        done[node] = None
    assert len(done) == DEEP + 1
    for walk in (occurrences, subterms, preorder):
        assert sum(1 for _ in walk([DEEP], below)) == DEEP + 1
