"""Theories and operators as the data folder defines them: the one source of every signature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from murxpy.logic.dialects import STANDARD, Dialect, Standard, build_dialects
from murxpy.logic.signature import Signature, parse_signature


@dataclass(frozen=True, eq=False)
class Operator:
    """An operator kind: its name in traces, SMT-LIB name, rank, and what generator and printer must
    know of it.

    Of scripts: `form` is how it is written where name and arguments do not say it, `definition` an
    expression of the standard that means the same, `uses` the sorts that this expression needs
    beside those of the arguments. `also` are other names that a script may use for it. `by_bits` is
    the operator by which it is printed bit by bit. `in_scripts` says that scripts of the standard
    have this extension, `binary` that it takes two arguments there, though it is chainable.
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
    form: str = ""
    definition: str = ""
    uses: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    by_bits: str = ""
    in_scripts: bool = False
    binary: bool = False

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
    """A sort kind: its theory, SMT-LIB name, the kinds of its parameters, its special values.

    `extension` says that the standard has no such sort. `short` are names of instances, by their
    numbers. `special_forms` are the standard's spellings of special values, and `special_also` are
    other names of special values that a script may use.
    """

    kind: str
    theory: str
    smtlib: str
    params: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    extension: bool = False
    short: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    special_forms: Mapping[str, str] = field(default_factory=dict)
    special_also: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Theory:
    """A theory: name, the standard's name, theories it needs."""

    name: str
    smtlib: str
    always: bool
    requires: tuple[str, ...]


@dataclass(eq=False)
class Catalogue:
    """All theories, sort kinds and operators, in the order of the data folder, and the dialects of
    SMT-LIB by the name of their solver.
    """

    theories: dict[str, Theory] = field(default_factory=dict)
    sorts: dict[str, SortKind] = field(default_factory=dict)
    operators: dict[str, Operator] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    dialects: dict[str, Dialect] = field(default_factory=dict)

    def dialect(self, name: str) -> Dialect:
        """The dialect of a solver; the standard for a solver that has none of its own."""
        return self.dialects.get(name) or self.dialects[STANDARD]

    def as_spelled(self, kind: str) -> list[str]:
        """The spellings in wrappers that make the very expression by which scripts say an operator:
        a script is then the formula that the solver got.
        """
        known = self.dialects.values()
        return [name for dialect in known for name in dialect.as_spelled.get(kind, ())]

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
            catalogue.sorts[kind] = SortKind(
                kind,
                name,
                sort["smtlib"],
                tuple(sort.get("params") or ()),
                tuple(sort.get("special") or ()),
                bool(sort.get("extension")),
                {short: tuple(numbers) for short, numbers in (sort.get("short") or {}).items()},
                sort.get("special-forms") or {},
                sort.get("special-also") or {},
            )
        for kind, entry in (theory.get("operators") or {}).items():
            _add_operator(catalogue, name, kind, entry)
    catalogue.dialects = build_dialects(_standard(catalogue), data.get("dialects") or {})
    return catalogue


def _standard(catalogue: Catalogue) -> Standard:
    operators = catalogue.operators.values()
    return Standard(
        frozenset(op.kind for op in operators if not op.extension),
        {op.kind: op.form for op in operators if op.form},
        {op.kind: op.definition for op in operators if op.definition},
        frozenset(op.kind for op in operators if op.by_bits),
        frozenset(op.kind for op in operators if op.in_scripts),
        {
            name: text
            for sort in catalogue.sorts.values()
            for name, text in sort.special_forms.items()
        },
    )


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
        entry.get("form") or "",
        entry.get("definition") or "",
        tuple(entry.get("uses") or ()),
        tuple(entry.get("also") or ()),
        entry.get("by-bits") or "",
        bool(entry.get("in-scripts")),
        bool(entry.get("binary")),
    )
    for alias in aliases:
        catalogue.aliases[alias] = kind
