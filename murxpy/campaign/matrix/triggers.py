"""What the answers of all targets to a script say together: which answer is right, by which evidence, and
which targets are wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from murxpy.campaign.matrix.store import Answer, Answers, Followed
from murxpy.enumeration.answering import FALSE, OWN, TRUE

Kind = Literal["unsound", "invalid-model", "own-check", "crash", "differs"]
# `own-check` and `differs` are no triggers by our own evidence
KINDS: tuple[Kind, ...] = ("unsound", "invalid-model", "crash", "own-check", "differs")
TRIGGERS: tuple[Kind, ...] = ("unsound", "invalid-model", "crash")
DECIDED = ("sat", "unsat")
ALL_VALUES, MODEL, JUDGE = "all values", "a model", "a judge"


@dataclass(frozen=True, slots=True)
class Truth:
    """The right answer to a script, and what says so: our evaluator went through all values of the
    constants, or it found a model of some target right, or the judges say so.
    """

    answer: str
    because: str


def truth_of(known: str, said: Mapping[int, Answer], judges: Sequence[int]) -> Truth | None:
    """The right answer to a script; None where nothing tells it. `known` is the answer by all values,
    `said` the answers by target.
    """
    if known in DECIDED:
        return Truth(known, ALL_VALUES)
    if any(one.answer == "sat" and one.model == TRUE for one in said.values()):
        return Truth("sat", MODEL)
    judged = {said[judge].answer for judge in judges if judge in said} & set(DECIDED)
    return Truth(judged.pop(), JUDGE) if len(judged) == 1 else None


@dataclass(frozen=True, slots=True)
class Trigger:
    """A script (by grammar and place) on which a target shows `kind`, and the words for it."""

    grammar: int
    place: int
    target: int
    kind: Kind
    words: str


def triggers_of(
    grammar: int, place: int, truth: Truth | None, said: Mapping[int, Answer]
) -> Iterator[Trigger]:
    """The triggers of a script."""
    answers = {one.answer for one in said.values()} & set(DECIDED)
    for target, one in said.items():
        if one.answer == "crash":
            yield Trigger(grammar, place, target, "crash", one.message)
        elif one.answer in DECIDED and truth is not None and one.answer != truth.answer:
            words = f"{one.answer}, {truth.answer} by {truth.because}"
            yield Trigger(grammar, place, target, "unsound", words)
        elif one.answer in DECIDED and truth is None and len(answers) > 1:
            yield Trigger(grammar, place, target, "differs", one.answer)
        elif one.model == FALSE:
            yield Trigger(grammar, place, target, "invalid-model", "")
        if one.model == OWN:
            yield Trigger(grammar, place, target, "own-check", one.message)


@dataclass
class Cell:
    """What a target showed of a grammar: how often each answer came, each kind of triggers, each
    verdict on models, and how many scripts were decided at costs below each power of two.
    """

    answers: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    costs: Counter[int] = field(default_factory=Counter)

    @property
    def asked(self) -> int:
        """The number of scripts."""
        return self.answers.total()

    @property
    def decided(self) -> int:
        """The number of scripts that were decided."""
        return sum(self.answers[answer] for answer in DECIDED)

    def solved(self, power: int) -> int:
        """The number of scripts that were decided at a cost of at most 2^`power`."""
        return sum(number for least, number in self.costs.items() if least <= power)

    def add(self, one: Answer) -> None:
        """Count an answer."""
        self.answers[one.answer] += 1
        self.models[one.model] += 1
        if one.answer in DECIDED:
            self.costs[max(0, one.cost - 1).bit_length()] += 1


@dataclass
class Found:
    """What a study found: `cells` by target and grammar; `truths`, how often each evidence told the
    right answer, by grammar; and all triggers.
    """

    targets: list[Followed]
    grammars: dict[int, str]
    cells: dict[tuple[int, int], Cell]
    truths: dict[int, Counter[str]]
    triggers: list[Trigger]

    @property
    def releases(self) -> list[Followed]:
        """The targets that are followed, without the judges."""
        return [one for one in self.targets if not one.judge]

    def whole(self, target: int) -> Cell:
        """What a target showed of all grammars together."""
        whole = Cell()
        for (own, _), cell in self.cells.items():
            if own == target:
                for name in ("answers", "kinds", "models", "costs"):
                    getattr(whole, name).update(getattr(cell, name))
        return whole


def find(answers: Answers) -> Found:
    """What the answers in a folder say."""
    targets = answers.targets()
    judges = [one.number for one in targets if one.judge]
    grammars = {number: str(plain["grammar"]) for number, plain in answers.grammars().items()}
    found = Found(targets, grammars, {}, {number: Counter() for number in grammars}, [])
    for grammar in grammars:
        known = answers.known(grammar)
        for place, said in answers.scripts(grammar):
            truth = truth_of(known.get(place, ""), said, judges)
            found.truths[grammar][truth.because if truth else "nothing"] += 1
            for target, one in said.items():
                found.cells.setdefault((target, grammar), Cell()).add(one)
            for trigger in triggers_of(grammar, place, truth, said):
                found.triggers.append(trigger)
                found.cells[trigger.target, grammar].kinds[trigger.kind] += 1
    return found
