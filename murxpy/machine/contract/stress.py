"""Stress of the lifetimes of objects. Objects are dropped by other threads and in reference cycles,
used after everything else is gone, and alive when signals arrive and the interpreter ends. Each
function gives None, or says which promise is broken.

The caller judges the exceptions of these calls. The module imports only the standard library,
because printed programs contain its functions.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import gc
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

EXIT_SECONDS = 10
SIGNAL_SECONDS = 1  # time for a signal to reach its handler
IN_THREAD = 50  # terms that each thread makes
# an address, in the text of an object whose class defines no text
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{5,}")


def counted(found: Sequence[Any], count: int) -> str | None:
    """No assertion that was made is missing. The solver may have more assertions than the run made."""
    return (
        None
        if len(found) >= count
        else f"the solver has lost assertions; {len(found)} are left of {count}"
    )


def agree(answer: str, again: str) -> str | None:
    """A fresh solver with the same assertions does not contradict the one that was misused."""
    return (
        None
        if {answer, again} != {"sat", "unsat"}
        else f"after a misuse it answers {answer}, a fresh solver {again}"
    )


def survived(objects: list[Any]) -> str | None:
    """A deep copy still works after the original is gone."""
    return _heir(objects, copy.deepcopy, "a deep copy")


def outlived(objects: list[Any]) -> str | None:
    """A shallow copy still works after the original is gone. When the copy is gone, too, both have
    given back only what is their own.
    """
    return _heir(objects, copy.copy, "a copy")


def _heir(objects: list[Any], copier: Callable[[Any], Any], what: str) -> str | None:
    original = objects.pop()
    try:
        text, name = str(original), type(original).__name__
    except Exception:  # it cannot be printed before it is copied, either
        return None
    other = copier(original)
    del original
    gc.collect()
    used(other)
    return (
        None
        if _ADDRESS.search(text) or sorted(str(other)) == sorted(text)  # no order is promised
        else f"{what} of a {name} has another text than the original"
    )


def used(obj: Any) -> None:
    """Use an object in every way that any living object allows."""
    str(obj)
    repr(obj)
    if type(obj).__hash__ is not None:
        hash(obj)
    for element in obj if isinstance(obj, (list, tuple)) else ():
        str(element)


def used_all(objects: Sequence[Any]) -> None:
    """Use all of the terms."""
    for obj in objects:
        used(obj)


def orphaned(objects: Sequence[Any]) -> None:
    """Use the objects that are left after all other objects of their context are gone."""
    gc.collect()
    used_all(objects)


class Knot:
    """A reference cycle around objects of a binding."""

    def __init__(self, objects: Sequence[Any]) -> None:
        self.objects = list(objects)
        self.itself = self


class Testament(Knot):
    """A reference cycle whose finalizer uses the objects."""

    def __del__(self) -> None:
        used_all(self.objects)


def knot(*objects: Any) -> None:
    """Put objects into a cycle that the next collection of garbage finds."""
    Knot(objects)


def bequeathed(objects: Sequence[Any]) -> None:
    """Let the finalizer of a reference cycle use objects to which the caller has references, too. Python
    runs the finalizers of objects that die together in any order, so an object that dies in the cycle
    may be finalized before.
    """
    Testament(objects)
    gc.collect()


def in_thread(objects: list[Any]) -> None:
    """Let another thread drop the last references and collect garbage. The thread has ended when
    this function returns.
    """
    kept = [Knot(objects)]
    objects.clear()

    def drop() -> None:
        kept.clear()
        gc.collect()

    thread = threading.Thread(target=drop)
    thread.start()
    thread.join()


def in_own_threads(
    makes: Sequence[Callable[[], Any]], checks: Sequence[Callable[[], Any]]
) -> str | None:
    """Several threads, each with a context of its own, make the same terms and the same check at
    the same time. All must get the same texts and answers.
    """
    found: list[list[str]] = [[] for _ in makes]
    raised: list[BaseException] = []

    def work(at: int) -> None:
        try:
            found[at] = [str(makes[at]()) for _ in range(IN_THREAD)] + [str(checks[at]())]
        except Exception as error:
            raised.append(error)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(len(makes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]
    return (
        None
        if all(texts == found[0] for texts in found)
        else "threads with contexts of their own get other terms or answers"
    )


def told(ask: Callable[[], Any]) -> Any:
    """The promise that a check of the wrapper finds broken; None if no promise is broken."""
    return ask()


def signalled(check: Callable[[], Any]) -> str | None:
    """A forked process gets signals while it makes a check. No signal may kill it, and its handlers
    must run during the check and after it.
    """
    child = os.fork()
    if child == 0:
        os._exit(_check_under_signals(check))
    deadline = time.monotonic() + EXIT_SECONDS
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return _signal_fault(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "a check that gets signals does not end"


def _check_under_signals(check: Callable[[], Any]) -> int:
    """The exit code of the process that makes the check: the number of the first promise that is
    broken, or 0.
    """
    seen = {signal.SIGALRM: 0, signal.SIGINT: 0}

    def handler(number: int, frame: Any) -> None:
        seen[signal.Signals(number)] += 1

    for number in seen:
        signal.signal(number, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    with contextlib.suppress(Exception):
        check()
    _wait_for(seen, signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, 0)
    if not seen[signal.SIGALRM] or any(signal.getsignal(number) is not handler for number in seen):
        return 11
    os.kill(os.getpid(), signal.SIGINT)
    _wait_for(seen, signal.SIGINT)
    return 0 if seen[signal.SIGINT] else 12


def _wait_for(seen: dict[signal.Signals, int], number: signal.Signals) -> None:
    deadline = time.monotonic() + SIGNAL_SECONDS
    while not seen[number] and time.monotonic() < deadline:
        time.sleep(0.001)


def _signal_fault(status: int) -> str | None:
    if os.WIFSIGNALED(status):
        return f"a check that gets signals ends with {signal.Signals(os.WTERMSIG(status)).name}"
    code = os.waitstatus_to_exitcode(status)
    if code == 11:
        return "the handlers of signals that a check gets do not run, or are others after it"
    if code == 12:
        return "after a check an interrupt does not reach its handler"
    return None


def race(objects: list[Any], busy: Callable[[], Any]) -> None:
    """Let another thread drop objects and collect garbage while this thread goes on making terms."""
    kept = objects[:]
    objects.clear()

    def drop() -> None:
        while kept:
            kept.pop()
            gc.collect(0)

    thread = threading.Thread(target=drop)
    thread.start()
    while thread.is_alive():
        busy()
    thread.join()


def exits(*objects: Any) -> str | None:
    """End the interpreter of a forked process while the objects are alive. The exit status of the
    child must be 0.
    """
    child = os.fork()
    if child == 0:
        ctypes.pythonapi.Py_Exit(0)
    deadline = time.monotonic() + EXIT_SECONDS
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return _ended(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "the interpreter does not end while objects are alive"


def _ended(status: int) -> str | None:
    if os.WIFSIGNALED(status):
        return f"the interpreter ends with {signal.Signals(os.WTERMSIG(status)).name} while objects are alive"
    code = os.waitstatus_to_exitcode(status)
    return None if code == 0 else f"the interpreter ends with status {code} while objects are alive"
