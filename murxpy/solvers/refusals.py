"""Sorts what a binding raises: unsupported in this release, out of resources, ill-formed (our
fault), a wrong model that the solver itself found, or undocumented (both are findings).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from murxpy.errors import InputError

UNDOCUMENTED = "undocumented"
INVALID_MODEL = "invalid-model"  # the solver's own check of its model failed
CLASSES = ("unsupported", "resources", "ill-formed", INVALID_MODEL, UNDOCUMENTED)
MEMORY = (MemoryError,)
# Patterns look at so many characters at each end of a message, because some of them take quadratic
# time on a long one.
MOST = 10_000


@dataclass(frozen=True)
class Refusal:
    """A call that raised an exception: its class, the name of the exception's type, and its first
    line. `ours` says that one of our helpers raised it, `of_terms` that the message tells of a term
    that is built, which an assertion does not do.
    """

    sort: str
    type: str
    message: str
    ours: bool = False
    of_terms: bool = False


class Refusals:
    """The rules of a wrapper. The first one that matches counts."""

    def __init__(self, rules: list[dict[str, Any]], where: str) -> None:
        self._rules: list[tuple[str, str | None, re.Pattern[str], bool]] = []
        for rule in rules:
            if rule["class"] not in CLASSES:
                raise InputError(
                    f"{where}: refusals: unknown class '{rule['class']}', expected one of {', '.join(CLASSES)}"
                )
            try:
                pattern = re.compile(rule.get("message") or "", re.DOTALL)
            except re.error as error:
                raise InputError(
                    f"{where}: refusals: bad pattern '{rule.get('message')}': {error}"
                ) from None
            of_terms = bool(rule.get("of-terms"))
            self._rules.append((rule["class"], rule.get("type"), pattern, of_terms))

    def sort(self, error: BaseException) -> Refusal:
        """Return the refusal that an exception of the binding stands for."""
        names = {cls.__name__ for cls in type(error).__mro__}
        text = _text(error)
        begin = text[:MOST].strip()
        line = begin.splitlines()[0][:400] if begin else ""
        if isinstance(error, MEMORY):
            return Refusal("resources", type(error).__name__, line)
        for sort, type_name, pattern, of_terms in self._rules:
            if (type_name is None or type_name in names) and _matches(pattern, text):
                return Refusal(sort, type(error).__name__, line, of_terms=of_terms)
        return Refusal(UNDOCUMENTED, type(error).__name__, line)


def _matches(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether a pattern occurs at the beginning of a message, or at its end, where a solver
    says what is wrong after it quotes something.
    """
    if pattern.search(text, 0, MOST):
        return True
    return len(text) > MOST and pattern.search(text, max(MOST, len(text) - MOST)) is not None


def _text(error: BaseException) -> str:
    value = error.args[0] if error.args else ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value) if error.args else str(error)
