"""The seeds of a session, and which of them a run works on."""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.machine.random import Stream
from murxpy.mutation.workshop import Seed


class Corpus:
    """Seeds by label. `files` are names, texts and labels, as plain data."""

    def __init__(self, files: Sequence[Sequence[str]]) -> None:
        self.seeds = [Seed(*file) for file in files]
        self._by_label: dict[str, list[Seed]] = {}
        for seed in self.seeds:
            self._by_label.setdefault(seed.label, []).append(seed)

    def draw(self, stream: Stream, labels: Sequence[str]) -> list[Seed]:
        """A random seed for each label; the empty label is for any seed. Empty where there is none of a label."""
        drawn = []
        for label in labels:
            among = self._by_label.get(label, []) if label else self.seeds
            if not among:
                return []
            drawn.append(stream.choose(among))
        return drawn
