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
from dataclasses import dataclass

from murxpy.errors import TargetError
from murxpy.processes.handles import Scratch
from murxpy.worker.process import die_with_parent

_HERE, _EVERYWHERE = "127.0.0.1", "0.0.0.0"
# Nobody is there to answer a question, and a machine that is gone is noticed.
_SSH = ("-o", "BatchMode=yes", "-o", "ServerAliveInterval=15")
_STARTING = 60.0  # seconds; on two processors with eight busy processes it took 8


@dataclass(frozen=True, slots=True)
class Host:
    """A machine that SSH reaches, and the Python there that has murxpy."""

    name: str
    python: str


class StartedCluster:
    """A scheduler, `count` Dask workers on this machine, and one on each of `hosts`. `address` is that of the
    scheduler, `nodes` the number of workers. Raises TargetError where the scheduler cannot be started.
    """

    def __init__(self, count: int, hosts: Sequence[Host] = ()) -> None:
        self.nodes = count + len(hosts)
        self._scratch = Scratch("cluster")
        self._processes: list[subprocess.Popen[str]] = []
        try:
            scheduler = self._start("scheduler", _EVERYWHERE if hosts else _HERE)
            self.address = _first_line(scheduler)
            for _ in range(count):
                self._start("worker", self.address)
            for host in hosts:
                words = [host.python, "-P", "-m", __name__, "remote", self.address, "", "0"]
                self._run(["ssh", *_SSH, "--", host.name, shlex.join(words)])
        except BaseException:
            self.close()
            raise

    def _start(self, role: str, address: str) -> subprocess.Popen[str]:
        folder, parent = str(self._scratch.path), str(os.getpid())
        return self._run([sys.executable, "-P", "-m", __name__, role, address, folder, parent])

    def _run(self, words: Sequence[str]) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is for the supervisor
        )
        self._processes.append(process)
        return process

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes, the scheduler first."""
        return [process.pid for process in self._processes]

    def close(self) -> None:
        """End all processes."""
        for process in self._processes:
            process.kill()
            process.wait()
            for stream in filter(None, (process.stdin, process.stdout)):
                stream.close()
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


async def _scheduler(host: str) -> None:
    from distributed import Scheduler

    async with Scheduler(host=host, port=0, dashboard=False) as scheduler:
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
