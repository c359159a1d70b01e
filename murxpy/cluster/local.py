"""Clusters that a campaign starts, and that end with it: on this machine, for trying, and on machines that
SSH reaches.

As a program, this module is one of these processes.
"""

from __future__ import annotations

import asyncio
import os
import select
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

from murxpy.cluster.service import Host
from murxpy.errors import TargetError
from murxpy.processes.handles import Scratch
from murxpy.worker.process import die_with_parent

_HERE, _EVERYWHERE = "127.0.0.1", "0.0.0.0"
# Nobody is there to answer a question, and a machine that is gone is noticed.
_SSH = ("-o", "BatchMode=yes", "-o", "ServerAliveInterval=15")
_STARTING = 60.0  # seconds; on two processors with eight busy processes it took 8
# Starts of each node until the cluster is given up, if none ever joined. Seconds before a start are twice as many
# each time, up to `_LONGEST`.
_STARTS = 5
_LONGEST = 60.0


class _Started:
    """A process of a cluster, which `words` start, also when it has ended."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.ends = 0  # since a node joined the last time
        self._after = 0.0  # when it may be started again
        self.process = self._run()

    def _run(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is for the supervisor
        )

    def keep(self) -> None:
        """Start the process again if it has ended, some time after that."""
        now = time.monotonic()
        if self._after:
            if self._after <= now:
                self._after = 0.0
                self.process = self._run()
        elif self.process.poll() is not None:
            self.kill()
            self._after = now + min(_LONGEST, 0.5 * 2**self.ends)
            self.ends += 1

    def kill(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        for stream in filter(None, (self.process.stdin, self.process.stdout)):
            stream.close()


class StartedCluster:
    """A scheduler, `count` Dask workers on this machine, and one on each of `hosts`. `address` is that of the
    scheduler, `nodes` the number of workers. Raises TargetError where the scheduler cannot be started.
    """

    def __init__(self, count: int, hosts: Sequence[Host] = ()) -> None:
        self.nodes = count + len(hosts)
        self._scratch = Scratch("cluster")
        self._processes: list[_Started] = []
        self._useful = False
        here = _EVERYWHERE if hosts else _HERE
        try:
            scheduler = self._start(self._words("scheduler", f"{here}:0"))
            self.address = _first_line(scheduler.process)
            scheduler.words = self._words("scheduler", f"{here}:{self.address.rpartition(':')[2]}")
            for _ in range(count):
                self._start(self._words("worker", self.address))
            for host in hosts:
                words = [host.python, "-P", "-m", __name__, "remote", self.address, "", "0"]
                self._start(["ssh", *_SSH, "--", host.name, shlex.join(words)])
        except BaseException:
            self.close()
            raise

    def _words(self, role: str, address: str) -> list[str]:
        folder, parent = str(self._scratch.path), str(os.getpid())
        return [sys.executable, "-P", "-m", __name__, role, address, folder, parent]

    def _start(self, words: Sequence[str]) -> _Started:
        self._processes.append(_Started(words))
        return self._processes[-1]

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes, the scheduler first."""
        return [started.process.pid for started in self._processes]

    def joined(self) -> None:
        """Note that a node joined."""
        self._useful = True
        for started in self._processes:
            started.ends = 0

    def keep(self) -> None:
        """Start again what has ended. Raises TargetError where each node ended several times, and none ever
        joined.
        """
        for started in self._processes:
            started.keep()
        if not self._useful and all(one.ends >= _STARTS for one in self._processes[1:]):
            raise TargetError("each node of the cluster ended whenever it was started")

    def close(self) -> None:
        """End all processes."""
        for started in self._processes:
            started.kill()
        self._scratch.remove()


def _first_line(process: subprocess.Popen[str]) -> str:
    """The first line that the process prints. Raises TargetError where it prints none."""
    assert process.stdout is not None
    end = time.monotonic() + _STARTING
    ready = select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))[0]
    line = process.stdout.readline().strip() if ready else ""
    if not line:
        raise TargetError("the scheduler of a local cluster cannot be started here")
    return line


async def _scheduler(address: str) -> None:
    from distributed import Scheduler

    host, _, port = address.partition(":")
    async with Scheduler(host=host, port=int(port), dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()


async def _worker(address: str, folder: str, host: str | None) -> None:
    from distributed import Worker

    async with Worker(
        address, nthreads=1, host=host, dashboard=False, local_directory=folder
    ) as worker:
        await worker.finished()


def _end_with_input() -> None:
    """End this process when its standard input ends: then the SSH that started it is gone."""
    sys.stdin.read()
    os._exit(0)


def main(words: list[str]) -> None:
    """Be one of the processes of a cluster: `scheduler`, `worker`, or on another machine `remote`; with the
    address of the scheduler, a folder for temporary files, and the number of the process that started
    it.
    """
    role, address, folder, parent = words
    if role == "remote":
        threading.Thread(target=_end_with_input, daemon=True).start()
        with Scratch("cluster") as own:
            asyncio.run(_worker(address, str(own), None))
        return
    die_with_parent(int(parent))
    asyncio.run(_scheduler(address) if role == "scheduler" else _worker(address, folder, _HERE))


if __name__ == "__main__":
    main(sys.argv[1:])
