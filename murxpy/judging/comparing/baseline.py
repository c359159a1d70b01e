"""Scripts that an older release or another solver, the baseline, decides with the same limit, and that the
target leaves unknown although it gets twice the limit and three random seeds: each is a finding of the
target. Another solver gets ten times the limit, since what costs one little can cost the other much.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from murxpy.data import load_catalogue
from murxpy.findings.buckets import candidate
from murxpy.judging.comparing.regressions import written
from murxpy.judging.cross_check import CrossCheck, Hooks, Judging
from murxpy.judging.limits import same_limit
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.tokens import Quoted
from murxpy.machine.trace.finished import add_header, header_rows, last_row
from murxpy.machine.trace.grammar import Line, parse_trace
from murxpy.machine.witnesses import unknowns
from murxpy.oracles.crash import Outcome, judge
from murxpy.oracles.disagreement import OPPOSITE
from murxpy.processes.handles import Job
from murxpy.processes.inquiries import Ask, Inquirer, Questions
from murxpy.processes.service import Replays
from murxpy.processes.targets import Plan, absolute_target
from murxpy.records.finding import Finding
from murxpy.records.snapshot import Left
from murxpy.sources.mutation.known import SEEDS, TWICE, plain, seeded

ASKED = 3  # scripts of one run that the baseline is asked about, at most
OF_BLOCK = 5  # the same of a block of an enumeration
_TENFOLD = 10  # times the limit of the target, for another solver
_WAITING = 24  # runs that may wait; with more, the target waits, too
_UNKNOWN = "\n      answer unknown"


@dataclass(frozen=True, slots=True)
class Undecided:
    """A script with a check that the target left unknown: its text, the answers that are known of its
    checks, those that the target gave, and the limit of each check.
    """

    text: str
    expected: tuple[str, ...]
    answers: tuple[str, ...]
    limit: int

    def lines(self, text: str, expected: Sequence[str], limit: int) -> tuple[Line, ...]:
        """The lines that run a script with this limit; 0 for none."""
        given = [Line("set-limit", [limit], seed=1)] if limit else []
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


def undecided(trace: str, most: int = ASKED) -> list[Undecided]:
    """The scripts of a run that the target left unknown, without its own options and questions, the
    first `most` of them only.
    """
    found: dict[str, Undecided] = {}
    expected, limit = tuple[str, ...](), 0
    for line in _lines(trace):
        if line.action == "set-limit":
            limit = int(str(line.args[0]))
        if line.action == "expect":
            expected = tuple(map(str, line.args))
        if line.action != "run-script":
            continue
        answers = tuple([str(words[0]) for name, words in line.results if name == "answer"])
        text = str(line.args[0].text) if isinstance(line.args[0], Quoted) else ""
        if "unknown" in answers and not unknowns.is_marked(text):
            bare = plain(text)
            found.setdefault(bare, Undecided(bare, expected, answers, limit))
        expected = ()
    return list(found.values())[:most]


def _lines(trace: str) -> Iterator[Line]:
    if _UNKNOWN in trace:
        yield from parse_trace(trace, "trace").lines


def baseline_times(family: str, other: str) -> int:
    """How many times the limit of a target of one family a baseline of another family gets."""
    return 1 if other == family else _TENFOLD


class Baseline(Judging):
    """Asks plan number `at` of the pool of `replays` about the scripts that the first plan left
    unknown, `most` of a run. `versions` are those of all plans. A run goes on to `judges` if there are any.
    """

    def __init__(
        self,
        replays: Replays,
        at: int,
        versions: Sequence[str],
        hooks: Hooks,
        judges: CrossCheck | None,
        most: int = ASKED,
    ) -> None:
        self._plans: Sequence[Plan] = replays.pool.plans
        self._at, self._hooks, self._judges, self._most = at, hooks, judges, most
        self._version = versions[0]
        family = self._plans[0].target.family
        other = self._plans[at].target.family
        self._times = baseline_times(family, other)
        self._release = f"{other} {versions[at]}"
        setup = self._plans[0].setup
        dialect = build_catalogue(setup.get("catalogue") or load_catalogue()).dialect(family)
        self._asks = unknowns.REASON in dialect.commands
        self._inquirer = Inquirer(replays)
        self._open: dict[int, Job] = {}
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
        scripts = [] if outcome.after else undecided(outcome.trace, self._most)
        if not scripts:
            self._over(target, job, outcome)
            return
        self._open[job.index] = job
        self._inquirer.add(
            self._lost(outcome.trace, scripts), partial(self._looked, target, job, outcome)
        )

    def _over(self, target: int, job: Job, outcome: Outcome) -> None:
        if self._judges is not None:
            self._judges.run_ended(target, job, outcome)
        elif not outcome.after:
            self._hooks.runs(target).done(job.index)

    def _looked(
        self, target: int, job: Job, outcome: Outcome, looked: tuple[Counter[str], list[Outcome]]
    ) -> None:
        counts, shown = looked
        del self._open[job.index]
        self._hooks.count(counts)
        for one in shown:
            found = self._finding(target, job, one)
            if found is not None:
                self._hooks.found(found)
        self._over(target, job, outcome)

    def _finding(self, target: int, job: Job, shown: Outcome) -> Finding | None:
        family = self._plans[target].target.family
        alone = replace(job, text=shown.trace)  # its trace is the script, and not the run
        return candidate(target, family, self._version, alone, (), shown)

    def _lost(
        self, trace: str, scripts: Sequence[Undecided]
    ) -> Questions[tuple[Counter[str], list[Outcome]]]:
        """Ask both solvers about scripts, and give the replays in which the target shows that it lacks an
        answer.
        """
        counts: Counter[str] = Counter()
        shown: list[Outcome] = []
        head = self._header(trace)
        for script in scripts:
            counts["baseline:asked"] += 1
            limit = same_limit(self._times * script.limit, self._plans[0], self._plans[self._at])
            outcome = yield Ask(self._at, written(head, script.lines(script.text, (), limit)))
            row = last_row(outcome.trace, ("run-script",))
            known = () if row is None else script.decided(row.answers)
            counts["baseline:decided"] += bool(known)
            found = (yield from self._unknown(head, script, known)) if known else None
            if found is not None:
                counts["baseline:lost"] += 1
                shown.append(found)
        return counts, shown

    def _unknown(
        self, head: str, script: Undecided, known: Sequence[str]
    ) -> Questions[Outcome | None]:
        """The last of three replays with different random seeds and twice the limit, in all of which
        the target gives up; None where it does not.
        """
        text = unknowns.marked(script.text, self._asks, baseline=self._release)
        outcome = None
        for seed in SEEDS:
            asked = script.lines(seeded(text, seed), known, TWICE * script.limit)
            outcome = yield Ask(0, written(head, asked))
            verdict = judge(outcome)
            if verdict is None or verdict.against != unknowns.BASELINE:
                return None
        return outcome

    def _header(self, trace: str) -> str:
        """The header of the run's trace, with the name of the baseline."""
        older = absolute_target(self._plans[self._at].target.name)
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

    def close(self) -> None:
        """End everything. The runs that are not done stay open."""
        self._forget()
        if self._judges is not None:
            self._judges.close()
