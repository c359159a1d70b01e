"""Orders of values, and operators that keep them: `monotone` of an operator in `fsm/theories`.

    int+ int- -> int

says that a greater first argument or a smaller second one gives a greater result or the same. `_`
stands for an argument of which nothing is said, and `*` for any order, the same one throughout.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from murxpy.errors import InputError, nearest

ANY_ORDER = "*"
_NOTHING = "_"


@dataclass(frozen=True, slots=True)
class Order:
    """An order of the values of a kind of sorts: `leq` says of `x` and `y` that `x` is at most `y`,
    for all values of the variables `for_all`, which it gives with their sorts. If no formula without
    them says it, `join` is the least value that is at least `x` and `y`.
    """

    name: str
    sort: str
    leq: str
    for_all: Mapping[str, str] = field(default_factory=dict)
    join: str = ""


@dataclass(frozen=True, slots=True)
class Monotone:
    """For each argument the order and 1 or -1, or None where nothing is said; and the order of the
    result.
    """

    args: tuple[tuple[str, int] | None, ...]
    result: str

    def at(self, attribute: str | None, count: int) -> Iterator[tuple[int, str, int]]:
        """The positions of the arguments that the result depends on in this way, each with its order
        and sign, if the operator with this attribute has `count` arguments.
        """
        for position in range(count):
            found = self._at(attribute, count, position)
            if found is not None:
                yield position, *found

    def _at(self, attribute: str | None, count: int, position: int) -> tuple[str, int] | None:
        if count <= len(self.args) or attribute is None:
            return self.args[position] if position < len(self.args) else None
        first, second = self.args[0], self.args[-1]
        if attribute == "nary":
            return self.args[min(position, len(self.args) - 1)]
        if attribute == "right-assoc":  # all but the last stand alone
            first, second, position = second, first, count - 1 - position
        if attribute in ("left-assoc", "right-assoc"):
            below, levels = (first, count - 1) if position == 0 else (second, count - 1 - position)
            if position == 0:
                levels -= 1
            if below is None or (levels and first is None):
                return None
            return below[0], below[1] * (first[1] ** levels if first and levels else 1)
        ends = {0: first, count - 1: second}  # chainable: those between stand on both sides
        return ends.get(position) if attribute == "chainable" else None


def order_of(name: str, entry: Mapping[str, Any]) -> Order:
    """The order that a theory's file describes by `entry`."""
    joined = str(entry.get("join") or "")
    return Order(name, entry["sort"], entry["leq"], dict(entry.get("for-all") or {}), joined)


def parse_monotone(text: str, known: Collection[str] | None = None) -> Monotone:
    """Read what an operator says of orders. Raises InputError for another text, and for an order that
    is not `known`.
    """
    args, arrow, result = text.partition("->")
    found: list[tuple[str, int] | None] = []
    for word in args.split():
        if word != _NOTHING and word[-1] not in "+-":
            raise InputError(f"expected {_NOTHING} or an order with + or -, found '{word}'")
        found.append(None if word == _NOTHING else (word[:-1], 1 if word[-1] == "+" else -1))
    made = Monotone(tuple(found), result.strip())
    if not arrow or not made.result or not found:
        raise InputError(
            f"expected what an operator keeps, such as 'int+ int- -> int', found '{text}'"
        )
    for name in (made.result, *(one[0] for one in found if one is not None)):
        if known is not None and name not in known:
            raise InputError(f"unknown order '{name}'{nearest(name, known)}")
    return made
