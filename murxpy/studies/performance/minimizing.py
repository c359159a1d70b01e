"""Making a slow script smaller, while the targets stay far behind the references."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from murxpy.passes.reduction import OutOfReplays, Search, at_once, finished
from murxpy.passes.script import Commands, bare, terms
from murxpy.processes.inquiries import Questions
from murxpy.reduction.scripts import script_problem
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.script import Script
from murxpy.studies.performance.solvers import Solvers, Weight

SECOND = 1000.0  # milliseconds that a slow script costs at least
FACTOR = 20.0  # times what each reference needs, at least
FASTEST = 1.0  # milliseconds; a reference that needs less counts as if it needed this
_KEPT = 0.5  # of the ratio and of the cost that a smaller script keeps
_QUERIES = 12  # as costly as can be: what a reduction may cost
_SLOWER = 2.0  # times what a reference needed that it may need for a smaller script
Weighing = Callable[[int, str, float], Questions[Weight]]


@dataclass(frozen=True, slots=True)
class Slow:
    """A script with its weights, those of the `targets` first. `limit` is the most that it may cost."""

    script: Script
    weights: tuple[Weight, ...]
    dialects: tuple[str, ...]
    targets: int
    limit: float

    @property
    def reference(self) -> float:
        """The milliseconds of the slowest reference."""
        behind = [weight.ms for weight in self.weights[self.targets :]]
        return max([FASTEST, *behind])

    @property
    def ratio(self) -> float:
        """The cost for the fastest target, divided by the cost for the slowest reference."""
        return min(weight.ms for weight in self.weights[: self.targets]) / self.reference

    @property
    def counts(self) -> bool:
        """Whether the script is slow enough to be a finding."""
        ahead = min(weight.ms for weight in self.weights[: self.targets])
        return ahead >= SECOND and (self.ratio >= FACTOR or len(self.dialects) == self.targets)

    def texts(self) -> dict[str, str]:
        """The script in the dialects of the solvers. Raises Unsayable."""
        return texts_in(self.dialects, self.script)

    def operators(self) -> list[str]:
        """The operators in the script, sorted."""
        known = self.script.tables.catalogue.operators
        return sorted({term.op for term in terms(tuple(self.script.commands)) if term.op in known})


def texts_in(dialects: Sequence[str], script: Script) -> dict[str, str]:
    """The script by dialect. Raises Unsayable."""
    return {dialect: print_script(script, dialect) for dialect in dict.fromkeys(dialects)}


class _Candidate(NamedTuple):
    """A smaller script, and its texts by dialect; none where a dialect cannot express it."""

    slow: Slow
    texts: Mapping[str, str]

    @property
    def text(self) -> str:
        """The text in the dialect of the first solver."""
        return self.texts.get(self.slow.dialects[0], "")


class _Tried(NamedTuple):
    """A smaller script with its weights, None where it is not slow enough, and the milliseconds of a
    usual machine that asking cost.
    """

    weights: tuple[Weight, ...] | None
    spent: float
    slow: Slow


Answers = Callable[[Iterable[Questions[_Tried]]], Generator[_Tried, None, None]]


def minimized(slow: Slow, weighing: Weighing, answers: Answers, most: int) -> Slow:
    """The smallest script that was found to keep half of the ratio and of the cost, and to cost a
    second; at most `most` scripts are weighed. `answers` gives the results of `weighing`, in order.
    """

    def printed(commands: Commands) -> _Candidate:
        made = replace(slow, script=Script("script", slow.script.tables, list(commands)))
        try:
            return _Candidate(made, made.texts())
        except Unsayable:
            return _Candidate(made, {})

    test, start = _StaysSlow(slow, weighing, answers, most), bare(slow.script)
    problem = script_problem(slow.script, start, len(slow.texts()[slow.dialects[0]]), printed)
    with suppress(OutOfReplays):
        if test.first(iter([problem.asked(start)])) is not None:
            finished(Search(problem, at_once(test.first)).run())
    return test.best


class _StaysSlow:
    """The test whether a smaller script stays slow enough. `best` is the last script that does. The
    test depends on the solvers' counts alone, and it raises OutOfReplays once it has weighed `most`
    scripts, or spent too much on them.
    """

    def __init__(self, slow: Slow, weighing: Weighing, answers: Answers, most: int) -> None:
        self._slow, self._weighing, self._answers = slow, weighing, answers
        self._left, self._spent = most, 0.0
        self._ratio = max(_KEPT * slow.ratio, FACTOR)
        own = min(weight.ms for weight in slow.weights[: slow.targets])
        self._least = max(SECOND, _KEPT * own)  # the clock may say less than the units
        self.best = slow

    def first(self, candidates: Iterator[_Candidate]) -> int | None:
        """The index of the first script that stays slow enough."""
        self._check()
        with closing(self._answers(map(self._tried, candidates))) as each:
            for at, (weights, spent, slow) in enumerate(each):
                self._left -= 1
                self._spent += spent
                if weights is not None:
                    self.best = replace(slow, weights=weights)
                    return at
                self._check()
        return None

    def _check(self) -> None:
        if self._left <= 0 or self._spent >= _QUERIES * self._slow.limit:
            raise OutOfReplays

    def _tried(self, candidate: _Candidate) -> Questions[_Tried]:
        """What comes of a smaller script. The references are asked first, because they are fast."""
        asked = list[Weight]()
        weights = yield from self._weighed(candidate.texts, asked)
        return _Tried(weights, sum(weight.ms for weight in asked), candidate.slow)

    def _weighed(
        self, texts: Mapping[str, str], asked: list[Weight]
    ) -> Questions[tuple[Weight, ...] | None]:
        """The weights of a smaller script; None where it is not slow enough. All weights that were
        asked for are added to `asked`.
        """
        slow = self._slow
        ahead, behind = range(slow.targets), range(slow.targets, len(slow.dialects))
        needed = self._least
        for number in behind if texts else ():
            bound = min(slow.limit, _SLOWER * slow.reference)
            asked.append((yield from self._weighing(number, texts[slow.dialects[number]], bound)))
            if not asked[-1].decided:
                return None
            needed = max(needed, self._ratio * max(FASTEST, asked[-1].ms))
        if not texts or needed > slow.limit:
            return None
        for number in ahead:
            asked.append((yield from self._weighing(number, texts[slow.dialects[number]], needed)))
            if asked[-1].decided or not asked[-1].counts:
                return None
        return (*asked[len(behind) :], *asked[: len(behind)])


# ----------------------------------------------------------------------
# Measuring a slow script by the time of the processor, which only confirms what the solvers
# counted.


TIMES = 3
_LONGEST = 2.0  # times the limit of a query that a measurement may take


@dataclass(frozen=True, slots=True)
class Measured:
    """The costs of a script for a solver: its name, release and answer, the milliseconds that it
    counted in the search, and those of the processor, in three fresh processes. `units` is the
    solver's count there.
    """

    name: str
    version: str
    answer: str
    counted: float
    took: tuple[float, ...]
    units: int

    @property
    def ms(self) -> float:
        """The median of the milliseconds."""
        return statistics.median(self.took)


def measured(
    texts: Mapping[str, str],
    weights: Sequence[tuple[str, float, float]],
    limit: float,
    solvers: Solvers,
) -> list[Measured]:
    """Measure the costs of a script for each solver, with these texts by dialect. A solver that does
    not end is stopped after twice the limit of a query.
    """
    wall, found = _LONGEST * limit, []
    for one, (_, counted, _) in zip(solvers.known, weights, strict=True):
        times = [solvers.measure(one.number, texts[one.family], wall) for _ in range(TIMES)]
        took = tuple(round(time.ms, 1) for time in times)
        last = times[-1]
        found.append(Measured(one.name, one.version, last.answer, counted, took, last.units))
    return found


def mark_of(target: Measured, references: Sequence[Measured], per_ms: float) -> int:
    """The units of a target that are too much for a script: as many as it counts in a second, and in
    so many times what a reference takes. The solver's count in a millisecond is measured with the
    script itself, because it differs much between scripts; usually it is `per_ms`.
    """
    rate = target.units / target.ms if target.units and target.ms else per_ms
    reference = max([FASTEST, *[row.ms for row in references]])
    return max(1, int(max(SECOND, FACTOR * reference) * rate))


def confirmed(rows: Sequence[Measured], targets: int) -> bool:
    """Whether each target takes a second or more, and so many times as long as each reference."""
    ahead = min(row.ms for row in rows[:targets])
    behind = [max(row.ms, FASTEST) for row in rows[targets:]]
    return ahead >= SECOND and all(ahead >= FACTOR * ms for ms in behind)


def plain(rows: Sequence[Measured]) -> list[Mapping[str, object]]:
    """The figures as plain data."""
    return [
        {
            "solver": row.name,
            "version": row.version,
            "answer": row.answer,
            "counted-ms": row.counted,
            "took-ms": list(row.took),
        }
        for row in rows
    ]
