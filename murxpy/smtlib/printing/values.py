"""Makes terms of values of the evaluator, so that the printer can print them in each dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murxpy.logic.sorts import Sort, SortTable
from murxpy.logic.terms import CONSTANT, SPECIAL, VALUE, Term, TermTable
from murxpy.logic.values import LITERAL_KINDS, is_literal
from murxpy.semantics.values import CannotSay


class ValueTerms:
    """Makes terms of values. An element of an uninterpreted sort becomes a constant `SORT@k`; who
    prints the term must declare that constant.
    """

    def __init__(self, terms: TermTable, sorts: SortTable) -> None:
        self._terms = terms
        self._sorts = sorts

    def term(self, value: Any, sort: Sort) -> Term:
        """Return a term whose value is `value`. Raises CannotSay for irrational numbers, for
        functions and for arrays that are no tables, also as a part of the value.
        """
        if sort.kind in LITERAL_KINDS:
            if not is_literal(sort, value):
                raise CannotSay(f"no literal of {sort} denotes {value!r:.60}")
            return self._terms.leaf(VALUE, (value,), sort)
        maker = _MAKERS.get(sort.kind)
        if maker is None:
            raise CannotSay(f"no term of a value of {sort}")
        return maker(self, value, sort)

    def _apply(self, op: str, args: list[Term], sort: Sort, *indices: str) -> Term:
        return self._terms.apply(op, tuple(args), indices, sort, ())

    def _special(self, name: str, sort: Sort) -> Term:
        return self._terms.leaf(SPECIAL, (name,), sort)

    def _mode(self, value: str, sort: Sort) -> Term:
        return self._special(f"rm.{value}".lower(), sort)

    def _element(self, value: Any, sort: Sort) -> Term:
        return self._terms.leaf(CONSTANT, (f"{sort.params[0]}{value.name}",), sort)

    def _datatype(self, value: Any, sort: Sort) -> Term:
        constructor = sort.datatype.constructor(value.constructor)
        fields = [] if constructor is None else self._sorts.field_sorts(sort, constructor)
        return self._apply(
            "OP_DT_APPLY_CONS", list(map(self.term, value.fields, fields)), sort, value.constructor
        )

    def _tuple(self, value: Any, sort: Sort) -> Term:
        return self._apply("OP_TUPLE", list(map(self.term, value.fields, sort.sorts())), sort)

    def _array(self, value: Any, sort: Sort) -> Term:
        if not hasattr(value, "default"):
            raise CannotSay("an array that is no table")
        index, element = sort.sorts()
        made = self._apply("OP_CONST_ARRAY", [self.term(value.default, element)], sort)
        for at, stored in value.items():
            made = self._apply(
                "OP_ARRAY_STORE", [made, self.term(at, index), self.term(stored, element)], sort
            )
        return made

    def _sequence(self, value: Any, sort: Sort) -> Term:
        units = [
            self._apply("OP_SEQ_UNIT", [self.term(part, sort.sort(0))], sort) for part in value
        ]
        if len(units) < 2:
            return units[0] if units else self._special("seq.empty", sort)
        return self._apply("OP_SEQ_CONCAT", units, sort)

    def _set(self, value: Any, sort: Sort) -> Term:
        if value.complement:
            raise CannotSay("a set of all but some")
        made = self._special("set.empty", sort)
        for member in sorted(value.members, key=repr):
            made = self._apply("OP_SET_INSERT", [self.term(member, sort.sort(0)), made], sort)
        return made

    def _nullable(self, value: Any, sort: Sort) -> Term:
        if not value.fields:
            return self._special("nullable.null", sort)
        return self._apply("OP_NULLABLE_SOME", [self.term(value.fields[0], sort.sort(0))], sort)

    def _finite_set(self, value: Any, sort: Sort) -> Term:
        single = [
            self._apply("OP_FINITE_SET_SINGLETON", [self.term(member, sort.sort(0))], sort)
            for member in sorted(value.members, key=repr)
        ]
        made = single[0] if single else self._special("finite-set.empty", sort)
        for one in single[1:]:
            made = self._apply("OP_FINITE_SET_UNION", [made, one], sort)
        return made

    def _bag(self, value: Any, sort: Sort) -> Term:
        made = self._special("bag.empty", sort)
        for part, count in sorted(value.counts, key=repr):
            number = self._terms.leaf(VALUE, (count,), self._sorts.get("SORT_INT"))
            single = self._apply("OP_BAG_MAKE", [self.term(part, sort.sort(0)), number], sort)
            made = self._apply("OP_BAG_UNION_DISJOINT", [made, single], sort)
        return made


_MAKERS: dict[str, Callable[[ValueTerms, Any, Sort], Term]] = {
    "SORT_RM": ValueTerms._mode,
    "SORT_UNINTERPRETED": ValueTerms._element,
    "SORT_DT": ValueTerms._datatype,
    "SORT_TUPLE": ValueTerms._tuple,
    "SORT_NULLABLE": ValueTerms._nullable,
    "SORT_ARRAY": ValueTerms._array,
    "SORT_SEQ": ValueTerms._sequence,
    "SORT_SET": ValueTerms._set,
    "SORT_FINITE_SET": ValueTerms._finite_set,
    "SORT_BAG": ValueTerms._bag,
}
