"""Run seeds, and the book of which run indices are done."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b


def run_seed(seed: int, index: int) -> int:
    """The 64-bit seed of run `index` of the campaign with `seed`, whoever runs it and when."""
    return int.from_bytes(blake2b(f"{seed}:{index}".encode()).digest()[:8], "big")


class Ledger:
    """Hands out run indices. All below `next` were handed out; of these, those in `open()` are not
    done.

    `ended` are those of the open ones that came to their end and were counted, but wait for judges:
    by index, the bucket of what was found in the run, empty where nothing was. They are handed out
    again in the next session, and are not counted again there.
    """

    def __init__(
        self,
        following: int = 0,
        again: tuple[int, ...] = (),
        limit: int | None = None,
        ended: Mapping[int, str] | None = None,
    ) -> None:
        self.next = following
        self.ended = dict(ended or {})
        self._again = sorted(again, reverse=True)
        self._running: dict[int, None] = {}
        self._left = limit

    def take(self) -> int | None:
        """The next index to run; None when as many runs as the limit allows were handed out."""
        if self._left == 0:
            return None
        if self._left is not None:
            self._left -= 1
        if self._again:
            index = self._again.pop()
        else:
            index, self.next = self.next, self.next + 1
        self._running[index] = None
        return index

    @property
    def redoing(self) -> bool:
        """Whether the next index was handed out before."""
        return bool(self._again)

    def close(self) -> None:
        """Hand out no more."""
        self._left = 0

    def done(self, index: int) -> None:
        """Run `index` has ended, whatever its outcome, and nobody waits for more."""
        self._running.pop(index, None)
        self.ended.pop(index, None)

    def give_back(self, index: int) -> None:
        """Run `index` did not happen: somebody must take it again."""
        if index in self._running:
            del self._running[index]
            self._again = sorted([*self._again, index], reverse=True)
            if self._left is not None:
                self._left += 1

    def open(self) -> list[int]:
        """The indices below `next` that are not done."""
        return sorted([*self._again, *self._running])

    @property
    def exhausted(self) -> bool:
        """Whether the limit is reached and every run handed out is done."""
        return self._left == 0 and not self._running
