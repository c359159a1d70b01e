"""Rules that follow from the table of operators: every operator keeps equality in each of its
arguments, and an operator that is monotone keeps the order.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from murxpy.logic.catalogue import ANY_ORDER, Catalogue, Monotone, Operator, Order
from murxpy.logic.signature import Linear, Pattern
from murxpy.smtlib.reading.vocabulary import vocabulary
from murxpy.sources.mutation.implications.rule import put_in

EQUAL, ORDER = "equal", "order"  # the books of these rules
_OTHERS = "c{}"  # the names of the other arguments
_FEW = 3  # how far an index goes beyond its least value, if its range is wide
_FORMAT = {"e": "5", "s": "11"}  # of the results of conversions
_WIDTHS = (1, 2, 3, 4)  # at which the rules about equality are checked
_ARGUMENT = "An operator is a function: equal arguments give equal results."


class _Unsayable(Exception):
    """A signature that cannot be written as sorts of metavariables."""


def generated(catalogue: Catalogue) -> Iterator[dict[str, Any]]:
    """The rules as data, like those of a file, about the operators that scripts can name."""
    names = vocabulary(catalogue).operators
    other = {operator: name for name, some in names.items() for operator in some}
    for operator in catalogue.operators.values():
        name = operator.smtlib if operator.smtlib in names else other.get(operator)
        if name is None or _taken(operator, names[name]):
            continue
        with suppress(_Unsayable):
            yield from _equal(operator, name)
        for number, monotone in enumerate(operator.monotone):
            with suppress(_Unsayable):
                yield from _ordered(operator, name, monotone, number, catalogue)


def _taken(operator: Operator, named: tuple[Operator, ...]) -> bool:
    """Return whether the name of an operator, with its arguments, is read as another one before it."""
    before = named[: named.index(operator)] if operator in named else named
    return any(other.signature.args == operator.signature.args for other in before)


def _equal(operator: Operator, named: str) -> Iterator[dict[str, Any]]:
    for position, sort in enumerate(_sorts(operator)):
        if sort == "RegLan" or operator.kind in ("OP_EQUAL", "OP_DISTINCT"):
            continue
        one, other, given = _applied(operator, named, position)
        yield {
            "name": f"{operator.kind}.{position + 1}",
            "book": EQUAL,
            "strong": "(= x y)",
            "weak": f"(= {one} {other})",
            "chain": ["x", "y"],
            "widths": list(_WIDTHS),
            "argument": _ARGUMENT,
            "generated": True,
            **given,
        }


def _ordered(
    operator: Operator, named: str, monotone: Monotone, number: int, catalogue: Catalogue
) -> Iterator[dict[str, Any]]:
    """The rules of an operator that is monotone."""
    for position, order in enumerate(monotone.args):
        if order is None:
            continue
        below, sign = order
        names = [name.replace(ANY_ORDER, "bool") for name in (below, monotone.result)]
        inner, outer = (catalogue.orders[name] for name in names)
        one, other, given = _applied(operator, named, position)
        if below == ANY_ORDER:  # one order stands for all
            given["vars"] = dict.fromkeys(given["vars"], "Bool")
        made = _order_rule(inner, outer, one, other, sign)
        yield {
            "name": f"{operator.kind}.{number + 1}.{position + 1}",
            "book": ORDER,
            "generated": True,
            **made,
            **given,
        }


def _order_rule(inner: Order, outer: Order, one: str, other: str, sign: int) -> dict[str, Any]:
    """The patterns of a rule: where x is at most y in one order, `one` is at most `other` in another
    one, or the other way round.
    """
    if inner.join:  # an order that no formula says: x is at most the join of x and y
        other = put_in(other, {}, {"y": inner.join})
        lower, upper = (one, other) if sign > 0 else (other, one)
        return {"order": outer.name, "strong": lower, "weak": upper}
    lower, upper = (one, other) if sign > 0 else (other, one)
    if outer.name == "bool":
        return {"strong": f"(and {inner.leq} {lower})", "weak": upper}
    return {
        "strong": inner.leq,
        "weak": put_in(outer.leq, {}, {"x": lower, "y": upper}),
    }


def _applied(operator: Operator, named: str, position: int) -> tuple[str, str, dict[str, Any]]:
    """The application of the operator that scripts call `named` to x, the same one to y, and the
    metavariables and indices of both.
    """
    sorts = _sorts(operator)
    if operator.form or operator.typing or operator.signature.binder:
        raise _Unsayable
    indices, words = dict[str, str](), list[str]()
    for index in operator.signature.indices:
        if index.each or index.many:
            raise _Unsayable
        if index.low is None or index.high is None:
            words.append(_FORMAT[index.name] if index.name in _FORMAT else _refuse())
            continue
        indices[index.name] = f"{_text(index.low)}..{_high(index.low, index.high)}"
        words.append(index.name)
    head = f"(_ {named} {' '.join(words)})" if words else named
    names = [_OTHERS.format(at + 1) for at in range(len(sorts))]
    both = []
    for name in ("x", "y"):
        names[position] = name
        both.append(f"({head} {' '.join(names)})")
    known = {_OTHERS.format(at + 1): sort for at, sort in enumerate(sorts) if at != position}
    given: dict[str, Any] = {"vars": {"x": sorts[position], "y": sorts[position], **known}}
    return both[0], both[1], {**given, "indices": indices}


def _refuse() -> str:
    raise _Unsayable


def _high(low: Linear, high: Linear) -> str:
    """The greatest value of an index: that of the signature if it is near, as the width is."""
    names = high.names()
    if names and names[0] != "max" and not any(word in ("*", "/") for word in high.code):
        return _text(high)
    least = low.value({})
    if least is None:
        raise _Unsayable
    most = high.value({})
    return str(least + _FEW if most is None else min(most, least + _FEW))


def _text(number: Linear) -> str:
    """A sum of numbers and letters as text."""
    stack: list[str] = []
    for item in number.code:
        if isinstance(item, str) and item in "+-":
            right, left = stack.pop(), stack.pop()
            stack.append(f"{left}{item}{right}")
        elif isinstance(item, str) and item in "*/":
            raise _Unsayable
        else:
            stack.append(str(item))
    return stack[0]


_NAMES = {"BOOL": "Bool", "INT": "Int", "REAL": "Real", "STRING": "String", "REGLAN": "RegLan"}
_NAMES |= {"RM": "RoundingMode"}
_APPLIED = {"ARRAY": "Array", "SEQ": "Seq", "SET": "Set", "BAG": "Bag"}


def _sorts(operator: Operator) -> list[str]:
    """The sorts of an operator's arguments as scripts write them, with letters."""
    if not operator.signature.args:
        raise _Unsayable
    return [_sort(pattern) for pattern in operator.signature.args]


def _sort(pattern: Pattern) -> str:
    if pattern.kind is None:
        if pattern.star or pattern.pick is not None or len(pattern.name) != 1:
            raise _Unsayable
        return pattern.name.upper()
    name = pattern.kind.removeprefix("SORT_")
    if name in _NAMES:
        return _NAMES[name]
    params = [
        _text(param) if isinstance(param, Linear) else _sort(param) for param in pattern.params
    ]
    if name in ("BV", "FP") and all(len(param) == 1 for param in params):
        return f"(_ {'BitVec' if name == 'BV' else 'FloatingPoint'} {' '.join(params)})"
    if name in _APPLIED:
        return f"({_APPLIED[name]} {' '.join(params)})"
    raise _Unsayable
