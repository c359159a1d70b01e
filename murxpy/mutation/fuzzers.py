"""The mutation fuzzers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.mutation import fusion, opfuzz, storm, typefuzz
from murxpy.mutation.workshop import Fuzzer, Seed

Labels = Callable[[Mapping[str, Any]], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A fuzzer: what makes its mutants, and by its settings the labels that its seeds must have (""
    for any), one for each seed.

    `fit` tells of two seeds whether anything can come of them together, where that shows in their
    texts. `chained`: each mutant is made of one before it, if that was decided.
    """

    mutants: Fuzzer
    labels: Labels
    fit: Callable[[Seed, Seed], bool] = lambda first, second: True
    chained: bool = False


FUZZERS: dict[str, Entry] = {
    "fusion": Entry(fusion.mutants, fusion.labels, fusion.fit),
    "storm": Entry(storm.mutants, storm.labels),
    "opfuzz": Entry(opfuzz.mutants, lambda choices: ("",), chained=True),
    "typefuzz": Entry(typefuzz.mutants, typefuzz.labels, chained=True),
}
