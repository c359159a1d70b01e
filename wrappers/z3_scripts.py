"""Whole SMT-LIB scripts, read and run by z3's own front end. Imports z3 and the standard library only."""

from __future__ import annotations

import re
from typing import Any

import z3

_ERROR = re.compile(r'\(error "(?:line \d+ column \d+: )?(.*?)(?:"\)|\Z)', re.S)

_SPENT = re.compile(r"\(:rlimit (\d+)\)")

_NOTHING_THERE = re.compile(r"(model|unsat core|proof|unsat assumptions?) is not available")  # after the check that it was asked for


def run_script(ctx: Any, text: str, limit: int) -> str:
    """What z3 prints for a script that begins anew, each check within `limit`. Raises Z3Exception with its first error."""
    z3.Z3_mk_bool_sort(ctx.ref())  # forgets an error of the script before, which old releases would raise once more
    begin = f"(reset)\n(set-option :rlimit {limit})\n"
    try:
        return str(z3.Z3_eval_smtlib2_string(ctx.ref(), begin + text))
    except z3.Z3Exception as error:
        output = error.value.decode("utf-8", "replace") if isinstance(error.value, bytes) else str(error.value)
        errors = [text for text in _ERROR.findall(output) if not _NOTHING_THERE.search(text)]
        if not errors and _ERROR.search(output):
            return output
        raise z3.Z3Exception(f"script error: {errors[0] if errors else output}") from None
    finally:
        z3.Z3_global_param_reset_all()  # what a script sets is set for all that comes after it in this process


def spent(ctx: Any) -> int:
    """What z3 has counted for its resource limit in the scripts of a context; 0 where it does not say."""
    try:
        found = _SPENT.search(str(z3.Z3_eval_smtlib2_string(ctx.ref(), "(get-info :rlimit)")))
    except z3.Z3Exception:
        return 0
    return int(found[1]) if found else 0
