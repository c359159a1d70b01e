"""Which operands of a spelling can be broken, and the call that is left when one is."""

from __future__ import annotations

from typing import Any

import pytest

from murxpy.machine.contract.protocols import itself
from murxpy.machine.contract.values import broken, slots
from murxpy.solvers.spelling import parse_template


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f({0}, {i0}, {ctx})", ["0", "i0", "ctx"]),
        ("{solver}.add({0})", ["solver!", "0"]),
        ("{0} + {1}", ["0", "1"]),
        ("BitVecVal((1 << {p0}) - 1, {p0}, {ctx})", ["ctx"]),  # we compute 1 << p0, not the binding
        ("[{solver}.push() for _ in range({v})]", ["solver!"]),
        ("And({*})", ["*"]),
        ("fun([{*}][:-1], {-1})", ["-1"]),  # the last one is cut off
        ("Function({name}, [{sort.*}])", ["name", "sort.*"]),
        ("If({n0}, {1}, {2})", ["1", "2"]),
    ],
)
def test_slots_are_operands_of_the_binding(text: str, expected: list[str]) -> None:
    found = slots(parse_template(text, "test"))
    assert [slot.text + "!" * slot.receiver for slot in found] == expected


@pytest.mark.parametrize(
    ("text", "slot", "source"),
    [
        ("f({0}, {p0}, {p0})", "p0", "f(a[0], k.bad, k.bad)"),
        ("And({*}, {ctx})", "*", "And(*k.bad, k.ctx)"),
        ("{{{0}: {name}}}", "name", "{a[0]: k.bad}"),
    ],
)
def test_a_broken_template_has_the_bad_operand_in_its_place(
    text: str, slot: str, source: str
) -> None:
    assert broken(parse_template(text, "test"), slot).source == source


class Question:
    """Its comparisons are objects without a truth value of their own, as those of a probe are."""

    def __eq__(self, other: object) -> Any:
        return Question()

    __ne__ = __eq__

    def __hash__(self) -> int:
        return 7


class Unequal:
    """It is never equal to itself, and its comparisons have a truth value."""

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 7


def test_a_comparison_without_a_truth_value_says_nothing() -> None:
    assert itself(Question()) is None
    assert itself(Unequal()) == "a Unequal is not equal to itself"
