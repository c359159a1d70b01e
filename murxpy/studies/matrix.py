"""A solver that is followed over its releases with every small script of grammars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from packaging.version import Version

from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.findings.damage import reading
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.outcomes import CRASH, INVALID_CORE
from murxpy.machine.script import OWN
from murxpy.processes.inquiries import Answer
from murxpy.processes.releases import release_in
from murxpy.processes.targets import parse_target, solver_of
from murxpy.smtlib.building import Tables
from murxpy.smtlib.reading.scripts import read_script
from murxpy.solvers.exceptions import INVALID_MODEL
from murxpy.sources.enumeration.answering import (
    CORE_WRONG,
    FALSE,
    GRAMMARS,
    MODELS,
    SESSION,
    TRUE,
    WAY,
    seed_of,
)
from murxpy.sources.enumeration.grammar import Grammar
from murxpy.sources.enumeration.reading import Exhaustive
from murxpy.sources.setups import AnsweringSetup, ScriptSetup
from murxpy.studies.study import Store, Study, Subject

_BATCH = 500  # scripts that are gone through between two writes


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix(Study["Triggers"]):
    """Asks of each grammar every `step`th of the `take` scripts from index `at` on, for models, cores or
    both, as `checks` says. With `own_checks`, solvers check their models themselves.
    """

    name = "matrix"
    session = SESSION

    grammars: Sequence[Grammar]
    at: int
    take: int
    own_checks: bool
    checks: Sequence[str] = (MODELS,)
    step: int = 1

    def common(self) -> dict[str, Any]:
        return {
            "at": str(self.at),
            "check-ms": self.check_ms,
            "own-checks": self.own_checks,
            "way": WAY,
        }

    def subjects(self) -> list[Subject]:
        if len(self.grammars) > GRAMMARS:
            raise InputError(
                f"expected at most {GRAMMARS} grammars at a time, found {len(self.grammars)}"
            )
        return [
            Subject(one.name, self._places(one), _kept(one.plain), one.name)
            for one in self.grammars
        ]

    def _places(self, grammar: Grammar) -> range:
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

    def before(self, store: Store) -> None:
        """Raise InputError for another grammar of the same name, which has other scripts, and for answers
        that were asked for other things.
        """
        meta = store.meta()
        kept = meta.get("checks", [MODELS]) if meta else [*self.checks]
        if kept != [*self.checks]:
            raise InputError(
                f"this folder has answers with checks of {' and '.join(map(str, kept))}: expected the same, or another folder",
                file=str(store.file.parent),
            )
        store.note({"checks": kept})
        stored = {plain["grammar"]: plain for plain in grammars_in(store).values()}
        for name, plain in ((one.name, one.plain) for one in self.grammars):
            if _of_scripts(stored.get(name, plain)) != _of_scripts(plain):
                raise InputError(
                    f"this folder has answers for another grammar {name}: expected the same one, or another folder",
                    file=str(store.file.parent),
                )

    def setup(self, common: ScriptSetup, solver: str) -> AnsweringSetup:
        return {
            **common,
            "grammars": [grammar.plain for grammar in self.grammars],
            "at": str(self.at),
            "checks": [*self.checks],
            "own-checks": self.own_checks,
        }

    def seed(self, at: int, places: range) -> int:
        return seed_of(at, places.start, len(places), places.step)

    def after(self, store: Store, numbers: Sequence[int]) -> None:
        for grammar, number in zip(self.grammars, numbers, strict=True):
            _go_through(grammar, number, self.at, self._places(grammar), store)

    def found(self, store: Store) -> Triggers:
        return find(store)


def grammars_in(store: Store) -> dict[int, dict[str, Any]]:
    """The grammars of a study as plain data, by number."""
    found = store.subjects()
    with reading(store.file, "a row of table grammars"):
        for plain in found.values():
            _of_scripts(plain)
    return found


def _kept(plain: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plain.items() if key != "file"}


def _of_scripts(plain: Mapping[str, Any]) -> dict[str, Any]:
    """What decides the scripts of a grammar: not its description, nor where its lines stand."""
    parts = {**plain}
    for name in ("declare", "script"):
        parts[name] = [text for text, _ in plain[name]]
    parts["rules"] = {
        sort: [text for text, _ in productions] for sort, productions in plain["rules"].items()
    }
    for name in plain:
        if name in ("file", "about") or name.endswith("-line") or not parts[name]:
            del parts[name]
    return parts


def _go_through(grammar: Grammar, number: int, at: int, places: range, store: Store) -> None:
    """Keep the answers of scripts whose constants have few values; our evaluator goes through all."""
    catalogue = build_catalogue(load_catalogue())
    known = store.known(number)
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
        store.keep_known(number, found)


@dataclass(frozen=True, slots=True)
class Followed:
    """A target of a study; `judge` says that it is no release that is followed."""

    number: int
    name: str
    judge: bool

    @property
    def solver(self) -> str:
        """The name of the solver."""
        return solver_of(self.name)

    @property
    def version(self) -> Version:
        """The release, 0 where the name has none."""
        return Version(release_in(parse_target(self.name).release) or "0")


def targets_in(store: Store) -> list[Followed]:
    """The targets: the releases of each solver, oldest first, and then the judges. What names no
    release stands in the order in which it was first named.
    """
    found = [Followed(*one) for one in store.targets()]
    with reading(store.file, "a row of table targets"):
        solvers = list(dict.fromkeys(one.solver for one in found))
        return sorted(found, key=lambda one: (one.judge, solvers.index(one.solver), one.version))


# ----------------------------------------------------------------------
# Comparing the answers of all targets to a script: which answer is right, by which evidence, and
# which targets are wrong.


TRIGGERS = ("unsound", INVALID_MODEL, CRASH)
WRONG = (*TRIGGERS, INVALID_CORE)
KINDS = (*WRONG, OWN, "differs")  # the last two are no triggers by our own evidence
DECIDED = ("sat", "unsat")
ALL_VALUES, MODEL, JUDGE = EVIDENCE = ("all values", "a model", "a judge")  # the strongest first


@dataclass(frozen=True, slots=True)
class Truth:
    """The right answers to the checks of a script, `?` where nothing tells one; and what says so: our
    evaluator went through all values of the constants, or it found a model of some target right, or
    the judges say so. If several kinds of evidence were needed, this is the weakest.
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
    kind: str
    words: str
    script: str = ""


def triggers_of(
    grammar: int, place: int, truth: Truth | None, said: Mapping[int, Answer]
) -> Iterator[Trigger]:
    """The triggers of a script."""
    answers = {one.answer for one in said.values() if decided(one.answer)}
    for target, one in said.items():
        if one.answer == CRASH:
            yield Trigger(grammar, place, target, CRASH, one.message)
        elif truth is not None and truth.against(one.answer):
            words = f"{one.answer}, {truth.answer} by {truth.because}"
            yield Trigger(grammar, place, target, "unsound", words)
        elif _differs(one.answer, truth, answers):
            yield Trigger(grammar, place, target, "differs", one.answer)
        elif one.model == FALSE:
            words = "an assertion is false under its model, by our evaluator"
            yield Trigger(grammar, place, target, INVALID_MODEL, words)
        elif one.model == CORE_WRONG:
            yield Trigger(grammar, place, target, INVALID_CORE, one.message)
        if one.message.startswith(OWN):
            yield Trigger(grammar, place, target, OWN, one.message)


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
    """The results of a target in a grammar: how often each answer came, each kind of triggers, each
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
class Triggers:
    """What a study found: `cells` by target and grammar; `truths`, how often each evidence told the
    right answer, by grammar; and all triggers. `at` is the index of the first script. The targets stand
    in the order of `targets_in`. `joint` has, by release, the number of the scripts that all releases of
    its solver decide, and what these cost it; `cpu` has, by target, the seconds of the processor that it
    took, and for how many scripts.
    """

    targets: list[Followed]
    grammars: dict[int, str]
    cells: dict[tuple[int, int], Cell]
    truths: dict[int, Counter[str]]
    triggers: list[Trigger]
    at: int = 0
    joint: dict[int, tuple[int, int]] = field(default_factory=dict)
    cpu: dict[int, tuple[float, int]] = field(default_factory=dict)

    @property
    def releases(self) -> list[Followed]:
        """The targets that are followed, without the judges."""
        return [one for one in self.targets if not one.judge]

    @property
    def newest(self) -> list[Followed]:
        """The newest release of each solver."""
        return list({one.solver: one for one in self.releases}.values())

    def whole(self, target: int) -> Cell:
        """The results of a target in all grammars together."""
        whole = Cell()
        for (own, _), cell in self.cells.items():
            if own == target:
                for name in ("answers", "kinds", "models", "costs"):
                    getattr(whole, name).update(getattr(cell, name))
        return whole


def find(store: Store) -> Triggers:
    """What the answers in a folder say."""
    targets = targets_in(store)
    judges = [one.number for one in targets if one.judge]
    grammars = grammars_in(store)
    names = {number: str(plain["grammar"]) for number, plain in grammars.items()}
    at = int(store.meta().get("at", 0))
    found = Triggers(targets, names, {}, {number: Counter() for number in grammars}, [], at)
    taken = store.cpu()
    found.cpu = {one.number: taken[one.name] for one in targets if one.name in taken}
    for grammar, plain in grammars.items():
        own = Grammar({**plain, "file": str(store.file)})
        known = store.known(grammar)
        for place, said in store.scripts(grammar):
            truth = truth_of(known.get(place, ""), said, judges)
            found.truths[grammar][truth.because if truth else "nothing"] += 1
            for target, one in said.items():
                found.cells.setdefault((target, grammar), Cell()).add(one)
            _add_joint(found, said)
            for trigger in triggers_of(grammar, place, truth, said):
                found.triggers.append(replace(trigger, script=own.at(at + place)))
                found.cells[trigger.target, grammar].kinds[trigger.kind] += 1
    return found


def _add_joint(found: Triggers, said: Mapping[int, Answer]) -> None:
    """Add a script to the costs of the releases of each solver whose releases all decide it."""
    releases: dict[str, list[int]] = {}
    for one in found.releases:
        releases.setdefault(one.solver, []).append(one.number)
    for numbers in releases.values():
        answers = [said.get(number) for number in numbers]
        if all(answer is not None and decided(answer.answer) for answer in answers):
            for number in numbers:
                scripts, cost = found.joint.get(number, (0, 0))
                found.joint[number] = scripts + 1, cost + said[number].cost
