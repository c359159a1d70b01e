"""Guards say when a spelling means what its operator means. Guards look at our terms, never at the
solver's objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, SPECIAL, VARIABLE, Term
from murxpy.solvers.frame import Frame, literal_value

Guard = Callable[[Frame], bool]

_COMPARISON = re.compile(r"([^<>=]+)(<=|>=|==|<|>)([^<>=]+)")
DIGITS = 400  # digits of a number in a guard, in which a power is at most 10^4
_HUGE = re.compile(rf"[0-9]{{{DIGITS + 1}}}|\^[0-9]{{5}}")
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "==": lambda a, b: a == b,
}


def parse_guard(text: str, helper: Callable[[str], Any], where: str) -> Guard:
    """Return the guard called `text`. `helper` finds a guard of the wrapper by its name. Raises
    InputError if the guard is unknown.
    """
    if _HUGE.search(text):
        raise InputError(
            f"{where}: a number in a guard is too large, expected {DIGITS} digits at most"
        )
    if text.startswith("h."):
        own = helper(text[2:])
        return lambda f: bool(
            own(
                [_plain(t) for t in f.terms],
                f.indices,
                None if f.result is None else repr(f.result),
            )
        )
    found = _COMPARISON.fullmatch(text)
    if found:
        left, right, compare = (
            _operand(found[1].strip()),
            _operand(found[3].strip()),
            _COMPARE[found[2]],
        )
        if left is None or right is None:
            raise InputError(f"{where}: cannot read guard '{text}', expected {_COMPARED}")
        return lambda f: _holds(compare, left(f), right(f))
    for rule, make in _GUARDS:
        match = re.fullmatch(rule, text)
        if match:
            return make(*match.groups())
    raise InputError(f"{where}: unknown guard '{text}'; docs/wrappers.md lists the guards")


_COMPARED = "two of iK, pK, K.pJ, nK, v and numbers, with <=, >=, <, > or == between them"


def _plain(term: Term) -> dict[str, Any]:
    return {
        "op": term.op,
        "sort": repr(term.sort),
        "value": literal_value(term),
        "closed": not term.free,
    }


def _holds(compare: Callable[[int, int], bool], left: Any, right: Any) -> bool:
    return left is not None and right is not None and compare(left, right)


def _operand(text: str) -> Callable[[Frame], Any] | None:
    if re.fullmatch(r"-?\d+(\^\d+)?", text):
        base, _, power = text.partition("^")
        number = int(base) ** int(power or 1)
        return lambda f: number
    found = re.fullmatch(r"i(\d+)", text)
    if found:
        at = int(found[1])
        return lambda f: (
            f.indices[at] if at < len(f.indices) and isinstance(f.indices[at], int) else None
        )
    found = re.fullmatch(r"n(\d+)", text)
    if found:
        at = int(found[1])
        return lambda f: literal_value(f.terms[at]) if at < len(f.terms) else None
    found = re.fullmatch(r"p(\d+)", text)
    if found:
        at = int(found[1])
        return lambda f: (
            f.result.params[at] if f.result is not None and at < len(f.result.params) else None
        )
    found = re.fullmatch(r"(\d+)\.p(\d+)", text)
    if found:
        arg, at = int(found[1]), int(found[2])
        return lambda f: f.terms[arg].sort.params[at] if arg < len(f.terms) else None
    return (lambda f: f.value) if text == "v" else None


def _literal(position: int, test: Callable[[Any], bool]) -> Guard:
    def guard(f: Frame) -> bool:
        if position >= len(f.terms):
            return False
        value = literal_value(f.terms[position])
        return value is not None and test(value)

    return guard


def _special(position: int, names: tuple[str, ...] | None) -> Guard:
    def guard(f: Frame) -> bool:
        term = f.terms[position] if position < len(f.terms) else None
        return (
            term is not None and term.op == SPECIAL and (names is None or term.indices[0] in names)
        )

    return guard


def _text(f: Frame) -> str:
    return f.value if isinstance(f.value, str) else f.name


def _kind(sort: Any, kind: str) -> bool:
    return isinstance(sort, Sort) and sort.short == kind


def _float_exact(f: Frame) -> bool:
    sort = f.result
    return sort is not None and sort.params == (11, 53)


def _decimal(f: Frame) -> bool:
    if not isinstance(f.value, (int, Fraction)):
        return False
    rest = Fraction(f.value).denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


_GUARDS: list[tuple[str, Callable[..., Guard]]] = [
    (r"arity-(\d+)", lambda n: lambda f: len(f.terms) == int(n)),
    (r"arity-(\d+)\+", lambda n: lambda f: len(f.terms) >= int(n)),
    (r"literal-(\d+)", lambda k: _literal(int(k), lambda v: True)),
    (r"(?:python-)?int(?:-literal)?-(\d+)", lambda k: _literal(int(k), _is_int)),
    (r"rm-rne-(\d+)", lambda k: _special(int(k), ("rm.rne",))),
    (r"rm-literal-(\d+)", lambda k: _special(int(k), None)),
    (r"zero-(\d+)", lambda k: _literal(int(k), lambda v: v == 0)),
    (r"nonzero-(\d+)", lambda k: _literal(int(k), lambda v: v != 0)),
    (
        r"char-literal-(\d+)",
        lambda k: _literal(int(k), lambda v: isinstance(v, str) and len(v) == 1),
    ),
    (
        r"symbol-(\d+)",
        lambda k: lambda f: int(k) < len(f.terms) and f.terms[int(k)].op in (CONSTANT, VARIABLE),
    ),
    (r"same-(\d+)-(\d+)", lambda j, k: lambda f: f.terms[int(j)] is f.terms[int(k)]),
    (
        r"sort-([A-Z]+)-(\d+)",
        lambda s, k: lambda f: int(k) < len(f.terms) and _kind(f.terms[int(k)].sort, s),
    ),
    (r"sort-([A-Z]+)", lambda s: lambda f: _kind(f.result, s)),
    (r"elem-([A-Z]+)", lambda s: lambda f: f.result is not None and _kind(f.result.params[0], s)),
    (r"vars-(\d+)", lambda n: lambda f: f.bound == int(n)),
    (r"ascii", lambda: lambda f: _text(f).isascii()),
    (r"printable", lambda: lambda f: all(" " <= c <= "~" for c in _text(f))),
    (
        r"bmp",
        lambda: lambda f: all(ord(c) <= 0xFFFF and not 0xD800 <= ord(c) < 0xE000 for c in _text(f)),
    ),
    (r"no-surrogates", lambda: lambda f: all(not 0xD800 <= ord(c) < 0xE000 for c in _text(f))),
    (r"decimal", lambda: _decimal),
    (
        r"integral",
        lambda: lambda f: isinstance(f.value, int) or getattr(f.value, "denominator", 0) == 1,
    ),
    (r"nonnegative", lambda: lambda f: isinstance(f.value, (int, Fraction)) and f.value >= 0),
    (r"float-exact", lambda: _float_exact),
]


def _is_int(value: Any) -> bool:
    return not isinstance(value, (bool, str)) and getattr(value, "denominator", 0) == 1
