"""Predicates of reductions: a smaller trace must still show the finding of the trace itself, or
whatever the user asks for.
"""

from __future__ import annotations

import os
import re
import signal
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Generic, Protocol

from murxpy.errors import InputError, nearest
from murxpy.findings.buckets import bucket_key
from murxpy.findings.folder import write_atomically
from murxpy.findings.kinds.registry import kind_of
from murxpy.machine.checks.registry import ANSWERING
from murxpy.machine.trace.finished import Call, last_call, last_row
from murxpy.oracles.crash import DEATHS, Outcome, Verdict, judge, normalise, signal_name
from murxpy.passes.reduction import A, Problem, Search, T, at_once, finished
from murxpy.processes import interrupts
from murxpy.processes.inquiries import OutOfTime, Warm
from murxpy.processes.targets import Plan

Shows = Callable[[Outcome], bool]
Runs = Sequence[Sequence[Outcome]]  # for each replay: how it ended, and then how its process did
LATE = 2.0  # seconds after which a candidate counts as one that hangs, until the last test
FIRST_RUNS = 3  # replays of the given trace, which must all show the same

SHOWS_NO = "it shows no"  # begins the error where replays show no finding
_SIGNALS = {number.name: number.name for number in signal.Signals}


@dataclass(frozen=True, slots=True)
class Match:
    """The property that a smaller trace must keep in place of the finding. All fields that are given
    must hold.

    `message` is that of a finding, and `part` is a part of it. `exit` is the name of a signal or
    the exit code with which the process ends. With `unknown` the last check answers unknown. With
    `slower` a replay takes longer than so many seconds.
    """

    message: str | None = None
    part: str | None = None
    exit: str | None = None
    unknown: bool = False
    slower: float | None = None

    def __bool__(self) -> bool:
        return bool(self.words())

    def words(self) -> str:
        """The property that must stay, in words."""
        conditions = (
            "" if self.message is None else f"message '{self.message}'",
            "" if self.part is None else f"a message with '{self.part}'",
            "" if self.exit is None else f"exit {self.exit}",
            "last check unknown" if self.unknown else "",
            "" if self.slower is None else f"slower than {self.slower:g} s",
        )
        return ", ".join(filter(None, conditions))


def exit_kind(text: str) -> str:
    """Read an exit code from 0 to 255, or the name of a signal with or without `SIG`.

    Raises InputError for anything else.
    """
    name = text.upper()
    name = name if name.startswith("SIG") else f"SIG{name}"
    if text.isdecimal() and int(text) <= 255:
        return str(int(text))
    if name not in _SIGNALS:
        raise InputError(
            f"--match-exit {text}: expected an exit code from 0 to 255 or a signal{nearest(name, _SIGNALS)}"
        )
    return name


@dataclass(frozen=True, slots=True)
class FirstShown:
    """The first property that a trace shows: `key` says it in words, and `shows` tells whether a
    replay shows it, too.

    `narrows` tells whether a replay shows what may be left of the same defect in a smaller trace, in another
    bucket, and `alike` whether one ends in the same way, whatever it calls; None of a hang, and of what the
    user asks for. `trace` is that of a replay up to there, which takes `seconds`, and `least` at least. With `alone` it shows in how the
    process ends after the run. A replay shows a hang if it does not end in `late` seconds.
    """

    key: str
    shows: Shows
    trace: str
    seconds: float
    least: float
    narrows: Shows
    alike: Shows | None
    alone: bool = False
    late: float | None = None


def first_shown(runs: Runs, task: Task) -> FirstShown:
    """Find out what the replays `runs` of the trace of a task show.

    Raises InputError when the trace is malformed or shows nothing. With one try it is also raised
    when the replays do not all show the same.
    """
    family, name, tries, match = task.plan.target.family, task.name, task.tries, task.match
    for outcome in runs[0]:
        refuse_malformed(outcome, name)
    hangs = not match and all(run and run[-1].cause == "wall" for run in runs)
    key, said, same = (
        _match(runs, match) if match else _hang(runs) if hangs else _finding(runs, family, task.key)
    )
    shown = [outcome for run in runs for outcome in run if same(outcome)]
    times = sum(any(map(same, run)) for run in runs)
    if not shown:
        what = (
            f"{said}: not so in {len(runs)} replays"
            if match
            else (
                f"{SHOWS_NO} {said or 'finding'} in {len(runs)} replays, expected a trace that 'murxpy replay' exits with 1 for"
            )
        )
        raise InputError(what, file=name)
    if times < len(runs) and tries == 1:
        found = 0 if match else sum(any(map(judge, run)) for run in runs)
        others = f", and other findings in {found - times}" if found > times else ""
        raise InputError(
            f"{said} in {times} of {len(runs)} replays{others}; let each candidate be replayed several times with --tries 5",
            file=name,
        )
    seconds = [outcome.seconds for run in runs for outcome in run]
    late = LATE if hangs else match.slower
    of = None if match or hangs else judge(shown[0])
    narrows = partial(_narrows, of=of)
    alike = None if of is None else partial(_alike, of=of)
    first = shown[0]
    return FirstShown(
        key, same, first.trace, max(seconds), min(seconds), narrows, alike, first.after, late
    )


def _narrows(outcome: Outcome, of: Verdict | None) -> bool:
    """Whether an outcome shows what may be left of the defect of the verdict `of`."""
    verdict = None if of is None else judge(outcome)
    if of is None or verdict is None or verdict.kind != of.kind:
        return False
    return kind_of(of.kind).narrows(verdict, of)


def _alike(outcome: Outcome, of: Verdict) -> bool:
    """Whether an outcome is like the verdict `of`: a death by the same signal, or the same exception of the
    same function, whatever that says of the operands.
    """
    verdict = judge(outcome)
    if verdict is None or (verdict.kind, verdict.signal) != (of.kind, of.signal):
        return False
    kind = kind_of(of.kind)  # which knows the place in the source that an assertion names
    same = _of_no_operand(verdict.message) == _of_no_operand(of.message)
    itself = _of_itself(verdict)
    same = same or bool(itself and itself == _of_itself(of))
    return same or kind.parts(verdict) == kind.parts(of)


def _of_itself(verdict: Verdict) -> str:
    """The exception that a callable raises in its own code, without the name of the callable; empty where
    another function raises it.
    """
    thrown = _THROWN.match(verdict.message)
    if thrown is None:
        return ""
    place = thrown[2].removeprefix("in ").partition(" ")[0]
    if not f".{verdict.call.operator}".endswith(f".{place}"):
        return ""
    return verdict.message[: thrown.start(2)]


_THROWN = re.compile(r"^(?:class [A-Z]: )?(\w+)(?:: .*)? (in [\w.<>]+ \([\w.]+\))$", re.DOTALL)


_OF_CLASS = re.compile(r"\b(?:an?|two) [A-Z]\w*")


def _of_no_operand(message: str) -> str:
    """A message without what it says of operands and of the classes of objects."""
    thrown = _THROWN.match(message)
    if thrown:
        return " ".join(thrown.groups())
    return normalise(_OF_CLASS.sub("an object", message.partition(";")[0]))


def _match(runs: Runs, match: Match) -> tuple[str, str, Shows]:
    """The key of what the user asks for, the words for it, and what shows it."""
    call = Call() if match.slower is None or not runs[0] else last_call(runs[0][0].trace)
    where = "" if match.slower is None else f" in {call.action}"
    return match.words() + where, match.words(), partial(_matches, match=match, call=call)


def _hang(runs: Runs) -> tuple[str, str, Shows]:
    """The same for a trace whose replays do not end: those of smaller ones must hang in the same
    call.
    """
    call = last_call(runs[0][-1].trace)
    return f"hang in {call.action}", f"it hangs in {call.action}", partial(_late, call=call)


def _finding(runs: Runs, family: str, wanted: str) -> tuple[str, str, Shows]:
    """The same for the finding that most replays show: that of the bucket `wanted` where a replay shows
    it. Earlier runs of a history may have findings of their own. None of them stands for what is wanted;
    only a process may die in one place or another.
    """
    found = []
    for run in runs:
        shown = [(bucket_key(family, v), v, o) for o in run if (v := judge(o)) is not None]
        exact = [one for one in shown if one[0] == wanted]
        if wanted.startswith(DEATHS):
            shown = [one for one in shown if one[1].kind in DEATHS]
        elif wanted and len(run) > 1:
            shown = exact
        found += (exact or shown)[:1]
    if not found:
        return "", wanted, lambda outcome: False
    ((key, _),) = Counter(key for key, _, _ in found).most_common(1)
    verdict, outcome = next((v, o) for of, v, o in found if of == key)
    same = partial(shows, family=family, key=key, kind=verdict.kind, after=outcome.after)
    return key, f"it shows {key}", same


def refuse_malformed(outcome: Outcome, name: str) -> None:
    """Raise InputError if the replay found the trace, which came from the file `name`, malformed."""
    report = outcome.report or {}
    if report.get("status") == "malformed":
        message = str(report["message"])
        raise InputError(re.sub("^(candidate|trace):", lambda _: f"{name}:", message))


def shows(outcome: Outcome, family: str, key: str, kind: str, after: bool = False) -> bool:
    """Whether `outcome` is a finding of this kind in this bucket. With `after` it shows in how the
    process ends after the run.
    """
    verdict = judge(outcome)
    if verdict is None or outcome.after is not after:
        return False
    return verdict.kind == kind and bucket_key(family, verdict) == key


def _matches(outcome: Outcome, match: Match, call: Call) -> bool:
    if match.slower is not None and not _late(outcome, call):
        return False
    if match.exit is not None and match.exit != _exit(outcome):
        return False
    if match.unknown and not _last_unknown(outcome):
        return False
    if match.message is None and match.part is None:
        return True
    verdict = judge(outcome)
    if verdict is None:
        return False
    return match.message in (None, verdict.message) and (match.part or "") in verdict.message


def _exit(outcome: Outcome) -> str:
    """The signal or the exit code with which the process ended; empty while it lives."""
    if outcome.status is None or outcome.cause != "died":
        return ""
    return signal_name(outcome.status) or str(os.waitstatus_to_exitcode(outcome.status))


def _last_unknown(outcome: Outcome) -> bool:
    """Whether the last check in the replay answered `unknown`."""
    if outcome.cause != "report" or (outcome.report or {}).get("status") == "malformed":
        return False
    row = last_row(outcome.trace, ANSWERING)
    return row is not None and row.answers[:1] == ["unknown"]


def _late(outcome: Outcome, call: Call) -> bool:
    there = last_call(outcome.trace)
    return outcome.cause == "wall" and (there.action, there.operator) == (
        call.action,
        call.operator,
    )


# ----------------------------------------------------------------------
# Reductions for a command: they end with the time or by Ctrl-C, tell their progress, and give the
# smallest candidate. `murxpy.passes.reduction` holds the pipeline itself.


_SAVE_SECONDS = 2.0  # between two times that the best candidate is written into a file


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a reduction: the size of the best candidate so far, and its text.

    If `unit` is `line`, the text is a trace.
    """

    lines: int
    terms: int
    tests: int
    seconds: float
    unit: str
    text: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Task:
    """A reduction to carry out on the target of `plan`; `name` is that of its file.

    `jobs` replays are made at a time, and a candidate is replayed `tries` times at most. The
    reduction ends after `time` seconds and after `replays` candidates; None sets no limit. With one
    job the result of a reduction that `replays` ends does not depend on the clock. The reduction
    keeps the finding, unless `match` or `command`, the words of a user's command, says something
    else. `key` is the bucket of the finding, empty where it is not known. With `judges` the finding
    is that one of these solvers disagrees. `follow` gets the progress. `wait` is called before each
    candidate, and returns when it may be replayed. Loaded solvers are taken from `warm`, and left there.
    Of a `doubtful` trace a single replay tells that it shows nothing.
    """

    plan: Plan
    name: str
    jobs: int = 1
    time: float | None = None
    replays: int | None = None
    tries: int = 1
    match: Match = field(default_factory=Match)
    command: tuple[str, ...] = ()
    judges: Sequence[Plan] = ()
    key: str = ""
    follow: Callable[[Progress], None] = lambda progress: None
    wait: Callable[[], None] = lambda: None
    warm: Warm | None = None
    doubtful: bool = False
    began: float = field(default_factory=monotonic)

    @property
    def deadline(self) -> float | None:
        """The moment at which the time is over."""
        return None if self.time is None else self.began + self.time

    @contextmanager
    def enough_time(self, what: str) -> Iterator[None]:
        """Inside, OutOfTime becomes an InputError, since there is no result yet."""
        try:
            yield
        except OutOfTime:
            raise InputError(
                f"the {self.time:g} s are over before it was seen what {what}; give it more with --time",
                file=self.name,
            ) from None


class Saver:
    """Writes the best candidate so far into a file now and then, in case the process is killed."""

    def __init__(self, file: Path) -> None:
        self._file, self._lines, self._written = file, 0, monotonic()

    def __call__(self, progress: Progress) -> None:
        if progress.unit != "line" or progress.lines == self._lines:
            return
        if monotonic() - self._written >= _SAVE_SECONDS:
            write_atomically(self._file, progress.text())
            self._lines, self._written = progress.lines, monotonic()


@dataclass(frozen=True, slots=True)
class Minimized:
    """The smallest candidate that was found.

    `text` is its trace, and `best` its text in the form of its problem, such as SMT-LIB. `key` names
    the finding that the candidate shows. `before` and `after` are sizes in `unit`: `line`, `run` or
    `character`. `ended` is `complete`, `time`, `replays` or `interrupted`. `needs` says in sentences
    what a trace needs beside its formulas, where that is known. `message` is what the finding says in the
    replay that wrote `text`; empty where no replay wrote it.
    """

    text: str
    best: str
    key: str
    before: int
    after: int
    tests: int
    replays: int
    repeated: int
    seconds: float
    ended: str
    unit: str = "line"
    needs: tuple[str, ...] = ()
    message: str = ""


class Replays(Protocol):
    """A service that makes replays for a predicate. The class raises OutOfTime after `deadline`."""

    deadline: float | None

    @property
    def replays(self) -> int:
        """The number of replays that were made."""

    def close(self) -> None:
        """End all processes."""


class Predicate(ABC, Generic[A]):
    """A predicate decides whether a candidate shows what must stay; `key` names that in words.

    `start` is the text of a trace that shows the finding and ends with the line that shows it. The
    text is empty if there is none. `narrower` are the smallest traces that were seen to show what may be left
    of the finding, in another bucket. `message` is what the finding says in the replay that wrote the
    result, empty where none did.
    """

    key = ""
    start = ""
    narrower: Sequence[str] = ()
    message = ""

    def __init__(self, deadline: float | None, *services: Replays) -> None:
        self._services = services
        self.limit(deadline)

    @contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """Inside, an error ends all processes."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    @property
    def replays(self) -> int:
        """The number of replays that were made."""
        return sum(service.replays for service in self._services)

    def limit(self, deadline: float | None) -> None:
        """Raise OutOfTime from now on when something is asked after `deadline` (monotonic)."""
        for service in self._services:
            service.deadline = deadline

    def shows(self, candidate: A) -> bool:
        """Whether a candidate shows it. A predicate that tests several at a time has its own `first`."""
        raise NotImplementedError

    def first(self, candidates: Iterator[A]) -> int | None:
        """The index of the first candidate that was seen to show it; None when none does."""
        return next((at for at, one in enumerate(candidates) if self.shows(one)), None)

    @abstractmethod
    def result(self, best: A) -> tuple[str, str]:
        """The key of what the smallest candidate shows, and its text as a trace."""

    def written(self, text: str) -> str:
        """The trace that a replay of `text` writes; empty where no single replay does."""
        return ""

    def doubted(self, best: A) -> bool:
        """Whether the smallest candidate does not show it after all, so that the reduction starts
        again.
        """
        return False

    def close(self) -> None:
        """End all processes."""
        for service in self._services:
            service.close()


def reduce(problem: Problem[T, A], predicate: Predicate[A], task: Task) -> Minimized:
    """Make the candidate of `problem` as small as it can be while `predicate` holds.

    Ctrl-C and the end of the time or of the replays leave the best candidate so far.
    """

    def first(candidates: Iterator[A]) -> int | None:
        return predicate.first(map(waited, candidates))

    def waited(candidate: A) -> A:
        interrupts.check()
        task.wait()
        return candidate

    def follow(best: T) -> None:
        lines, terms = problem.counts(best)
        text, seconds = partial(problem.text, best), monotonic() - task.began
        task.follow(Progress(lines, terms, search.reducer.tests, seconds, problem.unit, text))

    search = Search(problem, at_once(first), task.replays, follow)
    ended = _ended(search, problem, predicate)
    predicate.limit(None)
    reducer = search.reducer
    key, text = predicate.result(problem.asked(reducer.best))
    return Minimized(
        text,
        problem.text(reducer.best),
        key,
        problem.before,
        problem.size(reducer.best),
        reducer.tests,
        predicate.replays,
        reducer.repeated,
        monotonic() - task.began,
        ended,
        problem.unit,
        message=predicate.message,
    )


def _ended(search: Search[T, A], problem: Problem[T, A], predicate: Predicate[A]) -> str:
    """Reduce, and say how that ended."""
    try:
        with interrupts.deferred():
            while True:
                ended = finished(search.run())
                if ended != "complete" or not predicate.doubted(problem.asked(search.reducer.best)):
                    return ended
    except OutOfTime:
        return "time"
    except KeyboardInterrupt:
        return "interrupted"
