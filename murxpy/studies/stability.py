"""The answers to variants of scripts, kept in a file of JSON lines. A line of the file never changes,
so a study that was killed continues with the questions that have no line.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from murxpy.errors import InputError
from murxpy.findings.folder import STABILITY, Lines
from murxpy.machine.random import mix
from murxpy.oracles.stability import BAD, REFUSED, Spread, class_of, spread, whole
from murxpy.processes.environments import Notice
from murxpy.processes.inquiries import Answer, Found, Lists, missing, script_plan, script_setup
from murxpy.processes.limits import Limits
from murxpy.processes.targets import Plan, parse_target
from murxpy.sources.mutation.variants import METHODS, PLAIN
from murxpy.sources.mutation.varied import SESSION, seed_of
from murxpy.sources.setups import VaryingSetup

FILE = STABILITY
Key = tuple[str, str, str]
"""A target, the question as text that changes with all that an answer depends on, and a method."""


class Store:
    """The answers by place, for each key. Without a folder they are kept in memory alone. Raises
    InputError for a file with other things in it, or one that cannot be written.
    """

    def __init__(self, folder: Path | None) -> None:
        self._answers: dict[Key, dict[int, Answer]] = defaultdict(dict)
        self._file: Lines | None = None
        if folder is None:
            return
        path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = Lines(folder, FILE)
            for number, line in enumerate(self._file.lines, 1):
                key, found = _line(path, number, line)
                self._answers[key].update(found)
        except OSError as error:
            raise InputError(
                f"the answers cannot be kept: {error.strerror}", file=str(path)
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def of(self, key: Key) -> dict[int, Answer]:
        """The answers by place."""
        return self._answers[key]

    def keep(self, key: Key, found: Found) -> None:
        """Keep answers. Raises FolderLost if the answers cannot be written."""
        self._answers[key].update(found)
        if self._file is None or not found:
            return
        rows = [[place, one.answer, one.cost, one.message] for place, one in found]
        self._file.append(json.dumps([*key, rows]), sync=True)


def _line(path: Path, number: int, line: str) -> tuple[Key, list[tuple[int, Answer]]]:
    try:
        target, question, method, rows = json.loads(line)
        found = [
            (int(place), Answer(str(answer), int(cost), message=str(message)))
            for place, answer, cost, message in rows
        ]
    except (ValueError, TypeError):
        raise InputError(
            "expected answers that 'murxpy stability' has written; remove the line, and they are asked again",
            file=str(path),
            line=number,
        ) from None
    key: list[Any] = [target, question, method]
    return (str(key[0]), str(key[1]), str(key[2])), found


# ----------------------------------------------------------------------
# The study itself: each target answers variants of each script, in worker processes of its own.


_LIST = 20  # variants that a process gets at a time
Told = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Subject:
    """A script by its name, with its text."""

    name: str
    text: str

    def number(self, seed: int) -> int:
        """The number of 64 bits that its variants depend on: on the text and a seed, not on its name."""
        digest = blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return mix(int.from_bytes(digest, "big"), seed)


@dataclass(frozen=True, slots=True)
class Question:
    """The question of a study to each of `targets`: `variants` variants of each of `scripts` by each
    of `methods`, and the script itself. A check gets `check_ms` milliseconds of a usual machine, in
    the solver's own units, and a script `limits.wall` seconds. `seed` makes other variants.
    """

    targets: Sequence[str]
    scripts: Sequence[Subject]
    methods: Sequence[str]
    variants: int
    check_ms: float
    limits: Limits
    jobs: int = 1
    seed: int = 0
    wrapper: str | None = None

    def asked(self) -> list[tuple[str, int]]:
        """The methods, each with its number of variants."""
        return [(PLAIN, 1), *((method, self.variants) for method in self.methods)]

    def key(self, target: str, script: Subject, method: str) -> Key:
        """The key of the answers to the variants of a script."""
        return target, f"{script.number(self.seed):016x}-{self.check_ms:g}", method


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


def carry_out(question: Question, store: Store, told: Told, notice: Notice) -> None:
    """Ask the questions that the store has no answers for; `told` is called for each list of answers.
    Raises InputError, TargetError.
    """
    for target in question.targets:
        todo = list(_missing(question, store, target))
        if not todo:
            continue

        def keep(subject: tuple[int, str], found: Found, target: str = target) -> None:
            number, method = subject
            store.keep(question.key(target, question.scripts[number], method), found)
            told()

        plan = _plan_of(question, target, notice)
        Lists(plan, question.limits, question.jobs, _seed, keep).ask(todo)


def lists_of(question: Question, store: Store) -> int:
    """The number of lists that are still to be asked."""
    return sum(1 for target in question.targets for _ in _missing(question, store, target))


def rows(question: Question, store: Store) -> Iterator[Row]:
    """The results of the question, by target and script."""
    for target in question.targets:
        for script in question.scripts:
            yield _row(question, store, target, script)


def _row(question: Question, store: Store, target: str, script: Subject) -> Row:
    spreads: dict[str, Spread] = {}
    first: dict[str, str] = {}
    crashed: dict[str, str] = {}
    for method, count in question.asked():
        known = store.of(question.key(target, script, method))
        found = {place: known[place] for place in range(count) if place in known}
        for place, one in found.items():
            first.setdefault(one.answer, f"{method}:{place}")
            if one.answer == "crash":
                crashed.setdefault(one.message, f"{method}:{place}")
        if method != PLAIN:
            spreads[method] = spread([(one.answer, one.cost) for one in found.values()])
    plain = store.of(question.key(target, script, PLAIN)).get(0, Answer("unknown"))
    crashes = "; ".join(f"{where} crashes: {message}" for message, where in crashed.items())
    return Row(target, script.name, plain, spreads, first, crashes)


def _missing(
    question: Question, store: Store, target: str
) -> Iterator[tuple[tuple[int, str], range]]:
    """The lists of variants without an answer, by number of the script and method."""
    for number, script in enumerate(question.scripts):
        for method, count in question.asked():
            known = store.of(question.key(target, script, method))
            for places in missing(known, range(count), _LIST):
                yield (number, method), places


def _seed(subject: tuple[int, str], places: range) -> int:
    number, method = subject
    return seed_of(number, list(METHODS).index(method), places)


def _plan_of(question: Question, name: str, notice: Notice) -> Plan:
    setup: VaryingSetup = {
        **script_setup(SESSION, name, question.wrapper, question.check_ms),
        "scripts": [(one.name, one.text, one.number(question.seed)) for one in question.scripts],
        "dialect": parse_target(name).solver,
    }
    return script_plan(name, setup, notice)
