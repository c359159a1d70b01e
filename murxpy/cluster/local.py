"""A cluster on this machine, for trying: a scheduler and Dask workers, which end with the process that
started them.

As a program, this module is one of these processes.
"""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import sys
import time

from murxpy.errors import TargetError
from murxpy.processes.handles import Scratch
from murxpy.worker.process import die_with_parent

_STARTING = 60.0  # seconds; on two processors with eight busy processes it took 8


class LocalCluster:
    """A scheduler and `count` Dask workers. `address` is that of the scheduler. Raises TargetError where
    they cannot be started.
    """

    def __init__(self, count: int) -> None:
        self._scratch = Scratch("cluster")
        self._processes: list[subprocess.Popen[str]] = []
        try:
            scheduler = self._start("scheduler", "")
            self.address = _first_line(scheduler)
            for _ in range(count):
                self._start("worker", self.address)
        except BaseException:
            self.close()
            raise

    def _start(self, role: str, address: str) -> subprocess.Popen[str]:
        folder, parent = str(self._scratch.path), str(os.getpid())
        words = [sys.executable, "-m", __name__, role, address, folder, parent]
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
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
            if process.stdout is not None:
                process.stdout.close()
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


async def _scheduler() -> None:
    from distributed import Scheduler

    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()


async def _worker(address: str, folder: str) -> None:
    from distributed import Worker

    async with Worker(
        address, nthreads=1, host="127.0.0.1", dashboard=False, local_directory=folder
    ) as worker:
        await worker.finished()


def main(words: list[str]) -> None:
    """Be one of the processes of a local cluster: `scheduler` or `worker`, with the address of the
    scheduler, a folder for temporary files, and the number of the process that started it.
    """
    role, address, folder, parent = words
    die_with_parent(int(parent))
    asyncio.run(_scheduler() if role == "scheduler" else _worker(address, folder))


if __name__ == "__main__":
    main(sys.argv[1:])
