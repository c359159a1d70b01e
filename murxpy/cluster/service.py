"""The replay service of a campaign on a cluster: jobs are done in the processes of nodes, in blocks.

Whatever a campaign learns from its runs, it learns in the order of their numbers and a fixed number of
runs later (`murxpy.learning.guide`). So neither the number of nodes nor the size of blocks decides
anything, and a block that is lost is simply sent again.
"""

from __future__ import annotations

import itertools
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol

from murxpy.cluster import wire
from murxpy.cluster.node import described, facts, key_of
from murxpy.errors import InputError, TargetError
from murxpy.processes.handles import Job
from murxpy.processes.pool import POLL, Pool, Result
from murxpy.processes.service import Fresh, Future, Group, Replays, Stretch, Sum

BLOCKS = 2  # blocks of runs, and of pooled jobs, that a node has in hand, so that it never waits
# The seconds that a block should take. The supervisor then has time for a thousand nodes, and little is
# lost with a node.
SECONDS = 10.0
_FIRST = 8  # runs in a block before any block was timed
LARGEST = 4096  # runs in a block
_POOLED = 16  # jobs in a block of a pool that is not that of the runs, such as questions to a judge
_GONE = 16  # lost nodes that are remembered, to show them
_PIECES = 16  # of a block that was lost with its node
# Nodes that may be lost in a row while each did nothing but the same jobs. Then the jobs are tried once
# more when nothing else is left to do, and set aside when that node is lost, too.
LOSSES = 3
# Seconds until jobs that a node was lost with are tried alone again; four times as many each time. So a
# cause outside, such as somebody who ends nodes, seldom meets the same jobs each time.
_DISTANCE = 0.25
Lane = Literal["runs", "pooled", "fresh"]

# ----------------------------------------------------------------------
# What a link to a cluster gives. A test has a link of its own, without Dask.


@dataclass(frozen=True, slots=True)
class Joined:
    """There is a node, which can be sent messages."""

    node: str


@dataclass(frozen=True, slots=True)
class Left:
    """A node is gone, or does not answer any more. What it was sent gets no answer."""

    node: str
    reason: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a message."""

    ticket: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Failed:
    """There is no answer to a message, for this reason."""

    ticket: int
    reason: str


@dataclass(frozen=True, slots=True)
class Cut:
    """The cluster cannot be reached. Nothing that was sent gets an answer. The link tries to reach it again,
    and then tells which nodes there are.
    """

    reason: str


Event = Joined | Left | Answered | Failed | Cut


@dataclass(frozen=True, slots=True)
class Host:
    """A machine that SSH reaches, and the Python there that has murxpy."""

    name: str
    python: str


class Link(Protocol):
    """The way to the nodes of a cluster. `started` is the number of nodes that it started itself, and 0 where
    others may join.
    """

    started: int

    def send(self, ticket: int, node: str, data: bytes) -> None:
        """Send a message to a node. Its answer has the same ticket."""

    def drop(self, ticket: int) -> None:
        """Note that nobody waits for the answer to a message any more."""

    def receive(self, timeout: float) -> list[Event]:
        """What happened. Waits at most `timeout` seconds until something does."""

    def close(self) -> None:
        """Leave the cluster."""


# ----------------------------------------------------------------------
# The nodes as the supervisor sees them.


@dataclass(eq=False)
class Seat:
    """The place in which a node did a job."""

    slot: int


@dataclass(eq=False)
class Member:
    """A node. `number` is its place, which a later node gets when it is gone. `usable` says that it holds
    the processes of the campaign, `refused` why it may not.
    """

    name: str
    number: int
    host: str = ""
    usable: bool = False
    refused: str = ""
    supplied: bool = False  # whether it was sent the contents that it lacked
    runs: int = 0
    told: int = 0  # runs that `told` of the service has told
    seen: float = 0.0
    sent: dict[int, _Batch] = field(default_factory=dict)
    # of each lane; with a thousand nodes, counting them anew for each block took longer than all else
    counts: dict[Lane, int] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    reduction: int = 0  # the ticket of the reduction that the node has in hand

    def has(self, lane: Lane) -> int:
        """The number of blocks of a lane that the node has in hand."""
        return self.counts.get(lane, 0)

    def put(self, ticket: int, batch: _Batch) -> None:
        """Note that the node has a block in hand."""
        self.sent[ticket] = batch
        self.counts[batch.lane] = self.has(batch.lane) + 1

    def pop(self, ticket: int) -> _Batch:
        """Note that the node does not have a block in hand any more."""
        batch = self.sent.pop(ticket)
        self.counts[batch.lane] -= 1
        return batch


@dataclass(eq=False)
class _Batch:
    """Submissions that travel together, or a stretch of runs. `losses` counts the nodes that were lost while they did nothing
    else. It is sent at `after` at the earliest.
    """

    lane: Lane
    futures: list[Future]
    stretch: tuple[Stretch, Group] | None = None  # without futures
    losses: int = 0
    alone: bool = False
    sent: float = 0.0
    after: float = 0.0

    def wanted(self) -> bool:
        """Whether somebody still waits for it."""
        return self.stretch is not None or any(not future.cancelled for future in self.futures)

    def __len__(self) -> int:
        return len(self.futures) if self.stretch is None else self.stretch[0].count

    def part(self, at: int, size: int) -> _Batch:
        """Some of the submissions or runs."""
        if self.stretch is None:
            return _Batch(self.lane, self.futures[at : at + size])
        stretch, group = self.stretch
        size = min(size, stretch.count - at)
        return _Batch(
            self.lane, [], (replace(stretch, first=stretch.first + at, count=size), group)
        )

    def of(self, group: Group) -> bool:
        """Whether all of it is for this group."""
        if self.stretch is not None:
            return self.stretch[1] is group
        return all(future.on is group for future in self.futures)


Smaller = Callable[[str, float], None]


class ClusterReplays(Replays):
    """The replay service on the nodes that `link` reaches. The pool of this process only loads the solvers:
    `abouts` are the descriptions of their sessions. Nodes belong to the campaign in the folder `campaign` with `seed`,
    whose groups have the places of `slots` processes. `notice` is told of nodes that come, go or are
    refused. `step` raises TargetError where all nodes that the link started are refused.
    """

    def __init__(
        self,
        pool: Pool,
        link: Link,
        campaign: Path,
        seed: int,
        slots: int,
        notice: Callable[[str], None],
        abouts: Sequence[dict[str, object]],
    ) -> None:
        super().__init__(pool)
        solvers, self._contents = described(pool.plans)
        hello = wire.Hello("", solvers, pool.limits)
        self._hello = wire.Hello(key_of(hello, campaign, seed), hello.solvers, hello.limits)
        self._facts = facts(abouts)
        self._link = link
        self._slots = slots
        self._notice = notice
        self._tickets = itertools.count(1)
        self._greeted: dict[int, Member] = {}
        self._supplied: dict[int, Member] = {}  # that were sent contents
        self._groups: dict[Group, None] = {}
        self._fresh: deque[Future] = deque()
        self._again: deque[_Batch] = deque()
        self._alone: deque[_Batch] = deque()
        self._last: deque[_Batch] = deque()
        self._reserved: Member | None = None  # the node for blocks that must be alone on one
        self._probe: Literal["", "sent", "answered"] = ""  # whether that node is alive
        self._a_run = 0.0  # seconds that a node takes for a run, of the last blocks
        self._holders: dict[int, Member] = {}  # of the blocks that were sent, by their tickets
        self._wanted: dict[Lane, int] = {}  # jobs that may wait to be sent
        # the nodes that make a trace smaller, and what is called with it, by the tickets of the requests
        self._reductions: dict[int, tuple[Member, Smaller]] = {}
        self.members: dict[str, Member] = {}
        self.gone: deque[Member] = deque(maxlen=_GONE)  # the nodes that were lost last
        # nodes that are gone, of which the folder does not know all, and whether they were lost
        self._untold: list[tuple[Member, int]] = []
        self.lost = 0  # nodes
        self._useful = False  # whether any node could be used
        self._cpu_of_lost: defaultdict[str, float] = defaultdict(float)

    # As the service of one machine.

    def submit(
        self,
        jobs: Sequence[Job],
        on: Fresh | Group,
        done: Callable[[Future], None] | None = None,
    ) -> Future:
        numbered = tuple(wire.numbered(job, self.pool.job_number()) for job in jobs)
        future = Future(numbered, on, done)
        if isinstance(on, Group):
            self._groups[on] = None
            on.waiting.append(future)
        else:
            self._fresh.append(future)
        return future

    def cancel(self, future: Future) -> None:
        if future.over or future.cancelled:
            return
        future.cancelled, future.done = True, None
        waiting = future.on.waiting if isinstance(future.on, Group) else self._fresh
        if future in waiting:
            waiting.remove(future)
        for member in self.members.values():
            for ticket in [t for t, batch in member.sent.items() if not batch.wanted()]:
                self._forget(member, ticket)

    def end(self, group: Group) -> None:
        futures = list(group.waiting)
        group.waiting.clear()
        for member in self.members.values():
            for ticket, batch in list(member.sent.items()):
                if batch.of(group):
                    self._forget(member, ticket)
                    futures += batch.futures
                    _give_back(batch)
        for queue in (self._again, self._alone, self._last):
            for batch in list(queue):
                if batch.of(group):
                    queue.remove(batch)
                    futures += batch.futures
                    _give_back(batch)
        for future in futures:
            self._over(future)

    def room(self, group: Group) -> bool:
        """Whether the nodes could be sent a further job of the group."""
        return len(group.waiting) < self._wanted.get(_lane(group), 0)

    def wants(self, group: Group) -> tuple[int, int]:
        lane = _lane(group)
        if self._again or group.waiting:  # these come first
            return 0, 0
        self._groups[group] = None
        return self._size(lane), max(0, self._free(lane))

    def submit_stretch(self, stretch: Stretch, group: Group) -> None:
        member = self._chosen(_lane(group))
        batch = _Batch(_lane(group), [], (stretch, group))
        if member is None:
            self._again.append(batch)
        else:
            self._dispatch(member, batch)

    def step(self, timeout: float = 2 * POLL) -> None:
        """Send what can be sent, wait at most `timeout` seconds for something to happen, and call `done` of
        the futures that are over.
        """
        self._send()
        for event in self._link.receive(timeout):
            self._take(event)
        super().step(0.0)  # the warm parents of this process

    def can_reduce(self) -> bool:
        """Whether a node could make a trace smaller now. Each makes one at a time."""
        return any(not member.reduction for member in self._able())

    def reduce(self, target: int, request: bytes, trace: str, earlier: str, done: Smaller) -> None:
        """Have a node make a trace smaller, of the plan `target`. Calls `done` with the smaller trace, or with
        an empty one where there is none, and with the seconds of all processors that it took. `done` raises
        InputError where that is no trace.
        """
        member = next(member for member in self._able() if not member.reduction)
        ticket = member.reduction = next(self._tickets)
        self._reductions[ticket] = member, done
        texts = wire.bytes_of(trace), wire.bytes_of(earlier)
        asked = wire.Reduction(self._hello.key, target, request, *texts)
        self._link.send(ticket, member.name, wire.encode(asked))

    def _reduced(self, event: Answered | Failed) -> None:
        """Take a smaller trace. The node is not used any more if it gave something else."""
        member, done = self._reductions.pop(event.ticket)
        member.reduction, member.seen = 0, time.monotonic()
        reason = event.reason if isinstance(event, Failed) else "it answers wrongly"
        text, seconds = "", 0.0
        if isinstance(event, Answered):
            try:
                answer = wire.decode_answer(event.data)
                if isinstance(answer, wire.Reduced):
                    reason, text, seconds = "", wire.text_of(answer.trace), answer.cpu
                elif isinstance(answer, wire.Unusable):
                    reason = answer.reason
                elif isinstance(answer, wire.Unknown):  # it was started again
                    reason, member.usable = "", False
                    self._greet(member)
            except InputError as error:
                reason = f"its answer is no answer: {error}"
        try:
            done(text, seconds)
        except InputError as error:
            reason = f"its smaller trace is none: {error}"
        if reason:
            self._refuse(member, reason)

    def cpu(self) -> dict[str, float]:
        spent = defaultdict(float, self._cpu_of_lost)
        for member in self.members.values():
            for purpose, seconds in member.cpu.items():
                spent[purpose] += seconds
        return dict(spent)

    def told(self) -> list[tuple[str, str, int, int, float]]:
        """What there is to add, since the last call, to what is kept of the nodes: name, machine, runs, how
        often it was lost, and when it answered last, in seconds since the epoch.
        """
        now, since = time.time(), time.monotonic()
        there = [(member, 0) for member in self.members.values() if member.host]
        gone, self._untold = self._untold, []
        sums = []
        for member, lost in [*there, *gone]:
            runs, member.told = member.runs - member.told, member.runs
            if runs or lost:
                seen = now - (since - member.seen)
                sums.append((member.name, member.host, runs, lost, seen))
        return sums

    def close(self) -> None:
        """Have the nodes end their processes, and leave the cluster."""
        for member in self._usable():
            self._link.send(
                next(self._tickets), member.name, wire.encode(wire.Bye(self._hello.key))
            )
        self._link.close()

    # Sending.

    def _usable(self) -> list[Member]:
        return [member for member in self.members.values() if member.usable]

    def _size(self, lane: Lane) -> int:
        """The number of submissions in a block."""
        if lane != "runs":
            return _POOLED if lane == "pooled" else 1
        if not self._a_run:
            return _FIRST
        return max(1, min(LARGEST, int(SECONDS / self._a_run)))

    def _send(self) -> None:
        self._send_alone()
        while self._again and (member := self._chosen(self._again[0].lane)) is not None:
            self._dispatch(member, self._again.popleft())
        while self._fresh and (member := self._chosen("fresh")) is not None:
            self._dispatch(member, _Batch("fresh", [self._fresh.popleft()]))
        for group in self._groups:
            lane = _lane(group)
            free = self._free(lane)
            while group.waiting and (member := self._chosen(lane)) is not None:
                # what waits is shared by all who have room: the last blocks are small
                count = min(self._size(lane), -(-len(group.waiting) // max(1, free)))
                futures = [group.waiting.popleft() for _ in range(count)]
                self._dispatch(member, _Batch(lane, futures))
                free -= 1
        self._wanted = {lane: self._free(lane) * self._size(lane) for lane in ("runs", "pooled")}

    def _send_alone(self) -> None:
        """Send the next jobs that a node was lost with, alone. The node that gets them has nothing else in
        hand, and has just answered, so that it is known what the node was lost with.
        """
        if self._reserved is not None and not self._reserved.usable:
            self._reserved = None
        if self._reserved is not None and (self._reserved.sent or self._reserved.reduction):
            return
        batch = self._due()
        if batch is None:
            self._reserved = None
            return
        if self._reserved is None:
            usable = self._usable()
            self._reserved = min(
                usable, key=lambda m: (bool(m.reduction), len(m.sent), m.number), default=None
            )
            self._probe = ""
        if self._reserved is None or self._reserved.sent or self._reserved.reduction:
            return
        if not self._probe:
            self._greet(self._reserved)
            self._probe = "sent"
        elif self._probe == "answered":
            self._probe = ""
            queue = self._alone if batch in self._alone else self._last
            queue.remove(batch)
            batch.alone = True
            self._dispatch(self._reserved, batch)

    def _due(self) -> _Batch | None:
        """The next of the jobs that are to be alone on a node."""
        now = time.monotonic()
        for batch in self._alone:
            if batch.after <= now:
                return batch
        if self._last and self._last[0].after <= now and not self._others():
            return self._last[0]
        return None

    def _others(self) -> bool:
        """Whether there is other work than the last tries of jobs that nodes were lost with."""
        waiting = any(group.waiting for group in self._groups)
        in_hand = any(member.sent for member in self.members.values())
        return bool(waiting or in_hand or self._again or self._fresh or self._alone)

    def _able(self) -> list[Member]:
        """The nodes that can get several blocks."""
        return [member for member in self._usable() if member is not self._reserved]

    def _free(self, lane: Lane) -> int:
        """The number of blocks that could be sent now."""
        return sum(BLOCKS - member.has(lane) for member in self._able())

    def _chosen(self, lane: Lane) -> Member | None:
        """The node with the fewest blocks in hand among those with room for one more."""
        most = self._slots if lane == "fresh" else BLOCKS
        able = [member for member in self._able() if member.has(lane) < most]
        return min(able, key=lambda m: (m.has(lane), len(m.sent), m.number), default=None)

    def _dispatch(self, member: Member, batch: _Batch) -> None:
        batch.futures = [future for future in batch.futures if not future.cancelled]
        if not len(batch):
            return
        ticket, batch.sent = next(self._tickets), time.monotonic()
        member.put(ticket, batch)
        self._holders[ticket] = member
        self._link.send(ticket, member.name, wire.encode(self._block(batch)))

    def _block(self, batch: _Batch) -> wire.Block:
        damps, places = wire.Damps(), dict[wire.Where, int]()
        asks = []
        for future in batch.futures:
            place = places.setdefault(_where(future.on), len(places))
            asks.append(wire.Ask(place, [wire.task_of(job, damps) for job in future.jobs]))
        stretch = None
        if batch.stretch is not None:
            own, group = batch.stretch
            place = places.setdefault(_where(group), len(places))
            job = wire.task_of(own.job, damps)
            stretch = wire.Stretch(place, own.first, own.count, f"{own.seed:x}", job)
        return wire.Block(self._hello.key, damps.lists, list(places), asks, stretch)

    def _forget(self, member: Member, ticket: int) -> None:
        self._link.drop(ticket)
        member.pop(ticket)
        del self._holders[ticket]

    # Receiving.

    def _take(self, event: Event) -> None:
        if isinstance(event, Joined):
            self._joined(event.node)
        elif isinstance(event, Left):
            self._gone(event.node, event.reason)
        elif isinstance(event, Cut):
            self._notice(f"the cluster cannot be reached: {event.reason}; waiting for it")
            for name in list(self.members):
                self._gone(name, "", blame=False)
        elif event.ticket in self._supplied:
            member = self._supplied.pop(event.ticket)
            if self.members.get(member.name) is member:
                self._greet(member)
        elif event.ticket in self._reductions:
            self._reduced(event)
        elif event.ticket in self._greeted:
            self._greeting(self._greeted.pop(event.ticket), event)
        else:
            self._answered(event)

    def _joined(self, name: str) -> None:
        taken = {member.number for member in self.members.values()}
        number = next(n for n in itertools.count() if n not in taken)
        member = self.members[name] = Member(name, number, seen=time.monotonic())
        self._greet(member)

    def _greet(self, member: Member) -> None:
        ticket = next(self._tickets)
        self._greeted[ticket] = member
        self._link.send(ticket, member.name, wire.encode(self._hello))

    def _supply(self, member: Member, contents: list[bytes]) -> None:
        """Give a node contents, and greet it again when it has them."""
        ticket = next(self._tickets)
        self._supplied[ticket] = member
        self._link.send(ticket, member.name, wire.encode(wire.Contents(contents)))

    def _greeting(self, member: Member, event: Answered | Failed) -> None:
        if self.members.get(member.name) is not member:
            return
        reason = event.reason if isinstance(event, Failed) else ""
        if isinstance(event, Answered):
            try:
                answer = wire.decode_answer(event.data)
            except InputError as error:
                reason = str(error)
            else:
                reason = self._met(member, answer)
        if reason:
            self._refuse(member, reason)

    def _met(self, member: Member, answer: wire.Answer) -> str:
        """Take the answer to a greeting, and say why the node is refused; empty if it is not. A node that
        lacks contents gets them, and is greeted again.
        """
        if isinstance(answer, wire.Lacks) and not member.supplied:
            member.supplied = True
            contents = [self._contents[one] for one in answer.digests if one in self._contents]
            self._supply(member, contents)
            return ""
        if isinstance(answer, wire.Unusable):
            return answer.reason
        if not isinstance(answer, wire.Welcome):
            return "it gives another answer than was asked for"
        differs = differences(self._facts, answer.facts)
        member.host, member.usable, member.seen = answer.host, not differs, time.monotonic()
        member.supplied = False
        if member is self._reserved and self._probe == "sent":
            self._probe = "answered"
        self._useful = self._useful or member.usable
        return differs

    def _refuse(self, member: Member, reason: str) -> None:
        member.usable, member.refused = False, reason
        self._notice(f"node {member.name} is not used: {reason}")
        refused = sum(bool(one.refused) for one in self.members.values())
        if not self._useful and 0 < self._link.started <= refused:
            raise TargetError(f"no node of the cluster can be used: {reason}")

    def _gone(self, name: str, reason: str, *, blame: bool = True) -> None:
        member = self.members.pop(name, None)
        if member is None:
            return
        member.usable = False
        self._untold.append((member, int(blame)))
        for purpose, seconds in member.cpu.items():
            self._cpu_of_lost[purpose] += seconds
        if blame:
            self.lost += 1
            self.gone.append(member)
            work = "is done by others" if self._usable() else "waits for a node: there is none now"
            self._notice(f"node {name} is lost: {reason}; its work {work}")
        if member.reduction in self._reductions:
            self._link.drop(member.reduction)
            _, done = self._reductions.pop(member.reduction)
            done("", 0.0)
        for ticket, batch in list(member.sent.items()):
            self._forget(member, ticket)
            self._redo(batch, blame=blame)

    def _redo(self, batch: _Batch, *, blame: bool) -> None:
        """Have a block done again, unless its jobs were lost with too many nodes. Jobs count as a cause only
        where they were alone on their node: then they are tried again later, and at last when nothing else
        is left to do.
        """
        alone, batch.alone = batch.alone, False
        batch.futures = [future for future in batch.futures if not future.cancelled]
        if not blame:
            self._again.append(batch)
        elif len(batch) > 1:
            # In small pieces, so that little is done again and again with the jobs that lose nodes, and a
            # piece is seldom on a node that is lost for another reason.
            size = -(-len(batch) // _PIECES)
            self._again.extend(batch.part(at, size) for at in range(0, len(batch), size))
        elif len(batch):
            if alone:
                batch.after = time.monotonic() + _DISTANCE * 4**batch.losses
                batch.losses += 1
            if batch.losses > LOSSES:
                self._set_aside(batch)
            else:
                (self._alone if batch.losses < LOSSES else self._last).append(batch)

    def _set_aside(self, batch: _Batch) -> None:
        """Give up jobs that lose their nodes."""
        if batch.stretch is None:
            (future,) = batch.futures
        else:
            stretch, group = batch.stretch
            future = Future((stretch.run(0),), group, stretch.owner.over)
        runs = [f"{job.seed:016x}" for job in future.jobs]
        more = "" if len(runs) == 1 else f" and {len(runs) - 1} more"
        self._notice(
            f"{batch.losses} nodes were lost while they did nothing but the same jobs, which are set aside: {runs[0]}{more}"
        )
        future.aside = True
        self._over(future)

    def _answered(self, event: Answered | Failed) -> None:
        holder = self._holders.pop(event.ticket, None)
        if holder is None:
            return  # nobody waits for it any more
        holder.seen = time.monotonic()
        batch = holder.pop(event.ticket)
        if isinstance(event, Failed):
            self._refuse(holder, event.reason)
            self._redo(batch, blame=True)
            return
        try:
            answer = wire.decode_answer(event.data)
            if isinstance(answer, wire.Done):
                self._done(holder, batch, answer)
                return
        except InputError as error:
            answer = wire.Unusable(f"its answer is no answer: {error}")
        if isinstance(answer, wire.Unknown):  # it was started again, maybe because of this block
            holder.usable = False
            self._greet(holder)
            self._redo(batch, blame=True)
        else:
            reason = answer.reason if isinstance(answer, wire.Unusable) else "it answers wrongly"
            self._refuse(holder, reason)
            self._redo(batch, blame=True)

    def _done(self, member: Member, batch: _Batch, done: wire.Done) -> None:
        """Take the ends of a block. Raises InputError, before anything is taken, where they are not the ends
        of this block.
        """
        if len(done.ends) != len(batch.futures):
            raise InputError(f"{len(done.ends)} ends of {len(batch.futures)} jobs")
        damps = wire.Damps(done.damps)
        results = [
            [self._result(member, future.jobs, end, damps) for end in ends]
            for future, ends in zip(batch.futures, done.ends, strict=True)
        ]
        ends_of_runs = self._ends_of_stretch(member, batch, done, damps)
        afters = [self._after(member, after, damps) for after in done.afters]
        member.cpu = done.cpu
        if batch.lane == "runs":
            self._timed(batch)
            member.runs += sum(bool(ended) for ended in results)
        for group, result in afters:
            group.watcher.died_after(result)
        losses = list(done.losses)
        for future, ended in zip(batch.futures, results, strict=True):
            future.results += ended
            if not future.cancelled:
                self._over(future)
            if any(result.outcome.report is None for result in ended):
                self._tell_loss(member, losses, future)
        if batch.stretch is not None and done.stretched is not None:
            self._take_stretch(member, *batch.stretch, done.stretched, ends_of_runs, losses)
        while losses:
            self._tell_loss(member, losses)

    def _ends_of_stretch(
        self, member: Member, batch: _Batch, done: wire.Done, damps: wire.Damps
    ) -> dict[int, Result]:
        """The ends that are told one by one, by the places of their runs. Raises InputError where not each
        run of the stretch ended once.
        """
        stretched = done.stretched
        if batch.stretch is None and stretched is None:
            return {}
        if batch.stretch is None or stretched is None:
            raise InputError("the ends of runs that were not sent, or none of those that were")
        stretch, _ = batch.stretch
        places = [*(end.job for end in stretched.ends), *stretched.back]
        if len({*places}) < len(places) or not all(0 <= p < stretch.count for p in places):
            raise InputError("a run of a block that ended twice, or is none of it")
        if len(places) + sum(one.runs for one in stretched.sums) != stretch.count:
            raise InputError("another number of ends than of runs")
        return {
            end.job: Result(
                Seat(self._slot(member, end.slot)),
                replace(stretch.run(end.job), number=self.pool.job_number()),
                wire.outcome_of(end),
                wire.past_of(end, damps),
            )
            for end in stretched.ends
        }

    def _take_stretch(
        self,
        member: Member,
        stretch: Stretch,
        group: Group,
        stretched: wire.Stretched,
        results: Mapping[int, Result],
        losses: list[wire.Loss],
    ) -> None:
        """Hand on the ends of the runs of a stretch, in the order of their numbers."""
        owner, first = stretch.owner, stretch.first
        owner.summed([Sum(self._slot(member, s.slot), s.runs, s.counts) for s in stretched.sums])
        member.runs += stretch.count - len(stretched.back)
        at, back = 0, {*stretched.back}
        for place in [*sorted([*results, *back]), stretch.count]:
            if at < place:
                owner.passed(first + at, place - at)
            at = place + 1
            if place in back:
                owner.back(first + place, 1)
            elif place in results:
                result = results[place]
                future = Future((result.job,), group, owner.over, [result])
                self._over(future)
                if result.outcome.report is None:
                    self._tell_loss(member, losses, future)

    def _tell_loss(
        self, member: Member, losses: list[wire.Loss], future: Future | None = None
    ) -> None:
        """Tell the group of the first loss of it, or the group of `future` of the loss of the process that
        died in its job, and take it from the list.
        """
        for loss in losses:
            slot = self._slot(member, loss.slot)
            if future is not None and future.results[-1].worker.slot != slot:
                continue
            losses.remove(loss)
            for group in self._groups:
                if (group.target, group.purpose) == (loss.target, loss.purpose):
                    group.watcher.lost(slot, loss.reason)
            return

    def _timed(self, batch: _Batch) -> None:
        a_run = (time.monotonic() - batch.sent) / (BLOCKS * len(batch))
        self._a_run = 0.8 * self._a_run + 0.2 * a_run if self._a_run else a_run

    def _slot(self, member: Member, slot: int) -> int:
        """The place of a process of a node among those of all nodes."""
        targets = 1 + max((group.target for group in self._groups), default=0)
        stride = -(-max(self._slots, targets) // targets) * targets
        return member.number * stride + slot if 0 <= slot < stride else -1

    def _result(
        self, member: Member, jobs: Sequence[Job], end: wire.End, damps: wire.Damps
    ) -> Result:
        if not 0 <= end.job < len(jobs):
            raise InputError("the end of a job that was not sent")
        seat = Seat(self._slot(member, end.slot))
        return Result(seat, jobs[end.job], wire.outcome_of(end), wire.past_of(end, damps))

    def _after(self, member: Member, after: wire.After, damps: wire.Damps) -> tuple[Group, Result]:
        place = (after.target, after.purpose)
        for group in self._groups:
            if (group.target, group.purpose) == place:
                seat = Seat(self._slot(member, after.end.slot))
                outcome, past = wire.outcome_of(after.end), wire.past_of(after.end, damps)
                return group, Result(seat, wire.job_of(after.job, damps), outcome, past)
        raise InputError("the death of a process that nobody asked for")


def _lane(group: Group) -> Lane:
    return "runs" if group.purpose == "runs" else "pooled"


def _give_back(batch: _Batch) -> None:
    """Give back the runs of a stretch that are not made."""
    if batch.stretch is not None:
        stretch, _ = batch.stretch
        stretch.owner.back(stretch.first, stretch.count)


def _where(on: Fresh | Group) -> wire.Where:
    if isinstance(on, Fresh):
        return wire.Where(on.target, private=on.private)
    return wire.Where(on.target, tuple(on.places), on.ahead, on.again, on.purpose)


def differences(own: wire.Facts, other: wire.Facts) -> str:
    """Say in what a node differs from its supervisor; empty if it does not."""
    found = [
        f"{what} {theirs or 'none'} instead of {ours or 'none'}"
        for what, ours, theirs in (
            ("murxpy", own.murxpy, other.murxpy),
            ("murxpy's code", own.code, other.code),
            ("Python", own.python, other.python),
            ("plug-ins", own.plugins, other.plugins),
            ("solvers", " ".join(own.solvers), " ".join(other.solvers)),
        )
        if ours != theirs
    ]
    return f"it has {', '.join(found)}" if found else ""
