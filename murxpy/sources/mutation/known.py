"""Whether the label of a seed is right, as far as the solver can say. Facts that are known by
construction hold only for seeds with right labels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from murxpy.errors import InputError
from murxpy.machine import script, solve
from murxpy.machine.outcomes import Refused
from murxpy.machine.random import Stream
from murxpy.machine.run import Run
from murxpy.machine.script import answers_of
from murxpy.machine.witnesses import slowness
from murxpy.machine.witnesses.script_evidence import CORE, CORES_OPTION, MODEL, without_questions
from murxpy.machine.witnesses.unknowns import AT_LIMIT, REASON, gave_up, marked, with_question
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.script import CHECKS, Ask, Assert, Command, Script, SetOption
from murxpy.sources.mutation.preparing import prepared, views
from murxpy.sources.mutation.workshop import Mutant, Seed, Workshop


def denied(workshop: Workshop, seed: Seed) -> bool:
    """True if the solver answers a check of `seed` with the opposite of the label."""
    script = workshop.shop.open(seed)
    if script is None:
        return False
    labels = [view.label for view in views(script, seed.label)]
    output = workshop.ask(print_script(prepared(script), workshop.shop.dialect)) or ""
    return any(
        {label, answer} == {"sat", "unsat"}
        for label, answer in zip(labels, answers_of(output), strict=False)
    )


# ----------------------------------------------------------------------
# Mutants whose answer is known, and that the solver leaves unknown or decides at a far higher
# cost than the script that they were made from: they are asked again, with a mark that makes it
# a finding.


TWICE = 2  # how much larger the limit is then
# The limit for a mutant that a limit ended: that of Janus's paper, in milliseconds of a usual machine.
# The checks of such a script also end after three times as long by the clock, because some procedures
# hardly count towards the solver's own limit.
LATE_MS, _LATE_WALL = 10_000, 3
SEEDS = (1, 2, 3)  # random seeds with which a mutant of a decided script must stay unknown
DEARER = 50  # how many times the cost of its parent a mutant may have
_SMALL = 4  # a cost below this part of the largest limit is never too high


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to a mutant, the solver's whole output, and the limit of each check."""

    answers: Sequence[str]
    output: str
    limit: int


class Doubts:
    """Asks again about the mutants of one run, at most `left` times. With `implies` the mutants are
    made by rules of implication. Only mutants that the solver gave up count: a mutant that a limit
    ended is asked again with the limit of the paper, once in a run that is `late`, and not at all in
    others.
    """

    def __init__(self, run: Run, left: int, implies: bool, late: bool = False) -> None:
        self._run = run
        self._left = left
        self._late = late and left > 0
        self._implies = implies
        self._reasons = left > 0 and REASON in run.catalogue.dialect(run.wrapper.name).commands
        self._spending = slowness.Spending(run) if implies and left else None
        self._parent: int | None = None  # the cost of the last script that was decided

    def asking(self, text: str) -> str:
        """The script of a mutant, with a question for the reason behind each check if this run may ask
        again, and if the solver takes that question behind any answer.
        """
        return with_question(text) if self._reasons else text

    def passed(self) -> int | None:
        """Return the solver's count since the last call; None if the count is unknown or not needed."""
        return self._spending.passed() if self._spending else None

    def look(
        self,
        mutant: Mutant,
        plain: Callable[[Script], Script],
        answered: Answered,
        most: int,
        cost: int | None,
    ) -> None:
        """Look at the answers to a mutant, and at its `cost`. `plain` gives its script without drawn
        options, and `most` is the largest limit. Raises Stopped for a finding.
        """
        answers = answered.answers
        if "unknown" in answers:
            self._unknown(mutant, plain, most, answered)
        elif self._left and mutant.implied and cost and self._parent:
            bound = max(DEARER * self._parent, most // _SMALL)
            if cost > bound:
                self._left -= 1
                self._dear(mutant, plain, most, bound)
        if "unknown" not in answers:
            self._parent = cost
        self.passed()  # what was asked again is nobody's cost

    def _unknown(
        self,
        mutant: Mutant,
        plain: Callable[[Script], Script],
        most: int,
        answered: Answered,
    ) -> None:
        """Ask with a larger limit; about a mutant of a decided script also with other random seeds, and
        only a mutant that stays unknown with all of them is marked.
        """
        if not mutant.implied and (self._implies or set(mutant.expected) != {"sat"}):
            return
        made, limit = plain(mutant.script), TWICE * most
        given_up = gave_up(answered.output)
        if given_up is None:  # without a reason, a smaller limit may be all that there is to it
            given_up = answered.limit >= most
        if not given_up:
            if not self._late or not most:
                return
            self._late = False
            limit = max(limit, int(LATE_MS * self._run.wrapper.facts.limit_per_ms))
            if not self._given_up_late(made, mutant, limit):
                return
        if not self._left:
            return
        self._left -= 1
        if mutant.implied:
            for seed in SEEDS[:-1]:
                output = self._ask(made, mutant, limit, partial(seeded, seed=seed))
                if output is None or "unknown" not in script.answers_of(output):
                    return
        self._ask(made, mutant, limit, lambda text: doubted(text, self._reasons, mutant.implied))

    def _given_up_late(self, made: Script, mutant: Mutant, limit: int) -> bool:
        """Whether the solver gives up a mutant within a large limit."""
        output = self._ask(made, mutant, limit, self.asking)
        if output is None or "unknown" not in script.answers_of(output):
            return False
        if not gave_up(output):
            self._run.counts[AT_LIMIT] += 1
            return False
        return True

    def _dear(
        self, mutant: Mutant, plain: Callable[[Script], Script], most: int, bound: int
    ) -> None:
        """Ask with a mark that makes a cost above the bound a finding."""
        made = plain(mutant.script)
        self._ask(made, mutant, most, lambda text: slowness.marked(text, slowness.PARENT, bound))

    def _ask(
        self,
        made: Script,
        mutant: Mutant,
        limit: int,
        finish: Callable[[str], str] = lambda text: text,
    ) -> str | None:
        """The output for a script; None if it is not taken."""
        run = self._run
        try:
            text = finish(print_script(made, run.catalogue.dialect(run.wrapper.name).name))
        except InputError:
            return None
        if limit and limit != run.state.limit:
            usual = limit / run.wrapper.facts.limit_per_ms < LATE_MS
            wall_ms = 0 if usual else _LATE_WALL * LATE_MS
            solve.set_limit(run, limit, run.line_seed(), wall_ms=wall_ms)
        script.expect(run, mutant.expected, run.line_seed())
        try:
            return script.run_script(run, text, run.line_seed())
        except Refused:
            return None
        finally:
            run.state.expected.clear()


def doubted(text: str, asks: bool, implied: str) -> str:
    """The script with its mark; one that was made by a rule also with the last random seed."""
    made = marked(text, asks, implied)
    return seeded(made, SEEDS[-1]) if implied else made


# the line that `seeded` puts in front of a script
_SEED = re.compile(r"^\(set-option :random-seed \d+\)\n", re.M)


def seeded(text: str, seed: int) -> str:
    """The script with a random seed of the solver."""
    return f"(set-option :random-seed {seed})\n{text}"


def plain(text: str) -> str:
    """The script without a random seed, options of the solver alone, and questions for models and
    cores.
    """
    return _SEED.sub("", script.for_others(without_questions(text)))


# ----------------------------------------------------------------------
# The mutants that ask for the evidence of an answer: the model of a satisfiable mutant, or the
# core of an unsatisfiable one. All mutants of a run ask for the same, or none asks. z3 prints
# the definitions of a script in its model, and after a `(reset)` also those of earlier scripts.
# With definitions models cost five times as much, so no script of a run that asks for models
# has definitions.


MODELS, CORES = "models", "cores"
_NAME = "core!{}"
# for each kind of evidence, the expected answer that has no such evidence
_IMPOSSIBLE = {MODELS: "unsat", CORES: "sat"}


def drawn(chances: Mapping[str, float], stream: Stream) -> str:
    """Return the request of all mutants of a run: `models`, `cores`, or an empty text for nothing.
    `chances` are the shares of runs, by these names.

    The stream should be one of its own, so that the mutants do not depend on what is drawn here.
    """
    point = stream.random()
    for what in (MODELS, CORES):
        if point < chances.get(what, 0.0):
            return what
        point -= chances.get(what, 0.0)
    return ""


def fitting(what: str, expected: Sequence[str]) -> str:
    """Return the request of a mutant with the expected answers `expected`. The request is empty if no
    answer can have such evidence.
    """
    return (
        ""
        if what and expected and all(answer == _IMPOSSIBLE[what] for answer in expected)
        else what
    )


def asking(script: Script, what: str) -> Script:
    """The script with a question for `what` behind each check, and with the option that this needs.
    For a core, all assertions get names.
    """
    if not what:
        return script
    option = SetOption("produce-models" if what == MODELS else CORES_OPTION, "true")
    commands: list[Command] = [option]
    for at, command in enumerate(script.commands):
        named = what == CORES and isinstance(command, Assert) and command.name is None
        commands.append(
            Assert(command.term, _NAME.format(at))
            if named and isinstance(command, Assert)
            else command
        )
        if isinstance(command, CHECKS):
            commands.append(Ask(MODEL if what == MODELS else CORE))
    return Script(script.name, script.tables, commands)
