"""The scripts of an enumeration in the words of the solvers of a campaign."""

from __future__ import annotations

import re
from bisect import insort
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from murxpy.data import load_catalogue
from murxpy.judging.comparing.baseline import Causes
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.machine.script import UNKNOWN, outcome_of
from murxpy.machine.tokens import quote
from murxpy.machine.trace.finished import Row, read_rows
from murxpy.machine.witnesses.slowness import REFERENCE, SIZE, is_marked, marked
from murxpy.machine.witnesses.unknowns import GAVE_UP
from murxpy.oracles.disagreement import OPPOSITE, Answers
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.sources.enumeration.blocks import (
    AGREED,
    BY_JUDGES,
    BY_TARGET,
    DIFFERS,
    KILLED,
    NOT_RUN,
    OF_SCRIPTS,
    TWIN,
    Block,
    Blocks,
)
from murxpy.sources.enumeration.call_sequences import HEAD
from murxpy.sources.enumeration.grammar import Grammar
from murxpy.sources.enumeration.reading import Reader, foreign
from murxpy.sources.enumeration.source import wall_of
from murxpy.sources.setups import Setup


class EnumeratedScripts:
    """The scripts of the enumeration of a target. `setup` is that of its session, and `release` names
    its solver.
    """

    def __init__(self, setup: Setup, release: str) -> None:
        self._setup, self._release = setup, release
        self._check_ms = float(setup["enumeration"].get("check-ms") or 0)
        wrapper: Mapping[str, Any] = setup.get("wrapper") or {}
        self.per_ms = float(wrapper.get("limit-per-ms") or 1)
        # The most that the solver counts in a millisecond: a script is only slow if it took the time
        # even so. Of bit-vectors, cvc5 counts more than twice as much as of most theories, so that a
        # plain (bvult a b) of 3.6 ms counted as 10 ms.
        self.most_per_ms = max([self.per_ms, *(wrapper.get("limit-per-ms-of") or {}).values()])
        self.limit = int(self._check_ms * self.per_ms)  # of a check, in units of the solver
        self._foreign: dict[tuple[str, str], bool] = {}
        self._readers: dict[tuple[str, str], Reader] = {}

    @cached_property
    def _catalogue(self) -> Catalogue:
        return build_catalogue(self._setup.get("catalogue") or load_catalogue())

    @cached_property
    def causes(self) -> Causes:
        """What tells the causes of missing answers apart."""
        return Causes(self._catalogue)

    def foreign(self, grammar: Grammar, family: str) -> bool:
        """Whether the scripts of a grammar have other words for this target or this family."""
        for name in (self._release.partition(" ")[0], family):
            key = grammar.name, name
            if key not in self._foreign:
                self._foreign[key] = foreign(grammar, self._catalogue, name)
            if self._foreign[key]:
                return True
        return False

    def text(self, block: Block, index: int, family: str) -> str | None:
        """The script of a block with this index in the words of a family of solvers; None if the
        family has no words for a part of the script.
        """
        models = "models" in (self._setup.get("checks") or ())
        key = block.grammar.name, family
        if key not in self._readers:
            reader = Reader(block.grammar, self._catalogue, family, models=models)
            self._readers[key] = reader
        try:
            return self._readers[key].script(index)[0]
        except Unsayable:
            return None

    def trace(self, seed: int, block: Block, against: str, bound: int) -> str:
        """The trace that runs the first script of a block, which may cost so many units."""
        family = self._release.partition(" ")[0]
        text = marked(self.text(block, block.first, family) or "", against, bound)
        limit = f"1 set-limit {self.limit} {wall_of(self._check_ms)}\n" if self.limit else ""
        return (
            f"# murxpy-trace 1\n# solver {self._release}\n# seed {seed:x}\n# source enumerate\n"
            f"# grammar {block.grammar.name}\n# indices {block.first} {block.first}\n1 new\n{limit}"
            f"1 run-script {quote(text)}\n"
        )


# ----------------------------------------------------------------------
# Scripts of an enumeration that cost too much: more than nearly all scripts of their size, or many
# times what a judge needs. Each such script is run once more, alone, with a mark that says how much
# it may cost. Costs are the solver's own counts, and no script is measured against the clock.


ABOVE = 1000  # of so many scripts of a size one may cost more than the others
FACTOR = 100  # times the cost for a judge
MOST = 5_000  # scripts of a size that are kept and told
FLOOR_MS = 5.0  # the least cost that is too much, in milliseconds of a usual machine


@dataclass(frozen=True, slots=True)
class Suspect:
    """A script that may cost at most `bound` units of the solver, measured `against` that: the one at
    a place in the block of the run with this seed.
    """

    seed: int
    place: int
    against: str
    bound: int


class SizeCosts:
    """The costs of `count` scripts of one size, of which `wanted` are to be tested. `top` has the
    largest costs in rising order, each with the seed of its run and its place in the block.
    """

    def __init__(self, wanted: int, count: int = 0, top: Sequence[Sequence[int]] = ()) -> None:
        self.wanted, self.count = wanted, count
        self.top = [(cost, seed, place) for cost, seed, place in top]

    def add(self, cost: int, seed: int, place: int) -> None:
        """Note the cost of a script."""
        self.count += 1
        insort(self.top, (cost, seed, place))
        # the largest cost that is not too much stands below those that are
        kept = min(MOST, self.wanted // ABOVE) + 1
        del self.top[: max(0, len(self.top) - kept)]

    def slow(self, floor: int) -> list[Suspect]:
        """The scripts that cost more than all but one in `ABOVE`, and more than `floor`."""
        above = min(MOST, self.count // ABOVE)
        if not 0 < above < len(self.top):
            return []
        bound = max(floor, self.top[-above - 1][0])
        return [Suspect(seed, place, SIZE, bound) for cost, seed, place in self.top if cost > bound]


class SlowScripts:
    """Collects the costs of the scripts from index `first` on. A check costs at most `limit`, and the
    solver counts at most `per_ms` units in a millisecond of a usual machine. `saved` is what `state` gave in
    an earlier session.
    """

    def __init__(
        self, first: int, take: int, limit: int, per_ms: float, saved: Sequence[Any] = ()
    ) -> None:
        self._first, self._end = first, first + take
        self._limit, self._per_ms = limit, per_ms
        self._sizes = {(name, size): SizeCosts(*costs) for name, size, *costs in saved}

    def spent(self, seed: int, block: Block, costs: Mapping[int, int]) -> None:
        """Note the costs of the scripts of the block of a run, by their places in it."""
        for place, cost in costs.items():
            size = block.grammar.size_at(block.first + place)
            known = self._sizes.get((block.grammar.name, size))
            if known is None:
                known = SizeCosts(self._wanted(block.grammar, size))
                self._sizes[block.grammar.name, size] = known
            # what a check counts behind its limit is chance
            known.add(min(cost, self._limit) if self._limit else cost, seed, place)

    def _wanted(self, grammar: Grammar, size: int) -> int:
        """The number of scripts of a size that are to be tested."""
        behind, before = min(grammar.up_to(size), self._end), grammar.up_to(size - 1)
        return behind - max(before, self._first)

    def of_sizes(self) -> list[Suspect]:
        """The scripts that cost more than nearly all of their size."""
        floor = int(FLOOR_MS * self._per_ms)
        return [suspect for size in self._sizes.values() for suspect in size.slow(floor)]

    def of_judge(
        self, seed: int, costs: Mapping[int, int], judged: Mapping[int, float]
    ) -> list[Suspect]:
        """The scripts of the block of a run that cost many times what a judge needs: the costs in
        units, and those for the judge in milliseconds of a usual machine, by the places in the block.
        What the cheapest script costs each of the two does not count.
        """
        least, judge_least = min(costs.values(), default=0), min(judged.values(), default=0)
        found = []
        for place, cost in costs.items():
            if place in judged:
                times = FACTOR * (judged[place] - judge_least)
                bound = least + int(max(times, FLOOR_MS) * self._per_ms)
                if cost > bound:
                    found.append(Suspect(seed, place, REFERENCE, bound))
        return found

    def state(self) -> list[Any]:
        """The plain data to store."""
        return [
            (name, size, costs.wanted, costs.count, costs.top)
            for (name, size), costs in self._sizes.items()
        ]


# ----------------------------------------------------------------------
# The scripts of an enumeration that one of two solvers decides and on which the other gives up: the
# other is incomplete there.


class GivenUp:
    """Collects the causes for which one of two solvers, the target and another one, gives up on scripts that
    the other of them decides. A cause are the operators of the script. `saved` is what `state` gave in an
    earlier session.
    """

    def __init__(self, saved: Sequence[Any] = ()) -> None:
        # by grammar, other solver and cause: scripts, their cost for that solver and for the target in
        # microseconds of a usual machine, and the least index
        self._causes: dict[tuple[str, str, str], list[int]] = {
            (grammar, judge, cause): [*figures] for grammar, judge, cause, *figures in saved
        }

    def add(
        self, grammar: str, other: str, cause: str, costs: tuple[float, float], index: int
    ) -> None:
        """Note a script with this index, and its `costs` for the other solver and the target in
        milliseconds.
        """
        known = self._causes.setdefault((grammar, other, cause), [0, 0, 0, index])
        known[0] += 1
        known[1] += round(1000 * costs[0])
        known[2] += round(1000 * costs[1])
        known[3] = min(known[3], index)

    def state(self) -> list[Any]:
        """The plain data to store."""
        return [(*key, *figures) for key, figures in self._causes.items()]


# ----------------------------------------------------------------------
# The runs of an enumeration: one for each block of scripts, one for what is left of a block
# whose run ended early, so that every script is tested, and one for each script that may cost
# too much.


_SCRIPT = re.compile(r"^ *\d+ run-script\b", re.M)
_SIMPLIFIED = re.compile(r"^# script \d+$", re.M)
_ANSWER = re.compile(r"^ +answer (\w+)", re.M)


class Enumerated:
    """Gives each run of an enumeration its seed. `setup` is that of a session, `release` names its
    solver, and `saved` is what `state` gave in an earlier session.
    """

    def __init__(
        self, setup: Setup, release: str = "", saved: Mapping[str, Any] | None = None
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
        self._scripts = EnumeratedScripts(setup, release)
        at, take = int(enumeration["at"]), int(enumeration["take"])
        limit, unit = self._scripts.limit, self._scripts.most_per_ms
        self._costs = SlowScripts(at, take, limit, unit, saved.get("costs", ()))
        self._given_up = {
            side: GivenUp(saved.get("given_up", {}).get(side, ()))
            for side in (BY_JUDGES, BY_TARGET)
        }
        self.settled = bool(saved.get("settled"))
        # the counters of the scripts of this target alone
        self._counts: Counter[str] = Counter(saved.get("counts", {}))
        # what came of scripts in runs that the end of the campaign stopped
        self._open: Counter[str] = Counter()

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

    def count(self, counts: Mapping[str, int]) -> None:
        """Note those of the counters that are about the scripts of this target."""
        for name, n in counts.items():
            if name.startswith(OF_SCRIPTS):
                self._counts[name] += n

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
        """Let a later run repeat each script that costs the target many times as much as a judge:
        `costs` has the target's costs in the run with this seed, by the places in its block, and
        `judged` the judge's costs in milliseconds of a usual machine, by the lines of the run's
        trace.
        """
        if not is_marked(trace):
            places = {row.number: place for place, row in self._decided(seed, trace)}
            by_place = {places[line]: cost for line, cost in judged.items() if line in places}
            self._look_at(self._costs.of_judge(seed, costs, by_place))

    def scripts_for(self, seed: int, trace: str, family: str) -> dict[str, str]:
        """The scripts of the run with this seed in the words of a family of solvers, where these are
        others than those of the grammar, by the lines of the run's trace.
        """
        block = self._blocks.of(seed)
        if is_marked(trace) or not self._scripts.foreign(block.grammar, family):
            return {}
        found = {}
        for place, row in self._decided(seed, trace):
            text = self._scripts.text(block, block.first + place, family)
            if text is not None:
                found[str(row.number)] = text
        return found

    def sizes(self, seed: int, trace: str) -> list[str]:
        """The grammar and size of each script in the trace of a run, such as `reals:4`."""
        block = self._blocks.of(seed)
        return [
            f"{block.grammar.name}:{block.grammar.size_at(index)}"
            for index in _indices(block, len(_SCRIPT.findall(trace)))
        ]

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
        """Have a later run test what is left of a block. The block's run ended with the last script
        of `trace`, which is tested once more where a limit of time `killed` it, since another process
        may have kept the processor busy. Returns the counters of the run's scripts where the run has
        not `reported` them.
        """
        if is_marked(trace):  # the run had but one script, whose block is another run's
            return {}
        block, blocks = self._blocks.of(seed), self._blocks
        scripts = (_SIMPLIFIED if self._simplify else _SCRIPT).split(trace)[1:]
        calls = HEAD in block.grammar.plain
        # a run that ended before it noted its first script was at that one
        number = len(scripts) or int(not (reported or calls))
        again = killed and number > 0 and not (blocks.again(seed) and number == 1)
        indices = _indices(block, number)
        begun = indices[-1] - block.first + (not again) if indices else 0
        if number and begun < block.count:
            self._rests[self.number] = blocks.rest(seed, begun, again=again)
        if reported:
            return {}
        if calls:  # a sequence of calls is not made again
            return {block.counter(block.first, KILLED): 1}
        # of a script whose terms were simplified, its trace does not say what came
        came = [
            UNKNOWN if self._simplify else outcome_of(_ANSWER.findall(script)) for script in scripts
        ]
        results = dict(zip(indices, [*came[:-1], KILLED], strict=False))
        names = [
            block.counter(index, results.get(index, TWIN))
            for index in range(block.first, block.first + begun)
        ]
        return dict(Counter(names))

    def stopped(self, seed: int, trace: str) -> None:
        """Note what came of the scripts of an open run, without the one at which the end of the campaign
        stopped it. A later session tests the block again, and forgets this.
        """
        block = self._blocks.of(seed)
        if is_marked(trace) or self._simplify or HEAD in block.grammar.plain:
            return
        scripts = _SCRIPT.split(trace)[1:]
        indices = _indices(block, len(scripts))
        for index, script in zip(indices[:-1], scripts, strict=False):
            self._open[block.counter(index, outcome_of(_ANSWER.findall(script)))] += 1

    def count_open(self, counts: Mapping[str, int]) -> None:
        """Note those of the counters of an open run that are about the scripts of this target. A later
        session makes the run again, and forgets this.
        """
        self._open.update({name: n for name, n in counts.items() if name.startswith(OF_SCRIPTS)})

    def judged(
        self,
        seed: int,
        trace: str,
        answers: Mapping[str, Answers],
        own: Collection[int] = (),
    ) -> dict[str, int]:
        """The counters for the answers of each judge, by its name, to the decided scripts in the
        trace of a run. The answers of the scripts at the places `own` need no judge.
        """
        block, found = self._blocks.of(seed), dict[str, int]()
        if is_marked(trace):  # its script was counted before
            return found
        confirmed = set(own)
        for judge, checked in answers.items():
            now = {line: (before, after) for line, before, after in checked}
            for place, row in self._decided(seed, trace):
                index, agreement = block.first + place, _agreement(now.get(row.number))
                names = [block.judged(index, agreement, judge)]
                if agreement == AGREED and place not in confirmed:
                    confirmed.add(place)
                    names.append(block.confirmed(index, judge))
                for name in names:
                    found[name] = found.get(name, 0) + 1
        return found

    def note_given_up(
        self,
        seed: int,
        trace: str,
        answers: Mapping[str, Answers],
        costs: Mapping[int, int],
        judged: Mapping[str, Mapping[int, float]],
    ) -> None:
        """Note the decided scripts in the trace of a run on which judges give up: `answers` are those of
        each judge, by its name. `costs` are the target's, by the places in the block of the run, and
        `judged` the costs of each judge in milliseconds of a usual machine, by the lines of the trace.
        """
        block, per_ms = self._blocks.of(seed), self._scripts.per_ms
        if is_marked(trace):
            return
        for judge, checked in answers.items():
            lines = {line for line, _, now in checked if now == GAVE_UP}
            for place, row in self._decided(seed, trace) if lines else ():
                if row.number not in lines:
                    continue
                spent = judged.get(judge, {}).get(row.number, 0.0), costs.get(place, 0) / per_ms
                self._note_given_up(BY_JUDGES, block, place, judge, spent)

    def gave_up(
        self, seed: int, trace: str, costs: Mapping[int, int], number: int, other: str, ms: float
    ) -> None:
        """Note that the target gives up on script `number` in the trace of a run, which the solver named
        `other` decides at a cost of `ms` milliseconds of a usual machine. `costs` are the target's, by the
        places in the block of the run.
        """
        block = self._blocks.of(seed)
        place = _indices(block, number + 1)[number] - block.first
        spent = ms, costs.get(place, 0) / self._scripts.per_ms
        self._note_given_up(BY_TARGET, block, place, other, spent)

    def _note_given_up(
        self, side: str, block: Block, place: int, other: str, spent: tuple[float, float]
    ) -> None:
        index = block.first + place
        cause = " ".join(self._scripts.causes.of(block.grammar.at(index)))
        self._given_up[side].add(block.grammar.name, other, cause, spent, index)

    def state(self) -> dict[str, Any]:
        """The plain data to store."""
        return {
            "rests": {str(number): f"{seed:x}" for number, seed in self._rests.items()},
            "marks": self._marks,
            "costs": self._costs.state(),
            "given_up": {side: causes.state() for side, causes in self._given_up.items()},
            "settled": self.settled,
            "counts": dict(self._counts),
            "open": dict(self._open),
        }


def _indices(block: Block, count: int) -> list[int]:
    """The indices of the first `count` scripts of a block that are tested."""
    tested = (n for n in range(block.first, block.last + 1) if not block.twin(n))
    return list(islice(tested, count))


def _agreement(answer: tuple[str, str] | None) -> str:
    """Compare two answers to a script: `answer` is the recorded answer and that of the judge."""
    if answer is None:
        return NOT_RUN
    before, now = answer
    if now not in OPPOSITE:
        return GAVE_UP if now == GAVE_UP else UNKNOWN
    return AGREED if now == before else DIFFERS
