"""The class that writes all tables."""

from __future__ import annotations

import io

import pytest
from rich.text import Text

from murxpy.cli.report.console import make_console
from murxpy.cli.report.tables import COUNT, MEAN, NUMBER, RATIO, Table, kinds


def table(**wishes: bool) -> Table:
    """A table with columns of each kind."""
    columns = {**kinds(["name"], ["runs"]), "new": COUNT, "times": RATIO, "weight": MEAN}
    made = Table(columns, **wishes)
    made.add("all", 1234, 0, None, "-", style="bold")
    made.add("a\x1b\nb", Text("5", "red"), 2, 1.25, 3.0)
    made.add("(more)")
    return made


LINES = [
    "name             runs  new  times  weight",
    "all             1,234    -              -",
    "a\\u001b\\u000ab      5    2    1.2    3.00",
    "(more)",
]


def test_lines_are_aligned_by_kind() -> None:
    assert [line.plain for line in table().lines()] == LINES
    assert table().lines(1)[0].plain == "name            runs new times weight"


@pytest.mark.parametrize("width", [20, 200])
def test_a_pipe_gets_whole_lines(width: int) -> None:
    stream = io.StringIO()
    table().print(make_console(stream, width=width))
    assert stream.getvalue().splitlines() == LINES


@pytest.mark.parametrize(("whole", "folded"), [(False, True), (True, False)])
def test_a_terminal_folds_what_is_not_whole(
    monkeypatch: pytest.MonkeyPatch, whole: bool, folded: bool
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    made = Table(kinds(["words"], ["n"]), [["some words " * 5, 1]], whole=whole)
    made.print(make_console(stream, width=30))
    assert (len(stream.getvalue().splitlines()) > 2) == folded


def test_commas_stand_between_bare_values() -> None:
    made = Table({**kinds(["name"]), "n": NUMBER}, [["a,\n", 1234], ["=1", None]])
    assert made.to_csv() == 'name,n\n"a,\\u000a",1234\n=1,\n'
