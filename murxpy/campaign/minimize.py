"""Minimizing a trace: what it must still show, and the passes in their order."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from murxpy.campaign.buckets import bucket_key
from murxpy.campaign.limits import Limits
from murxpy.campaign.targets import Plan
from murxpy.campaign.tester import OutOfTime, Tester, Wanted
from murxpy.errors import InputError
from murxpy.oracles.crash import Outcome, Verdict, judge, last_call
from murxpy.trace.defuse import Script
from murxpy.trace.defuse import collected as without_unused
from murxpy.trace.grammar import Trace, parse_trace
from murxpy.trace.passes import datatypes, lines, sorts, terms, words
from murxpy.trace.passes.measure import measure, text
from murxpy.trace.passes.spellings import Spellings
from murxpy.trace.reduction import Problem, Reducer, ddmin, each, fixpoint

GOLDEN_RUNS = 3
_PATIENCE = 3.0  # times that a candidate may take what the trace itself takes
_SPARE = 1.0  # seconds more than that
_KEPT_HEADER = ("murxpy-trace", "solver", "python", "seed")


@dataclass(frozen=True, slots=True)
class Wishes:
    """How to minimize.

    `jobs` replays at a time; `time` seconds in all, None for no limit; `tries` replays of a candidate at most; `slower`:
    what is to be kept is not a finding but that a replay is not over after so many seconds.
    """

    jobs: int = 1
    time: float | None = None
    tries: int = 1
    slower: float | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it has come."""

    lines: int
    terms: int
    tests: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Minimized:
    """The smallest trace found. `ended` is `complete`, `time` or `interrupted`; `key` what it shows."""

    text: str
    key: str
    before: int
    after: int
    tests: int
    replays: int
    repeated: int
    seconds: float
    ended: str


def line_count(script: Script) -> int:
    """The lines of a trace: an action and what followed it are one."""
    return len(script)


@dataclass
class _Golden:
    """What the trace shows: the key, the wish that says whether a replay shows it, too, its trace, its time."""

    key: str
    wanted: Wanted
    trace: str
    seconds: float
    alone: bool = False


def minimize(plan: Plan, source: str, name: str, wishes: Wishes | None = None, earlier: str | None = None,
             follow: Callable[[Progress], None] = lambda progress: None) -> Minimized:  # fmt: skip
    """Make the trace `source` smaller; `earlier` is what an earlier call made of it, to go on from.

    Ctrl-C and the end of the time give the best so far. Raises InputError when the trace is malformed, shows nothing,
    or something else each time; TargetError when the solver cannot be loaded.
    """
    wishes = wishes or Wishes()
    start = time.monotonic()
    original = parse_trace(source, name)
    with closing(Tester(plan, Limits(), wishes.jobs)) as tester:
        golden = _golden(tester, plan.target.family, source, name, wishes)
        tester.wall = wishes.slower or _PATIENCE * golden.seconds + _SPARE
        tester.tries, tester.alone = wishes.tries, golden.alone
        tester.deadline = None if wishes.time is None else start + wishes.time
        work = _Work(tester, golden, plan, follow, start)
        ended = work.run(_starts(original, golden.trace, earlier, name))
        tester.deadline = None
        return work.result(ended, len(original.lines))


def _starts(original: Trace, replayed: str, earlier: str | None, name: str) -> list[Trace]:
    """What to begin with: the trace itself, then as its replay wrote it up to the fatal line, then the earlier result."""
    starts = [original]
    for source in (replayed, earlier):
        if source:
            starts.append(parse_trace(source, name))
    return starts


class _Work:
    """One minimization in progress."""

    def __init__(self, tester: Tester, golden: _Golden, plan: Plan, follow: Callable[[Progress], None],
                 start: float) -> None:  # fmt: skip
        self._tester = tester
        self._golden = golden
        self._spellings = Spellings(plan.setup.get("wrapper") or {})
        self._follow = follow
        self._start = start
        self._header = ""
        self._reducer: Reducer[Script]

    def run(self, starts: Sequence[Trace]) -> str:
        """Reduce; how it ended."""
        self._header = _header(starts[0])
        order = partial(measure, rank=self._spellings.rank)
        problem = Problem[Script](self._first, order, text)
        self._reducer = Reducer(problem, _script(starts[0]), self._tester.jobs, self._progress)
        try:
            if starts[0].murxla:  # only what a replay wrote is in our dialect
                self._begin_with(starts[1])
            self._reducer.offer(map(_script, reversed(starts[1:])))
            reduce(self._reducer, self._spellings)
        except OutOfTime:
            return "time"
        except KeyboardInterrupt:
            return "interrupted"
        return "complete"

    def _begin_with(self, trace: Trace) -> None:
        self._header = _header(trace)
        self._reducer = Reducer(self._reducer.problem, _script(trace), self._tester.jobs, self._progress)

    def _first(self, candidates: Sequence[Script]) -> int | None:
        won = self._tester.first([self._header + text(candidate) for candidate in candidates], self._golden.wanted)
        if won is None:
            self._progress(self._reducer.best)
        return won

    def _progress(self, best: Script) -> None:
        made = sum(line.action in ("mk-term", "mk-const", "mk-value") for line in best)
        self._follow(Progress(len(best), made, self._reducer.tests, time.monotonic() - self._start))

    def result(self, ended: str, before: int) -> Minimized:
        """The best, as its replay writes it where that shows the same."""
        best, reducer = self._header + text(self._reducer.best), self._reducer
        shown = next((outcome for outcome in self._tester.fresh(best) if self._golden.wanted(outcome)), None)
        if shown is not None and shown.trace and any(map(self._golden.wanted, self._tester.fresh(shown.trace))):
            best = shown.trace
        return Minimized(best, self._golden.key, before, len(reducer.best), reducer.tests, self._tester.replays,
                         reducer.repeated, time.monotonic() - self._start, ended)  # fmt: skip


def reduce(reducer: Reducer[Script], spellings: Spellings) -> None:
    """All passes, the cheap and large ones first, until none changes anything."""
    fixpoint(reducer, (_lines, _terms, _words, _sorts, partial(_names, spellings=spellings)))


Variants = Callable[[Script, int], Iterable[Script]]


def _collecting(variants: Variants) -> Variants:
    """The variants, each first without what nothing uses in it."""

    def collected(script: Script, at: int) -> Iterable[Script]:
        for variant in variants(script, at):
            yield without_unused(variant)
            yield variant

    return collected


def _each(reducer: Reducer[Script], *all_variants: Variants) -> None:
    for variants in all_variants:
        each(reducer, line_count, variants)


def _lines(reducer: Reducer[Script]) -> None:
    reducer.offer(lines.slices(reducer.best))
    ddmin(reducer, line_count, lambda best, low, high: lines.without(best, low, high))
    reducer.offer(lines.slices(reducer.best))
    _each(reducer, lines.without_kind, lines.without_scope)


def _terms(reducer: Reducer[Script]) -> None:
    _each(reducer, *map(_collecting, (terms.older_terms, terms.leaves, terms.other_argument, terms.unbound)))


def _words(reducer: Reducer[Script]) -> None:
    _each(reducer, *map(_collecting, (words.fewer_terms, words.fewer_levels, words.smaller_words)), lines.without_pair)


def _sorts(reducer: Reducer[Script]) -> None:
    _each(reducer, sorts.smaller_widths, *map(_collecting, (datatypes.smaller_datatypes, sorts.merged_sorts, sorts.simpler_sorts,
                                                            sorts.older_sort_argument)))  # fmt: skip


def _names(reducer: Reducer[Script], spellings: Spellings) -> None:
    for whole in (words.plain_seeds, lines.renumbered, words.plain_symbols):
        reducer.offer([whole(reducer.best)])
    _each(reducer, spellings.simpler, words.plain_symbol, words.plain_seed)


def _script(trace: Trace) -> Script:
    """The lines of a trace, each with the ids that it returned alone."""
    return tuple(replace(line, results=[r for r in line.results if r[0] == "return"][:1], number=0) for line in trace.lines)


def _header(trace: Trace) -> str:
    """The rows of the header that say what a replay needs."""
    return "".join(f"# {key} {trace.header[key]}\n" for key in _KEPT_HEADER if key in trace.header)


def _golden(tester: Tester, family: str, source: str, name: str, wishes: Wishes) -> _Golden:
    """What replays of the trace show. Raises InputError when it is malformed, or that is not the same each time."""
    tester.wall = wishes.slower or tester.wall
    runs = [tester.fresh(source) for _ in range(max(GOLDEN_RUNS, wishes.tries))]
    if wishes.slower is not None:
        return _slow(runs, name, wishes)
    for outcome in runs[0]:
        report = outcome.report or {}
        if report.get("status") == "malformed":
            raise InputError(str(report["message"]).replace("candidate:", f"{name}:", 1))
    shown = [next(((v, o) for o in run if (v := judge(o)) is not None), None) for run in runs]
    keys = Counter(bucket_key(family, found[0]) for found in shown if found is not None)
    key = _settled(keys, len(runs), name, wishes.tries)
    verdict, outcome = next(found for found in shown if found is not None and bucket_key(family, found[0]) == key)
    seconds = max(outcome.seconds for run in runs for outcome in run)
    return _Golden(
        key, partial(_shows, family=family, key=key, kind=verdict.kind, after=outcome.after), outcome.trace, seconds, outcome.after
    )


def _shows(outcome: Outcome, family: str, key: str, kind: str, after: bool = False) -> bool:
    """Whether `outcome` is a finding of this kind in this bucket, in or after the run alike; what is malformed is none."""
    verdict: Verdict | None = judge(outcome)
    if verdict is None or outcome.after is not after:
        return False
    return verdict.kind == kind and bucket_key(family, verdict) == key


def _settled(keys: Counter[str], runs: int, name: str, tries: int) -> str:
    """The key that the replays show most often. Raises InputError where it is none, or where it takes more tries."""
    if not keys:
        raise InputError(f"it shows no finding in {runs} replays, expected a trace that 'murxpy replay' exits with 1 for",
                         file=name)  # fmt: skip
    key, times = keys.most_common(1)[0]
    if times < runs and tries == 1:
        others = "" if len(keys) == 1 else f", and other findings in {sum(keys.values()) - times}"
        raise InputError(f"it shows {key} in {times} of {runs} replays{others}; let each candidate be replayed several "
                         "times with --tries 5", file=name)  # fmt: skip
    return key


def _slow(runs: Sequence[Sequence[Outcome]], name: str, wishes: Wishes) -> _Golden:
    """Golden for a trace that is to stay slow: it must not be over in time, in the same call."""
    late = [run[0] for run in runs if run and run[0].cause == "wall"]
    if not late or (len(late) < len(runs) and wishes.tries == 1):
        raise InputError(f"{len(late)} of {len(runs)} replays take longer than {wishes.slower:g} s, expected all of them",
                         file=name)  # fmt: skip
    call = last_call(late[0].trace)

    def wanted(outcome: Outcome) -> bool:
        there = last_call(outcome.trace)
        return outcome.cause == "wall" and (there.action, there.operator) == (call.action, call.operator)

    return _Golden(f"slower than {wishes.slower:g} s in {call.action}", wanted, late[0].trace, wishes.slower or 0.0)
