"""Applications that solvers take although no signature in `fsm/theories` allows them, and what they
mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murxpy.logic.terms import SPECIAL, VALUE, Term
from murxpy.smtlib.reading.lambdas import on_array_sets
from murxpy.smtlib.tables import Tables

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
    return on_array_sets(tables, name, args) if not indices else None


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
        return tables.apply("OP_SET_MEMBER", args[1], args[0])
    return tables.apply("OP_UF_APPLY", *args) if args[0].sort.kind == "SORT_FUN" else None


def _stored(tables: Tables, args: list[Term], indices: tuple[Any, ...]) -> Term | None:
    """`(store s x true)` of z3 inserts into a set, and `(store s x false)` deletes from it, since
    sets are arrays there.
    """
    if (
        len(args) != 3
        or args[0].sort.kind != "SORT_SET"
        or args[2] not in (tables.true, tables.false)
    ):
        return None
    if args[2] is tables.false:
        return tables.apply("OP_SET_DELETE", args[1], args[0])
    empty = args[0].op == SPECIAL and args[0].indices == ("set.empty",)
    return (
        tables.apply("OP_SET_SINGLETON", args[1])
        if empty
        else tables.apply("OP_SET_INSERT", args[1], args[0])
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
    "store": _stored,
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
