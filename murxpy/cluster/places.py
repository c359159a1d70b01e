"""The names of clusters: `local:4`, `tcp://HOST:PORT`, `tls://HOST:PORT` and `ssh:FILE`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from murxpy.cluster.service import Host, Link
from murxpy.errors import InputError
from murxpy.foreign import read_text

_MOST_LOCAL = 64
_HOST = re.compile(r"(?!-)[\w.@:%\[\]-]+", re.ASCII)
_MOST_BYTES = 1 << 20
_ADDRESS = re.compile(
    r"(?P<protocol>tcp|tls)://(?P<host>[^\s/:\[\]]+|\[[0-9A-Fa-f:.%]+\]):(?P<port>\d{1,5})"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A cluster that the user names: so many `local` Dask workers on this machine, one on each of the `hosts`,
    or the `address` of a scheduler.
    """

    local: int = 0
    address: str = ""
    hosts: tuple[Host, ...] = ()

    def opener(self) -> Callable[[], Link]:
        """A function that opens a link to the cluster. Raises InputError where the packages for that are
        missing.
        """
        try:
            from murxpy.cluster.dask_link import DaskLink, started_link
        except ImportError:
            raise InputError(
                "--cluster needs more packages: pip install 'murxpy[cluster]'"
            ) from None
        if self.local or self.hosts:
            return lambda: started_link(self.local, self.hosts)
        return lambda: DaskLink(self.address)


def parse_place(text: str) -> Place:
    """The cluster that a user names. Raises InputError."""
    name, _, rest = text.partition(":")
    if name == "local" and rest.isascii() and rest.isdigit() and 1 <= int(rest[:6]) <= _MOST_LOCAL:
        return Place(local=int(rest))
    if name == "ssh" and rest:
        return Place(hosts=read_hosts(Path(rest)))
    found = _ADDRESS.fullmatch(text)
    if found and 0 < int(found["port"]) < 65536:
        return Place(address=text)
    raise InputError(
        f"'{text[:80]}' names no cluster: expected local:N with N from 1 to {_MOST_LOCAL}, tcp://HOST:PORT, "
        "tls://HOST:PORT, or ssh:FILE with a host in each line"
    )


def read_hosts(path: Path) -> tuple[Host, ...]:
    """The machines in a file: in each line a name for SSH, and behind it the Python there that has murxpy, if
    it is at another path than here. Raises InputError.
    """
    hosts = []
    for number, line in enumerate(read_text(path, "the list of hosts", _MOST_BYTES).split("\n"), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) > 2 or not _HOST.fullmatch(words[0]):
            raise InputError(
                "expected a host, and behind it a Python interpreter if it is at another path than here",
                file=str(path),
                line=number,
            )
        hosts.append(Host(words[0], words[1] if len(words) == 2 else sys.executable))
    if not hosts:
        raise InputError("there is no host in it", file=str(path))
    return tuple(hosts)
