"""Whether the caller is to blame for an exception that Python itself raised, because an operand
lacks what the binding asked it for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

# A missing name (NameError) in the binding's own code is always the fault of the binding.
_OWN_FAULT = ("NameError", "UnboundLocalError", "SystemError", "AssertionError", "SystemExit")
_LACKING = re.compile(r"(?:type object )?'(?:\w+\.)*(\w+)' (?:object )?has no attribute")


def asked_too_much(error: BaseException, operands: Sequence[Any], name: str) -> bool:
    """True if the exception is due to an operand that lacks an attribute or a key.

    That is an AttributeError whose object is among `operands` or in one of them, and a KeyError of
    a subscript or of an operand that is a dict. `operands` does not include the object of a method:
    what this object lacks is the binding's fault.

    Python's bindings use operands by what they can do. An operand of a wrong type is then refused
    by an AttributeError, which does no harm. If any other object lacks an attribute, the binding is
    at fault.
    """
    if isinstance(error, KeyError):
        return name.endswith(("__getitem__", ".getitem")) or any(
            isinstance(part, dict) for part in _parts(operands)
        )
    if not isinstance(error, AttributeError) or type(error).__name__ in _OWN_FAULT:
        return False
    asked = getattr(error, "obj", None)
    parts = list(_parts(operands))
    if asked is None:  # C code does not say which object lacks the attribute
        found = _LACKING.match(str(error))
        names = [
            inner.__name__ if isinstance(inner, type) else type(inner).__name__ for inner in parts
        ]
        return found is not None and found[1] in names
    # the object is the C handle of an operand that has another kind
    within = [inner for part in parts for inner in getattr(part, "__dict__", {}).values()]
    return any(asked is inner for inner in [*parts, *within]) or _plain(asked, parts)


def _plain(asked: Any, parts: Sequence[Any]) -> bool:
    """True if `asked` is plain data of a type that some operand has: it may be a copy of that
    operand.
    """
    return isinstance(asked, (bool, int, float, str, bytes, list, tuple, dict)) and any(
        type(asked) is type(inner) for inner in parts
    )


def _parts(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        yield value
        if isinstance(value, dict):
            yield from _parts([*value, *value.values()])
        elif isinstance(value, (list, tuple)):
            yield from _parts(value)
