"""The runs of an enumeration: one for each block of scripts, one for what is left of a block whose run
ended early, so that every script is tested, and one for each script that may cost too much.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from murxpy.campaign.slow_scripts import SlowScripts, Suspect
from murxpy.campaign.spoken import Spoken
from murxpy.enumeration.blocks import AGREED, DIFFERS, KILLED, NOT_RUN, TWIN, Block, Blocks
from murxpy.enumeration.calls import HEAD
from murxpy.machine.alone import UNKNOWN, outcome_of
from murxpy.machine.witnesses.slowness import is_marked
from murxpy.oracles.disagreement import OPPOSITE, Answers
from murxpy.trace.finished import Row, read_rows

_SCRIPT = re.compile(r"^ *\d+ run-script\b", re.M)
_SIMPLIFIED = re.compile(r"^# script \d+$", re.M)
_ANSWER = re.compile(r"^ +answer (\w+)", re.M)


class Enumerated:
    """Gives each run of an enumeration its seed. `setup` is that of a session, `release` names its
    solver, and `saved` is what `state` gave in an earlier session.
    """

    def __init__(
        self, setup: Mapping[str, Any], release: str = "", saved: Mapping[str, Any] | None = None
    ) -> None:
        enumeration, saved = setup["enumeration"], saved or {}
        self._blocks = Blocks(enumeration)
        self._simplify = bool(enumeration.get("simplify"))
        # the seeds of the runs behind those of the blocks, by their number
        self._rests: dict[int, int] = {
            int(number): int(seed, 16) for number, seed in saved.get("rests", {}).items()
        }
        # of those of them that run a script for its cost: against what, and what it may cost
        self._marks: dict[int, tuple[str, int]] = {
            int(number): (str(against), int(bound))
            for number, (against, bound) in saved.get("marks", {}).items()
        }
        self._scripts = Spoken(setup, release)
        at, take = int(enumeration["at"]), int(enumeration["take"])
        limit, unit = self._scripts.limit, self._scripts.per_ms
        self._costs = SlowScripts(at, take, limit, unit, saved.get("costs", ()))
        self.settled = bool(saved.get("settled"))

    @property
    def number(self) -> int:
        """The number of runs, as far as is known now."""
        return self._blocks.number + len(self._rests)

    def seed_of(self, index: int) -> int:
        """The seed of run `index`."""
        return self._blocks.seed_of(index) if index < self._blocks.number else self._rests[index]

    def text_of(self, index: int) -> str | None:
        """The trace of run `index`, where it runs a script for its cost; None for other runs."""
        if index not in self._marks:
            return None
        seed = self._rests[index]
        return self._scripts.trace(seed, self._blocks.of(seed), *self._marks[index])

    def spent(self, seed: int, costs: Mapping[int, int]) -> None:
        """Note what the scripts of the run with this seed cost, by their places in its block."""
        self._costs.spent(seed, self._blocks.of(seed), costs)

    def settle(self) -> bool:
        """Have a later run look at each script that costs more than nearly all of its size, once all
        scripts were tested. True where there are such scripts.
        """
        suspects = [] if self.settled else self._costs.of_sizes()
        self.settled = True
        self._look_at(suspects)
        return bool(suspects)

    def _look_at(self, suspects: Sequence[Suspect]) -> None:
        for suspect in suspects:
            self._marks[self.number] = suspect.against, suspect.bound
            self._rests[self.number] = self._blocks.rest(suspect.seed, suspect.place)

    def compared(
        self, seed: int, trace: str, costs: Mapping[int, int], judged: Mapping[int, float]
    ) -> None:
        """Have a later run look at each script that costs many times what it costs a judge: `costs`
        has those of the run with this seed, by the places in its block, and `judged` those of a judge
        in milliseconds of a usual machine, by the lines of the run's trace.
        """
        if not is_marked(trace):
            places = {row.number: place for place, row in self._decided(seed, trace)}
            by_place = {places[line]: cost for line, cost in judged.items() if line in places}
            self._look_at(self._costs.of_judge(seed, costs, by_place))

    def said_for(self, seed: int, trace: str, family: str) -> dict[str, str]:
        """The scripts of the run with this seed in the words of a family of solvers, where these are
        others than those of the grammar, by the lines of the run's trace.
        """
        block = self._blocks.of(seed)
        if is_marked(trace) or not self._scripts.foreign(block.grammar, family):
            return {}
        found = {}
        for place, row in self._decided(seed, trace):
            said = self._scripts.text(block, block.first + place, family)
            if said is not None:
                found[str(row.number)] = said
        return found

    def _decided(self, seed: int, trace: str) -> list[tuple[int, Row]]:
        """The scripts in the trace of a run that were decided, with their places in its block."""
        block = self._blocks.of(seed)
        scripts = [row for row in read_rows(trace) if row.action == "run-script"]
        return [
            (index - block.first, row)
            for index, row in zip(_indices(block, len(scripts)), scripts, strict=False)
            if outcome_of(row.answers) != UNKNOWN
        ]

    def ended_early(self, seed: int, trace: str, *, reported: bool, killed: bool) -> dict[str, int]:
        """Have a later run test what is left of a block. Its run ended with the last script of
        `trace`, which is tested once more where a limit of time `killed` it, since another process
        may have kept the processor busy. Returns the counters of the run's scripts where the run
        has not `reported` them.
        """
        if is_marked(trace):  # the run had but one script, whose block is another run's
            return {}
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
        block, found = self._blocks.of(seed), dict[str, int]()
        if is_marked(trace):  # its script was counted before
            return found
        for judge, told in answers.items():
            now = {line: (before, after) for line, before, after in told}
            for place, row in self._decided(seed, trace):
                said = _agreement(now.get(row.number))
                name = block.judged(block.first + place, said, judge)
                found[name] = found.get(name, 0) + 1
        return found

    def state(self) -> dict[str, Any]:
        """The plain data to store."""
        return {
            "rests": {str(number): f"{seed:x}" for number, seed in self._rests.items()},
            "marks": self._marks,
            "costs": self._costs.state(),
            "settled": self.settled,
        }


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
