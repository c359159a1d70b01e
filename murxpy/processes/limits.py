"""The limits that the supervisor puts on runs and on processes."""

from __future__ import annotations

import resource
from dataclasses import dataclass

from murxpy.errors import InputError

MIB = 1 << 20
# Descriptors of a campaign without workers: store, seeds, warm parents, gdb, making reproducers.
_FILES = 64
_FILES_OF_JOB = (
    10  # three each for a worker, for its successor that waits, and for a judge's worker
)


def ensure_files(jobs: int = 0) -> None:
    """Raise the limit of open files, so that this process can serve so many workers. Raises
    InputError where the system does not allow that.
    """
    needed = _FILES + _FILES_OF_JOB * jobs
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        fewer = ", or use fewer --jobs" if jobs else ""
        raise InputError(
            f"only {hard} files may be open at a time here, {needed} are needed: raise the limit (ulimit -n {needed}){fewer}"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of runs and workers.

    `wall` and `cpu` are the seconds of one run (`cpu` 0: no limit); with `by_line`, `wall` is for
    each line of a run's trace, but not in the walks of a campaign. `call` are the seconds of the
    processor that one line of a walk may take (0: no limit). `memory` is the resident memory of a
    worker in bytes, `output` the number of bytes that one run may print. A worker is replaced after
    `recycle` runs (1: a process for each run). `judge_ms` is the limit of a judge's check, in
    milliseconds of a usual machine, given to the judge as its own resource limit (0: no limit).

    A run past `wall` hangs when a replay of it alone does not return within max(`hang`,
    `hang_factor` * `wall`) seconds, and a second replay not within twice that.
    """

    wall: float = 2.0
    cpu: float = 0.0
    memory: int = 2048 * MIB
    output: int = 16 * MIB
    nice: int = 5
    recycle: int = 500
    hang: float = 20.0
    hang_factor: float = 20.0
    by_line: bool = False
    call: float = 0.0
    judge_ms: float = 200.0

    def kernel(self) -> dict[str, int]:
        """The limits that the worker asks the kernel for. The limit of address space only stops
        what fills memory at once, before the supervisor looks.
        """
        space = 2 * self.memory + 4096 * MIB if self.memory else 0
        return {"output": self.output, "address_space": space, "nice": self.nice}

    @property
    def patience(self) -> float:
        """The seconds that the first replay of a suspected hang gets."""
        return max(self.hang, self.hang_factor * self.wall)

    @property
    def replay_wall(self) -> float:
        """The seconds that a replay gets when a finding is confirmed. A replay gets more seconds than
        a run, because the machine may be busier than it was.
        """
        return max(5 * self.wall, 10.0)
