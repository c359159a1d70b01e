"""Whole SMT-LIB scripts, read and run by z3's own front end. Imports z3 and the standard library only."""

from __future__ import annotations

import re
from typing import Any

import z3

_ERROR = re.compile(r'\(error "(?:line \d+ column \d+: )?(.*?)"\)', re.S)


def run_script(ctx: Any, text: str, limit: int) -> str:
    """What z3 prints for a script that begins anew, each check within `limit`. Raises Z3Exception with its first error."""
    begin = f"(reset)\n(set-option :rlimit {limit})\n"
    try:
        return str(z3.Z3_eval_smtlib2_string(ctx.ref(), begin + text))
    except z3.Z3Exception as error:
        output = error.value.decode("utf-8", "replace") if isinstance(error.value, bytes) else str(error.value)
        found = _ERROR.search(output)
        raise z3.Z3Exception(f"script error: {found[1] if found else output}") from None
