"""The state that the parts of the reader of terms share: the heads, which are the things that can
be applied, and a stack of the applications that are not closed yet.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.smtlib.reading.applying import Applier, Plan
from murxpy.smtlib.reading.scope import Scope
from murxpy.smtlib.reading.sorts import SortReader
from murxpy.smtlib.reading.vocabulary import Vocabulary
from murxpy.smtlib.syntax.source import Source
from murxpy.smtlib.tables import Tables


class Head:
    """Something that can be applied.

    `first` are the arguments before those in the script, such as the function of an application.
    `plans` remembers what is built for arguments of given sorts; for new sorts, `close` decides it.
    """

    def __init__(self, first: tuple[Term, ...] = ()) -> None:
        self.first = list(first)
        self.plans: dict[tuple[Sort, ...], Plan] = {}

    def close(self, reader: TermContext, args: list[Term]) -> Term | None:
        """Return the application to `args`, or None if something else must be read first. Raises
        InputError.
        """
        raise NotImplementedError

    def fits(self, reader: TermContext, args: list[Term]) -> bool:
        """Return whether it takes arguments of exactly these sorts. This is asked only if a name
        stands for several things.
        """
        return False

    def remember(self, plan: Plan, args: list[Term]) -> None:
        """Build the same for further arguments of the same sorts, without asking `close`."""
        self.plans[tuple([a.sort for a in args])] = plan


Frame = tuple[Head, list[Term]]


class TermContext(ABC):
    """The state of the reader of terms, which heads and forms read and change.

    `stack` holds the applications around the one that is being read. A form such as `let` is also a
    head: if it has more to read, it calls `go_on` and returns no term.
    """

    def __init__(self, source: Source, tables: Tables, words: Vocabulary) -> None:
        self.source = source
        self.tables = tables
        self.words = words
        self.applier = Applier(tables)
        self.scope: Scope[Head] = Scope()
        self.sorts = SortReader(source, tables.sorts, tables.catalogue, words, self.scope)
        self.stack: list[Frame] = []
        self.root = Head()
        self.head: Head = self.root
        self.args: list[Term] = []
        # the name of the whole term, if the script has `(! t :named name)`
        self.name: str | None = None
        self._named: list[tuple[str, Term]] = []
        self.reals = False  # whether numerals are reals, as in the logic LRA
        # makes the term that `(as @S_0 S)` stands for in a model
        self.elements: Callable[[str, Sort], Term] | None = None
        self.array_lambdas = False  # whether lambdas are arrays
        self.begin()

    def begin(self) -> None:
        """Forget all symbols except those of the theories."""
        self.scope.clear()
        self.scope.atoms.update({"true": self.tables.true, "false": self.tables.false})

    def numerals(self, reals: bool) -> None:
        """Set whether numerals are reals from now on."""
        self.reals = reals
        self.scope.forget_literals()

    def go_on(self, head: Head, args: list[Term]) -> None:
        """Continue reading in this frame."""
        self.head, self.args = head, args

    def apply(self, name: str, args: list[Term]) -> Term:
        """Return the application of a name of a theory."""
        return self.applier.apply(name, self.words.operators[name], args, (), None)

    @abstractmethod
    def head_of(self, token: str) -> Head:
        """Return the head that a symbol stands for. Raises InputError."""

    @abstractmethod
    def name_term(self, token: str, term: Term, whole: bool) -> None:
        """Note the name that `:named` gives to a term. `whole` says whether it is the whole term
        that is being read.
        """
