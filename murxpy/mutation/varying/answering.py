"""A session that answers variants of scripts, each in a clean state. `murxpy stability` has one in each
target.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.sorts import IllSorted
from murxpy.machine.alone import ERROR, Alone, Said, freeze, short
from murxpy.mutation.varying.variants import METHODS, Varier
from murxpy.smtlib.printing.forms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.tables import Tables

Write = Callable[[str], None]
SESSION = "murxpy.mutation.varying.answering:Varying"
_COUNT, _PLACE, _METHOD = 16, 16, 4  # bits of a seed, which has 64; the rest is the script's
MOST = 1 << _COUNT  # variants of a method are fewer


def seed_of(script: int, method: int, places: range) -> int:
    """The seed of a run that answers the variants at `places` of a script by a method."""
    packed = ((script << _METHOD | method) << _PLACE | places.start) << _COUNT
    return packed | len(places)


class Varying:
    """Answers variants. `setup` is as for `Alone`, with `scripts`, a list of names, texts and numbers of
    scripts, and `dialect`.

    Raises TargetError where the solver cannot be loaded, or reads no scripts.
    """

    def __init__(self, setup: dict[str, Any]) -> None:
        self._alone = Alone(setup)
        self.describe = self._alone.wrapper.describe
        self._scripts: list[tuple[str, str, int]] = setup["scripts"]
        self._dialect = str(setup["dialect"])
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
            said = self._answer(number, method, each)
            write(f" {said.outcome} {said.cost} - {said.message}\n")
        return {"status": "ok", "seed": seed, "counts": {}, "finding": None, "differences": []}

    def _answer(self, number: int, method: str, place: int) -> Said:
        try:
            if number != self._at:
                self._varier = self._read(number)
                self._at = number
            assert self._varier is not None
            text = self._varier.text(method, place)
        except (InputError, Unsayable, IllSorted) as error:
            return Said(ERROR, 0, short(str(error)))
        return self._alone.ask(text)

    def _read(self, number: int) -> Varier:
        name, text, key = self._scripts[number]
        catalogue = self._alone.catalogue
        script = read_script(text, name, catalogue, Tables(catalogue), self._dialect)
        return Varier(script, self._dialect, key, self._alone.wrapper.facts.script_seeds)
