"""Parameters of z3 that its whole process has. The file imports only z3 and the standard library."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
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

_SET_OPTION = re.compile(r"\(\s*set-option\s+:([^\s()]+)\s+([^\s()]+)\s*\)")
# Parameters that solvers read again when a script sets them.
_LATER = re.compile(r"smt\.|rlimit$|timeout$")
_LIMITS = ("rlimit", "timeout")

_parameters_set: dict[str, str] = {}  # what the run in hand has set
_values_before: dict[str, str] = {}  # the values of a new process, of what was ever set


def set_parameter(name: str, value: str) -> None:
    """Set a parameter of the process."""
    _remember(name)
    z3.set_param(name, value)
    _parameters_set[name] = value


def no_parameters(args: Sequence[Any], indices: Sequence[Any], sort: str | None) -> bool:
    """A guard: no parameter of the process is set."""
    return not _parameters_set


def reset_parameters() -> None:
    """Give the parameters that were set the values of a new process again."""
    names = [*_parameters_set]
    _parameters_set.clear()
    _restore(names)


def parameters_in(text: str) -> dict[str, str]:
    """The parameters of the process that a script sets, with their values. The values that they have
    now are remembered.
    """
    known, pairs = _known(), _SET_OPTION.findall(text)
    found = {_normal(name): value for name, value in pairs if _normal(name) in known}
    for name in (*found, *_LIMITS):
        _remember(name)
    return found


def set_for_script(parameters: Mapping[str, str]) -> dict[str, str]:
    """Set the parameters that a script sets, where that must be done before z3 makes the context in
    which it reads the script: z3 makes a solver with the context, and a later `set-option` changes
    no choice of solvers or tactics. Return these parameters.
    """
    early = {name: value for name, value in parameters.items() if not _LATER.match(name)}
    for name, value in early.items():
        z3.Z3_global_param_set(name, value)
    return early


def forget_parameters_of_scripts(names: Iterable[str]) -> None:
    """Give parameters that a script has set the values that they had before it."""
    _restore([*names, *_LIMITS])


def _remember(name: str) -> None:
    if name not in _values_before and name in _known():
        _values_before[name] = str(z3.get_param(name))


def _restore(names: Iterable[str]) -> None:
    """Give each of these parameters the value that the run set, else that of a new process.

    The call Z3_global_param_reset_all is not used: after it, some releases take parameters of some
    modules for unknown (z3 4.8.12 to 5.4.1, modules rewriter, pp, fp and others).
    """
    for name in names:
        value = _parameters_set.get(name, _values_before.get(name))
        if value is not None:
            z3.Z3_global_param_set(name, value)


def _normal(name: str) -> str:
    """The name as z3 compares it."""
    return name.lower().replace("-", "_").replace(":", "_")


@cache
def _known() -> dict[str, str]:
    return process_parameters()


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
    with open(os.memfd_create("murxpy-said"), "w+b") as file:
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


# What the descriptions of parameters tell of numbers, such as "0 - none, 1 - all", and of names.
_NUMBERED = re.compile(r"(?<![\w.-])([0-9]{1,2}) ?[-:=] ?(?=[a-zA-Z])")
_QUOTED = re.compile(r"'([a-z][\w-]*)'")
_TYPES = {
    z3.Z3_PK_UINT: "int",
    z3.Z3_PK_BOOL: "bool",
    z3.Z3_PK_DOUBLE: "float",
}


def solver_options() -> list[dict[str, Any]]:
    """The parameters of solvers with their names and types, and their values where the description
    numbers or quotes them. z3 tells no categories and no ranges. A parameter of type `text` takes a text.
    """
    context = z3.Context()
    solver = z3.Solver(ctx=context)
    described = solver.param_descrs()
    found = []
    for at in range(described.size()):
        name = described.get_name(at)
        text = described.get_documentation(name)
        entry: dict[str, Any] = {"name": name, "type": _TYPES.get(described.get_kind(name), "text")}
        numbers = [*dict.fromkeys(map(int, _NUMBERED.findall(text)))]
        if entry["type"] == "int":
            entry["min"] = 0
            if len(numbers) > 1:
                entry["values"] = numbers
        if entry["type"] == "text" and len(names := _QUOTED.findall(text)) > 1:
            entry |= {"type": "choice", "values": [*dict.fromkeys(names)]}
        found.append(entry)
    return found
