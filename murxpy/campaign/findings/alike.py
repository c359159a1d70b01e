"""Crashes alike: buckets with the same native frames, which are probably one defect that was
reached by different calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from murxpy.campaign.findings.buckets import Bucket

FRAMES = 3  # that must be the same, from the innermost on

# A frame as gdb prints it: `#0  0x00007ffff58e3c8c in lp::static_matrix<double,
# double>::set(unsigned int) () from libz3.so`.
_FRAME = re.compile(r"^#\d+ +(?:(0x[0-9a-f]+) in )?(.+?)(?: \(|$)", re.MULTILINE)


def frames(backtrace: str) -> tuple[str, ...]:
    """The functions of the innermost frames; the address of one that has no name (gdb loads
    libraries to the same place each time).
    """
    return tuple(
        name if name != "??" else address for address, name in _FRAME.findall(backtrace)[:FRAMES]
    )


def alike(buckets: Iterable[Bucket]) -> Mapping[str, str]:
    """For each crash whose frames an earlier one of the same solver has, by its key that one's key."""
    first: dict[tuple[str, ...], str] = {}
    found = {}
    for bucket in sorted(
        (b for b in buckets if b.kind == "crash" and b.backtrace), key=lambda b: (b.first, b.key)
    ):
        other = first.setdefault((bucket.solver, *frames(bucket.backtrace)), bucket.key)
        if other != bucket.key:
            found[bucket.key] = other
    return found
