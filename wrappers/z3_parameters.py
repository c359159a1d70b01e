"""Parameters of z3 that its whole process has. The file imports only z3 and the standard library."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

import z3

# Nothing in z3py lists the parameters of modules. What z3 writes about a name that it does not know
# lists all parameters of the module in that name.
_MODULES = """
    ackermannization|algebraic|combined_solver|fp|lp|model|model_evaluator|nlsat|opt|parallel|parser
    pi|pp|rcf|rewriter|sat|sls|smt|solver|tactic
"""
_PARAMETER = re.compile(r"^  (\S+) \((bool|unsigned int|double|symbol|string)\)", re.M)
_PARAMETER_TYPES = {"bool": "bool", "unsigned int": "unsigned", "double": "float"}

_parameters_set: dict[str, str] = {}  # what the run in hand has set


def set_parameter(name: str, value: str) -> None:
    """Set a parameter of the process."""
    z3.set_param(name, value)
    _parameters_set[name] = value


def no_parameters(args: Sequence[Any], indices: Sequence[Any], sort: str | None) -> bool:
    """A guard: no parameter of the process is set."""
    return not _parameters_set


def reset_parameters() -> None:
    """Give all parameters of the process their defaults again."""
    _parameters_set.clear()
    z3.Z3_global_param_reset_all()


def forget_parameters_of_scripts() -> None:
    """Leave only those parameters of the process set that `set_parameter` has set."""
    z3.Z3_global_param_reset_all()
    for name, value in _parameters_set.items():
        z3.set_param(name, value)


def process_parameters() -> dict[str, str]:
    """The parameters of the process with their types: `bool`, `unsigned`, `float` or `text`."""
    found = {}
    for module in ["", *re.findall(r"\w+", _MODULES)]:
        prefix = f"{module}." if module else ""
        for name, kind in _PARAMETER.findall(_said_of(f"{prefix}unknown")):
            found[prefix + name] = _PARAMETER_TYPES.get(kind, "text")
    return found


def _said_of(name: str) -> str:
    """What z3 writes to standard error when it is asked for a parameter that it does not have."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        z3.Z3_toggle_warning_messages(True)
        try:
            with contextlib.suppress(z3.Z3Exception):
                z3.get_param(name)
        finally:
            z3.Z3_toggle_warning_messages(False)
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return file.read().decode("utf-8", "replace")
