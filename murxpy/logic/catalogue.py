"""Theories and operators as the data folder defines them: the one source of every signature."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from murxpy.logic.signature import Signature, parse_signature


@dataclass(frozen=True, eq=False)
class Operator:
    """An operator kind: its name in traces, SMT-LIB name, rank, and what generator and printer must
    know of it.
    """

    kind: str
    theory: str
    smtlib: str
    signature: Signature
    typing: str | None = None  # a rule of murxpy.logic.typing, where a rank cannot say it
    nonlinear: str | None = None  # product | quotient | always
    feature: str | None = None
    extension: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def minimum(self) -> int:
        """The least number of arguments (variables of a binder not counted)."""
        return sum(1 for p in self.signature.args if not p.star)

    @property
    def variadic(self) -> bool:
        """True if it takes more arguments than the minimum."""
        return self.signature.attribute is not None


@dataclass(frozen=True)
class SortKind:
    """A sort kind: its theory, SMT-LIB name, the kinds of its parameters, its special values."""

    kind: str
    theory: str
    smtlib: str
    params: tuple[str, ...] = ()
    special: tuple[str, ...] = ()


@dataclass(frozen=True)
class Theory:
    """A theory: name, the standard's name, theories it needs."""

    name: str
    smtlib: str
    always: bool
    requires: tuple[str, ...]


@dataclass(eq=False)
class Catalogue:
    """All theories, sort kinds and operators, in the order of the data folder."""

    theories: dict[str, Theory] = field(default_factory=dict)
    sorts: dict[str, SortKind] = field(default_factory=dict)
    operators: dict[str, Operator] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)

    def of_theory(self, name: str) -> list[Operator]:
        """The operators of a theory."""
        return [op for op in self.operators.values() if op.theory == name]


def build_catalogue(data: dict[str, Any]) -> Catalogue:
    """The catalogue of decoded theory files; InputError for a signature that cannot be read."""
    catalogue = Catalogue()
    for theory in data["theories"]:
        name = theory["name"]
        catalogue.theories[name] = Theory(
            name,
            theory.get("smtlib", "-"),
            bool(theory.get("always")),
            tuple(theory.get("requires") or ()),
        )
        for kind, sort in (theory.get("sorts") or {}).items():
            params, special = sort.get("params") or (), sort.get("special") or ()
            catalogue.sorts[kind] = SortKind(
                kind, name, sort["smtlib"], tuple(params), tuple(special)
            )
        for kind, entry in (theory.get("operators") or {}).items():
            _add_operator(catalogue, name, kind, entry)
    return catalogue


def _add_operator(catalogue: Catalogue, theory: str, kind: str, entry: dict[str, Any]) -> None:
    aliases = tuple(entry.get("aliases") or ())
    catalogue.operators[kind] = Operator(
        kind,
        theory,
        entry["smtlib"],
        parse_signature(entry["sig"], kind),
        entry.get("typing"),
        entry.get("nonlinear"),
        entry.get("feature"),
        bool(entry.get("extension")),
        aliases,
    )
    for alias in aliases:
        catalogue.aliases[alias] = kind
