"""The meanings of the operators of strings and regular languages, by `exact.strings` and
`exact.regex`.
"""

from __future__ import annotations

from collections.abc import Callable

from murxpy.semantics.exact import regex, strings
from murxpy.semantics.registry import Site, prepared
from murxpy.semantics.values import Value, check_length

_OPERATIONS: dict[str, Callable[..., Value]] = {
    "OP_STR_LEN": len,
    "OP_STR_LT": str.__lt__,
    "OP_STR_LE": str.__le__,
    "OP_STR_AT": strings.at,
    "OP_STR_SUBSTR": strings.substring,
    "OP_STR_PREFIXOF": lambda part, text: text.startswith(part),
    "OP_STR_SUFFIXOF": lambda part, text: text.endswith(part),
    "OP_STR_CONTAINS": str.__contains__,
    "OP_STR_INDEXOF": strings.index_of,
    "OP_STR_LAST_INDEXOF": strings.last_index_of,
    "OP_STR_REPLACE": strings.replace,
    "OP_STR_REPLACE_ALL": strings.replace_all,
    "OP_STR_IS_DIGIT": strings.is_digit,
    "OP_STR_TO_CODE": strings.to_code,
    "OP_STR_FROM_CODE": strings.from_code,
    "OP_STR_TO_INT": strings.to_int,
    "OP_STR_FROM_INT": strings.from_int,
    "OP_STR_REV": lambda text: text[::-1],
    "OP_STR_TOLOWER": strings.to_lower,
    "OP_STR_TOUPPER": strings.to_upper,
    "OP_STR_UPDATE": strings.update,
    "OP_STR_FROM_UBV": strings.decimal,
    "OP_STR_TO_RE": regex.word,
    "OP_STR_IN_RE": regex.matches,
    "OP_STR_REPLACE_RE": regex.replace_first,
    "OP_STR_REPLACE_RE_ALL": regex.replace_all,
    "OP_STR_INDEXOF_RE": regex.index_of,
    "OP_RE_DIFF": regex.difference,
    "OP_RE_COMP": regex.complement,
    "OP_RE_RANGE": regex.interval,
    "OP_RE_NONE": lambda: regex.NONE,
    "OP_RE_ALL": lambda: regex.ALL,
    "OP_RE_ALLCHAR": lambda: regex.ALLCHAR,
    "OP_RE_STAR": lambda part: regex.loop(part, 0, None),
    "OP_RE_PLUS": lambda part: regex.loop(part, 1, None),
    "OP_RE_OPT": lambda part: regex.loop(part, 0, 1),
}


def _joined(*parts: str) -> str:
    check_length(sum(map(len, parts)))
    return "".join(parts)


_ANY_NUMBER: dict[str, Callable[..., Value]] = {
    "OP_STR_CONCAT": _joined,
    "OP_RE_CONCAT": lambda *parts: regex.concat(parts),
    "OP_RE_UNION": lambda *parts: regex.union(parts),
    "OP_RE_INTER": lambda *parts: regex.inter(parts),
}


def _enter(kind: str, function: Callable[..., Value], whole: bool) -> None:
    prepared(kind, whole=whole)(lambda site: function)


for _kind, _function in _OPERATIONS.items():
    _enter(_kind, _function, False)
for _kind, _function in _ANY_NUMBER.items():
    _enter(_kind, _function, True)


@prepared("OP_STR_FROM_SBV")
def _from_signed(site: Site) -> Callable[[int], str]:
    half = 1 << (site.sorts[0].width - 1)
    return lambda bits: strings.decimal((bits ^ half) - half)


@prepared("OP_RE_POW")
def _power(site: Site) -> Callable[[regex.Regex], regex.Regex]:
    times = site.indices[0]
    return lambda part: regex.loop(part, times, times)


@prepared("OP_RE_LOOP")
def _loop(site: Site) -> Callable[[regex.Regex], regex.Regex]:
    low, high = site.indices
    return lambda part: regex.loop(part, low, high)
