"""Judges what a misused call raised: it is documented, the solver is out of resources, the call
never reached the binding, or the contract is broken.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from types import TracebackType
from typing import Any

from murxpy.solvers.refusals import Refusals

# it is one defect then, whatever is called
CONVERTED = " by the conversion of arguments that all callables share"
DOCUMENTED, RESOURCES, UNREACHED, BROKEN = "documented", "resources", "unreached", "broken"
# How Python says that an argument has a wrong type or value, in the words of its library reference;
# a binding may leave that to Python. A foreign function is not called with a wrong argument, so
# `ArgumentError` of ctypes is a refusal like the others.
PYTHON = {
    "TypeError": "Raised when an operation or function is applied to an object of inappropriate type.",
    "ValueError": "Raised when an operation or function receives an argument that has the right type but an inappropriate value",
    "OverflowError": "for historical reasons, OverflowError is sometimes raised for integers that are outside a required range",
    "IndexError": "Raised when a sequence subscript is out of range.",
    "NotImplementedError": "abstract methods should raise this exception when they require derived classes to override the method",
    "ArgumentError": "This exception is raised when a foreign function call cannot convert one of the passed arguments.",
}
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{5,}")
_LIBRARY = os.path.dirname(os.__file__)
_OURS = ("wrappers/", "murxpy/", "<string>")


@dataclass(frozen=True)
class Thrown:
    """An exception of a misused call: how it is judged, the name of its type, its first line, and
    the function of the binding that raised it.
    """

    sort: str
    type: str
    message: str
    place: str

    @property
    def text(self) -> str:
        """Return type and message, without addresses."""
        return f"{self.type}: {self.message}" if self.message else self.type

    def documented(self) -> Thrown:
        """Return the same exception, judged as documented."""
        return replace(self, sort=DOCUMENTED)


def documented_types(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the classes of exceptions for which the section `contract` of a wrapper quotes the
    documentation.
    """
    return tuple(entry["type"] for entry in data.get("documented") or ())


class Contract:
    """What a binding promises of its exceptions, and which calls it leaves undefined: the section
    `contract` of its wrapper.
    """

    def __init__(self, data: dict[str, Any], helpers: Sequence[str]) -> None:
        self.documented = (*PYTHON, *documented_types(data))
        self._defect = [
            re.compile(entry["message"], re.DOTALL) for entry in data.get("defects") or ()
        ]
        self._undefined = [
            (re.compile(entry["call"]), frozenset(entry.get("rules") or ()))
            for entry in data.get("undefined") or ()
        ]
        self._conversions = [
            re.compile(entry["message"]) for entry in data.get("conversions") or ()
        ]
        self._helpers = frozenset(helpers)
        # in old releases the module of the extension stands before the names of functions
        self._extension = f".{data.get('extension-module') or ''}."

    def undefined(self, template: str, rule: str) -> bool:
        """Return whether the binding leaves undefined what a call of this template does with the
        operands that `rule` gives it.
        """
        return any(
            call.search(template) and (not rules or rule in rules)
            for call, rules in self._undefined
        )

    def caused(self, fault: str) -> str:
        """Return the fault of a public callable, and whether the conversion of arguments that all
        callables share causes it, if the wrapper says so.
        """
        what, mark, details = fault.partition(";")
        common = any(pattern.match(what) for pattern in self._conversions)
        return f"{what}{CONVERTED}{mark}{details}" if common else fault

    def judge(self, error: BaseException, refusals: Refusals) -> Thrown:
        """Judge the exception of a misused call."""
        known = refusals.sort(error)
        message = _ADDRESS.sub("0x_", known.message)
        place = self.place(error.__traceback__)
        names = {cls.__name__ for cls in type(error).__mro__}
        if known.sort == "resources":
            sort = RESOURCES
        elif any(pattern.search(message) for pattern in self._defect):
            sort = BROKEN
        elif names.intersection(self.documented):
            sort = DOCUMENTED
        else:
            sort = BROKEN if place else UNREACHED
        return Thrown(sort, known.type, message, place)

    def place(self, trace: TracebackType | None) -> str:
        """Return the function of the binding in which an exception arose, or the empty string if it
        arose in our code.
        """
        place = ""
        while trace is not None:
            code = trace.tb_frame.f_code
            name = code.co_filename
            ours = (
                name in self._helpers
                or name.startswith(_OURS)
                or "/murxpy/" in name
                or _standard(name)
            )
            function = code.co_qualname.rpartition(self._extension)[2]
            place = "" if ours else f"{function} ({PurePath(name).name})"
            trace = trace.tb_next
        return place


def _standard(file: str) -> bool:
    """Return whether a file belongs to Python's library."""
    return file.startswith((_LIBRARY, "<frozen")) and "site-packages" not in file
