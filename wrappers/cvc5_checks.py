"""Self-checks of the cvc5 wrapper. Each function gives None, or says what is broken."""

from __future__ import annotations

from typing import Any

from cvc5 import Kind
from cvc5_values import read_value

_PREDICATES = {
    "SORT_ARRAY": "isArray",
    "SORT_BAG": "isBag",
    "SORT_BOOL": "isBoolean",
    "SORT_BV": "isBitVector",
    "SORT_DT": "isDatatype",
    "SORT_FF": "isFiniteField",
    "SORT_FP": "isFloatingPoint",
    "SORT_FUN": "isFunction",
    "SORT_INT": "isInteger",
    "SORT_NULLABLE": "isNullable",
    "SORT_REAL": "isReal",
    "SORT_REGLAN": "isRegExp",
    "SORT_RM": "isRoundingMode",
    "SORT_SEQ": "isSequence",
    "SORT_SET": "isSet",
    "SORT_STRING": "isString",
    "SORT_TUPLE": "isTuple",
    "SORT_UNINTERPRETED": "isUninterpretedSort",
}
_DATATYPES = ("SORT_TUPLE", "SORT_NULLABLE")  # their sorts are those of datatypes, too
_SIZES = {
    "SORT_BV": ("getBitVectorSize",),
    "SORT_FP": ("getFloatingPointExponentSize", "getFloatingPointSignificandSize"),
    "SORT_FF": ("getFiniteFieldSize",),
}
_PARAMETERS: dict[str, Any] = {
    "SORT_ARRAY": lambda s: [s.getArrayIndexSort(), s.getArrayElementSort()],
    "SORT_BAG": lambda s: [s.getBagElementSort()],
    "SORT_NULLABLE": lambda s: [s.getNullableElementSort()],
    "SORT_FUN": lambda s: [*s.getFunctionDomainSorts(), s.getFunctionCodomainSort()],
    "SORT_SEQ": lambda s: [s.getSequenceElementSort()],
    "SORT_SET": lambda s: [s.getSetElementSort()],
    "SORT_TUPLE": lambda s: s.getTupleSorts(),
}


def check_sort(obj: Any, facts: dict[str, Any]) -> str | None:
    """The predicates, sizes and parameter sorts of a sort are those that were asked for."""
    kind, params = facts["kind"], facts["params"]
    for other, predicate in _PREDICATES.items():
        expected = other == kind or (kind in _DATATYPES and other == "SORT_DT")
        if hasattr(obj, predicate) and getattr(obj, predicate)() is not expected:
            return f"{predicate}() is {not expected} for a sort of kind {kind}"
    for getter, param in zip(_SIZES.get(kind, ()), params, strict=False):
        if int(getattr(obj, getter)()) != int(param):
            return f"{getter}() is {getattr(obj, getter)()}, expected {param}"
    if kind == "SORT_UNINTERPRETED" and (not obj.hasSymbol() or obj.getSymbol() != params[0]):
        return f"the symbol of an uninterpreted sort is not {params[0]!r}"
    return _identity(obj, "sort") or _check_parameters(obj, kind, params)


def _check_parameters(obj: Any, kind: str, params: list[Any]) -> str | None:
    if kind not in _PARAMETERS:
        return None
    inner = _PARAMETERS[kind](obj)
    if len(inner) != len(params):
        return f"{kind} has {len(inner)} parameter sorts, expected {len(params)}"
    for found, expected in zip(inner, params, strict=True):
        broken = check_sort(found, expected)
        if broken is not None:
            return broken
    return None


def _identity(obj: Any, what: str) -> str | None:
    if obj.isNull():
        return f"isNull() of a {what} that exists"
    equal = (obj == obj, obj <= obj, obj >= obj)
    unequal = (obj != obj, obj < obj, obj > obj)
    if not all(equal) or any(unequal):
        return f"a {what} does not compare as equal to itself"
    if hash(obj) != hash(obj):
        return f"the hash of a {what} changes"
    return None if str(obj) and repr(obj) else f"a {what} prints as nothing"


def check_term(obj: Any, facts: dict[str, Any], ctx: Any) -> str | None:
    """The sort and the children of a term are right, and the term that is made again from its
    operator and children is the same.
    """
    broken = check_sort(obj.getSort(), facts) or _identity(obj, "term")
    if broken is not None:
        return broken
    children = list(obj)
    if len(children) != obj.getNumChildren() or any(
        obj[k] != child for k, child in enumerate(children)
    ):
        return "iteration, indexing and getNumChildren() of a term disagree"
    if any(child.isNull() for child in children):
        return "a term has a null child"
    return _check_operator(obj, children, ctx)


def _check_operator(obj: Any, children: list[Any], ctx: Any) -> str | None:
    if not obj.hasOp():
        return "a term with children has no operator" if children else None
    op = obj.getOp()
    if obj.getKind() == Kind.INTERNAL_KIND:
        return "a term that was made with a kind has the kind INTERNAL_KIND"
    if op.getKind() != obj.getKind():
        return f"the operator of a term of kind {obj.getKind()} has kind {op.getKind()}"
    if op.isIndexed() != (op.getNumIndices() > 0):
        return "isIndexed() and getNumIndices() of an operator disagree"
    if op != obj.getOp() or hash(op) != hash(obj.getOp()):
        return "the operator of a term is not equal to itself"
    return (
        None
        if ctx.mkTerm(op, *children) == obj
        else "a term made anew of its operator and children is another one"
    )


def check_value(obj: Any, facts: dict[str, Any]) -> str | None:
    """Every way to read a literal gives the value that it was made of."""
    broken = check_sort(obj.getSort(), facts)
    if broken is not None or facts["value"] is None:
        return broken
    wanted, got = _expected(facts), read_value(obj)
    if got != wanted:
        return f"a literal made as {wanted} reads back as {got}"
    return _check_forms(obj, facts)


def _expected(facts: dict[str, Any]) -> tuple[Any, ...]:
    kind, params, value = facts["kind"], facts["params"], facts["value"]
    if kind == "SORT_REAL":
        return ("real", value.numerator, value.denominator)
    if kind == "SORT_FP":
        exponent, significand = params
        fraction = significand - 1
        nan = (
            value >> fraction & (1 << exponent) - 1 == (1 << exponent) - 1
            and value & (1 << fraction) - 1
        )
        return ("fp", exponent, significand, None if nan else value)
    if kind in ("SORT_BV", "SORT_FF"):
        return (kind[5:].lower(), int(params[0]), value)
    return (kind[5:].lower(), value)


def _check_forms(obj: Any, facts: dict[str, Any]) -> str | None:
    kind, value = facts["kind"], facts["value"]
    if kind == "SORT_BV":
        forms = [int(obj.getBitVectorValue(base), base) for base in (2, 10, 16)]
        if forms != [value] * 3 or obj.toPythonObj() != value:
            return f"getBitVectorValue in bases 2, 10, 16 gives {forms} instead of {value}"
    elif kind in ("SORT_BOOL", "SORT_INT", "SORT_REAL", "SORT_STRING"):
        if obj.toPythonObj() != value:
            return f"toPythonObj() gives {obj.toPythonObj()!r} instead of {value!r}"
    elif kind == "SORT_FP":
        return _check_fp_class(obj, facts["params"], value)
    if kind in ("SORT_INT", "SORT_REAL") and obj.getRealOrIntegerValueSign() != (value > 0) - (
        value < 0
    ):
        return f"getRealOrIntegerValueSign() gives {obj.getRealOrIntegerValueSign()} for {value}"
    return None


def _check_fp_class(obj: Any, params: list[int], value: int) -> str | None:
    exponent, significand = params
    top = 1 << exponent + significand - 1
    infinity = (1 << exponent) - 1 << significand - 1
    wanted = {
        "isFloatingPointNaN": value % top > infinity,
        "isFloatingPointPosInf": value == infinity,
        "isFloatingPointNegInf": value == top + infinity,
        "isFloatingPointPosZero": value == 0,
        "isFloatingPointNegZero": value == top,
    }
    wrong = [name for name, expected in wanted.items() if getattr(obj, name)() is not expected]
    return f"{wrong[0]}() is wrong for the bits {value:b}" if wrong else None


def check_eq(obj: Any, facts: dict[str, Any]) -> str | None:
    """A term equals itself and the results of reading it, and none of its children."""
    if (
        obj.getSort() != obj.getSort()
        or hash(obj.getSort()) != hash(obj.getSort())
        or obj.getId() != obj.getId()
    ):
        return "two reads of a term's sort or id differ"
    for child in list(obj):
        equal, unequal = child == obj, child != obj
        if equal or not unequal or (child < obj) == (obj < child):
            return "a term and its child do not compare as different"
    return _identity(obj, "term")
