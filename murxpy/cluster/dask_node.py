"""The side of a node that Dask calls: the task that hands a message to the node of a Dask worker, and the
plug-in that holds this node as long as the Dask worker lives.
"""

from __future__ import annotations

import threading
from typing import cast

from distributed import Worker, WorkerPlugin, get_worker, secede
from distributed.utils import sync

from murxpy.cluster.node import Node

_NAME = "murxpy"
_lock = threading.Lock()


class NodePlugin(WorkerPlugin):
    """Holds the processes of campaigns for the life of a Dask worker."""

    def __init__(self) -> None:
        self.node = Node()

    def teardown(self, worker: Worker) -> None:
        """End the processes, because the Dask worker ends."""
        self.node.close()


def serve(data: bytes) -> bytes:
    """Hand a message to the node of the Dask worker in which this task runs, and give its answer. The task
    takes no thread of the Dask worker, so that the node can have several blocks in hand.
    """
    node = _node(get_worker())
    secede()
    return node.serve(data)


def _node(worker: Worker) -> Node:
    with _lock:
        if _NAME not in worker.plugins:
            sync(worker.loop, worker.plugin_add, plugin=NodePlugin(), name=_NAME)
        return cast(NodePlugin, worker.plugins[_NAME]).node
