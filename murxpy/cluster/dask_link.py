"""The way to the nodes of a cluster through a scheduler of Dask.

A thread of its own has the client. Nothing that a node returns is unpickled: values come in the family
`msgpack` of Dask only, and errors of tasks are dropped before Dask would unpickle them.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

from distributed import Client
from distributed.security import Security

from murxpy.cluster.dask_node import serve
from murxpy.cluster.local import StartedCluster
from murxpy.cluster.service import Answered, Cut, Event, Failed, Host, Joined, Left
from murxpy.errors import TargetError

_REACHED = 30.0  # seconds in which the scheduler must answer when a campaign begins
_AGAIN = 10.0  # the same, in each try to reach it again
_LOOK = 0.5  # seconds between two looks at the nodes
# Seconds without a sign of life after which a node counts as lost. Dask workers give one a second, or on
# large clusters every few seconds.
FROZEN = 60.0


class _Client(Client):
    """A client that does not unpickle the errors of tasks."""

    def _handle_task_erred(
        self, key: Any = None, exception: Any = None, traceback: Any = None
    ) -> None:
        error = RuntimeError("the task failed on its node; see the log of the Dask worker")
        super()._handle_task_erred(key, error, None)


@dataclass(eq=False)
class _Seen:
    """A Dask worker: its last sign of life by the clock of the scheduler, and when that was seen here."""

    sign: float
    since: float
    left: bool = False


class DaskLink:
    """The nodes behind the scheduler at `address`. Raises TargetError where nobody answers there.

    A link that lost its scheduler tries to reach it again until it is closed. `frozen` are the seconds
    without a sign of life after which a node counts as lost.
    """

    started = 0

    def __init__(
        self, address: str, security: Security | None = None, frozen: float = FROZEN
    ) -> None:
        self._address = address
        self._security = security
        self._frozen = frozen
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_unread)
        self._client: _Client | None = None
        self._seen: dict[str, _Seen] = {}
        self._asked: dict[int, asyncio.Task[None]] = {}
        self._closing = asyncio.Event()
        _silence()
        self._began: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._live, name="murxpy-cluster", daemon=True)
        self._thread.start()
        if problem := self._began.get():
            self._thread.join()
            raise TargetError(f"the cluster at {address} cannot be used: {problem}")

    # For the supervisor.

    def send(self, ticket: int, node: str, data: bytes) -> None:
        """Send a message to a node. Its answer has the same ticket."""
        self._call(self._ask, ticket, node, data)

    def drop(self, ticket: int) -> None:
        """Note that nobody waits for the answer to a message any more."""
        self._call(self._drop, ticket)

    def receive(self, timeout: float) -> list[Event]:
        """What happened. Waits at most `timeout` seconds until something does."""
        events: list[Event] = []
        try:
            events.append(self._events.get(timeout=timeout))
            while True:
                events.append(self._events.get_nowait())
        except queue.Empty:
            return events

    def close(self) -> None:
        """Leave the cluster, when what was sent is on its way."""
        self._call(self._closing.set)
        self._thread.join(10.0)

    def _call(self, function: Callable[..., Any], *args: Any) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(function, *args)

    # All of the rest is done by the thread.

    def _live(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._stay())
        finally:
            self._loop.close()

    async def _stay(self) -> None:
        timeout = _REACHED
        while not self._closing.is_set():
            why = await self._visit(timeout)
            if timeout == _REACHED and self._client is None:
                self._began.put(why)
                return
            timeout = _AGAIN
            if not self._closing.is_set():
                self._cut(why)
                await asyncio.sleep(_LOOK)

    async def _visit(self, timeout: float) -> str:
        """Be a client of the scheduler until that is lost, or until the link is closed; and say why it
        ended.
        """
        try:
            made = _Client(
                self._address,
                asynchronous=True,
                timeout=timeout,
                security=self._security,
                deserializers=["msgpack"],
                serializers=["msgpack", "pickle"],
                set_as_default=False,
            )
            # A scheduler that takes the connection and never answers is not told by Dask's own timeout.
            client = await asyncio.wait_for(_started(made), 2 * timeout)
        except (OSError, ValueError, RuntimeError) as error:
            return str(error) or type(error).__name__
        first, self._client = self._client is None, client
        if first:
            self._began.put("")
        try:
            while not self._closing.is_set():
                workers = await asyncio.wait_for(_workers(client), self._frozen)
                self._look(workers)
                await _wait(self._closing.wait(), _LOOK)
            await _wait(asyncio.gather(*self._asked.values(), return_exceptions=True), 2.0)
        except (OSError, TimeoutError, RuntimeError, asyncio.CancelledError) as error:
            return str(error) or type(error).__name__
        finally:
            for asked in self._asked.values():
                asked.cancel()
            self._asked.clear()
            await _wait(client.close(timeout=2), 5.0)
        return ""

    def _look(self, workers: dict[str, Any]) -> None:
        """Tell which nodes came, and which are gone or show no sign of life."""
        now = time.monotonic()
        for name in [name for name in self._seen if name not in workers]:
            if not self._seen.pop(name).left:
                self._events.put(Left(name, "it left the cluster"))
        for name, worker in workers.items():
            sign = float(worker.get("last_seen", 0.0))
            seen = self._seen.get(name)
            if seen is None or (seen.left and sign != seen.sign):
                self._seen[name] = _Seen(sign, now)
                self._events.put(Joined(name))
            elif sign != seen.sign:
                seen.sign, seen.since = sign, now
            elif now - seen.since > self._frozen and not seen.left:
                seen.left = True
                self._events.put(Left(name, f"no sign of life for {self._frozen:g} s"))

    def _cut(self, why: str) -> None:
        if self._seen:
            self._events.put(Cut(why))
        self._seen.clear()

    def _ask(self, ticket: int, node: str, data: bytes) -> None:
        self._asked[ticket] = self._loop.create_task(self._answer(ticket, node, data))

    async def _answer(self, ticket: int, node: str, data: bytes) -> None:
        client = self._client
        assert client is not None, "nodes are known, so there is a client"
        future = None
        try:
            future = client.submit(
                serve, data, workers=[node], allow_other_workers=False, pure=False, retries=0
            )
            answer = await future.result()
            self._events.put(Answered(ticket, bytes(answer)))
        except (asyncio.CancelledError, CancelledError):
            if future is not None:  # nobody waits for it, or the scheduler is lost
                await _wait(future.cancel(), 1.0)
        # Whatever went wrong there: the supervisor does without the node.
        except Exception as error:
            self._events.put(Failed(ticket, str(error)[:500] or type(error).__name__))
        finally:
            if future is not None:
                future.release()
            self._asked.pop(ticket, None)

    def _drop(self, ticket: int) -> None:
        asked = self._asked.pop(ticket, None)
        if asked is not None:
            asked.cancel()


def _silence() -> None:
    """Have Dask log nothing in this process: what its user must know, the link tells."""
    for name in [*logging.root.manager.loggerDict]:
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _unread(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Say nothing of an error that ended a task of Dask's own, which nobody waits for: what its user must
    know, the link tells.
    """
    if type(context.get("exception")).__module__.partition(".")[0] != "distributed":
        loop.default_exception_handler(context)


async def _started(client: Any) -> _Client:
    started: _Client = await client
    return started


async def _workers(client: _Client) -> dict[str, Any]:
    scheduler: Any = client.scheduler
    if client.status != "running" or scheduler is None:
        raise OSError("the connection to the scheduler is lost")
    identity = await scheduler.identity(n_workers=-1)
    found = identity["workers"]
    return found if isinstance(found, dict) else {}


async def _wait(what: Coroutine[Any, Any, Any] | asyncio.Future[Any], seconds: float) -> None:
    """Wait for something for so many seconds at most, whatever comes of it."""
    try:
        await asyncio.wait_for(what, seconds)
    except Exception:
        return


class StartedLink(DaskLink):
    """The link to a cluster that ends with it."""

    def __init__(self, cluster: StartedCluster) -> None:
        self._cluster = cluster
        self.started = cluster.nodes
        self._kept = time.monotonic()
        super().__init__(cluster.address)

    def receive(self, timeout: float) -> list[Event]:
        """What happened, as of another cluster. What ended of this one is started again. Raises TargetError
        where each node ends whenever it is started.
        """
        events = super().receive(timeout)
        if any(isinstance(event, Joined) for event in events):
            self._cluster.joined()
        if time.monotonic() - self._kept >= _LOOK:
            self._cluster.keep()
            self._kept = time.monotonic()
        return events

    def close(self) -> None:
        super().close()
        self._cluster.close()


def started_link(count: int, hosts: Sequence[Host] = ()) -> StartedLink:
    """The link to a new cluster of `count` nodes on this machine, and one on each of `hosts`. Raises
    TargetError.
    """
    cluster = StartedCluster(count, hosts)
    try:
        return StartedLink(cluster)
    except BaseException:
        cluster.close()
        raise
