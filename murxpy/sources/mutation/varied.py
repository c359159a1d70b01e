"""Variants of some of the mutants of a campaign, for its statistics: the solver is asked them behind the
mutant, as further scripts of the run, with the same limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.sorts import IllSorted
from murxpy.machine import script
from murxpy.machine.outcomes import Refused
from murxpy.machine.random import Stream, mix
from murxpy.machine.run import Run
from murxpy.machine.script import ERROR, Alone, ScriptAnswers, freeze, short
from murxpy.machine.witnesses.slowness import Spending
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Script
from murxpy.sources.mutation.variants import METHODS, PLAIN, SEED, Varier
from murxpy.sources.setups import VaryingSetup

TIMES = (2, 10, 100)  # how many times as much one of two variants costs as the other
_KEY = 0x57AB
_UNKNOWN = "unknown"


class Sampling:
    """Asks variants of a `share` of the mutants of a run, in a dialect. The results are counted under
    the method; `written` are the characters of their texts.
    """

    def __init__(self, run: Run, share: float, dialect: str) -> None:
        self._run, self._share, self._dialect = run, share, dialect
        self._stream = Stream(mix(run.seed, _KEY))
        self.written = 0

    def look(self, made: Script, expected: Sequence[str]) -> None:
        """Ask variants of a mutant, if it is drawn: the script itself as murxpy prints it, and one
        variant by each method. The answers that are `expected` of it, and those to the script itself,
        are expected of the others, too. Raises Stopped for a finding.
        """
        if not self._stream.chance(self._share):
            return
        seeds = self._run.wrapper.facts.script_seeds
        varier = Varier(made, self._dialect, self._stream.bits(64), seeds)
        plain = self._ask(varier, PLAIN, expected)
        if plain is None:
            return
        answers, cost = plain
        for method in METHODS:
            if method != PLAIN and (method != SEED or seeds):
                known = [
                    status or _UNKNOWN if answer in (None, _UNKNOWN) else answer
                    for answer, status in zip_longest(answers, expected)
                ]
                variant = self._ask(varier, method, known)
                if variant is not None:
                    self._compare(method, answers, cost, *variant)

    def _compare(
        self,
        method: str,
        answers: Sequence[str],
        cost: int | None,
        others: Sequence[str],
        other: int | None,
    ) -> None:
        """Count how a variant differs from the script itself."""
        counts, front = self._run.counts, f"stability:{method}:"
        was, now = _decided(answers), _decided(others)
        if was != now:
            counts[front + ("lost" if was else "gained")] += 1
        if was and now and cost is not None and other is not None:
            least, most = sorted((max(1, cost), max(1, other)))
            for times in TIMES:
                counts[f"{front}x{times}"] += most >= times * least

    def _ask(
        self, varier: Varier, method: str, expected: Sequence[str]
    ) -> tuple[list[str], int | None] | None:
        """The answers to a variant and its cost; None where the solver does not take it."""
        run = self._run
        try:
            text = varier.text(method, 0)
        except (Unsayable, IllSorted):
            return None
        self.written += len(text)
        run.note(f"a variant of it: {method}")
        run.counts[f"stability:{method}:asked"] += 1
        spending = Spending(run)
        if any(answer != _UNKNOWN for answer in expected):
            script.expect(run, expected, run.line_seed())
        try:
            answers = script.answers_of(script.run_script(run, text, run.line_seed()))
        except Refused:
            return None
        finally:
            run.state.expected.clear()
        run.counts[f"stability:{method}:decided"] += _decided(answers)
        return answers, spending.passed()


def _decided(answers: Sequence[str]) -> bool:
    return bool(answers) and _UNKNOWN not in answers


# ----------------------------------------------------------------------
# A session that answers variants of scripts, each in a clean state. `murxpy stability` has one
# in each target.


Write = Callable[[str], None]
SESSION = "murxpy.sources.mutation.varied:Varying"
_COUNT, _PLACE, _METHOD = 16, 16, 4  # bits of a seed, which has 64; the rest is the script's
MOST = 1 << _COUNT  # variants of a method are fewer


def seed_of(script: int, method: int, places: range) -> int:
    """The seed of a run that answers the variants at `places` of a script by a method."""
    packed = ((script << _METHOD | method) << _PLACE | places.start) << _COUNT
    return packed | len(places)


class Varying:
    """Answers variants. Raises TargetError where the solver cannot be loaded, or reads no scripts."""

    def __init__(self, setup: VaryingSetup) -> None:
        self._alone = Alone(
            setup["catalogue"], setup["wrapper"], (setup["limit"], setup["wall-ms"])
        )
        self.describe = self._alone.wrapper.describe
        self._scripts = setup["scripts"]
        self._dialect = setup["dialect"]
        self._at = -1
        self._varier: Varier | None = None  # of the script at `_at`
        freeze()

    def walk(self, seed: int, write: Write) -> dict[str, Any]:
        """Answer the variants that the seed names. A line for each has its place, written before the
        solver gets it, and then answer, cost, no model, and message.
        """
        count, rest = seed & (1 << _COUNT) - 1, seed >> _COUNT
        place, rest = rest & (1 << _PLACE) - 1, rest >> _PLACE
        method, number = list(METHODS)[rest & (1 << _METHOD) - 1], rest >> _METHOD
        for each in range(place, place + count):
            write(f"{each}")
            given = self._answer(number, method, each)
            write(f" {given.outcome} {given.cost} - {given.message}\n")
        return {"status": "ok", "seed": seed, "counts": {}, "finding": None, "differences": []}

    def _answer(self, number: int, method: str, place: int) -> ScriptAnswers:
        try:
            if number != self._at:
                self._varier = self._read(number)
                self._at = number
            assert self._varier is not None
            text = self._varier.text(method, place)
        except (InputError, Unsayable, IllSorted) as error:
            return ScriptAnswers(ERROR, 0, short(str(error)))
        return self._alone.ask(text)

    def _read(self, number: int) -> Varier:
        name, text, key = self._scripts[number]
        catalogue = self._alone.catalogue
        script = read_script(text, name, catalogue, Tables(catalogue), self._dialect)
        return Varier(script, self._dialect, key, self._alone.wrapper.facts.script_seeds)
