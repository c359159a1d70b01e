"""Functions that are arrays, and the operators of sets on arrays. In z3 a function that is a value
is an array, and a set is an array of Booleans.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import gcd
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.catalogue import Operator
from murxpy.logic.signature import Binding
from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.terms import SPECIAL, VALUE, Term
from murxpy.logic.typing import IndexOutOfRange
from murxpy.logic.walks import bottom_up, subterms
from murxpy.smtlib.building import Tables


def as_array(tables: Tables, term: Term) -> Term:
    """Return a lambda as an array, or an array of arrays if it has several variables. Other terms
    stay as they are.
    """
    if term.op != "OP_LAMBDA":
        return term
    body = as_array(tables, term.args[-1])
    for variable in reversed(term.args[:-1]):
        body = tables.apply("OP_ARRAY_LAMBDA", variable, body)
    return reduced(body)


def as_set(tables: Tables, term: Term) -> Term:
    """Return an array of Booleans, or a lambda whose body is Boolean, as the set of those indices at
    which it is true. z3 has sets as such arrays. The printer writes the set of all values of a term as
    a lambda whose body is an existential quantifier, which is read as that set again.
    """
    if term.op == "OP_CONST_ARRAY" and term.args[0] in (tables.true, tables.false):
        name = "set.universe" if term.args[0] is tables.true else "set.empty"
        return tables.special(tables.sort("SORT_SET", term.sort.sort(0)), name)
    if term.op not in _LAMBDAS:
        variable = tables.variable("x", term.sort.sort(0))
        body = tables.apply("OP_ARRAY_SELECT", term, variable)
        return tables.apply("OP_SET_COMPREHENSION", variable, body, variable)
    variable, body = term.args
    *bound, inner = body.args if body.op == "OP_EXISTS" else (body,)
    if bound and inner.op == "OP_AND" and len(inner.args) == 2:
        condition, equation = inner.args
        if equation.op == "OP_EQUAL" and len(equation.args) == 2 and equation.args[0] is variable:
            member = equation.args[1]
            if variable not in condition.free and variable not in member.free:
                return tables.apply("OP_SET_COMPREHENSION", *bound, condition, member)
    return tables.apply("OP_SET_COMPREHENSION", variable, body, variable)


def as_function(tables: Tables, term: Term, sort: Sort) -> Term | None:
    """Return an array that is made by a lambda as a function of this sort. Return None if the value
    is no such array. z3 has functions that are values as such arrays.
    """
    variables: list[Term] = []
    while term.op == "OP_ARRAY_LAMBDA" and len(variables) < len(sort.params) - 1:
        variables.append(term.args[0])
        term = term.args[1]
    if (*(v.sort for v in variables), term.sort) != sort.sorts():
        return None
    return tables.apply("OP_LAMBDA", *variables, term)


_LAMBDAS = ("OP_ARRAY_LAMBDA", "OP_LAMBDA")
# Those arguments of an operator that have the sort of the result. None stands for all arguments.
_SAME_SORT = {
    "OP_ITE": (1, 2),
    "OP_SEQ_CONCAT": None,
    "OP_SET_UNION": None,
    "OP_SET_INTERSECTION": None,
    "OP_SET_MINUS": None,
    "OP_SET_COMPLEMENT": None,
    "OP_SET_INSERT": (1,),
    "OP_SET_DELETE": (1,),
    "OP_ARRAY_STORE": (0,),
}
# Those arguments that have the sort of a parameter of the result's sort, each with this parameter.
_PARAMETERS = {
    "OP_SEQ_UNIT": {0: 0},
    "OP_SET_SINGLETON": {0: 0},
    "OP_SET_INSERT": {0: 0},
    "OP_SET_DELETE": {0: 0},
    "OP_ARRAY_STORE": {1: 0, 2: 1},
    "OP_CONST_ARRAY": {0: 1},
    "OP_ARRAY_LAMBDA": {1: 1},
}


def _same_sort(term: Term) -> Sequence[int]:
    same = _SAME_SORT.get(term.op, ())
    return range(len(term.args)) if same is None else same


def soft(term: Term) -> bool:
    """Return whether only lambdas decide the sort of the term. A script writes no sort for a lambda,
    which may be a function, an array or a set.
    """
    if not term.args:
        return False
    lambdas = [part for part in subterms([term], _spine) if not _spine(part)]
    return all(part.op in _LAMBDAS for part in lambdas)


def _spine(term: Term) -> list[Term]:
    inner = (0,) if term.op in ("OP_SEQ_UNIT", "OP_SET_SINGLETON") else _same_sort(term)
    return [term.args[at] for at in inner]


def fitted(tables: Tables, root: Term, sort: Sort) -> Term | None:
    """Return a term of this sort with the same meaning. Sets, arrays of Booleans and functions may
    stand for each other, also as elements. Return None if there is no such term.
    """
    done: dict[tuple[Term, Sort], Term | None] = {}

    def parts(wanted: tuple[Term, Sort]) -> list[tuple[Term, Sort]]:
        return [(wanted[0].args[at], inner) for at, inner in _changes(*wanted).items()]

    for wanted in bottom_up((root, sort), done, parts):
        term, target = wanted
        new = {at: done[term.args[at], inner] for at, inner in _changes(*wanted).items()}
        args = [new.get(at, arg) for at, arg in enumerate(term.args)]
        kept = [arg for arg in args if arg is not None]
        made = _rebuilt(tables, term, target, kept) if new and len(kept) == len(args) else None
        done[wanted] = term if term.sort is target else made or _turned(tables, term, target)
    return done[root, sort]


def _changes(term: Term, sort: Sort) -> dict[int, Sort]:
    """Return the positions of the arguments that need another sort so that the term has this sort,
    each with the sort.
    """
    becomes_set = (term.op, term.sort.kind, sort.kind) == (
        "OP_ARRAY_STORE",
        "SORT_ARRAY",
        "SORT_SET",
    )
    if term.sort is sort or not (term.op == "OP_ITE" or term.sort.kind == sort.kind or becomes_set):
        return {}
    changes = dict.fromkeys(_same_sort(term), sort)
    for at, parameter in _PARAMETERS.get(term.op, {}).items():
        if parameter < len(sort.params):
            changes[at] = sort.sort(parameter)
    return changes


def _rebuilt(tables: Tables, term: Term, sort: Sort, args: list[Term]) -> Term | None:
    """Return the operator of the term applied to other arguments. A store in an array that becomes a
    set is an insertion or a deletion.
    """
    made = (
        stored(tables, args, ())
        if term.op == "OP_ARRAY_STORE" and sort.kind == "SORT_SET"
        else tables.apply(
            term.op,
            *args,
            indices=term.indices,
            wanted=sort if term.op == "OP_CONST_ARRAY" else None,
        )
    )
    return made if made is not None and made.sort is sort else None


def _turned(tables: Tables, term: Term, sort: Sort) -> Term | None:
    """Return the value of the term as a value of the other sort, whatever makes it."""
    kinds, found = (term.sort.kind, sort.kind), None
    if kinds == ("SORT_FUN", "SORT_ARRAY"):
        found = as_array(tables, term)
    elif kinds == ("SORT_ARRAY", "SORT_FUN"):
        found = as_function(tables, term, sort)
    elif kinds == ("SORT_SET", "SORT_ARRAY"):
        variable = tables.variable("x", term.sort.sort(0))
        body = tables.apply("OP_SET_MEMBER", variable, term)
        if term.op == "OP_SET_COMPREHENSION" and term.args[:-2] == term.args[-1:]:
            variable, body = term.args[:2]
        found = tables.apply("OP_ARRAY_LAMBDA", variable, body)
    elif sort.kind == "SORT_SET" and term.sort.sorts()[1:] == (tables.bool,):
        function = term.sort.kind == "SORT_FUN" and term.op != "OP_LAMBDA"
        found = None if function else as_set(tables, term)
    return found if found is not None and found.sort is sort else None


def fitting(tables: Tables, operator: Operator, args: list[Term]) -> list[Term]:
    """Return the arguments with sets, arrays and functions in place of each other where the signature
    of the operator wants that. Arguments whose sorts are written in the script decide first.
    """
    shape = operator.signature.args
    if operator.signature.binder or not shape or any(pattern.star for pattern in shape):
        return args
    patterns = [*shape, *[shape[-1]] * (len(args) - len(shape))]
    loose = [soft(arg) for arg in args]
    env: Binding = {}
    made = list(args)
    for at in sorted(range(len(args)), key=lambda at: (loose[at], at)):
        trial = dict(env)
        if patterns[at].match(made[at].sort, trial):
            env = trial
        elif loose[at] and not patterns[at].ground(env):
            made[at] = _natural(tables, made[at], patterns[at].kind)
            patterns[at].match(made[at].sort, env)
    for at, pattern in enumerate(patterns[: len(args)]):
        if pattern.ground(env):
            with contextlib.suppress(KeyError):
                made[at] = fitted(tables, made[at], pattern.build(env, tables.sorts)) or made[at]
    return made


def _natural(tables: Tables, term: Term, kind: str | None) -> Term:
    """Return a term that only lambdas make as a set or an array if that is the wanted kind of sorts."""
    sorts, sort = term.sort.sorts(), None
    if kind == "SORT_SET" and len(sorts) == 2 and sorts[1] is tables.bool:
        sort = tables.sort(kind, sorts[0])
    elif kind == "SORT_ARRAY" and term.sort.kind == "SORT_FUN":
        sort = _of_arrays(tables, term.sort)
    return term if sort is None else fitted(tables, term, sort) or term


def _of_arrays(tables: Tables, sort: Sort) -> Sort:
    """Return the sort of the arrays that stand for functions of a sort, whose values may be functions."""
    if sort.kind != "SORT_FUN":
        return sort
    *indices, value = sort.sorts()
    found = _of_arrays(tables, value)
    for index in reversed(indices):
        found = tables.sort("SORT_ARRAY", index, found)
    return found


def reduced(term: Term) -> Term:
    """Return the array that another array only looks up, or the array itself. The printer writes
    the function of a fold in such a way.
    """
    if term.op != "OP_ARRAY_LAMBDA" or term.args[1].op != "OP_ARRAY_LAMBDA":
        return term
    first, (second, body) = term.args[0], term.args[1].args
    if (
        body.op == "OP_ARRAY_SELECT"
        and body.args[1] is second
        and body.args[0].op == "OP_ARRAY_SELECT"
    ):
        array, index = body.args[0].args
        if index is first and first not in array.free and second not in array.free:
            return array
    return term


def _both(operator: str) -> Callable[[Tables, list[Term]], Term]:
    return lambda tables, members: tables.apply(operator, *members)


_POINTWISE: dict[str, Callable[[Tables, list[Term]], Term]] = {
    "union": _both("OP_OR"),
    "intersection": _both("OP_AND"),
    "setminus": lambda tables, members: tables.apply(
        "OP_AND", members[0], *(tables.apply("OP_NOT", m) for m in members[1:])
    ),
    "complement": lambda tables, members: tables.apply("OP_NOT", members[0]),
    "subset": lambda tables, members: tables.apply("OP_IMPLIES", *members),
}


def on_array_sets(tables: Tables, name: str, args: list[Term]) -> Term | None:
    """Return the application of an operator of sets to arrays of Booleans, which are sets in z3.
    Return None if the name is no such operator.
    """
    make = _POINTWISE.get(name)
    arrays = [as_array(tables, a) for a in args]
    count = 1 if name == "complement" else 2
    if (
        make is None
        or len(args) < count
        or (len(args) > count and name in ("complement", "subset"))
    ):
        return None
    sort = arrays[0].sort
    if (
        sort.kind != "SORT_ARRAY"
        or sort.sort(1) is not tables.bool
        or any(a.sort is not sort for a in arrays)
    ):
        return None
    variable = tables.variable("x", sort.sort(0))
    body = make(tables, [tables.apply("OP_ARRAY_SELECT", a, variable) for a in arrays])
    return tables.apply("OP_FORALL" if name == "subset" else "OP_ARRAY_LAMBDA", variable, body)


# ----------------------------------------------------------------------
# Applications that solvers take although no signature in `fsm/theories` allows them, and what
# they mean.


Sugar = Callable[[Tables, list[Term], tuple[Any, ...]], "Term | None"]

# Some solvers apply operators of strings to sequences, and operators of sequences to strings.
_TWINS = {
    "seq.++": "OP_STR_CONCAT",
    "seq.len": "OP_STR_LEN",
    "seq.at": "OP_STR_AT",
    "seq.extract": "OP_STR_SUBSTR",
    "seq.prefixof": "OP_STR_PREFIXOF",
    "seq.suffixof": "OP_STR_SUFFIXOF",
    "seq.contains": "OP_STR_CONTAINS",
    "seq.indexof": "OP_STR_INDEXOF",
    "seq.replace": "OP_STR_REPLACE",
    "seq.replace_all": "OP_STR_REPLACE_ALL",
    "str.++": "OP_SEQ_CONCAT",
    "str.len": "OP_SEQ_LENGTH",
    "str.at": "OP_SEQ_AT",
    "str.substr": "OP_SEQ_EXTRACT",
    "str.prefixof": "OP_SEQ_PREFIX",
    "str.suffixof": "OP_SEQ_SUFFIX",
    "str.contains": "OP_SEQ_CONTAINS",
    "str.indexof": "OP_SEQ_INDEXOF",
    "str.replace": "OP_SEQ_REPLACE",
    "str.replace_all": "OP_SEQ_REPLACE_ALL",
    "str.update": "OP_SEQ_UPDATE",
    "str.rev": "OP_SEQ_REV",
    "seq.update": "OP_STR_UPDATE",
    "seq.rev": "OP_STR_REV",
}


def sugared(tables: Tables, name: str, args: list[Term], indices: tuple[Any, ...]) -> Term | None:
    """Return what the application means, or None if it is unknown. Raises IllSorted if its parts do
    not fit.
    """
    if name in ("select", "store") and args and args[0].sort.kind == "SORT_ARRAY":
        return _at_several(tables, name, args)
    sugar = _SUGAR.get(name)
    found = sugar(tables, args, indices) if sugar is not None and args else None
    if found is not None:
        return found
    twin = _TWINS.get(name)
    if (
        twin is not None
        and args
        and args[0].sort.kind == ("SORT_STRING" if name.startswith("seq") else "SORT_SEQ")
    ):
        return tables.apply(twin, *args)
    return None


def _at_several(tables: Tables, name: str, args: list[Term]) -> Term | None:
    """`(select a i j)` and `(store a i j x)` of z3, whose arrays with several indices are read as
    arrays of arrays.
    """
    indices = args[1:] if name == "select" else args[1:-1]
    if len(indices) < 2:
        return None
    inner = [args[0]]
    for index in indices if name == "select" else indices[:-1]:
        inner.append(tables.apply("OP_ARRAY_SELECT", inner[-1], index))
    if name == "select":
        return inner[-1]
    found = args[-1]
    for array, index in zip(reversed(inner), reversed(indices), strict=True):
        found = tables.apply("OP_ARRAY_STORE", array, index, found)
    return found


def _from_start(tables: Tables, args: list[Term], indices: tuple[Any, ...]) -> Term | None:
    """`(str.indexof s t)` begins at position 0."""
    if len(args) != 2:
        return None
    kind = "OP_STR_INDEXOF" if args[0].sort is tables.string else "OP_SEQ_INDEXOF"
    return tables.apply(kind, *args, tables.value(tables.int, 0))


def _insert(tables: Tables, args: list[Term], indices: tuple[Any, ...]) -> Term | None:
    """`(set.insert 1 2 s)` of cvc5 inserts one member after another."""
    if len(args) < 3:
        return None
    found = args[-1]
    for member in reversed(args[:-1]):
        found = tables.apply("OP_SET_INSERT", member, found)
    return found


def _loop(tables: Tables, args: list[Term], indices: tuple[Any, ...]) -> Term | None:
    """`(re.loop r 1 3)` is an older syntax, and `((_ re.loop 2) r)` means two times or more."""
    if (
        len(args) > 1
        and not indices
        and all(a.op == VALUE and a.sort is tables.int and a.indices[0] >= 0 for a in args[1:])
    ):
        indices = tuple(a.indices[0] for a in args[1:])
    if len(indices) == 1:
        power = tables.apply("OP_RE_POW", args[0], indices=indices)
        return tables.apply("OP_RE_CONCAT", power, tables.apply("OP_RE_STAR", args[0]))
    return tables.apply("OP_RE_LOOP", args[0], indices=indices) if len(indices) == 2 else None


def _update(tables: Tables, args: list[Term], indices: tuple[Any, ...]) -> Term | None:
    """`((_ tuple.update i) t x)` of cvc5."""
    if (
        len(args) != 2
        or args[0].sort.kind != "SORT_TUPLE"
        or len(indices) != 1
        or indices[0] >= len(args[0].sort.params)
    ):
        return None
    fields = [
        tables.apply("OP_TUPLE_SELECT", args[0], indices=(k,))
        for k in range(len(args[0].sort.params))
    ]
    fields[indices[0]] = args[1]
    return tables.apply("OP_TUPLE", *fields)


def _scaled(tables: Tables, args: list[Term], indices: tuple[Any, ...]) -> Term | None:
    """`((_ to_fp e s) m r i)` of z3 has the real before the exponent."""
    if len(args) != 3 or args[1].sort is not tables.real or args[2].sort is not tables.int:
        return None
    return tables.apply("OP_FP_TO_FP_FROM_INT_REAL", args[0], args[2], args[1], indices=indices)


def _real(tables: Tables, args: list[Term], indices: tuple[Any, ...]) -> Term | None:
    """`(to_real r)` of a real is that real."""
    return args[0] if len(args) == 1 and args[0].sort is tables.real else None


def _minus(tables: Tables, args: list[Term], indices: tuple[Any, ...]) -> Term | None:
    """`(~ x)` of z3, which is `(- x)`."""
    if len(args) != 1 or args[0].sort not in (tables.int, tables.real):
        return None
    if args[0].op == VALUE and args[0].indices[0] > 0:
        return tables.value(args[0].sort, -args[0].indices[0])
    return tables.apply("OP_INT_NEG" if args[0].sort is tables.int else "OP_REAL_NEG", args[0])


def _applied(tables: Tables, args: list[Term], indices: tuple[Any, ...]) -> Term | None:
    """`(select f x)` of z3 applies a function or asks for a member of a set, since both are arrays
    there.
    """
    if args[0].sort.kind == "SORT_SET" and len(args) == 2:
        member = fitted(tables, args[1], args[0].sort.sort(0))
        return tables.apply("OP_SET_MEMBER", member or args[1], args[0])
    applied = args[0].sort.kind == "SORT_FUN" and not soft(args[0])
    return tables.apply("OP_UF_APPLY", *args) if applied else None


def stored(tables: Tables, args: list[Term], indices: tuple[Any, ...]) -> Term | None:
    """`(store s x true)` of z3 inserts into a set, and `(store s x false)` deletes from it, since
    sets are arrays there.
    """
    if (
        len(args) != 3
        or args[0].sort.kind != "SORT_SET"
        or args[2] not in (tables.true, tables.false)
    ):
        return None
    member = fitted(tables, args[1], args[0].sort.sort(0)) or args[1]
    if args[2] is tables.false:
        return tables.apply("OP_SET_DELETE", member, args[0])
    empty = args[0].op == SPECIAL and args[0].indices == ("set.empty",)
    return (
        tables.apply("OP_SET_SINGLETON", member)
        if empty
        else tables.apply("OP_SET_INSERT", member, args[0])
    )


def _no_overflow(kind: str) -> Sugar:
    return lambda tables, args, indices: tables.apply("OP_NOT", tables.apply(kind, *args))


def _one_of(least: bool) -> Sugar:
    """Return the meaning of a bound on how many of one condition are true."""

    def sugar(tables: Tables, args: list[Term], indices: tuple[Any, ...]) -> Term | None:
        if len(args) != 1 or len(indices) != 1 or args[0].sort is not tables.bool:
            return None
        bound = indices[0]
        if least:
            return tables.true if bound < 1 else args[0] if bound == 1 else tables.false
        return tables.apply("OP_NOT", args[0]) if bound < 1 else tables.true

    return sugar


def _folded(kind: str) -> Sugar:
    """`(bvsub a b c)` and the like associate to the left in solvers."""

    def sugar(tables: Tables, args: list[Term], indices: tuple[Any, ...]) -> Term | None:
        if len(args) < 3:
            return None
        found = args[0]
        for arg in args[1:]:
            found = tables.apply(kind, found, arg)
        return found

    return sugar


_SUGAR: dict[str, Sugar] = {
    "str.indexof": _from_start,
    "seq.indexof": _from_start,
    "set.insert": _insert,
    "insert": _insert,
    "re.loop": _loop,
    "select": _applied,
    "store": stored,
    "to_fp": _scaled,
    "to_real": _real,
    "~": _minus,
    "tuple.update": _update,
    "bvumul_noovfl": _no_overflow("OP_BV_UMULO"),
    "at-least": _one_of(True),
    "at-most": _one_of(False),
    "bvsub": _folded("OP_BV_SUB"),
    "bvxnor": _folded("OP_BV_XNOR"),
    "set.union": _folded("OP_SET_UNION"),
    "set.inter": _folded("OP_SET_INTERSECTION"),
    "set.minus": _folded("OP_SET_MINUS"),
    "bag.union_max": _folded("OP_BAG_UNION_MAX"),
    "bag.union_disjoint": _folded("OP_BAG_UNION_DISJOINT"),
    "bag.inter_min": _folded("OP_BAG_INTERSECTION_MIN"),
    "bag.difference_subtract": _folded("OP_BAG_DIFFERENCE_SUBTRACT"),
    "bag.difference_remove": _folded("OP_BAG_DIFFERENCE_REMOVE"),
}
SUGARED = tuple(_SUGAR)  # all names that stand here, also those that are no operator's name


# ----------------------------------------------------------------------
# Finds out what an application in a script means: which of several operators with the same name is
# applied. If no other signature fits, integers become reals.


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
        found = self._first(operators, self._conversions(args), indices, wanted)
        if found is None:
            with contextlib.suppress(IllSorted):
                found = sugared(self.tables, name, args, indices)
        if found is None and any(a.sort.params for a in args):
            found = self._first(operators, self._fittings(operators, args), indices, wanted)
        if found is None and not indices:
            found = on_array_sets(self.tables, name, args)
        if found is not None:
            return found
        raise InputError(mismatch(name, operators, args, indices))

    def _first(
        self,
        operators: tuple[Operator, ...],
        tries: Iterator[list[Term]],
        indices: tuple[Any, ...],
        wanted: Sort | None,
    ) -> Term | None:
        """Return the application to the first of these lists of arguments that an operator takes."""
        for args in tries:
            plan = self.plan(operators, tuple([a.sort for a in args]), indices, wanted)
            if plan is not None:
                return self.tables.terms.apply(plan[0], tuple(args), plan[1], plan[2])
        return None

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
        """Yield the arguments as they are, then with integers as reals."""
        yield args
        integers = [at for at, a in enumerate(args) if a.sort.kind == "SORT_INT"]
        if integers:
            yield self._reals(args, integers)
            if len(integers) <= _MOST_COERCED:
                for chosen in product((False, True), repeat=len(integers)):
                    yield self._reals(
                        args, [at for at, take in zip(integers, chosen, strict=True) if take]
                    )
        if self.bare is not None and self.bare in args:
            yield from (
                [self._empty(sort) if a is self.bare else a for a in args]
                for sort in _sequences(args)
            )

    def _fittings(self, operators: tuple[Operator, ...], args: list[Term]) -> Iterator[list[Term]]:
        """Yield the arguments with sets, arrays and functions in place of each other."""
        arrays = [_natural(self.tables, a, "SORT_ARRAY") if soft(a) else a for a in args]
        for operator in operators:
            yield fitting(self.tables, operator, args)
            if arrays != args:
                yield fitting(self.tables, operator, arrays)

    def empty(self) -> Term:
        """Return `seq.empty` for an occurrence without a sort. The empty value has the sort of the
        term that it is compared with, else it is a sequence of Booleans, as in cvc5.
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
        if term is self.bare and sort.kind in ("SORT_SEQ", "SORT_STRING"):
            return self._empty(sort)
        return fitted(self.tables, term, sort)

    def need(self, term: Term, sort: Sort, what: str) -> Term:
        """Return a term of this sort with the same meaning. Raises InputError if there is no such
        term.
        """
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
    ranks = (
        " or ".join(dict.fromkeys(op.signature.language for op in operators)) or "other arguments"
    )
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
    """Return the rational number that a division of literals writes. The numbers of the quotient have
    no common factor, and the second one is above 1.
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
