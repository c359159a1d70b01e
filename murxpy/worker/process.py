"""Sets up a worker process before it runs a solver: limits, streams, and death with its parent."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import functools
import os
import resource
import signal
import sys
from collections.abc import Callable, Mapping

from murxpy.worker.confine import COUNTERS

PR_SET_PDEATHSIG = 1
# The environment variable with the command line of the program that is the target's solver.
COMMAND = "MURXPY_COMMAND"
_LINE_BUFFERED = 1  # _IOLBF of stdio.h
_STACK = 8 << 20  # bytes; a stack overflow is to show on each machine, so all have the same limit

_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when the process `parent` ends; exit at once if that has
    ended already.
    """
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def outlive_parent() -> None:
    """Undo `die_with_parent`: this process notices by itself that its parent has ended."""
    _libc.prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)


@functools.cache
def sanitized() -> bool:
    """Whether the run-time library of a sanitizer is loaded, which handles crashes itself and maps
    terabytes.

    The warm parent asks first, after it has loaded the solver, and its workers inherit the answer.
    """
    with open("/proc/self/maps", "rb") as maps:
        return any(b"libasan" in line or b"libclang_rt" in line for line in maps)


def starts_programs() -> bool:
    """Whether a worker has to start programs: a sanitizer starts the one that translates its addresses
    to places, and the solver of a target can be a program, which the user named.
    """
    return sanitized() or COMMAND in os.environ


@functools.cache
def counters() -> Callable[[], object] | None:
    """What writes the counters of a build with gcov to their files; None where nothing counts."""
    if not os.environ.get(COUNTERS):
        return None
    return getattr(ctypes.CDLL(None), "murxpy_gcov_write", None)


def redirect(output: int) -> None:
    """Make standard input empty, and send both output streams to the descriptor `output`."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(output, 1)
    os.dup2(output, 2)
    # with another C library the name may differ, and output comes late
    with contextlib.suppress(ValueError, AttributeError):
        _libc.setvbuf(
            ctypes.c_void_p.in_dll(_libc, "stdout"), None, _LINE_BUFFERED, ctypes.c_size_t(4096)
        )


def limit(limits: Mapping[str, int]) -> None:
    """Set the kernel's limits: `output` and `address_space` in bytes (0: none), and `nice`. Core
    files are switched off.
    """
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_STACK, _STACK)
    if limits["output"]:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it
        _lower(resource.RLIMIT_FSIZE, limits["output"])
    if limits["address_space"] and not sanitized():
        _lower(resource.RLIMIT_AS, limits["address_space"])
    if limits["nice"]:
        os.nice(limits["nice"])


def _lower(what: int, value: int) -> None:
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def show_crashes() -> None:
    """Print the Python frames when the process crashes, unless a sanitizer does better."""
    if not sanitized():
        faulthandler.enable(file=sys.stderr, all_threads=False)
