"""How much the answers to a script differ over its variants, which mean the same."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from murxpy.findings.folder import STABILITY, Lines
from murxpy.machine.outcomes import CRASH
from murxpy.machine.random import mix
from murxpy.oracles.stability import BAD, REFUSED, Spread, class_of, spread, whole
from murxpy.processes.inquiries import Answer
from murxpy.sources.mutation.variants import METHODS, PLAIN
from murxpy.sources.mutation.varied import SESSION, seed_of
from murxpy.sources.setups import ScriptSetup, VaryingSetup
from murxpy.studies.study import Store, Study, Subject


@dataclass(frozen=True, slots=True)
class NamedScript:
    """A script by its name, with its text."""

    name: str
    text: str

    def number(self, seed: int) -> int:
        """The number of 64 bits that its variants depend on: on the text and a seed, not on its name."""
        digest = blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return mix(int.from_bytes(digest, "big"), seed)


@dataclass(frozen=True, slots=True)
class Row:
    """The results of a target for a script: its answer to the script itself, and the spread by
    method. `first` names the first variant with each answer, as METHOD:K. `crashes` names the
    variants on which the target crashes.
    """

    target: str
    script: str
    plain: Answer
    spreads: dict[str, Spread]
    first: dict[str, str]
    crashes: str = ""

    @property
    def kind(self) -> str:
        """The class of the script; `refused` where the target does not read it."""
        if self.plain.answer == "error":
            return REFUSED
        return whole([class_of(one) for one in self.spreads.values()])

    @property
    def answers(self) -> list[str]:
        """The different answers; two of them contradict each other."""
        return sorted(answer for answer in self.first if answer not in BAD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability(Study[list[Row]]):
    """Asks `variants` variants of each of `scripts` by each of `methods`, and the script itself. `variation`
    makes other variants.
    """

    name = "stability"
    session = SESSION

    scripts: Sequence[NamedScript]
    methods: Sequence[str]
    variants: int
    variation: int = 0
    block: int = 20

    def _asked(self) -> list[tuple[str, int]]:
        """The methods, each with its number of variants."""
        return [(PLAIN, 1), *((method, self.variants) for method in self.methods)]

    def subjects(self) -> list[Subject]:
        return [
            Subject(
                _subject(f"{one.number(self.variation):016x}-{self.check_ms:g}", method),
                range(count),
                {"script": one.name},
            )
            for one in self.scripts
            for method, count in self._asked()
        ]

    def setup(self, common: ScriptSetup, solver: str) -> VaryingSetup:
        scripts = [(one.name, one.text, one.number(self.variation)) for one in self.scripts]
        return {**common, "scripts": scripts, "dialect": solver}

    def seed(self, at: int, places: range) -> int:
        script, asked = divmod(at, len(self._asked()))
        return seed_of(script, list(METHODS).index(self._asked()[asked][0]), places)

    def before(self, store: Store) -> None:
        """Take the answers that an older version kept as lines of JSON, unless they were taken before."""
        folder = store.folder
        if folder is None or not os.path.lexists(folder / STABILITY):
            return
        with closing(Lines(folder, STABILITY)) as lines:
            count = {"lines": len(lines.lines)}
            if store.meta() == count:
                return
            found: dict[tuple[str, str], dict[int, Answer]] = defaultdict(dict)
            lines.read(
                lambda number, line: _take(found, *line),
                "answers that 'murxpy stability' has written; remove the line, and they are asked again",
            )
        numbers = store.numbers([Subject(subject, range(0)) for subject, _ in found])
        for number, ((_, target), answers) in zip(numbers, found.items(), strict=True):
            store.keep(number, store.target(target), [*answers.items()])
        store.note(count)

    def found(self, store: Store) -> list[Row]:
        """What came of the scripts, by target and script."""
        asked = self._asked()
        numbers = store.numbers(self.subjects())
        answers = [dict(store.scripts(number)) for number in numbers]
        rows = []
        for name in self.targets:
            target = store.target(name)
            for at, script in enumerate(self.scripts):
                own = answers[at * len(asked) :][: len(asked)]
                said = {
                    method: _of_target(own[nth], target, count)
                    for nth, (method, count) in enumerate(asked)
                }
                rows.append(_row(name, script.name, said))
        return rows


def kept_rows(store: Store) -> list[Row]:
    """What came of all scripts of a study, by target and script, asking nobody. A script that an earlier
    release asked has its number in the place of its name.
    """
    found: dict[tuple[str, str], dict[str, dict[int, dict[int, Answer]]]] = {}
    subjects = store.subjects()
    for number, subject in store.names().items():
        question, _, method = subject.rpartition(" ")
        if method in METHODS:
            name = str(subjects[number].get("script") or question)
            found.setdefault((question, name), {})[method] = dict(store.scripts(number))
    return [
        _row(target, name, said)
        for number, target, _ in store.targets()
        for (_, name), answers in found.items()
        if PLAIN in (said := _said(answers, number)) and len(said) > 1
    ]


def _said(
    answers: dict[str, dict[int, dict[int, Answer]]], target: int
) -> dict[str, dict[int, Answer]]:
    """The answers of a target to the variants of a script, by method and place."""
    said = {
        method: {place: one[target] for place, one in places.items() if target in one}
        for method, places in answers.items()
    }
    return {method: found for method, found in said.items() if found}


def _subject(question: str, method: str) -> str:
    """The name of the variants of a script by a method. `question` is a text that changes with all that
    their answers depend on.
    """
    return f"{question} {method}"


def _take(
    found: dict[tuple[str, str], dict[int, Answer]],
    target: Any,
    question: Any,
    method: Any,
    rows: Sequence[Any],
) -> None:
    answers = {
        int(place): Answer(str(answer), int(cost), message=str(message))
        for place, answer, cost, message in rows
    }
    found[_subject(str(question), str(method)), str(target)].update(answers)


def _of_target(answers: dict[int, dict[int, Answer]], target: int, count: int) -> dict[int, Answer]:
    """The answers of a target to the first `count` variants, by place."""
    return {
        place: said[target] for place, said in answers.items() if place < count and target in said
    }


def _row(target: str, script: str, found: dict[str, dict[int, Answer]]) -> Row:
    spreads: dict[str, Spread] = {}
    first: dict[str, str] = {}
    crashed: dict[str, str] = {}
    for method, answers in found.items():
        for place, one in answers.items():
            first.setdefault(one.answer, f"{method}:{place}")
            if one.answer == CRASH:
                crashed.setdefault(one.message, f"{method}:{place}")
        if method != PLAIN:
            spreads[method] = spread([(one.answer, one.cost) for one in answers.values()])
    plain = found[PLAIN].get(0, Answer("unknown"))
    crashes = "; ".join(f"{where} crashes: {message}" for message, where in crashed.items())
    return Row(target, script, plain, spreads, first, crashes)
