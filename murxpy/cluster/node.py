"""A node of a cluster: it holds the warm parents and the worker processes of a campaign, as the supervisor
does on one machine, and does the blocks of jobs that it is given.

A node knows nothing of Dask. `serve` takes the bytes of a message and gives those of the answer; several
threads may call it at a time.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import queue
import select
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import murxpy
from murxpy.cluster import wire
from murxpy.errors import InputError, MurxpyError
from murxpy.modules import added_modules
from murxpy.processes.handles import Scratch, end_group, start_behind
from murxpy.processes.pool import POLL, Pool, Result
from murxpy.processes.service import Fresh, Future, Group, Replays, Watcher, run_of
from murxpy.processes.targets import Plan, absolute_target, grant_target, resolve, version_of

# Seconds without a message after which a node ends the processes of a campaign: its supervisor was
# killed. A supervisor that is alive finds the node without them, and has them started again.
FORGOTTEN = 300.0
_ENDING = 10.0  # seconds that ending the processes may take
# Seconds after which a reduction is given up whose process hangs: a bit more than the supervisor gives its own.
_REDUCING = 1900.0
_NICER = 5  # steps that a reduction is nicer than the runs
# Bytes of contents that a node keeps for later campaigns. The setup of z3 has 0.4 MB,
# that with seeds for OpFuzz 1.9 MB.
_KEPT = 512 << 20


@cache
def code_digest() -> str:
    """A digest of murxpy's own code, which is the same in each environment with the same code."""
    package, digest = Path(murxpy.__file__).parent, blake2b(digest_size=8)
    for path in sorted(package.rglob("*.py")):
        digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def facts(abouts: Sequence[dict[str, Any]]) -> wire.Facts:
    """What nodes and supervisor must have in common. `abouts` describe the sessions of all plans."""
    names = sorted(
        f"{package}.{name}" for package, more in added_modules().items() for name in more
    )
    return wire.Facts(
        murxpy.__version__,
        code_digest(),
        platform.python_version(),
        " ".join(names),
        tuple(version_of(about) for about in abouts),
    )


def described(plans: Sequence[Plan]) -> tuple[list[wire.Solver], dict[str, bytes]]:
    """The plans of a campaign in the form that a node reads, and the contents that they name, by their
    digests. Raises InputError.
    """
    contents: dict[str, bytes] = {}
    return [_described(plan, contents) for plan in plans], contents


def _described(plan: Plan, contents: dict[str, bytes]) -> wire.Solver:
    def put(content: bytes) -> str:
        digest = wire.digest_of(content)
        contents[digest] = content
        return digest

    target, terms = plan.target, _terms_of(plan.setup)
    try:
        name = absolute_target(target.name)
        of_terms = "" if terms is None else put(Path(terms).read_bytes())
    except OSError as error:
        raise InputError(f"the terms of the seeds cannot be read: {error.strerror}") from None
    return wire.Solver(
        name,
        target.name,
        target.family,
        target.library_variables,
        put(json.dumps(plan.setup).encode()),
        of_terms,
    )


def _terms_of(setup: Any) -> str | None:
    terms = (setup.get("sources") or {}).get("terms")
    return None if terms is None else str(terms)


def _plan(solver: wire.Solver, contents: Mapping[str, bytes], folder: Path, number: int) -> Plan:
    """The plan on this machine: a release is installed here at its first use. Raises InputError and
    TargetError, where this machine lacks the target.
    """
    setup = json.loads(contents[solver.setup])
    if solver.terms:
        file = folder / f"terms-{number}"
        file.write_bytes(contents[solver.terms])
        setup["sources"]["terms"] = str(file)
    grant_target(solver.name)  # the command line of the supervisor named it
    target = resolve(solver.name, setup.get("wrapper") or {}, notice=lambda text: None)
    target = replace(
        target,
        name=solver.shown,
        family=solver.family,
        library_variables=solver.library_variables,
    )
    return Plan(target, setup)


@dataclass(eq=False)
class _Open:
    """A block in hand: the ends of its jobs so far, and the number of asks that are not over."""

    block: wire.Block
    tell: queue.SimpleQueue[wire.Answer]
    ends: list[list[wire.End]]
    left: int
    damps: wire.Damps = field(default_factory=wire.Damps)
    losses: list[wire.Loss] = field(default_factory=list)
    # of the runs of its stretch: by slots, their number and their counters
    sums: dict[int, Counter[str]] = field(default_factory=dict)
    summed: Counter[int] = field(default_factory=Counter)
    told: list[wire.End] = field(default_factory=list)
    back: list[int] = field(default_factory=list)


class _Notes(Watcher):
    """What happens to the processes of a group, until the supervisor is told: that a process died in a job
    together with the end of the job.
    """

    def __init__(self, target: int, purpose: str) -> None:
        self.target, self.purpose = target, purpose
        self.after: list[Result] = []
        self.losses: list[wire.Loss] = []
        self.died: dict[int, _Open] = {}  # by slots: the block in whose job the process died

    def lost(self, slot: int, reason: str) -> None:
        opened = self.died.pop(slot, None)
        if reason:
            losses = self.losses if opened is None else opened.losses
            losses.append(wire.Loss(self.target, self.purpose, slot, reason))

    def died_after(self, result: Result) -> None:
        self.after.append(result)


class _Processes:
    """The processes of one campaign, which a thread of their own serves, because a pool is for one thread."""

    def __init__(self, hello: wire.Hello, contents: Mapping[str, bytes]) -> None:
        self._hello = hello
        self._contents = contents
        self._inbox: queue.SimpleQueue[_Open | None] = queue.SimpleQueue()
        self._groups: dict[wire.Where, tuple[Group, _Notes]] = {}
        self._open: list[_Open] = []
        self._plans: list[Plan] = []
        self._reducing = 0  # reductions in hand
        self._ready, self._ended = threading.Event(), threading.Event()
        self.welcome: wire.Answer = wire.Unusable("it has not begun")
        self.error = ""
        self.last = time.monotonic()
        self._thread = threading.Thread(target=self._live, name="murxpy-node", daemon=True)
        self._thread.start()

    def wait(self) -> wire.Answer:
        """Wait until the solvers are loaded, and give the answer to the supervisor."""
        self._ready.wait()
        return self.welcome

    def do(self, block: wire.Block) -> wire.Answer:
        """Do a block, and give the ends of its jobs."""
        if self.error:
            return wire.Unusable(self.error)
        self.last = time.monotonic()
        tell: queue.SimpleQueue[wire.Answer] = queue.SimpleQueue()
        left = len(block.asks) + (block.stretch.count if block.stretch else 0)
        self._inbox.put(_Open(block, tell, [[] for _ in block.asks], left))
        answer = tell.get()
        self.last = time.monotonic()
        return answer

    @property
    def busy(self) -> bool:
        """Whether there is something in hand."""
        return bool(self._open or self._reducing)

    def reduce(self, asked: wire.Reduction) -> wire.Answer:
        """Make a trace smaller, in the process that does it beside a campaign of one machine."""
        self.last = time.monotonic()
        self._ready.wait()
        if self.error or not 0 <= asked.target < len(self._plans):
            return wire.Unusable(self.error or "a target that the campaign does not have")
        self._reducing += 1
        try:
            with Scratch("reduction") as folder:
                return self._reduced(asked, folder)
        except (OSError, ValueError):  # the process ended: the supervisor does it itself
            return wire.Reduced(b"", 0.0)
        finally:
            self._reducing -= 1
            self.last = time.monotonic()

    def _reduced(self, asked: wire.Reduction, folder: Path) -> wire.Reduced:
        trace, smaller, plan = (
            folder / name for name in ("finding.trace", "finding.min.trace", "plan.json")
        )
        trace.write_bytes(asked.trace)
        if asked.earlier:
            smaller.write_bytes(asked.earlier)
        plan.write_text(json.dumps(asdict(self._plans[asked.target])))
        request = {**json.loads(asked.request), "trace": str(trace), "plan": str(plan)}
        gate = os.memfd_create("murxpy-gate")  # it stays open: the supervisor counts the time
        process = start_behind(gate, _NICER)
        try:
            line = self._line(process, json.dumps(request).encode() + b"\n")
        finally:
            os.close(gate)
            end_group(process)
            process.communicate()
        answer = json.loads(line or b"{}")
        there = smaller.is_file() and not answer.get("error")
        return wire.Reduced(smaller.read_bytes() if there else b"", float(answer.get("cpu", 0.0)))

    def _line(self, process: subprocess.Popen[bytes], request: bytes) -> bytes:
        """The line that a process answers; empty where there is none in time, or the campaign is over."""
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(request)
        process.stdin.flush()
        end = time.monotonic() + _REDUCING
        while not select.select([process.stdout], [], [], 0.5)[0]:
            if self._ended.is_set() or time.monotonic() > end:
                return b""
        return process.stdout.readline()

    def close(self) -> None:
        """End all processes."""
        self._inbox.put(None)
        self._ended.wait(_ENDING)

    # All of the rest is done by the thread.

    def _live(self) -> None:
        try:
            with Scratch("node") as folder:
                self._load(folder)
        except MurxpyError as error:
            self.error = str(error)
        # Whatever it is, the supervisor is told, and nobody waits for ever.
        except Exception as error:
            self.error = f"internal error: {type(error).__name__}: {error}"
        self.error = self.error or "it was closed"
        if not self._ready.is_set():
            self.welcome = wire.Unusable(self.error)
            self._ready.set()
        self._ended.set()
        for opened in self._open:
            opened.tell.put(wire.Unusable(self.error))
        with contextlib.suppress(queue.Empty):
            while True:  # late blocks get an answer, too
                late = self._inbox.get(timeout=_ENDING)
                if late is not None:
                    late.tell.put(wire.Unusable(self.error))

    def _load(self, folder: Path) -> None:
        hello = self._hello
        plans = [
            _plan(solver, self._contents, folder, number)
            for number, solver in enumerate(hello.solvers)
        ]
        self._plans = plans
        pool = Pool(plans, hello.limits)
        try:
            abouts = pool.warm()
            self.welcome = wire.Welcome(facts(abouts), socket.gethostname())
            self._ready.set()
            self._serve(Replays(pool))
        finally:
            pool.close()

    def _serve(self, replays: Replays) -> None:
        while True:
            try:
                # while there is work, the pool waits for its processes
                opened = self._inbox.get(timeout=0.0 if self._open else 1.0)
            except queue.Empty:
                pass
            else:
                if opened is None:
                    return
                self._begin(replays, opened)
                continue
            replays.step(POLL if self._open else 0.0)
            for opened in [one for one in self._open if not one.left]:
                self._open.remove(opened)
                opened.tell.put(self._done(replays, opened))

    def _begin(self, replays: Replays, opened: _Open) -> None:
        block, damps = opened.block, wire.Damps(opened.block.damps)
        self._open.append(opened)
        for place, ask in enumerate(block.asks):
            where = block.where[ask.where]
            on = self._group(where)[0] if where.slots else Fresh(where.target, where.private)
            jobs = [wire.job_of(task, damps) for task in ask.jobs]
            replays.submit(jobs, on, partial(self._over, opened, place))
        stretch = block.stretch
        if stretch is not None:
            group, seed = self._group(block.where[stretch.where])[0], int(stretch.seed, 16)
            job = wire.job_of(stretch.job, damps)
            for offset in range(stretch.count):
                run = run_of(job, seed, stretch.first + offset)
                replays.submit((run,), group, partial(self._run_over, opened, offset))

    def _group(self, where: wire.Where) -> tuple[Group, _Notes]:
        if where not in self._groups:
            notes = _Notes(where.target, where.purpose)
            group = Group(where.target, where.slots, where.ahead, where.again, notes, where.purpose)
            self._groups[where] = group, notes
        return self._groups[where]

    def _over(self, opened: _Open, place: int, future: Future) -> None:
        numbers = [job.number for job in future.jobs]
        opened.ends[place] = [
            wire.end_of(result, numbers.index(result.job.number), opened.damps)
            for result in future.results
        ]
        opened.left -= 1
        self._note_deaths(opened, future)

    def _run_over(self, opened: _Open, offset: int, future: Future) -> None:
        """Take the end of a run of a stretch: in the sum of its process, if nothing was found."""
        opened.left -= 1
        if not future.results:
            opened.back.append(offset)
            return
        (result,) = future.results
        if wire.is_told(result):
            opened.told.append(wire.end_of(result, offset, opened.damps))
            self._note_deaths(opened, future)
            return
        slot, report = result.worker.slot, result.outcome.report or {}
        opened.summed[slot] += 1
        opened.sums.setdefault(slot, Counter()).update({"run:total": 1, **report.get("counts", {})})

    def _note_deaths(self, opened: _Open, future: Future) -> None:
        """Note in the job of which block a process of a group died."""
        if isinstance(future.on, Group):
            notes = future.on.watcher
            assert isinstance(notes, _Notes), "each group of a node takes notes"
            notes.died |= {
                result.worker.slot: opened
                for result in future.results
                if result.outcome.report is None
            }

    def _done(self, replays: Replays, opened: _Open) -> wire.Done:
        afters, losses = list[wire.After](), opened.losses
        for _, notes in self._groups.values():
            for result in notes.after:
                end = wire.end_of(result, 0, opened.damps)
                job = wire.task_of(result.job, opened.damps)
                afters.append(wire.After(notes.target, notes.purpose, job, end))
            losses += notes.losses
            notes.after, notes.losses = [], []
        stretched = None
        if opened.block.stretch is not None:
            sums = [
                wire.Summed(slot, opened.summed[slot], dict(counts))
                for slot, counts in sorted(opened.sums.items())
            ]
            told = sorted(opened.told, key=lambda end: end.job)
            stretched = wire.Stretched(sums, told, sorted(opened.back))
        return wire.Done(opened.ends, opened.damps.lists, afters, losses, replays.cpu(), stretched)


class Node:
    """The processes that one Dask worker holds, by campaigns: nearly always of one."""

    def __init__(self, forgotten: float = FORGOTTEN) -> None:
        self._forgotten = forgotten
        self._lock = threading.Lock()
        self._held: dict[str, _Processes] = {}
        self._contents: dict[str, bytes] = {}  # by their digests, the latest last
        self._timer: threading.Timer | None = None

    def serve(self, data: bytes) -> bytes:
        """Do what a message asks for, and give the answer."""
        try:
            answer = self._answer(wire.decode_request(data))
        except InputError as error:
            answer = wire.Unusable(str(error))
        return wire.encode(answer)

    def _answer(self, request: wire.Request) -> wire.Answer:
        if isinstance(request, wire.Hello):
            greeted = self._hold(request)
            return greeted if isinstance(greeted, wire.Lacks) else greeted.wait()
        if isinstance(request, wire.Contents):
            self._keep(request.contents)
            return wire.Unknown()
        held = self._held.get(request.key)
        if held is None:
            return wire.Unknown()
        if isinstance(request, wire.Block):
            return held.do(request)
        if isinstance(request, wire.Reduction):
            return held.reduce(request)
        self._end(lambda key, _: key == request.key)
        return wire.Unknown()

    def _keep(self, contents: Sequence[bytes]) -> None:
        """Keep contents for this campaign and later ones; the oldest go where there are too many bytes."""
        with self._lock:
            new = {wire.digest_of(content): content for content in contents}
            older = [digest for digest in self._contents if digest not in new]
            for digest, content in new.items():
                self._contents.pop(digest, None)
                self._contents[digest] = content
            kept = sum(map(len, self._contents.values()))
            for digest in older:
                if kept <= _KEPT:
                    break
                kept -= len(self._contents.pop(digest))

    def _hold(self, hello: wire.Hello) -> _Processes | wire.Lacks:
        with self._lock:
            held = self._held.get(hello.key)
            if held is None or held.error:
                named = [d for one in hello.solvers for d in (one.setup, one.terms) if d]
                lacking = [
                    digest for digest in dict.fromkeys(named) if digest not in self._contents
                ]
                if lacking:
                    return wire.Lacks(lacking)
                contents = {digest: self._contents[digest] for digest in named}
                held = self._held[hello.key] = _Processes(hello, contents)
            held.last = time.monotonic()
            if self._timer is None:
                self._look_later()
            return held

    def _look_later(self) -> None:
        self._timer = threading.Timer(self._forgotten / 4, self._look)
        self._timer.daemon = True
        self._timer.start()

    def _look(self) -> None:
        """End the processes of campaigns whose supervisors are gone."""
        before = time.monotonic() - self._forgotten
        self._end(lambda _, held: held.last < before and not held.busy)
        with self._lock:
            self._timer = None
            if self._held:
                self._look_later()

    def _end(self, over: Callable[[str, _Processes], bool]) -> None:
        with self._lock:
            ended = {key: held for key, held in self._held.items() if over(key, held)}
            for key in ended:
                del self._held[key]
        for held in ended.values():
            held.close()

    def close(self) -> None:
        """End all processes."""
        if self._timer is not None:
            self._timer.cancel()
        self._end(lambda *_: True)


def key_of(hello: wire.Hello, campaign: Path, seed: int) -> str:
    """A name for the campaign in a folder, which its supervisor also has after it was killed."""
    digest = blake2b(digest_size=12)
    for part in (socket.gethostname(), os.path.realpath(campaign), seed, wire.encode(hello)):
        digest.update(part if isinstance(part, bytes) else str(part).encode())
        digest.update(b"\0")
    return digest.hexdigest()
