"""The planted model of a run: an interpretation that the lines `plant` give, and the values of
terms in it.
"""

from __future__ import annotations

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import SPECIAL, Term, bottom_up
from murxpy.logic.values import BadValue
from murxpy.machine.planted_words import element
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.model import Interpretation
from murxpy.semantics.values import CannotSay, FunctionValue, Value

# the exceptions of Python's own that a value of a wrong form can cause in the evaluator
TOO_LARGE = (OverflowError, MemoryError, RecursionError)
# Limits of one evaluation, in steps. They are smaller than the limits for checking a model, because
# every term of a run is evaluated.
DOMAIN, WORLDS, BODIES = 1 << 8, 32, 1 << 11
# Operators at whose open points (division by zero) a model may have any value, by SMT-LIB and in
# the solvers. They are grouped by the kind of their sorts. At the open points of other operators, a
# solver may have fixed values of its own.
OPEN = {"OP_INT_DIV": "SORT_INT", "OP_INT_MOD": "SORT_INT", "OP_REAL_DIV": "SORT_REAL"}
_UNIVERSE = ("OP_SET_COMPLEMENT", "set.universe")


class Planted:
    """An interpretation of constants and uninterpreted sorts, which grows as these are made.

    `unjudged` has the operators and special values whose meaning the solver decides. With
    `open_universe`, only a model of the solver says what `set.universe` is. A term that contains
    one of these has no known value.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        unjudged: frozenset[str] = frozenset(),
        open_universe: bool = False,
    ) -> None:
        self.interpretation = Interpretation()
        self._catalogue = catalogue
        self._judged = Judged(solvers_own(unjudged, open_universe))
        self._latest = -1
        self.evaluator = self._new()

    def _new(self) -> Evaluator:
        return Evaluator(
            self._catalogue, self.interpretation, domain=DOMAIN, worlds=WORLDS, bodies=BODIES
        )

    def fix(self, constant: Term, value: Value) -> None:
        """Give a constant its value. Raises BadValue if the constant has another value."""
        known = self.interpretation.constants.setdefault(constant, value)
        if known != value:
            raise BadValue(f"the constant {constant.indices[0]} has another value already")
        # the constant may have been evaluated before, as a constant without a value
        if constant.serial <= self._latest:
            self.evaluator = self._new()

    def fix_open(self, kind: str, function: FunctionValue) -> None:
        """Say what an operator gives at the points that the standard leaves open. Raises BadValue
        if this is already said.
        """
        known = self.interpretation.partial.setdefault(kind, function)
        if known != function:
            raise BadValue(f"{kind} has other values at its open points already")
        self.evaluator = self._new()

    def fix_size(self, sort: Sort, size: int) -> None:
        """Give an uninterpreted sort its number of elements. Raises BadValue if the sort has
        another number.
        """
        domain = tuple(map(element, range(size)))
        known = self.interpretation.domains.setdefault(sort, domain)
        if known != domain:
            raise BadValue(f"the sort {sort} has {len(known)} elements already")
        self.evaluator = self._new()

    def value(self, term: Term) -> Value:
        """The value of a closed term, if it is the same for all choices at open points. Raises
        CannotSay.
        """
        if not self._judged(term):
            raise CannotSay("an operator whose meaning is the solver's own")
        self._latest = max(self._latest, term.serial)
        try:
            return self.evaluator.value(term)
        except TOO_LARGE as error:
            raise CannotSay(f"too large: {error}") from None

    def truth(self, formula: Term) -> bool | None:
        """Whether a closed formula is true; None if this cannot be decided."""
        try:
            return bool(self.value(formula))
        except CannotSay:
            return None


def solvers_own(unjudged: frozenset[str], open_universe: bool) -> frozenset[str]:
    """The operators and special values whose meaning the solver decides, also that of the universe
    if only a model of the solver says what it is.
    """
    return unjudged | (frozenset(_UNIVERSE) if open_universe else frozenset())


class Judged:
    """Tells whether the evaluator knows the meaning of all that is in a term. `excluded` are the
    operators and special values of which only the solver knows it. The results are remembered.
    """

    def __init__(self, excluded: frozenset[str]) -> None:
        self._excluded = excluded
        self._known: dict[Term, bool] = {}

    def __call__(self, root: Term) -> bool:
        known = self._known
        for term in bottom_up(root, known):
            own = term.op in self._excluded or (
                term.op == SPECIAL and term.indices[0] in self._excluded
            )
            known[term] = not own and all(known[arg] for arg in term.args)
        return known[root]
