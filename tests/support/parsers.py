"""The solvers' own parsers of SMT-LIB: what they say of a script, None where they read it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial

import cvc5
import z3
from shipped import installed

from murxpy.data import importable_names, load_wrapper


def refused_by_cvc5(text: str) -> str | None:
    """Why cvc5 does not read a script; no check and no question is carried out."""
    solver = cvc5.Solver(cvc5.TermManager())
    symbols = cvc5.SymbolManager(solver)
    for option in ("arrays-exp", "fp-exp", "strings-exp", "sets-exp"):
        solver.setOption(option, "true")
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "script")
    try:
        while not (command := parser.nextCommand()).isNull():
            if command.getCommandName().startswith(
                ("declare", "define", "set-logic", "assert", "reset")
            ):
                answer = str(command.invoke(solver, symbols))
                if "error" in answer:
                    return answer
    except Exception as error:
        return str(error)
    return None


def refused_by_z3(text: str) -> str | None:
    """Why z3 does not read a script; commands that it does not know are no reason."""
    try:
        z3.parse_smt2_string(text, ctx=z3.Context())
    except z3.Z3Exception as error:
        return str(error)
    return None


def refused_by_runner(solver: str, text: str) -> str | None:
    """Why another solver does not read a script, by the `script-runner` of its wrapper; no check is
    carried out. None of these solvers has names of logics of higher order.
    """
    rows = text.replace("(set-logic HO_", "(set-logic ").splitlines()
    with tempfile.NamedTemporaryFile("w", suffix=".smt2") as file:
        file.write("\n".join(row for row in rows if not row.startswith(("(check", "(get"))))
        file.flush()
        runner = [sys.executable, "-c", load_wrapper(solver)["script-runner"], file.name]
        ended = subprocess.run(runner, capture_output=True, text=True, check=False)
    told = next((row for row in ended.stdout.splitlines() if row.startswith("(error")), None)
    return told or (ended.stderr.strip() or "it failed" if ended.returncode else None)


PARSERS: dict[str, Callable[[str], str | None]] = {
    "cvc5": refused_by_cvc5,
    "cvc5-pythonic": refused_by_cvc5,
    "z3": refused_by_z3,
}
for _solver in importable_names():
    if load_wrapper(_solver)["script-runner"] and installed(_solver):
        PARSERS.setdefault(_solver, partial(refused_by_runner, _solver))
