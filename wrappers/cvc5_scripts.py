"""Whole SMT-LIB scripts, which cvc5's own parser reads and runs. The file imports only cvc5 and the
standard library.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any

import cvc5

_ERROR = re.compile(r'\(error "(.*?)(?:"\)|\Z)', re.S)

# options for whole theories, which cvc5 refuses without them
_REQUIRED = ("arrays-exp", "fp-exp", "sets-exp", "strings-exp")

_SPENT = [0]  # see `spent`
_SCRIPT_STATISTICS: list[
    tuple[str, int]
] = []  # the statistics of the last script, if `_SCRIPTS_READ`
_SCRIPTS_READ: list[bool] = []

_NOTHING_THERE = re.compile(
    r"[Cc]annot get (model|value|unsat core|proof|unsat assumptions?) unless (immediately )?(after|preceded|in (un)?sat mode)"
)


def run_script(reader: Any, manager: Any, text: str, limit: int, wall_ms: int = 0) -> str:
    """The output of cvc5 for a script, in a solver of its own; each check has the limit `limit`,
    and that of `wall_ms` milliseconds.

    Raises RuntimeError with the first error. The message begins with `script error: `, or with
    `check error: ` if cvc5 read the whole script and a check failed. `reader` is the class
    InputParser. The wrapper names it, so that the spelling is left out for releases without it.
    """
    solver = cvc5.Solver(manager)
    try:
        return _run(reader, solver, text, limit, wall_ms)
    finally:
        _SPENT[0] += read_cost(solver) or 0
        if _SCRIPTS_READ:
            _SCRIPT_STATISTICS[:] = read_statistics(solver)[1]


def spent() -> int:
    """What cvc5 has counted towards its resource limit in all scripts of this process."""
    return _SPENT[0]


def run_alone(reader: Any, text: str, limit: int, wall_ms: int) -> tuple[str, int]:
    """The output of cvc5 for a script in a solver with terms of its own, and what cvc5 counted
    towards its resource limit. Raises RuntimeError as `run_script` does.
    """
    # before release 1.2 there is no manager of terms, and each solver has its own
    manager = getattr(cvc5, "TermManager", None)
    solver = cvc5.Solver(manager()) if manager else cvc5.Solver()
    output = _run(reader, solver, text, limit, wall_ms)
    return output, read_cost(solver) or 0


def _run(reader: Any, solver: Any, text: str, limit: int, wall_ms: int) -> str:
    for option in _REQUIRED:
        with contextlib.suppress(RuntimeError):  # this release does not have the option
            solver.setOption(option, "true")
    if limit:
        solver.setOption("reproducible-resource-limit", str(limit))
    if wall_ms:
        solver.setOption("tlimit-per", str(wall_ms))
    parser = reader(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "script")
    symbols = parser.getSymbolManager()
    output = ""
    while not (command := _next(parser)).isNull() and command.getCommandName() != "exit":
        printed = str(command.invoke(solver, symbols))
        found = _ERROR.search(printed)
        if found and not _NOTHING_THERE.search(found[1]):
            solving = command.getCommandName().startswith("check-sat")
            raise RuntimeError(f"{'check' if solving else 'script'} error: {found[1]}")
        output += printed
    return output


def _next(parser: Any) -> Any:
    """The next command. Raises RuntimeError for text that cannot be parsed."""
    try:
        return parser.nextCommand()
    except RuntimeError as error:
        raise RuntimeError(f"script error: {error}") from None


def read_cost(solver: Any) -> int | None:
    """What cvc5 has counted towards the resource limit of a solver; None if it does not tell."""
    counted = solver.getStatistics()["resource::resourceUnitsUsed"]["value"]
    return counted if isinstance(counted, int) else None


def read_statistics(solver: Any) -> tuple[int, list[tuple[str, int]]]:
    """What cvc5 has counted towards the resource limit of a solver, 0 if it does not tell, and the
    integers among the solver's statistics that differ from their defaults, also the internal ones.
    Histograms give an integer for each of their entries. Times are texts, and left out.
    """
    pairs: list[tuple[str, int]] = []
    for key, entry in solver.getStatistics().get(True, False).items():
        value = entry["value"]
        if isinstance(value, dict):
            pairs += [(f"{key}: {part}", count) for part, count in value.items()]
        elif isinstance(value, int):
            pairs.append((key, value))
    spent = dict(pairs).get("resource::resourceUnitsUsed", 0)
    return spent, pairs


def read_script_statistics() -> tuple[int, list[tuple[str, int]]]:
    """Zero, since the count of scripts belongs to the process and not to a run, and the integers among
    the statistics of the last script. They are kept from the first call of this function on, which
    a run makes before its first script.
    """
    _SCRIPTS_READ[:] = [True]
    return 0, list(_SCRIPT_STATISTICS)
