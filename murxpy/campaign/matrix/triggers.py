"""What the answers of all targets to a script say together: which answer is right, by which evidence, and
which targets are wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from murxpy.campaign.matrix.store import Answers, Followed
from murxpy.campaign.replays.lists import Answer
from murxpy.enumeration.answering import FALSE, TRUE
from murxpy.enumeration.grammar import Grammar
from murxpy.machine.alone import OWN

Kind = Literal["unsound", "invalid-model", "own-check", "crash", "differs"]
# `own-check` and `differs` are no triggers by our own evidence
KINDS: tuple[Kind, ...] = ("unsound", "invalid-model", "crash", "own-check", "differs")
TRIGGERS: tuple[Kind, ...] = ("unsound", "invalid-model", "crash")
DECIDED = ("sat", "unsat")
ALL_VALUES, MODEL, JUDGE = EVIDENCE = ("all values", "a model", "a judge")  # the strongest first


@dataclass(frozen=True, slots=True)
class Truth:
    """The right answers to the checks of a script, `?` where nothing tells one; and what says so: our
    evaluator went through all values of the constants, or it found a model of some target right, or
    the judges say so. Where several kinds of evidence were needed, this is the weakest.
    """

    answer: str
    because: str

    def against(self, answer: str) -> bool:
        """Whether an answer is wrong."""
        pairs = zip(answer.split("+"), self.answer.split("+"), strict=False)
        return any({one, right} == set(DECIDED) for one, right in pairs)


def decided(answer: str) -> bool:
    """Whether the answer decides each check of a script."""
    return set(answer.split("+")) <= set(DECIDED)


def truth_of(known: str, said: Mapping[int, Answer], judges: Sequence[int]) -> Truth | None:
    """The right answers to a script; None where nothing tells any. `known` are those by all values,
    `said` the answers by target.
    """
    words = {target: one.answer.split("+") for target, one in said.items() if decided(one.answer)}
    listed = known.split("+") if known else []
    found = [
        _of_check(
            listed[at] if at < len(listed) else "",
            {words[target][at] for target in words if said[target].model == TRUE},
            {words[judge][at] for judge in judges if judge in words},
        )
        for at in range(min(map(len, words.values()), default=0))
    ]
    told = [EVIDENCE.index(because) for _, because in found if because]
    if not told:
        return None
    return Truth("+".join(answer for answer, _ in found), EVIDENCE[max(told)])


def _of_check(known: str, of_models: set[str], judged: set[str]) -> tuple[str, str]:
    if known in DECIDED:
        return known, ALL_VALUES
    if "sat" in of_models:
        return "sat", MODEL
    return (judged.pop(), JUDGE) if len(judged) == 1 else ("?", "")


@dataclass(frozen=True, slots=True)
class Trigger:
    """A script (by grammar and place) on which a target shows `kind`, the words for it, and the script
    itself without its declarations.
    """

    grammar: int
    place: int
    target: int
    kind: Kind
    words: str
    script: str = ""


def triggers_of(
    grammar: int, place: int, truth: Truth | None, said: Mapping[int, Answer]
) -> Iterator[Trigger]:
    """The triggers of a script."""
    answers = {one.answer for one in said.values() if decided(one.answer)}
    for target, one in said.items():
        if one.answer == "crash":
            yield Trigger(grammar, place, target, "crash", one.message)
        elif truth is not None and truth.against(one.answer):
            words = f"{one.answer}, {truth.answer} by {truth.because}"
            yield Trigger(grammar, place, target, "unsound", words)
        elif _differs(one.answer, truth, answers):
            yield Trigger(grammar, place, target, "differs", one.answer)
        elif one.model == FALSE:
            words = "an assertion is false under its model, by our evaluator"
            yield Trigger(grammar, place, target, "invalid-model", words)
        if one.message.startswith(OWN):
            yield Trigger(grammar, place, target, "own-check", one.message)


def _differs(answer: str, truth: Truth | None, answers: set[str]) -> bool:
    """Whether another target decides otherwise a check whose answer nothing tells."""
    right = truth.answer.split("+") if truth else ["?"] * (answer.count("+") + 1)
    return decided(answer) and any(
        told == "?" and one != other
        for each in answers
        for told, one, other in zip(right, answer.split("+"), each.split("+"), strict=False)
    )


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
        return sum(number for answer, number in self.answers.items() if decided(answer))

    def solved(self, power: int) -> int:
        """The number of scripts that were decided at a cost of at most 2^`power`."""
        return sum(number for least, number in self.costs.items() if least <= power)

    def add(self, one: Answer) -> None:
        """Count an answer."""
        self.answers[one.answer] += 1
        self.models[one.model] += 1
        if decided(one.answer):
            self.costs[max(0, one.cost - 1).bit_length()] += 1


@dataclass
class Found:
    """What a study found: `cells` by target and grammar; `truths`, how often each evidence told the
    right answer, by grammar; and all triggers. `at` is the index of the first script. The targets stand
    in the order of `Answers.targets`.
    """

    targets: list[Followed]
    grammars: dict[int, str]
    cells: dict[tuple[int, int], Cell]
    truths: dict[int, Counter[str]]
    triggers: list[Trigger]
    at: int = 0

    @property
    def releases(self) -> list[Followed]:
        """The targets that are followed, without the judges."""
        return [one for one in self.targets if not one.judge]

    @property
    def newest(self) -> list[Followed]:
        """The newest release of each solver."""
        return list({one.solver: one for one in self.releases}.values())

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
    at = int(answers.meta().get("at", 0))
    found = Found(targets, grammars, {}, {number: Counter() for number in grammars}, [], at)
    for grammar, plain in answers.grammars().items():
        own = Grammar({**plain, "file": str(answers.file)})
        known = answers.known(grammar)
        for place, said in answers.scripts(grammar):
            truth = truth_of(known.get(place, ""), said, judges)
            found.truths[grammar][truth.because if truth else "nothing"] += 1
            for target, one in said.items():
                found.cells.setdefault((target, grammar), Cell()).add(one)
            for trigger in triggers_of(grammar, place, truth, said):
                found.triggers.append(replace(trigger, script=own.at(at + place)))
                found.cells[trigger.target, grammar].kinds[trigger.kind] += 1
    return found
