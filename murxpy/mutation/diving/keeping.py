"""What stays known of a script while its terms change: the models of its satisfiable checks, or the
core of an unsatisfiable one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from murxpy.logic.terms import Term
from murxpy.mutation.diving.formulas import Formulas, Spot
from murxpy.mutation.diving.places import Places
from murxpy.mutation.diving.witness import Witness
from murxpy.mutation.workshop import Shop
from murxpy.semantics.ranges.abstract import ANY, NOTHING, TRUE, Range


class Keeping(Protocol):
    """Decides what may change in a script so that its answers stay known."""

    expected: tuple[str, ...]  # the answers of the checks, `unknown` where nothing is known
    at: int  # the number of the model that is kept

    @property
    def witness(self) -> Witness | None:
        """The model that is kept; None if none is."""

    @property
    def places(self) -> Places:
        """The places in formulas, and their ranges."""

    def wanted(self, spot: Spot) -> Range:
        """The range in which a formula must stay."""

    def each(self) -> Iterable[Witness]:
        """All models, for a new constant that gets a value in each of them."""

    def keeps(self, spot: Spot, changed: Term) -> bool:
        """Whether a formula may stand at a spot although its new term is in no range."""

    def trust(self, spot: Spot, changed: Term) -> None:
        """Note that a formula has the value of the one at a spot in the model that is kept."""


class Models:
    """Keeps one of several models of the checks that are satisfiable in it. Checks of which the
    first model is none have no known answers.
    """

    def __init__(
        self,
        shop: Shop,
        formulas: Formulas,
        witnesses: Sequence[Witness],
        weighted: bool,
    ) -> None:
        self._formulas = formulas
        self._witnesses = list(witnesses)
        self._places = [Places(shop, witness, weighted) for witness in witnesses]
        checks = range(len(formulas.seen))
        self._known = [check for check in checks if self._holds(self._witnesses[0], check)]
        self.expected = tuple("sat" if check in self._known else "unknown" for check in checks)
        self._bound = {number for check in self._known for number in formulas.seen[check]}
        self.at = 0  # the model that is kept

    @property
    def witness(self) -> Witness:
        """The model that is kept."""
        return self._witnesses[self.at]

    @property
    def places(self) -> Places:
        """The places in formulas, with their ranges in the model that is kept."""
        return self._places[self.at]

    def each(self) -> Iterable[Witness]:
        """All models, for a new constant that gets a value in each of them."""
        return self._witnesses

    def wanted(self, spot: Spot) -> Range:
        """The range of a formula: anything, if it is at no check whose answer is known."""
        return TRUE if spot[0] in self._bound else ANY

    def keeps(self, spot: Spot, changed: Term) -> bool:
        """Whether a model satisfies all known checks with a formula at a spot; it is then kept."""
        if self.wanted(spot) is ANY or self.witness.value(changed) is True:
            return True
        for at, witness in enumerate(self._witnesses):
            if at != self.at and self._satisfies(witness, spot, changed):
                self.at = at
                return True
        return False

    def trust(self, spot: Spot, changed: Term) -> None:
        """Note that a formula has the value of the one at a spot in the model that is kept."""
        self.witness.trust(changed, self._formulas.at(spot))

    def _satisfies(self, witness: Witness, spot: Spot, changed: Term) -> bool:
        if witness.value(changed) is not True:
            return False
        others = (self._formulas.at_check(check, spot) for check in self._known)
        return all(witness.holds(term) for terms in others for term in terms)

    def _holds(self, witness: Witness, check: int) -> bool:
        return all(map(witness.holds, self._formulas.at_check(check)))


class Core:
    """Keeps an unsatisfiable core: its formulas stay as they are or become stronger, and all others may
    become anything. `at` is the number of the core that is kept, of all that there were.
    """

    witness: Witness | None = None

    def __init__(self, shop: Shop, formulas: Formulas, core: Sequence[Term]) -> None:
        self.places = Places(shop, None)
        self._cores = [frozenset(core)]
        self.at = 0
        self._formulas = formulas
        self.expected = tuple(
            "unsat" if self._core.issubset(formulas.at_check(check)) else "unknown"
            for check in range(len(formulas.seen))
        )

    @property
    def _core(self) -> frozenset[Term]:
        return self._cores[self.at]

    def once(self) -> list[Spot]:
        """The spots of those formulas of the core that stand at one spot alone."""
        found: dict[Term, list[Spot]] = {}
        for spot in self._formulas.spots():
            found.setdefault(self._formulas.at(spot), []).append(spot)
        return [spots[0] for term, spots in found.items() if term in self._core and not spots[1:]]

    def strengthened(self, old: Term, new: Term) -> None:
        """Note that a formula of the core becomes a stronger one."""
        del self._cores[self.at + 1 :]
        self._cores.append(self._core - {old} | {new})
        self.at += 1

    def each(self) -> Iterable[Witness]:
        """No models."""
        return ()

    def trust(self, spot: Spot, changed: Term) -> None:
        """Do nothing, since there is no model."""

    def wanted(self, spot: Spot) -> Range:
        """The range of a formula: itself in the core, and anything elsewhere."""
        return NOTHING if self._formulas.at(spot) in self._core else ANY

    def keeps(self, spot: Spot, changed: Term) -> bool:
        """Whether the formula at a spot is not of the core."""
        return self.wanted(spot) is ANY
