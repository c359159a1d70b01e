"""A wrapper's profile, compiled: what is not to be generated because the binding would refuse it."""

from __future__ import annotations

from typing import Any

from murxpy.logic.catalogue import Operator
from murxpy.logic.sorts import Sort, components


class Profile:
    """Questions that the generator asks of a profile; the format is in `docs/profiles.md`."""

    def __init__(self, data: dict[str, Any], function_terms: bool = True) -> None:
        self.data = data
        # True if a function is a term, and not only a declaration that can be applied
        self._function_terms = function_terms
        sorts = data.get("sorts") or {}
        self.excluded_kinds = frozenset(sorts.get("exclude") or ())
        self._contexts = {
            name: frozenset(entry.get("exclude") or ())
            for name, entry in sorts.items()
            if isinstance(entry, dict)
        }
        self.excluded_operators = frozenset(data.get("exclude-operators") or ())
        self.operators: dict[str, dict[str, Any]] = data.get("operators") or {}
        self.limits: dict[str, int] = dict((data.get("limits") or {}).items())
        self.combinations: dict[str, list[str]] = data.get("exclude-combinations") or {}
        self._literals = {
            kind: entry["literals"]
            for kind, entry in self.operators.items()
            if entry.get("literals")
        }
        self._no_sorts = {
            kind: frozenset(entry["exclude-sorts"])
            for kind, entry in self.operators.items()
            if entry.get("exclude-sorts")
        }

    def allows(self, context: str, sort: Sort) -> bool:
        """True if a sort may stand at this position (`array-index`, `const`, ...). The parameters
        of the sort are checked, too.
        """
        return self.allows_kind(context, sort.kind)

    def allows_kind(self, context: str, kind: str) -> bool:
        """True if sorts of this kind may stand at this position."""
        if kind == "SORT_FUN" and not self._function_terms and context != "const":
            return False
        return kind not in self.excluded_kinds and kind not in self._contexts.get(context, ())

    def operator_takes(self, operator: Operator, sort: Sort) -> bool:
        """True if the profile lets a sort variable of the operator stand for `sort`."""
        if sort.kind == "SORT_FUN" and not self._function_terms:
            return any(pattern.kind == "SORT_FUN" for pattern in operator.signature.args)
        forbidden = self._no_sorts.get(operator.kind)
        return forbidden is None or not any(inner.kind in forbidden for inner in components(sort))

    def literal(self, operator: Operator, position: int) -> str | None:
        """The kind of literal that argument `position` must be (`any`, `char`, ...); None if any
        term may stand there.
        """
        literals = self._literals.get(operator.kind)
        if literals is None:
            return None
        value = literals.get(position, literals.get(str(position)))
        return None if value is None else str(value)

    def literals(self, operator: Operator) -> bool:
        """True if some argument of the operator must be a literal."""
        return operator.kind in self._literals

    def index_range(self, operator: Operator, position: int) -> tuple[int, int] | None:
        """A tighter range of index `position`."""
        entry = self.operators.get(operator.kind)
        indices = entry.get("indices") if entry else None
        if not indices:
            return None
        value = indices.get(position, indices.get(str(position)))
        return None if value is None else (int(value[0]), int(value[1]))

    def arity(self, operator: Operator) -> tuple[int, int] | None:
        """A tighter range of the number of arguments."""
        entry = self.operators.get(operator.kind)
        value = entry.get("arity") if entry else None
        return None if value is None else (int(value[0]), int(value[1]))
