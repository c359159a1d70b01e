"""Blocks of indices: a run of an enumeration tests the scripts of one block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from murxpy.enumeration.canonical import Canonical
from murxpy.enumeration.grammar import Grammar
from murxpy.errors import InputError
from murxpy.machine.random import mix, unmix

_KEY = 0xE17  # of the seeds of runs
_OFFSET = 16  # bits of a seed that say how many scripts of a block are left out
_AGAIN = 1 << _OFFSET  # set where the first script that is not left out was killed before
_NUMBER = _OFFSET + 1  # the lowest bit of the block's number
COUNTED = "enumerate:"  # what the names of counters of scripts begin with
# What can come of a script, besides its answers, `unknown`, and the classes of refused calls.
FINDING, KILLED, TWIN = "finding", "killed", "twin"
JUDGED = "judged:"  # what the names of counters of the answers of judges begin with
# What a judge says of a script that was decided, besides `unknown`.
AGREED, DIFFERS, NOT_RUN = "agreed", "differs", "not-run"
LARGEST = 10_000  # scripts of a block


@dataclass(frozen=True, slots=True)
class Block:
    """The scripts of a grammar with the indices from `first` to `first + count - 1`."""

    grammar: Grammar
    first: int
    count: int
    canonical: Canonical | None = None  # only scripts in this form are tested

    @property
    def last(self) -> int:
        """The largest index."""
        return self.first + self.count - 1

    def twin(self, index: int) -> bool:
        """Whether the script with this index is skipped, because a twin of it is tested."""
        return self.canonical is not None and not self.canonical.holds(index)

    def counter(self, index: int, came: str) -> str:
        """The name of the counter of scripts that have the size of the one with this index, and of
        which the same `came`.
        """
        return f"{COUNTED}{self.grammar.name}:{self.grammar.size_at(index)}:{came}"

    def judged(self, index: int, said: str, judge: str) -> str:
        """The name of the counter of scripts that have the size of the one with this index, and of
        which the judge with this name `said` the same.
        """
        return f"{JUDGED}{self.grammar.name}:{self.grammar.size_at(index)}:{said}:{judge}"


class Blocks:
    """The blocks of all grammars in turn: the first block of each grammar, the second of each, and
    so on.

    `setup`, as plain data: `grammars`, as `murxpy.data.grammars` gives them; `at`, the first index
    as decimal digits; `take`, the number of scripts of each grammar; `block`, the scripts of a run;
    `canonical`, where twins are skipped, the commutative operators as `Canonical` takes them.
    Raises InputError where a grammar has fewer scripts than `at`.
    """

    def __init__(self, setup: Mapping[str, Any]) -> None:
        self._at = int(setup["at"])
        self._size = int(setup["block"])
        self.grammars = [Grammar(plain) for plain in setup["grammars"]]
        commuting = setup.get("canonical")
        self._canonical = [Canonical(one, commuting) for one in self.grammars] if commuting else []
        self._takes = [self._taken(grammar, int(setup["take"])) for grammar in self.grammars]
        self._counts = [-(-take // self._size) for take in self._takes]
        self.number = sum(self._counts)

    def _taken(self, grammar: Grammar, take: int) -> int:
        if grammar.number is None:
            return take
        if grammar.number <= self._at:
            raise InputError(
                f"the grammar {grammar.name} has {grammar.number:,} scripts: expected a smaller index than {self._at:,}"
            )
        return min(take, grammar.number - self._at)

    def seed_of(self, number: int) -> int:
        """The run seed of block number `number`, from 0."""
        return unmix(number << _NUMBER, _KEY)

    def rest(self, run_seed: int, begun: int, *, again: bool = False) -> int:
        """The run seed of what is left of a block, without its first `begun` scripts. With `again`
        the first script that is left was killed before.
        """
        code = mix(run_seed, _KEY) & ~_AGAIN
        return unmix(code + begun + again * _AGAIN, _KEY)

    def again(self, run_seed: int) -> bool:
        """Whether the first script of the run with this seed was killed before."""
        return bool(mix(run_seed, _KEY) & _AGAIN)

    def of(self, run_seed: int) -> Block:
        """The block of the run with this seed, or what is left of it. Raises InputError where the
        seed names none.
        """
        code = mix(run_seed, _KEY)
        number, offset = code >> _NUMBER, code & (_AGAIN - 1)
        if number < self.number:
            whole = self._numbered(number)
            if offset < whole.count:
                first, count = whole.first + offset, whole.count - offset
                return Block(whole.grammar, first, count, whole.canonical)
        raise InputError(
            f"the seed {run_seed:x} names no block of these grammars: expected the seed in the header of "
            "a trace of the same command"
        )

    def _numbered(self, number: int) -> Block:
        begin = 0  # the number of blocks of each grammar that are over
        while True:
            left = [place for place, count in enumerate(self._counts) if count > begin]
            rounds = min(self._counts[place] for place in left) - begin
            if number < rounds * len(left):
                turn, place = divmod(number, len(left))
                return self._block(left[place], begin + turn)
            number -= rounds * len(left)
            begin += rounds

    def _block(self, place: int, turn: int) -> Block:
        first = turn * self._size
        count = min(self._size, self._takes[place] - first)
        canonical = self._canonical[place] if self._canonical else None
        return Block(self.grammars[place], self._at + first, count, canonical)
