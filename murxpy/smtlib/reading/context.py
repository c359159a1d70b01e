"""What the parts of the reader of terms share: heads, which are what is applied, and the term in
hand with the frames that are open around it.
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
    """Something applied. `plans` says what it becomes for arguments of known sorts; `close` decides
    where they are new.

    `first` is what stands before the arguments: the function of an application.
    """

    def __init__(self, first: tuple[Term, ...] = ()) -> None:
        self.first = list(first)
        self.plans: dict[tuple[Sort, ...], Plan] = {}

    def close(self, reader: TermContext, args: list[Term]) -> Term | None:
        """The term that it makes of `args`; None where something else has to be read first. Raises
        InputError.
        """
        raise NotImplementedError

    def fits(self, reader: TermContext, args: list[Term]) -> bool:
        """True if it takes arguments of these very sorts; asked only where a name stands for
        several things.
        """
        return False

    def remember(self, plan: Plan, args: list[Term]) -> None:
        """Let arguments of the same sorts become the same without asking."""
        self.plans[tuple([a.sort for a in args])] = plan


Frame = tuple[Head, list[Term]]


class TermContext(ABC):
    """The state of the reader of terms, which heads and forms read and change.

    `stack` holds the applications that are open around the one in hand. A form such as `let` is a
    head of its own: it opens and closes more frames and says so by calling `go_on` and giving no
    term.
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
        self.name: str | None = None  # of the whole term, where it is (! t :named name)
        self._named: list[tuple[str, Term]] = []
        self.reals = False  # numerals are reals, as in LRA
        # makes what `(as @S_0 S)` is in a model
        self.elements: Callable[[str, Sort], Term] | None = None
        self.array_lambdas = False  # what a lambda makes is an array
        self.begin()

    def begin(self) -> None:
        """Forget all symbols but the theories'."""
        self.scope.clear()
        self.scope.atoms.update({"true": self.tables.true, "false": self.tables.false})

    def numerals(self, reals: bool) -> None:
        """Say whether numerals are reals from now on."""
        self.reals = reals
        self.scope.forget_literals()

    def go_on(self, head: Head, args: list[Term]) -> None:
        """Let the loop go on inside this frame."""
        self.head, self.args = head, args

    def apply(self, name: str, args: list[Term]) -> Term:
        """A theory's name applied."""
        return self.applier.apply(name, self.words.operators[name], args, (), None)

    @abstractmethod
    def head_of(self, token: str) -> Head:
        """The head that a symbol stands for. Raises InputError."""

    @abstractmethod
    def name_term(self, token: str, term: Term, whole: bool) -> None:
        """A term got a name with `:named`; `whole` where it is the whole term that is read."""
