"""The means of a mutation fuzzer in one run: its seeds, its random stream, and a solver to ask; and
the mutants that it makes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from murxpy.errors import InputError
from murxpy.logic.catalogue import STANDARD, Catalogue
from murxpy.logic.terms import Term
from murxpy.logic.walks import subterms
from murxpy.machine.generate.swarm import Profile
from murxpy.machine.random import Settings, Stream
from murxpy.smtlib.building import Tables
from murxpy.smtlib.problems import HORN
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Script, SetLogic, SetOption
from murxpy.sources.mutation.implications.book import Book

# The number of characters of seeds whose terms are kept in memory. More would make garbage
# collection slow.
OPEN = 400_000


@dataclass(frozen=True, slots=True)
class Seed:
    """A script to start from: its name, its text, and the label of its checks: `sat`, `unsat`, both
    with a blank between them, or empty for none.
    """

    name: str
    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A script that was made, with the steps that led to it from the mutant before it, and the
    answers that are known by construction. `traits` are counted in the statistics of its fuzzer.
    `implied` is the rule of implication that made it of a script that the solver decided.
    """

    script: Script
    steps: tuple[str, ...]
    expected: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    implied: str = ""


Answers = Sequence[str] | None
Mutants = Generator[Mutant, Answers, None]


class Terms(Protocol):
    """Terms of other scripts, by the names of their sorts; `murxpy.sources.mutation.term_store` has them in a file."""

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of terms of each sort."""

    def draw(
        self, sort: str, most: int, stream: Stream, tables: Tables, names: dict[str, Term]
    ) -> list[Term]:
        """Up to `most` terms of a sort, in the tables of a run whose constants have these `names`."""


class Lasting(Protocol):
    """An object that is worth keeping from run to run. The data depends on the catalogue and the
    operators alone.
    """

    def __init__(self, catalogue: Catalogue, operators: frozenset[str]) -> None: ...


L = TypeVar("L", bound=Lasting)


class MutationSession:
    """The shared state of a session's runs: the catalogue, the operators of solver and dialect, and
    the restrictions of both. `solvers_own` are the operators and special values whose meaning the
    solver decides, and `settings` the settings of the state machine, which say how literals are drawn.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        operators: frozenset[str],
        dialect: str,
        profile: Profile | None = None,
        solvers_own: frozenset[str] = frozenset(),
        settings: Settings | None = None,
    ) -> None:
        self.catalogue = catalogue
        self.solvers_own = solvers_own
        self.profile = profile or Profile({})
        self.settings = settings or Settings({}, {})
        self._all = operators
        self.speak(dialect)
        self.tactics = bool(catalogue.dialect(dialect).tactics)  # the solver has checks by tactics
        self.terms: Terms | None = None  # those of all seeds, if the user wants them
        self.book: Book | None = None  # the rules of implication, if a fuzzer needs them
        self._lasting: dict[type, Any] = {}
        self._opened: dict[Seed, Script] = {}

    def speak(self, dialect: str) -> None:
        """Print scripts in a dialect, and use only operators that it has."""
        self.dialect = dialect
        self._printable = self.catalogue.dialect(dialect).says
        self.operators = self._all & self._printable

    def lasting(self, kind: type[L]) -> L:
        """The one object of this class."""
        if kind not in self._lasting:
            self._lasting[kind] = kind(self.catalogue, self.operators)
        found: L = self._lasting[kind]
        return found

    def read(self, seed: Seed, tables: Tables | None = None) -> Script:
        """The script of a seed. Raises InputError for a seed that is no SMT-LIB, or that has operators
        of another dialect.
        """
        script = read_script(seed.text, seed.name, self.catalogue, tables)
        known = self.catalogue.operators
        for term in subterms(script.assertions()):
            if term.op in known and term.op not in self._printable:
                whose = "SMT-LIB" if self.dialect == STANDARD else f"the dialect of {self.dialect}"
                raise InputError(f"{whose} has no {term.op}", file=seed.name)
        return script

    def open(self, seed: Seed) -> Script | None:
        """The script of a seed, in tables of its own; None if the seed cannot be read."""
        found = self._opened.pop(seed, None)
        if found is None:
            try:
                found = self.read(seed)
            except InputError:
                return None
        self._opened[seed] = found  # it is now the one that was used last
        while sum(len(other.text) for other in self._opened) > OPEN:
            del self._opened[next(iter(self._opened))]
        return replace(found, tables=found.tables.copy(), commands=list(found.commands))


class Workshop:
    """The means of one run, with tables of its own, into which its seeds are read. No other run has
    touched the tables.

    `ask` runs a script on the solver, as a line of the trace, and gives what the solver prints;
    None if the solver refuses. `choices` are the user's settings of the fuzzer.
    """

    def __init__(
        self,
        shop: MutationSession,
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
        self._first = shop.open(seeds[0]) if seeds else None
        self.tables = Tables(shop.catalogue) if self._first is None else self._first.tables
        self.keeps_options = not choices.get("drop_options")
        self.horn = False  # a seed is in the logic of Horn clauses
        # the options of the seeds that were read; of two values of one option, that of the earlier seed
        self.options: dict[str, str] = {}
        self.unreadable: dict[int, None] = {}  # the positions of seeds that cannot be read

    def read(self, seed: Seed) -> Script:
        """The script of a seed, in the tables of this run. Raises InputError as `MutationSession.read` does."""
        script = self._read(seed)
        self.horn = self.horn or any(
            isinstance(c, SetLogic) and c.logic == HORN for c in script.commands
        )
        if self.keeps_options:
            own = {c.name: c.value for c in script.commands if isinstance(c, SetOption)}
            self.options = {**own, **self.options}
        return script

    def _read(self, seed: Seed) -> Script:
        first, self._first = self._first, None
        if first is not None and seed is self.seeds[0]:
            return first
        try:
            return self.shop.read(seed, self.tables)
        except InputError:
            self.unreadable.update(
                {place: None for place, other in enumerate(self.seeds) if other is seed}
            )
            raise

    def script(self) -> Script | None:
        """The script of the run's first seed; None if it cannot be read."""
        try:
            return self.read(self.seeds[0])
        except InputError:
            return None


Fuzzer = Callable[[Workshop], Mutants]
"""Makes mutants one after another; each `yield` gives back the answers of the mutant's checks, None where it was refused."""
