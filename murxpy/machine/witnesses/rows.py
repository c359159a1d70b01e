"""The rows that a wrapper's reader gives for a model, and how values are found in them.

A row is a tuple of a tag and its parts. A number in the place of a row is the position of that row
in the list. `docs/oracles.md` lists the tags.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from murxpy.logic.sorts import Sort, SortTable
from murxpy.machine.witnesses.functions import Fresh, equal, tabulated
from murxpy.semantics.closures import Built
from murxpy.semantics.domains import canonical
from murxpy.semantics.plain import plain
from murxpy.semantics.registry import Points
from murxpy.semantics.values import CannotSay, FunctionValue, Value

DEPTH = 100  # the depth of values in values

Row = tuple[Any, ...]
Env = tuple[tuple[Sort | None, Any], ...]  # sorts and values of bound variables, the innermost last


# The tags of literals, with the parameters of their sort.
LITERALS: dict[str, Callable[[Row], tuple[Any, ...]]] = {
    "bool": lambda row: (),
    "bv": lambda row: (row[1],),
    "int": lambda row: (),
    "real": lambda row: (),
    "fp": lambda row: (row[1], row[2]),
    "rm": lambda row: (),
    "string": lambda row: (),
    "ff": lambda row: (row[1],),
}


class Unreadable(Exception):
    """The binding gave something that is no value of the sort; the message describes it."""


class Rows:
    """The rows of a reader, and their values. `points` knows the sizes and domains of sorts.

    `Values` in `reading.py` is the class with a function for each tag.
    """

    readers: ClassVar[Mapping[str, Callable[[Any, Row, Sort | None, Env], Value]]] = {}

    def __init__(self, rows: Sequence[Row], sorts: SortTable, points: Points) -> None:
        self.rows = rows
        self.sorts = sorts
        self.points = points
        self._known: dict[tuple[int, Sort | None], Value] = {}
        self._open: list[bool] = []
        self._depth = 0

    def value(self, at: int, sort: Sort | None, env: Env = ()) -> Value:
        """The value of row `at` as a value of `sort`; if `sort` is None, of any sort. Raises
        Unreadable if it is no such value, and CannotSay if it cannot be known.
        """
        if env:
            return self._read(at, sort, env)
        key = (at, sort)
        if key not in self._known:
            self._known[key] = self._read(at, sort, env)
        return self._known[key]

    def function(
        self, at: int, domain: tuple[Sort, ...], codomain: Sort | None
    ) -> FunctionValue | Built:
        """The function of row `at`. Raises CannotSay if the model does not fix it."""
        row = self.rows[at]
        if row[0] == "lambda" and row[1] == len(domain):
            return tabulated(
                self,
                lambda *args: self.value(row[2], codomain, bound(domain, args)),
                domain,
                [(row[2], -1)],
                [],
            )
        if row[0] != "function" or row[1] != len(domain):
            raise CannotSay(f"a function given as '{row[0]}'")
        _, _, entries, default = row
        if (
            default is not None
            and not self.is_open(default)
            and all(plain(s, self.points) for s in domain)
        ):
            points = [
                (tuple(map(self.value, e, domain)), self.value(v, codomain))
                for e, v in reversed(entries)
            ]
            return canonical(
                FunctionValue(self.value(default, codomain), points), domain, self.points
            )
        named = [[self.value(e[k], s) for e, _ in entries] for k, s in enumerate(domain)]
        bodies = [] if default is None else [(default, 1)]
        return tabulated(
            self, lambda *args: self.apply(at, args, codomain, domain), domain, bodies, named
        )

    def apply(
        self, at: int, args: Sequence[Any], sort: Sort | None, domain: Sequence[Sort | None] = ()
    ) -> Value:
        """The value of a function at arguments; `domain` has the sorts of the arguments, if they
        are known. Raises CannotSay if the model does not fix it.
        """
        row, domain = self.rows[at], domain or [None] * len(args)
        if row[0] != "function":
            raise CannotSay("a function that the model does not fix")
        for entry, result in row[2]:
            if all(
                self._same(self.value(e, s), a, s)
                for e, a, s in zip(entry, args, domain, strict=True)
            ):
                return self.value(result, sort)
        if row[3] is None:
            raise CannotSay("a point at which the model does not fix a function")
        # variable 0 is the first argument
        return self.value(row[3], sort, bound(domain, args)[::-1])

    def _same(self, value: Value, other: Any, sort: Sort | None) -> bool:
        """True if an argument is a value that a function names. Raises Unnamed for an argument that
        stands for all unnamed ones, and CannotSay.
        """
        return (
            not other.differs(value)
            if isinstance(other, Fresh)
            else equal(self.points, sort, value, other)
        )

    def is_open(self, at: int) -> bool:
        """True if a variable may occur in row `at`."""
        for row in self.rows[len(self._open) : at + 1]:
            inner = (
                [p for p in row[1:] if type(p) is int and p < len(self._open)]
                if row[0] not in LITERALS
                else []
            )
            self._open.append(row[0] == "var" or any(self._open[p] for p in inner))
        return self._open[at]

    def _read(self, at: int, sort: Sort | None, env: Env) -> Value:
        row = self.rows[at]
        reader = self.readers.get(row[0])
        if reader is None:
            raise CannotSay(f"a value with '{row[1] if row[0] == 'unknown' else row[0]}'")
        self._depth += 1
        try:
            if self._depth > DEPTH:
                raise CannotSay(f"a value nested deeper than {DEPTH}")
            return reader(self, row, sort, env)
        finally:
            self._depth -= 1


def bound(sorts: Sequence[Sort | None], values: Sequence[Any]) -> Env:
    """The environment that binds `values` of `sorts` to variables."""
    return tuple(zip(sorts, values, strict=True))


def expect(sort: Sort | None, kinds: Sequence[str], what: str) -> None:
    """Raise Unreadable unless `sort` is unknown or of one of these kinds."""
    if sort is not None and sort.kind not in kinds:
        raise Unreadable(f"{what} in place of a value of {sort}")
