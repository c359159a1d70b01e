"""Reading values for contract mode: every way to read a value gives the same result, and this
result makes the same value again. The file imports only cvc5 and the standard library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cvc5


def reread(manager: Any, obj: Any) -> str | None:
    """None, or the way to read the value `obj` that gives another result. None for a term that is
    no value.
    """
    if isinstance(obj, cvc5.Term):
        return next(
            (
                fault
                for is_value, check in _SAID
                if getattr(obj, is_value)() and (fault := check(manager, obj))
            ),
            None,
        )
    return _said_pythonic(obj) if type(obj).__name__ in _SAID_PYTHONIC else None


def _said_again(obj: Any, how: str, made: Any) -> str | None:
    return (
        None
        if made == obj
        else f"what is made from {how} of a value is another; {made!s:.60} for {obj!s:.60}"
    )


def _said_int(manager: Any, obj: Any) -> str | None:
    if not obj.getSort().isInteger():  # 14.0 is an integer value as well
        return None
    value = obj.getIntegerValue()
    if obj.toPythonObj() != value:
        return f"toPythonObj is not the value; {obj.toPythonObj()!r:.60} for {value!r:.60}"
    return _said_again(obj, "getIntegerValue", manager.mkInteger(str(value)))


def _said_real(manager: Any, obj: Any) -> str | None:
    value = obj.getRealValue()
    if obj.isIntegerValue():  # a value of the sort Int, which `mkReal` cannot make
        return None
    if obj.toPythonObj() != value:
        return f"toPythonObj is not the value; {obj.toPythonObj()!r:.60} for {value!r:.60}"
    return _said_again(
        obj, "getRealValue", manager.mkReal(f"{value.numerator}/{value.denominator}")
    )


def _said_bits(manager: Any, obj: Any) -> str | None:
    size = obj.getSort().getBitVectorSize()
    if obj.toPythonObj() != int(obj.getBitVectorValue(2), 2):
        return f"toPythonObj is not the value; {obj.toPythonObj()!r:.60} for {obj!s:.60}"
    for base in (2, 10, 16):
        fault = _said_again(
            obj,
            f"getBitVectorValue({base})",
            manager.mkBitVector(size, obj.getBitVectorValue(base), base),
        )
        if fault:
            return fault
    return None


def _said_text(manager: Any, obj: Any) -> str | None:
    for how, value in (
        ("getStringValue", obj.getStringValue()),
        ("toPythonObj", obj.toPythonObj()),
    ):
        fault = _said_again(obj, how, manager.mkString(value))
        if fault:
            return fault
    return None


def _said_bool(manager: Any, obj: Any) -> str | None:
    return _said_again(obj, "getBooleanValue", manager.mkBoolean(obj.getBooleanValue()))


def _said_float(manager: Any, obj: Any) -> str | None:
    return _said_again(
        obj, "getFloatingPointValue", manager.mkFloatingPoint(*obj.getFloatingPointValue())
    )


_SAID: tuple[tuple[str, Callable[[Any, Any], str | None]], ...] = (
    ("isIntegerValue", _said_int),
    ("isRealValue", _said_real),
    ("isBitVectorValue", _said_bits),
    ("isStringValue", _said_text),
    ("isBooleanValue", _said_bool),
    ("isFloatingPointValue", _said_float),
)


def _said_pythonic(obj: Any) -> str | None:
    """The readers of a literal in the pythonic layer give the value of the term."""
    value = obj.ast.toPythonObj()
    for how, read in _SAID_PYTHONIC[type(obj).__name__].items():
        found = read(obj)
        if found != value:
            return f"{type(obj).__name__}.{how} is not the value of the literal; {found!r:.60} for {value!r:.60}"
    return None


_SAID_PYTHONIC: dict[str, dict[str, Callable[[Any], Any]]] = {
    "IntNumRef": {"as_long": lambda o: o.as_long(), "as_string": lambda o: int(o.as_string())},
    "BitVecNumRef": {"as_long": lambda o: o.as_long(), "as_string": lambda o: int(o.as_string())},
    "RatNumRef": {"as_fraction": lambda o: o.as_fraction()},
}
