"""The registry of meanings: one function an operator kind, entered by a decorator.

A meaning is a function that takes a `Site` and the values of the arguments, and returns the value
of the application:

    @meaning("OP_INT_ABS")
    def absolute(site: Site, value: int) -> int:
        return abs(value)

The site has `kind` and `indices` of the application, the `sort` of its result, and the `sorts` of
its arguments. The evaluator handles further arguments as the signature says: the meaning of an
operator that is `:left-assoc`, `:right-assoc`, `:chainable` or `:pairwise` takes two arguments,
unless it is entered with `whole=True`. The meaning of an `:nary` operator takes all of them.

- `@prepared(...)` enters a function that takes the site alone and returns the function of the
  values. What depends on sorts and indices is computed once (`bitvectors.py`).
- A meaning that cannot compute the value raises `CannotSay`. With `lazy=True` it also gets
  arguments that are `Unknown`, and may return a value in spite of them, as `or` does if another
  disjunct is true. If it returns such an argument, its own value is that of the argument.
- `@in_doubt(...)` enters a function that is called if an argument is `Unknown`. So `=` is true of
  two Unknowns with the same `name`.
- A meaning that applies functions is a generator, or returns one: `value = yield from apply(points,
  sort, function, (x, y))`. See `equality`, which compares values.
- Where the standard leaves a point open, the meaning returns `site.open(args, allowed)`. `allowed`
  is the tuple of allowed values, or None for any value of the sort. The model's `partial` may fix
  the value; its points are the tuples of all arguments. Otherwise the evaluator tries each value.
  The decorator describes the point in words: `open="divisor 0: any integer"`.

    @meaning("OP_FP_MIN", open="zeros of opposite signs: either zero")
    def minimum(site, left, right):
        if both_zero_and_different(left, right):
            return site.open((left, right), (left, right))

`@literal(SORT_KIND)` enters a function that makes a value of what a literal holds, if these differ.
`@special(SORT_KIND)` enters one that makes a value of a special value's name.
`@cardinality(SORT_KIND)` enters how many values a sort has, and `@enumeration(SORT_KIND)` lists
them (`domains.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.semantics.values import CannotSay, Interpretation, Value


@dataclass(frozen=True, slots=True, eq=False)
class Unknown:
    """Stands for a value that is not known, and says why. If the value depends on an open point,
    `key` and `allowed` are those of the point.

    `name`: two Unknowns of an evaluator with the same name stand for the same value, whatever it is,
    because they are applications of the same operator to the same arguments. The value is None if
    nothing is known of it.
    """

    reason: str
    key: tuple[Any, ...] | None = None
    allowed: tuple[Value, ...] = ()
    name: int | None = None

    def nameless(self) -> Unknown:
        """Return an Unknown with the same reason for another term, whose value may be different."""
        return self if self.name is None else Unknown(self.reason, self.key, self.allowed)


class OpenPoint(CannotSay):
    """The value depends on a point that the standard leaves open. `unknown` says which point it is
    and which values are allowed.
    """

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown.reason)
        self.unknown = unknown


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A generator yields this to ask for the value of a term. `values` are those of its free
    variables.
    """

    term: Term
    values: dict[Term, Value]


Asking = Generator[Body, Any, Any]
Fits = Callable[[Value], bool]


class Points(Protocol):
    """Decides open points and knows the model. The evaluator does that."""

    interpretation: Interpretation

    def choose(
        self,
        key: tuple[Any, ...],
        sort: Sort,
        allowed: tuple[Value, ...] | None,
        fits: Fits | None = None,
    ) -> Value:
        """Return the value of an open point. Raises CannotSay."""

    def domain(self, sort: Sort) -> tuple[Value, ...] | None:
        """Return all values of a sort in a fixed order, or None if there are more than the bound or
        they are not known.
        """

    def size(self, sort: Sort) -> int | None:
        """Return how many values a sort has, or None if there are infinitely many or the number is
        not known.
        """


class Site:
    """The place at which the value of an application is asked for: its operator, indices and sorts,
    and the object that decides open points.
    """

    __slots__ = ("indices", "kind", "points", "sort", "sorts")

    def __init__(
        self,
        kind: str,
        indices: tuple[Any, ...],
        sort: Sort,
        sorts: tuple[Sort, ...],
        points: Points,
    ) -> None:
        self.kind = kind
        self.indices = indices
        self.sort = sort
        self.sorts = sorts
        self.points = points

    def open(
        self,
        args: tuple[Value, ...],
        allowed: tuple[Value, ...] | None = None,
        fits: Fits | None = None,
    ) -> Value:
        """Return the value at an open point: the model's value, or else each of `allowed` in turn.
        None allows any value of the sort that `fits`.

        Raises CannotSay if there are too many.
        """
        partial = self.points.interpretation.partial
        if partial:
            table = partial.get(partial_key(self.kind, self.indices, self.sorts)) or partial.get(
                self.kind
            )
            if table is not None:
                with suppress(LookupError):  # a model may fix only some of the points
                    return table.at(args)
        return self.points.choose(
            (self.kind, self.indices, self.sorts, args), self.sort, allowed, fits
        )


def partial_key(kind: str, indices: tuple[Any, ...], sorts: tuple[Sort, ...]) -> str:
    """Return the name under which a model may fix the open points of an instance of an operator,
    such as `OP_FP_TO_UBV 8 (RM,FP(3,5))`.
    """
    return " ".join([kind, *map(str, indices), f"({','.join(map(str, sorts))})"])


@dataclass(frozen=True, slots=True)
class Meaning:
    """A registered meaning. `prepare` returns for a site the function that computes values; the
    other fields say how the evaluator calls it.
    """

    kind: str
    prepare: Callable[[Site], Callable[..., Any]]
    whole: bool
    lazy: bool
    open: str


@dataclass(frozen=True, slots=True)
class Scope:
    """The arguments of a binder's meaning: its variables, the terms behind them, and the values of
    the variables outside.
    """

    term: Term
    variables: tuple[Term, ...]
    rest: tuple[Term, ...]
    values: dict[Term, Value]


BinderMeaning = Callable[[Site, Scope], Any]

MEANINGS: dict[str, Meaning] = {}
BINDERS: dict[str, BinderMeaning] = {}
IN_DOUBT: dict[str, Callable[..., Any]] = {}
LITERALS: dict[str, Callable[[Sort, Any], Value]] = {}
SPECIALS: dict[str, Callable[[Sort, str, Points], Value]] = {}
CARDINALITIES: dict[str, Callable[[Sort, Points], int | None]] = {}
ENUMERATIONS: dict[str, Callable[[Sort, Points], tuple[Value, ...] | None]] = {}

Function = Callable[..., Any]


def _enter(
    kinds: tuple[str, ...], prepare: Callable[[Site], Function], whole: bool, lazy: bool, open_: str
) -> None:
    for kind in kinds:
        if kind in MEANINGS or kind in BINDERS:
            raise ValueError(f"{kind} has two meanings")
        MEANINGS[kind] = Meaning(kind, prepare, whole, lazy, open_)


def meaning(
    *kinds: str, whole: bool = False, lazy: bool = False, open: str = ""
) -> Callable[[Function], Function]:
    """Enter a function of (site, *values) as the meaning of operators. `open` says in words which
    points are open.
    """

    def enter(function: Function) -> Function:
        def prepare(site: Site) -> Function:
            return lambda *values: function(site, *values)

        _enter(kinds, prepare, whole, lazy, open)
        return function

    return enter


def prepared(*kinds: str, whole: bool = False, open: str = "") -> Callable[[Function], Function]:
    """Enter a function that returns for a site the function that computes values."""

    def enter(prepare: Function) -> Function:
        _enter(kinds, prepare, whole, False, open)
        return prepare

    return enter


def in_doubt(*kinds: str) -> Callable[[Function], Function]:
    """Enter a function that is called if an argument is Unknown. The call returns the value if it is
    known all the same, else None.
    """

    def enter(function: Function) -> Function:
        IN_DOUBT.update(dict.fromkeys(kinds, function))
        return function

    return enter


def binder(*kinds: str) -> Callable[[BinderMeaning], BinderMeaning]:
    """Enter the meaning of a binder: a function or generator that takes the site and a `Scope`."""

    def enter(function: BinderMeaning) -> BinderMeaning:
        for kind in kinds:
            BINDERS[kind] = function
        return function

    return enter


def _by_sort(table: dict[str, Any]) -> Callable[..., Callable[[Function], Function]]:
    def decorator(*kinds: str) -> Callable[[Function], Function]:
        def enter(function: Function) -> Function:
            table.update(dict.fromkeys(kinds, function))
            return function

        return enter

    return decorator


literal = _by_sort(LITERALS)
special = _by_sort(SPECIALS)
cardinality = _by_sort(CARDINALITIES)
enumeration = _by_sort(ENUMERATIONS)


# ----------------------------------------------------------------------
# Questions whose answers may need the values of other terms. Each is a generator, as in
# `registry.Asking`.


def every(tests: Iterable[Asking]) -> Asking:
    """Return whether all tests hold. If one fails, the answer is False, even if another test cannot
    be answered. Raises CannotSay if no test fails and one cannot be answered.
    """
    unsaid: CannotSay | None = None
    for test in tests:
        try:
            if not (yield from test):
                return False
        except CannotSay as reason:
            unsaid = graver(unsaid, reason)
    if unsaid is not None:
        raise unsaid
    return True


def graver(one: CannotSay | None, other: CannotSay) -> CannotSay:
    """Return the reason that helps more: an open point, because its values can be tried one by one."""
    return one if isinstance(one, OpenPoint) and one.unknown.key is not None else other


def settled(task: Asking) -> Any:
    """Return the result of a comparison that needs no further term, as is the case among values of a
    solver's model. Raises CannotSay if the comparison needs a further term.
    """
    try:
        task.send(None)
    except StopIteration as end:
        return end.value
    raise CannotSay("two functions cannot be compared without evaluating them")


def given(value: Value) -> Asking:
    """A question whose answer is known."""
    yield from ()
    return value
