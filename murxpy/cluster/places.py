"""The names of clusters: `local:4`, `tcp://HOST:PORT` and `tls://HOST:PORT`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from murxpy.cluster.service import Link
from murxpy.errors import InputError

_MOST_LOCAL = 64
_ADDRESS = re.compile(
    r"(?P<protocol>tcp|tls)://(?P<host>[^\s/:\[\]]+|\[[0-9A-Fa-f:.%]+\]):(?P<port>\d{1,5})"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A cluster that the user names: so many `local` Dask workers on this machine, or the `address` of a
    scheduler.
    """

    local: int = 0
    address: str = ""

    def opener(self) -> Callable[[], Link]:
        """A function that opens a link to the cluster. Raises InputError where the packages for that are
        missing.
        """
        try:
            from murxpy.cluster.dask_link import DaskLink, local_link
        except ImportError:
            raise InputError(
                "--cluster needs more packages: pip install 'murxpy[cluster]'"
            ) from None
        if self.local:
            return lambda: local_link(self.local)
        return lambda: DaskLink(self.address)


def parse_place(text: str) -> Place:
    """The cluster that a user names. Raises InputError."""
    name, _, rest = text.partition(":")
    if name == "local" and rest.isascii() and rest.isdigit() and 1 <= int(rest[:6]) <= _MOST_LOCAL:
        return Place(local=int(rest))
    found = _ADDRESS.fullmatch(text)
    if found and 0 < int(found["port"]) < 65536:
        return Place(address=text)
    raise InputError(
        f"'{text[:80]}' names no cluster: expected local:N with N from 1 to {_MOST_LOCAL}, tcp://HOST:PORT or "
        "tls://HOST:PORT"
    )
