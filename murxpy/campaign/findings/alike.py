"""Crashes with the same native frames. They lie in different buckets, since different calls
reached them, but they are probably one defect.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from murxpy.campaign.findings.buckets import Bucket

FRAMES = 3  # innermost frames that two crashes must share

# A frame as gdb prints it: `#0  0x00007ffff58e3c8c in lp::static_matrix<double,
# double>::set(unsigned int) () from libz3.so`.
_FRAME = re.compile(r"^#\d+ +(?:(0x[0-9a-f]+) in )?(.+?)(?: \(|$)", re.MULTILINE)


def frames(backtrace: str) -> tuple[str, ...]:
    """The functions of the innermost frames. A frame without a name counts with its address: gdb
    loads libraries to the same place each time.
    """
    return tuple(
        name if name != "??" else address for address, name in _FRAME.findall(backtrace)[:FRAMES]
    )


def alike(buckets: Iterable[Bucket]) -> Mapping[str, str]:
    """The buckets whose frames an earlier crash of the same solver has: the key of that crash by the
    key of the bucket.
    """
    first: dict[tuple[str, ...], str] = {}
    found = {}
    for bucket in sorted(
        (b for b in buckets if b.kind == "crash" and b.backtrace), key=lambda b: (b.first, b.key)
    ):
        other = first.setdefault((bucket.solver, *frames(bucket.backtrace)), bucket.key)
        if other != bucket.key:
            found[bucket.key] = other
    return found
