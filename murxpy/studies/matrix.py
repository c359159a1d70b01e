"""The answers of releases to scripts, in an SQLite database. A question without a row is still to be
asked, so a study that was killed continues where it was.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import msgspec
from packaging.version import Version

from murxpy.data import load_catalogue
from murxpy.errors import FolderLost, InputError
from murxpy.findings.damage import check_pages, reading
from murxpy.findings.folder import MATRIX, check_place, connect_below, rescued
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.script import OWN
from murxpy.processes.environments import Notice
from murxpy.processes.inquiries import Answer, Found, Lists, missing, script_plan, script_setup
from murxpy.processes.limits import Limits
from murxpy.processes.releases import release_in
from murxpy.processes.targets import Plan, parse_target, solver_of
from murxpy.smtlib.building import Tables
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.enumeration.answering import FALSE, GRAMMARS, SESSION, TRUE, WAY, seed_of
from murxpy.sources.enumeration.grammar import Grammar
from murxpy.sources.enumeration.reading import Exhaustive
from murxpy.sources.setups import AnsweringSetup

FILE = MATRIX
_VERSION = 1
_TABLES = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE grammars (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, plain TEXT NOT NULL);
CREATE TABLE targets (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, judge INTEGER NOT NULL);
CREATE TABLE answers (grammar INTEGER, place INTEGER, target INTEGER, answer TEXT NOT NULL, cost INTEGER NOT NULL,
  model TEXT NOT NULL, message TEXT NOT NULL, PRIMARY KEY (grammar, place, target)) WITHOUT ROWID;
CREATE TABLE known (grammar INTEGER, place INTEGER, answer TEXT NOT NULL, PRIMARY KEY (grammar, place)) WITHOUT ROWID;
PRAGMA user_version = {_VERSION};
"""


_ANSWERS = "SELECT place, target, answer, cost, model, message FROM answers WHERE grammar = ? ORDER BY place, target"


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


class Answers:
    """The database in a folder. Raises InputError if the folder has no database and `make` is not
    set, and for a file that is no such database.
    """

    def __init__(self, folder: Path, *, make: bool = False) -> None:
        self.file = folder / FILE
        if not make and not self.file.is_file():
            raise InputError(
                f"expected the folder of 'murxpy matrix', which holds {FILE}", file=str(folder)
            )
        try:
            with reading(self.file, "its data"):
                self._db = connect_below(folder, FILE)
                (version,) = self._db.execute("PRAGMA user_version").fetchone()
                if version == 0 and make:
                    self._db.executescript(f"PRAGMA journal_mode = WAL; BEGIN; {_TABLES} COMMIT;")
                    version = _VERSION
            check_pages(self._db, self.file)
            self._place = os.stat(self.file)
        except sqlite3.Error as error:
            raise InputError(
                f"it cannot be read as answers of a study: {error}", file=str(self.file)
            ) from None
        if version != _VERSION:
            raise InputError(
                f"expected answers in version {_VERSION}, found version {version}",
                file=str(self.file),
            )

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def meta(self) -> dict[str, Any]:
        """The common part of all questions; empty in a new database."""
        with reading(self.file, "a row of table meta"):
            rows = self._db.execute("SELECT name, value FROM meta ORDER BY name")
            return {name: json.loads(value) for name, value in rows}

    def note(self, meta: Mapping[str, Any]) -> None:
        """Note what all questions have in common."""
        rows = [(name, json.dumps(value)) for name, value in meta.items()]
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def grammars(self) -> dict[int, dict[str, Any]]:
        """The grammars as plain data, by number."""
        with reading(self.file, "a row of table grammars"):
            rows = self._db.execute("SELECT id, plain FROM grammars ORDER BY id")
            return {int(number): _plain_in(text) for number, text in rows}

    def grammar(self, plain: Mapping[str, Any]) -> int:
        """The number of a grammar, which is noted if it is new. Raises InputError for another grammar
        of the same name, which has other scripts.
        """
        text = json.dumps({key: value for key, value in plain.items() if key != "file"})
        name = str(plain["grammar"])
        row = self._db.execute("SELECT id, plain FROM grammars WHERE name = ?", (name,)).fetchone()
        if row is None:
            done = self._db.execute(
                "INSERT INTO grammars (name, plain) VALUES (?, ?)", (name, text)
            )
            return int(done.lastrowid or 0)
        with reading(self.file, "a row of table grammars"):
            stored = _of_scripts(_plain_in(row[1]))
        if stored != _of_scripts(plain):
            raise InputError(
                f"this folder has answers for another grammar {name}: expected the same one, or another folder",
                file=str(self.file.parent),
            )
        return int(row[0])

    def targets(self) -> list[Followed]:
        """The targets: the releases of each solver, oldest first, and then the judges. Targets whose
        names have no release stand in the order in which they were first named.
        """
        with reading(self.file, "a row of table targets"):
            rows = self._db.execute("SELECT id, name, judge FROM targets ORDER BY id")
            found = [Followed(int(number), str(name), bool(judge)) for number, name, judge in rows]
            solvers = list(dict.fromkeys(one.solver for one in found))
            return sorted(
                found, key=lambda one: (one.judge, solvers.index(one.solver), one.version)
            )

    def target(self, name: str, *, judge: bool) -> int:
        """The number of a target, which is noted if it is new."""
        self._db.execute("INSERT OR IGNORE INTO targets (name, judge) VALUES (?, ?)", (name, judge))
        row = self._db.execute("SELECT id FROM targets WHERE name = ?", (name,)).fetchone()
        return int(row[0])

    def done(self, grammar: int, target: int) -> set[int]:
        """The places of the scripts that a target has answered."""
        rows = self._db.execute(
            "SELECT place FROM answers WHERE grammar = ? AND target = ?", (grammar, target)
        )
        return {place for (place,) in rows}

    def keep(self, grammar: int, target: int, found: Sequence[tuple[int, Answer]]) -> None:
        """Keep answers to the scripts at places, all or none of them."""
        rows = [
            (grammar, place, target, one.answer, one.cost, one.model, one.message)
            for place, one in found
        ]
        self._all("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def known(self, grammar: int) -> dict[int, str]:
        """The answers that going through all values gave, by place."""
        rows = self._db.execute("SELECT place, answer FROM known WHERE grammar = ?", (grammar,))
        return dict(rows.fetchall())

    def keep_known(self, grammar: int, found: Sequence[tuple[int, str]]) -> None:
        """Keep answers that going through all values gave."""
        rows = [(grammar, place, answer) for place, answer in found]
        self._all("INSERT OR REPLACE INTO known VALUES (?, ?, ?)", rows)

    def _all(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        rows = list(rows)
        try:
            check_place(self.file, self._place)
            _insert(self._db, statement, rows)
        except (OSError, sqlite3.Error) as error:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise self._lost(error, statement, rows) from error

    def _lost(self, error: Exception, statement: str, rows: Sequence[Sequence[Any]]) -> FolderLost:
        """The error that the folder takes no answers any more, once all are in another one."""

        def write(place: Path) -> None:
            with closing(connect_below(place, FILE)) as copy:
                self._db.backup(copy)
                _insert(copy, statement, rows)

        place = rescued(self.file.parent, write)
        kept = f"all answers are in {place}" if place else "the last answers are lost"
        return FolderLost(self.file.parent, getattr(error, "strerror", None) or str(error), kept)

    def scripts(self, grammar: int) -> Iterator[tuple[int, dict[int, Answer]]]:
        """The answers to each script of a grammar, in order of place, by target."""
        at, found = -1, dict[int, Answer]()
        with reading(self.file, "a row of table answers"):
            for row in self._db.execute(_ANSWERS, (grammar,)):
                place, target, answer, cost, model, message = msgspec.convert(
                    row, tuple[int, int, str, int, str, str]
                )
                if place != at and found:
                    yield at, found
                    found = {}
                at = place
                found[target] = Answer(answer, cost, model, message)
        if found:
            yield at, found


def _insert(database: sqlite3.Connection, statement: str, rows: Iterable[Sequence[Any]]) -> None:
    with closing(database.cursor()) as cursor:
        cursor.execute("BEGIN")
        cursor.executemany(statement, rows)
        cursor.execute("COMMIT")


def _plain_in(text: str) -> dict[str, Any]:
    """The plain data of a grammar in a row."""
    plain = msgspec.convert(json.loads(text), dict[str, Any])
    _of_scripts(plain)
    return plain


def _of_scripts(plain: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a grammar that decide its scripts: neither its description, nor the places of its
    lines.
    """
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


# ----------------------------------------------------------------------
# Comparing the answers of all targets to a script: which answer is right, by which evidence, and
# which targets are wrong.


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
    """The results of a study: `cells` by target and grammar; `truths`, how often each evidence told
    the right answer, by grammar; and all triggers. `at` is the index of the first script. The targets
    stand in the order of `Answers.targets`.
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
        """The results of a target in all grammars together."""
        whole = Cell()
        for (own, _), cell in self.cells.items():
            if own == target:
                for name in ("answers", "kinds", "models", "costs"):
                    getattr(whole, name).update(getattr(cell, name))
        return whole


def find(answers: Answers) -> Triggers:
    """Read the answers in a folder and return the results of the study."""
    targets = answers.targets()
    judges = [one.number for one in targets if one.judge]
    grammars = {number: str(plain["grammar"]) for number, plain in answers.grammars().items()}
    at = int(answers.meta().get("at", 0))
    found = Triggers(targets, grammars, {}, {number: Counter() for number in grammars}, [], at)
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


# ----------------------------------------------------------------------
# The study itself: each release answers each script, in worker processes of its own.


_BATCH = 500  # scripts that are gone through between two writes
Watch = Callable[[str, str, int, int, Counter[str]], None]


@dataclass(frozen=True, slots=True)
class Question:
    """The question of a study: of each grammar every `step`th of the `take` scripts from index `at`
    on, for each of `targets` and each of `judges`. A check gets `check_ms` milliseconds of a usual
    machine, in the solver's own units, and a script `limits.wall` seconds. With `own_checks`, solvers
    check their models themselves. A process is given `block` scripts at a time, and there are `jobs`
    of them. `wrapper` is the name or the file of a wrapper, for the targets of its solver.
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
        """The common part of the answers in one folder, as plain data."""
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
    setup: AnsweringSetup = {
        **script_setup(SESSION, name, question.wrapper, question.check_ms),
        "grammars": [grammar.plain for grammar in question.grammars],
        "at": str(question.at),
        "own-checks": question.own_checks,
    }
    return script_plan(name, setup, notice)


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
