"""The journal of a search: one line of JSON for each step, written as soon as the step is done.

No line has a time or a path in it: the same search writes the same journal.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec

from murxpy.data import load_catalogue, load_machine
from murxpy.errors import InputError
from murxpy.findings.folder import PERF, Folder, Lines, read_below
from murxpy.learning.bandit import DECAY
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.outcomes import CRASH
from murxpy.machine.random import Settings
from murxpy.passes.reduction import OutOfReplays
from murxpy.processes.environments import Notice
from murxpy.processes.limits import Limits
from murxpy.sources.trees.scripts import TreeScripts
from murxpy.sources.trees.universe import Shape
from murxpy.studies.performance.keeping import Keeper
from murxpy.studies.performance.minimizing import (
    SECOND,
    Measured,
    confirmed,
    measured,
    minimized,
    plain,
)
from murxpy.studies.performance.search import Agents, Attempt, Pipeline, Plan, Search, Step
from murxpy.studies.performance.solvers import (
    LATE,
    Solvers,
    Weight,
    cost_rows,
    differ,
    left_to_others,
)

FILE = PERF
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Round:
    """A round that ended: the step that gave its best script, the margin, and where that was slow
    enough to be a finding, what is left of the script by dialect, its operators and its weights; and
    the `whole` script with its weights.
    """

    number: int
    step: int
    margin: float
    operators: Sequence[str] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    weights: Sequence[tuple[str, float, float]] = ()
    whole: Mapping[str, str] = field(default_factory=dict)
    before: Sequence[tuple[str, float, float]] = ()


class Journal:
    """The journal in a folder. Raises InputError where the folder has the journal of another search:
    `about` says what is searched. `steps` and `rounds` are those that the journal had at first, by
    number.
    """

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        self._folder = folder
        self._head = {"perf": _VERSION, **about}
        self.steps: dict[int, Attempt] = {}
        self.rounds: dict[int, Round] = {}
        self._file = Lines(folder, FILE)
        self._file.read(
            self._take,
            "a line that 'murxpy perf' has written; remove it, and its step is made again",
        )
        if not self._file.lines:
            self._write(self._head)

    def _take(self, number: int, entry: dict[str, Any]) -> None:
        if number == 1:
            self._compare(entry)
        elif "round" in entry:
            self.rounds[entry["round"]] = _round_in(entry)
        else:
            self.steps[entry["step"]] = _attempt_in(entry)

    def _compare(self, before: Mapping[str, Any]) -> None:
        now = json.loads(json.dumps(self._head))
        for name in dict.fromkeys((*now, *before)):
            if before.get(name) != now.get(name):
                raise InputError(
                    f"this folder has a search with {name} {before.get(name)}, not {now.get(name)}: "
                    "expected the same options, or another folder",
                    file=str(self._folder),
                )

    def step(self, step: Step, attempt: Attempt) -> None:
        """Note a step."""
        choice = step.choice
        self._write(
            {
                "step": choice.number,
                "loop": choice.loop,
                **({"construct": choice.construct} if choice.construct else {}),
                "weights": plain_weights(attempt.weights),
                "margin": attempt.margin,
                "spent": attempt.spent,
            }
        )

    def round(self, ended: Round) -> None:
        """Note the end of a round."""
        self._write(
            {"round": ended.number, **{k: v for k, v in asdict(ended).items() if k != "number"}}
        )

    def _write(self, entry: Mapping[str, Any]) -> None:
        self._file.append(json.dumps(entry))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _attempt_in(entry: Mapping[str, Any]) -> Attempt:
    weights = tuple([Weight(answer, ms, limit) for answer, ms, limit in entry["weights"]])
    return Attempt(weights, entry["margin"], entry["spent"])


def _round_in(entry: Mapping[str, Any]) -> Round:
    return Round(entry["round"], **{name: entry[name] for name in entry if name != "round"})


def plain_weights(weights: Sequence[Weight]) -> list[tuple[str, float, float]]:
    """Weights as a journal has them."""
    return [(weight.answer, weight.ms, weight.limit) for weight in weights]


# ----------------------------------------------------------------------
# A campaign of searches for slow scripts: its folder, its limits of time, and what it tells.


CONFIRMED = "confirmed.jsonl"  # what the clock says of the scripts of the journal, one a line
ODD = "odd"  # folder of the scripts that showed a bug once, and not in a replay
BEST = "best"  # folder of the script with the greatest margin until now, and of what it cost
COSTS = "costs.json"
_CANDIDATES = 150  # smaller scripts that are weighed at most
# The part of the time after which no new script is sought, if the one in hand is slow: the rest is for
# making it smaller and measuring it.
_SEARCHED = 0.75


def entries(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """The lines of a file of a search in a folder; a last line that was torn is left out. Raises
    InputError for a line that is none of a search.
    """
    rows = (read_below(folder, name) or "").split("\n")
    for number, row in enumerate(rows[:-1], 1):
        try:
            entry = msgspec.json.decode(row, type=dict[str, Any])
            if name == CONFIRMED:
                msgspec.convert(entry, _Confirmed)
            elif "round" in entry:
                msgspec.convert(entry, _Ended)
        except msgspec.MsgspecError:
            raise InputError(
                "expected a line that 'murxpy perf' has written",
                file=str(folder / name),
                line=number,
            ) from None
        yield entry


class _Cost(msgspec.Struct, rename="kebab"):
    """What a solver took for a script, as a line says it."""

    solver: str
    version: str
    answer: str
    took_ms: Annotated[list[float], msgspec.Meta(min_length=1)]


class _Confirmed(msgspec.Struct):
    """What the clock says of a script, as a line says it."""

    step: int
    confirmed: bool
    operators: list[str]
    costs: list[_Cost]
    since: str = ""
    buckets: list[str] = []


class _Ended(msgspec.Struct):
    """A round that ended, as a line says it."""

    round: int
    margin: float


class Stopped(Exception):
    """The user wants the campaign to end now. The next campaign in the folder continues the
    interrupted work.
    """


@dataclass(frozen=True, slots=True)
class Wanted:
    """The search that the user wants: for scripts of `shape` on which the targets are slower than the
    references. A query costs at most `query_ms` milliseconds of a usual machine, and `jobs` of them
    are made at a time. With `bisect`, the releases in the cache are asked for each finding. `decay` and
    `one_agent` are those of `Agents`.
    """

    targets: tuple[str, ...]
    references: tuple[str, ...]
    shape: Shape
    seed: int
    query_ms: float = 5000.0
    stale: int = 100
    learning: bool = True
    wrapper: str | None = None
    bisect: bool = False
    jobs: int = 1
    decay: float = DECAY
    one_agent: bool = False

    def about(self, versions: Mapping[str, str]) -> dict[str, Any]:
        """The settings on which the search depends, as plain data."""
        return {
            "targets": [f"{name} {versions[name]}" for name in self.targets],
            "references": [f"{name} {versions[name]}" for name in self.references],
            "shape": self.shape.plain(),
            "seed": self.seed,
            "query-ms": self.query_ms,
            "stale": self.stale,
            "learning": self.learning,
            "jobs": self.jobs,
            # folders of earlier releases do not have them
            **({"decay": self.decay} if self.decay != DECAY else {}),
            **({"one-agent": True} if self.one_agent else {}),
        }


def tree_scripts_of(
    shape: Shape, seed: int, dialects: Sequence[str], without: Collection[str] = ()
) -> TreeScripts:
    """The maker of the scripts of a shape, with the theories and literals that are shipped, and without
    these operators. Raises InputError.
    """
    catalogue = build_catalogue(load_catalogue())
    return TreeScripts(
        shape, catalogue, Settings(load_machine("default"), {}), seed, dialects, without
    )


@dataclass
class SearchTotals:
    """The progress of a campaign and its results: `found` slow scripts of all sessions, `differ`
    scripts to which solvers gave opposite answers, and `died` of which a solver died; `new` findings
    of this session; `given_up` of which a target gives up and the references do not, and
    `left_to_targets` the other way round. `doing` says what is done beside weighing scripts, empty
    where nothing is. `greatest` is the script with the greatest margin, with what each solver took for
    it; empty while no margin is above 0.
    """

    steps: int = 0
    rounds: int = 0
    best: float = 0.0
    late: int = 0
    refused: int = 0
    again: int = 0
    unconfirmed: int = 0
    new: int = 0
    differ: int = 0
    died: int = 0
    found: list[dict[str, Any]] = field(default_factory=list)
    doing: str = ""
    given_up: int = 0
    left_to_targets: int = 0
    greatest: dict[str, Any] = field(default_factory=dict)


class PerfCampaign:
    """Searches until it is told to stop, and keeps everything in the folder `out`. `watch` is told of
    each step, and `stopped` says whether the user wants to end it.
    """

    def __init__(
        self,
        wanted: Wanted,
        out: Path,
        limits: Limits,
        notice: Notice,
        watch: Callable[[SearchTotals], None] = lambda told: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._wanted, self._watch, self._stopped, self._notice = wanted, watch, stopped, notice
        self.told = SearchTotals()
        self._until: float | None = None
        self._reduced_by: float | None = None  # when the reduction under way must end
        self._causes: set[tuple[str, ...]] = set()
        self._seen: set[int] = set()  # steps whose scripts were judged
        self._given_up: set[str] = set()  # buckets of scripts on which a target gives up
        self._refusing: set[str] = set()  # solvers of which it was told that they refuse a script
        with ExitStack() as stack:
            self._folder = Folder(out, PERF)
            stack.callback(self._folder.close)
            self._solvers = self._opened(limits)
            stack.callback(self._solvers.close)
            known = self._solvers.known
            dialects = tuple(one.family for one in known)
            self._garden = tree_scripts_of(
                wanted.shape, wanted.seed, dialects, {kind for one in known for kind in one.unread}
            )
            self._journal = Journal(out, wanted.about({one.name: one.version for one in known}))
            stack.callback(self._journal.close)
            self._confirmed = Lines(out, CONFIRMED)
            stack.callback(self._confirmed.close)
            self._keeper = Keeper(self._folder, known, len(wanted.targets), wanted.wrapper, notice)
            stack.callback(self._keeper.close)
            self._stack = stack.pop_all()
        operators = self._garden.applications.operators()
        agents = Agents(
            wanted.seed,
            operators,
            learning=wanted.learning,
            decay=wanted.decay,
            one=wanted.one_agent,
        )
        plan = Plan(dialects, len(wanted.targets), wanted.query_ms, wanted.stale)
        self._search = Search(self._garden, plan, agents, self._solvers.weighing)
        self._pipeline = Pipeline(self._search, self._solvers, wanted.jobs, self._journal.steps)

    def _opened(self, limits: Limits) -> Solvers:
        wanted, notice = self._wanted, self._notice
        names, theories = (*wanted.targets, *wanted.references), wanted.shape.theories
        return Solvers(names, theories, wanted.wrapper, limits, notice, wanted.jobs, self._check)

    @property
    def versions(self) -> str:
        """The solvers with their releases."""
        return " ".join(f"{one.name} {one.version}" for one in self._solvers.known)

    def run(
        self, seconds: float | None = None, steps: int | None = None, until: float | None = None
    ) -> SearchTotals:
        """Search for so many seconds, or until so many steps were made in all. Everything ends at
        `until`, a moment of `time.monotonic`. If the script in hand is slow, the last quarter of the
        time is left for making it smaller and measuring it. The next start continues the interrupted
        work.
        """
        self._until = until
        if self._wanted.query_ms < SECOND:
            self._notice("a query may cost less than a second, so no script can be a finding")
        begun, known = time.monotonic(), len(self._journal.steps)
        last = None if steps is None else max(steps, known)
        try:
            self._recall()
            while self.told.steps < known or self._searches(begun, seconds):
                if not self._made_step(last):
                    break
            now = self._search.round
            if now.slow and now.step not in self._seen:  # the round goes on with the next start
                self._solvers.stop()
                self._judge(self._made_small()[0])
        except Stopped:
            pass
        return self.told

    def _searches(self, begun: float, seconds: float | None) -> bool:
        """Whether there is time for another step of a search that began at this moment."""
        if seconds is None:
            return True
        now = self._search.round
        left = now.slow and now.step not in self._seen
        return time.monotonic() < begun + (_SEARCHED if left else 1.0) * seconds

    def _made_step(self, last: int | None) -> bool:
        """Make a step, or end the round; whether there was one to make."""
        made = self._pipeline.next(last)
        if made is not None:
            self._note(*made)
        elif self._search.over:
            self._end_round()
        return made is not None or self._search.number != last

    def _check(self) -> None:
        if self._stopped() or (self._until is not None and time.monotonic() >= self._until):
            raise Stopped
        if self._reduced_by is not None and time.monotonic() >= self._reduced_by:
            raise OutOfReplays
        self._watch(self.told)

    def _recall(self) -> None:
        """Take what the clock said in earlier sessions; a line that was torn is said again."""
        self._confirmed.read(
            lambda number, entry: self._remember(entry),
            "a line that 'murxpy perf' has written; remove it, and its script is measured again",
        )

    def _remember(self, entry: dict[str, Any]) -> None:
        self._seen.add(entry["step"])
        self._causes.add(tuple(entry["operators"]))
        if entry["confirmed"]:
            self.told.found.append(entry)
        else:
            self.told.unconfirmed += 1

    def _note(self, step: Step, attempt: Attempt) -> None:
        told, weights = self.told, attempt.weights
        told.steps += 1
        told.best = self._search.round.margin
        told.late += any(weight.answer == LATE for weight in weights)
        told.differ += differ(weights)
        told.refused += any(not weight.counts for weight in weights)
        told.died += any(weight.answer == CRASH for weight in weights)
        count = len(self._wanted.targets)
        left = left_to_others(weights[:count], weights[count:])
        told.given_up += left
        told.left_to_targets += left_to_others(weights[count:], weights[:count])
        if attempt.margin is not None and attempt.margin > self._greatest:
            self._note_greatest(step, attempt)
        if step.choice.number not in self._journal.steps:
            if shows_bug(weights):
                self._keep(step, weights)
            if left:
                self._keep_given_up(step, weights)
            self._journal.step(step, attempt)
            self._tell_refusals(weights)

    @property
    def _greatest(self) -> float:
        return float(self.told.greatest.get("margin-ms", 0.0))

    def _note_greatest(self, step: Step, attempt: Attempt) -> None:
        """Write the script with the greatest margin until now into the folder, so that it is there
        whatever ends the search.
        """
        known, count = self._solvers.known, len(attempt.weights)
        self.told.greatest = {
            "step": step.choice.number,
            "margin-ms": round(attempt.margin or 0.0, 1),
            "costs": cost_rows(known[:count], attempt.weights),
        }
        for dialect, text in self._search.texts(step).items():
            self._folder.write(f"{BEST}/{dialect}.smt2", text)
        self._folder.write(f"{BEST}/{COSTS}", json.dumps(self.told.greatest, indent=1) + "\n")

    def _keep_given_up(self, step: Step, weights: Sequence[Weight]) -> None:
        """Keep a script on which targets give up and that the references decide."""
        count, texts = len(self._wanted.targets), self._search.texts(step)
        limit, number = self._wanted.query_ms, step.choice.number
        for one, weight in zip(self._solvers.known[:count], weights, strict=False):
            if not weight.gave_up:
                continue
            text = texts[one.family]
            found = self._keeper.keep_given_up(one, text, weights, limit, number)
            if found is not None and found.bucket not in self._given_up:
                self._given_up.add(found.bucket)
                self.told.new += 1
                spent = ", ".join(
                    f"{other.name} {each.answer} after {each.ms:.1f} ms"
                    for other, each in zip(self._solvers.known, weights, strict=False)
                )
                self._notice(
                    f"{one.name} gives up: {found.verdict.message}; {spent} ({found.bucket})"
                )

    def _tell_refusals(self, weights: Sequence[Weight]) -> None:
        """Tell of each solver once why it does not count for a script."""
        for one, weight in zip(self._solvers.known, weights, strict=False):
            if weight.message and one.name not in self._refusing:
                self._refusing.add(one.name)
                self._notice(
                    f"{one.name} answers '{weight.answer}' to a script, which has no margin then, and "
                    f"maybe to others: {weight.message}"
                )

    def _keep(self, step: Step, weights: Sequence[Weight]) -> None:
        """Keep a script that shows a bug: a solver dies of it, or two solvers give opposite answers. A
        script that does not show that again is kept apart.
        """
        self.told.new += 1
        number, texts = step.choice.number, self._search.texts(step)
        said = list(zip(self._solvers.known, weights, strict=False))
        words = ", ".join(f"{one.name} {weight.answer}" for one, weight in said)
        limit = self._wanted.query_ms
        if differ(weights):
            found = self._keeper.keep_opposite(texts, weights, limit, number)
        else:
            died = next(one for one, weight in said if weight.answer == CRASH)
            found = self._keeper.keep_death(died, texts[died.family], limit, number)
        if found is not None:
            self._notice(f"{words}: {found.verdict.message} ({found.bucket})")
            return
        for dialect, text in texts.items():
            self._folder.write(f"{ODD}/{number}-{dialect}.smt2", text)
        file = self._folder.path / ODD / f"{number}-*.smt2"
        self._notice(f"{words}, but not in a replay: {file}")

    def _end_round(self) -> None:
        """Make the script of the round small, note it, have the clock confirm it, and begin the next
        round.
        """
        ended = self._journal.rounds.get(self.told.rounds + 1)
        if ended is None:
            ended, whole = self._made_small()
            if not whole:  # the round is ended again, when there is more time
                self._judge(ended)
                raise Stopped
            self._journal.round(ended)
        self._judge(ended)
        self._search.next_round(ended.operators)
        self.told.rounds, self.told.best = ended.number, 0.0

    def _made_small(self) -> tuple[Round, bool]:
        """The round with what is left of its script, where that is slow enough to be a finding; and
        whether the reduction came to its end. It may take half of the time that is left.
        """
        now, slow = self._search.round, self._search.slow
        ended = Round(self.told.rounds + 1, now.step, now.margin)
        if slow is None:
            return ended, True
        self._notice(
            f"a script of {now.margin / 1000:.3f} s is made smaller, which can take some minutes"
        )
        self.told.doing = "making a script smaller"
        if self._until is not None:
            self._reduced_by = (time.monotonic() + self._until) / 2
        small = minimized(slow, self._solvers.weighing, self._solvers.answers, _CANDIDATES)
        whole = self._reduced_by is None or time.monotonic() < self._reduced_by
        self._reduced_by, self.told.doing = None, ""
        ended = replace(
            ended,
            operators=small.operators(),
            texts=small.texts(),
            weights=plain_weights(small.weights),
            whole=slow.texts(),
            before=plain_weights(slow.weights),
        )
        return ended, whole

    def _judge(self, ended: Round) -> None:
        """Have the clock confirm a script whose operators are not known yet."""
        cause = tuple(ended.operators)
        if not ended.weights or ended.step in self._seen:
            return
        if cause in self._causes:
            self.told.again += 1
            return
        self.told.doing = "measuring a slow script by the clock"
        entry = self._confirm(ended)
        self.told.doing = ""
        self._remember(entry)
        self.told.new += entry["confirmed"]

    def _confirm(self, ended: Round) -> dict[str, Any]:
        """Measure the script of a round, and keep it where it is slow by the clock, too."""
        wanted, texts = self._wanted, ended.texts
        rows = measured(texts, ended.weights, wanted.query_ms, self._solvers)
        shown = confirmed(rows, len(wanted.targets))
        if not shown:  # of less than a second, the clock may say less than the solver
            texts = ended.whole
            rows = measured(texts, ended.before, wanted.query_ms, self._solvers)
            shown = confirmed(rows, len(wanted.targets))
        entry: dict[str, Any] = {
            "step": ended.step,
            "confirmed": shown,
            "operators": list(ended.operators),
            "costs": plain(rows),
        }
        if shown:
            for dialect, text in texts.items():
                self._folder.write(f"scripts/{ended.step}-{dialect}.smt2", text)
            entry |= self._kept(ended, texts, rows) if wanted.references else {}
        self._confirmed.append(json.dumps(entry))
        return entry

    def _kept(
        self, ended: Round, texts: Mapping[str, str], rows: Sequence[Measured]
    ) -> dict[str, Any]:
        """Keep a script as a finding of each target; the buckets, and the releases that show it."""
        count, found = len(self._wanted.targets), dict[str, Any]()
        names = self._garden.universe.tables.catalogue.operators
        cause = "+".join(dict.fromkeys(names[kind].smtlib for kind in ended.operators))
        for number, solver in enumerate(self._solvers.known[:count]):
            text = texts[solver.family]
            own = [rows[number], *rows[count:]]
            kept = self._keeper.keep_slow(solver, text, own, cause, ended.step)
            if kept is not None:
                found.setdefault("buckets", []).append(kept.bucket)
                if self._wanted.bisect:
                    found["since"] = self._keeper.since(kept, solver, self._check)
        return found

    def close(self) -> None:
        """End all processes, and release the folder."""
        self._stack.close()


def shows_bug(weights: Sequence[Weight]) -> bool:
    """Whether the solvers' answers to a script show a bug of one of them."""
    return differ(weights) or any(weight.answer == CRASH for weight in weights)
