"""What travels between the supervisor of a campaign and its nodes: msgspec bytes, decoded strictly.

A supervisor trusts its nodes as little as it trusts a file of a stranger. So it decodes nothing but
these types, reads no more than `MOST` bytes at a time, and recognizes a job by its place in the block
that it sent, so that no node can answer for another run than those that it was given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Annotated, Any, Literal

import msgspec

from murxpy.errors import InputError
from murxpy.oracles.crash import Cause, Outcome, judge
from murxpy.processes.handles import Damp, Job
from murxpy.processes.limits import Limits
from murxpy.processes.pool import Result

# Bytes of one message. A block of 400 runs whose traces are kept for judges has 20 MB.
MOST = 256 << 20


class Solver(msgspec.Struct, array_like=True, frozen=True):
    """A target that a node is to load: its name in a form that means the same in any folder, the name
    that messages use, and the digest of the setup of its session as JSON. `terms` is the digest of the
    content of the file of terms that the setup names; empty where it names none.
    """

    name: str
    shown: str
    family: str
    library_variables: tuple[str, ...]
    setup: str
    terms: str


class Facts(msgspec.Struct, array_like=True, frozen=True):
    """What a node and its supervisor must have in common: murxpy with the digest of its code, the Python,
    the plug-ins, and the version of each solver.
    """

    murxpy: str
    code: str
    python: str
    plugins: str
    solvers: tuple[str, ...] = ()


class Hello(msgspec.Struct, tag="hello", frozen=True, forbid_unknown_fields=True):
    """Asks a node to hold the processes of the campaign `key` from now on."""

    key: str
    solvers: list[Solver]
    limits: Limits


class Contents(msgspec.Struct, tag="contents", frozen=True, forbid_unknown_fields=True):
    """Gives a node the contents that it lacked, before it is greeted again."""

    contents: list[bytes]


class Bye(msgspec.Struct, tag="bye", frozen=True, forbid_unknown_fields=True):
    """Tells a node that the campaign `key` is over."""

    key: str


class Task(msgspec.Struct, array_like=True, frozen=True):
    """A job. `seed` has hexadecimal digits: that of a guided run has up to 64. `damp` is the place of its
    calls to damp in the list of its message.
    """

    seed: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{1,64}$")]
    wall: float
    index: int
    text: bytes | None
    name: str
    damp: int
    keep: bool | Literal["decided"]
    judge: bytes | None
    by_line: bool
    call: float


class Where(msgspec.Struct, array_like=True, frozen=True):
    """The processes that do jobs: those of a group, or without `slots` a fresh one, which is `private` or
    not.
    """

    target: int
    slots: tuple[int, ...] = ()
    ahead: int = 1
    again: bool = True
    purpose: str = "replays"
    private: bool = False


class Ask(msgspec.Struct, array_like=True, frozen=True):
    """Jobs to do one after another, in the processes at this place in the list of the block."""

    where: int
    jobs: list[Task]


class Stretch(msgspec.Struct, array_like=True, frozen=True):
    """Neighbouring runs to make, `count` from run `first` on of the campaign with `seed`, in the processes at
    this place in the list of the block. All are as `job`, but for their numbers and seeds.
    """

    where: int
    first: int
    count: int
    seed: str
    job: Task


class Block(msgspec.Struct, tag="block", frozen=True, forbid_unknown_fields=True):
    """Jobs for the node of the campaign `key`."""

    key: str
    damps: list[Damp]
    where: list[Where]
    asks: list[Ask]
    stretch: Stretch | None = None


class Reduction(msgspec.Struct, tag="reduction", frozen=True, forbid_unknown_fields=True):
    """Asks the node of the campaign `key` to make a trace of the plan `target` smaller. `request` is the request
    to the process that does it, as JSON; `earlier` is the smaller trace of an earlier reduction, empty if there is none.
    """

    key: str
    target: int
    request: bytes
    trace: bytes
    earlier: bytes


class End(msgspec.Struct, array_like=True, frozen=True):
    """How the job at the place `job` of its ask ended, in the process of `slot`. `past` are the jobs that
    this process did before, where the end can be a finding.
    """

    slot: int
    job: int
    cause: Cause
    report: bytes | None
    trace: bytes
    output: bytes
    status: int | None
    peak: int
    seconds: float
    after: bool
    memory_limit: int
    cpu: float
    stack: int
    past: list[Task]


Count = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]


class Summed(msgspec.Struct, array_like=True, frozen=True):
    """The number and the counters of runs that the process in `slot` made and in which nothing was found."""

    slot: int
    runs: Count
    counts: dict[str, Count]


class Stretched(msgspec.Struct, array_like=True, frozen=True):
    """The ends of the runs of a stretch: in sums, and by their places in the stretch those that are told one
    by one, and those that were not begun.
    """

    sums: list[Summed]
    ends: list[End]
    back: list[Count]


class After(msgspec.Struct, array_like=True, frozen=True):
    """A process of a group died between two jobs: `job` is the one that it had done, and `end` its death."""

    target: int
    purpose: str
    job: Task
    end: End


class Loss(msgspec.Struct, array_like=True, frozen=True):
    """A process of a group ended."""

    target: int
    purpose: str
    slot: int
    reason: str


class Welcome(msgspec.Struct, tag="welcome", frozen=True, forbid_unknown_fields=True):
    """The node holds the processes. `abouts` are the descriptions of the sessions, as JSON."""

    facts: Facts
    host: str


class Lacks(msgspec.Struct, tag="lacks", frozen=True, forbid_unknown_fields=True):
    """The node does not have the contents with these digests, which a greeting names."""

    digests: list[str]


class Done(msgspec.Struct, tag="done", frozen=True, forbid_unknown_fields=True):
    """The ends of the jobs of a block, by its asks, and what happened to processes of groups since the last
    block. `cpu` are the seconds of all processors that the processes of the node took until now, by
    purpose.
    """

    ends: list[list[End]]
    damps: list[Damp]
    afters: list[After]
    losses: list[Loss]
    cpu: dict[str, float]
    stretched: Stretched | None = None


class Reduced(msgspec.Struct, tag="reduced", frozen=True, forbid_unknown_fields=True):
    """The smaller trace, empty where there is none, and the seconds of all processors that it took."""

    trace: bytes
    cpu: Annotated[float, msgspec.Meta(ge=0.0, le=1e6)]


class Unknown(msgspec.Struct, tag="unknown", frozen=True, forbid_unknown_fields=True):
    """The node does not hold this campaign, or no longer."""


class Unusable(msgspec.Struct, tag="unusable", frozen=True, forbid_unknown_fields=True):
    """The node cannot do anything for the campaign, for this reason."""

    reason: str


Request = Hello | Contents | Block | Reduction | Bye
Answer = Welcome | Lacks | Done | Reduced | Unknown | Unusable

_ENCODER = msgspec.msgpack.Encoder()
_REQUESTS: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_ANSWERS: msgspec.msgpack.Decoder[Answer] = msgspec.msgpack.Decoder(Answer)


def encode(message: Request | Answer) -> bytes:
    """The bytes of a message."""
    return _ENCODER.encode(message)


def decode_request(data: bytes) -> Request:
    """The message in the bytes that a supervisor sent. Raises InputError."""
    try:
        return _REQUESTS.decode(data)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InputError(f"no message of this release of murxpy: {error}") from None


def decode_answer(data: bytes) -> Answer:
    """The message in the bytes that a node sent. Raises InputError."""
    if len(data) > MOST:
        raise InputError(f"a message of {len(data)} bytes, expected {MOST} at most")
    try:
        return _ANSWERS.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise InputError(f"no message of this release of murxpy: {error}") from None


def digest_of(content: bytes) -> str:
    """The name under which a node keeps a content, so that it gets the same bytes once."""
    return blake2b(content, digest_size=16).hexdigest()


# ----------------------------------------------------------------------
# Jobs and their ends. Traces and output may hold any code point, also lone surrogates, and reports any
# number, so they travel as bytes and as JSON.


class Damps:
    """The lists of damped calls of a message. Neighbouring runs nearly always share one."""

    def __init__(self, lists: Sequence[Damp] = ()) -> None:
        self.lists = list(lists)
        self._places = {calls: place for place, calls in enumerate(self.lists)}

    def place(self, calls: Damp) -> int:
        """The place of `calls` in the list."""
        if calls not in self._places:
            self._places[calls] = len(self.lists)
            self.lists.append(calls)
        return self._places[calls]

    def at(self, place: int) -> Damp:
        """The calls at a place. Raises InputError where the message has none."""
        if not 0 <= place < len(self.lists):
            raise InputError("a job names damped calls that its message does not have")
        return self.lists[place]


def bytes_of(text: str) -> bytes:
    """The text as it travels."""
    return text.encode("utf-8", "surrogatepass")


def text_of(data: bytes) -> str:
    """The text that travelled."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def task_of(job: Job, damps: Damps) -> Task:
    """The job as it travels."""
    return Task(
        f"{job.seed:x}",
        job.wall,
        job.index,
        None if job.text is None else bytes_of(job.text),
        job.name,
        damps.place(job.damp),
        job.keep,
        None if job.judge is None else json.dumps(dict(job.judge)).encode(),
        job.by_line,
        job.call,
    )


def job_of(task: Task, damps: Damps) -> Job:
    """The job that travelled. Raises InputError."""
    return Job(
        int(task.seed, 16),
        task.wall,
        task.index,
        None if task.text is None else text_of(task.text),
        task.name,
        damps.at(task.damp),
        task.keep,
        None if task.judge is None else _object(task.judge),
        task.by_line,
        task.call,
    )


def is_told(result: Result) -> bool:
    """Whether the end of a run is told by itself, and not in a sum."""
    report = result.outcome.report
    if report is None or result.outcome.trace or report.get("finding") or judge(result.outcome):
        return True
    counts = report.get("counts", {})
    return not isinstance(counts, dict) or not all(map(_is_count, counts.values()))


def _is_count(number: object) -> bool:
    return type(number) is int and 0 <= number < 1 << 63


def end_of(result: Result, place: int, damps: Damps) -> End:
    """The end of the job at this place of its ask, as it travels."""
    outcome = result.outcome
    may_be_a_finding = outcome.report is None or outcome.after or judge(outcome) is not None
    return End(
        result.worker.slot,
        place,
        outcome.cause,
        None if outcome.report is None else json.dumps(outcome.report).encode(),
        bytes_of(outcome.trace),
        bytes_of(outcome.output),
        outcome.status,
        outcome.peak,
        outcome.seconds,
        outcome.after,
        outcome.memory_limit,
        outcome.cpu,
        outcome.stack,
        [task_of(job, damps) for job in result.past] if may_be_a_finding else [],
    )


def outcome_of(end: End) -> Outcome:
    """The end of a job. Raises InputError for a report that no session makes."""
    return Outcome(
        end.cause,
        None if end.report is None else _report(end.report),
        text_of(end.trace),
        text_of(end.output),
        end.status,
        end.peak,
        end.seconds,
        end.after,
        end.memory_limit,
        end.cpu,
        end.stack,
    )


def past_of(end: End, damps: Damps) -> tuple[Job, ...]:
    """The jobs that the process did before."""
    return tuple(job_of(task, damps) for task in end.past)


def numbered(job: Job, number: int) -> Job:
    """The job with its number in the pool of the supervisor."""
    return replace(job, number=number)


def _object(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"expected JSON: {error}") from None
    if not isinstance(found, dict):
        raise InputError("expected an object of JSON")
    return found


def _report(data: bytes) -> Mapping[str, Any]:
    """The report of a session: plain data whose counters are counts."""
    report = _object(data)
    counts = report.get("counts", {})
    if not isinstance(counts, dict) or not all(map(_is_count, counts.values())):
        raise InputError("the counters of a report are no counts")
    return report
