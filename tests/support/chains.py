"""Chains of mutants without a solver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from murxpy.sources.mutation.workshop import Mutant, Mutants


def chain(mutants: Mutants, count: int, answers: Sequence[str] = ("sat",)) -> Iterator[Mutant]:
    """The first mutants of a run; the checks of all of them answer the same."""
    mutant = next(mutants, None)
    for _ in range(count):
        if mutant is None:
            return
        yield mutant
        try:
            mutant = mutants.send(answers)
        except StopIteration:
            return
