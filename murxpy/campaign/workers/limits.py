"""The limits that the supervisor puts on a run and on the processes."""

from __future__ import annotations

import resource
from dataclasses import dataclass

from murxpy.errors import InputError

MIB = 1 << 20
# descriptors of a campaign without workers: store, seeds, warm parents, the processes beside it
_FILES = 64
_FILES_OF_JOB = 10  # of a worker three, as many of one that waits to follow it, and of a judge's


def ensure_files(jobs: int = 0) -> None:
    """See to it that this process can open what it needs for so many workers. Raises InputError
    where the system does not let it.
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
    """Limits of runs and workers.

    `judge_ms` is the limit of a judge's check, in milliseconds of a usual machine, as the judge's
    own resource limit (0: none). `wall` and `cpu` are seconds of one run (`cpu` 0: none); `memory`
    is the resident memory of a worker in bytes; `output` what one run may print, in bytes;
    `recycle` the runs after which a worker is replaced (1: a process for each run). A run past
    `wall` hangs when it does not return within max(`hang`, `hang_factor` * `wall`) seconds in a
    replay of its own, and then again not within twice that. `by_line`: `wall` is for each line of a
    run's trace, not for all of them.
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
    judge_ms: float = 200.0

    def kernel(self) -> dict[str, int]:
        """What the worker asks the kernel for; address space is a backstop, for what fills memory
        at once.
        """
        space = 2 * self.memory + 4096 * MIB if self.memory else 0
        return {"output": self.output, "address_space": space, "nice": self.nice}

    @property
    def patience(self) -> float:
        """Seconds that a suspect of hanging gets in its first replay."""
        return max(self.hang, self.hang_factor * self.wall)

    @property
    def replay_wall(self) -> float:
        """Seconds that a replay gets when a finding is confirmed: the machine may be busier than it
        was.
        """
        return max(5 * self.wall, 10.0)
