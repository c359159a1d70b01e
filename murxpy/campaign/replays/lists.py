"""Lists of scripts that a target answers one after another, a line of the trace for each. Where the
process dies of a script, the next process goes on behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from murxpy.campaign.replays.service import Future, Group, Replays
from murxpy.campaign.workers.handles import Job
from murxpy.campaign.workers.limits import Limits, ensure_files
from murxpy.campaign.workers.names import parse_target
from murxpy.campaign.workers.pool import Pool
from murxpy.campaign.workers.targets import Plan, resolve
from murxpy.data import load_catalogue, load_wrapper, with_dialect
from murxpy.errors import InputError
from murxpy.oracles.crash import Outcome, signal_name
from murxpy.releases.environments import Notice

_AHEAD = 2  # lists that a process has in hand
# Each script has a context of its own, and glibc gives the large tables of a dead context back to the
# kernel at once. Kept memory made z3 5.4.1 answer 3.5 times as many scripts in a second.
_KEPT_MEMORY = (("MALLOC_MMAP_THRESHOLD_", f"{1 << 30}"), ("MALLOC_TRIM_THRESHOLD_", f"{1 << 30}"))
# A check ends after so many times its limit in milliseconds, because some solvers count almost nothing
# of what they do for sines and cosines.
_PATIENCE = 10
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a target said to a script: the answer (sat, unsat, unknown, error, crash or timeout), its
    cost in the solver's own units, the verdict on its model, and a message where there is one.
    """

    answer: str
    cost: int = 0
    model: str = "-"
    message: str = ""


Found = Sequence[tuple[int, Answer]]


@dataclass(frozen=True, slots=True)
class Lists(Generic[T]):
    """Asks a target, `jobs` processes at a time. `seed_of` gives the seed of the run that answers
    the scripts at places of a subject. `told` gets the answers of a run. A script has `limits.wall`
    seconds.
    """

    plan: Plan
    limits: Limits
    jobs: int
    seed_of: Callable[[T, range], int]
    told: Callable[[T, Found], None]

    def ask(self, lists: Iterable[tuple[T, range]]) -> None:
        """Ask lists of places of subjects. Raises InputError for what the target's session refuses,
        TargetError for a target that cannot be used.
        """
        ensure_files(self.jobs)
        with closing(Pool([self.plan], self.limits)) as pool:
            pool.warm()
            _Asking(self, Replays(pool)).ask(lists)


class _Asking(Generic[T]):
    """The lists that are asked now."""

    def __init__(self, lists: Lists[T], service: Replays) -> None:
        self._lists, self._service = lists, service
        self._group = Group(places=range(lists.jobs), ahead=_AHEAD)
        self._open = 0

    def ask(self, lists: Iterable[tuple[T, range]]) -> None:
        """Ask all of them."""
        for subject, places in lists:
            while not self._service.room(self._group):
                self._service.step()
            self._submit(subject, places)
        while self._open:
            self._service.step()

    def _submit(self, subject: T, places: range) -> None:
        seed = self._lists.seed_of(subject, places)
        self._open += 1
        self._service.submit(
            [Job(seed, self._lists.limits.wall, keep=True, by_line=True)],
            self._group,
            lambda future: self._ended(future, subject, places),
        )

    def _ended(self, future: Future, subject: T, places: range) -> None:
        self._open -= 1
        outcome = future.seen()[0]
        found = list(read_answers(outcome))
        self._lists.told(subject, found)
        if outcome.report is not None and outcome.report["status"] != "ok":
            message = outcome.report["finding"]["message"]
            raise InputError(f"{self._lists.plan.target.name}: {message}")
        if len(found) < len(places):
            self._submit(subject, places[len(found) :])


def missing(done: Container[int], places: range, most: int) -> list[range]:
    """The places that are not done, in lists of at most `most` without a gap."""
    found: list[range] = []
    for place in places:
        if place in done:
            continue
        if found and found[-1].stop == place and len(found[-1]) < most:
            found[-1] = range(found[-1].start, place + places.step, places.step)
        else:
            found.append(range(place, place + places.step, places.step))
    return found


def read_answers(outcome: Outcome) -> Iterator[tuple[int, Answer]]:
    """The answers in the trace of a run, by place. The last one is that of the process where it died or
    was killed: a script after whose place nothing stands.
    """
    for line in outcome.trace.split("\n"):
        place, _, said = line.partition(" ")
        words = said.split(" ", 3)
        if len(words) == 4:
            yield int(place), Answer(words[0], int(words[1]), words[2], words[3])
        elif place:
            yield int(place), _death(outcome)


def _death(outcome: Outcome) -> Answer:
    if outcome.cause in ("wall", "cpu"):
        return Answer("timeout")
    if outcome.cause == "memory":
        return Answer("timeout", message="out of memory")
    return Answer("crash", message=signal_name(outcome.status) or "the process ended")


def plan_of(
    name: str, wrapper_file: str | None, check_ms: float, more: Mapping[str, Any], notice: Notice
) -> Plan:
    """The plan of a target that reads scripts alone. A check has a limit of `check_ms` milliseconds of a
    usual machine. `more` is the rest of the setup of its session. Raises InputError, TargetError.
    """
    named = parse_target(name)
    wrapper = wrapper_of(named.solver, wrapper_file)
    if named.options:
        raise InputError(f"'{name}': expected SOLVER or SOLVER@RELEASE, without options")
    setup = {
        "catalogue": with_dialect(load_catalogue(), wrapper),
        "wrapper": wrapper,
        "limit": int(check_ms * wrapper["limit-per-ms"]),
        "wall-ms": int(_PATIENCE * check_ms),
        **more,
    }
    libraries = tuple(wrapper["library-variables"])
    target = resolve(name, wrapper, notice)
    return Plan(replace(target, variables=_KEPT_MEMORY, library_variables=libraries), setup)


def wrapper_of(solver: str, file: str | None) -> dict[str, Any]:
    """The wrapper of a solver: the one that the user names, where it is of this solver, else the shipped
    one. Raises InputError.
    """
    own = None if file is None else load_wrapper(file)
    return own if own is not None and own["solver"] == solver else load_wrapper(solver)
