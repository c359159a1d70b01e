"""What a mutation fuzzer works with in one run: its seeds, its random stream, and the solver to
ask. And what it makes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.machine.generate.profile import Profile
from murxpy.machine.random import Stream
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Script
from murxpy.smtlib.tables import Tables

# characters of seeds that are kept as they were read: more would make the collection of garbage
# slow
OPEN = 400_000


@dataclass(frozen=True, slots=True)
class Seed:
    """A script to start from: its name, its text, and what its checks are labelled with: `sat`,
    `unsat`, both with a blank between, empty for nothing.
    """

    name: str
    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A script that was made: what was done to get there from the mutant before it, and the answers
    known by construction.
    """

    script: Script
    steps: tuple[str, ...]
    expected: tuple[str, ...] = ()


Answers = Sequence[str] | None
Mutants = Generator[Mutant, Answers, None]


class Lasting(Protocol):
    """What is worth keeping from run to run: it depends on catalogue and operators alone, whatever
    runs ask of it.
    """

    def __init__(self, catalogue: Catalogue, operators: frozenset[str]) -> None: ...


L = TypeVar("L", bound=Lasting)


class Shop:
    """What the runs of a session have in common: the catalogue, the operators that solver and
    dialect have, and what they do not take.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        operators: frozenset[str],
        dialect: str,
        profile: Profile | None = None,
    ) -> None:
        self.catalogue = catalogue
        self.profile = profile or Profile({})
        self._all = operators
        self.speak(dialect)
        self._lasting: dict[type, Any] = {}
        self._opened: dict[Seed, Script] = {}

    def speak(self, dialect: str) -> None:
        """Print scripts in a dialect, and use the operators that it has."""
        self.dialect = dialect
        self.operators = self._all & self.catalogue.dialect(dialect).says

    def lasting(self, kind: type[L]) -> L:
        """The one object of this kind."""
        if kind not in self._lasting:
            self._lasting[kind] = kind(self.catalogue, self.operators)
        found: L = self._lasting[kind]
        return found

    def open(self, seed: Seed) -> Script | None:
        """The script of a seed, in tables that hold nothing else and are its reader's own; None for
        what is no SMT-LIB.
        """
        found = self._opened.pop(seed, None)
        if found is None:
            try:
                found = read_script(seed.text, seed.name, self.catalogue)
            except InputError:
                return None
        self._opened[seed] = found  # as the last that was used
        while sum(len(other.text) for other in self._opened) > OPEN:
            del self._opened[next(iter(self._opened))]
        return replace(found, tables=found.tables.copy(), commands=list(found.commands))


class Workshop:
    """One run's means: tables of its own, into which its seeds are read, and nothing that another
    run has touched.

    `ask` runs a script on the solver, as a line of the trace, and gives what the solver prints;
    None where it refuses. `choices` are the user's settings of the fuzzer.
    """

    def __init__(
        self,
        shop: Shop,
        stream: Stream,
        seeds: Sequence[Seed],
        ask: Callable[[str], str | None],
        choices: dict[str, Any],
    ) -> None:
        self.shop = shop
        self.catalogue = shop.catalogue
        self.stream = stream
        self.seeds = seeds
        self.ask = ask
        self.choices = choices
        self._first = shop.open(seeds[0])
        self.tables = Tables(shop.catalogue) if self._first is None else self._first.tables
        self.unreadable: dict[int, None] = {}  # places of seeds that are no SMT-LIB

    def read(self, seed: Seed) -> Script:
        """The script of a seed, in the tables of this run. Raises InputError for what is no
        SMT-LIB.
        """
        first, self._first = self._first, None
        if first is not None and seed is self.seeds[0]:
            return first
        try:
            return read_script(seed.text, seed.name, self.catalogue, self.tables)
        except InputError:
            self.unreadable.update(
                {place: None for place, other in enumerate(self.seeds) if other is seed}
            )
            raise

    def script(self) -> Script | None:
        """The script of the run's first seed; None where it cannot be read."""
        try:
            return self.read(self.seeds[0])
        except InputError:
            return None


Fuzzer = Callable[[Workshop], Mutants]
"""Makes mutants one after another; each `yield` gives back the answers of the mutant's checks, None where it was refused."""
