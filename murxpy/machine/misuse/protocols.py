"""Python's protocols on one object of a binding: copying, pickling, comparing, iterating, printing,
operators, and arguments that look alike. Each function gives None, or says which promise is broken.

What these calls throw is judged by the caller. Imports the standard library only: a printed program
carries these functions.
"""

from __future__ import annotations

import copy
import itertools
import operator
import pickle
from collections.abc import Callable, Sequence
from typing import Any

ENDLESS = 5000  # elements after which an iteration is taken for one that does not end


def identical(one: Any, other: Any) -> bool:
    """Whether the binding takes two objects for the same: by the method `eq` in bindings whose `==`
    makes a term.
    """
    eq = getattr(one, "eq", None)
    return bool(eq(other)) if callable(eq) else bool(one == other)


def copied(obj: Any) -> str | None:
    """`copy.copy` gives an equal object of the same class, or is refused."""
    return _alike(obj, copy.copy(obj), "a copy")


def deeply_copied(obj: Any) -> str | None:
    """`copy.deepcopy` gives an equal object of the same class, or is refused."""
    return _alike(obj, copy.deepcopy(obj), "a deep copy")


def pickled(obj: Any) -> str | None:
    """A pickled object is equal to the original after it was read back, or pickling is refused."""
    return _alike(obj, pickle.loads(pickle.dumps(obj)), "what was pickled")


def _alike(obj: Any, other: Any, what: str) -> str | None:
    if type(other) is not type(obj):
        return f"{what} of a {type(obj).__name__} is of another class"
    if getattr(type(obj), "__eq__", None) is object.__eq__:  # a solver, a context
        return _kept(obj, other, what)
    if not identical(obj, other):
        return f"{what} of a {type(obj).__name__} is not equal to it"
    return (
        None if hash(obj) == hash(other) else f"{what} of a {type(obj).__name__} has another hash"
    )


def _kept(obj: Any, other: Any, what: str) -> str | None:
    """The copy of a solver that has assertions has some, too. It may have fewer, since a solver may
    drop assertions that follow from others.
    """
    for name in ("assertions", "getAssertions"):
        if hasattr(obj, name):
            count, found = len(getattr(obj, name)()), len(getattr(other, name)())
            return None if found or not count else f"{what} of a solver has lost its assertions"
    return None


def itself(obj: Any) -> str | None:
    """An object equals itself, keeps its hash, and is found in collections that contain it."""
    name = type(obj).__name__
    if _truth(operator.eq, obj, obj) is False or _truth(operator.ne, obj, obj):
        return f"a {name} is not equal to itself"
    if hash(obj) != hash(obj) or obj not in [obj] or {obj: 1}.get(obj) != 1:
        return f"a {name} is not found in a collection that has it"
    return None


def equality(obj: Any) -> str | None:
    """An object equals itself, and does not equal an object of Python's own."""
    name, fault = type(obj).__name__, itself(obj)
    if fault is not None:
        return fault
    for stranger in (None, 7, "x", object()):
        if _compared(operator.eq, obj, stranger) is True:
            return f"a {name} is equal to {stranger!r:.20}"
    return None


def _truth(call: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """The truth value of a comparison; None if the comparison is refused, or its result has no
    truth value.
    """
    return _compared(lambda one, other: bool(call(one, other)), left, right)


def _compared(call: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """The result of a comparison; None if an exception refuses it in a documented way."""
    try:
        return call(left, right)
    except Exception as error:
        if type(error).__name__ in ("AttributeError", "RecursionError", "SystemError", "NameError"):
            raise
    return None


def chained(one: Any, other: Any) -> str | None:
    """`a == b == a` keeps both equations. In a binding whose `a == b` is a term, a plain bool as
    the result has lost an equation.
    """
    if isinstance(one == other, bool):
        return None
    result = one == other == one
    return (
        f"a == b == a of two {type(one).__name__} is the bool {result}"
        if isinstance(result, bool) and one is not other
        else None
    )


def iterated(obj: Any) -> str | None:
    """Iteration ends, or is refused; `len` is the number of what came."""
    found = sum(1 for _ in itertools.islice(iter(obj), ENDLESS))
    name = type(obj).__name__
    if found == ENDLESS:
        return f"iterating over a {name} does not end"
    count = len(obj) if hasattr(obj, "__len__") else found
    return None if count == found else f"a {name} of length {count} has {found} elements"


def indexed(obj: Any, index: Any) -> None:
    """An index out of range is refused, or gives an object that can be printed."""
    str(obj[index])


def truth(obj: Any) -> str | None:
    """`bool` gives a bool, or is refused."""
    return None if bool(obj) in (True, False) else "bool gives no bool"


def texts(obj: Any) -> str | None:
    """`str`, `repr` and `format` give texts."""
    for how in (str, repr, format):
        if not isinstance(how(obj), str):
            return f"{how.__name__} of a {type(obj).__name__} is no text"
    return None


_OPERATORS = (operator.add, operator.mul, operator.and_, operator.or_, operator.xor, operator.sub)


def alike(call: Callable[..., Any], operands: Sequence[Any], at: int) -> str | None:
    """A call does not confuse an operand with another number or text: 2^32 + 5 with 5, 3.7 with 3,
    or a text that contains NUL with its beginning.

    The call is compared only if it distinguishes the other operand from a third one, which no code
    could confuse with the operand at `at`.
    """
    given, made = operands[at], call(*operands)
    for taken in _taken(given):
        same, third = (
            _called(call, operands, at, taken),
            _called(call, operands, at, _third(given, taken)),
        )
        if same is not None and _one(made, same) and not _one(made, third):
            return f"{_told(given)} is taken for another; {given!a:.60} for {taken!a:.60}"
    return None


def _taken(given: Any) -> list[Any]:
    """The values with which code could confuse `given` because it has too little room, such as 32
    bits.
    """
    if isinstance(given, bool):
        return []
    if isinstance(given, int):
        words = [given % (1 << bits) for bits in (32, 64)]
        signed = [
            word - (1 << bits)
            for word, bits in zip(words, (32, 64), strict=True)
            if word >> (bits - 1)
        ]
        return [word for word in dict.fromkeys([*words, *signed]) if word != given]
    if isinstance(given, float):
        between = 0.5 <= abs(given) < 1e6  # what is nearer to a whole number may be rounded to it
        return [int(given)] if between and int(given) != given else []
    if isinstance(given, str) and "\0" in given:
        return [given.partition("\0")[0]]
    return []


def _third(given: Any, taken: Any) -> Any:
    """Another value of the same type. A call that confuses it with `given`, too, ignores the
    operand, or counts modulo some number.
    """
    if isinstance(given, str):
        return f"{taken}b"
    return taken + 1 if isinstance(given, float) else (taken + (1 << 31)) % (1 << 32)


def _told(given: Any) -> str:
    if isinstance(given, float):
        return "a float"
    return "a text with a NUL" if isinstance(given, str) else "a number"


def _called(call: Callable[..., Any], operands: Sequence[Any], at: int, other: Any) -> Any:
    try:
        return call(*[other if index == at else operand for index, operand in enumerate(operands)])
    except Exception:
        return None


def _one(left: Any, right: Any) -> bool:
    """Whether two results are the same object of the binding. False if this cannot be decided, as
    for solvers, numbers and texts.
    """
    if type(left) is not type(right) or isinstance(
        left, (bool, int, float, str, bytes, type(None))
    ):
        return False
    if isinstance(left, (list, tuple)):
        return (
            bool(left)
            and len(left) == len(right)
            and all(_one(*pair) for pair in zip(left, right, strict=True))
        )
    if (
        not callable(getattr(left, "eq", None))
        and getattr(type(left), "__eq__", None) is object.__eq__
    ):
        return False
    return identical(left, right) and str(left) == str(right)


def reflected(obj: Any, number: Any) -> str | None:
    """If `a + 1` works, `1 + a` works, too; the same holds for the other operators."""
    for call in _OPERATORS:
        left, right = _works(call, obj, number), _works(call, number, obj)
        if left != right:
            works, fails = ("a . n", "n . a") if left else ("n . a", "a . n")
            return f"{call.__name__} of a {type(obj).__name__} and a {type(number).__name__}: {works} works, {fails} does not"
    return None


def _works(call: Callable[[Any, Any], Any], left: Any, right: Any) -> bool:
    try:
        call(left, right)
    except Exception:
        return False
    return True
