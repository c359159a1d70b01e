"""The operators that can be applied to given terms, and the weight of each. Rare operators get
larger weights, so that they occur, too.
"""

from __future__ import annotations

from collections import Counter

from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.machine.random import Weighted

_ANYWHERE = 0.35  # the weight of an operator that takes terms of any sort, or formulas
# The weight, in comparisons, of an operator that can also occur elsewhere: within its own
# arguments, or in the place of another operator.
_COMMON = 0.1
_ALONE = 0.5  # the weight of an operator that can replace no other
_ABROAD = 0.1  # the weight of an operator whose result has a sort of which the seed has no term
_NEVER = frozenset(["OP_UF_APPLY"])


class Producers:
    """The operators that can be applied to terms of some kinds of sorts, by the kind of sort of
    their result.

    An operator that takes any sort can occur in nearly every script. So it gets less weight than an
    operator that takes only these sorts.
    """

    def __init__(self, catalogue: Catalogue, operators: frozenset[str]) -> None:
        self._all: list[tuple[Operator, frozenset[str]]] = []
        for operator in catalogue.operators.values():
            if (
                operator.kind not in operators
                or operator.typing
                or operator.signature.binder
                or operator.kind in _NEVER
            ):
                continue
            self._all.append(
                (
                    operator,
                    frozenset([p.kind for p in operator.signature.args if p.kind is not None]),
                )
            )
        ranks = Counter(rank(operator) for operator, _ in self._all)
        self._alone = frozenset(
            [op.kind for op, _ in self._all if op.signature.args and ranks[rank(op)] == 1]
        )
        self._known: dict[tuple[str | None, tuple[str, ...]], Weighted[Operator]] = {}

    def of(self, kinds: tuple[str, ...], given: str | None = None) -> Weighted[Operator]:
        """The operators whose result may have the kind `given` (None for any), for terms of these
        kinds.
        """
        found = self._known.get((given, kinds))
        if found is None:
            found = self._known[given, kinds] = Weighted(
                [
                    (
                        operator,
                        likelihood(operator) * (1 if given else self._share(operator, kinds)),
                    )
                    for operator, taken in self._all
                    if taken.issubset(kinds)
                    and given in (None, operator.signature.result.kind or given)
                ]
            )
        return found

    def _share(self, operator: Operator, kinds: tuple[str, ...]) -> float:
        """The share of an operator's weight with which it is compared. It is largest for an
        operator that can occur nowhere else and stays within these sorts.
        """
        stays = operator.signature.result.kind in (None, "SORT_BOOL", *kinds)
        alone = _ALONE if operator.kind in self._alone else _COMMON
        return (1 if crosses(operator) else alone) * (1 if stays else _ABROAD)


def likelihood(operator: Operator) -> float:
    """The weight of an operator among those that can be applied.

    Operators on any terms, or on formulas, can occur in every script. Operators on terms of several
    sorts need a script with all these sorts.
    """
    taken = dict.fromkeys(pattern.kind for pattern in operator.signature.args)
    # pseudo-Boolean operators, which can replace no connective
    weighed = any(index.each for index in operator.signature.indices)
    if taken and all(kind in (None, "SORT_BOOL") for kind in taken) and not weighed:
        return _ANYWHERE
    return len({**taken, operator.signature.result.kind: None})


def crosses(operator: Operator) -> bool:
    """Whether an operator makes terms of one sort from terms of other sorts."""
    signature = operator.signature
    return (
        signature.result.kind != "SORT_BOOL"
        and bool(signature.args)
        and signature.result not in signature.args
    )


def rank(operator: Operator) -> tuple[object, ...]:
    """The part of an operator's signature that two operators share if each can replace the other."""
    signature = operator.signature
    return signature.args, signature.result, len(signature.indices)
