"""Whether formulas have no model: all values of their constants are tried where there are few enough,
else the smallest ones. The evaluator computes; no solver is asked.

A solver that answers sat to formulas without a model is wrong in its answer, and not only in the model
that it gives: that is a solution unsoundness.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from math import prod

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import SETS, Sort
from murxpy.logic.terms import CONSTANT, VALUE, Term
from murxpy.logic.walks import subterms
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.values import CannotSay, Interpretation, SetValue, Value

NAME = "solution unsoundness"
_MOST = 4096  # combinations of values that are tried; a script of ten terms takes about 0.2 s
_LISTED = 1024  # values of one constant that are listed
# What the smallest values can tell. Where a larger number stands in the formulas, or more than this
# many terms, a model may need values that are not tried.
_CONSTANTS, _TERMS, _LARGEST = 2, 12, 3
_LONGEST = 4  # elements of the sequences and texts that are tried
_NUMBERS = tuple(range(-16, 17))
_LETTERS = "ab0"
_ELEMENTS = 5  # elements of which sequences and sets are made
_FEWEST = 12  # combinations that must be tried before anything is said


@dataclass(frozen=True, slots=True)
class Refuted:
    """Formulas of which some are false for each of `count` combinations of values. With `complete`
    these are all combinations, so that the formulas have no model.
    """

    count: int
    complete: bool

    @property
    def alone(self) -> bool:
        """Whether the formulas are true or false whatever the solver chooses."""
        return self.complete and self.count == 1

    def sentence(self) -> str:
        """What was seen, in words that follow the name of the finding."""
        if self.alone:
            return f"{NAME}: answered sat, and one of the assertions is false whatever the solver chooses"
        which = "possible" if self.complete else "tried"
        return f"{NAME}: answered sat, and none of {self.count:,} {which} values makes all assertions true"


def refuted(formulas: Sequence[Term], catalogue: Catalogue) -> Refuted | None:
    """What shows that the formulas have no model; None where a model was found, where a value cannot be
    computed, and where the values that were tried say nothing.
    """
    constants, pools, complete = _pools(formulas, catalogue)
    count = 0
    try:
        for values in islice(product(*pools), _MOST):
            point = dict(zip(constants, values, strict=True))
            if not _false(formulas, Evaluator(catalogue, Interpretation(point))):
                return None
            count += 1
    except (CannotSay, OverflowError, MemoryError, RecursionError):
        return None
    return Refuted(count, complete) if complete or count >= _FEWEST else None


def satisfying(formulas: Sequence[Term], catalogue: Catalogue) -> Mapping[Term, Value]:
    """Values of the constants that make all formulas true, whatever the points are that the standard
    leaves open; empty where none was found among those that are tried.
    """
    constants, pools, _ = _pools(formulas, catalogue, cofinite=False)
    for values in islice(product(*pools), _MOST):
        point = dict(zip(constants, values, strict=True))
        evaluator = Evaluator(catalogue, Interpretation(point))
        try:
            if point and all(evaluator.possible(formula) == (True,) for formula in formulas):
                return point
        except (CannotSay, OverflowError, MemoryError, RecursionError):
            continue
    return {}


def _pools(
    formulas: Sequence[Term], catalogue: Catalogue, cofinite: bool = True
) -> tuple[list[Term], list[Iterable[Value]], bool]:
    """The constants of the formulas, the values of each that are tried, and whether these are all. There
    are none to try where small values tell nothing. With `cofinite`, sets of all values but a few are
    among them; some solvers have no such sets.
    """
    terms = list(subterms(formulas))
    constants = [term for term in terms if term.op == CONSTANT]
    known = Evaluator(catalogue, Interpretation(), domain=_LISTED)
    listed = [known.domain(constant.sort) for constant in constants]
    if all(listed) and prod(len(values or ()) for values in listed) <= _MOST:
        return constants, [values or () for values in listed], True
    if not _small(terms, constants):
        return constants, [()], False
    said: dict[Sort, list[Value]] = {}
    for term in terms:
        if term.op == VALUE:
            said.setdefault(term.sort, []).extend(known.possible(term))
    pools = [_smallest(one.sort, known, said, cofinite) for one in constants]
    return constants, [*map(list, pools)], False


def _small(terms: Sequence[Term], constants: Sequence[Term]) -> bool:
    """Whether small values would be a model if there were one."""
    numbers = [term.indices[0] for term in terms if term.op == VALUE]
    large = any(isinstance(one, int) and abs(one) > _LARGEST for one in numbers)
    return len(constants) <= _CONSTANTS and len(terms) <= _TERMS and not large


def _smallest(
    sort: Sort, known: Evaluator, said: Mapping[Sort, Sequence[Value]], cofinite: bool
) -> Iterator[Value]:
    """The smallest values of a sort; none of a sort of which small values tell nothing. Elements of
    sequences and sets are those that the formulas `said`, and small ones.
    """
    few = known.domain(sort)
    if few:
        yield from few[:_LISTED]
    elif sort.kind == "SORT_INT":
        yield from _NUMBERS
    elif sort.kind == "SORT_STRING":
        for length in range(_LONGEST + 1):
            yield from map("".join, product(_LETTERS, repeat=length))
    elif sort.kind in ("SORT_SEQ", *SETS):
        inner = list(islice(_smallest(sort.sort(0), known, said, cofinite), len(_NUMBERS)))
        if not inner:
            return
        small = inner[len(inner) // 2 :][: len(_LETTERS)]
        near = [*dict.fromkeys([*small, *said.get(sort.sort(0), ())])][:_ELEMENTS]
        for length in range(_LONGEST + 1):
            if sort.kind == "SORT_SEQ":
                yield from product(near, repeat=length)
                continue
            for members in combinations(near, length):
                yield SetValue(frozenset(members))
                if cofinite:
                    yield SetValue(frozenset(members), complement=True)


def _false(formulas: Sequence[Term], evaluator: Evaluator) -> bool:
    """Whether one of the formulas is false, whatever the points are that the standard leaves open.
    Raises CannotSay.
    """
    unknown: CannotSay | None = None
    for formula in formulas:
        try:
            if evaluator.possible(formula) == (False,):
                return True
        except CannotSay as reason:
            unknown = reason
    if unknown is not None:
        raise unknown
    return False
