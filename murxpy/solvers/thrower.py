"""Finds out whose fault an exception is that came out of a spelling: that of the binding, of one of
our helpers, or of a release without the name.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from types import ModuleType, TracebackType
from typing import Any

_LIBRARY = os.path.dirname(os.__file__)
_PACKAGE = os.path.dirname(os.path.dirname(__file__))


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
        """Return the name that a spelling or a helper looks for and that nothing in this release
        has. It is empty for any other exception.
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
        """Return our file in which the exception arose, not counting Python's library. Return None
        if it arose in the binding.
        """
        found = None
        trace: TracebackType | None = error.__traceback__
        while trace is not None:
            file = trace.tb_frame.f_code.co_filename
            if not _standard(file):
                found = file
            trace = trace.tb_next
        own = found is not None and (
            found == self._wrapper or found in self._helpers or found.startswith(_PACKAGE + os.sep)
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
