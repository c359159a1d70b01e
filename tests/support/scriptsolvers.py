"""z3 and cvc5 run scripts in this process, as the wrappers do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import cvc5
import z3

from murxpy.data.folders import data_folder
from murxpy.machine.script import answers_of


@contextmanager
def _helpers() -> Iterator[None]:
    sys.path.insert(0, str(data_folder("wrappers")))
    try:
        yield
    finally:
        sys.path.pop(0)


with _helpers():
    import cvc5_scripts
    import z3_scripts

SOLVERS = ("z3", "cvc5")


def output(solver: str, text: str, limit: int = 200_000, context: z3.Context | None = None) -> str:
    """What a solver prints for a script, z3 in `context` or a new one. Raises the binding's exception
    where it does not read the script.
    """
    if solver == "z3":
        return z3_scripts.run_script(context or z3.Context(), text, 5 * limit)
    return cvc5_scripts.run_script(cvc5.InputParser, cvc5.TermManager(), text, limit)


def answers(solver: str, text: str, limit: int = 200_000) -> list[str]:
    """The answers of a script's checks. Raises as `output` does."""
    return answers_of(output(solver, text, limit))
