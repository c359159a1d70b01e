"""The objects that public callables gave in a run, by their ids. The sorts and terms of the run are
not among them.
"""

from __future__ import annotations

from typing import Any

MOST = 60  # objects that a run keeps; it drops further objects at once


class Objects:
    """Objects by their numbers. A number names one object for the whole run, and is not used again
    after the object is gone.
    """

    def __init__(self) -> None:
        self.alive: dict[int, Any] = {}
        self._next = 1
        self._reserved = 0
        self._newest = 0

    def reserve(self, highest: int) -> None:
        """Reserve the numbers up to `highest` for lines of a trace that name them."""
        self._reserved = max(self._reserved, highest)

    def add(self, obj: Any, number: int | None = None) -> int:
        """Enter an object, under `number` if a number is given. The result is its number."""
        if number is None:
            number = max(self._next, self._reserved + 1)
            self._next = number + 1
        self.alive[number] = obj
        self._newest = number
        return number

    @property
    def newest(self) -> int:
        """The number that was entered last; 0 for none."""
        return self._newest

    @property
    def full(self) -> bool:
        """True if no more objects are to be kept."""
        return len(self.alive) >= MOST
