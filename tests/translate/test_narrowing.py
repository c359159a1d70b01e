"""Helpers of a program lose what its calls cannot reach, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from murxpy.translate.programs.narrowing import narrowed

HELPERS = '''from typing import Any
_NAMES = {"a": "first"}


def used(value: int) -> int:
    return value + 1


def unused(value: int) -> int:
    return value - 1


def chosen(
    how: str, value: int = 1, *more: Any
) -> int:
    """Chooses."""
    total: int = value
    if how == "less":
        return unused(total)
    if how in ("more", "most") and value:
        total = used(total)
    elif how == "none":
        total = 0
    else:
        total = 7
    return inner(how, total) if how != "most" else total


def inner(how: str, value: int) -> int:
    def deeper() -> int:
        if value and how != "less":
            return used(value)
        elif value:
            return unused(value)
        return 3

    return deeper()
'''


def value(source: str, call: str) -> Any:
    names: dict[str, Any] = {}
    exec(source, names)
    return eval(call, names)


@pytest.mark.parametrize("how", ["less", "more", "most", "none", "else"])
@pytest.mark.parametrize("rest", ["", ", 0", ", 5, 6"])
def test_a_call_gives_what_it_gave(how: str, rest: str) -> None:
    call = f"chosen({how!r}{rest})"
    source = narrowed(HELPERS, ["chosen"], f"got = {call}")
    assert value(source, call) == value(HELPERS, call)
    assert len(source.splitlines()) < len(HELPERS.splitlines())


def test_what_a_call_cannot_reach_is_left_out() -> None:
    source = narrowed(HELPERS, ["chosen"], "got = chosen('more', 2)")
    assert "unused" not in source and "elif" not in source and "Any" not in source
    assert "_NAMES" not in source
    assert (
        source
        == '''def used(value):
    return value + 1


def chosen(how, value=1, *more):
    """Chooses."""
    total = value
    total = used(total)
    return inner(how, total)


def inner(how, value):
    def deeper():
        if value:
            return used(value)
        return 3

    return deeper()'''
    )


@pytest.mark.parametrize(
    "calls",
    [
        "got = chosen('more'), chosen('less')",  # two values
        "got = chosen(*['more'])",
        "got = chosen(**{'how': 'more'})",
        "how = 'more'\ngot = chosen(how)",
        "got = list(map(chosen, ['more']))",
    ],
)
def test_all_stays_where_a_parameter_has_no_known_value(calls: str) -> None:
    source = narrowed(HELPERS, ["chosen"], calls)
    for text in ("unused(total)", 'how == "less"', 'how == "none"'):
        assert text in source


def test_a_parameter_that_changes_is_not_known() -> None:
    source = "def f(how):\n    how = how + 1\n    if how == 1:\n        return 2\n    return 3"
    assert narrowed(source, ["f"], "f(1)") == source
    assert narrowed("", [], "f(1)") == ""


def test_fields_of_a_class_keep_their_annotations() -> None:
    source = "class A:\n    one: int\n    two: int = 3"
    assert narrowed(source, ["A"], "A(1)") == source
