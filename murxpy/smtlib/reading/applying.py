"""Finds out what an application in a script means: which of several operators with the same name is
applied. Where only that fits, integers become reals.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import gcd
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.catalogue import Operator
from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.terms import VALUE, Term
from murxpy.logic.typing import IndexOutOfRange
from murxpy.smtlib.reading.lambdas import as_array, as_function, as_set
from murxpy.smtlib.reading.sugar import sugared
from murxpy.smtlib.tables import Tables

Plan = tuple[str, tuple[Any, ...], Sort]  # operator kind, indices, sort of the result
_MOST_COERCED = 4

# Applied to one argument, each of these operators is that argument. Applied to none, it is the
# value that stands here.
_NEUTRAL = {
    "and": True,
    "or": False,
    "+": None,
    "*": None,
    "bvand": None,
    "bvor": None,
    "bvadd": None,
    "bvmul": None,
    "concat": None,
    "str.++": "",
    "re.++": None,
    "re.union": None,
    "re.inter": None,
    "seq.++": None,
    "xor": None,
}


class Applier:
    """Applies names to terms in the tables of one script."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.bare: Term | None = None  # what `seq.empty` without a sort is, if it occurs

    def plan(
        self,
        operators: tuple[Operator, ...],
        sorts: tuple[Sort, ...],
        indices: tuple[Any, ...],
        wanted: Sort | None,
    ) -> Plan | None:
        """Return what to build from the first operator that takes these arguments. Raises
        IndexOutOfRange if only an index is wrong.
        """
        outside = None
        for operator in operators:
            try:
                return (
                    operator.kind,
                    indices,
                    self.tables.checker.result(operator, sorts, indices, wanted),
                )
            except IndexOutOfRange as error:
                outside = error
            except IllSorted:
                continue
        if outside is not None:
            raise outside
        return None

    def apply(
        self,
        name: str,
        operators: tuple[Operator, ...],
        args: list[Term],
        indices: tuple[Any, ...],
        wanted: Sort | None,
    ) -> Term:
        """Return the application of a name of a theory, with its arguments converted where that is
        needed. Raises InputError.
        """
        single = self._single(name, args) if not indices else None
        if single is not None:
            return single
        for converted in self._conversions(args):
            plan = self.plan(operators, tuple([a.sort for a in converted]), indices, wanted)
            if plan is not None:
                return self.tables.terms.apply(plan[0], tuple(converted), plan[1], plan[2])
        with contextlib.suppress(IllSorted):
            meant = sugared(self.tables, name, args, indices)
            if meant is not None:
                return meant
        raise InputError(mismatch(name, operators, args, indices))

    def _single(self, name: str, args: list[Term]) -> Term | None:
        """Return an application of an associative operator to fewer arguments than the standard
        wants. Solvers take such applications.
        """
        if len(args) > 1 or name not in _NEUTRAL:
            return None
        if args:
            return args[0]
        neutral = _NEUTRAL[name]
        if isinstance(neutral, bool):
            return self.tables.true if neutral else self.tables.false
        return self.tables.value(self.tables.string, neutral) if neutral is not None else None

    def _conversions(self, args: list[Term]) -> Iterator[list[Term]]:
        """Yield the arguments as they are, then with integers as reals, then with lambdas as
        arrays.
        """
        yield args
        integers = [at for at, a in enumerate(args) if a.sort.kind == "SORT_INT"]
        if integers:
            yield self._reals(args, integers)
            if len(integers) <= _MOST_COERCED:
                for chosen in product((False, True), repeat=len(integers)):
                    yield self._reals(
                        args, [at for at, take in zip(integers, chosen, strict=True) if take]
                    )
        if any(a.op == "OP_LAMBDA" for a in args):
            yield [as_array(self.tables, a) for a in args]
        if self.bare is not None and self.bare in args:
            yield from (
                [self._empty(sort) if a is self.bare else a for a in args]
                for sort in _sequences(args)
            )
        if any(a.sort.kind == "SORT_SET" for a in args) and any(
            a.op in ("OP_LAMBDA", "OP_ARRAY_LAMBDA") for a in args
        ):
            yield [as_set(self.tables, a) or a for a in args]
        function = next((a.sort for a in args if a.sort.kind == "SORT_FUN"), None)
        if function is not None and any(a.op == "OP_ARRAY_LAMBDA" for a in args):
            yield [as_function(self.tables, a, function) or a for a in args]

    def empty(self) -> Term:
        """Return `seq.empty` for an occurrence without a sort. It has the sort of the term that it
        is compared with, else it is a sequence of Booleans, as in cvc5.
        """
        self.bare = self._empty(self.tables.sort("SORT_SEQ", self.tables.bool))
        return self.bare

    def _empty(self, sort: Sort) -> Term:
        return (
            self.tables.value(sort, "")
            if sort is self.tables.string
            else self.tables.special(sort, "seq.empty")
        )

    def _reals(self, args: list[Term], positions: list[int]) -> list[Term]:
        changed = list(args)
        for at in positions:
            changed[at] = self.as_real(changed[at])
        return changed

    def as_real(self, term: Term) -> Term:
        """Return an integer as a real: a literal of the same value, or an application of `to_real`."""
        if term.op == VALUE:
            return self.tables.value(self.tables.real, Fraction(term.indices[0]))
        return self.tables.apply("OP_INT_TO_REAL", term)

    def convert(self, term: Term, sort: Sort) -> Term | None:
        """Return a term of this sort with the same meaning, or None if there is none."""
        if term.sort is sort:
            return term
        if sort.kind == "SORT_REAL" and term.sort.kind == "SORT_INT":
            return self.as_real(term)
        if sort.kind == "SORT_ARRAY" and term.op == "OP_LAMBDA":
            array = as_array(self.tables, term)
            return array if array.sort is sort else None
        if term is self.bare and sort.kind in ("SORT_SEQ", "SORT_STRING"):
            return self._empty(sort)
        if sort.kind == "SORT_SET" and (found := as_set(self.tables, term)) is not None:
            return found if found.sort is sort else None
        if sort.kind == "SORT_FUN" and term.op == "OP_ARRAY_LAMBDA":
            return as_function(self.tables, term, sort)
        return None

    def need(self, term: Term, sort: Sort, what: str) -> Term:
        """Return a term of this sort with the same meaning. Raises InputError if there is none."""
        converted = self.convert(term, sort)
        if converted is None:
            raise InputError(f"expected {what} of sort {sort}, found one of {term.sort}")
        return converted


def _sequences(args: list[Term]) -> list[Sort]:
    """Return the sorts of those terms that are sequences or strings."""
    return list(dict.fromkeys(a.sort for a in args if a.sort.kind in ("SORT_SEQ", "SORT_STRING")))


def mismatch(
    name: str, operators: tuple[Operator, ...], args: list[Term], indices: tuple[Any, ...]
) -> str:
    """Return a message that says what an operator takes and what it was given."""
    ranks = " or ".join(dict.fromkeys(op.signature.text for op in operators)) or "other arguments"
    shown = ", ".join(str(a.sort) for a in args[:6]) + (", ..." if len(args) > 6 else "")
    head = f"(_ {name} {' '.join(map(str, indices))})" if indices else name
    return f"'{head}' takes {ranks}; found ({shown})"


# -- literals that are written as applications

Fold = Callable[[Tables, list[Term]], "Term | None"]


def _negative(tables: Tables, args: list[Term]) -> Term | None:
    if len(args) == 1 and args[0].op == VALUE and args[0].sort.kind in ("SORT_INT", "SORT_REAL"):
        value = args[0].indices[0]
        return tables.value(args[0].sort, -value) if value > 0 else None
    return None


def _quotient(tables: Tables, args: list[Term]) -> Term | None:
    """Return the rational number that a division of literals writes. Its numbers have no common
    factor, and the second one is above 1.
    """
    if len(args) != 2 or any(
        a.op != VALUE or a.sort.kind not in ("SORT_INT", "SORT_REAL") for a in args
    ):
        return None
    over, under = (Fraction(a.indices[0]) for a in args)
    if (
        over.denominator != 1
        or under.denominator != 1
        or under < 2
        or gcd(over.numerator, under.numerator) != 1
    ):
        return None
    return tables.value(tables.real, over / under)


def _float(tables: Tables, args: list[Term]) -> Term | None:
    if (
        len(args) != 3
        or any(a.op != VALUE or a.sort.kind != "SORT_BV" for a in args)
        or args[0].sort.width != 1
    ):
        return None
    exponent, fraction = args[1].sort.width, args[2].sort.width
    sign, power, significand = (int(a.indices[0]) for a in args)
    if exponent < 2 or fraction < 1:
        return None
    if power == (1 << exponent) - 1 and significand:
        # floating point has one NaN here, whatever bits the script writes
        sign, significand = 0, 1 << (fraction - 1)
    bits = (sign << exponent | power) << fraction | significand
    return tables.value(tables.sort("SORT_FP", exponent, fraction + 1), bits)


FOLDS: dict[tuple[str, int], Fold] = {("-", 1): _negative, ("/", 2): _quotient, ("fp", 3): _float}
