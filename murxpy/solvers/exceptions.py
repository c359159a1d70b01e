"""Sorts what a binding raises: unsupported in this release, out of resources, ill-formed (our
fault), a wrong model that the solver itself found, or undocumented (both are findings).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from types import ModuleType, TracebackType
from typing import Any, Literal, get_args

from murxpy.errors import InputError

UNDOCUMENTED = "undocumented"
INVALID_MODEL = "invalid-model"  # the solver's own check of its model failed
ILL_FORMED = "ill-formed"
# Classes of refused calls that are counted.
REFUSALS = ("unsupported", "resources", ILL_FORMED, UNDOCUMENTED)
Class = Literal["unsupported", "resources", "ill-formed", "invalid-model", "undocumented"]
CLASSES = get_args(Class)
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


# ----------------------------------------------------------------------
# Finds out whose fault an exception is that came out of a spelling: that of the binding, of one
# of our helpers, or of a release without the name.


_LIBRARY = os.path.dirname(os.__file__)
_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


class Thrower:
    """Tells the exceptions of a binding from those of the code that calls it.

    `wrapper` is the name that compiled templates have as their file, `helpers` are the files of
    helpers, and `module` is the solver's module. `retold` are classes of exceptions in which
    helpers tell what the solver said.
    """

    def __init__(
        self, wrapper: str, helpers: Iterable[str], module: str, retold: Iterable[str]
    ) -> None:
        self._wrapper = wrapper
        self._helpers = frozenset(helpers)
        self._module = module
        self._retold = frozenset(retold)

    def lacking(self, error: BaseException) -> str:
        """Return the name that a spelling or a helper looks for and that nothing in this release has.
        The text is empty for any other exception.
        """
        if (
            not isinstance(error, AttributeError)
            or self._innermost(error) is None
            or not error.name
        ):
            return ""
        owner, name = error.obj, error.name
        if isinstance(owner, (ModuleType, type)):
            return f"{owner.__name__}.{name}" if self._of_solver(owner) else ""
        known = self._of_solver(type(owner)) and not any(
            hasattr(cls, name) for cls in self._classes()
        )
        return f"{type(owner).__name__}.{name}" if known else ""

    def ours(self, error: BaseException) -> bool:
        """Return whether a helper or murxpy itself raised the exception, which then says nothing
        about the binding.
        """
        file = self._innermost(error)
        # a template calls the binding directly, so an exception without a frame is the binding's
        if file is None or file == self._wrapper:
            return False
        names = {cls.__name__ for cls in type(error).__mro__}
        return type(error).__module__ == "builtins" and not names & self._retold

    def _innermost(self, error: BaseException) -> str | None:
        """Return our file in which the exception arose, not counting Python's library. Return None if
        the exception arose in the binding.
        """
        found = None
        trace: TracebackType | None = error.__traceback__
        while trace is not None:
            file = trace.tb_frame.f_code.co_filename
            if not _standard(file):
                found = file
            trace = trace.tb_next
        own = found is not None and (
            found == self._wrapper or found in self._helpers or found.startswith(_PACKAGE)
        )
        return found if own else None

    def _of_solver(self, owner: Any) -> bool:
        module = (
            owner.__name__
            if isinstance(owner, ModuleType)
            else str(getattr(owner, "__module__", ""))
        )
        # the name is only the beginning, since the extension module of old releases of cvc5 is
        # called cvc5_python_base
        return module.startswith(self._module)

    def _classes(self) -> list[type]:
        """Return the classes of the solver's modules."""
        modules = [
            module for name, module in list(sys.modules.items()) if name.startswith(self._module)
        ]
        return [
            value
            for module in modules
            for value in vars(module).values()
            if isinstance(value, type) and self._of_solver(value)
        ]


def _standard(file: str) -> bool:
    """Return whether a file belongs to Python's library."""
    return file.startswith((_LIBRARY, "<frozen")) and "site-packages" not in file


# ----------------------------------------------------------------------
# Judges what a misused call raised: it is documented, the solver is out of resources, the call
# never reached the binding, or the contract is broken.


# it is one defect then, whatever is called
CONVERTED = " by the conversion of arguments that all callables share"
DOCUMENTED, RESOURCES, UNREACHED, BROKEN = "documented", "resources", "unreached", "broken"
# Python's sentences for an argument of a wrong type or value, in the words of its library
# reference; a binding may leave this complaint to Python. A foreign function is not called with a
# wrong argument, so `ArgumentError` of ctypes is a refusal like the others.
PYTHON = {
    "TypeError": "Raised when an operation or function is applied to an object of inappropriate type.",
    "ValueError": "Raised when an operation or function receives an argument that has the right type but an inappropriate value",
    "OverflowError": "for historical reasons, OverflowError is sometimes raised for integers that are outside a required range",
    "IndexError": "Raised when a sequence subscript is out of range.",
    "NotImplementedError": "abstract methods should raise this exception when they require derived classes to override the method",
    "ArgumentError": "This exception is raised when a foreign function call cannot convert one of the passed arguments.",
}
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{5,}")

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

    def promised(self) -> Thrown:
        """Return the same exception of a call that must not raise. Documented exceptions, too, then
        break the contract.
        """
        return replace(self, sort=BROKEN) if self.sort == DOCUMENTED else self

    def documented(self) -> Thrown:
        """Return the same exception, judged as documented."""
        return replace(self, sort=DOCUMENTED)


def documented_types(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the classes of exceptions for which the section `contract` of a wrapper quotes the
    documentation.
    """
    return tuple(entry["type"] for entry in data.get("documented") or ())


class Contract:
    """A binding's promises about its exceptions, and the calls that it leaves undefined: the section
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
            ours = name in self._helpers or name.startswith((*_OURS, _PACKAGE)) or _standard(name)
            function = code.co_qualname.rpartition(self._extension)[2]
            place = "" if ours else f"{function} ({PurePath(name).name})"
            trace = trace.tb_next
        return place
