"""Tables of sorts and terms, and functions that make well-sorted terms in them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Constructor, Datatype, IllSorted, Sort, SortTable, reachable
from murxpy.logic.terms import CONSTANT, FUNCTION, SPECIAL, VALUE, VARIABLE, Term, TermTable
from murxpy.logic.typing import Checker
from murxpy.logic.walks import bottom_up


class Tables:
    """The hash-consed sorts and terms of one script, or of several scripts that are combined, and
    their type checker.

    Sorts and terms of the same `Tables` are equal if they are the same object; those of different
    `Tables` must not be mixed. Who combines two scripts reads both into the same tables:
    `read_script(text, name, catalogue, tables)`. While `suffix` is set, it is appended to the names
    of all constants, functions and sorts that are declared, so that the symbols of the second
    script are different. The sorts named in `shared` keep their names, so that both scripts have
    them in common.
    """

    def __init__(
        self, catalogue: Catalogue, sorts: SortTable | None = None, terms: TermTable | None = None
    ) -> None:
        self.catalogue = catalogue
        self.suffix = ""
        self.shared: frozenset[str] = frozenset()
        self.sorts = sorts or SortTable()
        self.terms = terms or TermTable()
        self.checker = Checker(catalogue, self.sorts)
        self.bool = self.sorts.get("SORT_BOOL")
        self.int = self.sorts.get("SORT_INT")
        self.real = self.sorts.get("SORT_REAL")
        self.string = self.sorts.get("SORT_STRING")
        self.true = self.terms.leaf(VALUE, (True,), self.bool)
        self.false = self.terms.leaf(VALUE, (False,), self.bool)

    def copy(self) -> Tables:
        """Return tables with the same sorts and terms. Terms that are made here later are not in
        the copy.
        """
        return Tables(self.catalogue, self.sorts.copy(), self.terms.copy())

    def sort(self, kind: str, *params: Sort | int | str) -> Sort:
        """Return the sort of this kind with these parameters: `sort("SORT_BV", 8)`."""
        return self.sorts.get(kind, *params)

    def apply(
        self, kind: str, *args: Term, indices: tuple[Any, ...] = (), wanted: Sort | None = None
    ) -> Term:
        """Return the operator `kind` of `fsm/theories` applied to terms: `apply("OP_BV_ADD", a,
        b)`. Raises IllSorted.

        `wanted` is the sort of the result if the arguments do not determine it (`:as` in the
        signature). OP_UF_APPLY applies a function, which is its first argument. A binder takes its
        variables first and then its body: `apply("OP_FORALL", x, y, body)`.
        """
        operator = self.catalogue.operators[kind]
        sort = self.checker.result(operator, tuple([a.sort for a in args]), indices, wanted)
        bound: tuple[Term, ...] = ()
        if operator.signature.binder:
            behind = 1 if operator.typing == "match-case" else len(operator.signature.args) - 1
            bound = args[: len(args) - behind]
        return self.terms.apply(kind, args, indices, sort, bound)

    def constant(self, name: str, sort: Sort) -> Term:
        """Return the constant of this name and sort. With a SORT_FUN it is a function."""
        return self.terms.leaf(CONSTANT, (name + self.suffix,), sort)

    def uninterpreted(self, name: str) -> Sort:
        """Return the uninterpreted sort of this name."""
        suffix = "" if name in self.shared else self.suffix
        return self.sorts.get("SORT_UNINTERPRETED", name + suffix)

    def variable(self, name: str, sort: Sort) -> Term:
        """Return a new variable, to be bound by a binder. The variable differs from all other
        variables.
        """
        return self.terms.variable(name, sort)

    def value(self, sort: Sort, value: Any) -> Term:
        """Return a literal. The value is one of `logic.values`: bool, int, Fraction (REAL), str,
        the bits (BV, FP), or 0..p-1 (FF).
        """
        if sort.kind == "SORT_REAL":
            value = Fraction(value)
        return self.terms.leaf(VALUE, (value,), sort)

    def special(self, sort: Sort, name: str) -> Term:
        """Return a special value of `fsm/theories`: `special(rm, "rm.rne")`. Raises InputError if
        the sort has none of this name.
        """
        if name not in self.catalogue.sorts[sort.kind].special:
            raise InputError(f"{sort} has no special value '{name}'")
        return self.terms.leaf(SPECIAL, (name,), sort)

    def conjunction(self, parts: list[Term]) -> Term:
        """Return the conjunction of formulas: `true` if there are none."""
        if not parts:
            return self.true
        return parts[0] if len(parts) == 1 else self.apply("OP_AND", *parts)


# ----------------------------------------------------------------------
# Replaces constants and variables by terms, everywhere in a term at once.


def binds(catalogue: Catalogue, term: Term) -> tuple[Term, ...]:
    """Return the variables that `term` binds."""
    operator = catalogue.operators.get(term.op)
    if operator is None or not operator.signature.binder:
        return ()
    behind = 1 if operator.typing == "match-case" else len(operator.signature.args) - 1
    return term.args[: len(term.args) - behind]


def substituted(tables: Tables, root: Term, new: Mapping[Term, Term]) -> Term:
    """Return `root` with each key of `new` replaced by its value, which has the same sort. Bound
    variables are not renamed, so a free variable of a value can become bound.
    """
    done: dict[Term, Term] = dict(new)
    for term in bottom_up(root, done):
        args = tuple(done[arg] for arg in term.args)
        same = all(old is arg for old, arg in zip(term.args, args, strict=True))
        done[term] = (
            term
            if same
            else tables.terms.apply(term.op, args, term.indices, term.sort, _bound(tables, term))
        )
    return done[root]


def _bound(tables: Tables, term: Term) -> tuple[Term, ...]:
    return term.args[:-1] if term.op == FUNCTION else binds(tables.catalogue, term)


# ----------------------------------------------------------------------
# Rebuilds terms with other sorts and names: bit-vectors of other widths, floating-point
# numbers of other formats, datatypes with fewer constructors and fields, constants and sorts
# with other names.


BV, FP, DT = "SORT_BV", "SORT_FP", "SORT_DT"

Format = tuple[int, int]
"""The bits of exponent and significand of floating-point numbers, the hidden one counted."""

Gone = tuple[Datatype, str, str]
"""What a datatype is to lose: a constructor by its name, or with a selector's name behind it the field of that."""


_CONS = "OP_DT_APPLY_CONS"


class Rebuilder:
    """Rebuilds terms in `tables`. The parameters say what changes; everything else stays.

    `width` gives the new width of each bit-vector, and `form` the new format of floating-point
    numbers. `gone` are the constructors and fields that datatypes lose. `names` are the new names
    of constants and variables, and `sorts` those of uninterpreted sorts.

    If an index only says how wide a result is, as in an extension or a conversion, it changes with
    the width. A literal loses its high bits, or the low bits of its significand. `term` raises
    IllSorted if no such term exists: for an extraction beyond the new width, for formats that do not
    fit together, and for a constructor or field that is gone.
    """

    def __init__(
        self,
        tables: Tables,
        width: Callable[[int], int] = lambda w: w,
        names: Mapping[Term, str] | None = None,
        sorts: Mapping[Sort, str] | None = None,
        form: Callable[[Format], Format] = lambda f: f,
        gone: Collection[Gone] = (),
    ) -> None:
        self._tables = tables
        self._width = width
        self._form = form
        self._gone = gone
        self._names = names or {}
        self._sort_names = sorts or {}
        self._datatypes: dict[Datatype, Datatype] = {}
        self._done: dict[Term, Term] = {}

    def sort(self, sort: Sort) -> Sort:
        """Return a sort with the new widths. The fields of datatypes keep theirs."""
        if sort.kind == BV:
            return self._tables.sort(BV, self._width(sort.width))
        if sort.kind == FP:
            return self._tables.sort(FP, *self._form((sort.number(0), sort.number(1))))
        if sort.kind == DT:
            return self._tables.sorts.get(
                DT, self.datatype(sort.datatype), *map(self.sort, sort.sorts())
            )
        if sort in self._sort_names:
            return self._tables.sort(sort.kind, self._sort_names[sort])
        if not sort.sorts():
            return sort
        return self._tables.sorts.get(
            sort.kind,
            *(self.sort(param) if isinstance(param, Sort) else param for param in sort.params),
        )

    def datatype(self, datatype: Datatype) -> Datatype:
        """Return the datatype without the constructors and fields that were removed, and with rebuilt
        datatypes in its fields. If nothing of that concerns it, that is the datatype itself.
        """
        if datatype in self._datatypes:
            return self._datatypes[datatype]
        if not any(other is inner for other, *_ in self._gone for inner in reachable(datatype)):
            return datatype
        made = self._datatypes[datatype] = Datatype(datatype.name, datatype.params)
        for constructor in datatype.constructors:
            if (datatype, constructor.name, "") not in self._gone:
                made.constructors.append(
                    Constructor(
                        constructor.name,
                        [
                            (name, self._field(sort))
                            for name, sort in constructor.fields
                            if (datatype, constructor.name, name) not in self._gone
                        ],
                    )
                )
        return made

    def _field(self, sort: Sort) -> Sort:
        if not sort.params or sort.kind in (BV, FP):
            return sort
        params = [
            self._field(p)
            if isinstance(p, Sort)
            else self.datatype(p)
            if isinstance(p, Datatype)
            else p
            for p in sort.params
        ]
        return self._tables.sorts.get(sort.kind, *params)

    def term(self, root: Term) -> Term:
        """Return the new term. Raises IllSorted."""
        done = self._done
        for term in bottom_up(root, done):
            done[term] = (
                self._leaf(term)
                if not term.args
                else self._applied(term, tuple([done[arg] for arg in term.args]))
            )
        return done[root]

    def _leaf(self, term: Term) -> Term:
        sort, name = self.sort(term.sort), self._names.get(term)
        if sort is term.sort and name is None:
            return term
        if term.op == CONSTANT:
            return self._tables.terms.leaf(CONSTANT, (name or term.indices[0],), sort)
        if term.op == VARIABLE:
            return self._tables.variable(name or str(term.indices[0]), sort)
        if term.op == VALUE and sort.kind == BV:
            return self._tables.value(sort, term.indices[0] & ((1 << sort.width) - 1))
        if term.op == VALUE and sort.kind == FP:
            return self._tables.value(sort, _number(term.indices[0], term.sort, sort))
        if term.op == SPECIAL:
            return self._tables.special(sort, str(term.indices[0]))
        if term.op == _CONS:
            return self._tables.apply(_CONS, indices=term.indices, wanted=sort)
        raise IllSorted(f"a {term.sort} is no {sort}")

    def _applied(self, term: Term, args: tuple[Term, ...]) -> Term:
        tables, wanted = self._tables, self.sort(term.sort)
        if (
            all(old is arg for old, arg in zip(term.args, args, strict=True))
            and wanted is term.sort
        ):
            return term
        if term.op == FUNCTION:
            return tables.terms.apply(term.op, args, term.indices, wanted, args[:-1])
        operator = tables.catalogue.operators.get(term.op)
        if operator is None or term.sort.kind == "SORT_CASE":
            if any(old.sort is not arg.sort for old, arg in zip(term.args, args, strict=True)):
                raise IllSorted(f"{term.op} cannot have another sort")
            return tables.terms.apply(
                term.op, args, term.indices, term.sort, args[: len(binds(tables.catalogue, term))]
            )
        if term.op == "OP_DT_MATCH" and args[0].sort is not term.args[0].sort:
            raise IllSorted("the cases of a match need the datatype as it is")
        if term.op == _CONS:
            datatype, name = term.sort.datatype, str(term.indices[0])
            fields = next(c.fields for c in datatype.constructors if c.name == name)
            args = tuple(
                [
                    arg
                    for arg, (field, _) in zip(args, fields, strict=True)
                    if (datatype, name, field) not in self._gone
                ]
            )
        indices = _indices(term, args, wanted)
        made = tables.apply(
            term.op, *args, indices=indices, wanted=wanted if operator.signature.as_sort else None
        )
        if made.sort is not wanted:
            raise IllSorted(f"{made.sort} is no {wanted}")
        return made


def _indices(term: Term, args: tuple[Term, ...], wanted: Sort) -> tuple[object, ...]:
    """Return the indices of an application whose arguments and result have new widths. Raises
    IllSorted if there are no such indices.
    """
    if wanted.kind == FP and term.op.startswith("OP_FP_TO_FP"):
        return wanted.params
    if wanted.kind != BV:
        return term.indices
    width = wanted.width
    if term.op in ("OP_BV_ZERO_EXTEND", "OP_BV_SIGN_EXTEND"):
        found: tuple[int, ...] = (width - args[0].sort.width,)
    elif term.op == "OP_BV_EXTRACT":
        low = min(int(term.indices[1]), args[0].sort.width - width)
        found = (low + width - 1, low)
    elif term.op in ("OP_INT_TO_BV", "OP_FP_TO_UBV", "OP_FP_TO_SBV"):
        found = (width,)
    else:
        return term.indices
    if min(found) < 0:
        raise IllSorted(f"no {term.op} of {args[0].sort} to {wanted}")
    return found


def _number(bits: int, old: Sort, new: Sort) -> int:
    """Return a number of the format `old` as a number of the format `new`. The significand of the
    number is cut off, and an exponent out of range becomes the nearest one in range.
    """
    (e, s), (exponents, significand) = (
        (old.number(0), old.number(1)),
        (new.number(0), new.number(1)),
    )
    sign, exponent, rest = bits >> e + s - 1, bits >> s - 1 & (1 << e) - 1, bits & (1 << s - 1) - 1
    most, bias = (1 << exponents) - 1, (1 << exponents - 1) - 1
    rest = rest >> s - significand if s >= significand else rest << significand - s
    if exponent == (1 << e) - 1:
        nan = bits & (1 << s - 1) - 1
        exponent, rest = most, 1 << significand - 2 if nan else 0
    elif exponent:
        exponent = min(max(exponent - ((1 << e - 1) - 1) + bias, 1), most - 1)
    return ((sign << exponents | exponent) << significand - 1) | rest
