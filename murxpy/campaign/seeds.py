"""Run seeds, and the ledger that says which runs are done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b


def run_seed(seed: int, index: int) -> int:
    """The 64-bit seed of run `index` in the campaign with `seed`. It depends on nothing else."""
    return int.from_bytes(blake2b(f"{seed}:{index}".encode()).digest()[:8], "big")


class Ledger:
    """Hands out the indices of runs. All indices below `next` were handed out; those of them in
    `open()` are not done.

    `ended` holds open runs that ended and were counted, but wait for their judges. It maps the
    index to the bucket of the run's finding, empty for a run without one. The next session hands
    these runs out again, and does not count them again. With `resume`, no other runs are handed out.
    """

    def __init__(
        self,
        following: int = 0,
        again: tuple[int, ...] = (),
        limit: int | None = None,
        ended: Mapping[int, str] | None = None,
        *,
        resume: bool = False,
    ) -> None:
        self.next = following
        self.ended = dict(ended or {})
        self._resume = resume
        self._again = self._in_order(again)
        self._running: dict[int, None] = {}
        self._left = sum(index in self.ended for index in again) if resume else limit

    def _in_order(self, again: Iterable[int]) -> list[int]:
        """Open runs in the order in which they are handed out again, the last one first."""
        late = self._resume
        return sorted(again, key=lambda i: (late and i not in self.ended, i), reverse=True)

    def take(self) -> int | None:
        """The next index to run; None when the limit is reached."""
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
    def upcoming(self) -> int:
        """The index that `take` gives next, unless the limit is reached."""
        return self._again[-1] if self._again else self.next

    @property
    def redoing(self) -> bool:
        """Whether the next index was handed out before."""
        return bool(self._again)

    def close(self) -> None:
        """Hand out no more."""
        self._left = 0

    def done(self, index: int) -> None:
        """Note that run `index` is over, and that nobody waits for its judges."""
        self._running.pop(index, None)
        self.ended.pop(index, None)

    def give_back(self, index: int) -> None:
        """Note that run `index` was not begun, so that it is handed out again."""
        if index in self._running:
            del self._running[index]
            self._again = self._in_order([*self._again, index])
            if self._left is not None:
                self._left += 1

    def open(self) -> list[int]:
        """The indices below `next` of runs that are not done."""
        return sorted([*self._again, *self._running])

    @property
    def exhausted(self) -> bool:
        """Whether the limit is reached and every run handed out is done."""
        return self._left == 0 and not self._running
