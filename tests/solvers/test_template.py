"""Templates of spellings: placeholders, arity, the text that a reproducer prints."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from murxpy.errors import InputError
from murxpy.solvers.spelling import parse_template


@pytest.mark.parametrize(
    ("text", "source", "arity"),
    [
        ("{0} + {1}", "a[0] + a[1]", 2),
        ("f({*})", "f(*a)", None),
        ("{0}({1*})", "a[0](*a[1:])", None),
        ("g({-1})", "g(a[-1])", None),
        ("{n0} + {1}", "k.number(0) + a[1]", 2),
        ("e({i0}, {i1}, {0})", "e(i[0], i[1], a[0])", 1),
        ("v({v:bin}, {p0}, {ctx})", "v(k.form('bin'), k.result.params[0], k.ctx)", 0),
        (
            "c({sort.0}, {sort0.1}, {1.p0})",
            "c(k.sort_param(0), k.arg_sort_param(0, 1), k.terms[1].sort.params[0])",
            2,
        ),
        ("q([{vars}], {body})", "q([*k.variables(a)], a[k.bound])", None),
        ("{{{name}: 1}}", "{k.name: 1}", 0),
        ("f({i*}, {i1*})", "f(*i, *i[1:])", 0),
    ],
)
def test_source_and_arity(text: str, source: str, arity: int | None) -> None:
    template = parse_template(text, "w")
    assert (template.source, template.arity) == (source, arity)


@pytest.mark.parametrize("text", ["{nothing}", "{0", "0}", "{}", "{v:BIN}", "{sort.x}", "{n}"])
def test_bad_placeholders_say_where(text: str) -> None:
    with pytest.raises(InputError, match=r"^wrappers/x\.yaml: OP_X"):
        parse_template(text, "wrappers/x.yaml: OP_X")


def test_fill_names_what_the_source_runs() -> None:
    template = parse_template("f({0}, {{1: {1}}})", "w")
    assert template.fill(lambda placeholder: f"t{placeholder}") == "f(t0, {1: t1})"


@given(st.lists(st.sampled_from(["{0}", "{1}", "{{", "}}", "x", "+", "{ctx}", " "]), max_size=12))
def test_text_between_placeholders_is_kept(parts: list[str]) -> None:
    template = parse_template("".join(parts), "w")
    expected = "".join(
        "P" if part in ("{0}", "{1}", "{ctx}") else part[0] if part in ("{{", "}}") else part
        for part in parts
    )
    assert template.fill(lambda placeholder: "P") == expected
