"""Mutants whose answer is known, and that the solver leaves unknown or decides at a far higher cost
than the script that they were made from: they are asked again, with a mark that makes it a finding.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from murxpy.errors import InputError
from murxpy.machine import script, solve
from murxpy.machine.outcomes import Refused
from murxpy.machine.run import Run
from murxpy.machine.witnesses import slowness
from murxpy.machine.witnesses.scripted import without_questions
from murxpy.machine.witnesses.unknowns import REASON, marked
from murxpy.mutation.workshop import Mutant
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.script import Script

TWICE = 2  # how much larger the limit is then
SEEDS = (1, 2, 3)  # random seeds with which a mutant of a decided script must stay unknown
DEARER = 50  # how many times the cost of its parent a mutant may have
_SMALL = 4  # a cost below this part of the largest limit is never too high


class Doubts:
    """Asks again about the mutants of one run, at most `left` times. With `implies` the mutants are
    made by rules of implication.
    """

    def __init__(self, run: Run, left: int, implies: bool) -> None:
        self._run = run
        self._left = left
        self._implies = implies
        self._spending = slowness.Spending(run) if implies and left else None
        self._parent: int | None = None  # the cost of the last script that was decided

    def passed(self) -> int | None:
        """What the solver has counted since the last look; None where that is not told, or not needed."""
        return self._spending.passed() if self._spending else None

    def look(
        self,
        mutant: Mutant,
        plain: Callable[[Script], Script],
        answers: Sequence[str],
        most: int,
        cost: int | None,
    ) -> None:
        """Look at the answers to a mutant, and at its `cost`. `plain` gives its script without drawn
        options, and `most` is the largest limit. Raises Stopped for a finding.
        """
        if self._left and "unknown" in answers:
            self._unknown(mutant, plain, most)
        elif self._left and mutant.implied and cost and self._parent:
            bound = max(DEARER * self._parent, most // _SMALL)
            if cost > bound:
                self._left -= 1
                self._dear(mutant, plain, most, bound)
        if "unknown" not in answers:
            self._parent = cost
        self.passed()  # what was asked again is nobody's cost

    def _unknown(self, mutant: Mutant, plain: Callable[[Script], Script], most: int) -> None:
        """Ask with twice the largest limit; about a mutant of a decided script also with other random
        seeds, and only a mutant that stays unknown with all of them is marked.
        """
        if not mutant.implied and (self._implies or set(mutant.expected) != {"sat"}):
            return
        self._left -= 1
        run = self._run
        asks = REASON in run.catalogue.dialect(run.wrapper.name).commands
        made = plain(mutant.script)
        if mutant.implied:
            for seed in SEEDS[:-1]:
                answers = self._ask(made, mutant, TWICE * most, partial(seeded, seed=seed))
                if answers is None or "unknown" not in answers:
                    return
        self._ask(made, mutant, TWICE * most, lambda text: doubted(text, asks, mutant.implied))

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
    ) -> list[str] | None:
        """The answers to a script; None if it is not taken."""
        run = self._run
        try:
            text = finish(print_script(made, run.catalogue.dialect(run.wrapper.name).name))
        except InputError:
            return None
        if limit and limit != run.state.limit:
            solve.set_limit(run, limit, run.line_seed())
        script.expect(run, mutant.expected, run.line_seed())
        try:
            return script.answers_of(script.run_script(run, text, run.line_seed()))
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
