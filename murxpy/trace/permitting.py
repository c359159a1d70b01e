"""What no line of a trace may have in it: the options and commands that a wrapper forbids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from murxpy.errors import InputError
from murxpy.machine.tokens import Python, Quoted, Ref
from murxpy.solvers.forbidden import Forbidden
from murxpy.trace.grammar import OPTIONS, Line, Trace


def permit(forbidden: Forbidden, trace: Trace, line: Line) -> None:
    """Raise InputError if a text in a line of `trace` is a script that uses what is forbidden. In the
    lines that set options, and in a misuse, whose operands go to any function of the binding, the
    name of a forbidden option is such a text, too.
    """
    names = line.action in (*OPTIONS, "misuse")
    ask = forbidden.in_operand if names else forbidden.in_script
    for token in line.args:
        value = token.value if isinstance(token, Python) else token
        for text in _texts(value.text if isinstance(value, Quoted) else value):
            if found := ask(text):
                raise InputError(found, file=trace.name, line=line.number)


def _texts(value: Any) -> Iterator[str]:
    """The texts in an operand, which may be nested in lists."""
    if isinstance(value, bytes):
        yield value.decode("latin-1")
    elif isinstance(value, dict):
        yield from _texts([*value, *value.values()])
    elif isinstance(value, (list, tuple)) and not isinstance(value, Ref):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str):
        yield value
