"""Constructors and selectors in the patterns of rules about datatypes.

A pattern names those of a sample datatype, such as `D` with `(k (s A))`. In a term, `D` stands for any
datatype, `k` for a constructor with as many fields, and `s` for the selector of the field at the same
position. Two names never stand for one constructor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.machine.random import Stream
from murxpy.mutation.implications.binding import Binding
from murxpy.smtlib.tables import Tables

DATATYPE = "SORT_DT"
_TYPINGS = ("constructor", "selector", "tester", "updater")

Unify = Callable[[Sort, Sort, Binding], bool]


class Constructors:
    """Matches and draws the constructors that the names in a pattern stand for. `unify` says whether
    a sort has the form of a pattern's sort.
    """

    def __init__(self, tables: Tables, unify: Unify) -> None:
        self._tables = tables
        self._unify = unify

    def match(self, pattern: Term, term: Term, known: Binding) -> bool:
        """Whether the indices of a term are those of a pattern with the same operator."""
        if not named(self._tables.catalogue, pattern):
            return pattern.indices == term.indices
        one, other = _datatype(pattern), _datatype(term)
        return (
            self._unify(one, other, known)
            and self._bind(one, other, str(pattern.indices[0]), str(term.indices[0]), known)
            and self.indices(pattern, known) == term.indices
        )

    def _bind(self, one: Sort, other: Sort, name: str, wanted: str, known: Binding) -> bool:
        """Let a name of a sample datatype stand for the constructor `wanted` of another one."""
        key = (one.datatype.name, name)
        if key in known.constructors:
            return known.constructors[key].name == wanted
        sample, found = one.datatype.constructor(name), other.datatype.constructor(wanted)
        if sample is None or found is None or len(sample.fields) != len(found.fields):
            return False
        taken = [c for (datatype, _), c in known.constructors.items() if datatype == key[0]]
        if found in taken:
            return False
        known.constructors[key] = found
        fields = self._tables.sorts.field_sorts(other, found)
        pairs = zip(sample.fields, fields, strict=True)
        return all(self._unify(sort, field, known) for (_, sort), field in pairs)

    def indices(self, pattern: Term, known: Binding) -> tuple[Any, ...]:
        """The indices of the term that a pattern stands for. Raises KeyError for a name that stands
        for nothing yet.
        """
        if not named(self._tables.catalogue, pattern):
            return pattern.indices
        datatype = _datatype(pattern).datatype
        name, *selectors = map(str, pattern.indices)
        found, sample = known.constructors[datatype.name, name], datatype.constructor(name)
        assert sample is not None, f"the sample has no constructor {name}"
        places = [[field for field, _ in sample.fields].index(one) for one in selectors]
        return (found.name, *[found.fields[place][0] for place in places])

    def draw(self, root: Term, known: Binding, stream: Stream, sorts: list[Sort]) -> bool:
        """Draw constructors for the names in a pattern that stand for nothing yet, of datatypes among
        `sorts` if the datatype stands for nothing. False if there is none.
        """
        for pattern in _open(self._tables.catalogue, root, known):
            sample = _datatype(pattern)
            bound = known.sorts.get(sample.datatype.name)
            among = [bound] if bound else [sort for sort in sorts if sort.kind == DATATYPE]
            tried = []
            for sort in among:
                for constructor in sort.datatype.constructors:
                    copy = known.copy()
                    name = str(pattern.indices[0])
                    if self._unify(sample, sort, copy) and self._bind(
                        sample, sort, name, constructor.name, copy
                    ):
                        tried.append(copy)
            if not tried:
                return False
            known.take(stream.choose(tried))
        return True


def named(catalogue: Catalogue, term: Term) -> bool:
    """Whether the indices of a term name a constructor."""
    operator = catalogue.operators.get(term.op)
    return operator is not None and operator.typing in _TYPINGS


def _datatype(term: Term) -> Sort:
    """The datatype whose constructor a term names."""
    return term.sort if term.op == "OP_DT_APPLY_CONS" else term.args[0].sort


def _open(catalogue: Catalogue, root: Term, known: Binding) -> Iterator[Term]:
    """The parts of a pattern whose names stand for nothing yet, when they are asked for."""
    stack, seen = [root], dict[Term, None]()
    while stack:
        one = stack.pop()
        if one in seen:
            continue
        seen[one] = None
        if (
            named(catalogue, one)
            and (_datatype(one).datatype.name, str(one.indices[0])) not in known.constructors
        ):
            yield one
        stack.extend(reversed(one.args))
