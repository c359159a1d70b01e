"""Scripts that an older release or another solver, a baseline, decides, and that the target leaves
unknown although it gets twice the limit and three random seeds: each is a finding of the target.

The baselines are asked one after another, until one decides, with the target's limit. Then other
solvers, and the baselines of an enumeration, are asked with ten times the limit, since what costs one
little can cost the other much. A script of an enumeration that a limit ended is also a finding, if a
baseline decides it within the limit and the target does not within ten times of it: the target is slow
there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from murxpy.data import load_catalogue
from murxpy.findings.buckets import bucket_key, candidate
from murxpy.judging.comparing.regressions import written
from murxpy.judging.cross_check import CrossCheck, Hooks, Judging
from murxpy.judging.limits import own_limit, same_limit
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.machine.outcomes import SLOW
from murxpy.machine.script import for_others
from murxpy.machine.tokens import Quoted
from murxpy.machine.trace.finished import add_header, header_rows, last_row
from murxpy.machine.trace.grammar import Line, parse_trace
from murxpy.machine.witnesses import unknowns
from murxpy.machine.witnesses.script_evidence import without_questions
from murxpy.oracles.crash import Outcome, Verdict, judge
from murxpy.oracles.disagreement import OPPOSITE
from murxpy.processes.handles import Job
from murxpy.processes.inquiries import Ask, Inquirer, Questions
from murxpy.processes.service import Replays
from murxpy.processes.targets import Plan, absolute_target
from murxpy.records.finding import Finding
from murxpy.records.snapshot import Left
from murxpy.sources.enumeration.blocks import LEFT
from murxpy.sources.mutation.known import SEEDS, TWICE, plain, seeded

ASKED = 3  # scripts of one run that the baseline is asked about, at most
# The same of a block of an enumeration: in all, and of those with all operators of a known cause.
OF_BLOCK, OF_KNOWN = 20, 5
_TENFOLD = 10  # times the limit of the target, for another solver
# Of the time by the clock that ends a check, which is twice its limit: the least part that the solver must
# have worked for its unknown answer to be kept, since this machine may be four times as fast as a usual
# one; and for the script to be slow, where the clock ended the check: then it had its whole limit.
_LEAST_WORK, _WHOLE_LIMIT = 1 / 8, 1 / 2
_WAITING = 24  # runs that may wait; with more, the target waits, too
_UNKNOWN = "\n      answer unknown"


@dataclass(frozen=True, slots=True)
class Undecided:
    """A script with a check that the target left unknown: its text, the answers that are known of its
    checks, those that the target gave, and the limits of each check, in units and by the clock. It is
    script number `place` of its run.
    """

    text: str
    expected: tuple[str, ...]
    answers: tuple[str, ...]
    limit: int
    wall_ms: int = 0
    place: int = 0

    def lines(
        self, text: str, expected: Sequence[str], limit: int, wall_ms: int = 0
    ) -> tuple[Line, ...]:
        """The lines that run a script with these limits; 0 for none."""
        words = [limit, wall_ms] if wall_ms else [limit]
        given = [Line("set-limit", [*words], seed=1)] if any(words) else []
        known = [Line("expect", list(expected), seed=1)]
        run = Line("run-script", [Quoted(text)], seed=1)
        return (Line("new", seed=1), *given, *(known if any(expected) else []), run)

    def decided(self, answers: Sequence[str]) -> tuple[str, ...]:
        """Return the answers that are known if the baseline gives `answers`: its answer to each
        check that the target left unknown, and `unknown` for the others. The result is empty if the
        baseline decides none of these checks, or contradicts what is known.
        """
        pairs = list(zip(self.answers, answers, strict=False))
        wanted = (*self.expected, *["unknown"] * len(pairs))
        if any(OPPOSITE.get(now) == known for (_, now), known in zip(pairs, wanted, strict=False)):
            return ()
        made = tuple([now if was == "unknown" else "unknown" for was, now in pairs])
        return made if any(answer in OPPOSITE for answer in made) else ()


def undecided(trace: str, *, with_options: bool = False) -> list[Undecided]:
    """The scripts of a run that the target left unknown, without questions, and unless `with_options` is
    set without the options of the target alone.
    """
    found: dict[str, Undecided] = {}
    expected, limit, wall_ms, place = tuple[str, ...](), 0, 0, -1
    for line in _lines(trace):
        if line.action == "set-limit":
            limit, wall_ms = [int(str(word)) for word in (*line.args, 0)[:2]]
        if line.action == "expect":
            expected = tuple(map(str, line.args))
        if line.action != "run-script":
            continue
        place += 1
        answers = tuple([str(words[0]) for name, words in line.results if name == "answer"])
        text = str(line.args[0].text) if isinstance(line.args[0], Quoted) else ""
        if "unknown" in answers and not unknowns.is_marked(text):
            bare = without_questions(text) if with_options else plain(text)
            one = Undecided(bare, expected, answers, limit, wall_ms, place)
            found.setdefault(bare, one)
        expected = ()
    return list(found.values())


def _lines(trace: str) -> Iterator[Line]:
    if _UNKNOWN in trace:
        yield from parse_trace(trace, "trace").lines


class Causes:
    """Tells the causes of missing answers apart by the operators of the scripts. Connectives,
    equality and comparisons count only in scripts that have no other operator.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        named = [
            op for op in catalogue.operators.values() if not catalogue.theories[op.theory].always
        ]
        order = [op for op in named if op.signature.attribute == "chainable"]
        self._named = {op.smtlib for op in named} - {"_"}
        self._telling = self._named - {op.smtlib for op in order}

    def of(self, text: str) -> tuple[str, ...]:
        """The operators of a script that tell its cause, in alphabetical order."""
        words = sorted(unknowns.applied(text) & self._named)
        return tuple([word for word in words if word in self._telling]) or tuple(words)


@dataclass(frozen=True, slots=True)
class Lacking:
    """A script that the baseline decides and the target does not: the replay that shows it, with its
    verdict, and the number of the script in its run. The script cost the baseline `ms` milliseconds of a
    usual machine.
    """

    place: int
    outcome: Outcome
    verdict: Verdict
    at: int = 0
    ms: float = 0.0


def worked(outcome: Outcome, wall_ms: int, part: float = _LEAST_WORK) -> bool:
    """Whether the solver worked for this part of the milliseconds that its check had by the clock; else the
    clock may have ended the check only because other work kept the machine busy.
    """
    counts = (outcome.report or {}).get("counts", {})
    return bool(counts.get("time-ns:solver", 0) >= part * wall_ms * 1_000_000)


def had_its_limit(outcome: Outcome, wall_ms: int) -> bool:
    """Whether a check without an answer used up its limit: by the solver's own count, or because the
    solver worked for as long as that takes.
    """
    counts = (outcome.report or {}).get("counts", {})
    return bool(counts.get(unknowns.BY_COUNT)) or worked(outcome, wall_ms, _WHOLE_LIMIT)


def _cost(outcome: Outcome) -> int:
    """What a script cost the solver that was asked about it; 0 where that is not known."""
    costs = (outcome.report or {}).get("costs", ())
    return max((int(cost or 0) for _, cost, _ in costs), default=0)


def _seen(script: Undecided, outcome: Outcome) -> tuple[Lacking | None, bool]:
    """What a replay shows: that the target lacks the answer; and whether a limit ended it."""
    verdict = judge(outcome)
    if verdict is not None and verdict.against == unknowns.BASELINE:
        return Lacking(script.place, outcome, verdict), False
    counts = (outcome.report or {}).get("counts", {})
    return None, verdict is None and bool(counts.get(unknowns.AT_LIMIT))


@dataclass(frozen=True, slots=True)
class Decided:
    """What is known of a script: the answers of baseline number `at`, the limit with which it gave
    them, and what that cost it, in its own units. Without answers, no baseline decided anything.
    """

    answers: tuple[str, ...] = ()
    at: int = 0
    limit: int = 0
    cost: int = 0


def baseline_times(family: str, other: str) -> int:
    """How many times the limit of a target of one family a baseline of another family gets."""
    return 1 if other == family else _TENFOLD


class Baselines(Judging):
    """Asks the plans with the numbers `baselines` of the pool of `replays`, until one decides, about the
    scripts that the first plan left unknown. `versions` are those of all plans. A run goes on to
    `judges` if there are any. For an `enumerated` campaign, more scripts of a run are asked about,
    their operators tell their causes apart, and scripts that are only slow are findings, too.
    """

    def __init__(
        self,
        replays: Replays,
        baselines: Sequence[int],
        versions: Sequence[str],
        hooks: Hooks,
        judges: CrossCheck | None,
        *,
        enumerated: bool = False,
    ) -> None:
        self._plans: Sequence[Plan] = replays.pool.plans
        self._baselines, self._versions = baselines, versions
        self._hooks, self._judges, self._enumerated = hooks, judges, enumerated
        self._kept = None if judges is None else judges.kept
        family = self._plans[0].target.family
        setup = self._plans[0].setup
        catalogue = build_catalogue(setup.get("catalogue") or load_catalogue())
        self._asks = unknowns.REASON in catalogue.dialect(family).commands
        self._causes = Causes(catalogue)
        self._told: dict[str, str] = {}  # causes by the keys of their buckets
        self._inquirer = Inquirer(replays)
        self._open: dict[int, Job] = {}
        # what is known of the scripts of these runs until now, with the number of the target
        self._known_of: dict[int, tuple[int, Counter[str]]] = {}
        self._dropped = 0

    @property
    def full(self) -> bool:
        """Whether the target should wait."""
        return len(self._open) >= _WAITING or (self._judges is not None and self._judges.full)

    @property
    def busy(self) -> bool:
        """Whether some run is not done."""
        return bool(self._open) or (self._judges is not None and self._judges.busy)

    @property
    def left(self) -> Left:
        left = Left() if self._judges is None else self._judges.left
        return left + Left(runs=len(self._open) + self._dropped)

    def run_ended(self, target: int, job: Job, outcome: Outcome) -> None:
        """Take a run of the target that ended."""
        scripts = [] if outcome.after else undecided(outcome.trace, with_options=self._enumerated)
        if not scripts:
            self._over(target, job, outcome)
            return
        self._open[job.index] = job
        sizes = self._hooks.runs(target).sizes(job.seed, outcome.trace)
        counts = Counter[str]()
        self._known_of[job.index] = target, counts
        self._inquirer.add(
            self._lost(outcome.trace, scripts, sizes, counts),
            partial(self._looked, target, job, outcome),
        )

    def _over(self, target: int, job: Job, outcome: Outcome) -> None:
        if self._judges is not None:
            self._judges.run_ended(target, job, outcome)
        elif not outcome.after:
            self._hooks.runs(target).done(job.index)

    def _looked(
        self, target: int, job: Job, outcome: Outcome, looked: tuple[Counter[str], list[Lacking]]
    ) -> None:
        counts, shown = looked
        del self._open[job.index], self._known_of[job.index]
        self._hooks.count(counts)
        runs = self._hooks.runs(target)
        runs.count_scripts(counts)
        for one in shown:
            if one.verdict.kind == unknowns.KIND:
                name = self._plans[one.at].target.name
                runs.gave_up(job.seed, outcome, one.place, name, one.ms)
        for one in shown:
            found = self._finding(target, job, one)
            if found is not None:
                self._hooks.found(found)
        self._over(target, job, outcome)

    def _finding(self, target: int, job: Job, shown: Lacking) -> Finding | None:
        family = self._plans[target].target.family
        # its trace is the script, and not the run
        alone = replace(job, text=shown.outcome.trace)
        return candidate(target, family, self._versions[0], alone, (), shown.outcome, shown.verdict)

    def _lost(
        self,
        trace: str,
        scripts: Sequence[Undecided],
        sizes: Sequence[str],
        counts: Counter[str],
    ) -> Questions[tuple[Counter[str], list[Lacking]]]:
        """Ask both solvers about scripts of a run, and give `counts` with what came of them, and the
        replays in which the target shows that it lacks an answer. `sizes` has the grammar and size of each
        script of the run.
        """
        shown: list[Lacking] = []

        def count(word: str, script: Undecided) -> None:
            counts[f"baseline:{word}"] += 1
            if sizes:
                counts[f"{LEFT}{sizes[script.place]}:{word}"] += 1

        for script in scripts:
            count("left", script)
        for script in self._chosen(scripts):
            count("asked", script)
            known = yield from self._decided(trace, script, counts)
            if known.answers:
                count("decided", script)
                found = yield from self._lacking(self._header(trace, known.at), script, known)
                if found is not None:
                    count("slow" if found.verdict.kind == SLOW else "lost", script)
                    ms = known.cost / own_limit(self._plans[known.at], 1.0)
                    shown.append(replace(found, at=known.at, ms=ms))
        return counts, shown

    def _chosen(self, scripts: Sequence[Undecided]) -> list[Undecided]:
        """The scripts of a run that are asked about: at first those whose operators are not all those
        of a cause that is known.
        """
        if not self._enumerated:
            return [*scripts[:ASKED]]
        causes = [set(cause.split()) for cause in self._known().values()]
        new, known = list[Undecided](), list[Undecided]()
        for script in scripts:
            operators = set(self._causes.of(script.text))
            (known if any(cause <= operators for cause in causes) else new).append(script)
        chosen = [*new[:OF_BLOCK], *known[: min(OF_KNOWN, max(0, OF_BLOCK - len(new)))]]
        return sorted(chosen, key=lambda script: script.place)

    def _known(self) -> dict[str, str]:
        """The causes of missing answers that are known, by the keys of their buckets."""
        buckets = {
            bucket.key: bucket.operator
            for bucket in self._hooks.buckets()
            if bucket.against == unknowns.BASELINE
        }
        return {**buckets, **self._told}

    def _decided(self, trace: str, script: Undecided, counts: Counter[str]) -> Questions[Decided]:
        """The answers of the first baseline that decides a script of a run within the limit, or else of
        the first that does within ten times of it. A baseline of which it is kept that it does not is
        not asked again. On a busy machine, an answer that the clock ended is not kept.
        """
        for times in (1, _TENFOLD) if script.limit else (1,):
            for at in self._baselines:
                if times > self._times(at):
                    continue
                limit = self._limit(script, at, times)
                text = for_others(script.text) if self._foreign(at) else script.text
                if self._kept and self._kept.left_unknown(at, limit, text):
                    counts["baseline:recalled"] += 1
                    continue
                asked = script.lines(text, (), limit, times * script.wall_ms)
                outcome = yield Ask(at, written(self._header(trace, at), asked))
                row = last_row(outcome.trace, ("run-script",))
                known = () if row is None else script.decided(row.answers)
                if known:
                    return Decided(known, at, limit, _cost(outcome))
                settled = row is not None and OPPOSITE.keys().isdisjoint(row.answers)
                settled = settled and outcome.cause == "report"
                if self._kept and settled and worked(outcome, times * script.wall_ms):
                    self._kept.keep_unknown(at, limit, text)
        return Decided()

    def _foreign(self, at: int) -> bool:
        """Whether a baseline is another solver than the target, so that it has other options."""
        return self._plans[at].target.family != self._plans[0].target.family

    def _times(self, at: int) -> int:
        """How many times the limit of the target a baseline gets at most."""
        families = self._plans[0].target.family, self._plans[at].target.family
        return _TENFOLD if self._enumerated else baseline_times(*families)

    def _limit(self, script: Undecided, at: int, times: int = 1) -> int:
        """So many times the limit of a script, in the units of a baseline."""
        return same_limit(times * script.limit, self._plans[0], self._plans[at])

    def _lacking(self, head: str, script: Undecided, known: Decided) -> Questions[Lacking | None]:
        """Ask the target about a script of which the answers are `known`: with twice the limit of its
        run, and if a limit ends that, too, with ten times as much as the baseline needs. None if it
        answers, or if the baseline may need as much.
        """
        release = f"{self._plans[known.at].target.family} {self._versions[known.at]}"
        named = unknowns.within(release, known.limit)
        found, late = yield from self._unknown(
            head, script, known.answers, named, TWICE, soon=False
        )
        soon = known.limit <= self._limit(script, known.at)
        if late and self._enumerated and script.limit and soon:
            found, _ = yield from self._unknown(
                head, script, known.answers, named, _TENFOLD, soon=True
            )
        return found

    def _unknown(
        self,
        head: str,
        script: Undecided,
        known: Sequence[str],
        named: str,
        times: int,
        *,
        soon: bool,
    ) -> Questions[tuple[Lacking | None, bool]]:
        """The last of three replays with different random seeds and so many times the limit, in all of
        which the target lacks the answer; None where it does not. The second value says whether a
        limit ended the replay that decided that.
        """
        cause = " ".join(self._causes.of(script.text)) if self._enumerated else ""

        def asked(seed: int, cause: str) -> Ask:
            text = unknowns.marked(script.text, self._asks, baseline=named, soon=soon, cause=cause)
            limits = times * script.limit, times * script.wall_ms
            return Ask(0, written(head, script.lines(seeded(text, seed), known, *limits)))

        lacking = None
        for seed in SEEDS:
            outcome = yield asked(seed, cause)
            lacking, late = _seen(script, outcome)
            if lacking is None or (soon and not had_its_limit(outcome, times * script.wall_ms)):
                return None, late
        assert lacking is not None, "there is a seed"
        merged = self._merged(lacking.verdict, cause) if cause else ""
        if merged != cause:
            lacking, late = _seen(script, (yield asked(SEEDS[-1], merged)))
            if lacking is None:
                return None, late
        if cause:
            family = self._plans[0].target.family
            self._told[bucket_key(family, lacking.verdict)] = merged
        return lacking, False

    def _merged(self, verdict: Verdict, cause: str) -> str:
        """The smallest known cause of which the script has all operators, and with which the finding
        would be in the same bucket; else the own `cause`.
        """
        family, own = self._plans[0].target.family, set(cause.split())
        fitting = [
            known
            for key, known in self._known().items()
            if set(known.split()) <= own
            and key
            == bucket_key(family, replace(verdict, call=replace(verdict.call, operator=known)))
        ]
        return min(fitting, key=lambda known: (len(known.split()), known), default=cause)

    def _header(self, trace: str, at: int) -> str:
        """The header of the run's trace, with the name of a baseline."""
        older = absolute_target(self._plans[at].target.name)
        head = "".join(f"{row}\n" for row in header_rows(trace))
        return add_header(head, f"# {unknowns.BASELINE} {older}\n")

    def feed(self) -> None:
        """Begin the next inquiries if none are under way."""
        self._inquirer.feed()
        if self._judges is not None:
            self._judges.feed()

    def end_runs(self, *, at_once: bool) -> None:
        if at_once:
            self._forget()
        if self._judges is not None:
            self._judges.end_runs(at_once=at_once)

    def _forget(self) -> None:
        """Forget the runs that were not looked at. The checks stay open."""
        self._dropped += len(self._open)
        self._open.clear()
        self._inquirer.clear()

    def settle(self) -> None:
        for target, counts in self._known_of.values():
            self._hooks.runs(target).count_open(counts)
        self._known_of.clear()
        if self._judges is not None:
            self._judges.settle()

    def close(self) -> None:
        """End everything. The runs that are not done stay open."""
        self._forget()
        if self._judges is not None:
            self._judges.close()
