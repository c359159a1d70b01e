"""A cluster in this process, without Dask: each node is a `Node`, served by threads."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable

import msgspec

from murxpy.cluster import wire
from murxpy.cluster.node import Node, facts
from murxpy.cluster.service import Answered, Cut, Event, Joined, Left


def runs_in(block: wire.Block) -> list[int]:
    """The numbers of the runs of a block."""
    stretch = block.stretch
    neighbours = range(stretch.first, stretch.first + stretch.count) if stretch else ()
    return [*(t.index for ask in block.asks for t in ask.jobs if t.index >= 0), *neighbours]


Sent = Callable[["HereLink", str, wire.Request], bool]


class HereLink:
    """The link to `count` nodes. `sent` sees each message before its node gets it, and returns False where
    the node is not to get it. `last` is the ticket of the last message.
    """

    started = 0

    def __init__(self, count: int, sent: Sent = lambda link, node, request: True) -> None:
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._sent = sent
        self._count = self.last = self._void = 0
        self._dropped: set[int] = set()
        self.nodes: dict[str, Node] = {}
        self.done: list[tuple[str, int]] = []  # the runs that were sent: a node, and an index
        for _ in range(count):
            self.join()

    def join(self) -> str:
        """Add a node, and give its name."""
        self._count += 1
        name = f"node-{self._count}"
        self.nodes[name] = Node()
        self._events.put(Joined(name))
        return name

    def lose(self, name: str) -> None:
        """Lose a node with all that it has in hand."""
        node = self.nodes.pop(name)
        self._events.put(Left(name, "killed"))
        threading.Thread(target=node.close, daemon=True).start()

    def cut(self) -> None:
        """Lose the scheduler, and find it again with the same nodes."""
        self._events.put(Cut("killed"))
        self._void = self.last
        for name in self.nodes:
            self._events.put(Joined(name))

    def tell(self, event: Event) -> None:
        """Let this event happen."""
        self._events.put(event)

    def send(self, ticket: int, node: str, data: bytes) -> None:
        request = wire.decode_request(data)
        if isinstance(request, wire.Block):
            self.done += [(node, index) for index in runs_in(request)]
        self.last = ticket
        if self._sent(self, node, request) and node in self.nodes:
            threading.Thread(target=self._serve, args=(ticket, node, data), daemon=True).start()

    def _serve(self, ticket: int, name: str, data: bytes) -> None:
        node = self.nodes.get(name)
        if node is not None:
            answer = node.serve(data)
            if name in self.nodes and ticket not in self._dropped and ticket > self._void:
                self._events.put(Answered(ticket, answer))

    def drop(self, ticket: int) -> None:
        self._dropped.add(ticket)

    def receive(self, timeout: float) -> list[Event]:
        events = []
        try:
            events.append(self._events.get(timeout=timeout))
            while True:
                events.append(self._events.get_nowait())
        except queue.Empty:
            return events

    def close(self) -> None:
        for node in self.nodes.values():
            node.close()


class AtOnce:
    """The link to `count` nodes that answer at once that all runs were fine. Of `unusual` neighbouring runs,
    the first is told by itself, and the others in sums. `cpu` are the seconds that the
    nodes took, and `blocks` the number of their blocks.
    """

    started = 0

    def __init__(self, count: int, unusual: int = 1000) -> None:
        self._unusual = unusual
        self._events: list[Event] = [Joined(f"node-{number}") for number in range(count)]
        self._report = b'{"status": "ok", "seed": 0, "counts": {"run:total": 1}, "finding": null}'
        self.cpu = 0.0
        self.blocks = 0

    def send(self, ticket: int, node: str, data: bytes) -> None:
        begun = time.process_time()
        request = wire.decode_request(data)
        answer: wire.Answer = wire.Unknown()
        if isinstance(request, wire.Hello):
            answer = wire.Welcome(facts([{"version": "1.0"}] * len(request.solvers)), "here")
        elif isinstance(request, wire.Block):
            self.blocks += 1
            end = wire.End(
                *(0, 0, "report", self._report, b"", b"", None, 0, 0.0, False, 0, 0.0, 0), []
            )
            stretch, stretched = request.stretch, None
            if stretch is not None:
                told = range(0, stretch.count, self._unusual)
                summed = stretch.count - len(told)
                sums = [wire.Summed(0, summed, {"run:total": summed})]
                ends = [msgspec.structs.replace(end, job=place) for place in told]
                stretched = wire.Stretched(sums, ends, [])
            own = [[end] for _ in request.asks]
            answer = wire.Done(own, [], [], [], {"runs": 1.0}, stretched)
        self._events.append(Answered(ticket, wire.encode(answer)))
        self.cpu += time.process_time() - begun

    def drop(self, ticket: int) -> None:
        """Nobody waits for it."""

    def receive(self, timeout: float) -> list[Event]:
        events, self._events = self._events, []
        return events

    def close(self) -> None:
        """Nothing is left."""
