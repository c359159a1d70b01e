"""Which operators can be applied to the terms that are there, and how often each is drawn, so that
rare ones come, too.
"""

from __future__ import annotations

from collections import Counter

from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.machine.random import Weighted

_ANYWHERE = 0.35  # the weight of an operator that takes any terms, or formulas
# the weight in what is compared of an operator that other places have: it fits in one of its
# arguments, or for another
_COMMON = 0.1
_ALONE = 0.5  # of one that can stand for no other
_ABROAD = 0.1  # the weight of one that gives a sort of which the seed has no term
_NEVER = frozenset(["OP_UF_APPLY"])


class Producers:
    """The operators that can be applied where terms of some kinds of sorts are, by the kind of sort
    that they give.

    What takes terms of any sort can come nearly everywhere, so there it comes less often than what
    only these sorts have.
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
        """Those that may give a sort of the kind `given`, None for any, where terms of these kinds
        are.
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
        """How often an operator is compared, of its likelihood: most what can come nowhere else and
        stays with these sorts.
        """
        stays = operator.signature.result.kind in (None, "SORT_BOOL", *kinds)
        alone = _ALONE if operator.kind in self._alone else _COMMON
        return (1 if crosses(operator) else alone) * (1 if stays else _ABROAD)


def likelihood(operator: Operator) -> float:
    """The weight of an operator where one is drawn among those that can be applied.

    What takes any terms, or formulas, can come in any script, what takes terms of several sorts
    only where all of these are.
    """
    taken = dict.fromkeys(pattern.kind for pattern in operator.signature.args)
    # pseudo-Boolean: can stand for no connective
    weighed = any(index.each for index in operator.signature.indices)
    if taken and all(kind in (None, "SORT_BOOL") for kind in taken) and not weighed:
        return _ANYWHERE
    return len({**taken, operator.signature.result.kind: None})


def crosses(operator: Operator) -> bool:
    """Whether an operator makes terms of one sort from those of others."""
    signature = operator.signature
    return (
        signature.result.kind != "SORT_BOOL"
        and bool(signature.args)
        and signature.result not in signature.args
    )


def rank(operator: Operator) -> tuple[object, ...]:
    """What two operators have in common of which each can stand for the other."""
    signature = operator.signature
    return signature.args, signature.result, len(signature.indices)
