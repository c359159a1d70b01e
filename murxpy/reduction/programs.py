"""Runs of programs that show a finding without murxpy, under limits and judged like a replay."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from murxpy.oracles.crash import Cause, Outcome
from murxpy.processes.handles import end_group
from murxpy.processes.limits import Limits
from murxpy.processes.parents import resident
from murxpy.processes.targets import Plan
from murxpy.worker.confine import confine
from murxpy.worker.process import die_with_parent
from murxpy.worker.worker import excerpt

_STEP = 0.02  # seconds between two looks at the process
_STACK = 8 << 20  # bytes, the limit that workers have


def run_program(
    plan: Plan, file: Path, words: Sequence[str], trace: str, seconds: float, limits: Limits
) -> Outcome:
    """Run the Python program `file` with the arguments `words` as `run_command` does, by the
    target's interpreter.
    """
    bare = ["-S"] if plan.target.bare else []
    command = [plan.target.interpreter, *bare, str(file.absolute()), *words]
    return run_command(plan, command, file.parent, trace, seconds, limits)


def run_command(
    plan: Plan, command: Sequence[str], folder: Path, trace: str, seconds: float, limits: Limits
) -> Outcome:
    """Run a command in `folder` and in the environment of the target. The command may change no file:
    it may run a script that somebody else sent.

    The outcome has `trace`, of which the program is a translation. The cause of the outcome is `wall`
    after `seconds`, `memory` past the memory limit, and else `died` with the status. Raises OSError
    when the command cannot be started.
    """
    parent = os.getpid()

    def prepare() -> None:
        die_with_parent(parent)
        confine(None, programs=True)

    with tempfile.TemporaryFile() as output:
        start = time.monotonic()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            env=_environment(plan),
            cwd=folder,
            preexec_fn=prepare,
        )
        try:
            _limit(process.pid, limits)
            cause, status, peak = _watch(process, start + seconds, limits.memory)
        finally:
            end_group(process)
        text, took = excerpt(output.fileno()), time.monotonic() - start
    return Outcome(cause, None, trace, text, status, peak, took, memory_limit=limits.memory)


def _environment(plan: Plan) -> dict[str, str]:
    variables = plan.target.environment()
    paths = [*plan.target.paths, *plan.setup.get("paths", []), variables.get("PYTHONPATH", "")]
    return {
        **variables,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "PYTHONFAULTHANDLER": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _limit(pid: int, limits: Limits) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError, ValueError):
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (limits.output, limits.output))
        resource.prlimit(
            pid, resource.RLIMIT_STACK, (_STACK, resource.prlimit(pid, resource.RLIMIT_STACK)[1])
        )


def _watch(
    process: subprocess.Popen[bytes], deadline: float, memory: int
) -> tuple[Cause, int | None, int]:
    """Wait for the process; gives cause, wait status and largest resident memory."""
    peak = 0
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return "died", status, max(peak, usage.ru_maxrss * 1024)
        peak = max(peak, resident(process.pid))
        if memory and peak >= memory:
            return "memory", None, peak
        if time.monotonic() >= deadline:
            return "wall", None, peak
        time.sleep(_STEP)
