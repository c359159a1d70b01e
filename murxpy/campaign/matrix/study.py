"""The study itself: each release answers each script, in worker processes of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.campaign.matrix.store import Answers
from murxpy.campaign.replays.lists import Found, Lists, missing, plan_of
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.targets import Plan
from murxpy.data import load_catalogue
from murxpy.enumeration.answering import GRAMMARS, SESSION, WAY, seed_of
from murxpy.enumeration.exhaustive import Exhaustive
from murxpy.enumeration.grammar import Grammar
from murxpy.errors import InputError
from murxpy.logic.catalogue import build_catalogue
from murxpy.releases.environments import Notice
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.tables import Tables

_BATCH = 500  # scripts that are gone through between two writes
Watch = Callable[[str, str, int, int, Counter[str]], None]


@dataclass(frozen=True, slots=True)
class Question:
    """What a study asks: of each grammar every `step`th of the `take` scripts from index `at` on, of each
    of `targets`, and of each of `judges`. A check gets `check_ms` milliseconds of a usual machine, in the solver's own
    units, and a script `limits.wall` seconds. With `own_checks`, solvers check their models themselves.
    A process is given `block` scripts at a time, and there are `jobs` of them. `wrapper` is the name or
    the file of a wrapper, for the targets of its solver.
    """

    targets: Sequence[str]
    judges: Sequence[str]
    grammars: Sequence[Grammar]
    at: int
    take: int
    check_ms: float
    own_checks: bool
    limits: Limits
    step: int = 1
    block: int = 100
    jobs: int = 1
    wrapper: str | None = None

    def common(self) -> dict[str, Any]:
        """What the answers in one folder have in common, as plain data."""
        return {
            "at": str(self.at),
            "check-ms": self.check_ms,
            "own-checks": self.own_checks,
            "way": WAY,
        }

    def places(self, grammar: Grammar) -> range:
        """The places of the scripts of a grammar that are asked, counted from `at` on. Raises InputError
        for none.
        """
        if grammar.number is None:
            return range(0, self.take, self.step)
        if grammar.number <= self.at:
            raise InputError(
                f"the grammar {grammar.name} has {grammar.number:,} scripts: expected a smaller index than {self.at:,}"
            )
        return range(0, min(self.take, grammar.number - self.at), self.step)


def carry_out(question: Question, answers: Answers, watch: Watch, notice: Notice) -> None:
    """Ask what the folder does not know yet. `watch` gets the target, the grammar, the numbers of
    scripts that are done and that are wanted, and how often each answer came. Raises InputError where
    the folder has answers to other questions, TargetError for a release that cannot be used.
    """
    _check(question, answers)
    wanted = [question.places(grammar) for grammar in question.grammars]
    numbers = [answers.grammar(grammar.plain) for grammar in question.grammars]
    for name in (*question.targets, *question.judges):
        _ask(question, name, answers, numbers, wanted, watch, notice)
    for grammar, number, places in zip(question.grammars, numbers, wanted, strict=True):
        _go_through(grammar, number, question.at, places, answers)


def _check(question: Question, answers: Answers) -> None:
    if len(question.grammars) > GRAMMARS:
        raise InputError(
            f"expected at most {GRAMMARS} grammars at a time, found {len(question.grammars)}"
        )
    before, common = answers.meta(), question.common()
    for name, value in common.items():
        if before and before.get(name) != value:
            raise InputError(
                f"this folder has answers with {name} {before.get(name)}: expected the same, or another folder",
                file=str(answers.file.parent),
            )
    answers.note(common)


def _ask(
    question: Question,
    name: str,
    answers: Answers,
    numbers: Sequence[int],
    wanted: Sequence[range],
    watch: Watch,
    notice: Notice,
) -> None:
    """Ask a target what is left of the `wanted` places of each grammar, which has that number in the
    store.
    """
    target = answers.target(name, judge=name in question.judges)
    todo = [
        missing(answers.done(number, target), places, question.block)
        for number, places in zip(numbers, wanted, strict=True)
    ]
    done = [len(places) - sum(map(len, todo[at])) for at, places in enumerate(wanted)]
    came: list[Counter[str]] = [Counter() for _ in todo]

    def told(at: int, found: Found) -> None:
        answers.keep(numbers[at], target, found)
        done[at] += len(found)
        came[at].update(answer.answer for _, answer in found)
        watch(name, question.grammars[at].name, done[at], len(wanted[at]), came[at])

    if any(todo):
        Lists(_plan_of(question, name, notice), question.limits, question.jobs, _seed, told).ask(
            (at, places) for at, blocks in enumerate(todo) for places in blocks
        )


def _plan_of(question: Question, name: str, notice: Notice) -> Plan:
    more = {
        "session": SESSION,
        "grammars": [grammar.plain for grammar in question.grammars],
        "at": str(question.at),
        "own-checks": question.own_checks,
    }
    return plan_of(name, question.wrapper, question.check_ms, more, notice)


def _seed(at: int, places: range) -> int:
    return seed_of(at, places.start, len(places), places.step)


def _go_through(grammar: Grammar, number: int, at: int, places: range, answers: Answers) -> None:
    """Keep the answers of scripts whose constants have few values; our evaluator goes through all."""
    catalogue = build_catalogue(load_catalogue())
    known = answers.known(number)
    todo = [place for place in places if place not in known]
    while todo:
        part, todo = todo[:_BATCH], todo[_BATCH:]
        tables = Tables(catalogue)  # without the terms of earlier scripts
        exhaustive = Exhaustive(grammar.head, catalogue, tables)
        if not exhaustive.possible:
            return
        found = []
        for place in part:
            text = grammar.whole(grammar.at(at + place))
            script = read_script(text, grammar.file, catalogue, tables)
            found.append((place, "+".join(exhaustive.answers(script))))
        answers.keep_known(number, found)
