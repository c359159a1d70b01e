"""Whole SMT-LIB scripts, which z3's own front end reads and runs. The file imports only z3 and the
standard library.
"""

from __future__ import annotations

import re
from typing import Any

import z3
from z3_parameters import forget_parameters_of_scripts, parameters_in, set_for_script
from z3_patience import patience

_ERROR = re.compile(r'\(error "(?:line \d+ column \d+: )?(.*?)(?:"\)|\Z)', re.S)

# Before release 5.0 a context keeps the limits and some options of each script that it ran. So one
# script could end the checks of another.
_SHARED = z3.get_version()[0] >= 5

# Before release 4.8.11, z3 reads and prints literals with the escapes of C: "\\x41" is "A". Release
# 4.8.7 does not read "\\u{41}".
_ESCAPES_OF_C = z3.get_version()[:3] < (4, 8, 11)
_LITERAL = re.compile(r'("(?:[^"]|"")*")|\|[^|]*\||;[^\n]*')
_STANDARD = re.compile(r"\\u\{([0-9a-fA-F]{1,5})\}|\\u([0-9a-fA-F]{4})|\\")
_OF_C = re.compile(r"\\x([0-9a-fA-F]{2})|\\(.)", re.S)
_LETTERS = dict(zip("abfnrtv", (7, 8, 12, 10, 13, 9, 11), strict=True))

_SPENT = re.compile(r"\(:rlimit (\d+)\)")

# What a check that answers otherwise has not, and the cores that the reader of z3 4.8 gives to no
# script.
_NOTHING_THERE = re.compile(
    r"(model|unsat core|proof|unsat assumptions?) is not available|':produce-unsat-cores', option value cannot be modified|"
    r"unsat core construction is not enabled"
)


def run_script(ctx: Any, text: str, limit: int, wall_ms: int = 0) -> str:
    """The output of z3 for a script, which begins from nothing; each check has the limit `limit`,
    and that of `wall_ms` milliseconds, because the nonlinear procedures hardly count towards the
    other. Raises Z3Exception with the first error.
    """
    parameters = parameters_in(text)
    own = _context_for(ctx, set_for_script(parameters))
    before = 0 if own is ctx else _counted(own)
    begin = f"(reset)\n(set-option :rlimit {limit})\n"
    if wall_ms:
        begin += f"(set-option :timeout {wall_ms})\n"
    try:
        return _output(own, begin, text)
    finally:
        # a context that names itself would live until the garbage collector runs
        ctx.murxpy_script = None if own is ctx else own
        if own is not ctx:
            ctx.murxpy_spent = getattr(ctx, "murxpy_spent", 0) + _counted(own) - before
        # an option that a script sets stays set for everything later in this process
        forget_parameters_of_scripts(parameters)


def _context_for(ctx: Any, early: dict[str, str]) -> Any:
    """The context for a script that sets these parameters before z3 makes one. The scripts of a run
    often set the same parameters one after another; they share a context, because to make and to
    free one takes as long as several checks.
    """
    if not _SHARED:
        return z3.Context()
    if not early:
        return ctx
    known = getattr(ctx, "murxpy_early", None)
    if known is None or known[0] != early:
        known = ctx.murxpy_early = (early, z3.Context())
    return known[1]


def run_alone(text: str, limit: int, wall_ms: int) -> tuple[str, int]:
    """The output of z3 for a script in a new context, and what z3 counted towards its resource limit.
    The checks of the script are interrupted after `wall_ms` milliseconds of the processor's time for
    each of them. Raises Z3Exception with the first error.
    """
    parameters = parameters_in(text)
    context = z3.Context()
    try:
        with patience(context, wall_ms * max(1, text.count("(check-sat"))):
            output = _output(
                context, f"(set-option :rlimit {limit})\n", f"{text}\n(get-info :rlimit)\n"
            )
    finally:
        forget_parameters_of_scripts(parameters)
    found = _SPENT.search(output)
    return output[: found.start()] if found else output, int(found[1]) if found else 0


def _output(context: Any, begin: str, text: str) -> str:
    """The output of z3 for a script in a context, in the spelling of the standard. Raises Z3Exception
    with the first error.
    """
    try:
        return _standard(
            str(
                z3.Z3_eval_smtlib2_string(
                    context.ref(), begin + (with_escapes_of_c(text) if _ESCAPES_OF_C else text)
                )
            )
        )
    except z3.Z3Exception as error:
        output = (
            error.value.decode("utf-8", "replace")
            if isinstance(error.value, bytes)
            else str(error.value)
        )
        errors = [text for text in _ERROR.findall(output) if not _NOTHING_THERE.search(text)]
        if not errors and _ERROR.search(output):
            return _standard(output)
        raise z3.Z3Exception(f"script error: {errors[0] if errors else output}") from None


def _standard(output: str) -> str:
    return with_standard_escapes(output) if _ESCAPES_OF_C else output


def with_escapes_of_c(text: str) -> str:
    """A script with its literals in the form that z3 before 4.8.11 reads. Raises Z3Exception for a
    character that such a release does not have.
    """

    def escape(found: re.Match[str]) -> str:
        code = int(found[1] or found[2] or "5c", 16)
        if code > 0xFF:
            raise z3.Z3Exception("characters outside of the range of a byte are not supported")
        return f"\\x{code:02x}"

    return _LITERAL.sub(
        lambda found: _STANDARD.sub(escape, found[0]) if found[1] else found[0], text
    )


def with_standard_escapes(output: str) -> str:
    """The output of z3 before 4.8.11, with the escapes of the standard."""

    def escape(found: re.Match[str]) -> str:
        code = int(found[1], 16) if found[1] else _LETTERS.get(found[2], ord(found[2]))
        return f"\\u{{{code:x}}}"

    return _LITERAL.sub(lambda found: _OF_C.sub(escape, found[0]) if found[1] else found[0], output)


def spent(ctx: Any) -> int:
    """What z3 counted towards its resource limit in the scripts of a run, in its context `ctx` and
    in contexts of their own; 0 if it does not tell.
    """
    return int(getattr(ctx, "murxpy_spent", 0)) + (_counted(ctx) if _SHARED else 0)


def _counted(ctx: Any) -> int:
    try:
        found = _SPENT.search(str(z3.Z3_eval_smtlib2_string(ctx.ref(), "(get-info :rlimit)")))
    except z3.Z3Exception:
        return 0
    return int(found[1]) if found else 0


def read_cost(solver: Any, ctx: Any) -> int | None:
    """What z3 has counted towards its resource limit in a context, also for the scripts that ran in
    contexts of their own; None if it does not tell.
    """
    statistics = solver.statistics()
    names = statistics.keys()
    if "rlimit count" not in names:
        return None
    return int(statistics.get_key_value("rlimit count")) + int(getattr(ctx, "murxpy_spent", 0))


# Statistics that differ from process to process, or with the time.
_OF_PROCESS = ("memory", "max memory", "num allocs", "time")


def read_statistics(solver: Any) -> tuple[int, list[tuple[str, int]]]:
    """What z3 has counted towards its resource limit in the solver's context, 0 if it does not tell,
    and the integers among the solver's statistics. It calls the library itself: through the class
    `Statistics` it takes seven times as long.
    """
    context, spent, pairs = solver.ctx.ref(), 0, []
    statistics = z3.Z3_solver_get_statistics(context, solver.solver)
    z3.Z3_stats_inc_ref(context, statistics)
    try:
        for at in range(z3.Z3_stats_size(context, statistics)):
            if not z3.Z3_stats_is_uint(context, statistics, at):
                continue
            key = z3.Z3_stats_get_key(context, statistics, at)
            value = z3.Z3_stats_get_uint_value(context, statistics, at)
            if key == "rlimit count":
                spent = value
            if key not in _OF_PROCESS:
                pairs.append((key, value))
    finally:
        z3.Z3_stats_dec_ref(context, statistics)
    return spent, pairs


_FIGURE = re.compile(r"[(\s]:([\w.-]+)\s+(\d+)(?=[\s)])")


def read_script_statistics(ctx: Any) -> tuple[int, list[tuple[str, int]]]:
    """What z3 has counted towards its resource limit in the scripts of the run with the context `ctx`,
    and the integers among the statistics of the last script; nothing before the first one.
    """
    if not hasattr(ctx, "murxpy_script"):
        return 0, []
    own = ctx.murxpy_script or ctx
    text = str(z3.Z3_eval_smtlib2_string(own.ref(), "(get-info :all-statistics)"))
    of_process = [name.replace(" ", "-") for name in _OF_PROCESS]
    pairs = [(key, int(value)) for key, value in _FIGURE.findall(text) if key not in of_process]
    return spent(ctx), pairs
