"""Whether an exception that Python's own rules bring about is the caller's fault: an operand was
asked for what it does not have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

# A name that is missing in the binding's own code is the binding's fault, whatever the operands
# are.
_OWN_FAULT = ("NameError", "UnboundLocalError", "SystemError", "AssertionError", "SystemExit")
_LACKING = re.compile(r"(?:type object )?'(?:\w+\.)*(\w+)' (?:object )?has no attribute")


def asked_too_much(error: BaseException, operands: Sequence[Any], name: str) -> bool:
    """True for an AttributeError whose object is among `operands` of a call or in one of them, and
    for a KeyError of a subscript, or of an operand that is a dict.

    The object that a method is called of is no operand here: what it lacks is the binding's fault.

    Python's bindings use operands by what they can do; an operand of a wrong type that lacks an
    attribute is then refused by an AttributeError, which harms nobody. A missing attribute of
    another object is the binding's fault.
    """
    if isinstance(error, KeyError):
        return name.endswith(("__getitem__", ".getitem")) or any(
            isinstance(part, dict) for part in _parts(operands)
        )
    if not isinstance(error, AttributeError) or type(error).__name__ in _OWN_FAULT:
        return False
    asked = getattr(error, "obj", None)
    parts = list(_parts(operands))
    if asked is None:  # code of C does not say which object it asked
        found = _LACKING.match(str(error))
        names = [
            inner.__name__ if isinstance(inner, type) else type(inner).__name__ for inner in parts
        ]
        return found is not None and found[1] in names
    # a handle of an operand of another kind
    within = [inner for part in parts for inner in getattr(part, "__dict__", {}).values()]
    return any(asked is inner for inner in [*parts, *within]) or _plain(asked, parts)


def _plain(asked: Any, parts: Sequence[Any]) -> bool:
    """True if `asked` is plain data of a type that is among the operands: it may be a copy of one."""
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
