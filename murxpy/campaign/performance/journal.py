"""The journal of a search: one line of JSON for each step, written as soon as the step is done.

No line has a time or a path in it: the same search writes the same journal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from murxpy.campaign.findings.files import Lines
from murxpy.campaign.findings.folder import PERF
from murxpy.campaign.performance.search import Attempt, Step
from murxpy.campaign.performance.weights import Weight
from murxpy.errors import InputError

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
        self._path = folder / FILE
        self._head = {"perf": _VERSION, **about}
        self.steps: dict[int, Attempt] = {}
        self.rounds: dict[int, Round] = {}
        self._file = Lines(folder, FILE)
        for number, line in enumerate(self._file.lines, 1):
            try:
                self._take(number, json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise InputError(
                    "expected a line that 'murxpy perf' has written; remove it, and its step is made again",
                    file=str(self._path),
                    line=number,
                ) from None
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
                    file=str(self._path.parent),
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
