"""Self-checks of the z3 wrapper. Each function gives None, or says what is broken."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable
from typing import Any

import z3
from z3_values import read_value

_z3py: Any = importlib.import_module("z3.z3")


def check_sort(sort: Any, facts: dict[str, Any]) -> str | None:
    """Check the class, kind, parameters, equality with itself, hash and text of a sort."""
    if not isinstance(sort, z3.SortRef):
        return None  # in z3, functions and parametric datatypes have no sort
    wrong = _mismatch(sort, facts)
    if wrong:
        return wrong
    if (
        sort != sort
        or not sort.eq(sort)
        or hash(sort) != hash(_z3py._to_sort_ref(sort.ast, sort.ctx))
    ):
        return f"== or hash of {sort.sexpr()} gives another sort instead of itself"
    if sort.sexpr() and sort.name():
        return None
    return f"sexpr or name of a sort of {facts['kind']} gives nothing instead of a text"


def _mismatch(sort: Any, facts: dict[str, Any]) -> str | None:
    """The difference between a z3 sort and the sort that `facts` describe."""
    kind, params = facts["kind"], facts.get("params") or []
    expected = _KINDS.get(kind)
    if expected is None:
        return None
    if sort.kind() != getattr(z3, expected[0]) or type(sort).__name__ != expected[1]:
        told = f"a {type(sort).__name__} of kind {sort.kind()}"
        return f"a sort of {kind} gives {told} instead of a {expected[1]}"
    for getter, param in zip(expected[2], params, strict=False):
        value = getter(sort)
        if isinstance(param, dict):
            wrong = _mismatch(value, param)
            if wrong:
                return wrong
        elif isinstance(param, int) and value != param:
            return f"a parameter of {kind} gives {value} instead of {param}"
    return None


_Getters = tuple[Callable[[Any], Any], ...]
_KINDS: dict[str, tuple[str, str, _Getters]] = {
    "SORT_BOOL": ("Z3_BOOL_SORT", "BoolSortRef", ()),
    "SORT_INT": ("Z3_INT_SORT", "ArithSortRef", ()),
    "SORT_REAL": ("Z3_REAL_SORT", "ArithSortRef", ()),
    "SORT_BV": ("Z3_BV_SORT", "BitVecSortRef", (lambda s: s.size(),)),
    "SORT_FP": ("Z3_FLOATING_POINT_SORT", "FPSortRef", (lambda s: s.ebits(), lambda s: s.sbits())),
    "SORT_RM": ("Z3_ROUNDING_MODE_SORT", "FPRMSortRef", ()),
    "SORT_ARRAY": ("Z3_ARRAY_SORT", "ArraySortRef", (lambda s: s.domain(), lambda s: s.range())),
    "SORT_SET": ("Z3_ARRAY_SORT", "ArraySortRef", (lambda s: s.domain(),)),
    "SORT_FINITE_SET": ("Z3_UNKNOWN_SORT", "FiniteSetSortRef", (lambda s: s.element_sort(),)),
    "SORT_SEQ": ("Z3_SEQ_SORT", "SeqSortRef", (lambda s: s.basis(),)),
    "SORT_STRING": ("Z3_SEQ_SORT", "SeqSortRef", ()),
    "SORT_REGLAN": ("Z3_RE_SORT", "ReSortRef", ()),
    "SORT_DT": ("Z3_DATATYPE_SORT", "DatatypeSortRef", ()),
    "SORT_FF": ("Z3_FINITE_FIELD_SORT", "FiniteFieldSortRef", (lambda s: s.size(),)),
    "SORT_UNINTERPRETED": ("Z3_UNINTERPRETED_SORT", "SortRef", ()),
}


def check_term(term: Any, facts: dict[str, Any]) -> str | None:
    """Check the sort, hash, declaration and arguments of a term."""
    if not isinstance(term, z3.ExprRef):
        return None
    wrong = _mismatch(term.sort(), facts)
    if wrong:
        return f"the sort of a term: {wrong}"
    if not term.eq(term) or hash(term) != term.hash():
        return "eq or hash of a term gives another term instead of itself"
    if not z3.is_app(term):
        known = z3.is_quantifier(term) or z3.is_var(term) or term.sort_kind() == z3.Z3_ARRAY_SORT
        return None if known else "a term asked for its kind gives none instead of one"
    declaration = term.decl()
    if declaration.range() != term.sort():
        told, wanted = declaration.range().sexpr(), term.sort().sexpr()
        return f"range of a declaration gives {told} instead of {wanted}"
    if len(term.children()) != term.num_args() or z3.is_const(term) != (term.num_args() == 0):
        return "num_args or is_const of a term gives another answer instead of that of children"
    return None


def check_value(term: Any, facts: dict[str, Any]) -> str | None:
    """Read a literal back. A literal that was made by a conversion is folded first."""
    value = read_value(term)
    if value is None and isinstance(term, z3.ExprRef):
        value = read_value(z3.simplify(term))
    wanted = _wanted(facts)
    if value is None or wanted is None or value[-len(wanted) :] == wanted:
        return None
    return f"a literal of {facts['kind']} gives {value!r} instead of {wanted!r}"


def _wanted(facts: dict[str, Any]) -> tuple[Any, ...] | None:
    """The last part of what `read_value` must give for the literal that `facts` describe; None if
    they describe none.
    """
    kind, value, special = facts["kind"], facts.get("value"), facts.get("special")
    if kind == "SORT_FP":
        return (_float_bits(value, special, *facts["params"]),)
    if kind == "SORT_RM" and special is not None:
        return ("rm", special.removeprefix("rm."))
    if kind == "SORT_REAL" and value is not None:
        return (value.numerator, value.denominator)
    return None if value is None else (value,)


def _float_bits(value: int | None, special: str | None, ebits: int, sbits: int) -> int | None:
    """The IEEE bits of a floating-point literal, None for NaN."""
    infinity, sign = ((1 << ebits) - 1) << (sbits - 1), 1 << (ebits + sbits - 1)
    if special is not None:
        return {"fp.+oo": infinity, "fp.-oo": sign | infinity, "fp.+zero": 0, "fp.-zero": sign}.get(
            special
        )
    return None if value is None or value % sign > infinity else value


def check_eq(term: Any, facts: dict[str, Any]) -> str | None:
    """Check equality, hash and copies of one object, as z3py documents them."""
    if not isinstance(term, z3.AstRef):
        return None
    other = copy.deepcopy(term)
    if not (term.eq(other) and other.eq(term)) or term.get_id() != other.get_id():
        return "eq or get_id of a copy gives another term instead of the same"
    if hash(term) != hash(other):
        return "hash of a copy gives another number instead of the same"
    if isinstance(term, z3.ExprRef) and not (bool(term == term) and term in [term]):
        return "== of a term with itself gives False instead of True"
    return None
