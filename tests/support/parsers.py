"""The solvers' own parsers of SMT-LIB: what they say of a script, None where they read it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import cvc5
import z3

bitwuzla: Any = None  # an extra, which may be missing
pyboolector: Any = None
with contextlib.suppress(ImportError):
    import bitwuzla
with contextlib.suppress(ImportError):
    import pyboolector


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


def refused_by_bitwuzla(text: str) -> str | None:
    """Why Bitwuzla does not read a script; no check is carried out. It has no names of logics of higher
    order.
    """
    text = text.replace("(set-logic HO_", "(set-logic ")
    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    try:
        parser.parse(text, True, False)
    except bitwuzla.BitwuzlaException as error:
        return str(error)
    return None


YICES = Path(sys.executable).parent / "yices-smt2"  # of an extra, which may be missing


def refused_by_yices(text: str) -> str | None:
    """Why Yices does not read a script; no check is carried out."""
    text = text.replace(
        "(set-logic HO_", "(set-logic "
    )  # it has no names of logics of higher order
    rows = [row for row in text.splitlines() if not row.startswith(("(check", "(get"))]
    ended = subprocess.run(
        [YICES, "--incremental"], input="\n".join(rows), capture_output=True, text=True, check=False
    )
    return next((row for row in ended.stdout.splitlines() if row.startswith("(error")), None)


def refused_by_boolector(text: str) -> str | None:
    """Why Boolector does not read a script; no check is carried out. It reads files only."""
    text = text.replace("(set-logic HO_", "(set-logic ")  # no names of logics of higher order
    solver = pyboolector.Boolector()
    for option in ("BTOR_OPT_INCREMENTAL", "BTOR_OPT_PARSE_INTERACTIVE"):
        solver.Set_opt(pyboolector.BtorOption[option], int(option == "BTOR_OPT_INCREMENTAL"))
    with tempfile.NamedTemporaryFile("w", suffix=".smt2") as file:
        file.write(text)
        file.flush()
        try:
            _, _, message = solver.Parse(file.name)
        except pyboolector.BoolectorException as error:
            return str(error)
    return None if message is None else str(message)


PARSERS = {"cvc5": refused_by_cvc5, "z3": refused_by_z3}
if pyboolector is not None:
    PARSERS["boolector"] = refused_by_boolector
if bitwuzla is not None:
    PARSERS["bitwuzla"] = refused_by_bitwuzla
if YICES.exists():
    PARSERS["yices"] = refused_by_yices
