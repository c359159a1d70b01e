"""Faults as a solver's native code commits them, through the C library; `commit(name)` commits one."""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import sys
import time

libc = ctypes.CDLL(None)
holding = ctypes.PyDLL(None)  # calls through it hold the interpreter's lock


def segfault() -> None:
    ctypes.string_at(0)


def abort() -> None:
    libc.abort()


def assertion() -> None:
    libc.__assert_fail(b"depth > 0", b"/build/src/ast/fake.cpp", 42, b"void simplify()")


def terminate() -> None:
    os.write(
        2,
        b"terminate called after throwing an instance of 'fake::exception'\n  what():  bad level 0x7f, 17\n",
    )
    libc.abort()


def free_twice() -> None:
    libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    block = libc.malloc(24)
    libc.free(block)
    libc.free(block)


class Handle:
    """An object of the solver whose release reads what is not there any more."""

    def __del__(self) -> None:
        ctypes.string_at(8)


def release() -> None:
    Handle()


def exit_in_c() -> None:
    libc.exit(3)


def exit_zero() -> None:
    libc._exit(0)


def overflow_stack() -> None:
    """The C library's parser of regular expressions recurses once for each parenthesis."""
    libc.regcomp(ctypes.create_string_buffer(1024), b"(" * 1_000_000, 1)


_COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


def recurse(depth: int = 0, pause: float = 1e-4) -> None:
    """Calls itself through the C library without end, or `depth` times. Each call takes some time of
    the processor, so that a stack of 8 MiB holds about 0.4 s of it.
    """
    sys.setrecursionlimit(1_000_000)
    pair, calls = (ctypes.c_int * 2)(), 0

    def again(left: int, right: int) -> int:
        nonlocal calls
        calls += 1
        until = time.thread_time() + pause
        while time.thread_time() < until:
            pass
        if calls == depth:
            spin()
        libc.qsort(pair, 2, 4, _COMPARE(again))
        return 0

    again(0, 0)


def eat_memory() -> None:
    size = 16 << 20
    libc.malloc.restype = ctypes.c_void_p
    while True:
        block = libc.malloc(ctypes.c_size_t(size))
        if not block:
            libc.abort()
        ctypes.memset(block, 1, size)
        time.sleep(0.005)


def sleep_holding_lock() -> None:
    holding.sleep(1000)


def spin() -> None:
    while True:
        pass


def print_gigabyte() -> None:
    block = b"x" * 65535 + b"\n"
    for number in range(16384):
        os.write(1 + number % 2, block)


_trap: list[int] = []


def set_trap() -> None:
    """Let the kernel kill the group of this process, a warm parent, when one of its workers writes
    into a pipe: a worker may not do that itself. The end of this process does it, too.
    """
    reads, writes = os.pipe()
    fcntl.fcntl(reads, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(reads, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(reads, fcntl.F_SETFL, os.O_ASYNC)
    _trap[:] = [reads, writes]


def kill_parent_group() -> None:
    os.write(_trap[1], b"x")
    time.sleep(5)


def close_all() -> None:
    os.closerange(3, 256)
    time.sleep(1000)


def spawn_and_crash() -> None:
    """Leaves a process of its own behind."""
    if os.fork() == 0:
        time.sleep(1000)
    segfault()


def linger() -> None:
    """Leaves a process of its own behind and does not return for long."""
    if os.fork() == 0:
        libc.prctl(15, b"lingering")  # its name among the processes
        time.sleep(999)
    time.sleep(999)


FAULTS = {
    "segfault": segfault,
    "abort": abort,
    "assertion": assertion,
    "terminate": terminate,
    "heap": free_twice,
    "release": release,
    "exit": exit_in_c,
    "exit-zero": exit_zero,
    "stack": overflow_stack,
    "recursion": recurse,
    "deep-spin": lambda: recurse(1500, 0.0),
    "memory": eat_memory,
    "sleep": sleep_holding_lock,
    "spin": spin,
    "print": print_gigabyte,
    "kill-parent": kill_parent_group,
    "close": close_all,
    "spawn": spawn_and_crash,
    "linger": linger,
}


def commit(name: str) -> None:
    """Commit the fault called `name`. Raises KeyError when there is none."""
    FAULTS[name]()
