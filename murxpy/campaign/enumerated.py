"""The runs of an enumeration: one for each block of scripts, and one for what is left of a block
whose run ended early, so that every script is tested.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from typing import Any

from murxpy.enumeration.blocks import (
    AGREED,
    DIFFERS,
    KILLED,
    NOT_RUN,
    TWIN,
    UNKNOWN,
    Block,
    Blocks,
    outcome_of,
)
from murxpy.enumeration.calls import HEAD
from murxpy.oracles.disagreement import OPPOSITE, Answers
from murxpy.trace.finished import read_rows

_SCRIPT = re.compile(r"^ *\d+ run-script\b", re.M)
_SIMPLIFIED = re.compile(r"^# script \d+$", re.M)
_ANSWER = re.compile(r"^ +answer (\w+)", re.M)


class Enumerated:
    """Gives each run of an enumeration its seed. `setup` is the part `enumeration` of a session's
    setup, `saved` what `state` gave in an earlier session.
    """

    def __init__(self, setup: Mapping[str, Any], saved: Mapping[str, Any] | None = None) -> None:
        self._blocks = Blocks(setup)
        self._simplify = bool(setup.get("simplify"))
        # the seeds of the runs for what is left of blocks, by their number behind the last block
        self._rests: dict[int, int] = {
            int(number): int(seed, 16) for number, seed in (saved or {}).get("rests", {}).items()
        }

    @property
    def number(self) -> int:
        """The number of runs, as far as is known now."""
        return self._blocks.number + len(self._rests)

    def seed_of(self, index: int) -> int:
        """The seed of run `index`."""
        return self._blocks.seed_of(index) if index < self._blocks.number else self._rests[index]

    def ended_early(self, seed: int, trace: str, *, reported: bool, killed: bool) -> dict[str, int]:
        """Have a later run test what is left of a block. Its run ended with the last script of
        `trace`, which is tested once more where a limit of time `killed` it, since another process
        may have kept the processor busy. Returns the counters of the run's scripts where the run
        has not `reported` them.
        """
        block, blocks = self._blocks.of(seed), self._blocks
        scripts = (_SIMPLIFIED if self._simplify else _SCRIPT).split(trace)[1:]
        again = killed and bool(scripts) and not (blocks.again(seed) and len(scripts) == 1)
        indices = _indices(block, len(scripts))
        begun = indices[-1] - block.first + (not again) if indices else 0
        if scripts and begun < block.count:
            self._rests[self.number] = blocks.rest(seed, begun, again=again)
        if reported:
            return {}
        if HEAD in block.grammar.plain:  # a sequence of calls is not made again
            return {block.counter(block.first, KILLED): 1}
        # of a script whose terms were simplified, its trace does not say what came
        came = [
            UNKNOWN if self._simplify else outcome_of(_ANSWER.findall(script)) for script in scripts
        ]
        told = dict(zip(indices, [*came[:-1], KILLED], strict=False))
        names = [
            block.counter(index, told.get(index, TWIN))
            for index in range(block.first, block.first + begun)
        ]
        return dict(Counter(names))

    def judged(self, seed: int, trace: str, answers: Mapping[str, Answers]) -> dict[str, int]:
        """The counters for the answers of each judge, by its name, to the decided scripts in the
        trace of a run.
        """
        block = self._blocks.of(seed)
        scripts = [row for row in read_rows(trace) if row.action == "run-script"]
        indices = _indices(block, len(scripts))
        found: dict[str, int] = {}
        for judge, told in answers.items():
            now = {line: (before, after) for line, before, after in told}
            for index, row in zip(indices, scripts, strict=False):
                if outcome_of(row.answers) != UNKNOWN:
                    name = block.judged(index, _agreement(now.get(row.number)), judge)
                    found[name] = found.get(name, 0) + 1
        return found

    def state(self) -> dict[str, Any]:
        """The plain data to store."""
        return {"rests": {str(number): f"{seed:x}" for number, seed in self._rests.items()}}


def _indices(block: Block, count: int) -> list[int]:
    """The indices of the first `count` scripts of a block that are tested."""
    tested = (n for n in range(block.first, block.last + 1) if not block.twin(n))
    return list(islice(tested, count))


def _agreement(answer: tuple[str, str] | None) -> str:
    """What a judge says of a script: `answer` is the recorded one and that of the judge."""
    if answer is None:
        return NOT_RUN
    before, now = answer
    if now not in OPPOSITE:
        return UNKNOWN
    return AGREED if now == before else DIFFERS
