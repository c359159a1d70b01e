"""All applications of operators between the sorts of a universe: which arguments and indices give
which sort.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from murxpy.logic.catalogue import Operator
from murxpy.logic.signature import Binding, Index, Pattern
from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.terms import Term
from murxpy.smtlib.printing.forms import Unsayable
from murxpy.smtlib.printing.terms import Printer
from murxpy.smtlib.tables import Tables
from murxpy.trees.universe import Universe

_FEW = 16  # a range of so many indices is gone through whole
_LONGEST = 2  # arguments or indices of which there can be any number


@dataclass(frozen=True, slots=True)
class Application:
    """An operator applied to arguments of the sorts `args`, which gives the sort `result`. It binds
    variables of the sorts `bound`, or applies the function `head`.
    """

    operator: Operator
    args: tuple[Sort, ...]
    indices: tuple[Any, ...]
    result: Sort
    bound: tuple[Sort, ...] = ()
    head: Term | None = None

    def term(self, tables: Tables, variables: Sequence[Term], args: Sequence[Term]) -> Term:
        """The term that binds these variables and has these arguments."""
        head = () if self.head is None else (self.head,)
        wanted = self.result if self.operator.signature.as_sort else None
        kind = self.operator.kind
        return tables.apply(kind, *head, *variables, *args, indices=self.indices, wanted=wanted)


class Applications:
    """The applications of a universe that all of some dialects can say, by the sort that they give
    and by operator; none of the operators `without`. Raises InputError for a sort that one of the dialects does not have.
    """

    def __init__(
        self, universe: Universe, dialects: Sequence[str], without: Collection[str] = ()
    ) -> None:
        self._universe = universe
        catalogue = universe.tables.catalogue
        self._printers = [Printer(catalogue, dialect) for dialect in dict.fromkeys(dialects)]
        for printer in self._printers:
            for sort in universe.all_sorts:
                printer.sort(sort)
        self._numbers = _numbers_of(universe.all_sorts)
        self.giving: dict[Sort, dict[str, list[Application]]] = {}
        for operator in (one for one in universe.operators if one.kind not in without):
            for found in filter(self._sayable, self._of(operator)):
                by_operator = self.giving.setdefault(found.result, {})
                by_operator.setdefault(operator.kind, []).append(found)
        for by_operator in self.giving.values():
            for kind, applications in by_operator.items():
                by_operator[kind] = self._preferred(applications)

    def operators(self) -> list[str]:
        """The operators that have applications, in the order of the catalogue."""
        there = {kind for by_operator in self.giving.values() for kind in by_operator}
        return [op.kind for op in self._universe.operators if op.kind in there]

    def grows(self, sort: Sort) -> bool:
        """Whether a term of this sort can be an application of more than `ite`. Other sorts, such as
        that of rounding modes, have only leaves.
        """
        return any(kind != "OP_ITE" for kind in self.giving.get(sort, {}))

    def _sayable(self, application: Application) -> bool:
        """Whether all dialects have words for an application, whatever its arguments are."""
        tables = self._universe.tables
        variables = [tables.variable("v", sort) for sort in application.bound]
        args = [tables.variable("a", sort) for sort in application.args]
        term = application.term(tables, variables, args)
        try:
            for printer in self._printers:
                printer.term(term)
        except Unsayable:
            return False
        return True

    def _preferred(self, applications: list[Application]) -> list[Application]:
        """The applications on sorts with constants, where there are any."""
        plain = [
            one for one in applications if not any(s in self._universe.helpers for s in one.args)
        ]
        return plain or applications

    def _of(self, operator: Operator) -> Iterator[Application]:
        if operator.kind == "OP_UF_APPLY":
            for function in self._universe.functions:
                *domain, result = function.sort.sorts()
                yield Application(operator, tuple(domain), (), result, head=function)
        elif operator.typing is not None:
            yield from self._of_datatypes(operator)
        elif operator.signature.binder:
            yield from self._binding(operator)
        else:
            yield from self._plain(operator)

    def _binding(self, operator: Operator) -> Iterator[Application]:
        """Applications that bind one variable."""
        sorts, checker = self._universe.all_sorts, self._universe.tables.checker
        for sort in self._universe.constants:
            for args, _ in _arguments(operator.signature.args[1:], {}, sorts):
                try:
                    result = checker.result(operator, (sort, *args), ())
                except IllSorted:
                    continue
                if result in sorts:
                    yield Application(operator, args, (), result, bound=(sort,))

    def _of_datatypes(self, operator: Operator) -> Iterator[Application]:
        tables = self._universe.tables
        for sort in self._universe.sorts:
            for constructor in sort.datatype.constructors if sort.kind == "SORT_DT" else ():
                fields = tables.sorts.field_sorts(sort, constructor)
                names = [name for name, _ in constructor.fields]
                if operator.typing == "constructor":
                    yield Application(operator, tuple(fields), (constructor.name,), sort)
                elif operator.typing == "tester":
                    yield Application(operator, (sort,), (constructor.name,), tables.bool)
                for name, field in zip(names, fields, strict=True):
                    indices = (constructor.name, name)
                    if operator.typing == "selector":
                        yield Application(operator, (sort,), indices, field)
                    elif operator.typing == "updater":
                        yield Application(operator, (sort, field), indices, sort)

    def _plain(self, operator: Operator) -> Iterator[Application]:
        signature, sorts = operator.signature, self._universe.all_sorts
        determined = signature.as_sort or any(index.low is None for index in signature.indices)
        for wanted in sorts if determined else (None,):
            env: Binding = {}
            if wanted is not None and not signature.result.match(wanted, env):
                continue
            for args, bound in _arguments(signature.args, env, sorts):
                for indices in self._indices(signature.indices, bound, len(args)):
                    yield from self._checked(operator, args, indices, wanted)

    def _checked(
        self,
        operator: Operator,
        args: tuple[Sort, ...],
        indices: tuple[int, ...],
        wanted: Sort | None,
    ) -> Iterator[Application]:
        given = wanted if operator.signature.as_sort else None
        try:
            result = self._universe.tables.checker.result(operator, args, indices, given)
        except IllSorted:
            return
        if args and wanted in (None, result) and result in self._universe.all_sorts:
            yield Application(operator, args, indices, result)

    def _indices(
        self, specs: Sequence[Index], env: Binding, arity: int
    ) -> Iterator[tuple[int, ...]]:
        """The indices that are used: all of a small range, and of a larger one the numbers that
        occur in sorts, and those near them.
        """
        if not specs:
            yield ()
            return
        spec = specs[0]
        choices = self._choices(spec, env)
        counts = range(1, _LONGEST + 1) if spec.many else (arity if spec.each else 1,)
        for count in counts:
            for chosen in product(choices[:2] if spec.each else choices, repeat=count):
                inner = {**env, spec.name: chosen[0]}
                for rest in self._indices(specs[1:], inner, arity):
                    yield (*chosen, *rest)

    def _choices(self, spec: Index, env: Binding) -> Sequence[int]:
        known = env.get(spec.name)
        if isinstance(known, int):
            return (known,)
        low = 0 if spec.low is None else spec.low.value(env) or 0
        high = None if spec.high is None else spec.high.value(env)
        if high is not None and high - low < _FEW:
            return range(low, high + 1)
        return [n for n in self._numbers if low <= n and (high is None or n <= high)]


def _arguments(
    patterns: Sequence[Pattern], env: Binding, sorts: Sequence[Sort]
) -> Iterator[tuple[tuple[Sort, ...], Binding]]:
    """The sorts of arguments that fit patterns, with what they bind."""
    if not patterns:
        yield (), env
        return
    first = patterns[0]
    if first.star:
        for count in range(1, _LONGEST + 1):
            for chosen in product(sorts, repeat=count):
                for rest, bound in _arguments(patterns[1:], env, sorts):
                    yield (*chosen, *rest), bound
        return
    for sort in sorts:
        inner = dict(env)
        if first.match(sort, inner):
            for rest, bound in _arguments(patterns[1:], inner, sorts):
                yield (sort, *rest), bound


def _numbers_of(sorts: Sequence[Sort]) -> list[int]:
    """Small numbers, the numbers in sorts, and those near them, in order."""
    there = {n for sort in sorts for n in sort.params if isinstance(n, int)}
    differences = {abs(one - other) for one in there for other in there}
    near = {n + step for n in there | differences for step in (-1, 0, 1)}
    return sorted(n for n in {0, 1, 2, *near} if n >= 0)
