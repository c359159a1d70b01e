"""A session without a solver: its runs print trace lines, and commit the faults that its setup
plants.

The setup: `every` maps a fault to the number of runs of which one commits it (by the run's seed),
`idle` are seconds that a run takes, `error` is what the solver's import fails with, `lines` the
number of lines of a run's trace, `wrote` more text of it, `counts` more counters of a run. The
runs report pairs of `signals` in so many numbers.
`starving`: workers have no memory for their trace (`memory`), cannot be forked (`fork`), or the
process that forks them dies each time (`parent`). Faults beyond those of `faults`: `exception` (a
report), `raise` (the session breaks), `drawn` (the session breaks before it writes the
line, so that only the seed shows it), `history` (a crash in the third run of a process), `once` (a
crash that no replay shows), `outside` (killed by somebody else, once, or with `killings` so often
in others than the first run of a process); for the last two `once` names the file that says how
often it was done. The first `killed-replays` replays are killed by somebody else, and so are the first `killed-loading`
processes that load the solver. `segfault+call`
is `segfault` by another call.
"""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import faults

from murxpy.errors import TargetError

Write = Callable[[str], None]


def no_memory() -> None:
    """Leave some memory for the interpreter, none for the trace."""
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (taken + (16 << 20),) * 2)


def no_fork() -> None:
    def fork() -> int:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    os.fork = fork


def mortal_parent() -> None:
    """Die at the first request for a worker."""

    def fork() -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    os.fork = fork


def _killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


STARVING = {"memory": no_memory, "fork": no_fork, "parent": mortal_parent}


class FakeSession:
    """Runs traces of lines such as `00042 mk-term@segfault OP_FAULT SORT_BOOL 1 t1`: the spelling
    names the fault.
    """

    def __init__(self, setup: dict[str, Any]) -> None:
        if setup.get("error"):
            raise TargetError(setup["error"])
        if setup.get("die"):
            faults.commit(setup["die"])
        if setup.get("starving"):
            STARVING[setup["starving"]]()
        faults.set_trap()
        self._setup = setup
        # opened here, in the warm parent, because workers may not write there
        once = setup.get("once")
        self._counts = {
            name: os.open(name, os.O_RDWR | os.O_APPEND | os.O_CREAT)
            for name in ([once, once + ".replays"] if once else ())
        }
        if setup.get("killed-loading"):
            self._first(setup["once"], setup["killed-loading"], _killed)
        self._runs = 0
        self._damped: list[list[str]] = []

    def describe(self) -> dict[str, Any]:
        file = self._setup.get("module_file", __file__)
        return {"solver": "fake", "version": "1.0", "module_file": file, "python": "3"}

    def damp(self, calls: list[list[str]]) -> None:
        self._damped = calls

    def walk(self, seed: int, write: Write) -> dict[str, Any]:
        self._runs += 1
        rng = random.Random(seed)
        write(f"# fake run {seed:x}\n")
        if self._damped:
            write(f"# damped {self._damped}\n")
        for number in range(1, self._setup.get("lines", 3) + 1):
            write(f"{rng.randrange(100000):05} mk-const s1 x{number}\n      return t{number}\n")
        write(self._setup.get("wrote", ""))
        time.sleep(self._setup.get("idle", 0))
        for name, every in self._setup.get("every", {}).items():
            if rng.randrange(every) == 0:
                if name == "drawn":
                    raise ZeroDivisionError("in the drawing")
                write(f"{rng.randrange(100000):05} mk-term@{name} OP_FAULT SORT_BOOL 1 t1\n")
                finding = self._commit(name)
                if finding is not None:
                    return self._report(seed, finding)
        return self._report(seed, None)

    def replay(self, text: str, name: str, write: Write) -> dict[str, Any]:
        if "killed-replays" in self._setup:
            self._first(self._setup["once"] + ".replays", self._setup["killed-replays"], _killed)
        for number, line in enumerate(text.splitlines(), 1):
            write(line + "\n")
            words = line.split()
            if line.startswith(("#", " ")) or not words:
                continue
            if len(words) < 2 or not words[0].isdigit():
                report = self._report(0, None)
                return {
                    **report,
                    "status": "malformed",
                    "differences": [f"{name}:{number}: expected a seed"],
                }
            fault = words[1].partition("@")[2]
            if fault:
                finding = self._commit(fault)
                if finding is not None:
                    return self._report(0, finding)
        return self._report(0, None)

    def _commit(self, name: str) -> dict[str, Any] | None:
        if name == "exception":
            return {
                "kind": "exception",
                "message": "NameError: name 'q17' is not defined",
                "action": "mk-term",
                "operator": "OP_FAULT",
                "spelling": "exception",
                "tier": "binding",
            }
        if name == "raise":
            raise ZeroDivisionError("in the session")
        if name == "history":
            if self._runs >= 3:
                faults.commit("segfault")
        elif name == "outside":
            if self._runs > 1 or "killings" not in self._setup:
                self._once(_killed, self._setup.get("killings", 1))
        elif name == "once":
            self._once(lambda: faults.commit("segfault"))
        else:
            faults.commit(name.partition("+")[0])
        return None

    def _once(self, act: Callable[[], None], times: int = 1) -> None:
        self._first(self._setup["once"], times, act)

    def _first(self, name: str, times: int, act: Callable[[], None]) -> None:
        """Do `act` in the first `times` calls of all processes: the file called `name` says how
        often it was done.
        """
        if os.fstat(self._counts[name]).st_size < times:
            os.write(self._counts[name], b".")
            act()

    def _report(self, seed: int, finding: dict[str, Any] | None) -> dict[str, Any]:
        status = "ok" if finding is None else "finding"
        counts = {
            "run:total": 1,
            "action:mk-const": self._setup.get("lines", 3),
            **self._setup.get("counts", {}),
        }
        report = {
            "status": status,
            "seed": seed,
            "counts": counts,
            "finding": finding,
            "differences": [],
        }
        many = self._setup.get("signals")
        return {**report, "signals": [seed % many, seed // many % many]} if many else report
