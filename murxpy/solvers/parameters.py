"""Parameters that a solver's whole process has, so that no solver object of a run can set them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import SpellingSet

# What a value looks like, by the type of the option or parameter.
VALUES = {
    "bool": ("true|false", "true or false"),
    "int": ("-?[0-9]+", "a whole number"),
    "unsigned": ("[0-9]+", "a whole number of 0 or more"),
    "float": (r"-?[0-9]+(\.[0-9]+)?", "a number"),
}


def expected_value(kind: str, value: str) -> str:
    """What values an option of a type takes, in words; empty where `value` is one, or where nothing
    is known of the type.
    """
    pattern, expected = VALUES.get(kind, ("", ""))
    return "" if re.fullmatch(pattern or ".*", value, re.DOTALL) else expected


class Parameters:
    """The parameters of the process in which a solver is loaded.

    `spelled` gives the spellings of a call in the section `lifecycle` of the wrapper, None where this
    release has none. `touched` says that a run has set a parameter, so that the next run of this
    process must not begin before `reset`.
    """

    def __init__(self, spelled: Callable[[str], SpellingSet | None]) -> None:
        self._spelled = spelled
        self.touched = False

    @cached_property
    def types(self) -> Mapping[str, str]:
        """The types of all parameters by name; empty where the solver has none."""
        return dict(self._call("process-parameters") or {})

    def reset(self) -> None:
        """Give all parameters the values that they have in a new process."""
        if self.touched:
            self._call("reset-parameters")
            self.touched = False

    def _call(self, name: str) -> Any:
        spellings = self._spelled(name)
        frame = Frame(lambda sort: None)
        return None if spellings is None else spellings.spellings[0].call((), (), frame)
